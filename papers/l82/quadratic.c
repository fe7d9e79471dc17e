// Section 6: the LCP (2.5b) as quadratic programmes. lambda solves (6.1); the accelerations are
// nearest to the free ones, (6.3), which is Gauss' principle of least constraint; and (6.1) and
// (6.3) are dual, so that the two least values add up to 0. Both programmes are solved here by
// trying all active sets, and compared with how lotstedt moves.
#include "papers/l82/l82.h"

#include <math.h>
#include <string.h>

enum { N = 4, CONSTRAINTS = 5, SETS = 1 << CONSTRAINTS, TRIALS = 60 };

typedef struct Linear {
    double G[N * CONSTRAINTS], f[N]; // M = 1, phi = G'q
} Linear;

static void mass(void *user, const double *q, double *M)
{
    (void)user, (void)q;
    memset(M, 0, N * N * sizeof(double));
    for (int i = 0; i < N; i++)
        M[i + N * i] = 1;
}

static void force(void *user, double t, const double *q, const double *v, double *k)
{
    (void)t, (void)q, (void)v;
    memcpy(k, ((const Linear *)user)->f, N * sizeof(double));
}

static double dot(const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < N; i++)
        sum += a[i] * b[i];
    return sum;
}

static double potential(void *user, const double *q)
{
    return -dot(((const Linear *)user)->f, q);
}

static void gaps(void *user, const double *q, double *phi)
{
    for (int i = 0; i < CONSTRAINTS; i++)
        phi[i] = dot(((const Linear *)user)->G + N * i, q);
}

static void gradients(void *user, const double *q, double *n)
{
    (void)q;
    memcpy(n, ((const Linear *)user)->G, N * CONSTRAINTS * sizeof(double));
}

// The programmes' values: (6.1) at lambda, (6.3) at a.
static double primal(const Linear *s, const double *lambda)
{
    double Gl[N] = {0}, linear = 0;
    for (int i = 0; i < CONSTRAINTS; i++) {
        for (int k = 0; k < N; k++)
            Gl[k] += lambda[i] * s->G[k + N * i];
        linear += lambda[i] * dot(s->G + N * i, s->f);
    }
    return dot(Gl, Gl) / 2 + linear;
}

// Of all sets: the least (6.1) over lambda >= 0 and the least (6.3) over G'a >= 0.
static void minimise(const Linear *s, double *least_primal, double *least_gauss, double a[N])
{
    *least_primal = *least_gauss = INFINITY;
    for (int set = 0; set < SETS; set++) {
        double lambda[CONSTRAINTS], wrong, minus_f[N], trial[N], value = 0;
        bool allowed = true, inside = true;
        for (int k = 0; k < N; k++)
            minus_f[k] = -s->f[k];
        // stationary in the set: G'(G lambda + f) = 0
        l82_least_squares(N, CONSTRAINTS, s->G, minus_f, set, lambda, &wrong);
        for (int k = 0; k < N; k++) {
            trial[k] = s->f[k];
            for (int i = 0; i < CONSTRAINTS; i++)
                trial[k] += lambda[i] * s->G[k + N * i];
            value += (trial[k] - s->f[k]) * (trial[k] - s->f[k]) / 2;
        }
        for (int i = 0; i < CONSTRAINTS; i++) {
            allowed = allowed && lambda[i] >= -1e-12;
            inside = inside && dot(s->G + N * i, trial) >= -1e-10;
        }
        if (allowed)
            *least_primal = fmin(*least_primal, primal(s, lambda));
        if (inside && value < *least_gauss) {
            *least_gauss = value;
            memcpy(a, trial, N * sizeof(double));
        }
    }
}

// How far lotstedt is after a second from a/2.
static double move(Paper *paper, Linear *s, const double a[N])
{
    static const double start[N] = {0};
    PerpSystemDef def = perp_default_system();
    double off = INFINITY;
    def.n = N;
    def.position = def.velocity = start;
    def.user = s;
    def.mass = mass;
    def.force = force;
    def.potential = potential;
    def.n_constraints = CONSTRAINTS;
    def.constraints = gaps;
    def.constraint_gradients = gradients;
    L82Run *run = l82_begin_custom(paper, &def, 1e-3);
    if (run && l82_step(run, 1)) {
        off = 0;
        for (int i = 0; i < N; i++)
            off = fmax(off, fabs(l82_q(run, i) - a[i] / 2));
    }
    l82_end(run);
    return off;
}

void l82_quadratic(Paper *paper)
{
    unsigned seed = 7;
    double worst = 0, gap = 0;
    int constrained = 0;
    paper_table(paper, "programmes", "trial (6.1) (6.3) sum off");
    for (int trial = 0; trial < TRIALS && !paper_failed(paper); trial++) {
        Linear s;
        double least_primal, least_gauss, a[N];
        for (int i = 0; i < N * CONSTRAINTS; i++)
            s.G[i] = l82_uniform(&seed);
        for (int i = 0; i < N; i++)
            s.f[i] = l82_uniform(&seed);
        minimise(&s, &least_primal, &least_gauss, a);
        double off = move(paper, &s, a);
        if (trial < 8)
            paper_row(paper,
                      (double[]){trial, least_primal, least_gauss, least_primal + least_gauss, off},
                      NULL);
        gap = fmax(gap, fabs(least_primal + least_gauss));
        worst = fmax(worst, off);
        constrained += least_gauss > 1e-9;
    }
    paper_claim(paper, gap < 1e-9 && constrained > TRIALS / 2,
                "(6.1) and (6.3) are dual: their least values add up to 0, to %.1e, in %d systems "
                "(constraints push in %d)",
                gap, TRIALS, constrained);
    paper_claim(paper, worst < 1e-8,
                "Gauss' principle (6.3): lotstedt moves with the accelerations that are nearest to "
                "the free ones, to %.1e m after 1 s",
                worst);
    paper_note(paper, "Chosen here: random linear constraints, five of four coordinates, at rest; "
                      "both programmes solved by trying all 32 sets.");
}
