// Pivots on inscribed polygons [ST97] that are refined where contacts slide, then Newton's method
// on the normal map of the exact law [Robinson 1992]: the last rung for second-order cones.
#ifndef PERP_CONES_METHODS_POLYGON_REFINEMENT_H
#define PERP_CONES_METHODS_POLYGON_REFINEMENT_H

#include "cones/cone_problem.h"
#include "problem/judge.h"

// The proximal term of Newton's method: at first, and what it is multiplied by after a step that
// halved the map, or made it larger.
typedef struct PerpNewtonNormalParameters {
    double epsilon, less, more;
} PerpNewtonNormalParameters;

// Newton's method on the normal map from x on, 3 numbers a constraint: impulse minus slack. x
// becomes the best that it found; returns its natural residual, NAN if memory is short. steps: at
// most; on return, how many.
double perp_newton_normal(PerpArena *arena, PerpConeProblem *cones,
                          const PerpNewtonNormalParameters *mode, double tolerance, int *steps,
                          double *x);
// A few more steps, with the velocities v kept beside the impulses r, for problems with bodies
// whose large impulses cancel. Each point is certified: true if it is within the tolerance, or if
// there is no going on; r = v = NULL says that memory is short. Returns whether one was.
typedef struct PerpRefineJudge {
    bool (*certify)(void *user, const double *r, const double *v);
    void *user;
} PerpRefineJudge;

bool perp_newton_normal_refine(PerpArena *arena, PerpConeProblem *cones, double epsilon, int steps,
                               const double *x, const PerpRefineJudge *judge);
// r of x
void perp_newton_normal_impulses(const PerpConeProblem *cones, const double *x, double *r);

typedef struct PerpPolygonRefinement {
    PerpArena *arena;
    PerpConeProblem *cones; // with bodies
    PerpJudge judge;        // of answers to the problem
    PerpJudge of_polygons;  // of answers to its polygons
    double tolerance;       // of certificates
    const double *start;    // 3 a constraint: impulses to try first

    int pivots, iterations; // counted up
    bool memory_short;
} PerpPolygonRefinement;

// True if the judge found an answer within the tolerance, or if memory is short.
bool perp_polygon_refinement(PerpPolygonRefinement *refine);

#endif
