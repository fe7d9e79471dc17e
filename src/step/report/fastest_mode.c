// The fastest mode of the springs and dampers at the start, by power iteration: the largest
// eigenvalue of
//
//     P M^-1 G' diag(k) G        P: projection in the metric of M on the motions joints allow
//
// is omega^2 of springs with stiffness k; with damping in the place of k, the rate of the dampers.

#include "step/report/verdict.h"
#include "step/scheme_tools.h"

#include "base/error.h"
#include "math/sparse/block_sparse.h"

#include <math.h>
#include <string.h>

enum { ITERATIONS = 40 };
static const double CONVERGED = 1e-3;

typedef struct Modes {
    PerpSimulation *sim;
    PerpStage joints; // rows of joints at the state
    PerpLinks links;
    double *inverse; // of the blocks of M
    double *x, *p;   // n_v
} Modes;

static void multiply_inverse(const Modes *m, double *x)
{
    const PerpProblem *problem = &m->joints.rows.problem;
    const double *A = m->inverse;
    for (int k = 0; k < problem->n_bodies; k++) {
        int first = problem->body_start[k], n = problem->body_start[k + 1] - first;
        double y[6] = {0}; // rigid bodies have no more
        perp_block_times(n, A, x + first, y);
        memcpy(x + first, y, (size_t)n * sizeof *y);
        A += n * n;
    }
}

// x = M^-1 p on the motions that joints allow
static PerpStatus solve(Modes *m, bool with_joints, PerpError *error)
{
    if (!with_joints) {
        memcpy(m->x, m->p, (size_t)m->sim->n_v * sizeof *m->x);
        multiply_inverse(m, m->x);
        return PERP_OK;
    }
    PerpArenaMark mark = perp_arena_mark(&m->sim->arena);
    double *none = PERP_TAKE(&m->sim->arena, double, m->sim->n_v);
    PerpStepReport saved = m->sim->report;
    PerpStage stage = m->joints;
    stage.is_aside = true;
    if (!none)
        return perp_fail_memory(error);
    memcpy(stage.rows.b, m->p, (size_t)m->sim->n_v * sizeof *m->p);
    for (int i = 0; i < stage.rows.problem.n_joints; i++)
        stage.rows.d[i] = 0;
    PerpStatus status = perp_stage_solve(m->sim, none, &stage, error);
    m->sim->report = saved;
    if (!status)
        memcpy(m->x, stage.v, (size_t)m->sim->n_v * sizeof *m->x);
    perp_arena_release(&m->sim->arena, mark);
    return status;
}

// p = G' diag(k) G x; returns x'p, and x'M x
static double apply(const Modes *m, const double *k, double *form)
{
    double work = 0;
    memset(m->p, 0, (size_t)m->sim->n_v * sizeof *m->p);
    for (int i = 0; i < m->links.count; i++) {
        double elongation = perp_block_rows_dot(&m->links.gradient, i, m->x);
        work += k[i] * elongation * elongation;
        perp_block_rows_add_row(&m->links.gradient, i, k[i] * elongation, m->p);
    }
    *form = 2 * perp_stage_kinetic(&m->joints, m->x);
    return work;
}

// A start with a part in every mode, the same in every run.
static void begin(const Modes *m)
{
    for (int i = 0; i < m->sim->n_v; i++)
        m->x[i] = 0.5 + fmod(0.6180339887498949 * (i + 1), 1);
}

static void normalise(const Modes *m, double form)
{
    for (int i = 0; i < m->sim->n_v; i++)
        m->x[i] /= sqrt(form);
}

static PerpStatus largest(Modes *m, const double *k, bool with_joints, double *eigenvalue,
                          PerpError *error)
{
    PerpStatus status = PERP_OK;
    double last = 0;
    begin(m);
    *eigenvalue = 0;
    for (int round = 0; round < ITERATIONS && !status; round++) {
        double form, work = apply(m, k, &form);
        if (!(form > 0) || !isfinite(form) || !isfinite(work))
            break;
        last = *eigenvalue;
        *eigenvalue = fmax(last, work / form);
        if (work == 0 || fabs(*eigenvalue - last) <= CONVERGED * *eigenvalue)
            break;
        status = solve(m, with_joints, error);
        double next = 2 * perp_stage_kinetic(&m->joints, m->x);
        if (!(next > 0))
            break; // joints hold all that springs act on
        normalise(m, next);
    }
    return status;
}

static PerpStatus fastest(Modes *m, bool with_joints, double *fastest, PerpError *error)
{
    double square = 0, rate = 0;
    PerpStatus status = largest(m, m->links.stiffness, with_joints, &square, error);
    if (!status)
        status = largest(m, m->links.damping, with_joints, &rate, error);
    *fastest = fmax(sqrt(square), rate);
    return status;
}

static bool invert(Modes *m)
{
    const PerpProblem *p = &m->joints.rows.problem;
    int values = 0;
    for (int k = 0; k < p->n_bodies; k++) {
        int n = p->body_start[k + 1] - p->body_start[k];
        values += n * n;
    }
    m->inverse = PERP_TAKE(&m->sim->arena, double, values + 1);
    m->x = PERP_TAKE(&m->sim->arena, double, m->sim->n_v);
    m->p = PERP_TAKE(&m->sim->arena, double, m->sim->n_v);
    if (!m->inverse || !m->x || !m->p)
        return false;
    memcpy(m->inverse, p->Mt, (size_t)values * sizeof *m->inverse);
    double *A = m->inverse;
    for (int k = 0; k < p->n_bodies; k++) {
        int n = p->body_start[k + 1] - p->body_start[k];
        perp_block_invert(n, A); // masses are positive definite
        A += n * n;
    }
    return true;
}

static PerpStatus find(Modes *m, double enough, double *found, PerpError *error)
{
    PerpSimulation *sim = m->sim;
    PerpRowChoice choice = {.reach = -INFINITY, .positions = true};
    m->joints = (PerpStage){.q = sim->state.q};
    PerpStatus status = sim->system->links(sim, sim->state.q, &m->links, error);
    if (status || m->links.count == 0)
        return status;
    status = sim->system->assemble(sim, sim->state.q, &choice, &m->joints.rows, error);
    if (status)
        return status;
    if (!invert(m))
        return perp_fail_memory(error);
    status = fastest(m, false, found, error);
    bool refine = *found > enough && m->joints.rows.problem.n_joints > 0;
    return refine && !status ? fastest(m, true, found, error) : status;
}

// Joints can only slow modes down: they are left out where the modes are slow enough without them.
PerpStatus perp_fastest_mode(PerpSimulation *sim, double enough, double *found, PerpError *error)
{
    Modes modes = {.sim = sim};
    PerpArenaMark mark = perp_arena_mark(&sim->arena);
    *found = 0;
    if (!sim->bodies.model || sim->n_v == 0)
        return PERP_OK; // masses of custom systems may change with q
    PerpStatus status = find(&modes, enough, found, error);
    perp_arena_release(&sim->arena, mark);
    return status == PERP_NO_MEMORY ? status : PERP_OK;
}
