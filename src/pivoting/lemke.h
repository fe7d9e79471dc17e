// Complementary pivoting with a lexicographic rule: Lemke's path on an augmented LCP, and Lemke and
// Howson's on a bimatrix game.
#ifndef PERP_PIVOTING_LEMKE_H
#define PERP_PIVOTING_LEMKE_H

#include "base/interrupt.h"
#include "perp/lcp.h"
#include "pivoting/basis.h"

typedef struct PerpLemkePath {
    int max_pivots;
    const PerpInterrupt *interrupt; // NULL: none
    double pivot_tolerance; // steps smaller than this, relative to the largest, count as zero
    double tie_tolerance;   // values within this of each other, relative to the largest, tie

    int goal[2];  // variables whose leaving ends the path
    int pivots;   // done
    int entering; // the last variable to enter; on a ray, the one that nothing blocks
    bool ray;     // the path ended on a ray
} PerpLemkePath;

// Follows Lemke's path from the basis at hand, which must be complementary (z0 not basic). The
// covering vector and the perturbation p of the basis are taken as they are and must be positive in
// it. True if z0 left: the basis is complementary again and feasible.
bool perp_lemke(PerpBasis *basis, PerpLemkePath *path);

// Goes on from an almost complementary feasible basis that `left` has just left, until a goal
// leaves.
bool perp_lemke_follow(PerpBasis *basis, PerpLemkePath *path, int left);

// Lemke and Howson's path, if the LCP is a bimatrix game in the form
//     M = [0 A; B' 0],  A, B >= 0,  q < 0.
// Lemke's own path would be a ray from the start. p must be positive. False if it is not such a
// game, or the path failed.
bool perp_lemke_howson(PerpBasis *basis, PerpLemkePath *path);

#endif
