// The ends of the ladder for second-order cones: solved, and missed where a part of the problem has
// no solution under either law.
#include "solving.h"

#include <math.h>

static const double accuracy = 1e-3;
static const double fast = 1e4; // m/s: how much faster the block is than the wedge

static void touch_ground(PerpSample *s, int body, double mu, double d)
{
    static const double normal[3] = {0, 0, 1}, tangent[2][3] = {{1, 0, 0}, {0, 1, 0}};
    int contact = perp_sample_add_contact(s, (PerpSampleRow){1, &body, normal, d});
    perp_sample_add_circular_group(s, contact, mu, 0);
    for (int k = 0; k < 2; k++)
        perp_sample_add_direction(s, (PerpSampleRow){1, &body, tangent[k], 0});
}

// A self-locking wedge: it slides on a rail of slope 1/2, z = x/2, and the ground below it rises at
// 1 m/s with friction 1. u_n = x/2 - 1 >= 0 needs x >= 2; but friction on what slides along +x
// takes more along the rail than the normal impulse gives,
//     (1 + 1/4) x = (1/2 - 1) c_n <= 0,
// so that no impulse solves the exact law. (Nor the relaxed one: x/2 - 1 >= |x| has no solution.)
static void add_wedge(PerpSample *s)
{
    static const double Mt[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, b[3] = {0, 0, 0};
    static const double rail[3] = {-0.5, 0, 1};
    int body = perp_sample_add_body(s, 3, Mt, b);
    perp_sample_add_joint(s, (PerpSampleRow){1, &body, rail, 0});
    touch_ground(s, body, 1, -1);
}

// A block of mass 2 that slides on the ground with friction 0.5. Exact: c = (4, -2, 0),
// v = (1.5, 0, 0); relaxed: c = (5.2, -2.6, 0), v = (1.2, 0, 0.6); all of them `fast` times.
static void add_block(PerpSample *s)
{
    static const double Mt[9] = {2, 0, 0, 0, 2, 0, 0, 0, 2};
    const double b[3] = {5 * fast, 0, -4 * fast};
    int body = perp_sample_add_body(s, 3, Mt, b);
    touch_ground(s, body, 0.5, 0);
}

static PerpProblemResult solve(PerpSolver *solver, PerpSample *s)
{
    PerpProblem p = perp_sample_problem(s);
    PerpProblemSettings settings = perp_default_problem_settings();
    PerpProblemResult result;
    PerpCertificate certificate;
    PerpGap gap;
    settings.tolerance = accuracy;
    assert_int_equal(perp_problem_solve(solver, &p, &settings, &result, NULL), PERP_OK);
    assert_int_equal(perp_certify(NULL, &p, result.v, result.c, result.lambda, &certificate, NULL),
                     PERP_OK);
    assert_int_equal(perp_certify_gap(NULL, &p, result.v, result.c, &gap, NULL), PERP_OK);
    assert_true(certificate.worst == result.certificate.worst);
    assert_true(gap.relaxed == result.gap.relaxed && gap.lift == result.gap.lift);
    return result;
}

static void assert_motion(const double *v, double x, double z)
{
    assert_true(fabs(v[0] - x * fast) < 0.01 * fast);
    assert_true(fabs(v[1]) < 0.01 * fast);
    assert_true(fabs(v[2] - z * fast) < 0.01 * fast);
}

static void block_alone_is_solved(void **state)
{
    PerpSample *s = perp_sample_create();
    add_block(s);
    PerpProblemResult result = solve(*state, s);
    assert_int_equal(result.outcome, PERP_OUTCOME_SOLVED);
    assert_true(result.certificate.worst <= accuracy && result.gap.relaxed > 0.1);
    assert_motion(result.v, 1.5, 0);
    perp_sample_free(s);
}

static void wedge_alone_is_missed(void **state)
{
    PerpSample *s = perp_sample_create();
    add_wedge(s);
    PerpProblemResult result = solve(*state, s);
    assert_int_equal(result.outcome, PERP_OUTCOME_MISSED);
    assert_true(result.certificate.worst > 0.1 && result.gap.relaxed > accuracy);
    perp_sample_free(s);
}

// Beside the block the wedge is next to nothing, and a relaxed answer for the block would be one
// for all if the fastest were the measure. Each row is judged by its own speed: nobody may call
// this relaxed, and the block is not lifted.
static void wedge_does_not_relax_the_block(void **state)
{
    PerpSample *s = perp_sample_create();
    add_wedge(s);
    add_block(s);
    PerpProblemResult result = solve(*state, s);
    assert_int_equal(result.outcome, PERP_OUTCOME_MISSED);
    assert_true(result.certificate.worst > 0.1 && result.gap.relaxed > accuracy);
    assert_motion(result.v + 3, 1.5, 0);
    perp_sample_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(block_alone_is_solved),
        cmocka_unit_test(wedge_alone_is_missed),
        cmocka_unit_test(wedge_does_not_relax_the_block),
    };
    return cmocka_run_group_tests(tests, create_solver, destroy_solver);
}
