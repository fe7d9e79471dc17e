// Lemke's path on a basis, without the attempts around it.
#include "pivoting/lemke.h"

#include "paths.h"

#include "generate.h"

#include <math.h>
#include <string.h>

static PerpLemkePath default_path(void)
{
    return (PerpLemkePath){
        .max_pivots = 10000, .pivot_tolerance = 1e-11, .tie_tolerance = 1e-13, .entering = -1};
}

// w = [2 1; 1 2] z - (4, 5): z0 = 5 enters and w_2 leaves; z_2 enters and w_1 leaves; z_1 enters
// and z0 leaves at z = (1, 2)
static void path_of_two_rows_by_hand(void **state)
{
    (void)state;
    PerpLcp p = {.n = 2, .M = (double[]){2, 1, 1, 2}, .q = (double[]){-4, -5}};
    PerpLemkePath lemke = default_path();
    Path path;
    open_path(&path, &p);
    assert_true(perp_lemke(&path.basis, &lemke));
    assert_in_range(lemke.pivots, 2, 3);
    assert_int_equal(path.basis.k, 2);
    for (int c = 0; c < 2; c++)
        assert_true(fabs(path.basis.core_value[c] - (path.basis.column[c] + 1)) <= 1e-14);
    close_path(&path);
}

static void nothing_to_do_where_q_is_positive(void **state)
{
    (void)state;
    PerpLcp p = {.n = 2, .M = (double[]){-1, 0, 0, -1}, .q = (double[]){0, 3}};
    PerpLemkePath lemke = default_path();
    Path path;
    open_path(&path, &p);
    assert_true(perp_lemke(&path.basis, &lemke));
    assert_int_equal(lemke.pivots, 0);
    assert_int_equal(path.basis.k, 0);
    close_path(&path);
}

// w = -1: z enters and changes nothing
static void ray_is_told(void **state)
{
    (void)state;
    PerpLcp p = {.n = 1, .M = (double[]){0}, .q = (double[]){-1}};
    PerpLemkePath lemke = default_path();
    Path path;
    open_path(&path, &p);
    assert_false(perp_lemke(&path.basis, &lemke));
    assert_true(lemke.ray);
    assert_int_equal(lemke.entering, 1); // z_1
    close_path(&path);
}

static void limit_of_pivots_is_no_ray(void **state)
{
    (void)state;
    PerpLcpSample *s = perp_lcp_sample_murty(8);
    for (int limit = 1; limit < 255; limit += 50) {
        PerpLemkePath lemke = default_path();
        lemke.max_pivots = limit;
        Path path;
        open_path(&path, &s->lcp);
        assert_false(perp_lemke(&path.basis, &lemke));
        assert_false(lemke.ray);
        assert_int_equal(lemke.pivots, limit);
        close_path(&path);
    }
    perp_lcp_sample_free(s);
}

// numbers that overflow end the path, and not as a ray
static void overflow_is_no_ray(void **state)
{
    (void)state;
    double M[9] = {1e-160, 1e160, 1, 1e160, 1e-160, 1, 1, 1e160, 1e-160};
    PerpLcp p = {.n = 3, .M = M, .q = (double[]){-1e150, -2e150, -3e150}};
    PerpLemkePath lemke = default_path();
    Path path;
    open_path(&path, &p);
    bool found = perp_lemke(&path.basis, &lemke);
    assert_false(found && !(worst_of_basis(&path, &p) <= 1e-9));
    close_path(&path);
}

static void check_sample(PerpLcpSample *s, double tolerance)
{
    PerpLemkePath lemke = default_path();
    Path path;
    open_path(&path, &s->lcp);
    assert_true(perp_lemke(&path.basis, &lemke));
    assert_true(worst_of_basis(&path, &s->lcp) <= tolerance);
    close_path(&path);
    perp_lcp_sample_free(s);
}

// the families for which theory promises a solution
static void promised_solutions_are_found(void **state)
{
    (void)state;
    for (int seed = 0; seed < 150; seed++) {
        int n = 1 + seed % 25;
        check_sample(perp_lcp_sample_p_matrix((uint64_t)seed, n, false), 1e-9);
        check_sample(perp_lcp_sample_monotone((uint64_t)seed, n, n, false), 1e-9);
        check_sample(perp_lcp_sample_copositive((uint64_t)seed, n, false), 1e-9);
        check_sample(perp_lcp_sample_mixed((uint64_t)seed, n + 3, 3), 1e-9);
    }
}

// many ties; first-index rules cycle on the last three
static void ties_are_broken_lexicographically(void **state)
{
    (void)state;
    for (int seed = 0; seed < 300; seed++) {
        int n = 2 + seed % 15;
        check_sample(perp_lcp_sample_monotone((uint64_t)seed, n, n / 2, true), 1e-9);
        check_sample(perp_lcp_sample_p_matrix((uint64_t)seed, n, true), 1e-9);
    }
    for (int number = 0; number < PERP_CYCLING_SAMPLES; number++)
        check_sample(perp_lcp_sample_cycling(number), 1e-9);
}

// p alone cannot tell rows with equal p apart: then the unit vectors do
static void ties_of_the_perturbation_are_broken_too(void **state)
{
    (void)state;
    for (int seed = 0; seed < 200; seed++) {
        int n = 2 + seed % 12;
        PerpLcpSample *s = perp_lcp_sample_monotone((uint64_t)seed, n, n / 2, true);
        PerpLemkePath lemke = default_path();
        Path path;
        open_path(&path, &s->lcp);
        for (int i = 0; i < n; i++)
            path.basis.q[n + i] = 1;
        perp_basis_clear(&path.basis);
        assert_true(perp_lemke(&path.basis, &lemke));
        assert_true(worst_of_basis(&path, &s->lcp) <= 1e-9);
        close_path(&path);
        perp_lcp_sample_free(s);
    }
}

// z0 and z_1 reach zero together: z0 leaves, the basis is complementary again
static void goal_leaves_on_a_tie(void **state)
{
    (void)state;
    PerpLcp p = {.n = 2, .M = (double[]){1, 0, 0, 1}, .q = (double[]){-1, -1}};
    PerpLemkePath lemke = default_path();
    Path path;
    open_path(&path, &p);
    assert_true(perp_lemke(&path.basis, &lemke));
    assert_true(worst_of_basis(&path, &p) == 0);
    close_path(&path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(path_of_two_rows_by_hand),
        cmocka_unit_test(nothing_to_do_where_q_is_positive),
        cmocka_unit_test(ray_is_told),
        cmocka_unit_test(limit_of_pivots_is_no_ray),
        cmocka_unit_test(overflow_is_no_ray),
        cmocka_unit_test(promised_solutions_are_found),
        cmocka_unit_test(ties_are_broken_lexicographically),
        cmocka_unit_test(ties_of_the_perturbation_are_broken_too),
        cmocka_unit_test(goal_leaves_on_a_tie),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
