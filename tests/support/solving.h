// What the tests of solvers share: a solver as the group's state, and solves that must end in a
// certificate computed anew.
#ifndef PERP_TEST_SOLVING_H
#define PERP_TEST_SOLVING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "perp/problem.h"
#include "sample.h"

static const double TEST_TOLERANCE = 1e-9;

static inline int create_solver(void **state)
{
    PerpSolver *solver;
    if (perp_solver_create(NULL, &solver) != PERP_OK)
        return -1;
    *state = solver;
    return 0;
}

static inline int destroy_solver(void **state)
{
    perp_solver_destroy(*state);
    return 0;
}

static inline PerpLcpResult solve_lcp(PerpSolver *solver, const PerpLcp *p,
                                      const PerpLcpSettings *settings)
{
    PerpLcpResult result;
    PerpLcpCertificate certificate;
    assert_int_equal(perp_lcp_solve(solver, p, settings, &result, NULL), PERP_OK);
    assert_int_equal(result.outcome, PERP_OUTCOME_SOLVED);
    perp_lcp_certify(p, result.z, NULL, &certificate);
    assert_true(certificate.worst <= TEST_TOLERANCE);
    assert_true(certificate.worst == result.certificate.worst);
    return result;
}

static inline PerpProblemResult solve_problem(PerpSolver *solver, const PerpProblem *p,
                                              const PerpProblemSettings *settings)
{
    PerpProblemResult result;
    PerpCertificate certificate;
    assert_int_equal(perp_problem_solve(solver, p, settings, &result, NULL), PERP_OK);
    assert_int_equal(result.outcome, PERP_OUTCOME_SOLVED);
    assert_int_equal(perp_certify(NULL, p, result.v, result.c, result.lambda, &certificate, NULL),
                     PERP_OK);
    assert_true(certificate.worst <= TEST_TOLERANCE);
    assert_true(certificate.worst == result.certificate.worst);
    assert_true(!certificate.symmetric || certificate.energy_excess <= TEST_TOLERANCE);
    return result;
}

static inline PerpProblemResult solve_sample(PerpSolver *solver, PerpSample *sample,
                                             const PerpProblemSettings *settings)
{
    PerpProblem p = perp_sample_problem(sample);
    return solve_problem(solver, &p, settings);
}

#endif
