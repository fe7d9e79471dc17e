// From a step problem to a cone problem over bodies: masses, rows of J, scales.

#include "base/compiler.h"
#include "cones/cone.h"
#include "cones/constraints.h"
#include "cones/operator/delassus.h"
#include "cones/operator/over_bodies.h"

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

// A body's block of s x s numbers, filled up with ones.
PERP_KERNEL_PART void fill_mass(int s, int n, const double *Mt, double *M)
{
    if (n == s)
        memcpy(M, Mt, (size_t)(s * s) * sizeof(double));
    for (int j = 0; j < s && n < s; j++)
        for (int i = 0; i < s; i++)
            M[i + s * j] = i < n && j < n ? Mt[i + n * j] : i == j;
}

// Between two numbers of the diagonal there are s others.
PERP_KERNEL_PART bool is_diagonal(int s, const double *M)
{
    int others = 0;
    for (int k = 0; k < s * s - 1; k += s + 1)
        for (int i = 1; i <= s; i++)
            others += M[k + i] != 0;
    return others == 0;
}

// s: numbers of a body, known to the compiler
PERP_KERNEL_PART void fill_masses_sized(PerpConeProblem *cones, int s)
{
    const PerpProblem *p = cones->p;
    const double *Mt = p->Mt;
    for (int k = 0; k < p->n_bodies; k++) {
        int first = p->body_start[k], n = p->body_start[k + 1] - first;
        double *M = cones->bodies.mass + s * s * k, *inverse = cones->bodies.inverse + s * s * k;
        double right[6] = {0};
        fill_mass(s, n, Mt, M);
        bool diagonal = is_diagonal(s, M);
        cones->bodies.diagonal = cones->bodies.diagonal && diagonal;
        memcpy(inverse, M, (size_t)(s * s) * sizeof(double));
        invert(inverse, s, diagonal);
        for (int i = 0; i < n; i++)
            right[i] = p->b[first + i];
        multiply_sized(inverse, s, right, cones->bodies.free + s * k);
        Mt += n * n;
    }
}

PERP_VECTOR_KERNEL static void fill_masses(PerpConeProblem *cones)
{
    if (cones->bodies.size == 6)
        fill_masses_sized(cones, 6);
    else
        fill_masses_sized(cones, 3);
}

// What perp_over_bodies_weigh needs.
static bool widen_inverse(PerpConeProblem *cones)
{
    int n = cones->p->n_bodies, s = cones->bodies.size, pad = cones->bodies.pad;
    size_t block = (size_t)(cones->bodies.diagonal ? pad : s * pad);
    double *product = PERP_TAKE(cones->arena, double, block *(size_t)n);
    cones->bodies.padded_inverse = product;
    for (int k = 0; product && k < n; k++, product += block)
        for (int j = 0; j < s; j++) {
            const double *column = cones->bodies.inverse + s * (s * k + j);
            if (cones->bodies.diagonal)
                product[j] = column[j];
            else
                perp_copy_row(s, column, product + pad * j);
        }
    return cones->bodies.padded_inverse;
}

// The entry of a body in a constraint, looked for at `place` first, where all of its rows mostly
// have it; the end if it has none.
static inline int entry_of(const PerpConeProblem *cones, const PerpConstraint *constraint,
                           int place, int body)
{
    int e = constraint->first + place;
    if (e < constraint->end && cones->bodies.entry_body[e] == body)
        return e;
    e = constraint->first;
    while (e < constraint->end && cones->bodies.entry_body[e] != body)
        e++;
    return e;
}

// The bodies of each constraint, of all its rows.
static void list_entries(PerpConeProblem *cones)
{
    const PerpProblem *p = cones->p;
    for (int c = 0; c < cones->n_constraints; c++) {
        PerpConstraint *constraint = &cones->constraint[c];
        constraint->first = constraint->end = cones->bodies.entries;
        for (int k = 0; k < 3; k++) {
            int first = constraint->row[k] < 0 ? 0 : p->row_start[constraint->row[k]];
            int end = constraint->row[k] < 0 ? 0 : p->row_start[constraint->row[k] + 1];
            for (int e = first; e < end; e++)
                if (entry_of(cones, constraint, e - first, p->entry_body[e]) == constraint->end)
                    cones->bodies.entry_body[constraint->end++] = p->entry_body[e];
        }
        cones->bodies.entries = constraint->end;
    }
}

// Row k of a constraint, if it has one, to its entries.
static inline void fill_row(PerpConeProblem *cones, const PerpConstraint *constraint, int k,
                            const int *value)
{
    const PerpProblem *p = cones->p;
    int row = constraint->row[k];
    if (row < 0)
        return;
    const double *J = p->J + value[row];
    int first = p->row_start[row], end = p->row_start[row + 1];
    for (int e = first; e < end; e++) {
        int body = p->entry_body[e], n = p->body_start[body + 1] - p->body_start[body];
        perp_copy_row(n, J,
                      perp_over_bodies_row(cones, entry_of(cones, constraint, e - first, body), k));
        J += n;
    }
}

static void fill_entries(PerpConeProblem *cones, const int *value)
{
    for (int c = 0; c < cones->n_constraints; c++) {
        const PerpConstraint *constraint = &cones->constraint[c];
        for (int k = 0; k < 3; k++)
            fill_row(cones, constraint, k, value);
    }
}

// --- scaling ------------------------------------------------------------------------------------

// Scaling, with the numbers of a body known to the compiler.
typedef struct Scaling {
    PerpConeProblem *cones;
    int s, pad; // of the cones
} Scaling;

// J M^-1 J' of row k of the constraint, scaled as it is
PERP_KERNEL_PART double inverse_mass(Scaling at, const PerpConstraint *constraint, int k)
{
    double sum = 0, y[8];
    const PerpConeProblem *cones = at.cones;
    for (int e = constraint->first; e < constraint->end; e++) {
        const double *J = cones->bodies.padded_J + at.pad * (3 * (size_t)e + (size_t)k);
        size_t body = (size_t)cones->bodies.entry_body[e];
        if (cones->bodies.diagonal)
            for (int i = 0; i < at.pad; i++)
                y[i] = cones->bodies.padded_inverse[(size_t)at.pad * body + (size_t)i] * J[i];
        else
            multiply_sized(cones->bodies.inverse + (size_t)(at.s * at.s) * body, at.s, J, y);
        for (int i = 0; i < at.s; i++)
            sum += J[i] * y[i];
    }
    return sum;
}

PERP_KERNEL_PART void scale_row(Scaling at, PerpConstraint *constraint, int k, double scale)
{
    constraint->scale[k] = scale;
    for (int e = constraint->first; e < constraint->end; e++) {
        double *J = at.cones->bodies.padded_J + at.pad * (3 * (size_t)e + (size_t)k);
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
PERP_KERNEL_PART void scale_constraint(Scaling at, PerpConstraint *constraint)
{
    bool joint = constraint->cone->scaling == PERP_SCALE_ROWS;
    double mu = joint                   ? 1
                : constraint->group < 0 ? 0
                                        : at.cones->p->mu[constraint->group],
           mass[3] = {0}, sum = 0;
    int rows = 1 + (constraint->row[1] >= 0) + (constraint->row[2] >= 0);
    for (int k = 0; k < rows; k++) {
        mass[k] = inverse_mass(at, constraint, k);
        sum += k > 0 ? mu * mu * mass[k] : mass[k];
    }
    double common = scale_to(sum / rows);
    for (int k = 0; k < rows; k++)
        scale_row(at, constraint, k, joint ? scale_to(mass[k]) : k > 0 ? mu * common : common);
}

// The rows first .. end - 1 of a coupled constraint, which are one group: to inverse mass 1. The
// cone comes before its coupled constraint.
PERP_KERNEL_PART void scale_group(Scaling at, PerpConstraint *coupled, int group, int first,
                                  int end, double *slope)
{
    PerpConeProblem *cones = at.cones;
    const PerpConstraint *cone = coupled - 1;
    double sum = 0;
    if (group < 0)
        return;
    for (int k = first; k < end; k++)
        sum += inverse_mass(at, coupled, k);
    double scale = sum > 0 ? sqrt((end - first) / sum) : 1;
    for (int k = first; k < end; k++)
        scale_row(at, coupled, k, scale);
    *slope = cones->p->mu[group] * cone->scale[0] / scale;
    int k = group == coupled->group ? 0 : 1;
    perp_facets_scale(coupled->facets[k], *slope, cones->facet + coupled->facet[k]);
}

PERP_KERNEL_PART void scale_all(Scaling at)
{
    const PerpProblem *p = at.cones->p;
    for (int c = 0; c < at.cones->n_constraints; c++) {
        PerpConstraint *constraint = &at.cones->constraint[c];
        constraint->scale[0] = constraint->scale[1] = constraint->scale[2] = 1;
        if (constraint->cone->scaling == PERP_SCALE_GROUPS) {
            int end = constraint->split + 2 < 3 ? constraint->split + 2 : 3;
            scale_group(at, constraint, constraint->group, 0, constraint->split,
                        &constraint->slope[0]);
            scale_group(at, constraint, constraint->other, constraint->split, end,
                        &constraint->slope[1]);
        } else {
            scale_constraint(at, constraint);
        }
        for (int k = 0; k < 3; k++)
            constraint->d[k] =
                constraint->row[k] < 0 ? 0 : constraint->scale[k] * p->d[constraint->row[k]];
        constraint->lo /= constraint->scale[0];
        constraint->hi /= constraint->scale[0];
        constraint->floor /= constraint->scale[0];
    }
}

PERP_VECTOR_KERNEL static void scale_constraints(PerpConeProblem *cones)
{
    if (cones->bodies.size == 6)
        scale_all((Scaling){cones, 6, 8});
    else
        scale_all((Scaling){cones, 3, 4});
}

// Of the largest |v_f|_M of a body: what free motion breaks less of the law is rounding, as when
// joined bodies fall together.
static const double ROUNDING = 1e-9;

static double fastest_body(const PerpConeProblem *cones)
{
    const PerpProblem *p = cones->p;
    double fastest = 0;
    for (int k = 0; k < p->n_bodies; k++) {
        double square = 0;
        for (int i = p->body_start[k]; i < p->body_start[k + 1]; i++)
            square += p->b[i] * cones->bodies.free[cones->bodies.size * k + i - p->body_start[k]];
        fastest = square > fastest ? square : fastest;
    }
    return sqrt(fastest);
}

// Numbers at a floor stand for no impulse: what they would move is taken from free motion.
static void count_floors(PerpConeProblem *cones, double *r)
{
    for (int c = 0; c < cones->n_constraints; c++)
        r[3 * c] = -cones->constraint[c].floor;
    perp_delassus_velocity(cones, r, cones->bodies.free);
    for (int c = 0; c < cones->n_constraints; c++)
        r[3 * c] = cones->constraint[c].floor;
}

// The law is broken by at most 1 without impulses: contacts that stay open have no say in it.
static bool normalise(PerpArena *arena, PerpConeProblem *cones)
{
    int bodies = cones->p->n_bodies * cones->bodies.size;
    PerpArenaMark mark = perp_arena_mark(arena);
    double *u = PERP_TAKE(arena, double, 6 * cones->n_constraints),
           *none = u + 3 * cones->n_constraints;
    if (!u)
        return false;
    perp_delassus_speeds(cones, cones->bodies.free, u);
    double rounding = ROUNDING * fastest_body(cones);
    if (cones->product)
        count_floors(cones, none);
    cones->speed = fmax(perp_cones_residual(cones, none, u), rounding);
    cones->zero_residual = cones->speed > 0;
    if (!(cones->speed > 0 && isfinite(cones->speed)))
        cones->speed = 1;
    perp_arena_release(arena, mark);
    for (int i = 0; i < bodies; i++)
        cones->bodies.free[i] /= cones->speed;
    for (int c = 0; c < cones->n_constraints; c++) {
        PerpConstraint *constraint = &cones->constraint[c];
        for (int k = 0; k < 3; k++)
            constraint->d[k] /= cones->speed;
        constraint->lo /= cones->speed;
        constraint->hi /= cones->speed;
        constraint->floor /= cones->speed;
    }
    return true;
}

// --- all together -------------------------------------------------------------------------------

// Friction groups behind the first of their contact: at most that many constraints are coupled
// constraints.
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
    for (int g = 0; g < p->n_groups && p->group_circular; g++)
        count -= p->group_circular[g] ? p->group_start[g + 1] - p->group_start[g] : 0;
    return count;
}

// Constraints, their bodies and rows, each as large as the one before says.
static bool take_constraints(PerpConeProblem *cones, const int *value)
{
    const PerpProblem *p = cones->p;
    PerpArena *arena = cones->arena;
    int most = p->n_joints + p->n_boxes + p->n_contacts + count_further_groups(p);
    cones->constraint = PERP_TAKE_RAW(arena, PerpConstraint, most);
    cones->facet = PERP_TAKE_RAW(arena, PerpFacet, count_polygon_directions(p));
    cones->bodies.entry_body = PERP_TAKE_RAW(arena, int, p->row_start[perp_problem_rows(p)]);
    if (!cones->constraint || !cones->facet || !cones->bodies.entry_body)
        return false;
    perp_cones_list(cones, value);
    list_entries(cones);
    cones->bodies.padded_J =
        PERP_TAKE(arena, double, 3 * (size_t)cones->bodies.pad * (size_t)cones->bodies.entries);
    cones->newton.e = PERP_TAKE(arena, double, 3 * cones->n_constraints);
    if (!cones->bodies.padded_J || !cones->newton.e)
        return false;
    fill_entries(cones, value);
    return true;
}

bool perp_cones_build(PerpArena *arena, PerpGraphCache *cache, const PerpProblem *p,
                      PerpConeProblem *cones)
{
    int s = body_size(p);
    const int *value = perp_cones_values(arena, p);
    size_t blocks = (size_t)(s * s * p->n_bodies);
    *cones = (PerpConeProblem){
        .p = p,
        .delassus = &perp_delassus_over_bodies,
        .arena = arena,
        .threads = 1,
        .n_state = s * p->n_bodies,
        .shift = 1,
        .bodies = {.size = s, .kernels = perp_block_kernels(s), .diagonal = true, .cache = cache}};
    cones->bodies.pad = cones->bodies.kernels->pad;
    cones->bodies.mass = PERP_TAKE_RAW(arena, double, blocks);
    cones->bodies.inverse = PERP_TAKE_RAW(arena, double, blocks);
    cones->bodies.free = PERP_TAKE_RAW(arena, double, s * p->n_bodies);
    if (!value || !cones->bodies.mass || !cones->bodies.inverse || !cones->bodies.free)
        return false;
    fill_masses(cones);
    if (!widen_inverse(cones) || !take_constraints(cones, value))
        return false;
    scale_constraints(cones);
    return perp_over_bodies_prepare(cones) && normalise(arena, cones);
}
