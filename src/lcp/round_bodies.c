#include "lcp/round_bodies.h"

#include "lcp/exact_sum.h"
#include "lcp/round_order.h"
#include "lcp/round_wide.h"

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

static int *start_entries(PerpArena *arena, const PerpRound *round)
{
    int *start = PERP_TAKE(arena, int, round->n_cells + 1);
    for (int c = 0; start && c < round->n_cells; c++)
        start[c + 1] = round->cell[c].end;
    return start;
}

bool perp_round_bodies_prepare(PerpRound *round)
{
    PerpArena *arena = round->arena;
    int n = round->p->n_bodies;
    round->entry_start = start_entries(arena, round);
    round->entry_place = round->entry_body;
    round->body_place = number_bodies(arena, n);
    round->x = PERP_TAKE(arena, double, (size_t)round->pad *(size_t)n);
    return round->entry_start && round->body_place && round->x;
}

bool perp_round_bodies_analyse(PerpRound *round)
{
    round->C = PERP_TAKE(round->arena, double, 9 * round->n_cells);
    round->cross = PERP_TAKE(round->arena, double, 18 * round->n_pairs);
    return round->C && round->cross && perp_round_order_prepare(round);
}

// --- the matrix ---------------------------------------------------------------------------------

bool perp_round_bodies_factor(PerpRound *round)
{
    if (!perp_round_order_follow(round))
        return false;
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
    perp_wide_add_cross(round);
    return perp_block_lu_factor(lu);
}

// --- products -----------------------------------------------------------------------------------

PerpBlockCells perp_round_bodies_rows(const PerpRound *round, int first, int end)
{
    return (PerpBlockCells){end - first, round->entry_start + first, round->entry_place,
                            round->wide_J};
}

static PerpBlockCells rows_of(const PerpRound *round)
{
    return perp_round_bodies_rows(round, 0, round->n_cells);
}

// x = J'r, bodies in their places
static void gather(const PerpRound *round, const double *r, double *x)
{
    PerpBlockCells rows = rows_of(round);
    memset(x, 0, (size_t)round->pad * (size_t)round->p->n_bodies * sizeof(double));
    round->kernels->gather(&rows, r, x);
}

// x = M^-1 x
static void weigh(const PerpRound *round, double *x)
{
    for (int k = 0; k < round->p->n_bodies; k++)
        perp_round_bodies_weigh(round, k, x + round->pad * round->body_place[k]);
}

void perp_round_bodies_velocity(const PerpRound *round, const double *r, double *v)
{
    int s = round->size;
    gather(round, r, round->x);
    weigh(round, round->x);
    for (int k = 0; k < round->p->n_bodies; k++)
        for (int i = 0; i < s; i++)
            v[s * k + i] = round->x[round->pad * round->body_place[k] + i] + round->free[s * k + i];
}

void perp_round_bodies_speeds(const PerpRound *round, const double *v, double *u)
{
    int s = round->size;
    for (int k = 0; k < round->p->n_bodies; k++)
        memcpy(round->x + round->pad * round->body_place[k], v + s * k, (size_t)s * sizeof(double));
    PerpBlockCells rows = rows_of(round);
    round->kernels->measure(&rows, round->x, u);
    for (int c = 0; c < round->n_cells; c++)
        for (int k = 0; k < 3; k++)
            u[3 * c + k] += round->cell[c].d[k];
}

// e -= C J x
static void subtract_response(const PerpRound *round, const double *x, double *e)
{
    PerpBlockCells rows = rows_of(round);
    round->kernels->respond(&rows, round->C, x, e);
    perp_wide_respond(round, x, e);
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
        double *at = x + round->pad * round->body_place[k];
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
                                     -perp_round_row(round, e, i / s)[i % s], r[3 * c + i / s]);
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
                dv[s * k + i] += round->x[round->pad * round->body_place[k] + i];
    }
}
