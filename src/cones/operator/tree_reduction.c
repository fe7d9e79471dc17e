// The reduced problem of a joint tree: rows J_kc = (H_k F_kc)' over the freedoms of the joints, and
// the speeds d of what is left where no impulse acts. Equations in joint_tree.c.

#include "base/compiler.h"
#include "cones/cone.h"
#include "cones/operator/delassus.h"
#include "cones/operator/joint_tree.h"
#include "cones/operator/tree_node.h"

#include <math.h>
#include <string.h>

static const double IMMOBILE =
    1e-24;         // inverse mass, of rows that had 1 before joints were eliminated
enum { MOST = 8 }; // times the products of entries of the whole: long chains do not pay

// --- rows ---------------------------------------------------------------------------------------

enum { FRONTS = 8 };

// Nodes on the way of a constraint to its roots, with the forces on them: the lowest goes on.
typedef struct Path {
    int rows; // of the constraint
    int count;
    int node[FRONTS + 1];                        // the lowest is there until its parent is
    _Alignas(64) double F[FRONTS + 1][3 * WIDE]; // three rows of six
} Path;

// Of a node that may be new.
PERP_KERNEL_PART double *force_at(Path *path, int node)
{
    int at = 0;
    while (at < path->count && path->node[at] != node)
        at++;
    if (at == path->count) {
        path->node[path->count++] = node;
        PerpLanes8 *F = (PerpLanes8 *)path->F[at];
        F[0] = (PerpLanes8){0};
        if (path->rows > 1)
            F[1] = F[2] = (PerpLanes8){0};
    }
    return path->F[at];
}

// False if it has too many bodies.
PERP_KERNEL_PART bool begin_path(const PerpJointTree *tree, const PerpConstraint *constraint,
                                 Path *path)
{
    const PerpConeProblem *cones = tree->cones;
    int s = cones->bodies.size;
    path->count = 0;
    path->rows = perp_constraint_rows(constraint);
    for (int e = constraint->first; e < constraint->end; e++) {
        double *F = force_at(path, tree->node_of[cones->bodies.entry_body[e]]);
        if (path->count > FRONTS)
            return false;
        for (int k = 0; k < path->rows; k++)
            perp_copy_row(s, perp_over_bodies_row(cones, e, k), F + WIDE * k);
    }
    return true;
}

PERP_KERNEL_PART int lowest(const Path *path)
{
    int low = 0;
    for (int i = 1; i < path->count; i++)
        low = path->node[i] < path->node[low] ? i : low;
    return low;
}

// A node gives its place to its parent, on which its force acts: F_p -= J_p' S J M^-1 F.
PERP_KERNEL_PART void go_on(const PerpJointTree *tree, Path *path, int at)
{
    const PerpTreeNode *node = &tree->node[path->node[at]];
    const double *F = path->F[at];
    double *above = node->parent < 0 ? NULL : force_at(path, node->parent);
    for (int i = 0; i < path->rows && above; i++) {
        _Alignas(64) double y[WIDE] = {0};
        perp_wide_add(SIX, node->below_columns, F + WIDE * i, y);
        perp_wide_subtract(node->rows, node->Jp, y, above + WIDE * i);
    }
    path->node[at] = path->node[--path->count];
    for (int i = 0; i < path->rows && at < path->count; i++)
        *(PerpLanes8 *)(path->F[at] + WIDE * i) = *(PerpLanes8 *)(path->F[path->count] + WIDE * i);
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

// A row that no freedom of the tree moves has products of rounding for entries, and impulses
// without bound would be asked of it to change them: it has none.
static void clear_rounding(PerpConeProblem *reduced, const PerpConstraint *constraint, int row)
{
    double square = 0;
    for (int e = constraint->first; e < constraint->end; e++)
        for (int i = 0; i < SIX; i++)
            square +=
                perp_over_bodies_row(reduced, e, row)[i] * perp_over_bodies_row(reduced, e, row)[i];
    for (int e = constraint->first; e < constraint->end && square <= IMMOBILE; e++)
        memset(perp_over_bodies_row(reduced, e, row), 0, SIX * sizeof(double));
}

// A contact that no freedom of the tree moves, as between the world and a body with prescribed
// motion. Its velocity is what it is, and where that slides, impulses of any size on the edge of
// the cone obey the law: from warm start to warm start they would grow, until all others are
// rounding beside them. No impulse obeys it as well.
static bool is_immobile(PerpConeProblem *reduced, const PerpConstraint *constraint)
{
    if (!constraint->cone->is_contact)
        return false;
    for (int e = constraint->first; e < constraint->end; e++)
        for (int k = 0; k < perp_constraint_rows(constraint); k++)
            for (int i = 0; i < SIX; i++)
                if (perp_over_bodies_row(reduced, e, k)[i] != 0)
                    return false;
    return true;
}

// y += A x, A of n rows
PERP_KERNEL_PART void add_times(int n, const double *A, const double *x, double *y)
{
    for (int k = 0; k < n; k++)
        for (int i = 0; i < SIX; i++)
            y[k] += A[WIDE * k + i] * x[i];
}

// J of constraint l of those that are left; false if it has too many bodies.
PERP_KERNEL_PART bool fill_constraint(PerpJointTree *tree, int l, PerpConstraint *constraint)
{
    PerpConeProblem *reduced = &tree->reduced;
    Path path;
    if (!begin_path(tree, &tree->cones->constraint[tree->left[l]], &path))
        return false;
    constraint->first = constraint->end = reduced->bodies.entries;
    while (path.count > 0) {
        int at = lowest(&path);
        const PerpTreeNode *node = &tree->node[path.node[at]];
        int e = node->freedom > 0 ? entry_of(reduced, constraint, node->block) : 0;
        for (int i = 0; i < path.rows && node->freedom > 0; i++)
            add_times(node->freedom, node->H, path.F[at] + WIDE * i,
                      perp_over_bodies_row(reduced, e, i) + node->place);
        go_on(tree, &path, at);
    }
    for (int i = 0; i < path.rows; i++)
        clear_rounding(reduced, constraint, i);
    return true;
}

// J of the reduced problem, without contacts that nothing moves; false if a constraint has too many
// bodies.
PERP_VECTOR_KERNEL static bool fill_rows(PerpJointTree *tree)
{
    PerpConeProblem *reduced = &tree->reduced;
    int n = 0;
    for (int l = 0; l < tree->n_left; l++) {
        PerpConstraint *constraint = &reduced->constraint[n];
        *constraint = reduced->constraint[l];
        if (!fill_constraint(tree, l, constraint))
            return false;
        if (is_immobile(reduced, constraint))
            reduced->bodies.entries = constraint->first; // all 0, for the next one
        else
            tree->left[n++] = tree->left[l];
    }
    tree->n_left = reduced->n_constraints = n;
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

// --- the problem --------------------------------------------------------------------------------

// d of what is left: its speed where no constraint that is left has an impulse.
static void find_speeds(PerpJointTree *tree, double *r)
{
    const PerpConeProblem *cones = tree->cones;
    perp_tree_respond(tree, r);
    for (int l = 0; l < tree->n_left; l++) {
        PerpConstraint *constraint = &tree->reduced.constraint[l];
        *constraint = cones->constraint[tree->left[l]];
        for (int e = constraint->first; e < constraint->end; e++) {
            const double *v = tree->velocity + WIDE * tree->node_of[cones->bodies.entry_body[e]];
            for (int k = 0; k < perp_constraint_rows(constraint); k++)
                for (int i = 0; i < cones->bodies.size; i++)
                    constraint->d[k] += perp_over_bodies_row(cones, e, k)[i] * v[i];
        }
    }
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
        .uneven = true,
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

bool perp_tree_reduce(PerpArena *arena, PerpJointTree *tree)
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
