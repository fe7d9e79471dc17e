// Random step problems, each of which must be solved to the certificate. A failure prints what it
// takes to make the problem again.
#ifndef PERP_TEST_RANDOM_SCENES_H
#define PERP_TEST_RANDOM_SCENES_H

#include "solving.h"

#include "generate.h"

// Solves and judges; `name` and `number` say which problem it is. Frees the sample.
static inline void check_step(PerpSolver *solver, PerpSample *sample, const char *name, int number)
{
    PerpProblem p = perp_sample_problem(sample);
    PerpProblemSettings settings = perp_default_problem_settings();
    PerpProblemResult result;
    PerpCertificate certificate;
    settings.tolerance = TEST_TOLERANCE;
    assert_int_equal(perp_problem_check(&p, NULL), PERP_OK);
    assert_int_equal(perp_problem_solve(solver, &p, &settings, &result, NULL), PERP_OK);
    assert_int_equal(perp_certify(NULL, &p, result.v, result.c, result.lambda, &certificate, NULL),
                     PERP_OK);
    bool gains = certificate.symmetric && certificate.energy_excess > TEST_TOLERANCE;
    if (result.outcome != PERP_OUTCOME_SOLVED || !(certificate.worst <= TEST_TOLERANCE) || gains)
        fail_msg("%s %d: %s, %s %.2e, energy excess %.2e", name, number,
                 perp_outcome_name(result.outcome), perp_residual_name(certificate.worst_kind),
                 certificate.worst, certificate.energy_excess);
    perp_sample_free(sample);
}

// anything the generator knows: joints, boxes, torsion, rolling, asymmetry, mass ratios to 1e8
static inline void check_scenes(PerpSolver *solver, int first_seed, int count, int max_contacts)
{
    for (int seed = first_seed; seed < first_seed + count; seed++) {
        PerpRandom random = perp_random((uint64_t)seed);
        PerpSceneOptions options = perp_random_scene_options(&random, max_contacts);
        check_step(solver, perp_sample_scene((uint64_t)seed, &options), "scene", seed);
    }
}

#endif
