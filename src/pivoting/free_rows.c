#include "pivoting/free_rows.h"

#include "math/dense.h"

#include <math.h>
#include <string.h>

static const double RANK_TOLERANCE = 1e-12; // of A, whose rows and columns are scaled
static const double COUPLING_TOLERANCE = 1e-10;
static const double ROUNDING = 1e-14; // of the terms of a sum

// x = A^- x: the solution with zeros in the dependent places
static void solve_free(const PerpFreeRows *fr, double *x)
{
    int f = fr->f, rank = fr->qr.rank;
    perp_qr_apply_q(&fr->qr, true, 1, x, f);
    perp_qr_solve_r(&fr->qr, false, 1, x, f);
    memcpy(fr->packed, x, (size_t)rank * sizeof(double));
    memset(x, 0, (size_t)f * sizeof(double));
    for (int k = 0; k < rank; k++)
        x[fr->qr.column[k]] = fr->packed[k];
}

static const double *column(const PerpFreeRows *fr, int j)
{
    return fr->lcp.M + (size_t)fr->lcp.n * (size_t)j;
}

static bool factor_free_block(PerpArena *arena, PerpFreeRows *fr)
{
    int f = fr->f;
    double *A = PERP_TAKE(arena, double, (size_t)f *(size_t)f);
    if (!A)
        return false;
    for (int j = 0; j < f; j++)
        memcpy(A + (size_t)f * (size_t)j, column(fr, j), (size_t)f * sizeof(double));
    return perp_qr_factor(arena, f, f, A, RANK_TOLERANCE, &fr->qr);
}

// N = P [-R11^-1 R12; I],  U = Q2 Q2' N: the left null vectors nearest to the right ones
static void find_null_spaces(PerpFreeRows *fr)
{
    int f = fr->f, rank = fr->qr.rank, rest = f - rank;
    for (int k = 0; k < rest; k++) {
        double *N = fr->N + (size_t)f * (size_t)k, *U = fr->U + (size_t)f * (size_t)k;
        memcpy(fr->y, fr->qr.A + (size_t)f * (size_t)(rank + k), (size_t)rank * sizeof(double));
        perp_qr_solve_r(&fr->qr, false, 1, fr->y, f);
        memset(N, 0, (size_t)f * sizeof(double));
        for (int i = 0; i < rank; i++)
            N[fr->qr.column[i]] = -fr->y[i];
        N[fr->qr.column[rank + k]] = 1;
        memcpy(U, N, (size_t)f * sizeof(double));
        perp_qr_apply_q(&fr->qr, true, 1, U, f);
        memset(U, 0, (size_t)rank * sizeof(double));
        perp_qr_apply_q(&fr->qr, false, 1, U, f);
    }
}

// U spans the left null space unless Q2'N is singular; then plain Q2 does, paired arbitrarily.
static void mend_left_null_space(PerpFreeRows *fr)
{
    int f = fr->f, rank = fr->qr.rank;
    for (int k = 0; k < f - rank; k++) {
        double *U = fr->U + (size_t)f * (size_t)k;
        memset(U, 0, (size_t)f * sizeof(double));
        U[rank + k] = 1;
        perp_qr_apply_q(&fr->qr, false, 1, U, f);
    }
}

// Does U span less than the left null space? False if memory is short.
static bool find_left_rank(PerpArena *arena, const PerpFreeRows *fr, bool *is_short)
{
    int f = fr->f, rest = f - fr->qr.rank;
    size_t size = (size_t)f * (size_t)rest;
    double *copy = PERP_TAKE(arena, double, size);
    PerpQr qr;
    if (!copy)
        return false;
    memcpy(copy, fr->U, size * sizeof(double));
    if (!perp_qr_factor(arena, f, rest, copy, 1e-6, &qr))
        return false;
    *is_short = qr.rank < rest;
    return true;
}

// Does t matter at all? Not if U'B and C N vanish to rounding.
static bool is_coupled(const PerpFreeRows *fr)
{
    int f = fr->f, n = fr->lcp.n, rest = f - fr->qr.rank;
    double largest = 0;
    for (int k = 0; k < rest; k++) {
        const double *N = fr->N + (size_t)f * (size_t)k, *U = fr->U + (size_t)f * (size_t)k;
        for (int j = f; j < n; j++) {
            double product = 0, across = 0;
            for (int i = 0; i < f; i++) {
                product += U[i] * column(fr, j)[i];
                across += column(fr, i)[j] * N[i];
            }
            largest = fmax(largest, fmax(fabs(product), fabs(across)));
        }
    }
    return largest > COUPLING_TOLERANCE;
}

static void eliminate_columns(PerpFreeRows *fr)
{
    int f = fr->f;
    for (int j = 0; j < fr->c; j++) {
        double *x = fr->X + (size_t)f * (size_t)j;
        memcpy(x, column(fr, f + j), (size_t)f * sizeof(double));
        solve_free(fr, x);
    }
    memcpy(fr->xq, fr->lcp.q, (size_t)f * sizeof(double));
    solve_free(fr, fr->xq);
}

// out (c) = a - C x, or 0 where the difference is nothing but the rounding of its terms
static void subtract_product(const PerpFreeRows *fr, const double *a, const double *x, double *out)
{
    memcpy(out, a, (size_t)fr->c * sizeof(double));
    for (int i = 0; i < fr->f; i++)
        if (x[i] != 0)
            perp_axpy(fr->c, -x[i], column(fr, i) + fr->f, out);
    for (int j = 0; j < fr->c; j++) {
        double size = fabs(a[j]);
        for (int i = 0; i < fr->f; i++)
            size += fabs(column(fr, i)[fr->f + j] * x[i]);
        out[j] = fabs(out[j]) > ROUNDING * size ? out[j] : 0;
    }
}

static void fill_reduced(PerpFreeRows *fr, double *M, double *q)
{
    int f = fr->f, c = fr->c, n = fr->n;
    for (int j = 0; j < c; j++) {
        double *to = M + (size_t)n * (size_t)j;
        subtract_product(fr, column(fr, f + j) + f, fr->X + (size_t)f * (size_t)j, to);
        for (int k = 0; k < fr->rest; k++) {
            double e = perp_dot(f, fr->U + (size_t)f * (size_t)k, column(fr, f + j));
            to[c + k] = e;
            to[c + fr->rest + k] = -e;
        }
    }
    for (int k = 0; k < fr->rest; k++) {
        double *plus = M + (size_t)n * (size_t)(c + k);
        double *minus = M + (size_t)n * (size_t)(c + fr->rest + k);
        for (int i = 0; i < f; i++)
            perp_axpy(c, fr->N[i + (size_t)f * (size_t)k], column(fr, i) + f, plus);
        perp_axpy(c, -1, plus, minus);
    }
    perp_free_rows_reduce(fr, fr->lcp.q, q);
}

bool perp_free_rows_eliminate(PerpArena *arena, const PerpLcp *lcp, PerpFreeRows *fr)
{
    int f = lcp->free, c = lcp->n - f;
    *fr = (PerpFreeRows){.lcp = *lcp, .f = f, .c = c};
    fr->X = PERP_TAKE(arena, double, (size_t)f *(size_t)c);
    fr->xq = PERP_TAKE(arena, double, f);
    fr->y = PERP_TAKE(arena, double, f);
    fr->packed = PERP_TAKE(arena, double, f);
    if (!fr->X || !fr->xq || !fr->y || !fr->packed || !factor_free_block(arena, fr))
        return false;
    size_t null_size = (size_t)f * (size_t)(f - fr->qr.rank);
    fr->N = PERP_TAKE(arena, double, null_size);
    fr->U = PERP_TAKE(arena, double, null_size);
    if (!fr->N || !fr->U)
        return false;
    find_null_spaces(fr);
    bool is_short;
    if (!find_left_rank(arena, fr, &is_short))
        return false;
    if (is_short)
        mend_left_null_space(fr);
    fr->rest = is_coupled(fr) ? f - fr->qr.rank : 0;
    fr->n = c + 2 * fr->rest;
    double *M = PERP_TAKE(arena, double, (size_t)fr->n *(size_t)fr->n);
    double *q = PERP_TAKE(arena, double, fr->n);
    if (!M || !q)
        return false;
    fr->M = M;
    fr->q = q;
    eliminate_columns(fr);
    fill_reduced(fr, M, q);
    return true;
}

void perp_free_rows_expand(PerpFreeRows *fr, const double *reduced, bool homogeneous, double *z)
{
    int f = fr->f, c = fr->c;
    for (int i = 0; i < f; i++)
        z[i] = homogeneous ? 0 : -fr->xq[i];
    for (int j = 0; j < c && f > 0; j++)
        if (reduced[j] != 0)
            perp_axpy(f, -reduced[j], fr->X + (size_t)f * (size_t)j, z);
    for (int k = 0; k < fr->rest; k++)
        perp_axpy(f, reduced[c + k] - reduced[c + fr->rest + k], fr->N + (size_t)f * (size_t)k, z);
    memcpy(z + f, reduced, (size_t)c * sizeof(double));
}

void perp_free_rows_reduce(PerpFreeRows *fr, const double *residual, double *reduced)
{
    int f = fr->f, c = fr->c;
    if (f == 0) {
        memcpy(reduced, residual, (size_t)c * sizeof(double));
        return;
    }
    for (int k = 0; k < fr->rest; k++) {
        double e = perp_dot(f, fr->U + (size_t)f * (size_t)k, residual);
        reduced[c + k] = e;
        reduced[c + fr->rest + k] = -e;
    }
    memcpy(fr->y, residual, (size_t)f * sizeof(double));
    solve_free(fr, fr->y);
    subtract_product(fr, residual + f, fr->y, reduced);
}
