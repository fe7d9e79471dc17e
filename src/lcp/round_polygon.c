// Round cones as polygons: where a contact slides straight along a direction of its polygon, and
// where it sticks, the polygon's answer is that of the cone.

#include "lcp/round_polygon.h"

#include "lcp/round_cells.h"

#include <math.h>
#include <string.h>

enum { FACETS = 8 };
static const double TURN = 6.28318530717958647693;

// The rows of the polygons in place of those of round groups.
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

static void add_group(const PerpProblem *p, int g, const PerpFan *fan, const int *value, Rows *to)
{
    int directions = p->n_joints + p->n_boxes + p->n_contacts;
    int row = directions + p->group_start[g], count = p->group_start[g + 1] - p->group_start[g];
    for (int k = fan->start[g]; k < fan->start[g + 1]; k++) {
        const double turn[2] = {cos(fan->angle[k]), sin(fan->angle[k])};
        if (p->group_round[g])
            mix_rows(p, row, count, turn, value, to);
        else
            copy_row(p, row + k - fan->start[g], value, to);
    }
}

bool perp_round_even_fan(PerpArena *arena, const PerpProblem *p, const double *first, PerpFan *fan)
{
    int *start = PERP_TAKE(arena, int, p->n_groups + 1), most = FACETS * p->n_groups;
    double *angle = PERP_TAKE(arena, double, most + p->n_directions);
    *fan = (PerpFan){start, angle};
    if (!start || !angle)
        return false;
    for (int g = 0; g < p->n_groups; g++) {
        int count = p->group_start[g + 1] - p->group_start[g];
        int facets = !p->group_round[g] ? count : count == 2 ? FACETS : 2;
        start[g + 1] = start[g] + facets;
        for (int k = 0; k < facets; k++)
            angle[start[g] + k] = (count == 2 ? first[g] : 0) + k * TURN / facets;
    }
    return true;
}

bool perp_round_to_polygons(PerpArena *arena, const PerpProblem *p, const PerpFan *fan,
                            PerpProblem *polygons)
{
    const int *value = perp_round_values(arena, p);
    int kept = p->n_joints + p->n_boxes + p->n_contacts, rows = perp_problem_rows(p);
    int facets = 1; // most of a group
    for (int g = 0; g < p->n_groups; g++)
        facets =
            fan->start[g + 1] - fan->start[g] > facets ? fan->start[g + 1] - fan->start[g] : facets;
    size_t most = (size_t)(kept + fan->start[p->n_groups]);
    size_t entries = (size_t)p->row_start[rows] * (size_t)facets;
    Rows to = {.start = PERP_TAKE(arena, int, most + 1),
               .body = PERP_TAKE(arena, int, entries),
               .J = PERP_TAKE(arena, double, value ? (size_t)value[rows] * (size_t)facets : 0),
               .d = PERP_TAKE(arena, double, most)};
    if (!value || !to.start || !to.body || !to.J || !to.d)
        return false;
    for (int r = 0; r < kept; r++)
        copy_row(p, r, value, &to);
    for (int g = 0; g < p->n_groups; g++)
        add_group(p, g, fan, value, &to);
    *polygons = *p;
    polygons->row_start = to.start;
    polygons->entry_body = to.body;
    polygons->J = to.J;
    polygons->d = to.d;
    polygons->n_directions = to.rows - kept;
    polygons->group_start = fan->start;
    polygons->group_round = NULL;
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

bool perp_round_turn_polygons(PerpArena *arena, const PerpProblem *p, const double *v,
                              double *first, double *lambda)
{
    const int *value = perp_round_values(arena, p);
    int directions = p->n_joints + p->n_boxes + p->n_contacts;
    for (int g = 0; value && g < p->n_groups; g++) {
        int row = directions + p->group_start[g], count = p->group_start[g + 1] - p->group_start[g];
        if (!p->group_round[g])
            continue;
        double x = row_speed(p, row, value, v);
        double y = count == 2 ? row_speed(p, row + 1, value, v) : 0;
        lambda[g] = hypot(x, y);
        if (lambda[g] > 0)
            first[g] = atan2(-y, -x);
    }
    return value;
}

void perp_round_from_polygons(const PerpProblem *p, const PerpFan *fan, const double *c,
                              double *c_round)
{
    int kept = p->n_joints + p->n_boxes + p->n_contacts;
    memcpy(c_round, c, (size_t)kept * sizeof(double));
    memset(c_round + kept, 0, (size_t)p->n_directions * sizeof(double));
    for (int g = 0; g < p->n_groups; g++) {
        int count = p->group_start[g + 1] - p->group_start[g];
        double *to = c_round + kept + p->group_start[g];
        for (int k = fan->start[g]; k < fan->start[g + 1]; k++) {
            const double turn[2] = {cos(fan->angle[k]), sin(fan->angle[k])};
            for (int i = 0; i < count && p->group_round[g]; i++)
                to[i] += turn[i] * c[kept + k];
            if (!p->group_round[g])
                to[k - fan->start[g]] = c[kept + k];
        }
    }
}
