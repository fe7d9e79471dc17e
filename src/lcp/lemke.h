// Lemke's complementary pivoting on an augmented LCP, with a lexicographic rule.
#ifndef PERP_LCP_LEMKE_H
#define PERP_LCP_LEMKE_H

#include "lcp/basis.h"
#include "perp/lcp.h"

typedef struct PerpLemkePath {
    int max_pivots;
    double pivot_tolerance; // steps smaller than this, relative to the largest, count as zero
    double tie_tolerance;   // values within this of each other, relative to the largest, tie

    int pivots;    // done
    int entering;  // the last variable to enter; on a ray, the one that nothing blocks
    bool ray;      // the path ended on a ray
    bool singular; // rounding made the core singular
} PerpLemkePath;

// Follows the path from the basis at hand, which must be complementary (z0 not basic). The covering
// vector and the perturbation p of the basis are taken as they are and must be positive in it.
// True if z0 left: the basis is complementary again and feasible.
bool perp_lemke_follow(PerpBasis *basis, PerpLemkePath *path);

#endif
