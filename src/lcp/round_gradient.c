// Projected gradients with momentum on the exact law:
//
//     r_new = P(y - (u(y) + s e_n) / L),   y = r + beta (r - r_old),   beta by Nesterov's rule
//
// [Nesterov 1983; restarts: O'Donoghue and Candes 2015; for contacts: Mazhar et al. 2015, on the
// convex law, s = 0]
//
// Nothing is factorised: a step costs two products with J, which follow each other cell by cell
// while J's rows are in the cache. The law is not monotone because of the shift s = |u_T|; the
// shift follows the slip with a lag, and the momentum is bounded, or else piles that come to rest
// make both swing for ever. Momentum that points uphill starts anew. A step that was too long for L
// shows when its speeds are known; L is raised for the next.
//
// Cells of large problems are dealt out in parts, whatever the number of threads: each sums up its
// own J'r, and these are added in their order.

#include "base/compiler.h"
#include "base/threads.h"
#include "lcp/round_bodies.h"
#include "lcp/round_wide.h"

#include <math.h>
#include <string.h>

static const double LAG = 0.3;            // share of the way that the shift goes in a step
static const double MOST_MOMENTUM = 0.95; //
static const double FIRST_STEEPNESS = 3, STEEPER = 1.5, FLATTER = 0.98; // L
static const double SLOW = 0.7;    // a pace that will not become faster
static const double TINY = 1e-300; // beside |x_T|, which may be 0
enum { LOOK = 6, FIRST_PACE = 512 };
enum { PARTS = 4, LARGE = 2048 }; // cells
enum { TILE = 32, TILE_NUMBERS = 3 * TILE, LANES = 8 };

typedef struct Sums {
    double uphill[LANES]; // (y - r)'(r - r_old) of the step
    double bent[LANES];   // d'W d of the step before, d = r - y
    double squares[LANES];
} Sums;

typedef struct Part {
    double *x; // n_bodies * pad: J'r of its cells
    Sums sums;
} Part;

// Numbers of cells lie in tiles, within a tile all normal ones, all first and all second tangential
// ones; the last tile is filled up with cells of zeros.
typedef struct Gradient {
    const PerpRound *round;
    int tiles;
    double *r, *r_old, *y, *u_old, *u_y, *d;
    double *shift, *lo, *hi; // a cell
    double *cone;            // a cell: 1 or 0
    double *x;               // n_bodies * pad: velocities that r causes
    int n_parts;
    Part part[PARTS];
    double steepness, theta, momentum, lag;
} Gradient;

static bool take(PerpArena *arena, const PerpRound *round, Gradient *at)
{
    int tiles = (round->n_cells + TILE - 1) / TILE, numbers = TILE_NUMBERS * tiles;
    size_t bodies = (size_t)round->pad * (size_t)round->p->n_bodies;
    *at = (Gradient){.round = round,
                     .tiles = tiles,
                     .r = PERP_TAKE(arena, double, numbers),
                     .r_old = PERP_TAKE(arena, double, numbers),
                     .y = PERP_TAKE(arena, double, numbers),
                     .u_old = PERP_TAKE(arena, double, numbers),
                     .u_y = PERP_TAKE(arena, double, numbers),
                     .d = PERP_TAKE(arena, double, numbers),
                     .shift = PERP_TAKE(arena, double, TILE *tiles),
                     .lo = PERP_TAKE(arena, double, TILE *tiles),
                     .hi = PERP_TAKE(arena, double, TILE *tiles),
                     .cone = PERP_TAKE(arena, double, TILE *tiles),
                     .x = PERP_TAKE(arena, double, bodies),
                     .n_parts = round->n_cells < LARGE ? 1 : PARTS,
                     .steepness = FIRST_STEEPNESS,
                     .theta = 1,
                     .lag = 1};
    bool enough = at->r && at->r_old && at->y && at->u_old && at->u_y && at->d && at->shift &&
                  at->lo && at->hi && at->cone && at->x;
    for (int k = 0; k < at->n_parts && enough; k++)
        enough = (at->part[k].x = PERP_TAKE(arena, double, bodies));
    return enough;
}

static int first_of(int n, int parts, int part)
{
    return (int)((long)n * part / parts);
}

// --- cells and tiles ----------------------------------------------------------------------------

static int cells_of(const Gradient *at, int tile)
{
    int left = at->round->n_cells - TILE * tile;
    return left < TILE ? left : TILE;
}

// From three numbers a cell to a tile, and back.
static void put(int cells, const double *from, double *tile)
{
    for (int c = 0; c < cells; c++)
        for (int k = 0; k < 3; k++)
            tile[TILE * k + c] = from[3 * c + k];
}

static void get(int cells, const double *tile, double *to)
{
    for (int c = 0; c < cells; c++)
        for (int k = 0; k < 3; k++)
            to[3 * c + k] = tile[TILE * k + c];
}

static void put_cells(Gradient *at)
{
    for (int c = 0; c < at->round->n_cells; c++) {
        const PerpCell *cell = &at->round->cell[c];
        put(1, cell->d, at->d + TILE_NUMBERS * (c / TILE) + c % TILE);
        at->cone[c] = cell->kind == PERP_CELL_CONE && !perp_round_is_wide(at->round, c);
        at->lo[c] = cell->kind == PERP_CELL_BOX ? cell->lo : -INFINITY;
        at->hi[c] = cell->kind == PERP_CELL_BOX ? cell->hi : INFINITY;
    }
}

// --- one tile -----------------------------------------------------------------------------------

// y and u(y); what the last step was worth
PERP_KERNEL_PART void look_ahead(double momentum, const double *restrict r,
                                 const double *restrict u, double *restrict r_old,
                                 double *restrict u_old, double *restrict y, double *restrict u_y,
                                 Sums *restrict sums)
{
    for (int i = 0; i < TILE_NUMBERS; i += LANES)
        for (int l = 0; l < LANES; l++) {
            double d = r[i + l] - y[i + l];
            sums->bent[l] += d * (u[i + l] - u_y[i + l]);
            sums->squares[l] += d * d;
        }
    for (int i = 0; i < TILE_NUMBERS; i++) {
        y[i] = r[i] + momentum * (r[i] - r_old[i]);
        u_y[i] = u[i] + momentum * (u[i] - u_old[i]);
        r_old[i] = r[i];
        u_old[i] = u[i];
    }
}

PERP_KERNEL_PART double positive_part(double x)
{
    return x > 0 ? x : 0;
}

// P(x) of a cell. On the cone without branches: with across = |x_T|,
//     P(x)_n = ((x_n + across)+ + (x_n - across)+) / 2,   |P(x)_T| = the same with a minus
PERP_KERNEL_PART void project(double cone, double lo, double hi, double x[3])
{
    double n = x[0], across = sqrt(x[1] * x[1] + x[2] * x[2]);
    double more = positive_part(n + across), less = positive_part(n - across);
    double shrink = (more - less) / (2 * across + TINY);
    double at_lo = n + positive_part(lo - n), in_box = at_lo - positive_part(at_lo - hi);
    x[0] = cone > 0 ? (more + less) / 2 : in_box;
    x[1] = cone > 0 ? shrink * x[1] : x[1];
    x[2] = cone > 0 ? shrink * x[2] : x[2];
}

// r = P(y - way (u + s e_n))
PERP_KERNEL_PART void descend(double way, double lag, double shifted, const double *restrict cone,
                              const double *restrict lo, const double *restrict hi,
                              const double *restrict y, const double *restrict u,
                              double *restrict shift, double *restrict r)
{
    for (int c = 0; c < TILE; c++) {
        double p = u[TILE + c], q = u[2 * TILE + c], slip = sqrt(p * p + q * q);
        double s = shift[c] + lag * (shifted * cone[c] * slip - shift[c]);
        double x[3] = {y[c] - way * (u[c] + s), y[TILE + c] - way * p, y[2 * TILE + c] - way * q};
        project(cone[c], lo[c], hi[c], x);
        shift[c] = s;
        r[c] = x[0];
        r[TILE + c] = x[1];
        r[2 * TILE + c] = x[2];
    }
}

PERP_KERNEL_PART void look_back(const double *restrict y, const double *restrict r,
                                const double *restrict r_old, Sums *restrict sums)
{
    for (int i = 0; i < TILE_NUMBERS; i += LANES)
        for (int l = 0; l < LANES; l++)
            sums->uphill[l] += (y[i + l] - r[i + l]) * (r[i + l] - r_old[i + l]);
}

PERP_VECTOR_KERNEL static void step_numbers(const Gradient *at, int tile, const double *u,
                                            Sums *sums)
{
    int first = TILE * tile, base = TILE_NUMBERS * tile;
    double *r = at->r + base, *r_old = at->r_old + base, *y = at->y + base, *u_y = at->u_y + base;
    look_ahead(at->momentum, r, u, r_old, at->u_old + base, y, u_y, sums);
    descend(1 / at->steepness, at->lag, at->round->shift, at->cone + first, at->lo + first,
            at->hi + first, y, u_y, at->shift + first, r);
    look_back(y, r, r_old, sums);
}

// What descend left free: a wide cone, which may reach into the next cell. Numbers of a tile are
// TILE apart.
static void project_wide(const Gradient *at, int cell, Sums *sums)
{
    PerpWideCone cone = perp_wide_cone(at->round, cell);
    int base = TILE_NUMBERS * (cell / TILE) + cell % TILE;
    double x[PERP_WIDE_NUMBERS], u[PERP_WIDE_NUMBERS];
    for (int i = 0; i < cone.n; i++) {
        int place = base + TILE * (i % 3) + i / 3;
        x[i] = at->r[place];
        u[i] = at->u_y[place];
        sums->uphill[0] -= (at->y[place] - x[i]) * (x[i] - at->r_old[place]);
    }
    at->shift[cell] += at->lag * (at->round->shift * perp_wide_slip(&cone, u) - at->shift[cell]);
    x[0] -= at->shift[cell] / at->steepness;
    perp_wide_project(&cone, x, u, NULL);
    for (int i = 0; i < cone.n; i++) {
        int place = base + TILE * (i % 3) + i / 3;
        at->r[place] = u[i];
        sums->uphill[0] += (at->y[place] - u[i]) * (u[i] - at->r_old[place]);
    }
}

// --- one step of all ----------------------------------------------------------------------------

static void step_tile(Gradient *at, Part *part, int tile)
{
    int cells = cells_of(at, tile), first = TILE * tile, base = TILE_NUMBERS * tile;
    double by_cell[TILE_NUMBERS], u[TILE_NUMBERS] = {0};
    PerpBlockCells rows = perp_round_bodies_rows(at->round, first, first + cells);
    at->round->kernels->measure(&rows, at->x, by_cell);
    put(cells, by_cell, u);
    for (int i = 0; i < TILE_NUMBERS; i++)
        u[i] += at->d[base + i];
    step_numbers(at, tile, u, &part->sums);
    for (int c = first; at->round->wide && c < first + cells; c++)
        if (at->round->cell[c].kind == PERP_CELL_CONE && perp_round_is_wide(at->round, c))
            project_wide(at, c, &part->sums);
    get(cells, at->r + base, by_cell);
    at->round->kernels->gather(&rows, by_cell, part->x);
}

static void step_part(void *user, int item, int thread)
{
    (void)thread;
    Gradient *at = user;
    Part *part = &at->part[item];
    int end = first_of(at->tiles, at->n_parts, item + 1);
    part->sums = (Sums){0};
    memset(part->x, 0, (size_t)at->round->pad * (size_t)at->round->p->n_bodies * sizeof(double));
    for (int tile = first_of(at->tiles, at->n_parts, item); tile < end; tile++)
        step_tile(at, part, tile);
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
    for (int k = 0; k < at->n_parts; k++)
        for (int l = 0; l < LANES; l++) {
            uphill += at->part[k].sums.uphill[l];
            bent += at->part[k].sums.bent[l];
            squares += at->part[k].sums.squares[l];
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
    PerpBlockCells rows = perp_round_bodies_rows(round, 0, round->n_cells);
    put_cells(at);
    for (int tile = 0; tile < at->tiles; tile++) {
        put(cells_of(at, tile), r + TILE_NUMBERS * tile, at->r + TILE_NUMBERS * tile);
        put(cells_of(at, tile), r + TILE_NUMBERS * tile, at->y + TILE_NUMBERS * tile);
    }
    round->kernels->gather(&rows, r, at->part[0].x);
    for (int k = 0; k < at->n_parts; k++)
        move_part(at, k, 0);
}

// --- looking ------------------------------------------------------------------------------------

PERP_KERNEL_PART double larger(double x, double y)
{
    return x > y ? x : y;
}

// |r - P(r - u - s e_n)|^2 of the worst cell of a tile, s = |u_T|, where the last step began. NaN
// if any number is.
PERP_VECTOR_KERNEL static double tile_residual(const Gradient *at, int tile)
{
    const double *r = at->r_old + TILE_NUMBERS * tile, *u = at->u_old + TILE_NUMBERS * tile;
    const double *cone = at->cone + TILE * tile, *lo = at->lo + TILE * tile;
    const double *hi = at->hi + TILE * tile;
    double square[TILE], worst = 0, sum = 0, shifted = at->round->shift;
    for (int c = 0; c < TILE; c++) {
        double p = u[TILE + c], q = u[2 * TILE + c];
        double slip = shifted * cone[c] * sqrt(p * p + q * q);
        double x[3] = {r[c] - u[c] - slip, r[TILE + c] - p, r[2 * TILE + c] - q};
        project(cone[c], lo[c], hi[c], x);
        double e = r[c] - x[0], f = r[TILE + c] - x[1], g = r[2 * TILE + c] - x[2];
        double most = larger(e * e, larger(f * f, g * g)); // rows of joints each by itself
        square[c] = cone[c] > 0 ? e * e + f * f + g * g : most;
    }
    for (int c = 0; c < TILE; c++) {
        worst = square[c] > worst ? square[c] : worst;
        sum += square[c] + r[c] + u[c] + u[TILE + c] + u[2 * TILE + c];
    }
    return isnan(sum) ? sum : worst;
}

// Three numbers a cell.
static void get_all(const Gradient *at, const double *tiles, double *to)
{
    for (int tile = 0; tile < at->tiles; tile++)
        get(cells_of(at, tile), tiles + TILE_NUMBERS * tile, to + TILE_NUMBERS * tile);
}

// Of the point at which the last step began; now, u: scratch
static double find_residual(const Gradient *at, double *now, double *u)
{
    double worst = 0;
    if (at->round->wide) {
        get_all(at, at->r_old, now);
        get_all(at, at->u_old, u);
        return perp_round_residual(at->round, now, u);
    }
    for (int tile = 0; tile < at->tiles; tile++) {
        double square = tile_residual(at, tile);
        worst = square > worst || isnan(square) ? square : worst;
    }
    return isnan(worst) ? INFINITY : sqrt(worst);
}

// The residual fell to `fall` of what it was while steps doubled. That is slow, and if further
// doublings bring as much, still too little, `off` times what is asked for, when `left` times as
// many steps are done?
static bool is_hopeless(double fall, double off, double left)
{
    return left > 2 && fall > SLOW && off * pow(fall, log2(left)) > 1;
}

double perp_round_gradient(PerpArena *arena, const PerpRound *round, double enough, int *steps,
                           double *r)
{
    Gradient at;
    size_t numbers = (size_t)(3 * round->n_cells);
    int most = *steps, done = 0, pace = FIRST_PACE;
    double *now = PERP_TAKE(arena, double, numbers), *u = PERP_TAKE(arena, double, numbers);
    double best = INFINITY, before = INFINITY;
    if (!now || !u || !take(arena, round, &at))
        return NAN;
    begin(&at, r);
    for (;; done++) {
        step(&at);
        if (done % LOOK != 0 && done != most)
            continue;
        double residual = find_residual(&at, now, u);
        if (residual < best) {
            best = residual;
            get_all(&at, at.r_old, r);
        }
        if (best <= enough || done >= most)
            break;
        if (done >= pace) {
            if (is_hopeless(best / before, best / enough, (double)most / done))
                break;
            before = best;
            pace *= 2;
        }
    }
    *steps = done;
    return best;
}
