// The exact law with slip speeds held: s = u + slip e_n in place of s = u + |u_T| e_n, which is
// convex [Acary, Cadoux, Lemarechal and Malick 2011].

#include "lcp/round_methods.h"
#include "math/vec3.h"

#include <math.h>

// What the slip adds to the normal speeds; by -1 it is taken back.
static void shift_speeds(PerpRound *round, const double *slip, double by)
{
    for (int c = 0; c < round->n_cells; c++)
        if (round->cell[c].kind == PERP_CELL_CONE)
            round->cell[c].d[0] += by * slip[c];
}

double perp_round_held(PerpArena *arena, PerpRound *round, double enough, int *iterations,
                       double *r)
{
    static const PerpInteriorWay way = {1, 0.98, 1};
    double *v = PERP_TAKE(arena, double, round->n_state);
    double *u = PERP_TAKE(arena, double, 3 * round->n_cells);
    double *slip = PERP_TAKE(arena, double, round->n_cells);
    if (!v || !u || !slip)
        return NAN;
    perp_round_velocity(round, r, v);
    perp_round_speeds(round, v, u);
    for (int c = 0; c < round->n_cells; c++)
        slip[c] = perp_length(u[3 * c + 1], u[3 * c + 2]);
    shift_speeds(round, slip, 1);
    round->shift = 0;
    double residual = perp_interior(arena, round, &way, enough, iterations, r);
    round->shift = 1;
    shift_speeds(round, slip, -1);
    return residual;
}
