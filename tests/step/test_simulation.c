// Simulations as objects: settings, failures that leave no trace, memory.

#include "failing_allocator.h"
#include "mixture.h"

// --- settings -----------------------------------------------------------------------------------

static void test_settings_are_checked(void **state)
{
    (void)state;
    enum { BAD = 8 };
    PerpSimulationSettings bad[BAD];
    for (int k = 0; k < BAD; k++)
        bad[k] = perp_default_simulation_settings();
    bad[0].scheme = "anitescu";
    bad[1].step = 0;
    bad[2].facets = 7;
    bad[3].facets = 66;
    bad[4].tolerance = 0;
    bad[5].restitution_threshold = -1;
    bad[6].step = NAN;
    bad[7].facets = -2;
    static const char *const word[BAD] = {"anitescu",  "step",      "facets", "facets",
                                          "tolerance", "threshold", "step",   "facets"};
    PerpWorld w;
    place_mixture(&w, DEFAULT_SCHEME);
    start(&w);
    for (int k = 0; k < BAD; k++) {
        PerpSimulation *simulation = w.simulation;
        PerpError error = {0};
        assert_int_equal(perp_simulation_create(NULL, w.model, &bad[k], &simulation, &error),
                         PERP_BAD_VALUE);
        assert_null(simulation);
        assert_non_null(strstr(error.message, word[k]));
    }
    perp_world_end(&w);
}

// A scheme has its own cone if none is given: the default one the circle, the papers' polygons.
static void test_cone_of_the_scheme(void **state)
{
    (void)state;
    static const int given[] = {PERP_FACETS_SCHEME, PERP_FACETS_CIRCULAR, 8, 16};
    for (int scheme = 0; scheme < perp_scheme_count(); scheme++)
        for (int k = 0; k < 4; k++) {
            PerpWorld w;
            place_mixture(&w, scheme);
            if (given[k] != PERP_FACETS_SCHEME)
                w.settings.facets = given[k]; // else as by default
            start(&w);
            PerpSimulationSettings used = perp_simulation_settings(w.simulation);
            int own = scheme == DEFAULT_SCHEME ? PERP_FACETS_CIRCULAR : 8;
            assert_int_equal(used.facets, given[k] == PERP_FACETS_SCHEME ? own : given[k]);
            assert_string_equal(used.scheme, perp_scheme_name(scheme));
            assert_true(used.step == w.settings.step);
            perp_world_end(&w);
        }
}

static void test_names_of_schemes(void **state)
{
    (void)state;
    assert_true(perp_scheme_count() >= SCHEME_COUNT);
    for (int scheme = 0; scheme < perp_scheme_count(); scheme++)
        assert_true(strlen(perp_scheme_text(scheme)) > 10);
    assert_string_equal(perp_scheme_name(DEFAULT_SCHEME), "default");
    assert_string_equal(perp_scheme_name(ANITESCU_POTRA), "anitescu-potra");
    assert_string_equal(perp_scheme_name(DAMPED), "trapezoidal-damped");
    assert_string_equal(perp_scheme_name(-1), "?");
    assert_string_equal(perp_scheme_text(perp_scheme_count()), "?");
}

// the step of the settings, or one's own; nothing to move is no problem
static void test_time(void **state)
{
    (void)state;
    for (int scheme = 0; scheme < perp_scheme_count(); scheme++) {
        PerpWorld w;
        perp_world_init(&w);
        choose(&w, scheme, 0.25);
        start(&w);
        assert_true(perp_simulation_time(w.simulation) == 0);
        run(&w, 2);
        step(&w, 0.125);
        assert_true(perp_simulation_time(w.simulation) == 0.625);
        assert_true(perp_simulation_report(w.simulation)->h == 0.125);
        assert_true(perp_simulation_report(w.simulation)->t == 0.625);
        assert_int_equal(perp_simulation_report(w.simulation)->problems, 0);
        perp_world_end(&w);
    }
}

// A variable step: free fall does not care.
static void test_variable_step(void **state)
{
    (void)state;
    PerpRandom r = perp_random(2);
    PerpWorld w;
    perp_world_init(&w);
    int body = perp_world_point(&w, 1, 0, 0, 0);
    start(&w);
    for (int k = 0; k < 100; k++)
        step(&w, perp_random_log_uniform(&r, 1e-6, 1e-1));
    double t = perp_simulation_time(w.simulation);
    assert_near(velocity(&w, body).z, -G * t, 1e-12);
    assert_near(position(&w, body).z, -G * t * t / 2, 1e-12);
    perp_world_end(&w);
}

// angles count turns both ways; what was asked for is what the motion did
static void test_turns(void **state)
{
    (void)state;
    for (int scheme = 0; scheme < perp_scheme_count(); scheme++)
        for (int way = -1; way <= 1; way += 2) {
            const double moments[3] = {1, 1, 1};
            PerpWorld w;
            perp_world_init(&w);
            choose(&w, scheme, 1e-2);
            int wheel = perp_world_solid(&w, 1, moments, 0, 0, 0);
            int axle = perp_world_hinge(&w, -1, wheel, 0, 0, 0);
            w.bodies[wheel].spin[1] = 70 * way;
            start(&w);
            run(&w, 1000);
            assert_near(coordinate(&w, axle), 700 * way, 1e-9);
            perp_world_end(&w);
        }
}

// --- failures -----------------------------------------------------------------------------------

// A certificate that cannot be met fails the step in strict mode, which then leaves no trace.
static void test_strict(void **state)
{
    (void)state;
    for (int scheme = 0; scheme < perp_scheme_count(); scheme++)
        for (int strict = 0; strict < 2; strict++) {
            PerpWorld w;
            Snapshot before, after;
            place_mixture(&w, scheme);
            w.settings.tolerance = 1e-300;
            w.settings.strict = strict;
            start(&w);
            PerpStatus status = PERP_OK;
            bool missed = false;
            for (int k = 0; k < 30 && !status; k++) {
                take_snapshot(&w, &before);
                status = perp_world_step(&w, 0);
                missed =
                    missed || perp_simulation_report(w.simulation)->outcome != PERP_OUTCOME_SOLVED;
            }
            assert_int_equal(status, strict ? PERP_NOT_SOLVED : PERP_OK);
            assert_int_equal(missed, !strict);
            take_snapshot(&w, &after);
            if (strict) {
                assert_memory_equal(&before, &after, sizeof before);
                assert_non_null(strstr(w.error.message, "t = "));
                assert_non_null(strstr(w.error.message, "certificate"));
            }
            perp_world_end(&w);
        }
}

// Memory runs out at any moment of a step: the state stays, and the step can be had again, with
// the bits it would have had.
static void test_failed_step_leaves_no_trace(void **state)
{
    (void)state;
    for (int scheme = 0; scheme < perp_scheme_count(); scheme++) {
        PerpFailingAllocator memory = {0};
        PerpWorld w, untroubled;
        Snapshot before, after, expected;
        int failures = 0;
        place_mixture(&w, scheme);
        place_mixture(&untroubled, scheme);
        w.context = perp_failing_context(&memory);
        start(&w);
        start(&untroubled);
        bool slow = strcmp(perp_scheme_name(scheme), "lotstedt") == 0;
        int steps = slow ? 8 : scheme == 0 ? 80 : 25;
        for (int k = 0; k < steps; k++) {
            step(&untroubled, 0);
            memory.calls = 0;
            for (memory.fail_at = 1;; memory.fail_at++, memory.calls = 0) {
                take_snapshot(&w, &before);
                PerpStatus status = perp_world_step(&w, 0);
                if (status == PERP_OK)
                    break;
                failures++;
                assert_int_equal(status, PERP_NO_MEMORY);
                assert_int_equal(w.error.status, PERP_NO_MEMORY);
                take_snapshot(&w, &after);
                assert_memory_equal(&before, &after, sizeof before);
            }
            take_snapshot(&w, &after);
            take_snapshot(&untroubled, &expected);
            assert_same_motion(&after, &expected);
        }
        // as often as the most frugal scheme asks for memory
        assert_true(failures >= 3 || steps < 80);
        perp_world_end(&w);
        perp_world_end(&untroubled);
        assert_int_equal(memory.live, 0);
    }
}

// every allocation of the model, the simulation and the first steps may fail: nothing leaks
static void test_memory_runs_out(void **state)
{
    (void)state;
    for (int scheme = 0; scheme < perp_scheme_count(); scheme++) {
        PerpFailingAllocator memory = {0};
        PerpStatus status = PERP_NO_MEMORY;
        for (int fail_at = 1; status; fail_at++) {
            PerpWorld w;
            place_mixture(&w, scheme);
            memory = (PerpFailingAllocator){.fail_at = fail_at};
            w.context = perp_failing_context(&memory);
            status = perp_world_start(&w);
            for (int k = 0; k < 5 && !status; k++)
                status = perp_world_step(&w, 0);
            assert_true(status == PERP_OK || status == PERP_NO_MEMORY);
            perp_world_end(&w);
            assert_int_equal(memory.live, 0);
        }
        assert_true(memory.calls > 50);
    }
}

// --- repetition and memory ----------------------------------------------------------------------

// two simulations of one model do not know of each other
static void test_model_is_shared(void **state)
{
    (void)state;
    PerpWorld w;
    Snapshot first, second;
    place_mixture(&w, DEFAULT_SCHEME);
    start(&w);
    PerpSimulation *other, *own = w.simulation;
    assert_int_equal(perp_simulation_create(NULL, w.model, &w.settings, &other, NULL), PERP_OK);
    run(&w, 100);
    take_snapshot(&w, &first);
    w.simulation = other;
    run(&w, 100);
    take_snapshot(&w, &second);
    assert_same_motion(&first, &second);
    perp_simulation_destroy(own);
    perp_world_end(&w);
    perp_simulation_destroy(NULL);
}

// One box needs no megabyte, and a pile few kilobytes a contact.
static void test_little_memory(void **state)
{
    static const double half[3] = {0.1, 0.1, 0.1};
    (void)state;
    for (int boxes = 1; boxes <= 40; boxes += 39) {
        PerpFailingAllocator memory = {0};
        PerpWorld w;
        perp_world_init(&w);
        w.context = perp_failing_context(&memory);
        perp_world_plane(&w, 0, 0, 1);
        for (int k = 0; k < boxes; k++) { // in a row, side by side
            int box = perp_world_box(&w, 1, half, 0.2 * k, 0, 0.1);
            perp_world_set(w.bodies[box].velocity, 0.1, 0.2, -0.3);
        }
        start(&w);
        run(&w, 50);
        int contacts = perp_simulation_contact_count(w.simulation);
        assert_true(contacts >= 4 * boxes);
        assert_in_range(memory.bytes, 0, 400000 + 8000 * (size_t)contacts);
        perp_world_end(&w);
        assert_int_equal(memory.bytes, 0);
    }
}

// poses and velocities are of the frame that was given, wherever the centre of mass is
static void test_frame_of_the_body(void **state)
{
    (void)state;
    const double moments[3] = {1, 2, 2.5}, v[3] = {1, 2, 3}, spin[3] = {-1, 0.5, 2};
    PerpWorld w;
    perp_world_init(&w);
    int body = perp_world_solid(&w, 2, moments, 4, 5, 6);
    perp_world_set(w.bodies[body].centre, 0.3, 0.2, -0.1);
    perp_world_turn(&w, body, 0.4, 0.5, -0.6);
    start(&w);
    assert_below(distance(position(&w, body), (PerpVec3){4, 5, 6}), 1e-15);
    perp_simulation_set_velocity(w.simulation, body, v, spin);
    assert_below(distance(velocity(&w, body), perp_vec3_load(v)), 1e-15);
    assert_below(distance(spin_of(&w, body), perp_vec3_load(spin)), 1e-15);
    double p[3], L[3];
    perp_simulation_momentum(w.simulation, body, p, L);
    PerpVec3 arm = perp_quat_rotate(rotation(&w, body), (PerpVec3){0.3, 0.2, -0.1});
    PerpVec3 centre = perp_vec3_add(perp_vec3_load(v), perp_vec3_cross(perp_vec3_load(spin), arm));
    assert_below(distance(perp_vec3_load(p), perp_vec3_scale(2, centre)), 1e-14);
    perp_world_end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_settings_are_checked),
        cmocka_unit_test(test_cone_of_the_scheme),
        cmocka_unit_test(test_names_of_schemes),
        cmocka_unit_test(test_time),
        cmocka_unit_test(test_variable_step),
        cmocka_unit_test(test_turns),
        cmocka_unit_test(test_strict),
        cmocka_unit_test(test_failed_step_leaves_no_trace),
        cmocka_unit_test(test_memory_runs_out),
        cmocka_unit_test(test_model_is_shared),
        cmocka_unit_test(test_little_memory),
        cmocka_unit_test(test_frame_of_the_body),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
