// Which joints of a cone problem make a tree, and its bodies from the roots on.
#ifndef PERP_CONES_OPERATOR_SPANNING_TREE_H
#define PERP_CONES_OPERATOR_SPANNING_TREE_H

#include "cones/cone_problem.h"

enum { PERP_TREE_ROWS = 6 }; // of a joint, at most

typedef struct PerpTreeEdge {
    int a, b; // bodies; b may be the world, n_bodies
    int rows, constraints, first;
} PerpTreeEdge;

// Everything from the arena.
typedef struct PerpSpanningTree {
    int n_edges;
    PerpTreeEdge *edge;
    int *of_constraint;         // constraints: their edge; -1: left
    int *body;                  // bodies, by their distance from the root
    int *parent, *joint, count; // of each body: the one above it, the edge to it; -1: none
} PerpSpanningTree;

// False if memory is short.
bool perp_spanning_tree_find(PerpArena *arena, const PerpConeProblem *cones,
                             PerpSpanningTree *tree);

static inline int perp_constraint_rows(const PerpConstraint *constraint)
{
    return 1 + (constraint->row[1] >= 0) + (constraint->row[2] >= 0);
}

#endif
