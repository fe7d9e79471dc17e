// Siconos as a contestant on LCPs: Lemke's method with the lexicographic rule.
#include "lcp/peers.h"

#include <LCP_Solvers.h>
#include <LinearComplementarityProblem.h>
#include <NumericsMatrix.h>
#include <NumericsVerbose.h>
#include <SolverOptions.h>
#include <lcp_cst.h>
#include <stdlib.h>

enum { PIVOT_LIMIT = 1000000 };

typedef struct Self {
    SolverOptions *options;
    double z[PERP_LCP_SIZE_LIMIT], w[PERP_LCP_SIZE_LIMIT];
} Self;

// Siconos reads M by columns, as perp stores it, and writes to neither M nor q.
static BenchAnswer solve(void *user, const BenchCase *c)
{
    Self *self = user;
    int n = c->lcp.n, info = 1;
    NumericsMatrix *M = NM_create_from_data(NM_DENSE, n, n, (void *)c->lcp.M);
    LinearComplementarityProblem problem = {n, M, (double *)c->lcp.q};
    self->options->iparam[SICONOS_IPARAM_MAX_ITER] = PIVOT_LIMIT;
    double begin = bench_clock();
    lcp_lexicolemke(&problem, self->z, self->w, &info, self->options);
    double seconds = bench_clock() - begin;
    M->matrix0 = NULL; // borrowed
    NM_clear(M);
    free(M);
    PerpLcpCertificate certificate;
    perp_lcp_certify(&c->lcp, self->z, NULL, &certificate);
    double worst = info == 0 ? certificate.worst : 1.0;
    return (BenchAnswer){seconds, self->options->iparam[SICONOS_IPARAM_ITER_DONE], worst};
}

BenchSolver bench_siconos_lemke(void)
{
    Self *self = bench_memory(1, sizeof *self);
    numerics_set_verbose(0);
    self->options = solver_options_create(SICONOS_LCP_LEMKE);
    return (BenchSolver){.name = "siconos lexicolemke", .self = self, .solve = solve};
}

void bench_siconos_close(BenchSolver *solver)
{
    Self *self = solver->self;
    solver_options_delete(self->options);
    free(self->options);
    free(self);
}
