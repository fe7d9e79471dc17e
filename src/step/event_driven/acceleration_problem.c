// The complementarity problem of accelerations, which decides about the active set [L82 (2.5b)]:
//
//     M a - G lambda = f,   delta = G'a + dG/dt' v,   0 <= delta  perp  lambda >= 0       (2.5)
//
// which is the QP (6.1) and Gauss's principle (6.3), with boxes (6.4)-(6.5) at rest, and Coulomb's
// friction: sticking groups as polygons, slipping ones with the force that their slip leaves no
// choice about. It is a step problem with a for v.
//
// Sticking is decided on the circle: a first pass with polygons about it finds the forces that
// would be needed, the second has corners on the circle in their directions, later ones in the
// directions of those that slip all the same.

#include "step/event_driven/acceleration_problem.h"

#include "base/error.h"
#include "math/dense.h"
#include "perp/friction.h"

#include <math.h>
#include <string.h>

static const double FAR = 1e4;      // times the accelerations: what keeps a row out of the problem
static const double ALIGNED = 1e-8; // rad
enum { PASSES = 6 };

// --- the rows of the problem --------------------------------------------------------------------

// The numbers of a row, from a dense one.
static void set_row(PerpStage *stage, int row, const double *from)
{
    const PerpProblem *p = &stage->rows.problem;
    double *J = stage->rows.J + stage->rows.row_values[row];
    for (int e = p->row_start[row]; e < p->row_start[row + 1]; e++)
        for (int i = p->body_start[p->entry_body[e]]; i < p->body_start[p->entry_body[e] + 1]; i++)
            *J++ = from[i];
}

static int direction_row(const PerpProblem *p, int group, int k)
{
    return p->n_joints + p->n_boxes + p->n_contacts + p->group_start[group] + k;
}

static int directions(const PerpProblem *p, int group)
{
    return p->group_start[group + 1] - p->group_start[group];
}

// Direction k of a polygon with a corner at u.
static void corner(int k, int n, const double u[2], double direction[2])
{
    double turn[2];
    perp_friction_direction(k, n, turn);
    direction[0] = turn[0] * u[0] - turn[1] * u[1];
    direction[1] = turn[0] * u[1] + turn[1] * u[0];
}

// Of the first pass: what makes a polygon in the circle one about it.
static double widening(int pass, int n)
{
    const double pi = 3.14159265358979323846;
    return pass == 0 && n > 2 ? 1 / cos(pi / n) : 1;
}

// T_0 and T_1 of a group with their slopes
typedef struct Tangents {
    double *T;       // n_v x 2
    double slope[2]; //
} Tangents;

static void set_sticking(PerpSimulation *sim, PerpModeVerdict *w, int group,
                         const PerpSlipMode *slip_mode, const Tangents *tangents, double *work)
{
    const PerpProblem *p = &w->stage.rows.problem;
    int n = directions(p, group), n_v = sim->n_v;
    w->stage.rows.mu[group] = w->rows.stage.rows.mu[group] * widening(w->pass, n);
    for (int k = 0; k < n; k++) {
        double turn[2];
        int row = direction_row(p, group, k);
        corner(k, n, slip_mode->u, turn);
        memset(work, 0, (size_t)n_v * sizeof(double));
        perp_axpy(n_v, turn[0], tangents->T, work);
        perp_axpy(n_v, turn[1], tangents->T + n_v, work);
        set_row(&w->stage, row, work);
        w->stage.rows.d[row] = turn[0] * tangents->slope[0] + turn[1] * tangents->slope[1];
    }
}

// One direction is left, against the slip, and taken in full.
static void set_slipping(PerpSimulation *sim, PerpModeVerdict *w, int group,
                         const PerpSlipMode *slip_mode, const double *v, const Tangents *tangents,
                         double *work)
{
    const PerpProblem *p = &w->stage.rows.problem;
    double slip[2], u[2];
    perp_slip_direction(&w->rows.stage, group, slip_mode, v, slip, u);
    memset(work, 0, (size_t)sim->n_v * sizeof(double));
    perp_axpy(sim->n_v, -u[0], tangents->T, work);
    perp_axpy(sim->n_v, -u[1], tangents->T + sim->n_v, work);
    for (int k = 0; k < directions(p, group); k++)
        w->stage.rows.d[direction_row(p, group, k)] = (k == 0 ? -FAR : FAR) * w->scale;
    set_row(&w->stage, direction_row(p, group, 0), work);
}

static PerpStatus set_friction(PerpSimulation *sim, const PerpMode *mode, int held, int contact,
                               const double *v, const double *slope, PerpModeVerdict *w,
                               PerpError *error)
{
    const PerpProblem *p = &w->stage.rows.problem;
    double *work = PERP_TAKE(&sim->arena, double, sim->n_v);
    Tangents tangents = {.T = PERP_TAKE(&sim->arena, double, 2 * sim->n_v)};
    int slip_mode = 0;
    if (!work || !tangents.T)
        return perp_fail_memory(error);
    for (int g = 0; g < p->n_groups && slip_mode < PERP_SLIP_MODES; g++) {
        if (p->group_contact[g] != contact)
            continue;
        const PerpSlipMode *of = &mode->held[held].slip_mode[slip_mode++];
        memset(tangents.T, 0, (size_t)(2 * sim->n_v) * sizeof(double));
        tangents.slope[1] = 0;
        for (int k = 0; k < perp_slip_tangents(p, g); k++) {
            perp_slip_add_tangent(&w->rows.stage, g, k, 1, tangents.T + sim->n_v * k);
            tangents.slope[k] = of->slips ? 0 : *slope++;
        }
        if (of->slips)
            set_slipping(sim, w, g, of, v, &tangents, work);
        else
            set_sticking(sim, w, g, of, &tangents, work);
    }
    return PERP_OK;
}

// Boxes at their bounds are given forces.
static void set_boxes(const PerpMode *mode, const double *slope, PerpModeVerdict *w)
{
    PerpAssembly *rows = &w->stage.rows;
    int joints = rows->problem.n_joints;
    for (int i = 0; i < mode->n_boxes; i++) {
        rows->d[joints + i] = mode->box[i] == PERP_BOX_HELD ? *slope++ : 0;
        if (mode->box[i] == PERP_BOX_AT_LOWER)
            rows->hi[i] = rows->lo[i];
        else if (mode->box[i] == PERP_BOX_AT_UPPER)
            rows->lo[i] = rows->hi[i];
    }
}

// All right-hand sides: what the mode does not hold is left out.
static PerpStatus set_problem(PerpSimulation *sim, const PerpMode *mode, const double *v,
                              const double *slope, PerpModeVerdict *w, PerpError *error)
{
    const PerpProblem *p = &w->stage.rows.problem;
    PerpStatus status = PERP_OK;
    memcpy(w->stage.rows.d, slope, (size_t)p->n_joints * sizeof(double));
    set_boxes(mode, slope + p->n_joints, w);
    for (int row = p->n_joints + p->n_boxes; row < perp_problem_rows(p); row++)
        w->stage.rows.d[row] = FAR * w->scale;
    for (int k = 0; k < mode->n_held && !status; k++) {
        int contact = perp_stage_find(&w->stage, mode->held[k].id), row = w->rows.normal[k];
        w->stage.rows.d[perp_stage_contact_row(&w->stage, contact)] = slope[row];
        status = set_friction(sim, mode, k, contact, v, slope + row + 1, w, error);
    }
    return status;
}

// --- what the solution says ---------------------------------------------------------------------

static double acceleration_of(const PerpStage *stage, int row)
{
    return perp_stage_row_speed(stage, row, stage->v) + stage->rows.d[row];
}

// n'M^-1 n of a row of the mode
static PerpStatus inverse_mass(PerpSimulation *sim, const PerpModeVerdict *w, int row,
                               double *value, PerpError *error)
{
    PerpArenaMark mark = perp_arena_mark(&sim->arena);
    double *x = PERP_TAKE(&sim->arena, double, sim->n_v);
    if (!x)
        return perp_fail_memory(error);
    memcpy(x, w->rows.G + sim->n_v * row, (size_t)sim->n_v * sizeof(double));
    PerpStatus status = perp_stage_divide(sim, &w->rows.stage, 1, x, error);
    *value = perp_dot(sim->n_v, x, w->rows.G + sim->n_v * row);
    perp_arena_release(&sim->arena, mark);
    return status;
}

// The friction force of a group in its tangents, and the sum of its components.
static double friction_of(const PerpStage *stage, int group, const PerpSlipMode *slip_mode,
                          double force[2])
{
    const PerpProblem *p = &stage->rows.problem;
    double sum = 0;
    force[0] = force[1] = 0;
    for (int k = 0; k < directions(p, group); k++) {
        double turn[2], beta = stage->c[direction_row(p, group, k)];
        corner(k, directions(p, group), slip_mode->u, turn);
        force[0] += beta * turn[0];
        force[1] += beta * turn[1];
        sum += beta;
    }
    return sum;
}

static double turn_to(const double to[2], PerpSlipMode *slip_mode)
{
    double length = hypot(to[0], to[1]);
    double by = hypot(to[0] / length - slip_mode->u[0], to[1] / length - slip_mode->u[1]);
    slip_mode->u[0] = to[0] / length;
    slip_mode->u[1] = to[1] / length;
    return by;
}

// Slip acceleration of a sticking group, in the axes of its polygon.
static void slip_acceleration(const PerpModeVerdict *w, int group, double y[2])
{
    const PerpProblem *p = &w->stage.rows.problem;
    double first[2];
    y[0] = acceleration_of(&w->stage, direction_row(p, group, 0));
    y[1] = 0;
    if (directions(p, group) == 2)
        return;
    perp_friction_direction(1, directions(p, group), first);
    y[1] = acceleration_of(&w->stage, direction_row(p, group, 1));
    y[1] = (y[1] - first[0] * y[0]) / first[1];
}

// Turns the polygon: after the first pass against the force, later to  slip - weight force,  which
// is where a group of that inverse mass slips (the slip alone would not converge where it is
// small).
static double judge_sticking(const PerpModeVerdict *w, int group, PerpSlipMode *slip_mode,
                             double weight, double *slack, double *turned)
{
    const PerpProblem *p = &w->stage.rows.problem;
    int contact = perp_stage_contact_row(&w->stage, p->group_contact[group]);
    double force[2], y[2], sum = friction_of(&w->stage, group, slip_mode, force), by = 0;
    slip_acceleration(w, group, y);
    double speed = hypot(y[0], y[1]);
    const double slip[2] = {y[0] * slip_mode->u[0] - y[1] * slip_mode->u[1],
                            y[0] * slip_mode->u[1] + y[1] * slip_mode->u[0]};
    *slack = weight * (p->mu[group] * w->stage.c[contact] - sum);
    const double to[2] = {slip[0] - weight * force[0], slip[1] - weight * force[1]};
    bool slips = speed > PERP_UNDECIDED * w->scale;
    if (slips || (w->pass == 0 && hypot(to[0], to[1]) > PERP_UNDECIDED * w->scale))
        by = turn_to(to, slip_mode);
    if (directions(p, group) > 2)
        *turned = fmax(*turned, w->pass == 0 ? INFINITY : by);
    return speed;
}

static PerpStatus judge_held(PerpSimulation *sim, PerpMode *mode, int k, PerpModeVerdict *w,
                             double *turned, PerpError *error)
{
    const PerpProblem *p = &w->stage.rows.problem;
    int contact = perp_stage_find(&w->stage, mode->held[k].id), slip_mode = 0;
    int row = perp_stage_contact_row(&w->stage, contact), tangent = w->rows.normal[k] + 1;
    double weight;
    PerpStatus status = inverse_mass(sim, w, w->rows.normal[k], &weight, error);
    if (status)
        return status;
    w->delta[k] = acceleration_of(&w->stage, row);
    w->push[k] = weight * w->stage.c[row];
    for (int g = 0; g < p->n_groups && slip_mode < PERP_SLIP_MODES && !status; g++) {
        if (p->group_contact[g] != contact)
            continue;
        PerpSlipMode *of = &mode->held[k].slip_mode[slip_mode];
        if (of->slips)
            w->unsolvable = w->unsolvable || w->stage.lambda[g] < FAR / 2 * w->scale;
        else {
            int at = PERP_SLIP_MODES * k + slip_mode;
            status = inverse_mass(sim, w, tangent, &weight, error);
            w->slip[at] = judge_sticking(w, g, of, weight, &w->slack[at], turned);
            tangent += perp_slip_tangents(p, g);
        }
        slip_mode++;
    }
    return status;
}

static PerpStatus judge_boxes(PerpSimulation *sim, const PerpMode *mode, PerpModeVerdict *w,
                              PerpError *error)
{
    const PerpProblem *p = &w->stage.rows.problem;
    PerpStatus status = PERP_OK;
    int held = p->n_joints;
    for (int i = 0; i < mode->n_boxes && !status; i++) {
        double weight, c = w->stage.c[p->n_joints + i];
        if (mode->box[i] != PERP_BOX_HELD)
            continue;
        w->box[i] = acceleration_of(&w->stage, p->n_joints + i);
        status = inverse_mass(sim, w, held++, &weight, error);
        w->box_slack[i] = weight * fmin(c - p->lo[i], p->hi[i] - c);
    }
    return status;
}

// --- all of it ----------------------------------------------------------------------------------

static bool take_verdict(PerpSimulation *sim, const PerpMode *mode, PerpModeVerdict *w)
{
    int held = mode->n_held;
    w->delta = PERP_TAKE(&sim->arena, double, held);
    w->push = PERP_TAKE(&sim->arena, double, held);
    w->slip = PERP_TAKE(&sim->arena, double, PERP_SLIP_MODES *held);
    w->slack = PERP_TAKE(&sim->arena, double, PERP_SLIP_MODES *held);
    w->box = PERP_TAKE(&sim->arena, double, mode->n_boxes);
    w->box_slack = PERP_TAKE(&sim->arena, double, mode->n_boxes);
    return w->delta && w->push && w->slip && w->slack && w->box && w->box_slack;
}

// f, and the scale of accelerations: 1 m/s^2 and what f alone gives.
static PerpStatus set_force(PerpSimulation *sim, double t, const double *q, const double *v,
                            PerpModeVerdict *w, PerpError *error)
{
    double damper = 0, *free = PERP_TAKE(&sim->arena, double, sim->n_v);
    if (!free)
        return perp_fail_memory(error);
    PerpStatus status = perp_mode_force(sim, t, q, v, w->stage.rows.b, &damper, error);
    memcpy(free, w->stage.rows.b, (size_t)sim->n_v * sizeof(double));
    if (!status)
        status = perp_stage_divide(sim, &w->stage, 1, free, error);
    w->scale = 1 + perp_max_abs(sim->n_v, free);
    return status;
}

static PerpStatus solve(PerpSimulation *sim, PerpMode *mode, const double *v, const double *slope,
                        PerpModeVerdict *w, double *turned, PerpError *error)
{
    PerpStatus status = set_problem(sim, mode, v, slope, w, error);
    *turned = 0;
    if (!status)
        status = perp_stage_solve(sim, v, &w->stage, error);
    for (int k = 0; k < mode->n_held && !status; k++)
        status = judge_held(sim, mode, k, w, turned, error);
    return status ? status : judge_boxes(sim, mode, w, error);
}

PerpStatus perp_mode_judge(PerpSimulation *sim, PerpMode *mode, double t, const double *q,
                           const double *v, bool shortest, PerpModeVerdict *w, PerpError *error)
{
    double turned = INFINITY;
    *w = (PerpModeVerdict){0};
    PerpStatus status = perp_mode_rows(sim, mode, q, v, PERP_HELD_REACH, &w->rows, error);
    w->lost = w->rows.lost;
    if (status || w->lost)
        return status;
    double *slope = PERP_TAKE(&sim->arena, double, w->rows.n + 1);
    if (!slope || !take_verdict(sim, mode, w))
        return perp_fail_memory(error);
    status = perp_mode_slopes(sim, mode, q, v, &w->rows, slope, error);
    if (!status)
        status = perp_stage_assemble(sim, q, PERP_HELD_REACH, 1, &w->stage, error);
    w->stage.h = 0;
    w->stage.shortest = shortest;
    if (!status)
        status = set_force(sim, t, q, v, w, error);
    for (w->pass = 0; w->pass < PASSES && turned > ALIGNED && !status; w->pass++)
        status = solve(sim, mode, v, slope, w, &turned, error);
    return status;
}
