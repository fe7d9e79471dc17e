// With velocities eliminated, the impulses of joints obey
//
//     G c = -(J v_f + d),   G = J Mt^-1 J',   Mt v_f = b                      [AP97 (A.2)-(A.3)]
//
// Its blocks are cells of up to three rows; two of them meet in G if they share a body. A chain is
// block-tridiagonal, a tree has hardly any fill: O(n). Refined by the velocities that the impulses
// cause,
//
//     v = Mt^-1 (b + J'c),   G dc = -(J v + d),
//
// and then certified like any answer.

#include "lcp/joints_solve.h"

#include "base/compiler.h"
#include "lcp/round_graph.h"
#include "lcp/solver.h"
#include "math/block_lu.h"
#include "math/block_sparse.h"
#include "math/dense.h"

#include <math.h>
#include <string.h>

enum { CELL = 3, PAD = 4, BODY = 6, ENTRY = BODY * PAD };
enum { MOST_AT_BODY = 24 }; // rows: more make G dense
enum { FEW = 8 };           // cells, whose order of elimination is found anew each time
enum { PASSES = 2, MOST_PASSES = 4 };
static const double SAFE = 1e-3;      // of the tolerance, and speeds are right without a certificate
static const double LEFT_OVER = 1e-6; // of d: less than what is left since rows turn
static const double SLOW = 0.2;       // of the error is left by a correction: too much
static const double DEPENDENT = 1e10; // G_rr by what elimination leaves of it: too close to others

typedef struct PerpJoints Joints;
struct PerpJoints {
    const PerpProblem *p;
    int n_rows, n_cells, n_entries;
    const double *Mt; // the problem's: only to tell whether another has the same
    int *cell_of;     // rows
    int *lane_of;     // rows: within the cell
    int *entry_start; // n_cells + 1
    int *entry_body;  // one for each body of a cell
    double *J, *K;    // ENTRY each: J_e and J_e Mt^-T, six columns of three rows, PAD apart
    double *inverse;  // Mt^-1, blocks like those of Mt, or their diagonals
    int *block;       // n_bodies: where they begin
    bool *diagonal;   // n_bodies: nothing off it
    int *at_body;     // entries, body after body
    const PerpRoundGraph *graph; // of bodies that join cells
    PerpBlockLu lu;              // -G
    double *u;                   // n_cells * PAD
    double *v, *momentum, *c;    // velocities, velocities, rows
};

bool perp_joints_alone(const PerpProblem *p)
{
    if (p->n_joints == 0 || p->n_boxes + p->n_contacts > 0)
        return false;
    for (int k = 0; k < p->n_bodies; k++)
        if (p->body_start[k + 1] - p->body_start[k] > BODY)
            return false;
    return true;
}

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
            values += p->body_start[joints->entry_body[e] + 1] - p->body_start[joints->entry_body[e]];
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

// v = Mt^-1 (b + J'c)
PERP_VECTOR_KERNEL static void find_velocities(const Joints *joints)
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

// The same; returns the largest.
static double find_speeds(const Joints *joints)
{
    fill_speeds(joints);
    return perp_max_abs(PAD * joints->n_cells, joints->u);
}

// c += dc, G dc = -u
static void add_impulses(Joints *joints)
{
    const int *place = joints->graph->pattern.place;
    perp_block_lu_solve_ordered(&joints->lu, joints->u);
    for (int r = 0; r < joints->p->n_joints; r++)
        joints->c[r] += joints->u[PAD * place[joints->cell_of[r]] + joints->lane_of[r]];
    find_velocities(joints);
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

// What the next problem may ask for again.
static Joints *begin(PerpSolver *solver, const PerpProblem *p)
{
    Joints *joints = PERP_TAKE(&solver->arena, Joints, 1);
    if (!joints)
        return NULL;
    *joints = (Joints){.p = p, .n_rows = p->n_joints, .Mt = p->Mt};
    return prepare(&solver->arena, &solver->graphs, joints) ? joints : NULL;
}

bool perp_joints_solve(PerpSolver *solver, const PerpProblem *p,
                       const PerpProblemSettings *settings, PerpProblemResult *result)
{
    PerpContext scratch = perp_arena_context(&solver->arena);
    Joints *joints = begin(solver, p);
    if (!joints)
        return false;
    *result = (PerpProblemResult){.outcome = PERP_LCP_SOLVED,
                                  .rung = PERP_RUNG_NEWTON,
                                  .joint_rank = p->n_joints,
                                  .factorisations = 1,
                                  .v = joints->v,
                                  .c = joints->c,
                                  .lambda = joints->momentum}; // there is none
    find_velocities(joints);
    double first = find_speeds(joints);
    for (int pass = 1; pass <= MOST_PASSES; pass++) {
        add_impulses(joints);
        result->iterations = pass;
        bool last = find_speeds(joints) <= SAFE * settings->tolerance * first;
        if (pass < PASSES && !last)
            continue;
        if (perp_certify(&scratch, p, joints->v, joints->c, NULL, &result->certificate, NULL))
            return false;
        if (result->certificate.worst <= settings->tolerance) {
            solver->joints = joints;
            return true;
        }
    }
    return false;
}

static double larger(double a, double b)
{
    return a > b || isnan(a) ? a : b;
}

// --- correction ---------------------------------------------------------------------------------

// Are the factors those of the same rows and masses, at another configuration?
static bool fits(const Joints *joints, const PerpProblem *p)
{
    if (joints->Mt != p->Mt || joints->n_rows != p->n_joints)
        return false;
    for (int r = 0; r < p->n_joints; r++) {
        int first = joints->entry_start[joints->cell_of[r]];
        int n = joints->entry_start[joints->cell_of[r] + 1] - first;
        if (p->row_start[r + 1] - p->row_start[r] != n ||
            memcmp(joints->entry_body + first, p->entry_body + p->row_start[r],
                   (size_t)n * sizeof(int)) != 0)
            return false;
    }
    return true;
}

// u = J v + d with J and d of p, in the order of elimination; returns the largest of them. Not
// moved: v = 0
static double find_errors(const Joints *joints, const PerpProblem *p, bool moved)
{
    const int *place = joints->graph->pattern.place;
    const double *J = p->J;
    double most = 0;
    for (int r = 0; r < p->n_joints; r++) {
        double sum = p->d[r];
        for (int e = p->row_start[r]; e < p->row_start[r + 1] && moved; e++) {
            int first = p->body_start[p->entry_body[e]];
            int n = p->body_start[p->entry_body[e] + 1] - first;
            for (int i = 0; i < n; i++)
                sum += J[i] * joints->v[first + i];
            J += n;
        }
        joints->u[PAD * place[joints->cell_of[r]] + joints->lane_of[r]] = sum;
        most = larger(most, fabs(sum));
    }
    return most;
}

// v -= Mt^-1 J' G^-1 (J_p v + d), from 0: J and G of the factors need only be near those of p
static bool correct(Joints *joints, const PerpProblem *p, double enough)
{
    double left = 0;
    joints->p = p;
    memset(joints->v, 0, (size_t)perp_problem_velocities(p) * sizeof(double));
    memset(joints->c, 0, (size_t)p->n_joints * sizeof(double));
    memset(joints->u, 0, (size_t)(PAD * joints->n_cells) * sizeof(double));
    for (int pass = 0; pass <= MOST_PASSES; pass++) {
        double before = left;
        left = find_errors(joints, p, pass > 0);
        if (pass == 0)
            enough = fmax(enough, LEFT_OVER * left);
        else if (left <= enough)
            return true;
        if (!isfinite(left) || (pass > 0 && left > SLOW * before))
            return false;
        add_impulses(joints);
    }
    return false;
}

const double *perp_joints_correct(PerpSolver *solver, const PerpProblem *p, double enough)
{
    Joints *joints = solver->joints;
    if (joints && fits(joints, p) && correct(joints, p, enough))
        return joints->v;
    perp_solver_rewind(solver);
    joints = begin(solver, p);
    if (!joints || !correct(joints, p, enough))
        return NULL;
    solver->joints = joints;
    return joints->v;
}
