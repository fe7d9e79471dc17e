// Joints eliminated in tree order: what is left of a cone problem is one over its contacts, bounds
// and loops. See joint_tree.c.
#ifndef PERP_CONES_OPERATOR_JOINT_TREE_H
#define PERP_CONES_OPERATOR_JOINT_TREE_H

#include "cones/cone_problem.h"

typedef struct PerpTreeNode PerpTreeNode;

// Everything from the arena.
typedef struct PerpJointTree {
    const PerpConeProblem *cones; // borrowed
    int n_nodes;                  // one for each body
    PerpTreeNode *node;           // children before their parents
    int *node_of;                 // bodies
    int *edge;                    // of constraints: the body whose joint it is; -1: it is left
    int n_left;                   // constraints that are left,
    int *left;                    // and which these are
    double *force, *velocity;     // 8 a node, scratch
    bool fits;                    // the problem has this form
    PerpProblem blocks;           // of freedoms, which are the reduced problem's bodies
    PerpConeProblem reduced;      // over the constraints that are left
} PerpJointTree;

// False if memory is short. A problem does not fit if masses are not symmetric, if rows of a joint
// depend on each other, or if paths to the roots are so long that nothing is gained.
bool perp_joint_tree_build(PerpArena *arena, const PerpConeProblem *cones, PerpJointTree *tree);

// Between the impulses of the whole problem and those of the constraints that are left. The joints'
// impulses follow from these.
void perp_joint_tree_from_whole(const PerpJointTree *tree, const double *r, double *x);
void perp_joint_tree_to_whole(PerpJointTree *tree, const double *x, double *r);

#endif
