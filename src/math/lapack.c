#include "math/lapack.h"

#include "base/threads.h"

#include <assert.h>
#include <math.h>

extern void dgetrf_(const int *m, const int *n, double *a, const int *lda, int *ipiv, int *info);
extern void dgetrs_(const char *trans, const int *n, const int *nrhs, const double *a,
                    const int *lda, const int *ipiv, double *b, const int *ldb, int *info,
                    size_t trans_length);
extern void dgetri_(const int *n, double *a, const int *lda, const int *ipiv, double *work,
                    const int *lwork, int *info);
extern void dgeqp3_(const int *m, const int *n, double *a, const int *lda, int *jpvt, double *tau,
                    double *work, const int *lwork, int *info);
extern void dormqr_(const char *side, const char *trans, const int *m, const int *n, const int *k,
                    const double *a, const int *lda, const double *tau, double *c, const int *ldc,
                    double *work, const int *lwork, int *info, size_t side_length,
                    size_t trans_length);
extern void dtrtrs_(const char *uplo, const char *trans, const char *diag, const int *n,
                    const int *nrhs, const double *a, const int *lda, double *b, const int *ldb,
                    int *info, size_t uplo_length, size_t trans_length, size_t diag_length);

// Not every BLAS may be called by several threads at once: OpenBLAS without threads of its own
// lends them the same buffers, and results come out wrong now and then. Hence one at a time.

enum { BLOCK = 64 }; // LAPACK's block size, for the scratch it may use

static int at_least_one(int n)
{
    return n > 0 ? n : 1;
}

bool perp_lu_factor(int n, double *A, int ld, int *pivots)
{
    int info = 0;
    if (n > 0) {
        perp_enter_alone();
        dgetrf_(&n, &n, A, &ld, pivots, &info);
        perp_leave_alone();
    }
    assert(info >= 0);
    return info == 0;
}

void perp_lu_solve(int n, const double *LU, int ld, const int *pivots, int columns, double *x,
                   int ldx)
{
    int info = 0;
    if (n > 0 && columns > 0) {
        perp_enter_alone();
        dgetrs_("N", &n, &columns, LU, &ld, pivots, x, &ldx, &info, 1);
        perp_leave_alone();
    }
    assert(info == 0);
    (void)info;
}

void perp_lu_invert(int n, double *LU, int ld, const int *pivots, double *scratch)
{
    int info = 0, lwork = n * BLOCK;
    if (n > 0) {
        perp_enter_alone();
        dgetri_(&n, LU, &ld, pivots, scratch, &lwork, &info);
        perp_leave_alone();
    }
    assert(info == 0);
    (void)info;
}

bool perp_qr_factor(PerpArena *arena, int m, int n, double *A, double tolerance, PerpQr *qr)
{
    int least = m < n ? m : n;
    *qr = (PerpQr){.m = m, .n = n, .A = A, .lwork = 2 * n + (n + 1) * BLOCK + m};
    qr->column = PERP_TAKE(arena, int, n);
    qr->tau = PERP_TAKE(arena, double, least);
    qr->work = PERP_TAKE(arena, double, qr->lwork);
    if (!qr->column || !qr->tau || !qr->work)
        return false;
    if (least > 0) {
        int info;
        perp_enter_alone();
        dgeqp3_(&m, &n, A, &m, qr->column, qr->tau, qr->work, &qr->lwork, &info);
        perp_leave_alone();
        assert(info == 0);
    }
    for (int k = 0; k < n; k++)
        qr->column[k] = least > 0 ? qr->column[k] - 1 : k; // from Fortran's counting
    while (qr->rank < least && fabs(A[qr->rank * (size_t)(m + 1)]) > tolerance * fabs(A[0]))
        qr->rank++;
    return true;
}

void perp_qr_apply_q(const PerpQr *qr, bool transposed, int columns, double *x, int ldx)
{
    int info = 0, k = qr->m < qr->n ? qr->m : qr->n, ld = at_least_one(qr->m);
    for (int j = 0; j < columns && qr->m > 0; j++) {
        int one = 1;
        perp_enter_alone();
        dormqr_("L", transposed ? "T" : "N", &qr->m, &one, &k, qr->A, &ld, qr->tau,
                x + (size_t)ldx * (size_t)j, &ldx, qr->work, &qr->lwork, &info, 1, 1);
        perp_leave_alone();
        assert(info == 0);
    }
}

void perp_qr_solve_r(const PerpQr *qr, bool transposed, int columns, double *x, int ldx)
{
    int info = 0;
    if (qr->rank > 0 && columns > 0) {
        perp_enter_alone();
        dtrtrs_("U", transposed ? "T" : "N", "N", &qr->rank, &columns, qr->A, &qr->m, x, &ldx,
                &info, 1, 1, 1);
        perp_leave_alone();
    }
    assert(info == 0);
    (void)info;
}
