// The verdict of a run, added up step by step.
#ifndef PERP_STEP_REPORT_VERDICT_H
#define PERP_STEP_REPORT_VERDICT_H

#include "step/simulation_data.h"

// h omega at which explicit rules are no longer stable; also of geometric stiffness.
#define PERP_MODE_LIMIT 2.0

// At the start: scales, and what is known of the whole run.
PerpStatus perp_verdict_begin(PerpSimulation *sim, PerpError *error);

// A value of the step at hand; the largest counts.
void perp_verdict_note(PerpSimulation *sim, PerpCheck check, double value);

// After a substep: fails where the energy has exploded. What is left of the step would be spent on
// problems without an answer.
PerpStatus perp_verdict_check_growth(PerpSimulation *sim, PerpError *error);

// The step is done: what it noted and what its report says join the run.
void perp_verdict_add_step(PerpSimulation *sim);

// m: the overlap, and m or rad: the joint error, that the verdict allows.
double perp_verdict_overlap(const PerpSimulation *sim);
double perp_verdict_joint_gap(const PerpSimulation *sim);

// momentum.c: does nothing act on the bodies from outside? Then the change of their angular
// momentum in a step is added up.
bool perp_verdict_is_isolated(const PerpSimulation *sim);
void perp_verdict_add_momentum(PerpSimulation *sim);

// passage.c: notes overlaps between the ends of a step in which bodies moved far.
PerpStatus perp_verdict_check_passage(PerpSimulation *sim, PerpError *error);

// fastest_mode.c: 1/s, the frequency of the fastest mode of the springs, or the rate of the fastest
// of the dampers if that is larger, on the motions that joints allow at the state.
PerpStatus perp_fastest_mode(PerpSimulation *sim, double enough, double *fastest, PerpError *error);

#endif
