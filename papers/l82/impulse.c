// (2.10)-(2.11) with external impulses F, and the bound (3.11) on what they give.
#include "papers/l82/l82.h"

#include <math.h>
#include <string.h>

enum { N = 3, CONSTRAINTS = 3, TRIALS = 400, SETS = 1 << CONSTRAINTS };

typedef struct Linear {
    double M[N * N], G[N * CONSTRAINTS]; // phi = G'q
    int constraints;
} Linear;

static void mass(void *user, const double *q, double *M)
{
    (void)q;
    memcpy(M, ((const Linear *)user)->M, N * N * sizeof(double));
}

static void gaps(void *user, const double *q, double *phi)
{
    const Linear *s = user;
    for (int i = 0; i < s->constraints; i++) {
        phi[i] = 0;
        for (int k = 0; k < N; k++)
            phi[i] += s->G[k + N * i] * q[k];
    }
}

static void gradients(void *user, const double *q, double *n)
{
    const Linear *s = user;
    (void)q;
    memcpy(n, s->G, (size_t)(N * s->constraints) * sizeof(double));
}

static PerpSystemDef define(Linear *system, const double *velocity)
{
    static const double start[N] = {0};
    PerpSystemDef def = perp_default_system();
    def.n = N;
    def.position = start;
    def.velocity = velocity;
    def.user = system;
    def.mass = mass;
    def.n_constraints = system->constraints;
    def.constraints = gaps;
    def.constraint_gradients = gradients;
    return def;
}

// --- random systems -----------------------------------------------------------------------------

static void draw(unsigned *seed, Linear *s)
{
    double A[N * N];
    for (int i = 0; i < N * N; i++)
        A[i] = l82_uniform(seed);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            s->M[i + N * j] = i == j;
            for (int k = 0; k < N; k++)
                s->M[i + N * j] += A[i + N * k] * A[j + N * k];
        }
    s->constraints = CONSTRAINTS;
    for (int i = 0; i < N * CONSTRAINTS; i++)
        s->G[i] = l82_uniform(seed);
}

static double kinetic(const Linear *s, const double *v)
{
    double sum = 0;
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++)
            sum += v[i] * s->M[i + N * j] * v[j] / 2;
    return sum;
}

// How far (2.10) is from being solved by v with F, from rest: min |M v - G Lambda - F| over
// Lambda >= 0 that are complementary, found by trying all sets of constraints that push.
static double miss(const Linear *s, const double *F, const double *v)
{
    double left[N], least = INFINITY;
    for (int i = 0; i < N; i++) {
        left[i] = -F[i];
        for (int j = 0; j < N; j++)
            left[i] += s->M[i + N * j] * v[j];
    }
    for (int set = 0; set < SETS; set++) {
        double lambda[CONSTRAINTS], wrong;
        l82_least_squares(N, CONSTRAINTS, s->G, left, set, lambda, &wrong);
        for (int i = 0; i < CONSTRAINTS; i++) {
            double speed = 0;
            for (int k = 0; k < N; k++)
                speed += s->G[k + N * i] * v[k];
            wrong = fmax(wrong, fmax(-lambda[i], -speed));
            wrong = fmax(wrong, fmin(fabs(lambda[i]), fabs(speed)));
        }
        least = fmin(least, wrong);
    }
    return least;
}

static void try_random(Paper *paper)
{
    static const double at_rest[N] = {0};
    double worst = 0, gain = 0;
    unsigned seed = 1;
    for (int trial = 0; trial < TRIALS && !paper_failed(paper); trial++) {
        Linear system;
        PerpError error = {0};
        double F[N], v[N], work = 0;
        draw(&seed, &system);
        for (int i = 0; i < N; i++)
            F[i] = l82_uniform(&seed);
        PerpSystemDef def = define(&system, at_rest);
        L82Run *run = l82_begin_custom(paper, &def, 1e-3);
        if (run && !run->status && perp_simulation_apply_impulse(run->simulation, F, &error))
            paper_fail(paper, &error);
        for (int i = 0; run && i < N; i++) {
            v[i] = run->status ? 0 : l82_v(run, i);
            work += F[i] * v[i];
        }
        l82_end(run);
        worst = fmax(worst, miss(&system, F, v));
        gain = fmax(gain, fabs(2 * kinetic(&system, v) - work));
    }
    paper_claim(paper, worst < 1e-9,
                "%d random impulses on systems at rest on three constraints: Lambda and Delta^2 of "
                "(2.11) are complementary, to %.1e",
                TRIALS, worst);
    paper_claim(
        paper, gain < 1e-9,
        "from rest G Lambda does no work, so that the change (3.11) of S^2 is (v^1 + v^2)'F "
        "in all of them, to %.1e",
        gain);
}

// --- a mass above a floor -----------------------------------------------------------------------

// (vx, vz) before, F, e; the floor is phi = z, closed. What (3.9) and (3.10) give after.
static double strike(Paper *paper, const double before[3], const double F[3], double e)
{
    Linear s = {.M = {2, 0, 0, 0, 2, 0, 0, 0, 2}, .G = {0, 0, 1}, .constraints = 1};
    PerpSystemDef def = define(&s, before);
    PerpError error = {0};
    def.restitution = &e;
    double free = before[2] + F[2] / 2, wanted = before[2] < 0 ? -e * before[2] : 0;
    double closed = fmax(free, wanted), off = INFINITY;
    L82Run *run = l82_begin_custom(paper, &def, 1e-3);
    if (run && !run->status && perp_simulation_apply_impulse(run->simulation, F, &error))
        paper_fail(paper, &error);
    if (run && !run->status) {
        off = fmax(fabs(l82_v(run, 2) - closed), fabs(l82_v(run, 0) - before[0] - F[0] / 2));
        paper_row(paper, (double[]){before[2], F[2], e, l82_v(run, 2), closed}, NULL);
    }
    l82_end(run);
    return off;
}

// --- one constraint is hit, another one separates ------------------------------------------------

// Both are closed; M^-1 = (1 -1/2; -1/2 1) makes an impulse at the first one close the second. What
// separates is not in the list, with which (3.11) would not bound the energy; what the impulse
// closes is hit in a second one, (3.9) each time.
static void hit_one_by_one(Paper *paper)
{
    static const double before[N] = {-1, 0.1, 0}, closed[2] = {0.0125, 0.325}, e[2] = {0.5, 0.5};
    Linear s = {.M = {4 / 3., 2 / 3., 0, 2 / 3., 4 / 3., 0, 0, 0, 1},
                .G = {1, 0, 0, 0, 1, 0},
                .constraints = 2};
    double v[N] = {0}, off = INFINITY;
    PerpSystemDef def = define(&s, before);
    def.restitution = e;
    L82Run *run = l82_begin_custom(paper, &def, 1e-3);
    if (run && l82_step(run, 1e-6)) {
        for (int i = 0; i < N; i++)
            v[i] = l82_v(run, i);
        off = hypot(v[0] - closed[0], v[1] - closed[1]);
    }
    l82_end(run);
    paper_claim(
        paper, off < 1e-9 && kinetic(&s, v) < kinetic(&s, before),
        "two closed constraints, one hit, the other separating: impulses one after the other "
        "as (3.9) has them, to %.1e m/s, and energy falls from %.3f to %.3f J",
        off, kinetic(&s, before), kinetic(&s, v));
}

void l82_impulse(Paper *paper)
{
    static const double speed[] = {0, -2}, blow[] = {-3, 0, 1, 6}, e[] = {0, 0.8};
    double worst = 0;
    paper_table(paper, "blows", "v1 F e v2 closed-form");
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 4; k++)
            for (int j = 0; j < 2 && !paper_failed(paper); j++)
                worst = fmax(worst, strike(paper, (double[]){1, 0, speed[i]},
                                           (double[]){0.5, 0, blow[k]}, e[j]));
    paper_claim(paper, worst < 1e-12,
                "a blow on a mass that rests or lands: (3.9) where it approached before, (3.10) "
                "where the blow alone presses it down; to %.1e m/s",
                worst);
    hit_one_by_one(paper);
    try_random(paper);
    paper_note(paper, "Chosen here: 2 kg on the floor, blows along z with 0.5 N s along x; "
                      "perp_simulation_apply_impulse.");
}
