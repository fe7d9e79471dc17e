// The mixed LCP from end to end: scaled, its equations eliminated, a basis found,
// the point refined against the original numbers.
#ifndef PERP_PIVOTING_MIXED_H
#define PERP_PIVOTING_MIXED_H

#include "pivoting/basis_search.h"
#include "pivoting/free_rows.h"
#include "problem/judge.h"

typedef struct PerpMixed {
    const PerpLcp *original;          // borrowed
    const PerpLcpJudge *judge;        // of it
    PerpLcp scaled;                   // M' = R M C, q' = R q; z = C z'
    double *row_scale, *column_scale; // n each
    PerpFreeRows free_rows;           // of the scaled problem
    PerpBasisSearch search;           // of the reduced one
    double *z;                        // n, scaled
    double *point, *w;                // n, in the original's units
    double *change, *reduced;         // max(n, reduced rows)
    long double *sum;                 // n

    double *best_z, *best_w;        // n: the best point so far
    PerpLcpCertificate best;        // its certificate
    signed char *basis;             // n: 1 where z is basic, free rows included
    PerpLcpRay ray;                 // of the last ray, in the original's units
    double *ray_z, *ray_dz, *cover; // n each
} PerpMixed;

// False if memory is short; else search.outcome, best and the ray say how it ended.
bool perp_mixed_solve(PerpArena *arena, const PerpLcp *p, const PerpLcpSettings *settings,
                      const PerpLcpJudge *judge, PerpMixed *mixed);

// Takes z instead of the best point if its certificate is better, or within the tolerance. Returns
// the worst residual of z.
double perp_mixed_certify(PerpMixed *mixed, const double *z, double tolerance);

#endif
