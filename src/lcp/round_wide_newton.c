// Newton's method on wide cones: as round_polish.c, with blocks between a cone and its mate.

#include "lcp/round_bodies.h"
#include "lcp/round_wide.h"
#include "lcp/small_solve.h"

#include <math.h>
#include <string.h>

enum { MOST = PERP_WIDE_NUMBERS };

// --- one cone -----------------------------------------------------------------------------------

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
    perp_wide_slope(&cone, u_c, slope);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            B[columns * i + j] = dP[n * i] * round->shift * slope[j] + dP[n * i + j];
            A[n * i + j] = (i == j) - (1 - soft) * dP[n * i + j] + pull * B[columns * i + j];
        }
        B[columns * i + n] = P[i] - r_c[i];
    }
    if (!perp_small_solve(n, A, columns, B))
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
