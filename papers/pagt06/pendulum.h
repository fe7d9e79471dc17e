// The double pendulum before a wall of PAGT06 section 10.1, in Cartesian coordinates (x1, y1, x2,
// y2): unit masses and rods, both restitution coefficients 0.1, g = 9.8 as Table 10.1 was made
// with.
#ifndef PERP_PAPERS_PAGT06_PENDULUM_H
#define PERP_PAPERS_PAGT06_PENDULUM_H

#include "papers/paper.h"

// Without its start: x1 >= 0 and x2 >= 0, starting at rest. NULL and a failed paper if it cannot be
// created.
PerpSimulation *pagt06_pendulum(Paper *paper, const char *scheme, double step);

// One step; false and a failed paper if it cannot be done.
bool pagt06_step(Paper *paper, PerpSimulation *simulation);

void pagt06_pendulum_joints(const double *q, double theta[2]); // Theta of (4.1)

#endif
