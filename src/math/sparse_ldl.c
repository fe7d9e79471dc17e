// Up-looking L D L' on the elimination tree, row by row.  [Davis, Direct Methods for Sparse Linear
// Systems, SIAM 2006, sections 4.1, 4.3 and 4.8]

#include "math/sparse_ldl.h"

#include <math.h>
#include <string.h>
#include <suitesparse/amd.h>

// --- order --------------------------------------------------------------------------------------

// The pattern of A without its diagonal, both triangles by columns, with room for AMD to work in.
typedef struct Pattern {
    int *start, *length; // n
    int *row;            // room
    int used, room;
} Pattern;

static bool take_pattern(PerpArena *arena, const PerpSparseSymmetric *A, Pattern *pattern)
{
    int entries = 2 * A->start[A->n];
    pattern->room = entries + entries / 5 + A->n; // as amd.h advises
    pattern->start = PERP_TAKE(arena, int, A->n);
    pattern->length = PERP_TAKE(arena, int, A->n);
    pattern->row = PERP_TAKE(arena, int, pattern->room);
    return pattern->start && pattern->length && pattern->row;
}

static void fill_pattern(const PerpSparseSymmetric *A, Pattern *pattern)
{
    for (int j = 0; j < A->n; j++)
        for (int e = A->start[j]; e < A->start[j + 1]; e++)
            if (A->row[e] != j) {
                pattern->length[j]++;
                pattern->length[A->row[e]]++;
            }
    for (int j = 0; j < A->n; j++) {
        pattern->start[j] = pattern->used;
        pattern->used += pattern->length[j];
        pattern->length[j] = 0;
    }
    for (int j = 0; j < A->n; j++)
        for (int e = A->start[j]; e < A->start[j + 1]; e++) {
            int i = A->row[e];
            if (i != j) {
                pattern->row[pattern->start[j] + pattern->length[j]++] = i;
                pattern->row[pattern->start[i] + pattern->length[i]++] = j;
            }
        }
}

// amd_2 and not amd_order: it works in the memory that it is given.
static bool find_order(PerpArena *arena, const PerpSparseSymmetric *A, int *order, int *place)
{
    size_t n = (size_t)A->n;
    Pattern pattern = {0};
    int *scratch = PERP_TAKE(arena, int, 5 * n);
    double control[AMD_CONTROL], info[AMD_INFO];
    if (!scratch || !take_pattern(arena, A, &pattern))
        return false;
    fill_pattern(A, &pattern);
    amd_defaults(control);
    if (n > 0)
        amd_2(A->n, pattern.start, pattern.row, pattern.length, pattern.room, pattern.used, scratch,
              place, order, scratch + n, scratch + 2 * n, scratch + 3 * n, scratch + 4 * n, control,
              info);
    return true;
}

// --- the matrix in that order -------------------------------------------------------------------

// Row k of the lower triangle of P S A S P' left of the diagonal: start[k] .. [k+1] - 1.
typedef struct Rows {
    int *start;    // n + 1
    int *column;   // entries
    double *value; // entries
} Rows;

static bool take_rows(PerpArena *arena, const PerpSparseSymmetric *A, Rows *rows)
{
    rows->start = PERP_TAKE(arena, int, A->n + 2);
    rows->column = PERP_TAKE(arena, int, A->start[A->n]);
    rows->value = PERP_TAKE(arena, double, A->start[A->n]);
    return rows->start && rows->column && rows->value;
}

// S = diag(A)^-1/2; a row of zeros stays one
static void find_scale(const PerpSparseSymmetric *A, double *scale)
{
    for (int j = 0; j < A->n; j++)
        for (int e = A->start[j]; e < A->start[j + 1]; e++)
            if (A->row[e] == j)
                scale[j] = A->value[e] == 0 ? 0 : 1 / sqrt(A->value[e]);
}

static int larger(int a, int b)
{
    return a > b ? a : b;
}

static void permute(const PerpSparseSymmetric *A, const int *place, const double *scale, Rows *rows)
{
    int *next = rows->start + 1; // of row k: start[k + 1], which ends where row k + 1 starts
    for (int j = 0; j < A->n; j++)
        for (int e = A->start[j]; e < A->start[j + 1]; e++)
            if (A->row[e] != j)
                rows->start[larger(place[A->row[e]], place[j]) + 2]++;
    for (int k = 2; k <= A->n; k++)
        rows->start[k] += rows->start[k - 1];
    for (int j = 0; j < A->n; j++)
        for (int e = A->start[j]; e < A->start[j + 1]; e++) {
            int i = A->row[e], k = larger(place[i], place[j]);
            if (i == j)
                continue;
            rows->column[next[k]] = place[i] + place[j] - k;
            rows->value[next[k]++] = scale[i] * A->value[e] * scale[j];
        }
}

// --- factors ------------------------------------------------------------------------------------

typedef struct Factoring {
    Rows rows;
    int *place;   // n: order's inverse
    int *parent;  // n: the elimination tree, -1 at roots
    int *visited; // n: last row whose pattern the node is in
    int *end;     // n: behind the entries of L's column so far
    int *pattern; // n: columns of the row at hand, children before parents, from the back
    int *path;    // n
    double *y;    // n: the row at hand times D, 0 between rows
} Factoring;

static bool take_factoring(PerpArena *arena, const PerpSparseSymmetric *A, Factoring *f)
{
    f->place = PERP_TAKE(arena, int, A->n);
    f->parent = PERP_TAKE(arena, int, A->n);
    f->visited = PERP_TAKE(arena, int, A->n);
    f->end = PERP_TAKE(arena, int, A->n);
    f->pattern = PERP_TAKE(arena, int, A->n);
    f->path = PERP_TAKE(arena, int, A->n);
    f->y = PERP_TAKE(arena, double, A->n);
    return f->place && f->parent && f->visited && f->end && f->pattern && f->path && f->y &&
           take_rows(arena, A, &f->rows);
}

static bool take_factors(PerpArena *arena, int n, PerpSparseLdl *ldl)
{
    *ldl = (PerpSparseLdl){.n = n, .least_kept = 1};
    ldl->order = PERP_TAKE(arena, int, n);
    ldl->scale = PERP_TAKE(arena, double, n);
    ldl->start = PERP_TAKE(arena, int, n + 1);
    ldl->pivot = PERP_TAKE(arena, double, n);
    ldl->dependent = PERP_TAKE(arena, bool, n);
    ldl->x = PERP_TAKE(arena, double, n);
    return ldl->order && ldl->scale && ldl->start && ldl->pivot && ldl->dependent && ldl->x;
}

// The elimination tree, and the lengths of L's columns: l_ki != 0 for all i on the way from a_ki up
// to k.
static void analyse(Factoring *f, PerpSparseLdl *ldl)
{
    int *length = ldl->start + 1;
    for (int k = 0; k < ldl->n; k++) {
        f->parent[k] = -1;
        f->visited[k] = k;
        for (int e = f->rows.start[k]; e < f->rows.start[k + 1]; e++)
            for (int i = f->rows.column[e]; f->visited[i] != k; i = f->parent[i]) {
                if (f->parent[i] < 0)
                    f->parent[i] = k;
                length[i]++;
                f->visited[i] = k;
            }
    }
    for (int k = 0; k < ldl->n; k++) {
        f->end[k] = ldl->start[k];
        ldl->start[k + 1] += ldl->start[k];
        f->visited[k] = -1;
    }
}

// y = row k of the matrix. Returns where its pattern begins.
static int scatter_row(Factoring *f, int n, int k)
{
    int top = n;
    f->visited[k] = k;
    for (int e = f->rows.start[k]; e < f->rows.start[k + 1]; e++) {
        int length = 0;
        f->y[f->rows.column[e]] = f->rows.value[e];
        for (int i = f->rows.column[e]; f->visited[i] != k; i = f->parent[i]) {
            f->path[length++] = i;
            f->visited[i] = k;
        }
        while (length > 0)
            f->pattern[--top] = f->path[--length];
    }
    return top;
}

// L_before (D l_k) = a_k,  d_k = a_kk - l_k' D l_k; the columns of dependent rows are zero. Returns
// d_k.
static double factor_row(Factoring *f, PerpSparseLdl *ldl, int k)
{
    double d = ldl->scale[ldl->order[k]] == 0 ? 0 : 1;
    for (int at = scatter_row(f, ldl->n, k); at < ldl->n; at++) {
        int i = f->pattern[at];
        double y_i = f->y[i], l_ki = ldl->pivot[i] > 0 ? y_i / ldl->pivot[i] : 0;
        f->y[i] = 0;
        for (int e = ldl->start[i]; e < f->end[i]; e++)
            f->y[ldl->row[e]] -= ldl->L[e] * y_i;
        d -= l_ki * y_i;
        ldl->row[f->end[i]] = k;
        ldl->L[f->end[i]++] = l_ki;
    }
    return d;
}

static void keep_pivot(PerpSparseLdl *ldl, int k, double d)
{
    ldl->pivot[k] = d;
    ldl->rank++;
    ldl->least_kept = fmin(ldl->least_kept, d);
}

static void drop_pivot(PerpSparseLdl *ldl, int k, double d)
{
    ldl->dependent[ldl->order[k]] = true;
    ldl->largest_dropped = fmax(ldl->largest_dropped, isnan(d) ? INFINITY : fabs(d));
}

bool perp_sparse_ldl_factor(PerpArena *arena, const PerpSparseSymmetric *A, double tolerance,
                            PerpSparseLdl *ldl)
{
    Factoring f;
    if (!take_factors(arena, A->n, ldl) || !take_factoring(arena, A, &f) ||
        !find_order(arena, A, ldl->order, f.place))
        return false;
    find_scale(A, ldl->scale);
    permute(A, f.place, ldl->scale, &f.rows);
    analyse(&f, ldl);
    ldl->row = PERP_TAKE(arena, int, ldl->start[A->n]);
    ldl->L = PERP_TAKE(arena, double, ldl->start[A->n]);
    if (!ldl->row || !ldl->L)
        return false;
    for (int k = 0; k < A->n; k++) {
        double d = factor_row(&f, ldl, k);
        if (d > tolerance)
            keep_pivot(ldl, k, d);
        else
            drop_pivot(ldl, k, d);
    }
    return true;
}

// --- solve --------------------------------------------------------------------------------------

void perp_sparse_ldl_solve(const PerpSparseLdl *ldl, double *x)
{
    double *y = ldl->x;
    // P S b
    for (int k = 0; k < ldl->n; k++)
        y[k] = ldl->scale[ldl->order[k]] * x[ldl->order[k]];
    // L y = P S b
    for (int k = 0; k < ldl->n; k++)
        for (int e = ldl->start[k]; e < ldl->start[k + 1]; e++)
            y[ldl->row[e]] -= ldl->L[e] * y[k];
    // L' z = D^-1 y, dependent rows left out
    for (int k = ldl->n - 1; k >= 0; k--) {
        y[k] = ldl->pivot[k] > 0 ? y[k] / ldl->pivot[k] : 0;
        for (int e = ldl->start[k]; e < ldl->start[k + 1]; e++)
            y[k] -= ldl->L[e] * y[ldl->row[e]];
    }
    // x = S P' z
    for (int k = 0; k < ldl->n; k++)
        x[ldl->order[k]] = ldl->scale[ldl->order[k]] * y[k];
}
