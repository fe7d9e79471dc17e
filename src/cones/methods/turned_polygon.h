// Circular cones as even polygons that turn towards the slip, by pivoting: for problems that the
// constraint form does not know, and for product cones that other methods miss.
#ifndef PERP_CONES_METHODS_TURNED_POLYGON_H
#define PERP_CONES_METHODS_TURNED_POLYGON_H

#include "base/memory.h"
#include "pivoting/step_pivoting.h"

typedef struct PerpTurnedPolygon {
    PerpArena *arena;
    const PerpProblem *p;
    PerpJudge judge;       // of answers to the problem
    PerpJudge of_polygons; // of answers to its polygons
    PerpLcpMethod method;
    double tolerance; // of certificates
    int max_pivots;
    const PerpInterrupt *interrupt; // NULL: none

    int pivots;   // counted up
    double worst; // certificate of the best answer
} PerpTurnedPolygon;

// Until an answer is within the tolerance, or a few times.
PerpStatus perp_turned_polygon(PerpTurnedPolygon *job, PerpError *error);

#endif
