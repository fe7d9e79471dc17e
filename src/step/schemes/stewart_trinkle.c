// The time-stepping method of ST97 section 3: one problem (3) with the constraints at the level of
// positions, at the end of the step; solved again and again with M, n, D, alpha_0 there [3.4].
//
//     M (v_new - v) = nu c_nu + n c_n + D beta + h k(q, v)                          [ST97 (3)]
//     q_new = q (+) h v_new
//     0 <= lambda e + D'v_new     perp   beta   >= 0
//     0 <= n'q_new - alpha_0      perp   c_n    >= 0        alpha_0 = n'q^ - phi(q^)
//     0 <= mu c_n - e'beta        perp   lambda >= 0
//     Theta(q^) + nu'(q_new - q^) = 0
//
// with M, nu, n, D, phi, Theta at the last iterate q^ of q_new. When q^ = q_new, phi(q_new) >= 0
// and Theta(q_new) = 0, not only to first order. Impacts are inelastic and may spread over two
// steps.

#include "step/schemes/fixed_point.h"

#include "base/error.h"
#include "math/dense.h"

#include <math.h>
#include <string.h>

static const double MARGIN = 1e-9;    // m: contacts that touch have rows, whatever the speeds
static const double ROUNDING = 1e-15; // m: overlaps that are none

// What stays the same while M, n, alpha_0 are evaluated again.
typedef struct Step {
    double h;
    double *hk;      // n_v: h k(q, v)
    double *v_free;  // n_v: v + h M^-1 k
    double *scratch; // n_v
    double kinetic;  // J: v'M v/2 with M at q
} Step;

// h k = b - M v with M at q
static PerpStatus find_impulse_of_forces(PerpSimulation *sim, Step *step, PerpError *error)
{
    PerpStage start;
    PerpStatus status = sim->system->free_motion(sim, step->h, sim->state.t, sim->state.q, step->hk,
                                                 step->v_free, error);
    PerpArenaMark mark = perp_arena_mark(&sim->arena);
    if (!status)
        status = perp_stage_assemble(sim, sim->state.q, -INFINITY, 0, &start, error);
    if (status)
        return status;
    step->kinetic = perp_stage_kinetic(&start, sim->state.v);
    perp_stage_momentum(&start, sim->state.v, step->scratch);
    for (int i = 0; i < sim->n_v; i++)
        step->hk[i] -= step->scratch[i];
    perp_arena_release(&sim->arena, mark);
    return PERP_OK;
}

// b = M v + h k                                                                   [ST97 (3), line
// 1]
static void set_momentum(PerpSimulation *sim, const Step *step, PerpStage *stage)
{
    perp_stage_momentum(stage, sim->state.v, stage->rows.b);
    for (int i = 0; i < sim->n_v; i++)
        stage->rows.b[i] += step->hk[i];
}

// n'q_new - alpha_0 = h (n'v_new + d), and the joints alike; v: of the motion to q^
static void set_positions(const Step *step, const double *v, PerpStage *stage)
{
    PerpAssembly *rows = &stage->rows;
    for (int i = 0; i < rows->problem.n_joints; i++)
        rows->d[i] = perp_position_row(stage, i, rows->theta[i], step->h, v);
    for (int i = 0; i < rows->problem.n_contacts; i++) {
        int row = perp_stage_contact_row(stage, i);
        if (rows->unilateral[i].kind != PERP_UNILATERAL_RATE)
            rows->d[row] = perp_position_row(stage, row, rows->unilateral[i].gap, step->h, v);
    }
}

// The LCP (3) with everything at q^ = q (+) h v
static PerpStatus build(PerpSimulation *sim, void *user, const double *v, PerpStage *stage,
                        PerpError *error)
{
    const Step *step = user;
    double *there = PERP_TAKE(&sim->arena, double, sim->n_q);
    double reach =
        fmax(sim->system->reach(sim, step->v_free, step->h), sim->system->reach(sim, v, step->h));
    if (!there)
        return perp_fail_memory(error);
    sim->system->advance(sim, sim->state.q, v, step->h, there);
    PerpStatus status = perp_stage_assemble(sim, there, reach + MARGIN, step->h, stage, error);
    if (status)
        return status;
    set_momentum(sim, step, stage);
    set_positions(step, v, stage);
    return PERP_OK;
}

// One LCP, linearised about q: alpha_0 = n'q - phi(q).
static PerpStatus solve_linear(PerpSimulation *sim, Step *step, double *v, PerpStage *stage,
                               PerpError *error)
{
    memset(v, 0, (size_t)sim->n_v * sizeof(double));
    PerpStatus status = build(sim, step, v, stage, error);
    return status ? status : perp_stage_solve(sim, sim->state.v, stage, error);
}

// The iteration of 3.4 from q^ = q (+) h v; if it does not converge, the linear problem.
static PerpStatus solve(PerpSimulation *sim, Step *step, double *v, PerpStage *stage,
                        PerpError *error)
{
    PerpIteration iteration;
    if (sim->settings.linear)
        return solve_linear(sim, step, v, stage, error);
    memcpy(v, sim->state.v, (size_t)sim->n_v * sizeof(double));
    PerpStatus status = perp_iterate(sim, &(PerpLinearised){build, step, step->v_free}, v, stage,
                                     &iteration, error);
    if (status)
        return status;
    sim->report.iterations = iteration.rounds;
    sim->report.contraction = iteration.contraction;
    if (iteration.converged)
        return PERP_OK;
    perp_step_warn(sim,
                   "the iteration of ST97 3.4 did not converge in %d rounds (factor %.2g): one "
                   "linear step instead; a shorter step may help",
                   iteration.rounds, iteration.contraction);
    return solve_linear(sim, step, v, stage, error);
}

// Restitution is not part of the method: a collision that should bounce is told.
static void warn_of_restitution(PerpSimulation *sim, const PerpStage *stage)
{
    for (int i = 0; i < stage->rows.problem.n_contacts && sim->has_restitution; i++) {
        int row = perp_stage_contact_row(stage, i);
        double speed = perp_stage_row_speed(stage, row, sim->state.v);
        char where[PERP_NAME_SIZE];
        if (stage->rows.unilateral[i].restitution == 0 || stage->c[row] <= 0 ||
            speed >= -sim->settings.restitution_threshold)
            continue;
        sim->system->name(sim, &stage->rows, PERP_RESIDUAL_APPROACH, i, i, where, sizeof where);
        perp_step_warn(sim, "restitution %s is left out: impacts of stewart-trinkle are inelastic",
                       where);
    }
}

// No joints or motors, and d >= 0 where contacts push: n'v_new <= 0.
static bool takes_energy(const Step *step, const PerpStage *stage)
{
    const PerpProblem *p = &stage->rows.problem;
    if (p->n_joints > 0 || p->n_boxes > 0)
        return false;
    for (int i = 0; i < p->n_contacts; i++) {
        int row = perp_stage_contact_row(stage, i);
        if (stage->c[row] > 0 && stage->rows.d[row] < -ROUNDING / step->h)
            return false;
    }
    return true;
}

static bool is_constant(const PerpSimulation *sim, const Step *step, const PerpStage *stage)
{
    double kinetic = perp_stage_kinetic(stage, sim->state.v);
    return fabs(kinetic - step->kinetic) <= 1e-14 * kinetic;
}

// |v_new| <= |v| + h |M^-1 k| in the metric of M(q_new): (3) times v_new. With |v| at M(q_new)
// against M(q) it is the discrete form of dtheta/dt = a theta^(3/2) + b theta^(1/2)     [ST97 4.1]
static PerpStatus check_boundedness(PerpSimulation *sim, const Step *step, const PerpStage *stage,
                                    PerpError *error)
{
    double *hG = PERP_TAKE(&sim->arena, double, sim->n_v);
    if (!takes_energy(step, stage) || sim->settings.linear)
        return PERP_OK;
    if (!hG)
        return perp_fail_memory(error);
    memcpy(hG, step->hk, (size_t)sim->n_v * sizeof(double));
    PerpStatus status = perp_stage_divide(sim, stage, 1, hG, error);
    double bound =
        sqrt(2 * perp_stage_kinetic(stage, sim->state.v)) + sqrt(2 * perp_stage_kinetic(stage, hG));
    double value = sqrt(2 * perp_stage_kinetic(stage, stage->v));
    if (!status)
        perp_step_bound(sim, PERP_BOUND_ST97_BOUNDED, bound > 0 ? (bound - value) / bound : -value);
    return status;
}

// v_new'M v_new/2 <= v'M v/2 + h k'v_new - lambda mu c_n - |v_new - v|_M^2/2            [ST97 3.5]
static void check_dissipation(PerpSimulation *sim, const Step *step, const PerpStage *stage)
{
    const PerpProblem *p = &stage->rows.problem;
    if (!takes_energy(step, stage) || !is_constant(sim, step, stage))
        return;
    for (int i = 0; i < sim->n_v; i++)
        step->scratch[i] = stage->v[i] - sim->state.v[i];
    double work = perp_dot(sim->n_v, step->hk, stage->v);
    double before = step->kinetic, after = perp_stage_kinetic(stage, stage->v);
    double bound = before + work - perp_stage_kinetic(stage, step->scratch);
    for (int g = 0; g < p->n_groups; g++)
        bound -= stage->lambda[g] * p->mu[g] *
                 stage->c[perp_stage_contact_row(stage, p->group_contact[g])];
    double scale = before + after + fabs(work) + perp_stage_kinetic(stage, step->v_free);
    perp_step_bound(sim, PERP_BOUND_ST97_DISSIPATION, scale > 0 ? (bound - after) / scale : 0);
}

static PerpStatus step(PerpSimulation *sim, double h, PerpError *error)
{
    PerpStage stage;
    Step step = {.h = h,
                 .hk = PERP_TAKE(&sim->arena, double, sim->n_v),
                 .v_free = PERP_TAKE(&sim->arena, double, sim->n_v),
                 .scratch = PERP_TAKE(&sim->arena, double, sim->n_v)};
    double *v = PERP_TAKE(&sim->arena, double, sim->n_v);
    if (!step.hk || !step.v_free || !step.scratch || !v)
        return perp_fail_memory(error);
    PerpStatus status = find_impulse_of_forces(sim, &step, error);
    if (!status)
        status = solve(sim, &step, v, &stage, error);
    if (!status)
        status = perp_stage_report_contacts(sim, &stage, error);
    if (status)
        return status;
    warn_of_restitution(sim, &stage);
    check_dissipation(sim, &step, &stage);
    status = check_boundedness(sim, &step, &stage, error);
    if (status)
        return status;
    perp_energy_add_stage(sim, &stage);
    memcpy(sim->state.v, stage.v, (size_t)sim->n_v * sizeof(double));
    sim->system->advance(sim, sim->state.q, stage.v, h, sim->scratch.q); // q_new = q (+) h v_new
    perp_step_go(sim, sim->scratch.q, sim->state.t + h);
    return sim->settings.stabilise == PERP_STABILISE_PROJECT ? perp_project(sim, error)
                                                             : perp_step_measure(sim, error);
}

const PerpScheme perp_scheme_stewart_trinkle = {
    .name = "stewart-trinkle",
    .text = "ST97: constraints of positions at the end of the step, iterated; inelastic",
    .facets = 8,
    .explicit_turn = true,
    .explicit_springs = true,
    .step = step,
};
