// Lemke's algorithm.  w = q + M z + d z0,  w, z, z0 >= 0,  w_i z_i = 0.
//
// z0 enters first, just far enough to make w >= 0; then the complement of whatever left enters,
// until z0 leaves (a solution) or nothing blocks (a ray). [AP97 theorem 2.1: no ray if N is
// copositive and b >= 0; Cottle, Pang & Stone, The Linear Complementarity Problem, 4.4.1 and 4.9]
//
// Ties are broken as if q were q + eps p + eps^2 e_1 + eps^3 e_2 + ... for small eps > 0, with a
// generic p > 0. [p I] has full row rank, so that no two rows of B^-1 [q p I] are proportional and
// no basis returns; p alone decides nearly always and costs no more than a second right-hand side.

#include "pivoting/lemke.h"

#include "math/dense.h"

#include <math.h>

static int complement(const PerpBasis *basis, int variable)
{
    return variable < basis->n ? variable + basis->n : variable - basis->n;
}

static int z0(const PerpBasis *basis)
{
    return 2 * basis->n;
}

static double value_at(const PerpBasis *basis, PerpPlace place, int side)
{
    const double *value = place.in_core ? basis->core_value : basis->row_value;
    return value[side * basis->n + place.index];
}

static double step_at(const PerpBasis *basis, PerpPlace place)
{
    return place.in_core ? basis->core_step[place.index] : basis->row_step[place.index];
}

// A stretch of basic variables that may block: the core's, but not the free ones at its first
// positions, or the rows'. Rows of the core have step 0.
typedef struct Stretch {
    int in_core, first, count;
    const double *value, *step;
} Stretch;

static void list_stretches(const PerpBasis *basis, Stretch stretch[2])
{
    int f = basis->free;
    stretch[0] = (Stretch){1, f, basis->k - f, basis->core_value + f, basis->core_step + f};
    stretch[1] = (Stretch){0, 0, basis->n, basis->row_value, basis->row_step};
}

// The longest step that leaves every basic variable above -slack.
static double longest_step(const Stretch *s, double smallest, double slack)
{
    double longest = INFINITY;
    for (int i = 0; i < s->count; i++) {
        if (s->step[i] < -smallest) {
            double value = s->value[i] > 0 ? s->value[i] : 0;
            double limit = (value + slack) / -s->step[i];
            longest = limit < longest ? limit : longest;
        }
    }
    return longest;
}

// B^-1 [p I] of one place against another's, each divided by its step: which row is the
// lexicographically smaller?
static bool is_before(const PerpBasis *basis, PerpPlace a, PerpPlace b)
{
    double step_a = -step_at(basis, a), step_b = -step_at(basis, b);
    double x = value_at(basis, a, 1) / step_a, y = value_at(basis, b, 1) / step_b;
    for (int j = 0; fabs(x - y) <= 1e-12 * (fabs(x) + fabs(y)) && j < basis->n; j++) {
        x = perp_basis_unit_value(basis, a, j) / step_a;
        y = perp_basis_unit_value(basis, b, j) / step_b;
    }
    return x < y;
}

static bool is_goal(const PerpBasis *basis, const PerpLemkePath *path, PerpPlace place)
{
    int variable = perp_basis_variable(basis, place);
    return variable == path->goal[0] || variable == path->goal[1];
}

// Keeps the best of the places that block within `longest`: a goal on any tie, else the
// lexicographically least.
static PerpPlace pick_blocking(const PerpBasis *basis, const PerpLemkePath *path, const Stretch *s,
                               double smallest, double longest, PerpPlace best)
{
    for (int i = 0; i < s->count; i++) {
        if (!(s->step[i] < -smallest && s->value[i] <= longest * -s->step[i]))
            continue;
        PerpPlace place = {s->in_core, s->first + i};
        if (best.in_core < 0 || is_goal(basis, path, place))
            best = place;
        else if (!is_goal(basis, path, best) && is_before(basis, place, best))
            best = place;
    }
    return best;
}

// The place that leaves, or in_core = -1 if nothing blocks.
static PerpPlace find_leaving(const PerpBasis *basis, const PerpLemkePath *path)
{
    Stretch stretch[2];
    list_stretches(basis, stretch);
    double largest_step = 0, largest_value = 0, longest = INFINITY;
    for (int s = 0; s < 2; s++) {
        largest_step = fmax(largest_step, perp_max_abs(stretch[s].count, stretch[s].step));
        largest_value = fmax(largest_value, perp_max_abs(stretch[s].count, stretch[s].value));
    }
    double smallest = path->pivot_tolerance * fmax(largest_step, 1);
    for (int s = 0; s < 2; s++)
        longest = fmin(longest, longest_step(&stretch[s], smallest,
                                             path->tie_tolerance * fmax(largest_value, 1e-3)));
    PerpPlace leaving = {-1, 0};
    for (int s = 0; s < 2; s++)
        leaving = pick_blocking(basis, path, &stretch[s], smallest, longest, leaving);
    return leaving;
}

// A ray may be rounding: it counts only if it is still there after the core was made anew.
static PerpPlace find_leaving_surely(PerpBasis *basis, const PerpLemkePath *path)
{
    PerpPlace leaving = find_leaving(basis, path);
    if (leaving.in_core < 0 && perp_basis_refactor(basis) &&
        perp_basis_direction(basis, path->entering))
        leaving = find_leaving(basis, path);
    return leaving;
}

static void advance(PerpBasis *basis, int entering, PerpPlace leaving)
{
    double step = -step_at(basis, leaving);
    double length[2] = {fmax(value_at(basis, leaving, 0), 0) / step,
                        value_at(basis, leaving, 1) / step};
    perp_basis_pivot(basis, entering, leaving, length);
}

// The place with the least q_i / d_i, lexicographically: z0 enters until it is zero. Here d is the
// step of the basic variables when z0 enters, positive in the basis at hand.
static PerpPlace find_first_leaving(const PerpBasis *basis)
{
    Stretch stretch[2];
    list_stretches(basis, stretch);
    PerpPlace best = {-1, 0};
    double least = 0, least_p = 0;
    for (int s = 0; s < 2; s++) {
        for (int i = 0; i < stretch[s].count; i++) {
            if (!(stretch[s].step[i] > 0 && stretch[s].value[i] < 0))
                continue;
            double ratio = stretch[s].value[i] / stretch[s].step[i];
            double ratio_p = stretch[s].value[basis->n + i] / stretch[s].step[i];
            if (best.in_core < 0 || ratio < least || (ratio == least && ratio_p < least_p)) {
                best = (PerpPlace){stretch[s].in_core, stretch[s].first + i};
                least = ratio;
                least_p = ratio_p;
            }
        }
    }
    return best;
}

// z0 enters to the least value that makes w, z >= 0. False if they are already.
static bool start(PerpBasis *basis, int *left)
{
    perp_basis_direction(basis, z0(basis));
    PerpPlace leaving = find_first_leaving(basis);
    if (leaving.in_core < 0)
        return false;
    *left = perp_basis_variable(basis, leaving);
    double step = -step_at(basis, leaving);
    double length[2] = {value_at(basis, leaving, 0) / step, value_at(basis, leaving, 1) / step};
    perp_basis_pivot(basis, z0(basis), leaving, length);
    return true;
}

bool perp_lemke_follow(PerpBasis *basis, PerpLemkePath *path, int left)
{
    for (; path->pivots < path->max_pivots; path->pivots++) {
        path->entering = complement(basis, left);
        if (perp_interrupted(path->interrupt) || !perp_basis_direction(basis, path->entering))
            return false;
        PerpPlace leaving = find_leaving_surely(basis, path);
        if (leaving.in_core < 0) {
            path->ray = true;
            return false;
        }
        bool reached = is_goal(basis, path, leaving);
        left = perp_basis_variable(basis, leaving);
        advance(basis, path->entering, leaving);
        if (reached)
            return true;
    }
    return false;
}

bool perp_lemke(PerpBasis *basis, PerpLemkePath *path)
{
    int left;
    path->goal[0] = path->goal[1] = z0(basis);
    if (!start(basis, &left))
        return true;
    path->pivots = 1;
    return perp_lemke_follow(basis, path, left);
}
