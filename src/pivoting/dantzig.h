// Principal pivoting after Cottle and Dantzig, for symmetric positive semidefinite M.
#ifndef PERP_PIVOTING_DANTZIG_H
#define PERP_PIVOTING_DANTZIG_H

#include "pivoting/basis.h"

typedef struct PerpDantzigPath {
    int max_pivots;
    int pivots; // done
} PerpDantzigPath;

// Starts from all w basic. True if the basis ends feasible; false if M turned out not to be
// positive semidefinite, the problem infeasible, or the pivots used up.
bool perp_dantzig_follow(PerpBasis *basis, PerpDantzigPath *path);

bool perp_is_symmetric(int n, const double *M); // to rounding

#endif
