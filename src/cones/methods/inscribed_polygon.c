// Circular cones as polygons: where a contact slides straight along a direction of its polygon, and
// where it sticks, the polygon's answer is that of the cone.

#include "cones/methods/inscribed_polygon.h"

#include "cones/constraints.h"

#include <math.h>
#include <string.h>

enum { FACETS = 8 };
static const double TURN = 6.28318530717958647693;

// The rows of the polygons in place of those of circular groups.
typedef struct Rows {
    int *start, *body;
    double *J, *d;
    int rows, entries, values;
} Rows;

static void copy_row(const PerpProblem *p, int row, const int *value, Rows *to)
{
    to->d[to->rows] = p->d[row];
    memcpy(to->J + to->values, p->J + value[row],
           (size_t)(value[row + 1] - value[row]) * sizeof(double));
    to->values += value[row + 1] - value[row];
    for (int e = p->row_start[row]; e < p->row_start[row + 1]; e++)
        to->body[to->entries++] = p->entry_body[e];
    to->start[++to->rows] = to->entries;
}

// cos times one row plus sin times the next; rows of a group have the same entries
static void mix_rows(const PerpProblem *p, int row, int count, const double turn[2],
                     const int *value, Rows *to)
{
    double *J = to->J + to->values, d = turn[0] * p->d[row];
    copy_row(p, row, value, to);
    for (int i = 0; i < value[row + 1] - value[row]; i++)
        J[i] = turn[0] * J[i] + (count == 2 ? turn[1] * p->J[value[row + 1] + i] : 0);
    to->d[to->rows - 1] = d + (count == 2 ? turn[1] * p->d[row + 1] : 0);
}

static void add_group(const PerpProblem *p, int g, const PerpDirectionSet *directions,
                      const int *value, Rows *to)
{
    int first = p->n_joints + p->n_boxes + p->n_contacts;
    int row = first + p->group_start[g], count = p->group_start[g + 1] - p->group_start[g];
    for (int k = directions->start[g]; k < directions->start[g + 1]; k++) {
        const double turn[2] = {cos(directions->angle[k]), sin(directions->angle[k])};
        if (p->group_circular[g])
            mix_rows(p, row, count, turn, value, to);
        else
            copy_row(p, row + k - directions->start[g], value, to);
    }
}

bool perp_inscribed_even(PerpArena *arena, const PerpProblem *p, const double *first,
                         PerpDirectionSet *directions)
{
    int *start = PERP_TAKE(arena, int, p->n_groups + 1), most = FACETS * p->n_groups;
    double *angle = PERP_TAKE(arena, double, most + p->n_directions);
    *directions = (PerpDirectionSet){start, angle};
    if (!start || !angle)
        return false;
    for (int g = 0; g < p->n_groups; g++) {
        int count = p->group_start[g + 1] - p->group_start[g];
        int facets = !p->group_circular[g] ? count : count == 2 ? FACETS : 2;
        start[g + 1] = start[g] + facets;
        for (int k = 0; k < facets; k++)
            angle[start[g] + k] = (count == 2 ? first[g] : 0) + k * TURN / facets;
    }
    return true;
}

bool perp_inscribed_make(PerpArena *arena, const PerpProblem *p, const PerpDirectionSet *directions,
                         PerpProblem *polygons)
{
    const int *value = perp_cones_values(arena, p);
    int cache = p->n_joints + p->n_boxes + p->n_contacts, rows = perp_problem_rows(p);
    int facets = 1; // most of a group
    for (int g = 0; g < p->n_groups; g++)
        facets = directions->start[g + 1] - directions->start[g] > facets
                     ? directions->start[g + 1] - directions->start[g]
                     : facets;
    size_t most = (size_t)(cache + directions->start[p->n_groups]);
    size_t entries = (size_t)p->row_start[rows] * (size_t)facets;
    Rows to = {.start = PERP_TAKE(arena, int, most + 1),
               .body = PERP_TAKE(arena, int, entries),
               .J = PERP_TAKE(arena, double, value ? (size_t)value[rows] * (size_t)facets : 0),
               .d = PERP_TAKE(arena, double, most)};
    if (!value || !to.start || !to.body || !to.J || !to.d)
        return false;
    for (int r = 0; r < cache; r++)
        copy_row(p, r, value, &to);
    for (int g = 0; g < p->n_groups; g++)
        add_group(p, g, directions, value, &to);
    *polygons = *p;
    polygons->row_start = to.start;
    polygons->entry_body = to.body;
    polygons->J = to.J;
    polygons->d = to.d;
    polygons->n_directions = to.rows - cache;
    polygons->group_start = directions->start;
    polygons->group_circular = NULL;
    return true;
}

// y = J v + d of a row
static double row_speed(const PerpProblem *p, int row, const int *value, const double *v)
{
    const double *J = p->J + value[row];
    double y = p->d[row];
    for (int e = p->row_start[row]; e < p->row_start[row + 1]; e++)
        for (int i = p->body_start[p->entry_body[e]]; i < p->body_start[p->entry_body[e] + 1]; i++)
            y += *J++ * v[i];
    return y;
}

bool perp_inscribed_turn(PerpArena *arena, const PerpProblem *p, const double *v, double *first,
                         double *lambda)
{
    const int *value = perp_cones_values(arena, p);
    int directions = p->n_joints + p->n_boxes + p->n_contacts;
    for (int g = 0; value && g < p->n_groups; g++) {
        int row = directions + p->group_start[g], count = p->group_start[g + 1] - p->group_start[g];
        if (!p->group_circular[g])
            continue;
        double x = row_speed(p, row, value, v);
        double y = count == 2 ? row_speed(p, row + 1, value, v) : 0;
        lambda[g] = hypot(x, y);
        if (lambda[g] > 0)
            first[g] = atan2(-y, -x);
    }
    return value;
}

void perp_inscribed_impulses(const PerpProblem *p, const PerpDirectionSet *directions,
                             const double *c, double *c_round)
{
    int cache = p->n_joints + p->n_boxes + p->n_contacts;
    memcpy(c_round, c, (size_t)cache * sizeof(double));
    memset(c_round + cache, 0, (size_t)p->n_directions * sizeof(double));
    for (int g = 0; g < p->n_groups; g++) {
        int count = p->group_start[g + 1] - p->group_start[g];
        double *to = c_round + cache + p->group_start[g];
        for (int k = directions->start[g]; k < directions->start[g + 1]; k++) {
            const double turn[2] = {cos(directions->angle[k]), sin(directions->angle[k])};
            for (int i = 0; i < count && p->group_circular[g]; i++)
                to[i] += turn[i] * c[cache + k];
            if (!p->group_circular[g])
                to[k - directions->start[g]] = c[cache + k];
        }
    }
}
