#include "lcp/round_local.h"

#include "lcp/round_groups.h"

#include <math.h>
#include <string.h>

enum { REFINEMENTS = 1 };

// --- products -----------------------------------------------------------------------------------

// w = W r
static void weigh(const PerpRound *round, const double *r, double *w)
{
    const PerpRoundRows *rows = &round->rows;
    for (int c = 0; c < round->n_cells; c++) {
        double sum[3] = {0};
        for (int e = rows->start[c]; e < rows->start[c + 1]; e++) {
            const double *W = rows->W + 9 * e, *x = r + 3 * rows->column[e];
            for (int i = 0; i < 3; i++)
                sum[i] += W[3 * i] * x[0] + W[3 * i + 1] * x[1] + W[3 * i + 2] * x[2];
        }
        memcpy(w + 3 * c, sum, sizeof sum);
    }
}

void perp_round_local_velocity(const PerpRound *round, const double *r, double *v)
{
    weigh(round, r, v);
}

void perp_round_local_speeds(const PerpRound *round, const double *v, double *u)
{
    for (int c = 0; c < round->n_cells; c++)
        for (int i = 0; i < 3; i++)
            u[3 * c + i] = v[3 * c + i] + round->cell[c].d[i];
}

// --- the matrix ---------------------------------------------------------------------------------

static bool analyse_cells(PerpRound *round)
{
    const PerpRoundRows *rows = &round->rows;
    PerpArena *arena = round->arena;
    int blocks = rows->start[round->n_cells], pairs = 0;
    int *i = PERP_TAKE(arena, int, blocks), *j = PERP_TAKE(arena, int, blocks);
    round->place = PERP_TAKE(arena, PerpRoundPlace, blocks);
    if (!i || !j || !round->place)
        return false;
    for (int c = 0; c < round->n_cells; c++)
        for (int e = rows->start[c] + 1; e < rows->start[c + 1]; e++) {
            i[pairs] = c;
            j[pairs++] = rows->column[e];
        }
    if (!perp_block_lu_analyse(arena, round->n_cells, 3, pairs, i, j, &round->lu))
        return false;
    for (int c = 0; c < round->n_cells; c++)
        for (int e = rows->start[c]; e < rows->start[c + 1]; e++) {
            PerpRoundPlace *place = &round->place[e];
            place->block = perp_block_lu_block(&round->lu, c, rows->column[e], &place->transposed);
        }
    return true;
}

bool perp_round_local_analyse(PerpRound *round)
{
    return perp_round_find_groups(round) && (round->groups || analyse_cells(round));
}

// place += C W
static void add_product(int pad, const double *C, const double *W, PerpRoundPlace place)
{
    int down = place.transposed ? pad : 1, right = place.transposed ? 1 : pad;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            place.block[down * i + right * j] +=
                C[3 * i] * W[j] + C[3 * i + 1] * W[3 + j] + C[3 * i + 2] * W[6 + j];
}

bool perp_round_local_factor(PerpRound *round)
{
    const PerpRoundRows *rows = &round->rows;
    if (!perp_round_analyse(round))
        return false;
    if (round->groups)
        return perp_round_groups_factor(round);
    int pad = round->lu.pad;
    perp_block_lu_clear(&round->lu);
    for (int c = 0; c < round->n_cells; c++) {
        double *diagonal = round->place[rows->start[c]].block;
        for (int i = 0; i < 3; i++)
            diagonal[pad * i + i] = 1;
        for (int e = rows->start[c]; e < rows->start[c + 1]; e++)
            add_product(pad, round->C + 9 * c, rows->W + 9 * e, round->place[e]);
    }
    return perp_block_lu_factor(&round->lu);
}

// (1 + C W) dr = g, refined
void perp_round_local_change(PerpRound *round, const double *g, double *dr)
{
    int numbers = 3 * round->n_cells;
    double *e = round->e, *w = round->w;
    memcpy(e, g, (size_t)numbers * sizeof(double));
    memset(dr, 0, (size_t)numbers * sizeof(double));
    for (int pass = 0; pass <= REFINEMENTS; pass++) {
        if (round->groups)
            perp_round_groups_solve(round, e);
        else
            perp_block_lu_solve(&round->lu, e);
        for (int i = 0; i < numbers; i++)
            dr[i] += e[i];
        if (pass == REFINEMENTS)
            break;
        weigh(round, dr, w); // what is left: e = g - dr - C W dr
        for (int c = 0; c < round->n_cells; c++)
            for (int i = 0; i < 3; i++) {
                const double *C = round->C + 9 * c + 3 * i, *w_c = w + 3 * c;
                e[3 * c + i] =
                    g[3 * c + i] - dr[3 * c + i] - (C[0] * w_c[0] + C[1] * w_c[1] + C[2] * w_c[2]);
            }
    }
}

// --- cells --------------------------------------------------------------------------------------

static int rows_of(const PerpContactProblem *p, int unit)
{
    return unit < p->contacts ? p->dimension : 1;
}

static void begin_cell(const PerpContactProblem *p, int unit, PerpCell *cell)
{
    bool contact = unit < p->contacts;
    int first = contact ? unit * p->dimension : p->contacts * p->dimension + unit - p->contacts;
    *cell = (PerpCell){.kind = contact ? PERP_CELL_CONE : PERP_CELL_JOINT,
                       .row = {-1, -1, -1},
                       .group = contact ? unit : -1};
    for (int k = 0; k < rows_of(p, unit); k++)
        cell->row[k] = first + k;
}

static int unit_of_row(const PerpContactProblem *p, int row)
{
    int contact_rows = p->contacts * p->dimension;
    if (row >= contact_rows)
        return p->contacts + row - contact_rows;
    return p->dimension == 3 ? row / 3 : row / 2; // by constants, as this is asked often
}

// The blocks of cell c, the diagonal one first. at: of each unit the block of this cell, -1 else.
static void fill_row(const PerpContactProblem *p, const PerpRoundPart *part, PerpRound *round, int c,
                     int *at)
{
    PerpRoundRows *rows = &round->rows;
    const PerpCell *cell = &round->cell[c];
    int end = rows->start[c];
    rows->column[end] = c;
    at[part->unit[c]] = end++;
    for (int k = 0; k < 3 && cell->row[k] >= 0; k++)
        for (int e = p->start[cell->row[k]]; e < p->start[cell->row[k] + 1]; e++) {
            int unit = unit_of_row(p, p->column[e]), other = part->cell_of_unit[unit];
            if (p->x[e] == 0)
                continue;
            if (at[unit] < 0) {
                rows->column[end] = other;
                at[unit] = end++;
            }
            int place = p->column[e] - round->cell[other].row[0];
            rows->W[9 * at[unit] + 3 * k + place] += p->x[e];
        }
    rows->start[c + 1] = end;
    for (int e = rows->start[c]; e < end; e++)
        at[part->unit[rows->column[e]]] = -1;
}

// Cones right circular, then the mean of the diagonal of each cell 1.
static void scale_cell(const PerpContactProblem *p, PerpRound *round, int c)
{
    PerpCell *cell = &round->cell[c];
    const double *W = round->rows.W + 9 * round->rows.start[c];
    double mu = cell->group < 0 ? 0 : p->mu[cell->group], trace = W[0] + mu * mu * (W[4] + W[8]);
    int count = 1 + (cell->row[1] >= 0) + (cell->row[2] >= 0);
    double scale = trace > 0 ? sqrt(count / trace) : 1;
    for (int k = 0; k < 3; k++) {
        cell->scale[k] = cell->row[k] < 0 ? 0 : k == 0 ? scale : mu * scale;
        cell->d[k] = cell->row[k] < 0 ? 0 : cell->scale[k] * p->q[cell->row[k]];
    }
}

static void scale_blocks(PerpRound *round)
{
    for (int c = 0; c < round->n_cells; c++)
        for (int e = round->rows.start[c]; e < round->rows.start[c + 1]; e++) {
            const double *down = round->cell[c].scale;
            const double *right = round->cell[round->rows.column[e]].scale;
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 3; j++)
                    round->rows.W[9 * e + 3 * i + j] *= down[i] * right[j];
        }
}

// The law is broken by at most 1 without impulses.
static void normalise(PerpRound *round)
{
    double *u = round->e, *none = round->w;
    for (int c = 0; c < round->n_cells; c++)
        memcpy(u + 3 * c, round->cell[c].d, 3 * sizeof(double));
    round->speed = perp_round_residual(round, none, u);
    round->idle = round->speed > 0;
    if (!(round->speed > 0 && isfinite(round->speed)))
        round->speed = 1;
    for (int c = 0; c < round->n_cells; c++)
        for (int k = 0; k < 3; k++)
            round->cell[c].d[k] /= round->speed;
}

// Blocks of all cells; seen: of all units, -1 before and after.
static int count_blocks(const PerpContactProblem *p, const PerpRoundPart *part, const PerpRound *round,
                        int *seen)
{
    int blocks = 0;
    for (int c = 0; c < round->n_cells; c++) {
        const PerpCell *cell = &round->cell[c];
        seen[part->unit[c]] = c;
        blocks++;
        for (int k = 0; k < 3 && cell->row[k] >= 0; k++)
            for (int e = p->start[cell->row[k]]; e < p->start[cell->row[k] + 1]; e++) {
                int unit = unit_of_row(p, p->column[e]);
                if (p->x[e] != 0 && seen[unit] != c) {
                    seen[unit] = c;
                    blocks++;
                }
            }
    }
    for (int c = 0; c < round->n_cells; c++)
        seen[part->unit[c]] = -1;
    return blocks;
}

bool perp_round_build_local(PerpArena *arena, const PerpContactProblem *p, const PerpRoundPart *part,
                            PerpRound *round)
{
    int n = part->count;
    *round = (PerpRound){.n_cells = n, .n_state = 3 * n, .size = 3, .arena = arena, .shift = 1};
    round->cell = PERP_TAKE(arena, PerpCell, n);
    if (!round->cell)
        return false;
    for (int c = 0; c < n; c++)
        begin_cell(p, part->unit[c], &round->cell[c]);
    int blocks = count_blocks(p, part, round, part->scratch);
    round->rows.start = PERP_TAKE(arena, int, n + 1);
    round->rows.column = PERP_TAKE(arena, int, blocks);
    round->rows.W = PERP_TAKE(arena, double, 9 * (size_t)blocks);
    round->C = PERP_TAKE(arena, double, 9 * n);
    round->e = PERP_TAKE(arena, double, 3 * n);
    round->w = PERP_TAKE(arena, double, 3 * n);
    if (!round->rows.start || !round->rows.column || !round->rows.W || !round->C || !round->e ||
        !round->w)
        return false;
    for (int c = 0; c < n; c++)
        fill_row(p, part, round, c, part->scratch);
    for (int c = 0; c < n; c++)
        scale_cell(p, round, c);
    scale_blocks(round);
    normalise(round);
    return true;
}
