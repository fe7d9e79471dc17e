#include "linear/free_flight.h"

#include "base/error.h"
#include "math/sparse/block_sparse.h"

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

// Bodies are moved when a row asks for them: mostly one of the first rows says that all is in vain.
typedef struct Flight {
    const PerpProblem *p;
    const double **Mt; // bodies: their blocks; NULL once they have been moved
    double *v, *y, *c, *lambda;
} Flight;

static bool take(PerpArena *arena, const PerpProblem *p, Flight *flight)
{
    *flight = (Flight){.p = p,
                       .Mt = PERP_TAKE_RAW(arena, const double *, p->n_bodies),
                       .v = PERP_TAKE(arena, double, perp_problem_velocities(p)),
                       .y = PERP_TAKE_RAW(arena, double, perp_problem_rows(p)),
                       .c = PERP_TAKE(arena, double, perp_problem_rows(p)),
                       .lambda = PERP_TAKE(arena, double, p->n_groups)};
    const double *Mt = p->Mt;
    for (int k = 0; flight->Mt && k < p->n_bodies; k++) {
        int n = p->body_start[k + 1] - p->body_start[k];
        flight->Mt[k] = Mt;
        Mt += n * n;
    }
    return flight->Mt && flight->v && flight->y && flight->c && flight->lambda;
}

// Mt v = b of a body; false if its block has no inverse.
static bool move_freely(Flight *flight, int body)
{
    const PerpProblem *p = flight->p;
    const double *Mt = flight->Mt[body];
    int first = p->body_start[body], n = p->body_start[body + 1] - first;
    double inverse[BLOCK * BLOCK];
    flight->Mt[body] = NULL;
    if (!Mt || is_zero(n, p->b + first))
        return true;
    if (n > BLOCK)
        return false;
    memcpy(inverse, Mt, (size_t)(n * n) * sizeof(double));
    if (!perp_block_invert(n, inverse))
        return false;
    perp_block_times(n, inverse, p->b + first, flight->v + first);
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
static bool find_speeds(Flight *flight)
{
    const PerpProblem *p = flight->p;
    const double *J = p->J;
    for (int r = 0; r < perp_problem_rows(p); r++) {
        double y = p->d[r];
        for (int e = p->row_start[r]; e < p->row_start[r + 1]; e++) {
            int body = p->entry_body[e], first = p->body_start[body];
            int n = p->body_start[body + 1] - first;
            if (!move_freely(flight, body))
                return false;
            for (int i = 0; i < n; i++)
                y += J[i] * flight->v[first + i];
            J += n;
        }
        flight->y[r] = y;
        if (!is_content(p, r, y))
            return false;
    }
    return true;
}

// Those that no row has asked for, too.
static bool move_all(Flight *flight)
{
    for (int k = 0; k < flight->p->n_bodies; k++)
        if (!move_freely(flight, k))
            return false;
    return true;
}

// lambda of each friction group: the slip, or the most that a direction of the polygon sees of it
static void find_slip(const PerpProblem *p, const double *y, double *lambda)
{
    for (int g = 0; g < p->n_groups; g++) {
        const double *along = y + p->n_joints + p->n_boxes + p->n_contacts + p->group_start[g];
        int n = p->group_start[g + 1] - p->group_start[g];
        bool circular = p->group_circular && p->group_circular[g];
        double most = 0, squares = 0;
        for (int i = 0; i < n; i++) {
            most = fmax(most, -along[i]);
            squares += along[i] * along[i];
        }
        lambda[g] = circular ? sqrt(squares) : most;
    }
}

// Joints and boxes have a rank to be counted, unless all is at rest.
static bool may_fly(const PerpProblem *p)
{
    return p->n_joints + p->n_boxes == 0 || is_zero(perp_problem_velocities(p), p->b);
}

PerpStatus perp_free_flight(PerpArena *arena, const PerpProblem *p, PerpPoint *point, bool *flies,
                            PerpError *error)
{
    *flies = false;
    if (!may_fly(p))
        return PERP_OK;
    Flight flight;
    if (!take(arena, p, &flight))
        return perp_fail_memory(error);
    if (!find_speeds(&flight) || !move_all(&flight))
        return PERP_OK;
    find_slip(p, flight.y, flight.lambda);
    *point = (PerpPoint){flight.v, flight.c, flight.lambda};
    *flies = true;
    return PERP_OK;
}
