#include "problem/kkt.h"

#include <string.h>

int perp_kkt_free(const PerpReduction *red)
{
    return perp_problem_velocities(red->problem) + red->equations;
}

static void fill_masses(const PerpReduction *red, double *M, size_t n)
{
    const PerpProblem *p = red->problem;
    for (int k = 0; k < p->n_bodies; k++) {
        size_t first = (size_t)p->body_start[k], size = (size_t)p->body_start[k + 1] - first;
        const double *block = p->Mt + red->Mt.value_start[k];
        for (size_t j = 0; j < size; j++)
            memcpy(M + first + n * (first + j), block + size * j, size * sizeof(double));
    }
}

// Row `row` of J, times sign: as row `at` of M, and with the other sign as column.
static void fill_row(const PerpReduction *red, int row, size_t at, double sign, double *M, size_t n)
{
    const PerpBlockRows *J = &red->J;
    for (int e = J->row_start[row]; e < J->row_start[row + 1]; e++) {
        int first = J->body_start[J->entry_body[e]] - J->value_start[e];
        for (int i = J->value_start[e]; i < J->value_start[e + 1]; i++) {
            size_t v = (size_t)(first + i);
            M[at + n * v] = sign * J->J[i];
            M[v + n * at] = -sign * J->J[i];
        }
    }
}

static void fill_constants(const PerpReduction *red, double *q)
{
    const PerpProblem *p = red->problem;
    int n_v = perp_problem_velocities(p), f = perp_kkt_free(red);
    memcpy(q, p->b, (size_t)n_v * sizeof(double));
    perp_block_rows_add_impulse(&red->J, red->base, q);
    for (int i = 0; i < n_v; i++)
        q[i] = -q[i];
    for (int k = 0; k < red->equations; k++)
        q[n_v + k] = p->d[red->equation_row[k]];
    memcpy(q + f, red->q, (size_t)red->n * sizeof(double));
    for (int j = 0; j < red->impulses; j++)
        q[f + j] = red->sign[j] * p->d[red->impulse_row[j]];
}

// E, E' and mu, as in the reduced problem: everything outside its block of impulses
static void fill_slacks(const PerpReduction *red, double *M, size_t n)
{
    size_t f = (size_t)perp_kkt_free(red), m = (size_t)red->n, h = (size_t)red->impulses;
    for (size_t j = 0; j < m; j++)
        for (size_t i = j < h ? h : 0; i < m; i++)
            M[f + i + n * (f + j)] = red->M[i + m * j];
}

void perp_kkt_fill(const PerpReduction *red, double *M, double *q)
{
    int n_v = perp_problem_velocities(red->problem), f = perp_kkt_free(red);
    size_t n = (size_t)(f + red->n);
    fill_masses(red, M, n);
    for (int k = 0; k < red->equations; k++)
        fill_row(red, red->equation_row[k], (size_t)(n_v + k), 1, M, n);
    for (int j = 0; j < red->impulses; j++)
        fill_row(red, red->impulse_row[j], (size_t)(f + j), red->sign[j], M, n);
    fill_slacks(red, M, n);
    fill_constants(red, q);
}
