// The interface for plain and mixed LCPs: settings, outcomes, bases, rays, and the shortest z.
#include "perp/lcp.h"

#include "solving.h"

#include "failing_allocator.h"
#include "generate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// w = [2 1; 1 2] z - (4, 5): z = (1, 2)
static const double M2[4] = {2, 1, 1, 2}, q2[2] = {-4, -5};
static const PerpLcp two_rows = {.n = 2, .M = M2, .q = q2};

static PerpLcpResult solve_any(PerpSolver *solver, const PerpLcp *p,
                               const PerpLcpSettings *settings)
{
    PerpLcpResult result;
    assert_int_equal(perp_lcp_solve(solver, p, settings, &result, NULL), PERP_OK);
    return result;
}

// --- names and checks ---------------------------------------------------------------------------

static void methods_and_outcomes_have_names(void **state)
{
    (void)state;
    PerpLcpMethod method;
    for (int m = 0; m < PERP_LCP_METHOD_COUNT; m++) {
        assert_true(perp_lcp_method_from_name(perp_lcp_method_name((PerpLcpMethod)m), &method));
        assert_int_equal(method, m);
        assert_true(strlen(perp_lcp_method_text((PerpLcpMethod)m)) > 10);
    }
    assert_false(perp_lcp_method_from_name("simplex", &method));
    assert_string_equal(perp_lcp_method_name(PERP_LCP_METHOD_COUNT), "?");
    assert_string_equal(perp_lcp_method_text((PerpLcpMethod)-1), "?");
    assert_string_equal(perp_outcome_name(PERP_OUTCOME_PIVOT_LIMIT), "pivot-limit");
    assert_string_equal(perp_outcome_name(PERP_OUTCOME_COUNT), "?");
}

static void assert_refused(PerpSolver *solver, const PerpLcp *p, const PerpLcpSettings *settings,
                           PerpStatus status, const char *message)
{
    PerpLcpResult result;
    PerpError error = {0};
    assert_int_equal(perp_lcp_solve(solver, p, settings, &result, &error), status);
    assert_int_equal(error.status, status);
    assert_string_equal(error.message, message);
    assert_int_equal(perp_lcp_solve(solver, p, settings, &result, NULL), status);
}

static void settings_out_of_range_are_refused(void **state)
{
    const char *message = "settings: tolerance > 0, max_pivots >= 0 and max_attempts >= 1 expected";
    for (int fault = 0; fault < 6; fault++) {
        PerpLcpSettings s = perp_default_lcp_settings();
        s.tolerance = fault == 0 ? 0 : fault == 1 ? NAN : s.tolerance;
        s.max_pivots = fault == 2 ? -1 : 0;
        s.max_attempts = fault == 3 ? 0 : 1;
        s.method = fault == 4   ? PERP_LCP_METHOD_COUNT
                   : fault == 5 ? (PerpLcpMethod)-1
                                : PERP_LCP_AUTO;
        assert_refused(*state, &two_rows, &s, PERP_BAD_VALUE, message);
    }
}

static void covers_that_do_not_cover_are_refused(void **state)
{
    const double covers[3][2] = {{1, 0}, {1, -2}, {1, INFINITY}};
    for (int k = 0; k < 3; k++) {
        PerpLcpSettings s = perp_default_lcp_settings();
        s.cover = covers[k];
        assert_refused(*state, &two_rows, &s, PERP_BAD_VALUE, "cover[1] is not positive");
    }
}

static void sizes_out_of_range_are_refused(void **state)
{
    PerpLcp p = two_rows;
    p.n = 0;
    assert_refused(*state, &p, NULL, PERP_BAD_SIZE, "an LCP has 1 to 8192 rows, not 0");
    p.n = PERP_LCP_SIZE_LIMIT + 1;
    assert_refused(*state, &p, NULL, PERP_BAD_SIZE, "an LCP has 1 to 8192 rows, not 8193");
    p = two_rows;
    p.free = -1;
    assert_refused(*state, &p, NULL, PERP_BAD_SIZE, "free is -1, not in 0 .. 2");
    p.free = 3;
    assert_refused(*state, &p, NULL, PERP_BAD_SIZE, "free is 3, not in 0 .. 2");
}

static void numbers_that_are_none_are_refused(void **state)
{
    const double bad[3] = {NAN, INFINITY, -INFINITY};
    for (int k = 0; k < 3; k++) {
        const double M[4] = {2, 1, bad[k], 2}, q[2] = {-4, bad[k]};
        assert_refused(*state, &(PerpLcp){.n = 2, .M = M, .q = q2}, NULL, PERP_BAD_VALUE,
                       "M[0][1] is not a finite number");
        assert_refused(*state, &(PerpLcp){.n = 2, .M = M2, .q = q}, NULL, PERP_BAD_VALUE,
                       "q[1] is not a finite number");
    }
}

// --- plain problems -----------------------------------------------------------------------------

static void every_method_solves_two_rows(void **state)
{
    for (int method = 0; method < PERP_LCP_METHOD_COUNT; method++)
        for (int scale = 0; scale < 2; scale++) {
            PerpLcpSettings s = perp_default_lcp_settings();
            s.method = (PerpLcpMethod)method;
            s.scale = scale;
            PerpLcpResult result = solve_lcp(*state, &two_rows, &s);
            assert_int_equal(result.n, 2);
            assert_true(fabs(result.z[0] - 1) <= 1e-15 && fabs(result.z[1] - 2) <= 1e-15);
            assert_true(fabs(result.w[0]) <= 1e-14 && fabs(result.w[1]) <= 1e-14);
            assert_true(result.basis[0] == 1 && result.basis[1] == 1);
            assert_int_equal(result.method, method == PERP_LCP_AUTO ? PERP_LCP_BLOCK : method);
        }
}

// a matrix that is not semidefinite: principal pivoting leaves it to Lemke
static void principal_pivoting_hands_over_to_lemke(void **state)
{
    PerpLcpSettings s = perp_default_lcp_settings();
    s.method = PERP_LCP_DANTZIG;
    // copositive and symmetric, with a negative eigenvalue
    PerpLcp p = {.n = 2, .M = (double[]){1, 3, 3, 1}, .q = (double[]){-1, -1}};
    PerpLcpResult result = solve_lcp(*state, &p, &s);
    assert_true(result.attempts >= 1);
    p = (PerpLcp){.n = 3, .M = (double[]){0, 1, 2, 1, 0, 1, 2, 1, 0}, .q = (double[]){-1, -1, -1}};
    result = solve_lcp(*state, &p, &s);
    assert_int_equal(result.method, PERP_LCP_LEMKE);
}

static void scaled_units_do_not_matter(void **state)
{
    for (int seed = 0; seed < 100; seed++) {
        PerpLcpSample *s = perp_lcp_sample_monotone((uint64_t)seed, 8, 8, false);
        PerpRandom r = perp_random((uint64_t)seed);
        for (int i = 0; i < 8; i++) {
            double row = perp_random_log_uniform(&r, 1e-6, 1e6);
            double column = perp_random_log_uniform(&r, 1e-6, 1e6);
            s->q[i] *= row;
            for (int j = 0; j < 8; j++) {
                s->M[i + 8 * j] *= row;
                s->M[j + 8 * i] *= column;
            }
        }
        solve_lcp(*state, &s->lcp, NULL);
        perp_lcp_sample_free(s);
    }
}

// Lemke's path is sound, but the core it ends in, diag(1e10, 1e-9), is beyond doubles: without
// scaling its point is not even looked at
static void hopeless_condition_needs_scaling(void **state)
{
    PerpLcp p = {.n = 2, .M = (double[]){1e10, 0, 0, 1e-9}, .q = (double[]){-1e10, -1}};
    PerpLcpSettings settings = perp_default_lcp_settings();
    settings.method = PERP_LCP_LEMKE;
    PerpLcpResult result = solve_lcp(*state, &p, &settings);
    assert_true(fabs(result.z[0] - 1) <= 1e-12 && fabs(result.z[1] / 1e9 - 1) <= 1e-12);
    settings.scale = false;
    result = solve_any(*state, &p, &settings);
    assert_int_equal(result.outcome, PERP_OUTCOME_MISSED);
}

// --- bases --------------------------------------------------------------------------------------

static void given_basis_that_fits_is_one_factorisation(void **state)
{
    PerpSolver *other;
    assert_int_equal(perp_solver_create(NULL, &other), PERP_OK);
    for (int seed = 0; seed < 50; seed++) {
        PerpLcpSample *s = seed % 2 ? perp_lcp_sample_mixed((uint64_t)seed, 12, 4)
                                    : perp_lcp_sample_monotone((uint64_t)seed, 12, 12, false);
        PerpLcpResult first = solve_lcp(other, &s->lcp, NULL);
        for (int i = 0; i < 12; i++) // a little later
            s->q[i] *= 1 + 1e-6;
        PerpLcpSettings settings = perp_default_lcp_settings();
        settings.basis = first.basis;
        PerpLcpResult again = solve_lcp(*state, &s->lcp, &settings);
        assert_true(again.basis_reused);
        assert_int_equal(again.pivots, 0);
        assert_int_equal(again.factorisations, 1);
        assert_memory_equal(again.basis, first.basis, 12);
        perp_lcp_sample_free(s);
    }
    perp_solver_destroy(other);
}

static void given_basis_that_does_not_fit_is_a_start(void **state)
{
    PerpRandom r = perp_random(5);
    for (int seed = 0; seed < 100; seed++) {
        signed char basis[12];
        for (int i = 0; i < 12; i++)
            basis[i] = perp_random_coin(&r);
        PerpLcpSample *s = seed % 2 ? perp_lcp_sample_p_matrix((uint64_t)seed, 12, false)
                                    : perp_lcp_sample_psd((uint64_t)seed, 12, 14, false);
        PerpLcpSettings settings = perp_default_lcp_settings();
        settings.basis = basis;
        PerpLcpResult result = solve_lcp(*state, &s->lcp, &settings);
        if (memcmp(result.basis, basis, 12) != 0)
            assert_false(result.basis_reused);
        perp_lcp_sample_free(s);
    }
}

static void given_basis_that_is_singular_is_ignored(void **state)
{
    const signed char both[2] = {1, 1};
    PerpLcp p = {.n = 2, .M = (double[]){1, 1, 1, 1}, .q = (double[]){-1, -1}};
    PerpLcpSettings settings = perp_default_lcp_settings();
    settings.basis = both;
    PerpLcpResult result = solve_lcp(*state, &p, &settings);
    assert_false(result.basis_reused);
}

// --- limits -------------------------------------------------------------------------------------

static void pivot_limit_is_an_outcome(void **state)
{
    PerpLcpSample *s = perp_lcp_sample_murty(10);
    PerpLcpSettings settings = perp_default_lcp_settings();
    settings.method = PERP_LCP_LEMKE;
    settings.scale = false;
    settings.max_pivots = 100;
    settings.max_attempts = 1;
    PerpLcpResult result = solve_any(*state, &s->lcp, &settings);
    assert_int_equal(result.outcome, PERP_OUTCOME_PIVOT_LIMIT);
    assert_int_equal(result.pivots, 100);
    assert_true(result.certificate.worst > TEST_TOLERANCE);
    settings.max_pivots = 0; // as many as that family can take
    solve_lcp(*state, &s->lcp, &settings);
    perp_lcp_sample_free(s);
}

// far below what doubles can hold: a point is returned with its certificate, not called solved
static void tolerance_beyond_doubles_is_missed(void **state)
{
    PerpLcpSettings settings = perp_default_lcp_settings();
    settings.tolerance = 1e-300;
    int missed = 0;
    for (int seed = 0; seed < 20; seed++) {
        PerpLcpSample *s = perp_lcp_sample_monotone((uint64_t)seed, 9, 9, false);
        PerpLcpResult result = solve_any(*state, &s->lcp, &settings);
        PerpLcpCertificate certificate;
        perp_lcp_certify(&s->lcp, result.z, NULL, &certificate);
        assert_true(certificate.worst == result.certificate.worst && certificate.worst <= 1e-13);
        assert_true((result.outcome == PERP_OUTCOME_SOLVED) == (certificate.worst <= 1e-300));
        missed += result.outcome == PERP_OUTCOME_MISSED;
        perp_lcp_sample_free(s);
    }
    assert_true(missed > 10);
}

// --- rays and proofs ----------------------------------------------------------------------------

static void assert_ray(const PerpLcp *p, const PerpLcpResult *result)
{
    PerpLcpRayCertificate certificate;
    perp_lcp_certify_ray(p, &result->ray, &certificate);
    assert_memory_equal(&certificate, &result->ray_certificate, sizeof certificate);
    if (result->outcome == PERP_OUTCOME_RAY)
        assert_true(certificate.worst <= TEST_TOLERANCE);
    else
        assert_true(certificate.farkas <= TEST_TOLERANCE && certificate.q_dz < -TEST_TOLERANCE);
}

// the proof that comes out holds, whatever the one built in was
static void infeasible_problems_are_proved_so(void **state)
{
    for (int method = 0; method < PERP_LCP_METHOD_COUNT; method++)
        for (int seed = 0; seed < 100; seed++) {
            PerpLcpSettings settings = perp_default_lcp_settings();
            settings.method = (PerpLcpMethod)method;
            settings.scale = seed % 2;
            PerpLcpSample *s = perp_lcp_sample_infeasible((uint64_t)seed, 1 + seed % 12);
            PerpLcpResult result = solve_any(*state, &s->lcp, &settings);
            assert_int_equal(result.outcome, PERP_OUTCOME_INFEASIBLE);
            assert_ray(&s->lcp, &result);
            perp_lcp_sample_free(s);
        }
}

// the cover that was asked for is the one of the ray
static void cover_of_the_user_is_used(void **state)
{
    const double cover[2] = {3, 5};
    PerpLcp p = {.n = 2, .M = (double[]){0, 0, 0, 0}, .q = (double[]){-1, -1}};
    PerpLcpSettings settings = perp_default_lcp_settings();
    settings.method = PERP_LCP_LEMKE;
    settings.cover = cover;
    PerpLcpResult result = solve_any(*state, &p, &settings);
    assert_int_equal(result.outcome, PERP_OUTCOME_INFEASIBLE);
    assert_true(result.ray.cover[0] == 3 && result.ray.cover[1] == 5);
    assert_ray(&p, &result);
}

// With a cover of ones Murty's problem takes 2^n pivots; with d = (1, 2, 4, ...) the first row is
// the only one that z0 has to lift.
static void cover_decides_the_path(void **state)
{
    double cover[10];
    PerpLcpSample *s = perp_lcp_sample_murty(10);
    for (int i = 0; i < 10; i++)
        cover[i] = ldexp(1, i);
    PerpLcpSettings settings = perp_default_lcp_settings();
    settings.method = PERP_LCP_LEMKE;
    settings.scale = false;
    assert_true(solve_lcp(*state, &s->lcp, &settings).pivots > 1000);
    settings.cover = cover;
    assert_true(solve_lcp(*state, &s->lcp, &settings).pivots < 10);
    perp_lcp_sample_free(s);
}

// feasible without a solution: w_1 = z_2 - 1 needs z_2 > 0, but w_2 = 1 wants z_2 = 0
static void ray_is_no_proof(void **state)
{
    PerpLcp p = {.n = 2, .M = (double[]){0, 0, 1, 0}, .q = (double[]){-1, 1}};
    PerpLcpResult result = solve_any(*state, &p, NULL);
    assert_int_equal(result.outcome, PERP_OUTCOME_RAY);
    assert_ray(&p, &result);
    assert_false(result.ray_certificate.farkas <= TEST_TOLERANCE);
    assert_in_range(result.attempts, 9, perp_default_lcp_settings().max_attempts);
}

// --- mixed problems -----------------------------------------------------------------------------

static void regular_mixed_problems_are_solved(void **state)
{
    for (int seed = 0; seed < 200; seed++) {
        int free = seed % 12, n = free + seed % 7 + (free == 0);
        PerpLcpSample *s = perp_lcp_sample_mixed((uint64_t)seed, n, free);
        PerpLcpResult result = solve_lcp(*state, &s->lcp, NULL);
        for (int i = 0; i < free; i++)
            assert_int_equal(result.basis[i], 1);
        perp_lcp_sample_free(s);
    }
}

// multipliers of repeated equations are arbitrary, everything else is not
static void singular_but_consistent_mixed_problems_are_solved(void **state)
{
    for (int seed = 0; seed < 100; seed++) {
        PerpLcpSample *s = perp_lcp_sample_kkt((uint64_t)seed, 4 + seed % 5, 3, seed % 4, 5);
        PerpLcpResult result = solve_lcp(*state, &s->lcp, NULL);
        for (int i = 0; i < 4 + seed % 5; i++)
            assert_true(fabs(result.z[i] - s->solution[i]) <= 1e-7);
        perp_lcp_sample_free(s);
    }
}

// a free unknown that only the complementary rows see: z_2 = 3 from row 1, z_1 = 7 from row 2
static void zero_free_block_is_solved(void **state)
{
    PerpLcp p = {.n = 2, .free = 1, .M = (double[]){0, -1, 1, 2}, .q = (double[]){-3, 1}};
    PerpLcpResult result = solve_lcp(*state, &p, NULL);
    assert_true(fabs(result.z[0] - 7) <= 1e-12 && fabs(result.z[1] - 3) <= 1e-12);
}

// its cover speaks of the rows of the mixed problem
static void mixed_problems_take_a_cover(void **state)
{
    double cover[12];
    for (int i = 0; i < 12; i++)
        cover[i] = 1 + i;
    PerpLcpSettings settings = perp_default_lcp_settings();
    settings.method = PERP_LCP_LEMKE;
    settings.cover = cover;
    for (int seed = 0; seed < 20; seed++) {
        PerpLcpSample *s = seed % 2 ? perp_lcp_sample_mixed((uint64_t)seed, 12, 5)
                                    : perp_lcp_sample_kkt((uint64_t)seed, 5, 2, 1, 4);
        solve_lcp(*state, &s->lcp, &settings);
        perp_lcp_sample_free(s);
    }
    // 0 = z_2 - 3 and 0 <= z_1 + ... with the split multiplier: its row gets the cover 1
    PerpLcp p = {.n = 2, .free = 1, .M = (double[]){0, -1, 1, 2}, .q = (double[]){-3, 1}};
    solve_lcp(*state, &p, &settings);
}

static void equations_alone_are_solved(void **state)
{
    PerpLcp p = {.n = 2, .free = 2, .M = (double[]){2, 1, 1, 1}, .q = (double[]){-3, -2}};
    PerpLcpResult result = solve_lcp(*state, &p, NULL);
    assert_true(fabs(result.z[0] - 1) <= 1e-15 && fabs(result.z[1] - 1) <= 1e-15);
    // twice the same equation
    p = (PerpLcp){.n = 2, .free = 2, .M = (double[]){1, 1, 1, 1}, .q = (double[]){-3, -3}};
    result = solve_lcp(*state, &p, NULL);
    assert_true(fabs(result.z[0] + result.z[1] - 3) <= 1e-15);
}

static void inconsistent_equations_are_not_solved(void **state)
{
    // z_1 + z_2 = 3 and 4
    PerpLcp p = {.n = 2, .free = 2, .M = (double[]){1, 1, 1, 1}, .q = (double[]){-3, -4}};
    PerpLcpResult result = solve_any(*state, &p, NULL);
    assert_int_not_equal(result.outcome, PERP_OUTCOME_SOLVED);
    assert_true(result.certificate.equation > 0.01);
    // 0 = 1, besides a sound complementary row
    p = (PerpLcp){.n = 2, .free = 1, .M = (double[]){0, 0, 0, 1}, .q = (double[]){1, -1}};
    result = solve_any(*state, &p, NULL);
    assert_int_not_equal(result.outcome, PERP_OUTCOME_SOLVED);
    assert_int_equal(result.certificate.worst_row, 0);
}

// z_2 = -3 from an equation, but z_2 >= 0: proved by a ray of the mixed problem
static void mixed_problems_are_proved_infeasible(void **state)
{
    PerpLcp p = {.n = 2, .free = 1, .M = (double[]){0, -1, 1, 2}, .q = (double[]){3, 1}};
    PerpLcpResult result = solve_any(*state, &p, NULL);
    assert_int_equal(result.outcome, PERP_OUTCOME_INFEASIBLE);
    assert_ray(&p, &result);
    // a regular equation z_1 = z_2 + 1 in front of w = -z_1 - z_2: the sum cannot be negative
    p = (PerpLcp){.n = 2, .free = 1, .M = (double[]){1, -1, -1, -1}, .q = (double[]){-1, 0}};
    result = solve_any(*state, &p, NULL);
    assert_int_equal(result.outcome, PERP_OUTCOME_INFEASIBLE);
    assert_ray(&p, &result);
}

// --- the shortest z -----------------------------------------------------------------------------

// M = a a' with a = (1, 2, 0): of all z with z_1 + 2 z_2 = 5, z_3 >= 0, the shortest is (1, 2, 0)
static void shortest_of_a_line(void **state)
{
    const double M[9] = {1, 2, 0, 2, 4, 0, 0, 0, 0};
    PerpLcp p = {.n = 3, .M = M, .q = (double[]){-5, -10, 0}};
    PerpLcpSettings settings = perp_default_lcp_settings();
    settings.minimum_norm = true;
    for (int method = 0; method < PERP_LCP_METHOD_COUNT; method++) {
        settings.method = (PerpLcpMethod)method;
        PerpLcpResult result = solve_lcp(*state, &p, &settings);
        assert_true(fabs(result.z[0] - 1) <= 1e-12 && fabs(result.z[1] - 2) <= 1e-12);
        assert_true(result.z[2] == 0);
    }
}

// a = (1, -1): z_1 - z_2 = 2; the projection (1, -1) is not allowed, (2, 0) is
static void shortest_stays_nonnegative(void **state)
{
    PerpLcp p = {.n = 2, .M = (double[]){1, -1, -1, 1}, .q = (double[]){-2, 2}};
    PerpLcpSettings settings = perp_default_lcp_settings();
    settings.minimum_norm = true;
    PerpLcpResult result = solve_lcp(*state, &p, &settings);
    assert_true(fabs(result.z[0] - 2) <= 1e-12 && fabs(result.z[1]) <= 1e-12);
}

// the same w, and no longer than any other solution
static void shortest_of_random_problems(void **state)
{
    PerpLcpSettings settings = perp_default_lcp_settings();
    settings.minimum_norm = true;
    for (int seed = 0; seed < 100; seed++) {
        int n = 4 + seed % 10;
        double length = 0, built_in = 0, w[16];
        PerpLcpSample *s = perp_lcp_sample_psd((uint64_t)seed, n, n / 2, seed % 2);
        memcpy(w, solve_lcp(*state, &s->lcp, NULL).w, (size_t)n * sizeof(double));
        PerpLcpResult result = solve_lcp(*state, &s->lcp, &settings);
        for (int i = 0; i < n; i++) {
            length += result.z[i] * result.z[i];
            built_in += s->solution[i] * s->solution[i];
            assert_true(fabs(result.w[i] - w[i]) <= 1e-9 * (1 + fabs(w[i])));
        }
        assert_true(length <= built_in * (1 + 1e-9));
        perp_lcp_sample_free(s);
    }
}

// free unknowns may be negative, and are part of the length
static void shortest_of_a_mixed_problem(void **state)
{
    // 0 = z_1 + z_2 + 2 z_3 + 6 with M = a a', a = (1, 1, 2), z_3 >= 0
    const double M[9] = {1, 1, 2, 1, 1, 2, 2, 2, 4};
    PerpLcp p = {.n = 3, .free = 2, .M = M, .q = (double[]){6, 6, 12}};
    PerpLcpSettings settings = perp_default_lcp_settings();
    settings.minimum_norm = true;
    PerpLcpResult result = solve_lcp(*state, &p, &settings);
    assert_true(fabs(result.z[0] + 3) <= 1e-12 && fabs(result.z[1] + 3) <= 1e-12);
    assert_true(fabs(result.z[2]) <= 1e-12);
}

// --- the solver ---------------------------------------------------------------------------------

static void count_line(void *user, PerpLogLevel level, const char *text)
{
    int *lines = user;
    assert_int_equal(level, PERP_LOG_DEBUG);
    assert_non_null(strstr(text, "solved"));
    ++*lines;
}

static void solves_are_logged(void **state)
{
    (void)state;
    int lines = 0;
    PerpContext context = perp_default_context();
    PerpSolver *solver;
    context.log = (PerpLog){.write = count_line, .user = &lines};
    assert_int_equal(perp_solver_create(&context, &solver), PERP_OK);
    solve_lcp(solver, &two_rows, NULL);
    solve_lcp(solver, &two_rows, NULL);
    assert_int_equal(lines, 2);
    PerpSample *table = perp_sample_table(3, 0.5, 4);
    solve_sample(solver, table, NULL);
    assert_int_equal(lines, 3);
    perp_sample_free(table);
    perp_solver_destroy(solver);
    perp_solver_destroy(NULL);
}

// after the first solves of a size no memory is asked for
static void solver_keeps_its_memory(void **state)
{
    (void)state;
    PerpFailingAllocator memory = {0};
    PerpContext context = perp_failing_context(&memory);
    PerpSolver *solver;
    PerpLcpSample *s = perp_lcp_sample_monotone(1, 30, 30, false);
    assert_int_equal(perp_solver_create(&context, &solver), PERP_OK);
    for (int k = 0; k < 2; k++)
        solve_lcp(solver, &s->lcp, NULL);
    int calls = memory.calls;
    for (int k = 0; k < 5; k++)
        solve_lcp(solver, &s->lcp, NULL);
    assert_int_equal(memory.calls, calls);
    perp_solver_destroy(solver);
    assert_int_equal(memory.live, 0);
    perp_lcp_sample_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(methods_and_outcomes_have_names),
        cmocka_unit_test(settings_out_of_range_are_refused),
        cmocka_unit_test(covers_that_do_not_cover_are_refused),
        cmocka_unit_test(sizes_out_of_range_are_refused),
        cmocka_unit_test(numbers_that_are_none_are_refused),
        cmocka_unit_test(every_method_solves_two_rows),
        cmocka_unit_test(principal_pivoting_hands_over_to_lemke),
        cmocka_unit_test(scaled_units_do_not_matter),
        cmocka_unit_test(hopeless_condition_needs_scaling),
        cmocka_unit_test(given_basis_that_fits_is_one_factorisation),
        cmocka_unit_test(given_basis_that_does_not_fit_is_a_start),
        cmocka_unit_test(given_basis_that_is_singular_is_ignored),
        cmocka_unit_test(pivot_limit_is_an_outcome),
        cmocka_unit_test(tolerance_beyond_doubles_is_missed),
        cmocka_unit_test(infeasible_problems_are_proved_so),
        cmocka_unit_test(cover_of_the_user_is_used),
        cmocka_unit_test(cover_decides_the_path),
        cmocka_unit_test(ray_is_no_proof),
        cmocka_unit_test(regular_mixed_problems_are_solved),
        cmocka_unit_test(singular_but_consistent_mixed_problems_are_solved),
        cmocka_unit_test(zero_free_block_is_solved),
        cmocka_unit_test(mixed_problems_take_a_cover),
        cmocka_unit_test(equations_alone_are_solved),
        cmocka_unit_test(inconsistent_equations_are_not_solved),
        cmocka_unit_test(mixed_problems_are_proved_infeasible),
        cmocka_unit_test(shortest_of_a_line),
        cmocka_unit_test(shortest_stays_nonnegative),
        cmocka_unit_test(shortest_of_random_problems),
        cmocka_unit_test(shortest_of_a_mixed_problem),
        cmocka_unit_test(solves_are_logged),
        cmocka_unit_test(solver_keeps_its_memory),
    };
    return cmocka_run_group_tests(tests, create_solver, destroy_solver);
}
