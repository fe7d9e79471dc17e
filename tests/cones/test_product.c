// Cones of contacts with several friction groups, or that are pressed by restitution as well.
#include "solving.h"

#include "cones/product.h"
#include "generate.h"
#include "solve/solver.h"

#include <math.h>
#include <string.h>

enum { N = PERP_PRODUCT_NUMBERS };

// A disc, or a polygon whose directions are rows in a plane of R^4.
static PerpProductGroup random_group(PerpRandom *random, int first, double slope, PerpFacet *facets)
{
    double J[4 * 16], d[16] = {0}, plane[2][4], turn = perp_random_uniform(random, 0, 6);
    int n = perp_random_int(random, 3, 16), basis[2];
    if (perp_random_coin(random))
        return (PerpProductGroup){first, 2, slope, 0, NULL};
    for (int i = 0; i < 4; i++) {
        plane[0][i] = perp_random_uniform(random, -1, 1);
        plane[1][i] = perp_random_uniform(random, -1, 1);
    }
    for (int k = 0; k < n; k++)
        for (int i = 0; i < 4; i++)
            J[4 * k + i] = cos(turn + 6.283185307179586 * k / n) * plane[0][i] +
                           sin(turn + 6.283185307179586 * k / n) * plane[1][i];
    assert_true(perp_facets_find(n, 4, J, d, basis, facets));
    perp_facets_scale(n, slope, facets);
    return (PerpProductGroup){first, 2, 0, n, facets};
}

static PerpProductCone random_cone(PerpRandom *random, PerpFacet (*facets)[PERP_MOST_FACETS])
{
    PerpProductCone cone = {.n = N, .n_groups = 3};
    cone.group[0] = random_group(random, 1, 1, facets[0]);
    cone.group[1] = (PerpProductGroup){3, 1, perp_random_log_uniform(random, 0.01, 10), 0, NULL};
    cone.group[2] = random_group(random, 4, perp_random_log_uniform(random, 0.01, 10), facets[1]);
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

static double distance_outside(const PerpProductCone *cone, const double *x)
{
    double worst = cone->floor - x[0];
    for (int k = 0; k < cone->n_groups; k++) {
        const PerpProductGroup *g = &cone->group[k];
        const double *y = x + g->first;
        if (g->facets == 0)
            worst = fmax(worst, hypot(y[0], g->n > 1 ? y[1] : 0) - g->slope * x[0]);
        for (int i = 0; i < g->facets; i++)
            worst = fmax(worst, g->facet[i].normal[0] * y[0] + g->facet[i].normal[1] * y[1] -
                                    g->facet[i].offset * x[0]);
    }
    return worst;
}

// P(y) is in K, and (y - P(y))'(x - P(y)) <= 0 for all x of K: that is what makes it the nearest.
static void projects_on_the_nearest_point(void **state)
{
    (void)state;
    PerpRandom random = perp_random(1);
    for (int trial = 0; trial < 20000; trial++) {
        PerpFacet facets[2][PERP_MOST_FACETS];
        PerpProductCone cone = random_cone(&random, facets);
        double y[N], other[N], P[N], x[N], product = 0;
        random_numbers(&random, y);
        random_numbers(&random, other);
        perp_product_project(&cone, y, P, NULL);
        perp_product_project(&cone, other, x, NULL);
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
    int off = 0; // where a difference reaches across an edge
    PerpRandom random = perp_random(2);
    for (int trial = 0; trial < 2000; trial++) {
        PerpFacet facets[2][PERP_MOST_FACETS];
        PerpProductCone cone = random_cone(&random, facets);
        double y[N], P[N], dP[N * N], above[N], below[N];
        random_numbers(&random, y);
        perp_product_project(&cone, y, P, dP);
        for (int j = 0; j < cone.n; j++) {
            double cache = y[j];
            y[j] = cache + step;
            perp_product_project(&cone, y, above, NULL);
            y[j] = cache - step;
            perp_product_project(&cone, y, below, NULL);
            y[j] = cache;
            for (int i = 0; i < cone.n; i++)
                off += fabs((above[i] - below[i]) / (2 * step) - dP[cone.n * i + j]) > 1e-4;
        }
    }
    assert_true(off <= 10);
}

// Polygons of any number of facets obey their own law, that of AP97 (2.11) and (2.12).
static void polygons_are_solved_as_cones(void **state)
{
    for (int seed = 1; seed <= 300; seed++) {
        PerpRandom random = perp_random((uint64_t)seed);
        PerpSceneOptions options = perp_random_scene_options(&random, 8);
        PerpProblemSettings settings = perp_default_problem_settings();
        PerpProblemResult result;
        options.integer = false;
        options.facets = 2 * perp_random_int(&random, 1, 8);
        options.mass_ratio = 1;
        options.mu_max = 1;
        options.cohesion = 0; // the generator's is of another ratio to mu in each group
        PerpSample *sample = perp_sample_scene((uint64_t)seed, &options);
        PerpProblem p = perp_sample_problem(sample);
        settings.tolerance = 1e-8;
        assert_true(perp_cones_fits(&p));
        settings.methods &= ~PERP_METHOD_BIT(PERP_METHOD_PIVOTING);
        assert_int_equal(perp_problem_solve(*state, &p, &settings, &result, NULL), PERP_OK);
        PerpCertificate certificate;
        assert_int_equal(
            perp_certify(NULL, &p, result.v, result.c, result.lambda, &certificate, NULL), PERP_OK);
        if (!(certificate.worst <= 1e-8))
            fail_msg("scene %d, %d contacts, %d facets: %s, %.2e", seed, p.n_contacts,
                     options.facets, perp_residual_name(certificate.worst_kind), certificate.worst);
        perp_sample_free(sample);
    }
}

// A polygon of no size beside another is none that cones know: pivots have it.
static void torsion_without_friction(void **state)
{
    static const double Mt[36] = {1, [7] = 1, [14] = 1, [21] = 1, [28] = 1, [35] = 1};
    static const double b[6] = {3, 0, -4, 0, 0, 2}, normal[6] = {0, 0, 1};
    PerpProblemSettings settings = perp_default_problem_settings();
    PerpProblemResult result;
    PerpSample *s = perp_sample_create();
    int body = perp_sample_add_body(s, 6, Mt, b);
    int contact = perp_sample_add_contact(s, (PerpSampleRow){1, &body, normal, 0});
    perp_sample_add_group(s, contact, 0.5, 0);
    for (int k = 0; k < 4; k++) {
        double J[6] = {k == 0 ? 1 : k == 2 ? -1 : 0, k == 1 ? 1 : k == 3 ? -1 : 0};
        perp_sample_add_direction(s, (PerpSampleRow){1, &body, J, 0});
    }
    perp_sample_add_group(s, contact, 0, 0);
    for (int k = 0; k < 2; k++) {
        double J[6] = {[5] = k == 0 ? 1 : -1};
        perp_sample_add_direction(s, (PerpSampleRow){1, &body, J, 0});
    }
    PerpProblem p = perp_sample_problem(s);
    assert_false(perp_cones_fits(&p));
    assert_int_equal(perp_problem_solve(*state, &p, &settings, &result, NULL), PERP_OK);
    assert_int_equal(result.outcome, PERP_OUTCOME_SOLVED);
    assert_true(fabs(result.v[0] - 1) < 1e-12 && fabs(result.v[5] - 2) < 1e-12);
    perp_sample_free(s);
}

// From some 80 contacts of 8 facets on pivots have no part in it.
static void large_polygons_need_no_pivots(void **state)
{
    for (int seed = 1; seed <= 5; seed++) {
        PerpSceneOptions options = perp_default_scene_options();
        PerpProblemSettings settings = perp_default_problem_settings();
        PerpProblemResult result;
        options.bodies = 60;
        options.contacts = 120;
        options.facets = 8;
        options.torsion = options.rolling = seed % 2 == 0;
        options.motion = PERP_SCENE_SLIDING;
        PerpSample *sample = perp_sample_scene((uint64_t)seed, &options);
        PerpProblem p = perp_sample_problem(sample);
        settings.tolerance = 1e-8;
        assert_int_equal(perp_problem_solve(*state, &p, &settings, &result, NULL), PERP_OK);
        assert_int_equal(result.outcome, PERP_OUTCOME_SOLVED);
        assert_int_equal(result.pivots, 0);
        perp_sample_free(sample);
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
        options.circular = options.product = true;
        options.integer = false;
        PerpSample *sample = perp_sample_scene((uint64_t)seed, &options);
        PerpProblem p = perp_sample_problem(sample);
        assert_int_equal(perp_problem_solve(solver, &p, &settings, &result, NULL), PERP_OK);
        assert_int_equal(
            perp_certify(NULL, &p, result.v, result.c, result.lambda, &certificate, NULL), PERP_OK);
        bool good = certificate.worst <= 1e-8;
        assert_int_equal(good, result.outcome == PERP_OUTCOME_SOLVED);
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
        cmocka_unit_test(polygons_are_solved_as_cones),
        cmocka_unit_test(torsion_without_friction),
        cmocka_unit_test(large_polygons_need_no_pivots),
        cmocka_unit_test(small_scenes),
        cmocka_unit_test(larger_scenes),
    };
    return cmocka_run_group_tests(tests, create_solver, destroy_solver);
}
