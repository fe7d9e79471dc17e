#include "lcp/shortest_impulses.h"

#include "lcp/minimum_norm.h"

#include <math.h>
#include <string.h>

// What has been written of E and B.
typedef struct Rules {
    PerpShortest *shortest;
    int equations, inequalities; // written so far
} Rules;

static void add_equation(Rules *rules, int column, double value)
{
    PerpShortest *s = rules->shortest;
    s->E[(size_t)rules->equations + (size_t)s->equations * (size_t)column] = value;
}

static void add_inequality(Rules *rules, int column, double value)
{
    PerpShortest *s = rules->shortest;
    s->B[(size_t)rules->inequalities + (size_t)s->inequalities * (size_t)column] = value;
}

// J'c stays as it is
static void keep_momentum(const PerpMotion *motion, Rules *rules)
{
    const PerpBlockRows *J = &motion->red->J;
    for (int r = 0; r < J->n_rows; r++)
        for (int e = J->row_start[r]; e < J->row_start[r + 1]; e++)
            for (int i = J->value_start[e]; i < J->value_start[e + 1]; i++) {
                rules->equations = J->body_start[J->entry_body[e]] + i - J->value_start[e];
                add_equation(rules, r, J->J[i]);
            }
    rules->equations = perp_problem_velocities(motion->red->problem);
}

// sign (c - base) >= 0; rows whose w is positive stay closed
static void keep_signs(const PerpMotion *motion, const double *tiny, Rules *rules)
{
    const PerpReduction *red = motion->red;
    for (int j = 0; j < red->impulses; j++) {
        int row = red->impulse_row[j];
        if (motion->w[j] > tiny[j]) {
            add_equation(rules, row, 1);
            rules->equations++;
        }
        add_inequality(rules, row, red->sign[j]);
        rules->shortest->b[rules->inequalities++] = red->sign[j] * red->base[row];
    }
}

// hi - c >= 0, and mu c_n + cohesion - sum c >= 0: equal where the multiplier is positive
static void keep_limits(const PerpMotion *motion, const PerpMotionPoint *point, const double *tiny,
                        Rules *rules)
{
    const PerpReduction *red = motion->red;
    const PerpProblem *p = red->problem;
    for (int k = red->impulses; k < red->n; k++) {
        int g = k - red->impulses - red->ranges;
        for (int j = 0; j < red->impulses; j++)
            if (red->partner[j] == k) {
                add_inequality(rules, red->impulse_row[j], -1);
                if (point->z[k] > tiny[j])
                    add_equation(rules, red->impulse_row[j], -1);
            }
        double limit;
        if (g >= 0) {
            int contact = p->n_joints + p->n_boxes + p->group_contact[g];
            add_inequality(rules, contact, p->mu[g]);
            limit = p->cohesion[g];
            if (point->z[k] > tiny[red->impulses - p->n_directions + p->group_start[g]])
                add_equation(rules, contact, p->mu[g]);
        } else {
            limit = p->hi[red->impulse_row[red->range_impulse[k - red->impulses]] - p->n_joints];
        }
        rules->shortest->b[rules->inequalities++] = -limit;
        rules->equations++;
    }
}

// What counts as zero in w: 1e-9 of the row's velocity scale.
static void find_tiny(const PerpMotion *motion, const PerpMotionPoint *point, double *tiny)
{
    const PerpReduction *red = motion->red;
    const PerpBlockRows *J = &red->J;
    for (int j = 0; j < red->impulses; j++) {
        int r = red->impulse_row[j];
        double scale = fabs(red->problem->d[r]);
        for (int e = J->row_start[r]; e < J->row_start[r + 1]; e++) {
            int first = J->body_start[J->entry_body[e]] - J->value_start[e];
            for (int i = J->value_start[e]; i < J->value_start[e + 1]; i++)
                scale += fabs(J->J[i]) *
                         (fabs(point->v[first + i]) + fabs(red->base_velocity[first + i]));
        }
        tiny[j] = 1e-9 * scale;
    }
}

bool perp_shortest_impulses(PerpArena *arena, PerpMotion *motion, const PerpMotionPoint *solution,
                            PerpMotionPoint *shortest)
{
    const PerpReduction *red = motion->red;
    int rows = red->J.n_rows, n_v = perp_problem_velocities(red->problem);
    PerpShortest problem;
    Rules rules = {.shortest = &problem};
    double *tiny = PERP_TAKE(arena, double, red->n);
    if (!tiny || !perp_shortest_take(arena, rows, n_v + red->impulses + red->n, red->n, &problem))
        return false;
    find_tiny(motion, solution, tiny);
    perp_motion_slack(motion, solution);
    keep_momentum(motion, &rules);
    keep_signs(motion, tiny, &rules);
    keep_limits(motion, solution, tiny, &rules);
    memcpy(problem.c, solution->c, (size_t)rows * sizeof(double));
    if (!perp_shortest_solve(arena, &problem))
        return false;
    memcpy(shortest->v, solution->v, (size_t)n_v * sizeof(double));
    memcpy(shortest->z, solution->z, (size_t)red->n * sizeof(double));
    memcpy(shortest->c, problem.c, (size_t)rows * sizeof(double));
    for (int j = 0; j < red->impulses; j++) {
        int row = red->impulse_row[j];
        shortest->z[j] = fmax(red->sign[j] * (problem.c[row] - red->base[row]), 0);
        shortest->c[row] = red->base[row] + red->sign[j] * shortest->z[j];
    }
    return true;
}
