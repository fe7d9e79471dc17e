#include "lcp/free_flight.h"

#include "base/error.h"
#include "math/block_sparse.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 6 };

static bool is_zero(int n, const double *x)
{
    for (int i = 0; i < n; i++)
        if (x[i] != 0)
            return false;
    return true;
}

// Mt v = b
static bool move_freely(const PerpProblem *p, double *v)
{
    const double *Mt = p->Mt;
    for (int k = 0; k < p->n_bodies; k++) {
        int first = p->body_start[k], n = p->body_start[k + 1] - first;
        double inverse[BLOCK * BLOCK];
        if (!is_zero(n, p->b + first)) {
            if (n > BLOCK)
                return false;
            memcpy(inverse, Mt, (size_t)(n * n) * sizeof(double));
            if (!perp_block_invert(n, inverse))
                return false;
            perp_block_times(n, inverse, p->b + first, v + first);
        }
        Mt += n * n;
    }
    return true;
}

// Does row r, a joint, a box or a contact, ask for no impulse at the speed y?
static bool is_content(const PerpProblem *p, int r, double y)
{
    int box = r - p->n_joints, contact = box - p->n_boxes;
    if (contact >= 0)
        return contact >= p->n_contacts || y >= 0;
    return y == 0 && (box < 0 || (p->lo[box] <= 0 && p->hi[box] >= 0));
}

// y = J v + d of all rows, as long as none asks for an impulse
static bool find_speeds(const PerpProblem *p, const double *v, double *y)
{
    const double *J = p->J;
    for (int r = 0; r < perp_problem_rows(p); r++) {
        y[r] = p->d[r];
        for (int e = p->row_start[r]; e < p->row_start[r + 1]; e++) {
            int first = p->body_start[p->entry_body[e]];
            int n = p->body_start[p->entry_body[e] + 1] - first;
            for (int i = 0; i < n; i++)
                y[r] += J[i] * v[first + i];
            J += n;
        }
        if (!is_content(p, r, y[r]))
            return false;
    }
    return true;
}

// lambda of each friction group: the slip, or the most that a direction of the polygon sees of it
static void find_slip(const PerpProblem *p, const double *y, double *lambda)
{
    for (int g = 0; g < p->n_groups; g++) {
        const double *along = y + p->n_joints + p->n_boxes + p->n_contacts + p->group_start[g];
        int n = p->group_start[g + 1] - p->group_start[g];
        bool round = p->group_round && p->group_round[g];
        double most = 0, squares = 0;
        for (int i = 0; i < n; i++) {
            most = fmax(most, -along[i]);
            squares += along[i] * along[i];
        }
        lambda[g] = round ? sqrt(squares) : most;
    }
}

// Joints and boxes have a rank to be counted, unless all is at rest.
static bool may_fly(const PerpProblem *p)
{
    return p->n_joints + p->n_boxes == 0 || is_zero(perp_problem_velocities(p), p->b);
}

PerpStatus perp_free_flight(PerpArena *arena, const PerpProblem *p,
                            const PerpProblemSettings *settings, PerpProblemResult *result,
                            bool *solved, PerpError *error)
{
    *solved = false;
    if (!may_fly(p))
        return PERP_OK;
    double *v = PERP_TAKE(arena, double, perp_problem_velocities(p));
    double *y = PERP_TAKE(arena, double, perp_problem_rows(p));
    double *c = PERP_TAKE(arena, double, perp_problem_rows(p));
    double *lambda = PERP_TAKE(arena, double, p->n_groups), *of_contact = NULL;
    if (settings->judge_contacts)
        of_contact = PERP_TAKE(arena, double, p->n_contacts);
    if (!v || !y || !c || !lambda || settings->judge_contacts != !!of_contact)
        return perp_fail_memory(error);
    if (!move_freely(p, v) || !find_speeds(p, v, y))
        return PERP_OK;
    find_slip(p, y, lambda);
    *result = (PerpProblemResult){.outcome = PERP_LCP_SOLVED,
                                  .rung = PERP_RUNG_REUSED,
                                  .v = v,
                                  .c = c,
                                  .lambda = lambda,
                                  .of_contact = of_contact};
    PerpContext scratch = perp_arena_context(arena);
    PerpStatus status =
        perp_certify_contacts(&scratch, p, v, c, lambda, &result->certificate, of_contact, error);
    *solved = !status && result->certificate.worst <= settings->tolerance;
    return status;
}
