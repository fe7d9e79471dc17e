#include "lcp/round.h"

#include "lcp/round_bodies.h"
#include "lcp/round_local.h"
#include "lcp/round_wide.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

// --- cells --------------------------------------------------------------------------------------

// Do two rows have the same bodies?
static bool joins_same(const PerpProblem *p, int one, int other)
{
    int n = p->row_start[one + 1] - p->row_start[one];
    return n == p->row_start[other + 1] - p->row_start[other] &&
           memcmp(p->entry_body + p->row_start[one], p->entry_body + p->row_start[other],
                  (size_t)n * sizeof(int)) == 0;
}

// One past the last group of g's contact.
static int end_of_contact(const PerpProblem *p, int g)
{
    int end = g + 1;
    while (end < p->n_groups && p->group_contact[end] == p->group_contact[g])
        end++;
    return end;
}

// Normal impulse at which friction is what cohesion makes it at none.
static double pressed(const PerpProblem *p, int g)
{
    return p->cohesion[g] > 0 ? p->cohesion[g] / p->mu[g] : 0;
}

// Numbers of a row in J.
static int width_of(const PerpProblem *p, int row)
{
    int width = 0;
    for (int e = p->row_start[row]; e < p->row_start[row + 1]; e++)
        width += p->body_start[p->entry_body[e] + 1] - p->body_start[p->entry_body[e]];
    return width;
}

// The directions that stand for a group's: its own one or two if it is round, else two of the
// polygon's. J: of its rows. False if there are none.
static bool find_basis(const PerpProblem *p, int g, const double *J, int basis[2],
                       PerpFacet *facets)
{
    int first = p->n_joints + p->n_boxes + p->n_contacts + p->group_start[g];
    int n = p->group_start[g + 1] - p->group_start[g];
    if (p->group_round && p->group_round[g]) {
        basis[0] = 0;
        basis[1] = n == 2 ? 1 : -1;
        return true;
    }
    for (int k = 1; k < n; k++)
        if (!joins_same(p, first, first + k))
            return false;
    return perp_facets_find(n, width_of(p, first), J, p->d + first, basis, facets);
}

// Can the groups first .. end - 1 of a contact be a cone and its mate? J: of their rows.
static bool fits_cone(const PerpProblem *p, int first, int end, const double *J)
{
    static const double SAME = 1e-12;
    PerpFacet facets[PERP_MOST_FACETS];
    int normal = p->n_joints + p->n_boxes + p->group_contact[first], rows = 0;
    for (int g = first; g < end; g++) {
        double unlike = fabs(pressed(p, g) - pressed(p, first));
        int row = p->n_joints + p->n_boxes + p->n_contacts + p->group_start[g], basis[2];
        if (!(unlike <= SAME * pressed(p, first)) || !find_basis(p, g, J, basis, facets) ||
            (end > first + 1 && !joins_same(p, normal, row)))
            return false;
        rows += g == first ? 0 : basis[1] < 0 ? 1 : 2;
        for (; row < p->n_joints + p->n_boxes + p->n_contacts + p->group_start[g + 1]; row++)
            J += width_of(p, row);
    }
    return end - first <= PERP_WIDE_GROUPS && rows <= 3;
}

bool perp_round_fits(const PerpProblem *p)
{
    int last = -1, directions = p->n_joints + p->n_boxes + p->n_contacts; // last: contact
    const double *J = p->J;
    for (int k = 0; k < p->n_bodies; k++)
        if (p->body_start[k + 1] - p->body_start[k] > 6)
            return false;
    for (int row = 0; row < directions && p->n_groups > 0; row++)
        J += width_of(p, row);
    for (int g = 0, end; g < p->n_groups; g = end) {
        end = end_of_contact(p, g);
        if (p->group_contact[g] <= last || !fits_cone(p, g, end, J))
            return false;
        last = p->group_contact[g];
        for (int k = p->group_start[g]; k < p->group_start[end]; k++)
            J += width_of(p, directions + k);
    }
    return true;
}

static int body_size(const PerpProblem *p)
{
    for (int k = 0; k < p->n_bodies; k++)
        if (p->body_start[k + 1] - p->body_start[k] > 3)
            return 6;
    return 3;
}

// A^-1 of an n x n block, by columns, by Gauss-Jordan: positive definite, no exchanges needed
static void invert(double *A, int n)
{
    for (int k = 0; k < n; k++) {
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

// y = A x
static void multiply(const double *A, int n, const double *x, double *y)
{
    for (int i = 0; i < n; i++) {
        y[i] = 0;
        for (int j = 0; j < n; j++)
            y[i] += A[i + n * j] * x[j];
    }
}

static void fill_masses(PerpRound *round)
{
    const PerpProblem *p = round->p;
    const double *Mt = p->Mt;
    int s = round->size;
    for (int k = 0; k < p->n_bodies; k++) {
        int first = p->body_start[k], n = p->body_start[k + 1] - first;
        double *M = round->mass + s * s * k, right[6] = {0};
        for (int j = 0; j < s; j++)
            for (int i = 0; i < s; i++)
                M[i + s * j] = i < n && j < n ? Mt[i + n * j] : i == j;
        memcpy(round->inverse + s * s * k, M, (size_t)(s * s) * sizeof(double));
        invert(round->inverse + s * s * k, s);
        memcpy(right, p->b + first, (size_t)n * sizeof(double));
        multiply(round->inverse + s * s * k, s, right, round->free + s * k);
        Mt += n * n;
    }
}

static PerpCell *begin_cell(PerpRound *round, PerpCellKind kind)
{
    PerpCell *cell = &round->cell[round->n_cells++];
    *cell = (PerpCell){.kind = kind, .row = {-1, -1, -1}, .group = -1, .other = -1};
    return cell;
}

static void list_joints(PerpRound *round)
{
    const PerpProblem *p = round->p;
    for (int i = 0, k = 0; i < p->n_joints; i++) {
        k = i > 0 && k < 2 && joins_same(p, i - 1, i) ? k + 1 : 0;
        PerpCell *cell =
            k > 0 ? &round->cell[round->n_cells - 1] : begin_cell(round, PERP_CELL_JOINT);
        cell->row[k] = i;
    }
}

static void list_boxes(PerpRound *round)
{
    const PerpProblem *p = round->p;
    for (int i = 0; i < p->n_boxes; i++) {
        PerpCell *cell = begin_cell(round, PERP_CELL_BOX);
        cell->row[0] = p->n_joints + i;
        cell->lo = p->lo[i];
        cell->hi = p->hi[i];
    }
}

// A group becomes the k-th of the cell, its rows those from `at` on. Returns how many these are.
static int add_group(PerpRound *round, const int *value, int g, int at, int k, PerpCell *cell)
{
    const PerpProblem *p = round->p;
    int row = p->n_joints + p->n_boxes + p->n_contacts + p->group_start[g], basis[2];
    PerpFacet *facets = round->facet + round->n_facets;
    find_basis(p, g, p->J + value[row], basis, facets);
    bool polygon = !(p->group_round && p->group_round[g]) && basis[1] >= 0;
    if (polygon) {
        cell->facet[k] = round->n_facets;
        cell->facets[k] = p->group_start[g + 1] - p->group_start[g];
        round->n_facets += cell->facets[k];
        round->wide = true;
    }
    cell->row[at] = row + basis[0];
    if (basis[1] < 0)
        return 1;
    cell->row[at + 1] = row + basis[1];
    return 2;
}

// The cell of the groups first .. end - 1, which are one or two.
static void add_mate(PerpRound *round, const int *value, int first, int end)
{
    PerpCell *mate = begin_cell(round, PERP_CELL_MATE);
    mate->group = first;
    mate->split = add_group(round, value, first, 0, 0, mate);
    if (end > first + 1) {
        mate->other = first + 1;
        add_group(round, value, first + 1, mate->split, 1, mate);
    }
    round->n_pairs++;
    round->wide = true;
}

// Contacts with a mate, or those without.
static void list_contacts(PerpRound *round, const int *value, bool with_mate)
{
    const PerpProblem *p = round->p;
    for (int i = 0, g = 0; i < p->n_contacts; i++) {
        bool rubs = g < p->n_groups && p->group_contact[g] == i;
        int end = rubs ? end_of_contact(p, g) : g;
        if ((end > g + 1) == with_mate) {
            PerpCell *cell = begin_cell(round, PERP_CELL_CONE);
            cell->row[0] = p->n_joints + p->n_boxes + i;
            if (rubs) {
                cell->group = g;
                add_group(round, value, g, 1, 0, cell);
                cell->floor = pressed(p, g);
                round->wide = round->wide || cell->floor > 0;
            }
            if (with_mate)
                add_mate(round, value, g + 1, end);
        }
        g = end;
    }
}

// value: where the row's numbers begin in p->J
static void list_cells(PerpRound *round, const int *value)
{
    list_contacts(round, value, true); // pairs begin at even numbers
    list_joints(round);
    list_boxes(round);
    list_contacts(round, value, false);
}

// The entry of a body in the cell at hand, new if it has none yet.
static int entry_of(PerpRound *round, PerpCell *cell, int body)
{
    for (int e = cell->first; e < cell->end; e++)
        if (round->entry_body[e] == body)
            return e;
    round->entry_body[cell->end] = body;
    round->entries = ++cell->end;
    return cell->end - 1;
}

static void fill_entries(PerpRound *round, const int *value)
{
    const PerpProblem *p = round->p;
    int s = round->size;
    for (int c = 0; c < round->n_cells; c++) {
        PerpCell *cell = &round->cell[c];
        cell->first = cell->end = round->entries;
        for (int k = 0; k < 3; k++) {
            int row = cell->row[k];
            const double *J = row < 0 ? NULL : p->J + value[row];
            for (int e = row < 0 ? 0 : p->row_start[row]; row >= 0 && e < p->row_start[row + 1];
                 e++) {
                int body = p->entry_body[e], n = p->body_start[body + 1] - p->body_start[body];
                double *to = round->entry_J + 3 * s * entry_of(round, cell, body) + s * k;
                memcpy(to, J, (size_t)n * sizeof(double));
                J += n;
            }
        }
    }
}

// J M^-1 J' of row k of the cell, scaled as it is
static double inverse_mass(const PerpRound *round, const PerpCell *cell, int k)
{
    double sum = 0, y[6];
    int s = round->size;
    for (int e = cell->first; e < cell->end; e++) {
        const double *J = round->entry_J + 3 * s * e + s * k;
        multiply(round->inverse + s * s * round->entry_body[e], s, J, y);
        for (int i = 0; i < s; i++)
            sum += J[i] * y[i];
    }
    return sum;
}

static void scale_row(PerpRound *round, PerpCell *cell, int k, double scale)
{
    int s = round->size;
    cell->scale[k] *= scale;
    for (int e = cell->first; e < cell->end; e++)
        for (int i = 0; i < s; i++)
            round->entry_J[3 * s * e + s * k + i] *= scale;
}

// With friction first, so that cones are right circular, then all rows alike; those of joints each
// by itself.
static void scale_cell(PerpRound *round, PerpCell *cell)
{
    bool joint = cell->kind == PERP_CELL_JOINT;
    double mu = joint ? 1 : cell->group < 0 ? 0 : round->p->mu[cell->group], mass[3], sum = 0;
    int rows = 1 + (cell->row[1] >= 0) + (cell->row[2] >= 0);
    for (int k = 0; k < 3; k++) {
        scale_row(round, cell, k, k == 0 ? 1 : mu);
        mass[k] = inverse_mass(round, cell, k);
        sum += mass[k];
    }
    for (int k = 0; k < 3; k++) {
        double own = joint ? mass[k] : sum / rows;
        scale_row(round, cell, k, own > 0 ? sqrt(1 / own) : 1);
    }
}

// The rows first .. end - 1 of a mate, which are one group: to inverse mass 1. The cone comes
// before its mate.
static void scale_group(PerpRound *round, PerpCell *mate, int group, int first, int end,
                        double *slope)
{
    const PerpCell *cone = mate - 1;
    double sum = 0;
    if (group < 0)
        return;
    for (int k = first; k < end; k++)
        sum += inverse_mass(round, mate, k);
    double scale = sum > 0 ? sqrt((end - first) / sum) : 1;
    for (int k = first; k < end; k++)
        scale_row(round, mate, k, scale);
    *slope = round->p->mu[group] * cone->scale[0] / scale;
    int k = group == mate->group ? 0 : 1;
    perp_facets_scale(mate->facets[k], *slope, round->facet + mate->facet[k]);
}

static void scale_cells(PerpRound *round)
{
    const PerpProblem *p = round->p;
    for (int c = 0; c < round->n_cells; c++) {
        PerpCell *cell = &round->cell[c];
        cell->scale[0] = cell->scale[1] = cell->scale[2] = 1;
        if (cell->kind == PERP_CELL_MATE) {
            int end = cell->split + 2 < 3 ? cell->split + 2 : 3;
            scale_group(round, cell, cell->group, 0, cell->split, &cell->slope[0]);
            scale_group(round, cell, cell->other, cell->split, end, &cell->slope[1]);
        } else {
            scale_cell(round, cell);
        }
        for (int k = 0; k < 3; k++)
            cell->d[k] = cell->row[k] < 0 ? 0 : cell->scale[k] * p->d[cell->row[k]];
        cell->lo /= cell->scale[0];
        cell->hi /= cell->scale[0];
        cell->floor /= cell->scale[0];
    }
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

// --- the system of Newton's method --------------------------------------------------------------

bool perp_round_analyse(PerpRound *round)
{
    if (!round->analysed)
        round->analysed =
            round->rows.start ? perp_round_local_analyse(round) : perp_round_bodies_analyse(round);
    return round->analysed;
}

bool perp_round_factor(PerpRound *round)
{
    return round->rows.start ? perp_round_local_factor(round) : perp_round_bodies_factor(round);
}

void perp_round_velocity(const PerpRound *round, const double *r, double *v)
{
    if (round->rows.start)
        perp_round_local_velocity(round, r, v);
    else
        perp_round_bodies_velocity(round, r, v);
}

void perp_round_speeds(const PerpRound *round, const double *v, double *u)
{
    if (round->rows.start)
        perp_round_local_speeds(round, v, u);
    else
        perp_round_bodies_speeds(round, v, u);
}

void perp_round_change(PerpRound *round, const double *g, double *dr)
{
    if (round->rows.start)
        perp_round_local_change(round, g, dr);
    else
        perp_round_bodies_change(round, g, dr);
}

// --- residual -----------------------------------------------------------------------------------

// |x - P(x - z)| of the cone { |x_T| <= x_n }
static double cone_residual(const double *r, const double *u, double shift)
{
    double slip = shift * perp_length(u[1], u[2]);
    double y[3] = {r[0] - u[0] - slip, r[1] - u[1], r[2] - u[2]}, t = perp_length(y[1], y[2]);
    double n = t <= y[0] ? y[0] : t <= -y[0] ? 0 : (y[0] + t) / 2; // projected
    double shrink = t <= y[0] ? 1 : t > 0 ? n / t : 0;
    double e[3] = {r[0] - n, r[1] - shrink * y[1], r[2] - shrink * y[2]};
    return sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2]);
}

static double box_residual(const PerpCell *cell, const double *r, const double *u)
{
    return fabs(r[0] - fmin(fmax(r[0] - u[0], cell->lo), cell->hi));
}

static double joint_residual(const double *u)
{
    return fmax(fabs(u[0]), fmax(fabs(u[1]), fabs(u[2])));
}

static double wide_residual(const PerpRound *round, int cell, const double *r, const double *u)
{
    PerpWideCone cone = perp_wide_cone(round, cell);
    return perp_wide_residual(&cone, round->shift, r, u);
}

double perp_round_residual(const PerpRound *round, const double *r, const double *u)
{
    double worst = 0;
    for (int c = 0; c < round->n_cells; c++) {
        const PerpCell *cell = &round->cell[c];
        const double *r_c = r + 3 * c, *u_c = u + 3 * c;
        double wrong = cell->kind == PERP_CELL_MATE ? 0 // with its cone
                       : round->wide && perp_round_is_wide(round, c)
                           ? wide_residual(round, c, r_c, u_c)
                       : cell->kind == PERP_CELL_CONE ? cone_residual(r_c, u_c, round->shift)
                       : cell->kind == PERP_CELL_BOX  ? box_residual(cell, r_c, u_c)
                                                      : joint_residual(u_c);
        worst = wrong > worst || isnan(wrong) ? wrong : worst;
    }
    return isnan(worst) ? INFINITY : worst;
}

// --- all together -------------------------------------------------------------------------------

bool perp_round_build(PerpArena *arena, const PerpProblem *p, PerpRound *round)
{
    return perp_round_build_kept(arena, NULL, p, round) && perp_round_analyse(round);
}

bool perp_round_build_kept(PerpArena *arena, PerpRoundGraphs *kept, const PerpProblem *p,
                           PerpRound *round)
{
    int rows = perp_problem_rows(p), s = body_size(p);
    int *value = PERP_TAKE(arena, int, rows + 1);
    size_t entries = (size_t)p->row_start[rows], blocks = (size_t)(s * s * p->n_bodies);
    *round = (PerpRound){.p = p,
                         .arena = arena,
                         .kept = kept,
                         .threads = 1,
                         .size = s,
                         .n_state = s * p->n_bodies,
                         .shift = 1};
    round->cell =
        PERP_TAKE(arena, PerpCell, p->n_joints + p->n_boxes + p->n_contacts + p->n_groups);
    round->entry_body = PERP_TAKE(arena, int, entries);
    round->entry_J = PERP_TAKE(arena, double, 3 * (size_t)s * entries);
    round->mass = PERP_TAKE(arena, double, blocks);
    round->inverse = PERP_TAKE(arena, double, blocks);
    round->free = PERP_TAKE(arena, double, s * p->n_bodies);
    round->e = PERP_TAKE(arena, double, 3 * rows);
    round->facet = PERP_TAKE(arena, PerpFacet, p->n_directions + 1);
    if (!value || !round->facet || !round->cell || !round->entry_body || !round->entry_J ||
        !round->mass || !round->inverse || !round->free || !round->e)
        return false;
    for (int r = 0; r < rows; r++) {
        value[r + 1] = value[r];
        for (int e = p->row_start[r]; e < p->row_start[r + 1]; e++)
            value[r + 1] += p->body_start[p->entry_body[e] + 1] - p->body_start[p->entry_body[e]];
    }
    fill_masses(round);
    list_cells(round, value);
    fill_entries(round, value);
    scale_cells(round);
    return perp_round_bodies_prepare(round) && normalise(arena, round);
}
