// A basis of the augmented LCP   w = q + M z + d z0   and its pivots.
//
// Nonbasic variables are zero. The rows whose w is nonbasic and the columns whose z (or z0) is
// basic cross in a square core A, and everything follows from it:
//
//     x = -A^-1 q_R          basic z, z0
//     w = q + [M d]_C x      basic w (zero on the core's rows R)
//
// A^-1 is kept explicitly: each pivot changes it by one rank-one term, so that a step costs n k
// with k the size of the core, not n^2. The product with all rows of M that each step needs anyway
// shows the error of A^-1 on the core's rows; when it grows, A^-1 is made anew from M.
#ifndef PERP_PIVOTING_BASIS_H
#define PERP_PIVOTING_BASIS_H

#include "base/memory.h"

// Variables: w_i is i, z_i is n + i, z0 is 2 n.
typedef struct PerpBasis {
    int n;
    int free;   // leading rows that are equations: always in the core, at its first positions
    double *Md; // n x (n+1): M, and the covering vector d as last column
    double *q;  // n x 2: the right-hand side, and the perturbation p that breaks ties

    int k;             // size of the core
    int *row, *column; // core position -> row of M; -> column of [M d]
    int *row_place;    // row -> core position, -1 outside
    int *column_place; // column -> core position, -1 outside
    double *inverse;   // A^-1: k x k, leading dimension ld
    int ld;

    double *core_value; // n x 2: basic z and z0, by core position, for q and for p
    double *row_value;  // n x 2: basic w, by row; zero on the core's rows
    double *core_step;  // change of core_value per unit of the entering variable
    double *row_step;   // change of row_value
    bool keep_values;   // the values are better than q tells: refactorisation leaves them alone

    double *scratch; // 64 n
    int *pivots;     // n
    int factorisations;
} PerpBasis;

// A place in the basis: a core position if in_core, else a row.
typedef struct PerpPlace {
    int in_core; // 1, 0; -1: nowhere
    int index;
} PerpPlace;

bool perp_basis_take(PerpArena *arena, int n, PerpBasis *basis); // memory for n rows
// All w basic but those of the equations. False if the equations are singular.
bool perp_basis_clear(PerpBasis *basis);

// Makes z basic where active[i] is 1. False if that core is singular to working precision.
bool perp_basis_set(PerpBasis *basis, const signed char *active);

// Makes these columns basic and the w of these rows nonbasic. False as above.
bool perp_basis_set_core(PerpBasis *basis, int k, const int *row, const int *column);

int perp_basis_variable(const PerpBasis *basis, PerpPlace place); // the variable basic there

// Fills core_step and row_step for the variable that enters. False if the core became singular.
bool perp_basis_direction(PerpBasis *basis, int entering);

// The variable enters by `length` (for q and p), the one at place leaves.
void perp_basis_pivot(PerpBasis *basis, int entering, PerpPlace leaving, const double length[2]);

// Makes A^-1 and the values anew from M, d, q and p. False if singular.
bool perp_basis_refactor(PerpBasis *basis);

// The value at place if the right-hand side were the unit vector e_j.
double perp_basis_unit_value(const PerpBasis *basis, PerpPlace place, int j);

#endif
