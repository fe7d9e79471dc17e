// The rows of joints alone in cells of up to three, G = J Mt^-1 J' of them, and its factors.
#ifndef PERP_LCP_JOINTS_FACTOR_H
#define PERP_LCP_JOINTS_FACTOR_H

#include "lcp/solver.h"
#include "math/block_lu.h"
#include "perp/problem.h"

enum { PERP_JOINTS_PAD = 4, PERP_JOINTS_BODY = 6 }; // numbers of a cell; most velocities of a body

// Everything from the solver's arena.
typedef struct PerpJoints {
    const PerpProblem *p; // borrowed: b, d and the sizes of bodies
    int n_rows, n_cells, n_entries;
    const double *Mt; // the problem's: only to tell whether another has the same
    int *cell_of;     // rows
    int *lane_of;     // rows: within the cell
    int *entry_start; // n_cells + 1
    int *entry_body;  // one for each body of a cell
    double *J, *K;    // J_e and J_e Mt^-T of an entry, six columns of three rows, a pad apart
    double *inverse;  // Mt^-1, blocks like those of Mt, or their diagonals
    int *block;       // n_bodies: where they begin
    bool *diagonal;   // n_bodies: nothing off it
    int *at_body;     // entries, body after body
    const PerpRoundGraph *graph; // of bodies that join cells
    PerpBlockLu lu;              // -G
    double *u;                   // n_cells * pad, in the order of elimination
    double *v, *momentum, *c;    // velocities, velocities, rows
} PerpJoints;

// With c = 0. NULL if a row is nearly a sum of others, or if memory is short.
PerpJoints *perp_joints_factor(PerpSolver *solver, const PerpProblem *p);

void perp_joints_find_velocities(const PerpJoints *joints); // v = Mt^-1 (b + J'c)
double perp_joints_find_speeds(const PerpJoints *joints);   // u = J v + d; returns the largest
void perp_joints_add_impulses(PerpJoints *joints);          // c += dc, G dc = -u; and v

#endif
