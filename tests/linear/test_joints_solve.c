// Problems of joints alone, against the way that knows nothing of their sparsity.
#include "solving.h"

#include "failing_allocator.h"
#include "linear/joints_solve.h"
#include "random.h"
#include "solve/position_correction.h"

#include <math.h>
#include <string.h>

enum { MOST_BODIES = 30, MOST_VELOCITIES = 6 * MOST_BODIES };

// By the sparse factorisation alone; false if that is no answer, or memory is short.
static bool solve_joints(PerpSolver *solver, const PerpProblem *p, PerpProblemSettings *settings,
                         PerpProblemResult *result)
{
    unsigned all = settings->methods;
    settings->methods = PERP_METHOD_BIT(PERP_METHOD_JOINTS);
    PerpStatus status = perp_problem_solve(solver, p, settings, result, NULL);
    settings->methods = all;
    return !status && result->outcome == PERP_OUTCOME_SOLVED;
}

// Positive definite, every other one diagonal; not symmetric if `skew` is not 0.
static void fill_mass(PerpRandom *random, int n, double skew, double *Mt)
{
    bool full = perp_random_coin(random);
    memset(Mt, 0, (size_t)(n * n) * sizeof(double));
    for (int i = 0; i < n; i++) {
        Mt[i + n * i] = perp_random_uniform(random, 1, 10);
        for (int j = 0; j < i && full; j++) {
            double even = perp_random_uniform(random, -0.1, 0.1);
            Mt[i + n * j] = even + skew;
            Mt[j + n * i] = even - skew;
        }
    }
}

static void add_rows(PerpRandom *random, PerpSample *s, const int *body, int n_bodies, int rows)
{
    double J[12];
    for (int r = 0; r < rows; r++) {
        for (int i = 0; i < 12; i++)
            J[i] = perp_random_normal(random);
        PerpSampleRow row = {n_bodies, body, J, perp_random_normal(random)};
        perp_sample_add_joint(s, row);
    }
}

// A tree of bodies: each is joined to one before it, the first to the world, by up to three rows:
// five would be nearly dependent at times.
static PerpSample *make_tree(uint64_t seed, double skew)
{
    PerpRandom random = perp_random(seed);
    PerpSample *s = perp_sample_create();
    int bodies = perp_random_int(&random, 1, MOST_BODIES);
    for (int k = 0; k < bodies; k++) {
        double Mt[36], b[6];
        int n = perp_random_int(&random, 5, 6);
        fill_mass(&random, n, skew, Mt);
        for (int i = 0; i < n; i++)
            b[i] = perp_random_normal(&random);
        perp_sample_add_body(s, n, Mt, b);
    }
    for (int k = 0; k < bodies; k++) {
        int pair[2] = {k, k > 0 ? perp_random_int(&random, k > 3 ? k - 3 : 0, k - 1) : 0};
        add_rows(&random, s, pair, k > 0 ? 2 : 1, perp_random_int(&random, 1, 3));
    }
    return s;
}

static void trees_agree_with_pivots(void **state)
{
    for (uint64_t seed = 1; seed <= 200; seed++) {
        PerpSample *s = make_tree(seed, seed % 3 == 0 ? 0.05 : 0);
        PerpProblem p = perp_sample_problem(s);
        PerpProblemSettings settings = perp_default_problem_settings();
        PerpProblemResult result;
        PerpCertificate certificate;
        double v[MOST_VELOCITIES], largest = 0;
        int n_v = perp_problem_velocities(&p);
        assert_true(perp_joints_alone(&p));
        assert_true(solve_joints(*state, &p, &settings, &result));
        assert_int_equal(perp_certify(NULL, &p, result.v, result.c, NULL, &certificate, NULL),
                         PERP_OK);
        assert_true(certificate.worst <= 1e-12);
        assert_true(certificate.worst == result.certificate.worst);
        memcpy(v, result.v, (size_t)n_v * sizeof(double));
        settings.minimum_norm = true; // goes the other way
        assert_int_equal(perp_problem_solve(*state, &p, &settings, &result, NULL), PERP_OK);
        assert_int_equal(result.outcome, PERP_OUTCOME_SOLVED);
        for (int i = 0; i < n_v; i++)
            largest = fmax(largest, fabs(v[i] - result.v[i]));
        assert_true(largest <= 1e-10);
        perp_sample_free(s);
    }
}

// The first answer is refined only where a tolerance is near rounding, and is no worse then.
static void first_answers_do(void **state)
{
    int refined = 0;
    for (uint64_t seed = 1; seed <= 100; seed++) {
        PerpSample *s = make_tree(seed, 0);
        PerpProblem p = perp_sample_problem(s);
        PerpProblemSettings settings = perp_default_problem_settings();
        PerpProblemResult result;
        settings.tolerance = 1e-8;
        assert_true(solve_joints(*state, &p, &settings, &result));
        assert_int_equal(result.iterations, 1);
        assert_true(result.certificate.worst <= 1e-11);
        settings.tolerance = 1e-12;
        assert_true(solve_joints(*state, &p, &settings, &result));
        assert_true(result.certificate.worst <= 1e-12);
        refined += result.iterations > 1;
        perp_sample_free(s);
    }
    assert_true(refined > 0);
}

// The largest |J v + d|.
static double worst_row(const PerpProblem *p, const double *v)
{
    const double *J = p->J;
    double worst = 0;
    for (int r = 0; r < p->n_joints; r++) {
        double sum = p->d[r];
        for (int e = p->row_start[r]; e < p->row_start[r + 1]; e++)
            for (int i = p->body_start[p->entry_body[e]]; i < p->body_start[p->entry_body[e] + 1];
                 i++)
                sum += *J++ * v[i];
        worst = fmax(worst, fabs(sum));
    }
    return worst;
}

static double largest_difference(int n, const double *x, const double *y)
{
    double largest = 0;
    for (int i = 0; i < n; i++)
        largest = fmax(largest, fabs(x[i] - y[i]));
    return largest;
}

// Turns the rows of a problem that was solved, and corrects with what is left of that. Returns how
// far this is from the shortest way.
static double correct_turned(PerpSolver *solver, uint64_t seed, double turn)
{
    PerpRandom random = perp_random(seed);
    PerpSample *s = make_tree(seed, 0);
    memset(s->b.at, 0, (size_t)s->b.count * sizeof(double));
    PerpProblem p = perp_sample_problem(s);
    PerpProblemSettings settings = perp_default_problem_settings();
    PerpProblemResult result;
    double J[MOST_BODIES * 3 * 12], v[MOST_VELOCITIES];
    assert_true(solve_joints(solver, &p, &settings, &result));
    int values = 0;
    for (int e = 0; e < p.row_start[p.n_joints]; e++)
        values += p.body_start[p.entry_body[e] + 1] - p.body_start[p.entry_body[e]];
    for (int i = 0; i < values; i++)
        J[i] = p.J[i] + turn * perp_random_normal(&random);
    p.J = J;
    const double *dq = perp_correct_joints(solver, &p, 1e-9);
    assert_non_null(dq);
    assert_true(worst_row(&p, dq) <= 1e-5);
    memcpy(v, dq, (size_t)perp_problem_velocities(&p) * sizeof(double));
    assert_int_equal(perp_problem_solve(solver, &p, &settings, &result, NULL), PERP_OK);
    double off = largest_difference(perp_problem_velocities(&p), v, result.v);
    perp_sample_free(s);
    return off;
}

// Rows that have turned a little are met with the factors at hand, which is nearly the shortest
// way; those that have turned far get their own.
static void corrections_take_factors_from_nearby(void **state)
{
    for (uint64_t seed = 1; seed <= 100; seed++) {
        double near = correct_turned(*state, seed, 1e-4), far = correct_turned(*state, seed, 3);
        assert_true(near > 1e-9 && near <= 1e-1);
        assert_true(far <= 1e-3);
    }
}

// What one factorisation leaves is a small part of d, and the way is the shortest: that of b = 0.
static void corrections_close_joints(void **state)
{
    for (uint64_t seed = 1; seed <= 100; seed++) {
        PerpSample *s = make_tree(seed, 0);
        memset(s->b.at, 0, (size_t)s->b.count * sizeof(double));
        PerpProblem p = perp_sample_problem(s);
        PerpProblemSettings settings = perp_default_problem_settings();
        PerpProblemResult result;
        double v[MOST_VELOCITIES];
        int n_v = perp_problem_velocities(&p);
        const double *dq = perp_correct_joints(*state, &p, 1e-12);
        assert_non_null(dq);
        memcpy(v, dq, (size_t)n_v * sizeof(double));
        assert_int_equal(perp_problem_solve(*state, &p, &settings, &result, NULL), PERP_OK);
        for (int i = 0; i < n_v; i++)
            assert_true(fabs(v[i] - result.v[i]) <= 1e-8);
        perp_sample_free(s);
    }
}

// A joint twice: its impulses are left to those who can leave rows out, while a correction, in
// which they cancel, is the shortest as always.
static void dependent_joints_are_left_to_others(void **state)
{
    PerpRandom random = perp_random(7);
    PerpSample *s = make_tree(11, 0);
    int pair[2] = {0, 1};
    double J[12];
    for (int i = 0; i < 12; i++)
        J[i] = perp_random_normal(&random);
    for (int twice = 0; twice < 2; twice++)
        perp_sample_add_joint(s, (PerpSampleRow){2, pair, J, 0});
    PerpProblem p = perp_sample_problem(s);
    PerpProblemSettings settings = perp_default_problem_settings();
    PerpProblemResult result;
    double v[MOST_VELOCITIES];
    int n_v = perp_problem_velocities(&p);
    memset(s->b.at, 0, (size_t)s->b.count * sizeof(double));
    assert_false(solve_joints(*state, &p, &settings, &result));
    const double *dq = perp_correct_joints(*state, &p, 1e-12);
    assert_non_null(dq);
    assert_true(worst_row(&p, dq) <= 1e-7);
    memcpy(v, dq, (size_t)n_v * sizeof(double));
    assert_int_equal(perp_problem_solve(*state, &p, &settings, &result, NULL), PERP_OK);
    assert_int_equal(result.outcome, PERP_OUTCOME_SOLVED);
    assert_true(largest_difference(n_v, v, result.v) <= 1e-7);
    perp_sample_free(s);
}

static void short_memory_is_survived(void **state)
{
    (void)state;
    PerpSample *s = make_tree(5, 0);
    PerpProblem p = perp_sample_problem(s);
    bool solved = false;
    for (int allowed = 1; allowed < 200 && !solved; allowed++) {
        PerpFailingAllocator memory = {.fail_at = allowed};
        PerpContext context = perp_failing_context(&memory);
        PerpProblemSettings settings = perp_default_problem_settings();
        PerpProblemResult result;
        PerpSolver *solver;
        if (perp_solver_create(&context, &solver))
            continue;
        solved = solve_joints(solver, &p, &settings, &result) && memory.calls < allowed;
        perp_solver_destroy(solver);
        assert_int_equal(memory.live, 0);
    }
    assert_true(solved);
    perp_sample_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trees_agree_with_pivots),
        cmocka_unit_test(first_answers_do),
        cmocka_unit_test(corrections_close_joints),
        cmocka_unit_test(corrections_take_factors_from_nearby),
        cmocka_unit_test(dependent_joints_are_left_to_others),
        cmocka_unit_test(short_memory_is_survived),
    };
    return cmocka_run_group_tests(tests, create_solver, destroy_solver);
}
