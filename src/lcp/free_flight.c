#include "lcp/free_flight.h"

#include "math/block_sparse.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 6 };

static bool move_freely(const PerpProblem *p, double *v)
{
    const double *Mt = p->Mt;
    for (int k = 0; k < p->n_bodies; k++) {
        int first = p->body_start[k], n = p->body_start[k + 1] - first;
        double inverse[BLOCK * BLOCK];
        if (n > BLOCK)
            return false;
        memcpy(inverse, Mt, (size_t)(n * n) * sizeof(double));
        if (!perp_block_invert(n, inverse))
            return false;
        perp_block_times(n, inverse, p->b + first, v + first);
        Mt += n * n;
    }
    return true;
}

// y = J v + d of all rows; false if a contact closes
static bool find_speeds(const PerpProblem *p, const double *v, double *y)
{
    const double *J = p->J;
    bool open = true;
    for (int r = 0; r < perp_problem_rows(p); r++) {
        y[r] = p->d[r];
        for (int e = p->row_start[r]; e < p->row_start[r + 1]; e++) {
            int first = p->body_start[p->entry_body[e]];
            int n = p->body_start[p->entry_body[e] + 1] - first;
            for (int i = 0; i < n; i++)
                y[r] += J[i] * v[first + i];
            J += n;
        }
        open = open && (r >= p->n_contacts || y[r] >= 0);
    }
    return open;
}

// lambda of each friction group: the slip, or the most that a direction of the polygon sees of it
static void find_slip(const PerpProblem *p, const double *y, double *lambda)
{
    for (int g = 0; g < p->n_groups; g++) {
        const double *along = y + p->n_contacts + p->group_start[g];
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

bool perp_free_flight(PerpArena *arena, const PerpProblem *p, const PerpProblemSettings *settings,
                      PerpProblemResult *result)
{
    if (p->n_joints + p->n_boxes > 0)
        return false;
    double *v = PERP_TAKE(arena, double, perp_problem_velocities(p));
    double *y = PERP_TAKE(arena, double, perp_problem_rows(p));
    double *c = PERP_TAKE(arena, double, perp_problem_rows(p));
    double *lambda = PERP_TAKE(arena, double, p->n_groups), *of_contact = NULL;
    if (settings->judge_contacts)
        of_contact = PERP_TAKE(arena, double, p->n_contacts);
    if (!v || !y || !c || !lambda || settings->judge_contacts != !!of_contact ||
        !move_freely(p, v) || !find_speeds(p, v, y))
        return false;
    find_slip(p, y, lambda);
    *result = (PerpProblemResult){.outcome = PERP_LCP_SOLVED,
                                  .rung = PERP_RUNG_REUSED,
                                  .v = v,
                                  .c = c,
                                  .lambda = lambda,
                                  .of_contact = of_contact};
    PerpContext scratch = perp_arena_context(arena);
    return !perp_certify_contacts(&scratch, p, v, c, lambda, &result->certificate, of_contact,
                                  NULL) &&
           result->certificate.worst <= settings->tolerance;
}
