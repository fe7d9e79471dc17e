// With velocities eliminated, the impulses of joints obey
//
//     G c = -(J v_f + d),   G = J Mt^-1 J',   Mt v_f = b                      [AP97 (A.2)-(A.3)]
//
// Its blocks are cells of up to three rows; two of them meet in G if they share a body. A chain is
// block-tridiagonal, a tree has hardly any fill: O(n). Refined by the velocities that the impulses
// cause,
//
//     v = Mt^-1 (b + J'c),   G dc = -(J v + d),
//
// and then certified like any answer.

#include "lcp/joints_solve.h"

#include "lcp/joints_factor.h"

#include <math.h>
#include <string.h>

typedef PerpJoints Joints;

enum { PASSES = 2, MOST_PASSES = 4 };
static const double SAFE = 1e-3; // of the tolerance, and speeds need no certificate to be right
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

static void keep(PerpSolver *solver, Joints *joints)
{
    solver->joints = joints;
    solver->joints_rewinds = solver->arena.rewinds;
}

static Joints *kept(const PerpSolver *solver)
{
    return solver->joints_rewinds == solver->arena.rewinds ? solver->joints : NULL;
}

void perp_joints_forget(PerpSolver *solver)
{
    solver->joints = NULL;
}

bool perp_joints_solve(PerpSolver *solver, const PerpProblem *p,
                       const PerpProblemSettings *settings, PerpProblemResult *result)
{
    PerpContext scratch = perp_arena_context(&solver->arena);
    Joints *joints = perp_joints_factor(solver, p);
    if (!joints)
        return false;
    *result = (PerpProblemResult){.outcome = PERP_LCP_SOLVED,
                                  .rung = PERP_RUNG_NEWTON,
                                  .joint_rank = p->n_joints,
                                  .factorisations = 1,
                                  .v = joints->v,
                                  .c = joints->c,
                                  .lambda = joints->momentum}; // there is none
    perp_joints_find_velocities(joints);
    double first = perp_joints_find_speeds(joints);
    for (int pass = 1; pass <= MOST_PASSES; pass++) {
        perp_joints_add_impulses(joints);
        result->iterations = pass;
        bool last = perp_joints_find_speeds(joints) <= SAFE * settings->tolerance * first;
        if (pass < PASSES && !last)
            continue;
        if (perp_certify(&scratch, p, joints->v, joints->c, NULL, &result->certificate, NULL))
            return false;
        if (result->certificate.worst <= settings->tolerance) {
            keep(solver, joints);
            return true;
        }
    }
    return false;
}

// --- correction ---------------------------------------------------------------------------------

// Are the factors those of the same rows and masses, at another configuration?
static bool fits(const Joints *joints, const PerpProblem *p)
{
    if (joints->Mt != p->Mt || joints->n_rows != p->n_joints)
        return false;
    for (int r = 0; r < p->n_joints; r++) {
        int first = joints->entry_start[joints->cell_of[r]];
        int n = joints->entry_start[joints->cell_of[r] + 1] - first;
        if (p->row_start[r + 1] - p->row_start[r] != n ||
            memcmp(joints->entry_body + first, p->entry_body + p->row_start[r],
                   (size_t)n * sizeof(int)) != 0)
            return false;
    }
    return true;
}

// u = J v + d with J and d of p, in the order of elimination; returns the largest of them. Not
// moved: v = 0
static double find_errors(const Joints *joints, const PerpProblem *p, bool moved)
{
    const int *place = joints->graph->pattern.place;
    const double *J = p->J;
    double most = 0;
    for (int r = 0; r < p->n_joints; r++) {
        double sum = p->d[r];
        for (int e = p->row_start[r]; e < p->row_start[r + 1] && moved; e++) {
            int first = p->body_start[p->entry_body[e]];
            int n = p->body_start[p->entry_body[e] + 1] - first;
            for (int i = 0; i < n; i++)
                sum += J[i] * joints->v[first + i];
            J += n;
        }
        joints->u[PERP_JOINTS_PAD * place[joints->cell_of[r]] + joints->lane_of[r]] = sum;
        most = isnan(most) || fabs(sum) <= most ? most : fabs(sum); // NaN wins
    }
    return most;
}

// v -= Mt^-1 J' G^-1 (J_p v + d), from 0: J and G of the factors need only be near those of p
static bool correct(Joints *joints, const PerpProblem *p, double enough)
{
    double left = 0;
    joints->p = p;
    memset(joints->v, 0, (size_t)perp_problem_velocities(p) * sizeof(double));
    memset(joints->c, 0, (size_t)p->n_joints * sizeof(double));
    memset(joints->u, 0, (size_t)(PERP_JOINTS_PAD * joints->n_cells) * sizeof(double));
    for (int pass = 0; pass <= MOST_PASSES; pass++) {
        double before = left;
        left = find_errors(joints, p, pass > 0);
        if (pass == 0)
            enough = fmax(enough, LEFT_OVER * left);
        else if (left <= enough)
            return true;
        if (!isfinite(left) || (pass > 0 && left > SLOW * before))
            return false;
        perp_joints_add_impulses(joints);
    }
    return false;
}

const double *perp_joints_correct(PerpSolver *solver, const PerpProblem *p, double enough)
{
    Joints *joints = kept(solver);
    if (joints && fits(joints, p) && correct(joints, p, enough))
        return joints->v;
    perp_arena_rewind(&solver->arena);
    joints = perp_joints_factor(solver, p);
    if (!joints || !correct(joints, p, enough))
        return NULL;
    keep(solver, joints);
    return joints->v;
}
