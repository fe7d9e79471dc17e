#include "geom/bounds.h"
#include "geom/triangles.h"

static PerpBounds triangle_bounds(const PerpTriangles *t, int i)
{
    PerpBounds box = perp_bounds_empty();
    for (int k = 0; k < 3; k++)
        box = perp_bounds_with(box, t->vertex[t->triangle[i].vertex[k]]);
    return box;
}

static double component(PerpVec3 a, int axis)
{
    return axis == 0 ? a.x : axis == 1 ? a.y : a.z;
}

static double middle(const PerpTriangles *t, int i, int axis)
{
    return component(perp_bounds_centre(triangle_bounds(t, i)), axis);
}

static int longest_axis(PerpBounds box)
{
    PerpVec3 e = perp_bounds_extent(box);
    return e.x >= e.y && e.x >= e.z ? 0 : e.y >= e.z ? 1 : 2;
}

static void swap(int *a, int *b)
{
    int kept = *a;
    *a = *b;
    *b = kept;
}

// Hoare's selection: afterwards nothing before order[k] has its middle above that of order[k].
static void select_median(PerpTriangles *t, int first, int last, int k, int axis)
{
    while (first < last) {
        double pivot = middle(t, t->order[(first + last) / 2], axis);
        int i = first, j = last;
        while (i <= j) {
            while (middle(t, t->order[i], axis) < pivot)
                i++;
            while (middle(t, t->order[j], axis) > pivot)
                j--;
            if (i <= j)
                swap(&t->order[i++], &t->order[j--]);
        }
        if (k <= j)
            last = j;
        else if (k >= i)
            first = i;
        else
            return;
    }
}

static PerpBounds leaf_bounds(const PerpTriangles *t, int first, int count)
{
    PerpBounds box = perp_bounds_empty();
    for (int i = first; i < first + count; i++)
        box = perp_bounds_union(box, triangle_bounds(t, t->order[i]));
    return box;
}

// Halves a node's triangles at the median along its longest side. The depth is log2 n.
static void split(PerpTriangles *t, int node)
{
    int first = t->node[node].first, count = t->node[node].count;
    if (count <= PERP_TREE_LEAF)
        return;
    int half = count / 2, children = t->n_nodes;
    int axis = longest_axis(t->node[node].bounds);
    select_median(t, first, first + count - 1, first + half, axis);
    t->n_nodes += 2;
    t->node[children] = (PerpTreeNode){leaf_bounds(t, first, half), first, half};
    t->node[children + 1] =
        (PerpTreeNode){leaf_bounds(t, first + half, count - half), first + half, count - half};
    t->node[node].first = children;
    t->node[node].count = 0;
    split(t, children);
    split(t, children + 1);
}

void perp_triangles_build_tree(PerpTriangles *t)
{
    for (int i = 0; i < t->n_triangles; i++)
        t->order[i] = i;
    t->node[0] = (PerpTreeNode){leaf_bounds(t, 0, t->n_triangles), 0, t->n_triangles};
    t->n_nodes = 1;
    split(t, 0);
}

PerpBounds perp_triangles_bounds(const PerpTriangles *t)
{
    return t->node[0].bounds;
}

void perp_triangles_visit(const PerpTriangles *t, PerpBounds box,
                          void (*visit)(void *user, int triangle), void *user)
{
    int stack[64], depth = 0; // the tree is balanced: at most log2 n nodes wait
    stack[depth++] = 0;
    while (depth > 0) {
        const PerpTreeNode *node = &t->node[stack[--depth]];
        if (!perp_bounds_overlap(node->bounds, box))
            continue;
        for (int i = 0; i < node->count; i++)
            if (perp_bounds_overlap(triangle_bounds(t, t->order[node->first + i]), box))
                visit(user, t->order[node->first + i]);
        if (node->count == 0) {
            stack[depth++] = node->first + 1;
            stack[depth++] = node->first;
        }
    }
}
