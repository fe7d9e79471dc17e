#include "cones/methods/turned_polygon.h"

#include "base/error.h"
#include "cones/methods/inscribed_polygon.h"

#include <math.h>
#include <string.h>

enum { TURNS = 6 };

typedef struct Turn {
    double *first;      // groups: angle of the first direction
    double *c, *lambda; // rows, groups: of the circular problem
} Turn;

// Solves the polygons, certifies their answer, and turns them against its slip.
static PerpStatus turn_once(PerpTurnedPolygon *job, Turn *turn, PerpError *error)
{
    const PerpProblem *p = job->p;
    const PerpPivotingSettings settings = {.method = job->method,
                                           .tolerance = job->tolerance,
                                           .max_pivots = job->max_pivots,
                                           .interrupt = job->interrupt};
    PerpDirectionSet directions;
    PerpProblem polygons;
    PerpPivotingResult found;
    if (!perp_inscribed_even(job->arena, p, turn->first, &directions) ||
        !perp_inscribed_make(job->arena, p, &directions, &polygons))
        return perp_fail_memory(error);
    PerpStatus status =
        perp_step_pivoting(job->arena, &polygons, &job->of_polygons, &settings, &found, error);
    if (status)
        return status;
    job->pivots += found.pivots;
    perp_inscribed_impulses(p, &directions, found.point.c, turn->c);
    memcpy(turn->lambda, found.point.lambda, (size_t)p->n_groups * sizeof(double));
    if (!perp_inscribed_turn(job->arena, p, found.point.v, turn->first, turn->lambda))
        return perp_fail_memory(error);
    const PerpPoint point = {found.point.v, turn->c, turn->lambda};
    double worst = perp_judge_certify(&job->judge, p, &point, 0, NULL);
    job->worst = fmin(job->worst, worst);
    return isnan(worst) ? perp_fail_memory(error) : PERP_OK;
}

PerpStatus perp_turned_polygon(PerpTurnedPolygon *job, PerpError *error)
{
    const PerpProblem *p = job->p;
    PerpStatus status = PERP_OK;
    Turn turn = {.first = PERP_TAKE(job->arena, double, p->n_groups),
                 .c = PERP_TAKE(job->arena, double, perp_problem_rows(p)),
                 .lambda = PERP_TAKE(job->arena, double, p->n_groups)};
    if (!turn.first || !turn.c || !turn.lambda)
        return perp_fail_memory(error);
    for (int k = 0;
         k < TURNS && job->worst > job->tolerance && !status && !perp_interrupted(job->interrupt);
         k++) {
        PerpArenaMark mark = perp_arena_mark(job->arena);
        status = turn_once(job, &turn, error);
        perp_arena_release(job->arena, mark);
    }
    return status;
}
