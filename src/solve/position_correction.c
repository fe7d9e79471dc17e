#include "solve/position_correction.h"
#include "cones/operator/delassus.h"
#include "cones/operator/joint_tree.h"

#include "cones/methods/methods.h"
#include "cones/rows.h"
#include "linear/joints_solve.h"
#include "problem/compliance.h"
#include "solve/ladder.h"
#include "solve/solver.h"

#include <math.h>

enum { SWEEPS = 60, GRADIENTS = 1000 };
static const double SOMEWHERE = 0.5; // of the largest overlap: the rest is for another round

// Impulses from none on; how far off they are of what they should do.
static double find_impulses(PerpArena *arena, const PerpConeProblem *cones, double tolerance,
                            double *r)
{
    int sweeps = SWEEPS, steps = GRADIENTS;
    double off = INFINITY;
    PerpArenaMark mark = perp_arena_mark(arena);
    if (perp_projected_nsgs_fits(cones))
        off = perp_projected_nsgs(arena, cones, tolerance, &sweeps, r);
    perp_arena_release(arena, mark);
    return off <= tolerance ? off : perp_apgd(arena, cones, tolerance, &steps, r);
}

// The same where bodies are joined, by trees that are eliminated.
static bool find_joined_impulses(PerpArena *arena, const PerpConeProblem *cones, double tolerance,
                                 double *r)
{
    PerpJointTree tree;
    double *reduced = PERP_TAKE(arena, double, 3 * cones->n_constraints);
    if (!reduced || !perp_joint_tree_build(arena, cones, &tree) || !tree.fits ||
        perp_cones_have_joints(&tree.reduced))
        return false;
    tree.reduced.threads = cones->threads;
    if (!(find_impulses(arena, &tree.reduced, tolerance, reduced) <= SOMEWHERE))
        return false;
    perp_joint_tree_to_whole(&tree, reduced, r);
    return true;
}

// The constraint form of a problem, and room for its impulses: 0. NULL if it has none.
static double *begin_correction(PerpSolver *solver, const PerpProblem *p, PerpConeProblem *cones)
{
    PerpArena *arena = &solver->arena;
    perp_arena_rewind(arena);
    if (p->n_groups > 0 || !perp_cones_fits(p) ||
        !perp_cones_build(arena, &solver->graphs, p, cones))
        return NULL;
    cones->threads = solver->threads;
    return PERP_TAKE(arena, double, 3 * cones->n_constraints);
}

static const double *velocity_of(const PerpConeProblem *cones, const double *r)
{
    double *state = PERP_TAKE(cones->arena, double, cones->n_state);
    double *v = PERP_TAKE(cones->arena, double, perp_problem_velocities(cones->p));
    if (!state || !v)
        return NULL;
    perp_delassus_velocity(cones, r, state);
    perp_cones_to_velocities(cones, state, v);
    return v;
}

const double *perp_correct_overlaps(PerpSolver *solver, const PerpProblem *p, double tolerance)
{
    PerpArena *arena = &solver->arena;
    PerpConeProblem cones;
    double *r = begin_correction(solver, p, &cones);
    if (!r || (perp_cones_have_joints(&cones)
                   ? !find_joined_impulses(arena, &cones, tolerance, r)
                   : !(find_impulses(arena, &cones, tolerance, r) <= SOMEWHERE)))
        return NULL;
    return velocity_of(&cones, r);
}

// The impulses r of a tree of joints and of what is left of it, by one dense matrix.
static bool find_joined_by_newton(PerpArena *arena, const PerpConeProblem *cones, double tolerance,
                                  double *r)
{
    PerpJointTree tree;
    int steps = perp_rung_bounds.dense_steps;
    double aim = perp_rung_bounds.margin * tolerance;
    double *reduced = PERP_TAKE(arena, double, 3 * cones->n_constraints);
    if (!reduced || !perp_joint_tree_build(arena, cones, &tree) || !tree.fits ||
        !perp_reduced_newton_fits(&tree.reduced, perp_rung_bounds.dense_rows) ||
        !(perp_reduced_newton(arena, &tree.reduced, NULL, aim, &steps, reduced) <= aim))
        return false;
    perp_joint_tree_to_whole(&tree, reduced, r);
    return true;
}

const double *perp_correct_joined(PerpSolver *solver, const PerpProblem *p, double tolerance)
{
    PerpConeProblem cones;
    double *r = begin_correction(solver, p, &cones);
    if (!r || !perp_cones_have_joints(&cones) || cones.product ||
        !find_joined_by_newton(&solver->arena, &cones, tolerance, r))
        return NULL;
    return velocity_of(&cones, r);
}

const double *perp_correct_joints(PerpSolver *solver, const PerpProblem *p, double tolerance)
{
    return perp_joints_correct(&solver->arena, &solver->graphs, &solver->joints, p, tolerance);
}

const double *perp_correct_compliant(PerpSolver *solver, const PerpProblem *p, double tolerance)
{
    PerpProblem rigid;
    perp_arena_rewind(&solver->arena);
    if (!perp_compliance_expand(&solver->arena, p, &rigid))
        return NULL;
    return perp_joints_correct_once(&solver->arena, &solver->graphs, &rigid, tolerance);
}

const double *perp_correct_joints_once(PerpSolver *solver, const PerpProblem *p, double tolerance)
{
    perp_arena_rewind(&solver->arena);
    return perp_joints_correct_once(&solver->arena, &solver->graphs, p, tolerance);
}

void perp_correct_joints_anew(PerpSolver *solver)
{
    solver->joints = (PerpJointsCache){0};
}
