// The last rung of the ladder for round cones: pivots on polygons that are refined where contacts
// slide, then Newton's method on the normal map of the exact law.
#ifndef PERP_LCP_ROUND_REFINE_H
#define PERP_LCP_ROUND_REFINE_H

#include "lcp/round.h"

// The proximal term of Newton's method: at first, and what it is multiplied by after a step that
// halved the map, or made it larger.
typedef struct PerpNormalWay {
    double soft, less, more;
} PerpNormalWay;

// Newton's method on the normal map from x on, 3 numbers a cell: impulse minus slack. x becomes the
// best that it found; returns its natural residual, NAN if memory is short. steps: at most; on
// return, how many.
double perp_round_normal(PerpArena *arena, PerpRound *round, const PerpNormalWay *way,
                         double enough, int *steps, double *x);
// A few more steps, with the velocities v kept beside the impulses r, for problems with bodies
// whose large impulses cancel. Each point is offered: true if it is good enough, or if there is no
// going on; r = v = NULL says that memory is short. Returns whether one was.
typedef struct PerpSharpenOffer {
    bool (*take)(void *user, const double *r, const double *v);
    void *user;
} PerpSharpenOffer;

bool perp_round_sharpen(PerpArena *arena, PerpRound *round, double soft, int steps, const double *x,
                        const PerpSharpenOffer *offer);
// r of x
void perp_round_normal_impulses(const PerpRound *round, const double *x, double *r);

typedef struct PerpRoundRefine {
    PerpArena *arena;
    PerpRound *round;     // with bodies
    PerpSolver *pivoting; // for the polygons
    double tolerance;     // of certificates
    const double *start;  // 3 a cell: impulses to try first; NULL: none
    // True if r is good enough, or if there is no going on.
    bool (*offer)(void *user, const double *r, PerpRung rung);
    // The same of velocities, impulses of rows and slips of groups: where large impulses cancel, r
    // alone does not say what v is to all its digits.
    bool (*offer_rows)(void *user, const double *v, const double *c, const double *slip);
    void *user;

    int rounds, pivots, iterations; // counted up
    bool memory_short;
} PerpRoundRefine;

// True if an offer was good enough, or if memory is short.
bool perp_round_refine(PerpRoundRefine *refine);

#endif
