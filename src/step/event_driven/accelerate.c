// Accelerations while the active set stays as it is  [L82 section 4].

#include "step/event_driven/mode.h"

#include "base/error.h"
#include "math/dense.h"
#include "math/lapack.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double DEPENDENT = 1e-10; // of a row's own G'M^-1 G: what is left of a dependent row
static const double CLOSED_ENOUGH = 1e-14; // m or rad: errors of positions that are left alone
enum { ROUNDS = 6 };

// --- small pieces -------------------------------------------------------------------------------

PerpStatus perp_mode_force(PerpSimulation *sim, double t, const double *q, const double *v,
                           double *f, double *damper, PerpError *error)
{
    PerpLinks links;
    sim->system->force(sim, t, q, v, f);
    PerpStatus status = sim->system->links(sim, q, &links, error);
    for (int i = 0; !status && i < links.count; i++) {
        double speed = perp_block_rows_dot(&links.gradient, i, v);
        double tension = links.stiffness[i] * links.psi[i] + links.damping[i] * speed;
        perp_block_rows_add_row(&links.gradient, i, -tension, f);
        *damper += links.damping[i] * speed * speed;
    }
    return status;
}

// A[i, j] = G_row(i)' X_row(j), rank x rank
static void multiply(int n_v, const PerpMode *mode, const double *G, const double *X, double *A)
{
    for (int j = 0; j < mode->rank; j++)
        for (int i = 0; i < mode->rank; i++)
            A[i + mode->rank * j] = perp_dot(n_v, G + n_v * mode->row[i], X + n_v * mode->row[j]);
}

// X = M^-1 W, then  (G''X') x = r  for the rows of G'; x has 0 for the others
static PerpStatus solve_rows(PerpSimulation *sim, const PerpMode *mode, const PerpModeRows *rows,
                             const double *W, double *X, double *x, PerpError *error)
{
    int rank = mode->rank, n = rows->n, *pivot = PERP_TAKE(&sim->arena, int, rank);
    double *A = PERP_TAKE(&sim->arena, double, rank *rank);
    double *r = PERP_TAKE(&sim->arena, double, rank);
    if (!A || !r || !pivot)
        return perp_fail_memory(error);
    memcpy(X, W, (size_t)(sim->n_v * n) * sizeof(double));
    PerpStatus status = perp_stage_divide(sim, &rows->stage, n, X, error);
    if (status || rank == 0)
        return status;
    multiply(sim->n_v, mode, rows->G, X, A);
    for (int i = 0; i < rank; i++)
        r[i] = x[mode->row[i]];
    if (!perp_lu_factor(rank, A, rank, pivot))
        return perp_fail(error, PERP_NOT_SOLVED,
                         "t = %.9g s: the active constraints and their friction have no unique "
                         "accelerations [Painleve; L82 section 6]; a time-stepping scheme such as "
                         "default may go on",
                         sim->state.t);
    perp_lu_solve(rank, A, rank, pivot, 1, r, rank);
    memset(x, 0, (size_t)n * sizeof(double));
    for (int i = 0; i < rank; i++)
        x[mode->row[i]] = r[i];
    return PERP_OK;
}

// --- accelerations ------------------------------------------------------------------------------

static bool take_motion(PerpSimulation *sim, int n, PerpAcceleration *motion)
{
    motion->a = PERP_TAKE(&sim->arena, double, sim->n_v);
    motion->lambda = PERP_TAKE(&sim->arena, double, n);
    return motion->a && motion->lambda;
}

// What boxes and friction do.
static void add_powers(const PerpMode *mode, const PerpModeRows *rows, const double *v, int n_v,
                       PerpAcceleration *motion)
{
    int joints = rows->stage.rows.problem.n_joints, held = joints, k = 0;
    motion->work += rows->box_power;
    motion->friction += rows->box_loss;
    for (int i = 0; i < mode->n_boxes; i++)
        if (mode->box[i] == PERP_BOX_HELD) { // a motor at its speed
            motion->work += motion->lambda[held] * perp_dot(n_v, rows->G + n_v * held, v);
            held++;
        }
    for (int row = held; row < rows->n && k < mode->n_held; row++)
        if (row == rows->normal[k])
            motion->friction += motion->lambda[row] * rows->slip_speed[k++];
}

// lambda' = -(G''M^-1 W')^-1 (G''M^-1 f + dG'/dt' v),   M a = f + W'lambda'        (4.5), (4.6)
PerpStatus perp_mode_accelerate(PerpSimulation *sim, const PerpMode *mode, double t,
                                const double *q, const double *v, PerpAcceleration *motion,
                                PerpError *error)
{
    PerpModeRows rows;
    int n_v = sim->n_v;
    *motion = (PerpAcceleration){0};
    PerpStatus status = perp_mode_rows(sim, mode, q, v, PERP_HELD_REACH, &rows, error);
    motion->lost = rows.lost;
    if (status || rows.lost)
        return status;
    double *X = PERP_TAKE(&sim->arena, double, n_v *rows.n);
    double *f = PERP_TAKE(&sim->arena, double, n_v);
    if (!take_motion(sim, rows.n, motion) || !X || !f)
        return perp_fail_memory(error);
    status = perp_mode_force(sim, t, q, v, f, &motion->damper, error);
    if (!status)
        status = perp_mode_slopes(sim, mode, q, v, &rows, motion->lambda, error);
    if (status)
        return status;
    perp_axpy(n_v, 1, rows.box_force, f);
    memcpy(motion->a, f, (size_t)n_v * sizeof(double));
    status = perp_stage_divide(sim, &rows.stage, 1, motion->a, error);
    motion->force = sqrt(fmax(perp_dot(n_v, f, motion->a), 0));
    motion->largest = perp_max_abs(n_v, motion->a);
    for (int i = 0; i < rows.n; i++)
        motion->lambda[i] = -motion->lambda[i] - perp_dot(n_v, rows.G + n_v * i, motion->a);
    if (!status)
        status = solve_rows(sim, mode, &rows, rows.W, X, motion->lambda, error);
    for (int i = 0; i < rows.n && !status; i++)
        perp_axpy(n_v, motion->lambda[i], X + n_v * i, motion->a);
    motion->work += sim->system->power(sim, t, q, v);
    add_powers(mode, &rows, v, n_v, motion);
    return status;
}

// --- the independent rows -----------------------------------------------------------------------

typedef struct Ranked {
    int row;
    double push; // larger first
} Ranked;

static int by_push(const void *a, const void *b)
{
    const Ranked *x = a, *y = b;
    if (x->push != y->push)
        return x->push > y->push ? -1 : 1;
    return x->row < y->row ? -1 : 1;
}

// Joints and boxes first, then constraints by their multipliers, each with its tangents after it.
static void rank_rows(const PerpMode *mode, const PerpModeRows *rows, Ranked *order)
{
    int k = -1;
    for (int i = 0; i < rows->n; i++) {
        while (k + 1 < mode->n_held && rows->normal[k + 1] <= i)
            k++;
        order[i] = (Ranked){i, k < 0 ? INFINITY : mode->held[k].push};
    }
    qsort(order, (size_t)rows->n, sizeof *order, by_push);
}

// Cholesky's factorisation of G'M^-1 G in the order given, row by row; a row that leaves nothing
// depends on those before it.
static void keep_independent(int n_v, const PerpModeRows *rows, const double *X,
                             const Ranked *order, double *L, PerpMode *mode)
{
    mode->rank = 0;
    for (int k = 0; k < rows->n; k++) {
        int row = order[k].row, rank = mode->rank;
        double *l = L + rows->n * rank, own = perp_dot(n_v, rows->G + n_v * row, X + n_v * row);
        double left = own;
        for (int i = 0; i < rank; i++) {
            const double *other = L + rows->n * i;
            l[i] = (perp_dot(n_v, rows->G + n_v * row, X + n_v * mode->row[i]) -
                    perp_dot(i, l, other)) /
                   other[i];
            left -= l[i] * l[i];
        }
        if (!(left > DEPENDENT * own))
            continue;
        l[rank] = sqrt(left);
        mode->row[mode->rank++] = row;
    }
}

static PerpStatus choose_rows(PerpSimulation *sim, const PerpModeRows *rows, PerpMode *mode,
                              PerpError *error)
{
    int n = rows->n, n_v = sim->n_v;
    double *X = PERP_TAKE(&sim->arena, double, n_v *n), *L = PERP_TAKE(&sim->arena, double, n *n);
    Ranked *order = PERP_TAKE(&sim->arena, Ranked, n);
    mode->row = PERP_TAKE(&sim->arena, int, n);
    if (!X || !L || !order || !mode->row)
        return perp_fail_memory(error);
    memcpy(X, rows->G, (size_t)(n_v * n) * sizeof(double));
    PerpStatus status = perp_stage_divide(sim, &rows->stage, n, X, error);
    if (status)
        return status;
    rank_rows(mode, rows, order);
    keep_independent(n_v, rows, X, order, L, mode);
    return PERP_OK;
}

PerpStatus perp_mode_choose_rows(PerpSimulation *sim, PerpMode *mode, PerpError *error)
{
    PerpModeRows rows;
    PerpStatus status =
        perp_mode_rows(sim, mode, sim->state.q, sim->state.v, PERP_HELD_REACH, &rows, error);
    return status ? status : choose_rows(sim, &rows, mode, error);
}

// --- back on the constraints --------------------------------------------------------------------

// change = -M^-1 G' (G''M^-1 G')^-1 wrong
static PerpStatus least_change(PerpSimulation *sim, PerpMode *mode, const PerpModeRows *rows,
                               double *wrong, double *change, PerpError *error)
{
    double *X = PERP_TAKE(&sim->arena, double, sim->n_v * rows->n);
    if (!X)
        return perp_fail_memory(error);
    PerpStatus status = solve_rows(sim, mode, rows, rows->G, X, wrong, error);
    memset(change, 0, (size_t)sim->n_v * sizeof(double));
    for (int i = 0; i < rows->n && !status; i++)
        perp_axpy(sim->n_v, -wrong[i], X + sim->n_v * i, change);
    return status;
}

static PerpStatus settle_positions(PerpSimulation *sim, PerpMode *mode, double *change, bool *again,
                                   PerpError *error)
{
    PerpModeRows rows;
    PerpStatus status =
        perp_mode_rows(sim, mode, sim->state.q, sim->state.v, PERP_HELD_REACH, &rows, error);
    *again = !status && !rows.lost && perp_max_abs(rows.n, rows.error) > CLOSED_ENOUGH;
    if (!*again)
        return status;
    status = choose_rows(sim, &rows, mode, error);
    if (!status)
        status = least_change(sim, mode, &rows, rows.error, change, error);
    if (status)
        return status;
    sim->system->advance(sim, sim->state.q, change, 1, sim->scratch.q);
    perp_step_go(sim, sim->scratch.q, sim->state.t);
    return PERP_OK;
}

static PerpStatus settle_velocities(PerpSimulation *sim, PerpMode *mode, double *change,
                                    PerpError *error)
{
    PerpModeRows rows;
    PerpStatus status =
        perp_mode_rows(sim, mode, sim->state.q, sim->state.v, PERP_HELD_REACH, &rows, error);
    if (status || rows.lost || rows.n == 0 || perp_mode_jump(sim, mode, &rows, sim->state.v) > 0)
        return status;
    status = choose_rows(sim, &rows, mode, error);
    for (int i = 0; i < rows.n; i++)
        rows.error[i] = rows.d[i] + perp_dot(sim->n_v, rows.G + sim->n_v * i, sim->state.v);
    if (!status)
        status = least_change(sim, mode, &rows, rows.error, change, error);
    if (!status)
        perp_axpy(sim->n_v, 1, change, sim->state.v);
    return status;
}

PerpStatus perp_mode_project(PerpSimulation *sim, PerpMode *mode, PerpError *error)
{
    double *change = PERP_TAKE(&sim->arena, double, sim->n_v);
    PerpStatus status = change ? PERP_OK : perp_fail_memory(error);
    bool again = true;
    for (int round = 0; round < ROUNDS && again && !status; round++)
        status = settle_positions(sim, mode, change, &again, error);
    return status ? status : settle_velocities(sim, mode, change, error);
}
