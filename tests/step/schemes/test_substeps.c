// Substeps of steps whose large island was missed. That they find what whole steps miss is for the
// benchmark, `perp bench scenes --scene pile-150 --engine perp-1e-8`: here no problem is ever good
// enough.

#include "../stepping.h"

#include "step/schemes/substeps.h"

enum { BOXES = 7 }; // of four contacts each: a large island. Fewer are solved without any rounding
static const double HALF = 0.5, MASS = 2; // m, kg

static void stack_boxes(PerpWorld *w, int count, bool strict)
{
    const double half[3] = {HALF, HALF, HALF};
    perp_world_init(w);
    choose(w, DEFAULT_SCHEME, 1e-2);
    perp_world_plane(w, 0, 0, 1);
    for (int k = 0; k < count; k++)
        perp_world_box(w, MASS, half, 0, 0, HALF * (2 * k + 1));
    w->settings.tolerance = 1e-300;
    w->settings.held_tolerance = 0; // divided, not held
    w->settings.strict = strict;
    start(w);
}

// Of all contacts with the ground, upwards, N s.
static double impulse_of_ground(const PerpWorld *w)
{
    double sum = 0;
    for (int k = 0; k < perp_simulation_contact_count(w->simulation); k++) {
        PerpContactReport contact = perp_simulation_contact(w->simulation, k);
        sum += contact.body_a < 0 || contact.body_b < 0 ? fabs(contact.impulse[2]) : 0;
    }
    return sum;
}

// The shortest substep is missed like all longer ones; then the rest is made at once. What contacts
// report is the sum of both: the weight.
static void test_reports_are_of_the_whole_step(void **state)
{
    (void)state;
    PerpWorld w;
    stack_boxes(&w, BOXES, false);
    assert_int_equal(perp_world_step(&w, 0), PERP_OK);
    const PerpStepReport *report = perp_simulation_report(w.simulation);
    assert_int_equal(report->substeps, 2);
    assert_int_equal(report->outcome, PERP_OUTCOME_MISSED);
    assert_near(report->t, 1e-2, 1e-15);
    assert_near(impulse_of_ground(&w), BOXES * MASS * G * 1e-2, 1e-9);
    perp_world_end(&w);
}

// Fewer contacts are no large island.
static void test_few_contacts_divide_nothing(void **state)
{
    (void)state;
    PerpWorld w;
    stack_boxes(&w, 1, false);
    assert_int_equal(perp_world_step(&w, 0), PERP_OK);
    assert_int_equal(perp_simulation_report(w.simulation)->substeps, 1);
    perp_world_end(&w);
}

// In strict mode the shortest substep fails, and the step with it.
static void test_strict_fails_at_last(void **state)
{
    (void)state;
    PerpWorld w;
    stack_boxes(&w, BOXES, true);
    assert_int_equal(perp_world_step(&w, 0), PERP_NOT_SOLVED);
    assert_near(perp_simulation_time(w.simulation), 0, 0);
    perp_world_end(&w);
}

// --- lengths ------------------------------------------------------------------------------------

// A ball in free flight, whose problems are told to be good or missed.
static void throw_ball(PerpWorld *w)
{
    perp_world_init(w);
    choose(w, DEFAULT_SCHEME, 1e-2);
    w->settings.held_tolerance = 0; // divided, not held
    perp_world_sphere(w, MASS, HALF, 0, 0, 10);
    start(w);
}

// One step of h in which large islands of substeps longer than `good` are missed: how many problems
// of it count. tried: all of them.
static int count_substeps(PerpSimulation *sim, double h, double good, int *tried)
{
    PerpSubsteps substeps = perp_substeps_begin(sim, h);
    double sum = 0, before = h;
    sim->report.problems = 0;
    *tried = 0;
    while (substeps.rest > 0) {
        double length = perp_substeps_next(&substeps);
        PerpStage stage;
        for (;; length /= 2) {
            stage = (PerpStage){.is_tentative = perp_substeps_attempt(sim, &substeps, length),
                                .missed_large = length > good};
            sim->report.problems++;
            ++*tried;
            if (!perp_substeps_halve(&substeps, &stage, length))
                break;
            perp_substeps_retry(sim, &substeps);
        }
        // impulses to start from are as long as the substep that they come from
        if (substeps.count > 0)
            assert_near(sim->caches.impulse_scale * before, length, 1e-15);
        sum += length;
        before = length;
        assert_int_equal(perp_substeps_done(sim, &substeps, &stage, length, NULL), PERP_OK);
    }
    assert_near(sum, h, 1e-15);
    assert_int_equal(perp_substeps_end(sim, &substeps, NULL), PERP_OK);
    return sim->report.problems; // those that were missed are forgotten
}

static void test_lengths(void **state)
{
    (void)state;
    static const struct {
        double good;
        int substeps, halvings;
    } cases[] = {{1, 1, 0},
                 {0.006, 2, 1},
                 {0.004, 4, 2},
                 {0.0007, 16, 4},
                 {0, 2, 4}}; // the shortest, and the rest as it comes
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        PerpWorld w;
        int tried;
        throw_ball(&w);
        assert_int_equal(count_substeps(w.simulation, 0.01, cases[k].good, &tried),
                         cases[k].substeps);
        assert_int_equal(w.simulation->state.halvings, cases[k].halvings);
        assert_int_equal(tried, cases[k].substeps + cases[k].halvings);
        perp_world_end(&w);
    }
}

// A step that follows tries once what is too long, not from the whole on; when all is well again
// lengths double from step to step.
static void test_next_step_remembers(void **state)
{
    (void)state;
    PerpWorld w;
    int tried;
    throw_ball(&w);
    count_substeps(w.simulation, 0.01, 0.0007, &tried);
    assert_int_equal(count_substeps(w.simulation, 0.01, 0.0007, &tried), 16);
    assert_int_equal(tried, 17);
    for (int substeps = 8; substeps >= 1; substeps /= 2)
        assert_int_equal(count_substeps(w.simulation, 0.01, 1, &tried), substeps);
    assert_int_equal(w.simulation->state.halvings, 0);
    perp_world_end(&w);
}

// The last methods of the exact law are tried after 0, 1, 2, 4, ... answers with slip held.
static void test_held_answers_wait_longer_and_longer(void **state)
{
    (void)state;
    for (int held = 0; held <= 16; held++) {
        PerpSubsteps substeps = {.held = held};
        bool tried = held == 0 || held == 1 || held == 2 || held == 4 || held == 8 || held == 16;
        assert_int_equal(perp_substeps_leave_to_held(&substeps), !tried);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reports_are_of_the_whole_step),
        cmocka_unit_test(test_few_contacts_divide_nothing),
        cmocka_unit_test(test_strict_fails_at_last),
        cmocka_unit_test(test_lengths),
        cmocka_unit_test(test_next_step_remembers),
        cmocka_unit_test(test_held_answers_wait_longer_and_longer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
