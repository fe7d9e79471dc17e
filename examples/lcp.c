// The solver alone, on a linear complementarity problem. The README shows this program.
#include "perp/perp.h"
#include <stdio.h>

int main(void)
{
    const double M[] = {2, 1, 1, 2}, q[] = {-5, -6}; // w = M z + q,  0 <= w  perp  z >= 0
    PerpLcp lcp = {.n = 2, .M = M, .q = q};
    PerpLcpResult result;
    PerpSolver *solver;
    if (perp_solver_create(NULL, &solver) || perp_lcp_solve(solver, &lcp, NULL, &result, NULL))
        return 1;
    printf("z = (%g, %g), %s, certificate %.0e\n", result.z[0], result.z[1],
           perp_outcome_name(result.outcome), result.certificate.worst);
    perp_solver_destroy(solver);
}
