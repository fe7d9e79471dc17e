// The contestants. Each is made once and closed at the end; its name tells what is timed.
#ifndef PERP_BENCH_LCP_PEERS
#define PERP_BENCH_LCP_PEERS

#include "common/measure.h"

#ifdef __cplusplus
extern "C" {
#endif

// perp. All but the last three see the dense LCP.
BenchSolver bench_perp_lcp(const char *name, PerpLcpMethod method);
BenchSolver bench_perp_warm(void);       // AUTO with the basis of the same problem's solution
BenchSolver bench_perp_certify(void);    // the certificate of a solution, nothing else
BenchSolver bench_perp_reduce(void);     // step problem -> dense LCP
BenchSolver bench_perp_structured(void); // perp_problem_solve, from blocks to certified v and c
void bench_perp_close(BenchSolver *solver);

// Siconos 4.4: lcp_lexicolemke. Like perp it does not count the entry of z0.
BenchSolver bench_siconos_lemke(void);
void bench_siconos_close(BenchSolver *solver);

// ODE 0.16: the Dantzig solver behind dWorldStep. It overwrites M; the copy is not timed.
BenchSolver bench_ode_dantzig(void);
void bench_ode_close(BenchSolver *solver);

#ifdef __cplusplus
}
#endif
#endif
