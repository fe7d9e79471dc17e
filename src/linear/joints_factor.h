// The rows of joints alone in constraints of up to three, G = J Mt^-1 J' of them, and its factors.
#ifndef PERP_LINEAR_JOINTS_FACTOR_H
#define PERP_LINEAR_JOINTS_FACTOR_H

#include "math/sparse/block_lu.h"
#include "math/sparse/graph.h"
#include "perp/problem.h"

enum {
    PERP_JOINTS_PAD = 4,
    PERP_JOINTS_BODY = 6
}; // numbers of a constraint; most velocities of a body

// Everything from the arena.
typedef struct PerpJoints {
    const PerpProblem *p; // borrowed: b, d and the sizes of bodies
    int n_rows, n_constraints, n_entries;
    const double *Mt;       // the problem's: only to tell whether another has the same
    int *constraint_row;    // n_constraints + 1: their first rows
    int *entry_start;       // n_constraints + 1
    int *entry_body;        // one for each body of a constraint
    double *J, *K;          // J_e and J_e Mt^-T of an entry, six columns of three rows, a pad apart
    double *rows;           // J_e Mt^-T once more, row after row of six
    double *inverse;        // Mt^-1, blocks like those of Mt, or their diagonals
    int *block;             // n_bodies: where they begin
    bool *diagonal;         // n_bodies: nothing off it
    int *at_body;           // entries, body after body
    const PerpGraph *graph; // of bodies that join constraints
    PerpBlockLu lu;         // -G
    double *u;              // n_constraints * pad, in the order of elimination
    double *v, *c;          // velocities, rows
} PerpJoints;

// With c = 0. NULL if memory is short, or if a row is nearly a sum of others, unless `softly`: then
// velocities are good to 1e-9 of what they correct, and impulses not determined.
PerpJoints *perp_joints_factor(PerpArena *arena, PerpGraphCache *graphs, const PerpProblem *p,
                               bool softly);

static inline int perp_joints_size(const PerpProblem *p, int body)
{
    return p->body_start[body + 1] - p->body_start[body];
}

#endif
