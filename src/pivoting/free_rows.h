// Elimination of the equations of a mixed LCP.
//
//     0   = A z_f + B z + q_f          A the free block, possibly singular
//     w   = C z_f + M z + q_c
//
// With A N = 0 and U'A = 0 the null spaces of A, z_f = -A^-(B z + q_f) + N t, where A^- is a
// rank-revealing solve. What is left is
//
//     0   = U'B z + U'q_f              t free: written as t = t+ - t-, with a row for each sign
//     w   = (M - C A^- B) z + C N t + q_c - C A^- q_f
//
// and often U'B and C N vanish (redundant joints), so that t drops out. If the whole matrix is
// positive semidefinite, U may be taken equal to N and what is left is so too.
#ifndef PERP_PIVOTING_FREE_ROWS_H
#define PERP_PIVOTING_FREE_ROWS_H

#include "math/lapack.h"
#include "perp/lcp.h"

typedef struct PerpFreeRows {
    PerpLcp lcp;    // the mixed problem, borrowed
    int f, c;       // free rows, complementary rows
    PerpQr qr;      // of A
    int rest;       // columns of N and U that matter
    double *X;      // f x c: A^- B
    double *xq;     // f: A^- q_f
    double *N;      // f x rest
    double *U;      // f x rest
    double *y;      // f: A^- r_f of the last reduction
    double *packed; // f, scratch

    int n;               // of the reduced LCP: c + 2 rest
    const double *M, *q; // reduced
} PerpFreeRows;

bool perp_free_rows_eliminate(PerpArena *arena, const PerpLcp *lcp, PerpFreeRows *free_rows);

// z (of the mixed problem) from the reduced one's; without the constant part if homogeneous.
void perp_free_rows_expand(PerpFreeRows *free_rows, const double *reduced, bool homogeneous,
                           double *z);

// The reduced problem's residual that a residual of the mixed one amounts to; keeps A^- r_f in y.
void perp_free_rows_reduce(PerpFreeRows *free_rows, const double *residual, double *reduced);

#endif
