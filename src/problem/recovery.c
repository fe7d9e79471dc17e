#include "problem/recovery.h"

#include <math.h>
#include <string.h>

bool perp_recovery_take(PerpArena *arena, const PerpReduction *red, PerpRecovery *recovery)
{
    int rows = red->J.n_rows, n_v = perp_problem_velocities(red->problem);
    *recovery = (PerpRecovery){.red = red};
    recovery->y = PERP_TAKE(arena, double, rows);
    recovery->dc = PERP_TAKE(arena, double, rows);
    recovery->w = PERP_TAKE(arena, double, red->n);
    recovery->dz = PERP_TAKE(arena, double, red->n);
    recovery->dv = PERP_TAKE(arena, double, n_v);
    recovery->sum = PERP_TAKE(arena, long double, n_v);
    recovery->e = PERP_TAKE(arena, double, red->equations);
    return recovery->y && recovery->dc && recovery->w && recovery->dz && recovery->dv &&
           recovery->sum && recovery->e;
}

bool perp_recovery_take_point(PerpArena *arena, const PerpReduction *red, PerpRecoveredPoint *point)
{
    point->v = PERP_TAKE(arena, double, perp_problem_velocities(red->problem));
    point->c = PERP_TAKE(arena, double, red->J.n_rows);
    point->z = PERP_TAKE(arena, double, red->n);
    return point->v && point->c && point->z;
}

// sum = b - Mt v
static void subtract_momentum(PerpRecovery *recovery, const double *v)
{
    const PerpProblem *p = recovery->red->problem;
    for (int k = 0; k < p->n_bodies; k++) {
        int first = p->body_start[k], size = p->body_start[k + 1] - first;
        const double *Mt = p->Mt + recovery->red->Mt.value_start[k];
        for (int i = 0; i < size; i++) {
            recovery->sum[first + i] = p->b[first + i];
            for (int j = 0; j < size; j++)
                recovery->sum[first + i] -= (long double)Mt[i + size * j] * v[first + j];
        }
    }
}

// sum += J'c
static void add_impulses(PerpRecovery *recovery, const double *c)
{
    const PerpBlockRows *J = &recovery->red->J;
    for (int r = 0; r < J->n_rows; r++)
        for (int e = J->row_start[r]; e < J->row_start[r + 1] && c[r] != 0; e++) {
            int first = J->body_start[J->entry_body[e]] - J->value_start[e];
            for (int i = J->value_start[e]; i < J->value_start[e + 1]; i++)
                recovery->sum[first + i] += (long double)J->J[i] * c[r];
        }
}

// Mt dv = b - Mt v + J'c
static void mend_momentum(PerpRecovery *recovery, const PerpRecoveredPoint *point)
{
    subtract_momentum(recovery, point->v);
    add_impulses(recovery, point->c);
    for (int i = 0; i < perp_problem_velocities(recovery->red->problem); i++)
        recovery->dv[i] = (double)recovery->sum[i];
    perp_block_diagonal_solve(&recovery->red->Mt, recovery->dv);
}

// y = J v + d + J dv
static void find_row_velocities(PerpRecovery *recovery, const double *v)
{
    const PerpBlockRows *J = &recovery->red->J;
    for (int r = 0; r < J->n_rows; r++) {
        long double sum = recovery->red->problem->d[r];
        for (int e = J->row_start[r]; e < J->row_start[r + 1]; e++) {
            int first = J->body_start[J->entry_body[e]] - J->value_start[e];
            for (int i = J->value_start[e]; i < J->value_start[e + 1]; i++)
                sum += (long double)J->J[i] * v[first + i];
        }
        recovery->y[r] = (double)sum + perp_block_rows_dot(J, r, recovery->dv);
    }
}

// e = G_II^-1 y_I,  w = sign (y_H - G_HI e) + slack
static void find_complementary_rows(PerpRecovery *recovery, const double *z)
{
    const PerpReduction *red = recovery->red;
    int m = red->equations, h = red->impulses;
    for (int k = 0; k < m; k++)
        recovery->e[k] = recovery->y[red->equation_row[k]];
    perp_gram_solve(&red->gram, 1, recovery->e);
    perp_reduction_slack(red, z, recovery->w);
    for (int j = 0; j < h; j++) {
        double y = recovery->y[red->impulse_row[j]];
        for (int k = 0; k < m; k++)
            y -= red->G_HI[(size_t)j + (size_t)h * (size_t)k] * recovery->e[k];
        recovery->w[j] += red->sign[j] * y;
    }
}

void perp_recovery_residual(PerpRecovery *recovery, const PerpRecoveredPoint *point)
{
    mend_momentum(recovery, point);
    find_row_velocities(recovery, point->v);
    find_complementary_rows(recovery, point->z);
}

// dc_H = sign dz,  dc_I = -e - Y dc_H
static void find_impulse_change(PerpRecovery *recovery)
{
    const PerpReduction *red = recovery->red;
    size_t m = (size_t)red->equations;
    memset(recovery->dc, 0, (size_t)red->J.n_rows * sizeof(double));
    for (int j = 0; j < red->impulses; j++)
        recovery->dc[red->impulse_row[j]] = red->sign[j] * recovery->dz[j];
    for (size_t k = 0; k < m; k++) {
        double sum = recovery->e[k];
        for (int j = 0; j < red->impulses; j++)
            sum += red->Y[k + m * (size_t)j] * recovery->dc[red->impulse_row[j]];
        recovery->dc[red->equation_row[k]] = -sum;
    }
}

// v += dv + Mt^-1 J'dc
static void change_velocities(PerpRecovery *recovery, double *v)
{
    const PerpReduction *red = recovery->red;
    int n_v = perp_problem_velocities(red->problem);
    for (int i = 0; i < n_v; i++) {
        v[i] += recovery->dv[i];
        recovery->dv[i] = 0;
    }
    perp_block_rows_add_impulse(&red->J, recovery->dc, recovery->dv);
    perp_block_diagonal_solve(&red->Mt, recovery->dv);
    for (int i = 0; i < n_v; i++)
        v[i] += recovery->dv[i];
}

void perp_recovery_change(PerpRecovery *recovery, PerpRecoveredPoint *point)
{
    const PerpReduction *red = recovery->red;
    find_impulse_change(recovery);
    change_velocities(recovery, point->v);
    for (int k = 0; k < red->equations; k++)
        point->c[red->equation_row[k]] += recovery->dc[red->equation_row[k]];
    for (int j = 0; j < red->n; j++)
        point->z[j] = fmax(point->z[j] + recovery->dz[j], 0);
    for (int j = 0; j < red->impulses; j++) {
        int row = red->impulse_row[j];
        point->c[row] = red->base[row] + red->sign[j] * point->z[j];
    }
}

void perp_recovery_recover(PerpRecovery *recovery, const double *z, PerpRecoveredPoint *point)
{
    const PerpReduction *red = recovery->red;
    memcpy(point->c, red->base, (size_t)red->J.n_rows * sizeof(double));
    memcpy(point->v, red->base_velocity,
           (size_t)perp_problem_velocities(red->problem) * sizeof(double));
    memcpy(point->z, z, (size_t)red->n * sizeof(double));
    for (int j = 0; j < red->impulses; j++)
        point->c[red->impulse_row[j]] += red->sign[j] * z[j];
    memset(recovery->dz, 0, (size_t)red->n * sizeof(double));
    for (int pass = 0; pass < 2; pass++) {
        perp_recovery_residual(recovery, point);
        perp_recovery_change(recovery, point);
    }
}

void perp_recovery_slack(PerpRecovery *recovery, const PerpRecoveredPoint *point)
{
    const PerpReduction *red = recovery->red;
    memset(recovery->dv, 0, (size_t)perp_problem_velocities(red->problem) * sizeof(double));
    find_row_velocities(recovery, point->v);
    perp_reduction_slack(red, point->z, recovery->w);
    for (int j = 0; j < red->impulses; j++)
        recovery->w[j] += red->sign[j] * recovery->y[red->impulse_row[j]];
}
