#include "cones/rows.h"

#include "cones/cone.h"
#include "cones/operator/over_bodies.h"
#include "math/vec3.h"

#include <math.h>

// A friction group of a constraint: its rows are row .. row + n - 1 of the constraint, its first
// direction is `direction` among the rows of the problem.
typedef struct Group {
    int group, row, n, direction;
    bool cones;
    int facets; // of a polygon; 0: circular, or two directions on a line
    const PerpFacet *facet;
    double slope;
} Group;

// The k-th group of a constraint; false if it has none.
static bool get_group(const PerpConeProblem *cones, const PerpConstraint *constraint, int k,
                      Group *to)
{
    const PerpProblem *p = cones->p;
    bool coupled = constraint->cone->scaling == PERP_SCALE_GROUPS;
    int group = k == 0 ? constraint->group : constraint->other;
    if (group < 0)
        return false;
    *to = (Group){.group = group,
                  .row = coupled ? (k == 0 ? 0 : constraint->split) : 1,
                  .direction = p->n_joints + p->n_boxes + p->n_contacts + p->group_start[group],
                  .cones = p->group_circular && p->group_circular[group],
                  .facets = constraint->facets[k],
                  .facet = cones->facet + constraint->facet[k],
                  .slope = coupled ? constraint->slope[k] : 1};
    to->n = to->row + 1 < 3 && constraint->row[to->row + 1] >= 0 &&
                    !(coupled && k == 0 && constraint->split == 1)
                ? 2
                : 1;
    return true;
}

// --- impulses -----------------------------------------------------------------------------------

// The polygon's x = sum of weights times vertices, where weights sum up to x_n at most: in units of
// the friction limit.
static void spread_polygon(const PerpConeProblem *cones, const PerpConstraint *constraint,
                           const Group *g, const double *x, double *c)
{
    const PerpConstraint *cone =
        constraint->cone->scaling == PERP_SCALE_GROUPS ? constraint - 1 : constraint;
    double unit = cones->p->mu[g->group] * cone->scale[0] * cones->speed, weight[2];
    int at[2], n = g->facets > 0 ? g->facets : 2;
    for (int k = 0; k < n; k++)
        c[g->direction + k] = 0;
    if (g->facets > 0) {
        perp_facets_split(g->facets, g->facet, x, at, weight);
        c[g->direction + at[0]] = unit * weight[0];
        c[g->direction + at[1]] += unit * weight[1];
    } else { // there and back
        c[g->direction + (x[0] > 0 ? 0 : 1)] = unit * fabs(x[0]) / g->slope;
    }
}

void perp_cones_to_rows(const PerpConeProblem *cones, const double *r, double *c)
{
    for (int i = 0; i < cones->n_constraints; i++) {
        const PerpConstraint *constraint = &cones->constraint[i];
        for (int k = 0; k < 3; k++) {
            double number = r[3 * i + k] - (k == 0 ? constraint->floor : 0);
            if (constraint->row[k] >= 0)
                c[constraint->row[k]] = number * constraint->scale[k] * cones->speed;
        }
        Group g;
        for (int k = 0; k < 2; k++)
            if (get_group(cones, constraint, k, &g) && !g.cones)
                spread_polygon(cones, constraint, &g, r + 3 * i + g.row, c);
    }
}

// x = sum of c times vertices
static void gather_polygon(const PerpConeProblem *cones, const PerpConstraint *constraint,
                           const Group *g, const double *c, double *x)
{
    x[0] = g->facets > 0 ? 0 : c[g->direction] - c[g->direction + 1];
    if (g->facets > 0)
        x[1] = 0;
    for (int k = 0; k < g->facets; k++)
        for (int i = 0; i < 2; i++)
            x[i] += c[g->direction + g->facet[k].direction] * g->facet[k].p[i] / g->slope;
    for (int i = 0; i < g->n; i++) {
        double scale = constraint->scale[g->row + i] * cones->speed;
        x[i] = scale > 0 ? x[i] / scale : 0;
    }
}

void perp_cones_from_rows(const PerpConeProblem *cones, const double *c, double *r)
{
    for (int i = 0; i < cones->n_constraints; i++) {
        const PerpConstraint *constraint = &cones->constraint[i];
        for (int k = 0; k < 3; k++) {
            double scale = constraint->scale[k] * cones->speed;
            bool known = constraint->row[k] >= 0 && scale > 0;
            r[3 * i + k] =
                (known ? c[constraint->row[k]] / scale : 0) + (k == 0 ? constraint->floor : 0);
        }
        Group g;
        for (int k = 0; k < 2; k++)
            if (get_group(cones, constraint, k, &g) && !g.cones)
                gather_polygon(cones, constraint, &g, c, r + 3 * i + g.row);
    }
}

// --- velocities and speeds -----------------------------------------------------------------------

void perp_cones_to_velocities(const PerpConeProblem *cones, const double *v, double *to)
{
    const int *start = cones->p->body_start;
    for (int k = 0; k < cones->p->n_bodies; k++)
        for (int i = start[k]; i < start[k + 1]; i++)
            to[i] = cones->speed * v[cones->bodies.size * k + i - start[k]];
}

// Speed of the constraint's row k, as the problem counts it.
static double row_speed(const PerpConeProblem *cones, const PerpConstraint *constraint, int k,
                        const double *v)
{
    int s = cones->bodies.size;
    double u = constraint->d[k];
    for (int e = constraint->first; e < constraint->end; e++) {
        const double *J = perp_over_bodies_row(cones, e, k);
        for (int i = 0; i < s; i++)
            u += J[i] * v[s * cones->bodies.entry_body[e] + i];
    }
    return constraint->scale[k] > 0 ? cones->speed * u / constraint->scale[k] : 0;
}

// |y| of a circular group, of a polygon the largest -y of its directions
static double slip_of(const PerpConeProblem *cones, const PerpConstraint *constraint,
                      const Group *g, const double *v)
{
    double y[2] = {row_speed(cones, constraint, g->row, v),
                   g->n > 1 ? row_speed(cones, constraint, g->row + 1, v) : 0};
    int at;
    return g->facets > 0 ? perp_facets_slip(g->facets, g->facet, y, &at) / g->slope
                         : perp_length(y[0], y[1]);
}

void perp_cones_slips(const PerpConeProblem *cones, const double *v, double *lambda)
{
    for (int i = 0; i < cones->n_constraints; i++) {
        const PerpConstraint *constraint = &cones->constraint[i];
        Group g;
        for (int k = 0; k < 2; k++)
            if (get_group(cones, constraint, k, &g))
                lambda[g.group] = slip_of(cones, constraint, &g, v);
    }
}
