// The table of the ladder: every method, where it applies, where it starts, its bound on work.
//
// Sizes are numbers of constraints: contacts, boxes, and joints by threes. Tolerances are natural
// residuals relative to that of no impulses, as in ladder->asked.

#include "cones/methods/methods.h"
#include "cones/methods/slip_held.h"
#include "problem/problem.h"
#include "solve/ladder.h"
#include "solve/purpose.h"
#include "solve/rung_runs.h"

#include <limits.h>
#include <math.h>

// --- thresholds ---------------------------------------------------------------------------------

static const double LOOSE = 1e-6;          // asked for: first-order methods may finish
static const double FINE = 1e-4;           // asked for: gradients alone seldom get there
static const double ROUGH = 1e-2;          // asked for: one projection a contact and sweep will do
static const double EXACT = 1e-11;         // residual of impulses that need not be made better
static const double NEAR = 0.1;            // residuals from which Newton's method may arrive
#define SHARP 1e-14                        // residual that Newton's method aims at
static const double GRADIENTS_END = 3e-4;  // residual at which gradients leave the rest to Newton
static const double GRADIENTS_NEAR = 1e-3; // residual from which more of them may get there
static const double HOPELESS = 1e3, HOPELESS_LOOSE = 3; // times the aim: not worth a certificate
static const double TIGHTER = 0.3;                      // the next aim, of one that did not suffice
static const double EARLY = 1.4; // times what is asked for: another measure may do with it
// Tolerances of slip held down to which gradients go, and where interior points cost less below.
static const double HELD_GRADIENTS = 1e-5, HELD_GRADIENTS_FACTORED = 3e-5;
static const double HELD_MARGIN = 0.7; // natural residual to aim at, of that tolerance
static const double SETTLING = 0.1;    // share of contacts that slip

enum {
    LARGE = 64,                // constraints: gradients take the place of Gauss-Seidel,
    LARGE_JOINED = 32,         // where joints are eliminated and some digits asked for
    BOUNDED = 100,             // constraints: slip is held rather than dear methods tried
    BOUNDED_JOINED = 300,      // likewise of bodies that are joined
    SMALL = 250,               // constraints: Newton's method is cheaper than interior points
    MOST_WAITS = 64,           // steps with slip held, after which the exact law is tried again
    DENSE_ROWS = 128,          // of joined bodies, explicit W: one dense matrix
    DENSE_STEPS = 8,           // of Newton's method with it
    FACTORED = 2000,           // constraints that are factorised where little is asked for,
    FACTORED_BODIES = 1000,    // or any number of them on these,
    LAST_BODIES = 4000,        // and on these where gradients did not arrive
    FRESH = 5000,              // constraints that may cost a few factorisations when all are new
    POLYGON_CONTACTS = 100,    // dense pivots: their price grows with the cube
    FEW_FACTORISATIONS = 150,  // that a problem may cost in any case, if much is asked for,
    LEAST_FACTORISATIONS = 20, // and if little is
    MOST_FACTORISATIONS = 3000
};
// Polyhedral problems that dense pivots are for, in complementary pairs and equations.
enum {
    DENSE_PAIRS = 100,         // without friction
    DENSE_POLYGON_PAIRS = 800, // some 80 contacts of 8 facets
    DENSE_EQUATIONS = 60
};
static const double FACTORISATION_WORK = 3e6; // constraints times factorisations, in between
static const double GRADIENT_WORK = 3e7;      // constraints times gradients, where none are made
static const double PROXIMAL_WORK = 1e8;      // the same of explicit problems: jammed walls
static const double PIVOT_WORK = 4e9;         // squares of pairs times pivots: seconds

// --- what problems are like ---------------------------------------------------------------------

static int size(const PerpLadder *l)
{
    return l->cones->n_constraints;
}

static bool is_loose(const PerpLadder *l)
{
    return l->asked >= LOOSE;
}

static bool is_explicit(const PerpLadder *l)
{
    return l->contact;
}

static bool is_product(const PerpLadder *l)
{
    return l->cones->product;
}

// Joints that are not eliminated.
static bool is_joined(const PerpLadder *l)
{
    return perp_cones_have_joints(l->cones);
}

static bool has_joints(const PerpLadder *l)
{
    return l->tree || is_joined(l);
}

// Little is asked for and Newton's method costs next to nothing.
static bool is_few(const PerpLadder *l)
{
    return is_loose(l) && size(l) < LARGE && !has_joints(l);
}

static bool is_near(const PerpLadder *l)
{
    return l->residual < NEAR;
}

// Where little is asked for, and gradients fail on thousands of constraints, hundreds of
// factorisations fail, too.
static bool is_worth_factors(const PerpLadder *l)
{
    return l->asked < FINE || size(l) <= FACTORED;
}

// The price of a factorisation is that of its bodies.
static bool is_factored(const PerpLadder *l)
{
    return size(l) <= FACTORED || l->cones->p->n_bodies <= FACTORED_BODIES;
}

// Constraints that are not joints.
static bool has_inequalities(const PerpLadder *l)
{
    return l->cones->n_inequalities > 0;
}

// Impulses creep along joints: Gauss-Seidel seldom brings more than a digit there.
static int swept(const PerpLadder *l)
{
    return l->tree && is_loose(l) && l->asked < ROUGH ? LARGE_JOINED : LARGE;
}

// Gauss-Seidel knows no product cones.
static bool is_swept(const PerpLadder *l)
{
    return l->cones->n_inequalities < swept(l) && !is_product(l);
}

static bool is_large(const PerpLadder *l)
{
    return size(l) >= LARGE && !is_product(l);
}

// May an answer with slip held take the place of dear methods?
static bool may_hold(const PerpLadder *l)
{
    return l->settings->held_tolerance > 0 && l->p && l->cones && !is_product(l) &&
           perp_problem_has_circular(l->p);
}

// Large enough for dear methods not to be worth their price then. Where bodies are joined Newton's
// method arrives, and slip held would be off by millimetres, but among many contacts.
static bool is_bounded(const PerpLadder *l)
{
    return may_hold(l) && size(l) >= (has_joints(l) ? BOUNDED_JOINED : BOUNDED);
}

// Newton's method on the exact law of many contacts seldom arrives but from where gradients ended,
// and in piles that creep not even then: it is tried again after 1, 2, 4, .. steps with slip held.
static bool is_left_to_held(const PerpLadder *l)
{
    int steps = l->settings->held_steps;
    bool waits = steps & (steps - 1) && steps % MOST_WAITS != 0;
    bool far = size(l) >= SMALL && l->residual > GRADIENTS_END;
    return is_bounded(l) && (is_loose(l) || waits || far);
}

// Few contacts slip, as in a pile that comes to rest. The noise that slip held may leave, 1e-3 of
// the speeds, would keep it creeping.
static bool is_settling(const PerpLadder *l)
{
    if (!is_bounded(l) || is_loose(l) || size(l) >= SMALL)
        return false;
    int slipping = perp_slip_count(l->arena, l->cones, l->residual, l->best);
    return slipping >= 0 && slipping <= SETTLING * size(l);
}

// The law itself is convex.
static bool is_frictionless(const PerpLadder *l)
{
    return l->p && l->p->n_groups == 0;
}

// Of eliminated joints: rows that closed loops leave may follow from the others, and have no
// inverse mass of their own then.
static bool has_loops(const PerpLadder *l)
{
    return l->tree && is_joined(l);
}

// --- where rungs apply --------------------------------------------------------------------------

static bool fits_step(const PerpLadder *l)
{
    return l->p;
}

static bool fits_joints(const PerpLadder *l)
{
    return l->p && perp_joints_alone(l->p) && !l->settings->minimum_norm;
}

static bool fits_single_sweep(const PerpLadder *l)
{
    return l->contact && l->contact->bilateral == 0;
}

static bool fits_start(const PerpLadder *l)
{
    return l->has_start;
}

// Joined bodies: impulses creep along joints, and elimination leaves few constraints. An explicit W
// is at hand.
static bool fits_reduced(const PerpLadder *l)
{
    return (is_explicit(l) || has_joints(l)) && perp_reduced_newton_fits(l->cones, DENSE_ROWS);
}

static bool fits_nsgs(const PerpLadder *l)
{
    return is_explicit(l) || (has_inequalities(l) && is_swept(l) && !has_loops(l));
}

static bool fits_projected_nsgs(const PerpLadder *l)
{
    return !is_explicit(l) && has_inequalities(l) && !is_swept(l) && !l->fresh &&
           l->asked >= ROUGH && !l->tree && perp_projected_nsgs_fits(l->cones);
}

static bool fits_apgd(const PerpLadder *l)
{
    return !is_explicit(l) && has_inequalities(l) && !is_swept(l);
}

// Worth going on with, for the exact law, where they are not far from their end.
static bool fits_more_apgd(const PerpLadder *l)
{
    return fits_apgd(l) && is_bounded(l) && !is_loose(l) && l->residual > GRADIENTS_END &&
           l->residual < GRADIENTS_NEAR;
}

// It passes many more changes of mode than Newton's method on the natural map, which
// is faster where bodies are joined and has fewer of them.
static bool fits_newton_local(const PerpLadder *l)
{
    return is_explicit(l) ||
           (is_worth_factors(l) && is_large(l) && !has_joints(l) && !is_left_to_held(l));
}

static bool fits_newton(const PerpLadder *l)
{
    bool arrives = !is_bounded(l) || l->residual < LOOSE;
    return !is_explicit(l) && is_worth_factors(l) && !is_left_to_held(l) && arrives;
}

static bool fits_newton_local_joined(const PerpLadder *l)
{
    return !is_explicit(l) && is_worth_factors(l) && is_large(l) && has_joints(l) &&
           !is_left_to_held(l);
}

static bool fits_nsgs_again(const PerpLadder *l)
{
    return is_explicit(l);
}

static bool fits_proximal(const PerpLadder *l)
{
    return !is_explicit(l) && is_worth_factors(l) && !is_bounded(l);
}

static bool fits_proximal_last(const PerpLadder *l)
{
    return is_explicit(l);
}

// Product cones have no other method.
static bool fits_proximal_from_zero(const PerpLadder *l)
{
    return !is_explicit(l) && is_worth_factors(l) && is_product(l);
}

// Circular friction in problems that have no constraint form, such as those of custom systems, and
// product cones, which the other polygons do not know.
static bool fits_turned_polygon(const PerpLadder *l)
{
    bool small = l->p && l->p->n_contacts <= POLYGON_CONTACTS;
    return l->p && perp_problem_has_circular(l->p) && (!l->cones || (is_product(l) && small));
}

static bool fits_polygon(const PerpLadder *l)
{
    return l->p && l->cones && !is_product(l) && l->p->n_groups > 0 && !is_bounded(l) &&
           l->p->n_contacts <= POLYGON_CONTACTS;
}

static bool fits_held_apgd(const PerpLadder *l)
{
    double least = l->cones && is_factored(l) ? HELD_GRADIENTS_FACTORED : HELD_GRADIENTS;
    return may_hold(l) && l->settings->held_tolerance >= least && !is_settling(l);
}

static bool fits_held_interior(const PerpLadder *l)
{
    return may_hold(l) && (l->settings->held_tolerance < HELD_GRADIENTS || is_factored(l) ||
                           l->cones->p->n_bodies <= LAST_BODIES);
}

static bool fits_pivoting(const PerpLadder *l)
{
    return l->p && !perp_problem_has_circular(l->p) &&
           (!l->cones || perp_problem_pairs(l->p) <= PERP_LCP_SIZE_LIMIT);
}

// --- refinement of what is accepted -------------------------------------------------------------

static bool is_first_order(PerpMethod method)
{
    return method == PERP_METHOD_NSGS || method == PERP_METHOD_PROJECTED_NSGS ||
           method == PERP_METHOD_APGD;
}

// Impulses that are good enough but not exact would be used again from step to step, and what rests
// would creep: heavy things on light ones would sink. So would things that stand on contacts that
// are all new.
static bool refines(const PerpLadder *l)
{
    bool warm = l->accepted_by == PERP_METHOD_WARM_START, first = is_first_order(l->accepted_by);
    bool fresh = l->fresh && is_loose(l) && size(l) <= FRESH;
    return !is_explicit(l) && l->residual > EXACT &&
           ((warm && is_near(l)) || (first && fresh) || (is_few(l) && (warm || first)));
}

// --- bounds on work -----------------------------------------------------------------------------

// Where polygons stand behind them, no more than those would cost: dense pivots, the cube of the
// size against about its first power.
static int proximal_steps(const PerpLadder *l)
{
    double work = FACTORISATION_WORK / (size(l) + 1);
    if (is_loose(l))
        return (int)fmin(MOST_FACTORISATIONS, fmax(LEAST_FACTORISATIONS, work / 10));
    if (fits_polygon(l))
        work = fmin(work, (double)size(l) * size(l));
    return (int)fmin(MOST_FACTORISATIONS, fmax(FEW_FACTORISATIONS, work));
}

static int once(const PerpLadder *l)
{
    (void)l;
    return 1;
}

// From what is given, and again from a few sweeps.
static int reduced_steps(const PerpLadder *l)
{
    (void)l;
    return DENSE_STEPS;
}

static int refining_steps(const PerpLadder *l)
{
    return is_few(l) ? 12 : 4;
}

// Impulses creep along joined bodies: there Gauss-Seidel does not finish, but Newton's method
// starts well from a few sweeps of it.
static int nsgs_sweeps(const PerpLadder *l)
{
    return is_explicit(l) ? 32
           : is_joined(l) ? 30
           : !is_loose(l) ? (l->tree ? 16 : 30)
           : l->tree      ? 60
                          : 600;
}

static int projected_sweeps(const PerpLadder *l)
{
    (void)l;
    return 60;
}

// More where nothing else is left, as long as that is affordable.
static int gradients(const PerpLadder *l)
{
    if (is_joined(l))
        return 100;
    if (is_bounded(l))
        return is_loose(l) ? 400 : 200;
    if (!is_loose(l))
        return 2000;
    if (is_worth_factors(l))
        return 5000;
    return (int)fmin(20000, fmax(2000, GRADIENT_WORK / size(l)));
}

// Of Newton's method before slip is held: where that arrives it mostly does so in these.
static int bounded_steps(const PerpLadder *l)
{
    return size(l) < SMALL ? 40 : 12;
}

static int newton_local_steps(const PerpLadder *l)
{
    if (is_bounded(l) || (is_frictionless(l) && !has_joints(l)))
        return bounded_steps(l);
    if (is_explicit(l) || has_joints(l))
        return 60;
    return 240;
}

static int newton_steps(const PerpLadder *l)
{
    (void)l;
    return 12;
}

// Where few of them do not arrive, a few interior points cost less.
static int held_gradients(const PerpLadder *l)
{
    return is_factored(l) ? 1500 : 5000;
}

// Mostly 15 to 30; a heavy ball that strikes a wall of 900 bricks takes 60. Nothing is behind them.
static int held_interior_steps(const PerpLadder *l)
{
    (void)l;
    return 80;
}

static int last_proximal_steps(const PerpLadder *l)
{
    return (int)fmin(100000, fmax(5000, PROXIMAL_WORK / size(l)));
}

// Dense pivots cost n^2 each. Beyond some thousand pairs a path may take minutes: it is cut short
// where slip may be held, that is where prices are bounded.
static int pivots(const PerpLadder *l)
{
    double n = perp_problem_pairs(l->p);
    bool bounded = l->cones && l->settings->held_tolerance > 0 && PIVOT_WORK < 4 * n * n * n;
    return bounded ? 1 + (int)(PIVOT_WORK / (n * n)) : INT_MAX;
}

// --- residuals to aim at ------------------------------------------------------------------------

static double asked(const PerpLadder *l)
{
    return l->aim;
}

static double sharp(const PerpLadder *l)
{
    (void)l;
    return SHARP;
}

// Gradients are slow in the end: it is worth asking a little early.
static double gradients_aim(const PerpLadder *l)
{
    double aim = l->attempt == 0 ? EARLY * l->aim : l->aim;
    return is_loose(l) ? aim : fmax(GRADIENTS_END, aim);
}

// The last steps are fast.
static double newton_local_aim(const PerpLadder *l)
{
    return is_explicit(l) || is_loose(l) ? l->aim : fmax(SHARP, 1e-3 * l->aim);
}

// The last step is exact where no mode changes.
static double reduced_aim(const PerpLadder *l)
{
    return is_loose(l) ? l->aim : fmax(SHARP, 0.1 * l->aim);
}

static double held_aim(const PerpLadder *l)
{
    return HELD_MARGIN * l->settings->held_tolerance;
}

// Digits are cheap by interior points, and the certificate may see less than the natural residual.
// Where nothing slips the law with slip held is the exact one.
static double held_interior_aim(const PerpLadder *l)
{
    return fmin(is_settling(l) ? l->asked : LOOSE, held_aim(l));
}

// --- which form ---------------------------------------------------------------------------------

// Circular friction, or too large for dense matrices to pay, or no pivoting wanted.
bool perp_rungs_want_cones(const PerpProblem *p, const PerpProblemSettings *settings)
{
    int most = p->n_groups == 0 ? DENSE_PAIRS : DENSE_POLYGON_PAIRS;
    bool pivots = settings->methods & PERP_METHOD_BIT(PERP_METHOD_PIVOTING);
    bool large = perp_problem_pairs(p) > most || p->n_joints > DENSE_EQUATIONS || !pivots;
    return (perp_problem_has_circular(p) || (large && !settings->minimum_norm)) &&
           perp_cones_fits(p);
}

// --- what for ------------------------------------------------------------------------------------

// Of problems that shorter steps follow on if they are missed.
enum { DEAR_CONTACTS = 600 };
static const unsigned DEAR_METHODS = PERP_METHOD_BIT(PERP_METHOD_SLIP_HELD) |
                                     PERP_METHOD_BIT(PERP_METHOD_PROXIMAL) |
                                     PERP_METHOD_BIT(PERP_METHOD_POLYGON);
// Of a projection, from which on neither pivots are worth their price nor digits that the next
// round finds: contacts.
enum { LARGE_ASIDE = 100 };

void perp_purpose_choose(const PerpPurpose *purpose, int contacts, PerpProblemSettings *settings)
{
    if (purpose->is_tentative && contacts >= DEAR_CONTACTS)
        settings->methods &= ~DEAR_METHODS;
    if (purpose->may_hold && settings->held_tolerance > 0)
        settings->methods &= ~PERP_METHOD_BIT(PERP_METHOD_POLYGON);
    if (purpose->is_aside)
        settings->methods &= ~PERP_METHOD_BIT(PERP_METHOD_PROXIMAL);
    if (purpose->is_aside && contacts >= LARGE_ASIDE) {
        settings->methods &= ~PERP_METHOD_BIT(PERP_METHOD_PIVOTING);
        settings->tolerance = fmax(settings->tolerance, purpose->tolerance);
    }
}

// --- answers ------------------------------------------------------------------------------------

bool perp_rungs_may_pass(const PerpLadder *l, double residual)
{
    return residual < (is_loose(l) ? HOPELESS_LOOSE : HOPELESS) * l->aim;
}

double perp_rungs_next_aim(const PerpLadder *l)
{
    return fmax(TIGHTER * l->aim, SHARP);
}

const PerpRungBounds perp_rung_bounds = {
    .margin = 0.7,
    .contact_margin = 0.3,
    // No impulses at all have a natural residual of 1: what is asked for is less, or piles would
    // collapse, and cost more for it.
    .loosest = 0.1,
    .sharper = 0.01,
    .sharpest = SHARP,
    .contact_passes = 8,
    .sharp = SHARP,
    .finishing_steps = 12,
    .held_slips = 3,
    .held_tighter = 0.3,
    .dense_rows = DENSE_ROWS,
    .dense_steps = DENSE_STEPS,
};

// --- the table ----------------------------------------------------------------------------------

#define DIRECT PERP_STAGE_DIRECT
#define CONES PERP_STAGE_CONES
#define ROWS PERP_STAGE_ROWS
#define REFINE PERP_STAGE_REFINE
#define METHOD(name) PERP_METHOD_##name
#define FROM(name) PERP_FROM_##name

// clang-format off
const PerpRung perp_rungs[] = {
//   name                         method                stage   where                     from               at most                  until             resumes  by
    {"free flight",               METHOD(FREE),           DIRECT, fits_step,                FROM(LAST),        once,                    asked,            false, perp_run_free},
    {"joints alone",              METHOD(JOINTS),         DIRECT, fits_joints,              FROM(LAST),        once,                    asked,            false, perp_run_joints},
    {"NSGS, one sweep",           METHOD(NSGS),           DIRECT, fits_single_sweep,        FROM(LAST),        once,                    asked,            false, perp_run_single_sweep},

    {"Newton, local map, dense",  METHOD(NEWTON_LOCAL),   CONES,  fits_reduced,             FROM(LAST),        reduced_steps,           reduced_aim,      false, perp_run_reduced_newton},
    {"warm start",                METHOD(WARM_START),     CONES,  fits_start,               FROM(LAST),        once,                    asked,            false, perp_run_start},
    {"NSGS",                      METHOD(NSGS),           CONES,  fits_nsgs,                FROM(START),       nsgs_sweeps,             asked,            true,  perp_run_nsgs},
    {"projected NSGS",            METHOD(PROJECTED_NSGS), CONES,  fits_projected_nsgs,      FROM(START),       projected_sweeps,        asked,            true,  perp_run_projected_nsgs},
    {"APGD",                      METHOD(APGD),           CONES,  fits_apgd,                FROM(START),       gradients,               gradients_aim,    true,  perp_run_apgd},
    {"APGD, more",                METHOD(APGD),           CONES,  fits_more_apgd,           FROM(LAST),        gradients,               gradients_aim,    false, perp_run_apgd},
    {"Newton, local map",         METHOD(NEWTON_LOCAL),   CONES,  fits_newton_local,        FROM(LAST),        newton_local_steps,      newton_local_aim, false, perp_run_newton_local},
    {"Newton, natural map",       METHOD(NEWTON),         CONES,  fits_newton,              FROM(LAST),        newton_steps,            sharp,            false, perp_run_newton},
    {"Newton, local map, joined", METHOD(NEWTON_LOCAL),   CONES,  fits_newton_local_joined, FROM(LAST),        newton_local_steps,      newton_local_aim, false, perp_run_newton_local},
    {"NSGS again",                METHOD(NSGS),           CONES,  fits_nsgs_again,          FROM(FIRST_ORDER), nsgs_sweeps,             asked,            false, perp_run_nsgs},
    {"proximal points",           METHOD(PROXIMAL),       CONES,  fits_proximal,            FROM(BEST),        proximal_steps,          asked,            true,  perp_run_proximal},
    {"proximal points, last",     METHOD(PROXIMAL),       CONES,  fits_proximal_last,       FROM(FIRST_ORDER), last_proximal_steps,     asked,            false, perp_run_proximal},
    {"proximal points from zero", METHOD(PROXIMAL),       CONES,  fits_proximal_from_zero,  FROM(ZERO),        proximal_steps,          asked,            false, perp_run_proximal},
    {"turned polygons",           METHOD(POLYGON),        ROWS,   fits_turned_polygon,      FROM(LAST),        once,                    asked,            false, perp_run_turned_polygon},
    {"refined polygons",          METHOD(POLYGON),        ROWS,   fits_polygon,             FROM(LAST),        once,                    asked,            false, perp_run_polygon},
    {"APGD, slip held",           METHOD(SLIP_HELD),      ROWS,   fits_held_apgd,           FROM(BEST),        held_gradients,          held_aim,         false, perp_run_held_apgd},
    {"interior points, slip held",METHOD(SLIP_HELD),      ROWS,   fits_held_interior,       FROM(BEST),        held_interior_steps,     held_interior_aim, false, perp_run_held_interior},
    {"pivoting",                  METHOD(PIVOTING),       ROWS,   fits_pivoting,            FROM(LAST),        pivots,                  asked,            false, perp_run_pivoting},

    {"Newton, refinement",        METHOD(NEWTON),         REFINE, refines,                  FROM(BEST),        refining_steps,          sharp,            false, perp_run_newton},
};
// clang-format on

const int perp_rung_count = sizeof perp_rungs / sizeof *perp_rungs;
