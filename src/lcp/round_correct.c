#include "lcp/round_correct.h"

#include "lcp/round_methods.h"
#include "lcp/round_rows.h"
#include "lcp/solver.h"

#include <math.h>

enum { RELAXATIONS = 60, GRADIENTS = 1000 };
static const double SOMEWHERE = 0.5; // of the largest overlap: the rest is for another round

// Impulses from none on; how far off they are of what they should do.
static double find_impulses(PerpArena *arena, const PerpRound *round, double enough, double *r)
{
    int sweeps = RELAXATIONS, steps = GRADIENTS;
    double off = INFINITY;
    PerpArenaMark mark = perp_arena_mark(arena);
    if (perp_round_can_relax(round))
        off = perp_round_relax(arena, round, enough, &sweeps, r);
    perp_arena_release(arena, mark);
    return off <= enough ? off : perp_round_gradient(arena, round, enough, &steps, r);
}

const double *perp_round_correct(PerpSolver *solver, const PerpProblem *p, double enough)
{
    PerpArena *arena = &solver->arena;
    PerpRound round;
    perp_arena_rewind(arena);
    if (p->n_joints > 0 || p->n_boxes > 0 || p->n_groups > 0 || !perp_round_fits(p) ||
        !perp_round_build_kept(arena, &solver->graphs, p, &round))
        return NULL;
    round.threads = solver->threads;
    double *r = PERP_TAKE(arena, double, 3 * round.n_cells);
    double *state = PERP_TAKE(arena, double, round.n_state);
    double *v = PERP_TAKE(arena, double, perp_problem_velocities(p));
    if (!r || !state || !v || !(find_impulses(arena, &round, enough, r) <= SOMEWHERE))
        return NULL;
    perp_round_velocity(&round, r, state);
    perp_round_to_velocities(&round, state, v);
    return v;
}
