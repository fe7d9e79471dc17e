// Elimination of the joints of a tree, body by body, from the leaves on: the articulated inertias
// of Featherstone, and the factors H of what each joint leaves free. Equations in joint_tree.c.

#include "base/compiler.h"
#include "cones/operator/joint_tree.h"
#include "cones/operator/tree_node.h"

#include <math.h>
#include <string.h>

static const double DEPENDENT = 1e10; // of S_ii (J M^-1 J')_ii: rows that depend on each other

static bool fill_mass(const PerpConeProblem *cones, PerpTreeNode *node)
{
    int s = cones->bodies.size;
    const double *M = cones->bodies.mass + s * s * node->body;
    for (int i = 0; i < SIX; i++)
        for (int j = 0; j < SIX; j++)
            node->mass[SIX * i + j] = i < s && j < s ? M[i + s * j] : i == j;
    for (int i = 0; i < s; i++)
        for (int j = 0; j < i; j++)
            if (M[i + s * j] != M[j + s * i])
                return false;
    return true;
}

// The rows of the joint between a node and its parent.
static void fill_joint(const PerpConeProblem *cones, const PerpTreeEdge *edge, PerpTreeNode *node)
{
    int s = cones->bodies.size;
    for (int c = edge->first; c < edge->first + edge->constraints; c++) {
        const PerpConstraint *constraint = &cones->constraint[c];
        for (int k = 0; k < perp_constraint_rows(constraint); k++, node->rows++) {
            memset(node->J + SIX * node->rows, 0, SIX * sizeof(double));
            memset(node->Jp + SIX * node->rows, 0, SIX * sizeof(double));
            for (int e = constraint->first; e < constraint->end; e++) {
                bool own = cones->bodies.entry_body[e] == node->body;
                memcpy((own ? node->J : node->Jp) + SIX * node->rows,
                       perp_over_bodies_row(cones, e, k), (size_t)s * sizeof(double));
            }
            node->d[node->rows] = constraint->d[k];
        }
    }
}

// C = A B of n x m and m x 6 numbers
PERP_KERNEL_PART void times(int n, int m, const double *A, const double *B, double *C)
{
    for (int i = 0; i < n; i++) {
        double sum[SIX] = {0};
        for (int k = 0; k < m; k++)
            for (int j = 0; j < SIX; j++)
                sum[j] += A[SIX * i + k] * B[SIX * k + j];
        memcpy(C + SIX * i, sum, sizeof sum);
    }
}

// C += A'B or -= of n x 6 numbers
PERP_KERNEL_PART void add_product(int n, double sign, const double *A, const double *B, double *C)
{
    for (int k = 0; k < n; k++)
        for (int i = 0; i < SIX; i++)
            for (int j = 0; j < SIX; j++)
                C[SIX * i + j] += sign * A[SIX * k + i] * B[SIX * k + j];
}

// The inverse of the n x n numbers of A, positive definite, by Gauss and Jordan. False if it is
// not, or nearly so.
PERP_KERNEL_PART bool invert(int n, double *A)
{
    bool regular = true;
    for (int k = 0; k < n; k++) {
        double pivot = A[(SIX + 1) * k], by = 1 / pivot, row[SIX];
        regular = regular && pivot > 0;
        A[(SIX + 1) * k] = 1;
        for (int j = 0; j < n; j++)
            row[j] = A[SIX * k + j] *= by;
        for (int i = 0; i < n; i++) {
            double factor = i == k ? 0 : A[SIX * i + k];
            A[SIX * i + k] = i == k ? A[SIX * i + k] : 0;
            for (int j = 0; j < n; j++)
                A[SIX * i + j] -= factor * row[j];
        }
    }
    return regular;
}

// S = (J M^-1 J')^-1; false if rows depend on each other
PERP_KERNEL_PART bool invert_joint(int n, PerpTreeNode *node, const double *JM)
{
    double diagonal[SIX];
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            double sum = 0;
            for (int k = 0; k < SIX; k++)
                sum += JM[SIX * i + k] * node->J[SIX * j + k];
            node->S[SIX * i + j] = sum;
        }
    for (int i = 0; i < n; i++)
        diagonal[i] = node->S[(SIX + 1) * i];
    bool regular = invert(n, node->S);
    for (int i = 0; i < n; i++)
        regular = regular && node->S[(SIX + 1) * i] * diagonal[i] <= DEPENDENT;
    return regular;
}

// H'H = N by Cholesky's method with the largest pivot first, in as many steps as N has rank.
PERP_KERNEL_PART bool factor_freedom(PerpTreeNode *node, double *N)
{
    for (int step = 0; step < node->freedom; step++) {
        int p = 0;
        for (int i = 1; i < SIX; i++)
            p = N[(SIX + 1) * i] > N[(SIX + 1) * p] ? i : p;
        double pivot = N[(SIX + 1) * p], by = 1 / sqrt(pivot), *h = node->H + SIX * step;
        if (!(pivot > 0))
            return false;
        for (int j = 0; j < SIX; j++)
            h[j] = N[SIX * p + j] * by;
        for (int i = 0; i < SIX; i++)
            for (int j = 0; j < SIX; j++)
                N[SIX * i + j] -= h[i] * h[j];
        for (int j = 0; j < SIX; j++)
            N[SIX * p + j] = N[SIX * j + p] = 0;
    }
    return true;
}

// rows: of the node, known to the compiler; size: velocities of a body
PERP_KERNEL_PART bool eliminate_rows(int rows, int size, PerpTreeNode *node, PerpTreeNode *parent)
{
    double JM[SQUARE], N[SQUARE], above[SQUARE];
    if (!node->is_leaf || size < SIX) {
        memcpy(node->inverse, node->mass, sizeof node->inverse);
        if (!invert(SIX, node->inverse))
            return false;
    }
    times(rows, SIX, node->J, node->inverse, JM);
    if (!invert_joint(rows, node, JM))
        return false;
    times(rows, rows, node->S, JM, node->below);
    if (parent) {
        times(rows, rows, node->S, node->Jp, above);
        add_product(rows, 1, node->Jp, above, parent->mass);
    }
    memcpy(N, node->inverse, sizeof N);
    add_product(rows, -1, JM, node->below, N);
    for (int i = size; i < SIX; i++)
        for (int j = 0; j < SIX; j++)
            N[SIX * i + j] = N[SIX * j + i] = 0;
    return factor_freedom(node, N);
}

PERP_VECTOR_KERNEL static bool eliminate(int size, PerpTreeNode *node, PerpTreeNode *parent)
{
    switch (node->rows) { // those that are frequent
    case 0:
        return eliminate_rows(0, size, node, parent);
    case 3:
        return eliminate_rows(3, size, node, parent);
    case 5:
        return eliminate_rows(5, size, node, parent);
    default:
        return eliminate_rows(node->rows, size, node, parent);
    }
}

// Before anything is eliminated.
static bool fill_node(PerpJointTree *tree, const PerpSpanningTree *spanning, PerpTreeNode *node)
{
    const PerpOverBodies *bodies = &tree->cones->bodies;
    int parent = spanning->parent[node->body], joint = spanning->joint[node->body];
    node->parent = parent < 0 ? -1 : tree->node_of[parent];
    node->rows = 0;
    node->is_leaf = true;
    if (!fill_mass(tree->cones, node))
        return false;
    if (bodies->size == SIX)
        memcpy(node->inverse, bodies->inverse + SQUARE * node->body, sizeof node->inverse);
    if (joint >= 0)
        fill_joint(tree->cones, &spanning->edge[joint], node);
    return true;
}

bool perp_tree_eliminate(PerpJointTree *tree, const PerpSpanningTree *spanning)
{
    int n = tree->n_nodes, size = tree->cones->bodies.size;
    for (int k = 0; k < n; k++) {
        tree->node[k].body = spanning->body[n - 1 - k];
        tree->node_of[tree->node[k].body] = k;
    }
    for (int k = 0; k < n; k++)
        if (!fill_node(tree, spanning, &tree->node[k]))
            return false;
    for (int k = 0; k < n; k++) {
        PerpTreeNode *node = &tree->node[k];
        PerpTreeNode *parent = node->parent < 0 ? NULL : &tree->node[node->parent];
        node->freedom = size - node->rows;
        if (parent)
            parent->is_leaf = false;
        if (!eliminate(size, node, parent))
            return false;
    }
    return true;
}
