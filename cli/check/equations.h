// Terms of the margins: norms in the metric of M, links, free rotations.
#ifndef PERP_CLI_CHECK_EQUATIONS_H
#define PERP_CLI_CHECK_EQUATIONS_H

#include "check/states.h"

double metric_square(const PerpEquations *e, const double *v);            // v'M v
double metric_norm(const PerpEquations *e, const double *v);              // |v|_M
void metric_momentum(const PerpEquations *e, const double *v, double *p); // p = M v

// x = M^-1 x of rigid bodies; all NaN in a block that is not positive definite.
void metric_divide(const PerpEquations *e, double *x);

// |M^-1 f|_M = sqrt(f'M^-1 f); work: as many numbers as velocities.
double metric_dual(const PerpEquations *e, const double *f, double *work);

double link_rate(const PerpEquations *e, int link, const double *v);      // g'v
double link_value(const PerpEquations *e, int link, int velocity);        // of g
void link_add(const PerpEquations *e, int link, double s, double *f);     // f += s g
void links_add_force(const PerpEquations *e, const double *v, double *f); // with dampers

// One after the other, the bodies that can move: false after the last. Begin with {.body = -1}.
typedef struct MovingBody {
    int body, block; // of the model, of the equations
    int first, n;    // its velocities
    unsigned freedom;
} MovingBody;

bool next_moving(const CheckStates *states, MovingBody *body);

// Its three spins, which are the last of its velocities, or -1 where it is held about some axis:
// what holds it takes the torque that would keep its angular momentum.
int free_spin_at(const MovingBody *body);

void cross_product(const double a[3], const double b[3], double c[3]); // c = a x b

#endif
