#include "base/compiler.h"
#include "lcp/round_bodies.h"
#include "lcp/round_cells.h"

#include <math.h>
#include <string.h>

// --- masses and entries -------------------------------------------------------------------------

static int body_size(const PerpProblem *p)
{
    for (int k = 0; k < p->n_bodies; k++)
        if (p->body_start[k + 1] - p->body_start[k] > 3)
            return 6;
    return 3;
}

// A^-1 of an n x n block, by columns, by Gauss-Jordan: positive definite, no exchanges needed
static void invert(double *A, int n, bool diagonal)
{
    for (int k = 0; k < n && diagonal; k++)
        A[k + n * k] = 1 / A[k + n * k];
    for (int k = 0; k < n && !diagonal; k++) {
        double pivot = A[k + n * k];
        A[k + n * k] = 1;
        for (int j = 0; j < n; j++)
            A[k + n * j] /= pivot;
        for (int i = 0; i < n; i++) {
            double factor = A[i + n * k];
            if (i == k || factor == 0) // blocks are mostly zeros
                continue;
            A[i + n * k] = 0;
            for (int j = 0; j < n; j++)
                A[i + n * j] -= factor * A[k + n * j];
        }
    }
}

PERP_KERNEL_PART void multiply_sized(const double *A, int n, const double *x, double *y)
{
    for (int i = 0; i < n; i++)
        y[i] = 0;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            y[i] += A[i + n * j] * x[j];
}

// y = A x, for the two sizes that there are
PERP_KERNEL_PART void multiply(const double *A, int n, const double *x, double *y)
{
    if (n == 6)
        multiply_sized(A, 6, x, y);
    else
        multiply_sized(A, 3, x, y);
}

// A body's block of s x s numbers, filled up with ones.
static void fill_mass(int s, int n, const double *Mt, double *M)
{
    if (n == s)
        memcpy(M, Mt, (size_t)(s * s) * sizeof(double));
    for (int j = 0; j < s && n < s; j++)
        for (int i = 0; i < s; i++)
            M[i + s * j] = i < n && j < n ? Mt[i + n * j] : i == j;
}

// Between two numbers of the diagonal there are s others.
static bool is_diagonal(int s, const double *M)
{
    for (int k = 0; k < s * s - 1; k += s + 1)
        for (int i = 1; i <= s; i++)
            if (M[k + i] != 0)
                return false;
    return true;
}

static void fill_masses(PerpRound *round)
{
    const PerpProblem *p = round->p;
    const double *Mt = p->Mt;
    int s = round->size;
    for (int k = 0; k < p->n_bodies; k++) {
        int first = p->body_start[k], n = p->body_start[k + 1] - first;
        double *M = round->mass + s * s * k, right[6] = {0};
        fill_mass(s, n, Mt, M);
        bool diagonal = is_diagonal(s, M);
        round->diagonal = round->diagonal && diagonal;
        memcpy(round->inverse + s * s * k, M, (size_t)(s * s) * sizeof(double));
        invert(round->inverse + s * s * k, s, diagonal);
        memcpy(right, p->b + first, (size_t)n * sizeof(double));
        multiply(round->inverse + s * s * k, s, right, round->free + s * k);
        Mt += n * n;
    }
}

// What perp_round_bodies_weigh needs.
static bool widen_inverse(PerpRound *round)
{
    int n = round->p->n_bodies, s = round->size, pad = round->pad;
    size_t block = (size_t)(round->diagonal ? pad : s * pad);
    double *wide = PERP_TAKE(round->arena, double, block *(size_t)n);
    round->wide_inverse = wide;
    for (int k = 0; wide && k < n; k++, wide += block)
        for (int j = 0; j < s; j++) {
            const double *column = round->inverse + s * (s * k + j);
            if (round->diagonal)
                wide[j] = column[j];
            else
                perp_copy_row(s, column, wide + pad * j);
        }
    return round->wide_inverse;
}

// The entry of a body in a cell; the end if it has none.
static int entry_of(const PerpRound *round, const PerpCell *cell, int body)
{
    int e = cell->first;
    while (e < cell->end && round->entry_body[e] != body)
        e++;
    return e;
}

// The bodies of each cell, of all its rows.
static void list_entries(PerpRound *round)
{
    const PerpProblem *p = round->p;
    for (int c = 0; c < round->n_cells; c++) {
        PerpCell *cell = &round->cell[c];
        cell->first = cell->end = round->entries;
        for (int k = 0; k < 3; k++) {
            int first = cell->row[k] < 0 ? 0 : p->row_start[cell->row[k]];
            int end = cell->row[k] < 0 ? 0 : p->row_start[cell->row[k] + 1];
            for (int e = first; e < end; e++)
                if (entry_of(round, cell, p->entry_body[e]) == cell->end)
                    round->entry_body[cell->end++] = p->entry_body[e];
        }
        round->entries = cell->end;
    }
}

static void fill_entries(PerpRound *round, const int *value)
{
    const PerpProblem *p = round->p;
    for (int c = 0; c < round->n_cells; c++) {
        const PerpCell *cell = &round->cell[c];
        for (int k = 0; k < 3; k++) {
            int row = cell->row[k];
            const double *J = row < 0 ? NULL : p->J + value[row];
            for (int e = row < 0 ? 0 : p->row_start[row]; row >= 0 && e < p->row_start[row + 1];
                 e++) {
                int body = p->entry_body[e], n = p->body_start[body + 1] - p->body_start[body];
                perp_copy_row(n, J, perp_round_row(round, entry_of(round, cell, body), k));
                J += n;
            }
        }
    }
}

// --- scaling ------------------------------------------------------------------------------------

// Scaling, with the numbers of a body known to the compiler.
typedef struct Scaling {
    PerpRound *round;
    int s, pad; // of the round
} Scaling;

// J M^-1 J' of row k of the cell, scaled as it is
PERP_KERNEL_PART double inverse_mass(Scaling at, const PerpCell *cell, int k)
{
    double sum = 0, y[8];
    const PerpRound *round = at.round;
    for (int e = cell->first; e < cell->end; e++) {
        const double *J = round->wide_J + at.pad * (3 * (size_t)e + (size_t)k);
        size_t body = (size_t)round->entry_body[e];
        if (round->diagonal)
            for (int i = 0; i < at.pad; i++)
                y[i] = round->wide_inverse[(size_t)at.pad * body + (size_t)i] * J[i];
        else
            multiply_sized(round->inverse + (size_t)(at.s * at.s) * body, at.s, J, y);
        for (int i = 0; i < at.s; i++)
            sum += J[i] * y[i];
    }
    return sum;
}

PERP_KERNEL_PART void scale_row(Scaling at, PerpCell *cell, int k, double scale)
{
    cell->scale[k] = scale;
    for (int e = cell->first; e < cell->end; e++) {
        double *J = at.round->wide_J + at.pad * (3 * (size_t)e + (size_t)k);
        for (int i = 0; i < at.pad; i++)
            J[i] *= scale;
    }
}

static double scale_to(double inverse_mass)
{
    return inverse_mass > 0 ? sqrt(1 / inverse_mass) : 1;
}

// With friction, so that cones are right circular, and all rows alike; those of joints each by
// itself.
PERP_KERNEL_PART void scale_cell(Scaling at, PerpCell *cell)
{
    bool joint = cell->kind == PERP_CELL_JOINT;
    double mu = joint ? 1 : cell->group < 0 ? 0 : at.round->p->mu[cell->group], mass[3], sum = 0;
    int rows = 1 + (cell->row[1] >= 0) + (cell->row[2] >= 0);
    for (int k = 0; k < 3; k++) {
        mass[k] = inverse_mass(at, cell, k);
        sum += k > 0 ? mu * mu * mass[k] : mass[k];
    }
    double common = scale_to(sum / rows);
    for (int k = 0; k < 3; k++)
        scale_row(at, cell, k, joint ? scale_to(mass[k]) : k > 0 ? mu * common : common);
}

// The rows first .. end - 1 of a mate, which are one group: to inverse mass 1. The cone comes
// before its mate.
PERP_KERNEL_PART void scale_group(Scaling at, PerpCell *mate, int group, int first, int end,
                                  double *slope)
{
    PerpRound *round = at.round;
    const PerpCell *cone = mate - 1;
    double sum = 0;
    if (group < 0)
        return;
    for (int k = first; k < end; k++)
        sum += inverse_mass(at, mate, k);
    double scale = sum > 0 ? sqrt((end - first) / sum) : 1;
    for (int k = first; k < end; k++)
        scale_row(at, mate, k, scale);
    *slope = round->p->mu[group] * cone->scale[0] / scale;
    int k = group == mate->group ? 0 : 1;
    perp_facets_scale(mate->facets[k], *slope, round->facet + mate->facet[k]);
}

PERP_KERNEL_PART void scale_all(Scaling at)
{
    const PerpProblem *p = at.round->p;
    for (int c = 0; c < at.round->n_cells; c++) {
        PerpCell *cell = &at.round->cell[c];
        cell->scale[0] = cell->scale[1] = cell->scale[2] = 1;
        if (cell->kind == PERP_CELL_MATE) {
            int end = cell->split + 2 < 3 ? cell->split + 2 : 3;
            scale_group(at, cell, cell->group, 0, cell->split, &cell->slope[0]);
            scale_group(at, cell, cell->other, cell->split, end, &cell->slope[1]);
        } else {
            scale_cell(at, cell);
        }
        for (int k = 0; k < 3; k++)
            cell->d[k] = cell->row[k] < 0 ? 0 : cell->scale[k] * p->d[cell->row[k]];
        cell->lo /= cell->scale[0];
        cell->hi /= cell->scale[0];
        cell->floor /= cell->scale[0];
    }
}

PERP_VECTOR_KERNEL static void scale_cells(PerpRound *round)
{
    if (round->size == 6)
        scale_all((Scaling){round, 6, 8});
    else
        scale_all((Scaling){round, 3, 4});
}

// Of the largest |v_f|_M of a body: what free motion breaks less of the law is rounding, as when
// joined bodies fall together.
static const double ROUNDING = 1e-9;

static double fastest_body(const PerpRound *round)
{
    const PerpProblem *p = round->p;
    double fastest = 0;
    for (int k = 0; k < p->n_bodies; k++) {
        double square = 0;
        for (int i = p->body_start[k]; i < p->body_start[k + 1]; i++)
            square += p->b[i] * round->free[round->size * k + i - p->body_start[k]];
        fastest = square > fastest ? square : fastest;
    }
    return sqrt(fastest);
}

// Numbers at a floor stand for no impulse: what they would move is taken from free motion.
static void count_floors(PerpRound *round, double *r)
{
    for (int c = 0; c < round->n_cells; c++)
        r[3 * c] = -round->cell[c].floor;
    perp_round_velocity(round, r, round->free);
    for (int c = 0; c < round->n_cells; c++)
        r[3 * c] = round->cell[c].floor;
}

// The law is broken by at most 1 without impulses: contacts that stay open have no say in it.
static bool normalise(PerpArena *arena, PerpRound *round)
{
    int bodies = round->p->n_bodies * round->size;
    PerpArenaMark mark = perp_arena_mark(arena);
    double *u = PERP_TAKE(arena, double, 6 * round->n_cells), *none = u + 3 * round->n_cells;
    if (!u)
        return false;
    perp_round_speeds(round, round->free, u);
    double rounding = ROUNDING * fastest_body(round);
    if (round->wide)
        count_floors(round, none);
    round->speed = fmax(perp_round_residual(round, none, u), rounding);
    round->idle = round->speed > 0;
    if (!(round->speed > 0 && isfinite(round->speed)))
        round->speed = 1;
    perp_arena_release(arena, mark);
    for (int i = 0; i < bodies; i++)
        round->free[i] /= round->speed;
    for (int c = 0; c < round->n_cells; c++) {
        PerpCell *cell = &round->cell[c];
        for (int k = 0; k < 3; k++)
            cell->d[k] /= round->speed;
        cell->lo /= round->speed;
        cell->hi /= round->speed;
        cell->floor /= round->speed;
    }
    return true;
}

// --- all together -------------------------------------------------------------------------------

bool perp_round_build(PerpArena *arena, const PerpProblem *p, PerpRound *round)
{
    return perp_round_build_kept(arena, NULL, p, round) && perp_round_analyse(round);
}

// Friction groups behind the first of their contact: at most that many cells are mates.
static int count_further_groups(const PerpProblem *p)
{
    int count = 0;
    for (int g = 1; g < p->n_groups; g++)
        count += p->group_contact[g] == p->group_contact[g - 1];
    return count;
}

static int count_polygon_directions(const PerpProblem *p)
{
    int count = p->n_directions;
    for (int g = 0; g < p->n_groups && p->group_round; g++)
        count -= p->group_round[g] ? p->group_start[g + 1] - p->group_start[g] : 0;
    return count;
}

// Cells, their bodies and rows, each as large as the one before says.
static bool take_cells(PerpRound *round, const int *value)
{
    const PerpProblem *p = round->p;
    PerpArena *arena = round->arena;
    int most = p->n_joints + p->n_boxes + p->n_contacts + count_further_groups(p);
    round->cell = PERP_TAKE_RAW(arena, PerpCell, most);
    round->facet = PERP_TAKE_RAW(arena, PerpFacet, count_polygon_directions(p));
    round->entry_body = PERP_TAKE_RAW(arena, int, p->row_start[perp_problem_rows(p)]);
    if (!round->cell || !round->facet || !round->entry_body)
        return false;
    perp_round_list_cells(round, value);
    list_entries(round);
    round->wide_J = PERP_TAKE(arena, double, 3 * (size_t)round->pad * (size_t)round->entries);
    round->e = PERP_TAKE(arena, double, 3 * round->n_cells);
    if (!round->wide_J || !round->e)
        return false;
    fill_entries(round, value);
    return true;
}

bool perp_round_build_kept(PerpArena *arena, PerpRoundGraphs *kept, const PerpProblem *p,
                           PerpRound *round)
{
    int s = body_size(p);
    const int *value = perp_round_values(arena, p);
    size_t blocks = (size_t)(s * s * p->n_bodies);
    *round = (PerpRound){.p = p,
                         .arena = arena,
                         .kept = kept,
                         .kernels = perp_block_kernels(s),
                         .threads = 1,
                         .size = s,
                         .n_state = s * p->n_bodies,
                         .diagonal = true,
                         .shift = 1};
    round->pad = round->kernels->pad;
    round->mass = PERP_TAKE_RAW(arena, double, blocks);
    round->inverse = PERP_TAKE_RAW(arena, double, blocks);
    round->free = PERP_TAKE_RAW(arena, double, s * p->n_bodies);
    if (!value || !round->mass || !round->inverse || !round->free)
        return false;
    fill_masses(round);
    if (!widen_inverse(round) || !take_cells(round, value))
        return false;
    scale_cells(round);
    return perp_round_bodies_prepare(round) && normalise(arena, round);
}
