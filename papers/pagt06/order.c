// Sections 2 and 3: the trapezoidal steps without constraints and their truncation errors. The
// nonlinear steps (2.4) and (2.5), with M(t, q), and the linear ones (2.6), (2.10) are written out
// here; the scheme `trapezoidal` is compared with the latter.
//
//     T    (2.4)   v_new = v + (h/2) (M^-1 k + M_new^-1 k_new)
//     MT   (2.5)   (M + M_new) (v_new - v) = h (k + k_new)
//     LT   (2.6)   one Newton step of MT from (q, v): (2.7), (2.8)
//     ALT  (2.10)  the same with k_q of (9.2) instead of the exact one
#include "papers/pagt06/entries.h"
#include "papers/pagt06/pendulum.h"

#include <math.h>
#include <string.h>

static const double G = 9.81, STIFFNESS = 50, DAMPING = 3;

typedef enum Step { T, MT, LT, ALT, STEPS } Step;
static const char *const step_names[STEPS] = {"(2.4)", "(2.5)", "(2.6)", "(2.10)"};

// M(t, q) dv/dt = k(t, q, v), two coordinates.
typedef struct Motion {
    const char *name;
    bool pendulum; // in angles, M(q); else a mass on a damped spring, M = 1, psi = |q| - 1
    bool in_time;  // M is multiplied by 1 + 0.3 sin t
    double q[2], v[2];
} Motion;

static const Motion motions[] = {
    {"M constant", false, false, {1.2, 0.3}, {0.5, 1}},
    {"M(q)", true, false, {1, 0.5}, {0.4, -0.2}},
    {"M(t, q)", true, true, {1, 0.5}, {0.4, -0.2}},
};
enum { MOTIONS = 3 };

static void mass(const Motion *m, double t, const double *q, double M[4])
{
    double factor = m->in_time ? 1 + 0.3 * sin(t) : 1;
    M[0] = factor * (m->pendulum ? 2 : 1);
    M[1] = M[2] = factor * (m->pendulum ? cos(q[0] - q[1]) : 0);
    M[3] = factor;
}

// Without the spring: weight, the terms of M(q), and a drive.
static void drive(const Motion *m, double t, const double *q, const double *v, double k[2])
{
    double s = sin(q[0] - q[1]);
    k[0] = sin(3 * t) + (m->pendulum ? -s * v[1] * v[1] - 2 * G * sin(q[0]) : 0);
    k[1] = m->pendulum ? s * v[0] * v[0] - G * sin(q[1]) : -G;
}

static void force(const Motion *m, double t, const double *q, const double *v, double k[2])
{
    double r = hypot(q[0], q[1]), speed = (q[0] * v[0] + q[1] * v[1]) / r;
    drive(m, t, q, v, k);
    for (int i = 0; i < 2 && !m->pendulum; i++)
        k[i] -= (STIFFNESS * (r - 1) + DAMPING * speed) * q[i] / r;
}

static void solve(const double A[4], const double b[2], double x[2]) // A by columns
{
    double det = A[0] * A[3] - A[1] * A[2];
    x[0] = (A[3] * b[0] - A[2] * b[1]) / det;
    x[1] = (A[0] * b[1] - A[1] * b[0]) / det;
}

// --- the steps ----------------------------------------------------------------------------------

// T or MT by fixed-point iteration to rounding; its factor is O(h^2).
static void nonlinear_step(const Motion *m, Step kind, double t, double h, double q[2], double v[2])
{
    double M[4], k[2], a[2], q_new[2] = {q[0], q[1]}, v_new[2] = {v[0], v[1]};
    mass(m, t, q, M);
    force(m, t, q, v, k);
    solve(M, k, a);
    for (int round = 0; round < 200; round++) {
        double M_new[4], k_new[2], change[2];
        for (int i = 0; i < 2; i++)
            q_new[i] = q[i] + h / 2 * (v[i] + v_new[i]);
        mass(m, t + h, q_new, M_new);
        force(m, t + h, q_new, v_new, k_new);
        if (kind == T) {
            solve(M_new, k_new, change);
            for (int i = 0; i < 2; i++)
                change[i] = h / 2 * (a[i] + change[i]);
        } else {
            for (int i = 0; i < 4; i++)
                M_new[i] += M[i];
            for (int i = 0; i < 2; i++)
                k_new[i] = h * (k[i] + k_new[i]);
            solve(M_new, k_new, change);
        }
        for (int i = 0; i < 2; i++)
            v_new[i] = v[i] + change[i];
    }
    memcpy(q, q_new, sizeof q_new);
    memcpy(v, v_new, sizeof v_new);
}

// k_q or k_v by differences of sixth order
static void derive(const Motion *m, bool by_v, const double *q, const double *v, double J[4])
{
    static const double weight[3] = {45. / 60, -9. / 60, 1. / 60};
    const double d = 1e-2;
    for (int j = 0; j < 2; j++) {
        J[2 * j] = J[2 * j + 1] = 0;
        for (int step = 1; step <= 3; step++)
            for (int side = -1; side <= 1; side += 2) {
                double x[2][2] = {{q[0], q[1]}, {v[0], v[1]}}, k[2];
                x[by_v][j] += side * step * d;
                force(m, 0, x[0], x[1], k); // the drive does not depend on them
                for (int i = 0; i < 2; i++)
                    J[i + 2 * j] += side * weight[step - 1] * k[i] / d;
            }
    }
}

static void linear_step(const Motion *m, Step kind, double t, double h, double q[2], double v[2])
{
    double M[4], M_new[4], k[2], k_new[2], k_q[4], k_v[4], dv[2], g[2];
    mass(m, t, q, M);
    mass(m, t + h, q, M_new);
    force(m, t, q, v, k);
    force(m, t + h, q, v, k_new);
    derive(m, false, q, v, k_q);
    derive(m, true, q, v, k_v);
    for (int i = 0; i < 2; i++)
        g[i] = q[i] / hypot(q[0], q[1]);
    for (int i = 0; i < 4 && kind == ALT; i++) {
        k_q[i] = -STIFFNESS * g[i % 2] * g[i / 2]; // (9.2)
        k_v[i] = -DAMPING * g[i % 2] * g[i / 2];   // (9.3)
    }
    for (int i = 0; i < 4; i++)
        M[i] = (M[i] + M_new[i] - h * k_v[i] - h * h / 2 * k_q[i]) / 2; // (2.7)
    for (int i = 0; i < 2; i++)
        k[i] = h / 2 * (k[i] + k_new[i] + h * (k_q[i] * v[0] + k_q[i + 2] * v[1])); // (2.8)
    solve(M, k, dv);
    for (int i = 0; i < 2; i++) {
        q[i] += h / 2 * (2 * v[i] + dv[i]);
        v[i] += dv[i];
    }
}

static void take(const Motion *m, Step kind, double t, double h, double z[4])
{
    if (kind == T || kind == MT)
        nonlinear_step(m, kind, t, h, z, z + 2);
    else
        linear_step(m, kind, t, h, z, z + 2);
}

static void begin(const Motion *m, double z[4])
{
    memcpy(z, m->q, sizeof m->q);
    memcpy(z + 2, m->v, sizeof m->v);
}

// --- the scheme ---------------------------------------------------------------------------------

static void perp_mass(void *user, const double *q, double *M)
{
    mass(user, 0, q, M);
}

// The spring is a link of the system, the rest a force.
static void perp_force(void *user, double t, const double *q, const double *v, double *k)
{
    drive(user, t, q, v, k);
}

static void elongation(void *user, const double *q, double *psi)
{
    (void)user;
    psi[0] = hypot(q[0], q[1]) - 1;
}

static void elongation_gradient(void *user, const double *q, double *g)
{
    (void)user;
    for (int i = 0; i < 2; i++)
        g[i] = q[i] / hypot(q[0], q[1]);
}

// `steps` of perp's scheme.
static void run_scheme(Paper *paper, const Motion *m, bool approximate, double h, int steps,
                       double z[4])
{
    PerpSystemDef def = perp_default_system();
    PerpSimulationSettings settings = perp_default_simulation_settings();
    PerpSimulation *simulation = NULL;
    PerpError error = {0};
    int n;
    def.n = 2;
    def.position = m->q;
    def.velocity = m->v;
    def.user = (void *)m;
    def.mass = perp_mass;
    def.force = perp_force;
    def.n_links = !m->pendulum;
    def.links = elongation;
    def.link_gradients = elongation_gradient;
    def.stiffness = &STIFFNESS;
    def.damping = &DAMPING;
    settings.scheme = "trapezoidal";
    settings.step = h;
    settings.jacobian = approximate ? PERP_JACOBIAN_APPROXIMATE : PERP_JACOBIAN_EXACT;
    if (perp_simulation_create_custom(NULL, &def, &settings, &simulation, &error))
        paper_fail(paper, &error);
    for (int k = 0; k < steps && pagt06_step(paper, simulation); k++) {
    }
    if (!paper_failed(paper)) {
        memcpy(z, perp_simulation_q(simulation, &n), 2 * sizeof(double));
        memcpy(z + 2, perp_simulation_v(simulation, &n), 2 * sizeof(double));
    }
    perp_simulation_destroy(simulation);
}

// --- orders -------------------------------------------------------------------------------------

static double largest(const double a[4], const double b[4], int first, int last)
{
    double most = 0;
    for (int i = first; i <= last; i++)
        most = fmax(most, fabs(a[i] - b[i]));
    return most;
}

// After one step of h, the difference of two kinds in z, or in q or v alone.
static double local(const Motion *m, Step one, Step other, double h, int first, int last)
{
    double a[4], b[4];
    begin(m, a);
    begin(m, b);
    take(m, one, 0, h, a);
    take(m, other, 0, h, b);
    return largest(a, b, first, last);
}

static double local_order(const Motion *m, Step one, Step other, int first, int last)
{
    const double h = 0x1p-10;
    return log2(local(m, one, other, h, first, last) / local(m, one, other, h / 2, first, last));
}

// At t = 1, by steps of 2^-exponent.
static void end_of(const Motion *m, Step kind, int exponent, double z[4])
{
    double h = ldexp(1, -exponent);
    begin(m, z);
    for (int k = 0; k < 1 << exponent; k++)
        take(m, kind, k * h, h, z);
}

// Of MT by extrapolation: its error has even powers of h only.
static void reference(const Motion *m, double z[4])
{
    double half[4], quarter[4];
    end_of(m, MT, 11, z);
    end_of(m, MT, 12, half);
    end_of(m, MT, 13, quarter);
    for (int i = 0; i < 4; i++) {
        double first = (4 * half[i] - z[i]) / 3, second = (4 * quarter[i] - half[i]) / 3;
        z[i] = (16 * second - first) / 15;
    }
}

static double global_order(const Motion *m, Step kind, const double exact[4])
{
    double coarse[4], fine[4];
    end_of(m, kind, 9, coarse);
    end_of(m, kind, 10, fine);
    return log2(largest(coarse, exact, 0, 3) / largest(fine, exact, 0, 3));
}

static double scheme_order(Paper *paper, const Motion *m, bool approximate, const double exact[4])
{
    double coarse[4] = {0}, fine[4] = {0};
    run_scheme(paper, m, approximate, 0x1p-9, 1 << 9, coarse);
    run_scheme(paper, m, approximate, 0x1p-10, 1 << 10, fine);
    return log2(largest(coarse, exact, 0, 3) / largest(fine, exact, 0, 3));
}

// Four steps of the scheme against those written out here.
static double scheme_off(Paper *paper, const Motion *m, bool approximate)
{
    double z[4], w[4] = {0};
    begin(m, z);
    for (int k = 0; k < 4; k++)
        take(m, approximate ? ALT : LT, k * 0x1p-5, 0x1p-5, z);
    run_scheme(paper, m, approximate, 0x1p-5, 4, w);
    return largest(z, w, 0, 3);
}

static bool is_near(double order, double wanted)
{
    return fabs(order - wanted) < 0.1;
}

static void try_theorems(Paper *paper)
{
    double order[MOTIONS][3];
    paper_table(paper, "local", "motion (2.5)-(2.4) (2.6)-(2.5) (2.10)-(2.5),q (2.10)-(2.5),v");
    for (int k = 0; k < MOTIONS; k++) {
        const Motion *m = &motions[k];
        bool spring = !m->pendulum;
        order[k][0] = spring ? NAN : local_order(m, MT, T, 0, 3);
        order[k][1] = local_order(m, LT, MT, 0, 3);
        paper_row(paper,
                  (double[]){k, order[k][0], order[k][1],
                             spring ? local_order(m, ALT, MT, 0, 1) : NAN,
                             spring ? local_order(m, ALT, MT, 2, 3) : NAN},
                  NULL);
    }
    paper_claim(paper,
                is_near(order[1][0], 3) && is_near(order[2][0], 3) &&
                    local(&motions[0], MT, T, 0.1, 0, 3) < 1e-14,
                "theorem 3.2: (2.5) and (2.4) differ by O(h^3), and not at all if M is constant");
    paper_claim(paper,
                is_near(order[0][1], 3) && is_near(order[1][1], 2) && is_near(order[2][1], 2),
                "theorem 3.3: (2.6) and (2.5) differ by O(h^3) if M is constant, else by O(h^2)");
    paper_claim(paper,
                is_near(local_order(&motions[0], ALT, MT, 0, 1), 3) &&
                    is_near(local_order(&motions[0], ALT, MT, 2, 3), 2),
                "theorem 3.4 ii: with an approximate Jacobian q differs by O(h^3), v by O(h^2)");
}

void pagt06_order(Paper *paper)
{
    double exact[MOTIONS][4], order[MOTIONS][STEPS];
    static const double wanted[MOTIONS][STEPS] = {{2, 2, 2, 1}, {2, 2, 1, NAN}, {2, 2, 1, NAN}};
    bool right = true;
    try_theorems(paper);
    paper_table(paper, "orders", "motion (2.4) (2.5) (2.6) (2.10)");
    for (int k = 0; k < MOTIONS; k++) {
        double row[1 + STEPS] = {k};
        reference(&motions[k], exact[k]);
        for (int kind = 0; kind < STEPS; kind++) {
            bool there = kind != ALT || !motions[k].pendulum;
            order[k][kind] = row[1 + kind] =
                there ? global_order(&motions[k], (Step)kind, exact[k]) : NAN;
            right = right && (!there || is_near(order[k][kind], wanted[k][kind]));
        }
        paper_row(paper, row, NULL);
    }
    double of_exact = scheme_order(paper, &motions[0], false, exact[0]);
    double of_approximate = scheme_order(paper, &motions[0], true, exact[0]);
    double of_mass = scheme_order(paper, &motions[1], false, exact[1]);
    double off = fmax(scheme_off(paper, &motions[0], false), scheme_off(paper, &motions[0], true));
    off = fmax(off, scheme_off(paper, &motions[1], false));
    paper_table(paper, "scheme", "exact approximate M(q)");
    paper_row(paper, (double[]){of_exact, of_approximate, of_mass}, (double[]){2, 1, 1});
    paper_note(
        paper,
        "Motion 0: a mass on a damped spring, M constant; 1: a double pendulum in angles, M(q); 2: "
        "the same with M(t, q) = (1 + 0.3 sin t) M(q). Steps: T %s, MT %s, LT %s, and %s "
        "with (9.2). All have the drive sin 3t. M(t, q) is not part of (5.1), so that perp's "
        "systems have M(q).",
        step_names[T], step_names[MT], step_names[LT], step_names[ALT]);
    paper_claim(paper, right,
                "orders at t = 1: 2 of (2.4) and (2.5); of (2.6) 2 if M is constant (%.2f), else 1 "
                "(%.2f, %.2f); 1 of (2.10) (%.2f)",
                order[0][LT], order[1][LT], order[2][LT], order[0][ALT]);
    paper_claim(paper, is_near(of_exact, 2) && is_near(of_approximate, 1) && is_near(of_mass, 1),
                "the scheme: order %.2f with the exact Jacobian, %.2f with (9.2)-(9.3), %.2f with "
                "M(q)",
                of_exact, of_approximate, of_mass);
    paper_claim(paper, off < 1e-9,
                "steps of the scheme are those of (2.6) or (2.10), to %.1e in q and v", off);
}
