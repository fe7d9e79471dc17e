#include "lcp/joints_factor.h"

#include "base/compiler.h"
#include "math/block_sparse.h"
#include "math/dense.h"

#include <math.h>
#include <string.h>

typedef PerpJoints Joints;

enum { CELL = 3, PAD = PERP_JOINTS_PAD, BODY = PERP_JOINTS_BODY, ENTRY = BODY * PAD };
enum { MOST_AT_BODY = 24 };           // rows: more make G dense
enum { FEW = 8 };                     // cells, whose order of elimination is found anew each time
static const double DEPENDENT = 1e10; // G_rr by what elimination leaves of it: too close to others

// --- cells --------------------------------------------------------------------------------------

static bool joins_same(const PerpProblem *p, int one, int other)
{
    int n = p->row_start[one + 1] - p->row_start[one];
    return n == p->row_start[other + 1] - p->row_start[other] &&
           memcmp(p->entry_body + p->row_start[one], p->entry_body + p->row_start[other],
                  (size_t)n * sizeof(int)) == 0;
}

// Rows in a row with the same bodies share a cell.
static void list_cells(Joints *joints)
{
    const PerpProblem *p = joints->p;
    for (int r = 0, lane = 0; r < p->n_joints; r++) {
        lane = r > 0 && lane + 1 < CELL && joins_same(p, r - 1, r) ? lane + 1 : 0;
        if (lane == 0) {
            int n = p->row_start[r + 1] - p->row_start[r];
            memcpy(joints->entry_body + joints->n_entries, p->entry_body + p->row_start[r],
                   (size_t)n * sizeof(int));
            joints->n_entries += n;
            joints->entry_start[++joints->n_cells] = joints->n_entries;
        }
        joints->cell_of[r] = joints->n_cells - 1;
        joints->lane_of[r] = lane;
    }
}

// J of the entries of a cell whose rows begin at J[0 .. rows - 1], zeros where there is none
static void fill_cell(const Joints *joints, int cell, int rows, const double *J[CELL])
{
    const int *body_start = joints->p->body_start;
    for (int e = joints->entry_start[cell]; e < joints->entry_start[cell + 1]; e++) {
        int body = joints->entry_body[e], n = body_start[body + 1] - body_start[body];
        double *to = joints->J + ENTRY * e;
        for (int i = 0; i < BODY; i++)
            for (int k = 0; k < PAD; k++)
                *to++ = k < rows && i < n ? J[k][i] : 0;
        for (int k = 0; k < rows; k++)
            J[k] += n;
    }
}

static void fill_J(Joints *joints)
{
    const PerpProblem *p = joints->p;
    const double *J = p->J, *row[CELL];
    for (int r = 0, cell = 0; cell < joints->n_cells; cell++) {
        int rows = 0, values = 0;
        for (int e = joints->entry_start[cell]; e < joints->entry_start[cell + 1]; e++)
            values +=
                p->body_start[joints->entry_body[e] + 1] - p->body_start[joints->entry_body[e]];
        for (; r < p->n_joints && joints->cell_of[r] == cell; r++, J += values)
            row[rows++] = J;
        fill_cell(joints, cell, rows, row);
    }
}

static bool invert_masses(Joints *joints)
{
    const PerpProblem *p = joints->p;
    int at = 0;
    for (int k = 0; k < p->n_bodies; k++) {
        int n = p->body_start[k + 1] - p->body_start[k];
        double *inverse = joints->inverse + at;
        joints->block[k] = at;
        joints->diagonal[k] = perp_block_is_diagonal(n, p->Mt + at);
        for (int i = 0; i < n && joints->diagonal[k]; i++)
            inverse[i] = 1 / p->Mt[at + (n + 1) * i];
        if (!joints->diagonal[k]) {
            memcpy(inverse, p->Mt + at, (size_t)(n * n) * sizeof(double));
            if (!perp_block_invert(n, inverse))
                return false;
        }
        at += n * n;
    }
    return true;
}

PERP_KERNEL_PART void add_scaled(double factor, const double *restrict x, double *restrict y)
{
    for (int k = 0; k < PAD; k++)
        y[k] += factor * x[k];
}

// K_e' = Mt^-1 J_e'
PERP_VECTOR_KERNEL static void fill_K(Joints *joints)
{
    const PerpProblem *p = joints->p;
    for (int e = 0; e < joints->n_entries; e++) {
        int body = joints->entry_body[e], n = p->body_start[body + 1] - p->body_start[body];
        const double *inverse = joints->inverse + joints->block[body], *J = joints->J + ENTRY * e;
        double *K = joints->K + ENTRY * e;
        memset(K, 0, ENTRY * sizeof(double));
        if (joints->diagonal[body])
            for (int i = 0; i < n; i++)
                add_scaled(inverse[i], J + PAD * i, K + PAD * i);
        else
            for (int i = 0; i < n * n; i++)
                add_scaled(inverse[i], J + PAD * (i / n), K + PAD * (i % n));
    }
}

// --- G ------------------------------------------------------------------------------------------

// The graph the other way round: bodies join the cells that they have. False if a body has too
// many of them, or if memory is short.
static bool find_graph(PerpArena *arena, PerpRoundGraphs *kept, Joints *joints)
{
    int n_bodies = joints->p->n_bodies;
    int *start = PERP_TAKE(arena, int, n_bodies + 2),
        *cell = PERP_TAKE(arena, int, joints->n_entries);
    joints->at_body = PERP_TAKE(arena, int, joints->n_entries);
    if (!start || !cell || !joints->at_body)
        return false;
    for (int e = 0; e < joints->n_entries; e++)
        if (start[joints->entry_body[e] + 2]++ >= MOST_AT_BODY)
            return false;
    for (int k = 2; k <= n_bodies; k++)
        start[k] += start[k - 1];
    for (int c = 0; c < joints->n_cells; c++)
        for (int e = joints->entry_start[c]; e < joints->entry_start[c + 1]; e++) {
            int at = start[joints->entry_body[e] + 1]++;
            joints->at_body[at] = e;
            cell[at] = c;
        }
    PerpRoundGraph asked = {
        .n_bodies = joints->n_cells, .n_cells = n_bodies, .entry_start = start, .entry_body = cell};
    if (joints->n_cells <= FEW) {
        PerpRoundGraph *graph = PERP_TAKE(arena, PerpRoundGraph, 1);
        if (!graph)
            return false;
        *graph = asked;
        joints->graph = perp_round_graph_find(arena, graph) ? graph : NULL;
    } else
        joints->graph = perp_round_graphs_get(kept, &asked);
    return joints->graph && perp_block_lu_take(arena, &joints->graph->pattern, CELL, &joints->lu);
}

// -G, and -1 for rows that a cell does not have
static void fill_G(Joints *joints)
{
    const PerpRoundGraph *graph = joints->graph;
    PerpBlockLu *lu = &joints->lu;
    size_t size = CELL * PAD;
    perp_block_lu_clear(lu);
    for (int b = 0; b < graph->couple_start[graph->n_cells]; b++) {
        const PerpRoundCouple *couple = &graph->couple[b];
        int row = joints->at_body[couple->row], column = joints->at_body[couple->column];
        PerpBlockUpdate update = {.n = BODY,
                                  .pivots = 1,
                                  .column = &(int){0},
                                  .L_pivot = joints->J + ENTRY * column,
                                  .U_pivot = joints->K + ENTRY * column};
        lu->kernels->subtract_row(&update, joints->J + ENTRY * row, joints->K + ENTRY * row,
                                  lu->lower + size * couple->block,
                                  lu->upper + size * couple->block);
    }
    for (int c = 0; c < joints->n_cells; c++)
        for (int k = 0; k < CELL; k++) {
            double *diagonal = lu->lower + size * graph->diagonal[c] + (PAD + 1) * k;
            if (*diagonal == 0)
                *diagonal = -1;
        }
}

// Factorises; false if a row is nearly a sum of others. u serves for G's diagonal.
static bool factor(Joints *joints)
{
    const double *D = joints->lu.lower;
    const size_t *diagonal = joints->graph->diagonal;
    for (int i = 0; i < PAD * joints->n_cells; i++)
        joints->u[i] =
            i % PAD < CELL ? D[CELL * PAD * diagonal[i / PAD] + (PAD + 1) * (i % PAD)] : 0;
    if (!perp_block_lu_factor(&joints->lu))
        return false;
    for (int i = 0; i < PAD * joints->n_cells; i++)
        if (i % PAD < CELL &&
            !(D[CELL * PAD * diagonal[i / PAD] + (PAD + 1) * (i % PAD)] * joints->u[i] <=
              DEPENDENT))
            return false;
    return true;
}

// --- solution -----------------------------------------------------------------------------------

PERP_VECTOR_KERNEL void perp_joints_find_velocities(const Joints *joints)
{
    const PerpProblem *p = joints->p;
    double *momentum = joints->momentum;
    memcpy(momentum, p->b, (size_t)perp_problem_velocities(p) * sizeof(double));
    for (int r = 0, cell = 0; cell < joints->n_cells; cell++) {
        double c[CELL] = {0};
        for (int k = 0; r < p->n_joints && joints->cell_of[r] == cell; k++)
            c[k] = joints->c[r++];
        for (int e = joints->entry_start[cell]; e < joints->entry_start[cell + 1]; e++) {
            const double *J = joints->J + ENTRY * e;
            int first = p->body_start[joints->entry_body[e]];
            int n = p->body_start[joints->entry_body[e] + 1] - first;
            for (int i = 0; i < n; i++, J += PAD)
                momentum[first + i] += J[0] * c[0] + J[1] * c[1] + J[2] * c[2];
        }
    }
    for (int k = 0; k < p->n_bodies; k++) {
        int first = p->body_start[k], n = p->body_start[k + 1] - first;
        const double *inverse = joints->inverse + joints->block[k];
        for (int i = 0; i < n && joints->diagonal[k]; i++)
            joints->v[first + i] = inverse[i] * momentum[first + i];
        if (!joints->diagonal[k])
            perp_block_times(n, inverse, momentum + first, joints->v + first);
    }
}

// u = J v + d, in the order of elimination
PERP_VECTOR_KERNEL static void fill_speeds(const Joints *joints)
{
    const PerpProblem *p = joints->p;
    const int *place = joints->graph->pattern.place;
    for (int r = 0, cell = 0; cell < joints->n_cells; cell++) {
        double *u = joints->u + PAD * place[cell], sum[PAD] = {0};
        for (int k = 0; r < p->n_joints && joints->cell_of[r] == cell; k++)
            sum[k] = p->d[r++];
        for (int e = joints->entry_start[cell]; e < joints->entry_start[cell + 1]; e++) {
            const double *J = joints->J + ENTRY * e;
            int first = p->body_start[joints->entry_body[e]];
            int n = p->body_start[joints->entry_body[e] + 1] - first;
            for (int i = 0; i < n; i++, J += PAD)
                for (int k = 0; k < PAD; k++)
                    sum[k] += J[k] * joints->v[first + i];
        }
        memcpy(u, sum, sizeof sum);
    }
}

double perp_joints_find_speeds(const Joints *joints)
{
    fill_speeds(joints);
    return perp_max_abs(PAD * joints->n_cells, joints->u);
}

void perp_joints_add_impulses(Joints *joints)
{
    const int *place = joints->graph->pattern.place;
    perp_block_lu_solve_ordered(&joints->lu, joints->u);
    for (int r = 0; r < joints->p->n_joints; r++)
        joints->c[r] += joints->u[PAD * place[joints->cell_of[r]] + joints->lane_of[r]];
    perp_joints_find_velocities(joints);
}

static bool take(PerpArena *arena, Joints *joints)
{
    const PerpProblem *p = joints->p;
    int rows = p->n_joints, entries = p->row_start[rows], velocities = perp_problem_velocities(p);
    joints->cell_of = perp_arena_take(arena, (size_t)rows, sizeof(int));
    joints->lane_of = perp_arena_take(arena, (size_t)rows, sizeof(int));
    joints->entry_start = PERP_TAKE(arena, int, rows + 1);
    joints->entry_body = perp_arena_take(arena, (size_t)entries, sizeof(int));
    joints->inverse = perp_arena_take(arena, (size_t)(BODY * velocities), sizeof(double));
    joints->block = perp_arena_take(arena, (size_t)p->n_bodies, sizeof(int));
    joints->diagonal = perp_arena_take(arena, (size_t)p->n_bodies, sizeof(bool));
    joints->v = perp_arena_take(arena, (size_t)velocities, sizeof(double));
    joints->momentum = perp_arena_take(arena, (size_t)velocities, sizeof(double));
    joints->c = PERP_TAKE(arena, double, rows);
    if (!joints->cell_of || !joints->lane_of || !joints->entry_start || !joints->entry_body ||
        !joints->inverse || !joints->block || !joints->diagonal || !joints->v ||
        !joints->momentum || !joints->c)
        return false;
    list_cells(joints);
    joints->J = perp_arena_take(arena, (size_t)(ENTRY * joints->n_entries), sizeof(double));
    joints->K = perp_arena_take(arena, (size_t)(ENTRY * joints->n_entries), sizeof(double));
    joints->u = PERP_TAKE(arena, double, PAD * joints->n_cells);
    return joints->J && joints->K && joints->u;
}

static bool prepare(PerpArena *arena, PerpRoundGraphs *graphs, Joints *joints)
{
    if (!take(arena, joints) || !find_graph(arena, graphs, joints) || !invert_masses(joints))
        return false;
    fill_J(joints);
    fill_K(joints);
    fill_G(joints);
    return factor(joints);
}

Joints *perp_joints_factor(PerpSolver *solver, const PerpProblem *p)
{
    Joints *joints = PERP_TAKE(&solver->arena, Joints, 1);
    if (!joints)
        return NULL;
    *joints = (Joints){.p = p, .n_rows = p->n_joints, .Mt = p->Mt};
    return prepare(&solver->arena, &solver->graphs, joints) ? joints : NULL;
}
