// What the rungs of the ladder call: each method with the ladder's numbers. See ladder.h for what
// they are given and return.
#ifndef PERP_SOLVE_RUNG_RUNS_H
#define PERP_SOLVE_RUNG_RUNS_H

#include "solve/ladder.h"

double perp_run_free(PerpLadder *ladder, double aim, int *work);
double perp_run_joints(PerpLadder *ladder, double aim, int *work);
double perp_run_single_sweep(PerpLadder *ladder, double aim, int *work);
double perp_run_start(PerpLadder *ladder, double aim, int *work);
double perp_run_nsgs(PerpLadder *ladder, double aim, int *work);
double perp_run_projected_nsgs(PerpLadder *ladder, double aim, int *work);
double perp_run_apgd(PerpLadder *ladder, double aim, int *work);
double perp_run_newton_local(PerpLadder *ladder, double aim, int *work);
double perp_run_newton(PerpLadder *ladder, double aim, int *work);
double perp_run_reduced_newton(PerpLadder *ladder, double aim, int *work);
double perp_run_proximal(PerpLadder *ladder, double aim, int *work);
double perp_run_turned_polygon(PerpLadder *ladder, double aim, int *work);
double perp_run_polygon(PerpLadder *ladder, double aim, int *work);
double perp_run_held_apgd(PerpLadder *ladder, double aim, int *work);
double perp_run_held_interior(PerpLadder *ladder, double aim, int *work);
double perp_run_pivoting(PerpLadder *ladder, double aim, int *work);

#endif
