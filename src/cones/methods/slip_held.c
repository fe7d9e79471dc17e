// The exact law with slip speeds held: s = u + slip e_n in place of s = u + |u_T| e_n, which is
// convex [Acary, Cadoux, Lemarechal and Malick 2011].

#include "cones/cone.h"
#include "cones/methods/methods.h"
#include "cones/operator/delassus.h"
#include "math/vec3.h"

#include <math.h>

// What the slip adds to the normal speeds; by -1 it is taken back.
static void shift_speeds(PerpConeProblem *cones, const double *slip, double by)
{
    for (int c = 0; c < cones->n_constraints; c++)
        if (cones->constraint[c].cone->is_contact)
            cones->constraint[c].d[0] += by * slip[c];
}

double perp_slip_held(PerpArena *arena, PerpConeProblem *cones, double tolerance, int *iterations,
                      double *r)
{
    static const PerpInteriorParameters mode = {1, 0.98, 1};
    double *v = PERP_TAKE(arena, double, cones->n_state);
    double *u = PERP_TAKE(arena, double, 3 * cones->n_constraints);
    double *slip = PERP_TAKE(arena, double, cones->n_constraints);
    if (!v || !u || !slip)
        return NAN;
    perp_delassus_velocity(cones, r, v);
    perp_delassus_speeds(cones, v, u);
    for (int c = 0; c < cones->n_constraints; c++)
        slip[c] = perp_length(u[3 * c + 1], u[3 * c + 2]);
    shift_speeds(cones, slip, 1);
    cones->shift = 0;
    double residual = perp_interior_point(arena, cones, &mode, tolerance, iterations, r);
    cones->shift = 1;
    shift_speeds(cones, slip, -1);
    return residual;
}
