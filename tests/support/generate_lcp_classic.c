// Linear complementarity problems with a name.
#include "generate.h"
#include "lcp_sample.h"

#include <math.h>
#include <stdlib.h>

static double murty_entry(int i, int j)
{
    return i == j ? 1.0 : i > j ? 2.0 : 0.0;
}

// q_i = -1 + base^-i, i = 1 .. n: no ties, and the solution is z = (1 - 1/base, 0, ... 0)
static PerpLcpSample *create_worst_case(int n, double base)
{
    PerpLcpSample *s = perp_lcp_sample_create(n, 0);
    double power = 1.0;
    for (int i = 0; i < n; i++) {
        power /= base;
        s->q[i] = -1.0 + power;
    }
    s->solution = perp_numbers(n);
    s->solution[0] = -s->q[0];
    return s;
}

PerpLcpSample *perp_lcp_sample_murty(int n)
{
    PerpLcpSample *s = create_worst_case(n, 2.0);
    for (int k = 0; k < n * n; k++)
        s->M[k] = murty_entry(k % n, k / n);
    return s;
}

PerpLcpSample *perp_lcp_sample_fathi(int n)
{
    PerpLcpSample *s = create_worst_case(n, 4.0);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            for (int k = 0; k < n; k++)
                s->M[i + n * j] += murty_entry(i, k) * murty_entry(j, k);
    return s;
}

PerpLcpSample *perp_lcp_sample_cycling(int number)
{
    static const int sizes[] = {3, 4, 5};
    static const double by_rows[3][30] = {
        {8, 3, 3, -1, 9, 5, 0, -1, 5, 6, 2, -1},
        {4, 5, -2, 1, 0, -1, 1, 2, -2, -1, 2, -2, 1, 5, -1, -1, 2, -1, 4, -1},
        {1,  3,  -2, -2, 0,  -1, -1, 2, 2,  4,  4,  -1, 4, 2, 6,
         -6, -5, -1, 2,  -2, 0,  5,  3, -1, -2, -2, -1, 9, 9, 1},
    };
    int n = sizes[number];
    PerpLcpSample *s = perp_lcp_sample_create(n, 0);
    for (int i = 0; i < n; i++) {
        const double *row = by_rows[number] + i * (n + 1);
        for (int j = 0; j < n; j++)
            s->M[i + n * j] = row[j];
        s->q[i] = row[n];
    }
    return s;
}

// z is the height over a floor f = -(x - 1/2)^2, w the force of the floor:
// w = T (z + f) + load
PerpLcpSample *perp_lcp_sample_obstacle(int n)
{
    PerpLcpSample *s = perp_lcp_sample_create(n, 0);
    double load = 1.0 / ((double)n * n);
    for (int i = 0; i < n; i++) {
        s->q[i] = load;
        for (int j = i > 0 ? i - 1 : 0; j <= i + 1 && j < n; j++) {
            double x = (j + 1.0) / (n + 1.0) - 0.5;
            s->M[i + n * j] = i == j ? 2.0 : -1.0;
            s->q[i] -= s->M[i + n * j] * x * x;
        }
    }
    return s;
}

// --- games ---

PerpGame perp_random_game(uint64_t seed, int rows, int columns, bool integer)
{
    PerpRandom r = perp_random(seed);
    int entries = rows * columns;
    PerpGame g = {rows, columns, perp_numbers(entries), perp_numbers(entries)};
    for (int k = 0; k < entries; k++) {
        g.A[k] = integer ? perp_random_int(&r, 1, 4) : perp_random_uniform(&r, 0.5, 1.5);
        g.B[k] = integer ? perp_random_int(&r, 1, 4) : perp_random_uniform(&r, 0.5, 1.5);
    }
    return g;
}

void perp_game_free(PerpGame *game)
{
    free(game->A);
    free(game->B);
    *game = (PerpGame){0};
}

// [0 A; B' 0] from row and column `first` on
static void set_costs(PerpLcpSample *s, const PerpGame *g, int first)
{
    int n = s->lcp.n, x = first, y = first + g->rows;
    for (int j = 0; j < g->columns; j++)
        for (int i = 0; i < g->rows; i++) {
            s->M[x + i + n * (y + j)] = g->A[i + g->rows * j];
            s->M[y + j + n * (x + i)] = g->B[i + g->rows * j];
        }
}

PerpLcpSample *perp_lcp_sample_plain_game(const PerpGame *g)
{
    PerpLcpSample *s = perp_lcp_sample_create(g->rows + g->columns, 0);
    set_costs(s, g, 0);
    for (int i = 0; i < s->lcp.n; i++)
        s->q[i] = -1.0;
    return s;
}

// sum x - 1 = 0 and A y - s 1 >= 0: the borders of ones are skew, so that M stays copositive
PerpLcpSample *perp_lcp_sample_game(const PerpGame *g)
{
    int n = 2 + g->rows + g->columns;
    PerpLcpSample *s = perp_lcp_sample_create(n, 2);
    set_costs(s, g, 2);
    for (int i = 2; i < n; i++) {
        int player = i < 2 + g->rows ? 0 : 1;
        s->M[player + n * i] = 1.0;
        s->M[i + n * player] = -1.0;
    }
    s->q[0] = s->q[1] = -1.0;
    return s;
}
