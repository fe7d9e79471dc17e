// A body of a joint tree, and what its elimination leaves: shared by the files of joint_tree.h.
#ifndef PERP_CONES_OPERATOR_TREE_NODE_H
#define PERP_CONES_OPERATOR_TREE_NODE_H

#include "cones/operator/over_bodies.h"
#include "cones/operator/spanning_tree.h"

typedef struct PerpJointTree PerpJointTree; // joint_tree.h

enum { SIX = 6, SQUARE = SIX * SIX };

// Blocks of six, by rows; those of bodies with fewer velocities are filled up as in build.c.
struct PerpTreeNode {
    int body, parent;  // node of the parent, -1: none, or the world
    int rows;          // of the joint to it, 0: free
    int freedom;       // what it leaves
    int block, place;  // of these in the reduced problem
    bool is_leaf;      // nothing was eliminated into it
    double J[SQUARE];  // rows x 6
    double Jp[SQUARE]; // at the parent
    double d[SIX];
    double mass[SQUARE], inverse[SQUARE];
    double S[SQUARE];     // rows x rows
    double below[SQUARE]; // S J M^-1, rows x 6
    double H[SQUARE];     // freedom x 6
};

// y += or -= A'x, A of n rows
static inline void perp_six_add_transposed(int n, double sign, const double *A, const double *x,
                                           double *y)
{
    for (int k = 0; k < n; k++)
        for (int i = 0; i < SIX; i++)
            y[i] += sign * A[SIX * k + i] * x[k];
}

// y += A x, A of n rows
static inline void perp_six_add_times(int n, const double *A, const double *x, double *y)
{
    for (int k = 0; k < n; k++)
        for (int i = 0; i < SIX; i++)
            y[k] += A[SIX * k + i] * x[i];
}

// Fills tree->node and eliminates one after the other. False if masses are not symmetric or rows of
// a joint depend on each other.
bool perp_tree_eliminate(PerpJointTree *tree, const PerpSpanningTree *spanning);

// Velocities of all nodes under the impulses of the constraints that are left, and the joints'
// impulses, into r.
void perp_tree_respond(PerpJointTree *tree, double *r);

// The reduced problem, from tree->left on; false if memory is short.
bool perp_tree_reduce(PerpArena *arena, PerpJointTree *tree);

#endif
