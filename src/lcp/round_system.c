// The residual of cells, and the system of Newton's method in its two forms: over the bodies
// (round_bodies.c), and u = W r + q without them (round_local.c).

#include "lcp/round.h"

#include "lcp/round_bodies.h"
#include "lcp/round_cone.h"
#include "lcp/round_local.h"
#include "lcp/round_wide.h"

#include <math.h>

// --- the system of Newton's method --------------------------------------------------------------

bool perp_round_analyse(PerpRound *round)
{
    if (!round->analysed)
        round->analysed =
            round->rows.start ? perp_round_local_analyse(round) : perp_round_bodies_analyse(round);
    return round->analysed;
}

bool perp_round_factor(PerpRound *round)
{
    return round->rows.start ? perp_round_local_factor(round) : perp_round_bodies_factor(round);
}

void perp_round_velocity(const PerpRound *round, const double *r, double *v)
{
    if (round->rows.start)
        perp_round_local_velocity(round, r, v);
    else
        perp_round_bodies_velocity(round, r, v);
}

void perp_round_speeds(const PerpRound *round, const double *v, double *u)
{
    if (round->rows.start)
        perp_round_local_speeds(round, v, u);
    else
        perp_round_bodies_speeds(round, v, u);
}

void perp_round_change(PerpRound *round, const double *g, double *dr)
{
    if (round->rows.start)
        perp_round_local_change(round, g, dr);
    else
        perp_round_bodies_change(round, g, dr);
}

// --- residual -----------------------------------------------------------------------------------

static double box_residual(const PerpCell *cell, const double *r, const double *u)
{
    return fabs(r[0] - fmin(fmax(r[0] - u[0], cell->lo), cell->hi));
}

static double joint_residual(const double *u)
{
    return fmax(fabs(u[0]), fmax(fabs(u[1]), fabs(u[2])));
}

static double wide_residual(const PerpRound *round, int cell, const double *r, const double *u)
{
    PerpWideCone cone = perp_wide_cone(round, cell);
    return perp_wide_residual(&cone, round->shift, r, u);
}

double perp_round_residual(const PerpRound *round, const double *r, const double *u)
{
    double worst = 0;
    for (int c = 0; c < round->n_cells; c++) {
        const PerpCell *cell = &round->cell[c];
        const double *r_c = r + 3 * c, *u_c = u + 3 * c;
        double wrong = cell->kind == PERP_CELL_MATE ? 0 // with its cone
                       : round->wide && perp_round_is_wide(round, c)
                           ? wide_residual(round, c, r_c, u_c)
                       : cell->kind == PERP_CELL_CONE ? perp_cone_off(r_c, u_c, round->shift)
                       : cell->kind == PERP_CELL_BOX  ? box_residual(cell, r_c, u_c)
                                                      : joint_residual(u_c);
        worst = wrong > worst || isnan(wrong) ? wrong : worst;
    }
    return isnan(worst) ? INFINITY : worst;
}
