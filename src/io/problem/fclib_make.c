// A step problem as FCLIB's global problem, with friction polygons as circles.
#include "io/problem/fclib_make.h"

#include "base/error.h"
#include "perp/friction.h"

#include <math.h>

static const double SAME = 1e-9; // directions may differ so much from those of a regular polygon

typedef struct Maker {
    PerpArena *arena;
    const PerpProblem *p;
    PerpFclib *fclib;
    PerpError *error;
    const int *offset; // of each entry's numbers in J
    double *column;    // 4 x velocities, zero between uses: normal, two tangents, one to compare
    int *group;        // of each contact, -1: frictionless
    int contact;       // the next one of the file
} Maker;

static PerpStatus fail_for_memory(const Maker *maker)
{
    return perp_fail(maker->error, PERP_NO_MEMORY, "out of memory");
}

// --- rows ---------------------------------------------------------------------------------------

static int body_size(const PerpProblem *p, int body)
{
    return p->body_start[body + 1] - p->body_start[body];
}

static bool find_offsets(Maker *maker)
{
    const PerpProblem *p = maker->p;
    int entries = p->row_start[perp_problem_rows(p)], offset = 0;
    int *offsets = PERP_TAKE(maker->arena, int, entries + 1);
    for (int e = 0; offsets && e < entries; e++) {
        offsets[e] = offset;
        offset += body_size(p, p->entry_body[e]);
    }
    if (offsets)
        offsets[entries] = offset;
    maker->offset = offsets;
    return offsets != NULL;
}

// column += weight J_r'
static void add_row(const Maker *maker, int row, double weight, double *column)
{
    const PerpProblem *p = maker->p;
    for (int e = p->row_start[row]; e < p->row_start[row + 1]; e++) {
        int first = p->body_start[p->entry_body[e]];
        for (int k = 0; k < body_size(p, p->entry_body[e]); k++)
            column[first + k] += weight * p->J[maker->offset[e] + k];
    }
}

// Empties the part of a column that a row touches.
static void clear_row(const Maker *maker, int row, double *column)
{
    const PerpProblem *p = maker->p;
    for (int e = p->row_start[row]; e < p->row_start[row + 1]; e++) {
        int body = p->entry_body[e];
        for (int k = p->body_start[body]; k < p->body_start[body + 1]; k++)
            column[k] = 0;
    }
}

// Appends what a row touches of a column to a matrix, bodies in ascending order.
static void append_column(const Maker *maker, PerpFclibMatrix *matrix, int row,
                          const double *column)
{
    const PerpProblem *p = maker->p;
    int last = -1;
    for (int taken = p->row_start[row]; taken < p->row_start[row + 1]; taken++) {
        int body = p->n_bodies;
        for (int e = p->row_start[row]; e < p->row_start[row + 1]; e++)
            if (p->entry_body[e] > last && p->entry_body[e] < body)
                body = p->entry_body[e];
        if (body == p->n_bodies)
            break;
        for (int k = p->body_start[body]; k < p->body_start[body + 1]; k++)
            if (column[k] != 0) {
                matrix->i[matrix->i_count] = k;
                matrix->x[matrix->i_count++] = column[k];
            }
        last = body;
    }
    matrix->p[++matrix->n] = matrix->i_count;
}

static bool begin_matrix(Maker *maker, int rows, int columns, int entries, PerpFclibMatrix *matrix)
{
    *matrix = (PerpFclibMatrix){.present = true, .m = rows, .nz = PERP_FCLIB_COLUMNS};
    matrix->p = PERP_TAKE(maker->arena, int, columns + 1);
    matrix->i = PERP_TAKE(maker->arena, int, entries + 1);
    matrix->x = PERP_TAKE(maker->arena, double, entries + 1);
    return matrix->p && matrix->i && matrix->x;
}

static void end_matrix(PerpFclibMatrix *matrix)
{
    matrix->p_count = matrix->n + 1;
    matrix->nzmax = matrix->i_count;
}

// --- friction -----------------------------------------------------------------------------------

static int directions_of(const PerpProblem *p, int group)
{
    return p->group_start[group + 1] - p->group_start[group];
}

static bool is_circular(const PerpProblem *p, int group)
{
    return p->group_circular && p->group_circular[group];
}

static bool is_planar(const PerpProblem *p, int group)
{
    return directions_of(p, group) <= (is_circular(p, group) ? 1 : 2);
}

// D_0 = t_1 and D_1 = cos a t_1 + sin a t_2 give the tangents of a polygon of u directions, a = 2
// pi / u; those of a circular group are the tangents. weight[k][0 .. 1]: of D_0 and D_1 in t_k.
static void find_tangents(const PerpProblem *p, int group, double weight[2][2])
{
    double turn[2] = {0, 1};
    if (!is_circular(p, group))
        perp_friction_direction(1, directions_of(p, group), turn);
    bool planar = is_planar(p, group);
    weight[0][0] = 1, weight[0][1] = 0;
    weight[1][0] = planar ? 0 : -turn[0] / turn[1];
    weight[1][1] = planar ? 0 : 1 / turn[1];
}

// The tangents of a group into column[1] and column[2], their right-hand sides into w[1] and w[2].
static void add_tangents(const Maker *maker, int group, int first_row, double w[3])
{
    const PerpProblem *p = maker->p;
    size_t n = (size_t)perp_problem_velocities(p);
    double weight[2][2];
    find_tangents(p, group, weight);
    for (int t = 0; t < 2; t++)
        for (int k = 0; k < 2 && k < directions_of(p, group); k++) {
            add_row(maker, first_row + k, weight[t][k], maker->column + (size_t)(t + 1) * n);
            w[t + 1] += weight[t][k] * p->d[first_row + k];
        }
}

// Are all directions those of the polygon over the tangents in column[1] and column[2]?
static bool is_regular(Maker *maker, int first_row, int facets, const double w[3])
{
    size_t n = (size_t)perp_problem_velocities(maker->p);
    const double *t1 = maker->column + n, *t2 = t1 + n;
    double *other = maker->column + 3 * n, worst = 0;
    for (int k = 0; k < facets; k++) {
        double turn[2];
        const PerpProblem *p = maker->p;
        perp_friction_direction(k, facets, turn);
        add_row(maker, first_row + k, 1, other);
        for (int e = p->row_start[first_row]; e < p->row_start[first_row + 1]; e++)
            for (int i = p->body_start[p->entry_body[e]]; i < p->body_start[p->entry_body[e] + 1];
                 i++)
                worst = fmax(worst, fabs(other[i] - turn[0] * t1[i] - turn[1] * t2[i]) /
                                        fmax(1, fabs(t1[i]) + fabs(t2[i])));
        double d = p->d[first_row + k];
        worst = fmax(worst, fabs(d - turn[0] * w[1] - turn[1] * w[2]) / fmax(1, fabs(d)));
        clear_row(maker, first_row + k, other);
    }
    return worst <= SAME;
}

static PerpStatus check_group(const Maker *maker, int group)
{
    const PerpProblem *p = maker->p;
    int facets = directions_of(p, group);
    if (!is_circular(p, group) && (facets < 2 || facets % 2 != 0))
        return perp_fail(maker->error, PERP_NOT_SUPPORTED,
                         "friction with %d directions, which FCLIB has no word for", facets);
    if (p->cohesion[group] != 0)
        return perp_fail(maker->error, PERP_NOT_SUPPORTED,
                         "friction with cohesion, which FCLIB has no word for");
    if (maker->group[p->group_contact[group]] >= 0)
        return perp_fail(maker->error, PERP_NOT_SUPPORTED,
                         "torsion or rolling beside sliding, which FCLIB has no word for");
    return PERP_OK;
}

static PerpStatus assign_groups(Maker *maker)
{
    const PerpProblem *p = maker->p;
    PerpStatus status = PERP_OK;
    maker->fclib->dimension = 2;
    for (int k = 0; k < p->n_contacts; k++)
        maker->group[k] = -1;
    for (int g = 0; !status && g < p->n_groups; g++) {
        status = check_group(maker, g);
        maker->group[p->group_contact[g]] = g;
        if (!is_planar(p, g))
            maker->fclib->dimension = 3;
    }
    return status;
}

// --- contacts -----------------------------------------------------------------------------------

// Normal and tangents of a row that may only push; group: -1, without friction.
static PerpStatus add_contact(Maker *maker, int row, double sign, int group)
{
    const PerpProblem *p = maker->p;
    PerpFclib *f = maker->fclib;
    size_t n = (size_t)perp_problem_velocities(p);
    double w[3] = {sign * p->d[row], 0, 0};
    int first = p->n_joints + p->n_boxes + p->n_contacts + (group < 0 ? 0 : p->group_start[group]);
    bool regular = true;
    add_row(maker, row, sign, maker->column);
    append_column(maker, &f->H, row, maker->column);
    clear_row(maker, row, maker->column);
    if (group >= 0) {
        add_tangents(maker, group, first, w);
        regular = is_circular(p, group) || is_regular(maker, first, directions_of(p, group), w);
    }
    for (int t = 1; t < f->dimension; t++)
        append_column(maker, &f->H, group < 0 ? row : first, maker->column + (size_t)t * n);
    for (int t = 1; group >= 0 && t < 3; t++)
        clear_row(maker, first, maker->column + (size_t)t * n);
    for (int t = 0; t < f->dimension; t++)
        f->w[maker->contact * f->dimension + t] = w[t];
    f->mu[maker->contact++] = group < 0 ? 0 : p->mu[group];
    return regular ? PERP_OK
                   : perp_fail(maker->error, PERP_NOT_SUPPORTED,
                               "friction directions of no regular polygon");
}

static PerpStatus add_contacts(Maker *maker)
{
    const PerpProblem *p = maker->p;
    PerpStatus status = PERP_OK;
    for (int k = 0; !status && k < p->n_contacts; k++)
        status = add_contact(maker, p->n_joints + p->n_boxes + k, 1, maker->group[k]);
    for (int k = 0; !status && k < p->n_boxes; k++)
        if (p->lo[k] == 0 && p->hi[k] == INFINITY)
            status = add_contact(maker, p->n_joints + k, 1, -1);
        else if (p->lo[k] == -INFINITY && p->hi[k] == 0)
            status = add_contact(maker, p->n_joints + k, -1, -1);
    return status;
}

// --- the rest -----------------------------------------------------------------------------------

static bool is_free(const PerpProblem *p, int box)
{
    return p->lo[box] == -INFINITY && p->hi[box] == INFINITY;
}

static PerpStatus count_rows(Maker *maker)
{
    const PerpProblem *p = maker->p;
    for (int row = 0; p->compliance && row < perp_problem_rows(p); row++)
        if (p->compliance[row] > 0)
            return perp_fail(maker->error, PERP_NOT_SUPPORTED,
                             "a row with compliance (spring, damper, soft contact), which FCLIB "
                             "has no word for");
    maker->fclib->contacts = p->n_contacts;
    maker->fclib->bilateral = p->n_joints;
    for (int k = 0; k < p->n_boxes; k++) {
        bool push = p->lo[k] == 0 && p->hi[k] == INFINITY;
        bool pull = p->lo[k] == -INFINITY && p->hi[k] == 0;
        if (!is_free(p, k) && !push && !pull)
            return perp_fail(maker->error, PERP_NOT_SUPPORTED,
                             "a motor or joint friction with bounds on its force, which FCLIB has "
                             "no word for");
        maker->fclib->contacts += push || pull;
        maker->fclib->bilateral += is_free(p, k);
    }
    return PERP_OK;
}

static void add_bilateral(Maker *maker)
{
    const PerpProblem *p = maker->p;
    PerpFclib *f = maker->fclib;
    for (int row = 0, next = 0; row < p->n_joints + p->n_boxes; row++) {
        if (row >= p->n_joints && !is_free(p, row - p->n_joints))
            continue;
        add_row(maker, row, 1, maker->column);
        append_column(maker, &f->G, row, maker->column);
        clear_row(maker, row, maker->column);
        f->b[next++] = p->d[row];
    }
}

static void add_mass(Maker *maker)
{
    const PerpProblem *p = maker->p;
    PerpFclibMatrix *M = &maker->fclib->M;
    const double *block = p->Mt;
    for (int body = 0; body < p->n_bodies; body++)
        for (int column = 0; column < body_size(p, body); column++) {
            for (int row = 0; row < body_size(p, body); row++, block++)
                if (*block != 0) {
                    M->i[M->i_count] = p->body_start[body] + row;
                    M->x[M->i_count++] = *block;
                }
            M->p[++M->n] = M->i_count;
        }
    for (int k = 0; k < M->m; k++)
        maker->fclib->f[k] = p->b[k];
}

static bool allocate(Maker *maker)
{
    const PerpProblem *p = maker->p;
    PerpFclib *f = maker->fclib;
    int n = perp_problem_velocities(p), numbers = 0, rows = f->contacts * 3;
    if (!find_offsets(maker))
        return false;
    for (int body = 0; body < p->n_bodies; body++)
        numbers += body_size(p, body) * body_size(p, body);
    int entries = 3 * maker->offset[p->row_start[perp_problem_rows(p)]];
    maker->column = PERP_TAKE(maker->arena, double, 4 * (size_t)n + 1);
    maker->group = PERP_TAKE(maker->arena, int, p->n_contacts + 1);
    f->mu = PERP_TAKE(maker->arena, double, f->contacts + 1);
    f->f = PERP_TAKE(maker->arena, double, n + 1);
    f->w = PERP_TAKE(maker->arena, double, rows + 1);
    f->b = f->bilateral > 0 ? PERP_TAKE(maker->arena, double, f->bilateral) : NULL;
    return maker->column && maker->group && f->mu && f->f && f->w && (f->b || f->bilateral == 0) &&
           begin_matrix(maker, n, n, numbers, &f->M) &&
           begin_matrix(maker, n, rows, entries, &f->H) &&
           (f->bilateral == 0 || begin_matrix(maker, n, f->bilateral, entries, &f->G));
}

PerpStatus perp_fclib_make(PerpArena *arena, const PerpProblem *p, PerpFclib *fclib,
                           PerpError *error)
{
    Maker maker = {.arena = arena, .p = p, .fclib = fclib, .error = error};
    *fclib = (PerpFclib){.global = true};
    PerpStatus status = count_rows(&maker);
    if (!status && fclib->contacts == 0)
        return perp_fail(error, PERP_NOT_SUPPORTED, "no contact, and FCLIB needs one");
    if (!status && !allocate(&maker))
        status = fail_for_memory(&maker);
    if (!status)
        status = assign_groups(&maker);
    if (status)
        return status;
    add_mass(&maker);
    if (fclib->bilateral > 0)
        add_bilateral(&maker);
    status = add_contacts(&maker);
    end_matrix(&fclib->M);
    end_matrix(&fclib->H);
    end_matrix(&fclib->G);
    return status;
}
