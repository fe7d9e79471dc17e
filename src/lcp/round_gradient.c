// Projected gradients with momentum on the exact law:
//
//     r_new = P(y - (u(y) + s e_n) / L),   y = r + beta (r - r_old),   beta by Nesterov's rule
//
// Nothing is factorised: a step costs two products with J, which follow each other cell by cell
// while J's rows are in the cache. The law is not monotone because of the shift s = |u_T|; the
// shift follows the slip with a lag, and the momentum is bounded, or else piles that come to rest
// make both swing for ever. Momentum that points uphill starts anew. A step that was too long for L
// shows when its speeds are known; L is raised for the next.
//
// Cells of large problems are dealt out in parts, whatever the number of threads: each sums up its
// own J'r, and these are added in their order.

#include "base/threads.h"
#include "lcp/round_bodies.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

static const double LAG = 0.3;            // share of the way that the shift goes in a step
static const double MOST_MOMENTUM = 0.95; //
static const double FIRST_STEEPNESS = 3, STEEPER = 1.5, FLATTER = 0.98; // L
static const double PACE = 0.98; // the residual falls at least so much while steps double
enum { LOOK = 8, FIRST_PACE = 512 };
enum { TILE = 32, PARTS = 4, LARGE = 2048 }; // cells

typedef struct Part {
    double *x;     // n_bodies * pad: J'r of its cells
    double uphill; // (y - r)'(r - r_old) of the step
    double bent;   // d'W d of the step before, d = r - y
    double squares;
} Part;

typedef struct Gradient {
    const PerpRound *round;
    double *r, *r_old, *y; // 3 a cell
    double *u_old, *u_y;
    double *shift; // a cell
    double *x;     // n_bodies * pad: velocities that r causes
    int n_parts;
    Part part[PARTS];
    double steepness, theta, momentum, lag;
} Gradient;

static bool take(PerpArena *arena, const PerpRound *round, Gradient *at)
{
    int numbers = 3 * round->n_cells;
    size_t bodies = (size_t)round->pad * (size_t)round->p->n_bodies;
    *at = (Gradient){.round = round,
                     .r = PERP_TAKE(arena, double, numbers),
                     .r_old = PERP_TAKE(arena, double, numbers),
                     .y = PERP_TAKE(arena, double, numbers),
                     .u_old = PERP_TAKE(arena, double, numbers),
                     .u_y = PERP_TAKE(arena, double, numbers),
                     .shift = PERP_TAKE(arena, double, round->n_cells),
                     .x = PERP_TAKE(arena, double, bodies),
                     .n_parts = round->n_cells < LARGE ? 1 : PARTS,
                     .steepness = FIRST_STEEPNESS,
                     .theta = 1,
                     .lag = 1};
    bool enough = at->r && at->r_old && at->y && at->u_old && at->u_y && at->shift && at->x;
    for (int k = 0; k < at->n_parts && enough; k++)
        enough = (at->part[k].x = PERP_TAKE(arena, double, bodies));
    return enough;
}

static int first_of(int n, int parts, int part)
{
    return (int)((long)n * part / parts);
}

// --- one cell -----------------------------------------------------------------------------------

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

// The next r of a cell at which velocities are u.
static void step_cell(Gradient *at, Part *part, int c, const double *u)
{
    const PerpCell *cell = &at->round->cell[c];
    double *r = at->r + 3 * c, *r_old = at->r_old + 3 * c, *y = at->y + 3 * c;
    double *u_old = at->u_old + 3 * c, *u_y = at->u_y + 3 * c, next[3];
    double way = 1 / at->steepness;
    for (int i = 0; i < 3; i++) {
        double d = r[i] - y[i];
        part->bent += d * (u[i] - u_y[i]);
        part->squares += d * d;
        y[i] = r[i] + at->momentum * (r[i] - r_old[i]);
        u_y[i] = u[i] + at->momentum * (u[i] - u_old[i]);
        next[i] = y[i] - way * u_y[i];
        r_old[i] = r[i];
        u_old[i] = u[i];
    }
    if (cell->kind == PERP_CELL_CONE) {
        double slip = at->round->shift * perp_length(u_y[1], u_y[2]);
        at->shift[c] += at->lag * (slip - at->shift[c]);
        next[0] -= way * at->shift[c];
        project_cone(next);
    } else if (cell->kind == PERP_CELL_BOX)
        next[0] = fmin(fmax(next[0], cell->lo), cell->hi);
    for (int i = 0; i < 3; i++) {
        part->uphill += (y[i] - next[i]) * (next[i] - r_old[i]);
        r[i] = next[i];
    }
}

// --- one step of all ----------------------------------------------------------------------------

static void step_tile(Gradient *at, Part *part, int first, int end)
{
    const PerpRound *round = at->round;
    double u[3 * TILE];
    PerpBlockCells rows = perp_round_bodies_rows(round, first, end);
    round->kernels->measure(&rows, at->x, u);
    for (int c = first; c < end; c++) {
        for (int i = 0; i < 3; i++)
            u[3 * (c - first) + i] += round->cell[c].d[i];
        step_cell(at, part, c, u + 3 * (c - first));
    }
    round->kernels->gather(&rows, at->r + 3 * first, part->x);
}

static void step_part(void *user, int item, int thread)
{
    (void)thread;
    Gradient *at = user;
    Part *part = &at->part[item];
    int end = first_of(at->round->n_cells, at->n_parts, item + 1);
    part->uphill = part->bent = part->squares = 0;
    memset(part->x, 0, (size_t)at->round->pad * (size_t)at->round->p->n_bodies * sizeof(double));
    for (int c = first_of(at->round->n_cells, at->n_parts, item); c < end; c += TILE)
        step_tile(at, part, c, c + TILE < end ? c + TILE : end);
}

// Velocities of some bodies, by the sums of all parts.
static void move_part(void *user, int item, int thread)
{
    (void)thread;
    Gradient *at = user;
    const PerpRound *round = at->round;
    int n = round->p->n_bodies, end = first_of(n, at->n_parts, item + 1);
    for (int b = first_of(n, at->n_parts, item); b < end; b++) {
        double *x = at->x + round->pad * round->body_place[b];
        memcpy(x, at->part[0].x + (x - at->x), (size_t)round->pad * sizeof(double));
        for (int k = 1; k < at->n_parts; k++)
            for (int i = 0; i < round->size; i++)
                x[i] += at->part[k].x[x - at->x + i];
        perp_round_bodies_weigh(round, b, x);
        for (int i = 0; i < round->size; i++)
            x[i] += round->free[round->size * b + i];
    }
}

// The next L, and the next momentum: none if it would point uphill.
static void choose_momentum(Gradient *at)
{
    double uphill = 0, bent = 0, squares = 0, theta = at->theta;
    for (int k = 0; k < at->n_parts; k++) {
        uphill += at->part[k].uphill;
        bent += at->part[k].bent;
        squares += at->part[k].squares;
    }
    bool too_long = bent > at->steepness * squares * (1 + 1e-12);
    at->steepness *= too_long ? STEEPER : FLATTER;
    bool anew = uphill > 0;
    at->theta = anew ? 1 : theta * (sqrt(theta * theta + 4) - theta) / 2;
    at->momentum =
        anew ? 0 : fmin(theta * (1 - theta) / (theta * theta + at->theta), MOST_MOMENTUM);
}

static void step(Gradient *at)
{
    perp_parallel(at->round->threads, at->n_parts, step_part, at);
    perp_parallel(at->round->threads, at->n_parts, move_part, at);
    choose_momentum(at);
    at->lag = LAG;
}

static void begin(Gradient *at, const double *r)
{
    const PerpRound *round = at->round;
    size_t bytes = (size_t)(3 * round->n_cells) * sizeof(double);
    PerpBlockCells rows = perp_round_bodies_rows(round, 0, round->n_cells);
    memcpy(at->r, r, bytes);
    memcpy(at->y, r, bytes);
    round->kernels->gather(&rows, r, at->part[0].x);
    for (int k = 0; k < at->n_parts; k++)
        move_part(at, k, 0);
}

double perp_round_gradient(PerpArena *arena, const PerpRound *round, double enough, int *steps,
                           double *r)
{
    Gradient at;
    size_t bytes = (size_t)(3 * round->n_cells) * sizeof(double);
    int most = *steps, done = 0, pace = FIRST_PACE;
    double best = INFINITY, before = INFINITY;
    if (!take(arena, round, &at))
        return NAN;
    begin(&at, r);
    for (;; done++) {
        step(&at); // r_old, u_old: where it began
        if (done % LOOK != 0 && done != most)
            continue;
        double residual = perp_round_residual(round, at.r_old, at.u_old);
        if (residual < best) {
            best = residual;
            memcpy(r, at.r_old, bytes);
        }
        bool stalls = done == pace && best > PACE * before;
        if (best <= enough || done >= most || stalls)
            break;
        if (done == pace) {
            before = best;
            pace *= 2;
        }
    }
    *steps = done;
    return best;
}
