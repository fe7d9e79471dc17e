// Joints that make a tree: a spanning tree of the graph of bodies, and the order of its bodies.
//
// Constraints in a row between the same two bodies are one joint. Those that would close a loop,
// and those of more than two bodies, are left out.

#include "cones/operator/spanning_tree.h"

#include "cones/cone.h"

static int find_root(int *group, int k)
{
    while (group[k] != k)
        k = group[k] = group[group[k]];
    return k;
}

// Constraints in a row between the same bodies are one joint.
static bool joins_last(const PerpConeProblem *cones, const PerpConstraint *constraint,
                       const PerpTreeEdge *edge)
{
    const int *body = cones->bodies.entry_body + constraint->first;
    return edge->a == body[0] &&
           (constraint->end - constraint->first == 1 ? edge->b == cones->p->n_bodies
                                                     : edge->b == body[1]) &&
           edge->rows + perp_constraint_rows(constraint) <= PERP_TREE_ROWS;
}

// Each joint that joins what was apart. group: bodies and the world. Returns how many edges.
static int choose_edges(const PerpConeProblem *cones, int *group, int *of_constraint,
                        PerpTreeEdge *edges)
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
            PerpTreeEdge edge = {.a = body[0], .b = entries == 2 ? body[1] : world, .first = c};
            int a = find_root(group, edge.a), b = find_root(group, edge.b);
            last = -1;
            if (a == b)
                continue;
            group[a] = b;
            last = n++;
            edges[last] = edge;
        }
        edges[last].rows += perp_constraint_rows(constraint);
        edges[last].constraints++;
        of_constraint[c] = last;
    }
    return n;
}

typedef struct Adjacency {
    int *start, *edge; // of bodies and the world
} Adjacency;

static bool list_neighbours(PerpArena *arena, int bodies, int n, const PerpTreeEdge *edges,
                            Adjacency *to)
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

static void visit(int bodies, const PerpTreeEdge *edges, const Adjacency *to, bool *seen,
                  PerpSpanningTree *tree, int root)
{
    int at = tree->count;
    seen[root] = true;
    for (int k = root;; k = tree->body[at++]) {
        for (int i = to->start[k]; i < to->start[k + 1]; i++) {
            const PerpTreeEdge *edge = &edges[to->edge[i]];
            int other = edge->a == k ? edge->b : edge->a;
            if (seen[other])
                continue;
            seen[other] = true;
            tree->parent[other] = k < bodies ? k : -1;
            tree->joint[other] = to->edge[i];
            tree->body[tree->count++] = other;
        }
        if (at == tree->count)
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

// By their distance from the root: of what hangs from the world the world, else the body with the
// most joints, so that paths are short.
static bool order_bodies(PerpArena *arena, int bodies, int *group, PerpSpanningTree *tree)
{
    Adjacency to;
    bool *seen = PERP_TAKE(arena, bool, bodies + 1);
    int *root = PERP_TAKE(arena, int, bodies + 1);
    if (!seen || !root || !list_neighbours(arena, bodies, tree->n_edges, tree->edge, &to))
        return false;
    visit(bodies, tree->edge, &to, seen, tree, bodies);
    choose_roots(bodies, &to, group, root);
    for (int k = 0; k < bodies; k++) {
        int from = root[find_root(group, k)];
        if (seen[from])
            continue;
        tree->parent[from] = tree->joint[from] = -1;
        tree->body[tree->count++] = from;
        visit(bodies, tree->edge, &to, seen, tree, from);
    }
    return true;
}

bool perp_spanning_tree_find(PerpArena *arena, const PerpConeProblem *cones, PerpSpanningTree *tree)
{
    int bodies = cones->p->n_bodies, *group = PERP_TAKE_RAW(arena, int, bodies + 1);
    *tree = (PerpSpanningTree){.edge = PERP_TAKE_RAW(arena, PerpTreeEdge, bodies + 1),
                               .of_constraint = PERP_TAKE_RAW(arena, int, cones->n_constraints),
                               .body = PERP_TAKE_RAW(arena, int, bodies),
                               .parent = PERP_TAKE_RAW(arena, int, bodies + 1),
                               .joint = PERP_TAKE_RAW(arena, int, bodies + 1)};
    if (!group || !tree->edge || !tree->of_constraint || !tree->body || !tree->parent ||
        !tree->joint)
        return false;
    tree->n_edges = choose_edges(cones, group, tree->of_constraint, tree->edge);
    return order_bodies(arena, bodies, group, tree);
}
