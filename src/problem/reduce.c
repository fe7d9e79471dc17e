#include "problem/reduce.h"

#include "base/error.h"

#include <math.h>
#include <string.h>

static const double LOCKED = 1e-11;          // S_ii / G_ii of a row that the equations determine
static const double LOCKED_VELOCITY = 1e-10; // of its terms, that counts as 0 there
static const double ROUNDING = 1e-14;        // of the terms of a sum

// --- the kinds of rows --------------------------------------------------------------------------

static int first_contact(const PerpProblem *p)
{
    return p->n_joints + p->n_boxes;
}

static void add_impulse(PerpReduction *red, int row, double sign, double base)
{
    red->impulse_row[red->impulses] = row;
    red->sign[red->impulses] = sign;
    red->partner[red->impulses] = -1;
    red->base[row] = base;
    red->impulses++;
}

// lo <= c <= hi  as  c = lo + z,  c = hi - z,  an equation, or a constant
static void sort_box(PerpReduction *red, int i)
{
    const PerpProblem *p = red->problem;
    int row = p->n_joints + i;
    bool below = isfinite(p->lo[i]), above = isfinite(p->hi[i]);
    if (!below && !above)
        red->equation_row[red->equations++] = row;
    else if (p->lo[i] == p->hi[i])
        red->base[row] = p->lo[i];
    else if (!below)
        add_impulse(red, row, -1, p->hi[i]);
    else {
        if (above)
            red->range_impulse[red->ranges++] = red->impulses;
        add_impulse(red, row, 1, p->lo[i]);
    }
}

static void sort_rows(PerpReduction *red)
{
    const PerpProblem *p = red->problem;
    for (int i = 0; i < p->n_joints; i++)
        red->equation_row[red->equations++] = i;
    for (int i = 0; i < p->n_boxes; i++)
        sort_box(red, i);
    int first_direction = red->impulses + p->n_contacts;
    for (int row = first_contact(p); row < perp_problem_rows(p); row++)
        add_impulse(red, row, 1, 0);
    for (int k = 0; k < red->ranges; k++)
        red->partner[red->range_impulse[k]] = red->impulses + k;
    for (int g = 0; g < p->n_groups; g++)
        for (int k = p->group_start[g]; k < p->group_start[g + 1]; k++)
            red->partner[first_direction + k] = red->impulses + red->ranges + g;
    red->n = red->impulses + red->ranges + p->n_groups;
}

// --- memory -------------------------------------------------------------------------------------

static bool take_rows(PerpArena *arena, PerpReduction *red)
{
    const PerpProblem *p = red->problem;
    int rows = perp_problem_rows(p), entries = rows > 0 ? p->row_start[rows] : 0;
    int *value_start = PERP_TAKE(arena, int, entries + 1);
    red->equation_row = PERP_TAKE(arena, int, rows);
    red->impulse_row = PERP_TAKE(arena, int, rows);
    red->sign = PERP_TAKE(arena, double, rows);
    red->partner = PERP_TAKE(arena, int, rows);
    red->range_impulse = PERP_TAKE(arena, int, rows);
    red->base = PERP_TAKE(arena, double, rows);
    red->base_velocity = PERP_TAKE(arena, double, perp_problem_velocities(p));
    if (!value_start || !red->equation_row || !red->impulse_row || !red->sign || !red->partner ||
        !red->range_impulse || !red->base || !red->base_velocity)
        return false;
    if (rows > 0)
        perp_block_rows_value_start(rows, p->body_start, p->row_start, p->entry_body, value_start);
    red->J = (PerpBlockRows){.n_rows = rows,
                             .body_start = p->body_start,
                             .row_start = p->row_start,
                             .entry_body = p->entry_body,
                             .value_start = value_start,
                             .J = p->J};
    red->X = PERP_TAKE(arena, double, value_start[entries]);
    return red->X != NULL;
}

static bool take_masses(PerpArena *arena, PerpReduction *red)
{
    const PerpProblem *p = red->problem;
    int *value_start = PERP_TAKE(arena, int, p->n_bodies + 1);
    if (!value_start)
        return false;
    perp_block_diagonal_value_start(p->n_bodies, p->body_start, value_start);
    red->Mt = (PerpBlockDiagonal){.n_blocks = p->n_bodies,
                                  .start = p->body_start,
                                  .value_start = value_start,
                                  .LU = PERP_TAKE(arena, double, value_start[p->n_bodies]),
                                  .pivot = PERP_TAKE(arena, int, perp_problem_velocities(p))};
    return red->Mt.LU && red->Mt.pivot;
}

// --- masses -------------------------------------------------------------------------------------

static PerpStatus factor_masses(PerpReduction *red, PerpError *error)
{
    int bad = perp_block_diagonal_first_indefinite(&red->Mt, red->problem->Mt);
    if (bad < 0)
        bad = perp_block_diagonal_factor(&red->Mt, red->problem->Mt);
    if (bad >= 0)
        return perp_fail(error, PERP_BAD_MASS, "the mass block of body %d is not positive definite",
                         bad);
    return PERP_OK;
}

// X = Mt^-1 J', entry by entry; Mt v = b + J' base
static void apply_masses(PerpReduction *red)
{
    const PerpProblem *p = red->problem;
    int entries = red->J.n_rows > 0 ? p->row_start[red->J.n_rows] : 0;
    if (entries > 0)
        memcpy(red->X, p->J, (size_t)red->J.value_start[entries] * sizeof(double));
    for (int e = 0; e < entries; e++)
        perp_block_diagonal_solve_block(&red->Mt, p->entry_body[e], red->X + red->J.value_start[e]);
    memcpy(red->base_velocity, p->b, (size_t)perp_problem_velocities(p) * sizeof(double));
    perp_block_rows_add_impulse(&red->J, red->base, red->base_velocity);
    perp_block_diagonal_solve(&red->Mt, red->base_velocity);
}

// a - b, or 0 if the difference is nothing but the rounding of its terms
static double subtract(double a, double b, double size)
{
    double difference = a - b;
    return fabs(difference) > ROUNDING * size ? difference : 0;
}

// J_r v_base + d, or 0 if that is nothing but rounding: a body at rest must not seem to sink
static double row_velocity(const PerpReduction *red, int r)
{
    const PerpBlockRows *J = &red->J;
    double d = red->problem->d[r], sum = d, size = fabs(d);
    for (int e = J->row_start[r]; e < J->row_start[r + 1]; e++) {
        int first = J->body_start[J->entry_body[e]] - J->value_start[e];
        for (int i = J->value_start[e]; i < J->value_start[e + 1]; i++) {
            double term = J->J[i] * red->base_velocity[first + i];
            sum += term;
            size += fabs(term);
        }
    }
    return subtract(sum, 0, size);
}

// --- the matrix ---------------------------------------------------------------------------------

// Where rows stand: place[row] >= 0 among the impulses, -1 - k for equation k, absent if neither.
enum { ABSENT = -1073741824 };

static double entry_product(const PerpReduction *red, int e, int f, int size)
{
    const double *a = red->J.J + red->J.value_start[e], *x = red->X + red->J.value_start[f];
    double sum = 0;
    for (int i = 0; i < size; i++)
        sum += a[i] * x[i];
    return sum;
}

// G_ij += J_e Mt^-1 J_f', sorted into S (impulse rows and columns), G_HI and G_IH (kept in Y)
static void add_product(PerpReduction *red, int i, int j, double value)
{
    size_t n = (size_t)red->n, h = (size_t)red->impulses, m = (size_t)red->equations;
    if (i >= 0 && j >= 0)
        red->M[(size_t)i + n * (size_t)j] += red->sign[i] * value * red->sign[j];
    else if (i >= 0)
        red->G_HI[(size_t)i + h * (size_t)(-1 - j)] += value;
    else
        red->Y[(size_t)(-1 - i) + m * (size_t)j] += value;
}

// The entries of each body: entry_of[first[k] .. first[k+1] - 1], and the row of each entry.
typedef struct BodyEntries {
    int *first, *entry_of, *row_of;
} BodyEntries;

static bool list_body_entries(PerpArena *arena, const PerpReduction *red, BodyEntries *list)
{
    const PerpProblem *p = red->problem;
    int rows = red->J.n_rows, entries = rows > 0 ? p->row_start[rows] : 0;
    list->first = PERP_TAKE(arena, int, p->n_bodies + 2);
    list->entry_of = PERP_TAKE(arena, int, entries);
    list->row_of = PERP_TAKE(arena, int, entries);
    if (!list->first || !list->entry_of || !list->row_of)
        return false;
    for (int e = 0; e < entries; e++)
        list->first[p->entry_body[e] + 2]++;
    for (int k = 2; k <= p->n_bodies; k++)
        list->first[k] += list->first[k - 1];
    for (int r = 0; r < rows; r++)
        for (int e = p->row_start[r]; e < p->row_start[r + 1]; e++) {
            list->row_of[e] = r;
            list->entry_of[list->first[p->entry_body[e] + 1]++] = e;
        }
    return true;
}

static void fill_products(PerpReduction *red, const BodyEntries *list, const int *place)
{
    const PerpProblem *p = red->problem;
    for (int body = 0; body < p->n_bodies; body++) {
        int size = p->body_start[body + 1] - p->body_start[body];
        for (int a = list->first[body]; a < list->first[body + 1]; a++) {
            int i = place[list->row_of[list->entry_of[a]]];
            for (int b = list->first[body]; b < list->first[body + 1] && i != ABSENT; b++) {
                int j = place[list->row_of[list->entry_of[b]]];
                if (j != ABSENT && (i >= 0 || j >= 0))
                    add_product(red, i, j,
                                entry_product(red, list->entry_of[a], list->entry_of[b], size));
            }
        }
    }
}

static bool multiply_rows(PerpArena *arena, PerpReduction *red)
{
    BodyEntries list;
    int *place = PERP_TAKE(arena, int, red->J.n_rows);
    if (!place || !list_body_entries(arena, red, &list))
        return false;
    for (int r = 0; r < red->J.n_rows; r++)
        place[r] = ABSENT;
    for (int k = 0; k < red->equations; k++)
        place[red->equation_row[k]] = -1 - k;
    for (int k = 0; k < red->impulses; k++)
        place[red->impulse_row[k]] = k;
    fill_products(red, &list, place);
    return true;
}

// to -= sign G_HI y on the impulse rows; size: the sum of the terms' absolute values
static void subtract_column(PerpReduction *red, const double *y, double column_sign, double *to,
                            double *size)
{
    int m = red->equations, h = red->impulses;
    for (int i = 0; i < h; i++) {
        double sum = 0;
        size[i] = fabs(to[i]);
        for (int k = 0; k < m; k++) {
            double term = red->G_HI[(size_t)i + (size_t)h * (size_t)k] * y[k];
            sum += term;
            size[i] += fabs(term);
        }
        to[i] = subtract(to[i], red->sign[i] * column_sign * sum, size[i]);
    }
}

// A row that the equations leave no room to move has S_ii = 0, and then its row and column are
// zero and its velocity is given; what rounding leaves there must not be taken for numbers.
static void clear_locked_rows(PerpReduction *red, const double *diagonal, const double *q_size)
{
    size_t n = (size_t)red->n;
    for (int i = 0; i < red->impulses; i++) {
        if (red->M[(size_t)i * (n + 1)] > LOCKED * diagonal[i])
            continue;
        for (int j = 0; j < red->impulses; j++)
            red->M[(size_t)i + n * (size_t)j] = red->M[(size_t)j + n * (size_t)i] = 0;
        if (fabs(red->q[i]) <= LOCKED_VELOCITY * q_size[i])
            red->q[i] = 0;
    }
}

// Y = G_II^-1 G_IH, from G_IH
static bool solve_for_impulses(PerpArena *arena, PerpReduction *red)
{
    size_t n_v = (size_t)perp_problem_velocities(red->problem), m = (size_t)red->equations;
    double *u = PERP_TAKE(arena, double, n_v);
    if (!u)
        return false;
    perp_gram_solve(&red->gram, red->impulses, red->Y);
    for (int j = 0; j < red->impulses; j++) {
        memset(u, 0, n_v * sizeof(double));
        perp_block_rows_add_row(&red->J, red->impulse_row[j], 1, u);
        perp_gram_refine(&red->gram, NULL, u, red->Y + m * (size_t)j);
    }
    return true;
}

// x = G_II^-1 g_I
static bool solve_for_constants(PerpArena *arena, PerpReduction *red, double *x)
{
    double *g = PERP_TAKE(arena, double, red->equations);
    double *u = PERP_TAKE(arena, double, perp_problem_velocities(red->problem));
    if (!g || !u)
        return false;
    for (int k = 0; k < red->equations; k++)
        g[k] = x[k] = row_velocity(red, red->equation_row[k]);
    perp_gram_solve(&red->gram, 1, x);
    perp_gram_refine(&red->gram, g, u, x);
    return true;
}

// S = G_HH - G_HI G_II^-1 G_IH,   g = g_H - G_HI G_II^-1 g_I                       [AP97 (A.4)]
static bool eliminate_equations(PerpArena *arena, PerpReduction *red)
{
    int m = red->equations, h = red->impulses;
    double *x = PERP_TAKE(arena, double, m), *diagonal = PERP_TAKE(arena, double, h);
    double *size = PERP_TAKE(arena, double, h), *q_size = PERP_TAKE(arena, double, h);
    if (!x || !diagonal || !size || !q_size || !solve_for_impulses(arena, red) ||
        !solve_for_constants(arena, red, x))
        return false;
    subtract_column(red, x, 1, red->q, q_size);
    for (int j = 0; j < h; j++) {
        double *column = red->M + (size_t)red->n * (size_t)j;
        diagonal[j] = column[j];
        subtract_column(red, red->Y + (size_t)m * (size_t)j, red->sign[j], column, size);
    }
    clear_locked_rows(red, diagonal, q_size);
    return true;
}

// --- what is not a velocity ---------------------------------------------------------------------

static int contact_impulse(const PerpReduction *red, int contact)
{
    const PerpProblem *p = red->problem;
    return red->impulses - p->n_directions - p->n_contacts + contact;
}

void perp_reduction_slack(const PerpReduction *red, const double *z, double *w)
{
    const PerpProblem *p = red->problem;
    int first_direction = red->impulses - p->n_directions;
    for (int j = 0; j < red->impulses; j++)
        w[j] = red->partner[j] >= 0 ? z[red->partner[j]] : 0;
    for (int k = 0; k < red->ranges; k++) {
        int box = red->impulse_row[red->range_impulse[k]] - p->n_joints;
        w[red->impulses + k] = (p->hi[box] - p->lo[box]) - z[red->range_impulse[k]];
    }
    for (int g = 0; g < p->n_groups; g++) {
        long double sum = p->cohesion[g];
        sum += (long double)p->mu[g] * z[contact_impulse(red, p->group_contact[g])];
        for (int k = p->group_start[g]; k < p->group_start[g + 1]; k++)
            sum -= z[first_direction + k];
        w[red->impulses + red->ranges + g] = (double)sum;
    }
}

static void fill_slack_columns(PerpReduction *red)
{
    const PerpProblem *p = red->problem;
    size_t n = (size_t)red->n;
    for (int j = 0; j < red->impulses; j++) {
        if (red->partner[j] >= 0) {
            red->M[(size_t)j + n * (size_t)red->partner[j]] = 1;
            red->M[(size_t)red->partner[j] + n * (size_t)j] = -1;
        }
    }
    for (int g = 0; g < p->n_groups; g++) {
        size_t row = (size_t)(red->impulses + red->ranges + g);
        red->M[row + n * (size_t)contact_impulse(red, p->group_contact[g])] = p->mu[g];
    }
}

// q: what w is at z = 0
static void fill_constants(PerpReduction *red, const double *zero)
{
    perp_reduction_slack(red, zero, red->q);
    for (int j = 0; j < red->impulses; j++)
        red->q[j] = red->sign[j] * row_velocity(red, red->impulse_row[j]);
}

// --- all together -------------------------------------------------------------------------------

static bool take_matrices(PerpArena *arena, PerpReduction *red)
{
    size_t n = (size_t)red->n, h = (size_t)red->impulses, m = (size_t)red->equations;
    red->M = PERP_TAKE(arena, double, n *n);
    red->q = PERP_TAKE(arena, double, n);
    red->G_HI = PERP_TAKE(arena, double, h *m);
    red->Y = PERP_TAKE(arena, double, m *h);
    return red->M && red->q && red->G_HI && red->Y;
}

static bool fill_matrices(PerpArena *arena, PerpReduction *red)
{
    double *zero = PERP_TAKE(arena, double, red->n);
    if (!zero || !take_matrices(arena, red) || !multiply_rows(arena, red))
        return false;
    fill_constants(red, zero);
    if (red->equations > 0 && red->impulses > 0 && !eliminate_equations(arena, red))
        return false;
    fill_slack_columns(red);
    return true;
}

static bool factor_equations(PerpArena *arena, PerpReduction *red)
{
    red->gram = (PerpGram){.problem = red->problem,
                           .J = red->J,
                           .Mt = red->Mt,
                           .X = red->X,
                           .n = red->equations,
                           .row = red->equation_row};
    if (!perp_gram_factor(arena, &red->gram))
        return false;
    red->equations = red->gram.n;
    return true;
}

PerpStatus perp_reduce(PerpArena *arena, const PerpProblem *p, PerpReduction *red, PerpError *error)
{
    *red = (PerpReduction){.problem = p};
    if (!take_rows(arena, red) || !take_masses(arena, red))
        return perp_fail_memory(error);
    PerpStatus status = factor_masses(red, error);
    if (status)
        return status;
    sort_rows(red);
    if (red->n > PERP_LCP_SIZE_LIMIT || red->equations > PERP_LCP_SIZE_LIMIT)
        return perp_fail(error, PERP_BAD_SIZE,
                         "%d complementary pairs and %d equations: the limit is %d each; circular "
                         "friction cones have none",
                         red->n, red->equations, PERP_LCP_SIZE_LIMIT);
    apply_masses(red);
    if ((red->equations > 0 && !factor_equations(arena, red)) || !fill_matrices(arena, red))
        return perp_fail_memory(error);
    return PERP_OK;
}
