// Elimination of the joints of a tree, body by body, from the leaves on: the articulated inertias
// of Featherstone, and the factors H of what each joint leaves free. Equations in joint_tree.c.

#include "base/compiler.h"
#include "cones/operator/joint_tree.h"
#include "cones/operator/tree_node.h"

#include <math.h>
#include <string.h>

static const double DEPENDENT = 1e10; // of S_ii (J M^-1 J')_ii: rows that depend on each other

typedef PerpLanes8 Row; // of six numbers

// A row of s numbers, zeros behind it; most have those zeros already.
static inline void copy_wide(int s, int pad, const double *from, double *to)
{
    if (pad == WIDE)
        memcpy(to, from, WIDE * sizeof(double));
    for (int i = 0; i < WIDE && pad < WIDE; i++)
        to[i] = i < s ? from[i] : 0;
}

static bool is_symmetric(int s, const double *M)
{
    int unlike = 0;
    for (int i = 0; i < s; i++)
        for (int j = 0; j < i; j++)
            unlike += M[i + s * j] != M[j + s * i];
    return unlike == 0;
}

// False if it is not symmetric.
static bool fill_mass(const PerpConeProblem *cones, PerpTreeNode *node)
{
    int s = cones->bodies.size;
    const double *M = cones->bodies.mass + s * s * node->body;
    if (!(s == SIX ? is_symmetric(SIX, M) : is_symmetric(s, M)))
        return false;
    for (int i = 0; i < SIX; i++) {
        *(Row *)(node->mass + WIDE * i) = (Row){0};
        if (i < s)
            perp_copy_row(s, M + s * i, node->mass + WIDE * i);
        else
            node->mass[(WIDE + 1) * i] = 1;
    }
    return true;
}

// The rows of the joint between a node and its parent.
static void fill_joint(const PerpConeProblem *cones, const PerpTreeEdge *edge, PerpTreeNode *node)
{
    int s = cones->bodies.size, pad = cones->bodies.pad;
    for (int c = edge->first; c < edge->first + edge->constraints; c++) {
        const PerpConstraint *constraint = &cones->constraint[c];
        int rows = perp_constraint_rows(constraint), at = WIDE * node->rows;
        if (constraint->end - constraint->first < 2) // the world moves nothing
            memset(node->Jp + at, 0, (size_t)(WIDE * rows) * sizeof(double));
        for (int e = constraint->first; e < constraint->end; e++) {
            bool own = cones->bodies.entry_body[e] == node->body;
            double *to = (own ? node->J : node->Jp) + at;
            for (int k = 0; k < rows; k++)
                copy_wide(s, pad, perp_over_bodies_row(cones, e, k), to + WIDE * k);
        }
        for (int k = 0; k < rows; k++)
            node->d[node->rows + k] = constraint->d[k];
        node->rows += rows;
    }
}

// --- blocks -------------------------------------------------------------------------------------

// to: the columns of n rows of six
PERP_KERNEL_PART void turn_over(int n, const double *rows, double *to)
{
    for (int i = 0; i < SIX; i++)
        for (int k = 0; k < WIDE; k++)
            to[WIDE * i + k] = k < n ? rows[WIDE * k + i] : 0;
}

// C = A B of n x m numbers, by columns, and m rows; C may be A's columns
PERP_KERNEL_PART void times(int n, int m, const double *A_columns, const Row *B, Row *C)
{
    for (int i = 0; i < n; i++) {
        Row sum = {0};
        for (int k = 0; k < m; k++)
            perp_lanes8_add(&sum, &B[k], A_columns[WIDE * k + i]);
        C[i] = sum;
    }
}

// Of all but lane k, and of that lane. A lane that is written alone would make the next reading of
// all of them wait.
_Alignas(64) static const double others[SIX][WIDE] = {
    {0, 1, 1, 1, 1, 1, 1, 1}, {1, 0, 1, 1, 1, 1, 1, 1}, {1, 1, 0, 1, 1, 1, 1, 1},
    {1, 1, 1, 0, 1, 1, 1, 1}, {1, 1, 1, 1, 0, 1, 1, 1}, {1, 1, 1, 1, 1, 0, 1, 1},
};
_Alignas(64) static const double lane[SIX][WIDE] = {
    {1}, {0, 1}, {0, 0, 1}, {0, 0, 0, 1}, {0, 0, 0, 0, 1}, {0, 0, 0, 0, 0, 1}};

// The inverse of the first n rows and columns of A, positive definite, by Gauss and Jordan. False
// if it is not, or nearly so.
PERP_KERNEL_PART bool invert(int n, Row *A)
{
    bool regular = true;
    const double *number = (const double *)A;
    for (int k = 0; k < n; k++) {
        double pivot = number[(WIDE + 1) * k], by = 1 / pivot;
        Row row = A[k];
        regular = regular && pivot > 0;
        perp_lanes8_multiply(&row, (const Row *)others[k]);
        perp_lanes8_add(&row, (const Row *)lane[k], 1);
        perp_lanes8_scale(&row, by);
        for (int i = 0; i < n; i++) {
            if (i == k)
                continue;
            double factor = number[WIDE * i + k];
            perp_lanes8_multiply(&A[i], (const Row *)others[k]);
            perp_lanes8_subtract(&A[i], &row, factor);
        }
        A[k] = row;
    }
    return regular;
}

// S = (J M^-1 J')^-1; false if rows depend on each other
PERP_KERNEL_PART bool invert_joint(int n, const Row *JM, const double *J_columns, Row *S)
{
    double diagonal[SIX];
    const double *number = (const double *)S;
    for (int i = 0; i < n; i++) {
        S[i] = (Row){0};
        for (int k = 0; k < SIX; k++)
            perp_lanes8_add(&S[i], (const Row *)(J_columns + WIDE * k),
                            ((const double *)JM)[WIDE * i + k]);
        diagonal[i] = number[(WIDE + 1) * i];
    }
    bool regular = invert(n, S);
    for (int i = 0; i < n; i++)
        regular = regular && number[(WIDE + 1) * i] * diagonal[i] <= DEPENDENT;
    return regular;
}

// H'H = N by Cholesky's method with the largest pivot first, in as many steps as N has rank.
PERP_KERNEL_PART bool factor_freedom(PerpTreeNode *node, Row *N)
{
    const double *number = (const double *)N;
    for (int step = 0; step < node->freedom; step++) {
        int p = 0;
        for (int i = 1; i < SIX; i++)
            p = number[(WIDE + 1) * i] > number[(WIDE + 1) * p] ? i : p;
        double pivot = number[(WIDE + 1) * p], *h = node->H + WIDE * step;
        if (!(pivot > 0))
            return false;
        *(Row *)h = N[p];
        perp_lanes8_scale((Row *)h, 1 / sqrt(pivot));
        for (int i = 0; i < SIX && step + 1 < node->freedom; i++) {
            perp_lanes8_subtract(&N[i], (const Row *)h, h[i]);
            perp_lanes8_multiply(&N[i], (const Row *)others[p]);
        }
        N[p] = (Row){0};
    }
    return true;
}

// --- one body -----------------------------------------------------------------------------------

// N = M^-1 - (J M^-1)'below, of the first `size` rows and columns
PERP_KERNEL_PART void find_freedom(int rows, int size, const Row *inverse, const Row *JM,
                                   const Row *below, Row *N)
{
    for (int i = 0; i < SIX; i++) {
        N[i] = inverse[i];
        for (int k = 0; k < rows; k++)
            perp_lanes8_subtract(&N[i], &below[k], ((const double *)JM)[WIDE * k + i]);
    }
    for (int i = size; i < SIX; i++) {
        N[i] = (Row){0};
        for (int j = 0; j < SIX; j++)
            ((double *)N)[WIDE * j + i] = 0;
    }
}

// M_p += J_p' S J_p
PERP_KERNEL_PART void raise_parent(int rows, const PerpTreeNode *node, PerpTreeNode *parent)
{
    Row above[SIX], *M = (Row *)parent->mass;
    times(rows, rows, node->S_columns, (const Row *)node->Jp, above);
    for (int i = 0; i < SIX; i++)
        for (int k = 0; k < rows; k++)
            perp_lanes8_add(&M[i], &above[k], node->Jp[WIDE * k + i]);
}

// rows: of the node, known to the compiler; size: velocities of a body; inverse: of the body alone
PERP_KERNEL_PART bool eliminate_rows(int rows, int size, const double *inverse, PerpTreeNode *node,
                                     PerpTreeNode *parent)
{
    Row M[SIX], JM[SIX], S[SIX], below[SIX], N[SIX];
    _Alignas(64) double J_columns[BLOCK];
    memcpy(M, node->mass, sizeof M);
    if (!node->is_leaf || size < SIX) {
        if (!invert(SIX, M))
            return false;
    } else {
        for (int i = 0; i < SIX; i++)
            for (int j = 0; j < SIX; j++)
                ((double *)M)[WIDE * i + j] = inverse[SIX * i + j];
    }
    turn_over(rows, node->J, J_columns);
    times(rows, SIX, J_columns, M, JM);
    if (!invert_joint(rows, JM, J_columns, S))
        return false;
    turn_over(rows, (const double *)S, node->S_columns);
    times(rows, rows, node->S_columns, JM, below);
    if (parent)
        raise_parent(rows, node, parent);
    find_freedom(rows, size, M, JM, below, N);
    turn_over(rows, (const double *)below, node->below_columns);
    turn_over(rows, node->Jp, node->Jp_columns);
    turn_over(SIX, (const double *)M, node->mass);
    return factor_freedom(node, N);
}

PERP_KERNEL_PART bool eliminate(int size, const double *inverse, PerpTreeNode *node,
                                PerpTreeNode *parent)
{
    switch (node->rows) { // those that are frequent
    case 0:
        return eliminate_rows(0, size, inverse, node, parent);
    case 3:
        return eliminate_rows(3, size, inverse, node, parent);
    case 5:
        return eliminate_rows(5, size, inverse, node, parent);
    default:
        return eliminate_rows(node->rows, size, inverse, node, parent);
    }
}

// --- all together -------------------------------------------------------------------------------

// Before anything is eliminated.
static bool fill_node(PerpJointTree *tree, const PerpSpanningTree *spanning, PerpTreeNode *node)
{
    int parent = spanning->parent[node->body], joint = spanning->joint[node->body];
    node->parent = parent < 0 ? -1 : tree->node_of[parent];
    node->rows = 0;
    node->is_leaf = true;
    memset(node->d, 0, sizeof node->d);
    if (!fill_mass(tree->cones, node))
        return false;
    if (joint >= 0)
        fill_joint(tree->cones, &spanning->edge[joint], node);
    return true;
}

PERP_VECTOR_KERNEL static bool eliminate_all(PerpJointTree *tree)
{
    int size = tree->cones->bodies.size;
    for (int k = 0; k < tree->n_nodes; k++) {
        PerpTreeNode *node = &tree->node[k];
        PerpTreeNode *parent = node->parent < 0 ? NULL : &tree->node[node->parent];
        node->freedom = size - node->rows;
        if (parent)
            parent->is_leaf = false;
        if (!eliminate(size, tree->cones->bodies.inverse + SQUARE * node->body, node, parent))
            return false;
    }
    return true;
}

bool perp_tree_eliminate(PerpJointTree *tree, const PerpSpanningTree *spanning)
{
    int n = tree->n_nodes;
    for (int k = 0; k < n; k++) {
        tree->node[k].body = spanning->body[n - 1 - k];
        tree->node_of[tree->node[k].body] = k;
    }
    for (int k = 0; k < n; k++)
        if (!fill_node(tree, spanning, &tree->node[k]))
            return false;
    return eliminate_all(tree);
}
