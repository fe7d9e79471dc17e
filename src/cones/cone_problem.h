// A step problem with round friction cones, in the form in which Newton's method sees it:
// constraints of up to three rows, scaled so that every cone is { |x_T| <= x_n } and every
// constraint has inverse mass 1.
//
//     M v = b + J'r        u = J v + d
//     cone:   r in K,  u + |u_T| e_n in K,  r'(u + |u_T| e_n) = 0           [de Saxce]
//             without the shift |u_T| for the convex relaxation, which is convex
//     joint:  u = 0
//     box:    lo <= r <= hi, u >= 0 at lo, u <= 0 at hi, u = 0 between
//
// A cone may be wide (product.h): its contact has further friction groups, in the constraint behind
// it, its coupled constraint, or is pressed by more than its own impulse, x_n >= floor, or has a
// polygon.
//
// A change of all constraints r at once, dr = g - C J dv, costs one sparse factorisation over the
// bodies:
//
//     (M + J'C J) dv = J'g
//
// or, for problems that are given as u = W r + q without bodies (explicit.c), over the constraints:
//
//     (1 + C W) dr = g
#ifndef PERP_CONES_CONE_PROBLEM_H
#define PERP_CONES_CONE_PROBLEM_H

#include "cones/polygon.h"
#include "math/sparse/block_lu.h"
#include "math/sparse/graph.h"
#include "perp/problem.h"

typedef enum PerpConstraintKind {
    PERP_CONSTRAINT_BILATERAL,
    PERP_CONSTRAINT_BOX,
    PERP_CONSTRAINT_CONE,
    PERP_CONSTRAINT_COUPLED // further friction groups of the cone before it
} PerpConstraintKind;

typedef struct PerpConstraint {
    PerpConstraintKind kind;
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
    int facets[2];   // of the polygons of the two groups; 0: round
    int facet[2];    // where they begin
} PerpConstraint;

typedef struct PerpBlockPlace {
    double *block; // of the matrix
    bool transposed;
} PerpBlockPlace;

// W in rows of 3 x 3 blocks, scaled; each row begins with its diagonal block.
typedef struct PerpDelassusRows {
    int *start;  // n_cells + 1; NULL: the problem has bodies
    int *column; // start[n_cells]
    double *W;   // 9 each, by rows
} PerpDelassusRows;

typedef struct PerpContactGroups PerpContactGroups;

// Everything from the arena.
typedef struct PerpConeProblem {
    const PerpProblem *p;       // NULL: local form
    PerpDelassusRows rows;      // local form
    PerpArena *arena;           // the order of elimination is found when it is needed
    PerpGraphCache *cache;      // graphs of earlier problems; NULL: none
    int threads;                // of a factorisation
    PerpContactGroups *groups;  // local form: what the matrix is made of; NULL: of constraints
    bool analysed;              // is the order known?
    PerpBlockPlace *place;      // local form: of constraint after constraint, pairs of entries
    int n_state;                // numbers of the state: n_bodies * size, or 3 a constraint
    int size;                   // numbers of a body, 3 or 6; what it does not have is 0
    int n_constraints;          //
    int n_inequalities;         // of them: all but joints
    int n_coupled;              // cones with a coupled constraint: constraints 0 and 1, 2 and 3, ..
    bool product;               // are there any, or floors, or polygons?
    PerpFacet *facet;           // of polygons
    int n_facets;               //
    PerpConstraint *constraint; //
    int *entry_body;            // entries
    int entries;                //
    double *mass;               // n_bodies size x size blocks, by columns
    double *inverse;            // of them
    bool diagonal;              // all of them are
    double *free;               // n_bodies * size: M^-1 b / speed
    double speed;               // what speeds and impulses are divided by
    double idle;                // residual without impulses: 1, or 0 if nothing breaks the law
    double shift; // 1: the exact law; 0: the relaxed one, convex, without the shift by |u_T|
    const PerpBlockKernels *kernels;
    int pad; // rows of padded_J, columns of padded_inverse, bodies in x are so far apart
    const int *entry_start; // n_cells + 1
    const int *body_place;  // bodies -> where they are in x: as numbered, or in the order
    const int *entry_place; // the same for the bodies of entries
    const PerpGraph *graph; // of the matrix, once it is known (elimination.h)
    PerpBlockLu lu;         // likewise
    bool *joins;            // n_cells, scratch; NULL: the graph is that of all constraints
    double *padded_J;       // of each entry three rows, pad apart, scaled
    double *padded_inverse; // inverse with columns pad apart; if diagonal, its diagonals alone
    double *C;              // 9 a constraint, by rows
    double *cross; // 18 a pair: C between a cone and its coupled constraint, and the other way
    double *x;     // n_bodies * pad, scratch
    double *e, *w; // 3 a constraint, scratch
} PerpConeProblem;

// Has the problem a form that this solver knows: blocks of at most six velocities, friction groups
// that are round or polygons in a plane, at most three a contact and behind each other, with
// cohesion in the same ratio to mu?
bool perp_cones_fits(const PerpProblem *p);
// False if memory is short.
bool perp_cones_build(PerpArena *arena, const PerpProblem *p, PerpConeProblem *cones);
// With graphs that are kept from one problem to the next, and without the order of elimination:
// perp_delassus_analyse finds it, once, before anything is factorised. It takes from the arena.
bool perp_cones_build_cached(PerpArena *arena, PerpGraphCache *cache, const PerpProblem *p,
                             PerpConeProblem *cones);
bool perp_delassus_analyse(PerpConeProblem *cones);

// The state v = M^-1 (b + J'r), in local form W r; u = J v + d, in local form v + d; r and u three
// numbers a constraint.
void perp_delassus_velocity(const PerpConeProblem *cones, const double *r, double *v);
void perp_delassus_speeds(const PerpConeProblem *cones, const double *v, double *u);

// Factorises M + J'C J with the C at hand; false if it is singular.
bool perp_delassus_factor(PerpConeProblem *cones);
// The change dr = g - C J dv with M dv = J'dr, refined.
void perp_delassus_solve(PerpConeProblem *cones, const double *g, double *dr);

// How far (r, u) is from the law: the largest natural residual |r - P(r - z)| of a constraint.
double perp_cones_residual(const PerpConeProblem *cones, const double *r, const double *u);

void perp_cones_count_inequalities(PerpConeProblem *cones);
bool perp_cones_have_joints(const PerpConeProblem *cones);
int perp_cones_count_contacts(const PerpConeProblem *cones);

#endif
