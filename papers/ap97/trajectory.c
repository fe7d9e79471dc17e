// Section 4: trajectories, not bounds. The algorithm's iterates are known in closed form for a ball
// and for a particle along a round wall; both are written out here and compared step by step.
// Collisions that are located late, or impacts that are off, show at once.
#include "papers/ap97/ap97.h"

#include <math.h>
#include <string.h>

static const double G = 9.81;

// Impacts: in two phases, friction of decompression as printed, in one phase.
typedef enum Impact { TWO_PHASES, PRINTED, ONE_PHASE, IMPACTS } Impact;

static PerpSimulation *create(Paper *paper, const PerpSystemDef *def, const char *scheme, double h,
                              double threshold, PerpData data, Impact impact)
{
    PerpSimulationSettings settings = perp_default_simulation_settings();
    PerpSimulation *simulation = NULL;
    PerpError error = {0};
    settings.scheme = scheme;
    settings.step = h;
    settings.restitution_threshold = threshold;
    settings.data = data;
    settings.printed_decompression = impact == PRINTED;
    settings.one_phase = impact == ONE_PHASE;
    if (perp_simulation_create_custom(NULL, def, &settings, &simulation, &error))
        paper_fail(paper, &error);
    return simulation;
}

static bool step(Paper *paper, PerpSimulation *simulation)
{
    PerpError error = {0};
    if (paper_failed(paper))
        return false;
    if (perp_simulation_step(simulation, 0, &error))
        paper_fail(paper, &error);
    return !paper_failed(paper);
}

static const double *q_of(const PerpSimulation *simulation)
{
    int n;
    return perp_simulation_q(simulation, &n);
}

static const double *v_of(const PerpSimulation *simulation)
{
    int n;
    return perp_simulation_v(simulation, &n);
}

static void unit_mass(void *user, const double *q, double *M)
{
    (void)user, (void)q;
    M[0] = M[3] = 1;
    M[1] = M[2] = 0;
}

// --- a ball above a floor -----------------------------------------------------------------------

static void weight(void *user, double t, const double *q, const double *v, double *k)
{
    (void)user, (void)t, (void)q, (void)v;
    k[0] = 0;
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

typedef struct Ball {
    double x, z, u, w; // position and velocity
    double mu, e;
    Impact impact;
    int bounces;
    double first; // s: when it first bounces
} Ball;

// v^c and v^+ at the floor (3.2)-(3.5): both impulses press friction on, never beyond a standstill.
// As printed, the friction of decompression is bounded by mu c_n^x, which is 0 here. In one phase
// v^+ = (1 + e) v^c - e v^-.
static void bounce(Ball *b)
{
    double pressed = b->impact == TWO_PHASES ? 1 + b->e : 1;
    double lost = copysign(fmin(-b->mu * pressed * b->w, fabs(b->u)), b->u);
    b->u -= b->impact == ONE_PHASE ? (1 + b->e) * lost : lost;
    b->w = -b->e * b->w;
    b->bounces++;
}

// q_new = q + h v, v_new = v + h k; where q + tau v meets the floor: that far, the impact, the
// rest.
static void fly(Ball *b, double t, double h)
{
    while (h > 0) {
        double tau = b->z + h * b->w < 0 ? -b->z / b->w : h;
        b->x += tau * b->u;
        b->z = tau < h ? 0 : b->z + tau * b->w;
        b->w -= tau * G;
        t += tau;
        if (tau < h) {
            b->first = b->bounces == 0 ? t : b->first;
            bounce(b);
        }
        h -= tau;
    }
}

static void throw_ball(Paper *paper, double h, double mu, double e, Impact impact, double *off,
                       double *late)
{
    const double start[2] = {0, 1}, velocity[2] = {2, 0.3};
    const double end = e > 0.5 ? 2 : 1.2; // s: before it rests
    Ball ball = {start[0], start[1], velocity[0], velocity[1], mu, e, impact, 0, 0};
    PerpSystemDef def = perp_default_system();
    def.n = 2;
    def.position = start;
    def.velocity = velocity;
    def.mass = unit_mass;
    def.force = weight;
    def.n_constraints = 1;
    def.constraints = height;
    def.restitution = &e;
    def.mu = &mu;
    def.n_tangents = 1;
    def.tangents = along;
    PerpSimulation *simulation =
        create(paper, &def, "anitescu-potra", h, 1e-3, PERP_DATA_END, impact);
    double worst = 0, exact = (velocity[1] + sqrt(velocity[1] * velocity[1] + 2 * G)) / G;
    int bounces = 0;
    for (int k = 0; k * h < end && step(paper, simulation); k++) {
        const double *q = q_of(simulation), *v = v_of(simulation);
        fly(&ball, k * h, h);
        bounces += perp_simulation_report(simulation)->impacts;
        worst = fmax(worst, hypot(q[0] - ball.x, q[1] - ball.z));
        worst = fmax(worst, hypot(v[0] - ball.u, v[1] - ball.w));
    }
    worst = bounces == ball.bounces ? worst : INFINITY;
    if (!paper_failed(paper))
        paper_row(paper, (double[]){impact, h, mu, e, bounces, worst, ball.first, exact}, NULL);
    *off = fmax(*off, worst);
    *late = fmax(*late, fabs(ball.first - exact) / h);
    perp_simulation_destroy(simulation);
}

void ap97_trajectory(Paper *paper)
{
    static const double step_of[] = {0.01, 0.0037}, mu_of[] = {0, 0.1, 0.6};
    double off = 0, late = 0;
    paper_table(paper, "ball", "impact h mu e bounces off first-bounce exact");
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 3; k++)
            for (int j = 0; j < 2 * IMPACTS && !paper_failed(paper); j++)
                throw_ball(paper, step_of[i], mu_of[k], j % 2 ? 0.8 : 0.4, (Impact)(j / 2), &off,
                           &late);
    paper_claim(paper, off < 1e-11,
                "positions and velocities are those of the algorithm, bounce for bounce: to %.1e",
                off);
    paper_claim(paper, late < 1, "the first bounce is off the exact one by %.2f h at most", late);
    paper_note(paper,
               "The paper gives no example: 1 kg thrown from 1 m with (2, 0.3) m/s on a "
               "floor with friction, until 2 s or 1.2 s. The iterates are worked out by hand: "
               "flight, impact at q + tau v on the floor, v^+ of (3.2)-(3.5). impact: 0 two "
               "phases, 1 with printed_decompression, 2 with one_phase (lemma 3.1).");
}

// --- along a round wall -------------------------------------------------------------------------

static void inside(void *user, const double *q, double *phi)
{
    (void)user;
    phi[0] = 1 - hypot(q[0], q[1]);
}

static void inward(void *user, const double *q, double *n)
{
    double r = hypot(q[0], q[1]);
    (void)user;
    n[0] = -q[0] / r;
    n[1] = -q[1] / r;
}

// v_new = v - n (n'v) with n at q + part h v.
static void slide(double q[2], double v[2], double part, double h)
{
    double at[2] = {q[0] + part * h * v[0], q[1] + part * h * v[1]}, n[2];
    inward(NULL, at, n);
    double approach = fmin(n[0] * v[0] + n[1] * v[1], 0);
    for (int i = 0; i < 2; i++) {
        q[i] += h * v[i];
        v[i] -= approach * n[i];
    }
}

typedef struct Slide {
    double off, overlap, speed; // from the iterates by hand; deepest; at the end
} Slide;

static Slide follow_wall(Paper *paper, const char *scheme, PerpData data, double part, double h)
{
    static const double start[2] = {1, 0}, velocity[2] = {0, 1};
    double q[2] = {1, 0}, v[2] = {0, 1};
    Slide found = {0};
    PerpSystemDef def = perp_default_system();
    def.n = 2;
    def.position = start;
    def.velocity = velocity;
    def.mass = unit_mass;
    def.n_constraints = 1;
    def.constraints = inside;
    def.constraint_gradients = inward;
    PerpSimulation *simulation = create(paper, &def, scheme, h, 0.1, data, TWO_PHASES);
    for (int k = 0; k < lround(1 / h) && step(paper, simulation); k++) {
        const double *p = q_of(simulation), *u = v_of(simulation);
        slide(q, v, part, h);
        found.off =
            fmax(found.off, fmax(hypot(p[0] - q[0], p[1] - q[1]), hypot(u[0] - v[0], u[1] - v[1])));
        found.overlap = fmax(found.overlap, hypot(p[0], p[1]) - 1);
        found.speed = hypot(u[0], u[1]);
    }
    perp_simulation_destroy(simulation);
    return found;
}

void ap97_variants(Paper *paper)
{
    static const double part[PERP_DATA_COUNT] = {1, 0, 0.5};
    const double h = 0.01;
    double off = 0, least = INFINITY;
    paper_table(paper, "wall", "data off overlap overlap(h/2) speed");
    for (int k = 0; k < PERP_DATA_COUNT && !paper_failed(paper); k++) {
        Slide coarse = follow_wall(paper, "anitescu-potra", (PerpData)k, part[k], h);
        Slide fine = follow_wall(paper, "anitescu-potra", (PerpData)k, part[k], h / 2);
        paper_row(paper, (double[]){k, coarse.off, coarse.overlap, fine.overlap, coarse.speed},
                  NULL);
        off = fmax(off, fmax(coarse.off, fine.off));
        least = fmin(least, coarse.overlap / fine.overlap);
    }
    Slide ncp = follow_wall(paper, "stewart-trinkle", PERP_DATA_END, 1, h);
    paper_claim(paper, off < 1e-12,
                "data at q_new, at q and at q + h v/2: the iterates are those by hand, to %.1e",
                off);
    paper_claim(paper, least > 1.8,
                "each gathers an overlap of first order: half the step divides "
                "it by %.2f at least",
                least);
    paper_claim(paper, ncp.overlap < 1e-9,
                "the nonlinear problem [11], stewart-trinkle, gathers none: %.1e m", ncp.overlap);
    paper_note(paper,
               "A particle at 1 m/s along a round wall of 1 m for 1 s, h = %g. data: 0 end, 1 "
               "start, 2 middle (settings.data, key data). Section 4 names these variants, "
               "and a nonlinear problem for Phi(q_new) >= 0, which is the scheme of ST97. "
               "The algorithm's box has k at (q, v), as perp does; the text below it says "
               "q_new.",
               h);
}
