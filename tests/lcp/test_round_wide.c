// Cones of contacts with several friction groups, or that are pressed by restitution as well.
#include "solving.h"

#include "generate.h"
#include "lcp/round_wide.h"

#include <math.h>
#include <string.h>

enum { N = PERP_WIDE_NUMBERS };

static PerpWideCone random_cone(PerpRandom *random)
{
    PerpWideCone cone = {N, 3, {1, 3, 4, 6}, {1}, 0};
    cone.slope[1] = perp_random_log_uniform(random, 0.01, 10);
    cone.slope[2] = perp_random_log_uniform(random, 0.01, 10);
    if (perp_random_coin(random))
        cone.floor = perp_random_uniform(random, 0, 1);
    if (perp_random_coin(random)) {
        cone.n_groups = 1;
        cone.n = 3;
    }
    return cone;
}

static void random_numbers(PerpRandom *random, double *y)
{
    for (int i = 0; i < N; i++)
        y[i] = perp_random_uniform(random, -2, 2);
}

static double distance_outside(const PerpWideCone *cone, const double *x)
{
    double worst = cone->floor - x[0];
    for (int k = 0; k < cone->n_groups; k++) {
        double square = 0;
        for (int i = cone->start[k]; i < cone->start[k + 1]; i++)
            square += x[i] * x[i];
        worst = fmax(worst, sqrt(square) - cone->slope[k] * x[0]);
    }
    return worst;
}

// P(y) is in K, and (y - P(y))'(x - P(y)) <= 0 for all x of K: that is what makes it the nearest.
static void projects_on_the_nearest_point(void **state)
{
    (void)state;
    PerpRandom random = perp_random(1);
    for (int trial = 0; trial < 20000; trial++) {
        PerpWideCone cone = random_cone(&random);
        double y[N], other[N], P[N], x[N], product = 0;
        random_numbers(&random, y);
        random_numbers(&random, other);
        perp_wide_project(&cone, y, P, NULL);
        perp_wide_project(&cone, other, x, NULL);
        assert_true(distance_outside(&cone, P) < 1e-12);
        for (int i = 0; i < cone.n; i++)
            product += (y[i] - P[i]) * (x[i] - P[i]);
        assert_true(product < 1e-12);
    }
}

static void derivative_is_that_of_the_projection(void **state)
{
    (void)state;
    const double step = 1e-6;
    PerpRandom random = perp_random(2);
    for (int trial = 0; trial < 2000; trial++) {
        PerpWideCone cone = random_cone(&random);
        double y[N], P[N], dP[N * N], above[N], below[N];
        random_numbers(&random, y);
        perp_wide_project(&cone, y, P, dP);
        for (int j = 0; j < cone.n; j++) {
            double kept = y[j];
            y[j] = kept + step;
            perp_wide_project(&cone, y, above, NULL);
            y[j] = kept - step;
            perp_wide_project(&cone, y, below, NULL);
            y[j] = kept;
            for (int i = 0; i < cone.n; i++)
                assert_true(fabs((above[i] - below[i]) / (2 * step) - dP[cone.n * i + j]) < 1e-4);
        }
    }
}

// Torsion, rolling, cohesion; joints, boxes, redundant rows, mass ratios to 1e8, asymmetric masses.
static int count_solved(PerpSolver *solver, int first_seed, int count, int max_contacts)
{
    int solved = 0;
    for (int seed = first_seed; seed < first_seed + count; seed++) {
        PerpRandom random = perp_random((uint64_t)seed);
        PerpSceneOptions options = perp_random_scene_options(&random, max_contacts);
        PerpProblemSettings settings = perp_default_problem_settings();
        PerpProblemResult result;
        PerpCertificate certificate;
        settings.tolerance = 1e-8;
        options.round = options.wide = true;
        options.integer = false;
        PerpSample *sample = perp_sample_scene((uint64_t)seed, &options);
        PerpProblem p = perp_sample_problem(sample);
        assert_int_equal(perp_problem_solve(solver, &p, &settings, &result, NULL), PERP_OK);
        assert_int_equal(
            perp_certify(NULL, &p, result.v, result.c, result.lambda, &certificate, NULL), PERP_OK);
        bool good = certificate.worst <= 1e-8;
        assert_int_equal(good, result.outcome == PERP_LCP_SOLVED);
        if (!good)
            print_message("scene %d, %d contacts, torsion %d, rolling %d, cohesion %g: %s, %.2e\n",
                          seed, p.n_contacts, options.torsion, options.rolling, options.cohesion,
                          perp_residual_name(certificate.worst_kind), certificate.worst);
        solved += good;
        perp_sample_free(sample);
    }
    return solved;
}

// All but one, in which a joint's motor is at its limit: docs/theory/solvers.md.
static void small_scenes(void **state)
{
    assert_true(count_solved(*state, 1, 2000, 6) >= 1999);
}

static void larger_scenes(void **state)
{
    assert_int_equal(count_solved(*state, 10001, 100, 30), 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(projects_on_the_nearest_point),
        cmocka_unit_test(derivative_is_that_of_the_projection),
        cmocka_unit_test(small_scenes),
        cmocka_unit_test(larger_scenes),
    };
    return cmocka_run_group_tests(tests, create_solver, destroy_solver);
}
