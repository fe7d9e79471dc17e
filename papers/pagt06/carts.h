// The two carts of PAGT06 section 10.2: unit masses on a floor with friction 0.05, a spring of
// stiffness gamma from the wall to the left cart (slack at x = 0.2), a damper delta between the
// carts, a stopper with restitution 0.3 at x = 0, h = 0.01. Coordinates (x1, z1, x2, z2): the
// heights give the floor its normal force; g = 9.8.
#ifndef PERP_PAPERS_PAGT06_CARTS_H
#define PERP_PAPERS_PAGT06_CARTS_H

#include "papers/paper.h"

enum { CARTS_STEPS = 400, CARTS_POINTS = CARTS_STEPS + 1 }; // at most; the start is one

typedef struct Carts {
    const char *scheme;
    bool printed;        // collisions as section 7 prints them
    double gamma, delta; // INFINITY: a rigid link instead
    double x1, v;        // start: the carts stand 5 apart and both have v
    int steps;           // of 0.01 s
    // found, at the start and after each step
    double t[CARTS_POINTS], x[CARTS_POINTS], distance[CARTS_POINTS]; // x1, x2 - x1
    double speed[CARTS_POINTS], relative[CARTS_POINTS];              // v1, v2 - v1
    double energy[CARTS_POINTS];
    int impacts;
    double margin[PERP_BOUND_COUNT]; // least of each bound; INFINITY: never applied
} Carts;

// Runs the carts; false and a failed paper if something is wrong.
bool pagt06_carts_run(Paper *paper, Carts *carts);

// A figure of one quantity over time: `count` runs, their arrays `y`, the last one dashed.
void pagt06_carts_draw(Paper *paper, const char *name, const char *title, const char *label,
                       int count, const Carts *const *runs, const double *const *y,
                       const char *const *names);

double pagt06_largest(int count, const double *values, double from); // max |value - from|

#endif
