// Contact problems without bodies, u = W r + q, in the cells of round.h.
#ifndef PERP_LCP_ROUND_LOCAL_H
#define PERP_LCP_ROUND_LOCAL_H

#include "lcp/round.h"
#include "perp/contact_problem.h"

// Some contacts and bilateral rows (units: the contacts first) that no entry of W joins to others.
typedef struct PerpRoundPart {
    int count;
    const int *unit;         // count
    const int *cell_of_unit; // all units: where in unit[], for those of the part
    int *scratch;            // all units, -1
} PerpRoundPart;

// False if memory is short.
bool perp_round_build_local(PerpArena *arena, const PerpContactProblem *p, const PerpRoundPart *part,
                            PerpRound *round);

// What perp_round_velocity and its like do in local form.
void perp_round_local_velocity(const PerpRound *round, const double *r, double *v);
void perp_round_local_speeds(const PerpRound *round, const double *v, double *u);
bool perp_round_local_analyse(PerpRound *round);
bool perp_round_local_factor(PerpRound *round);
void perp_round_local_change(PerpRound *round, const double *g, double *dr);

#endif
