// The check at the door: a sound problem passes, and each fault is named.
#include "perp/problem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

// Two bodies of two and one velocities; a joint between them, a box and a contact with two
// directions on the first. The arrays are copies, so that a test may spoil any of them.
typedef struct Parts {
    int body_start[3], row_start[6], entry_body[6], group_contact[1], group_start[2];
    double Mt[5], b[3], J[11], d[5], lo[1], hi[1], mu[1], cohesion[1];
    PerpProblem problem;
} Parts;

static void assemble(Parts *parts)
{
    *parts = (Parts){.body_start = {0, 2, 3},
                     .Mt = {1, 0, 0, 1, 2},
                     .b = {1, -1, 0.5},
                     .row_start = {0, 2, 3, 4, 5, 6},
                     .entry_body = {0, 1, 0, 0, 0, 0},
                     .J = {1, 0, -1, 0, 1, 0, 1, 1, 0, -1, 0},
                     .d = {0, 0.5, 0, 0, 0},
                     .lo = {-1},
                     .hi = {INFINITY},
                     .group_contact = {0},
                     .group_start = {0, 2},
                     .mu = {0.5},
                     .cohesion = {0}};
    parts->problem = (PerpProblem){.n_bodies = 2,
                                   .body_start = parts->body_start,
                                   .Mt = parts->Mt,
                                   .b = parts->b,
                                   .n_joints = 1,
                                   .n_boxes = 1,
                                   .n_contacts = 1,
                                   .n_directions = 2,
                                   .row_start = parts->row_start,
                                   .entry_body = parts->entry_body,
                                   .J = parts->J,
                                   .d = parts->d,
                                   .lo = parts->lo,
                                   .hi = parts->hi,
                                   .n_groups = 1,
                                   .group_contact = parts->group_contact,
                                   .group_start = parts->group_start,
                                   .mu = parts->mu,
                                   .cohesion = parts->cohesion};
}

// refused with this message, and then by everything that takes a problem
static void assert_refused(const Parts *parts, PerpStatus status, const char *message)
{
    PerpError error = {0};
    PerpSolver *solver;
    PerpProblemResult result;
    PerpLcp lcp;
    assert_int_equal(perp_problem_check(&parts->problem, &error), status);
    assert_int_equal(error.status, status);
    assert_string_equal(error.message, message);
    assert_int_equal(perp_solver_create(NULL, &solver), PERP_OK);
    assert_int_equal(perp_problem_solve(solver, &parts->problem, NULL, &result, NULL), status);
    assert_int_equal(perp_problem_reduce(solver, &parts->problem, &lcp, NULL), status);
    perp_solver_destroy(solver);
}

static void sound_problem_passes(void **state)
{
    (void)state;
    Parts parts;
    assemble(&parts);
    assert_int_equal(perp_problem_check(&parts.problem, NULL), PERP_OK);
    assert_int_equal(perp_problem_rows(&parts.problem), 5);
    assert_int_equal(perp_problem_velocities(&parts.problem), 3);
    assert_int_equal(perp_problem_velocities(&(PerpProblem){0}), 0);
}

static void bodies_without_rows_pass(void **state)
{
    (void)state;
    Parts parts;
    assemble(&parts);
    PerpProblem bare = {
        .n_bodies = 2, .body_start = parts.body_start, .Mt = parts.Mt, .b = parts.b};
    assert_int_equal(perp_problem_check(&bare, NULL), PERP_OK);
}

#define REFUSE(spoil, status, message)                                                             \
    do {                                                                                           \
        Parts parts;                                                                               \
        assemble(&parts);                                                                          \
        spoil;                                                                                     \
        assert_refused(&parts, status, message);                                                   \
    } while (0)

static void faults_of_bodies_are_named(void **state)
{
    (void)state;
    REFUSE(parts.problem.n_bodies = 0, PERP_BAD_SIZE, "a problem has at least one body");
    REFUSE(parts.problem.n_bodies = -1, PERP_BAD_SIZE, "a problem has at least one body");
    REFUSE(parts.body_start[0] = 1, PERP_BAD_SIZE, "body_start[0] is not 0");
    REFUSE(parts.body_start[2] = 2, PERP_BAD_SIZE, "body 1 has 1 to 8192 velocities, not 0");
    REFUSE(parts.body_start[2] = 9000, PERP_BAD_SIZE, "body 1 has 1 to 8192 velocities, not 8998");
    REFUSE(parts.Mt[4] = NAN, PERP_BAD_VALUE, "Mt of body 1 has a number that is not finite");
    REFUSE(parts.Mt[0] = INFINITY, PERP_BAD_VALUE, "Mt of body 0 has a number that is not finite");
    REFUSE(parts.b[2] = -INFINITY, PERP_BAD_VALUE, "b[2] is not a finite number");
}

static void faults_of_rows_are_named(void **state)
{
    (void)state;
    REFUSE(parts.problem.n_joints = -1, PERP_BAD_SIZE, "a number of rows is negative");
    REFUSE(parts.problem.n_boxes = -1, PERP_BAD_SIZE, "a number of rows is negative");
    REFUSE(parts.problem.n_contacts = -1, PERP_BAD_SIZE, "a number of rows is negative");
    REFUSE(parts.problem.n_directions = -1, PERP_BAD_SIZE, "a number of rows is negative");
    REFUSE(parts.row_start[0] = 1, PERP_BAD_SIZE, "row_start[0] is not 0");
    REFUSE(parts.row_start[2] = 1, PERP_BAD_SIZE, "row_start falls at row 1");
    REFUSE(parts.entry_body[1] = 2, PERP_BAD_SIZE, "row 0 acts on body 2, not in 0 .. 1");
    REFUSE(parts.entry_body[3] = -1, PERP_BAD_SIZE, "row 2 acts on body -1, not in 0 .. 1");
    REFUSE(parts.entry_body[1] = 0, PERP_BAD_SIZE, "row 0 names body 0 twice");
    REFUSE(parts.J[10] = NAN, PERP_BAD_VALUE, "J of row 4 has a number that is not finite");
    REFUSE(parts.d[3] = INFINITY, PERP_BAD_VALUE, "d[3] is not a finite number");
}

static void faults_of_boxes_are_named(void **state)
{
    (void)state;
    REFUSE(parts.hi[0] = -2, PERP_BAD_VALUE, "box 0 has lo -1 and hi -2: lo <= hi expected");
    REFUSE(parts.lo[0] = INFINITY, PERP_BAD_VALUE,
           "box 0 has lo inf and hi inf: lo <= hi expected");
    REFUSE(parts.lo[0] = parts.hi[0] = -INFINITY, PERP_BAD_VALUE,
           "box 0 has lo -inf and hi -inf: lo <= hi expected");
    Parts parts;
    assemble(&parts);
    parts.lo[0] = NAN;
    assert_int_equal(perp_problem_check(&parts.problem, NULL), PERP_BAD_VALUE);
}

static void faults_of_groups_are_named(void **state)
{
    (void)state;
    REFUSE(parts.problem.n_groups = -1, PERP_BAD_SIZE, "the number of friction groups is negative");
    REFUSE(parts.group_start[0] = 1, PERP_BAD_SIZE, "group_start[0] is not 0");
    REFUSE(parts.group_contact[0] = 1, PERP_BAD_SIZE,
           "friction group 0 is of contact 1, not in 0 .. 0");
    REFUSE(parts.group_contact[0] = -1, PERP_BAD_SIZE,
           "friction group 0 is of contact -1, not in 0 .. 0");
    REFUSE(parts.group_start[1] = 0, PERP_BAD_SIZE, "friction group 0 has no directions");
    REFUSE(parts.mu[0] = -0.5, PERP_BAD_VALUE, "mu of friction group 0 is -0.5, not >= 0");
    REFUSE(parts.mu[0] = INFINITY, PERP_BAD_VALUE, "mu of friction group 0 is inf, not >= 0");
    REFUSE(parts.cohesion[0] = -1, PERP_BAD_VALUE, "cohesion of friction group 0 is -1, not >= 0");
    REFUSE(parts.cohesion[0] = INFINITY, PERP_BAD_VALUE,
           "cohesion of friction group 0 is inf, not >= 0");
    REFUSE(parts.group_start[1] = 1, PERP_BAD_SIZE, "the friction groups have 1 directions, not 2");
    REFUSE(parts.problem.n_groups = 0, PERP_BAD_SIZE,
           "the friction groups have 0 directions, not 2");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sound_problem_passes),       cmocka_unit_test(bodies_without_rows_pass),
        cmocka_unit_test(faults_of_bodies_are_named), cmocka_unit_test(faults_of_rows_are_named),
        cmocka_unit_test(faults_of_boxes_are_named),  cmocka_unit_test(faults_of_groups_are_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
