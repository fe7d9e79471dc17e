// ST97 Figures 4, 5, 6: a falling, spinning rod with rounded ends, for several h. The paper gives
// no data; below are ours, and those of the article of 1996 [31]. Coordinates are the paper's
// (x, y, theta), as a custom system.
#include "papers/st97/entries.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS = 5, FINEST = 6400, DRAWN = 25 }; // h = 0.01 / 2^k, and the reference's steps
static const double MASS = 1, ROUND = 0.05, MU = 0.6, GRAVITY = 9.81; // SI units
static const double DURATION = 1;                                     // s

typedef struct Rod {
    double half, inertia;     // m, half of the length without its ends; kg m^2
    double start[3], push[3]; // m and rad, m/s and rad/s
} Rod;

static const Rod ours = {0.5, 1 / 12., {0, 1, 0.5236}, {0.5, 0, 4}};
// as a public script that recreates [31] has them (B. Bianchini 2021, "Toy Rod Simulation")
static const Rod of_1996 = {0.25, 0.002, {0, 1, 0.5235987755982988}, {0, 0, 4}};

static void mass(void *user, const double *q, double *M)
{
    (void)q;
    memset(M, 0, 9 * sizeof(double));
    M[0] = M[4] = MASS;
    M[8] = ((const Rod *)user)->inertia;
}

static void force(void *user, double t, const double *q, const double *v, double *k)
{
    (void)user, (void)t, (void)q, (void)v;
    k[1] = -MASS * GRAVITY;
}

static double potential(void *user, const double *q)
{
    (void)user;
    return MASS * GRAVITY * q[1];
}

// Height of the two ends: y -+ l sin theta - rho
static void heights(void *user, const double *q, double *phi)
{
    double half = ((const Rod *)user)->half;
    phi[0] = q[1] - half * sin(q[2]) - ROUND;
    phi[1] = q[1] + half * sin(q[2]) - ROUND;
}

static void normals(void *user, const double *q, double *n)
{
    double half = ((const Rod *)user)->half;
    const double values[6] = {0, 1, -half * cos(q[2]), 0, 1, half * cos(q[2])};
    memcpy(n, values, sizeof values);
}

// The slip of an end's lowest point: x' -+ l theta' sin theta + rho theta'
static void tangents(void *user, const double *q, int end, double *T)
{
    double half = ((const Rod *)user)->half;
    T[0] = 1;
    T[1] = 0;
    T[2] = (end == 0 ? half : -half) * sin(q[2]) + ROUND;
}

// A run, with everything that the figures and tables need.
typedef struct Run {
    const Rod *rod;
    int steps;
    double *t, *q, *v;                   // steps + 1; three numbers each in q and v
    double overlap, contraction, gained; // the deepest, the largest, energy that came from nothing
    double variation[3];                 // of each velocity
    int iterations, warnings;
} Run;

static bool take(Paper *paper, const Rod *rod, Run *run, int steps)
{
    *run = (Run){.rod = rod,
                 .steps = steps,
                 .t = calloc((size_t)steps + 1, sizeof(double)),
                 .q = calloc((size_t)steps + 1, 3 * sizeof(double)),
                 .v = calloc((size_t)steps + 1, 3 * sizeof(double))};
    if (run->t && run->q && run->v)
        return true;
    paper_fail(paper, &(PerpError){.status = PERP_NO_MEMORY, .message = "out of memory"});
    return false;
}

static void drop(Run *run)
{
    free(run->t);
    free(run->q);
    free(run->v);
}

static void note_step(const PerpSimulation *simulation, int k, double *energy, Run *run)
{
    int n;
    const PerpStepReport *report = perp_simulation_report(simulation);
    double phi[2], now = report->energy.kinetic + report->energy.gravity;
    double *v = run->v + 3 * k;
    run->t[k] = perp_simulation_time(simulation);
    memcpy(run->q + 3 * k, perp_simulation_q(simulation, &n), 3 * sizeof(double));
    memcpy(v, perp_simulation_v(simulation, &n), 3 * sizeof(double));
    for (int i = 0; i < 3; i++)
        run->variation[i] += fabs(v[i] - v[i - 3]);
    heights((void *)run->rod, run->q + 3 * k, phi);
    run->overlap = fmax(run->overlap, -fmin(phi[0], phi[1]));
    run->contraction = fmax(run->contraction, report->contraction);
    run->iterations = report->iterations > run->iterations ? report->iterations : run->iterations;
    run->warnings += report->warnings;
    run->gained = fmax(run->gained, now - *energy);
    *energy = now;
}

static PerpSystemDef describe(const Rod *rod)
{
    static const double mu[2] = {0.6, 0.6};
    PerpSystemDef def = perp_default_system();
    def.n = 3;
    def.user = (void *)rod;
    def.position = rod->start;
    def.velocity = rod->push;
    def.mass = mass;
    def.force = force;
    def.potential = potential;
    def.n_constraints = 2;
    def.constraints = heights;
    def.constraint_gradients = normals;
    def.mu = mu;
    def.n_tangents = 1;
    def.tangents = tangents;
    return def;
}

static void run_rod(Paper *paper, const Rod *rod, int steps, Run *run)
{
    PerpError error;
    PerpSimulation *simulation = NULL;
    PerpSystemDef def = describe(rod);
    PerpSimulationSettings settings = perp_default_simulation_settings();
    double energy = INFINITY;
    if (!take(paper, rod, run, steps))
        return;
    memcpy(run->q, rod->start, sizeof rod->start);
    memcpy(run->v, rod->push, sizeof rod->push);
    settings.scheme = "stewart-trinkle";
    settings.step = DURATION / steps;
    PerpStatus status = perp_simulation_create_custom(NULL, &def, &settings, &simulation, &error);
    for (int k = 1; k <= steps && !status; k++) {
        status = perp_simulation_step(simulation, 0, &error);
        if (!status)
            note_step(simulation, k, &energy, run);
    }
    if (status)
        paper_fail(paper, &error);
    perp_simulation_destroy(simulation);
}

// --- tables -------------------------------------------------------------------------------------

// max |q_h - q| over the steps of the coarser run, component by component
static double position_error(const Run *run, const Run *reference)
{
    int each = reference->steps / run->steps;
    double worst = 0;
    for (int k = 0; k <= run->steps; k++)
        for (int i = 0; i < 3; i++)
            worst = fmax(worst, fabs(run->q[3 * k + i] - reference->q[3 * k * each + i]));
    return worst;
}

// The integral of max_i |v_h - v| over time; velocities are those of the end of each step.
static double velocity_error(const Run *run, const Run *reference)
{
    int each = reference->steps / run->steps;
    double sum = 0;
    for (int k = 1; k <= reference->steps; k++) {
        const double *v = run->v + 3 * ((k + each - 1) / each), *exact = reference->v + 3 * k;
        double worst = 0;
        for (int i = 0; i < 3; i++)
            worst = fmax(worst, fabs(v[i] - exact[i]));
        sum += worst * DURATION / reference->steps;
    }
    return sum;
}

static void tell_rows(Paper *paper, const Run run[RUNS], const Run *reference, double error[RUNS])
{
    paper_table(paper, "rows",
                "h position_error velocity_error variation_vy variation_spin overlap iterations "
                "contraction");
    for (int k = 0; k < RUNS; k++) {
        error[k] = position_error(&run[k], reference);
        const double row[] = {DURATION / run[k].steps,
                              error[k],
                              velocity_error(&run[k], reference),
                              run[k].variation[1],
                              run[k].variation[2],
                              run[k].overlap,
                              run[k].iterations,
                              run[k].contraction};
        paper_row(paper, row, NULL);
    }
}

static void claim(Paper *paper, const Run run[RUNS], const double error[RUNS])
{
    double overlap = 0, least = INFINITY, most = 0;
    int warnings = 0;
    for (int k = 0; k < RUNS; k++) {
        overlap = fmax(overlap, run[k].overlap);
        least = fmin(least, run[k].variation[1]);
        most = fmax(most, run[k].variation[1]);
        warnings += run[k].warnings;
    }
    double order = log2(error[0] / error[RUNS - 1]) / (RUNS - 1);
    paper_claim(paper, order > 0.7 && order < 1.4,
                "positions converge with order 1: observed %.2f over h = 0.01 .. %.3g", order,
                DURATION / run[RUNS - 1].steps);
    paper_claim(paper, most / least < 1.5,
                "no chattering: the variation of the vertical velocity stays, %.4g .. %.4g m/s",
                least, most);
    paper_claim(paper, overlap < 1e-14,
                "3.4: with n and alpha_0 at the end of the step the rod never overlaps: %.1e m",
                overlap);
    paper_claim(paper, run[0].contraction > 2 * run[RUNS - 1].contraction && warnings == 0,
                "3.4: the iteration converges, the faster the shorter the step: worst factor %.2g "
                "at h = 0.01, %.2g at the shortest",
                run[0].contraction, run[RUNS - 1].contraction);
}

// --- figures ------------------------------------------------------------------------------------

// The rod at equal times, as lines with gaps between them.
static void draw_rod(Paper *paper, const Run *run)
{
    double x[3 * DRAWN], y[3 * DRAWN];
    const double floor_x[2] = {-1.1, 0.7}, floor_y[2] = {0, 0};
    PerpSeries series[2] = {perp_default_series(), perp_default_series()};
    PerpFigure figure = perp_default_figure();
    for (int k = 0; k < DRAWN; k++) {
        const double *q = run->q + 3 * (k * run->steps / (DRAWN - 1));
        for (int end = 0; end < 2; end++) {
            x[3 * k + end] = q[0] + (end ? run->rod->half : -run->rod->half) * cos(q[2]);
            y[3 * k + end] = q[1] + (end ? run->rod->half : -run->rod->half) * sin(q[2]);
        }
        x[3 * k + 2] = y[3 * k + 2] = NAN;
    }
    series[0].name = "rod";
    series[0].count = 3 * DRAWN;
    series[0].x = x;
    series[0].y = y;
    series[1].name = "table";
    series[1].count = 2;
    series[1].x = floor_x;
    series[1].y = floor_y;
    figure.title = "Falling and spinning rod, h = 0.01";
    figure.x_label = "x (m)";
    figure.y_label = "y (m)";
    figure.equal = true;
    figure.n_series = 2;
    figure.series = series;
    paper_figure(paper, "figure-4", &figure);
}

// One velocity against time, for the first three h.
static void draw_velocity(Paper *paper, const Run *run, int component, const char *name,
                          const char *title, const char *label)
{
    static const char *const names[3] = {"h = 0.01", "h = 0.005", "h = 0.0025"};
    PerpSeries series[3];
    PerpFigure figure = perp_default_figure();
    double *y[3] = {NULL};
    for (int k = 0; k < 3; k++) {
        series[k] = perp_default_series();
        y[k] = calloc((size_t)run[k].steps + 1, sizeof(double));
        for (int i = 0; y[k] && i <= run[k].steps; i++)
            y[k][i] = run[k].v[3 * i + component];
        series[k].name = names[k];
        series[k].count = y[k] ? run[k].steps + 1 : 0;
        series[k].x = run[k].t;
        series[k].y = y[k];
    }
    figure.title = title;
    figure.x_label = "time (s)";
    figure.y_label = label;
    figure.n_series = 3;
    figure.series = series;
    paper_figure(paper, name, &figure);
    for (int k = 0; k < 3; k++)
        free(y[k]);
}

static void show(Paper *paper, const Rod *rod)
{
    Run run[RUNS] = {{0}}, reference = {0};
    double error[RUNS];
    for (int k = 0; k < RUNS; k++)
        run_rod(paper, rod, 100 << k, &run[k]);
    run_rod(paper, rod, FINEST, &reference);
    if (!paper_failed(paper)) {
        tell_rows(paper, run, &reference, error);
        paper_note(paper,
                   "Errors are against h = %.4g s, positions as the largest difference at "
                   "any step, velocities as the integral of it.",
                   DURATION / FINEST);
        claim(paper, run, error);
        draw_rod(paper, &run[0]);
        draw_velocity(paper, run, 1, "figure-5", "Vertical velocity of the rod", "v_y (m/s)");
        draw_velocity(paper, run, 2, "figure-6", "Angular velocity of the rod", "spin (rad/s)");
    }
    for (int k = 0; k < RUNS; k++)
        drop(&run[k]);
    drop(&reference);
}

void st97_rod(Paper *paper)
{
    paper_note(paper,
               "The paper gives no data. Ours: mass %g kg, half length %g m, ends of radius %g "
               "m, mu %g, from (0, %g) at 30 deg, moving at 0.5 m/s and turning at 4 rad/s.",
               MASS, ours.half, ROUND, MU, ours.start[1]);
    show(paper, &ours);
}

void st97_rod_1996(Paper *paper)
{
    paper_note(
        paper,
        "Data of the article of 1996, as a public script that recreates it has them: length "
        "%g m, mass %g kg, inertia %g kg m^2, ends of radius %g m, mu %g, from (0, %g) at 30 "
        "deg, turning at 4 rad/s. Neither paper prints numbers of its figures.",
        2 * of_1996.half, MASS, of_1996.inertia, ROUND, MU, of_1996.start[1]);
    show(paper, &of_1996);
}
