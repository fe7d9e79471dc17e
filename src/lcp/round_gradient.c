// Projected gradients with momentum on the exact law:
//
//     r_new = P(y - (u(y) + s e_n) / L),   y = r_new + beta (r_new - r),   beta by Nesterov's rule
//
// Nothing is factorised: a step costs two products with J. The law is not monotone because of the
// shift s = |u_T|; the shift follows the slip with a lag, and the momentum is bounded, or else
// piles that come to rest make both swing for ever. Momentum that points uphill starts anew.

#include "lcp/round.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

static const double LAG = 0.3;            // share of the way that the shift goes in a step
static const double MOST_MOMENTUM = 0.95; //
static const double FIRST_STEEPNESS = 3, STEEPER = 1.5, FLATTER = 0.98; // L
static const double PACE = 0.98; // the residual falls at least so much while steps double
enum { LOOK = 8, FIRST_PACE = 512, STEEPENINGS = 30 };

typedef struct Gradient {
    const PerpRound *round;
    double *r, *r_old, *y; // 3 a cell
    double *u, *u_old, *u_y;
    double *shift; // a cell
    double *v;
    double steepness, theta;
} Gradient;

static bool take(PerpArena *arena, const PerpRound *round, Gradient *at)
{
    int numbers = 3 * round->n_cells;
    *at = (Gradient){.round = round,
                     .r = PERP_TAKE(arena, double, numbers),
                     .r_old = PERP_TAKE(arena, double, numbers),
                     .y = PERP_TAKE(arena, double, numbers),
                     .u = PERP_TAKE(arena, double, numbers),
                     .u_old = PERP_TAKE(arena, double, numbers),
                     .u_y = PERP_TAKE(arena, double, numbers),
                     .shift = PERP_TAKE(arena, double, round->n_cells),
                     .v = PERP_TAKE(arena, double, round->n_state),
                     .steepness = FIRST_STEEPNESS,
                     .theta = 1};
    return at->r && at->r_old && at->y && at->u && at->u_old && at->u_y && at->shift && at->v;
}

static void find_speeds(Gradient *at, const double *r, double *u)
{
    perp_round_velocity(at->round, r, at->v);
    perp_round_speeds(at->round, at->v, u);
}

static void follow_slip(Gradient *at, double share)
{
    for (int c = 0; c < at->round->n_cells; c++) {
        const double *u = at->u_y + 3 * c;
        double slip = at->round->shift * perp_length(u[1], u[2]);
        at->shift[c] += share * (slip - at->shift[c]);
    }
}

static void project_cone(double *x)
{
    double t = perp_length(x[1], x[2]);
    if (t <= x[0])
        return;
    double n = t <= -x[0] ? 0 : (x[0] + t) / 2, shrink = n > 0 ? n / t : 0;
    x[0] = n;
    x[1] *= shrink;
    x[2] *= shrink;
}

// r becomes the projection of y - (u(y) + s e_n) / L
static void descend(Gradient *at, double *r)
{
    double way = 1 / at->steepness;
    for (int c = 0; c < at->round->n_cells; c++) {
        const PerpCell *cell = &at->round->cell[c];
        const double *y = at->y + 3 * c, *u = at->u_y + 3 * c;
        double *x = r + 3 * c;
        for (int i = 0; i < 3; i++)
            x[i] = y[i] - way * u[i];
        if (cell->kind == PERP_CELL_CONE) {
            x[0] -= way * at->shift[c];
            project_cone(x);
        } else if (cell->kind == PERP_CELL_BOX)
            x[0] = fmin(fmax(x[0], cell->lo), cell->hi);
    }
}

// Is d'W d > L d'd for the step d from y? Then it was too long.
static bool is_too_long(const Gradient *at, const double *r, const double *u)
{
    double bent = 0, squares = 0;
    for (int i = 0; i < 3 * at->round->n_cells; i++) {
        double d = r[i] - at->y[i];
        bent += d * (u[i] - at->u_y[i]);
        squares += d * d;
    }
    return bent > at->steepness * squares * (1 + 1e-12);
}

static double *swap(double **a, double *b)
{
    double *kept = *a;
    *a = b;
    return kept;
}

// r_old, u_old hold the last point; r, u become the next.
static void step(Gradient *at)
{
    double *r = at->r_old, *u = at->u_old;
    for (int tries = 0;; tries++) {
        descend(at, r);
        find_speeds(at, r, u);
        if (tries == STEEPENINGS || !is_too_long(at, r, u))
            break;
        at->steepness *= STEEPER;
    }
    at->r_old = swap(&at->r, r);
    at->u_old = swap(&at->u, u);
    at->steepness *= FLATTER;
}

// y and u(y); u depends on r linearly
static void carry_on(Gradient *at)
{
    int numbers = 3 * at->round->n_cells;
    double uphill = 0, theta = at->theta;
    for (int i = 0; i < numbers; i++)
        uphill += (at->y[i] - at->r[i]) * (at->r[i] - at->r_old[i]);
    double next = theta * (sqrt(theta * theta + 4) - theta) / 2;
    double momentum = fmin(theta * (1 - theta) / (theta * theta + next), MOST_MOMENTUM);
    if (uphill > 0) {
        next = 1;
        momentum = 0;
    }
    at->theta = next;
    for (int i = 0; i < numbers; i++) {
        at->y[i] = at->r[i] + momentum * (at->r[i] - at->r_old[i]);
        at->u_y[i] = at->u[i] + momentum * (at->u[i] - at->u_old[i]);
    }
}

static void begin(Gradient *at, const double *r)
{
    size_t bytes = (size_t)(3 * at->round->n_cells) * sizeof(double);
    memcpy(at->r, r, bytes);
    find_speeds(at, r, at->u);
    memcpy(at->y, at->r, bytes);
    memcpy(at->u_y, at->u, bytes);
    follow_slip(at, 1);
}

double perp_round_gradient(PerpArena *arena, const PerpRound *round, double enough, int *steps,
                           double *r)
{
    Gradient at;
    size_t bytes = (size_t)(3 * round->n_cells) * sizeof(double);
    int most = *steps, done = 0, pace = FIRST_PACE;
    if (!take(arena, round, &at))
        return NAN;
    begin(&at, r);
    double best = perp_round_residual(round, r, at.u), before = INFINITY;
    while (best > enough && done < most) {
        step(&at);
        carry_on(&at);
        follow_slip(&at, LAG);
        done++;
        if (done % LOOK != 0 && done < most)
            continue;
        double residual = perp_round_residual(round, at.r, at.u);
        if (residual < best) {
            best = residual;
            memcpy(r, at.r, bytes);
        }
        if (done == pace) {
            if (best > PACE * before)
                break;
            before = best;
            pace *= 2;
        }
    }
    *steps = done;
    return best;
}
