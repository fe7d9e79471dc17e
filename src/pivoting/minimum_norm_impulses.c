#include "pivoting/minimum_norm_impulses.h"

#include "pivoting/minimum_norm.h"

#include <math.h>
#include <string.h>

// What has been written of E and B.
typedef struct Rules {
    PerpMinimumNorm *minimum;
    int equations, inequalities; // written so far
} Rules;

static void add_equation(Rules *rules, int column, double value)
{
    PerpMinimumNorm *s = rules->minimum;
    s->E[(size_t)rules->equations + (size_t)s->equations * (size_t)column] = value;
}

static void add_inequality(Rules *rules, int column, double value)
{
    PerpMinimumNorm *s = rules->minimum;
    s->B[(size_t)rules->inequalities + (size_t)s->inequalities * (size_t)column] = value;
}

// J'c stays as it is
static void keep_momentum(const PerpRecovery *recovery, Rules *rules)
{
    const PerpBlockRows *J = &recovery->red->J;
    for (int r = 0; r < J->n_rows; r++)
        for (int e = J->row_start[r]; e < J->row_start[r + 1]; e++)
            for (int i = J->value_start[e]; i < J->value_start[e + 1]; i++) {
                rules->equations = J->body_start[J->entry_body[e]] + i - J->value_start[e];
                add_equation(rules, r, J->J[i]);
            }
    rules->equations = perp_problem_velocities(recovery->red->problem);
}

// sign (c - base) >= 0; rows whose w is positive stay closed
static void keep_signs(const PerpRecovery *recovery, const double *tiny, Rules *rules)
{
    const PerpReduction *red = recovery->red;
    for (int j = 0; j < red->impulses; j++) {
        int row = red->impulse_row[j];
        if (recovery->w[j] > tiny[j]) {
            add_equation(rules, row, 1);
            rules->equations++;
        }
        add_inequality(rules, row, red->sign[j]);
        rules->minimum->b[rules->inequalities++] = red->sign[j] * red->base[row];
    }
}

// hi - c >= 0, and mu c_n + cohesion - sum c >= 0: equal where the multiplier is positive
static void keep_limits(const PerpRecovery *recovery, const PerpRecoveredPoint *point,
                        const double *tiny, Rules *rules)
{
    const PerpReduction *red = recovery->red;
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
        rules->minimum->b[rules->inequalities++] = -limit;
        rules->equations++;
    }
}

// What counts as zero in w: 1e-9 of the row's velocity scale.
static void find_tiny(const PerpRecovery *recovery, const PerpRecoveredPoint *point, double *tiny)
{
    const PerpReduction *red = recovery->red;
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

bool perp_minimum_norm_impulses(PerpArena *arena, const PerpLcpJudge *judge, PerpRecovery *recovery,
                                const PerpRecoveredPoint *solution, PerpRecoveredPoint *minimum)
{
    const PerpReduction *red = recovery->red;
    int rows = red->J.n_rows, n_v = perp_problem_velocities(red->problem);
    PerpMinimumNorm problem;
    Rules rules = {.minimum = &problem};
    double *tiny = PERP_TAKE(arena, double, red->n);
    if (!tiny ||
        !perp_minimum_norm_take(arena, rows, n_v + red->impulses + red->n, red->n, &problem))
        return false;
    find_tiny(recovery, solution, tiny);
    perp_recovery_slack(recovery, solution);
    keep_momentum(recovery, &rules);
    keep_signs(recovery, tiny, &rules);
    keep_limits(recovery, solution, tiny, &rules);
    memcpy(problem.c, solution->c, (size_t)rows * sizeof(double));
    if (!perp_minimum_norm_solve(arena, judge, &problem))
        return false;
    memcpy(minimum->v, solution->v, (size_t)n_v * sizeof(double));
    memcpy(minimum->z, solution->z, (size_t)red->n * sizeof(double));
    memcpy(minimum->c, problem.c, (size_t)rows * sizeof(double));
    for (int j = 0; j < red->impulses; j++) {
        int row = red->impulse_row[j];
        minimum->z[j] = fmax(red->sign[j] * (problem.c[row] - red->base[row]), 0);
        minimum->c[row] = red->base[row] + red->sign[j] * minimum->z[j];
    }
    return true;
}
