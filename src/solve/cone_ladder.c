#include "solve/cone_ladder.h"

#include "cones/methods/methods.h"
#include "cones/methods/newton_local.h"

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
static const double WORK = 3e6;     // constraints times factorisations that a problem may cost
enum { LEAST_LEFT = 150, LEAST_LOOSE = 20, MOST_LEFT = 3000, INTERIOR_STEPS = 80 };
enum { FIRST_STEPS = 4, EXACT_STEPS = 60, NEWTON_STEPS = 12, PROXIMAL_TRIES = 3 };
enum { SWEEPS = 30, LOOSE_SWEEPS = 600 };
enum { OWN_STEPS = 120, OWN_STEPS_OF_FEW = 240, OWN_STEPS_OF_JOINED = 60, RELAXATIONS = 60 };
enum { GRADIENT_CELLS = 64 }; // from so many on gradients take the place of sweeps
enum { GRADIENTS = 2000, LOOSE_GRADIENTS = 5000, JOINED_GRADIENTS = 100 };
enum { LEAST_GRADIENTS = 2000, LAST_GRADIENTS = 20000 }; // where nothing is factorised
static const double GRADIENT_WORK = 3e7;                 // constraints times gradients, likewise
static const double START = 3e-4; // residual at which gradients leave the rest to Newton's method
static const double NEAR = 0.1, NEAR_MANY = 0.01; // residuals from which Newton's method may arrive
enum { MANY = 1000 };                             // constraints
enum { FRESH_CELLS = 5000 };    // of problems that may cost a few factorisations at first
enum { FACTORED_CELLS = 2000 }; // of problems that are factorised where little is asked for
enum { INTERIOR_CELLS = 300 };  // of problems that several ways through the interior are tried on

static size_t bytes_of(const PerpConeLadder *ladder)
{
    return (size_t)(3 * ladder->cones->n_constraints) * sizeof(double);
}

// Offers climb->r, whose residual is given, NAN if memory is short.
static bool offer(PerpConeLadder *ladder, double residual, PerpRung rung)
{
    ladder->memory_short = ladder->memory_short || isnan(residual);
    if (ladder->memory_short)
        return true;
    if (residual < ladder->residual) {
        ladder->residual = residual;
        ladder->rung = rung;
        memcpy(ladder->best, ladder->r, bytes_of(ladder));
    }
    double hopeless =
        ladder->tolerance < LOOSE ? 1e3 : 3; // times as much; whoever asks measures otherwise
    if (residual < hopeless * ladder->tolerance && ladder->offer(ladder->user, ladder->r, rung))
        return true;
    if (residual <= ladder->tolerance)
        ladder->tolerance = fmax(TIGHTER * ladder->tolerance, SHARP);
    return false;
}

static void count(PerpConeLadder *ladder, int steps)
{
    ladder->iterations += steps;
    ladder->left -= steps;
}

// --- rungs --------------------------------------------------------------------------------------

// The order of elimination stays in the arena.
static bool try_newton(PerpConeLadder *ladder, double epsilon, int steps, PerpRung rung)
{
    if (!perp_delassus_analyse(ladder->cones))
        return ladder->memory_short = true;
    PerpArenaMark mark = perp_arena_mark(ladder->arena);
    double residual =
        perp_newton_natural(ladder->arena, ladder->cones, epsilon, SHARP, &steps, ladder->r);
    perp_arena_release(ladder->arena, mark);
    count(ladder, steps);
    return offer(ladder, residual, rung);
}

// Newton's method from r on, fast first, then slow but from farther away.
static bool finish(PerpConeLadder *ladder, const double *from, PerpRung rung)
{
    static const struct {
        double epsilon;
        int steps;
    } ways[] = {{1e-7, 20}, {1e-4, 30}, {1e-2, 40}};
    for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) {
        memcpy(ladder->r, from, bytes_of(ladder));
        if (try_newton(ladder, ways[k].epsilon, ways[k].steps, rung))
            return true;
    }
    return false;
}

typedef double Rough(PerpArena *arena, const PerpConeProblem *cones, double tolerance, int *steps,
                     double *r);

// A method without factorisations, until it is good enough or comes no farther. Of gradients, which
// are slow in the end, it is worth asking early whether that is so.
static bool try_rough(PerpConeLadder *ladder, Rough *rough, double least, int left, PerpRung rung)
{
    bool good = false, reached = true;
    double ease = rung == PERP_RUNG_GRADIENT ? EASE : 1;
    while (left > 0 && reached && !good) {
        PerpArenaMark mark = perp_arena_mark(ladder->arena);
        int steps = left;
        double aim = fmax(least, ease * ladder->tolerance);
        double residual = rough(ladder->arena, ladder->cones, aim, &steps, ladder->r);
        perp_arena_release(ladder->arena, mark);
        ladder->sweeps += steps;
        left -= steps > 0 ? steps : left;
        reached = residual <= aim && aim > least;
        ease = 1;
        good = offer(ladder, residual, rung);
    }
    return good;
}

static bool has_joints(const PerpConeProblem *cones)
{
    int c = 2 * cones->n_coupled; // where joints come, if there are any
    return c < cones->n_constraints && cones->constraint[c].kind == PERP_CONSTRAINT_BILATERAL;
}

// Impulses creep along joined bodies: there neither sweeps nor gradients finish, but Newton's
// method starts well from a few of them.
static bool try_sweeps(PerpConeLadder *ladder)
{
    bool few = ladder->tolerance < LOOSE || has_joints(ladder->cones);
    int most = few ? SWEEPS : LOOSE_SWEEPS;
    return try_rough(ladder, perp_nsgs, 0, most, PERP_RUNG_SWEEPS);
}

// Where little is asked for, and gradients fail in a problem with thousands of constraints,
// hundreds of factorisations fail, too.
static bool is_worth_factors(const PerpConeLadder *ladder)
{
    return ladder->tolerance < FINE || ladder->cones->n_constraints <= FACTORED_CELLS;
}

// Single steps, where they may do.
static bool try_relaxation(PerpConeLadder *ladder)
{
    return ladder->tolerance >= ROUGHLY && perp_projected_nsgs_fits(ladder->cones) &&
           try_rough(ladder, perp_projected_nsgs, 0, RELAXATIONS, PERP_RUNG_SWEEPS);
}

// How many are worth their while: more where nothing else is left, as long as that is affordable.
static int most_gradients(const PerpConeLadder *ladder)
{
    if (has_joints(ladder->cones))
        return JOINED_GRADIENTS;
    if (ladder->tolerance < LOOSE)
        return GRADIENTS;
    if (is_worth_factors(ladder))
        return LOOSE_GRADIENTS;
    return (int)fmin(LAST_GRADIENTS,
                     fmax(LEAST_GRADIENTS, GRADIENT_WORK / ladder->cones->n_constraints));
}

static bool try_gradients(PerpConeLadder *ladder)
{
    double least = ladder->tolerance < LOOSE ? START : 0;
    return try_rough(ladder, perp_apgd, least, most_gradients(ladder), PERP_RUNG_GRADIENT);
}

// From climb->r on: where interior points stall, points that are pulled back to the last one walk
// on.
static bool try_proximal(PerpConeLadder *ladder)
{
    PerpArenaMark mark = perp_arena_mark(ladder->arena);
    int steps = ladder->left > 0 ? ladder->left : 1;
    double residual =
        perp_proximal_point(ladder->arena, ladder->cones, ladder->tolerance, &steps, ladder->r);
    perp_arena_release(ladder->arena, mark);
    count(ladder, steps);
    return offer(ladder, residual, PERP_RUNG_PROXIMAL) ||
           try_newton(ladder, 1e-7, NEWTON_STEPS, PERP_RUNG_PROXIMAL);
}

static bool try_interior(PerpConeLadder *ladder, const PerpInteriorParameters *mode)
{
    PerpArenaMark mark = perp_arena_mark(ladder->arena);
    int steps = INTERIOR_STEPS;
    double residual = perp_interior_point(ladder->arena, ladder->cones, mode,
                                          fmax(ladder->tolerance, 1e-7), &steps, ladder->r);
    double *from = PERP_TAKE(ladder->arena, double, 3 * ladder->cones->n_constraints);
    count(ladder, steps);
    ladder->memory_short = ladder->memory_short || !from;
    bool good = offer(ladder, residual, PERP_RUNG_INTERIOR);
    if (!good) {
        memcpy(from, ladder->r, bytes_of(ladder));
        good = finish(ladder, from, PERP_RUNG_INTERIOR);
    }
    perp_arena_release(ladder->arena, mark);
    return good;
}

// Newton's method from impulses that solve the law with the slip speeds of the best so far.
static bool try_held(PerpConeLadder *ladder)
{
    PerpArenaMark mark = perp_arena_mark(ladder->arena);
    int steps = INTERIOR_STEPS;
    memcpy(ladder->r, ladder->best, bytes_of(ladder));
    double residual = perp_slip_held(ladder->arena, ladder->cones,
                                     fmax(1e-8, 0.01 * ladder->tolerance), &steps, ladder->r);
    ladder->memory_short = ladder->memory_short || isnan(residual);
    perp_arena_release(ladder->arena, mark);
    count(ladder, steps);
    return ladder->memory_short || try_newton(ladder, 1e-7, NEWTON_STEPS, PERP_RUNG_INTERIOR);
}

// Newton's method on the constraints' own solutions finds its way through many more changes of
// state than that on the natural residual, which is faster where bodies are joined, and has fewer
// of them.
static bool try_own(PerpConeLadder *ladder)
{
    int steps = ladder->cones->n_constraints < MANY ? OWN_STEPS_OF_FEW : OWN_STEPS;
    if (has_joints(ladder->cones))
        steps = OWN_STEPS_OF_JOINED;
    double aim =
        ladder->tolerance < LOOSE ? fmax(SHARP, OVER * ladder->tolerance) : ladder->tolerance;
    double residual = perp_newton_local(ladder->arena, ladder->cones, aim, &steps, ladder->r);
    count(ladder, steps);
    return offer(ladder, residual, PERP_RUNG_NEWTON);
}

// --- the ladder ---------------------------------------------------------------------------------

// u at climb->r
static void find_speeds(const PerpConeLadder *ladder, double *v, double *u)
{
    perp_delassus_velocity(ladder->cones, ladder->r, v);
    perp_delassus_speeds(ladder->cones, v, u);
}

static bool try_start(PerpConeLadder *ladder, const double *start)
{
    PerpArenaMark mark = perp_arena_mark(ladder->arena);
    double *v = PERP_TAKE(ladder->arena, double, ladder->cones->n_state);
    double *u = PERP_TAKE(ladder->arena, double, 3 * ladder->cones->n_constraints);
    double residual = NAN;
    memcpy(ladder->r, start, bytes_of(ladder));
    if (v && u) {
        find_speeds(ladder, v, u);
        residual = perp_cones_residual(ladder->cones, ladder->r, u);
    }
    perp_arena_release(ladder->arena, mark);
    return offer(ladder, residual, PERP_RUNG_REUSED);
}

// May Newton's method arrive in a few steps, at a cost that is worth trying?
static bool is_near(const PerpConeLadder *ladder)
{
    return ladder->residual < (ladder->cones->n_constraints < MANY ? NEAR : NEAR_MANY);
}

// Where Newton's method costs next to nothing a rough answer is made exact in any case: heavy
// things on light ones would sink on rough ones.
static bool is_few(const PerpConeLadder *ladder)
{
    return ladder->tolerance >= LOOSE && ladder->cones->n_constraints < GRADIENT_CELLS &&
           !has_joints(ladder->cones);
}

// Makes the best so far exact; true in any case, since it is good enough already.
static bool make_exact(PerpConeLadder *ladder)
{
    memcpy(ladder->r, ladder->best, bytes_of(ladder));
    try_newton(ladder, 1e-7, NEWTON_STEPS, PERP_RUNG_NEWTON);
    if (ladder->residual > EXACT && !ladder->memory_short) {
        memcpy(ladder->r, ladder->best, bytes_of(ladder));
        ladder->tolerance = EXACT;
        ladder->left = EXACT_STEPS;
        try_proximal(ladder);
    }
    return true;
}

// Impulses that are good enough but not exact would be kept as they are from step to step, and
// what rests would creep: a little of Newton's method now makes them exact.
static bool sharpen(PerpConeLadder *ladder)
{
    if (ladder->residual > EXACT && is_few(ladder))
        return make_exact(ladder);
    if (ladder->residual > EXACT && is_near(ladder))
        try_newton(ladder, 1e-7, ladder->residual < NEARLY ? 1 : 3, PERP_RUNG_NEWTON);
    return true;
}

// Contacts that are all new may be of things that stand: from a rough answer they would go on to
// creep for ever, where Newton's method, once, makes them rest.
static bool is_fresh(const PerpConeLadder *ladder, const double *start)
{
    for (int i = 0; start && i < 3 * ladder->cones->n_constraints; i++)
        if (start[i] != 0)
            return false;
    return start && ladder->tolerance >= LOOSE && ladder->cones->n_constraints <= FRESH_CELLS;
}

// The a >= 0 for which a r, r the best so far, solves the convex relaxation best:
//     min a r'u_0 + a^2 r'(u - u_0) / 2,   u_0 = u without impulses
// After an impact that is next to nothing; a few new contacts do not spoil it for the others.
static double best_multiple(PerpConeLadder *ladder)
{
    int numbers = 3 * ladder->cones->n_constraints;
    double *v = PERP_TAKE(ladder->arena, double, ladder->cones->n_state);
    double *u = PERP_TAKE(ladder->arena, double, 2 * numbers), *u_0 = u + numbers;
    double fall = 0, bend = 0;
    ladder->memory_short = ladder->memory_short || !v || !u;
    if (ladder->memory_short)
        return 0;
    memset(ladder->r, 0, bytes_of(ladder));
    find_speeds(ladder, v, u_0);
    memcpy(ladder->r, ladder->best, bytes_of(ladder));
    find_speeds(ladder, v, u);
    for (int i = 0; i < numbers; i++) {
        fall -= ladder->r[i] * u_0[i];
        bend += ladder->r[i] * (u[i] - u_0[i]);
    }
    return fall > 0 && bend > 0 ? fall / bend : 0;
}

// Impulses to go on from: those of the last step, or a multiple of them if they break the law more
// than none would.
static void go_on_from_start(PerpConeLadder *ladder)
{
    PerpArenaMark mark = perp_arena_mark(ladder->arena);
    double multiple = ladder->residual < 1 ? 1 : 0;
    if (ladder->residual >= 1 && ladder->residual < INFINITY)
        multiple = best_multiple(ladder);
    for (int i = 0; i < 3 * ladder->cones->n_constraints; i++)
        ladder->r[i] = multiple * ladder->best[i];
    perp_arena_release(ladder->arena, mark);
}

// Joints alone are Newton's. What is fresh is to come near to where Newton's method may arrive.
static bool try_without_factors(PerpConeLadder *ladder, bool fresh)
{
    int choices = 0;
    for (int c = 0; c < ladder->cones->n_constraints; c++)
        choices += ladder->cones->constraint[c].kind != PERP_CONSTRAINT_BILATERAL;
    bool few = choices < GRADIENT_CELLS && !ladder->cones->product; // sweeps know no product cones
    if (choices == 0 || few)
        return choices > 0 && try_sweeps(ladder);
    return (!fresh && try_relaxation(ladder)) || try_gradients(ladder);
}

// Factorisations that the problem may cost before other rungs are tried; fewer where little is
// asked for.
static int budget(const PerpConeLadder *ladder)
{
    double work = WORK / (ladder->cones->n_constraints + 1);
    return ladder->tolerance < LOOSE ? (int)fmin(MOST_LEFT, fmax(LEAST_LEFT, work))
                                     : (int)fmin(MOST_LEFT, fmax(LEAST_LOOSE, work / 10));
}

// Are there many constraints under the exact law?
static bool is_large(const PerpConeProblem *cones)
{
    return cones->n_constraints >= GRADIENT_CELLS && cones->shift > 0 && !cones->product;
}

// What costs few factorisations, or none.
static bool climb_low(PerpConeLadder *ladder, const double *start)
{
    if (start && try_start(ladder, start))
        return sharpen(ladder);
    bool few = is_few(ladder);
    if (start && ladder->tolerance >= LOOSE && !few && is_near(ladder) &&
        try_newton(ladder, 1e-7, FIRST_STEPS, PERP_RUNG_NEWTON))
        return true; // exact where that is cheap: what then rests costs nothing any more
    bool fresh = is_fresh(ladder, start);
    go_on_from_start(ladder);
    if (try_without_factors(ladder, fresh)) {
        if (few)
            return make_exact(ladder);
        if (fresh)
            try_newton(ladder, 1e-7, FIRST_STEPS, PERP_RUNG_NEWTON);
        return true;
    }
    if (!is_worth_factors(ladder))
        return false;
    bool large = is_large(ladder->cones), joined = has_joints(ladder->cones);
    return (large && !joined && try_own(ladder)) ||
           try_newton(ladder, 1e-7, NEWTON_STEPS, PERP_RUNG_NEWTON) ||
           (large && joined && try_own(ladder));
}

// Interior points know no product cones.
static bool climb_high(PerpConeLadder *ladder)
{
    static const PerpInteriorParameters ways[] = {{1, 0.98, 1},    {10, 0.9, 1},  {0.1, 0.98, 10},
                                                  {100, 0.9, 0.1}, {1, 0.7, 1},   {1, 0.98, 1e3},
                                                  {1, 0.98, 1e-3}, {1, 0.5, 100}, {1e3, 0.9, 1}};
    bool search = !ladder->cones->product, exact = ladder->cones->shift > 0;
    int constraints = ladder->cones->n_constraints;
    if (search && exact && constraints >= GRADIENT_CELLS && try_held(ladder))
        return true;
    if (search && !exact && try_interior(ladder, &ways[0]))
        return true; // the convex relaxation is convex: they do not stall
    for (int k = 0; k < PROXIMAL_TRIES && ladder->left > 0; k++) {
        memcpy(ladder->r, ladder->best, bytes_of(ladder));
        if (try_proximal(ladder))
            return true;
    }
    ladder->left = budget(ladder);
    size_t n_ways = search && constraints <= INTERIOR_CELLS ? sizeof ways / sizeof *ways : 0;
    for (size_t k = 0; k < n_ways && ladder->left > 0; k++)
        if (try_interior(ladder, &ways[k]))
            return true;
    if (search || constraints > INTERIOR_CELLS)
        return false;
    memset(ladder->r, 0, bytes_of(ladder));
    return try_proximal(ladder); // product cones have no other way: once more, from nothing
}

bool perp_cone_ladder_run(PerpConeLadder *ladder, const double *start)
{
    int numbers = 3 * ladder->cones->n_constraints;
    ladder->r = PERP_TAKE(ladder->arena, double, numbers);
    ladder->best = PERP_TAKE(ladder->arena, double, numbers);
    ladder->residual = INFINITY;
    ladder->left = budget(ladder);
    if (!ladder->r || !ladder->best)
        return ladder->memory_short = true;
    bool high = is_worth_factors(ladder) && !ladder->brief;
    return climb_low(ladder, start) || (high && climb_high(ladder)) ||
           ladder->offer(ladder->user, ladder->best, ladder->rung); // the best there is
}
