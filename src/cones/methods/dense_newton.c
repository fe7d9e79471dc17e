// Each contact has an impulse of its own, S_k(q_k), at the velocity that the others give it:
//
//     r_k = S_k(q_k),   q_k = d_k + sum_j W_kj r_j  over j /= k,   G_k the derivative of S_k
//     dr_k - G_k sum_j W_kj dr_j = S_k(q_k) - r_k
//
// Newton's method on these equations knows each contact's mode (open, stuck, sliding) from the
// exact law, however far the others are from theirs. Sweeps of Gauss-Seidel help where it goes
// astray.

#include "cones/methods/dense_newton.h"

#include "cones/second_order.h"
#include "math/small_solve.h"

#include <math.h>
#include <string.h>

enum { MOST_CONTACTS = 8, MOST_ROWS = 3 * MOST_CONTACTS, TURNS = 4, NEWTON_STEPS = 8 };
static const double REGULARISATION = 1e-10; // of a proximal term, for impulses that are not unique

// Scaled like the constraints of cone_problem.h.
typedef struct Small {
    const PerpContactProblem *p;
    int size, rows; // of a contact, of all
    double speed;   // what speeds and impulses are divided by
    double *W;      // rows x rows, by rows; without the blocks of the contacts themselves
    double *d, *scale, *r;
    double *own, *inverse; // 9 a contact: the block of itself, regular
    double *slide;         // a contact
    double *swept;         // rows
    double *dr;            // rows
    double *system;        // rows x (rows + 1): equations with their right sides
} Small;

bool perp_dense_newton_fits(const PerpContactProblem *p)
{
    return p->contacts <= MOST_CONTACTS && p->bilateral == 0;
}

// --- the problem --------------------------------------------------------------------------------

static bool take(PerpArena *arena, const PerpContactProblem *p, Small *at)
{
    int n = p->contacts, rows = perp_contact_problem_rows(p);
    *at = (Small){.p = p, .size = p->dimension, .rows = rows};
    double *next = PERP_TAKE(arena, double, rows *(2 * rows + 6) + 19 * n);
    if (!next)
        return false;
    double **parts[] = {&at->W,     &at->system, &at->d,   &at->scale,   &at->r,
                        &at->swept, &at->dr,     &at->own, &at->inverse, &at->slide};
    int sizes[] = {rows * rows, rows * (rows + 1), rows, rows, rows, rows, rows, 9 * n, 9 * n, n};
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
        *parts[k] = next;
        next += sizes[k];
    }
    return true;
}

// Cones right circular, the mean of the diagonal of each contact 1.
static void scale_contact(Small *at, int k)
{
    double mu = at->p->mu[k], trace = 0;
    for (int i = 0; i < at->size; i++) {
        int row = k * at->size + i;
        trace += (i == 0 ? 1 : mu * mu) * at->W[row * at->rows + row];
    }
    double scale = trace > 0 ? sqrt(at->size / trace) : 1;
    for (int i = 0; i < at->size; i++)
        at->scale[k * at->size + i] = i == 0 ? scale : mu * scale;
}

static void part_own(Small *at, int k)
{
    double *A = at->own + 9 * k;
    for (int i = 0; i < at->size; i++)
        for (int j = 0; j < at->size; j++) {
            double *W = &at->W[(k * at->size + i) * at->rows + k * at->size + j];
            A[3 * i + j] = *W;
            *W = 0;
        }
    perp_soc_prepare(A, at->inverse + 9 * k);
}

// By how much r = 0 breaks the law.
static double find_idle(const Small *at)
{
    static const double none[3] = {0};
    double idle = 0;
    for (int k = 0; k < at->p->contacts; k++) {
        double d[3] = {0};
        memcpy(d, at->d + k * at->size, (size_t)at->size * sizeof(double));
        idle = fmax(idle, perp_soc_residual(none, d, 1));
    }
    return idle;
}

static void load(Small *at, const double *r)
{
    const PerpContactProblem *p = at->p;
    for (int row = 0; row < at->rows; row++)
        for (int e = p->start[row]; e < p->start[row + 1]; e++)
            at->W[row * at->rows + p->column[e]] += p->x[e];
    for (int k = 0; k < p->contacts; k++)
        scale_contact(at, k);
    for (int row = 0; row < at->rows; row++) {
        at->d[row] = at->scale[row] * p->q[row];
        for (int j = 0; j < at->rows; j++)
            at->W[row * at->rows + j] *= at->scale[row] * at->scale[j];
    }
    for (int k = 0; k < p->contacts; k++)
        part_own(at, k);
    at->speed = find_idle(at);
    if (!(at->speed > 0 && isfinite(at->speed)))
        at->speed = 1;
    for (int row = 0; row < at->rows; row++) {
        at->d[row] /= at->speed;
        at->r[row] = at->scale[row] > 0 ? r[row] / (at->scale[row] * at->speed) : 0;
    }
}

// --- one contact --------------------------------------------------------------------------------

typedef struct Own {
    PerpContactMode mode;
    double x[3]; // its impulse at the velocity that the others give it
    double most; // change from r
} Own;

static Own find_own(Small *at, int k)
{
    int first = k * at->size;
    double q[3] = {0};
    Own own = {0};
    for (int i = 0; i < at->size; i++) {
        own.x[i] = at->r[first + i];
        q[i] = at->d[first + i] + perp_small_dot(at->rows, at->W + (first + i) * at->rows, at->r);
    }
    own.mode = perp_soc_solve(at->own + 9 * k, at->inverse + 9 * k, q, &at->slide[k], own.x);
    for (int i = 0; i < at->size; i++) {
        double change = fabs(own.x[i] - at->r[first + i]);
        own.most = change <= own.most ? own.most : change; // NAN too
    }
    return own;
}

static void sweep(Small *at)
{
    for (int k = 0; k < at->p->contacts; k++) {
        Own own = find_own(at, k);
        memcpy(at->r + k * at->size, own.x, (size_t)at->size * sizeof(double));
    }
}

// --- Newton's method ----------------------------------------------------------------------------

// The equations of contact k.
static bool assemble(Small *at, int k, const Own *own)
{
    int product = at->rows + 1, first = k * at->size;
    double G[9];
    if (!perp_soc_derive(own->mode, at->own + 9 * k, at->inverse + 9 * k, at->slide[k], own->x, G))
        return false;
    for (int i = 0; i < at->size; i++) {
        double *line = at->system + (first + i) * product;
        memset(line, 0, (size_t)product * sizeof(double));
        for (int l = 0; l < at->size && own->mode != PERP_MODE_OPEN; l++) {
            const double *W = at->W + (first + l) * at->rows;
            double factor = (1 - REGULARISATION) * G[3 * i + l];
            for (int j = 0; j < at->rows; j++)
                line[j] -= factor * W[j];
        }
        line[first + i] = 1;
        line[at->rows] = own->x[i] - at->r[first + i];
    }
    return true;
}

// Solves n equations; dr: their right sides behind them. What is 0 costs nothing.
static bool eliminate(int n, double *line, double *dr)
{
    int product = n + 1;
    for (int k = 0; k < n; k++) {
        int pivot = k;
        for (int i = k + 1; i < n; i++)
            if (fabs(line[product * i + k]) > fabs(line[product * pivot + k]))
                pivot = i;
        perp_exchange_rows(line, product, k, pivot);
        if (!(fabs(line[product * k + k]) > 0))
            return false;
        double over = 1 / line[product * k + k];
        for (int i = k + 1; i < n; i++) {
            double factor = line[product * i + k] * over;
            for (int j = k + 1; j < product && factor != 0; j++)
                line[product * i + j] -= factor * line[product * k + j];
        }
    }
    for (int k = n - 1; k >= 0; k--)
        dr[k] = (line[product * k + n] -
                 perp_small_dot(n - k - 1, line + product * k + k + 1, dr + k + 1)) /
                line[product * k + k];
    return true;
}

// True if r has arrived.
static bool try_newton(Small *at, double tolerance, int *steps)
{
    for (int done = 0;; done++, ++*steps) {
        Own own[MOST_CONTACTS];
        double most = 0;
        bool regular = done < NEWTON_STEPS;
        for (int k = 0; k < at->p->contacts; k++) {
            own[k] = find_own(at, k);
            most = own[k].most <= most ? most : own[k].most;
        }
        if (most <= tolerance)
            return true;
        for (int k = 0; k < at->p->contacts && regular; k++)
            regular = assemble(at, k, &own[k]);
        if (!regular || !eliminate(at->rows, at->system, at->dr))
            return false;
        for (int row = 0; row < at->rows; row++)
            at->r[row] += at->dr[row];
    }
}

bool perp_dense_newton(PerpArena *arena, const PerpContactProblem *p, double tolerance, int *sweeps,
                       int *steps, double *r)
{
    Small at;
    if (!take(arena, p, &at))
        return false;
    load(&at, r);
    bool good = try_newton(&at, tolerance, steps);
    memset(at.swept, 0, (size_t)at.rows * sizeof(double));
    for (int turn = 0; turn < TURNS && !good; turn++) {
        memcpy(at.r, at.swept, (size_t)at.rows * sizeof(double));
        for (int k = 0; k < 4 << turn; k++, ++*sweeps)
            sweep(&at);
        memcpy(at.swept, at.r, (size_t)at.rows * sizeof(double));
        good = try_newton(&at, tolerance, steps);
    }
    for (int row = 0; row < at.rows; row++)
        r[row] = at.r[row] * at.scale[row] * at.speed;
    return good;
}
