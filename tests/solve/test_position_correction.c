// Overlaps put right by gradients: beside the certified solution, and what they leave to others.
#include "solve/position_correction.h"
#include "solving.h"

#include "sample.h"

#include <math.h>

enum { BALLS = 80, LINE = 8 };
static const double OVERLAP = 1e-4; // m

// Balls of unequal mass in lines, each pressed into the one before or a little off it, the first
// into a wall. They have b = 0 and one contact each.
static PerpSample *make_lines(void)
{
    PerpSample *s = perp_sample_create();
    const double still[3] = {0};
    for (int k = 0; k < BALLS; k++) {
        double m = 1 + k % 3, Mt[9] = {m, 0, 0, 0, m, 0, 0, 0, m};
        perp_sample_add_body(s, 3, Mt, still);
        int pair[2] = {k - 1, k};
        double J[6] = {-1, 0, 0, 1, 0, 0}, d = k % 5 == 0 ? OVERLAP / 2 : -OVERLAP;
        bool wall = k % LINE == 0;
        perp_sample_add_contact(s, (PerpSampleRow){wall ? 1 : 2, wall ? &pair[1] : pair,
                                                   wall ? J + 3 : J, wall ? -OVERLAP : d});
    }
    return s;
}

static void test_leaves_little(void **state)
{
    (void)state;
    static const double tolerance[] = {0.3, 0.1, 1e-2, 1e-3};
    PerpSample *s = make_lines();
    PerpProblem p = perp_sample_problem(s);
    PerpSolver *solver;
    assert_int_equal(perp_solver_create(NULL, &solver), PERP_OK);
    for (size_t i = 0; i < sizeof tolerance / sizeof *tolerance; i++) {
        const double *v = perp_correct_overlaps(solver, &p, tolerance[i]);
        assert_non_null(v);
        for (int k = 0; k < BALLS; k++) {
            double gap = s->rows.d.at[k] + v[3 * k] - (k % LINE > 0 ? v[3 * (k - 1)] : 0);
            assert_true(gap >= -3 * tolerance[i] * OVERLAP);
        }
    }
    perp_solver_destroy(solver);
    perp_sample_free(s);
}

static void test_is_the_shortest(void **state)
{
    (void)state;
    PerpSample *s = make_lines();
    PerpProblem p = perp_sample_problem(s);
    PerpSolver *solver, *other;
    PerpProblemResult certified;
    PerpProblemSettings settings = perp_default_problem_settings();
    assert_int_equal(perp_solver_create(NULL, &solver), PERP_OK);
    assert_int_equal(perp_solver_create(NULL, &other), PERP_OK);
    assert_int_equal(perp_problem_solve(other, &p, &settings, &certified, NULL), PERP_OK);
    assert_int_equal(certified.outcome, PERP_OUTCOME_SOLVED);
    const double *v = perp_correct_overlaps(solver, &p, 1e-3);
    assert_non_null(v);
    for (int i = 0; i < 3 * BALLS; i++)
        assert_true(fabs(v[i] - certified.v[i]) <= 0.1 * OVERLAP);
    perp_solver_destroy(solver);
    perp_solver_destroy(other);
    perp_sample_free(s);
}

// What gradients do not reach they come near to.
static void test_comes_near(void **state)
{
    (void)state;
    PerpSample *s = make_lines();
    PerpProblem p = perp_sample_problem(s);
    PerpSolver *solver;
    assert_int_equal(perp_solver_create(NULL, &solver), PERP_OK);
    const double *v = perp_correct_overlaps(solver, &p, 0);
    assert_non_null(v);
    for (int k = 0; k < BALLS; k++)
        assert_true(s->rows.d.at[k] + v[3 * k] - (k % LINE > 0 ? v[3 * (k - 1)] : 0) >=
                    -0.01 * OVERLAP);
    perp_solver_destroy(solver);
    perp_sample_free(s);
}

// Two balls of different lines that move together: their joint is obeyed, overlaps are parted.
static void test_obeys_joints(void **state)
{
    (void)state;
    static const double tolerance = 1e-2;
    PerpSample *s = make_lines();
    const int pair[2] = {3, LINE + 3};
    const double together[6] = {1, 0, 0, -1, 0, 0};
    perp_sample_add_joint(s, (PerpSampleRow){2, pair, together, 0});
    PerpProblem p = perp_sample_problem(s);
    PerpSolver *solver;
    assert_int_equal(perp_solver_create(NULL, &solver), PERP_OK);
    const double *v = perp_correct_overlaps(solver, &p, tolerance);
    assert_non_null(v);
    assert_true(fabs(v[3 * pair[0]] - v[3 * pair[1]]) <= 1e-9 * OVERLAP);
    for (int k = 0; k < BALLS; k++) {
        double d = p.d[p.n_joints + k];
        assert_true(d + v[3 * k] - (k % LINE > 0 ? v[3 * (k - 1)] : 0) >= -3 * tolerance * OVERLAP);
    }
    perp_solver_destroy(solver);
    perp_sample_free(s);
}

// Friction is for others.
static void test_leaves_friction(void **state)
{
    (void)state;
    PerpSolver *solver;
    int first = 0;
    const double along[3] = {0, 1, 0};
    PerpSample *s = make_lines();
    assert_int_equal(perp_solver_create(NULL, &solver), PERP_OK);
    perp_sample_add_circular_group(s, 0, 0.5, 0);
    perp_sample_add_direction(s, (PerpSampleRow){1, &first, along, 0});
    PerpProblem p = perp_sample_problem(s);
    assert_null(perp_correct_overlaps(solver, &p, 0.1));
    perp_solver_destroy(solver);
    perp_sample_free(s);
}

// A joint that is open, and overlaps, as by the certified solution; without joints it is for
// others.
static void test_closes_joints_beside_contacts(void **state)
{
    (void)state;
    PerpSample *s = make_lines();
    PerpSolver *solver, *other;
    PerpProblemResult certified;
    PerpProblemSettings settings = perp_default_problem_settings();
    const int pair[2] = {3, LINE + 3};
    const double together[6] = {1, 0, 0, -1, 0, 0};
    assert_int_equal(perp_solver_create(NULL, &solver), PERP_OK);
    assert_int_equal(perp_solver_create(NULL, &other), PERP_OK);
    PerpProblem apart = perp_sample_problem(s);
    assert_null(perp_correct_joined(solver, &apart, 1e-3));
    perp_sample_add_joint(s, (PerpSampleRow){2, pair, together, 3 * OVERLAP});
    PerpProblem p = perp_sample_problem(s);
    assert_int_equal(perp_problem_solve(other, &p, &settings, &certified, NULL), PERP_OK);
    assert_int_equal(certified.outcome, PERP_OUTCOME_SOLVED);
    const double *v = perp_correct_joined(solver, &p, 1e-3);
    assert_non_null(v);
    assert_true(fabs(v[3 * pair[0]] - v[3 * pair[1]] + 3 * OVERLAP) <= 1e-9 * OVERLAP);
    for (int i = 0; i < 3 * BALLS; i++)
        assert_true(fabs(v[i] - certified.v[i]) <= 0.01 * OVERLAP);
    perp_solver_destroy(solver);
    perp_solver_destroy(other);
    perp_sample_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_leaves_little),
        cmocka_unit_test(test_is_the_shortest),
        cmocka_unit_test(test_comes_near),
        cmocka_unit_test(test_obeys_joints),
        cmocka_unit_test(test_leaves_friction),
        cmocka_unit_test(test_closes_joints_beside_contacts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
