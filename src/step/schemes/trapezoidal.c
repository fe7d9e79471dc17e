// The linearly implicit trapezoidal scheme of PAGT06: one complementarity problem a step, of second
// order, stable for any stiffness of springs and dampers.
//
//     q_new = q (+) (h/2) (v + v_new)                                                     (5.3)
//     Mt v_new - nu c_nu - n c_n - D beta = Mt v + k~                                     (5.4)
//     nu'(v_new + v)/2 = 0                                nu at q (+) (h/2) v             (5.5)
//     0 <= n'(v_new + v)/2              perp  c_n >= 0    n and D at q, closed contacts   (5.6)
//     0 <= lambda e + D'(v_new + v)/2   perp  beta >= 0                                   (5.7)
//     0 <= mu c_n - e'beta              perp  lambda >= 0                                 (5.8)
//     Mt = M - (h/2) k_v - (h^2/4) k_q    k~ = (h/2) (k(t) + k(t + h) + h k_q v)          (5.9)
//
// solved for v_new + v as in (5.10), whose lambda is twice that of (5.7). Contacts enter when they
// are closed or hit: (6.1) would let those that merely come near bounce at a distance.

#include "step/events/collisions.h"
#include "step/implicit/bounds.h"
#include "step/implicit/linearised_forces.h"

#include "base/error.h"
#include "math/dense.h"

#include <math.h>
#include <string.h>

// --- rows ---------------------------------------------------------------------------------------

// nu, and the rows of motors, at q (+) (h/2) v: at q they would cost an order. `middle` has the
// mass matrix there as well, which tells whether it is constant.
static PerpStatus take_joints_at_middle(PerpSimulation *sim, PerpStage *stage, PerpStage *middle,
                                        PerpError *error)
{
    double *q = PERP_TAKE(&sim->arena, double, sim->n_q);
    if (!q)
        return perp_fail_memory(error);
    sim->system->advance(sim, sim->state.q, sim->state.v, stage->h / 2, q);
    PerpStatus status = perp_stage_assemble(sim, q, -INFINITY, stage->h, middle, error);
    if (!status && !perp_stage_take_joints(stage, middle))
        perp_step_warn(sim, "a joint's rows change their number within the step");
    return status;
}

// The right-hand sides of (5.5)-(5.7) for v_new + v: twice the speeds of motors, and, if rows are
// stabilised (section 10.3), what takes errors back within a step.
static void set_speeds(const PerpSimulation *sim, PerpStage *stage)
{
    const PerpProblem *p = &stage->rows.problem;
    for (int i = 0; i < p->n_joints + p->n_boxes; i++)
        stage->rows.d[i] *= 2;
    perp_stabilise_rows(sim, sim->settings.step / 2, stage);
}

// --- forces -------------------------------------------------------------------------------------

static PerpStatus derive(PerpSimulation *sim, bool exact, double t, PerpImplicit *im,
                         PerpError *error)
{
    const double *q = sim->state.q;
    PerpStatus status = PERP_OK;
    if (exact)
        status = perp_implicit_exact_forces(sim, t, q, im, error);
    else
        perp_implicit_printed_forces(im);
    if (status)
        return status;
    if (exact)
        return perp_implicit_exact_links(sim, q, im, error);
    perp_implicit_printed_links(im);
    return PERP_OK;
}

// Mt of (5.9): with exact derivatives while it is positive definite, else with (9.2)-(9.3), as
// section 9 suggests.
static PerpStatus find_matrix(PerpSimulation *sim, double h, PerpImplicit *im, double *Mt,
                              PerpError *error)
{
    bool exact = sim->settings.jacobian != PERP_JACOBIAN_APPROXIMATE;
    PerpStatus status = derive(sim, exact, sim->state.t + h, im, error);
    if (status)
        return status;
    perp_implicit_matrix(im, h, Mt);
    if (!exact || perp_implicit_is_definite(sim, im, Mt))
        return PERP_OK;
    if (sim->settings.jacobian == PERP_JACOBIAN_EXACT)
        return perp_fail(error, PERP_NOT_SOLVED,
                         "t = %.9g s: the exact derivatives of the forces make the matrix of the "
                         "step indefinite; a shorter step or the jacobian \"switch\" may help",
                         sim->state.t);
    perp_step_warn(sim, "exact derivatives would make the matrix indefinite: (9.2)-(9.3) instead");
    status = derive(sim, false, sim->state.t + h, im, error);
    perp_implicit_matrix(im, h, Mt);
    return status;
}

// (k(t) + k(t + h))/2 of everything but links, in the system's order
static PerpStatus mean_force(PerpSimulation *sim, double h, double *k, PerpError *error)
{
    double *later = PERP_TAKE(&sim->arena, double, sim->n_v);
    if (!later)
        return perp_fail_memory(error);
    sim->system->force(sim, sim->state.t, sim->state.q, sim->state.v, k);
    sim->system->force(sim, sim->state.t + h, sim->state.q, sim->state.v, later);
    for (int i = 0; i < sim->n_v; i++)
        k[i] = (k[i] + later[i]) / 2;
    return PERP_OK;
}

// k - sum (stiffness psi + damping g'v) g
static void add_links(const PerpSimulation *sim, const PerpLinks *links, double *k)
{
    for (int i = 0; i < links->count; i++) {
        double speed = perp_block_rows_dot(&links->gradient, i, sim->state.v);
        double tension = links->stiffness[i] * links->psi[i] + links->damping[i] * speed;
        perp_block_rows_add_row(&links->gradient, i, -tension, k);
    }
}

// b = 2 Mt v + k~                                                                         (5.10)
static PerpStatus find_impulse(PerpSimulation *sim, double h, const PerpImplicit *im,
                               const double *Mt, const double *k2, double *b, PerpError *error)
{
    int n = im->n;
    double *k = PERP_TAKE(&sim->arena, double, n), *force = PERP_TAKE(&sim->arena, double, n);
    double *along = PERP_TAKE(&sim->arena, double, n);
    if (!k || !force || !along)
        return perp_fail_memory(error);
    memcpy(k, k2, (size_t)n * sizeof(double));
    add_links(sim, &im->links, k);
    perp_clusters_gather(&im->clusters, k, force);
    perp_clusters_times(&im->clusters, Mt, im->v, b);
    perp_clusters_times(&im->clusters, im->k_q, im->v, along);
    for (int i = 0; i < n; i++)
        b[i] = 2 * b[i] + h * force[i] + h * h / 2 * along[i];
    return PERP_OK;
}

// What dampers gave: -h delta g'(v + v_new)/2 along each g.
static void note_dampers(const PerpImplicit *im, const PerpStage *stage, double *impulse)
{
    const PerpLinks *links = &im->links;
    for (int i = 0; i < links->count; i++) {
        double speed = (perp_block_rows_dot(&links->gradient, i, stage->before) +
                        perp_block_rows_dot(&links->gradient, i, stage->v)) /
                       2;
        perp_block_rows_add_row(&links->gradient, i, -stage->h * links->damping[i] * speed,
                                impulse);
    }
}

// --- the step -----------------------------------------------------------------------------------

static PerpStatus solve(PerpSimulation *sim, double h, PerpStage *stage, PerpImplicit *im,
                        double *k2, PerpError *error)
{
    double *Mt = PERP_TAKE(&sim->arena, double, im->values);
    double *b = PERP_TAKE(&sim->arena, double, im->n);
    PerpStatus status = Mt && b ? PERP_OK : perp_fail_memory(error);
    if (!status)
        status = find_matrix(sim, h, im, Mt, error);
    if (!status)
        status = mean_force(sim, h, k2, error);
    if (!status)
        status = find_impulse(sim, h, im, Mt, k2, b, error);
    if (!status)
        status = perp_implicit_solve(sim, im, Mt, b, stage, error);
    for (int i = 0; !status && i < sim->n_v; i++) // from v_new + v to v_new
        stage->v[i] -= stage->before[i];
    return status;
}

static PerpStatus try_step(PerpSimulation *sim, double h, PerpAttempt *attempt, PerpError *error)
{
    PerpStage *stage = &attempt->stage, middle;
    PerpImplicit im;
    double *k2 = PERP_TAKE(&sim->arena, double, sim->n_v);
    attempt->dampers = PERP_TAKE(&sim->arena, double, sim->n_v);
    if (!k2 || !attempt->dampers)
        return perp_fail_memory(error);
    PerpStatus status = perp_stage_assemble(sim, sim->state.q, PERP_CLOSED, h, stage, error);
    if (!status)
        status = perp_attempt_note_closed(sim, stage, NULL, attempt, error);
    if (!status)
        status = perp_attempt_keep_closed(sim, attempt, stage, error);
    if (!status)
        status = take_joints_at_middle(sim, stage, &middle, error);
    if (status)
        return status;
    set_speeds(sim, stage);
    status = perp_implicit_begin(sim, sim->state.q, &stage->rows.problem, &im, error);
    if (!status)
        status = solve(sim, h, stage, &im, k2, error);
    if (status)
        return status;
    note_dampers(&im, stage, attempt->dampers);
    return perp_pagt06_check(sim, stage, &middle, &im, k2, error);
}

static PerpStatus step(PerpSimulation *sim, double h, PerpError *error)
{
    return perp_step_with_collisions(sim, h, try_step, PERP_STABILISE_NONE, error);
}

const PerpScheme perp_scheme_trapezoidal = {
    .name = "trapezoidal",
    .text = "PAGT06: linearly implicit trapezoidal rule, stiff springs, order 2",
    .facets = 8,
    .step = step,
};
