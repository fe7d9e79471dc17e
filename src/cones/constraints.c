#include "cones/constraints.h"

#include "cones/cone.h"
#include "cones/product.h"

#include <math.h>
#include <string.h>

// --- what fits ----------------------------------------------------------------------------------

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

const int *perp_cones_values(PerpArena *arena, const PerpProblem *p)
{
    int rows = perp_problem_rows(p), *value = PERP_TAKE_RAW(arena, int, rows + 1), at = 0;
    for (int row = 0; value && row < rows; row++) {
        value[row] = at;
        at += width_of(p, row);
    }
    if (value)
        value[rows] = at;
    return value;
}

// The directions that stand for a group's: its own one or two if it is circular, else two of the
// polygon's. J: of its rows. False if there are none.
static bool find_basis(const PerpProblem *p, int g, const double *J, int basis[2],
                       PerpFacet *facets)
{
    int first = p->n_joints + p->n_boxes + p->n_contacts + p->group_start[g];
    int n = p->group_start[g + 1] - p->group_start[g];
    if (p->group_circular && p->group_circular[g]) {
        basis[0] = 0;
        basis[1] = n == 2 ? 1 : -1;
        return true;
    }
    for (int k = 1; k < n; k++)
        if (!joins_same(p, first, first + k))
            return false;
    return perp_facets_find(n, width_of(p, first), J, p->d + first, basis, facets);
}

// Can the groups first .. end - 1 of a contact be a cone and its coupled constraint? J: of their
// rows, read of polygons alone.
static bool fits_cone(const PerpProblem *p, int first, int end, const double *J)
{
    static const double SAME = 1e-12;
    PerpFacet facets[PERP_MOST_FACETS];
    int normal = p->n_joints + p->n_boxes + p->group_contact[first], rows = 0;
    for (int g = first; g < end; g++) {
        double unlike = fabs(pressed(p, g) - pressed(p, first));
        int row = p->n_joints + p->n_boxes + p->n_contacts + p->group_start[g], basis[2];
        bool circular = p->group_circular && p->group_circular[g], coupled = g > first;
        if (!(unlike <= SAME * pressed(p, first)) || !find_basis(p, g, J, basis, facets) ||
            (end > first + 1 && !joins_same(p, normal, row)) ||
            (coupled && !circular && !(p->mu[g] > 0))) // a polygon of no size
            return false;
        rows += !coupled ? 0 : basis[1] < 0 ? 1 : 2;
        for (; row < p->n_joints + p->n_boxes + p->n_contacts + p->group_start[g + 1]; row++)
            J += end > first + 1 ? width_of(p, row) : 0;
    }
    return end - first <= PERP_PRODUCT_GROUPS && rows <= 3;
}

static bool has_polygons(const PerpProblem *p)
{
    bool has = p->n_groups > 0 && !p->group_circular;
    for (int g = 0; g < p->n_groups && !has; g++)
        has = !p->group_circular[g];
    return has;
}

bool perp_cones_fits(const PerpProblem *p)
{
    int last = -1, directions = p->n_joints + p->n_boxes + p->n_contacts; // last: contact
    bool polygons = has_polygons(p);
    const double *J = p->J;
    for (int k = 0; k < p->n_bodies; k++)
        if (p->body_start[k + 1] - p->body_start[k] > 6)
            return false;
    for (int row = 0; row < directions && polygons; row++)
        J += width_of(p, row);
    for (int g = 0, end; g < p->n_groups; g = end) {
        end = end_of_contact(p, g);
        if (p->group_contact[g] <= last || !fits_cone(p, g, end, J))
            return false;
        last = p->group_contact[g];
        for (int k = p->group_start[g]; k < p->group_start[end] && polygons; k++)
            J += width_of(p, directions + k);
    }
    return true;
}

// --- the list -----------------------------------------------------------------------------------

static PerpConstraint *begin_constraint(PerpConeProblem *cones, const PerpCone *cone)
{
    PerpConstraint *constraint = &cones->constraint[cones->n_constraints++];
    *constraint = (PerpConstraint){.cone = cone,
                                   .row = {-1, -1, -1},
                                   .lo = -INFINITY,
                                   .hi = INFINITY,
                                   .group = -1,
                                   .other = -1};
    return constraint;
}

static void list_joints(PerpConeProblem *cones)
{
    const PerpProblem *p = cones->p;
    for (int i = 0, k = 0; i < p->n_joints; i++) {
        k = i > 0 && k < 2 && joins_same(p, i - 1, i) ? k + 1 : 0;
        PerpConstraint *constraint = k > 0 ? &cones->constraint[cones->n_constraints - 1]
                                           : begin_constraint(cones, &perp_cone_bilateral);
        constraint->row[k] = i;
    }
}

static void list_boxes(PerpConeProblem *cones)
{
    const PerpProblem *p = cones->p;
    for (int i = 0; i < p->n_boxes; i++) {
        PerpConstraint *constraint = begin_constraint(cones, &perp_cone_box);
        constraint->row[0] = p->n_joints + i;
        constraint->lo = p->lo[i];
        constraint->hi = p->hi[i];
    }
}

// A group becomes the k-th of the constraint, its rows those from `at` on. Returns how many these
// are.
static int add_group(PerpConeProblem *cones, const int *value, int g, int at, int k,
                     PerpConstraint *constraint)
{
    const PerpProblem *p = cones->p;
    int row = p->n_joints + p->n_boxes + p->n_contacts + p->group_start[g], basis[2];
    PerpFacet *facets = cones->facet + cones->n_facets;
    find_basis(p, g, p->J + value[row], basis, facets);
    bool polygon = !(p->group_circular && p->group_circular[g]) && basis[1] >= 0;
    if (polygon) {
        constraint->facet[k] = cones->n_facets;
        constraint->facets[k] = p->group_start[g + 1] - p->group_start[g];
        cones->n_facets += constraint->facets[k];
    }
    constraint->row[at] = row + basis[0];
    if (basis[1] < 0)
        return 1;
    constraint->row[at + 1] = row + basis[1];
    return 2;
}

// The constraint of the groups first .. end - 1, which are one or two.
static void add_coupled(PerpConeProblem *cones, const int *value, int first, int end)
{
    PerpConstraint *coupled = begin_constraint(cones, &perp_cone_coupled);
    coupled->group = first;
    coupled->split = add_group(cones, value, first, 0, 0, coupled);
    if (end > first + 1) {
        coupled->other = first + 1;
        add_group(cones, value, first + 1, coupled->split, 1, coupled);
    }
    cones->n_coupled++;
}

// Contacts with a coupled constraint, or those without.
static void list_contacts(PerpConeProblem *cones, const int *value, bool with_coupled)
{
    const PerpProblem *p = cones->p;
    for (int i = 0, g = 0; i < p->n_contacts; i++) {
        bool rubs = g < p->n_groups && p->group_contact[g] == i;
        int end = rubs ? end_of_contact(p, g) : g;
        if ((end > g + 1) == with_coupled) {
            PerpConstraint *constraint = begin_constraint(cones, &perp_cone_second_order);
            constraint->row[0] = p->n_joints + p->n_boxes + i;
            if (rubs) {
                constraint->group = g;
                add_group(cones, value, g, 1, 0, constraint);
                constraint->floor = pressed(p, g);
            }
            if (with_coupled || constraint->floor > 0 || constraint->facets[0] > 0) {
                constraint->cone = &perp_cone_product;
                cones->product = true;
            }
            if (with_coupled)
                add_coupled(cones, value, g + 1, end);
        }
        g = end;
    }
}

void perp_cones_list(PerpConeProblem *cones, const int *value)
{
    list_contacts(cones, value, true); // pairs begin at even numbers
    list_joints(cones);
    list_boxes(cones);
    list_contacts(cones, value, false);
    perp_cones_count_inequalities(cones);
}
