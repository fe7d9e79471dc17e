#include "cones/operator/contact_groups.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS = PERP_GROUP_ROWS, BLOCK = ROWS * ROWS, MOST_CELLS = 24, MOST_ROWS = 3 * MOST_CELLS };
static const double DEPENDENT = 1e-12; // of the largest diagonal: what is left of a dependent row
static const double WORTH = 0.4; // groups a constraint, at most: six rows instead of three each

typedef struct Mark {
    uint64_t sum; // of the neighbours: equal for constraints between the same bodies
    int constraint;
} Mark;

// A group while it is collected from candidates, constraints that are alike.
typedef struct Draft {
    int candidates, constraint[MOST_CELLS];
    int count, member[MOST_CELLS];  // candidates
    int rank, pivot[ROWS];          // rows 3 candidate + k
    double S[MOST_ROWS][MOST_ROWS]; // (W + W') / 2 of the candidates: J (M^-1 + M^-T) / 2 J' has
                                    // the same dependent rows as J
    double L[ROWS][ROWS];           // of S_pivots = L L'
    double largest;                 // diagonal of the members
    int *place;                     // of all constraints: among the candidates, -1 else
} Draft;

// --- which constraints are alike -----------------------------------------------------------------

static uint64_t scramble(uint64_t x)
{
    x = (x + 0x9e3779b97f4a7c15u) * 0xbf58476d1ce4e5b9u;
    return (x ^ (x >> 29)) * 0x94d049bb133111ebu;
}

static int compare_marks(const void *a, const void *b)
{
    const Mark *x = a, *y = b;
    if (x->sum != y->sum)
        return x->sum < y->sum ? -1 : 1;
    return (x->constraint > y->constraint) - (x->constraint < y->constraint);
}

static void mark_constraints(const PerpConeProblem *cones, Mark *marks)
{
    for (int c = 0; c < cones->n_constraints; c++) {
        marks[c] = (Mark){.constraint = c};
        for (int e = cones->explicit_W.rows.start[c]; e < cones->explicit_W.rows.start[c + 1]; e++)
            marks[c].sum += scramble((uint64_t)cones->explicit_W.rows.column[e]);
    }
    qsort(marks, (size_t)cones->n_constraints, sizeof *marks, compare_marks);
}

static void add_block(Draft *draft, int row, int column, const double *W)
{
    for (int i = 0; i < 9; i++) {
        double half = W[i] / 2;
        draft->S[row + i / 3][column + i % 3] += half;
        draft->S[column + i % 3][row + i / 3] += half;
    }
}

// S of the first constraints that are marked.
static void begin_draft(const PerpConeProblem *cones, Draft *draft, const Mark *marks, int count)
{
    draft->candidates = count < MOST_CELLS ? count : MOST_CELLS;
    draft->count = draft->rank = 0;
    draft->largest = 0;
    for (int k = 0; k < draft->candidates; k++) {
        draft->constraint[k] = marks[k].constraint;
        draft->place[marks[k].constraint] = k;
    }
    for (int i = 0; i < 3 * draft->candidates; i++)
        memset(draft->S[i], 0, (size_t)(3 * draft->candidates) * sizeof(double));
    for (int k = 0; k < draft->candidates; k++)
        for (int e = cones->explicit_W.rows.start[draft->constraint[k]];
             e < cones->explicit_W.rows.start[draft->constraint[k] + 1]; e++)
            if (draft->place[cones->explicit_W.rows.column[e]] >= 0)
                add_block(draft, 3 * k, 3 * draft->place[cones->explicit_W.rows.column[e]],
                          cones->explicit_W.rows.W + 9 * e);
    for (int k = 0; k < draft->candidates; k++)
        draft->place[draft->constraint[k]] = -1;
}

// --- rows that stand for others -----------------------------------------------------------------

// y = L^-1 S_pivots,row; returns what is left of the row's diagonal
static double project(const Draft *draft, int row, double *y)
{
    double left = draft->S[row][row];
    for (int k = 0; k < draft->rank; k++) {
        y[k] = draft->S[row][draft->pivot[k]];
        for (int j = 0; j < k; j++)
            y[k] -= draft->L[k][j] * y[j];
        y[k] /= draft->L[k][k];
        left -= y[k] * y[k];
    }
    return left;
}

// Pivots from nothing, the largest remainder first. False if six are not enough.
static bool choose_pivots(Draft *draft)
{
    draft->rank = 0;
    for (;;) {
        double most = 0, y[ROWS];
        int row = -1;
        for (int i = 0; i < 3 * draft->count; i++) {
            int candidate = 3 * draft->member[i / 3] + i % 3;
            double left = project(draft, candidate, y);
            row = left > most ? candidate : row;
            most = fmax(most, left);
        }
        if (!(most > DEPENDENT * draft->largest))
            return true;
        if (draft->rank == ROWS)
            return false;
        project(draft, row, draft->L[draft->rank]);
        draft->L[draft->rank][draft->rank] = sqrt(most);
        draft->pivot[draft->rank++] = row;
    }
}

static bool depends(const Draft *draft, int candidate)
{
    double y[ROWS];
    for (int i = 3 * candidate; i < 3 * candidate + 3; i++)
        if (project(draft, i, y) > DEPENDENT * draft->largest)
            return false;
    return true;
}

// Takes the candidate in if six rows still do.
static bool join(Draft *draft, int candidate)
{
    double largest = draft->largest;
    draft->member[draft->count++] = candidate;
    for (int i = 3 * candidate; i < 3 * candidate + 3; i++)
        draft->largest = fmax(draft->largest, draft->S[i][i]);
    if (depends(draft, candidate) || choose_pivots(draft))
        return true;
    draft->count--;
    draft->largest = largest;
    choose_pivots(draft);
    return false;
}

// --- groups -------------------------------------------------------------------------------------

// P of a row: its S_row,pivots S_pivots^-1
static void interpolate(const Draft *draft, int row, double *P)
{
    double y[ROWS];
    for (int k = 0; k < draft->rank; k++)
        if (draft->pivot[k] == row) { // exactly
            P[k] = 1;
            return;
        }
    project(draft, row, y);
    for (int k = draft->rank - 1; k >= 0; k--) {
        for (int j = k + 1; j < draft->rank; j++)
            y[k] -= draft->L[j][k] * y[j];
        y[k] /= draft->L[k][k];
    }
    memcpy(P, y, (size_t)draft->rank * sizeof(double));
}

static void close_group(PerpContactGroups *groups, const Draft *draft)
{
    int g = groups->n++, *end = &groups->first[g + 1];
    *end = groups->first[g];
    for (int k = 0; k < ROWS; k++) {
        int row = k < draft->rank ? draft->pivot[k] : -1;
        groups->row[ROWS * g + k] = row < 0 ? -1 : 3 * draft->constraint[row / 3] + row % 3;
    }
    for (int i = 0; i < draft->count; i++) {
        int c = draft->constraint[draft->member[i]];
        groups->member[(*end)++] = c;
        groups->of_constraint[c] = g;
        for (int k = 0; k < 3; k++)
            interpolate(draft, 3 * draft->member[i] + k, groups->P + 18 * c + ROWS * k);
    }
}

// Constraints that are alike, in their order; those that do not fit wait for the next draft.
static void divide(const PerpConeProblem *cones, PerpContactGroups *groups, Draft *draft,
                   Mark *marks, int count)
{
    while (count > 0) {
        int left = 0;
        begin_draft(cones, draft, marks, count);
        for (int k = 0; k < count; k++)
            if (k >= draft->candidates || !join(draft, k))
                marks[left++] = marks[k];
        close_group(groups, draft);
        count = left;
    }
}

static void find_members(const PerpConeProblem *cones, PerpContactGroups *groups, Draft *draft,
                         Mark *marks)
{
    mark_constraints(cones, marks);
    for (int first = 0, end; first < cones->n_constraints; first = end) {
        for (end = first + 1; end < cones->n_constraints && marks[end].sum == marks[first].sum;)
            end++;
        divide(cones, groups, draft, marks + first, end - first);
    }
}

// --- the blocks between groups ------------------------------------------------------------------

// Blocks of group g: those of the constraints that its rows belong to.
static void fill_row(const PerpConeProblem *cones, PerpContactGroups *groups, int g, int *at)
{
    int end = groups->start[g];
    groups->column[end] = g;
    at[g] = end++;
    for (int k = 0; k < ROWS && groups->row[ROWS * g + k] >= 0; k++) {
        int row = groups->row[ROWS * g + k], c = row / 3;
        for (int e = cones->explicit_W.rows.start[c]; e < cones->explicit_W.rows.start[c + 1];
             e++) {
            int other = cones->explicit_W.rows.column[e], h = groups->of_constraint[other];
            if (at[h] < 0) {
                groups->column[end] = h;
                at[h] = end++;
            }
            for (int j = 0; j < ROWS && groups->row[ROWS * h + j] >= 0; j++)
                if (groups->row[ROWS * h + j] / 3 == other)
                    groups->W[BLOCK * at[h] + ROWS * k + j] =
                        cones->explicit_W.rows
                            .W[9 * e + 3 * (row % 3) + groups->row[ROWS * h + j] % 3];
        }
    }
    groups->start[g + 1] = end;
    for (int e = groups->start[g]; e < end; e++)
        at[groups->column[e]] = -1;
}

// seen: of the groups, -1
static int count_blocks(const PerpConeProblem *cones, const PerpContactGroups *groups, int *seen)
{
    int blocks = 0;
    for (int g = 0; g < groups->n; g++) {
        seen[g] = g;
        blocks++;
        for (int k = 0; k < ROWS && groups->row[ROWS * g + k] >= 0; k++) {
            int c = groups->row[ROWS * g + k] / 3;
            for (int e = cones->explicit_W.rows.start[c]; e < cones->explicit_W.rows.start[c + 1];
                 e++) {
                int h = groups->of_constraint[cones->explicit_W.rows.column[e]];
                blocks += seen[h] != g;
                seen[h] = g;
            }
        }
    }
    return blocks;
}

static bool analyse(PerpConeProblem *cones, PerpContactGroups *groups)
{
    PerpArena *arena = cones->arena;
    int blocks = groups->start[groups->n], pairs = 0;
    int *i = PERP_TAKE(arena, int, blocks), *j = PERP_TAKE(arena, int, blocks);
    groups->place = PERP_TAKE(arena, PerpBlockPlace, blocks);
    if (!i || !j || !groups->place)
        return false;
    for (int g = 0; g < groups->n; g++)
        for (int e = groups->start[g] + 1; e < groups->start[g + 1]; e++) {
            i[pairs] = g;
            j[pairs++] = groups->column[e];
        }
    if (!perp_block_lu_analyse(arena, groups->n, ROWS, pairs, i, j, &cones->newton.lu))
        return false;
    for (int g = 0; g < groups->n; g++)
        for (int e = groups->start[g]; e < groups->start[g + 1]; e++)
            groups->place[e].block = perp_block_lu_block(&cones->newton.lu, g, groups->column[e],
                                                         &groups->place[e].transposed);
    return true;
}

static bool join_groups(PerpConeProblem *cones, PerpContactGroups *groups)
{
    PerpArena *arena = cones->arena;
    int *at = PERP_TAKE(arena, int, groups->n);
    if (!at)
        return false;
    memset(at, -1, (size_t)groups->n * sizeof(int));
    int blocks = count_blocks(cones, groups, at);
    groups->start = PERP_TAKE(arena, int, groups->n + 1);
    groups->column = PERP_TAKE(arena, int, blocks);
    groups->W = PERP_TAKE(arena, double, BLOCK *(size_t)blocks);
    groups->K = PERP_TAKE(arena, double, BLOCK *(size_t)groups->n);
    groups->w = PERP_TAKE(arena, double, ROWS * groups->n);
    if (!groups->start || !groups->column || !groups->W || !groups->K || !groups->w)
        return false;
    memset(at, -1, (size_t)groups->n * sizeof(int));
    for (int g = 0; g < groups->n; g++)
        fill_row(cones, groups, g, at);
    return analyse(cones, groups);
}

bool perp_contact_groups_find(PerpConeProblem *cones)
{
    PerpArena *arena = cones->arena;
    int n = cones->n_constraints;
    PerpContactGroups *groups = PERP_TAKE(arena, PerpContactGroups, 1);
    Mark *marks = PERP_TAKE(arena, Mark, n);
    Draft *draft = PERP_TAKE(arena, Draft, 1);
    if (!groups || !marks || !draft)
        return false;
    draft->place = PERP_TAKE(arena, int, n);
    groups->first = PERP_TAKE(arena, int, n + 1);
    groups->member = PERP_TAKE(arena, int, n);
    groups->of_constraint = PERP_TAKE(arena, int, n);
    groups->row = PERP_TAKE(arena, int, ROWS *n);
    groups->P = PERP_TAKE(arena, double, 18 * n);
    if (!draft->place || !groups->first || !groups->member || !groups->of_constraint ||
        !groups->row || !groups->P)
        return false;
    memset(draft->place, -1, (size_t)n * sizeof(int));
    find_members(cones, groups, draft, marks);
    if (groups->n > WORTH * n)
        return true;
    cones->explicit_W.groups = groups;
    return join_groups(cones, groups);
}

// --- the matrix ---------------------------------------------------------------------------------

// K += P'C P of a constraint
static void add_response(const double *C, const double *P, double *K)
{
    double CP[18];
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < ROWS; j++)
            CP[ROWS * i + j] =
                C[3 * i] * P[j] + C[3 * i + 1] * P[ROWS + j] + C[3 * i + 2] * P[2 * ROWS + j];
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < ROWS; j++)
            K[ROWS * i + j] +=
                P[i] * CP[j] + P[ROWS + i] * CP[ROWS + j] + P[2 * ROWS + i] * CP[2 * ROWS + j];
}

// place = W K, by columns with `pad` between them
static void put_product(int pad, const double *W, const double *K, PerpBlockPlace place)
{
    int down = place.transposed ? pad : 1, right = place.transposed ? 1 : pad;
    for (int i = 0; i < ROWS; i++) {
        double sum[ROWS] = {0};
        for (int k = 0; k < ROWS; k++)
            for (int j = 0; j < ROWS; j++)
                sum[j] += W[ROWS * i + k] * K[ROWS * k + j];
        for (int j = 0; j < ROWS; j++)
            place.block[down * i + right * j] = sum[j];
    }
}

bool perp_contact_groups_factor(PerpConeProblem *cones)
{
    PerpContactGroups *groups = cones->explicit_W.groups;
    int pad = cones->newton.lu.pad;
    memset(groups->K, 0, BLOCK * (size_t)groups->n * sizeof(double));
    for (int c = 0; c < cones->n_constraints; c++)
        add_response(cones->newton.C + 9 * c, groups->P + 18 * c,
                     groups->K + BLOCK * groups->of_constraint[c]);
    perp_block_lu_clear(&cones->newton.lu);
    for (int g = 0; g < groups->n; g++) {
        for (int e = groups->start[g]; e < groups->start[g + 1]; e++)
            put_product(pad, groups->W + BLOCK * e, groups->K + BLOCK * groups->column[e],
                        groups->place[e]);
        for (int i = 0; i < ROWS; i++)
            groups->place[groups->start[g]].block[pad * i + i] += 1;
    }
    return perp_block_lu_factor(&cones->newton.lu);
}

// x = P'e
static void gather(const PerpConeProblem *cones, const double *e, double *x)
{
    const PerpContactGroups *groups = cones->explicit_W.groups;
    memset(x, 0, (size_t)(ROWS * groups->n) * sizeof(double));
    for (int c = 0; c < cones->n_constraints; c++)
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < ROWS; k++)
                x[ROWS * groups->of_constraint[c] + k] +=
                    groups->P[18 * c + ROWS * i + k] * e[3 * c + i];
}

void perp_contact_groups_solve(PerpConeProblem *cones, double *e)
{
    PerpContactGroups *groups = cones->explicit_W.groups;
    double *x = groups->K, *w = groups->w; // K has done its duty
    gather(cones, e, x);
    for (int g = 0; g < groups->n; g++) {
        double sum[ROWS] = {0};
        for (int b = groups->start[g]; b < groups->start[g + 1]; b++)
            for (int i = 0; i < ROWS; i++)
                for (int k = 0; k < ROWS; k++)
                    sum[i] += groups->W[BLOCK * b + ROWS * i + k] * x[ROWS * groups->column[b] + k];
        memcpy(w + ROWS * g, sum, sizeof sum);
    }
    perp_block_lu_solve(&cones->newton.lu, w);
    for (int c = 0; c < cones->n_constraints; c++) {
        double moved[3] = {0};
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < ROWS; k++)
                moved[i] +=
                    groups->P[18 * c + ROWS * i + k] * w[ROWS * groups->of_constraint[c] + k];
        for (int i = 0; i < 3; i++) {
            const double *C = cones->newton.C + 9 * c + 3 * i;
            e[3 * c + i] -= C[0] * moved[0] + C[1] * moved[1] + C[2] * moved[2];
        }
    }
}
