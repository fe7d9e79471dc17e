// Up-looking L D L' on the elimination tree, row by row.  [Davis, Direct Methods for Sparse Linear
// Systems, SIAM 2006, sections 4.1, 4.3 and 4.8]

#include "math/sparse/sparse_ldl.h"

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

// S = diag(A)^-1/2; a row of zeros stays one, and one beyond all numbers counts as NaN
static void find_scale(const PerpSparseSymmetric *A, double *scale)
{
    for (int j = 0; j < A->n; j++)
        for (int e = A->start[j]; e < A->start[j + 1]; e++)
            if (A->row[e] == j && A->value[e] != 0)
                scale[j] = isfinite(A->value[e]) ? 1 / sqrt(A->value[e]) : NAN;
}

static int larger(int a, int b)
{
    return a > b ? a : b;
}

static void permute(const PerpSparseSymmetric *A, const int *place, PerpSparseLdl *ldl)
{
    int *next = ldl->a_start + 1; // of row k: in the end, where row k + 1 starts
    for (int j = 0; j < A->n; j++)
        for (int e = A->start[j]; e < A->start[j + 1]; e++)
            if (A->row[e] != j)
                ldl->a_start[larger(place[A->row[e]], place[j]) + 2]++;
    for (int k = 2; k <= A->n; k++)
        ldl->a_start[k] += ldl->a_start[k - 1];
    for (int j = 0; j < A->n; j++)
        for (int e = A->start[j]; e < A->start[j + 1]; e++) {
            int i = A->row[e], k = larger(place[i], place[j]);
            if (i == j)
                continue;
            ldl->a_column[next[k]] = place[i] + place[j] - k;
            ldl->a[next[k]++] = ldl->scale[i] * A->value[e] * ldl->scale[j];
        }
}

// --- analysis -----------------------------------------------------------------------------------

static bool take_memory(PerpArena *arena, const PerpSparseSymmetric *A, PerpSparseLdl *ldl)
{
    int n = A->n, entries = A->start[n];
    *ldl = (PerpSparseLdl){.n = n,
                           .order = PERP_TAKE(arena, int, n),
                           .scale = PERP_TAKE(arena, double, n),
                           .start = PERP_TAKE(arena, int, n + 1),
                           .pivot = PERP_TAKE(arena, double, n),
                           .dependent = PERP_TAKE(arena, bool, n),
                           .x = PERP_TAKE(arena, double, n),
                           .a_start = PERP_TAKE(arena, int, n + 2),
                           .a_column = PERP_TAKE(arena, int, entries),
                           .a = PERP_TAKE(arena, double, entries),
                           .parent = PERP_TAKE(arena, int, n),
                           .visited = PERP_TAKE(arena, int, n),
                           .end = PERP_TAKE(arena, int, n),
                           .pattern = PERP_TAKE(arena, int, n),
                           .path = PERP_TAKE(arena, int, n)};
    return ldl->order && ldl->scale && ldl->start && ldl->pivot && ldl->dependent && ldl->x &&
           ldl->a_start && ldl->a_column && ldl->a && ldl->parent && ldl->visited && ldl->end &&
           ldl->pattern && ldl->path;
}

// The elimination tree, and the lengths of L's columns: l_ki != 0 for all i on the path from a_ki
// up to k.
static void grow_tree(PerpSparseLdl *ldl)
{
    int *length = ldl->start + 1;
    for (int k = 0; k < ldl->n; k++) {
        ldl->parent[k] = -1;
        ldl->visited[k] = k;
        for (int e = ldl->a_start[k]; e < ldl->a_start[k + 1]; e++)
            for (int i = ldl->a_column[e]; ldl->visited[i] != k; i = ldl->parent[i]) {
                if (ldl->parent[i] < 0)
                    ldl->parent[i] = k;
                length[i]++;
                ldl->visited[i] = k;
            }
    }
    for (int k = 0; k < ldl->n; k++)
        ldl->start[k + 1] += ldl->start[k];
}

bool perp_sparse_ldl_analyse(PerpArena *arena, const PerpSparseSymmetric *A, PerpSparseLdl *ldl)
{
    int *place = PERP_TAKE(arena, int, A->n); // order's inverse
    if (!place || !take_memory(arena, A, ldl) || !find_order(arena, A, ldl->order, place))
        return false;
    find_scale(A, ldl->scale);
    permute(A, place, ldl);
    grow_tree(ldl);
    ldl->row = PERP_TAKE(arena, int, ldl->start[A->n]);
    ldl->L = PERP_TAKE(arena, double, ldl->start[A->n]);
    return ldl->row && ldl->L;
}

// --- factors ------------------------------------------------------------------------------------

// y = row k of the matrix. Returns where its pattern begins.
static int scatter_row(PerpSparseLdl *ldl, int k, double *y)
{
    int top = ldl->n;
    ldl->visited[k] = k;
    for (int e = ldl->a_start[k]; e < ldl->a_start[k + 1]; e++) {
        int length = 0;
        y[ldl->a_column[e]] = ldl->a[e];
        for (int i = ldl->a_column[e]; ldl->visited[i] != k; i = ldl->parent[i]) {
            ldl->path[length++] = i;
            ldl->visited[i] = k;
        }
        while (length > 0)
            ldl->pattern[--top] = ldl->path[--length];
    }
    return top;
}

// L_before (D l_k) = a_k,  d_k = a_kk - l_k' D l_k; the columns of dependent rows are zero. Returns
// d_k. y is zero before and after.
static double factor_row(PerpSparseLdl *ldl, int k, double *y)
{
    double scale = ldl->scale[ldl->order[k]], d = scale > 0 ? 1 : scale;
    for (int at = scatter_row(ldl, k, y); at < ldl->n; at++) {
        int i = ldl->pattern[at];
        double y_i = y[i], l_ki = ldl->pivot[i] > 0 ? y_i / ldl->pivot[i] : 0;
        y[i] = 0;
        for (int e = ldl->start[i]; e < ldl->end[i]; e++)
            y[ldl->row[e]] -= ldl->L[e] * y_i;
        d -= l_ki * y_i;
        ldl->row[ldl->end[i]] = k;
        ldl->L[ldl->end[i]++] = l_ki;
    }
    return d;
}

void perp_sparse_ldl_factor(PerpSparseLdl *ldl, double tolerance)
{
    ldl->rank = 0;
    for (int k = 0; k < ldl->n; k++) {
        ldl->end[k] = ldl->start[k];
        ldl->visited[k] = -1;
        ldl->x[k] = 0;
    }
    for (int k = 0; k < ldl->n; k++) {
        double d = factor_row(ldl, k, ldl->x);
        bool independent = d > tolerance;
        ldl->dependent[ldl->order[k]] = !independent;
        ldl->pivot[k] = independent ? d : 0;
        ldl->rank += independent;
    }
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
