// Optimality conditions of convex quadratic programs, as mixed LCPs.
#include "generate.h"
#include "lcp_sample.h"

#include <stdlib.h>

// Q = A A' + 1 in the leading block
static void set_hessian(PerpLcpSample *s, PerpRandom *r, int variables)
{
    int n = s->lcp.n;
    double *a = perp_numbers(variables);
    for (int column = 0; column < variables; column++) {
        for (int i = 0; i < variables; i++)
            a[i] = perp_random_normal(r);
        for (int j = 0; j < variables; j++)
            for (int i = 0; i < variables; i++)
                s->M[i + n * j] += a[i] * a[j];
        s->M[column * (n + 1)] += 1.0;
    }
    free(a);
}

// row of E or A, and minus its transpose
static void set_constraint(PerpLcpSample *s, int row, int variable, double value)
{
    int n = s->lcp.n;
    s->M[row + n * variable] = value;
    s->M[variable + n * row] = -value;
}

static void set_random_row(PerpLcpSample *s, PerpRandom *r, int row, int variables)
{
    for (int j = 0; j < variables; j++)
        set_constraint(s, row, j, perp_random_normal(r));
}

// one of the rows first .. first + count - 1 again, or the sum of two of them
static void set_dependent_row(PerpLcpSample *s, PerpRandom *r, int row, int first, int count)
{
    int n = s->lcp.n;
    int one = first + perp_random_int(r, 0, count - 1);
    int other = first + perp_random_int(r, 0, count - 1);
    for (int j = 0; j < first; j++)
        set_constraint(s, row, j, s->M[one + n * j] + (one < other ? s->M[other + n * j] : 0.0));
}

// q = w - M z
static void build_in_solution(PerpLcpSample *s, PerpRandom *r)
{
    int n = s->lcp.n;
    s->solution = perp_numbers(n);
    for (int i = 0; i < n; i++) {
        double size = perp_random_uniform(r, 0.1, 1.0);
        if (i < s->lcp.free || perp_random_coin(r))
            s->solution[i] = size;
        else
            s->q[i] = size;
    }
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            s->q[i] -= s->M[i + n * j] * s->solution[j];
}

PerpLcpSample *perp_lcp_sample_kkt(uint64_t seed, int variables, int equalities, int repeated,
                                   int inequalities)
{
    PerpRandom r = perp_random(seed);
    int free_rows = variables + equalities + repeated;
    PerpLcpSample *s = perp_lcp_sample_create(free_rows + inequalities, free_rows);
    set_hessian(s, &r, variables);
    for (int row = variables; row < s->lcp.n; row++)
        if (row >= variables + equalities && row < free_rows)
            set_dependent_row(s, &r, row, variables, equalities);
        else
            set_random_row(s, &r, row, variables);
    build_in_solution(s, &r);
    return s;
}
