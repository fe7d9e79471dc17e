#include "cones/operator/explicit.h"

#include "cones/cone.h"
#include "cones/operator/contact_groups.h"
#include "cones/operator/delassus.h"

#include <math.h>
#include <string.h>

enum { REFINEMENTS = 1 };

// --- products -----------------------------------------------------------------------------------

// w = W r
static void weigh(const PerpConeProblem *cones, const double *r, double *w)
{
    const PerpDelassusRows *rows = &cones->explicit_W.rows;
    for (int c = 0; c < cones->n_constraints; c++) {
        double sum[3] = {0};
        for (int e = rows->start[c]; e < rows->start[c + 1]; e++) {
            const double *W = rows->W + 9 * e, *x = r + 3 * rows->column[e];
            for (int i = 0; i < 3; i++)
                sum[i] += W[3 * i] * x[0] + W[3 * i + 1] * x[1] + W[3 * i + 2] * x[2];
        }
        memcpy(w + 3 * c, sum, sizeof sum);
    }
}

static void speeds(const PerpConeProblem *cones, const double *v, double *u)
{
    for (int c = 0; c < cones->n_constraints; c++)
        for (int i = 0; i < 3; i++)
            u[3 * c + i] = v[3 * c + i] + cones->constraint[c].d[i];
}

// --- the matrix ---------------------------------------------------------------------------------

static bool analyse_constraints(PerpConeProblem *cones)
{
    const PerpDelassusRows *rows = &cones->explicit_W.rows;
    PerpArena *arena = cones->arena;
    int blocks = rows->start[cones->n_constraints], pairs = 0;
    int *i = PERP_TAKE(arena, int, blocks), *j = PERP_TAKE(arena, int, blocks);
    cones->explicit_W.place = PERP_TAKE(arena, PerpBlockPlace, blocks);
    if (!i || !j || !cones->explicit_W.place)
        return false;
    for (int c = 0; c < cones->n_constraints; c++)
        for (int e = rows->start[c] + 1; e < rows->start[c + 1]; e++) {
            i[pairs] = c;
            j[pairs++] = rows->column[e];
        }
    if (!perp_block_lu_analyse(arena, cones->n_constraints, 3, pairs, i, j, &cones->newton.lu))
        return false;
    for (int c = 0; c < cones->n_constraints; c++)
        for (int e = rows->start[c]; e < rows->start[c + 1]; e++) {
            PerpBlockPlace *place = &cones->explicit_W.place[e];
            place->block =
                perp_block_lu_block(&cones->newton.lu, c, rows->column[e], &place->transposed);
        }
    return true;
}

static bool analyse(PerpConeProblem *cones)
{
    return perp_contact_groups_find(cones) &&
           (cones->explicit_W.groups || analyse_constraints(cones));
}

// place += C W
static void add_product(int pad, const double *C, const double *W, PerpBlockPlace place)
{
    int down = place.transposed ? pad : 1, right = place.transposed ? 1 : pad;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            place.block[down * i + right * j] +=
                C[3 * i] * W[j] + C[3 * i + 1] * W[3 + j] + C[3 * i + 2] * W[6 + j];
}

static bool factor(PerpConeProblem *cones)
{
    const PerpDelassusRows *rows = &cones->explicit_W.rows;
    if (!perp_delassus_analyse(cones))
        return false;
    if (cones->explicit_W.groups)
        return perp_contact_groups_factor(cones);
    int pad = cones->newton.lu.pad;
    perp_block_lu_clear(&cones->newton.lu);
    for (int c = 0; c < cones->n_constraints; c++) {
        double *diagonal = cones->explicit_W.place[rows->start[c]].block;
        for (int i = 0; i < 3; i++)
            diagonal[pad * i + i] = 1;
        for (int e = rows->start[c]; e < rows->start[c + 1]; e++)
            add_product(pad, cones->newton.C + 9 * c, rows->W + 9 * e, cones->explicit_W.place[e]);
    }
    return perp_block_lu_factor(&cones->newton.lu);
}

// (1 + C W) dr = g, refined
static void solve(PerpConeProblem *cones, const double *g, double *dr)
{
    int numbers = 3 * cones->n_constraints;
    double *e = cones->newton.e, *w = cones->newton.w;
    memcpy(e, g, (size_t)numbers * sizeof(double));
    memset(dr, 0, (size_t)numbers * sizeof(double));
    for (int pass = 0; pass <= REFINEMENTS; pass++) {
        if (cones->explicit_W.groups)
            perp_contact_groups_solve(cones, e);
        else
            perp_block_lu_solve(&cones->newton.lu, e);
        for (int i = 0; i < numbers; i++)
            dr[i] += e[i];
        if (pass == REFINEMENTS)
            break;
        weigh(cones, dr, w); // what is left: e = g - dr - C W dr
        for (int c = 0; c < cones->n_constraints; c++)
            for (int i = 0; i < 3; i++) {
                const double *C = cones->newton.C + 9 * c + 3 * i, *w_c = w + 3 * c;
                e[3 * c + i] =
                    g[3 * c + i] - dr[3 * c + i] - (C[0] * w_c[0] + C[1] * w_c[1] + C[2] * w_c[2]);
            }
    }
}

static void add_block(const PerpConeProblem *cones, int c, double *A)
{
    const double *W = cones->explicit_W.rows.W + 9 * cones->explicit_W.rows.start[c];
    for (int i = 0; i < 9; i++)
        A[i] += W[i];
}

const PerpDelassus perp_delassus_explicit = {.name = "explicit",
                                             .analyse = analyse,
                                             .factor = factor,
                                             .solve = solve,
                                             .velocity = weigh,
                                             .speeds = speeds,
                                             .block = add_block};

// --- constraints ---------------------------------------------------------------------------------

static int rows_of(const PerpContactProblem *p, int unit)
{
    return unit < p->contacts ? p->dimension : 1;
}

static void begin_constraint(const PerpContactProblem *p, int unit, PerpConstraint *constraint)
{
    bool contact = unit < p->contacts;
    int first = contact ? unit * p->dimension : p->contacts * p->dimension + unit - p->contacts;
    *constraint = (PerpConstraint){.cone = contact ? &perp_cone_second_order : &perp_cone_bilateral,
                                   .row = {-1, -1, -1},
                                   .group = contact ? unit : -1};
    for (int k = 0; k < rows_of(p, unit); k++)
        constraint->row[k] = first + k;
}

static int unit_of_row(const PerpContactProblem *p, int row)
{
    int contact_rows = p->contacts * p->dimension;
    if (row >= contact_rows)
        return p->contacts + row - contact_rows;
    return p->dimension == 3 ? row / 3 : row / 2; // by constants, as this is asked often
}

// The blocks of constraint c, the diagonal one first. at: of each unit the block of this
// constraint, -1 else.
static void fill_row(const PerpContactProblem *p, const PerpContactIsland *part,
                     PerpConeProblem *cones, int c, int *at)
{
    PerpDelassusRows *rows = &cones->explicit_W.rows;
    const PerpConstraint *constraint = &cones->constraint[c];
    int end = rows->start[c];
    rows->column[end] = c;
    at[part->unit[c]] = end++;
    for (int k = 0; k < 3 && constraint->row[k] >= 0; k++)
        for (int e = p->start[constraint->row[k]]; e < p->start[constraint->row[k] + 1]; e++) {
            int unit = unit_of_row(p, p->column[e]), other = part->constraint_of_unit[unit];
            if (p->x[e] == 0)
                continue;
            if (at[unit] < 0) {
                rows->column[end] = other;
                at[unit] = end++;
            }
            int place = p->column[e] - cones->constraint[other].row[0];
            rows->W[9 * at[unit] + 3 * k + place] += p->x[e];
        }
    rows->start[c + 1] = end;
    for (int e = rows->start[c]; e < end; e++)
        at[part->unit[rows->column[e]]] = -1;
}

// Cones right circular, then the mean of the diagonal of each constraint 1.
static void scale_constraint(const PerpContactProblem *p, PerpConeProblem *cones, int c)
{
    PerpConstraint *constraint = &cones->constraint[c];
    const double *W = cones->explicit_W.rows.W + 9 * cones->explicit_W.rows.start[c];
    double mu = constraint->group < 0 ? 0 : p->mu[constraint->group],
           trace = W[0] + mu * mu * (W[4] + W[8]);
    int count = 1 + (constraint->row[1] >= 0) + (constraint->row[2] >= 0);
    double scale = trace > 0 ? sqrt(count / trace) : 1;
    for (int k = 0; k < 3; k++) {
        constraint->scale[k] = constraint->row[k] < 0 ? 0 : k == 0 ? scale : mu * scale;
        constraint->d[k] =
            constraint->row[k] < 0 ? 0 : constraint->scale[k] * p->q[constraint->row[k]];
    }
}

static void scale_blocks(PerpConeProblem *cones)
{
    for (int c = 0; c < cones->n_constraints; c++)
        for (int e = cones->explicit_W.rows.start[c]; e < cones->explicit_W.rows.start[c + 1];
             e++) {
            const double *down = cones->constraint[c].scale;
            const double *right = cones->constraint[cones->explicit_W.rows.column[e]].scale;
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 3; j++)
                    cones->explicit_W.rows.W[9 * e + 3 * i + j] *= down[i] * right[j];
        }
}

// The law is broken by at most 1 without impulses.
static void normalise(PerpConeProblem *cones)
{
    double *u = cones->newton.e, *none = cones->newton.w;
    for (int c = 0; c < cones->n_constraints; c++)
        memcpy(u + 3 * c, cones->constraint[c].d, 3 * sizeof(double));
    cones->speed = perp_cones_residual(cones, none, u);
    cones->zero_residual = cones->speed > 0;
    if (!(cones->speed > 0 && isfinite(cones->speed)))
        cones->speed = 1;
    for (int c = 0; c < cones->n_constraints; c++)
        for (int k = 0; k < 3; k++)
            cones->constraint[c].d[k] /= cones->speed;
}

// Blocks of all constraints; seen: of all units, -1 before and after.
static int count_blocks(const PerpContactProblem *p, const PerpContactIsland *part,
                        const PerpConeProblem *cones, int *seen)
{
    int blocks = 0;
    for (int c = 0; c < cones->n_constraints; c++) {
        const PerpConstraint *constraint = &cones->constraint[c];
        seen[part->unit[c]] = c;
        blocks++;
        for (int k = 0; k < 3 && constraint->row[k] >= 0; k++)
            for (int e = p->start[constraint->row[k]]; e < p->start[constraint->row[k] + 1]; e++) {
                int unit = unit_of_row(p, p->column[e]);
                if (p->x[e] != 0 && seen[unit] != c) {
                    seen[unit] = c;
                    blocks++;
                }
            }
    }
    for (int c = 0; c < cones->n_constraints; c++)
        seen[part->unit[c]] = -1;
    return blocks;
}

bool perp_cones_build_explicit(PerpArena *arena, const PerpContactProblem *p,
                               const PerpContactIsland *part, PerpConeProblem *cones)
{
    int n = part->count;
    *cones = (PerpConeProblem){.delassus = &perp_delassus_explicit,
                               .n_constraints = n,
                               .n_state = 3 * n,
                               .arena = arena,
                               .shift = 1};
    cones->constraint = PERP_TAKE(arena, PerpConstraint, n);
    if (!cones->constraint)
        return false;
    for (int c = 0; c < n; c++)
        begin_constraint(p, part->unit[c], &cones->constraint[c]);
    perp_cones_count_inequalities(cones);
    int blocks = count_blocks(p, part, cones, part->scratch);
    cones->explicit_W.rows.start = PERP_TAKE(arena, int, n + 1);
    cones->explicit_W.rows.column = PERP_TAKE(arena, int, blocks);
    cones->explicit_W.rows.W = PERP_TAKE(arena, double, 9 * (size_t)blocks);
    cones->newton.C = PERP_TAKE(arena, double, 9 * n);
    cones->newton.e = PERP_TAKE(arena, double, 3 * n);
    cones->newton.w = PERP_TAKE(arena, double, 3 * n);
    if (!cones->explicit_W.rows.start || !cones->explicit_W.rows.column ||
        !cones->explicit_W.rows.W || !cones->newton.C || !cones->newton.e || !cones->newton.w)
        return false;
    for (int c = 0; c < n; c++)
        fill_row(p, part, cones, c, part->scratch);
    for (int c = 0; c < n; c++)
        scale_constraint(p, cones, c);
    scale_blocks(cones);
    normalise(cones);
    return true;
}
