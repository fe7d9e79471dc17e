#include "math/mat3.h"

#include <float.h>

// Brings the row with the largest entry of column k to row k; false if it is zero or not a number.
static bool pivot_row(double a[3][4], int k)
{
    int largest = k;
    for (int i = k + 1; i < 3; i++)
        if (fabs(a[i][k]) > fabs(a[largest][k]))
            largest = i;
    for (int j = k; j < 4 && largest != k; j++) {
        double kept = a[k][j];
        a[k][j] = a[largest][j];
        a[largest][j] = kept;
    }
    return fabs(a[k][k]) > 0;
}

static void eliminate_below(double a[3][4], int k)
{
    for (int i = k + 1; i < 3; i++) {
        double l = a[i][k] / a[k][k];
        for (int j = k + 1; j < 4; j++)
            a[i][j] -= l * a[k][j];
    }
}

bool perp_mat3_eliminate(PerpMat3 A, PerpVec3 b, PerpVec3 *x)
{
    double a[3][4] = {
        {A.x.x, A.y.x, A.z.x, b.x}, {A.x.y, A.y.y, A.z.y, b.y}, {A.x.z, A.y.z, A.z.z, b.z}};
    for (int k = 0; k < 3; k++) {
        if (!pivot_row(a, k))
            return false;
        eliminate_below(a, k);
    }
    // U x = L^-1 P b
    x->z = a[2][3] / a[2][2];
    x->y = (a[1][3] - a[1][2] * x->z) / a[1][1];
    x->x = (a[0][3] - a[0][2] * x->z - a[0][1] * x->y) / a[0][0];
    return true;
}

// Jacobi's iteration for a symmetric matrix: A = Q a Q'.
typedef struct Jacobi {
    double d[3]; // the diagonal of a
    double o[3]; // off it: o[r] is a_pq, with p, q the two others than r
    PerpVec3 Q[3];
} Jacobi;

// Turns by theta in the plane of p and q such that a_pq = 0     [Golub and Van Loan, section 8.5]
static void annihilate(Jacobi *a, int r)
{
    int p = (r + 1) % 3, q = (r + 2) % 3;
    // cot 2 theta = (a_qq - a_pp) / 2 a_pq, t = tan theta, |theta| <= pi/4
    double cot = (a->d[q] - a->d[p]) / (2 * a->o[r]);
    double t = copysign(1, cot) / (fabs(cot) + hypot(1, cot));
    double c = 1 / sqrt(1 + t * t), s = t * c;
    a->d[p] -= t * a->o[r];
    a->d[q] += t * a->o[r];
    a->o[r] = 0;
    double a_rp = a->o[q], a_rq = a->o[p];
    a->o[q] = c * a_rp - s * a_rq;
    a->o[p] = s * a_rp + c * a_rq;
    PerpVec3 Q_p = a->Q[p], Q_q = a->Q[q];
    a->Q[p] = perp_vec3_add_scaled(perp_vec3_scale(c, Q_p), -s, Q_q);
    a->Q[q] = perp_vec3_add_scaled(perp_vec3_scale(s, Q_p), c, Q_q);
}

// Whether a_pq still matters. Measured against its own two diagonal entries, so that small
// principal inertias keep their digits beside large ones   [Demmel and Veselic, SIAM J. Matrix
// Anal. 13, 1992]
static bool off_diagonal_matters(const Jacobi *a, int r)
{
    double d_p = fabs(a->d[(r + 1) % 3]), d_q = fabs(a->d[(r + 2) % 3]);
    return fabs(a->o[r]) > DBL_EPSILON / 4 * sqrt(d_p) * sqrt(d_q);
}

static bool sweep(Jacobi *a)
{
    bool turned = false;
    for (int r = 0; r < 3; r++)
        if (off_diagonal_matters(a, r)) {
            annihilate(a, r);
            turned = true;
        }
    return turned;
}

// Sweeps converge quadratically: five is the most seen in millions of matrices, random, graded,
// singular and of small integers.
enum { MAX_SWEEPS = 30 };

PerpVec3 perp_mat3_eigen(PerpMat3 A, PerpMat3 *Q)
{
    Jacobi a = {.d = {A.x.x, A.y.y, A.z.z},
                .o = {A.y.z, A.x.z, A.x.y},
                .Q = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
    for (int n = 0; n < MAX_SWEEPS && sweep(&a); n++)
        ;
    *Q = (PerpMat3){a.Q[0], a.Q[1], a.Q[2]};
    return perp_vec3_load(a.d);
}
