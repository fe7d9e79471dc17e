// The system of Newton's method over the bodies: (M + J'C J) dv = J'g. See round.h.
#ifndef PERP_LCP_ROUND_BODIES_H
#define PERP_LCP_ROUND_BODIES_H

#include "lcp/exact_sum.h"
#include "lcp/round.h"

#include <string.h>

// The numbers of a body, mostly six: a copy that needs no call.
static inline void perp_copy_row(int n, const double *from, double *to)
{
    if (n == 6)
        memcpy(to, from, 6 * sizeof(double));
    else
        memcpy(to, from, (size_t)n * sizeof(double));
}

// Row k of an entry.
static inline double *perp_round_row(const PerpRound *round, int entry, int k)
{
    return round->wide_J + (size_t)round->pad * (3 * (size_t)entry + (size_t)k);
}

// What products need, from the arena.
bool perp_round_bodies_prepare(PerpRound *round);
// What factorisations need besides, from the arena and from the kept graphs.
bool perp_round_bodies_analyse(PerpRound *round);

// Rows of the cells first .. end - 1, for the kernels.
PerpBlockCells perp_round_bodies_rows(const PerpRound *round, int first, int end);
// x = M^-1 x, pad numbers
static inline void perp_round_bodies_weigh(const PerpRound *round, int body, double *x)
{
    int pad = round->pad;
    size_t block = (size_t)(round->diagonal ? pad : round->size * pad);
    const double *inverse = round->wide_inverse + block * (size_t)body;
    if (!round->diagonal)
        round->kernels->multiply(inverse, x, x);
    for (int i = 0; i < pad && round->diagonal; i++)
        x[i] *= inverse[i];
}

bool perp_round_bodies_factor(PerpRound *round);
void perp_round_bodies_velocity(const PerpRound *round, const double *r, double *v);
void perp_round_bodies_speeds(const PerpRound *round, const double *v, double *u);
void perp_round_bodies_change(PerpRound *round, const double *g, double *dr);

// Where large impulses cancel at a light body, v does not follow from r: both are kept, and what
// rounding leaves of the momentum, M (v - free) - J'r, is made good in the next step:
//     (M + J'C J) dv = J'g - momentum,   dr = g - C J dv
// sum: n_state, scratch
void perp_round_bodies_defect(const PerpRound *round, const double *r, const double *v,
                              PerpSum *sum, double *momentum);
void perp_round_bodies_move(PerpRound *round, const double *g, const double *momentum, double *dv,
                            double *dr);

#endif
