// The step problem from end to end: checked, run through the ladder, answered with its certificate.

#include "perp/problem.h"

#include "base/error.h"
#include "base/log.h"
#include "base/sized.h"
#include "cones/rows.h"
#include "problem/compliance.h"
#include "problem/problem.h"
#include "problem/reduce.h"
#include "solve/ladder.h"

#include <math.h>
#include <string.h>

// --- names --------------------------------------------------------------------------------------

static const char *const names[] = {
#define PERP_METHOD_NAME(name, word, text) word,
    PERP_METHOD_LIST(PERP_METHOD_NAME)
#undef PERP_METHOD_NAME
};

static const char *const texts[] = {
#define PERP_METHOD_TEXT(name, word, text) text,
    PERP_METHOD_LIST(PERP_METHOD_TEXT)
#undef PERP_METHOD_TEXT
};

const char *perp_method_name(PerpMethod method)
{
    return (unsigned)method < PERP_METHOD_COUNT ? names[method] : "?";
}

const char *perp_method_text(PerpMethod method)
{
    return (unsigned)method < PERP_METHOD_COUNT ? texts[method] : "?";
}

bool perp_method_from_name(const char *name, PerpMethod *method)
{
    for (int m = 0; m < PERP_METHOD_COUNT; m++)
        if (strcmp(name, names[m]) == 0) {
            *method = (PerpMethod)m;
            return true;
        }
    return false;
}

void perp_fill_problem_settings(PerpProblemSettings *made, size_t size)
{
    const PerpProblemSettings defaults = {
        .method = PERP_LCP_AUTO, .tolerance = PERP_TOLERANCE, .methods = PERP_ALL_METHODS};
    perp_fill_sized(made, size, &defaults, sizeof defaults);
}

// --- solving ------------------------------------------------------------------------------------

static bool is_zero(int n, const double *x)
{
    for (int i = 0; i < n; i++)
        if (x[i] != 0)
            return false;
    return true;
}

// Joints that make a tree are eliminated, but not where contacts have product cones: fewer of those
// are solved then.
static bool eliminate_joints(PerpLadder *ladder)
{
    if (!perp_cones_have_joints(ladder->cones) || ladder->cones->product)
        return true;
    PerpJointTree *tree = PERP_TAKE(ladder->arena, PerpJointTree, 1);
    if (!tree || !perp_joint_tree_build(ladder->arena, ladder->cones, tree))
        return false;
    if (tree->fits) {
        ladder->tree = tree;
        ladder->whole = ladder->cones;
        ladder->cones = &tree->reduced;
        ladder->whole->bodies.cache = NULL; // it holds the factors of one problem, the reduced one
    }
    return true;
}

// The slip of the friction groups to start from as that of constraints, in ladder->slip.
static void load_slip(PerpLadder *ladder, const double *of_group)
{
    const PerpConeProblem *cones = ladder->cones;
    for (int c = 0; c < cones->n_constraints; c++) {
        const PerpConstraint *constraint = &cones->constraint[c];
        if (constraint->group >= 0)
            ladder->slip[c] = of_group[constraint->group] * constraint->scale[1] / cones->speed;
    }
}

// The impulses to start from, in ladder->r.
static bool load_start(PerpLadder *ladder, const double *start)
{
    if (!ladder->tree) {
        perp_cones_from_rows(ladder->cones, start, ladder->r);
        return true;
    }
    PerpArenaMark mark = perp_arena_mark(ladder->arena);
    double *whole = PERP_TAKE(ladder->arena, double, 3 * ladder->whole->n_constraints);
    if (whole) {
        perp_cones_from_rows(ladder->whole, start, whole);
        perp_joint_tree_from_whole(ladder->tree, whole, ladder->r);
    }
    perp_arena_release(ladder->arena, mark);
    return whole;
}

static bool begin_cones(PerpLadder *ladder, PerpConeProblem *cones)
{
    const double *start = ladder->settings->start;
    PerpSolver *solver = ladder->solver;
    if (!perp_cones_build(ladder->arena, &solver->graphs, ladder->p, cones))
        return false;
    cones->threads = solver->threads;
    cones->interrupt = &ladder->interrupt;
    ladder->cones = cones;
    ladder->has_start = start;
    if (!eliminate_joints(ladder))
        return false;
    ladder->best_certified->with_gap = cones->n_constraints > 0 && !cones->product;
    if (!perp_ladder_begin(ladder, perp_rung_bounds.margin * ladder->settings->tolerance))
        return false;
    if (start && !load_start(ladder, start))
        return false;
    if (start && ladder->settings->start_slip)
        load_slip(ladder, ladder->settings->start_slip);
    ladder->fresh = start && is_zero(3 * ladder->cones->n_constraints, ladder->r);
    return true;
}

// If no rung was accepted: the best impulses of all, which have not always been certified, or the
// zeros that stand for an answer where no method applied.
static bool certify_best(PerpLadder *ladder)
{
    PerpCertified *best = ladder->best_certified;
    const PerpPoint none = {best->v, best->c, best->lambda};
    const PerpJudge judge = perp_certified_judge(best);
    if (!ladder->accepted && ladder->cones && ladder->residual < INFINITY)
        ladder->accepted = perp_ladder_certify(ladder, ladder->best);
    if (best->certificate.worst == INFINITY)
        ladder->memory_short = ladder->memory_short ||
                               isnan(perp_judge_certify(&judge, ladder->p, &none, INFINITY, NULL));
    return !ladder->memory_short;
}

static bool solve(PerpLadder *ladder, PerpConeProblem *cones)
{
    if (perp_ladder_run(ladder, PERP_STAGE_DIRECT, PERP_STAGE_DIRECT))
        return !ladder->memory_short;
    if (perp_rungs_want_cones(ladder->p, ladder->settings) && !begin_cones(ladder, cones))
        return false;
    perp_ladder_run(ladder, PERP_STAGE_CONES, PERP_STAGE_REFINE);
    return !ladder->memory_short && certify_best(ladder);
}

static void report(const PerpLadder *ladder, PerpProblemResult *result)
{
    const PerpCertified *best = ladder->best_certified;
    const PerpPivotingResult *pivoting = &ladder->pivoting;
    bool solved = best->certificate.worst <= ladder->settings->tolerance;
    PerpOutcome missed = pivoting->point.v ? pivoting->outcome : PERP_OUTCOME_MISSED;
    *result = (PerpProblemResult){.outcome = solved         ? PERP_OUTCOME_SOLVED
                                             : ladder->held ? PERP_OUTCOME_HELD
                                                            : missed,
                                  .method = pivoting->method,
                                  .lcp_size = pivoting->lcp_size,
                                  .joint_rank = pivoting->joint_rank,
                                  .pivots = ladder->pivots,
                                  .attempts = pivoting->attempts,
                                  .factorisations = pivoting->factorisations,
                                  .basis_reused = pivoting->basis_reused,
                                  .solved_by = best->found_by,
                                  .iterations = ladder->iterations,
                                  .sweeps = ladder->sweeps,
                                  .v = best->v,
                                  .c = best->c,
                                  .lambda = best->lambda,
                                  .basis = pivoting->basis,
                                  .certificate = best->certificate,
                                  .gap = best->gap,
                                  .held = ladder->held ? best->held : (PerpHeld){0},
                                  .slip_held = ladder->held ? best->slip_held : NULL,
                                  .of_contact = best->of_contact};
}

static PerpStatus check(const PerpProblem *p, const PerpProblemSettings *settings, PerpError *error)
{
    PerpStatus status = perp_problem_check(p, error);
    if (!status && (!(settings->tolerance > 0) || settings->max_pivots < 0))
        status = perp_fail(error, PERP_BAD_VALUE, "settings: tolerance > 0, max_pivots >= 0");
    return status;
}

// The problem that is solved: p, or the rigid one that stands for it. False if memory is short.
static bool make_rigid(PerpArena *arena, const PerpProblem **p, PerpProblem *rigid)
{
    if (perp_compliance_count(*p) == 0)
        return true;
    if (!perp_compliance_expand(arena, *p, rigid))
        return false;
    *p = rigid;
    return true;
}

PerpStatus perp_problem_solve(PerpSolver *solver, const PerpProblem *p,
                              const PerpProblemSettings *settings, PerpProblemResult *result,
                              PerpError *error)
{
    PerpProblemSettings used = perp_default_problem_settings();
    PerpConeProblem cones;
    PerpCertified best;
    PerpProblem rigid;
    const PerpProblem *asked = p;
    PerpLadder ladder = {.solver = solver,
                         .arena = &solver->arena,
                         .settings = &used,
                         .best_certified = &best,
                         .error = error};
    PerpStatus status =
        perp_read_sized(&used, sizeof used, settings, "perp_default_problem_settings", error);
    if (!status)
        status = check(p, &used, error);
    if (status)
        return status;
    ladder.interrupt = (PerpInterrupt){used.interrupt, used.interrupt_user};
    double tolerance = used.tolerance;
    used.tolerance = fmin(tolerance, perp_rung_bounds.loosest);
    perp_arena_rewind(&solver->arena);
    if (!make_rigid(&solver->arena, &p, &rigid) ||
        !perp_certified_take(&solver->arena, p, used.judge_contacts, &best))
        return perp_fail_memory(error);
    best.judged = asked;
    ladder.p = p;
    if (!solve(&ladder, &cones))
        return ladder.status ? ladder.status : perp_fail_memory(error);
    if (ladder.interrupted)
        return perp_fail(error, PERP_INTERRUPTED, "%s", perp_status_text(PERP_INTERRUPTED));
    used.tolerance = tolerance;
    report(&ladder, result);
    perp_log(&solver->context.log, PERP_LOG_DEBUG, "step problem, %d contacts: %s by %s, %.1e",
             p->n_contacts, perp_outcome_name(result->outcome), perp_method_name(result->solved_by),
             result->certificate.worst);
    return PERP_OK;
}

PerpStatus perp_problem_reduce(PerpSolver *solver, const PerpProblem *p, PerpLcp *lcp,
                               PerpError *error)
{
    PerpReduction red;
    PerpProblem rigid;
    PerpStatus status = perp_problem_check(p, error);
    if (status)
        return status;
    perp_arena_rewind(&solver->arena);
    if (!make_rigid(&solver->arena, &p, &rigid))
        return perp_fail_memory(error);
    status = perp_reduce(&solver->arena, p, &red, error);
    if (!status)
        *lcp = (PerpLcp){.n = red.n, .M = red.M, .q = red.q};
    return status;
}
