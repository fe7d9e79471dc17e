// Random linear complementarity problems of the classes that theory speaks of.
#include "generate.h"
#include "lcp_sample.h"

#include <stdlib.h>

double *perp_numbers(int count)
{
    double *numbers = calloc((size_t)(count > 0 ? count : 1), sizeof *numbers);
    if (!numbers)
        abort();
    return numbers;
}

PerpLcpSample *perp_lcp_sample_create(int n, int free_rows)
{
    PerpLcpSample *s = calloc(1, sizeof *s);
    if (!s)
        abort();
    s->M = perp_numbers(n * n);
    s->q = perp_numbers(n);
    s->lcp = (PerpLcp){n, free_rows, s->M, s->q};
    return s;
}

void perp_lcp_sample_free(PerpLcpSample *s)
{
    if (!s)
        return;
    free(s->M);
    free(s->q);
    free(s->solution);
    free(s->farkas);
    free(s);
}

static double entry(PerpRandom *r, bool integer)
{
    return integer ? perp_random_int(r, -2, 2) : perp_random_normal(r);
}

static double positive(PerpRandom *r, bool integer)
{
    return integer ? perp_random_int(r, 1, 3) : perp_random_uniform(r, 0.1, 1.0);
}

// M += A A',  A n x rank
static void add_gram(PerpLcpSample *s, PerpRandom *r, int rank, bool integer)
{
    int n = s->lcp.n;
    double *a = perp_numbers(n);
    for (int column = 0; column < rank; column++) {
        for (int i = 0; i < n; i++)
            a[i] = entry(r, integer);
        for (int j = 0; j < n; j++)
            for (int i = 0; i < n; i++)
                s->M[i + n * j] += a[i] * a[j];
    }
    free(a);
}

static void add_skew(PerpLcpSample *s, PerpRandom *r, bool integer)
{
    int n = s->lcp.n;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < j; i++) {
            double k = entry(r, integer);
            s->M[i + n * j] += k;
            s->M[j + n * i] -= k;
        }
}

// q = w - M z for a random solution: free rows any z, the others z > 0, w > 0 or neither
static void build_in_solution(PerpLcpSample *s, PerpRandom *r, bool integer)
{
    int n = s->lcp.n;
    s->solution = perp_numbers(n);
    for (int i = 0; i < n; i++) {
        int kind = perp_random_int(r, 0, integer ? 2 : 1);
        double size = positive(r, integer);
        if (i < s->lcp.free)
            s->solution[i] = kind == 1 ? -size : size;
        else if (kind == 0)
            s->solution[i] = size;
        else if (kind == 1)
            s->q[i] = size;
    }
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            s->q[i] -= s->M[i + n * j] * s->solution[j];
}

PerpLcpSample *perp_lcp_sample_psd(uint64_t seed, int n, int rank, bool integer)
{
    PerpRandom r = perp_random(seed);
    PerpLcpSample *s = perp_lcp_sample_create(n, 0);
    add_gram(s, &r, rank, integer);
    build_in_solution(s, &r, integer);
    return s;
}

PerpLcpSample *perp_lcp_sample_monotone(uint64_t seed, int n, int rank, bool integer)
{
    PerpRandom r = perp_random(seed);
    PerpLcpSample *s = perp_lcp_sample_create(n, 0);
    add_gram(s, &r, rank, integer);
    add_skew(s, &r, integer);
    build_in_solution(s, &r, integer);
    return s;
}

PerpLcpSample *perp_lcp_sample_mixed(uint64_t seed, int n, int free_rows)
{
    PerpRandom r = perp_random(seed);
    PerpLcpSample *s = perp_lcp_sample_create(n, free_rows);
    add_gram(s, &r, n, false);
    add_skew(s, &r, false);
    build_in_solution(s, &r, false);
    return s;
}

// a triangular matrix of positive diagonal, its rows and columns in random order
PerpLcpSample *perp_lcp_sample_p_matrix(uint64_t seed, int n, bool integer)
{
    PerpRandom r = perp_random(seed);
    PerpLcpSample *s = perp_lcp_sample_create(n, 0);
    double *rank = perp_numbers(n);
    for (int i = 0; i < n; i++)
        rank[i] = perp_random_uniform(&r, 0.0, 1.0);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            if (i == j)
                s->M[i + n * j] = positive(&r, integer);
            else if (rank[i] > rank[j])
                s->M[i + n * j] = entry(&r, integer);
    free(rank);
    build_in_solution(s, &r, integer);
    return s;
}

// q = p + M'u with p, u >= 0:  q'z = p'z + u'M z >= 0 for every z >= 0 with M z >= 0
static void build_in_dual_point(PerpLcpSample *s, PerpRandom *r, bool integer)
{
    int n = s->lcp.n;
    for (int i = 0; i < n; i++)
        s->q[i] = perp_random_coin(r) ? positive(r, integer) : 0.0;
    for (int i = 0; i < n; i++) {
        double u = perp_random_coin(r) ? positive(r, integer) : 0.0;
        for (int j = 0; j < n; j++)
            s->q[j] += s->M[i + n * j] * u;
    }
}

PerpLcpSample *perp_lcp_sample_copositive(uint64_t seed, int n, bool integer)
{
    PerpRandom r = perp_random(seed);
    PerpLcpSample *s = perp_lcp_sample_create(n, 0);
    add_gram(s, &r, (n + 1) / 2, integer);
    for (int k = 0; k < n * n; k++)
        if (k % (n + 1) != 0 && perp_random_int(&r, 0, 3) == 0)
            s->M[k] += positive(&r, integer);
    build_in_dual_point(s, &r, integer);
    return s;
}

// M = A A' with columns of A that sum to 0, so that M 1 = 0, exactly; and sum q = -1
static void set_zero_sums(PerpLcpSample *s, PerpRandom *r)
{
    int n = s->lcp.n;
    double *a = perp_numbers(n);
    for (int column = 0; column < n; column++) {
        a[n - 1] = 0.0;
        for (int i = 0; i < n - 1; i++) {
            a[i] = perp_random_int(r, -2, 2);
            a[n - 1] -= a[i];
        }
        for (int k = 0; k < n * n; k++)
            s->M[k] += a[k % n] * a[k / n];
    }
    free(a);
    s->q[n - 1] = -1.0;
    for (int i = 0; i < n - 1; i++) {
        s->q[i] = perp_random_int(r, -3, 3);
        s->q[n - 1] -= s->q[i];
    }
}

// M -> D M D, q -> D q with powers of two, which leaves y = D^-1 1 as the proof
PerpLcpSample *perp_lcp_sample_infeasible(uint64_t seed, int n)
{
    PerpRandom r = perp_random(seed);
    PerpLcpSample *s = perp_lcp_sample_create(n, 0);
    set_zero_sums(s, &r);
    s->farkas = perp_numbers(n);
    for (int i = 0; i < n; i++) {
        int scale = 1 << perp_random_int(&r, 0, 3);
        for (int j = 0; j < n; j++) {
            s->M[i + n * j] *= scale;
            s->M[j + n * i] *= scale;
        }
        s->q[i] *= scale;
        s->farkas[i] = 1.0 / scale;
    }
    return s;
}
