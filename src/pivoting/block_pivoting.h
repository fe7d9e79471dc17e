// Block principal pivoting for symmetric positive semidefinite M: fast, but it may fail.
#ifndef PERP_PIVOTING_BLOCK_PIVOTING_H
#define PERP_PIVOTING_BLOCK_PIVOTING_H

#include "base/memory.h"

typedef struct PerpBlockPivoting {
    int n;
    const double *M, *q; // borrowed
    signed char *active; // n: result
    double *z;           // n: result
    int pivots;          // exchanged rows

    int k;        // rows of the factor
    bool skipped; // an active row was left out because it depends on others
    int *row;     // n: row of the factor -> row of M
    double *L;    // n x n by columns: Cholesky factor of the active block
    double *y;    // n: -L^-1 q
    double *w;    // n: M z + q
    double *x;    // n: z of the factor's rows
    int *order;   // n
} PerpBlockPivoting;

bool perp_block_pivoting_take(PerpArena *arena, int n, PerpBlockPivoting *pivoting);

// False if it gave up; nothing is lost but time.
bool perp_block_pivoting_solve(PerpBlockPivoting *pivoting);

#endif
