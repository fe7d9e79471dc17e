// Bounces of the default scheme: which contacts with restitution are hit, when, or all at once.
#ifndef PERP_STEP_EVENTS_BOUNCES_H
#define PERP_STEP_EVENTS_BOUNCES_H

#include "step/scheme_tools.h"

// Is a contact with restitution and at most this gap approached right now? `now` has the rows at
// the state.
bool perp_bounce_is_due(const PerpSimulation *sim, const PerpStage *now, double closed);

// When the first contact with restitution closes, in free motion, fast enough to bounce, of those
// that the solution of a step h pushes; h if none does.
double perp_bounce_time(const PerpSimulation *sim, const PerpStage *now, const PerpStage *solved,
                        const double *v_free, double h);

// All contacts with restitution that close within h, in free motion, are hit now, and again those
// that are hit by what they throw. `hit`: there was one.
PerpStatus perp_bounce_together(PerpSimulation *sim, const double *v_free, double h, double closed,
                                bool *hit, PerpError *error);

// For the verdict of the run (lost_bounces.c): how early a contact that closes within h is hit;
// what bounces would have given back at contacts that a step stopped; at contacts that an impact
// stopped, since they were slow.
void perp_bounce_note_early(PerpSimulation *sim, const PerpStage *now, int contact, double h);
void perp_bounce_note_lost(PerpSimulation *sim, const PerpStage *stage, const double *v_free,
                           double closed);
void perp_bounce_note_slow(PerpSimulation *sim, const PerpStage *compression);

#endif
