// Piles come to rest: while they move steps may be answered with slip held, then all are exact.
// With slip held to 1e-3 alone these two creep on.
#include "../stepping.h"

enum { SIDE = 4, LAYERS = 3, BALLS = SIDE * SIDE * LAYERS, STEPS = 500, LAST = 50 };
static const double RADIUS = 0.05, H = 5e-3;

// Balls fall into a box, from places that are not quite regular.
static void pour(PerpWorld *w, double phase)
{
    perp_world_init(w);
    choose(w, DEFAULT_SCHEME, H);
    perp_world_plane(w, 0, 0, 1);
    for (int k = 0; k < 4; k++) {
        double side = k % 2 ? 1 : -1;
        int wall = perp_world_plane(w, k < 2 ? -side : 0, k < 2 ? 0 : -side, 0);
        w->shapes[wall].position[k / 2] = side * SIDE * 0.0625;
    }
    for (int k = 0; k < BALLS; k++) {
        int i = k % SIDE, j = k / SIDE % SIDE, layer = k / (SIDE * SIDE);
        perp_world_sphere(w, 0.5, RADIUS, 0.12 * (i - 1.5) + 0.009 * sin(7 * k + phase),
                          0.12 * (j - 1.5) + 0.009 * cos(11 * k + phase), 0.06 + 0.11 * layer);
    }
}

// How many of the last steps are held.
static int held_at_last(double phase)
{
    int held = 0;
    PerpWorld w;
    pour(&w, phase);
    start(&w);
    for (int k = 0; k < STEPS; k++) {
        assert_int_equal(perp_world_step(&w, 0), PERP_OK);
        PerpOutcome outcome = perp_simulation_report(w.simulation)->outcome;
        assert_true(outcome == PERP_OUTCOME_SOLVED || outcome == PERP_OUTCOME_HELD);
        held += outcome == PERP_OUTCOME_HELD && k >= STEPS - LAST;
    }
    perp_world_end(&w);
    return held;
}

static void test_pile_is_exact_at_rest(void **state)
{
    (void)state;
    assert_int_equal(held_at_last(2), 0);
    assert_int_equal(held_at_last(3), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_pile_is_exact_at_rest)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
