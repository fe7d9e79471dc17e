// A sibling of the trapezoidal scheme [PAGT06] that does not ring: of second order, one problem a
// step, its matrix positive definite for any stiffness. docs/theory/pagt06.md has the proofs.
//
//     q_new = q (+) (h/2) (v + v_new)                          everything below at q (+) (h/2) v
//     M (v_new - v) = h k + (h/2) k_v dv + (h^2/4) k_q dv      dv = v_new - v; k without links
//                     - h sum (gamma psi* + delta u*) g + J'c
//     psi* = psi - h (1 - s)/4 u + h (1 + 3s)/4 u_new          s = z/(4 + z), z = h^2 gamma/m
//     u* = u + (1 + r)/2 (u_new - u)                           r = y/(6 + y), y = h delta/m
//     nu'v_new = -(nu - nu(q))'v    n'v_new >= -(n - n(q))'v   joints, closed contacts
//     friction opposes D'v_new
//
// u = g'v is the speed of a link, m = 1/(g'M^-1 g) the mass that it moves. Soft links (s, r -> 0)
// get the trapezoidal rule, stiff ones (s, r -> 1) are dead after two steps. Where an impact or the
// start has left speed in links that are too stiff for the step, that island takes one step of the
// backward Euler rule, psi* = psi - (h/2) u + h u_new, u* = u_new, q_new = q (+) h v_new.

#include "step/events/collisions.h"
#include "step/implicit/damped_links.h"
#include "step/implicit/linearised_forces.h"
#include "step/rows/soft_rows.h"

#include "base/error.h"
#include "math/dense.h"

#include <math.h>
#include <string.h>

static const double AT_REST = 1e-11; // of the speed of the free motion

// --- rows ---------------------------------------------------------------------------------------

static int find_contact(const PerpStage *stage, uint64_t id)
{
    for (int i = 0; i < stage->rows.problem.n_contacts; i++)
        if (stage->rows.unilateral[i].id == id)
            return i;
    return -1;
}

// (J - J(q))'v of a row: what its turning within half a step adds to its speed.
static double turning(const PerpSimulation *sim, const PerpStage *stage, int row,
                      const PerpStage *start, int start_row)
{
    return perp_stage_row_speed(stage, row, sim->state.v) -
           perp_stage_row_speed(start, start_row, sim->state.v);
}

// With rows at the middle of the step and v obeying those at its beginning, v_new obeys those at
// its end, to second order.
static void set_speeds(const PerpSimulation *sim, const PerpStage *start, PerpStage *stage)
{
    const PerpAssembly *rows = &stage->rows;
    for (int i = 0; i < rows->problem.n_joints && i < start->rows.problem.n_joints; i++)
        rows->d[i] += turning(sim, stage, i, start, i);
    for (int i = 0; i < rows->problem.n_contacts; i++) {
        if (perp_unilateral_is_soft(&rows->unilateral[i]))
            continue; // perp_soft_rows_set
        int row = perp_stage_contact_row(stage, i);
        int before = find_contact(start, rows->unilateral[i].id);
        if (rows->unilateral[i].kind != PERP_UNILATERAL_RATE)
            rows->d[row] = turning(sim, stage, row, start, perp_stage_contact_row(start, before));
    }
    perp_stabilise_rows(sim, sim->settings.step, stage);
}

// Bodies without links may leave a contact within the step. Those with stiff links move as one, and
// a contact that one of them leaves may be back at once.
static PerpStatus note_closed(PerpSimulation *sim, const PerpStage *start, PerpAttempt *attempt,
                              PerpError *error)
{
    PerpLinks links;
    bool *loose = PERP_TAKE(&sim->arena, bool, start->rows.problem.n_bodies);
    PerpStatus status = sim->system->links(sim, sim->state.q, &links, error);
    if (status || !loose)
        return status ? status : perp_fail_memory(error);
    for (int k = 0; k < start->rows.problem.n_bodies; k++)
        loose[k] = true;
    for (int i = 0; i < links.count; i++)
        for (int e = links.gradient.row_start[i]; e < links.gradient.row_start[i + 1]; e++)
            loose[links.gradient.entry_body[e]] = false;
    return perp_attempt_note_closed(sim, start, loose, attempt, error);
}

static int count_rigid(const PerpStage *stage)
{
    int count = 0;
    for (int i = 0; i < stage->rows.problem.n_contacts; i++)
        count += !perp_unilateral_is_soft(&stage->rows.unilateral[i]);
    return count;
}

// Contacts of which the middle knows nothing, because they are found at other points there, have to
// stand where they are at the beginning.
static PerpStatus keep_contacts(PerpSimulation *sim, const PerpAttempt *attempt, PerpStage *stage,
                                PerpError *error)
{
    PerpStage middle = *stage;
    PerpStatus status = perp_attempt_keep_closed(sim, attempt, stage, error);
    if (status || count_rigid(stage) >= attempt->n_closed)
        return status;
    status = perp_stage_assemble(sim, sim->state.q, PERP_CLOSED, stage->h, stage, error);
    if (!status)
        status = perp_attempt_keep_closed(sim, attempt, stage, error);
    if (!status && !perp_stage_take_joints(stage, &middle))
        perp_step_warn(sim, "a joint's rows change their number within the step");
    return status;
}

// The stage at the middle of the step, with the contacts that are closed at its beginning.
static PerpStatus assemble(PerpSimulation *sim, double h, double *middle, PerpAttempt *attempt,
                           PerpError *error)
{
    PerpStage start, *stage = &attempt->stage;
    PerpStatus status = perp_stage_assemble(sim, sim->state.q, PERP_CLOSED, 0, &start, error);
    if (!status)
        status = note_closed(sim, &start, attempt, error);
    sim->system->advance(sim, sim->state.q, sim->state.v, h / 2, middle);
    bool looks = attempt->n_closed > 0 || sim->has_soft;
    double reach = looks ? sim->system->reach(sim, sim->state.v, h) : 0;
    if (!status)
        status = perp_stage_assemble(sim, middle, reach + PERP_CLOSED, h, stage, error);
    if (!status)
        status = keep_contacts(sim, attempt, stage, error);
    if (!status)
        set_speeds(sim, &start, stage);
    if (!status && !perp_soft_rows_set(sim, h, sim->state.v, stage))
        status = perp_fail_memory(error);
    return status;
}

// --- forces -------------------------------------------------------------------------------------

// Mt = M - (h/2) k_v - (h^2/4) k_q, or M alone if inertia is treated apart; with neither derivative
// if it is indefinite.
static PerpStatus find_matrix(PerpSimulation *sim, double h, const double *middle, PerpImplicit *im,
                              double *Mt, PerpError *error)
{
    PerpStatus status = PERP_OK;
    memcpy(Mt, im->M, (size_t)im->values * sizeof(double));
    if (sim->system->inertial_motion || sim->settings.jacobian == PERP_JACOBIAN_APPROXIMATE)
        return PERP_OK;
    status = perp_implicit_exact_forces(sim, sim->state.t + h / 2, middle, im, error);
    if (status)
        return status;
    perp_implicit_matrix(im, h, Mt);
    if (perp_implicit_is_definite(sim, im, Mt))
        return PERP_OK;
    if (sim->settings.jacobian == PERP_JACOBIAN_EXACT)
        return perp_fail(error, PERP_NOT_SOLVED,
                         "t = %.9g s: the exact derivatives of the forces make the matrix of the "
                         "step indefinite; a shorter step or the jacobian \"switch\" may help",
                         sim->state.t);
    perp_step_warn(sim, "exact derivatives would make the matrix indefinite: none instead");
    memcpy(Mt, im->M, (size_t)im->values * sizeof(double));
    return PERP_OK;
}

// b = Mt v + h k, and k in the system's order; of rigid bodies the momentum as inertia turns it,
// and k without that part
static PerpStatus find_impulse(PerpSimulation *sim, double h, const double *middle,
                               const PerpImplicit *im, const double *Mt, double *k, double *b,
                               PerpError *error)
{
    double *force = PERP_TAKE(&sim->arena, double, 2 * im->n), *momentum = force + im->n;
    if (!force)
        return perp_fail_memory(error);
    sim->system->force(sim, sim->state.t + h / 2, middle, sim->state.v, k);
    perp_clusters_gather(&im->clusters, k, force);
    if (sim->system->inertial_motion) {
        perp_clusters_times(&im->clusters, im->F, im->v, b);
        perp_axpy(im->n, -1, b, force);
        sim->system->inertial_motion(sim, h, momentum);
        perp_clusters_gather(&im->clusters, momentum, b);
    } else {
        perp_clusters_times(&im->clusters, Mt, im->v, b);
    }
    perp_axpy(im->n, h, force, b);
    return PERP_OK;
}

// Bodies whose speed is rounding of the free motion that constraints hold back get velocity 0.
static void stop_creep(const PerpSimulation *sim, const double *impulse, PerpStage *stage)
{
    const PerpProblem *p = &stage->rows.problem;
    for (int k = 0; k < p->n_bodies; k++) {
        int first = p->body_start[k], n = p->body_start[k + 1] - first;
        double largest = perp_max_abs(n, impulse + first);
        double moving = perp_stage_block_kinetic(stage, k, stage->v);
        double before = perp_stage_block_kinetic(stage, k, sim->state.v);
        double heaviest = perp_max_abs(n * n, p->Mt + stage->rows.mass_start[k]);
        if (perp_step_is_creep(moving, AT_REST, before + largest * largest / heaviest))
            memset(stage->v + first, 0, (size_t)n * sizeof(double));
    }
}

// The spins that keep angular momentum after the bodies have turned.
static PerpStatus turn_spins(PerpSimulation *sim, PerpAttempt *attempt, PerpError *error)
{
    const PerpStage *stage = &attempt->stage;
    double *mean = PERP_TAKE(&sim->arena, double, 2 * sim->n_v), *v_new = mean + sim->n_v;
    if (!mean)
        return perp_fail_memory(error);
    for (int i = 0; i < sim->n_v; i++)
        mean[i] = stage->before[i] + attempt->lead[i] * (stage->v[i] - stage->before[i]);
    memcpy(v_new, stage->v, (size_t)sim->n_v * sizeof(double));
    sim->system->transport(sim, stage->h, stage->before, mean, v_new);
    attempt->v_new = v_new;
    return PERP_OK;
}

// --- the step -----------------------------------------------------------------------------------

static PerpStatus solve(PerpSimulation *sim, double h, const double *middle, PerpImplicit *im,
                        PerpAttempt *attempt, PerpError *error)
{
    PerpStage *stage = &attempt->stage;
    double *Mt = PERP_TAKE(&sim->arena, double, im->values);
    double *b = PERP_TAKE(&sim->arena, double, 3 * im->n),
           *k = PERP_TAKE(&sim->arena, double, im->n);
    PerpDamping *damping = PERP_TAKE(&sim->arena, PerpDamping, im->links.count);
    double *lead = PERP_TAKE(&sim->arena, double, im->n);
    if (!Mt || !b || !k || !damping || !lead || !perp_damping_find(sim, stage, im, damping) ||
        !perp_damping_calm(sim, stage, &im->links, damping, lead))
        return perp_fail_memory(error);
    attempt->lead = lead;
    PerpStatus status = find_matrix(sim, h, middle, im, Mt, error);
    if (!status)
        status = find_impulse(sim, h, middle, im, Mt, k, b, error);
    if (status)
        return status;
    perp_damping_add(sim, im, damping, h, b + im->n, Mt, b);
    status = perp_implicit_solve(sim, im, Mt, b, stage, error);
    if (status)
        return status;
    if (!perp_soft_rows_note_stiff(sim, stage))
        return perp_fail_memory(error);
    for (int i = 0; i < im->n; i++)
        k[i] *= h;
    stop_creep(sim, k, stage);
    perp_damping_impulse(im, damping, stage, attempt->dampers);
    return sim->system->transport ? turn_spins(sim, attempt, error) : PERP_OK;
}

static PerpStatus try_step(PerpSimulation *sim, double h, PerpAttempt *attempt, PerpError *error)
{
    PerpImplicit im;
    double *middle = PERP_TAKE(&sim->arena, double, sim->n_q);
    attempt->dampers = PERP_TAKE(&sim->arena, double, sim->n_v);
    if (!middle || !attempt->dampers)
        return perp_fail_memory(error);
    PerpStatus status = assemble(sim, h, middle, attempt, error);
    if (!status)
        status = perp_implicit_begin(sim, middle, &attempt->stage.rows.problem, &im, error);
    return status ? status : solve(sim, h, middle, &im, attempt, error);
}

static PerpStatus step(PerpSimulation *sim, double h, PerpError *error)
{
    return perp_step_with_collisions(sim, h, try_step, PERP_STABILISE_PROJECT, error);
}

const PerpScheme perp_scheme_trapezoidal_damped = {
    .name = "trapezoidal-damped",
    .text = "like trapezoidal, without ringing: stiff springs and dampers, order 2, projected",
    .facets = 8,
    .takes_soft = true,
    .shortest_at_rest = true,
    .step = step,
};
