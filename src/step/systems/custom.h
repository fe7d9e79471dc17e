// Custom systems: functions of the caller's, dense, one block of velocities.
#ifndef PERP_STEP_SYSTEMS_CUSTOM_H
#define PERP_STEP_SYSTEMS_CUSTOM_H

#include "perp/system.h"
#include "step/scheme_tools.h"

struct PerpCustom {
    PerpSystemDef def; // arrays are ours
    int block[2];      // body_start of the one block
    int mass_start[1];
    double *restitution, *rate_restitution, *mu, *stiffness, *damping;
};

// Checks the definition; memory of the simulation's custom part.
PerpStatus perp_custom_begin(PerpSimulation *sim, const PerpSystemDef *def, PerpError *error);
// The state at the start; checks the given derivatives there.
PerpStatus perp_custom_start(PerpSimulation *sim, const PerpSystemDef *def, PerpError *error);
void perp_custom_end(PerpSimulation *sim);

// How many directions friction has at a constraint: the tangents if it is circular, else a
// polygon's.
int perp_custom_directions(const PerpSimulation *sim, const PerpSystemDef *def);

// Derivatives at q: the caller's, or by differences. Scratch comes from the step's arena; false if
// memory is short.
bool perp_custom_gradients(PerpSimulation *sim, int count,
                           void (*value)(void *user, const double *q, double *y),
                           void (*given)(void *user, const double *q, double *gradients),
                           const double *q, double *gradients);
bool perp_custom_force_derivatives(PerpSimulation *sim, double t, const double *q, const double *v,
                                   bool differences, double *k_q, double *k_v);

// The derivative of f at x is the sum of weight f(at) over these points, of fourth order.
enum { PERP_DIFFERENCE_POINTS = 4 };
double perp_difference_point(double x, int k, double *at); // returns the weight

#endif
