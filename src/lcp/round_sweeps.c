// Nonsmooth block Gauss-Seidel on the exact law: one cell after the other, the others held.

#include "lcp/round_bodies.h"
#include "lcp/round_cone.h"
#include "lcp/round_methods.h"
#include "lcp/round_own.h"

#include <math.h>
#include <string.h>

enum { CELL = 3, LOOK = 16, LOCAL_LOOK = 8 }; // sweeps until the first look at the pace

typedef struct Sweeps {
    const PerpRound *round;
    double *own;     // 9 a cell: A, 1 on the diagonal where there is no row
    double *inverse; // 9 a cell
    double *slide;   // a cell: s of the last time
    double *kick;    // bodies: M^-1 J' of each entry, 3 x size
    double *v;       // bodies: the state, kept up to date
} Sweeps;

// --- one cell -----------------------------------------------------------------------------------

// The new impulse of cell c whose velocity is u; returns how much it moved, dr.
static inline double solve_cell(Sweeps *sweeps, int c, const double *u, double *r, double *dr)
{
    const PerpCell *cell = &sweeps->round->cell[c];
    const double *A = sweeps->own + 9 * c;
    double before[3] = {r[0], r[1], r[2]}, q[3];
    if (cell->kind == PERP_CELL_CONE) {
        for (int i = 0; i < 3; i++)
            q[i] = u[i] - (A[3 * i] * r[0] + A[3 * i + 1] * r[1] + A[3 * i + 2] * r[2]);
        perp_cone_solve(A, sweeps->inverse + 9 * c, q, &sweeps->slide[c], r);
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

static inline double sweep_bodies(int s, int pad, Sweeps *sweeps, double *r)
{
    const PerpRound *round = sweeps->round;
    double most = 0;
    for (int c = 0; c < round->n_cells; c++) {
        const PerpCell *cell = &round->cell[c];
        double u[3] = {cell->d[0], cell->d[1], cell->d[2]}, dr[3];
        for (int e = cell->first; e < cell->end; e++) {
            const double *J = perp_round_row(round, e, 0);
            const double *v = sweeps->v + s * round->entry_body[e];
            for (int i = 0; i < s; i++) {
                u[0] += J[i] * v[i];
                u[1] += J[pad + i] * v[i];
                u[2] += J[2 * pad + i] * v[i];
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
    return sweeps->round->size == 3 ? sweep_bodies(3, 4, sweeps, r) : sweep_bodies(6, 8, sweeps, r);
}

// --- what stays the same from sweep to sweep ----------------------------------------------------

static void find_kicks(Sweeps *sweeps)
{
    const PerpRound *round = sweeps->round;
    int s = round->size;
    for (int e = 0; e < round->entries; e++)
        for (int k = 0; k < 3; k++) {
            const double *J = perp_round_row(round, e, k);
            const double *inverse = round->inverse + s * s * round->entry_body[e];
            double *kick = sweeps->kick + 3 * s * e + s * k;
            for (int j = 0; j < s; j++)
                for (int i = 0; i < s; i++)
                    kick[i] += inverse[i + s * j] * J[j];
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
    for (int c = 0; c < n; c++) {
        perp_round_own_block(round, c, sweeps->own + 9 * c);
        perp_cone_prepare(sweeps->own + 9 * c, sweeps->inverse + 9 * c);
    }
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
    int most = *sweeps, done = 0, look = round->rows.start ? LOCAL_LOOK : LOOK;
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
