#include "math/sparse/block_lu.h"

#include "base/threads.h"

#include <string.h>

enum { PIECE = 8 }; // rows of a panel that a thread takes at a time

static size_t block_numbers(const PerpBlockLu *lu)
{
    return (size_t)(lu->size * lu->pad);
}

bool perp_block_lu_take(PerpArena *arena, const PerpBlockPattern *pattern, int size,
                        PerpBlockLu *lu)
{
    const PerpBlockKernels *kernels = perp_block_kernels(size);
    *lu = (PerpBlockLu){
        .pattern = pattern, .kernels = kernels, .size = size, .pad = kernels->pad, .threads = 1};
    size_t numbers = block_numbers(lu) * pattern->blocks;
    int slots = pattern->n_branches > 1 ? pattern->n_branches : 1;
    lu->slot = PERP_TAKE(arena, int, (size_t)slots *(size_t)pattern->n);
    lu->x = PERP_TAKE(arena, double, lu->pad * pattern->n);
    lu->lower = PERP_TAKE_RAW(arena, double, numbers);
    lu->upper = PERP_TAKE_RAW(arena, double, numbers);
    return lu->lower && lu->upper && lu->slot && lu->x;
}

bool perp_block_lu_analyse(PerpArena *arena, int n, int size, int pairs, const int *i, const int *j,
                           PerpBlockLu *lu)
{
    PerpBlockPattern *pattern = PERP_TAKE(arena, PerpBlockPattern, 1);
    return pattern && perp_block_pattern_find(arena, n, pairs, i, j, pattern) &&
           perp_block_lu_take(arena, pattern, size, lu);
}

static void clear_diagonal(PerpBlockLu *lu)
{
    bool unused;
    for (int k = 0; k < lu->pattern->n; k++)
        memset(perp_block_lu_block(lu, k, k, &unused), 0, block_numbers(lu) * sizeof(double));
}

// Off the diagonal `lower` of a symmetric matrix is made from `upper`.
void perp_block_lu_clear(PerpBlockLu *lu)
{
    size_t bytes = block_numbers(lu) * lu->pattern->blocks * sizeof(double);
    memset(lu->upper, 0, bytes);
    if (lu->symmetric)
        clear_diagonal(lu);
    else
        memset(lu->lower, 0, bytes);
}

// Where the blocks of a row of a panel begin, in `lower` and in `upper`.
static size_t row_at(const PerpBlockLu *lu, const PerpBlockPanel *panel, int row)
{
    return block_numbers(lu) * (panel->block + (size_t)row * (size_t)panel->columns);
}

double *perp_block_lu_block(const PerpBlockLu *lu, int i, int j, bool *transposed)
{
    const int *place = lu->pattern->place;
    *transposed = place[i] < place[j];
    return (*transposed ? lu->upper : lu->lower) +
           block_numbers(lu) * perp_block_pattern_block(lu->pattern, i, j);
}

// --- factorisation ------------------------------------------------------------------------------

// Rows of a panel that are worked on at a time: they stay in the cache, or belong to a thread.
typedef struct Rows {
    const PerpBlockPanel *panel;
    const int *slot; // row of the matrix -> row of the panel
    int from, to;
} Rows;

static void find_slots(const PerpBlockLu *lu, const PerpBlockPanel *panel, int *slot)
{
    for (int r = 0; r < panel->rows; r++)
        slot[lu->pattern->row[panel->row + r]] = r;
}

// Takes what a panel contributes out of the rows of the one at hand, whose columns it has in its
// rows source->from..to. A row that is a column itself needs the pivots up to it only.
static void subtract_source(PerpBlockLu *lu, const Rows *rows, const PerpBlockSource *source)
{
    const PerpBlockPanel *panel = rows->panel, *other = &lu->pattern->panel[source->panel];
    const int *row = lu->pattern->row + other->row;
    size_t pivot = row_at(lu, other, source->from);
    PerpBlockUpdate update = {.n = lu->size * other->columns,
                              .column = row + source->from,
                              .first = panel->first,
                              .L_pivot = lu->lower + pivot,
                              .U_pivot = lu->upper + pivot};
    int first = lu->pattern->row[panel->row + rows->from];
    for (int r = perp_find_row(row, source->from, other->rows, first);
         r < other->rows && rows->slot[row[r]] < rows->to; r++) {
        size_t from = row_at(lu, other, r), to = row_at(lu, panel, rows->slot[row[r]]);
        update.pivots = (r < source->to ? r + 1 : source->to) - source->from;
        if (lu->symmetric)
            lu->kernels->subtract_row_symmetric(&update, lu->upper + from, lu->upper + to);
        else
            lu->kernels->subtract_row(&update, lu->lower + from, lu->upper + from, lu->lower + to,
                                      lu->upper + to);
    }
}

static void subtract_sources(PerpBlockLu *lu, const Rows *rows)
{
    for (int s = rows->panel->source; s < rows->panel->source_end; s++)
        subtract_source(lu, rows, &lu->pattern->source[s]);
}

// Divides rows by the panel's own triangles; false if a diagonal block is singular.
static bool finish_rows(PerpBlockLu *lu, const Rows *rows)
{
    const PerpBlockPanel *panel = rows->panel;
    size_t own = row_at(lu, panel, 0), block = block_numbers(lu);
    PerpBlockTriangles triangles = {lu->lower + own, lu->upper + own,
                                    block * (size_t)panel->columns};
    for (int r = rows->from; r < rows->to; r++) {
        int columns = r < panel->columns ? r : panel->columns;
        double *lower = lu->lower + row_at(lu, panel, r), *upper = lu->upper + row_at(lu, panel, r);
        (lu->symmetric ? lu->kernels->finish_row_symmetric
                       : lu->kernels->finish_row)(&triangles, columns, lower, upper);
        if (r < panel->columns && !(lu->symmetric ? lu->kernels->finish_diagonal_symmetric
                                                  : lu->kernels->finish_diagonal)(
                                      r, lower, upper, lower + block * (size_t)r))
            return false;
    }
    return true;
}

static bool factor_panel(PerpBlockLu *lu, const PerpBlockPanel *panel, int *slot)
{
    Rows all = {panel, slot, 0, panel->rows};
    find_slots(lu, panel, slot);
    subtract_sources(lu, &all);
    return finish_rows(lu, &all);
}

static bool factor_alone(PerpBlockLu *lu)
{
    for (int p = 0; p < lu->pattern->n_panels; p++)
        if (!factor_panel(lu, &lu->pattern->panel[p], lu->slot))
            return false;
    return true;
}

// --- by threads ---------------------------------------------------------------------------------

// Every sum is formed by one thread in the order in which a single one would form it.

typedef struct Team {
    PerpBlockLu *lu;
    const PerpBlockPanel *panel; // that all work on
    bool singular[PERP_BRANCHES];
} Team;

static void factor_branch(void *user, int branch, int thread)
{
    Team *team = user;
    const PerpBlockPattern *pattern = team->lu->pattern;
    int *slot = team->lu->slot + (size_t)branch * (size_t)pattern->n;
    (void)thread;
    for (int k = pattern->branch_start[branch];
         k < pattern->branch_start[branch + 1] && !team->singular[branch]; k++)
        team->singular[branch] =
            !factor_panel(team->lu, &pattern->panel[pattern->branch_panel[k]], slot);
}

static Rows piece(const Team *team, int first, int item)
{
    int from = first + PIECE * item, to = from + PIECE;
    return (Rows){team->panel, team->lu->slot, from,
                  to < team->panel->rows ? to : team->panel->rows};
}

static void subtract_piece(void *user, int item, int thread)
{
    const Team *team = user;
    Rows rows = piece(team, 0, item);
    (void)thread;
    subtract_sources(team->lu, &rows);
}

static void finish_piece(void *user, int item, int thread)
{
    const Team *team = user;
    Rows rows = piece(team, team->panel->columns, item);
    (void)thread;
    finish_rows(team->lu, &rows);
}

// A panel above all branches: the threads share its rows.
static bool factor_shared(Team *team, const PerpBlockPanel *panel)
{
    PerpBlockLu *lu = team->lu;
    int pieces = (panel->rows + PIECE - 1) / PIECE;
    team->panel = panel;
    find_slots(lu, panel, lu->slot);
    perp_parallel(lu->threads, pieces, subtract_piece, team);
    if (!finish_rows(lu, &(Rows){panel, lu->slot, 0, panel->columns}))
        return false;
    pieces = (panel->rows - panel->columns + PIECE - 1) / PIECE;
    perp_parallel(lu->threads, pieces, finish_piece, team);
    return true;
}

static bool factor_together(PerpBlockLu *lu)
{
    const PerpBlockPattern *pattern = lu->pattern;
    Team team = {.lu = lu};
    perp_parallel(lu->threads, pattern->n_branches, factor_branch, &team);
    for (int b = 0; b < pattern->n_branches; b++)
        if (team.singular[b])
            return false;
    for (int k = pattern->branch_start[pattern->n_branches]; k < pattern->n_panels; k++)
        if (!factor_shared(&team, &pattern->panel[pattern->branch_panel[k]]))
            return false;
    return true;
}

bool perp_block_lu_factor(PerpBlockLu *lu)
{
    return lu->threads > 1 && lu->pattern->n_branches > 0 ? factor_together(lu) : factor_alone(lu);
}

// --- solution -----------------------------------------------------------------------------------

void perp_block_lu_solve_ordered(const PerpBlockLu *lu, double *x)
{
    lu->kernels->solve(lu->pattern, lu->lower, lu->upper, x);
}

void perp_block_lu_solve(PerpBlockLu *lu, double *x)
{
    const int *order = lu->pattern->order;
    int n = lu->pattern->n, size = lu->size, pad = lu->pad;
    size_t bytes = (size_t)size * sizeof(double);
    for (int k = 0; k < n; k++)
        memcpy(lu->x + pad * k, x + size * order[k], bytes);
    perp_block_lu_solve_ordered(lu, lu->x);
    for (int k = 0; k < n; k++)
        memcpy(x + size * order[k], lu->x + pad * k, bytes);
}
