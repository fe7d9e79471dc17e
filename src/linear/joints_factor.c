#include "linear/joints_factor.h"

#include "base/lanes.h"
#include "math/sparse/block_sparse.h"

#include <math.h>
#include <string.h>

typedef PerpJoints Joints;

enum { BLOCK = 3, PAD = PERP_JOINTS_PAD, BODY = PERP_JOINTS_BODY, ENTRY = BODY * PAD };
enum { MOST_AT_BODY = 24 };           // rows: more make G dense
static const double DEPENDENT = 1e10; // G_rr by what elimination leaves of it: too close to others
static const double SOFT = 1e-9;      // of G_rr, added to it where rows depend on each other

// --- constraints --------------------------------------------------------------------------------

static bool joins_same(const PerpProblem *p, int one, int other)
{
    int n = p->row_start[one + 1] - p->row_start[one];
    const int *a = p->entry_body + p->row_start[one], *b = p->entry_body + p->row_start[other];
    bool same = n == p->row_start[other + 1] - p->row_start[other];
    for (int e = 0; e < n && same; e++)
        same = a[e] == b[e];
    return same;
}

// Consecutive rows with the same bodies form a constraint.
static void list_constraints(Joints *joints)
{
    const PerpProblem *p = joints->p;
    int constraints = 0, entries = 0;
    for (int r = 0, lane = 0; r < p->n_joints; r++) {
        lane = r > 0 && lane + 1 < BLOCK && joins_same(p, r - 1, r) ? lane + 1 : 0;
        if (lane == 0) {
            for (int e = p->row_start[r]; e < p->row_start[r + 1]; e++)
                joints->entry_body[entries++] = p->entry_body[e];
            joints->entry_start[++constraints] = entries;
        }
        joints->constraint_row[constraints] = r + 1;
    }
    joints->n_constraints = constraints;
    joints->n_entries = entries;
}

// J of an entry by columns, from `rows` rows of n numbers that lie `size` apart; zeros around them
PERP_KERNEL_PART void fill_entry(int rows, int n, int size, const double *J, double *columns)
{
    for (int i = 0; i < BODY; i++)
        for (int k = 0; k < PAD; k++)
            columns[PAD * i + k] = k < rows && i < n ? J[size * k + i] : 0;
}

static void fill_J(Joints *joints)
{
    const PerpProblem *p = joints->p;
    const double *J = p->J;
    for (int constraint = 0; constraint < joints->n_constraints; constraint++) {
        int rows = joints->constraint_row[constraint + 1] - joints->constraint_row[constraint],
            size = 0;
        for (int e = joints->entry_start[constraint]; e < joints->entry_start[constraint + 1]; e++)
            size += perp_joints_size(p, joints->entry_body[e]);
        for (int e = joints->entry_start[constraint]; e < joints->entry_start[constraint + 1];
             e++) {
            int n = perp_joints_size(p, joints->entry_body[e]);
            if (rows == BLOCK && n == BODY) // what the compiler can unroll
                fill_entry(BLOCK, BODY, size, J, joints->J + ENTRY * e);
            else
                fill_entry(rows, n, size, J, joints->J + ENTRY * e);
            J += n;
        }
        J += (rows - 1) * size;
    }
}

static bool invert_masses(Joints *joints)
{
    const PerpProblem *p = joints->p;
    int at = 0;
    for (int k = 0; k < p->n_bodies; k++) {
        int n = perp_joints_size(p, k);
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

PERP_KERNEL_PART void list_rows(const double *columns, double *rows)
{
    for (int k = 0; k < BLOCK; k++)
        for (int i = 0; i < BODY; i++)
            rows[BODY * k + i] = columns[PAD * i + k];
}

// K_e' = Mt^-1 J_e'
PERP_VECTOR_KERNEL static void fill_K(Joints *joints)
{
    const PerpProblem *p = joints->p;
    for (int e = 0; e < joints->n_entries; e++) {
        int body = joints->entry_body[e], n = perp_joints_size(p, body);
        const double *inverse = joints->inverse + joints->block[body];
        const PerpLanes4 *J = (const PerpLanes4 *)(joints->J + ENTRY * e);
        PerpLanes4 *K = (PerpLanes4 *)(joints->K + ENTRY * e);
        for (int i = 0; i < BODY; i++) {
            K[i] = J[i];
            perp_lanes4_scale(&K[i], joints->diagonal[body] && i < n ? inverse[i] : 0);
        }
        for (int i = 0; i < n * n && !joints->diagonal[body]; i++)
            perp_lanes4_add(&K[i % n], &J[i / n], inverse[i]);
    }
    for (int e = 0; e < joints->n_entries; e++)
        list_rows(joints->K + ENTRY * e, joints->rows + BLOCK * BODY * e);
}

// --- G ------------------------------------------------------------------------------------------

// The dual graph: bodies join the constraints that they have. False if a body has
// too many of them, or if memory is short.
static bool find_graph(PerpArena *arena, PerpGraphCache *cache, Joints *joints)
{
    int n_bodies = joints->p->n_bodies;
    int *start = PERP_TAKE(arena, int, n_bodies + 2),
        *constraint = PERP_TAKE(arena, int, joints->n_entries);
    joints->at_body = PERP_TAKE(arena, int, joints->n_entries);
    if (!start || !constraint || !joints->at_body)
        return false;
    for (int e = 0; e < joints->n_entries; e++)
        if (start[joints->entry_body[e] + 2]++ >= MOST_AT_BODY)
            return false;
    for (int k = 2; k <= n_bodies; k++)
        start[k] += start[k - 1];
    for (int c = 0; c < joints->n_constraints; c++)
        for (int e = joints->entry_start[c]; e < joints->entry_start[c + 1]; e++) {
            int at = start[joints->entry_body[e] + 1]++;
            joints->at_body[at] = e;
            constraint[at] = c;
        }
    PerpGraph asked = {.n_bodies = joints->n_constraints,
                       .n_constraints = n_bodies,
                       .entry_start = start,
                       .entry_body = constraint};
    joints->graph = perp_graph_cache_get(cache, &asked);
    return joints->graph && perp_block_lu_take(arena, &joints->graph->pattern, BLOCK, &joints->lu);
}

static double *diagonal_of(const Joints *joints, int constraint)
{
    return joints->lu.lower + BLOCK * PAD * joints->graph->diagonal[constraint];
}

// C -= A B'
PERP_KERNEL_PART void subtract_product(const double *A, const double *B, double *C)
{
    PerpLanes4 *to = (PerpLanes4 *)C, c[BLOCK];
    for (int j = 0; j < BLOCK; j++)
        c[j] = to[j];
    for (int i = 0; i < BODY; i++)
        for (int j = 0; j < BLOCK; j++)
            perp_lanes4_subtract(&c[j], (const PerpLanes4 *)A + i, B[PAD * i + j]);
    for (int j = 0; j < BLOCK; j++)
        to[j] = c[j];
}

// -G, of which diagonal blocks have no upper part
PERP_VECTOR_KERNEL static void subtract_products(const Joints *joints)
{
    const PerpGraph *graph = joints->graph;
    for (int b = 0; b < graph->couple_start[graph->n_constraints]; b++) {
        const PerpGraphCouple *couple = &graph->couple[b];
        int row = joints->at_body[couple->row], column = joints->at_body[couple->column];
        size_t at = BLOCK * PAD * couple->block;
        subtract_product(joints->J + ENTRY * row, joints->K + ENTRY * column,
                         joints->lu.lower + at);
        if (row != column)
            subtract_product(joints->K + ENTRY * row, joints->J + ENTRY * column,
                             joints->lu.upper + at);
    }
}

// -G, and -1 for rows that a constraint does not have
static void fill_G(Joints *joints)
{
    perp_block_lu_clear(&joints->lu);
    subtract_products(joints);
    for (int c = 0; c < joints->n_constraints; c++)
        for (int k = 0; k < BLOCK; k++) {
            double *diagonal = diagonal_of(joints, c) + (PAD + 1) * k;
            if (*diagonal == 0)
                *diagonal = -1;
        }
}

// Factorises; false if a row is nearly a sum of others, by more than `dependent`. u serves for G's
// diagonal.
static bool factor(Joints *joints, double dependent)
{
    for (int c = 0; c < joints->n_constraints; c++)
        for (int k = 0; k < BLOCK; k++)
            joints->u[PAD * c + k] = diagonal_of(joints, c)[(PAD + 1) * k];
    if (!perp_block_lu_factor(&joints->lu))
        return false;
    bool apart = true;
    for (int c = 0; c < joints->n_constraints; c++)
        for (int k = 0; k < BLOCK; k++)
            apart &= diagonal_of(joints, c)[(PAD + 1) * k] * joints->u[PAD * c + k] <= dependent;
    return apart;
}

// The same of G + SOFT diag(G), which is regular: closed loops of hinges have rows that follow from
// others.
static bool factor_softly(Joints *joints)
{
    fill_G(joints);
    for (int c = 0; c < joints->n_constraints; c++)
        for (int k = 0; k < BLOCK; k++)
            diagonal_of(joints, c)[(PAD + 1) * k] *= 1 + SOFT;
    return factor(joints, 2 / SOFT);
}

// --- all together -------------------------------------------------------------------------------

static bool take(PerpArena *arena, Joints *joints)
{
    const PerpProblem *p = joints->p;
    int rows = p->n_joints, entries = p->row_start[rows], velocities = perp_problem_velocities(p);
    joints->constraint_row = PERP_TAKE(arena, int, rows + 1);
    joints->entry_start = PERP_TAKE(arena, int, rows + 1);
    joints->entry_body = perp_arena_take(arena, (size_t)entries, sizeof(int));
    joints->inverse = perp_arena_take(arena, (size_t)(BODY * velocities), sizeof(double));
    joints->block = perp_arena_take(arena, (size_t)p->n_bodies, sizeof(int));
    joints->diagonal = perp_arena_take(arena, (size_t)p->n_bodies, sizeof(bool));
    joints->v = perp_arena_take(arena, (size_t)velocities, sizeof(double));
    joints->c = perp_arena_take(arena, (size_t)rows, sizeof(double));
    if (!joints->constraint_row || !joints->entry_start || !joints->entry_body ||
        !joints->inverse || !joints->block || !joints->diagonal || !joints->v || !joints->c)
        return false;
    list_constraints(joints);
    joints->J = perp_arena_take(arena, (size_t)(ENTRY * joints->n_entries), sizeof(double));
    joints->K = perp_arena_take(arena, (size_t)(ENTRY * joints->n_entries), sizeof(double));
    joints->rows =
        perp_arena_take(arena, (size_t)(BODY * BLOCK * joints->n_entries), sizeof(double));
    joints->u = PERP_TAKE(arena, double, PAD * joints->n_constraints);
    return joints->J && joints->K && joints->rows && joints->u;
}

static bool prepare(PerpArena *arena, PerpGraphCache *graphs, bool softly, Joints *joints)
{
    if (!take(arena, joints) || !find_graph(arena, graphs, joints) || !invert_masses(joints))
        return false;
    fill_J(joints);
    fill_K(joints);
    fill_G(joints);
    return factor(joints, DEPENDENT) || (softly && factor_softly(joints));
}

Joints *perp_joints_factor(PerpArena *arena, PerpGraphCache *graphs, const PerpProblem *p,
                           bool softly)
{
    Joints *joints = PERP_TAKE(arena, Joints, 1);
    if (!joints)
        return NULL;
    *joints = (Joints){.p = p, .n_rows = p->n_joints, .Mt = p->Mt};
    return prepare(arena, graphs, softly, joints) ? joints : NULL;
}
