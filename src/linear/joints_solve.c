// With velocities eliminated, the impulses of joints obey
//
//     G c = -(J v_f + d),   G = J Mt^-1 J',   Mt v_f = b                      [AP97 (A.2)-(A.3)]
//
// Its blocks are constraints of up to three rows; two of them meet in G if they share a body. A
// chain is block-tridiagonal, a tree has hardly any fill: O(n). Each answer is certified, and
// refined by the velocities that the impulses cause,
//
//     G dc = -(J v + d),   v += Mt^-1 J'dc,
//
// where the certificate asks for it.

#include "linear/joints_solve.h"

#include "linear/joints_passes.h"
#include "math/dense.h"

#include <math.h>

typedef PerpJoints Joints;

enum { PASSES = 2, MOST_PASSES = 4 };
static const double SAFE = 1e-3;      // of the tolerance: what is better is not refined
static const double LEFT_OVER = 1e-6; // of d: less than what is left since rows turn
static const double SLOW = 0.2;       // of the error is left by a correction: too much

bool perp_joints_alone(const PerpProblem *p)
{
    if (p->n_joints == 0 || p->n_boxes + p->n_contacts > 0)
        return false;
    for (int k = 0; k < p->n_bodies; k++)
        if (p->body_start[k + 1] - p->body_start[k] > PERP_JOINTS_BODY)
            return false;
    return true;
}

static void store(const PerpArena *arena, Joints *joints, PerpJointsCache *cache)
{
    *cache = (PerpJointsCache){joints, arena->rewinds};
}

bool perp_joints_solve(PerpArena *arena, PerpGraphCache *graphs, PerpJointsCache *cache,
                       const PerpProblem *p, const PerpJudge *judge, double tolerance, int *passes)
{
    Joints *joints = perp_joints_factor(arena, graphs, p, false);
    if (!joints)
        return false;
    const PerpPoint point = {joints->v, joints->c, joints->c}; // no groups: no slip
    perp_joints_begin(joints);
    for (int pass = 1; pass <= MOST_PASSES; pass++) {
        perp_joints_find_speeds(joints);
        perp_joints_add_impulses(joints);
        ++*passes;
        double worst = perp_judge_certify(judge, p, &point, tolerance, NULL);
        if (worst <= (pass < PASSES ? SAFE : 1) * tolerance) {
            store(arena, joints, cache);
            return true;
        }
    }
    return false;
}

// --- correction ---------------------------------------------------------------------------------

static bool has_bodies(const Joints *joints, int constraint, const PerpProblem *p, int row)
{
    int first = joints->entry_start[constraint], n = joints->entry_start[constraint + 1] - first;
    bool same = p->row_start[row + 1] - p->row_start[row] == n;
    for (int e = 0; e < n && same; e++)
        same = joints->entry_body[first + e] == p->entry_body[p->row_start[row] + e];
    return same;
}

// Are the factors those of the same rows and masses, at another configuration?
static bool fits(const Joints *joints, const PerpProblem *p)
{
    if (joints->Mt != p->Mt || joints->n_rows != p->n_joints)
        return false;
    for (int constraint = 0; constraint < joints->n_constraints; constraint++)
        for (int r = joints->constraint_row[constraint]; r < joints->constraint_row[constraint + 1];
             r++)
            if (!has_bodies(joints, constraint, p, r))
                return false;
    return true;
}

// v -= Mt^-1 J' G^-1 (J_p v + d), from 0: J and G of the factors need only be near those of p. Each
// correction leaves about the same part of the errors: what the last one leaves is not looked at,
// but measured at the configuration that it leads to.
static bool correct(Joints *joints, const PerpProblem *p, double tolerance)
{
    double before = INFINITY, left = perp_joints_begin_at_rest(joints, p);
    bool done = false;
    tolerance = fmax(tolerance, LEFT_OVER * left);
    for (int pass = 0; pass < MOST_PASSES && !done && left <= SLOW * before; pass++) {
        perp_joints_add_impulses(joints);
        done = pass > 0 && left * (left / before) <= tolerance;
        if (done)
            break;
        before = left;
        left = perp_joints_find_errors(joints, p);
        done = left <= tolerance;
    }
    return done && perp_all_finite(perp_problem_velocities(p), joints->v);
}

const double *perp_joints_correct(PerpArena *arena, PerpGraphCache *graphs, PerpJointsCache *cache,
                                  const PerpProblem *p, double tolerance)
{
    Joints *joints = cache->rewinds == arena->rewinds ? cache->joints : NULL;
    if (joints && fits(joints, p) && correct(joints, p, tolerance))
        return joints->v;
    perp_arena_rewind(arena);
    joints = perp_joints_factor(arena, graphs, p, true);
    if (!joints || !correct(joints, p, tolerance))
        return NULL;
    store(arena, joints, cache);
    return joints->v;
}

const double *perp_joints_correct_once(PerpArena *arena, PerpGraphCache *graphs,
                                       const PerpProblem *p, double tolerance)
{
    Joints *joints = perp_joints_factor(arena, graphs, p, false);
    return joints && correct(joints, p, tolerance) ? joints->v : NULL;
}
