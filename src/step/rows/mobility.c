#include "step/rows/mobility.h"

#include "base/error.h"

#include <math.h>
#include <string.h>

bool perp_mobility_factor(PerpArena *arena, const PerpProblem *p, PerpBlockDiagonal *mass)
{
    int *value_start = PERP_TAKE_RAW(arena, int, p->n_bodies + 1);
    if (!value_start)
        return false;
    perp_block_diagonal_value_start(p->n_bodies, p->body_start, value_start);
    double *LU = PERP_TAKE_RAW(arena, double, value_start[p->n_bodies]);
    int *pivot = PERP_TAKE_RAW(arena, int, perp_problem_velocities(p));
    *mass = (PerpBlockDiagonal){p->n_bodies, p->body_start, value_start, LU, pivot};
    return LU && pivot && perp_block_diagonal_factor(mass, p->Mt) < 0;
}

PerpStatus perp_mobility_at_state(PerpSimulation *sim, PerpBlockDiagonal *mass, PerpError *error)
{
    PerpAssembly here;
    PerpRowChoice choice = {.reach = -INFINITY, .transient = true};
    PerpStatus status = sim->system->assemble(sim, sim->state.q, &choice, &here, error);
    if (!status && !perp_mobility_factor(&sim->arena, &here.problem, mass))
        status = perp_fail_memory(error);
    return status;
}

double perp_mobility(const PerpBlockDiagonal *mass, int entries, const int *body, const double *J,
                     double *x)
{
    double mobility = 0;
    for (int e = 0; e < entries; e++) {
        int n = mass->start[body[e] + 1] - mass->start[body[e]];
        memcpy(x, J, (size_t)n * sizeof *x);
        perp_block_diagonal_solve_block(mass, body[e], x);
        for (int k = 0; k < n; k++)
            mobility += *J++ * x[k];
    }
    return mobility;
}
