// ST97 1.4 and 1.5: a rod slides with its tip on a table. With too much friction its accelerations
// do not exist, or there are two and a jam; the problem (4) in impulses always has a solution.
#include "papers/st97/entries.h"

#include <math.h>
#include <string.h>

enum { SIZE = 4 };                                 // beta_1, beta_2, c_n, lambda
static const double STEP = 1e-6, GRAVITY = 9.81;   // s, m/s^2
static const double MASS = 1, HALF = 1, SLIP = -1; // kg, m, m/s: the tip moves to the left
static const double CLOSED = 1e-9;                 // of a row's terms: complementary

typedef struct Rod {
    double theta, spin, mu;
    double J, a, b; // y_c'' = a N + b while the tip slides to the left
} Rod;

// [1/m + l^2 cos^2/J - mu l^2 sin cos/J] N + (l sin theta'^2 - g)                [ST97 section 1.4]
static Rod rod_at(double theta, double spin, double mu)
{
    double J = MASS * HALF * HALF / 3, s = sin(theta), c = cos(theta);
    return (Rod){theta,
                 spin,
                 mu,
                 J,
                 1 / MASS + HALF * HALF * c * (c - mu * s) / J,
                 HALF * s * spin * spin - GRAVITY};
}

// Solutions N >= 0 of 0 <= a N + b perp N >= 0; finite ones.
static int accelerations(const Rod *rod, double N[2])
{
    int count = 0;
    if (rod->b >= 0)
        N[count++] = 0;
    if (rod->a != 0 && -rod->b / rod->a > 0)
        N[count++] = -rod->b / rod->a;
    return count;
}

// The Schur complement system (4) of one step; n = (0, 1, -l cos), D = +-(1, 0, l sin).
static void build(const Rod *rod, double M[SIZE * SIZE], double q[SIZE])
{
    double s = sin(rod->theta), c = cos(rod->theta), h = STEP;
    double nn = 1 / MASS + HALF * HALF * c * c / rod->J;
    double dd = 1 / MASS + HALF * HALF * s * s / rod->J, nd = -HALF * HALF * s * c / rod->J;
    const double rows[SIZE][SIZE] = {
        {dd, -dd, nd, 1}, {-dd, dd, -nd, 1}, {nd, -nd, nn, 0}, {-1, -1, rod->mu, 0}};
    for (int i = 0; i < SIZE; i++)
        for (int j = 0; j < SIZE; j++)
            M[i + SIZE * j] = rows[i][j];
    q[0] = SLIP + h * HALF * c * rod->spin * rod->spin; // the tip's slip, its acceleration included
    q[1] = -q[0];
    q[2] = h * rod->b;
    q[3] = 0;
}

// Solves the columns `basic` of M z = -q; false if they are dependent.
static bool solve_basis(const double *M, const double *q, unsigned basic, double z[SIZE])
{
    double A[SIZE][SIZE + 1] = {{0}};
    for (int i = 0; i < SIZE; i++) {
        for (int j = 0; j < SIZE; j++)
            A[i][j] = (basic >> i & 1) && (basic >> j & 1) ? M[i + SIZE * j] : i == j;
        A[i][SIZE] = basic >> i & 1 ? -q[i] : 0;
    }
    for (int k = 0; k < SIZE; k++) {
        int pivot = k;
        for (int i = k + 1; i < SIZE; i++)
            pivot = fabs(A[i][k]) > fabs(A[pivot][k]) ? i : pivot;
        if (fabs(A[pivot][k]) < 1e-12)
            return false;
        for (int j = 0; j <= SIZE; j++) {
            double swapped = A[k][j];
            A[k][j] = A[pivot][j];
            A[pivot][j] = swapped;
        }
        for (int i = 0; i < SIZE; i++) {
            double factor = i == k ? 0 : A[i][k] / A[k][k];
            for (int j = k; j <= SIZE; j++)
                A[i][j] -= factor * A[k][j];
        }
    }
    for (int i = 0; i < SIZE; i++)
        z[i] = A[i][SIZE] / A[i][i];
    return true;
}

static bool is_new(double found[][SIZE], int count, const double z[SIZE])
{
    for (int k = 0; k < count; k++)
        if (fabs(found[k][2] - z[2]) <= 1e-6 * (fabs(z[2]) + STEP))
            return false;
    return true;
}

// All solutions of (4) that differ in c_n, by trying every basis.
static int enumerate(const double *M, const double *q, double found[1 << SIZE][SIZE])
{
    int count = 0;
    for (unsigned basic = 0; basic < 1U << SIZE; basic++) {
        double z[SIZE];
        PerpLcpCertificate certificate;
        if (!solve_basis(M, q, basic, z))
            continue;
        perp_lcp_certify(&(PerpLcp){SIZE, 0, M, q}, z, NULL, &certificate);
        if (certificate.worst <= CLOSED && is_new(found, count, z))
            memcpy(found[count++], z, sizeof z);
    }
    return count;
}

// --- the entry ----------------------------------------------------------------------------------

static double slip_after(const double *M, const double *q, const double z[SIZE])
{
    return q[0] + M[0] * z[0] + M[SIZE] * z[1] + M[2 * SIZE] * z[2];
}

// One row for each solution; returns their number.
static int tell_solutions(Paper *paper, int number, const Rod *rod)
{
    double M[SIZE * SIZE], q[SIZE], found[1 << SIZE][SIZE];
    build(rod, M, q);
    int count = enumerate(M, q, found);
    for (int k = 0; k < count; k++) {
        double slip = slip_after(M, q, found[k]);
        const double row[] = {
            number, rod->mu, rod->a, rod->b, k + 1, found[k][2], found[k][2] / STEP, slip};
        paper_row(paper, row, NULL);
    }
    return count;
}

static bool lemke_solves(Paper *paper, const Rod *rod, double *c_n)
{
    PerpError error;
    PerpSolver *solver = NULL;
    PerpLcpResult result = {0};
    PerpLcpSettings settings = perp_default_lcp_settings();
    double M[SIZE * SIZE], q[SIZE];
    build(rod, M, q);
    settings.method = PERP_LCP_LEMKE;
    PerpStatus status = perp_solver_create(NULL, &solver);
    if (!status)
        status = perp_lcp_solve(solver, &(PerpLcp){SIZE, 0, M, q}, &settings, &result, &error);
    else
        error = (PerpError){.status = status, .message = "out of memory"};
    if (status)
        paper_fail(paper, &error);
    *c_n = status ? NAN : result.z[2];
    bool solved = !status && result.outcome == PERP_OUTCOME_SOLVED;
    perp_solver_destroy(solver);
    return solved;
}

// a against mu: where accelerations fail.
static void draw(Paper *paper, double theta)
{
    enum { POINTS = 61 };
    double mu[POINTS], a[POINTS];
    const double zero[2] = {0, 0}, ends[2] = {0, 3};
    PerpSeries series[2] = {perp_default_series(), perp_default_series()};
    PerpFigure figure = perp_default_figure();
    for (int k = 0; k < POINTS; k++) {
        mu[k] = 3.0 * k / (POINTS - 1);
        a[k] = rod_at(theta, 0, mu[k]).a;
    }
    series[0].name = "1/m + l^2 cos^2/J - mu l^2 sin cos/J";
    series[0].count = POINTS;
    series[0].x = mu;
    series[0].y = a;
    series[1].count = 2;
    series[1].x = ends;
    series[1].y = zero;
    series[1].dashed = true;
    figure.title = "Below 0 the sliding rod has no acceleration, or two";
    figure.x_label = "mu";
    figure.y_label = "coefficient of N (1/kg)";
    figure.n_series = 2;
    figure.series = series;
    paper_figure(paper, "coefficient", &figure);
}

void st97_painleve(Paper *paper)
{
    const double theta = 1; // rad
    const Rod rods[] = {rod_at(theta, 0, 0.5), rod_at(theta, 0, 2.5), rod_at(theta, 5, 2.5)};
    static const int forces[] = {1, 0, 2}, impulses[] = {1, 1, 3};
    static const char *const texts[] = {
        "a > 0: one acceleration, one solution in impulses",
        "1.4, a < 0, b < 0: no acceleration at all, but one solution in impulses: the tip jams",
        "1.5, a < 0, b > 0: two accelerations, and three solutions in impulses"};
    paper_table(paper, "rows", "case mu a b solution c_n force slip");
    for (int k = 0; k < 3 && !paper_failed(paper); k++) {
        double N[2], c_n;
        int count = tell_solutions(paper, k + 1, &rods[k]);
        paper_claim(paper, accelerations(&rods[k], N) == forces[k] && count == impulses[k], "%s",
                    texts[k]);
        bool solved = lemke_solves(paper, &rods[k], &c_n);
        paper_claim(paper, solved, "3.3: Lemke's method solves case %d, c_n = %.3g N s", k + 1,
                    c_n);
    }
    paper_note(paper,
               "Mass %g kg, half length %g m, theta %g rad, the tip slides at %g m/s; cases 1 and "
               "2 do not turn, case 3 turns at 5 rad/s. One step of h = %g s; force = c_n/h: "
               "finite for contact lost (0) and for sliding, impulsive for the jam (slip 0).",
               MASS, HALF, theta, SLIP, STEP);
    paper_note(paper, "1.5 calls sliding in case 3 unstable: on a spring k in place of the table "
                      "a disturbance grows with the rate sqrt(-a k).");
    draw(paper, theta);
}
