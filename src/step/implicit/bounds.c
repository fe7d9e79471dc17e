// The a-priori bounds of PAGT06, theorems 8.1 and 9.1 to 9.3, evaluated.

#include "step/implicit/bounds.h"

#include "base/error.h"
#include "math/dense.h"

#include <math.h>
#include <string.h>

static const double SLACK = 1e-15; // of the energy: springs at equilibrium
static const double SAME = 1e-12;  // of the largest mass: equal matrices

// Vectors in the system's order, unless said otherwise.
typedef struct Check {
    const PerpStage *stage;
    const PerpImplicit *im;
    PerpBlockDiagonal mass; // factors of M, in the system's blocks
    double *k2;             // mean force without links and Coriolis
    double *w1, *w2;        // of theorem 9.1
    double *x;              // scratch
} Check;

// What all theorems assume: a constant mass matrix, and rows that do no work.
static bool assumptions_hold(const PerpStage *stage, const PerpStage *middle)
{
    const PerpProblem *p = &stage->rows.problem;
    int values = 0;
    for (int k = 0; k < p->n_bodies; k++) {
        int n = p->body_start[k + 1] - p->body_start[k];
        values += n * n;
    }
    return perp_stage_is_passive(stage) &&
           memcmp(p->Mt, middle->rows.problem.Mt, (size_t)values * sizeof(double)) == 0;
}

static bool begin(PerpSimulation *sim, const PerpStage *stage, const PerpImplicit *im, Check *check)
{
    const PerpProblem *p = &stage->rows.problem;
    int *value_start = PERP_TAKE(&sim->arena, int, p->n_bodies + 1);
    if (!value_start)
        return false;
    perp_block_diagonal_value_start(p->n_bodies, p->body_start, value_start);
    double *LU = PERP_TAKE(&sim->arena, double, value_start[p->n_bodies]);
    int *pivot = PERP_TAKE(&sim->arena, int, sim->n_v);
    *check = (Check){.stage = stage,
                     .im = im,
                     .mass = {p->n_bodies, p->body_start, value_start, LU, pivot},
                     .k2 = PERP_TAKE(&sim->arena, double, sim->n_v),
                     .w1 = PERP_TAKE(&sim->arena, double, sim->n_v),
                     .w2 = PERP_TAKE(&sim->arena, double, sim->n_v),
                     .x = PERP_TAKE(&sim->arena, double, sim->n_v)};
    return LU && pivot && check->k2 && check->w1 && check->w2 && check->x &&
           perp_block_diagonal_factor(&check->mass, p->Mt) < 0;
}

// v'M v
static double square(const Check *check, const double *v)
{
    return 2 * perp_stage_kinetic(check->stage, v);
}

// k2 = force - F(v) v
static bool remove_coriolis(PerpSimulation *sim, Check *check, const double *force)
{
    const PerpImplicit *im = check->im;
    double *Fv = PERP_TAKE(&sim->arena, double, im->n);
    if (!Fv)
        return false;
    perp_clusters_times(&im->clusters, im->F, im->v, Fv);
    perp_clusters_scatter(&im->clusters, Fv, check->k2);
    for (int i = 0; i < im->n; i++)
        check->k2[i] = force[i] - check->k2[i];
    return true;
}

// --- theorem 8.1 --------------------------------------------------------------------------------

// For each velocity, in the order of clusters, |M_k^-1| of its block, at least 1/(least
// eigenvalue).
static void weigh(PerpSimulation *sim, const Check *check, double *weight)
{
    const PerpProblem *p = &check->stage->rows.problem;
    for (int k = 0; k < p->n_bodies; k++) {
        int first = p->body_start[k], n = p->body_start[k + 1] - first;
        double sum = 0;
        for (int j = 0; j < n; j++) {
            memset(sim->scratch.v, 0, (size_t)n * sizeof(double));
            sim->scratch.v[j] = 1;
            perp_block_diagonal_solve_block(&check->mass, k, sim->scratch.v);
            sum += perp_dot(n, sim->scratch.v, sim->scratch.v);
        }
        for (int i = 0; i < n; i++)
            weight[check->im->clusters.place[first + i]] = sqrt(sum);
    }
}

// A bound of |M^-1/2 (A - B) M^-1/2|, matrices over clusters; B may be NULL.
static double norm_in_metric(const Check *check, const double *weight, const double *A,
                             const double *B)
{
    const PerpClusters *c = &check->im->clusters;
    double sum = 0;
    for (int k = 0; k < c->count; k++)
        for (int j = c->start[k]; j < c->start[k + 1]; j++)
            for (int i = c->start[k]; i < c->start[k + 1]; i++) {
                int n = c->start[k + 1] - c->start[k];
                int at = c->mass_start[k] + (i - c->start[k]) + n * (j - c->start[k]);
                double a = A[at] - (B ? B[at] : 0);
                sum += a * a * weight[i] * weight[j];
            }
    return sqrt(sum);
}

// |M^-1/2 (k2 + links)|
static double size_of_force(Check *check)
{
    const PerpLinks *links = &check->im->links;
    int n = check->im->n;
    memcpy(check->x, check->k2, (size_t)n * sizeof(double));
    for (int i = 0; i < links->count; i++) {
        double speed = perp_block_rows_dot(&links->gradient, i, check->stage->before);
        double tension = links->stiffness[i] * links->psi[i] + links->damping[i] * speed;
        perp_block_rows_add_row(&links->gradient, i, -tension, check->x);
    }
    memcpy(check->w1, check->x, (size_t)n * sizeof(double));
    perp_block_diagonal_solve(&check->mass, check->w1);
    return sqrt(fmax(perp_dot(n, check->x, check->w1), 0));
}

// (8.6) divided by |v| + |v_new|, in the norm of M and with the constants of the step:
//     |v_new| - |v| <= h (K + (a_v/2 + h a_q/4) (|v| + |v_new|) + (h/2) a_q |v|)
static bool check_growth(PerpSimulation *sim, Check *check)
{
    const PerpImplicit *im = check->im;
    double h = check->stage->h, *weight = PERP_TAKE(&sim->arena, double, im->n);
    if (!weight)
        return false;
    weigh(sim, check, weight);
    double a_q = norm_in_metric(check, weight, im->k_q, NULL);
    double a_v = norm_in_metric(check, weight, im->k_v, im->F);
    double before = sqrt(square(check, check->stage->before));
    double after = sqrt(square(check, check->stage->v));
    double bound = h * (size_of_force(check) + (a_v / 2 + h * a_q / 4) * (before + after) +
                        h / 2 * a_q * before);
    double scale = before + after + bound;
    perp_step_bound(sim, PERP_BOUND_PAGT06_GROWTH,
                    scale > 0 ? (bound - (after - before)) / scale : 0);
    return true;
}

// --- theorems 9.1 to 9.3 ------------------------------------------------------------------------

// Do a and b give the same Mt when they are multiplied by s?
static bool equal(const PerpImplicit *im, double s, const double *a, const double *b)
{
    double mass = perp_max_abs(im->values, im->M);
    for (int i = 0; i < im->values; i++)
        if (s * fabs(a[i] - b[i]) > SAME * fmax(mass, s * fabs(a[i])))
            return false;
    return true;
}

// Were the derivatives those of (9.2)-(9.3), by choice or because the links are linear?
static bool are_derivatives_printed(PerpSimulation *sim, const PerpImplicit *im, double h,
                                    bool *printed)
{
    PerpImplicit other = *im;
    other.k_q = PERP_TAKE(&sim->arena, double, im->values);
    other.k_v = PERP_TAKE(&sim->arena, double, im->values);
    if (!other.k_q || !other.k_v)
        return false;
    perp_implicit_printed_forces(&other);
    perp_implicit_printed_links(&other);
    *printed = equal(im, h * h / 4, im->k_q, other.k_q) && equal(im, h / 2, im->k_v, other.k_v);
    return true;
}

// w1 = v_new - (h/2) M^-1 k2,  w2 = v + (h/2) M^-1 k2
static void find_w(Check *check)
{
    int n = check->im->n;
    memcpy(check->x, check->k2, (size_t)n * sizeof(double));
    perp_block_diagonal_solve(&check->mass, check->x);
    for (int i = 0; i < n; i++) {
        check->w1[i] = check->stage->v[i] - check->stage->h / 2 * check->x[i];
        check->w2[i] = check->stage->before[i] + check->stage->h / 2 * check->x[i];
    }
}

static void add_bound(PerpSimulation *sim, PerpBoundKind kind, double value, double bound)
{
    perp_step_bound(sim, kind, value + bound > 0 ? (bound - value) / (value + bound) : 0);
}

static void check_links(PerpSimulation *sim, Check *check)
{
    const PerpLinks *links = &check->im->links;
    double h = check->stage->h, stored = 0, later = 0, rigid = 0;
    find_w(check);
    for (int i = 0; i < links->count; i++) {
        double gamma = links->stiffness[i], psi = links->psi[i];
        double speed = perp_block_rows_dot(&links->gradient, i, check->stage->before) +
                       perp_block_rows_dot(&links->gradient, i, check->stage->v);
        stored += gamma * psi * psi;
        later += gamma * (psi + h / 2 * speed) * (psi + h / 2 * speed);
        rigid += h / 2 * (h / 2 * gamma + links->damping[i]) * speed * speed;
    }
    double w1 = square(check, check->w1), w2 = square(check, check->w2);
    add_bound(sim, PERP_BOUND_PAGT06_STIFF, w1 + later, w2 + stored);
    if (stored > SLACK * w2)
        return;
    add_bound(sim, PERP_BOUND_PAGT06_UNIFORM, w1, w2);
    add_bound(sim, PERP_BOUND_PAGT06_LIMIT, rigid, w2);
}

PerpStatus perp_pagt06_check(PerpSimulation *sim, const PerpStage *stage, const PerpStage *middle,
                             const PerpImplicit *im, const double *force, PerpError *error)
{
    Check check;
    bool printed = false;
    if (!assumptions_hold(stage, middle))
        return PERP_OK;
    if (!begin(sim, stage, im, &check) || !remove_coriolis(sim, &check, force) ||
        !check_growth(sim, &check) || !are_derivatives_printed(sim, im, stage->h, &printed))
        return perp_fail_memory(error);
    if (printed && im->links.count > 0)
        check_links(sim, &check);
    return PERP_OK;
}
