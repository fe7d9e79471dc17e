// The rows of an active set at a configuration, and how they turn along the motion.

#include "step/event_driven/mode.h"

#include "base/error.h"
#include "math/dense.h"
#include "perp/friction.h"

#include <math.h>
#include <string.h>

static const double SPACING = 0x1p-13; // m or rad: between the points of the differences
static const double JUMPED = 1e-6;     // m/s, of 1 + the fastest velocity: g'v that is not drift
static const double JUMP = 1e-6;       // of the fastest velocity: second differences of a jump
static const double ONE_SIDED = 8;     // times that of the other side, which is smooth

int perp_mode_find(const PerpMode *mode, uint64_t id)
{
    for (int i = 0; i < mode->n_held; i++)
        if (mode->held[i].id == id)
            return i;
    return -1;
}

// --- friction groups ----------------------------------------------------------------------------

static int first_direction(const PerpProblem *p)
{
    return p->n_joints + p->n_boxes + p->n_contacts;
}

int perp_slip_tangents(const PerpProblem *p, int group)
{
    return p->group_start[group + 1] - p->group_start[group] > 2 ? 2 : 1;
}

// to += scale J_row
static void add_row(const PerpStage *stage, int row, double scale, double *to)
{
    const PerpProblem *p = &stage->rows.problem;
    const double *J = p->J + stage->rows.row_values[row];
    for (int e = p->row_start[row]; e < p->row_start[row + 1]; e++)
        for (int i = p->body_start[p->entry_body[e]]; i < p->body_start[p->entry_body[e] + 1]; i++)
            to[i] += scale * *J++;
}

// The directions of a group are  cos(2 pi k/n) T_0 + sin(2 pi k/n) T_1:  T_0 is the first, and T_1
// comes from the second.
void perp_slip_add_tangent(const PerpStage *stage, int group, int k, double scale, double *to)
{
    const PerpProblem *p = &stage->rows.problem;
    int row = first_direction(p) + p->group_start[group];
    double turn[2];
    if (k == 0) {
        add_row(stage, row, scale, to);
        return;
    }
    perp_friction_direction(1, p->group_start[group + 1] - p->group_start[group], turn);
    add_row(stage, row + 1, scale / turn[1], to);
    add_row(stage, row, -scale * turn[0] / turn[1], to);
}

void perp_slip_of_group(const PerpStage *stage, int group, const double *v, double slip[2])
{
    const PerpProblem *p = &stage->rows.problem;
    int row = first_direction(p) + p->group_start[group];
    double turn[2];
    slip[0] = perp_stage_row_speed(stage, row, v);
    slip[1] = 0;
    if (perp_slip_tangents(p, group) == 1)
        return;
    perp_friction_direction(1, p->group_start[group + 1] - p->group_start[group], turn);
    slip[1] = (perp_stage_row_speed(stage, row + 1, v) - turn[0] * slip[0]) / turn[1];
}

// --- rows ---------------------------------------------------------------------------------------

static bool take_rows(PerpSimulation *sim, const PerpMode *mode, PerpModeRows *rows)
{
    const PerpProblem *p = &rows->stage.rows.problem;
    int most = p->n_joints + p->n_boxes + (1 + 2 * PERP_SLIP_MODES) * mode->n_held;
    rows->G = PERP_TAKE(&sim->arena, double, sim->n_v *most);
    rows->W = PERP_TAKE(&sim->arena, double, sim->n_v *most);
    rows->d = PERP_TAKE(&sim->arena, double, most);
    rows->error = PERP_TAKE(&sim->arena, double, most);
    rows->box_force = PERP_TAKE(&sim->arena, double, sim->n_v);
    rows->slip_speed = PERP_TAKE(&sim->arena, double, mode->n_held);
    rows->normal = PERP_TAKE(&sim->arena, int, mode->n_held);
    return rows->G && rows->W && rows->d && rows->error && rows->box_force && rows->slip_speed &&
           rows->normal;
}

// Opens a row and returns its gradient, which is 0.
static double *begin_row(PerpSimulation *sim, PerpModeRows *rows, double error, double d)
{
    rows->error[rows->n] = error;
    rows->d[rows->n] = d;
    return rows->G + sim->n_v * rows->n++;
}

// Forces act along the row that begins the list's last, or along what friction makes of it.
static double *force_of_last(PerpSimulation *sim, PerpModeRows *rows)
{
    double *W = rows->W + sim->n_v * (rows->n - 1);
    memcpy(W, rows->G + sim->n_v * (rows->n - 1), (size_t)sim->n_v * sizeof(double));
    return W;
}

static void add_joints(PerpSimulation *sim, PerpModeRows *rows)
{
    for (int i = 0; i < rows->stage.rows.problem.n_joints; i++) {
        add_row(&rows->stage, i, 1, begin_row(sim, rows, rows->stage.rows.theta[i], 0));
        force_of_last(sim, rows);
    }
}

// at its bound a box is a given force, against the velocity that it would like to stop
static void add_bound(const PerpStage *stage, int box, PerpBoxState state, const double *v,
                      PerpModeRows *rows)
{
    const PerpProblem *p = &stage->rows.problem;
    int row = p->n_joints + box;
    double force = state == PERP_BOX_AT_LOWER ? p->lo[box] : p->hi[box];
    double speed = perp_stage_row_speed(stage, row, v);
    add_row(stage, row, force, rows->box_force);
    if (p->d[row] != 0)
        rows->box_power += force * speed;
    else
        rows->box_loss -= force * speed;
    rows->least_slip = fmin(rows->least_slip, -(double)state * (speed + p->d[row]));
}

static void add_boxes(PerpSimulation *sim, const PerpMode *mode, const double *v,
                      PerpModeRows *rows)
{
    const PerpProblem *p = &rows->stage.rows.problem;
    for (int i = 0; i < p->n_boxes; i++) {
        if (mode->box[i] != PERP_BOX_HELD) {
            add_bound(&rows->stage, i, mode->box[i], v, rows);
            continue;
        }
        int row = p->n_joints + i;
        add_row(&rows->stage, row, 1, begin_row(sim, rows, 0, p->d[row]));
        force_of_last(sim, rows);
    }
}

void perp_slip_direction(const PerpStage *stage, int group, const PerpSlipMode *slip_mode,
                         const double *v, double slip[2], double u[2])
{
    perp_slip_of_group(stage, group, v, slip);
    double speed = hypot(slip[0], slip[1]);
    double along = slip[0] * slip_mode->u[0] + slip[1] * slip_mode->u[1];
    bool turned = !(along > 0.5 * speed);
    u[0] = turned ? slip_mode->u[0] : slip[0] / speed;
    u[1] = turned ? slip_mode->u[1] : slip[1] / speed;
}

// W_n = n - mu (u_0 T_0 + u_1 T_1): friction as large as it may be, against the slip
static void add_slip(const PerpModeRows *rows, int group, const PerpSlipMode *slip_mode,
                     const double *v, double *W, double *loss, double *least)
{
    const PerpProblem *p = &rows->stage.rows.problem;
    double slip[2], u[2];
    perp_slip_direction(&rows->stage, group, slip_mode, v, slip, u);
    for (int k = 0; k < perp_slip_tangents(p, group); k++)
        perp_slip_add_tangent(&rows->stage, group, k, -p->mu[group] * u[k], W);
    *loss += p->mu[group] * (slip[0] * u[0] + slip[1] * u[1]);
    *least = fmin(*least, slip[0] * slip_mode->u[0] + slip[1] * slip_mode->u[1]);
}

static void add_held(PerpSimulation *sim, const PerpActiveContact *held, int contact,
                     const double *v, double *slip_speed, PerpModeRows *rows)
{
    const PerpStage *stage = &rows->stage;
    const PerpProblem *p = &stage->rows.problem;
    const PerpUnilateral *u = &stage->rows.unilateral[contact];
    double *n = begin_row(sim, rows, u->kind == PERP_UNILATERAL_RATE ? 0 : u->gap, 0);
    add_row(stage, perp_stage_contact_row(stage, contact), 1, n);
    double *W = force_of_last(sim, rows);
    int slip_mode = 0;
    for (int g = 0; g < p->n_groups && slip_mode < PERP_SLIP_MODES; g++) {
        if (p->group_contact[g] != contact)
            continue;
        const PerpSlipMode *of = &held->slip_mode[slip_mode++];
        if (of->slips)
            add_slip(rows, g, of, v, W, slip_speed, &rows->least_slip);
        for (int k = 0; k < perp_slip_tangents(p, g) && !of->slips; k++) {
            perp_slip_add_tangent(stage, g, k, 1, begin_row(sim, rows, 0, 0));
            force_of_last(sim, rows);
        }
    }
}

int perp_stage_find(const PerpStage *stage, uint64_t id)
{
    for (int i = 0; i < stage->rows.problem.n_contacts; i++)
        if (stage->rows.unilateral[i].id == id)
            return i;
    return -1;
}

PerpStatus perp_mode_rows(PerpSimulation *sim, const PerpMode *mode, const double *q,
                          const double *v, double reach, PerpModeRows *rows, PerpError *error)
{
    *rows = (PerpModeRows){.least_slip = INFINITY};
    PerpStatus status = perp_stage_assemble(sim, q, reach, 1, &rows->stage, error);
    if (status)
        return status;
    rows->stage.h = 0; // accelerations, not impulses: nothing is cached, no work is counted
    if (!take_rows(sim, mode, rows))
        return perp_fail_memory(error);
    add_joints(sim, rows);
    add_boxes(sim, mode, v, rows);
    for (int i = 0; i < mode->n_held && !rows->lost; i++) {
        int contact = perp_stage_find(&rows->stage, mode->held[i].id);
        rows->lost = contact < 0;
        rows->normal[i] = rows->n;
        if (!rows->lost)
            add_held(sim, &mode->held[i], contact, v, &rows->slip_speed[i], rows);
    }
    return PERP_OK;
}

double perp_mode_jump(const PerpSimulation *sim, const PerpMode *mode, const PerpModeRows *rows,
                      const double *v)
{
    double largest = 0;
    for (int k = 0; k < mode->n_held && !rows->lost; k++)
        largest = fmax(largest, fabs(perp_dot(sim->n_v, rows->G + sim->n_v * rows->normal[k], v)));
    return largest - JUMPED * (1 + perp_max_abs(sim->n_v, v));
}

// A force in the tangents of a group as components along its first two directions.
static void put_friction(const PerpProblem *p, int group, const double force[2], double *c)
{
    int row = first_direction(p) + p->group_start[group];
    double turn[2] = {0, 1};
    if (perp_slip_tangents(p, group) == 2) {
        perp_friction_direction(1, p->group_start[group + 1] - p->group_start[group], turn);
        c[row + 1] = force[1] / turn[1];
    }
    c[row] = force[0] - turn[0] * force[1] / turn[1];
}

void perp_mode_put_forces(const PerpModeRows *rows, const PerpMode *mode, int k, const double *v,
                          const double *lambda, double h, double *c)
{
    const PerpProblem *p = &rows->stage.rows.problem;
    int contact = perp_stage_find(&rows->stage, mode->held[k].id), slip_mode = 0;
    const double *of_row = lambda + rows->normal[k];
    double normal = *of_row++;
    c[perp_stage_contact_row(&rows->stage, contact)] = h * normal;
    for (int g = 0; g < p->n_groups && slip_mode < mode->held[k].n_slip_modes; g++) {
        double slip[2], u[2], force[2] = {0, 0};
        if (p->group_contact[g] != contact)
            continue;
        const PerpSlipMode *of = &mode->held[k].slip_mode[slip_mode++];
        perp_slip_direction(&rows->stage, g, of, v, slip, u);
        for (int i = 0; i < perp_slip_tangents(p, g); i++)
            force[i] = h * (of->slips ? -p->mu[g] * normal * u[i] : *of_row++);
        put_friction(p, g, force, c);
    }
}

// --- their derivatives along the motion ---------------------------------------------------------

// speed = G(q (+) distance u)'v; false in `there` if a held constraint is not there
static PerpStatus speeds_at(PerpSimulation *sim, const PerpMode *mode, const double *q,
                            const double *v, double tau, bool *there, double *speed,
                            PerpError *error)
{
    PerpModeRows rows;
    PerpArenaMark mark = perp_arena_mark(&sim->arena);
    double *moved = PERP_TAKE(&sim->arena, double, sim->n_q);
    if (!moved)
        return perp_fail_memory(error);
    sim->system->advance(sim, q, v, tau, moved);
    PerpStatus status = perp_mode_rows(sim, mode, moved, v, PERP_HELD_REACH, &rows, error);
    if (!status) {
        *there = !rows.lost;
        for (int i = 0; i < rows.n && *there; i++)
            speed[i] = perp_dot(sim->n_v, rows.G + sim->n_v * i, v);
    }
    perp_arena_release(&sim->arena, mark);
    return status;
}

// Weights of a row's speeds at -2, -1, 0, 1, 2: of fourth order, or of second to one side only
// where the other side has other rows or the gradient jumps, such as at the edge of a table. A jump
// shows as a second difference that is large on its side alone: of the two stencils the smoother
// one is that of q, as in ENO schemes [Harten, Engquist, Osher, Chakravarthy 1987].
static const double *weights(const bool there[5], const double s[5], double fastest)
{
    static const double central[5] = {1. / 12, -8. / 12, 0, 8. / 12, -1. / 12};
    static const double left[5] = {1. / 2, -2, 3. / 2, 0, 0},
                        right[5] = {0, 0, -3. / 2, 2, -1. / 2};
    static const double none[5] = {0};
    bool before = there[0] && there[1], after = there[3] && there[4];
    if (!before || !after)
        return before ? left : after ? right : none;
    double bend_left = fabs(s[0] - 2 * s[1] + s[2]), bend_right = fabs(s[2] - 2 * s[3] + s[4]);
    double less = fmin(bend_left, bend_right), more = fmax(bend_left, bend_right);
    if (more <= JUMP * fastest || more <= ONE_SIDED * less)
        return central;
    return bend_left < bend_right ? left : right;
}

static double slope_of_row(const bool there[5], const double *speed, int n, int row, double fastest,
                           double tau)
{
    double s[5], slope = 0;
    for (int k = 0; k < 5; k++)
        s[k] = speed[row + n * k];
    const double *weight = weights(there, s, fastest);
    for (int k = 0; k < 5; k++)
        slope += weight[k] / tau * s[k];
    return slope;
}

PerpStatus perp_mode_slopes(PerpSimulation *sim, const PerpMode *mode, const double *q,
                            const double *v, const PerpModeRows *rows, double *slope,
                            PerpError *error)
{
    double fastest = perp_max_abs(sim->n_v, v), tau = fastest > 0 ? SPACING / fastest : 0;
    bool there[5] = {0};
    memset(slope, 0, (size_t)rows->n * sizeof(double));
    if (rows->n == 0 || !(fastest > 0) || isinf(tau))
        return PERP_OK;
    double *speed = PERP_TAKE(&sim->arena, double, 5 * rows->n);
    if (!speed)
        return perp_fail_memory(error);
    for (int i = 0; i < rows->n; i++)
        speed[i + rows->n * 2] = perp_dot(sim->n_v, rows->G + sim->n_v * i, v);
    for (int k = 0; k < 5; k++) {
        PerpStatus status = k == 2 ? PERP_OK
                                   : speeds_at(sim, mode, q, v, (k - 2) * tau, &there[k],
                                               speed + rows->n * k, error);
        if (status)
            return status;
    }
    for (int i = 0; i < rows->n; i++)
        slope[i] = slope_of_row(there, speed, rows->n, i, fastest, tau);
    return PERP_OK;
}
