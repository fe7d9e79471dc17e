// Nonsmooth Gauss-Seidel, NSGS [Jourdan, Alart and Jean 1998], on the exact law: one constraint
// after the other, the others held.

#include "cones/cone.h"
#include "cones/methods/methods.h"
#include "cones/operator/delassus.h"
#include "cones/operator/over_bodies.h"
#include "cones/second_order.h"

#include <math.h>
#include <string.h>

enum { BLOCK = 3, CHECK = 16, EXPLICIT_CHECK = 8 }; // sweeps until the first check of the pace

typedef struct Sweeps {
    const PerpConeProblem *cones;
    double *diagonal; // 9 a constraint: A, 1 on the diagonal where there is no row
    double *inverse;  // 9 a constraint
    double *slide;    // a constraint: s of the last time
    double *response; // bodies: M^-1 J' of each entry, 3 x size
    double *v;        // bodies: the state, kept up to date
} Sweeps;

// --- one constraint ------------------------------------------------------------------------------

// The new impulse of constraint c whose velocity is u; returns how much it moved, dr.
static inline double solve_constraint(Sweeps *sweeps, int c, const double *u, double *r, double *dr)
{
    const PerpConstraint *constraint = &sweeps->cones->constraint[c];
    const PerpLocalBlock block = {sweeps->diagonal + 9 * c, sweeps->inverse + 9 * c,
                                  &sweeps->slide[c]};
    double before[3] = {r[0], r[1], r[2]};
    constraint->cone->solve(constraint, &block, u, r);
    for (int i = 0; i < 3; i++)
        dr[i] = r[i] - before[i];
    return fmax(fabs(dr[0]), fmax(fabs(dr[1]), fabs(dr[2])));
}

// --- one sweep ----------------------------------------------------------------------------------

static inline double sweep_bodies(int s, int pad, Sweeps *sweeps, double *r)
{
    const PerpConeProblem *cones = sweeps->cones;
    double most = 0;
    for (int c = 0; c < cones->n_constraints; c++) {
        const PerpConstraint *constraint = &cones->constraint[c];
        double u[3] = {constraint->d[0], constraint->d[1], constraint->d[2]}, dr[3];
        for (int e = constraint->first; e < constraint->end; e++) {
            const double *J = perp_over_bodies_row(cones, e, 0);
            const double *v = sweeps->v + s * cones->bodies.entry_body[e];
            for (int i = 0; i < s; i++) {
                u[0] += J[i] * v[i];
                u[1] += J[pad + i] * v[i];
                u[2] += J[2 * pad + i] * v[i];
            }
        }
        most = fmax(most, solve_constraint(sweeps, c, u, r + BLOCK * c, dr));
        for (int e = constraint->first; e < constraint->end; e++) {
            const double *response = sweeps->response + 3 * s * e;
            double *v = sweeps->v + s * cones->bodies.entry_body[e];
            for (int i = 0; i < s; i++)
                v[i] += response[i] * dr[0] + response[s + i] * dr[1] + response[2 * s + i] * dr[2];
        }
    }
    return most;
}

static double sweep_rows(Sweeps *sweeps, double *r)
{
    const PerpConeProblem *cones = sweeps->cones;
    double most = 0;
    for (int c = 0; c < cones->n_constraints; c++) {
        const double *d = cones->constraint[c].d;
        double u[3] = {d[0], d[1], d[2]}, dr[3];
        for (int e = cones->explicit_W.rows.start[c]; e < cones->explicit_W.rows.start[c + 1];
             e++) {
            const double *W = cones->explicit_W.rows.W + 9 * e,
                         *x = r + BLOCK * cones->explicit_W.rows.column[e];
            for (int i = 0; i < 3; i++)
                u[i] += W[3 * i] * x[0] + W[3 * i + 1] * x[1] + W[3 * i + 2] * x[2];
        }
        most = fmax(most, solve_constraint(sweeps, c, u, r + BLOCK * c, dr));
    }
    return most;
}

// The largest change of an impulse.
static double sweep(Sweeps *sweeps, double *r)
{
    if (!sweeps->cones->delassus->has_bodies)
        return sweep_rows(sweeps, r);
    return sweeps->cones->bodies.size == 3 ? sweep_bodies(3, 4, sweeps, r)
                                           : sweep_bodies(6, 8, sweeps, r);
}

// --- what stays the same from sweep to sweep ----------------------------------------------------

static void find_kicks(Sweeps *sweeps)
{
    const PerpConeProblem *cones = sweeps->cones;
    int s = cones->bodies.size;
    for (int e = 0; e < cones->bodies.entries; e++)
        for (int k = 0; k < 3; k++) {
            const double *J = perp_over_bodies_row(cones, e, k);
            const double *inverse = cones->bodies.inverse + s * s * cones->bodies.entry_body[e];
            double *response = sweeps->response + 3 * s * e + s * k;
            for (int j = 0; j < s; j++)
                for (int i = 0; i < s; i++)
                    response[i] += inverse[i + s * j] * J[j];
        }
}

static bool prepare(PerpArena *arena, const PerpConeProblem *cones, Sweeps *sweeps)
{
    int n = cones->n_constraints;
    *sweeps = (Sweeps){.cones = cones,
                       .diagonal = PERP_TAKE(arena, double, 9 * n),
                       .inverse = PERP_TAKE(arena, double, 9 * n),
                       .slide = PERP_TAKE(arena, double, n),
                       .response =
                           PERP_TAKE(arena, double, 3 * cones->bodies.size * cones->bodies.entries),
                       .v = PERP_TAKE(arena, double, cones->n_state)};
    if (!sweeps->diagonal || !sweeps->inverse || !sweeps->slide || !sweeps->response || !sweeps->v)
        return false;
    if (cones->delassus->has_bodies)
        find_kicks(sweeps);
    for (int c = 0; c < n; c++) {
        perp_delassus_block(cones, c, sweeps->diagonal + 9 * c);
        perp_soc_prepare(sweeps->diagonal + 9 * c, sweeps->inverse + 9 * c);
    }
    return true;
}

// --- the iteration ------------------------------------------------------------------------------

static double find_residual(Sweeps *sweeps, const double *r, double *u)
{
    perp_delassus_velocity(sweeps->cones, r, sweeps->v);
    perp_delassus_speeds(sweeps->cones, sweeps->v, u);
    return perp_cones_residual(sweeps->cones, r, u);
}

// Changes fell from `before` to `now` in so many sweeps: are `left` ones enough to get to `aim`?
// Twice as many are granted: the pace varies.
static bool will_arrive(double before, double now, int sweeps, double aim, int left)
{
    double pace = log(now / before) / sweeps;
    return now <= aim || (pace < 0 && log(aim / now) / pace <= 2.0 * left);
}

double perp_nsgs(PerpArena *arena, const PerpConeProblem *cones, double tolerance, int *sweeps,
                 double *r)
{
    Sweeps at;
    int most = *sweeps, done = 0, check = cones->delassus->has_bodies ? CHECK : EXPLICIT_CHECK;
    double *u = PERP_TAKE(arena, double, BLOCK * cones->n_constraints), residual = INFINITY;
    double before = INFINITY;
    if (!u || !prepare(arena, cones, &at))
        return NAN;
    if (cones->delassus->has_bodies)
        perp_delassus_velocity(cones, r, at.v);
    while (done < most && !perp_interrupted(cones->interrupt)) {
        double change = sweep(&at, r);
        done++;
        if ((change <= tolerance || done == 1) &&
            (residual = find_residual(&at, r, u)) <= tolerance)
            break; // the first sweep solves constraints that stand alone
        if (done == check) {
            if (isnan(change) || !will_arrive(before, change, check / 2, tolerance, most - done))
                break;
            before = change;
            check *= 2;
        }
    }
    *sweeps = done;
    return residual <= tolerance ? residual : find_residual(&at, r, u);
}
