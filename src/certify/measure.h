// What the certificate of a step problem measures before it judges: numbers of the problem alone.
//
//     e_k  = |v|_Mt + |v_f|_Mt                 of body k, |x|_A = sqrt(x'A x), Mt v_f = b
//     s_r  = |d_r| + sum_k |J_rk'|_inv(Mt) e_k a bound on |y_r|, by Cauchy and Schwarz
//     W_r  = sum_k |J_rk'|_inv(Mt)^2           diagonal of the Delassus operator, an inverse mass:
//                                              turns impulses into velocities; + C_r of
//                                              compliant rows
#ifndef PERP_CERTIFY_MEASURE_H
#define PERP_CERTIFY_MEASURE_H

#include "base/memory.h"
#include "certify/certificate_rows.h"

// Impulses are doubles: where large ones cancel, no choice of doubles makes the sum vanish. What
// four units in their last place may cause is not counted.
#define PERP_IMPULSE_ROUNDING 0x1p-50

// Velocities are in the kinetic metric, sqrt(J).
typedef struct PerpMeasuredBody {
    int first, n;     // velocities first .. first + n - 1
    bool diagonal;    // Mt has nothing off its diagonal, and so has the inverse
    const double *Mt; // n x n
    double *inverse;  // n x n, or the n numbers of the diagonal
    double speed;     // e_k
    double error;     // |Mt v - J'c - b|_inv(Mt)
    double rounding;  // the part of it that rounding of c to doubles may cause
} PerpMeasuredBody;

typedef struct PerpMeasures {
    double energy, free_energy; // J, see PerpCertificate
    bool symmetric;             // Mt is
    PerpMeasuredBody *body;     // n_bodies, the one allocation: perp_free this when done
    PerpCertificateRow *row;    // rows
} PerpMeasures;

// Of velocities v and impulses c. y_free of the rows is needed for the gap alone. False if memory
// is short.
bool perp_certificate_measure(const PerpAllocator *allocator, const PerpProblem *p, const double *v,
                              const double *c, bool asks_gap, PerpMeasures *to);

#endif
