// Nonsmooth block Gauss-Seidel on the exact law: one cell after the other, the others held.
//
// A cone alone, u = q + A r, has three ways: open, q_n >= 0 and r = 0; stuck, r = -A^-1 q in the
// cone; else sliding, u_n = 0 and u_T = -s r_T with |r_T| = r_n. With the normal row eliminated,
//
//     (S + s) r_T = -b,   S = A_TT - A_Tn A_nT / A_nn,   b = q_T - A_Tn q_n / A_nn
//
// is one equation for s > 0, r_n(s) / |r_T(s)| = 1, nearly linear in s: Newton's method, bracketed.

#include "base/compiler.h"
#include "lcp/round.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

enum { CELL = 3, SLIDE_STEPS = 60, LOOK = 16 }; // sweeps until the first look at the pace
static const double SOFT = 1e-12;               // of cells that are singular alone

typedef struct Sweeps {
    const PerpRound *round;
    double *own;     // 9 a cell: A, 1 on the diagonal where there is no row
    double *inverse; // 9 a cell
    double *slide;   // a cell: s of the last time
    double *kick;    // bodies: M^-1 J' of each entry, like entry_J
    double *v;       // bodies: the state, kept up to date
} Sweeps;

// --- one cell -----------------------------------------------------------------------------------

// r_T(s) and r_n(s)
static inline void slide_at(const double *S, const double *b, const double *A, double q_n, double s,
                            double *r)
{
    double a = S[0] + s, d = S[3] + s, determinant = a * d - S[1] * S[2];
    r[1] = (S[1] * b[1] - d * b[0]) / determinant;
    r[2] = (S[2] * b[0] - a * b[1]) / determinant;
    r[0] = -(q_n + A[1] * r[1] + A[2] * r[2]) / A[0];
}

// False if no s is found, which only a cell without positive inverse mass brings about.
static bool solve_sliding(const double *A, const double *q, double *slide, double *r)
{
    const double S[4] = {A[4] - A[3] * A[1] / A[0], A[5] - A[3] * A[2] / A[0],
                         A[7] - A[6] * A[1] / A[0], A[8] - A[6] * A[2] / A[0]};
    const double b[2] = {q[1] - A[3] * q[0] / A[0], q[2] - A[6] * q[0] / A[0]};
    double s = *slide, low = 0, high = INFINITY;
    for (int k = 0; k < SLIDE_STEPS; k++) {
        double change[3];
        slide_at(S, b, A, q[0], s, r);
        double length = sqrt(r[1] * r[1] + r[2] * r[2]), off = r[0] / length - 1;
        if (fabs(off) <= 4e-16)
            break;
        if (off < 0)
            low = s;
        else
            high = s;
        slide_at(S, r + 1, A, 0, s, change); // dr_T/ds = -(S + s)^-1 r_T
        double pace =
            (change[0] - r[0] * (r[1] * change[1] + r[2] * change[2]) / (length * length)) / length;
        double next = s - off / pace;
        if (!(next > low && next < high))
            next = high < INFINITY ? (low + high) / 2 : 4 * s + 1e-3;
        if (next == s)
            break;
        s = next;
    }
    if (!(isfinite(s) && r[0] > 0))
        return false;
    *slide = s;
    double shrink = r[0] / sqrt(r[1] * r[1] + r[2] * r[2]);
    r[1] *= shrink;
    r[2] *= shrink;
    return isfinite(shrink);
}

// |x| >= 0 of the change from r to the projection of r - z / 3: what is left when all else fails
static void solve_by_projection(const double *A, const double *q, double *r)
{
    double y[3];
    for (int i = 0; i < 3; i++)
        y[i] = q[i] + A[3 * i] * r[0] + A[3 * i + 1] * r[1] + A[3 * i + 2] * r[2];
    y[0] += perp_length(y[1], y[2]);
    for (int i = 0; i < 3; i++)
        y[i] = r[i] - y[i] / 3;
    double t = perp_length(y[1], y[2]), n = t <= y[0] ? y[0] : t <= -y[0] ? 0 : (y[0] + t) / 2;
    double shrink = t <= y[0] ? 1 : t > 0 ? n / t : 0;
    r[0] = n;
    r[1] = shrink * y[1];
    r[2] = shrink * y[2];
}

// r: the last one; becomes the cone's own solution
static inline void solve_cone(const double *A, const double *inverse, const double *q,
                              double *slide, double *r)
{
    if (q[0] >= 0) {
        r[0] = r[1] = r[2] = 0;
        return;
    }
    double stuck[3];
    for (int i = 0; i < 3; i++)
        stuck[i] = -(inverse[3 * i] * q[0] + inverse[3 * i + 1] * q[1] + inverse[3 * i + 2] * q[2]);
    double across = stuck[1] * stuck[1] + stuck[2] * stuck[2];
    if (stuck[0] >= 0 && across <= stuck[0] * stuck[0]) {
        memcpy(r, stuck, sizeof stuck);
        return;
    }
    double sliding[3];
    if (solve_sliding(A, q, slide, sliding))
        memcpy(r, sliding, sizeof sliding);
    else
        solve_by_projection(A, q, r);
}

// The new impulse of cell c whose velocity is u; returns how much it moved, dr.
static inline double solve_cell(Sweeps *sweeps, int c, const double *u, double *r, double *dr)
{
    const PerpCell *cell = &sweeps->round->cell[c];
    const double *A = sweeps->own + 9 * c;
    double before[3] = {r[0], r[1], r[2]}, q[3];
    if (cell->kind == PERP_CELL_CONE) {
        for (int i = 0; i < 3; i++)
            q[i] = u[i] - (A[3 * i] * r[0] + A[3 * i + 1] * r[1] + A[3 * i + 2] * r[2]);
        solve_cone(A, sweeps->inverse + 9 * c, q, &sweeps->slide[c], r);
    } else if (cell->kind == PERP_CELL_BOX) {
        r[0] = fmin(fmax(r[0] - u[0] / A[0], cell->lo), cell->hi);
    } else {
        const double *inverse = sweeps->inverse + 9 * c;
        for (int i = 0; i < 3; i++)
            r[i] -= inverse[3 * i] * u[0] + inverse[3 * i + 1] * u[1] + inverse[3 * i + 2] * u[2];
    }
    for (int i = 0; i < 3; i++)
        dr[i] = r[i] - before[i];
    return fmax(fabs(dr[0]), fmax(fabs(dr[1]), fabs(dr[2])));
}

// --- one sweep ----------------------------------------------------------------------------------

static inline double sweep_bodies(int s, Sweeps *sweeps, double *r)
{
    const PerpRound *round = sweeps->round;
    double most = 0;
    for (int c = 0; c < round->n_cells; c++) {
        const PerpCell *cell = &round->cell[c];
        double u[3] = {cell->d[0], cell->d[1], cell->d[2]}, dr[3];
        for (int e = cell->first; e < cell->end; e++) {
            const double *J = round->entry_J + 3 * s * e, *v = sweeps->v + s * round->entry_body[e];
            for (int i = 0; i < s; i++) {
                u[0] += J[i] * v[i];
                u[1] += J[s + i] * v[i];
                u[2] += J[2 * s + i] * v[i];
            }
        }
        most = fmax(most, solve_cell(sweeps, c, u, r + CELL * c, dr));
        for (int e = cell->first; e < cell->end; e++) {
            const double *kick = sweeps->kick + 3 * s * e;
            double *v = sweeps->v + s * round->entry_body[e];
            for (int i = 0; i < s; i++)
                v[i] += kick[i] * dr[0] + kick[s + i] * dr[1] + kick[2 * s + i] * dr[2];
        }
    }
    return most;
}

static double sweep_rows(Sweeps *sweeps, double *r)
{
    const PerpRound *round = sweeps->round;
    double most = 0;
    for (int c = 0; c < round->n_cells; c++) {
        const double *d = round->cell[c].d;
        double u[3] = {d[0], d[1], d[2]}, dr[3];
        for (int e = round->rows.start[c]; e < round->rows.start[c + 1]; e++) {
            const double *W = round->rows.W + 9 * e, *x = r + CELL * round->rows.column[e];
            for (int i = 0; i < 3; i++)
                u[i] += W[3 * i] * x[0] + W[3 * i + 1] * x[1] + W[3 * i + 2] * x[2];
        }
        most = fmax(most, solve_cell(sweeps, c, u, r + CELL * c, dr));
    }
    return most;
}

// The largest change of an impulse.
static double sweep(Sweeps *sweeps, double *r)
{
    if (sweeps->round->rows.start)
        return sweep_rows(sweeps, r);
    return sweeps->round->size == 3 ? sweep_bodies(3, sweeps, r) : sweep_bodies(6, sweeps, r);
}

// --- what stays the same from sweep to sweep ----------------------------------------------------

static void find_kicks(Sweeps *sweeps)
{
    const PerpRound *round = sweeps->round;
    int s = round->size;
    for (int e = 0; e < round->entries; e++)
        for (int k = 0; k < 3; k++) {
            const double *J = round->entry_J + 3 * s * e + s * k;
            const double *inverse = round->inverse + s * s * round->entry_body[e];
            double *kick = sweeps->kick + 3 * s * e + s * k;
            for (int j = 0; j < s; j++)
                for (int i = 0; i < s; i++)
                    kick[i] += inverse[i + s * j] * J[j];
        }
}

static void find_own(Sweeps *sweeps, int c, double *A)
{
    const PerpRound *round = sweeps->round;
    const PerpCell *cell = &round->cell[c];
    int s = round->size;
    if (round->rows.start)
        memcpy(A, round->rows.W + 9 * round->rows.start[c], 9 * sizeof(double));
    for (int e = cell->first; e < cell->end; e++)
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                for (int k = 0; k < s; k++)
                    A[3 * i + j] +=
                        round->entry_J[3 * s * e + s * i + k] * sweeps->kick[3 * s * e + s * j + k];
}

static double invert(const double *A, double *inverse)
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) { // cofactors, indices modulo 3 have the sign in them
            int a = (j + 1) % 3, b = (j + 2) % 3, c = (i + 1) % 3, d = (i + 2) % 3;
            inverse[3 * i + j] = A[3 * a + c] * A[3 * b + d] - A[3 * a + d] * A[3 * b + c];
        }
    double determinant = A[0] * inverse[0] + A[1] * inverse[3] + A[2] * inverse[6];
    for (int i = 0; i < 9; i++)
        inverse[i] /= determinant;
    return determinant;
}

static void prepare_cell(Sweeps *sweeps, int c)
{
    double *A = sweeps->own + 9 * c, *inverse = sweeps->inverse + 9 * c;
    find_own(sweeps, c, A);
    for (int i = 0; i < 3; i++)
        if (!(A[4 * i] > 0))
            A[4 * i] = 1;
    double volume = A[0] * A[4] * A[8];
    if (!(invert(A, inverse) > SOFT * volume)) { // singular alone
        for (int i = 0; i < 3; i++)
            A[4 * i] *= 1 + SOFT;
        invert(A, inverse);
    }
}

static bool prepare(PerpArena *arena, const PerpRound *round, Sweeps *sweeps)
{
    int n = round->n_cells;
    *sweeps = (Sweeps){.round = round,
                       .own = PERP_TAKE(arena, double, 9 * n),
                       .inverse = PERP_TAKE(arena, double, 9 * n),
                       .slide = PERP_TAKE(arena, double, n),
                       .kick = PERP_TAKE(arena, double, 3 * round->size * round->entries),
                       .v = PERP_TAKE(arena, double, round->n_state)};
    if (!sweeps->own || !sweeps->inverse || !sweeps->slide || !sweeps->kick || !sweeps->v)
        return false;
    if (!round->rows.start)
        find_kicks(sweeps);
    for (int c = 0; c < n; c++)
        prepare_cell(sweeps, c);
    return true;
}

// --- the iteration ------------------------------------------------------------------------------

static double find_residual(Sweeps *sweeps, const double *r, double *u)
{
    perp_round_velocity(sweeps->round, r, sweeps->v);
    perp_round_speeds(sweeps->round, sweeps->v, u);
    return perp_round_residual(sweeps->round, r, u);
}

// Changes fell from `before` to `now` in so many sweeps: are `left` ones enough to get to `aim`?
// Twice as many are granted: the pace varies.
static bool will_arrive(double before, double now, int sweeps, double aim, int left)
{
    double pace = log(now / before) / sweeps;
    return now <= aim || (pace < 0 && log(aim / now) / pace <= 2.0 * left);
}

double perp_round_sweep(PerpArena *arena, const PerpRound *round, double enough, int *sweeps,
                        double *r)
{
    Sweeps at;
    int most = *sweeps, done = 0, look = LOOK;
    double *u = PERP_TAKE(arena, double, CELL * round->n_cells), residual = INFINITY;
    double before = INFINITY;
    if (!u || !prepare(arena, round, &at))
        return NAN;
    if (!round->rows.start)
        perp_round_velocity(round, r, at.v);
    while (done < most) {
        double change = sweep(&at, r);
        done++;
        if ((change <= enough || done == 1) && (residual = find_residual(&at, r, u)) <= enough)
            break; // the first sweep solves cells that stand alone
        if (done == look) {
            if (isnan(change) || !will_arrive(before, change, look / 2, enough, most - done))
                break;
            before = change;
            look *= 2;
        }
    }
    *sweeps = done;
    return residual <= enough ? residual : find_residual(&at, r, u);
}
