// A body of a joint tree, and what its elimination leaves: shared by the files of joint_tree.h.
#ifndef PERP_CONES_OPERATOR_TREE_NODE_H
#define PERP_CONES_OPERATOR_TREE_NODE_H

#include "base/lanes.h"
#include "cones/operator/over_bodies.h"
#include "cones/operator/spanning_tree.h"

typedef struct PerpJointTree PerpJointTree; // joint_tree.h

enum { SIX = 6, SQUARE = SIX * SIX };
enum { WIDE = 8, BLOCK = SIX * WIDE }; // rows of six lie so far apart, zeros behind them

// Blocks of six rows; those of bodies with fewer velocities are filled up as in build.c. What is
// multiplied by a vector is kept by columns: no sum over lanes is needed.
struct PerpTreeNode {
    _Alignas(64) double J[BLOCK]; // rows x 6
    double Jp[BLOCK];             // at the parent
    double Jp_columns[BLOCK];     //
    double mass[BLOCK];           // and once it is eliminated the columns of M^-1
    double S_columns[BLOCK];      // rows x rows
    double below_columns[BLOCK];  // S J M^-1, rows x 6
    double H[BLOCK];              // freedom x 6
    double d[WIDE];
    int body, parent; // node of the parent, -1: none, or the world
    int rows;         // of the joint to it, 0: free
    int freedom;      // what it leaves
    int block, place; // of these in the reduced problem
    bool is_leaf;     // nothing was eliminated into it
};

// y += the sum of a_k x_k over n vectors a_k; -= likewise
PERP_KERNEL_PART void perp_wide_add(int n, const double *a, const double *x, double *y)
{
    PerpLanes8 sum = *(const PerpLanes8 *)y;
    for (int k = 0; k < n; k++)
        perp_lanes8_add(&sum, (const PerpLanes8 *)(a + WIDE * k), x[k]);
    *(PerpLanes8 *)y = sum;
}

PERP_KERNEL_PART void perp_wide_subtract(int n, const double *a, const double *x, double *y)
{
    PerpLanes8 sum = *(const PerpLanes8 *)y;
    for (int k = 0; k < n; k++)
        perp_lanes8_subtract(&sum, (const PerpLanes8 *)(a + WIDE * k), x[k]);
    *(PerpLanes8 *)y = sum;
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
