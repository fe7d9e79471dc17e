#include "lcp/round_climb.h"

#include "lcp/round_methods.h"
#include "lcp/round_own.h"

#include <math.h>
#include <string.h>

static const double SHARP = 1e-14;  // residual that Newton's method aims at
static const double EXACT = 1e-11;  // residual of impulses that need not be made better
static const double NEARLY = 1e-5;  // residual of which one step of Newton's method leaves nothing
static const double OVER = 1e-3;    // of what is asked for, where the last steps are fast
static const double TIGHTER = 0.3;  // the next aim if what was asked for is not good enough
static const double LOOSE = 1e-6;   // residuals for which sweeps are worth their while
static const double FINE = 1e-4;    // residuals that gradients alone seldom reach
static const double ROUGHLY = 1e-2; // residuals that single steps of contacts bring about
static const double EASE = 1.4;     // of what is asked for: it may do, by another measure
static const double WORK = 3e6;     // cells times factorisations that a problem may cost
enum { LEAST_LEFT = 150, LEAST_LOOSE = 20, MOST_LEFT = 3000, INTERIOR_STEPS = 80 };
enum { FIRST_STEPS = 4, EXACT_STEPS = 60, NEWTON_STEPS = 12, PROXIMAL_TRIES = 3 };
enum { SWEEPS = 30, LOOSE_SWEEPS = 600 };
enum { OWN_STEPS = 120, OWN_STEPS_OF_FEW = 240, OWN_STEPS_OF_JOINED = 60, RELAXATIONS = 60 };
enum { GRADIENT_CELLS = 64 }; // from so many on gradients take the place of sweeps
enum { GRADIENTS = 2000, LOOSE_GRADIENTS = 5000, JOINED_GRADIENTS = 100 };
enum { LEAST_GRADIENTS = 2000, LAST_GRADIENTS = 20000 }; // where nothing is factorised
static const double GRADIENT_WORK = 3e7;                 // cells times gradients, likewise
static const double START = 3e-4; // residual at which gradients leave the rest to Newton's method
static const double NEAR = 0.1, NEAR_MANY = 0.01; // residuals from which Newton's method may arrive
enum { MANY = 1000 };                             // cells
enum { FRESH_CELLS = 5000 };    // of problems that may cost a few factorisations at first
enum { FACTORED_CELLS = 2000 }; // of problems that are factorised where little is asked for
enum { INTERIOR_CELLS = 300 };  // of problems that several ways through the interior are tried on

static size_t bytes_of(const PerpRoundClimb *climb)
{
    return (size_t)(3 * climb->round->n_cells) * sizeof(double);
}

// Offers climb->r, whose residual is given, NAN if memory is short.
static bool offer(PerpRoundClimb *climb, double residual, PerpRung rung)
{
    climb->memory_short = climb->memory_short || isnan(residual);
    if (climb->memory_short)
        return true;
    if (residual < climb->residual) {
        climb->residual = residual;
        climb->rung = rung;
        memcpy(climb->best, climb->r, bytes_of(climb));
    }
    double hopeless =
        climb->enough < LOOSE ? 1e3 : 3; // times as much; whoever asks measures otherwise
    if (residual < hopeless * climb->enough && climb->offer(climb->user, climb->r, rung))
        return true;
    if (residual <= climb->enough)
        climb->enough = fmax(TIGHTER * climb->enough, SHARP);
    return false;
}

static void count(PerpRoundClimb *climb, int steps)
{
    climb->iterations += steps;
    climb->left -= steps;
}

// --- rungs --------------------------------------------------------------------------------------

// The order of elimination stays in the arena.
static bool try_newton(PerpRoundClimb *climb, double soft, int steps, PerpRung rung)
{
    if (!perp_round_analyse(climb->round))
        return climb->memory_short = true;
    PerpArenaMark mark = perp_arena_mark(climb->arena);
    double residual = perp_round_polish(climb->arena, climb->round, soft, SHARP, &steps, climb->r);
    perp_arena_release(climb->arena, mark);
    count(climb, steps);
    return offer(climb, residual, rung);
}

// Newton's method from r on, fast first, then slow but from farther away.
static bool finish(PerpRoundClimb *climb, const double *from, PerpRung rung)
{
    static const struct {
        double soft;
        int steps;
    } ways[] = {{1e-7, 20}, {1e-4, 30}, {1e-2, 40}};
    for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
        memcpy(climb->r, from, bytes_of(climb));
        if (try_newton(climb, ways[k].soft, ways[k].steps, rung))
            return true;
    }
    return false;
}

typedef double Rough(PerpArena *arena, const PerpRound *round, double enough, int *steps,
                     double *r);

// A method without factorisations, until it is good enough or comes no farther. Of gradients, which
// are slow in the end, it is worth asking early whether that is so.
static bool try_rough(PerpRoundClimb *climb, Rough *rough, double least, int left, PerpRung rung)
{
    bool good = false, reached = true;
    double ease = rung == PERP_RUNG_GRADIENT ? EASE : 1;
    while (left > 0 && reached && !good) {
        PerpArenaMark mark = perp_arena_mark(climb->arena);
        int steps = left;
        double aim = fmax(least, ease * climb->enough);
        double residual = rough(climb->arena, climb->round, aim, &steps, climb->r);
        perp_arena_release(climb->arena, mark);
        climb->sweeps += steps;
        left -= steps > 0 ? steps : left;
        reached = residual <= aim && aim > least;
        ease = 1;
        good = offer(climb, residual, rung);
    }
    return good;
}

static bool has_joints(const PerpRound *round)
{
    int c = 2 * round->n_pairs; // where joints come, if there are any
    return c < round->n_cells && round->cell[c].kind == PERP_CELL_JOINT;
}

// Impulses creep along joined bodies: there neither sweeps nor gradients finish, but Newton's
// method starts well from a few of them.
static bool try_sweeps(PerpRoundClimb *climb)
{
    bool few = climb->enough < LOOSE || has_joints(climb->round);
    int most = few ? SWEEPS : LOOSE_SWEEPS;
    return try_rough(climb, perp_round_sweep, 0, most, PERP_RUNG_SWEEPS);
}

// Where little is asked for, and gradients fail in a problem with thousands of cells, hundreds of
// factorisations fail, too.
static bool is_worth_factors(const PerpRoundClimb *climb)
{
    return climb->enough < FINE || climb->round->n_cells <= FACTORED_CELLS;
}

// Single steps, where they may do.
static bool try_relaxation(PerpRoundClimb *climb)
{
    return climb->enough >= ROUGHLY && perp_round_can_relax(climb->round) &&
           try_rough(climb, perp_round_relax, 0, RELAXATIONS, PERP_RUNG_SWEEPS);
}

// How many are worth their while: more where nothing else is left, as long as that is affordable.
static int most_gradients(const PerpRoundClimb *climb)
{
    if (has_joints(climb->round))
        return JOINED_GRADIENTS;
    if (climb->enough < LOOSE)
        return GRADIENTS;
    if (is_worth_factors(climb))
        return LOOSE_GRADIENTS;
    return (int)fmin(LAST_GRADIENTS, fmax(LEAST_GRADIENTS, GRADIENT_WORK / climb->round->n_cells));
}

static bool try_gradients(PerpRoundClimb *climb)
{
    double least = climb->enough < LOOSE ? START : 0;
    return try_rough(climb, perp_round_gradient, least, most_gradients(climb), PERP_RUNG_GRADIENT);
}

// From climb->r on: where interior points stall, points that are pulled back to the last one walk
// on.
static bool try_proximal(PerpRoundClimb *climb)
{
    PerpArenaMark mark = perp_arena_mark(climb->arena);
    int steps = climb->left > 0 ? climb->left : 1;
    double residual =
        perp_round_proximal(climb->arena, climb->round, climb->enough, &steps, climb->r);
    perp_arena_release(climb->arena, mark);
    count(climb, steps);
    return offer(climb, residual, PERP_RUNG_PROXIMAL) ||
           try_newton(climb, 1e-7, NEWTON_STEPS, PERP_RUNG_PROXIMAL);
}

static bool try_interior(PerpRoundClimb *climb, const PerpInteriorWay *way)
{
    PerpArenaMark mark = perp_arena_mark(climb->arena);
    int steps = INTERIOR_STEPS;
    double residual =
        perp_interior(climb->arena, climb->round, way, fmax(climb->enough, 1e-7), &steps, climb->r);
    double *from = PERP_TAKE(climb->arena, double, 3 * climb->round->n_cells);
    count(climb, steps);
    climb->memory_short = climb->memory_short || !from;
    bool good = offer(climb, residual, PERP_RUNG_INTERIOR);
    if (!good) {
        memcpy(from, climb->r, bytes_of(climb));
        good = finish(climb, from, PERP_RUNG_INTERIOR);
    }
    perp_arena_release(climb->arena, mark);
    return good;
}

// Newton's method from impulses that solve the law with the slip speeds of the best so far.
static bool try_held(PerpRoundClimb *climb)
{
    PerpArenaMark mark = perp_arena_mark(climb->arena);
    int steps = INTERIOR_STEPS;
    memcpy(climb->r, climb->best, bytes_of(climb));
    double residual = perp_round_held(climb->arena, climb->round, fmax(1e-8, 0.01 * climb->enough),
                                      &steps, climb->r);
    climb->memory_short = climb->memory_short || isnan(residual);
    perp_arena_release(climb->arena, mark);
    count(climb, steps);
    return climb->memory_short || try_newton(climb, 1e-7, NEWTON_STEPS, PERP_RUNG_INTERIOR);
}

// Newton's method on the cells' own solutions finds its way through many more changes of state than
// that on the natural residual, which is faster where bodies are joined, and has fewer of them.
static bool try_own(PerpRoundClimb *climb)
{
    int steps = climb->round->n_cells < MANY ? OWN_STEPS_OF_FEW : OWN_STEPS;
    if (has_joints(climb->round))
        steps = OWN_STEPS_OF_JOINED;
    double aim = climb->enough < LOOSE ? fmax(SHARP, OVER * climb->enough) : climb->enough;
    double residual = perp_round_own(climb->arena, climb->round, aim, &steps, climb->r);
    count(climb, steps);
    return offer(climb, residual, PERP_RUNG_NEWTON);
}

// --- the ladder ---------------------------------------------------------------------------------

// u at climb->r
static void find_speeds(const PerpRoundClimb *climb, double *v, double *u)
{
    perp_round_velocity(climb->round, climb->r, v);
    perp_round_speeds(climb->round, v, u);
}

static bool try_start(PerpRoundClimb *climb, const double *start)
{
    PerpArenaMark mark = perp_arena_mark(climb->arena);
    double *v = PERP_TAKE(climb->arena, double, climb->round->n_state);
    double *u = PERP_TAKE(climb->arena, double, 3 * climb->round->n_cells);
    double residual = NAN;
    memcpy(climb->r, start, bytes_of(climb));
    if (v && u) {
        find_speeds(climb, v, u);
        residual = perp_round_residual(climb->round, climb->r, u);
    }
    perp_arena_release(climb->arena, mark);
    return offer(climb, residual, PERP_RUNG_REUSED);
}

// May Newton's method arrive in a few steps, at a cost that is worth trying?
static bool is_near(const PerpRoundClimb *climb)
{
    return climb->residual < (climb->round->n_cells < MANY ? NEAR : NEAR_MANY);
}

// Where Newton's method costs next to nothing a rough answer is made exact in any case: heavy
// things on light ones would sink on rough ones.
static bool is_few(const PerpRoundClimb *climb)
{
    return climb->enough >= LOOSE && climb->round->n_cells < GRADIENT_CELLS &&
           !has_joints(climb->round);
}

// Makes the best so far exact; true in any case, since it is good enough already.
static bool make_exact(PerpRoundClimb *climb)
{
    memcpy(climb->r, climb->best, bytes_of(climb));
    try_newton(climb, 1e-7, NEWTON_STEPS, PERP_RUNG_NEWTON);
    if (climb->residual > EXACT && !climb->memory_short) {
        memcpy(climb->r, climb->best, bytes_of(climb));
        climb->enough = EXACT;
        climb->left = EXACT_STEPS;
        try_proximal(climb);
    }
    return true;
}

// Impulses that are good enough but not exact would be kept as they are from step to step, and
// what rests would creep: a little of Newton's method now makes them exact.
static bool sharpen(PerpRoundClimb *climb)
{
    if (climb->residual > EXACT && is_few(climb))
        return make_exact(climb);
    if (climb->residual > EXACT && is_near(climb))
        try_newton(climb, 1e-7, climb->residual < NEARLY ? 1 : 3, PERP_RUNG_NEWTON);
    return true;
}

// Contacts that are all new may be of things that stand: from a rough answer they would go on to
// creep for ever, where Newton's method, once, makes them rest.
static bool is_fresh(const PerpRoundClimb *climb, const double *start)
{
    for (int i = 0; start && i < 3 * climb->round->n_cells; i++)
        if (start[i] != 0)
            return false;
    return start && climb->enough >= LOOSE && climb->round->n_cells <= FRESH_CELLS;
}

// The a >= 0 for which a r, r the best so far, solves the relaxed law best:
//     min a r'u_0 + a^2 r'(u - u_0) / 2,   u_0 = u without impulses
// After an impact that is next to nothing; a few new contacts do not spoil it for the others.
static double best_multiple(PerpRoundClimb *climb)
{
    int numbers = 3 * climb->round->n_cells;
    double *v = PERP_TAKE(climb->arena, double, climb->round->n_state);
    double *u = PERP_TAKE(climb->arena, double, 2 * numbers), *u_0 = u + numbers;
    double fall = 0, bend = 0;
    climb->memory_short = climb->memory_short || !v || !u;
    if (climb->memory_short)
        return 0;
    memset(climb->r, 0, bytes_of(climb));
    find_speeds(climb, v, u_0);
    memcpy(climb->r, climb->best, bytes_of(climb));
    find_speeds(climb, v, u);
    for (int i = 0; i < numbers; i++) {
        fall -= climb->r[i] * u_0[i];
        bend += climb->r[i] * (u[i] - u_0[i]);
    }
    return fall > 0 && bend > 0 ? fall / bend : 0;
}

// Impulses to go on from: those of the last step, or a multiple of them if they break the law more
// than none would.
static void go_on_from_start(PerpRoundClimb *climb)
{
    PerpArenaMark mark = perp_arena_mark(climb->arena);
    double multiple = climb->residual < 1 ? 1 : 0;
    if (climb->residual >= 1 && climb->residual < INFINITY)
        multiple = best_multiple(climb);
    for (int i = 0; i < 3 * climb->round->n_cells; i++)
        climb->r[i] = multiple * climb->best[i];
    perp_arena_release(climb->arena, mark);
}

// Joints alone are Newton's. What is fresh is to come near to where Newton's method may arrive.
static bool try_without_factors(PerpRoundClimb *climb, bool fresh)
{
    int choices = 0;
    for (int c = 0; c < climb->round->n_cells; c++)
        choices += climb->round->cell[c].kind != PERP_CELL_JOINT;
    bool few = choices < GRADIENT_CELLS && !climb->round->wide; // sweeps know no wide cones
    if (choices == 0 || few)
        return choices > 0 && try_sweeps(climb);
    return (!fresh && try_relaxation(climb)) || try_gradients(climb);
}

// Factorisations that the problem may cost before other rungs are tried; fewer where little is
// asked for.
static int budget(const PerpRoundClimb *climb)
{
    double work = WORK / (climb->round->n_cells + 1);
    return climb->enough < LOOSE ? (int)fmin(MOST_LEFT, fmax(LEAST_LEFT, work))
                                 : (int)fmin(MOST_LEFT, fmax(LEAST_LOOSE, work / 10));
}

// Are there many cells under the exact law?
static bool is_heap(const PerpRound *round)
{
    return round->n_cells >= GRADIENT_CELLS && round->shift > 0 && !round->wide;
}

// What costs few factorisations, or none.
static bool climb_low(PerpRoundClimb *climb, const double *start)
{
    if (start && try_start(climb, start))
        return sharpen(climb);
    bool few = is_few(climb);
    if (start && climb->enough >= LOOSE && !few && is_near(climb) &&
        try_newton(climb, 1e-7, FIRST_STEPS, PERP_RUNG_NEWTON))
        return true; // exact where that is cheap: what then rests costs nothing any more
    bool fresh = is_fresh(climb, start);
    go_on_from_start(climb);
    if (try_without_factors(climb, fresh)) {
        if (few)
            return make_exact(climb);
        if (fresh)
            try_newton(climb, 1e-7, FIRST_STEPS, PERP_RUNG_NEWTON);
        return true;
    }
    if (!is_worth_factors(climb))
        return false;
    bool heap = is_heap(climb->round), joined = has_joints(climb->round);
    return (heap && !joined && try_own(climb)) ||
           try_newton(climb, 1e-7, NEWTON_STEPS, PERP_RUNG_NEWTON) ||
           (heap && joined && try_own(climb));
}

// Interior points know no wide cones.
static bool climb_high(PerpRoundClimb *climb)
{
    static const PerpInteriorWay ways[] = {{1, 0.98, 1},    {10, 0.9, 1},  {0.1, 0.98, 10},
                                           {100, 0.9, 0.1}, {1, 0.7, 1},   {1, 0.98, 1e3},
                                           {1, 0.98, 1e-3}, {1, 0.5, 100}, {1e3, 0.9, 1}};
    bool plain = !climb->round->wide, exact = climb->round->shift > 0;
    int cells = climb->round->n_cells;
    if (plain && exact && cells >= GRADIENT_CELLS && try_held(climb))
        return true;
    if (plain && !exact && try_interior(climb, &ways[0]))
        return true; // the relaxed law is convex: they do not stall
    for (int k = 0; k < PROXIMAL_TRIES && climb->left > 0; k++) {
        memcpy(climb->r, climb->best, bytes_of(climb));
        if (try_proximal(climb))
            return true;
    }
    climb->left = budget(climb);
    size_t n_ways = plain && cells <= INTERIOR_CELLS ? sizeof ways / sizeof *ways : 0;
    for (size_t k = 0; k < n_ways && climb->left > 0; k++)
        if (try_interior(climb, &ways[k]))
            return true;
    if (plain || cells > INTERIOR_CELLS)
        return false;
    memset(climb->r, 0, bytes_of(climb));
    return try_proximal(climb); // wide cones have no other way: once more, from nothing
}

bool perp_round_climb(PerpRoundClimb *climb, const double *start)
{
    int numbers = 3 * climb->round->n_cells;
    climb->r = PERP_TAKE(climb->arena, double, numbers);
    climb->best = PERP_TAKE(climb->arena, double, numbers);
    climb->residual = INFINITY;
    climb->left = budget(climb);
    if (!climb->r || !climb->best)
        return climb->memory_short = true;
    bool high = is_worth_factors(climb) && !climb->brief;
    return climb_low(climb, start) || (high && climb_high(climb)) ||
           climb->offer(climb->user, climb->best, climb->rung); // the best there is
}
