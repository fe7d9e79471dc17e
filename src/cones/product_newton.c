// Newton's method on product cones: as newton_natural.c, with blocks between a cone and its coupled
// constraint.

#include "cones/operator/over_bodies.h"
#include "cones/product.h"
#include "math/small_solve.h"

#include <math.h>
#include <string.h>

enum { MOST = PERP_PRODUCT_NUMBERS };

// --- one cone -----------------------------------------------------------------------------------

// Rows of the solution to the constraint's own C and g, and to what it has of its coupled
// constraint's.
static void spread_rows(PerpConeProblem *cones, int constraint, int n, const double *rows,
                        double *g)
{
    int columns = n + 1, constraints = n / 3;
    for (int i = 0; i < n; i++) {
        int a = constraint + i / 3;
        g[3 * constraint + i] = rows[columns * i + n];
        for (int b = constraint; b < constraint + constraints; b++) {
            double *C = a == b ? cones->C + 9 * a : cones->cross + 9 * a;
            memcpy(C + 3 * (i % 3), rows + columns * i + 3 * (b - constraint), 3 * sizeof(double));
        }
    }
}

bool perp_product_linearise(PerpConeProblem *cones, int constraint, double epsilon, double rho,
                            const double *r, const double *u, double *g)
{
    PerpProductCone cone = perp_product_cone(cones, constraint);
    int n = cone.n, columns = n + 1;
    const double *r_c = r + 3 * constraint, *u_c = u + 3 * constraint;
    double y[MOST], P[MOST], slope[MOST], dP[MOST * MOST], A[MOST * MOST], B[MOST * (MOST + 1)];
    for (int i = 0; i < n; i++)
        y[i] = r_c[i] - u_c[i];
    y[0] -= cones->shift * perp_product_slip(&cone, u_c);
    perp_product_project(&cone, y, P, dP);
    perp_product_slope(&cone, u_c, slope);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            B[columns * i + j] = dP[n * i] * cones->shift * slope[j] + dP[n * i + j];
            A[n * i + j] = (i == j) - (1 - epsilon) * dP[n * i + j] + rho * B[columns * i + j];
        }
        B[columns * i + n] = P[i] - r_c[i];
    }
    if (!perp_small_solve(n, A, columns, B))
        return false;
    spread_rows(cones, constraint, n, B, g);
    return true;
}

// --- between a cone and its coupled constraint
// ----------------------------------------------------------------

static void transpose(const double *A, double *B)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            B[3 * j + i] = A[3 * i + j];
}

// J_a'C J_b of the couples of two constraints that have the same bodies in the same order
static void add_between(PerpConeProblem *cones, int a, int b, const double *C)
{
    const PerpGraph *graph = cones->graph;
    PerpBlockLu *lu = &cones->lu;
    size_t block = (size_t)(cones->size * lu->pad), rows = 3 * (size_t)lu->pad;
    double turned[9];
    transpose(C, turned);
    for (int k = 0; k < graph->couple_start[a + 1] - graph->couple_start[a]; k++) {
        const PerpGraphCouple *of_a = &graph->couple[graph->couple_start[a] + k];
        const PerpGraphCouple *of_b = &graph->couple[graph->couple_start[b] + k];
        const double *J = cones->padded_J;
        lu->kernels->add_response(C, J + rows * (size_t)of_a->row, J + rows * (size_t)of_b->column,
                                  lu->lower + block * of_a->block, NULL);
        if (of_a->row != of_a->column) // the block above the diagonal lies transposed
            lu->kernels->add_response(turned, J + rows * (size_t)of_b->row,
                                      J + rows * (size_t)of_a->column,
                                      lu->upper + block * of_a->block, NULL);
    }
}

void perp_product_add_cross(PerpConeProblem *cones)
{
    for (int c = 0; c < 2 * cones->n_coupled; c++)
        add_between(cones, c, c ^ 1, cones->cross + 9 * c);
}

void perp_product_respond(const PerpConeProblem *cones, const double *x, double *e)
{
    for (int c = 0; c < 2 * cones->n_coupled; c += 2) {
        PerpBlockConstraints rows = perp_over_bodies_rows(cones, c, c + 2);
        double w[MOST];
        cones->kernels->measure(&rows, x, w);
        for (int i = 0; i < MOST; i++) {
            const double *C = cones->cross + 9 * c + 3 * i, *of_coupled = w + (i < 3 ? 3 : 0);
            e[3 * c + i] -= C[0] * of_coupled[0] + C[1] * of_coupled[1] + C[2] * of_coupled[2];
        }
    }
}
