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

// The body before it is its ground.
static void touch_below(PerpSample *s, int body, double mu)
{
    static const double normal[6] = {0, 0, -1, 0, 0, 1};
    static const double tangent[2][6] = {{-1, 0, 0, 1, 0, 0}, {0, -1, 0, 0, 1, 0}};
    const int bodies[2] = {body - 1, body};
    int contact = perp_sample_add_contact(s, (PerpSampleRow){2, bodies, normal, 0});
    perp_sample_add_circular_group(s, contact, mu, 0);
    for (int k = 0; k < 2; k++)
        perp_sample_add_direction(s, (PerpSampleRow){2, bodies, tangent[k], 0});
}

// A self-locking wedge: it slides on a rail of slope 1/2, z = x/2, and the ground below it rises at
// 1 m/s with friction 1. u_n = x/2 - 1 >= 0 needs x >= 2; but friction on what slides along +x
// takes more along the rail than the normal impulse gives,
//     (1 + 1/4) x = (1/2 - 1) c_n <= 0,
// so that no impulse solves the exact law. (With slip s held x/2 - 1 + s >= |x|, which has one from
// s = 1 on.)
static void add_wedge(PerpSample *s)
{
    static const double Mt[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, b[3] = {0, 0, 0};
    static const double rail[3] = {-0.5, 0, 1};
    int body = perp_sample_add_body(s, 3, Mt, b);
    perp_sample_add_joint(s, (PerpSampleRow){1, &body, rail, 0});
    touch_ground(s, body, 1, -1);
}

// A block of mass 2 that slides on the ground with friction 0.5. Exact: c = (4, -2, 0),
// v = (1.5, 0, 0), `fast` times.
static void add_block(PerpSample *s)
{
    static const double Mt[9] = {2, 0, 0, 0, 2, 0, 0, 0, 2};
    const double b[3] = {5 * fast, 0, -4 * fast};
    int body = perp_sample_add_body(s, 3, Mt, b);
    touch_ground(s, body, 0.5, 0);
}

static PerpProblemResult solve(PerpSolver *solver, PerpSample *s, double held_tolerance)
{
    PerpProblem p = perp_sample_problem(s);
    PerpProblemSettings settings = perp_default_problem_settings();
    PerpProblemResult result;
    PerpCertificate certificate;
    PerpHeld held;
    settings.tolerance = accuracy;
    settings.held_tolerance = held_tolerance;
    assert_int_equal(perp_problem_solve(solver, &p, &settings, &result, NULL), PERP_OK);
    assert_int_equal(perp_certify(NULL, &p, result.v, result.c, result.lambda, &certificate, NULL),
                     PERP_OK);
    assert_true(certificate.worst == result.certificate.worst);
    assert_int_equal(result.slip_held != NULL, result.outcome == PERP_OUTCOME_HELD);
    if (result.slip_held) {
        assert_int_equal(
            perp_certify_held(NULL, &p, result.v, result.c, result.slip_held, &held, NULL),
            PERP_OK);
        assert_true(held.residual <= held_tolerance && held.residual == result.held.residual);
        assert_true(held.gap_speed == result.held.gap_speed);
    }
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
    PerpProblemResult result = solve(*state, s, 0);
    assert_int_equal(result.outcome, PERP_OUTCOME_SOLVED);
    assert_true(result.certificate.worst <= accuracy);
    assert_motion(result.v, 1.5, 0);
    perp_sample_free(s);
}

static void wedge_alone_is_missed(void **state)
{
    PerpSample *s = perp_sample_create();
    add_wedge(s);
    PerpProblemResult result = solve(*state, s, 0);
    assert_int_equal(result.outcome, PERP_OUTCOME_MISSED);
    assert_true(result.certificate.worst > 0.1);
    perp_sample_free(s);
}

// Beside the block the wedge is next to nothing: each row is judged by its own speed, so that
// nobody may call this solved, and the block slides as if it were alone.
static void wedge_does_not_spoil_the_block(void **state)
{
    PerpSample *s = perp_sample_create();
    add_wedge(s);
    add_block(s);
    PerpProblemResult result = solve(*state, s, 0);
    assert_int_equal(result.outcome, PERP_OUTCOME_MISSED);
    assert_true(result.certificate.worst > 0.1);
    assert_motion(result.v + 3, 1.5, 0);
    perp_sample_free(s);
}

// What the exact law has no answer to may have one with slip held; it is never called solved.
static void wedge_may_be_held(void **state)
{
    PerpSample *s = perp_sample_create();
    add_wedge(s);
    PerpProblemResult result = solve(*state, s, accuracy);
    assert_true(result.outcome == PERP_OUTCOME_HELD || result.outcome == PERP_OUTCOME_MISSED);
    assert_true(result.certificate.worst > 0.1);
    perp_sample_free(s);
}

// Many blocks, one upon the other, that slide on each other: held where Newton's method is left
// out, by gradients and by interior points, and near the exact answer.
static void stacks_are_held(void **state)
{
    enum { BLOCKS = 80 };
    static const double Mt[9] = {2, 0, 0, 0, 2, 0, 0, 0, 2}, tolerances[] = {1e-3, 1e-8};
    for (int k = 0; k < 2; k++) {
        PerpSample *s = perp_sample_create();
        for (int i = 0; i < BLOCKS; i++) {
            const double b[3] = {5 + 0.1 * (i % 7), 0.3 * (i % 3), -4};
            int body = perp_sample_add_body(s, 3, Mt, b);
            if (i == 0)
                touch_ground(s, body, 0.5, 0);
            else
                touch_below(s, body, 0.5);
        }
        PerpProblem p = perp_sample_problem(s);
        PerpProblemSettings settings = perp_default_problem_settings();
        PerpProblemResult result;
        settings.methods =
            PERP_METHOD_BIT(PERP_METHOD_APGD) | PERP_METHOD_BIT(PERP_METHOD_SLIP_HELD);
        settings.tolerance = 1e-12;
        settings.held_tolerance = tolerances[k];
        assert_int_equal(perp_problem_solve(*state, &p, &settings, &result, NULL), PERP_OK);
        assert_int_equal(result.outcome, PERP_OUTCOME_HELD);
        assert_int_equal(result.solved_by, PERP_METHOD_SLIP_HELD);
        assert_true(result.held.residual <= tolerances[k]);
        assert_true(result.held.gap_speed > 0 && result.held.gap_speed < 0.5);
        perp_sample_free(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(block_alone_is_solved),
        cmocka_unit_test(wedge_alone_is_missed),
        cmocka_unit_test(wedge_does_not_spoil_the_block),
        cmocka_unit_test(wedge_may_be_held),
        cmocka_unit_test(stacks_are_held),
    };
    return cmocka_run_group_tests(tests, create_solver, destroy_solver);
}
