#include "math/block_lu.h"

#include "base/compiler.h"

#include <math.h>
#include <string.h>
#include <suitesparse/amd.h>

enum { LARGEST = 6, LARGEST_PAD = 8 };

// --- kernels ------------------------------------------------------------------------------------

// C -= A B' for blocks of the given size; sizes are constants after inlining
static inline void subtract_product(int size, int pad, const double *restrict A,
                                    const double *restrict B, double *restrict C)
{
    for (int j = 0; j < size; j++)
        for (int k = 0; k < size; k++) {
            double b = B[pad * k + j];
            for (int i = 0; i < pad; i++)
                C[pad * j + i] -= A[pad * k + i] * b;
        }
}

// One column's part of another: lower -= L U and upper -= U L for all rows from the pivot row on.
static inline void subtract_column(int size, int pad, int count, const int *slot, const double *L,
                                   const double *U, double *lower, double *upper)
{
    const int block = size * pad;
    const double *L_pivot = L, *U_pivot = U; // blocks of the row that is being eliminated
    for (int k = 1; k < count; k++) {
        subtract_product(size, pad, L + block * k, U_pivot, lower + block * slot[k]);
        subtract_product(size, pad, U + block * k, L_pivot, upper + block * slot[k]);
    }
}

PERP_VECTOR_KERNEL static void subtract_column_3(int count, const int *slot, const double *L,
                                                 const double *U, double *lower, double *upper)
{
    subtract_column(3, 4, count, slot, L, U, lower, upper);
}

PERP_VECTOR_KERNEL static void subtract_column_6(int count, const int *slot, const double *L,
                                                 const double *U, double *lower, double *upper)
{
    subtract_column(6, 8, count, slot, L, U, lower, upper);
}

PERP_VECTOR_KERNEL static void subtract_one_3(const double *A, const double *B, double *C)
{
    subtract_product(3, 4, A, B, C);
}

PERP_VECTOR_KERNEL static void subtract_one_6(const double *A, const double *B, double *C)
{
    subtract_product(6, 8, A, B, C);
}

// A^-1 in place by Gauss-Jordan elimination with row exchanges; false if singular
static bool invert(int size, int pad, double *A)
{
    int swapped[LARGEST];
    for (int k = 0; k < size; k++) {
        int p = k;
        for (int i = k + 1; i < size; i++)
            if (fabs(A[pad * k + i]) > fabs(A[pad * k + p]))
                p = i;
        double pivot = A[pad * k + p];
        if (!(fabs(pivot) > 0) || !isfinite(pivot))
            return false;
        swapped[k] = p;
        for (int j = 0; j < size; j++) {
            double kept = A[pad * j + k];
            A[pad * j + k] = A[pad * j + p] / pivot;
            if (p != k)
                A[pad * j + p] = kept;
        }
        A[pad * k + k] = 1 / pivot;
        for (int i = 0; i < size; i++) {
            double factor = A[pad * k + i];
            if (i == k)
                continue;
            A[pad * k + i] = 0;
            for (int j = 0; j < size; j++)
                A[pad * j + i] -= factor * A[pad * j + k];
        }
    }
    for (int k = size - 1; k >= 0; k--) // row exchanges of A are column exchanges of its inverse
        for (int i = 0; i < size && swapped[k] != k; i++) {
            double kept = A[pad * k + i];
            A[pad * k + i] = A[pad * swapped[k] + i];
            A[pad * swapped[k] + i] = kept;
        }
    return true;
}

// X = X D
static void multiply_right(int size, int pad, const double *D, double *X)
{
    double Y[LARGEST * LARGEST_PAD] = {0};
    for (int j = 0; j < size; j++)
        for (int k = 0; k < size; k++)
            for (int i = 0; i < pad; i++)
                Y[pad * j + i] += X[pad * k + i] * D[pad * j + k];
    memcpy(X, Y, (size_t)(size * pad) * sizeof(double));
}

// --- pattern ------------------------------------------------------------------------------------

// The graph of the blocks, both ways and each neighbour once, as AMD wants it.
typedef struct Graph {
    int *start; // n + 1
    int *other; // with room for AMD
    int room;
} Graph;

static bool build_graph(PerpArena *arena, int n, int pairs, const int *i, const int *j,
                        Graph *graph)
{
    int *seen = PERP_TAKE(arena, int, n), *all_start = PERP_TAKE(arena, int, n + 2);
    int *all = PERP_TAKE(arena, int, 2 * pairs);
    graph->room = 2 * pairs + 2 * pairs / 5 + n + 1;
    graph->start = PERP_TAKE(arena, int, n + 1);
    graph->other = PERP_TAKE(arena, int, graph->room);
    if (!seen || !all_start || !all || !graph->start || !graph->other)
        return false;
    for (int k = 0; k < pairs; k++) {
        all_start[i[k] + 2]++;
        all_start[j[k] + 2]++;
    }
    for (int k = 0; k < n; k++)
        all_start[k + 2] += all_start[k + 1];
    for (int k = 0; k < pairs; k++) {
        all[all_start[i[k] + 1]++] = j[k];
        all[all_start[j[k] + 1]++] = i[k];
    }
    memset(seen, -1, (size_t)n * sizeof(int));
    int used = 0;
    for (int k = 0; k < n; k++) {
        graph->start[k] = used;
        seen[k] = k;
        for (int e = all_start[k]; e < all_start[k + 1]; e++)
            if (seen[all[e]] != k) {
                seen[all[e]] = k;
                graph->other[used++] = all[e];
            }
    }
    graph->start[n] = used;
    return true;
}

// amd_2 destroys its copy of the graph.
static bool find_order(PerpArena *arena, int n, const Graph *graph, PerpBlockLu *lu)
{
    PerpArenaMark mark = perp_arena_mark(arena);
    int *work = PERP_TAKE(arena, int, 8 * n), *other = PERP_TAKE(arena, int, graph->room);
    double control[AMD_CONTROL];
    if (!work || !other)
        return false;
    memcpy(other, graph->other, (size_t)graph->start[n] * sizeof(int));
    memcpy(work, graph->start, (size_t)n * sizeof(int));
    for (int k = 0; k < n; k++)
        work[n + k] = graph->start[k + 1] - graph->start[k];
    amd_defaults(control);
    amd_2(n, work, other, work + n, graph->room, graph->start[n], work + 2 * n, lu->place,
          lu->order, work + 3 * n, work + 4 * n, work + 5 * n, work + 6 * n, control, NULL);
    for (int k = 0; k < n; k++)
        lu->place[lu->order[k]] = k;
    perp_arena_release(arena, mark);
    return true;
}

static int compare_ints(int a, int b)
{
    return (a > b) - (a < b);
}

// Rows are few a column and mostly in order: insertion.
static void sort(int count, int *x)
{
    for (int k = 1; k < count; k++)
        for (int at = k; at > 0 && compare_ints(x[at - 1], x[at]) > 0; at--) {
            int kept = x[at];
            x[at] = x[at - 1];
            x[at - 1] = kept;
        }
}

// The rows of column k: those of the matrix and of its children in the elimination tree. Counts
// them when rows is NULL.
static int find_column(const PerpBlockLu *lu, const Graph *graph, const int *child,
                       const int *sibling, int k, int *seen, int *rows)
{
    int count = 0, block = lu->order[k];
    seen[k] = k;
    for (int e = graph->start[block]; e < graph->start[block + 1]; e++) {
        int i = lu->place[graph->other[e]];
        if (i > k && seen[i] != k) {
            seen[i] = k;
            rows[count++] = i;
        }
    }
    for (int c = child[k]; c >= 0; c = sibling[c])
        for (int e = lu->start[c]; e < lu->start[c + 1]; e++)
            if (lu->row[e] > k && seen[lu->row[e]] != k) {
                seen[lu->row[e]] = k;
                rows[count++] = lu->row[e];
            }
    return count;
}

// Column by column; the pattern of L grows in the arena's last piece, so it is taken in pieces and
// copied once.
static bool find_pattern(PerpArena *arena, const Graph *graph, PerpBlockLu *lu)
{
    int n = lu->n, room = 4 * (graph->start[n] + n) + 64;
    int *child = PERP_TAKE(arena, int, n), *sibling = PERP_TAKE(arena, int, n);
    int *seen = PERP_TAKE(arena, int, n), *rows = PERP_TAKE(arena, int, n);
    lu->start = PERP_TAKE(arena, int, n + 1);
    lu->row = PERP_TAKE(arena, int, room);
    if (!child || !sibling || !seen || !rows || !lu->start || !lu->row)
        return false;
    memset(child, -1, (size_t)n * sizeof(int));
    memset(seen, -1, (size_t)n * sizeof(int));
    for (int k = 0; k < n; k++) {
        int count = find_column(lu, graph, child, sibling, k, seen, rows);
        if (lu->start[k] + count > room) {
            int *more = PERP_TAKE(arena, int, 2 * (room + count));
            if (!more)
                return false;
            memcpy(more, lu->row, (size_t)lu->start[k] * sizeof(int));
            lu->row = more;
            room = 2 * (room + count);
        }
        sort(count, rows);
        memcpy(lu->row + lu->start[k], rows, (size_t)count * sizeof(int));
        lu->start[k + 1] = lu->start[k] + count;
        if (count > 0) { // the first row below the diagonal is the parent
            sibling[k] = child[rows[0]];
            child[rows[0]] = k;
        }
    }
    return true;
}

bool perp_block_lu_analyse(PerpArena *arena, int n, int size, int pairs, const int *i, const int *j,
                           PerpBlockLu *lu)
{
    Graph graph;
    *lu = (PerpBlockLu){.n = n, .size = size, .pad = size == 3 ? 4 : 8};
    lu->place = PERP_TAKE(arena, int, n);
    lu->order = PERP_TAKE(arena, int, n);
    lu->slot = PERP_TAKE(arena, int, 2 * n);
    lu->head = PERP_TAKE(arena, int, n);
    lu->next = PERP_TAKE(arena, int, n);
    lu->at = PERP_TAKE(arena, int, n);
    lu->x = PERP_TAKE(arena, double, n *size);
    if (!lu->place || !lu->order || !lu->slot || !lu->head || !lu->next || !lu->at || !lu->x ||
        !build_graph(arena, n, pairs, i, j, &graph) || !find_order(arena, n, &graph, lu) ||
        !find_pattern(arena, &graph, lu))
        return false;
    size_t block = (size_t)(size * lu->pad);
    lu->diagonal = PERP_TAKE(arena, double, block *(size_t)n);
    lu->lower = PERP_TAKE(arena, double, block *(size_t)lu->start[n]);
    lu->upper = PERP_TAKE(arena, double, block *(size_t)lu->start[n]);
    return lu->diagonal && lu->lower && lu->upper;
}

// --- values -------------------------------------------------------------------------------------

void perp_block_lu_clear(PerpBlockLu *lu)
{
    size_t block = (size_t)(lu->size * lu->pad) * sizeof(double);
    memset(lu->diagonal, 0, block * (size_t)lu->n);
    memset(lu->lower, 0, block * (size_t)lu->start[lu->n]);
    memset(lu->upper, 0, block * (size_t)lu->start[lu->n]);
}

static int find_row(const PerpBlockLu *lu, int column, int row)
{
    int low = lu->start[column], high = lu->start[column + 1];
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (lu->row[middle] < row)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

double *perp_block_lu_block(const PerpBlockLu *lu, int i, int j, bool *transposed)
{
    int a = lu->place[i], b = lu->place[j], block = lu->size * lu->pad;
    *transposed = a < b;
    if (a == b)
        return lu->diagonal + (size_t)a * (size_t)block;
    size_t at = (size_t)find_row(lu, a < b ? a : b, a < b ? b : a) * (size_t)block;
    return a < b ? lu->upper + at : lu->lower + at;
}

// --- factorisation ------------------------------------------------------------------------------

// Takes the part of column c, from its entry e in row k on, out of column k.
static void eliminate(PerpBlockLu *lu, int k, int e, int end)
{
    size_t block = (size_t)(lu->size * lu->pad);
    const double *L = lu->lower + block * (size_t)e, *U = lu->upper + block * (size_t)e;
    double *lower = lu->lower + block * (size_t)lu->start[k];
    double *upper = lu->upper + block * (size_t)lu->start[k];
    int *to = lu->slot + lu->n;
    for (int i = e + 1; i < end; i++)
        to[i - e] = lu->slot[lu->row[i]];
    if (lu->size == 3) {
        subtract_one_3(L, U, lu->diagonal + block * (size_t)k);
        subtract_column_3(end - e, to, L, U, lower, upper);
    } else {
        subtract_one_6(L, U, lu->diagonal + block * (size_t)k);
        subtract_column_6(end - e, to, L, U, lower, upper);
    }
}

// Column c waits for the row of its next entry.
static void wait_for_row(PerpBlockLu *lu, int c)
{
    if (lu->at[c] == lu->start[c + 1])
        return;
    int row = lu->row[lu->at[c]];
    lu->next[c] = lu->head[row];
    lu->head[row] = c;
}

bool perp_block_lu_factor(PerpBlockLu *lu)
{
    size_t block = (size_t)(lu->size * lu->pad);
    memset(lu->head, -1, (size_t)lu->n * sizeof(int));
    for (int k = 0; k < lu->n; k++) {
        for (int e = lu->start[k]; e < lu->start[k + 1]; e++)
            lu->slot[lu->row[e]] = e - lu->start[k];
        for (int c = lu->head[k], then; c >= 0; c = then) {
            then = lu->next[c];
            eliminate(lu, k, lu->at[c], lu->start[c + 1]);
            lu->at[c]++;
            wait_for_row(lu, c);
        }
        double *D = lu->diagonal + block * (size_t)k;
        if (!invert(lu->size, lu->pad, D))
            return false;
        for (int e = lu->start[k]; e < lu->start[k + 1]; e++)
            multiply_right(lu->size, lu->pad, D, lu->lower + block * (size_t)e);
        lu->at[k] = lu->start[k];
        wait_for_row(lu, k);
    }
    return true;
}

// --- solution -----------------------------------------------------------------------------------

// y -= A x
static void subtract_times(int size, int pad, const double *A, const double *x, double *y)
{
    for (int j = 0; j < size; j++)
        for (int i = 0; i < size; i++)
            y[i] -= A[pad * j + i] * x[j];
}

// y -= A' x
static void subtract_transposed(int size, int pad, const double *A, const double *x, double *y)
{
    for (int j = 0; j < size; j++)
        for (int i = 0; i < size; i++)
            y[j] -= A[pad * j + i] * x[i];
}

void perp_block_lu_solve(PerpBlockLu *lu, double *x)
{
    int size = lu->size, pad = lu->pad;
    size_t block = (size_t)(size * pad), bytes = (size_t)size * sizeof(double);
    for (int k = 0; k < lu->n; k++)
        memcpy(lu->x + size * k, x + size * lu->order[k], bytes);
    for (int k = 0; k < lu->n; k++)
        for (int e = lu->start[k]; e < lu->start[k + 1]; e++)
            subtract_times(size, pad, lu->lower + block * (size_t)e, lu->x + size * k,
                           lu->x + size * lu->row[e]);
    for (int k = lu->n - 1; k >= 0; k--) {
        double right[LARGEST], *at = lu->x + size * k;
        for (int e = lu->start[k]; e < lu->start[k + 1]; e++) // U(k, i) = upper'
            subtract_transposed(size, pad, lu->upper + block * (size_t)e, lu->x + size * lu->row[e],
                                at);
        memcpy(right, at, bytes);
        memset(at, 0, bytes);
        for (int j = 0; j < size; j++)
            for (int i = 0; i < size; i++)
                at[i] += lu->diagonal[block * (size_t)k + (size_t)(pad * j + i)] * right[j];
    }
    for (int k = 0; k < lu->n; k++)
        memcpy(x + size * lu->order[k], lu->x + size * k, bytes);
}
