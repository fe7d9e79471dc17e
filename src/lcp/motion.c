#include "lcp/motion.h"

#include <math.h>
#include <string.h>

bool perp_motion_take(PerpArena *arena, const PerpReduction *red, PerpMotion *motion)
{
    int rows = red->J.n_rows, n_v = perp_problem_velocities(red->problem);
    *motion = (PerpMotion){.red = red};
    motion->y = PERP_TAKE(arena, double, rows);
    motion->dc = PERP_TAKE(arena, double, rows);
    motion->w = PERP_TAKE(arena, double, red->n);
    motion->dz = PERP_TAKE(arena, double, red->n);
    motion->dv = PERP_TAKE(arena, double, n_v);
    motion->sum = PERP_TAKE(arena, long double, n_v);
    motion->e = PERP_TAKE(arena, double, red->equations);
    return motion->y && motion->dc && motion->w && motion->dz && motion->dv && motion->sum &&
           motion->e;
}

bool perp_motion_take_point(PerpArena *arena, const PerpReduction *red, PerpMotionPoint *point)
{
    point->v = PERP_TAKE(arena, double, perp_problem_velocities(red->problem));
    point->c = PERP_TAKE(arena, double, red->J.n_rows);
    point->z = PERP_TAKE(arena, double, red->n);
    return point->v && point->c && point->z;
}

// sum = b - Mt v
static void subtract_momentum(PerpMotion *motion, const double *v)
{
    const PerpProblem *p = motion->red->problem;
    for (int k = 0; k < p->n_bodies; k++) {
        int first = p->body_start[k], size = p->body_start[k + 1] - first;
        const double *Mt = p->Mt + motion->red->Mt.value_start[k];
        for (int i = 0; i < size; i++) {
            motion->sum[first + i] = p->b[first + i];
            for (int j = 0; j < size; j++)
                motion->sum[first + i] -= (long double)Mt[i + size * j] * v[first + j];
        }
    }
}

// sum += J'c
static void add_impulses(PerpMotion *motion, const double *c)
{
    const PerpBlockRows *J = &motion->red->J;
    for (int r = 0; r < J->n_rows; r++)
        for (int e = J->row_start[r]; e < J->row_start[r + 1] && c[r] != 0; e++) {
            int first = J->body_start[J->entry_body[e]] - J->value_start[e];
            for (int i = J->value_start[e]; i < J->value_start[e + 1]; i++)
                motion->sum[first + i] += (long double)J->J[i] * c[r];
        }
}

// Mt dv = b - Mt v + J'c
static void mend_momentum(PerpMotion *motion, const PerpMotionPoint *point)
{
    subtract_momentum(motion, point->v);
    add_impulses(motion, point->c);
    for (int i = 0; i < perp_problem_velocities(motion->red->problem); i++)
        motion->dv[i] = (double)motion->sum[i];
    perp_block_diagonal_solve(&motion->red->Mt, motion->dv);
}

// y = J v + d + J dv
static void find_row_velocities(PerpMotion *motion, const double *v)
{
    const PerpBlockRows *J = &motion->red->J;
    for (int r = 0; r < J->n_rows; r++) {
        long double sum = motion->red->problem->d[r];
        for (int e = J->row_start[r]; e < J->row_start[r + 1]; e++) {
            int first = J->body_start[J->entry_body[e]] - J->value_start[e];
            for (int i = J->value_start[e]; i < J->value_start[e + 1]; i++)
                sum += (long double)J->J[i] * v[first + i];
        }
        motion->y[r] = (double)sum + perp_block_rows_dot(J, r, motion->dv);
    }
}

// e = G_II^-1 y_I,  w = sign (y_H - G_HI e) + slack
static void find_complementary_rows(PerpMotion *motion, const double *z)
{
    const PerpReduction *red = motion->red;
    int m = red->equations, h = red->impulses;
    for (int k = 0; k < m; k++)
        motion->e[k] = motion->y[red->equation_row[k]];
    perp_gram_solve(&red->gram, 1, motion->e);
    perp_reduction_slack(red, z, motion->w);
    for (int j = 0; j < h; j++) {
        double y = motion->y[red->impulse_row[j]];
        for (int k = 0; k < m; k++)
            y -= red->G_HI[(size_t)j + (size_t)h * (size_t)k] * motion->e[k];
        motion->w[j] += red->sign[j] * y;
    }
}

void perp_motion_residual(PerpMotion *motion, const PerpMotionPoint *point)
{
    mend_momentum(motion, point);
    find_row_velocities(motion, point->v);
    find_complementary_rows(motion, point->z);
}

// dc_H = sign dz,  dc_I = -e - Y dc_H
static void find_impulse_change(PerpMotion *motion)
{
    const PerpReduction *red = motion->red;
    size_t m = (size_t)red->equations;
    memset(motion->dc, 0, (size_t)red->J.n_rows * sizeof(double));
    for (int j = 0; j < red->impulses; j++)
        motion->dc[red->impulse_row[j]] = red->sign[j] * motion->dz[j];
    for (size_t k = 0; k < m; k++) {
        double sum = motion->e[k];
        for (int j = 0; j < red->impulses; j++)
            sum += red->Y[k + m * (size_t)j] * motion->dc[red->impulse_row[j]];
        motion->dc[red->equation_row[k]] = -sum;
    }
}

// v += dv + Mt^-1 J'dc
static void change_velocities(PerpMotion *motion, double *v)
{
    const PerpReduction *red = motion->red;
    int n_v = perp_problem_velocities(red->problem);
    for (int i = 0; i < n_v; i++) {
        v[i] += motion->dv[i];
        motion->dv[i] = 0;
    }
    perp_block_rows_add_impulse(&red->J, motion->dc, motion->dv);
    perp_block_diagonal_solve(&red->Mt, motion->dv);
    for (int i = 0; i < n_v; i++)
        v[i] += motion->dv[i];
}

void perp_motion_change(PerpMotion *motion, PerpMotionPoint *point)
{
    const PerpReduction *red = motion->red;
    find_impulse_change(motion);
    change_velocities(motion, point->v);
    for (int k = 0; k < red->equations; k++)
        point->c[red->equation_row[k]] += motion->dc[red->equation_row[k]];
    for (int j = 0; j < red->n; j++)
        point->z[j] = fmax(point->z[j] + motion->dz[j], 0);
    for (int j = 0; j < red->impulses; j++) {
        int row = red->impulse_row[j];
        point->c[row] = red->base[row] + red->sign[j] * point->z[j];
    }
}

void perp_motion_recover(PerpMotion *motion, const double *z, PerpMotionPoint *point)
{
    const PerpReduction *red = motion->red;
    memcpy(point->c, red->base, (size_t)red->J.n_rows * sizeof(double));
    memcpy(point->v, red->base_velocity,
           (size_t)perp_problem_velocities(red->problem) * sizeof(double));
    memcpy(point->z, z, (size_t)red->n * sizeof(double));
    for (int j = 0; j < red->impulses; j++)
        point->c[red->impulse_row[j]] += red->sign[j] * z[j];
    memset(motion->dz, 0, (size_t)red->n * sizeof(double));
    for (int pass = 0; pass < 2; pass++) {
        perp_motion_residual(motion, point);
        perp_motion_change(motion, point);
    }
}

void perp_motion_slack(PerpMotion *motion, const PerpMotionPoint *point)
{
    const PerpReduction *red = motion->red;
    memset(motion->dv, 0, (size_t)perp_problem_velocities(red->problem) * sizeof(double));
    find_row_velocities(motion, point->v);
    perp_reduction_slack(red, point->z, motion->w);
    for (int j = 0; j < red->impulses; j++)
        motion->w[j] += red->sign[j] * motion->y[red->impulse_row[j]];
}
