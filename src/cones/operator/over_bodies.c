#include "cones/operator/over_bodies.h"

#include "cones/operator/delassus.h"
#include "cones/operator/elimination.h"
#include "cones/product.h"

#include <string.h>

enum { REFINEMENTS = 1 };

// --- what is prepared ---------------------------------------------------------------------------

// Rows of `size` numbers become rows of `pad`, filled up with zeros.
static void widen(int rows, int size, int pad, const double *from, double *to)
{
    for (int k = 0; k < rows; k++, from += size, to += pad) {
        perp_copy_row(size, from, to);
        for (int i = size; i < pad; i++)
            to[i] = 0;
    }
}

static int *number_bodies(PerpArena *arena, int n)
{
    int *place = PERP_TAKE(arena, int, n);
    for (int k = 0; place && k < n; k++)
        place[k] = k;
    return place;
}

static int *start_entries(PerpArena *arena, const PerpConeProblem *cones)
{
    int *start = PERP_TAKE(arena, int, cones->n_constraints + 1);
    for (int c = 0; start && c < cones->n_constraints; c++)
        start[c + 1] = cones->constraint[c].end;
    return start;
}

bool perp_over_bodies_prepare(PerpConeProblem *cones)
{
    PerpArena *arena = cones->arena;
    int n = cones->p->n_bodies;
    cones->bodies.entry_start = start_entries(arena, cones);
    cones->bodies.entry_place = cones->bodies.entry_body;
    cones->bodies.body_place = number_bodies(arena, n);
    cones->bodies.x = PERP_TAKE(arena, double, (size_t)cones->bodies.pad *(size_t)n);
    return cones->bodies.entry_start && cones->bodies.body_place && cones->bodies.x;
}

static bool analyse(PerpConeProblem *cones)
{
    cones->newton.C = PERP_TAKE(cones->arena, double, 9 * cones->n_constraints);
    cones->newton.cross = PERP_TAKE(cones->arena, double, 18 * cones->n_coupled);
    return cones->newton.C && cones->newton.cross && perp_elimination_prepare(cones);
}

// --- the matrix ---------------------------------------------------------------------------------

// J'C J of a constraint
static void add_response(PerpConeProblem *cones, int c)
{
    const PerpGraph *graph = cones->bodies.graph;
    PerpBlockLu *lu = &cones->newton.lu;
    size_t block = (size_t)(cones->bodies.size * lu->pad), rows = 3 * (size_t)lu->pad;
    for (int e = graph->couple_start[c]; e < graph->couple_start[c + 1]; e++) {
        const PerpGraphCouple *couple = &graph->couple[e];
        size_t at = block * couple->block;
        bool diagonal = couple->row == couple->column;
        lu->kernels->add_response(cones->newton.C + 9 * c,
                                  cones->bodies.padded_J + rows * (size_t)couple->row,
                                  cones->bodies.padded_J + rows * (size_t)couple->column,
                                  (lu->symmetric && !diagonal ? lu->upper : lu->lower) + at,
                                  lu->symmetric || diagonal ? NULL : lu->upper + at);
    }
}

static bool factor(PerpConeProblem *cones)
{
    if (!perp_elimination_follow(cones))
        return false;
    const PerpGraph *graph = cones->bodies.graph;
    PerpBlockLu *lu = &cones->newton.lu;
    int s = cones->bodies.size, pad = lu->pad;
    size_t block = (size_t)(s * pad);
    lu->symmetric = cones->newton.symmetric;
    perp_block_lu_clear(lu);
    for (int k = 0; k < graph->n_bodies; k++)
        widen(s, s, pad, cones->bodies.mass + s * s * k, lu->lower + block * graph->diagonal[k]);
    for (int c = 0; c < graph->n_constraints; c++)
        if (perp_elimination_responds(cones, c))
            add_response(cones, c);
    perp_product_add_cross(cones);
    return perp_block_lu_factor(lu);
}

// --- products -----------------------------------------------------------------------------------

PerpBlockConstraints perp_over_bodies_rows(const PerpConeProblem *cones, int first, int end)
{
    return (PerpBlockConstraints){end - first, cones->bodies.entry_start + first,
                                  cones->bodies.entry_place, cones->bodies.padded_J};
}

static PerpBlockConstraints rows_of(const PerpConeProblem *cones)
{
    return perp_over_bodies_rows(cones, 0, cones->n_constraints);
}

// x = J'r, bodies in their places
static void gather(const PerpConeProblem *cones, const double *r, double *x)
{
    PerpBlockConstraints rows = rows_of(cones);
    memset(x, 0, (size_t)cones->bodies.pad * (size_t)cones->p->n_bodies * sizeof(double));
    cones->bodies.kernels->gather(&rows, r, x);
}

// x = M^-1 x
static void weigh(const PerpConeProblem *cones, double *x)
{
    for (int k = 0; k < cones->p->n_bodies; k++)
        perp_over_bodies_weigh(cones, k, x + cones->bodies.pad * cones->bodies.body_place[k]);
}

static void velocity(const PerpConeProblem *cones, const double *r, double *v)
{
    int s = cones->bodies.size;
    gather(cones, r, cones->bodies.x);
    weigh(cones, cones->bodies.x);
    for (int k = 0; k < cones->p->n_bodies; k++)
        for (int i = 0; i < s; i++)
            v[s * k + i] = cones->bodies.x[cones->bodies.pad * cones->bodies.body_place[k] + i] +
                           cones->bodies.free[s * k + i];
}

static void speeds(const PerpConeProblem *cones, const double *v, double *u)
{
    int s = cones->bodies.size;
    for (int k = 0; k < cones->p->n_bodies; k++)
        perp_copy_row(s, v + s * k,
                      cones->bodies.x + cones->bodies.pad * cones->bodies.body_place[k]);
    PerpBlockConstraints rows = rows_of(cones);
    cones->bodies.kernels->measure(&rows, cones->bodies.x, u);
    for (int c = 0; c < cones->n_constraints; c++)
        for (int k = 0; k < 3; k++)
            u[3 * c + k] += cones->constraint[c].d[k];
}

// e -= C J x
static void subtract_response(const PerpConeProblem *cones, const double *x, double *e)
{
    PerpBlockConstraints rows = rows_of(cones);
    cones->bodies.kernels->respond(&rows, cones->newton.C, x, e);
    perp_product_respond(cones, x, e);
}

static void solve(PerpConeProblem *cones, const double *g, double *dr)
{
    int numbers = 3 * cones->n_constraints;
    double *e = cones->newton.e;
    memcpy(e, g, (size_t)numbers * sizeof(double));
    memset(dr, 0, (size_t)numbers * sizeof(double));
    for (int pass = 0; pass <= REFINEMENTS; pass++) {
        gather(cones, e, cones->bodies.x);
        perp_block_lu_solve_ordered(&cones->newton.lu, cones->bodies.x);
        subtract_response(cones, cones->bodies.x, e);
        for (int i = 0; i < numbers; i++)
            dr[i] += e[i];
        if (pass == REFINEMENTS)
            break;
        gather(cones, dr, cones->bodies.x); // what is left: e = g - dr - C J M^-1 J'dr
        weigh(cones, cones->bodies.x);
        for (int i = 0; i < numbers; i++)
            e[i] = g[i] - dr[i];
        subtract_response(cones, cones->bodies.x, e);
    }
}

// x -= M v + momentum, bodies in the order of elimination
static void subtract_momentum(const PerpConeProblem *cones, const double *v, const double *momentum,
                              double *x)
{
    int s = cones->bodies.size;
    for (int k = 0; k < cones->p->n_bodies; k++) {
        const double *M = cones->bodies.mass + s * s * k;
        double *at = x + cones->bodies.pad * cones->bodies.body_place[k];
        for (int i = 0; i < s; i++) {
            at[i] -= momentum[s * k + i];
            for (int j = 0; j < s; j++)
                at[i] -= M[i + s * j] * v[s * k + j];
        }
    }
}

void perp_over_bodies_defect(const PerpConeProblem *cones, const double *r, const double *v,
                             long double *sum, double *momentum)
{
    int s = cones->bodies.size;
    memset(sum, 0, (size_t)cones->n_state * sizeof *sum);
    for (int k = 0; k < cones->p->n_bodies; k++)
        for (int i = 0; i < s; i++)
            for (int j = 0; j < s; j++) {
                long double M = cones->bodies.mass[s * s * k + i + s * j];
                sum[s * k + i] += M * v[s * k + j];
                sum[s * k + i] -= M * cones->bodies.free[s * k + j];
            }
    for (int c = 0; c < cones->n_constraints; c++)
        for (int e = cones->constraint[c].first; e < cones->constraint[c].end; e++)
            for (int i = 0; i < 3 * s; i++)
                sum[s * cones->bodies.entry_body[e] + i % s] -=
                    (long double)perp_over_bodies_row(cones, e, i / s)[i % s] * r[3 * c + i / s];
    for (int i = 0; i < cones->n_state; i++)
        momentum[i] = (double)sum[i];
}

void perp_over_bodies_move(PerpConeProblem *cones, const double *g, const double *momentum,
                           bool refine, double *dv, double *dr)
{
    int s = cones->bodies.size, numbers = 3 * cones->n_constraints;
    memset(dv, 0, (size_t)cones->n_state * sizeof(double));
    memcpy(dr, g, (size_t)numbers * sizeof(double));
    for (int pass = 0; pass <= (refine ? REFINEMENTS : 0); pass++) {
        gather(cones, dr, cones->bodies.x); // what is left: J'dr - M dv - momentum
        subtract_momentum(cones, dv, momentum, cones->bodies.x);
        perp_block_lu_solve_ordered(&cones->newton.lu, cones->bodies.x);
        subtract_response(cones, cones->bodies.x, dr);
        for (int k = 0; k < cones->p->n_bodies; k++)
            for (int i = 0; i < s; i++)
                dv[s * k + i] +=
                    cones->bodies.x[cones->bodies.pad * cones->bodies.body_place[k] + i];
    }
}

static void add_block(const PerpConeProblem *cones, int c, double *A)
{
    const PerpConstraint *constraint = &cones->constraint[c];
    int s = cones->bodies.size;
    for (int e = constraint->first; e < constraint->end; e++) {
        const double *J = perp_over_bodies_row(cones, e, 0);
        const double *inverse = cones->bodies.inverse + s * s * cones->bodies.entry_body[e];
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < s; k++) {
                double response = 0;
                for (int i = 0; i < s; i++)
                    response += inverse[s * i + k] * J[cones->bodies.pad * j + i];
                for (int i = 0; i < 3; i++)
                    A[3 * i + j] += J[cones->bodies.pad * i + k] * response;
            }
    }
}

const PerpDelassus perp_delassus_over_bodies = {.name = "over bodies",
                                                .has_bodies = true,
                                                .analyse = analyse,
                                                .factor = factor,
                                                .solve = solve,
                                                .velocity = velocity,
                                                .speeds = speeds,
                                                .block = add_block};
