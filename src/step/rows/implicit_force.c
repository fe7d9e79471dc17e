#include "step/rows/implicit_force.h"

#include <math.h>

PerpImplicitRow perp_implicit_row(const PerpImplicitForce *force, double h, double mobility)
{
    double k = force->stiffness, delta = force->damping, I = force->inertia, u = force->speed;
    double W = mobility / (1 + I * mobility); // of the row with its own inertia
    double z = h * h * k * W, y = h * delta * W, stiff = z + y;
    double w = stiff < 1e100 ? stiff * stiff / (16 + stiff * stiff) : 1;
    double theta = (1 + w) / 2, b = (1 + w) / 4;
    double a = (1 + w * (3 - (stiff > 0 ? 2 * y / stiff : 0))) / 4;
    double damper = h * delta;

    // c = -(A u_new + B)
    double A = h * h * k * a + damper * theta + I;
    double B = h * k * (force->value + h * b * u) + damper * (1 - theta) * u - I * u;
    B -= h * force->push;
    if (!(A > 0))
        return (PerpImplicitRow){.compliance = INFINITY};
    bool is_damped = y > sqrt(z);
    return (PerpImplicitRow){.compliance = 1 / A,
                             .d = B / A,
                             .damper = {damper * (1 - theta), damper * theta},
                             .is_stiff = is_damped ? z > 1 || y > 4 : z > 8,
                             .is_damped = is_damped};
}
