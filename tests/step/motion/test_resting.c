// Things that stand: stacks, walls, tables. Rest is exact, and nothing creeps.

#include "stacks.h"

static void test_stack(void **state)
{
    (void)state;
    for (int scheme = 0; scheme < SCHEME_COUNT; scheme++) {
        PerpWorld w;
        place_stack(&w, scheme, 10);
        assert_stands(&w, 300, creep_of(scheme));
    }
}

static void test_stack_at_small_steps(void **state)
{
    (void)state;
    PerpWorld w;
    place_stack(&w, DEFAULT_SCHEME, 10);
    w.settings.step = 1e-3;
    assert_stands(&w, 300, 0);
}

// Bricks in courses, each half a brick off the one below.
static void place_wall(PerpWorld *w, int scheme, int courses, int bricks)
{
    static const double BRICK[3] = {0.125, 0.0625, 0.03125}; // exact in binary
    perp_world_init(w);
    choose(w, scheme, 1e-2);
    perp_world_plane(w, 0, 0, 1);
    for (int row = 0; row < courses; row++)
        for (int k = 0; k < bricks; k++)
            perp_world_box(w, 2, BRICK, 0.25 * k + 0.125 * (row % 2), 0, BRICK[2] * (2 * row + 1));
}

static void test_wall_stands(void **state)
{
    (void)state;
    PerpWorld w;
    place_wall(&w, DEFAULT_SCHEME, 4, 4);
    assert_stands(&w, 200, 0);
    place_wall(&w, ANITESCU_POTRA, 3, 3);
    assert_stands(&w, 100, 1e-10);
}

// A board on four legs: one body, sixteen contact points.
static int place_table(PerpWorld *w, int scheme)
{
    static const double BOARD[3] = {0.5, 0.25, 0.03125}, LEG[3] = {0.03125, 0.03125, 0.375};
    perp_world_init(w);
    choose(w, scheme, 1e-2);
    perp_world_plane(w, 0, 0, 1);
    int table = perp_world_box(w, 8, BOARD, 0, 0, 0.75 + BOARD[2]);
    for (int k = 0; k < 4; k++) {
        PerpShapeDef *leg = &w->shapes[perp_world_shape(w, PERP_SHAPE_BOX, table)];
        perp_world_set(leg->size, LEG[0], LEG[1], LEG[2]);
        perp_world_set(leg->position, k % 2 ? 0.4375 : -0.4375, k / 2 ? 0.1875 : -0.1875,
                       -BOARD[2] - LEG[2]);
    }
    return table;
}

// pushed by less than friction holds it stands; by more, it slides with (F - mu m g)/m
static void test_table(void **state)
{
    (void)state;
    for (int scheme = 0; scheme < SCHEME_COUNT; scheme++)
        for (int slides = 0; slides < 2; slides++) {
            PerpWorld w;
            int table = place_table(&w, scheme);
            w.settings.tolerance = SHARP;
            double hold = 0.2 * 8 * G;
            w.materials[0].mu = 0.2;
            w.forces[perp_world_force(&w, table)].force[0] = (slides ? 1.5 : 0.99) * hold;
            start(&w);
            run(&w, 100);
            double expected = slides ? 0.5 * hold / 8 : 0, up = 0;
            assert_near(velocity(&w, table).x, expected, 1e-11);
            for (int k = 0; k < perp_simulation_contact_count(w.simulation); k++) {
                PerpContactReport c = perp_simulation_contact(w.simulation, k);
                up += (c.body_a == table ? 1 : -1) * c.impulse[2];
            }
            assert_near(up, 8 * G * 1e-2, 1e-11);
            perp_world_end(&w);
        }
}

// Dropped with a little room, a stack comes to rest and then stays to the bit.
static void test_stack_comes_to_rest(void **state)
{
    (void)state;
    PerpWorld w;
    place_stack(&w, DEFAULT_SCHEME, 5);
    for (int k = 0; k < 5; k++)
        w.bodies[k].position[2] += 0.01 * (k + 1);
    start(&w);
    run(&w, 100);
    PerpVec3 at = position(&w, 4);
    assert_near(at.z, 4.5, 1e-8);
    assert_below(perp_vec3_norm(velocity(&w, 4)), 0);
    run(&w, 200);
    assert_below(distance(position(&w, 4), at), 0);
    perp_world_end(&w);
}

// At the edge: a box whose centre is over the edge of the one below tips, inside it stands.
static void test_overhang(void **state)
{
    (void)state;
    for (int scheme = 0; scheme < SCHEME_COUNT; scheme++)
        for (int tips = 0; tips < 2; tips++) {
            PerpWorld w;
            place_stack(&w, scheme, 2);
            w.bodies[1].position[0] = tips ? 0.51 : 0.49;
            start(&w);
            run(&w, 100);
            double turn = fabs(spin_of(&w, 1).y);
            assert_true(tips ? turn > 0.05 : turn <= 1e-11);
            perp_world_end(&w);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stack),
        cmocka_unit_test(test_stack_at_small_steps),
        cmocka_unit_test(test_wall_stands),
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_stack_comes_to_rest),
        cmocka_unit_test(test_overhang),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
