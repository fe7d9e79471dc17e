// Principal pivoting (Cottle & Dantzig 1968; Cottle, Pang & Stone 4.2): all bases are
// complementary. A row with w_r < 0 is driven to zero by raising z_r; what would turn negative
// before that is exchanged with its complement. Each round makes one more w feasible and none
// infeasible.

#include "pivoting/dantzig.h"

#include "math/dense.h"

#include <math.h>
#include <stddef.h>

static const double SMALLEST_STEP = 1e-11, SLACK = 1e-13;

bool perp_is_symmetric(int n, const double *M)
{
    for (int j = 0; j < n; j++)
        for (int i = 0; i < j; i++) {
            size_t N = (size_t)n, I = (size_t)i, J = (size_t)j;
            double difference = fabs(M[I + N * J] - M[J + N * I]);
            if (difference > 0 && !(difference <= 1e-13 * sqrt(fabs(M[I + N * I] * M[J + N * J]))))
                return false;
        }
    return true;
}

// The row with the most negative w, -1 if there is none.
static int find_worst_row(const PerpBasis *basis, double slack)
{
    int worst = -1;
    double least = -slack;
    for (int i = 0; i < basis->n; i++) {
        if (basis->row_value[i] < least) {
            least = basis->row_value[i];
            worst = i;
        }
    }
    return worst;
}

// Who blocks z_r first: w_r itself when it reaches zero, a basic z, or a w that is not negative.
static PerpPlace find_blocking(const PerpBasis *basis, int r, double *length)
{
    PerpPlace place = {-1, 0};
    *length = INFINITY;
    if (basis->row_step[r] > SMALLEST_STEP) {
        *length = -basis->row_value[r] / basis->row_step[r];
        place = (PerpPlace){0, r};
    }
    for (int c = 0; c < basis->k; c++) {
        double step = -basis->core_step[c];
        if (step > SMALLEST_STEP && basis->core_value[c] < *length * step) {
            *length = fmax(basis->core_value[c], 0) / step;
            place = (PerpPlace){1, c};
        }
    }
    for (int i = 0; i < basis->n; i++) {
        double step = -basis->row_step[i], value = basis->row_value[i];
        if (step > SMALLEST_STEP && value >= 0 && value < *length * step) {
            *length = value / step;
            place = (PerpPlace){0, i};
        }
    }
    return place;
}

// z_r is nonbasic but not zero between exchanges: its share is kept in the right-hand side q.
static void advance(PerpBasis *basis, int r, double length)
{
    perp_axpy(basis->k, length, basis->core_step, basis->core_value);
    perp_axpy(basis->n, length, basis->row_step, basis->row_value);
    perp_axpy(basis->n, length, basis->Md + (size_t)basis->n * (size_t)r, basis->q);
}

// Exchanges z_i and w_i. The pivot is positive in exact arithmetic [a diagonal entry of a principal
// transform that has a nonzero in its row]; if not, M is not positive semidefinite.
static bool exchange(PerpBasis *basis, PerpPlace place)
{
    const double none[2] = {0, 0};
    int i = place.in_core ? basis->column[place.index] : place.index;
    int entering = place.in_core ? i : basis->n + i;
    if (!perp_basis_direction(basis, entering))
        return false;
    double pivot = place.in_core ? -basis->core_step[place.index] : basis->row_step[i];
    if (!(fabs(pivot) > SMALLEST_STEP))
        return false;
    perp_basis_pivot(basis, entering, place, none);
    return true;
}

// Raises z_r until w_r is zero; `reached` is how far it came.
static bool drive_row(PerpBasis *basis, int r, PerpDantzigPath *path, double *reached)
{
    while (path->pivots++ < path->max_pivots) {
        double length;
        if (!perp_basis_direction(basis, basis->n + r))
            return false;
        PerpPlace place = find_blocking(basis, r, &length);
        if (place.in_core < 0)
            return false;
        advance(basis, r, length);
        *reached += length;
        if (!place.in_core && place.index == r)
            return true;
        if (!exchange(basis, place))
            return false;
    }
    return false;
}

static bool mend_row(PerpBasis *basis, int r, PerpDantzigPath *path)
{
    const double none[2] = {0, 0};
    double reached = 0;
    bool mended = drive_row(basis, r, path, &reached);
    perp_axpy(basis->n, -reached, basis->Md + (size_t)basis->n * (size_t)r, basis->q);
    if (!mended)
        return false;
    perp_basis_pivot(basis, basis->n + r, (PerpPlace){0, r}, none);
    basis->core_value[basis->k - 1] = reached;
    return true;
}

bool perp_dantzig_follow(PerpBasis *basis, PerpDantzigPath *path)
{
    double slack = SLACK * fmax(1e-3, perp_max_abs(basis->n, basis->q));
    int r;
    while ((r = find_worst_row(basis, slack)) >= 0)
        if (!mend_row(basis, r, path))
            return false;
    return true;
}
