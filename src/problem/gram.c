#include "problem/gram.h"

#include "math/lapack.h"

#include <math.h>
#include <string.h>

static const double RANK_TOLERANCE = 1e-9; // of the equations' rows, scaled to length 1
static const double GRAM_TOLERANCE = 1e-7; // the same, of rows whose squares must tell them apart
static const double ACCURATE = 1e-3;       // relative error of a solution that refinement corrects
static const double SYMMETRIC = 1e-14;     // |Mt_ij - Mt_ji|, of sqrt(Mt_ii Mt_jj)

// Pivots, squared distances of a row of length 1 from the others: from well apart to where rounding
// begins.
static const double close[] = {1e-2, 1e-4, 1e-6, 1e-8, 1e-10, 1e-12};
enum { CLOSEST = sizeof close / sizeof *close - 1 };

// --- products of rows ---------------------------------------------------------------------------

// The entries of the equations on each body: entry[first[b] .. first[b+1] - 1], with the equation
// that each belongs to.
typedef struct BodyEntries {
    int *first;    // bodies + 2
    int *entry;    //
    int *equation; //
} BodyEntries;

static bool list_body_entries(PerpArena *arena, const PerpGram *gram, BodyEntries *list)
{
    const PerpBlockRows *J = &gram->J;
    int bodies = gram->problem->n_bodies;
    list->first = PERP_TAKE(arena, int, bodies + 2);
    if (!list->first)
        return false;
    for (int k = 0; k < gram->n; k++)
        for (int e = J->row_start[gram->row[k]]; e < J->row_start[gram->row[k] + 1]; e++)
            list->first[J->entry_body[e] + 2]++;
    for (int b = 2; b <= bodies + 1; b++)
        list->first[b] += list->first[b - 1];
    list->entry = PERP_TAKE(arena, int, list->first[bodies + 1]);
    list->equation = PERP_TAKE(arena, int, list->first[bodies + 1]);
    if (!list->entry || !list->equation)
        return false;
    for (int k = 0; k < gram->n; k++)
        for (int e = J->row_start[gram->row[k]]; e < J->row_start[gram->row[k] + 1]; e++) {
            int at = list->first[J->entry_body[e] + 1]++;
            list->entry[at] = e;
            list->equation[at] = k;
        }
    return true;
}

// J_e Mt^-1 J_f' of two entries on the same body
static double entry_product(const PerpGram *gram, int e, int f)
{
    const double *a = gram->J.J + gram->J.value_start[e], *x = gram->X + gram->J.value_start[f];
    int size = gram->J.value_start[e + 1] - gram->J.value_start[e];
    double sum = 0;
    for (int i = 0; i < size; i++)
        sum += a[i] * x[i];
    return sum;
}

// --- sparse -------------------------------------------------------------------------------------

typedef struct LowerTriangle {
    int *start, *row;
    double *value;
    int *slot; // equations: where row i stands in the column at hand, if not before its start
    int entries;
} LowerTriangle;

// At most so many entries: one for each pair of rows on the same body, but no more than all pairs.
static size_t count_entries(const PerpGram *gram, const BodyEntries *list)
{
    size_t count = (size_t)gram->n, all = count * (count + 1) / 2;
    for (int b = 0; b < gram->problem->n_bodies; b++) {
        size_t n = (size_t)(list->first[b + 1] - list->first[b]);
        count += n * (n + 1) / 2;
    }
    return count < all ? count : all;
}

static bool take_triangle(PerpArena *arena, const PerpGram *gram, const BodyEntries *list,
                          LowerTriangle *G)
{
    size_t n = (size_t)gram->n, entries = count_entries(gram, list);
    *G = (LowerTriangle){.start = PERP_TAKE(arena, int, n + 1),
                         .row = PERP_TAKE(arena, int, entries),
                         .value = PERP_TAKE(arena, double, entries),
                         .slot = PERP_TAKE(arena, int, n)};
    for (size_t i = 0; G->slot && i < n; i++)
        G->slot[i] = -1;
    return G->start && G->row && G->value && G->slot;
}

static void add_to_column(LowerTriangle *G, int column, int row, double value)
{
    if (G->slot[row] < G->start[column]) {
        G->slot[row] = G->entries;
        G->row[G->entries++] = row;
    }
    G->value[G->slot[row]] += value;
}

// G_kk is there even if row k has no entries.
static void fill_column(const PerpGram *gram, const BodyEntries *list, int k, LowerTriangle *G)
{
    const PerpBlockRows *J = &gram->J;
    G->start[k] = G->entries;
    add_to_column(G, k, k, 0);
    for (int e = J->row_start[gram->row[k]]; e < J->row_start[gram->row[k] + 1]; e++) {
        int body = J->entry_body[e];
        for (int at = list->first[body + 1] - 1; at >= list->first[body] && list->equation[at] >= k;
             at--)
            add_to_column(G, k, list->equation[at], entry_product(gram, list->entry[at], e));
    }
    G->start[k + 1] = G->entries;
}

// Brings the independent equations to the front.
static void keep_independent(PerpGram *gram, int *row)
{
    int kept = 0, dropped = gram->ldl.rank;
    memcpy(row, gram->row, (size_t)gram->n * sizeof(int));
    for (int k = 0; k < gram->n; k++) {
        if (gram->ldl.dependent[k]) {
            gram->row[dropped++] = row[k];
        } else {
            gram->place[kept] = k;
            gram->row[kept++] = row[k];
        }
    }
    gram->n = kept;
}

// Weights without a pattern, 1 <= weight < 2, so that the errors of different rows do not cancel.
static double weight(int k)
{
    double golden = 0.61803398874989485 * k;
    return 1 + golden - floor(golden);
}

// u = sum of the dependent rows, or of the others, each scaled to length 1 in Mt^-1
static void add_rows(const PerpGram *gram, bool dependent, double *u)
{
    const PerpSparseLdl *ldl = &gram->ldl;
    memset(u, 0, (size_t)perp_problem_velocities(gram->problem) * sizeof(double));
    for (int k = 0; k < gram->n; k++)
        if (ldl->dependent[k] == dependent)
            perp_block_rows_add_row(&gram->J, gram->row[k], weight(k) * ldl->scale[k], u);
}

// x = G_II^-1 J_I Mt^-1 u,  u -= J_I' x. Returns |u| in Mt^-1 as it was.
static double project(const PerpGram *gram, double *u, double *velocity)
{
    int n_v = perp_problem_velocities(gram->problem);
    double square = 0;
    memcpy(velocity, u, (size_t)n_v * sizeof(double));
    perp_block_diagonal_solve(&gram->Mt, velocity);
    for (int i = 0; i < n_v; i++)
        square += u[i] * velocity[i];
    for (int k = 0; k < gram->n; k++)
        gram->x[k] = perp_block_rows_dot(&gram->J, gram->row[k], velocity);
    perp_sparse_ldl_solve(&gram->ldl, gram->x);
    for (int k = 0; k < gram->n; k++)
        perp_block_rows_add_row(&gram->J, gram->row[k], -gram->x[k], u);
    return sqrt(square);
}

// The pivots see a row's distance from the others only above 1e-8 of its length: it is measured
// again on the rows themselves, all dependent ones at once. Two projections make up for the
// rounding of one.
static bool dependent_rows_are_so(const PerpGram *gram, double *u, double *velocity)
{
    add_rows(gram, true, u);
    project(gram, u, velocity);
    project(gram, u, velocity);
    return project(gram, u, velocity) <= RANK_TOLERANCE;
}

// A small pivot is either a row close to the others or a dependent one and rounding. Rounding that
// decides a pivot changes the solution as well: G_II x = G_II x_0 gives x_0 only in the first case.
static bool independent_rows_are_so(const PerpGram *gram, double *u, double *velocity)
{
    const PerpSparseLdl *ldl = &gram->ldl;
    add_rows(gram, false, u);
    project(gram, u, velocity);
    for (int k = 0; k < gram->n; k++) {
        double x_0 = ldl->dependent[k] ? 0 : weight(k) * ldl->scale[k];
        if (!(fabs(gram->x[k] - x_0) <= ACCURATE * ldl->scale[k]))
            return false;
    }
    return true;
}

// If all rows are independent, there is nothing to choose. If not, of rows that are close to each
// other as few as possible are kept, for the sake of G_II's condition.
static void choose_sparse(PerpGram *gram, double *u, double *velocity)
{
    perp_sparse_ldl_factor(&gram->ldl, close[CLOSEST]);
    gram->sparse = gram->ldl.rank == gram->n && independent_rows_are_so(gram, u, velocity);
    for (int level = 0; level <= CLOSEST && !gram->sparse; level++) {
        perp_sparse_ldl_factor(&gram->ldl, close[level]);
        gram->sparse =
            independent_rows_are_so(gram, u, velocity) && dependent_rows_are_so(gram, u, velocity);
    }
}

// Sets gram->sparse if it works. False when memory is short.
static bool try_sparse(PerpArena *arena, PerpGram *gram)
{
    LowerTriangle G;
    BodyEntries list;
    int n = gram->n, n_v = perp_problem_velocities(gram->problem);
    int *row = PERP_TAKE(arena, int, n);
    double *u = PERP_TAKE(arena, double, n_v), *velocity = PERP_TAKE(arena, double, n_v);
    gram->place = PERP_TAKE(arena, int, n);
    gram->x = PERP_TAKE(arena, double, n);
    if (!row || !u || !velocity || !gram->place || !gram->x ||
        !list_body_entries(arena, gram, &list) || !take_triangle(arena, gram, &list, &G))
        return false;
    for (int k = 0; k < n; k++)
        fill_column(gram, &list, k, &G);
    PerpSparseSymmetric A = {n, G.start, G.row, G.value};
    if (!perp_sparse_ldl_analyse(arena, &A, &gram->ldl))
        return false;
    choose_sparse(gram, u, velocity);
    if (gram->sparse)
        keep_independent(gram, row);
    return true;
}

// --- dense --------------------------------------------------------------------------------------

// One column of the scaled equations: J_r' / sqrt(diag Mt), of length 1.
static void scaled_row(const PerpGram *gram, int row, double *column)
{
    const PerpProblem *p = gram->problem;
    double length = 0;
    for (int e = p->row_start[row]; e < p->row_start[row + 1]; e++) {
        int body = p->entry_body[e], first = p->body_start[body];
        int size = p->body_start[body + 1] - first;
        const double *mass = p->Mt + gram->Mt.value_start[body];
        for (int i = 0; i < size; i++)
            column[first + i] = p->J[gram->J.value_start[e] + i] / sqrt(mass[i * (size + 1)]);
    }
    int n = perp_problem_velocities(p);
    for (int i = 0; i < n; i++)
        length = hypot(length, column[i]);
    for (int i = 0; i < n && length > 0; i++)
        column[i] /= length;
}

// Brings a maximal set of independent equations to the front and counts them.
static bool choose_equations(PerpArena *arena, PerpGram *gram, double tolerance)
{
    int n_v = perp_problem_velocities(gram->problem), n = gram->n;
    double *A = PERP_TAKE(arena, double, (size_t)n_v *(size_t)n);
    int *row = PERP_TAKE(arena, int, n);
    PerpQr qr;
    if (!A || !row)
        return false;
    for (int k = 0; k < n; k++)
        scaled_row(gram, gram->row[k], A + (size_t)n_v * (size_t)k);
    if (!perp_qr_factor(arena, n_v, n, A, tolerance, &qr))
        return false;
    memcpy(row, gram->row, (size_t)n * sizeof(int));
    for (int k = 0; k < n; k++)
        gram->row[k] = row[qr.column[k]];
    gram->n = qr.rank;
    return true;
}

static void fill_dense(PerpGram *gram, const BodyEntries *list)
{
    for (int body = 0; body < gram->problem->n_bodies; body++)
        for (int a = list->first[body]; a < list->first[body + 1]; a++)
            for (int b = list->first[body]; b < list->first[body + 1]; b++) {
                size_t i = (size_t)list->equation[a], j = (size_t)list->equation[b];
                gram->LU[i + (size_t)gram->n * j] +=
                    entry_product(gram, list->entry[a], list->entry[b]);
            }
}

// False when memory is short; *regular says whether G_II is so.
static bool factor_chosen(PerpArena *arena, PerpGram *gram, double tolerance, bool *regular)
{
    BodyEntries list;
    if (!choose_equations(arena, gram, tolerance) || !list_body_entries(arena, gram, &list))
        return false;
    gram->LU = PERP_TAKE(arena, double, (size_t)gram->n *(size_t)gram->n);
    gram->pivots = PERP_TAKE(arena, int, gram->n);
    if (!gram->LU || !gram->pivots)
        return false;
    fill_dense(gram, &list);
    *regular = perp_lu_factor(gram->n, gram->LU, gram->n, gram->pivots);
    return true;
}

bool perp_gram_factor_dense(PerpArena *arena, PerpGram *gram)
{
    bool regular;
    gram->sparse = false;
    return factor_chosen(arena, gram, RANK_TOLERANCE, &regular) &&
           (regular || factor_chosen(arena, gram, GRAM_TOLERANCE, &regular));
}

// --- either -------------------------------------------------------------------------------------

static bool block_is_symmetric(int n, const double *A)
{
    for (int j = 0; j < n; j++)
        for (int i = 0; i < j; i++)
            if (fabs(A[i + n * j] - A[j + n * i]) >
                SYMMETRIC * sqrt(A[i * (n + 1)]) * sqrt(A[j * (n + 1)]))
                return false;
    return true;
}

static bool masses_are_symmetric(const PerpGram *gram)
{
    const PerpProblem *p = gram->problem;
    for (int body = 0; body < p->n_bodies; body++)
        if (!block_is_symmetric(p->body_start[body + 1] - p->body_start[body],
                                p->Mt + gram->Mt.value_start[body]))
            return false;
    return true;
}

bool perp_gram_factor(PerpArena *arena, PerpGram *gram)
{
    gram->residual = PERP_TAKE(arena, double, gram->n);
    if (!gram->residual)
        return false;
    if (masses_are_symmetric(gram) && !try_sparse(arena, gram))
        return false;
    return gram->sparse || perp_gram_factor_dense(arena, gram);
}

// b -> x, with zeros for the dependent equations in between
static void solve_sparse(const PerpGram *gram, double *x)
{
    memset(gram->x, 0, (size_t)gram->ldl.n * sizeof(double));
    for (int k = 0; k < gram->n; k++)
        gram->x[gram->place[k]] = x[k];
    perp_sparse_ldl_solve(&gram->ldl, gram->x);
    for (int k = 0; k < gram->n; k++)
        x[k] = gram->x[gram->place[k]];
}

void perp_gram_solve(const PerpGram *gram, int columns, double *x)
{
    if (!gram->sparse)
        perp_lu_solve(gram->n, gram->LU, gram->n, gram->pivots, columns, x, gram->n);
    else
        for (int j = 0; j < columns; j++)
            solve_sparse(gram, x + (size_t)gram->n * (size_t)j);
}

void perp_gram_refine(const PerpGram *gram, const double *b, double *u, double *x)
{
    // Mt^-1 (u - J_I' x)
    for (int k = 0; k < gram->n; k++)
        perp_block_rows_add_row(&gram->J, gram->row[k], -x[k], u);
    perp_block_diagonal_solve(&gram->Mt, u);
    // x += G_II^-1 (b + J_I Mt^-1 (u - J_I' x))
    for (int k = 0; k < gram->n; k++)
        gram->residual[k] = (b ? b[k] : 0) + perp_block_rows_dot(&gram->J, gram->row[k], u);
    perp_gram_solve(gram, 1, gram->residual);
    for (int k = 0; k < gram->n; k++)
        x[k] += gram->residual[k];
}
