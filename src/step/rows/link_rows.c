#include "step/rows/link_rows.h"

#include "base/error.h"
#include "solve/position_correction.h"
#include "step/rows/mobility.h"
#include "step/scheme_tools.h"

#include <math.h>
#include <string.h>

// --- rows ---------------------------------------------------------------------------------------

// v += factor M^-1 g of link i. x: scratch
static void push(const PerpBlockDiagonal *mass, const PerpBlockRows *g, int i, double factor,
                 double *x, double *v)
{
    for (int e = g->row_start[i]; e < g->row_start[i + 1]; e++) {
        int body = g->entry_body[e], first = mass->start[body], n = mass->start[body + 1] - first;
        memcpy(x, g->J + g->value_start[e], (size_t)n * sizeof *x);
        perp_block_diagonal_solve_block(mass, body, x);
        for (int k = 0; k < n; k++)
            v[first + k] += factor * x[k];
    }
}

static PerpImplicitForce force_of(const PerpLinks *links, int i, double u)
{
    return (PerpImplicitForce){.stiffness = links->stiffness[i],
                               .damping = links->damping[i],
                               .inertia = links->inertia ? links->inertia[i] : 0,
                               .value = links->psi[i],
                               .speed = u};
}

static bool take(PerpArena *arena, int most, PerpLinkRows *rows)
{
    rows->link = PERP_TAKE_RAW(arena, int, most);
    rows->row = PERP_TAKE_RAW(arena, PerpImplicitRow, most);
    rows->value = PERP_TAKE_RAW(arena, double, most);
    rows->speed = PERP_TAKE_RAW(arena, double, most);
    rows->turn = PERP_TAKE_RAW(arena, double, most);
    return rows->link && rows->row && rows->value && rows->speed && rows->turn;
}

// One row after the other takes the speed that it would leave by itself.
static void look_ahead(const PerpLinkRows *rows, const PerpBlockDiagonal *mass,
                       const double *mobility, double *x, double *v_free)
{
    for (int i = 0; i < rows->count; i++) {
        const PerpImplicitRow *row = &rows->row[i];
        double y = perp_block_rows_dot(&rows->at.gradient, rows->link[i], v_free) + row->d;
        push(mass, &rows->at.gradient, rows->link[i], -y / (mobility[i] + row->compliance), x,
             v_free);
    }
}

// The row of link i, unless it is nothing to the step.
static void add_row(PerpSimulation *sim, const PerpLinks *start, int i, double h,
                    const PerpBlockDiagonal *mass, double *x, double *mobility, PerpLinkRows *rows)
{
    const PerpBlockRows *g = &rows->at.gradient;
    double u = perp_block_rows_dot(&start->gradient, i, sim->state.v);
    PerpImplicitForce force = force_of(start, i, u);
    int first = g->row_start[i];
    double W = perp_mobility(mass, g->row_start[i + 1] - first, g->entry_body + first,
                             g->J + g->value_start[first], x);
    PerpImplicitRow row = perp_implicit_row(&force, h, W);
    if (!(W > 0) || row.compliance == INFINITY)
        return;
    int at = rows->count++;
    rows->link[at] = i;
    rows->value[at] = start->psi[i];
    rows->speed[at] = u;
    rows->turn[at] = perp_block_rows_dot(g, i, sim->state.v) - u;
    rows->row[at] = row;
    rows->row[at].d += rows->turn[at];
    mobility[at] = W;
}

PerpStatus perp_link_rows_find(PerpSimulation *sim, double h, const double *middle, double *v_free,
                               PerpLinkRows *rows, PerpError *error)
{
    PerpBlockDiagonal mass;
    PerpLinks start;
    *rows = (PerpLinkRows){0};
    if (!sim->has_links)
        return PERP_OK;
    PerpStatus status = sim->system->links(sim, sim->state.q, &start, error);
    if (!status)
        status = h > 0 ? sim->system->links(sim, middle, &rows->at, error) : PERP_OK;
    if (!status)
        status = perp_mobility_at_state(sim, &mass, error);
    if (status)
        return status;
    if (!(h > 0))
        rows->at = start;
    double *mobility = PERP_TAKE_RAW(&sim->arena, double, start.count);
    double *x = PERP_TAKE_RAW(&sim->arena, double, sim->n_v);
    if (!mobility || !x || !take(&sim->arena, start.count, rows))
        return perp_fail_memory(error);
    for (int i = 0; i < start.count && i < rows->at.count; i++)
        add_row(sim, &start, i, h, &mass, x, mobility, rows);
    if (v_free)
        look_ahead(rows, &mass, mobility, x, v_free);
    return PERP_OK;
}

// --- into the problem ---------------------------------------------------------------------------

// Arrays with room for more rows, those before the gap copied, and those behind it.
typedef struct Gap {
    PerpArena *arena;
    int before, all; // elements of the old array
    int more;
    bool failed;
} Gap;

static void *open_gap(Gap *gap, const void *from, size_t size)
{
    char *to = perp_arena_take(gap->arena, (size_t)(gap->all + gap->more), size);
    size_t head = (size_t)gap->before * size, tail = (size_t)(gap->all - gap->before) * size;
    if (!to) {
        gap->failed = true;
        return NULL;
    }
    if (head > 0)
        memcpy(to, from, head);
    if (tail > 0)
        memcpy(to + head + (size_t)gap->more * size, (const char *)from + head, tail);
    return to;
}

static void count_entries(const PerpLinkRows *rows, int *entries, int *values)
{
    const PerpBlockRows *g = &rows->at.gradient;
    *entries = *values = 0;
    for (int i = 0; i < rows->count; i++) {
        int first = g->row_start[rows->link[i]], end = g->row_start[rows->link[i] + 1];
        *entries += end - first;
        *values += g->value_start[end] - g->value_start[first];
    }
}

static bool widen(const PerpLinkRows *rows, int entries, int values, PerpAssembly *a)
{
    int joints = a->problem.n_joints, all = perp_problem_rows(&a->problem);
    PerpArena *arena = a->arena;
    Gap row = {arena, joints, all, rows->count, false};
    Gap starts = {arena, joints + 1, all + 1, rows->count, false};
    Gap equation = {arena, joints, joints, rows->count, false};
    Gap entry = {arena, a->row_start[joints], a->row_start[all], entries, false};
    Gap value = {arena, a->row_values[joints], a->row_values[all], values, false};
    double *none = a->compliance ? a->compliance : PERP_TAKE(arena, double, all);
    if (!none)
        return false;
    a->d = open_gap(&row, a->d, sizeof *a->d);
    a->along = open_gap(&row, a->along, sizeof *a->along);
    a->compliance = open_gap(&row, none, sizeof *a->compliance);
    a->theta = open_gap(&equation, a->theta, sizeof *a->theta);
    a->row_joint = open_gap(&equation, a->row_joint, sizeof *a->row_joint);
    a->row_start = open_gap(&starts, a->row_start, sizeof *a->row_start);
    a->row_values = open_gap(&starts, a->row_values, sizeof *a->row_values);
    a->entry_body = open_gap(&entry, a->entry_body, sizeof *a->entry_body);
    a->J = open_gap(&value, a->J, sizeof *a->J);
    return !row.failed && !starts.failed && !equation.failed && !entry.failed && !value.failed;
}

static void fill(const PerpLinkRows *rows, int entries, int values, PerpAssembly *a)
{
    const PerpBlockRows *g = &rows->at.gradient;
    int first = a->problem.n_joints, all = perp_problem_rows(&a->problem) + rows->count;
    for (int i = 0; i < rows->count; i++) {
        int r = first + i, link = rows->link[i];
        int from = g->row_start[link], count = g->row_start[link + 1] - from;
        int size = g->value_start[from + count] - g->value_start[from];
        a->d[r] = rows->row[i].d;
        a->compliance[r] = rows->row[i].compliance;
        a->along[r] = (PerpVec3){0, 0, 0};
        a->theta[r] = 0;
        a->row_joint[r] = rows->at.joint ? rows->at.joint[link] : -1;
        memcpy(a->entry_body + a->row_start[r], g->entry_body + from, (size_t)count * sizeof(int));
        memcpy(a->J + a->row_values[r], g->J + g->value_start[from], (size_t)size * sizeof(double));
        a->row_start[r + 1] = a->row_start[r] + count;
        a->row_values[r + 1] = a->row_values[r] + size;
    }
    for (int r = first + rows->count + 1; r <= all; r++) {
        a->row_start[r] += entries;
        a->row_values[r] += values;
    }
    a->problem.n_joints += rows->count;
    a->rows += rows->count;
    a->entries += entries;
    a->values += values;
}

bool perp_link_rows_insert(const PerpLinkRows *rows, PerpAssembly *assembly)
{
    int entries, values;
    if (rows->count == 0)
        return true;
    count_entries(rows, &entries, &values);
    if (!widen(rows, entries, values, assembly))
        return false;
    fill(rows, entries, values, assembly);
    perp_assembly_show(assembly);
    return true;
}

// --- stiff springs after the motion -------------------------------------------------------------

static const double ENOUGH = 1e-12; // m or rad
enum { ROUNDS = 4 };

// Springs are moved by the least of  |dq|^2_M + sum (h^2 k + h delta) (psi(q + dq) - aim)^2,  so
// that only motions which they stop within a step are corrected: a taut string may be much softer
// to the side than its springs are.
static double compliance_of(const PerpStage *stage, int link)
{
    const PerpLinks *links = &stage->links->at;
    return 1 / (stage->h * (stage->h * links->stiffness[link] + links->damping[link]));
}

// The stiff ones among the rows, at the state; d: what they are off by, the value of each being
// what of it is left to the spring (the multiplier times the compliance).
static PerpStatus find_stiff(PerpSimulation *sim, const PerpStage *stage, const double *aim,
                             PerpLinkRows *stiff, double *off, PerpError *error)
{
    const PerpLinkRows *rows = stage->links;
    PerpStatus status = sim->system->links(sim, sim->state.q, &stiff->at, error);
    stiff->count = 0;
    *off = 0;
    for (int i = 0; !status && i < rows->count; i++) {
        if (!rows->row[i].is_stiff)
            continue;
        int at = stiff->count++, link = rows->link[i];
        double error_of = stiff->at.psi[link] - aim[i] + stiff->value[at];
        *off = fmax(*off, fabs(error_of));
        stiff->link[at] = link;
        stiff->row[at] = (PerpImplicitRow){.d = error_of, .compliance = compliance_of(stage, link)};
    }
    return status;
}

static PerpStatus correct(PerpSimulation *sim, PerpLinkRows *stiff, bool *moved, PerpError *error)
{
    PerpAssembly here;
    PerpRowChoice choice = {.reach = -INFINITY, .positions = true};
    PerpStatus status = sim->system->assemble(sim, sim->state.q, &choice, &here, error);
    if (status)
        return status;
    memcpy(here.d, here.theta, (size_t)here.problem.n_joints * sizeof(double));
    if (!perp_link_rows_insert(stiff, &here))
        return perp_fail_memory(error);
    const double *dq = perp_correct_compliant(sim->workers.solver, &here.problem, ENOUGH / 10);
    *moved = dq;
    for (int i = 0; dq && i < stiff->count; i++)
        stiff->value[i] -=
            stiff->row[i].d + perp_block_rows_dot(&stiff->at.gradient, stiff->link[i], dq);
    if (dq) {
        sim->system->advance(sim, sim->state.q, dq, 1, sim->scratch.q);
        perp_step_go(sim, sim->scratch.q, sim->state.t);
    }
    return PERP_OK;
}

// psi at the end: psi*, from the impulse, c = -h k psi* - h delta u* - I (u_new - u); of a damped
// one psi + h (u + u_new)/2, where both speeds belong to one smooth motion
static double value_at_end(const PerpStage *stage, int i)
{
    const PerpLinkRows *rows = stage->links;
    int r = stage->rows.problem.n_joints - rows->count + i, link = rows->link[i];
    const double *damper = rows->row[i].damper;
    double u = rows->speed[i], u_new = perp_stage_row_speed(stage, r, stage->v) + rows->turn[i];
    double half = fmax(-fabs(u_new), fmin((u - u_new) / 2, fabs(u_new)));
    if (rows->row[i].is_damped)
        return rows->value[i] + stage->h * (u_new + half);
    double inertia = rows->at.inertia ? rows->at.inertia[link] : 0;
    double other = damper[0] * u + damper[1] * u_new + inertia * (u_new - u);
    return -(stage->c[r] + other) / (stage->h * rows->at.stiffness[link]);
}

static bool has_stiff(const PerpLinkRows *rows)
{
    for (int i = 0; rows && i < rows->count; i++)
        if (rows->row[i].is_stiff)
            return true;
    return false;
}

PerpStatus perp_link_rows_close(PerpSimulation *sim, const PerpStage *stage, PerpError *error)
{
    const PerpLinkRows *rows = stage->links;
    PerpLinkRows stiff;
    bool again = true;
    double off, before = INFINITY;
    if (!has_stiff(rows))
        return PERP_OK;
    double *aim = PERP_TAKE_RAW(&sim->arena, double, rows->count);
    if (!aim || !take(&sim->arena, rows->count, &stiff))
        return perp_fail_memory(error);
    for (int i = 0; i < rows->count; i++)
        aim[i] = rows->row[i].is_stiff ? value_at_end(stage, i) : 0;
    memset(stiff.value, 0, (size_t)rows->count * sizeof(double));
    PerpStatus status = PERP_OK;
    for (int round = 0; round < ROUNDS && again && !status; round++) {
        PerpArenaMark mark = perp_arena_mark(&sim->arena);
        status = find_stiff(sim, stage, aim, &stiff, &off, error);
        again = off > ENOUGH && off < before / 2; // springs may contradict each other
        if (!status && again)
            status = correct(sim, &stiff, &again, error);
        before = off;
        perp_arena_release(&sim->arena, mark);
    }
    return status;
}

// --- the ledger ---------------------------------------------------------------------------------

// The speed in a damper's impulse is what the row says, -(C c + d): a stiff damper leaves less of
// it in v_new than rounding, or than what counts as rest.
double perp_link_rows_damped(const PerpStage *stage)
{
    const PerpLinkRows *rows = stage->links;
    double taken = 0;
    for (int i = 0; rows && i < rows->count; i++) {
        int r = stage->rows.problem.n_joints - rows->count + i;
        double u = perp_stage_row_speed(stage, r, stage->before);
        double u_new = perp_stage_row_speed(stage, r, stage->v);
        const PerpImplicitRow *row = &rows->row[i];
        double end = rows->turn[i] - row->compliance * stage->c[r] - row->d;
        taken += (row->damper[0] * rows->speed[i] + row->damper[1] * end) * (u + u_new);
    }
    return taken / 2;
}
