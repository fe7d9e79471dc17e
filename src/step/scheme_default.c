// The workhorse: fixed step, one problem a step, plus what bouncing impacts need.
//
//     M (v_new - v) = h k + nu c_nu + n c_n + D beta,      0 <= n'v_new + max(gap, 0)/h  perp  c_n
//
// with the rows at the beginning of the step, so that a contact that would close within it closes
// at its end [AP97 (2.13), with the gap of ST97 (3); d >= 0 keeps theorem 2.1]. Bodies that nothing
// touches move by (v + v_new)/2, which is exact in free fall, the others by v_new. Joints and
// overlaps are closed by projection, which leaves velocities alone. Where a contact with
// restitution closes, the step is split at that moment and the impact resolved in two phases [AP97
// section 3].

#include "step/step.h"

#include "base/error.h"

#include <math.h>
#include <string.h>

static const double CLOSED = 1e-9;   // m: a contact with a smaller gap can be hit
static const double AT_REST = 1e-11; // of the speed of the free motion
static const double STANDING = 1e-9; // m/s: a contact that closes more slowly was closed before
enum { SPLITS = 32 };                // in one step; later impacts of it do not bounce

// --- one problem --------------------------------------------------------------------------------

// How far anything may come within h: the reach of the contact search.
static double reach_of(const PerpSimulation *sim, const double *v_free, double h)
{
    double fastest = 0;
    for (int b = 0; b < sim->model->n_bodies; b++) {
        PerpTwist now = perp_rigid_twist(&sim->rigid, sim->state.v, b);
        PerpTwist free = perp_rigid_twist(&sim->rigid, v_free, b);
        double radius = sim->radius[b];
        double speed = fmax(perp_vec3_norm(now.linear) + radius * perp_vec3_norm(now.angular),
                            perp_vec3_norm(free.linear) + radius * perp_vec3_norm(free.angular));
        fastest = fmax(fastest, speed);
    }
    return 2 * h * fastest + CLOSED;
}

// d of a contact: how fast it may close. A closed one may not: gaps that are rounding would be
// speeds otherwise. One that stays open in free motion, h (v + v_free)/2, may move as it does
// there, but not be pushed further.
static double room_of(const PerpSimulation *sim, const PerpStage *stage, int contact,
                      const double *v_free, double h)
{
    int row = perp_stage_contact_row(stage, contact);
    double gap = stage->rows.unilateral[contact].gap;
    if (gap <= CLOSED)
        return 0;
    double now = perp_stage_row_speed(stage, row, sim->state.v);
    double free = perp_stage_row_speed(stage, row, v_free);
    bool stays_open = gap + h * (now + free) / 2 >= -1e-3 * CLOSED;
    return stays_open ? fmax(gap / h, -free) : gap / h;
}

static PerpStatus solve(PerpSimulation *sim, double h, double *v_free, PerpStage *stage,
                        PerpError *error)
{
    int n_v = sim->rigid.n_v;
    double *b = PERP_TAKE(&sim->arena, double, n_v);
    if (!b)
        return perp_fail(error, PERP_NO_MEMORY, "%s", perp_status_text(PERP_NO_MEMORY));
    perp_step_free_momentum(sim, h, b);
    perp_step_free_velocity(sim, b, v_free);
    PerpStatus status =
        perp_stage_assemble(sim, sim->state.pose, reach_of(sim, v_free, h), h, stage, error);
    if (status)
        return status;
    memcpy(stage->rows.b, b, (size_t)n_v * sizeof(double));
    for (int i = 0; i < stage->rows.problem.n_contacts; i++)
        stage->rows.d[perp_stage_contact_row(stage, i)] = room_of(sim, stage, i, v_free, h);
    return perp_stage_solve(sim, sim->state.v, stage, error);
}

// --- rest ---------------------------------------------------------------------------------------

// A body whose speed is nothing but rounding of the motion it is kept from is at rest, exactly:
// errors of the last bit would add up to a creep otherwise.
static void settle(const PerpSimulation *sim, const double *v_free, PerpStage *stage)
{
    const PerpRigid *rigid = &sim->rigid;
    for (int k = 0; k < rigid->n_bodies; k++) {
        double moving = perp_rigid_block_kinetic(rigid, stage->v, k);
        double kept = perp_rigid_block_kinetic(rigid, v_free, k) +
                      perp_rigid_block_kinetic(rigid, sim->state.v, k);
        if (moving > AT_REST * AT_REST * kept)
            continue;
        for (int i = rigid->body_start[k]; i < rigid->body_start[k + 1]; i++)
            stage->v[i] = 0;
    }
}

// --- motion -------------------------------------------------------------------------------------

// Does the contact stop something within the step, or close in it? One that stays closed does not
// count.
static bool is_new(const PerpStage *stage, int contact)
{
    int row = perp_stage_contact_row(stage, contact);
    return stage->c[row] > 0 && (stage->rows.unilateral[contact].gap > CLOSED ||
                                 perp_stage_row_speed(stage, row, stage->before) < -STANDING);
}

// (v + v_new)/2, but v_new for bodies that a new contact holds
static void mean_velocity(const PerpSimulation *sim, const PerpStage *stage, double *mean)
{
    const PerpProblem *p = &stage->rows.problem;
    for (int i = 0; i < sim->rigid.n_v; i++)
        mean[i] = (stage->before[i] + stage->v[i]) / 2;
    for (int contact = 0; contact < p->n_contacts; contact++) {
        int row = perp_stage_contact_row(stage, contact);
        for (int e = p->row_start[row]; e < p->row_start[row + 1] && is_new(stage, contact); e++) {
            int first = p->body_start[p->entry_body[e]], end = p->body_start[p->entry_body[e] + 1];
            memcpy(mean + first, stage->v + first, (size_t)(end - first) * sizeof(double));
        }
    }
}

static PerpStatus move(PerpSimulation *sim, const PerpStage *stage, double h, PerpError *error)
{
    double *mean = PERP_TAKE(&sim->arena, double, sim->rigid.n_v);
    if (!mean)
        return perp_fail(error, PERP_NO_MEMORY, "%s", perp_status_text(PERP_NO_MEMORY));
    mean_velocity(sim, stage, mean);
    perp_rigid_advance(&sim->rigid, sim->state.pose, mean, h, sim->trial);
    perp_step_count_turns(sim->model, sim->state.pose, sim->trial, sim->state.turn);
    memcpy(sim->state.pose, sim->trial, (size_t)sim->model->n_bodies * sizeof(PerpPose));
    memcpy(sim->state.v, stage->v, (size_t)sim->rigid.n_v * sizeof(double));
    perp_rigid_transport(&sim->rigid, h, false, stage->before, mean, sim->state.v);
    sim->state.t += h;
    perp_energy_add_stage(sim, stage);
    PerpStatus status = perp_stage_report_contacts(sim, stage, error);
    return status ? status : perp_project(sim, error);
}

// --- bounces ------------------------------------------------------------------------------------

static bool may_bounce(const PerpSimulation *sim, const PerpStage *stage, int contact,
                       const double *v)
{
    double speed = perp_stage_row_speed(stage, perp_stage_contact_row(stage, contact), v);
    return stage->rows.unilateral[contact].restitution > 0 && speed < -sim->bounce_speed;
}

// Is a contact with restitution closed and approached right now?
static bool is_hit(const PerpSimulation *sim, const PerpStage *stage)
{
    for (int i = 0; i < stage->rows.problem.n_contacts; i++)
        if (stage->rows.unilateral[i].gap <= CLOSED && may_bounce(sim, stage, i, sim->state.v))
            return true;
    return false;
}

// When the first contact with restitution closes: gap + tau s + tau^2 (s_free - s)/(2 h) = 0 with
// the speed s now and s_free at the end of the free motion. h if none does.
static double first_closing(const PerpSimulation *sim, const PerpStage *stage, const double *v_free,
                            double h)
{
    double first = h;
    for (int i = 0; i < stage->rows.problem.n_contacts; i++) {
        int row = perp_stage_contact_row(stage, i);
        double gap = stage->rows.unilateral[i].gap;
        if (gap <= CLOSED || stage->c[row] <= 0 || !may_bounce(sim, stage, i, v_free))
            continue;
        double s = perp_stage_row_speed(stage, row, sim->state.v);
        double a = (perp_stage_row_speed(stage, row, v_free) - s) / h;
        double root = s * s - 2 * a * gap;
        if (root < 0)
            continue;
        double tau = 2 * gap / (-s + sqrt(root));
        if (tau > 0 && tau < first)
            first = tau;
    }
    return first;
}

static PerpStatus step(PerpSimulation *sim, double h, PerpError *error)
{
    double *v_free = PERP_TAKE(&sim->arena, double, sim->rigid.n_v);
    PerpStatus status =
        v_free ? PERP_OK : perp_fail(error, PERP_NO_MEMORY, "%s", perp_status_text(PERP_NO_MEMORY));
    double rest = h;
    // a bounce that ends within the step is none: gravity alone gives this speed in it
    sim->bounce_speed =
        sim->settings.restitution_threshold + h * perp_vec3_norm(sim->model->gravity);
    for (int split = 0; !status && rest > 0; split++) {
        PerpStage stage;
        bool last = split >= SPLITS;
        status = solve(sim, rest, v_free, &stage, error);
        if (!status && !last && is_hit(sim, &stage)) {
            status = perp_impact(sim, sim->state.pose, CLOSED, sim->state.v, error);
            continue;
        }
        double tau = status || last ? rest : first_closing(sim, &stage, v_free, rest);
        if (!status && tau < rest)
            status = solve(sim, tau, v_free, &stage, error);
        if (!status) {
            settle(sim, v_free, &stage);
            status = move(sim, &stage, tau, error);
        }
        rest = tau < rest ? rest - tau : 0;
    }
    return status;
}

const PerpScheme perp_scheme_default = {
    .name = "default",
    .text = "fixed step, one problem a step, projected joints, located bounces",
    .step = step,
};
