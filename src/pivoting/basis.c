#include "pivoting/basis.h"

#include "math/dense.h"
#include "math/lapack.h"

#include <math.h>
#include <string.h>

enum { FIRST_LD = 32, SCRATCH_COLUMNS = 64 };

// Errors of A^-1, relative to the largest term: repaired by refinement, and beyond that by
// factorisation.
static const double REFINE = 1e-13, REFACTOR = 1e-9;

bool perp_basis_take(PerpArena *arena, int n, PerpBasis *basis)
{
    size_t N = (size_t)n;
    *basis = (PerpBasis){.n = n};
    basis->Md = perp_arena_take(arena, N * (N + 1), sizeof(double));
    basis->inverse = perp_arena_take(arena, N * N, sizeof(double));
    basis->q = PERP_TAKE(arena, double, 2 * N);
    basis->row = PERP_TAKE(arena, int, N);
    basis->column = PERP_TAKE(arena, int, N);
    basis->row_place = PERP_TAKE(arena, int, N);
    basis->column_place = PERP_TAKE(arena, int, N + 1);
    basis->core_value = PERP_TAKE(arena, double, 2 * N);
    basis->row_value = PERP_TAKE(arena, double, 2 * N);
    basis->core_step = PERP_TAKE(arena, double, N);
    basis->row_step = PERP_TAKE(arena, double, N);
    basis->scratch = PERP_TAKE(arena, double, SCRATCH_COLUMNS *N);
    basis->pivots = PERP_TAKE(arena, int, N);
    return basis->Md && basis->inverse && basis->q && basis->row && basis->column &&
           basis->row_place && basis->column_place && basis->core_value && basis->row_value &&
           basis->core_step && basis->row_step && basis->scratch && basis->pivots;
}

static void empty_core(PerpBasis *basis)
{
    int n = basis->n;
    basis->k = 0;
    basis->ld = n < FIRST_LD ? n : FIRST_LD;
    for (int i = 0; i < n; i++)
        basis->row_place[i] = basis->column_place[i] = -1;
    basis->column_place[n] = -1;
    memcpy(basis->row_value, basis->q, 2 * (size_t)n * sizeof(double));
}

static double *inverse_column(const PerpBasis *basis, int r)
{
    return basis->inverse + (size_t)basis->ld * (size_t)r;
}

static const double *column_of(const PerpBasis *basis, int j)
{
    return basis->Md + (size_t)basis->n * (size_t)j;
}

// spreads the columns of A^-1 so that at least k rows fit
static void make_room(PerpBasis *basis, int k)
{
    if (k <= basis->ld)
        return;
    int old = basis->ld, product = 2 * old > k ? 2 * old : k;
    product = product < basis->n ? product : basis->n;
    for (int r = basis->k - 1; r > 0; r--)
        memmove(basis->inverse + (size_t)product * (size_t)r,
                basis->inverse + (size_t)old * (size_t)r, (size_t)basis->k * sizeof(double));
    basis->ld = product;
}

static void add_to_core(PerpBasis *basis, int row, int column)
{
    basis->row[basis->k] = row;
    basis->column[basis->k] = column;
    basis->row_place[row] = basis->column_place[column] = basis->k;
    basis->k++;
}

static void grow_core(PerpBasis *basis, int row, int column)
{
    make_room(basis, basis->k + 1);
    add_to_core(basis, row, column);
}

bool perp_basis_set(PerpBasis *basis, const signed char *active)
{
    empty_core(basis);
    for (int i = 0; i < basis->n; i++)
        if (i < basis->free || active[i])
            grow_core(basis, i, i);
    return perp_basis_refactor(basis);
}

bool perp_basis_set_core(PerpBasis *basis, int k, const int *row, const int *column)
{
    empty_core(basis);
    for (int i = 0; i < k; i++)
        grow_core(basis, row[i], column[i]);
    return perp_basis_refactor(basis);
}

bool perp_basis_clear(PerpBasis *basis)
{
    empty_core(basis);
    for (int i = 0; i < basis->free; i++)
        grow_core(basis, i, i);
    return basis->free == 0 || perp_basis_refactor(basis);
}

int perp_basis_variable(const PerpBasis *basis, PerpPlace place)
{
    return place.in_core ? basis->n + basis->column[place.index] : place.index;
}

// x = A^-1 b, b given on all rows
static void solve_core(const PerpBasis *basis, const double *b, double *x)
{
    int position[4];
    double weight[4];
    memset(x, 0, (size_t)basis->k * sizeof(double));
    for (int first = 0; first < basis->k; first += 4) {
        int count = basis->k - first < 4 ? basis->k - first : 4;
        for (int l = 0; l < count; l++) {
            position[l] = first + l;
            weight[l] = b[basis->row[first + l]];
        }
        perp_add_columns(basis->k, basis->inverse, basis->ld, count, position, weight, x);
    }
}

// largest |y| on the core's rows, where the exact value is zero
static double core_error(const PerpBasis *basis, const double *y)
{
    double error = 0;
    for (int r = 0; r < basis->k; r++) {
        double size = fabs(y[basis->row[r]]);
        error = size > error || isnan(size) ? size : error;
    }
    return error;
}

// y = a + [M d]_C x, and the error that x leaves on the core's rows relative to the largest term
static double multiply(const PerpBasis *basis, const double *a, const double *x, double *y)
{
    memcpy(y, a, (size_t)basis->n * sizeof(double));
    perp_add_columns(basis->n, basis->Md, basis->n, basis->k, basis->column, x, y);
    double size = fmax(perp_max_abs(basis->n, a), perp_max_abs(basis->k, x));
    return size > 0 ? core_error(basis, y) / size : 0;
}

// x = -A^-1 a_R and y = a + [M d]_C x, refined until y vanishes on the core's rows
static double solve_refined(PerpBasis *basis, const double *a, double *x, double *y)
{
    double *correction = basis->scratch;
    solve_core(basis, a, x);
    for (int c = 0; c < basis->k; c++)
        x[c] = -x[c];
    double error = multiply(basis, a, x, y);
    for (int pass = 0; pass < 2 && error > REFINE; pass++) {
        solve_core(basis, y, correction);
        perp_axpy(basis->k, -1, correction, x);
        double better = multiply(basis, a, x, y);
        if (better > 0.5 * error)
            break;
        error = better;
    }
    for (int r = 0; r < basis->k; r++)
        y[basis->row[r]] = 0;
    return error;
}

static bool invert_core(PerpBasis *basis)
{
    int k = basis->k, ld = basis->ld;
    double norm = 0;
    for (int c = 0; c < k; c++) {
        const double *from = column_of(basis, basis->column[c]);
        double *to = inverse_column(basis, c), sum = 0;
        for (int r = 0; r < k; r++) {
            to[r] = from[basis->row[r]];
            sum += fabs(to[r]);
        }
        norm = fmax(norm, sum);
    }
    basis->factorisations++;
    if (!perp_lu_factor(k, basis->inverse, ld, basis->pivots))
        return false;
    perp_lu_invert(k, basis->inverse, ld, basis->pivots, basis->scratch);
    double inverse_norm = 0;
    for (int c = 0; c < k; c++)
        inverse_norm = fmax(inverse_norm, perp_max_abs(k, inverse_column(basis, c)));
    return isfinite(inverse_norm) && norm * inverse_norm < 1e18;
}

bool perp_basis_refactor(PerpBasis *basis)
{
    size_t n = (size_t)basis->n;
    if (!invert_core(basis))
        return false;
    for (size_t side = 0; side < 2 && !basis->keep_values; side++) {
        double error = solve_refined(basis, basis->q + side * n, basis->core_value + side * n,
                                     basis->row_value + side * n);
        if (!(error < REFACTOR))
            return false;
    }
    return true;
}

static double direction_error(PerpBasis *basis, int entering)
{
    int n = basis->n;
    if (entering >= n)
        return solve_refined(basis, column_of(basis, entering - n), basis->core_step,
                             basis->row_step);
    // w_s enters: the column of the identity, with the sign of w - M z - d z0 = q
    double *unit = basis->scratch + n;
    memset(unit, 0, (size_t)n * sizeof(double));
    unit[entering] = -1;
    return solve_refined(basis, unit, basis->core_step, basis->row_step);
}

bool perp_basis_direction(PerpBasis *basis, int entering)
{
    if (direction_error(basis, entering) < REFACTOR)
        return true;
    return perp_basis_refactor(basis) && direction_error(basis, entering) < 1e-6;
}

// v' = m_j' A^-1 with m_j the row j of [M d]_C
static void row_times_inverse(const PerpBasis *basis, int j, double *v)
{
    double *m = basis->scratch + basis->n;
    for (int c = 0; c < basis->k; c++)
        m[c] = column_of(basis, basis->column[c])[j];
    perp_dot_columns(basis->k, basis->inverse, basis->ld, basis->k, m, v);
}

// z_s enters, w_j leaves: row j and column s join the core. With u = A^-1 a = -step, v' = m_j'A^-1
// and sigma = a_j - m_j'u = step of w_j:
//     [A a; m' a_j]^-1 = [A^-1 + u v'/sigma   -u/sigma; -v'/sigma   1/sigma]
static void grow(PerpBasis *basis, int s, int j)
{
    int k = basis->k;
    make_room(basis, k + 1);
    double sigma = basis->row_step[j], *v = basis->scratch, *step = basis->core_step;
    row_times_inverse(basis, j, v);
    for (int r = 0; r < k; r++)
        v[r] = -v[r] / sigma;
    perp_rank_one(k, k, basis->inverse, basis->ld, step, v);
    for (int r = 0; r < k; r++)
        inverse_column(basis, r)[k] = v[r];
    double *last = inverse_column(basis, k);
    for (int c = 0; c < k; c++)
        last[c] = step[c] / sigma;
    last[k] = 1 / sigma;
    add_to_core(basis, j, s);
}

// z_s enters, the z at core position c leaves: column c of A is replaced.
//     row c of A^-1 is divided by u_c, and u_i times it is taken from the others
static void replace_column(PerpBasis *basis, int s, int c)
{
    int k = basis->k;
    double *u = basis->core_step, *pivot_row = basis->scratch, pivot = -u[c];
    for (int r = 0; r < k; r++) {
        pivot_row[r] = inverse_column(basis, r)[c] / pivot;
        inverse_column(basis, r)[c] = 0;
    }
    u[c] = 1;
    perp_rank_one(k, k, basis->inverse, basis->ld, u, pivot_row);
    basis->column_place[basis->column[c]] = -1;
    basis->column[c] = s;
    basis->column_place[s] = c;
}

// w_s enters (row s at core position r), w_j leaves: row r of A becomes row j of [M d]_C.
static void replace_row(PerpBasis *basis, int s, int j)
{
    int k = basis->k, r = basis->row_place[s];
    double *v = basis->scratch, *column = inverse_column(basis, r), pivot = basis->row_step[j];
    row_times_inverse(basis, j, v);
    for (int t = 0; t < k; t++)
        v[t] = -v[t] / pivot;
    v[r] = 0;
    perp_rank_one(k, k, basis->inverse, basis->ld, basis->core_step, v);
    for (int c = 0; c < k; c++)
        column[c] = basis->core_step[c] / pivot;
    basis->row_place[s] = -1;
    basis->row[r] = j;
    basis->row_place[j] = r;
}

static void drop_position(PerpBasis *basis, int r, int c)
{
    int last = basis->k - 1;
    basis->row_place[basis->row[r]] = -1;
    basis->column_place[basis->column[c]] = -1;
    if (r != last) {
        memcpy(inverse_column(basis, r), inverse_column(basis, last),
               (size_t)basis->k * sizeof(double));
        basis->row[r] = basis->row[last];
        basis->row_place[basis->row[r]] = r;
    }
    if (c != last) {
        for (int t = 0; t < last; t++)
            inverse_column(basis, t)[c] = inverse_column(basis, t)[last];
        basis->column[c] = basis->column[last];
        basis->column_place[basis->column[c]] = c;
        basis->core_value[c] = basis->core_value[last];
        basis->core_value[basis->n + c] = basis->core_value[basis->n + last];
    }
    basis->k = last;
}

// w_s enters (row s at core position r), the z at core position c leaves: both go from the core.
//     B = A^-1:  B_ij - B_ir B_cj / B_cr  without row c and column r
static void shrink(PerpBasis *basis, int s, int c)
{
    int k = basis->k, r = basis->row_place[s];
    double *pivot_row = basis->scratch, pivot = basis->core_step[c];
    for (int t = 0; t < k; t++)
        pivot_row[t] = -inverse_column(basis, t)[c] / pivot;
    pivot_row[r] = 0;
    perp_rank_one(k, k, basis->inverse, basis->ld, basis->core_step, pivot_row);
    drop_position(basis, r, c);
}

static void move_values(PerpBasis *basis, const double length[2])
{
    for (int side = 0; side < 2; side++) {
        perp_axpy(basis->k, length[side], basis->core_step, basis->core_value + side * basis->n);
        perp_axpy(basis->n, length[side], basis->row_step, basis->row_value + side * basis->n);
    }
}

void perp_basis_pivot(PerpBasis *basis, int entering, PerpPlace leaving, const double length[2])
{
    int n = basis->n, j = leaving.index;
    move_values(basis, length);
    double *value = NULL;
    if (entering >= n) { // a column of [M d] enters
        if (leaving.in_core) {
            replace_column(basis, entering - n, j);
            value = basis->core_value + j;
        } else {
            grow(basis, entering - n, j);
            value = basis->core_value + basis->k - 1;
        }
    } else { // w enters
        if (leaving.in_core)
            shrink(basis, entering, j);
        else
            replace_row(basis, entering, j);
        value = basis->row_value + entering;
    }
    if (!leaving.in_core)
        basis->row_value[j] = basis->row_value[n + j] = 0;
    value[0] = length[0];
    value[n] = length[1];
}

double perp_basis_unit_value(const PerpBasis *basis, PerpPlace place, int j)
{
    int r = basis->row_place[j];
    if (r < 0)
        return !place.in_core && place.index == j ? 1 : 0;
    const double *x = inverse_column(basis, r);
    if (place.in_core)
        return -x[place.index];
    double sum = 0;
    for (int c = 0; c < basis->k; c++)
        sum -= column_of(basis, basis->column[c])[place.index] * x[c];
    return sum;
}
