// Contacts between the same two bodies have six degrees of freedom, however many there are: of the
// rows of such a group up to six stand for the others,
//
//     W = P W' P',   W' = W of those rows, P block diagonal with ones in those rows
//
// and a change of all constraints, (1 + C W) dr = g, costs a factorisation over the groups:
//
//     (1 + W' K) w = W' P'g,   dr = g - C P w,   K = P'C P
//
// Groups are found in the numbers of W alone: it comes without bodies.
#ifndef PERP_CONES_OPERATOR_CONTACT_GROUPS_H
#define PERP_CONES_OPERATOR_CONTACT_GROUPS_H

#include "cones/cone_problem.h"

enum { PERP_GROUP_ROWS = 6 };

struct PerpContactGroups {
    int n;                 //
    int *first, *member;   // n + 1, constraints: those of each group
    int *of_constraint;    // constraints
    int *row;              // 6 a group: 3 constraint + k of the rows that stand for it, -1: none
    double *P;             // 18 a constraint: three rows of six
    int *start, *column;   // n + 1: W' in rows of blocks, the diagonal one first
    double *W;             // 36 a block, by rows
    PerpBlockPlace *place; // of each block in the matrix
    double *K;             // 36 a group, by rows
    double *w;             // 6 a group, scratch
};

// Sets cones->groups if that makes the matrix much smaller. False if memory is short.
bool perp_contact_groups_find(PerpConeProblem *cones);

// These are perp_explicit_factor and the solution of its system, e = (1 + C W)^-1 e.
bool perp_contact_groups_factor(PerpConeProblem *cones);
void perp_contact_groups_solve(PerpConeProblem *cones, double *e);

#endif
