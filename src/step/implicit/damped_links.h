// Links of the damped trapezoidal scheme, each between the trapezoidal rule and a rigid link:
// docs/theory/pagt06.md.
#ifndef PERP_STEP_IMPLICIT_DAMPED_LINKS_H
#define PERP_STEP_IMPLICIT_DAMPED_LINKS_H

#include "step/implicit/linearised_forces.h"

// A link between soft (s = r = 0) and stiff (1): psi* = psi + a u + b u_new, u* = u + theta du.
typedef struct PerpDamping {
    double s, r;
    double a, b, theta;
    double agitation; // m u^2, what the link's own speed has of twice the kinetic energy
} PerpDamping;

// The numbers of each link; false if memory is short.
bool perp_damping_find(PerpSimulation *sim, const PerpStage *stage, const PerpImplicit *im,
                       PerpDamping *damping);

// Links of islands in which a stiff link moves get the backward Euler rule, their velocities
// lead = 1 instead of 1/2. False if memory is short.
bool perp_damping_calm(PerpSimulation *sim, const PerpStage *stage, const PerpLinks *links,
                       PerpDamping *damping, double *lead);

// The links' share of Mt and b over clusters; scratch: 2 n.
void perp_damping_add(const PerpSimulation *sim, const PerpImplicit *im, const PerpDamping *damping,
                      double h, double *scratch, double *Mt, double *b);

// The impulse that the dampers of a solved stage gave is added, in the system's order.
void perp_damping_impulse(const PerpImplicit *im, const PerpDamping *damping,
                          const PerpStage *stage, double *impulse);

#endif
