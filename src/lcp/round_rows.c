#include "lcp/round_rows.h"

#include "lcp/round_bodies.h"
#include "math/vec3.h"

#include <math.h>

// A friction group of a cell: its rows are row .. row + n - 1 of the cell, its first direction is
// `direction` among the rows of the problem.
typedef struct Group {
    int group, row, n, direction;
    bool round;
    int facets; // of a polygon; 0: round, or two directions on a line
    const PerpFacet *facet;
    double slope;
} Group;

// The k-th group of a cell; false if it has none.
static bool get_group(const PerpRound *round, const PerpCell *cell, int k, Group *to)
{
    const PerpProblem *p = round->p;
    bool mate = cell->kind == PERP_CELL_MATE;
    int group = k == 0 ? cell->group : cell->other;
    if (group < 0)
        return false;
    *to = (Group){.group = group,
                  .row = mate ? (k == 0 ? 0 : cell->split) : 1,
                  .direction = p->n_joints + p->n_boxes + p->n_contacts + p->group_start[group],
                  .round = p->group_round && p->group_round[group],
                  .facets = cell->facets[k],
                  .facet = round->facet + cell->facet[k],
                  .slope = mate ? cell->slope[k] : 1};
    to->n = to->row + 1 < 3 && cell->row[to->row + 1] >= 0 && !(mate && k == 0 && cell->split == 1)
                ? 2
                : 1;
    return true;
}

// --- impulses -----------------------------------------------------------------------------------

// The polygon's x = sum of weights times vertices, where weights sum up to x_n at most: in units of
// the friction limit.
static void spread_polygon(const PerpRound *round, const PerpCell *cell, const Group *g,
                           const double *x, double *c)
{
    const PerpCell *cone = cell->kind == PERP_CELL_MATE ? cell - 1 : cell;
    double unit = round->p->mu[g->group] * cone->scale[0] * round->speed, weight[2];
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

void perp_round_to_rows(const PerpRound *round, const double *r, double *c)
{
    for (int i = 0; i < round->n_cells; i++) {
        const PerpCell *cell = &round->cell[i];
        for (int k = 0; k < 3; k++) {
            double number = r[3 * i + k] - (k == 0 ? cell->floor : 0);
            if (cell->row[k] >= 0)
                c[cell->row[k]] = number * cell->scale[k] * round->speed;
        }
        Group g;
        for (int k = 0; k < 2; k++)
            if (get_group(round, cell, k, &g) && !g.round)
                spread_polygon(round, cell, &g, r + 3 * i + g.row, c);
    }
}

// x = sum of c times vertices
static void gather_polygon(const PerpRound *round, const PerpCell *cell, const Group *g,
                           const double *c, double *x)
{
    x[0] = g->facets > 0 ? 0 : c[g->direction] - c[g->direction + 1];
    if (g->facets > 0)
        x[1] = 0;
    for (int k = 0; k < g->facets; k++)
        for (int i = 0; i < 2; i++)
            x[i] += c[g->direction + g->facet[k].direction] * g->facet[k].p[i] / g->slope;
    for (int i = 0; i < g->n; i++) {
        double scale = cell->scale[g->row + i] * round->speed;
        x[i] = scale > 0 ? x[i] / scale : 0;
    }
}

void perp_round_from_rows(const PerpRound *round, const double *c, double *r)
{
    for (int i = 0; i < round->n_cells; i++) {
        const PerpCell *cell = &round->cell[i];
        for (int k = 0; k < 3; k++) {
            double scale = cell->scale[k] * round->speed;
            bool known = cell->row[k] >= 0 && scale > 0;
            r[3 * i + k] = (known ? c[cell->row[k]] / scale : 0) + (k == 0 ? cell->floor : 0);
        }
        Group g;
        for (int k = 0; k < 2; k++)
            if (get_group(round, cell, k, &g) && !g.round)
                gather_polygon(round, cell, &g, c, r + 3 * i + g.row);
    }
}

// --- velocities and speeds
// -------------------------------------------------------------------------

void perp_round_to_velocities(const PerpRound *round, const double *v, double *to)
{
    const int *start = round->p->body_start;
    for (int k = 0; k < round->p->n_bodies; k++)
        for (int i = start[k]; i < start[k + 1]; i++)
            to[i] = round->speed * v[round->size * k + i - start[k]];
}

// Speed of the cell's row k, as the problem counts it.
static double row_speed(const PerpRound *round, const PerpCell *cell, int k, const double *v)
{
    int s = round->size;
    double u = cell->d[k];
    for (int e = cell->first; e < cell->end; e++) {
        const double *J = perp_round_row(round, e, k);
        for (int i = 0; i < s; i++)
            u += J[i] * v[s * round->entry_body[e] + i];
    }
    return cell->scale[k] > 0 ? round->speed * u / cell->scale[k] : 0;
}

// |y| of a round group, of a polygon the largest -y of its directions
static double slip_of(const PerpRound *round, const PerpCell *cell, const Group *g, const double *v)
{
    double y[2] = {row_speed(round, cell, g->row, v),
                   g->n > 1 ? row_speed(round, cell, g->row + 1, v) : 0};
    int at;
    return g->facets > 0 ? perp_facets_slip(g->facets, g->facet, y, &at) / g->slope
                         : perp_length(y[0], y[1]);
}

void perp_round_slips(const PerpRound *round, const double *v, double *lambda)
{
    for (int i = 0; i < round->n_cells; i++) {
        const PerpCell *cell = &round->cell[i];
        Group g;
        for (int k = 0; k < 2; k++)
            if (get_group(round, cell, k, &g))
                lambda[g.group] = slip_of(round, cell, &g, v);
    }
}
