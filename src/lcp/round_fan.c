#include "lcp/round_fan.h"

#include <math.h>
#include <string.h>

static const double TURN = 6.28318530717958647693;
static const double CLOSER = 0.25;  // distance of a vertex by that of the one before
static const double WIDER = 2;      // farthest new vertex, by the gap that the answer lay in
static const double CLOSEST = 1e-8; // nearest new vertex
static const double SAME = 1e-9;    // angle below which two vertices are one
enum { NEAR = 6 };

// Adds a direction to the group that the fan ends with, in order, unless it is there.
static void add_direction(PerpFan *fan, int g, double angle)
{
    int first = fan->start[g], end = fan->start[g + 1];
    angle = angle - TURN * floor(angle / TURN);
    int place = end;
    while (place > first && fan->angle[place - 1] > angle)
        place--;
    bool there = (place > first && angle - fan->angle[place - 1] < SAME) ||
                 (place < end && fan->angle[place] - angle < SAME);
    if (there || end - first == PERP_FAN_DIRECTIONS)
        return;
    memmove(fan->angle + place + 1, fan->angle + place, (size_t)(end - place) * sizeof(double));
    fan->angle[place] = angle;
    fan->start[g + 1]++;
}

// Groups of one direction have both its senses.
static void add_even(const PerpProblem *p, const PerpFanStart *start, PerpFan *fan, int g)
{
    bool plane = p->group_start[g + 1] - p->group_start[g] == 2;
    int facets = plane ? start->facets : 2;
    for (int k = 0; k < facets; k++)
        add_direction(fan, g, (plane ? start->first : 0) + k * TURN / facets);
}

void perp_fan_begin(const PerpProblem *p, const PerpFanStart *start, PerpFan *fan)
{
    fan->start[0] = 0;
    for (int g = 0; g < p->n_groups; g++) {
        fan->start[g + 1] = fan->start[g];
        add_even(p, start, fan, g);
    }
}

// Between which two vertices an angle lies: how far they are from each other.
static double find_gap(const PerpFan *fan, int g, double angle)
{
    int first = fan->start[g], last = fan->start[g + 1] - 1;
    angle = angle - TURN * floor(angle / TURN);
    for (int k = first; k < last; k++)
        if (angle >= fan->angle[k] && angle < fan->angle[k + 1])
            return fan->angle[k + 1] - fan->angle[k];
    return fan->angle[first] + TURN - fan->angle[last];
}

static void add_cluster(PerpFan *next, int g, double centre, double gap)
{
    double away = WIDER * gap;
    add_direction(next, g, centre);
    for (int k = 0; k < NEAR && away > CLOSEST; k++, away *= CLOSER) {
        add_direction(next, g, centre + away);
        add_direction(next, g, centre - away);
    }
}

void perp_fan_refine(const PerpProblem *p, const PerpFanStart *start, const PerpFan *fan,
                     const signed char *in_use, const double *centre, PerpFan *next)
{
    next->start[0] = 0;
    for (int g = 0; g < p->n_groups; g++) {
        next->start[g + 1] = next->start[g];
        for (int k = fan->start[g]; k < fan->start[g + 1]; k++)
            if (isnan(centre[g]) || (in_use && in_use[k]))
                add_direction(next, g, fan->angle[k]);
        if (!isnan(centre[g]))
            add_cluster(next, g, centre[g], find_gap(fan, g, centre[g]));
        add_even(p, start, next, g);
    }
}

int perp_fan_carry(const PerpProblem *p, const PerpFan *fan, const PerpFan *next, int head,
                   int tail, const signed char *basis, signed char *next_basis)
{
    int old = fan->start[p->n_groups], new = next->start[p->n_groups];
    memcpy(next_basis, basis, (size_t)head);
    memset(next_basis + head, 0, (size_t) new);
    memcpy(next_basis + head + new, basis + head + old, (size_t)tail);
    for (int g = 0; g < p->n_groups; g++)
        for (int k = fan->start[g]; k < fan->start[g + 1]; k++)
            for (int j = next->start[g]; j < next->start[g + 1]; j++)
                if (basis[head + k] && next->angle[j] == fan->angle[k])
                    next_basis[head + j] = 1;
    return head + new + tail;
}
