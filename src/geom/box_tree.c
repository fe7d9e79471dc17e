// A bounding volume tree: built by median splits, queried with a box.
#include "geom/box_tree.h"

#include "geom/bounds.h"

enum { LEAF = 4 }; // boxes in a leaf at most

static double component(PerpVec3 a, int axis)
{
    return axis == 0 ? a.x : axis == 1 ? a.y : a.z;
}

// Twice the middle of a box.
static double middle(const PerpBoxTree *tree, int i, int axis)
{
    const PerpBounds *box = &tree->box[tree->order[i]];
    return component(box->lower, axis) + component(box->upper, axis);
}

static void swap(int *a, int *b)
{
    int swapped = *a;
    *a = *b;
    *b = swapped;
}

// Hoare's selection: afterwards nothing before order[k] has its middle above that of order[k].
static void select_median(PerpBoxTree *tree, int first, int last, int k, int axis)
{
    while (first < last) {
        double pivot = middle(tree, (first + last) / 2, axis);
        int i = first, j = last;
        while (i <= j) {
            while (middle(tree, i, axis) < pivot)
                i++;
            while (middle(tree, j, axis) > pivot)
                j--;
            if (i <= j)
                swap(&tree->order[i++], &tree->order[j--]);
        }
        if (k <= j)
            last = j;
        else if (k >= i)
            first = i;
        else
            return;
    }
}

static PerpTreeNode leaf(const PerpBoxTree *tree, int first, int count)
{
    PerpTreeNode node = {perp_bounds_empty(), first, count};
    for (int i = first; i < first + count; i++)
        node.bounds = perp_bounds_union(node.bounds, tree->box[tree->order[i]]);
    return node;
}

static int longest_axis(PerpBounds box)
{
    PerpVec3 e = perp_bounds_extent(box);
    return e.x >= e.y && e.x >= e.z ? 0 : e.y >= e.z ? 1 : 2;
}

static void split(PerpBoxTree *tree, int node)
{
    int first = tree->node[node].first, count = tree->node[node].count;
    if (count <= LEAF)
        return;
    int half = count / 2, children = tree->n_nodes;
    int axis = longest_axis(tree->node[node].bounds);
    select_median(tree, first, first + count - 1, first + half, axis);
    tree->n_nodes += 2;
    tree->node[children] = leaf(tree, first, half);
    tree->node[children + 1] = leaf(tree, first + half, count - half);
    tree->node[node].first = children;
    tree->node[node].count = 0;
    split(tree, children);
    split(tree, children + 1);
}

void perp_box_tree_build(PerpBoxTree *tree)
{
    tree->n_nodes = 0;
    if (tree->n == 0)
        return;
    tree->node[0] = leaf(tree, 0, tree->n);
    tree->n_nodes = 1;
    split(tree, 0);
}

void perp_box_tree_refit(PerpBoxTree *tree)
{
    for (int i = tree->n_nodes - 1; i >= 0; i--) { // children come after their parents
        PerpTreeNode *node = &tree->node[i];
        const PerpTreeNode *child = &tree->node[node->first];
        node->bounds = node->count > 0 ? leaf(tree, node->first, node->count).bounds
                                       : perp_bounds_union(child[0].bounds, child[1].bounds);
    }
}

void perp_box_tree_visit(const PerpBoxTree *tree, PerpBounds box,
                         void (*visit)(void *user, int number), void *user)
{
    int stack[64], depth = 0; // at most one node a level waits
    if (tree->n_nodes > 0)
        stack[depth++] = 0;
    while (depth > 0) {
        const PerpTreeNode *node = &tree->node[stack[--depth]];
        if (!perp_bounds_overlap(&node->bounds, &box))
            continue;
        for (int i = node->first; i < node->first + node->count; i++)
            if (perp_bounds_overlap(&tree->box[tree->order[i]], &box))
                visit(user, tree->order[i]);
        if (node->count == 0) {
            stack[depth++] = node->first + 1;
            stack[depth++] = node->first;
        }
    }
}
