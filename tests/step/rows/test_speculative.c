// Speculative contacts: bodies that move together have none, what is thrown at others has all
// that it hits.

#include "../stepping.h"

// Balls in a row along x, `gap` apart, without gravity.
static void place_row(PerpWorld *w, int count, double gap)
{
    perp_world_init(w);
    choose(w, DEFAULT_SCHEME, 1e-2);
    perp_world_set(w->def.gravity, 0, 0, 0);
    for (int k = 0; k < count; k++)
        perp_world_sphere(w, 1, 0.05, k * (0.1 + gap), 0, 0);
}

// A body far away that hangs on a joint.
static void add_pendulum(PerpWorld *w)
{
    int ball = perp_world_sphere(w, 1, 0.05, 0, 200, 0);
    perp_world_joint(w, PERP_JOINT_BALL, -1, ball, 0, 200, 1);
}

static void test_side_by_side(void **state)
{
    (void)state;
    PerpWorld w;
    place_row(&w, 5, 0.06);
    for (int k = 0; k < 5; k++)
        perp_world_set(w.bodies[k].velocity, 0, 0, -20);
    start(&w);
    for (int k = 0; k < 5; k++) {
        run(&w, 1);
        assert_int_equal(perp_simulation_contact_count(w.simulation), 0);
    }
    perp_world_end(&w);
}

// A fast one does not make contacts of others that are far from it.
static void test_far_from_the_fastest(void **state)
{
    (void)state;
    PerpWorld w;
    place_row(&w, 4, 0.02);
    perp_world_set(w.bodies[perp_world_sphere(&w, 1, 0.05, 0, 100, 0)].velocity, 0, 50, 0);
    start(&w);
    run(&w, 1);
    assert_int_equal(perp_simulation_contact_count(w.simulation), 0);
    perp_world_end(&w);
}

// Two that lie on the ground have a contact with each other if they are as close as they would fall
// in a step or two, and none if they are farther apart.
static void test_at_rest(void **state)
{
    (void)state;
    for (int far = 0; far < 2; far++) {
        PerpWorld w;
        double fall = G * 1e-2 * 1e-2;
        place_row(&w, 2, far ? 3 * fall : fall);
        perp_world_set(w.def.gravity, 0, 0, -G);
        w.shapes[perp_world_plane(&w, 0, 0, 1)].position[2] = -0.05;
        start(&w);
        run(&w, 2);
        assert_int_equal(perp_simulation_report(w.simulation)->contacts, far ? 2 : 3);
        perp_world_end(&w);
    }
}

// The first is fast and heavy. Within a step it reaches all the others, which rest, and pushes each
// against the next, whatever stands between them.
static void test_thrown_at_the_next(void **state)
{
    (void)state;
    for (int count = 2; count <= 9; count++) {
        PerpWorld w;
        place_row(&w, count, 1e-3);
        w.bodies[0].mass = 1e6;
        perp_world_set(w.bodies[0].velocity, 20, 0, 0);
        start(&w);
        run(&w, 1);
        assert_below(perp_simulation_report(w.simulation)->penetration, 1e-12);
        for (int k = 1; k < count; k++) {
            assert_true(velocity(&w, k).x > 10);
            assert_true(position(&w, k).x - position(&w, k - 1).x >= 0.1 - 1e-12);
        }
        perp_world_end(&w);
    }
}

// The same beside a joint, where contacts that part have no row at first: every second ball moves
// away from the next, until it is thrown at it.
static void test_thrown_at_what_it_leaves(void **state)
{
    (void)state;
    for (int count = 3; count <= 9; count++) {
        PerpWorld w;
        place_row(&w, count, 1e-3);
        w.bodies[0].mass = 1e6;
        perp_world_set(w.bodies[0].velocity, 10, 0, 0);
        for (int k = 1; k < count; k += 2)
            perp_world_set(w.bodies[k].velocity, -1, 0, 0);
        add_pendulum(&w);
        start(&w);
        run(&w, 1);
        assert_below(perp_simulation_report(w.simulation)->penetration, 1e-12);
        for (int k = 1; k < count; k++) {
            assert_true(velocity(&w, k).x > 5);
            assert_true(position(&w, k).x - position(&w, k - 1).x >= 0.1 - 1e-12);
        }
        perp_world_end(&w);
    }
}

// What parts faster than anything expected could turn has no row beside joints; what nears has one.
static void test_parting_beside_a_joint(void **state)
{
    (void)state;
    for (int nears = 0; nears < 2; nears++) {
        PerpWorld w;
        place_row(&w, 2, 1e-3);
        perp_world_set(w.bodies[1].velocity, nears ? -1 : 1, 0, 0);
        add_pendulum(&w);
        start(&w);
        run(&w, 1);
        assert_int_equal(perp_simulation_report(w.simulation)->contacts, nears);
        perp_world_end(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_side_by_side),
        cmocka_unit_test(test_far_from_the_fastest),
        cmocka_unit_test(test_at_rest),
        cmocka_unit_test(test_thrown_at_the_next),
        cmocka_unit_test(test_thrown_at_what_it_leaves),
        cmocka_unit_test(test_parting_beside_a_joint),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
