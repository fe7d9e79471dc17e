// Joints that make a tree are eliminated body by body, from the leaves on. A body k, once its
// children are, and the joint to its parent p:
//
//     M_k v_k = f_k + J_k' c,   J_k v_k + J_p v_p + d = 0,   S = (J_k M_k^-1 J_k')^-1
//     c   = -S (J_k M_k^-1 f_k + d + J_p v_p)
//     M_p += J_p' S J_p,   f_p -= J_p' S (J_k M_k^-1 f_k + d)
//
// M_k is the articulated inertia of Featherstone: the block L D L' of the equations of motion and
// joints in this order, which has no fill. The freedom that the joint leaves responds to a force by
//
//     N_k = M_k^-1 - M_k^-1 J_k' S J_k M_k^-1 = H_k' H_k,   H_k of 6 - rows(J_k) rows
//
// and the Delassus operator of the constraints that are left is the sum over the bodies on the way
// from both to their root
//
//     W_cd = sum_k (H_k F_kc)' (H_k F_kd),   F_kc: force of constraint c on body k
//
// that of a problem of unit masses with J_kc = (H_k F_kc)': the freedoms of the joints take the
// place of the bodies, up to six of neighbours in a block. Joints that close loops, and those of
// more than two bodies, are left, as bilateral constraints.

#include "cones/operator/joint_tree.h"

#include "base/compiler.h"
#include "cones/cone.h"
#include "cones/operator/delassus.h"
#include "cones/operator/over_bodies.h"

#include <math.h>
#include <string.h>

enum { SIX = 6, SQUARE = SIX * SIX };
enum {
    MOST = 8,        // times the products of entries of the whole: long chains do not pay
    LEAST_JOINTS = 8 // fewer do not, either: random problems with some joints took a third longer
};
static const double DEPENDENT = 1e10; // of S_ii (J M^-1 J')_ii: rows that depend on each other

// Blocks of six, by rows; those of bodies with fewer velocities are filled up as in build.c.
struct PerpTreeNode {
    int body, parent;  // node of the parent, -1: none, or the world
    int rows;          // of the joint to it, 0: free
    int freedom;       // what it leaves
    int block, place;  // of these in the reduced problem
    double J[SQUARE];  // rows x 6
    double Jp[SQUARE]; // at the parent
    double d[SIX];
    double mass[SQUARE], inverse[SQUARE];
    double S[SQUARE];     // rows x rows
    double below[SQUARE]; // S J M^-1, rows x 6
    double H[SQUARE];     // freedom x 6
};

// --- which joints are in the tree ---------------------------------------------------------------

static int find_root(int *group, int k)
{
    while (group[k] != k)
        k = group[k] = group[group[k]];
    return k;
}

static int rows_of(const PerpConstraint *constraint)
{
    return 1 + (constraint->row[1] >= 0) + (constraint->row[2] >= 0);
}

typedef struct Edge {
    int a, b; // bodies; b may be the world
    int rows, constraints, first;
} Edge;

// Constraints in a row between the same bodies are one joint.
static bool joins_last(const PerpConeProblem *cones, const PerpConstraint *constraint,
                       const Edge *edge)
{
    const int *body = cones->bodies.entry_body + constraint->first;
    return edge->a == body[0] &&
           (constraint->end - constraint->first == 1 ? edge->b == cones->p->n_bodies
                                                     : edge->b == body[1]) &&
           edge->rows + rows_of(constraint) <= SIX;
}

// Each joint that joins what was apart. group: bodies and the world. Returns how many edges.
static int choose_edges(const PerpConeProblem *cones, int *group, int *of_constraint, Edge *edges)
{
    int world = cones->p->n_bodies, n = 0, last = -1;
    for (int k = 0; k <= world; k++)
        group[k] = k;
    for (int c = 0; c < cones->n_constraints; c++) {
        const PerpConstraint *constraint = &cones->constraint[c];
        int entries = constraint->end - constraint->first;
        of_constraint[c] = -1;
        if (!constraint->cone->is_equation || entries < 1 || entries > 2) {
            last = -1;
            continue;
        }
        if (last < 0 || !joins_last(cones, constraint, &edges[last])) {
            const int *body = cones->bodies.entry_body + constraint->first;
            Edge edge = {.a = body[0], .b = entries == 2 ? body[1] : world, .first = c};
            int a = find_root(group, edge.a), b = find_root(group, edge.b);
            last = -1;
            if (a == b)
                continue;
            group[a] = b;
            last = n++;
            edges[last] = edge;
        }
        edges[last].rows += rows_of(constraint);
        edges[last].constraints++;
        of_constraint[c] = last;
    }
    return n;
}

typedef struct Adjacency {
    int *start, *edge; // of bodies and the world
} Adjacency;

static bool list_neighbours(PerpArena *arena, int bodies, int n, const Edge *edges, Adjacency *to)
{
    to->start = PERP_TAKE(arena, int, bodies + 3);
    to->edge = PERP_TAKE(arena, int, 2 * n);
    if (!to->start || !to->edge)
        return false;
    for (int e = 0; e < n; e++) {
        to->start[edges[e].a + 2]++;
        to->start[edges[e].b + 2]++;
    }
    for (int k = 2; k < bodies + 3; k++)
        to->start[k] += to->start[k - 1];
    for (int e = 0; e < n; e++) {
        to->edge[to->start[edges[e].a + 1]++] = e;
        to->edge[to->start[edges[e].b + 1]++] = e;
    }
    return true;
}

// Bodies in the order of their distance from the root, parents and the joints to them: of what
// hangs from the world the world, else the body with the most joints, so that paths are short.
typedef struct Order {
    int *body, *parent, *joint; // parent: body, -1; joint: edge, -1
    int count;
} Order;

static void visit(int bodies, const Edge *edges, const Adjacency *to, bool *seen, Order *order,
                  int root)
{
    int at = order->count;
    seen[root] = true;
    for (int k = root;; k = order->body[at++]) {
        for (int i = to->start[k]; i < to->start[k + 1]; i++) {
            const Edge *edge = &edges[to->edge[i]];
            int other = edge->a == k ? edge->b : edge->a;
            if (seen[other])
                continue;
            seen[other] = true;
            order->parent[other] = k < bodies ? k : -1;
            order->joint[other] = to->edge[i];
            order->body[order->count++] = other;
        }
        if (at == order->count)
            return;
    }
}

// The body of each tree with the most joints.
static void choose_roots(int bodies, const Adjacency *to, int *group, int *root)
{
    for (int k = 0; k <= bodies; k++)
        root[k] = -1;
    for (int k = 0; k < bodies; k++) {
        int g = find_root(group, k), best = root[g];
        int joints = to->start[k + 1] - to->start[k];
        if (best < 0 || joints > to->start[best + 1] - to->start[best])
            root[g] = k;
    }
}

static bool order_bodies(PerpArena *arena, int bodies, int n, const Edge *edges, int *group,
                         Order *order)
{
    Adjacency to;
    bool *seen = PERP_TAKE(arena, bool, bodies + 1);
    int *root = PERP_TAKE(arena, int, bodies + 1);
    *order = (Order){.body = PERP_TAKE(arena, int, bodies),
                     .parent = PERP_TAKE(arena, int, bodies + 1),
                     .joint = PERP_TAKE(arena, int, bodies + 1)};
    if (!seen || !root || !order->body || !order->parent || !order->joint ||
        !list_neighbours(arena, bodies, n, edges, &to))
        return false;
    visit(bodies, edges, &to, seen, order, bodies);
    choose_roots(bodies, &to, group, root);
    for (int k = 0; k < bodies; k++) {
        int from = root[find_root(group, k)];
        if (seen[from])
            continue;
        order->parent[from] = order->joint[from] = -1;
        order->body[order->count++] = from;
        visit(bodies, edges, &to, seen, order, from);
    }
    return true;
}

// --- elimination --------------------------------------------------------------------------------

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
static void fill_joint(const PerpConeProblem *cones, const Edge *edge, PerpTreeNode *node)
{
    int s = cones->bodies.size;
    for (int c = edge->first; c < edge->first + edge->constraints; c++) {
        const PerpConstraint *constraint = &cones->constraint[c];
        for (int k = 0; k < rows_of(constraint); k++, node->rows++) {
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
    memcpy(node->inverse, node->mass, sizeof node->inverse);
    if (!invert(SIX, node->inverse))
        return false;
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

static bool eliminate_all(PerpJointTree *tree, const Edge *edges, const Order *order)
{
    int n = tree->n_nodes;
    for (int k = 0; k < n; k++)
        tree->node_of[order->body[k]] = n - 1 - k;
    for (int k = 0; k < n; k++) {
        PerpTreeNode *node = &tree->node[k];
        node->body = order->body[n - 1 - k];
        node->parent =
            order->parent[node->body] < 0 ? -1 : tree->node_of[order->parent[node->body]];
        if (!fill_mass(tree->cones, node))
            return false;
        if (order->joint[node->body] >= 0)
            fill_joint(tree->cones, &edges[order->joint[node->body]], node);
    }
    for (int k = 0; k < n; k++) {
        PerpTreeNode *node = &tree->node[k];
        node->freedom = tree->cones->bodies.size - node->rows;
        if (!eliminate(tree->cones->bodies.size, node,
                       node->parent < 0 ? NULL : &tree->node[node->parent]))
            return false;
    }
    return true;
}

// --- velocities and the joints' impulses --------------------------------------------------------

// y += or -= A'x, A of n rows
static inline void add_transposed(int n, double sign, const double *A, const double *x, double *y)
{
    for (int k = 0; k < n; k++)
        for (int i = 0; i < SIX; i++)
            y[i] += sign * A[SIX * k + i] * x[k];
}

static inline void add_times(int n, const double *A, const double *x, double *y)
{
    for (int k = 0; k < n; k++)
        for (int i = 0; i < SIX; i++)
            y[k] += A[SIX * k + i] * x[i];
}

// force = b + J'r of what is left
static void gather_forces(PerpJointTree *tree, const double *r)
{
    const PerpConeProblem *cones = tree->cones;
    int s = cones->bodies.size;
    for (int k = 0; k < cones->p->n_bodies; k++) {
        const double *M = cones->bodies.mass + s * s * k, *free = cones->bodies.free + s * k;
        double *f = tree->force + SIX * tree->node_of[k];
        memset(f, 0, SIX * sizeof(double));
        for (int j = 0; j < s; j++)
            for (int i = 0; i < s; i++)
                f[i] += M[i + s * j] * free[j];
    }
    for (int l = 0; l < tree->n_left; l++) {
        const PerpConstraint *constraint = &cones->constraint[tree->left[l]];
        for (int e = constraint->first; e < constraint->end; e++)
            for (int k = 0; k < 3; k++) {
                const double *J = perp_over_bodies_row(cones, e, k);
                double *f = tree->force + SIX * tree->node_of[cones->bodies.entry_body[e]];
                for (int i = 0; i < s; i++)
                    f[i] += J[i] * r[3 * tree->left[l] + k];
            }
    }
}

// From the leaves to the roots: f_p -= J_p' S (J M^-1 f + d)
static void pass_forces(PerpJointTree *tree)
{
    for (int k = 0; k < tree->n_nodes; k++) {
        const PerpTreeNode *node = &tree->node[k];
        double y[SIX] = {0};
        if (node->parent < 0)
            continue;
        add_times(node->rows, node->below, tree->force + SIX * k, y);
        add_times(node->rows, node->S, node->d, y);
        add_transposed(node->rows, -1, node->Jp, y, tree->force + SIX * node->parent);
    }
}

// From the roots to the leaves: c = -S (J M^-1 f + d + J_p v_p), v = M^-1 (f + J'c)
static void find_velocities(PerpJointTree *tree, double *r)
{
    const PerpConeProblem *cones = tree->cones;
    const int *joint = tree->edge;
    for (int k = tree->n_nodes - 1; k >= 0; k--) {
        const PerpTreeNode *node = &tree->node[k];
        double *f = tree->force + SIX * k, *v = tree->velocity + SIX * k;
        double y[SIX] = {0}, c[SIX] = {0};
        memcpy(y, node->d, sizeof y);
        if (node->parent >= 0)
            add_times(node->rows, node->Jp, tree->velocity + SIX * node->parent, y);
        add_times(node->rows, node->below, f, c);
        for (int i = 0; i < node->rows; i++)
            for (int j = 0; j < node->rows; j++)
                c[i] += node->S[SIX * i + j] * y[j];
        add_transposed(node->rows, -1, node->J, c, f);
        memset(v, 0, SIX * sizeof(double));
        add_times(SIX, node->inverse, f, v);
        for (int row = 0, at = node->rows > 0 ? joint[node->body] : 0; row < node->rows; at++)
            for (int i = 0; i < rows_of(&cones->constraint[at]); i++)
                r[3 * at + i] = -c[row++];
    }
}

void perp_joint_tree_from_whole(const PerpJointTree *tree, const double *r, double *x)
{
    for (int l = 0; l < tree->n_left; l++)
        memcpy(x + 3 * l, r + 3 * tree->left[l], 3 * sizeof(double));
}

void perp_joint_tree_to_whole(PerpJointTree *tree, const double *x, double *r)
{
    memset(r, 0, (size_t)(3 * tree->cones->n_constraints) * sizeof(double));
    for (int l = 0; l < tree->n_left; l++)
        memcpy(r + 3 * tree->left[l], x + 3 * l, 3 * sizeof(double));
    gather_forces(tree, r);
    pass_forces(tree);
    find_velocities(tree, r);
}

// --- the operator -------------------------------------------------------------------------------

// Nodes on the way of a constraint to its roots, in their order: the lowest of `front` goes on.
typedef struct Path {
    int count;
    int node[8];
    double F[8][3 * SIX]; // three rows of six
} Path;

enum { FRONTS = 8 };

static double *force_at(Path *path, int node)
{
    for (int i = 0; i < path->count; i++)
        if (path->node[i] == node)
            return path->F[i];
    if (path->count == FRONTS)
        return NULL;
    path->node[path->count] = node;
    memset(path->F[path->count], 0, sizeof path->F[0]);
    return path->F[path->count++];
}

static bool begin_path(const PerpJointTree *tree, const PerpConstraint *constraint, Path *path)
{
    const PerpConeProblem *cones = tree->cones;
    int s = cones->bodies.size;
    path->count = 0;
    for (int e = constraint->first; e < constraint->end; e++) {
        double *F = force_at(path, tree->node_of[cones->bodies.entry_body[e]]);
        for (int k = 0; k < 3 && F; k++)
            memcpy(F + SIX * k, perp_over_bodies_row(cones, e, k), (size_t)s * sizeof(double));
        if (!F)
            return false;
    }
    return true;
}

// The lowest node of the path, with its force; it makes room for its parent.
static int next_of_path(const PerpJointTree *tree, Path *path, double *F)
{
    int low = 0;
    for (int i = 1; i < path->count; i++)
        low = path->node[i] < path->node[low] ? i : low;
    int k = path->node[low];
    const PerpTreeNode *node = &tree->node[k];
    memcpy(F, path->F[low], 3 * SIX * sizeof(double));
    path->count--;
    path->node[low] = path->node[path->count];
    memcpy(path->F[low], path->F[path->count], sizeof path->F[0]);
    if (node->parent >= 0) {
        double *above = force_at(path, node->parent); // there is room
        for (int i = 0; i < 3; i++) {
            double y[SIX] = {0};
            add_times(node->rows, node->below, F + SIX * i, y);
            add_transposed(node->rows, -1, node->Jp, y, above + SIX * i);
        }
    }
    return k;
}

// How many bodies the ways of all constraints pass. seen: nodes, 0
static int count_passed(const PerpJointTree *tree, int *seen)
{
    int count = 0;
    for (int l = 0; l < tree->n_left; l++) {
        const PerpConstraint *constraint = &tree->cones->constraint[tree->left[l]];
        for (int e = constraint->first; e < constraint->end; e++)
            for (int k = tree->node_of[tree->cones->bodies.entry_body[e]];
                 k >= 0 && seen[k] != l + 1; k = tree->node[k].parent) {
                seen[k] = l + 1;
                count++;
            }
    }
    return count;
}

// Freedoms that lie next to each other in a tree share a block, as long as there is room. room:
// blocks, at most as many as nodes. Returns how many blocks.
static int place_freedoms(PerpJointTree *tree, int *room)
{
    int blocks = 0;
    for (int k = tree->n_nodes - 1; k >= 0; k--) {
        PerpTreeNode *node = &tree->node[k];
        node->block = node->parent < 0 ? -1 : tree->node[node->parent].block;
        if (node->block < 0 || room[node->block] < node->freedom) {
            node->block = blocks++;
            room[node->block] = SIX;
        }
        node->place = SIX - room[node->block];
        room[node->block] -= node->freedom;
    }
    return blocks;
}

// The entry of a block in the last constraint.
static int entry_of(PerpConeProblem *reduced, PerpConstraint *constraint, int block)
{
    int e = constraint->first;
    while (e < constraint->end && reduced->bodies.entry_body[e] != block)
        e++;
    if (e == constraint->end) {
        reduced->bodies.entry_body[e] = block;
        reduced->bodies.entries = ++constraint->end;
    }
    return e;
}

// J of the reduced problem; false if a constraint has too many bodies.
PERP_VECTOR_KERNEL static bool fill_rows(PerpJointTree *tree)
{
    PerpConeProblem *reduced = &tree->reduced;
    for (int l = 0; l < tree->n_left; l++) {
        Path path;
        double F[3 * SIX];
        PerpConstraint *constraint = &reduced->constraint[l];
        if (!begin_path(tree, &tree->cones->constraint[tree->left[l]], &path))
            return false;
        constraint->first = constraint->end = reduced->bodies.entries;
        while (path.count > 0) {
            const PerpTreeNode *node = &tree->node[next_of_path(tree, &path, F)];
            int e = node->freedom > 0 ? entry_of(reduced, constraint, node->block) : 0;
            for (int i = 0; i < 3 && node->freedom > 0; i++)
                add_times(node->freedom, node->H, F + SIX * i,
                          perp_over_bodies_row(reduced, e, i) + node->place);
        }
    }
    return true;
}

// Products of entries of the same constraint: what a factorisation begins with.
static size_t count_products(const PerpConeProblem *cones)
{
    size_t products = 0;
    for (int c = 0; c < cones->n_constraints; c++) {
        size_t entries = (size_t)(cones->constraint[c].end - cones->constraint[c].first);
        products += entries * entries;
    }
    return products;
}

// --- all together -------------------------------------------------------------------------------

// d of what is left: its speed where no constraint that is left has an impulse.
static void find_speeds(PerpJointTree *tree, double *r)
{
    const PerpConeProblem *cones = tree->cones;
    gather_forces(tree, r);
    pass_forces(tree);
    find_velocities(tree, r);
    for (int l = 0; l < tree->n_left; l++) {
        PerpConstraint *constraint = &tree->reduced.constraint[l];
        *constraint = cones->constraint[tree->left[l]];
        for (int e = constraint->first; e < constraint->end; e++) {
            const double *v = tree->velocity + SIX * tree->node_of[cones->bodies.entry_body[e]];
            for (int k = 0; k < 3; k++)
                for (int i = 0; i < cones->bodies.size; i++)
                    constraint->d[k] += perp_over_bodies_row(cones, e, k)[i] * v[i];
        }
    }
}

static bool take(PerpArena *arena, const PerpConeProblem *cones, PerpJointTree *tree)
{
    int bodies = cones->p->n_bodies, n = cones->n_constraints;
    *tree = (PerpJointTree){.cones = cones,
                            .n_nodes = bodies,
                            .node = PERP_TAKE(arena, PerpTreeNode, bodies),
                            .node_of = PERP_TAKE(arena, int, bodies),
                            .edge = PERP_TAKE(arena, int, bodies),
                            .left = PERP_TAKE(arena, int, n),
                            .force = PERP_TAKE(arena, double, SIX *bodies),
                            .velocity = PERP_TAKE(arena, double, SIX *bodies)};
    return tree->node && tree->node_of && tree->edge && tree->left && tree->force && tree->velocity;
}

static bool find_tree(PerpArena *arena, PerpJointTree *tree)
{
    const PerpConeProblem *cones = tree->cones;
    int bodies = cones->p->n_bodies, n = cones->n_constraints;
    int *group = PERP_TAKE(arena, int, bodies + 1), *of_constraint = PERP_TAKE(arena, int, n);
    Edge *edges = PERP_TAKE(arena, Edge, bodies + 1);
    Order order;
    if (!group || !of_constraint || !edges)
        return false;
    int n_edges = choose_edges(cones, group, of_constraint, edges);
    if (!order_bodies(arena, bodies, n_edges, edges, group, &order))
        return false;
    for (int c = 0; c < n; c++)
        if (of_constraint[c] < 0)
            tree->left[tree->n_left++] = c;
    for (int k = 0; k < bodies; k++)
        tree->edge[k] = order.joint[k] < 0 ? -1 : edges[order.joint[k]].first;
    tree->fits = n_edges >= LEAST_JOINTS && eliminate_all(tree, edges, &order);
    return true;
}

// Unit masses, no motion but what impulses make.
static bool take_blocks(PerpArena *arena, int blocks, int entries, PerpConeProblem *reduced)
{
    PerpOverBodies *bodies = &reduced->bodies;
    int pad = bodies->pad;
    bodies->mass = PERP_TAKE(arena, double, SQUARE *blocks);
    bodies->inverse = PERP_TAKE(arena, double, SQUARE *blocks);
    bodies->free = PERP_TAKE(arena, double, SIX *blocks);
    bodies->padded_inverse = PERP_TAKE(arena, double, pad *blocks);
    bodies->entry_body = PERP_TAKE(arena, int, entries);
    bodies->padded_J = PERP_TAKE(arena, double, 3 * (size_t)pad * (size_t)entries);
    reduced->newton.e = PERP_TAKE(arena, double, 3 * reduced->n_constraints);
    if (!bodies->mass || !bodies->inverse || !bodies->free || !bodies->padded_inverse ||
        !bodies->entry_body || !bodies->padded_J || !reduced->newton.e)
        return false;
    for (int k = 0; k < blocks; k++)
        for (int i = 0; i < SIX; i++) {
            bodies->mass[SQUARE * k + (SIX + 1) * i] = 1;
            bodies->inverse[SQUARE * k + (SIX + 1) * i] = 1;
            bodies->padded_inverse[pad * k + i] = 1;
        }
    return true;
}

static bool take_reduced(PerpArena *arena, PerpJointTree *tree)
{
    const PerpConeProblem *cones = tree->cones;
    int *scratch = PERP_TAKE(arena, int, 2 * tree->n_nodes);
    if (!scratch)
        return false;
    int passed = count_passed(tree, scratch);
    tree->blocks.n_bodies = place_freedoms(tree, scratch + tree->n_nodes);
    tree->reduced = (PerpConeProblem){
        .p = &tree->blocks,
        .delassus = &perp_delassus_over_bodies,
        .arena = arena,
        .threads = cones->threads,
        .n_state = SIX * tree->blocks.n_bodies,
        .n_constraints = tree->n_left,
        .n_coupled = cones->n_coupled,
        .product = cones->product,
        .constraint = PERP_TAKE(arena, PerpConstraint, tree->n_left),
        .facet = cones->facet,
        .n_facets = cones->n_facets,
        .speed = cones->speed,
        .shift = cones->shift,
        .bodies = {.size = SIX,
                   .kernels = perp_block_kernels(SIX),
                   .pad = perp_block_kernels(SIX)->pad,
                   .diagonal = true,
                   .cache = cones->bodies.cache},
    };
    return tree->reduced.constraint &&
           take_blocks(arena, tree->blocks.n_bodies, passed, &tree->reduced);
}

// The law is broken so much without impulses of what is left.
static double residual_of_none(const PerpConeProblem *reduced, double *u)
{
    double worst = 0;
    for (int c = 0; c < reduced->n_constraints; c++)
        memcpy(u + 3 * c, reduced->constraint[c].d, 3 * sizeof(double));
    for (int c = 0; c < reduced->n_constraints; c++) {
        double none[6] = {0};
        worst = fmax(worst, reduced->constraint[c].cone->residual(reduced, c, none, u + 3 * c));
    }
    return worst;
}

static bool reduce(PerpArena *arena, PerpJointTree *tree)
{
    const PerpConeProblem *cones = tree->cones;
    double *r = PERP_TAKE(arena, double, 3 * cones->n_constraints);
    if (!r || !take_reduced(arena, tree))
        return false;
    find_speeds(tree, r);
    tree->fits = fill_rows(tree) && count_products(&tree->reduced) <= MOST * count_products(cones);
    tree->reduced.zero_residual = residual_of_none(&tree->reduced, r);
    perp_cones_count_inequalities(&tree->reduced);
    return !tree->fits || perp_over_bodies_prepare(&tree->reduced);
}

bool perp_joint_tree_build(PerpArena *arena, const PerpConeProblem *cones, PerpJointTree *tree)
{
    return take(arena, cones, tree) && find_tree(arena, tree) &&
           (!tree->fits || reduce(arena, tree));
}
