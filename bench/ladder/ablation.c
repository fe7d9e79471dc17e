// Solves the problems of a family by the full ladder and with each method left out in turn.
#include "ladder/ablation.h"

#include "common/measure.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_REPEATS = 3 };
static const double SHORT = 0.02; // s: what takes less is solved again, the least counts
static const double LONG = 0.25;  // of the limit on time: a problem that is left out
static const double NOISE = 1.03; // ratio of times that means nothing

typedef struct Answer {
    bool missed;
    int factorisations, sweeps;
    double seconds;
    PerpMethod by;
    unsigned ran; // bits of the methods that ran
} Answer;

// --- one solve ----------------------------------------------------------------------------------

static void note_method(void *user, const PerpRungTrace *rung)
{
    *(unsigned *)user |= PERP_METHOD_BIT(rung->method);
}

static void solve_step(PerpSolver *solver, const PerpProblem *p,
                       const PerpProblemSettings *settings, Answer *answer)
{
    PerpProblemResult result = {0};
    PerpStatus status = perp_problem_solve(solver, p, settings, &result, NULL);
    answer->missed = status || result.outcome != PERP_OUTCOME_SOLVED;
    answer->factorisations = result.iterations;
    answer->sweeps = result.sweeps;
    answer->by = result.solved_by;
}

static void solve_contacts(PerpSolver *solver, const PerpContactProblem *p,
                           const PerpProblemSettings *settings, Answer *answer)
{
    PerpContactResult result = {0};
    PerpStatus status = perp_contact_problem_solve(solver, p, settings, &result, NULL);
    answer->missed = status || result.outcome != PERP_OUTCOME_SOLVED;
    answer->factorisations = result.iterations;
    answer->sweeps = result.sweeps;
    answer->by = result.solved_by;
}

static Answer solve(PerpSolver *solver, const BenchProblem *problem, double tolerance,
                    unsigned methods)
{
    PerpProblemSettings settings = perp_default_problem_settings();
    Answer answer = {.seconds = INFINITY};
    double spent = 0;
    settings.tolerance = tolerance;
    settings.methods = methods;
    settings.trace = note_method;
    settings.trace_user = &answer.ran;
    for (int k = 0; k < MOST_REPEATS && spent < SHORT; k++) {
        double begin = bench_clock();
        if (problem->step)
            solve_step(solver, problem->step, &settings, &answer);
        else
            solve_contacts(solver, problem->contact, &settings, &answer);
        double seconds = bench_clock() - begin;
        answer.seconds = fmin(answer.seconds, seconds);
        spent += seconds;
    }
    return answer;
}

// --- all of them --------------------------------------------------------------------------------

static void add(BenchLadderSum *sum, const Answer *answer)
{
    sum->problems++;
    sum->missed += answer->missed;
    sum->factorisations += answer->factorisations;
    sum->sweeps += answer->sweeps;
    sum->seconds += answer->seconds;
}

static void leave_out(PerpSolver *solver, const BenchLadderOptions *options,
                      const BenchProblem *problem, const Answer *full, double tolerance,
                      BenchLadderRow *row)
{
    unsigned bit = PERP_METHOD_BIT(row->method);
    row->cut = row->cut || row->without.seconds > options->seconds;
    if (row->cut)
        return;
    row->seconds_of_all += full->seconds;
    row->answered += !full->missed && full->by == row->method;
    if (!(full->ran & bit))
        return;
    Answer without = solve(solver, problem, tolerance, options->methods & ~bit);
    add(&row->with, full);
    add(&row->without, &without);
}

// The ladder with and without each method, one after the other: whatever else the machine does
// meets them alike.
static void measure(PerpSolver *solver, const BenchLadderOptions *options,
                    const BenchProblem *problem, BenchLadderResult *result)
{
    int contacts = problem->step ? problem->step->n_contacts : problem->contact->contacts;
    Answer full = solve(solver, problem, result->tolerance, options->methods);
    if (full.seconds > LONG * options->seconds) {
        result->too_long++;
        return;
    }
    if (full.seconds > SHORT) // it was solved once, in memory that was new to the solver
        full = solve(solver, problem, result->tolerance, options->methods);
    add(&result->full, &full);
    result->contacts = contacts > result->contacts ? contacts : result->contacts;
    for (int k = 0; k < PERP_METHOD_COUNT; k++)
        leave_out(solver, options, problem, &full, result->tolerance, &result->rows[k]);
}

BenchLadderResult bench_ablate(const BenchLadderOptions *options, const BenchLadderFamily *family,
                               void *state, int count, double tolerance)
{
    BenchLadderResult result = {.family = family, .tolerance = tolerance};
    PerpSolver *solver;
    if (perp_solver_create(NULL, &solver))
        return result;
    for (int k = 0; k < PERP_METHOD_COUNT; k++)
        result.rows[k].method = (PerpMethod)k;
    for (int k = 0; k < count && !result.cut; k++) {
        BenchProblem problem;
        result.cut = result.full.seconds > options->seconds;
        if (result.cut || !family->source->open(family, state, k, &problem))
            continue;
        if (problem.step || problem.contact)
            measure(solver, options, &problem, &result);
        family->source->close(&problem);
    }
    perp_solver_destroy(solver);
    return result;
}

// --- what comes of it ---------------------------------------------------------------------------

double bench_ladder_ratio(const BenchLadderRow *row)
{
    return row->without.seconds / row->with.seconds;
}

double bench_ladder_ratio_of_all(const BenchLadderRow *row)
{
    return 1 + (row->without.seconds - row->with.seconds) / row->seconds_of_all;
}

const char *bench_ladder_verdict(const BenchLadderRow *row)
{
    double ratio = bench_ladder_ratio_of_all(row);
    if (row->without.missed > row->with.missed)
        return "needed";
    if (row->without.missed < row->with.missed)
        return "misses less without";
    return ratio > NOISE ? "faster with" : ratio < 1 / NOISE ? "faster without" : "no effect";
}
