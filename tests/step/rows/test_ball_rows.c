// The rows of ball joints that are written where they belong, against the joint's own equations,
// and rows that are lent, against rows of an assembly's own.

#include "../stepping.h"

#include "step/rows/ball_rows.h"
#include "step/scheme_tools.h"

#include <string.h>

enum { NONE, FIXED, FIRST, SECOND, PLANAR }; // bodies; the world is -1
enum { TO_WORLD, TO_FIXED, BETWEEN, TO_PLANAR, JOINTS };

static void build(PerpWorld *w)
{
    const double moments[3] = {1, 2, 2.5};
    perp_world_init(w);
    for (int k = NONE; k <= PLANAR; k++) {
        int body = perp_world_solid(w, 1 + k, moments, k, 0.3 * k, -k);
        perp_world_turn(w, body, 0.1 * k, 0.5, -0.2);
    }
    w->bodies[FIXED].freedom = 0;
    w->bodies[PLANAR].freedom = PERP_FREE_PLANAR_XY;
    perp_world_turn(w, PLANAR, 0, 0, 0.3);
    perp_world_joint(w, PERP_JOINT_BALL, -1, FIRST, 2, 0.1, -1.5);
    perp_world_joint(w, PERP_JOINT_BALL, SECOND, FIXED, 1.5, 0.3, -1);
    perp_world_joint(w, PERP_JOINT_BALL, FIRST, SECOND, 2.5, 0.7, -2);
    perp_world_joint(w, PERP_JOINT_BALL, SECOND, PLANAR, 3.5, 1, -3.5);
    start(w);
}

static PerpAssembly assemble(PerpSimulation *sim, bool transient)
{
    PerpAssembly rows;
    PerpRowChoice choice = {.reach = -INFINITY, .transient = transient};
    assert_int_equal(sim->system->assemble(sim, sim->state.q, &choice, &rows, NULL), PERP_OK);
    return rows;
}

// The numbers of one body in a row, found by its block.
static const double *numbers_of(const PerpAssembly *a, int row, int body)
{
    const double *J = a->J + a->row_values[row];
    for (int e = a->row_start[row]; e < a->row_start[row + 1]; e++) {
        int block = a->entry_body[e];
        if (block == a->rigid->block_of[body])
            return J;
        J += a->problem.body_start[block + 1] - a->problem.body_start[block];
    }
    return NULL;
}

static void assert_part(const PerpAssembly *a, int row, int body, PerpVec3 linear, PerpVec3 angular)
{
    const double *J = body < 0 ? NULL : numbers_of(a, row, body);
    const double expected[6] = {linear.x, linear.y, linear.z, angular.x, angular.y, angular.z};
    if (body < 0 || a->rigid->block_of[body] < 0) {
        assert_null(J);
        return;
    }
    assert_non_null(J);
    for (int i = 0; i < 6; i++)
        assert_near(J[i], expected[i], 1e-14);
}

static void test_rows(void **state)
{
    (void)state;
    PerpWorld w;
    build(&w);
    PerpSimulation *sim = w.simulation;
    PerpPose *pose = (PerpPose *)sim->state.q;
    const PerpPose world = {{0, 0, 0}, {1, 0, 0, 0}};
    pose[FIRST].position.x += 0.01; // joints are open a little
    PerpAssembly a = assemble(sim, false);
    for (int row = 0; row < 9; row++) {
        const PerpJoint *j = &sim->bodies.model->joints[row / 3];
        PerpJointPlace place = {j->body_a < 0 ? world : pose[j->body_a], pose[j->body_b]};
        PerpJointRow expected[3];
        double theta[3];
        perp_joint_table(PERP_JOINT_BALL)->equation(j, place, theta, expected);
        PerpJointRow *e = &expected[row % 3];
        assert_int_equal(a.row_joint[row], row / 3);
        assert_near(a.theta[row], theta[row % 3], 1e-15);
        assert_part(&a, row, j->body_a, e->a_linear, e->a_angular);
        assert_part(&a, row, j->body_b, e->b_linear, e->b_angular);
    }
    assert_false(perp_ball_rows_add(&a, pose, TO_PLANAR)); // held in some directions
    perp_world_end(&w);
}

// The same numbers, whoever owns the arrays, also after the state has moved and rows were lent.
static void test_lent_rows(void **state)
{
    (void)state;
    PerpWorld w;
    build(&w);
    PerpSimulation *sim = w.simulation;
    for (int look = 0; look < 2; look++) {
        PerpAssembly lent = assemble(sim, true), own = assemble(sim, false);
        size_t values = (size_t)own.values, rows = (size_t)own.rows;
        assert_ptr_equal(lent.J, sim->bodies.joint_rows.J);
        assert_ptr_not_equal(own.J, sim->bodies.joint_rows.J);
        assert_int_equal(lent.rows, own.rows);
        assert_memory_equal(lent.J, own.J, values * sizeof(double));
        assert_memory_equal(lent.theta, own.theta, rows * sizeof(double));
        assert_memory_equal(lent.row_start, own.row_start, (rows + 1) * sizeof(int));
        assert_memory_equal(lent.row_values, own.row_values, (rows + 1) * sizeof(int));
        ((PerpPose *)sim->state.q)[FIRST].position.y += 0.1;
        PerpAssembly moved = assemble(sim, true);
        assert_memory_not_equal(moved.theta, own.theta, rows * sizeof(double));
    }
    perp_world_end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_lent_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
