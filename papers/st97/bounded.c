// Section 4.1: the kinetic energy stays below theta(t), dtheta/dt = a + b sqrt(theta) with constant
// M, and dtheta/dt = a theta^(3/2) + b theta^(1/2) with M(q), as h goes to 0.
#include "papers/st97/entries.h"

#include <math.h>
#include <string.h>

static const double G = 9.81, WALL = 0.9; // m/s^2, rad

// --- constant M: a particle thrown on a floor with friction -------------------------------------

static void unit_mass(void *user, const double *q, double *M)
{
    (void)user, (void)q;
    M[0] = M[3] = 1;
    M[1] = M[2] = 0;
}

static void weight(void *user, double t, const double *q, const double *v, double *k)
{
    (void)user, (void)t, (void)q, (void)v;
    k[0] = 2; // a wind
    k[1] = -G;
}

static void height(void *user, const double *q, double *phi)
{
    (void)user;
    phi[0] = q[1];
}

static void along(void *user, const double *q, int constraint, double *T)
{
    (void)user, (void)q, (void)constraint;
    T[0] = 1;
    T[1] = 0;
}

// --- M(q): a double pendulum in angles, before a wall for its first angle ------------------------

static void pendulum_mass(void *user, const double *q, double *M)
{
    (void)user;
    M[0] = 2;
    M[1] = M[2] = cos(q[0] - q[1]);
    M[3] = 1;
}

static void pendulum_force(void *user, double t, const double *q, const double *v, double *k)
{
    double s = sin(q[0] - q[1]);
    (void)user, (void)t;
    k[0] = -s * v[1] * v[1] - 2 * G * sin(q[0]);
    k[1] = s * v[0] * v[0] - G * sin(q[1]);
}

static void before_wall(void *user, const double *q, double *phi)
{
    (void)user;
    phi[0] = WALL - q[0];
}

// --- runs ---------------------------------------------------------------------------------------

typedef struct Bounded {
    double margin, excess, last; // least of the bound; largest KE/theta - 1; KE at the end
    double a, b;                 // the largest seen
    long applied, steps;
} Bounded;

// Over the metric of M: |v|^2 changes by dM along v, at most a theta^(3/2); forces by b
// theta^(1/2).
static void rates(const PerpSystemDef *def, const double *q, const double *v, double *kinetic,
                  double *a, double *b)
{
    double M[4], k[2], later[4], ahead[2] = {q[0] + 1e-6 * v[0], q[1] + 1e-6 * v[1]};
    def->mass(NULL, q, M);
    def->mass(NULL, ahead, later);
    def->force(NULL, 0, q, v, k);
    double det = M[0] * M[3] - M[1] * M[2], turn = 0, force;
    *kinetic = (M[0] * v[0] * v[0] + 2 * M[1] * v[0] * v[1] + M[3] * v[1] * v[1]) / 2;
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
            turn += (later[i + 2 * j] - M[i + 2 * j]) / 1e-6 * v[i] * v[j] / 2;
    force = sqrt((M[3] * k[0] * k[0] - 2 * M[1] * k[0] * k[1] + M[0] * k[1] * k[1]) / det);
    *a = *kinetic > 1e-6 ? fmax(*a, turn / pow(*kinetic, 1.5)) : *a;
    *b = fmax(*b, force * sqrt(2));
}

static Bounded run(Paper *paper, const PerpSystemDef *def, double h, double end)
{
    Bounded seen = {.margin = INFINITY};
    PerpSimulationSettings settings = perp_default_simulation_settings();
    PerpSimulation *simulation = NULL;
    PerpError error = {0};
    enum { MOST = 4000 };
    static double kinetic[MOST + 1];
    int n, steps = (int)lround(end / h);
    settings.scheme = "stewart-trinkle";
    settings.step = h;
    rates(def, def->position, def->velocity, &kinetic[0], &seen.a, &seen.b);
    PerpStatus status = perp_simulation_create_custom(NULL, def, &settings, &simulation, &error);
    for (int k = 1; k <= steps && k <= MOST && !status; k++) {
        status = perp_simulation_step(simulation, 0, &error);
        if (status)
            break;
        const PerpBound *bound =
            &perp_simulation_report(simulation)->bound[PERP_BOUND_ST97_BOUNDED];
        if (bound->applies)
            seen.margin = fmin(seen.margin, bound->margin);
        seen.applied += bound->applies;
        seen.steps++;
        rates(def, perp_simulation_q(simulation, &n), perp_simulation_v(simulation, &n),
              &kinetic[k], &seen.a, &seen.b);
    }
    if (status)
        paper_fail(paper, &error);
    perp_simulation_destroy(simulation);
    double theta = kinetic[0]; // by small steps of Euler's rule
    for (int k = 1; k <= steps && k <= MOST && !status; k++) {
        for (int i = 0; i < 100; i++)
            theta += h / 100 * (seen.a * pow(theta, 1.5) + seen.b * sqrt(theta));
        seen.excess = fmax(seen.excess, kinetic[k] / theta - 1);
        seen.last = kinetic[k];
    }
    return seen;
}

static void tell(Paper *paper, double kind, double h, const Bounded *seen)
{
    paper_row(paper,
              (double[]){kind, h, (double)seen->applied, (double)seen->steps, seen->margin, seen->a,
                         seen->b, seen->last, seen->excess},
              NULL);
}

void st97_bounded(Paper *paper)
{
    static const double thrown[2] = {0, 0.4}, speed[2] = {1, 0.5}, mu = 0.1;
    static const double angles[2] = {-1, 0.4}, turning[2] = {0.5, 0};
    static const double step_of[2] = {1e-2, 1e-3};
    PerpSystemDef def[2] = {perp_default_system(), perp_default_system()};
    Bounded seen[2][2];
    for (int k = 0; k < 2; k++) {
        def[k].n = 2;
        def[k].position = k ? angles : thrown;
        def[k].velocity = k ? turning : speed;
        def[k].mass = k ? pendulum_mass : unit_mass;
        def[k].force = k ? pendulum_force : weight;
        def[k].n_constraints = 1;
        def[k].constraints = k ? before_wall : height;
    }
    def[0].mu = &mu;
    def[0].n_tangents = 1;
    def[0].tangents = along;
    paper_table(paper, "rows", "M(q) h applied steps margin a b kinetic excess");
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < 2 && !paper_failed(paper); i++) {
            seen[k][i] = run(paper, &def[k], step_of[i], 2);
            tell(paper, k, step_of[i], &seen[k][i]);
        }
    if (paper_failed(paper))
        return;
    double least = INFINITY;
    bool always = true;
    for (int k = 0; k < 4; k++) {
        least = fmin(least, seen[k / 2][k % 2].margin);
        always = always && seen[k / 2][k % 2].applied == seen[k / 2][k % 2].steps;
    }
    paper_bound(paper, PERP_BOUND_ST97_BOUNDED, least, 1e-9);
    paper_claim(paper, always, "its assumptions hold in every step: straight constraints");
    paper_claim(paper, seen[0][0].excess <= 0 && seen[0][1].excess <= 0 && seen[0][0].a == 0,
                "constant M: the kinetic energy stays below theta, dtheta/dt = b sqrt(theta), so "
                "that speeds grow linearly at most");
    paper_claim(paper, seen[1][0].excess < 0.05 && seen[1][1].excess < 0.005 && seen[1][1].a > 0,
                "M(q): below theta of dtheta/dt = a theta^(3/2) + b theta^(1/2), up to O(h): over "
                "it by %.1e and %.1e",
                seen[1][0].excess, seen[1][1].excess);
    paper_note(paper,
               "A particle thrown on a floor with friction and wind, and a double pendulum in "
               "angles before a wall, 2 s. a and b: the largest rates of |v|^2 by dM and of "
               "sqrt(k'M^-1 k) seen along the run.");
}
