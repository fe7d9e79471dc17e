// FCLIB's local problem with a polygon inscribed in each friction circle, as a mixed LCP in the
// unknowns l (bilateral, free), c_n, beta, lambda. With r_n = c_n, r_T = D beta:
//
//     0 =  R l + V'r + s
//     0 <= u_n                     perp  c_n    >= 0
//     0 <= lambda e + D'u_T        perp  beta   >= 0        u = W r + V l + q
//     0 <= mu c_n - e'beta         perp  lambda >= 0        [AP97 (2.10)-(2.12)]
#include "base/error.h"
#include "io/problem/problem_file.h"
#include "perp/friction.h"

typedef struct Layout {
    const PerpFclib *fclib;
    int facets;
    int normals, betas, lambdas; // first rows; the bilateral ones start at 0
    int n;
    double *cosine, *sine; // facets: the directions
} Layout;

// Component i of r is a sum of unknowns of the LCP: count of them from first, with weights.
typedef struct Spread {
    int first, count;
    const double *weight;
} Spread;

static const double ONE = 1;

static Spread spread_component(const Layout *layout, int i)
{
    int contact = i / layout->fclib->dimension, component = i % layout->fclib->dimension;
    if (component == 0)
        return (Spread){layout->normals + contact, 1, &ONE};
    return (Spread){layout->betas + contact * layout->facets, layout->facets,
                    component == 1 ? layout->cosine : layout->sine};
}

static Spread spread_bilateral(int i)
{
    return (Spread){i, 1, &ONE};
}

static void add_entry(double *M, int n, Spread row, Spread column, double x)
{
    for (int j = 0; j < column.count; j++)
        for (int i = 0; i < row.count; i++)
            M[row.first + i + (size_t)n * (size_t)(column.first + j)] +=
                row.weight[i] * column.weight[j] * x;
}

static void add_matrices(const Layout *layout, double *M)
{
    const PerpFclibMatrix *W = &layout->fclib->W, *V = &layout->fclib->V, *R = &layout->fclib->R;
    for (int k = 0; k < W->entries; k++)
        add_entry(M, layout->n, spread_component(layout, W->row[k]),
                  spread_component(layout, W->column[k]), W->x[k]);
    for (int k = 0; k < V->entries; k++) {
        Spread contact = spread_component(layout, V->row[k]);
        Spread bilateral = spread_bilateral(V->column[k]);
        add_entry(M, layout->n, contact, bilateral, V->x[k]);
        add_entry(M, layout->n, bilateral, contact, V->x[k]);
    }
    for (int k = 0; k < R->entries; k++)
        add_entry(M, layout->n, spread_bilateral(R->row[k]), spread_bilateral(R->column[k]),
                  R->x[k]);
}

static void add_cones(const Layout *layout, double *M)
{
    for (int k = 0; k < layout->fclib->contacts; k++) {
        Spread normal = {layout->normals + k, 1, &ONE}, lambda = {layout->lambdas + k, 1, &ONE};
        add_entry(M, layout->n, lambda, normal, layout->fclib->mu[k]);
        for (int i = 0; i < layout->facets; i++) {
            Spread beta = {layout->betas + k * layout->facets + i, 1, &ONE};
            add_entry(M, layout->n, beta, lambda, 1);
            add_entry(M, layout->n, lambda, beta, -1);
        }
    }
}

static void fill_q(const Layout *layout, double *q)
{
    const PerpFclib *fclib = layout->fclib;
    for (int i = 0; i < fclib->bilateral; i++)
        q[i] = fclib->s[i];
    for (int i = 0; i < fclib->W.m; i++) {
        Spread spread = spread_component(layout, i);
        for (int k = 0; k < spread.count; k++)
            q[spread.first + k] += spread.weight[k] * fclib->q[i];
    }
}

static Layout lay_out(const PerpFclib *fclib, int facets)
{
    Layout layout = {.fclib = fclib, .facets = fclib->dimension == 2 ? 2 : facets};
    layout.normals = fclib->bilateral;
    layout.betas = layout.normals + fclib->contacts;
    layout.lambdas = layout.betas + fclib->contacts * layout.facets;
    layout.n = layout.lambdas + fclib->contacts;
    return layout;
}

PerpStatus perp_convert_local(PerpProblemFile *file, int facets, PerpError *error)
{
    Layout layout = lay_out(&file->fclib, facets);
    size_t n = (size_t)layout.n, square = n * n;
    double *M = PERP_TAKE(&file->arena, double, square);
    double *q = PERP_TAKE(&file->arena, double, n);
    layout.cosine = PERP_TAKE(&file->arena, double, layout.facets);
    layout.sine = PERP_TAKE(&file->arena, double, layout.facets);
    if (!M || !q || !layout.cosine || !layout.sine)
        return perp_fail(error, PERP_NO_MEMORY, "out of memory for an LCP of %d rows", layout.n);
    for (int k = 0; k < layout.facets; k++) {
        double direction[2];
        perp_friction_direction(k, layout.facets, direction);
        layout.cosine[k] = direction[0];
        layout.sine[k] = direction[1];
    }
    add_matrices(&layout, M);
    add_cones(&layout, M);
    fill_q(&layout, q);
    file->kind = PERP_PROBLEM_FILE_LCP;
    file->lcp = (PerpLcp){.n = layout.n, .free = file->fclib.bilateral, .M = M, .q = q};
    return PERP_OK;
}
