#include "lcp/round_bodies.h"

#include "lcp/exact_sum.h"

#include <string.h>

enum { REFINEMENTS = 1 };

// --- what is prepared ---------------------------------------------------------------------------

static bool find_graph(PerpArena *arena, PerpRoundGraphs *kept, PerpRound *round)
{
    int *start = PERP_TAKE(arena, int, round->n_cells + 1);
    PerpRoundGraph *graph = PERP_TAKE(arena, PerpRoundGraph, 1);
    if (!start || !graph)
        return false;
    for (int c = 0; c < round->n_cells; c++)
        start[c + 1] = round->cell[c].end;
    graph->n_bodies = round->p->n_bodies;
    graph->n_cells = round->n_cells;
    graph->entry_start = start;
    graph->entry_body = round->entry_body;
    if (kept)
        round->graph = perp_round_graphs_get(kept, graph);
    else if (perp_round_graph_find(arena, graph))
        round->graph = graph;
    return round->graph;
}

// Rows of `size` numbers become rows of `pad`.
static void widen(int rows, int size, int pad, const double *from, double *to)
{
    for (int k = 0; k < rows; k++)
        memcpy(to + (size_t)pad * (size_t)k, from + (size_t)size * (size_t)k,
               (size_t)size * sizeof(double));
}

bool perp_round_bodies_prepare(PerpArena *arena, PerpRoundGraphs *kept, PerpRound *round)
{
    int n = round->p->n_bodies, s = round->size;
    if (!find_graph(arena, kept, round) ||
        !perp_block_lu_take(arena, &round->graph->pattern, s, &round->lu))
        return false;
    int pad = round->lu.pad;
    round->C = PERP_TAKE(arena, double, 9 * round->n_cells);
    round->wide_J = PERP_TAKE(arena, double, 3 * (size_t)pad * (size_t)round->entries);
    round->wide_inverse = PERP_TAKE(arena, double, (size_t)(s * pad) * (size_t)n);
    round->x = PERP_TAKE(arena, double, (size_t)pad *(size_t)n);
    if (!round->C || !round->wide_J || !round->wide_inverse || !round->x)
        return false;
    widen(3 * round->entries, s, pad, round->entry_J, round->wide_J);
    widen(s * n, s, pad, round->inverse, round->wide_inverse);
    return true;
}

// --- the matrix ---------------------------------------------------------------------------------

bool perp_round_bodies_factor(PerpRound *round)
{
    const PerpRoundGraph *graph = round->graph;
    PerpBlockLu *lu = &round->lu;
    int s = round->size, pad = lu->pad;
    size_t block = (size_t)(s * pad), rows = 3 * (size_t)pad;
    perp_block_lu_clear(lu);
    for (int k = 0; k < graph->n_bodies; k++)
        widen(s, s, pad, round->mass + s * s * k, lu->lower + block * graph->diagonal[k]);
    for (int c = 0; c < graph->n_cells; c++)
        for (int e = graph->couple_start[c]; e < graph->couple_start[c + 1]; e++) {
            const PerpRoundCouple *couple = &graph->couple[e];
            size_t at = block * couple->block;
            lu->kernels->add_response(round->C + 9 * c, round->wide_J + rows * (size_t)couple->row,
                                      round->wide_J + rows * (size_t)couple->column, lu->lower + at,
                                      couple->row == couple->column ? NULL : lu->upper + at);
        }
    return perp_block_lu_factor(lu);
}

// --- products -----------------------------------------------------------------------------------

static PerpBlockCells rows_of(const PerpRound *round)
{
    return (PerpBlockCells){round->n_cells, round->graph->entry_start, round->graph->entry_place,
                            round->wide_J};
}

// x = J'r, bodies `pad` apart in the order of elimination
static void gather(const PerpRound *round, const double *r, double *x)
{
    PerpBlockCells rows = rows_of(round);
    memset(x, 0, (size_t)round->lu.pad * (size_t)round->p->n_bodies * sizeof(double));
    round->lu.kernels->gather(&rows, r, x);
}

// x = M^-1 x
static void weigh(const PerpRound *round, double *x)
{
    const PerpBlockLu *lu = &round->lu;
    for (int k = 0; k < round->p->n_bodies; k++) {
        double *at = x + lu->pad * lu->pattern->place[k];
        lu->kernels->multiply(round->wide_inverse + (size_t)(lu->size * lu->pad) * (size_t)k, at,
                              at);
    }
}

void perp_round_bodies_velocity(const PerpRound *round, const double *r, double *v)
{
    int s = round->size;
    gather(round, r, round->x);
    weigh(round, round->x);
    for (int k = 0; k < round->p->n_bodies; k++)
        for (int i = 0; i < s; i++)
            v[s * k + i] =
                round->x[round->lu.pad * round->lu.pattern->place[k] + i] + round->free[s * k + i];
}

void perp_round_bodies_speeds(const PerpRound *round, const double *v, double *u)
{
    int s = round->size;
    for (int k = 0; k < round->p->n_bodies; k++)
        memcpy(round->x + round->lu.pad * round->lu.pattern->place[k], v + s * k,
               (size_t)s * sizeof(double));
    PerpBlockCells rows = rows_of(round);
    round->lu.kernels->measure(&rows, round->x, u);
    for (int c = 0; c < round->n_cells; c++)
        for (int k = 0; k < 3; k++)
            u[3 * c + k] += round->cell[c].d[k];
}

// e -= C J x
static void subtract_response(const PerpRound *round, const double *x, double *e)
{
    PerpBlockCells rows = rows_of(round);
    round->lu.kernels->respond(&rows, round->C, x, e);
}

void perp_round_bodies_change(PerpRound *round, const double *g, double *dr)
{
    int numbers = 3 * round->n_cells;
    double *e = round->e;
    memcpy(e, g, (size_t)numbers * sizeof(double));
    memset(dr, 0, (size_t)numbers * sizeof(double));
    for (int pass = 0; pass <= REFINEMENTS; pass++) {
        gather(round, e, round->x);
        perp_block_lu_solve_ordered(&round->lu, round->x);
        subtract_response(round, round->x, e);
        for (int i = 0; i < numbers; i++)
            dr[i] += e[i];
        if (pass == REFINEMENTS)
            break;
        gather(round, dr, round->x); // what is left: e = g - dr - C J M^-1 J'dr
        weigh(round, round->x);
        for (int i = 0; i < numbers; i++)
            e[i] = g[i] - dr[i];
        subtract_response(round, round->x, e);
    }
}

// x -= M v + momentum, bodies in the order of elimination
static void subtract_momentum(const PerpRound *round, const double *v, const double *momentum,
                              double *x)
{
    int s = round->size;
    for (int k = 0; k < round->p->n_bodies; k++) {
        const double *M = round->mass + s * s * k;
        double *at = x + round->lu.pad * round->lu.pattern->place[k];
        for (int i = 0; i < s; i++) {
            at[i] -= momentum[s * k + i];
            for (int j = 0; j < s; j++)
                at[i] -= M[i + s * j] * v[s * k + j];
        }
    }
}

void perp_round_bodies_defect(const PerpRound *round, const double *r, const double *v,
                              PerpSum *sum, double *momentum)
{
    int s = round->size;
    memset(sum, 0, (size_t)round->n_state * sizeof(PerpSum));
    for (int k = 0; k < round->p->n_bodies; k++)
        for (int i = 0; i < s; i++)
            for (int j = 0; j < s; j++) {
                double M = round->mass[s * s * k + i + s * j];
                perp_sum_add_product(&sum[s * k + i], M, v[s * k + j]);
                perp_sum_add_product(&sum[s * k + i], -M, round->free[s * k + j]);
            }
    for (int c = 0; c < round->n_cells; c++)
        for (int e = round->cell[c].first; e < round->cell[c].end; e++)
            for (int i = 0; i < 3 * s; i++)
                perp_sum_add_product(&sum[s * round->entry_body[e] + i % s],
                                     -round->entry_J[3 * s * e + i], r[3 * c + i / s]);
    for (int i = 0; i < round->n_state; i++)
        momentum[i] = perp_sum_total(&sum[i]);
}

void perp_round_bodies_move(PerpRound *round, const double *g, const double *momentum, double *dv,
                            double *dr)
{
    int s = round->size, numbers = 3 * round->n_cells;
    memset(dv, 0, (size_t)round->n_state * sizeof(double));
    memcpy(dr, g, (size_t)numbers * sizeof(double));
    for (int pass = 0; pass <= REFINEMENTS; pass++) {
        gather(round, dr, round->x); // what is left: J'dr - M dv - momentum
        subtract_momentum(round, dv, momentum, round->x);
        perp_block_lu_solve_ordered(&round->lu, round->x);
        subtract_response(round, round->x, dr);
        for (int k = 0; k < round->p->n_bodies; k++)
            for (int i = 0; i < s; i++)
                dv[s * k + i] += round->x[round->lu.pad * round->lu.pattern->place[k] + i];
    }
}
