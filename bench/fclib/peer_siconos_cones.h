// Siconos' solvers of the frictional contact problem as contestants. Each solve runs in a process
// of its own, so that one that hangs or crashes ends only itself.
#ifndef PERP_BENCH_FCLIB_PEER_SICONOS_CONES
#define PERP_BENCH_FCLIB_PEER_SICONOS_CONES

#include "perp/contact_problem.h"

typedef struct SiconosAnswer {
    bool solved;    // the certificate's natural residual is within the tolerance
    double seconds; // CPU, the least of a few runs
    double natural;
} SiconosAnswer;

// The same for all contestants: the clock, CPU seconds of this thread, and how often a solve is
// repeated, after k solves in so many seconds.
double siconos_cone_clock(void);
bool siconos_cone_goes_on(int k, double spent);

int siconos_cone_solvers(int dimension);
const char *siconos_cone_name(int dimension, int solver);

// limit: CPU seconds after which a solve counts as failed.
SiconosAnswer siconos_solve_cones(const PerpContactProblem *p, int solver, double tolerance,
                                  double limit);

#endif
