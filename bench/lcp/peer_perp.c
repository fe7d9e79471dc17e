// perp as a contestant on LCPs: by each method, from a basis; its certificate and its reduction
// alone.
#include "lcp/peers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Self {
    PerpSolver *solver;
    PerpLcpSettings settings;
    signed char basis[PERP_LCP_SIZE_LIMIT];
    double z[PERP_LCP_SIZE_LIMIT];
} Self;

static BenchSolver make_solver(const char *name, PerpLcpMethod method)
{
    Self *self = bench_memory(1, sizeof *self);
    self->settings = perp_default_lcp_settings();
    self->settings.method = method;
    if (perp_solver_create(NULL, &self->solver) != PERP_OK) {
        fputs("perp-bench-lcp: no solver\n", stderr);
        exit(1);
    }
    return (BenchSolver){.name = name, .self = self};
}

void bench_perp_close(BenchSolver *solver)
{
    Self *self = solver->self;
    perp_solver_destroy(self->solver);
    free(self);
}

static BenchAnswer solve_lcp(void *user, const BenchCase *c)
{
    Self *self = user;
    PerpLcpResult result = {0};
    double begin = bench_clock();
    PerpStatus status = perp_lcp_solve(self->solver, &c->lcp, &self->settings, &result, NULL);
    double seconds = bench_clock() - begin;
    PerpLcpCertificate certificate = {.worst = 1.0};
    if (status == PERP_OK && result.z)
        perp_lcp_certify(&c->lcp, result.z, NULL, &certificate);
    return (BenchAnswer){seconds, result.pivots, certificate.worst};
}

BenchSolver bench_perp_lcp(const char *name, PerpLcpMethod method)
{
    BenchSolver solver = make_solver(name, method);
    solver.solve = solve_lcp;
    return solver;
}

// keeps solution and basis of the case
static void solve_once(void *user, const BenchCase *c)
{
    Self *self = user;
    PerpLcpResult result = {0};
    self->settings.basis = NULL;
    PerpStatus status = perp_lcp_solve(self->solver, &c->lcp, &self->settings, &result, NULL);
    if (status != PERP_OK || result.outcome != PERP_OUTCOME_SOLVED)
        return;
    memcpy(self->z, result.z, (size_t)c->lcp.n * sizeof *self->z);
    memcpy(self->basis, result.basis, (size_t)c->lcp.n);
    self->settings.basis = self->basis;
}

BenchSolver bench_perp_warm(void)
{
    BenchSolver solver = make_solver("perp warm basis", PERP_LCP_AUTO);
    solver.start = solve_once;
    solver.solve = solve_lcp;
    return solver;
}

static BenchAnswer certify(void *user, const BenchCase *c)
{
    Self *self = user;
    PerpLcpCertificate certificate;
    double begin = bench_clock();
    perp_lcp_certify(&c->lcp, self->z, NULL, &certificate);
    return (BenchAnswer){bench_clock() - begin, -1, certificate.worst};
}

BenchSolver bench_perp_certify(void)
{
    BenchSolver solver = make_solver("perp certificate alone", PERP_LCP_AUTO);
    solver.start = solve_once;
    solver.solve = certify;
    return solver;
}

static BenchAnswer reduce(void *user, const BenchCase *c)
{
    Self *self = user;
    PerpLcp lcp;
    double begin = bench_clock();
    PerpStatus status = perp_problem_reduce(self->solver, c->problem, &lcp, NULL);
    return (BenchAnswer){bench_clock() - begin, -1, status == PERP_OK ? 0.0 : 1.0};
}

BenchSolver bench_perp_reduce(void)
{
    BenchSolver solver = make_solver("perp reduction alone", PERP_LCP_AUTO);
    solver.solve = reduce;
    return solver;
}

static BenchAnswer solve_problem(void *user, const BenchCase *c)
{
    Self *self = user;
    PerpProblemResult result = {0};
    double begin = bench_clock();
    PerpStatus status = perp_problem_solve(self->solver, c->problem, NULL, &result, NULL);
    double seconds = bench_clock() - begin;
    double worst = status == PERP_OK ? result.certificate.worst : 1.0;
    return (BenchAnswer){seconds, result.pivots, worst};
}

BenchSolver bench_perp_structured(void)
{
    BenchSolver solver = make_solver("perp structured", PERP_LCP_AUTO);
    solver.solve = solve_problem;
    return solver;
}
