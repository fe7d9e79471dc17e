// The constraint form of a step problem: constraints of up to three rows over cones, scaled so that
// every friction cone is { |x_T| <= x_n } and every constraint has inverse mass 1.
//
//     M v = b + J'r        u = J v + d
//     cone:   r in K,  u + |u_T| e_n in K,  r'(u + |u_T| e_n) = 0           [de Saxce]
//             without the shift |u_T| the law is convex; slip held adds to d what it shifts
//     joint:  u = 0
//     box:    lo <= r <= hi, u >= 0 at lo, u <= 0 at hi, u = 0 between
//
// Product cones (product.h) have further friction groups, in the constraint behind, or are pressed
// by more than their own impulse, x_n >= floor, or have a polygon.
//
// A change of all impulses at once, dr = g - C J dv, costs one sparse factorisation over the
// bodies:
//
//     (M + J'C J) dv = J'g
//
// or, with an explicit Delassus operator W, u = W r + q, one over the constraints:
//
//     (1 + C W) dr = g
#ifndef PERP_CONES_CONE_PROBLEM_H
#define PERP_CONES_CONE_PROBLEM_H

#include "base/interrupt.h"
#include "cones/polygon.h"
#include "math/sparse/block_lu.h"
#include "math/sparse/graph.h"
#include "perp/problem.h"

typedef struct PerpCone PerpCone;         // cone.h
typedef struct PerpDelassus PerpDelassus; // operator/delassus.h

typedef struct PerpConstraint {
    const PerpCone *cone;
    int row[3];      // of the problem: normal, tangents; -1: none
    int first, end;  // entries
    double scale[3]; // impulse of the row = scale r, speed of the row = u / scale
    double d[3];     // scaled
    double lo, hi;   // boxes, scaled
    double floor;    // of a cone's normal number, scaled; mostly 0
    int group;       // friction group, -1: none
    int other;       // coupled constraints: the group of the rows from `split` on, -1: none
    int split;       //
    double slope[2]; // coupled constraints: of the two groups, |x_g| <= slope x_n
    int facets[2];   // of the polygons of the two groups; 0: circular
    int facet[2];    // where they begin
} PerpConstraint;

// The Delassus operator W = J M^-1 J' over the bodies: nothing larger than J and M is stored.
typedef struct PerpOverBodies {
    int size; // numbers of a body, 3 or 6; what it does not have is 0
    int pad;  // rows of padded_J, bodies in x are so far apart
    const PerpBlockKernels *kernels;
    double *mass, *inverse; // n_bodies size x size blocks, by columns
    bool diagonal;          // all of them are
    double *free;           // n_bodies * size: M^-1 b / speed
    double *padded_inverse; // inverse with columns pad apart; if diagonal, its diagonals
    int entries;            // of constraints: their bodies
    int *entry_body;        //
    const int *entry_start; // n_constraints + 1
    double *padded_J;       // of each entry three rows, pad apart, scaled
    const int *body_place;  // bodies -> where they are in x: as numbered, or in the order
    const int *entry_place; // the same for the bodies of entries
    PerpGraphCache *cache;  // graphs of earlier problems; NULL: none
    const PerpGraph *graph; // of the matrix, once it is known (elimination.h)
    bool *joins;            // n_constraints, scratch; NULL: the graph is that of all
    double *x;              // n_bodies * pad, scratch
} PerpOverBodies;

typedef struct PerpBlockPlace {
    double *block; // of the matrix
    bool transposed;
} PerpBlockPlace;

typedef struct PerpContactGroups PerpContactGroups;

// W in rows of 3 x 3 blocks, scaled; each row begins with its diagonal block.
typedef struct PerpDelassusRows {
    int *start;  // n_constraints + 1
    int *column; // start[n_constraints]
    double *W;   // 9 each, by rows
} PerpDelassusRows;

// W as it is given.
typedef struct PerpExplicitW {
    PerpDelassusRows rows;
    PerpBlockPlace *place;     // of each block in the matrix of Newton's method
    PerpContactGroups *groups; // what that matrix is made of; NULL: of constraints
} PerpExplicitW;

// The system of Newton's method.
typedef struct PerpNewtonSystem {
    bool analysed;  // is the order of elimination known?
    bool symmetric; // C is; false unless set
    PerpBlockLu lu;
    double *C;     // 9 a constraint, by rows
    double *cross; // 18 a pair: C between a cone and its coupled constraint, and the other way
    double *e, *w; // 3 a constraint, scratch
} PerpNewtonSystem;

// Everything from the arena.
typedef struct PerpConeProblem {
    const PerpProblem *p;           // NULL: the operator is explicit
    const PerpDelassus *delassus;   // which of the next two it is, operator/delassus.h
    PerpOverBodies bodies;          //
    PerpExplicitW explicit_W;       //
    PerpNewtonSystem newton;        //
    PerpArena *arena;               // the order of elimination is found when it is needed
    int threads;                    // of a factorisation
    int n_state;                    // numbers of the state: of all bodies, or 3 a constraint
    int n_constraints;              //
    int n_inequalities;             // of them: all but joints
    int n_coupled;                  // cones with a coupled constraint: 0 and 1, 2 and 3, ..
    bool product;                   // is any a product cone?
    bool uneven;                    // inverse masses are not about 1: joints are eliminated
    PerpConstraint *constraint;     //
    PerpFacet *facet;               // of polygons
    int n_facets;                   //
    double speed;                   // what speeds and impulses are divided by
    double zero_residual;           // without impulses: 1, or 0 if nothing breaks the law
    double shift;                   // of |u_T|: 1 the exact law, 0 a convex one
    const PerpInterrupt *interrupt; // ends iterations early; NULL: none
} PerpConeProblem;

// Has the problem a form that this solver knows: blocks of at most six velocities, friction groups
// that are circular or polygons in a plane, at most three a contact and behind each other, with
// cohesion in the same ratio to mu?
bool perp_cones_fits(const PerpProblem *p);
// Without the order of elimination: perp_delassus_analyse (operator/delassus.h) finds it, once,
// before anything is factorised. cache: graphs that are kept from one problem to the next; NULL:
// none. False if memory, which is the arena's, is short.
bool perp_cones_build(PerpArena *arena, PerpGraphCache *cache, const PerpProblem *p,
                      PerpConeProblem *cones);

// How far (r, u) is from the law: the largest natural residual |r - P(r - z)| of a constraint.
double perp_cones_residual(const PerpConeProblem *cones, const double *r, const double *u);

void perp_cones_count_inequalities(PerpConeProblem *cones);
bool perp_cones_have_joints(const PerpConeProblem *cones);
int perp_cones_count_contacts(const PerpConeProblem *cones);

#endif
