// The projection scheme of PS02, frictionless, with restitution, in the metric of M(q^n):
//
//     q^{n+1} = -e q^{n-1} + (1 + e) Z^n
//     Z^n in Argmin_{Z in K} |(2 q^n - (1 - e) q^{n-1} + h^2 G^n)/(1 + e) - Z|_{M(q^n)}
//
// Its memory is q^{n-1}; ours is v = (q^n - q^{n-1})/h. With u = (q^{n+1} - q^n)/h the same is
//
//     Z = q + h (u - e v)/(1 + e)
//     u in Argmin |u - (v + h G)|_{M(q)}   with   phi(Z) >= 0,      q_new = q (+) h u
//
// since W - Z = h (v + h G - u)/(1 + e): docs/theory/ps02.md. So (q, v) is the whole state, and
// each constraint may have its own e, its own Z; joints have e = 0. The first step is that of
// q^{-1} = q^0 - h u_0, or by settings.first_step = c as printed, with z(h) = c h G^0:
//
//     q^1 in Argmin_{Z in K} |q_0 + h u_0 + h z(h) - Z|_{M(q_0)}
//
// A bounce takes two steps, between which q is outside K: the second has the
// h of the first in Z, if it is known.
//
// Argmin: linearised problems, repeated until u stays; from several starts, and the nearest wins.

#include "step/schemes/angle_condition.h"
#include "step/schemes/fixed_point.h"
#include "step/schemes/gather_rows.h"

#include "base/error.h"

#include <math.h>
#include <string.h>

static const double MARGIN = 1e-9;    // m: contacts that touch have rows, whatever the speeds
static const double ROUNDING = 1e-12; // m: overlaps that are none; of speeds: relative
static const double FLAT = 1e-8;      // contraction of constraints that do not curve
enum { ALONE = 4 };                   // constraints that are tried alone

// What stays the same in a step.
typedef struct Step {
    PerpGathering rows;
    double *b, *v_free; // M v + h k, v + h G
    PerpStage start;    // rows at q, with the metric M(q)
} Step;

// min |u - v_free|_M  with  phi(Z) + n'(Z_new - Z) >= 0, which is h/(1 + e) (n'u_new + d) >= 0
static PerpStatus build(PerpSimulation *sim, void *user, const double *u, PerpStage *stage,
                        PerpError *error)
{
    const Step *step = user;
    PerpGathering wanted = step->rows;
    wanted.reach = fmax(wanted.reach, sim->system->reach(sim, u, wanted.h) + MARGIN);
    PerpStatus status = perp_gather_rows(sim, u, &wanted, stage, error);
    if (status)
        return status;
    PerpAssembly *rows = &stage->rows;
    rows->problem.Mt = step->start.rows.problem.Mt;
    memcpy(rows->b, step->b, (size_t)sim->n_v * sizeof(double));
    for (int i = 0; i < rows->problem.n_joints; i++)
        rows->d[i] = perp_position_row(stage, i, rows->theta[i], wanted.h, u);
    for (int i = 0; i < rows->problem.n_contacts; i++) {
        const PerpUnilateral *f = &rows->unilateral[i];
        int row = perp_stage_contact_row(stage, i);
        double h = f->restitution > 0 ? wanted.bounce / (1 + f->restitution) : wanted.h;
        if (f->kind != PERP_UNILATERAL_RATE)
            rows->d[row] = perp_position_row(stage, row, f->gap, h, u);
    }
    return PERP_OK;
}

// --- Argmin -------------------------------------------------------------------------------------

// The nearest local minimum so far.
typedef struct Nearest {
    bool found;
    double *u, distance;
} Nearest;

// |u - (v + h G)|_{M(q)}
static PerpStatus find_distance(PerpSimulation *sim, const Step *step, const double *u,
                                double *distance, PerpError *error)
{
    PerpArenaMark mark = perp_arena_mark(&sim->arena);
    double *w = PERP_TAKE(&sim->arena, double, sim->n_v);
    if (!w)
        return perp_fail_memory(error);
    for (int i = 0; i < sim->n_v; i++)
        w[i] = u[i] - step->v_free[i];
    *distance = sqrt(2 * perp_stage_kinetic(&step->start, w));
    perp_arena_release(&sim->arena, mark);
    return PERP_OK;
}

// Iterates from `u`; a local minimum that is nearer than the others by more than rounding is
// chosen.
static PerpStatus try_from(PerpSimulation *sim, Step *step, double *u, PerpStage *stage,
                           PerpIteration *iteration, Nearest *nearest, PerpError *error)
{
    double distance = 0;
    PerpStatus status =
        perp_iterate(sim, &(PerpLinearised){build, step, step->v_free}, u, stage, iteration, error);
    if (!status)
        status = find_distance(sim, step, u, &distance, error);
    if (status)
        return status;
    sim->report.iterations =
        iteration->rounds > sim->report.iterations ? iteration->rounds : sim->report.iterations;
    sim->report.contraction = fmax(sim->report.contraction, iteration->contraction);
    bool better = iteration->converged != nearest->found
                      ? iteration->converged
                      : distance < (1 - 1e-9) * nearest->distance;
    if (!better)
        return PERP_OK;
    *nearest = (Nearest){iteration->converged, nearest->u, distance};
    memcpy(nearest->u, u, (size_t)sim->n_v * sizeof(double));
    return PERP_OK;
}

// From the nearest point of one constraint alone.
static PerpStatus try_alone(PerpSimulation *sim, Step *step, const uint64_t *id, double *u,
                            Nearest *nearest, PerpError *error)
{
    PerpIteration iteration;
    PerpStage stage;
    memcpy(u, step->v_free, (size_t)sim->n_v * sizeof(double));
    step->rows.only = id;
    PerpStatus status = perp_iterate(sim, &(PerpLinearised){build, step, step->v_free}, u, &stage,
                                     &iteration, error);
    step->rows.only = NULL;
    return status ? status : try_from(sim, step, u, &stage, &iteration, nearest, error);
}

// The ids of constraints that push, at most ALONE; returns how many push.
static int list_pushing(const PerpStage *stage, uint64_t id[ALONE])
{
    int count = 0;
    for (int i = 0; i < stage->rows.problem.n_contacts; i++)
        if (stage->c[perp_stage_contact_row(stage, i)] > 0) {
            if (count < ALONE)
                id[count] = stage->rows.unilateral[i].id;
            count++;
        }
    return count;
}

// Starts: the free motion; no motion; the nearest points of each pushing constraint alone. If
// nothing pushes, or the first solution was right at once, there is nothing to compare: K is flat.
static PerpStatus solve(PerpSimulation *sim, Step *step, double *u, Nearest *nearest,
                        PerpStage *stage, PerpError *error)
{
    uint64_t id[ALONE];
    PerpIteration iteration;
    memcpy(u, step->v_free, (size_t)sim->n_v * sizeof(double));
    PerpStatus status = try_from(sim, step, u, stage, &iteration, nearest, error);
    if (status)
        return status;
    int pushing = list_pushing(stage, id);
    if (pushing == 0 || (iteration.converged && iteration.contraction <= FLAT))
        return PERP_OK;
    memset(u, 0, (size_t)sim->n_v * sizeof(double));
    status = try_from(sim, step, u, stage, &iteration, nearest, error);
    for (int k = 0; k < pushing && k < ALONE && pushing > 1 && !status; k++)
        status = try_alone(sim, step, &id[k], u, nearest, error);
    if (!nearest->found)
        perp_step_warn(sim, "the projection did not converge; a shorter step may help");
    memcpy(u, nearest->u, (size_t)sim->n_v * sizeof(double));
    if (!status) // its problem again
        status = build(sim, step, u, stage, error);
    return status ? status : perp_stage_solve(sim, sim->state.v, stage, error);
}

// --- what the theory says -----------------------------------------------------------------------

static bool is_pushed(const PerpStage *stage, uint64_t id)
{
    for (int i = 0; i < stage->rows.problem.n_contacts; i++)
        if (stage->rows.unilateral[i].id == id && stage->c[perp_stage_contact_row(stage, i)] > 0)
            return true;
    return false;
}

// Friction, motors and constraints of velocities are not in PS02.
static void warn_of_others(PerpSimulation *sim, const PerpStage *start, const PerpStage *stage)
{
    const PerpAssembly *rows = &stage->rows;
    for (int g = 0; g < start->rows.problem.n_groups; g++) {
        int contact = start->rows.group_contact[g];
        if (start->rows.mu[g] > 0 && is_pushed(stage, start->rows.unilateral[contact].id)) {
            perp_step_warn(sim, "friction is left out: paoli-schatzman has none");
            break;
        }
    }
    for (int i = 0; i < rows->problem.n_boxes; i++)
        if (stage->c[rows->problem.n_joints + i] != 0)
            perp_step_warn(sim, "motors and dry friction of joints are outside PS02");
    for (int i = 0; i < rows->problem.n_contacts; i++)
        if (rows->unilateral[i].kind == PERP_UNILATERAL_RATE &&
            stage->c[perp_stage_contact_row(stage, i)] > 0)
            perp_step_warn(sim, "constraints of velocities are outside PS02");
}

// Is q in K, do all constraints that push have the same e, and does each see q on its free side, as
// those of a convex K do: n(Z)'(q - Z) >= 0? Then (v + h G - u, u - e v)_M >= 0.
static bool estimate_applies(PerpSimulation *sim, const Step *step, const PerpStage *stage)
{
    const PerpAssembly *rows = &stage->rows;
    double e = -1;
    if (rows->problem.n_joints > 0 || rows->problem.n_boxes > 0)
        return false;
    for (int i = 0; i < step->start.rows.problem.n_contacts; i++)
        if (step->start.rows.unilateral[i].gap < -ROUNDING)
            return false;
    for (int i = 0; i < rows->problem.n_contacts; i++) {
        int row = perp_stage_contact_row(stage, i);
        double own = rows->unilateral[i].restitution;
        double before = perp_stage_row_speed(stage, row, sim->state.v);
        double after = perp_stage_row_speed(stage, row, stage->v);
        double free = perp_stage_row_speed(stage, row, step->v_free);
        if (stage->c[row] <= 0)
            continue;
        if ((e >= 0 && own != e) || rows->unilateral[i].kind == PERP_UNILATERAL_RATE ||
            after - own * before > ROUNDING * (fabs(free) + fabs(before) + 1e-3 / step->rows.h))
            return false;
        e = own;
    }
    return true;
}

// |u|_M <= |v|_M + h |G|_M: lemma 1 for e = 0; for e > 0 see docs/theory/ps02.md
static PerpStatus check_estimate(PerpSimulation *sim, const Step *step, const PerpStage *stage,
                                 PerpError *error)
{
    double *hG = PERP_TAKE(&sim->arena, double, sim->n_v);
    if (!hG)
        return perp_fail_memory(error);
    if (!estimate_applies(sim, step, stage))
        return PERP_OK;
    for (int i = 0; i < sim->n_v; i++)
        hG[i] = step->v_free[i] - sim->state.v[i];
    double bound = sqrt(2 * perp_stage_kinetic(&step->start, sim->state.v)) +
                   sqrt(2 * perp_stage_kinetic(&step->start, hG));
    double value = sqrt(2 * perp_stage_kinetic(&step->start, stage->v));
    perp_step_bound(sim, PERP_BOUND_PS02_ENERGY, bound > 0 ? (bound - value) / bound : -value);
    return PERP_OK;
}

// --- the step -----------------------------------------------------------------------------------

// Outside K, in the midst of a bounce, Z keeps the length of the last step. That makes one change
// good, between the two steps of the bounce; after others the speed of the rebound is wrong.
static void continue_bounce(PerpSimulation *sim, Step *step)
{
    const PerpAssembly *rows = &step->start.rows;
    bool outside = false;
    for (int i = 0; i < rows->problem.n_contacts; i++)
        outside =
            outside || (rows->unilateral[i].restitution > 0 && rows->unilateral[i].gap < -ROUNDING);
    if (!outside || sim->state.h == 0 || sim->state.h == step->rows.h)
        return;
    step->rows.bounce = sim->state.h;
    perp_step_warn(sim, "the step changed its length during a bounce: equal steps are better");
}

// q^1 in Argmin_{Z in K} |q_0 + h u_0 + h z(h) - Z|,  z(h) = c h G^0
static void begin_as_printed(PerpSimulation *sim, Step *step)
{
    for (int i = 0; i < sim->n_v; i++)
        step->v_free[i] =
            sim->state.v[i] + sim->settings.first_step * (step->v_free[i] - sim->state.v[i]);
    perp_stage_momentum(&step->start, step->v_free, step->b);
    step->rows.inelastic = true;
}

static PerpStatus begin(PerpSimulation *sim, double h, Step *step, PerpError *error)
{
    *step = (Step){.rows = {.h = h, .bounce = h},
                   .b = PERP_TAKE(&sim->arena, double, sim->n_v),
                   .v_free = PERP_TAKE(&sim->arena, double, sim->n_v)};
    if (!step->b || !step->v_free)
        return perp_fail_memory(error);
    PerpStatus status =
        sim->system->free_motion(sim, h, sim->state.t, sim->state.q, step->b, step->v_free, error);
    if (status)
        return status;
    step->rows.reach = sim->system->reach(sim, step->v_free, h) + MARGIN;
    status = perp_stage_assemble(sim, sim->state.q, step->rows.reach, h, &step->start, error);
    if (!status && sim->settings.first_step >= 0 && sim->state.h == 0)
        begin_as_printed(sim, step);
    else if (!status)
        continue_bounce(sim, step);
    return status;
}

static PerpStatus step(PerpSimulation *sim, double h, PerpError *error)
{
    Step step;
    PerpStage stage;
    Nearest nearest = {.u = PERP_TAKE(&sim->arena, double, sim->n_v), .distance = INFINITY};
    double *u = PERP_TAKE(&sim->arena, double, sim->n_v);
    if (!u || !nearest.u)
        return perp_fail_memory(error);
    PerpStatus status = begin(sim, h, &step, error);
    if (!status)
        status = solve(sim, &step, u, &nearest, &stage, error);
    if (!status)
        status = perp_stage_report_contacts(sim, &stage, error);
    if (!status)
        status = perp_check_angles(sim, &step.start, &stage, error);
    if (!status)
        status = check_estimate(sim, &step, &stage, error);
    if (status)
        return status;
    warn_of_others(sim, &step.start, &stage);
    perp_energy_add_stage(sim, &stage);
    memcpy(sim->state.v, stage.v, (size_t)sim->n_v * sizeof(double));
    sim->system->advance(sim, sim->state.q, stage.v, h, sim->scratch.q); // q_new = q (+) h u
    perp_step_go(sim, sim->scratch.q, sim->state.t + h);
    return perp_step_measure(sim, error);
}

const PerpScheme perp_scheme_paoli_schatzman = {
    .name = "paoli-schatzman",
    .text = "PS02: projection of positions in the metric of M, restitution, no friction",
    .facets = 8,
    .explicit_turn = true,
    .explicit_springs = true,
    .step = step,
};
