#include "pivoting/minimum_norm.h"

#include "math/dense.h"
#include "math/lapack.h"
#include "pivoting/mixed.h"

#include <string.h>

static const double RANK_TOLERANCE = 1e-11;
static const double FAST = 1e-12; // what is left of an inequality that E holds fast

bool perp_minimum_norm_take(PerpArena *arena, int n, int equations, int inequalities,
                            PerpMinimumNorm *minimum)
{
    size_t columns = (size_t)n;
    *minimum = (PerpMinimumNorm){.n = n, .equations = equations, .inequalities = inequalities};
    minimum->E = PERP_TAKE(arena, double, columns *(size_t)equations);
    minimum->B = PERP_TAKE(arena, double, columns *(size_t)inequalities);
    minimum->b = PERP_TAKE(arena, double, inequalities);
    minimum->c = PERP_TAKE(arena, double, n);
    return minimum->E && minimum->B && minimum->b && minimum->c;
}

// E' = Q R: the first rank columns of Q span the row space of E
static bool factor_transpose(PerpArena *arena, const PerpMinimumNorm *s, PerpQr *qr)
{
    double *Et = PERP_TAKE(arena, double, (size_t)s->n *(size_t)s->equations);
    if (!Et)
        return false;
    for (int i = 0; i < s->equations; i++)
        for (int j = 0; j < s->n; j++)
            Et[j + (size_t)s->n * (size_t)i] = s->E[i + (size_t)s->equations * (size_t)j];
    return perp_qr_factor(arena, s->n, s->equations, Et, RANK_TOLERANCE, qr);
}

// x = P x: the part of x that E does not see
static void project(const PerpQr *qr, double *x)
{
    perp_qr_apply_q(qr, true, 1, x, qr->m);
    memset(x, 0, (size_t)qr->rank * sizeof(double));
    perp_qr_apply_q(qr, false, 1, x, qr->m);
}

// X = P B', n x inequalities
static void project_inequalities(const PerpMinimumNorm *s, const PerpQr *qr, double *X)
{
    for (int i = 0; i < s->inequalities; i++) {
        double *x = X + (size_t)s->n * (size_t)i;
        for (int j = 0; j < s->n; j++)
            x[j] = s->B[i + (size_t)s->inequalities * (size_t)j];
        double size = perp_max_abs(s->n, x);
        project(qr, x);
        if (perp_max_abs(s->n, x) <= FAST * size)
            memset(x, 0, (size_t)s->n * sizeof(double));
    }
}

// M = (P B')'(P B'), exactly symmetric; q = B c1 - b
static void fill_lcp(const PerpMinimumNorm *s, const double *X, const double *c1, double *M,
                     double *q)
{
    size_t m = (size_t)s->inequalities, n = (size_t)s->n;
    for (size_t j = 0; j < m; j++)
        for (size_t i = 0; i <= j; i++)
            M[i + m * j] = M[j + m * i] = perp_dot(s->n, X + n * i, X + n * j);
    for (size_t i = 0; i < m; i++) {
        q[i] = -s->b[i];
        for (size_t j = 0; j < n; j++)
            q[i] += s->B[i + m * j] * c1[j];
        if (M[i * (m + 1)] == 0 && q[i] < 0)
            q[i] = 0; // c is feasible: less is rounding
    }
}

bool perp_minimum_norm_solve(PerpArena *arena, const PerpLcpJudge *judge, PerpMinimumNorm *s)
{
    size_t m = (size_t)s->inequalities, n = (size_t)s->n;
    PerpQr qr;
    PerpMixed mixed;
    double *c1 = PERP_TAKE(arena, double, n), *X = PERP_TAKE(arena, double, n *m);
    double *M = PERP_TAKE(arena, double, m *m), *q = PERP_TAKE(arena, double, m);
    if (!c1 || !X || !M || !q || !factor_transpose(arena, s, &qr))
        return false;
    memcpy(c1, s->c, n * sizeof(double));
    project(&qr, c1);
    for (size_t j = 0; j < n; j++)
        c1[j] = s->c[j] - c1[j];
    project_inequalities(s, &qr, X);
    fill_lcp(s, X, c1, M, q);
    if (m > 0) {
        PerpLcp lcp = {.n = s->inequalities, .M = M, .q = q};
        PerpLcpSettings settings = perp_default_lcp_settings();
        if (!perp_mixed_solve(arena, &lcp, &settings, judge, &mixed))
            return false;
        if (mixed.search.outcome != PERP_OUTCOME_SOLVED)
            return true;
        for (size_t i = 0; i < m; i++)
            perp_axpy(s->n, mixed.best_z[i], X + n * i, c1);
    }
    memcpy(s->c, c1, n * sizeof(double));
    return true;
}
