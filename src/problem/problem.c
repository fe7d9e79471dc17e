// The step problem: names, defaults, and the check of what callers pass in.

#include "perp/problem.h"

#include "base/error.h"
#include "math/dense.h"
#include "problem/problem.h"

#include <math.h>

static const char *const names[] = {
#define PERP_RESIDUAL_NAME(name, word, unit) word,
    PERP_RESIDUAL_LIST(PERP_RESIDUAL_NAME)
#undef PERP_RESIDUAL_NAME
};

static const char *const units[] = {
#define PERP_RESIDUAL_UNIT(name, word, unit) unit,
    PERP_RESIDUAL_LIST(PERP_RESIDUAL_UNIT)
#undef PERP_RESIDUAL_UNIT
};

const char *perp_residual_name(PerpResidual residual)
{
    return (unsigned)residual < PERP_RESIDUAL_COUNT ? names[residual] : "?";
}

const char *perp_residual_unit(PerpResidual residual)
{
    return (unsigned)residual < PERP_RESIDUAL_COUNT ? units[residual] : "?";
}

// Which body has the number of Mt that is not finite?
static PerpStatus fail_masses(const PerpProblem *p, PerpError *error)
{
    const double *Mt = p->Mt;
    int k = 0;
    for (size_t n = (size_t)p->body_start[1]; perp_all_finite(n * n, Mt);
         k++, n = (size_t)(p->body_start[k + 1] - p->body_start[k]))
        Mt += n * n;
    return perp_fail(error, PERP_BAD_VALUE, "Mt of body %d has a number that is not finite", k);
}

static PerpStatus check_bodies(const PerpProblem *p, PerpError *error)
{
    if (p->n_bodies < 1)
        return perp_fail(error, PERP_BAD_SIZE, "a problem has at least one body");
    if (p->body_start[0] != 0)
        return perp_fail(error, PERP_BAD_SIZE, "body_start[0] is not 0");
    size_t values = 0;
    for (int k = 0; k < p->n_bodies; k++) {
        int size = p->body_start[k + 1] - p->body_start[k];
        if (size < 1 || size > PERP_LCP_SIZE_LIMIT)
            return perp_fail(error, PERP_BAD_SIZE, "body %d has 1 to %d velocities, not %d", k,
                             PERP_LCP_SIZE_LIMIT, size);
        values += (size_t)size * (size_t)size;
    }
    if (!perp_all_finite(values, p->Mt))
        return fail_masses(p, error);
    return perp_require_finite(p->b, perp_problem_velocities(p), "b", error);
}

// values: of J, so far
static PerpStatus check_row(const PerpProblem *p, int r, size_t *values, PerpError *error)
{
    if (p->row_start[r + 1] < p->row_start[r])
        return perp_fail(error, PERP_BAD_SIZE, "row_start falls at row %d", r);
    for (int e = p->row_start[r]; e < p->row_start[r + 1]; e++) {
        int body = p->entry_body[e];
        if (body < 0 || body >= p->n_bodies)
            return perp_fail(error, PERP_BAD_SIZE, "row %d acts on body %d, not in 0 .. %d", r,
                             body, p->n_bodies - 1);
        for (int f = p->row_start[r]; f < e; f++)
            if (p->entry_body[f] == body)
                return perp_fail(error, PERP_BAD_SIZE, "row %d names body %d twice", r, body);
        *values += (size_t)(p->body_start[body + 1] - p->body_start[body]);
    }
    return PERP_OK;
}

// Which row has the number of J that is not finite?
static PerpStatus fail_rows(const PerpProblem *p, PerpError *error)
{
    const double *J = p->J;
    int r = 0;
    for (int n = 0;; r++, J += n) {
        n = 0;
        for (int e = p->row_start[r]; e < p->row_start[r + 1]; e++)
            n += p->body_start[p->entry_body[e] + 1] - p->body_start[p->entry_body[e]];
        if (!perp_all_finite((size_t)n, J))
            return perp_fail(error, PERP_BAD_VALUE, "J of row %d has a number that is not finite",
                             r);
    }
}

static PerpStatus check_rows(const PerpProblem *p, PerpError *error)
{
    size_t values = 0;
    if (p->n_joints < 0 || p->n_boxes < 0 || p->n_contacts < 0 || p->n_directions < 0)
        return perp_fail(error, PERP_BAD_SIZE, "a number of rows is negative");
    int rows = perp_problem_rows(p);
    if (rows > 0 && p->row_start[0] != 0)
        return perp_fail(error, PERP_BAD_SIZE, "row_start[0] is not 0");
    for (int r = 0; r < rows; r++) {
        PerpStatus status = check_row(p, r, &values, error);
        if (status)
            return status;
    }
    if (!perp_all_finite(values, p->J))
        return fail_rows(p, error);
    return perp_require_finite(p->d, rows, "d", error);
}

static PerpStatus check_compliance(const PerpProblem *p, PerpError *error)
{
    int rows = p->compliance ? perp_problem_rows(p) : 0;
    for (int r = 0; r < rows; r++) {
        if (!(isfinite(p->compliance[r]) && p->compliance[r] >= 0))
            return perp_fail(error, PERP_BAD_VALUE, "compliance of row %d is %g, not >= 0", r,
                             p->compliance[r]);
        if (r >= rows - p->n_directions && p->compliance[r] > 0)
            return perp_fail(error, PERP_BAD_VALUE,
                             "row %d, a friction direction, has compliance: only joints, boxes and "
                             "contacts may",
                             r);
    }
    return PERP_OK;
}

static PerpStatus check_boxes(const PerpProblem *p, PerpError *error)
{
    for (int i = 0; i < p->n_boxes; i++)
        if (!(p->lo[i] <= p->hi[i]) || p->lo[i] == INFINITY || p->hi[i] == -INFINITY)
            return perp_fail(error, PERP_BAD_VALUE, "box %d has lo %g and hi %g: lo <= hi expected",
                             i, p->lo[i], p->hi[i]);
    return PERP_OK;
}

static PerpStatus check_group(const PerpProblem *p, int g, PerpError *error)
{
    if (p->group_contact[g] < 0 || p->group_contact[g] >= p->n_contacts)
        return perp_fail(error, PERP_BAD_SIZE, "friction group %d is of contact %d, not in 0 .. %d",
                         g, p->group_contact[g], p->n_contacts - 1);
    if (p->group_start[g + 1] <= p->group_start[g])
        return perp_fail(error, PERP_BAD_SIZE, "friction group %d has no directions", g);
    if (p->group_circular && p->group_circular[g] != 0 && p->group_circular[g] != 1)
        return perp_fail(error, PERP_BAD_VALUE,
                         "group_circular of friction group %d is %d, not 0 or 1", g,
                         p->group_circular[g]);
    if (p->group_circular && p->group_circular[g] && p->group_start[g + 1] - p->group_start[g] > 2)
        return perp_fail(error, PERP_BAD_SIZE,
                         "circular friction group %d has %d directions, not 1 or 2", g,
                         p->group_start[g + 1] - p->group_start[g]);
    if (!(isfinite(p->mu[g]) && p->mu[g] >= 0))
        return perp_fail(error, PERP_BAD_VALUE, "mu of friction group %d is %g, not >= 0", g,
                         p->mu[g]);
    if (!(isfinite(p->cohesion[g]) && p->cohesion[g] >= 0))
        return perp_fail(error, PERP_BAD_VALUE, "cohesion of friction group %d is %g, not >= 0", g,
                         p->cohesion[g]);
    return PERP_OK;
}

static PerpStatus check_groups(const PerpProblem *p, PerpError *error)
{
    int directions = 0;
    if (p->n_groups < 0)
        return perp_fail(error, PERP_BAD_SIZE, "the number of friction groups is negative");
    if (p->n_groups > 0) {
        if (p->group_start[0] != 0)
            return perp_fail(error, PERP_BAD_SIZE, "group_start[0] is not 0");
        directions = p->group_start[p->n_groups];
    }
    for (int g = 0; g < p->n_groups; g++) {
        PerpStatus status = check_group(p, g, error);
        if (status)
            return status;
    }
    if (directions != p->n_directions)
        return perp_fail(error, PERP_BAD_SIZE, "the friction groups have %d directions, not %d",
                         directions, p->n_directions);
    return PERP_OK;
}

PerpStatus perp_problem_check(const PerpProblem *p, PerpError *error)
{
    PerpStatus status = check_bodies(p, error);
    if (!status)
        status = check_rows(p, error);
    if (!status)
        status = check_boxes(p, error);
    if (!status)
        status = check_groups(p, error);
    if (!status)
        status = check_compliance(p, error);
    return status;
}

PerpStatus perp_require_finite(const double *x, int n, const char *what, PerpError *error)
{
    for (int i = 0; i < n && !perp_all_finite(n, x); i++)
        if (!isfinite(x[i]))
            return perp_fail(error, PERP_BAD_VALUE, "%s[%d] is not a finite number", what, i);
    return PERP_OK;
}
