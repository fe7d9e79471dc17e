// Any problem that the reader accepts goes through the solver: it must end, and what it calls
// solved must pass the certificate.
#include "io/problem/problem_file.h"

#include <stdint.h>
#include <stdlib.h>

enum { LARGEST = 24, PIVOTS = 500 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void solve_lcp(PerpSolver *solver, const PerpLcp *p)
{
    PerpLcpSettings settings = perp_default_lcp_settings();
    PerpLcpResult result;
    PerpLcpCertificate certificate;
    settings.max_pivots = PIVOTS;
    if (p->n > LARGEST || perp_lcp_solve(solver, p, &settings, &result, NULL))
        return;
    if (result.outcome != PERP_OUTCOME_SOLVED)
        return;
    perp_lcp_certify(p, result.z, NULL, &certificate);
    if (!(certificate.worst <= settings.tolerance))
        abort();
}

static void solve_problem(PerpSolver *solver, const PerpProblem *p)
{
    PerpProblemSettings settings = perp_default_problem_settings();
    PerpProblemResult result;
    PerpCertificate certificate;
    settings.max_pivots = PIVOTS;
    if (perp_problem_rows(p) > LARGEST || perp_problem_velocities(p) > LARGEST ||
        perp_problem_solve(solver, p, &settings, &result, NULL))
        return;
    if (result.outcome != PERP_OUTCOME_SOLVED)
        return;
    if (perp_certify(NULL, p, result.v, result.c, result.lambda, &certificate, NULL) ||
        !(certificate.worst <= settings.tolerance))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    PerpProblemFile *file;
    PerpSolver *solver = NULL;
    if (perp_file_parse(NULL, (const char *)data, size, "fuzz", &file, NULL))
        return 0;
    if (!perp_solver_create(NULL, &solver)) {
        if (perp_problem_file_kind(file) == PERP_PROBLEM_FILE_LCP)
            solve_lcp(solver, perp_problem_file_lcp(file));
        else
            solve_problem(solver, perp_problem_file_step(file));
    }
    perp_solver_destroy(solver);
    perp_problem_file_destroy(file);
    return 0;
}
