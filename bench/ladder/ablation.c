// Solves the problems of a family by the full ladder and with each rung left out in turn.
#include "ladder/ablation.h"

#include "common/measure.h"
#include "ladder/run.h"
#include "solve/ladder.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_REPEATS = 3 };
static const double SHORT = 0.02; // s: what takes less is solved again, the least counts
static const double LONG = 0.25;  // of the limit on time: a problem that is left out
static const double NOISE = 1.03; // ratio of times that means nothing

// One solve, or one run.
typedef struct Answer {
    BenchLadderSum sum;
    PerpMethod by;
    uint64_t ran; // bits of the rungs that ran
} Answer;

int bench_ladder_rungs(void)
{
    return perp_rung_count;
}

const char *bench_ladder_rung_name(int rung)
{
    return perp_rungs[rung].name;
}

PerpMethod bench_ladder_rung_method(int rung)
{
    return perp_rungs[rung].method;
}

// --- one solve ----------------------------------------------------------------------------------

// The table without a rung; -1: with all.
static BenchLadderTable table_without(int left_out)
{
    BenchLadderTable table = {0};
    for (int k = 0; k < perp_rung_count; k++)
        if (k != left_out)
            table.rungs[table.count++] = perp_rungs[k];
    return table;
}

static void solve_step(PerpSolver *solver, const PerpProblem *p,
                       const PerpProblemSettings *settings, Answer *answer)
{
    PerpProblemResult result = {0};
    PerpStatus status = perp_problem_solve(solver, p, settings, &result, NULL);
    answer->sum.missed = status || result.outcome != PERP_OUTCOME_SOLVED;
    answer->sum.factorisations = result.iterations;
    answer->sum.sweeps = result.sweeps;
    answer->by = result.solved_by;
}

static void solve_contacts(PerpSolver *solver, const PerpContactProblem *p,
                           const PerpProblemSettings *settings, Answer *answer)
{
    PerpContactResult result = {0};
    PerpStatus status = perp_contact_problem_solve(solver, p, settings, &result, NULL);
    answer->sum.missed = status || result.outcome != PERP_OUTCOME_SOLVED;
    answer->sum.factorisations = result.iterations;
    answer->sum.sweeps = result.sweeps;
    answer->by = result.solved_by;
}

static Answer solve_problem(PerpSolver *solver, const BenchProblem *problem,
                            const PerpProblemSettings *settings)
{
    Answer answer = {.sum = {.problems = 1, .seconds = INFINITY}};
    double spent = 0;
    solver->rungs_run = 0;
    for (int k = 0; k < MOST_REPEATS && spent < SHORT; k++) {
        double begin = bench_clock();
        if (problem->step)
            solve_step(solver, problem->step, settings, &answer);
        else
            solve_contacts(solver, problem->contact, settings, &answer);
        double seconds = bench_clock() - begin;
        answer.sum.seconds = fmin(answer.sum.seconds, seconds);
        spent += seconds;
    }
    answer.ran = solver->rungs_run;
    return answer;
}

static Answer solve(PerpSolver *solver, const BenchProblem *problem, double tolerance,
                    unsigned methods, int left_out)
{
    BenchLadderTable table = table_without(left_out);
    PerpProblemSettings settings = perp_default_problem_settings();
    Answer answer = {0};
    settings.tolerance = tolerance;
    settings.methods = methods;
    if (problem->run) {
        answer.sum = bench_run_scene(problem->run, &settings, &table, &answer.ran);
        return answer;
    }
    solver->rungs = table.rungs;
    solver->n_rungs = table.count;
    return solve_problem(solver, problem, &settings);
}

// --- all of them --------------------------------------------------------------------------------

void bench_ladder_add(BenchLadderSum *to, const BenchLadderSum *from)
{
    to->problems += from->problems;
    to->missed += from->missed;
    to->held += from->held;
    to->factorisations += from->factorisations;
    to->sweeps += from->sweeps;
    to->seconds += from->seconds;
    to->drift = fmax(to->drift, from->drift);
}

static bool is_meant(const BenchLadderOptions *options, int rung)
{
    const char *wanted = options->rung;
    return !wanted || strncmp(wanted, perp_rungs[rung].name, strlen(wanted)) == 0;
}

static void leave_out(PerpSolver *solver, const BenchLadderOptions *options,
                      const BenchProblem *problem, const Answer *full, double tolerance,
                      BenchLadderRow *row)
{
    row->cut = row->cut || row->without.seconds > options->seconds;
    if (row->cut)
        return;
    row->seconds_of_all += full->sum.seconds;
    if (!(full->ran >> row->rung & 1) || !is_meant(options, row->rung))
        return;
    Answer without = solve(solver, problem, tolerance, options->methods, row->rung);
    bench_ladder_add(&row->with, &full->sum);
    bench_ladder_add(&row->without, &without.sum);
}

// The ladder with and without each rung, one after the other: whatever else the machine does
// meets them alike.
static void measure(PerpSolver *solver, const BenchLadderOptions *options,
                    const BenchProblem *problem, BenchLadderResult *result)
{
    int contacts = problem->step      ? problem->step->n_contacts
                   : problem->contact ? problem->contact->contacts
                                      : 0;
    Answer full = solve(solver, problem, result->tolerance, options->methods, -1);
    if (full.sum.seconds > LONG * options->seconds && !problem->run) {
        result->too_long++;
        return;
    }
    if (full.sum.seconds > SHORT) // it was solved once, in memory that was new to the solver
        full = solve(solver, problem, result->tolerance, options->methods, -1);
    bench_ladder_add(&result->full, &full.sum);
    result->contacts = contacts > result->contacts ? contacts : result->contacts;
    for (int k = 0; k < perp_rung_count; k++)
        leave_out(solver, options, problem, &full, result->tolerance, &result->rows[k]);
}

BenchLadderResult bench_ablate(const BenchLadderOptions *options, const BenchLadderFamily *family,
                               void *state, int count, double tolerance)
{
    BenchLadderResult result = {.family = family, .tolerance = tolerance};
    PerpSolver *solver;
    if (perp_solver_create(NULL, &solver))
        return result;
    for (int k = 0; k < perp_rung_count; k++)
        result.rows[k].rung = k;
    for (int k = 0; k < count && !result.cut; k++) {
        BenchProblem problem;
        result.cut = result.full.seconds > options->seconds;
        if (result.cut || !family->source->open(family, state, k, &problem))
            continue;
        if (problem.step || problem.contact || problem.run)
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
    if (row->without.drift > 2 * row->with.drift + 1e-6)
        return "creeps without";
    return ratio > NOISE ? "faster with" : ratio < 1 / NOISE ? "faster without" : "no effect";
}
