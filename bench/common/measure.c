// Competitions between solvers: turns, repetitions, medians.
#include "common/measure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

const double bench_tolerance = 1e-8;

enum { MIN_REPETITIONS = 3, MAX_REPETITIONS = 100 };

static double read_clock(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double bench_clock(void)
{
    return read_clock(CLOCK_PROCESS_CPUTIME_ID);
}

double bench_wall_clock(void)
{
    return read_clock(CLOCK_MONOTONIC);
}

void *bench_memory(size_t count, size_t size)
{
    void *memory = calloc(count, size);
    if (!memory) {
        fputs("perp bench: out of memory\n", stderr);
        exit(1);
    }
    return memory;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, int count)
{
    qsort(values, (size_t)count, sizeof *values, ascending);
    return 0.5 * (values[(count - 1) / 2] + values[count / 2]);
}

// the solvers take turns, so that a slow minute of the machine is shared by all of them
static void solve_in_turns(const BenchCase *c, const BenchSolver *solvers, int n_solvers,
                           double budget, BenchAnswer *best)
{
    double begin = bench_clock();
    for (int s = 0; s < n_solvers; s++)
        if (solvers[s].start)
            solvers[s].start(solvers[s].self, c);
    for (int k = 0; k < MAX_REPETITIONS; k++) {
        if (k >= MIN_REPETITIONS && bench_clock() - begin > budget)
            break;
        for (int s = 0; s < n_solvers; s++) {
            BenchAnswer answer = solvers[s].solve(solvers[s].self, c);
            if (k == 0 || answer.seconds < best[s].seconds)
                best[s] = answer;
        }
    }
}

static bool is_solved(const BenchAnswer *answer)
{
    return answer->worst <= bench_tolerance;
}

// over the cases that both this solver and the first one solved: giving up early is no speed.
// answers: those of case k begin at answers[k * n_solvers]
static BenchColumn summarise(const char *name, const BenchAnswer *answers, int solver,
                             int n_solvers, int cases)
{
    BenchColumn column = {name, NAN, NAN, NAN, 0};
    double *seconds = bench_memory(3 * (size_t)cases, sizeof(double));
    double *ratios = seconds + cases, *pivots = ratios + cases;
    int solved = 0;
    for (int k = 0; k < cases; k++) {
        const BenchAnswer *first = answers + k * n_solvers, *own = first + solver;
        column.failures += !is_solved(own);
        if (!is_solved(own) || !is_solved(first))
            continue;
        seconds[solved] = own->seconds;
        ratios[solved] = own->seconds / first->seconds;
        pivots[solved++] = own->pivots;
    }
    if (solved > 0) {
        column.seconds = median(seconds, solved);
        column.ratio = median(ratios, solved);
        column.pivots = median(pivots, solved);
    }
    free(seconds);
    return column;
}

void bench_compete(BenchRow *row, const BenchSolver *solvers, int n_solvers, double budget,
                   void (*make)(void *user, int k, BenchCase *c), void *user)
{
    BenchAnswer *answers = bench_memory((size_t)row->cases * (size_t)n_solvers, sizeof *answers);
    for (int k = 0; k < row->cases; k++) {
        BenchCase c;
        make(user, k, &c);
        row->n = c.lcp.n;
        solve_in_turns(&c, solvers, n_solvers, budget, answers + k * n_solvers);
    }
    row->n_columns = n_solvers;
    for (int s = 0; s < n_solvers; s++)
        row->columns[s] = summarise(solvers[s].name, answers, s, n_solvers, row->cases);
    free(answers);
}
