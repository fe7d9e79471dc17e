#include "solve/ladder.h"
#include "cones/operator/delassus.h"

#include "base/clock.h"
#include "cones/rows.h"

#include <math.h>
#include <string.h>

static size_t bytes_of(const PerpLadder *ladder)
{
    return (size_t)(3 * ladder->cones->n_constraints) * sizeof(double);
}

bool perp_ladder_begin(PerpLadder *ladder, double tolerance)
{
    int numbers = 3 * ladder->cones->n_constraints;
    ladder->asked = ladder->aim = tolerance;
    ladder->residual = INFINITY;
    ladder->accepted = ladder->begun = false;
    ladder->r = PERP_TAKE(ladder->arena, double, numbers);
    ladder->first_order = PERP_TAKE(ladder->arena, double, numbers);
    ladder->best = PERP_TAKE(ladder->arena, double, numbers);
    ladder->slip = PERP_TAKE(ladder->arena, double, ladder->cones->n_constraints);
    ladder->memory_short = !ladder->r || !ladder->first_order || !ladder->best || !ladder->slip;
    return !ladder->memory_short;
}

// --- where a rung starts ------------------------------------------------------------------------

static void find_speeds(const PerpLadder *ladder, double *v, double *u)
{
    perp_delassus_velocity(ladder->cones, ladder->r, v);
    perp_delassus_speeds(ladder->cones, v, u);
}

// The a >= 0 for which a r, r the best so far, solves the convex relaxation best:
//     min a r'u_0 + a^2 r'(u - u_0) / 2,   u_0 = u without impulses
// After an impact that is next to nothing; a few new contacts do not spoil it for the others.
static double best_multiple(PerpLadder *ladder)
{
    int numbers = 3 * ladder->cones->n_constraints;
    double *v = PERP_TAKE(ladder->arena, double, ladder->cones->n_state);
    double *u = PERP_TAKE(ladder->arena, double, 2 * numbers), *u_0 = u + numbers;
    double slope = 0, curvature = 0;
    ladder->memory_short = ladder->memory_short || !v || !u;
    if (ladder->memory_short)
        return 0;
    memset(ladder->r, 0, bytes_of(ladder));
    find_speeds(ladder, v, u_0);
    memcpy(ladder->r, ladder->best, bytes_of(ladder));
    find_speeds(ladder, v, u);
    for (int i = 0; i < numbers; i++) {
        slope -= ladder->r[i] * u_0[i];
        curvature += ladder->r[i] * (u[i] - u_0[i]);
    }
    return slope > 0 && curvature > 0 ? slope / curvature : 0;
}

// The best so far, or a multiple of it if it breaks the law more than no impulses would.
static void load_scaled(PerpLadder *ladder)
{
    PerpArenaMark mark = perp_arena_mark(ladder->arena);
    double multiple = ladder->residual < 1 ? 1 : 0;
    if (ladder->residual >= 1 && ladder->residual < INFINITY)
        multiple = best_multiple(ladder);
    for (int i = 0; i < 3 * ladder->cones->n_constraints; i++)
        ladder->r[i] = multiple * ladder->best[i];
    perp_arena_release(ladder->arena, mark);
}

static void load(PerpLadder *ladder, PerpRungStart from)
{
    if (from == PERP_FROM_START && !ladder->begun)
        load_scaled(ladder);
    ladder->begun = ladder->begun || from == PERP_FROM_START;
    if (from == PERP_FROM_BEST)
        memcpy(ladder->r, ladder->best, bytes_of(ladder));
    else if (from == PERP_FROM_FIRST_ORDER)
        memcpy(ladder->r, ladder->first_order, bytes_of(ladder));
    else if (from == PERP_FROM_ZERO)
        memset(ladder->r, 0, bytes_of(ladder));
}

// --- what becomes of its answer -----------------------------------------------------------------

const double *perp_ladder_whole(const PerpLadder *ladder, const double *r)
{
    if (!ladder->tree)
        return r;
    double *whole = PERP_TAKE_RAW(ladder->arena, double, 3 * ladder->whole->n_constraints);
    if (whole)
        perp_joint_tree_to_whole(ladder->tree, r, whole);
    return whole;
}

bool perp_ladder_spread(const PerpLadder *ladder, const double *reduced, PerpPoint *point)
{
    const PerpConeProblem *cones = ladder->tree ? ladder->whole : ladder->cones;
    const double *r = perp_ladder_whole(ladder, reduced);
    const PerpProblem *p = ladder->p;
    double *state = PERP_TAKE_RAW(ladder->arena, double, cones->n_state);
    double *v = PERP_TAKE_RAW(ladder->arena, double, perp_problem_velocities(p));
    double *c = PERP_TAKE(ladder->arena, double, perp_problem_rows(p));
    double *lambda = PERP_TAKE(ladder->arena, double, p->n_groups);
    if (!r || !state || !v || !c || !lambda)
        return false;
    perp_delassus_velocity(cones, r, state);
    perp_cones_to_rows(cones, r, c);
    perp_cones_slips(cones, state, lambda);
    perp_cones_to_velocities(cones, state, v);
    *point = (PerpPoint){v, c, lambda};
    return true;
}

bool perp_ladder_certify(PerpLadder *ladder, const double *r)
{
    PerpArenaMark mark = perp_arena_mark(ladder->arena);
    const PerpJudge judge = perp_certified_judge(ladder->best_certified);
    PerpPoint point;
    double worst = NAN;
    if (perp_ladder_spread(ladder, r, &point))
        worst = perp_judge_certify(&judge, ladder->p, &point, 0, NULL);
    perp_arena_release(ladder->arena, mark);
    ladder->memory_short = ladder->memory_short || isnan(worst);
    return worst <= ladder->settings->tolerance;
}

bool perp_ladder_certify_contacts(PerpLadder *ladder)
{
    double worst = perp_certified_contacts(ladder->arena, ladder->contact, ladder->impulse,
                                           ladder->velocity, ladder->contact_certificate);
    ladder->memory_short = ladder->memory_short || isnan(worst);
    return worst <= ladder->settings->tolerance;
}

// Of contact problems without bodies the natural residual of an island decides: the certificate is
// of the whole.
static bool is_accepted(PerpLadder *ladder, double residual)
{
    if (ladder->contact)
        return residual <= ladder->aim;
    return perp_rungs_may_pass(ladder, residual) && perp_ladder_certify(ladder, ladder->r);
}

static bool accept(PerpLadder *ladder, const PerpRung *rung, double residual)
{
    ladder->memory_short = ladder->memory_short || isnan(residual);
    if (ladder->memory_short)
        return false;
    if (residual < ladder->residual) {
        ladder->residual = residual;
        ladder->best_by = rung->method;
        memcpy(ladder->best, ladder->r, bytes_of(ladder));
    }
    bool accepted = is_accepted(ladder, residual);
    if (accepted && !ladder->accepted)
        ladder->accepted_by = rung->method;
    if (!accepted && residual <= ladder->aim)
        ladder->aim = perp_rungs_next_aim(ladder);
    return accepted;
}

// --- the loop -----------------------------------------------------------------------------------

static void tell(const PerpLadder *ladder, const PerpRung *rung, int work, double residual,
                 double seconds)
{
    const PerpProblem *p = ladder->p;
    const PerpCertified *best = ladder->best_certified;
    PerpRungTrace trace = {.method = rung->method,
                           .rung = rung->name,
                           .contacts = p               ? p->n_contacts
                                       : ladder->cones ? perp_cones_count_contacts(ladder->cones)
                                                       : ladder->contact->contacts,
                           .work = work,
                           .residual = residual,
                           .certificate = best ? best->certificate.worst : NAN,
                           .seconds = seconds,
                           .accepted = ladder->accepted};
    ladder->settings->trace(ladder->settings->trace_user, &trace);
}

static void run_on_cones(PerpLadder *ladder, const PerpRung *rung, int *work, double *residual)
{
    int left = rung->budget(ladder);
    bool goes_on = true;
    load(ladder, rung->from);
    for (ladder->attempt = 0; goes_on && left > 0 && !ladder->memory_short; ladder->attempt++) {
        int done = left;
        double aim = rung->aim(ladder);
        *residual = rung->run(ladder, aim, &done);
        *work += done;
        left -= done > 0 ? done : left;
        bool accepted = accept(ladder, rung, *residual);
        ladder->accepted = ladder->accepted || accepted;
        goes_on = rung->resumes && !ladder->accepted && *residual <= aim && ladder->aim < aim;
    }
}

// These ask the certificate themselves.
static void run_on_rows(PerpLadder *ladder, const PerpRung *rung, int *work, double *residual)
{
    PerpArenaMark mark = perp_arena_mark(ladder->arena);
    *work = rung->budget(ladder);
    *residual = rung->run(ladder, rung->aim(ladder), work);
    if (ladder->accepted)
        ladder->accepted_by = rung->method;
    else if (rung->stage == PERP_STAGE_DIRECT)
        perp_arena_release(ladder->arena, mark);
}

static void run_rung(PerpLadder *ladder, const PerpRung *rung)
{
    int work = 0;
    double residual = NAN, begin = ladder->settings->trace ? perp_thread_seconds() : 0;
    if (ladder->best_certified)
        ladder->best_certified->method = rung->method;
    if (rung->stage == PERP_STAGE_DIRECT || rung->stage == PERP_STAGE_ROWS)
        run_on_rows(ladder, rung, &work, &residual);
    else
        run_on_cones(ladder, rung, &work, &residual);
    if (ladder->settings->trace && !ladder->memory_short)
        tell(ladder, rung, work, residual, perp_thread_seconds() - begin);
}

static bool applies(const PerpLadder *ladder, const PerpRung *rung)
{
    bool refines = rung->stage == PERP_STAGE_REFINE;
    bool needs_cones = refines || rung->stage == PERP_STAGE_CONES;
    return refines == ladder->accepted && (ladder->cones || !needs_cones) &&
           (ladder->settings->methods & PERP_METHOD_BIT(rung->method)) && rung->fits(ladder);
}

// The first time is the last: what is asked may change its mind.
static bool is_interrupted(PerpLadder *ladder)
{
    ladder->interrupted = ladder->interrupted || perp_interrupted(&ladder->interrupt);
    return ladder->interrupted;
}

bool perp_ladder_run(PerpLadder *ladder, PerpRungStage first, PerpRungStage last)
{
    const PerpSolver *solver = ladder->solver;
    const PerpRung *rungs = solver->rungs ? solver->rungs : perp_rungs;
    int count = solver->rungs ? solver->n_rungs : perp_rung_count;
    for (int k = 0; k < count && !ladder->memory_short && !is_interrupted(ladder); k++) {
        const PerpRung *rung = &rungs[k];
        if (rung->stage < first || rung->stage > last || !applies(ladder, rung))
            continue;
        ladder->solver->rungs_run |= UINT64_C(1) << k;
        run_rung(ladder, rung);
    }
    return ladder->accepted || ladder->memory_short;
}
