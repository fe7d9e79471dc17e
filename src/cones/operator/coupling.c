// What product cones add to the system of Newton's method over the bodies: blocks between a cone
// and its coupled constraint.

#include "cones/operator/over_bodies.h"
#include "cones/product.h"

enum { MOST = PERP_PRODUCT_NUMBERS };

static void transpose(const double *A, double *B)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            B[3 * j + i] = A[3 * i + j];
}

// J_a'C J_b of the couples of two constraints that have the same bodies in the same order
static void add_between(PerpConeProblem *cones, int a, int b, const double *C)
{
    const PerpGraph *graph = cones->bodies.graph;
    PerpBlockLu *lu = &cones->newton.lu;
    size_t block = (size_t)(cones->bodies.size * lu->pad), rows = 3 * (size_t)lu->pad;
    double turned[9];
    transpose(C, turned);
    for (int k = 0; k < graph->couple_start[a + 1] - graph->couple_start[a]; k++) {
        const PerpGraphCouple *of_a = &graph->couple[graph->couple_start[a] + k];
        const PerpGraphCouple *of_b = &graph->couple[graph->couple_start[b] + k];
        const double *J = cones->bodies.padded_J;
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
        add_between(cones, c, c ^ 1, cones->newton.cross + 9 * c);
}

void perp_product_respond(const PerpConeProblem *cones, const double *x, double *e)
{
    for (int c = 0; c < 2 * cones->n_coupled; c += 2) {
        PerpBlockConstraints rows = perp_over_bodies_rows(cones, c, c + 2);
        double w[MOST];
        cones->bodies.kernels->measure(&rows, x, w);
        for (int i = 0; i < MOST; i++) {
            const double *C = cones->newton.cross + 9 * c + 3 * i,
                         *of_coupled = w + (i < 3 ? 3 : 0);
            e[3 * c + i] -= C[0] * of_coupled[0] + C[1] * of_coupled[1] + C[2] * of_coupled[2];
        }
    }
}
