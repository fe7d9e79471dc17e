// AP97's scheme: the bounds of its theorems, the list of contacts, rattling, stabilisation.

#include "../stepping.h"
#include "random.h"

#include <string.h>

// --- bounds -------------------------------------------------------------------------------------

// Boxes thrown onto the ground.
static void place_boxes(PerpWorld *w, double restitution)
{
    static const double half[3] = {0.3, 0.2, 0.1};
    PerpRandom r = perp_random(2);
    perp_world_init(w);
    choose(w, ANITESCU_POTRA, 2e-3);
    perp_world_plane(w, 0, 0, 1);
    w->materials[0].restitution = restitution;
    for (int k = 0; k < 3; k++) {
        int box = perp_world_box(w, 1, half, k, 0, 0.5);
        perp_world_turn(w, box, perp_random_normal(&r), perp_random_normal(&r), 0.3);
        w->bodies[box].velocity[0] = 1;
        w->bodies[box].spin[1] = 3;
    }
}

// The least margins over a run, and how often each applied.
typedef struct Seen {
    int steps, impacts, warnings;
    double step_margin, impact_margin;
} Seen;

static Seen watch(PerpWorld *w, int steps)
{
    Seen seen = {.step_margin = INFINITY, .impact_margin = INFINITY};
    start(w);
    for (int k = 0; k < steps; k++) {
        step(w, 0);
        const PerpStepReport *report = perp_simulation_report(w->simulation);
        const PerpBound *of_step = &report->bound[PERP_BOUND_AP97_STEP];
        const PerpBound *of_impact = &report->bound[PERP_BOUND_AP97_IMPACT];
        seen.steps += of_step->applies;
        seen.impacts += of_impact->applies;
        seen.warnings += report->warnings;
        if (of_step->applies)
            seen.step_margin = fmin(seen.step_margin, of_step->margin);
        if (of_impact->applies)
            seen.impact_margin = fmin(seen.impact_margin, of_impact->margin);
    }
    perp_world_end(w);
    return seen;
}

// (2.22) each step; lemma 3.1 and the proofs of docs/theory/ap97.md each impact.
static void test_energy_bounds_hold(void **state)
{
    (void)state;
    for (int one_phase = 0; one_phase < 2; one_phase++) {
        PerpWorld w;
        place_boxes(&w, 0.6);
        w.settings.one_phase = one_phase;
        Seen seen = watch(&w, 500);
        assert_int_equal(seen.steps, 500);
        assert_true(seen.impacts > 5);
        assert_true(seen.step_margin >= -1e-9);
        assert_true(seen.impact_margin >= -1e-9);
    }
}

// There is no bound for the printed decompression with friction; where energy grows, it is said.
static void test_printed_decompression_has_no_bound(void **state)
{
    PerpWorld w;
    (void)state;
    place_boxes(&w, 1);
    w.materials[0].mu = 0.8;
    w.settings.printed_decompression = true;
    Seen seen = watch(&w, 300);
    assert_int_equal(seen.impacts, 0);
    assert_true(seen.warnings > 0);
}

// A motor puts energy in: (2.22) says nothing then.
static void test_motors_have_no_bound(void **state)
{
    static const double moments[3] = {0.1, 0.1, 0.1};
    PerpWorld w;
    (void)state;
    perp_world_init(&w);
    choose(&w, ANITESCU_POTRA, 1e-3);
    int wheel = perp_world_solid(&w, 1, moments, 0, 0, 0);
    int hinge = perp_world_hinge(&w, -1, wheel, 0, 0, 0);
    w.joints[hinge].axis_def[0].motor_speed = 5;
    w.joints[hinge].axis_def[0].motor_force = 1;
    assert_int_equal(watch(&w, 10).steps, 0);
}

// --- the list of contacts -----------------------------------------------------------------------

// A rope that is taut stays so: no collision, one problem a step.
static void test_taut_rope_does_not_collide(void **state)
{
    PerpWorld w;
    (void)state;
    perp_world_init(&w);
    choose(&w, ANITESCU_POTRA, 1e-3);
    int ball = perp_world_point(&w, 1, 1, 0, 0);
    w.joints[perp_world_joint(&w, PERP_JOINT_ROPE, -1, ball, 0, 0, 0)].anchor_b[0] = 1;
    start(&w);
    for (int k = 0; k < 500; k++) {
        step(&w, 0);
        assert_in_range(perp_simulation_report(w.simulation)->problems, 0, 1);
    }
    double moved = perp_vec3_norm(position(&w, ball));
    assert_near(moved, 1, 5e-3); // first order
    perp_world_end(&w);
}

// Balls in a box that is too narrow for them to settle quickly: many collisions in a step.
static void test_rattling_is_taken_together(void **state)
{
    PerpWorld w;
    int warned = 0;
    double deepest = 0;
    (void)state;
    perp_world_init(&w);
    choose(&w, ANITESCU_POTRA, 5e-3);
    w.materials[0].restitution = 0.3;
    perp_world_plane(&w, 0, 0, 1);
    for (int k = 0; k < 27; k++)
        perp_world_sphere(&w, 1, 0.1, 0.19 * (k % 3) + 0.005 * (k / 9), 0.19 * (k / 3 % 3),
                          0.11 + 0.21 * (k / 9));
    w.settings.overlap = PERP_OVERLAP_ALLOW;
    start(&w);
    for (int k = 0; k < 100; k++) {
        step(&w, 0);
        warned += perp_simulation_report(w.simulation)->warnings > 0;
        deepest = fmax(deepest, perp_simulation_report(w.simulation)->penetration);
    }
    assert_true(warned > 0);       // some steps had too many to locate each
    assert_below(deepest, 0.0101); // the start's overlap of 0.01
    perp_world_end(&w);
}

// --- stabilisation ------------------------------------------------------------------------------

// A pendulum of two points: the largest joint error within two seconds.
static double drift(int scheme, PerpStabilisation stabilise)
{
    PerpWorld w;
    double worst = 0;
    perp_world_init(&w);
    choose(&w, scheme, 1e-3);
    w.settings.stabilise = stabilise;
    for (int k = 0; k < 2; k++) {
        int body = perp_world_point(&w, 1, k + 1, 0, 0);
        int rod = perp_world_joint(&w, PERP_JOINT_DISTANCE, k - 1, body, k, 0, 0);
        w.joints[rod].anchor_b[0] = k + 1;
    }
    start(&w);
    for (int k = 0; k < 2000; k++) {
        step(&w, 0);
        worst = fmax(worst, perp_simulation_report(w.simulation)->joint_gap);
    }
    perp_world_end(&w);
    return worst;
}

static void test_stabilisation_as_asked_for(void **state)
{
    (void)state;
    double none = drift(ANITESCU_POTRA, PERP_STABILISE_NONE);
    assert_true(none > 1e-3);
    assert_true(drift(ANITESCU_POTRA, PERP_STABILISE_SCHEME) == none);
    assert_below(drift(ANITESCU_POTRA, PERP_STABILISE_ROWS), 1e-4);
    assert_below(drift(ANITESCU_POTRA, PERP_STABILISE_PROJECT), 1e-10);

    none = drift(DEFAULT_SCHEME, PERP_STABILISE_NONE);
    assert_true(none > 1e-7);
    assert_below(drift(DEFAULT_SCHEME, PERP_STABILISE_ROWS), none);
    assert_below(drift(DEFAULT_SCHEME, PERP_STABILISE_PROJECT), 1e-10);
    assert_below(drift(DEFAULT_SCHEME, PERP_STABILISE_SCHEME), 1e-10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_energy_bounds_hold),
        cmocka_unit_test(test_printed_decompression_has_no_bound),
        cmocka_unit_test(test_motors_have_no_bound),
        cmocka_unit_test(test_taut_rope_does_not_collide),
        cmocka_unit_test(test_rattling_is_taken_together),
        cmocka_unit_test(test_stabilisation_as_asked_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
