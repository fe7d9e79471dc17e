#include "cones/methods/direction_set.h"

#include <math.h>
#include <string.h>

static const double TURN = 6.28318530717958647693;
static const double CLOSER = 0.25;  // distance of a vertex by that of the one before
static const double WIDER = 2;      // farthest new vertex, by the gap that the answer lay in
static const double CLOSEST = 1e-8; // nearest new vertex
static const double SAME = 1e-9;    // angle below which two vertices are one
enum { NEAR = 6 };

// Adds a direction to the group that the direction set ends with, in order, unless it is there.
static void add_direction(PerpDirectionSet *directions, int g, double angle)
{
    int first = directions->start[g], end = directions->start[g + 1];
    angle = angle - TURN * floor(angle / TURN);
    int place = end;
    while (place > first && directions->angle[place - 1] > angle)
        place--;
    bool there = (place > first && angle - directions->angle[place - 1] < SAME) ||
                 (place < end && directions->angle[place] - angle < SAME);
    if (there || end - first == PERP_DIRECTION_SET_SIZE)
        return;
    memmove(directions->angle + place + 1, directions->angle + place,
            (size_t)(end - place) * sizeof(double));
    directions->angle[place] = angle;
    directions->start[g + 1]++;
}

// Groups of one direction have both its senses.
static void add_even(const PerpProblem *p, const PerpDirectionSetStart *start,
                     PerpDirectionSet *directions, int g)
{
    bool plane = p->group_start[g + 1] - p->group_start[g] == 2;
    int facets = plane ? start->facets : 2;
    for (int k = 0; k < facets; k++)
        add_direction(directions, g, (plane ? start->first : 0) + k * TURN / facets);
}

void perp_direction_set_begin(const PerpProblem *p, const PerpDirectionSetStart *start,
                              PerpDirectionSet *directions)
{
    directions->start[0] = 0;
    for (int g = 0; g < p->n_groups; g++) {
        directions->start[g + 1] = directions->start[g];
        add_even(p, start, directions, g);
    }
}

// Between which two vertices an angle lies: how far they are from each other.
static double find_gap(const PerpDirectionSet *directions, int g, double angle)
{
    int first = directions->start[g], last = directions->start[g + 1] - 1;
    angle = angle - TURN * floor(angle / TURN);
    for (int k = first; k < last; k++)
        if (angle >= directions->angle[k] && angle < directions->angle[k + 1])
            return directions->angle[k + 1] - directions->angle[k];
    return directions->angle[first] + TURN - directions->angle[last];
}

static void add_cluster(PerpDirectionSet *next, int g, double centre, double gap)
{
    double away = WIDER * gap;
    add_direction(next, g, centre);
    for (int k = 0; k < NEAR && away > CLOSEST; k++, away *= CLOSER) {
        add_direction(next, g, centre + away);
        add_direction(next, g, centre - away);
    }
}

void perp_direction_set_refine(const PerpProblem *p, const PerpDirectionSetStart *start,
                               const PerpDirectionSet *directions, const signed char *in_use,
                               const double *centre, PerpDirectionSet *next)
{
    next->start[0] = 0;
    for (int g = 0; g < p->n_groups; g++) {
        next->start[g + 1] = next->start[g];
        for (int k = directions->start[g]; k < directions->start[g + 1]; k++)
            if (isnan(centre[g]) || (in_use && in_use[k]))
                add_direction(next, g, directions->angle[k]);
        if (!isnan(centre[g]))
            add_cluster(next, g, centre[g], find_gap(directions, g, centre[g]));
        add_even(p, start, next, g);
    }
}

int perp_direction_set_carry(const PerpProblem *p, const PerpDirectionSet *directions,
                             const PerpDirectionSet *next, int head, int tail,
                             const signed char *basis, signed char *next_basis)
{
    int old = directions->start[p->n_groups], new = next->start[p->n_groups];
    memcpy(next_basis, basis, (size_t)head);
    memset(next_basis + head, 0, (size_t) new);
    memcpy(next_basis + head + new, basis + head + old, (size_t)tail);
    for (int g = 0; g < p->n_groups; g++)
        for (int k = directions->start[g]; k < directions->start[g + 1]; k++)
            for (int j = next->start[g]; j < next->start[g + 1]; j++)
                if (basis[head + k] && next->angle[j] == directions->angle[k])
                    next_basis[head + j] = 1;
    return head + new + tail;
}
