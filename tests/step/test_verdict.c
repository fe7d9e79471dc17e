// Verdicts of runs: each check fails where it must, holds where it may, and its remedy helps.

#include "stepping.h"

#include "perp/verdict.h"

#include <stdio.h>
#include <string.h>

static PerpChecked check_of(const PerpWorld *w, PerpCheck check)
{
    return perp_simulation_verdict(w->simulation).check[check];
}

// A mass of 1 kg on a spring, omega^2 = k, stretched by 0.1 m.
static void place_oscillator(PerpWorld *w, double stiffness, double h)
{
    perp_world_init(w);
    choose(w, ANITESCU_POTRA, h); // springs are explicit there
    perp_world_set(w->def.gravity, 0, 0, 0);
    int body = perp_world_point(w, 1, 0.1, 0, 0);
    int spring = perp_world_spring(w, -1, body, stiffness);
    perp_world_set(w->springs[spring].anchor_a, 0, 0, 0);
    perp_world_set(w->springs[spring].anchor_b, 0.1, 0, 0);
}

static void test_fastest_mode_is_known_before_the_first_step(void **state)
{
    (void)state;
    PerpWorld w;
    char text[256];
    place_oscillator(&w, 1e6, 1e-2); // h omega = 10
    start(&w);
    PerpVerdict verdict = perp_simulation_verdict(w.simulation);
    PerpChecked mode = verdict.check[PERP_CHECK_FASTEST_MODE];
    assert_true(mode.applies && !mode.holds && !verdict.certified);
    assert_near(mode.value, 10, 1e-2);
    assert_true(mode.step > 0 && mode.step <= 2e-3);
    perp_verdict_text(&verdict, PERP_CHECK_FASTEST_MODE, text, sizeof text);
    assert_non_null(strstr(text, "try steps of 0.001 s"));
    run(&w, 20);
    assert_false(check_of(&w, PERP_CHECK_GAIN).holds); // and so it was
    double remedy = mode.step;
    perp_world_end(&w);
    place_oscillator(&w, 1e6, remedy);
    start(&w);
    assert_true(check_of(&w, PERP_CHECK_FASTEST_MODE).holds);
    perp_world_end(&w);
}

// A door on a hinge: about the hinge it has four times the inertia that it has about its centre.
static void test_joints_slow_modes_down(void **state)
{
    (void)state;
    PerpWorld w;
    perp_world_init(&w);
    choose(&w, ANITESCU_POTRA, 1e-2);
    perp_world_set(w.def.gravity, 0, 0, 0);
    const double moments[3] = {1, 1, 1};
    int door = perp_world_solid(&w, 3, moments, 1, 0, 0);
    int hinge = perp_world_hinge(&w, -1, door, 0, 0, 0);
    w.joints[hinge].axis_def[0].stiffness = 1e6; // omega^2 = 1e6 / 4, without the joint 1e6
    start(&w);
    assert_near(check_of(&w, PERP_CHECK_FASTEST_MODE).value, 1e-2 * sqrt(1e6 / 4), 1e-2);
    perp_world_end(&w);
}

static void test_overflow_fails_the_step(void **state)
{
    (void)state;
    PerpWorld w;
    PerpStatus status = PERP_OK;
    place_oscillator(&w, 1e12, 1);
    start(&w);
    for (int k = 0; k < 100 && !status; k++)
        status = perp_world_step(&w, 0);
    assert_int_equal(status, PERP_NOT_SOLVED);
    assert_true(isfinite(position(&w, 0).x));
    perp_world_end(&w);
}

// A force whose energies overflow: a body that it throws is not at rest.
static void test_overflow_is_no_rest(void **state)
{
    (void)state;
    const double forces[] = {1e99, 1e160, 1e300, 1e308};
    for (int s = 0; s < SCHEME_COUNT; s++)
        for (int k = 0; k < 4; k++) {
            PerpWorld w;
            perp_world_init(&w);
            choose(&w, s, 1);
            int ball = perp_world_sphere(&w, 1e-6, 0.1, 0, 0, 0);
            perp_world_set(w.forces[perp_world_force(&w, ball)].force, forces[k], 0, 0);
            start(&w);
            assert_int_not_equal(perp_world_step(&w, 0), PERP_OK);
            perp_world_end(&w);
        }
}

// A ball is thrown through a thin wall that holds it only if steps are short.
static void test_passage_is_noticed(void **state)
{
    (void)state;
    for (int fine = 0; fine < 2; fine++) {
        PerpWorld w;
        perp_world_init(&w);
        choose(&w, DEFAULT_SCHEME, fine ? 1e-3 : 1);
        perp_world_set(w.def.gravity, 0, 0, 0);
        const double half[3] = {0.01, 1, 1};
        int wall = perp_world_box(&w, 1, half, 0, 0, 0);
        int ball = perp_world_sphere(&w, 1, 0.1, -1, 0, 0);
        perp_world_set(w.bodies[wall].velocity, 0, 0, 0);
        perp_world_set(w.bodies[ball].velocity, 5, 0, 0);
        start(&w);
        run(&w, fine ? 400 : 1);
        // nothing ends up beyond, or it is told
        bool beyond = position(&w, ball).x > position(&w, wall).x;
        assert_true(!beyond || !check_of(&w, PERP_CHECK_PASSAGE).holds);
        assert_true(!fine || check_of(&w, PERP_CHECK_PASSAGE).holds);
        perp_world_end(&w);
    }
}

static void test_overlapping_starts(void **state)
{
    (void)state;
    for (int overlap = 0; overlap < PERP_OVERLAP_COUNT; overlap++) {
        PerpWorld w;
        perp_world_init(&w);
        choose(&w, DEFAULT_SCHEME, 1e-3);
        w.settings.overlap = (PerpOverlap)overlap;
        perp_world_plane(&w, 0, 0, 1);
        perp_world_sphere(&w, 1, 0.1, 0, 0, 0.1);
        perp_world_sphere(&w, 1, 0.1, 0, 0, 0.27); // by 0.03 m
        PerpStatus status = perp_world_start(&w);
        assert_int_equal(status, overlap == PERP_OVERLAP_REFUSE ? PERP_BAD_VALUE : PERP_OK);
        if (overlap == PERP_OVERLAP_REFUSE)
            assert_non_null(strstr(w.error.message, "overlap by 0.03 m at the start"));
        if (overlap == PERP_OVERLAP_SEPARATE) {
            assert_near(perp_simulation_verdict(w.simulation).moved, 0.03, 1e-9);
            assert_near(position(&w, 1).z, 0.3, 1e-9);
            run(&w, 100);
            assert_true(perp_simulation_verdict(w.simulation).certified);
        }
        perp_world_end(&w);
    }
}

// All pairs are named, the deepest first, as far as a message has room; the world comes second.
static void test_overlapping_starts_are_all_named(void **state)
{
    (void)state;
    PerpWorld w;
    perp_world_init(&w);
    choose(&w, DEFAULT_SCHEME, 1e-3);
    perp_world_plane(&w, 0, 0, 1);
    perp_world_sphere(&w, 1, 0.1, 0, 0, 0.05);   // 0.05 m in the ground
    perp_world_sphere(&w, 1, 0.1, 0.12, 0, 0.1); // 0.07 m in the first
    perp_world_sphere(&w, 1, 0.1, 0.31, 0, 0.1); // 0.01 m in the second
    assert_int_equal(perp_world_start(&w), PERP_BAD_VALUE);
    assert_string_equal(w.error.message,
                        "\"body-0\" and \"body-1\" overlap by 0.07 m at the start, \"body-0\" and "
                        "\"world\" by 0.05 m, \"body-1\" and \"body-2\" by 0.01 m; move them "
                        "apart, or let overlap: separate do it");
    perp_world_end(&w);
    for (int k = 0; k < 9; k++) // by 0.01 m, 0.011 m, ... in the one before
        perp_world_sphere(&w, 1, 0.1, 0.5 + 0.19 * k - 0.001 * k * (k + 1) / 2, 0, 0.1);
    assert_int_equal(perp_world_start(&w), PERP_BAD_VALUE);
    assert_non_null(strstr(w.error.message, ", \"body-10\" and \"body-11\" by 0.018 m, "));
    assert_non_null(strstr(w.error.message, " by 0.013 m, and 4 other pairs; move them apart"));
    perp_world_end(&w);
}

// --- impacts ------------------------------------------------------------------------------------

// Five touching balls, the first with 1 m/s. Sequential: the last takes all of it.
static void test_cradle_that_touches(void **state)
{
    (void)state;
    for (int law = PERP_IMPACTS_SCHEME; law < PERP_IMPACTS_COUNT; law++) {
        PerpWorld w;
        perp_world_init(&w);
        choose(&w, DEFAULT_SCHEME, 1e-3);
        perp_world_set(w.def.gravity, 0, 0, 0);
        w.materials[0].restitution = 1;
        w.settings.impacts = (PerpImpacts)law;
        for (int k = 0; k < 5; k++)
            perp_world_sphere(&w, 1, 0.1, 0.2 * k, 0, 0);
        w.bodies[0].velocity[0] = 1;
        start(&w);
        run(&w, 3);
        bool simultaneous = law == PERP_IMPACTS_SIMULTANEOUS;
        for (int k = 0; k < 5; k++) {
            double expected = k == 0 ? -0.6 : 0.4;
            if (!simultaneous)
                expected = k == 4;
            assert_near(velocity(&w, k).x, expected, 1e-9);
        }
        assert_true(perp_simulation_verdict(w.simulation).certified);
        perp_world_end(&w);
    }
}

// With e < 1 and masses at random: momentum stays, energy falls, and nothing approaches.
static void test_sequences_lose_energy(void **state)
{
    (void)state;
    for (int seed = 0; seed < 20; seed++) {
        PerpWorld w;
        perp_world_init(&w);
        choose(&w, DEFAULT_SCHEME, 1e-3);
        perp_world_set(w.def.gravity, 0, 0, 0);
        w.materials[0].restitution = 0.05 * seed;
        double momentum = 0, energy = 0, after = 0;
        for (int k = 0; k < 6; k++) {
            double mass = 0.1 + fmod(0.618 * (seed + 1) * (k + 3), 1), v = k == 0 ? 2 : -0.1 * k;
            int ball = perp_world_sphere(&w, mass, 0.1, 0.2 * k, 0, 0);
            w.bodies[ball].velocity[0] = v;
            momentum += mass * v;
            energy += mass * v * v / 2;
        }
        start(&w);
        run(&w, 1);
        for (int k = 0; k < 6; k++) {
            double mass = perp_model_body_mass(w.model, k), v = velocity(&w, k).x;
            momentum -= mass * v;
            after += mass * v * v / 2;
            assert_true(k == 0 || velocity(&w, k - 1).x - v < 1e-3);
        }
        assert_near(momentum, 0, 1e-9);
        assert_true(after <= energy * (1 + 1e-9));
        perp_world_end(&w);
    }
}

// The laws differ by sqrt(1.2 / 2) of the change of velocity in a cradle of five.
static void test_laws_that_differ_are_warned_of(void **state)
{
    (void)state;
    for (int touching = 0; touching < 2; touching++) {
        PerpWorld w;
        perp_world_init(&w);
        choose(&w, DEFAULT_SCHEME, 1e-3);
        perp_world_set(w.def.gravity, 0, 0, 0);
        w.materials[0].restitution = 1;
        for (int k = 0; k < 5; k++)
            perp_world_sphere(&w, 1, 0.1, (touching ? 0.2 : 0.21) * k, 0, 0);
        w.bodies[0].velocity[0] = 1;
        start(&w);
        int warnings = 0;
        for (int k = 0; k < 50; k++) {
            step(&w, 0);
            const PerpStepReport *report = perp_simulation_report(w.simulation);
            warnings += report->warnings;
            assert_true(report->warnings == 0 || strstr(report->warning, "differ by 77 %"));
        }
        assert_int_equal(warnings, touching); // once
        perp_world_end(&w);
    }
}

// --- bounces ------------------------------------------------------------------------------------

// Balls that fall on the ground, more than are located: h decides how early they bounce, and
// impacts slower than gravity's speed of a step land.
static void drop_many(PerpWorld *w, double h, double height)
{
    perp_world_init(w);
    choose(w, DEFAULT_SCHEME, h);
    w->materials[0].restitution = 0.8;
    perp_world_plane(w, 0, 0, 1);
    for (int k = 0; k < 20; k++)
        perp_world_sphere(w, 1, 0.1, k, 0, 0.1 + height);
    start(w);
    run(w, (int)(0.5 / h));
}

static void test_early_and_lost_bounces(void **state)
{
    (void)state;
    PerpWorld w;
    drop_many(&w, 1e-3, 0.5);
    PerpVerdict fine = perp_simulation_verdict(w.simulation);
    assert_true(fine.certified && fine.check[PERP_CHECK_EARLY_BOUNCE].applies);
    perp_world_end(&w);
    drop_many(&w, 0.05, 0.5); // 3 m/s
    assert_false(check_of(&w, PERP_CHECK_EARLY_BOUNCE).holds);
    double step = check_of(&w, PERP_CHECK_EARLY_BOUNCE).step;
    perp_world_end(&w);
    drop_many(&w, step, 0.5);
    assert_true(check_of(&w, PERP_CHECK_EARLY_BOUNCE).holds);
    perp_world_end(&w);
    // 0.14 m/s where gravity gives 0.5 m/s in a step: e^2 = 0.64 of all the energy is lost, as the
    // first fall has it
    drop_many(&w, 0.05, 1e-3);
    PerpChecked lost = check_of(&w, PERP_CHECK_LOST_BOUNCES);
    assert_false(lost.holds);
    assert_in_range(100 * lost.value, 40, 80);
    perp_world_end(&w);
}

// --- what is given ------------------------------------------------------------------------------

// A rod on a hinge whose centre is given a velocity along the rod, which the hinge takes.
static void test_velocities_that_joints_do_not_allow(void **state)
{
    (void)state;
    for (int allowed = 0; allowed < 2; allowed++) {
        PerpWorld w;
        perp_world_init(&w);
        choose(&w, DEFAULT_SCHEME, 1e-3);
        const double half[3] = {0.25, 0.05, 0.05};
        int rod = perp_world_box(&w, 2, half, 0.25, 0, 0);
        perp_world_hinge(&w, -1, rod, 0, 0, 0);
        w.bodies[rod].velocity[0] = allowed ? 0 : 3;
        start(&w);
        run(&w, 20);
        PerpVerdict verdict = perp_simulation_verdict(w.simulation);
        assert_near(verdict.closed, allowed ? 0 : 9, 1e-6); // m v^2 / 2
        assert_true(verdict.certified);                     // it is in the ledger
        perp_world_end(&w);
    }
}

// What a soft floor gives back was not gained.
static void test_soft_contacts_give_back(void **state)
{
    (void)state;
    PerpWorld w;
    perp_world_init(&w);
    choose(&w, DEFAULT_SCHEME, 2e-4);
    perp_world_set(w.def.gravity, 0, 0, 0);
    w.materials[0].stiffness = 1e4;
    perp_world_plane(&w, 0, 0, 1);
    int ball = perp_world_sphere(&w, 1, 0.1, 0, 0, 0.1);
    w.bodies[ball].velocity[2] = -1;
    start(&w);
    run(&w, 400);
    assert_near(velocity(&w, ball).z, 1, 1e-2);
    assert_true(check_of(&w, PERP_CHECK_GAIN).holds);
    perp_world_end(&w);
}

// --- steps that end -----------------------------------------------------------------------------

static bool ask(void *user)
{
    int *left = user;
    return --*left < 0;
}

static void place_heap(PerpWorld *w, int *left)
{
    perp_world_init(w);
    choose(w, DEFAULT_SCHEME, 1e-2);
    perp_world_plane(w, 0, 0, 1);
    const double half[3] = {0.1, 0.1, 0.1};
    for (int k = 0; k < 8; k++)
        perp_world_box(w, 1, half, 0.05 * (k % 2), 0, 0.1 + 0.2 * k);
    w->settings.interrupt = ask;
    w->settings.interrupt_user = left;
}

// A step that is given up leaves everything as it was: the same step later has the same bits.
static void test_interrupted_steps_change_nothing(void **state)
{
    (void)state;
    PerpWorld a, b;
    int never = 1 << 30, left = 1 << 30;
    place_heap(&a, &never);
    place_heap(&b, &left);
    start(&a);
    start(&b);
    for (int k = 0; k < 10; k++) {
        step(&a, 0);
        left = k % 3;
        PerpStatus status = perp_world_step(&b, 0);
        left = 1 << 30;
        if (status) {
            assert_int_equal(status, PERP_INTERRUPTED);
            step(&b, 0);
        }
        for (int body = 0; body < 8; body++)
            assert_true(position(&a, body).x == position(&b, body).x &&
                        position(&a, body).z == position(&b, body).z);
    }
    perp_world_end(&a);
    perp_world_end(&b);
}

// Whatever a motor is asked for, the step ends, solved or failed.
static void test_absurd_motors_end(void **state)
{
    (void)state;
    PerpWorld w;
    perp_world_init(&w);
    choose(&w, DEFAULT_SCHEME, 1e-3);
    const double half[3] = {0.25, 0.05, 0.05};
    int arm = perp_world_box(&w, 1, half, 0.25, 0, 0);
    int hinge = perp_world_hinge(&w, -1, arm, 0, 0, 0);
    w.joints[hinge].axis_def[0].motor_speed = w.joints[hinge].axis_def[0].motor_force = 1e30;
    start(&w);
    if (perp_world_step(&w, 0) == PERP_OK)
        assert_false(perp_simulation_verdict(w.simulation).certified);
    assert_true(isfinite(position(&w, arm).x));
    perp_world_end(&w);
}

// --- checkpoints --------------------------------------------------------------------------------

static void test_checkpoints_keep_the_verdict(void **state)
{
    (void)state;
    PerpWorld w;
    static char bytes[1 << 14];
    place_oscillator(&w, 1e6, 1e-2);
    start(&w);
    run(&w, 10);
    PerpVerdict before = perp_simulation_verdict(w.simulation);
    size_t size = perp_simulation_state_size(w.simulation);
    assert_in_range(size, 1, sizeof bytes);
    perp_simulation_save(w.simulation, bytes);
    perp_world_end(&w);
    place_oscillator(&w, 1e6, 1e-2);
    start(&w);
    assert_int_equal(perp_simulation_restore(w.simulation, bytes, size, NULL), PERP_OK);
    PerpVerdict after = perp_simulation_verdict(w.simulation);
    assert_int_equal(after.steps, 10);
    for (int k = 0; k < PERP_CHECK_COUNT; k++)
        assert_true(before.check[k].value == after.check[k].value &&
                    before.check[k].holds == after.check[k].holds);
    perp_world_end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fastest_mode_is_known_before_the_first_step),
        cmocka_unit_test(test_joints_slow_modes_down),
        cmocka_unit_test(test_overflow_fails_the_step),
        cmocka_unit_test(test_overflow_is_no_rest),
        cmocka_unit_test(test_passage_is_noticed),
        cmocka_unit_test(test_overlapping_starts),
        cmocka_unit_test(test_overlapping_starts_are_all_named),
        cmocka_unit_test(test_cradle_that_touches),
        cmocka_unit_test(test_sequences_lose_energy),
        cmocka_unit_test(test_laws_that_differ_are_warned_of),
        cmocka_unit_test(test_early_and_lost_bounces),
        cmocka_unit_test(test_velocities_that_joints_do_not_allow),
        cmocka_unit_test(test_soft_contacts_give_back),
        cmocka_unit_test(test_interrupted_steps_change_nothing),
        cmocka_unit_test(test_absurd_motors_end),
        cmocka_unit_test(test_checkpoints_keep_the_verdict),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
