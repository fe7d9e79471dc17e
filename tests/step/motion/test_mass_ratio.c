// Heavy boxes on light ones stand as others do.

#include "stacks.h"

enum { MASS_KINDS = 3 };

// masses from 1 to 10^4 upwards, downwards, and one heavy box on top
static void place_masses(PerpWorld *w, int scheme, int kind)
{
    place_stack(w, scheme, 10);
    for (int k = 0; k < 10; k++) {
        double up = pow(10, 4 * k / 9.0), down = pow(10, 4 - 4 * k / 9.0);
        double mass = kind == 0 ? up : kind == 1 ? down : k == 9 ? 1e4 : 1;
        w->bodies[k].mass = mass;
        for (int i = 0; i < 3; i++)
            w->bodies[k].inertia[i] *= mass;
    }
}

static void test_mass_ratio(void **state)
{
    (void)state;
    for (int scheme = 0; scheme < SCHEME_COUNT; scheme++)
        for (int kind = 0; kind < MASS_KINDS; kind++) {
            PerpWorld w;
            place_masses(&w, scheme, kind);
            w.settings.tolerance = SHARP;
            assert_stands(&w, 70, creep_of(scheme));
        }
}

// With the default tolerance the first steps may leave speeds of its order, then all stands still.
static void test_mass_ratio_settles(void **state)
{
    (void)state;
    for (int kind = 0; kind < MASS_KINDS; kind++) {
        PerpWorld w;
        place_masses(&w, DEFAULT_SCHEME, kind);
        start(&w);
        run(&w, 100);
        for (int k = 0; k < 200; k++) {
            step(&w, 0);
            for (int b = 0; b < w.def.n_bodies; b++) {
                assert_true(perp_vec3_norm(velocity(&w, b)) + perp_vec3_norm(spin_of(&w, b)) == 0);
                assert_below(distance(position(&w, b), perp_vec3_load(w.bodies[b].position)), 1e-9);
            }
        }
        perp_world_end(&w);
    }
}

// Boxes, each ten times heavier than the one below, where no more than a digit is asked for.
static void run_loosely(PerpWorld *w, int boxes, int rate, int steps)
{
    place_stack(w, DEFAULT_SCHEME, boxes);
    for (int k = 0; k < boxes; k++) {
        w->bodies[k].mass = pow(10, k);
        for (int i = 0; i < 3; i++)
            w->bodies[k].inertia[i] *= w->bodies[k].mass;
    }
    w->settings.step = 1.0 / rate;
    w->settings.tolerance = 1e-1;
    start(w);
    run(w, steps);
}

// Eight of them stand for three seconds.
static void test_mass_ratio_at_loose_tolerance(void **state)
{
    (void)state;
    for (int rate = 120; rate <= 240; rate *= 2) {
        PerpWorld w;
        run_loosely(&w, 8, rate, 3 * rate);
        for (int b = 0; b < w.def.n_bodies; b++)
            assert_below(distance(position(&w, b), perp_vec3_load(w.bodies[b].position)), 1e-2);
        perp_world_end(&w);
    }
}

// Seven come to rest, without any speed, although no step asks for that.
static void test_mass_ratio_rests_at_loose_tolerance(void **state)
{
    (void)state;
    for (int rate = 60; rate <= 480; rate *= 2) {
        PerpWorld w;
        run_loosely(&w, 7, rate, 60);
        for (int b = 0; b < w.def.n_bodies; b++)
            assert_true(perp_vec3_norm(velocity(&w, b)) == 0);
        perp_world_end(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mass_ratio),
        cmocka_unit_test(test_mass_ratio_settles),
        cmocka_unit_test(test_mass_ratio_at_loose_tolerance),
        cmocka_unit_test(test_mass_ratio_rests_at_loose_tolerance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
