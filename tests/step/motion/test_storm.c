// Bounces in scenes of many bodies, where they are made together.

#include "../stepping.h"

#include <string.h>

static const double E = 0.3, RADIUS = 0.05;

enum { PAIRS = 30 };

// Equal balls that approach at 1 m/s along x, pair by pair farther apart, so that all but the last
// pair close within the step, each at another moment.
static void place_pairs(PerpWorld *w, double h)
{
    perp_world_init(w);
    choose(w, DEFAULT_SCHEME, h);
    perp_world_set(w->def.gravity, 0, 0, 0);
    w->materials[0].restitution = E;
    for (int k = 0; k < PAIRS; k++) {
        double gap = k < PAIRS - 1 ? h * (k + 0.5) / PAIRS : 1.2 * h;
        perp_world_sphere(w, 1, RADIUS, 0, k, 0);
        int other = perp_world_sphere(w, 1, RADIUS, 2 * RADIUS + gap, k, 0);
        perp_world_set(w->bodies[other].velocity, -1, 0, 0);
    }
}

static double approach(const PerpWorld *w, int pair)
{
    return velocity(w, 2 * pair).x - velocity(w, 2 * pair + 1).x;
}

// They all bounce, and the pair that is not there yet is not stopped. One problem each for the two
// phases and for the rest of the step.
static void test_pairs(void **state)
{
    (void)state;
    PerpWorld w;
    place_pairs(&w, 1e-2);
    start(&w);
    step(&w, 0);
    for (int k = 0; k < PAIRS - 1; k++)
        assert_near(approach(&w, k), -E, 1e-12);
    assert_true(approach(&w, PAIRS - 1) == 1);
    assert_in_range(perp_simulation_report(w.simulation)->problems, 2 * PAIRS - 2, 3 * PAIRS);
    step(&w, 0);
    assert_near(approach(&w, PAIRS - 1), -E, 1e-12);
    perp_world_end(&w);
}

// One that is thrown by a bounce at another bounces from it in the same step: v_(k+1) =
// (1 + e)/2 v_k down a row, as often as there are rounds.
static void test_row(void **state)
{
    (void)state;
    PerpWorld w;
    perp_world_init(&w);
    choose(&w, DEFAULT_SCHEME, 1e-2);
    perp_world_set(w.def.gravity, 0, 0, 0);
    w.materials[0].restitution = E;
    for (int k = 0; k < 60; k++) // those from the fourth on are far away
        perp_world_sphere(&w, 1, RADIUS, k < 4 ? k * (2 * RADIUS + 1e-5) : 10 + k, 0, 0);
    w.bodies[0].velocity[0] = 1;
    start(&w);
    step(&w, 0);
    assert_near(velocity(&w, 3).x, pow((1 + E) / 2, 3), 1e-12);
    perp_world_end(&w);
}

// Balls that lie on the ground stay there while one falls far from them, which comes to rest.
static void test_those_at_rest(void **state)
{
    (void)state;
    PerpWorld w;
    perp_world_init(&w);
    choose(&w, DEFAULT_SCHEME, 1e-2);
    w.materials[0].restitution = E;
    perp_world_plane(&w, 0, 0, 1);
    for (int k = 0; k < 60; k++)
        perp_world_sphere(&w, 1, RADIUS, k, 0, RADIUS);
    int falling = perp_world_sphere(&w, 1, RADIUS, -2, 0, RADIUS + 1e-2);
    w.bodies[falling].velocity[2] = -2;
    start(&w);
    step(&w, 0);
    assert_near(velocity(&w, falling).z, 2 * E - 1e-2 * G, 1e-12);
    for (int k = 0; k < 60; k++)
        assert_below(perp_vec3_norm(velocity(&w, k)), 0);
    assert_in_range(perp_simulation_report(w.simulation)->problems, 62, 63);
    run(&w, 100);
    assert_below(perp_vec3_norm(velocity(&w, falling)), 0);
    assert_near(position(&w, falling).z, RADIUS, 1e-9);
    assert_int_equal(perp_simulation_report(w.simulation)->impacts, 0);
    perp_world_end(&w);
}

enum { SIDE = 4, LAYERS = 3 };

// In a box without lid, pushed off the lattice by sines.
static void place_pile(PerpWorld *w)
{
    const double wide = SIDE * 0.12 / 2 + 0.01;
    perp_world_init(w);
    choose(w, DEFAULT_SCHEME, 1.0 / 240);
    w->materials[0].restitution = E;
    w->materials[0].mu = 0.5;
    perp_world_plane(w, 0, 0, 1);
    for (int k = 0; k < 4; k++) {
        double x = (k == 0) - (k == 1), y = (k == 2) - (k == 3);
        int wall = perp_world_plane(w, x, y, 0);
        perp_world_set(w->shapes[wall].position, -wide * x, -wide * y, 0);
    }
    for (int k = 0; k < SIDE * SIDE * LAYERS; k++) {
        double x = (k % SIDE - 1.5) * 0.12, y = (k / SIDE % SIDE - 1.5) * 0.12;
        perp_world_sphere(w, 1, RADIUS, x + 0.009 * sin(7 * k), y + 0.009 * sin(5 + 3 * k),
                          0.06 + 0.11 * (k / (SIDE * SIDE)));
    }
}

// Energy only falls, no one overlaps, and a step has four impacts at the most, whatever it sees.
static void test_pile(void **state)
{
    (void)state;
    PerpWorld w;
    place_pile(&w);
    start(&w);
    const PerpStepReport *report = perp_simulation_report(w.simulation);
    const PerpBound *bound = &report->bound[PERP_BOUND_AP97_IMPACT];
    double begin = energy_of(&w), last = begin, problems = 0;
    int impacts = 0, bounded = 0, steps = 72;
    for (int k = 0; k < steps; k++) {
        step(&w, 0);
        problems += report->problems;
        impacts += report->impacts;
        assert_in_range(report->impacts, 0, 4);
        bool differ = strstr(report->warning, "law of impact"); // as in any pile, said once
        assert_int_equal(report->warnings, differ); // none of energy that an impact adds
        bounded += bound->applies;
        assert_true(!bound->applies || bound->margin > -1e-9);
        assert_below(report->penetration, 1e-9);
        assert_below(report->energy.balance, 1e-3);
        assert_below(energy_of(&w), last + 1e-4 * begin);
        last = energy_of(&w);
    }
    assert_true(impacts > steps);
    assert_true(bounded > steps / 4);
    assert_below(last, 0.9 * begin);
    assert_below(problems, SIDE * SIDE * LAYERS * steps);
    perp_world_end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pairs),
        cmocka_unit_test(test_row),
        cmocka_unit_test(test_those_at_rest),
        cmocka_unit_test(test_pile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
