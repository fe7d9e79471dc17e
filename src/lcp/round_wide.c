#include "lcp/round_wide.h"

#include "lcp/round_bodies.h"

#include <math.h>
#include <string.h>

enum { MOST = PERP_WIDE_NUMBERS };

PerpWideCone perp_wide_cone(const PerpRound *round, int cell)
{
    const PerpCell *mate = cell < 2 * round->n_pairs ? &round->cell[cell + 1] : NULL;
    PerpWideCone cone = {3, 1, {1, 3}, {1}, round->cell[cell].floor};
    if (!mate)
        return cone;
    cone.n = MOST;
    cone.n_groups = mate->other < 0 ? 2 : 3;
    cone.start[2] = 3 + mate->split;
    cone.start[3] = MOST;
    cone.slope[1] = mate->slope[0];
    cone.slope[2] = mate->slope[1];
    return cone;
}

// --- the cone -----------------------------------------------------------------------------------

static double length_of(const PerpWideCone *cone, int group, const double *x)
{
    double square = 0;
    for (int i = cone->start[group]; i < cone->start[group + 1]; i++)
        square += x[i] * x[i];
    return sqrt(square);
}

double perp_wide_slip(const PerpWideCone *cone, const double *u)
{
    double sum = 0;
    for (int k = 0; k < cone->n_groups; k++)
        sum += cone->slope[k] * length_of(cone, k, u);
    return sum;
}

// Is a group of this length outside its cone at the height x_n?
static bool is_outside(const PerpWideCone *cone, int k, double length, double height)
{
    return length > cone->slope[k] * height;
}

// The x_n that minimises (x_n - y_n)^2 + sum over groups of (|y_g| - slope_g x_n)+^2, a mean of y_n
// and of all |y_g| that are outside. *weight: what that is divided by; 0 if the floor holds x_n up.
static double find_height(const PerpWideCone *cone, double y_n, const double *length,
                          double *weight)
{
    double height = y_n;
    *weight = 1;
    for (int pass = 0; pass <= cone->n_groups; pass++) { // groups drop out as the mean rises
        double sum = y_n, before = *weight;
        *weight = 1;
        for (int k = 0; k < cone->n_groups; k++)
            if (is_outside(cone, k, length[k], height)) {
                sum += cone->slope[k] * length[k];
                *weight += cone->slope[k] * cone->slope[k];
            }
        if (*weight == before)
            break;
        height = sum / *weight;
    }
    if (height > cone->floor)
        return height;
    *weight = 0;
    return cone->floor;
}

// The derivative of the height.
static void find_rise(const PerpWideCone *cone, const double *y, const double *length,
                      double height, double weight, double *rise)
{
    memset(rise, 0, MOST * sizeof(double));
    if (weight == 0)
        return;
    rise[0] = 1 / weight;
    for (int k = 0; k < cone->n_groups; k++)
        for (int i = cone->start[k]; i < cone->start[k + 1]; i++)
            if (is_outside(cone, k, length[k], height))
                rise[i] = cone->slope[k] * y[i] / length[k] / weight;
}

// dP of group k, which is outside: along it the height, across it the direction turns.
static void turn_group(const PerpWideCone *cone, int k, const double *y, double length,
                       double height, const double *rise, double *dP)
{
    int first = cone->start[k], end = cone->start[k + 1];
    double shrink = cone->slope[k] * height / length;
    for (int i = first; i < end; i++) {
        double along = y[i] / length;
        for (int j = 0; j < cone->n; j++)
            dP[cone->n * i + j] = cone->slope[k] * along * rise[j];
        for (int j = first; j < end; j++)
            dP[cone->n * i + j] += shrink * ((i == j) - along * y[j] / length);
    }
}

void perp_wide_project(const PerpWideCone *cone, const double *y, double *P, double *dP)
{
    double length[PERP_WIDE_GROUPS], rise[MOST], weight;
    int n = cone->n;
    for (int k = 0; k < cone->n_groups; k++)
        length[k] = length_of(cone, k, y);
    double height = find_height(cone, y[0], length, &weight);
    memset(P, 0, (size_t)n * sizeof(double));
    P[0] = height;
    if (dP) {
        find_rise(cone, y, length, height, weight, rise);
        memset(dP, 0, (size_t)(n * n) * sizeof(double));
        memcpy(dP, rise, (size_t)n * sizeof(double));
    }
    for (int k = 0; k < cone->n_groups && height > 0; k++) {
        bool outside = is_outside(cone, k, length[k], height);
        double shrink = outside ? cone->slope[k] * height / length[k] : 1;
        for (int i = cone->start[k]; i < cone->start[k + 1]; i++) {
            P[i] = shrink * y[i];
            if (dP && !outside)
                dP[n * i + i] = 1;
        }
        if (dP && outside)
            turn_group(cone, k, y, length[k], height, rise, dP);
    }
}

double perp_wide_residual(const PerpWideCone *cone, double shift, const double *r, const double *u)
{
    double y[MOST], P[MOST], square = 0;
    for (int i = 0; i < cone->n; i++)
        y[i] = r[i] - u[i];
    y[0] -= shift * perp_wide_slip(cone, u);
    perp_wide_project(cone, y, P, NULL);
    for (int i = 0; i < cone->n; i++)
        square += (r[i] - P[i]) * (r[i] - P[i]);
    return sqrt(square);
}

// --- Newton's method ----------------------------------------------------------------------------

static void exchange_rows(double *A, int columns, int one, int other)
{
    for (int j = 0; j < columns && one != other; j++) {
        double kept = A[columns * one + j];
        A[columns * one + j] = A[columns * other + j];
        A[columns * other + j] = kept;
    }
}

// B = A^-1 B, n x n and n x columns, by rows; false if A is singular
static bool solve(int n, double *A, int columns, double *B)
{
    for (int k = 0; k < n; k++) {
        int pivot = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(A[n * i + k]) > fabs(A[n * pivot + k]))
                pivot = i;
        if (!(fabs(A[n * pivot + k]) > 0))
            return false;
        exchange_rows(A, n, k, pivot);
        exchange_rows(B, columns, k, pivot);
        for (int i = 0; i < n; i++) {
            double factor = i == k ? 0 : A[n * i + k] / A[n * k + k];
            for (int j = k; j < n; j++)
                A[n * i + j] -= factor * A[n * k + j];
            for (int j = 0; j < columns; j++)
                B[columns * i + j] -= factor * B[columns * k + j];
        }
    }
    for (int k = 0; k < n; k++)
        for (int j = 0; j < columns; j++)
            B[columns * k + j] /= A[n * k + k];
    return true;
}

// The derivative of shift times sum slope_g |u_g|.
static void find_slope(const PerpWideCone *cone, double shift, const double *u, double *slope)
{
    memset(slope, 0, MOST * sizeof(double));
    for (int k = 0; k < cone->n_groups; k++) {
        double length = length_of(cone, k, u);
        for (int i = cone->start[k]; i < cone->start[k + 1] && length > 0; i++)
            slope[i] = shift * cone->slope[k] * u[i] / length;
    }
}

// Rows of the solution to the cell's own C and g, and to what it has of its mate's.
static void spread_rows(PerpRound *round, int cell, int n, const double *rows, double *g)
{
    int columns = n + 1, cells = n / 3;
    for (int i = 0; i < n; i++) {
        int a = cell + i / 3;
        g[3 * cell + i] = rows[columns * i + n];
        for (int b = cell; b < cell + cells; b++) {
            double *C = a == b ? round->C + 9 * a : round->cross + 9 * a;
            memcpy(C + 3 * (i % 3), rows + columns * i + 3 * (b - cell), 3 * sizeof(double));
        }
    }
}

bool perp_wide_linearise(PerpRound *round, int cell, double soft, double pull, const double *r,
                         const double *u, double *g)
{
    PerpWideCone cone = perp_wide_cone(round, cell);
    int n = cone.n, columns = n + 1;
    const double *r_c = r + 3 * cell, *u_c = u + 3 * cell;
    double y[MOST], P[MOST], slope[MOST], dP[MOST * MOST], A[MOST * MOST], B[MOST * (MOST + 1)];
    for (int i = 0; i < n; i++)
        y[i] = r_c[i] - u_c[i];
    y[0] -= round->shift * perp_wide_slip(&cone, u_c);
    perp_wide_project(&cone, y, P, dP);
    find_slope(&cone, round->shift, u_c, slope);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            B[columns * i + j] = dP[n * i] * slope[j] + dP[n * i + j];
            A[n * i + j] = (i == j) - (1 - soft) * dP[n * i + j] + pull * B[columns * i + j];
        }
        B[columns * i + n] = P[i] - r_c[i];
    }
    if (!solve(n, A, columns, B))
        return false;
    spread_rows(round, cell, n, B, g);
    return true;
}

// --- between a cone and its mate ----------------------------------------------------------------

static void transpose(const double *A, double *B)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            B[3 * j + i] = A[3 * i + j];
}

// J_a'C J_b of the couples of two cells that have the same bodies in the same order
static void add_between(PerpRound *round, int a, int b, const double *C)
{
    const PerpRoundGraph *graph = round->graph;
    PerpBlockLu *lu = &round->lu;
    size_t block = (size_t)(round->size * lu->pad), rows = 3 * (size_t)lu->pad;
    double turned[9];
    transpose(C, turned);
    for (int k = 0; k < graph->couple_start[a + 1] - graph->couple_start[a]; k++) {
        const PerpRoundCouple *of_a = &graph->couple[graph->couple_start[a] + k];
        const PerpRoundCouple *of_b = &graph->couple[graph->couple_start[b] + k];
        const double *J = round->wide_J;
        lu->kernels->add_response(C, J + rows * (size_t)of_a->row, J + rows * (size_t)of_b->column,
                                  lu->lower + block * of_a->block, NULL);
        if (of_a->row != of_a->column) // the block above the diagonal lies transposed
            lu->kernels->add_response(turned, J + rows * (size_t)of_b->row,
                                      J + rows * (size_t)of_a->column,
                                      lu->upper + block * of_a->block, NULL);
    }
}

void perp_wide_add_cross(PerpRound *round)
{
    for (int c = 0; c < 2 * round->n_pairs; c++)
        add_between(round, c, c ^ 1, round->cross + 9 * c);
}

void perp_wide_respond(const PerpRound *round, const double *x, double *e)
{
    for (int c = 0; c < 2 * round->n_pairs; c += 2) {
        PerpBlockCells rows = perp_round_bodies_rows(round, c, c + 2);
        double w[MOST];
        round->kernels->measure(&rows, x, w);
        for (int i = 0; i < MOST; i++) {
            const double *C = round->cross + 9 * c + 3 * i, *of_mate = w + (i < 3 ? 3 : 0);
            e[3 * c + i] -= C[0] * of_mate[0] + C[1] * of_mate[1] + C[2] * of_mate[2];
        }
    }
}
