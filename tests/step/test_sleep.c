// Sleep: scenes in which nothing moves are cheap, and the same as if every step were made from
// scratch.

#include "perp/system.h"
#include "stepping.h"

#include <stdlib.h>
#include <string.h>

static void place_stacks(PerpWorld *w, int facets)
{
    static const double half[3] = {0.3, 0.3, 0.1};
    perp_world_init(w);
    choose(w, DEFAULT_SCHEME, 5e-3);
    w->settings.facets = facets;
    w->settings.tolerance = 1e-12;
    perp_world_plane(w, 0, 0, 1);
    for (int k = 0; k < 6; k++)
        perp_world_box(w, 1 + k, half, 2 * (k % 3), 0, 0.1 + 0.2 * (k / 3));
}

static void expect_same_contacts(const PerpSimulation *a, const PerpSimulation *b)
{
    assert_int_equal(perp_simulation_contact_count(a), perp_simulation_contact_count(b));
    for (int k = 0; k < perp_simulation_contact_count(a); k++) {
        PerpContactReport x = perp_simulation_contact(a, k), y = perp_simulation_contact(b, k);
        assert_true(x.id == y.id && x.status == y.status);
        assert_memory_equal(x.impulse, y.impulse, sizeof x.impulse);
        assert_memory_equal(x.velocity, y.velocity, sizeof x.velocity);
        assert_memory_equal(&x.residual, &y.residual, sizeof x.residual);
    }
}

static void expect_same(const PerpSimulation *a, const PerpSimulation *b)
{
    const PerpStepReport *x = perp_simulation_report(a), *y = perp_simulation_report(b);
    int n;
    const double *q = perp_simulation_q(a, &n);
    assert_memory_equal(q, perp_simulation_q(b, &n), (size_t)n * sizeof *q);
    assert_memory_equal(&x->t, &y->t, sizeof x->t);
    assert_memory_equal(&x->energy, &y->energy, sizeof x->energy);
    assert_memory_equal(&x->certificate.worst, &y->certificate.worst, sizeof(double));
    assert_memory_equal(&x->penetration, &y->penetration, sizeof(double));
    assert_int_equal(x->problems, y->problems);
    assert_int_equal(x->contacts, y->contacts);
    assert_int_equal(x->solved_by, y->solved_by);
    assert_string_equal(x->worst, y->worst);
    expect_same_contacts(a, b);
}

// `to` goes on from where `from` is, and makes its next step from scratch.
static void copy_over(const PerpSimulation *from, PerpSimulation *to)
{
    size_t size = perp_simulation_state_size(from);
    void *bytes = malloc(size);
    assert_non_null(bytes);
    perp_simulation_save(from, bytes);
    assert_int_equal(perp_simulation_restore(to, bytes, size, NULL), PERP_OK);
    free(bytes);
}

static void test_same_as_from_scratch(void **state)
{
    (void)state;
    for (int facets = 0; facets <= 8; facets += 8)
        for (int judge = 0; judge < 2; judge++) {
            PerpWorld asleep, scratch;
            place_stacks(&asleep, facets);
            start(&asleep);
            perp_simulation_judge_contacts(asleep.simulation, judge);
            run(&asleep, 30);
            for (int k = 0; k < 10; k++) {
                place_stacks(&scratch, facets);
                start(&scratch);
                perp_simulation_judge_contacts(scratch.simulation, judge);
                copy_over(asleep.simulation, scratch.simulation);
                step(&asleep, 0);
                step(&scratch, 0);
                expect_same(asleep.simulation, scratch.simulation);
                perp_world_end(&scratch);
            }
            assert_int_equal(perp_simulation_report(asleep.simulation)->solved_by,
                             PERP_METHOD_WARM_START);
            perp_world_end(&asleep);
        }
}

// a kick, a longer step and residuals that are asked for are all noticed
static void test_wakes(void **state)
{
    (void)state;
    static const double kick[3] = {0, 0, 2}, none[3] = {0, 0, 0};
    PerpWorld w;
    place_stacks(&w, 0);
    start(&w);
    run(&w, 30);
    PerpVec3 before = position(&w, 5);
    step(&w, 2e-2);
    assert_true(perp_simulation_time(w.simulation) > 30 * 5e-3 + 1.9e-2);
    assert_true(isnan(perp_simulation_contact(w.simulation, 0).residual));
    perp_simulation_judge_contacts(w.simulation, true);
    step(&w, 0);
    assert_false(isnan(perp_simulation_contact(w.simulation, 0).residual));
    PerpVec3 after = position(&w, 5);
    assert_memory_equal(&before, &after, sizeof before);
    perp_simulation_set_velocity(w.simulation, 5, kick, none);
    run(&w, 5);
    assert_true(position(&w, 5).z > before.z + 0.03);
    run(&w, 200); // and comes to rest again
    assert_true(fabs(position(&w, 5).z - before.z) < 1e-6);
    perp_world_end(&w);
}

// what a coarser tolerance leaves of the speed does not become a creep
static void test_no_creep(void **state)
{
    (void)state;
    PerpWorld w;
    place_stacks(&w, 0);
    w.settings.tolerance = 1e-8;
    start(&w);
    run(&w, 20);
    PerpVec3 before = position(&w, 5);
    run(&w, 200);
    PerpVec3 after = position(&w, 5);
    assert_memory_equal(&before, &after, sizeof before);
    perp_world_end(&w);
}

static void push_later(void *user, double t, int body, const double x[3], const double r[4],
                       double force[3], double torque[3])
{
    (void)user, (void)x, (void)r, (void)torque;
    if (body == 5 && t > 0.2)
        force[0] += 100;
}

// forces that begin later find the scene awake
static void test_given_forces(void **state)
{
    (void)state;
    PerpWorld w;
    place_stacks(&w, 0);
    w.settings.force = push_later;
    start(&w);
    PerpVec3 before = position(&w, 5);
    run(&w, 30);
    assert_true(fabs(position(&w, 5).x - before.x) < 1e-6);
    run(&w, 60);
    assert_true(position(&w, 5).x > before.x + 0.05);
    perp_world_end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_as_from_scratch),
        cmocka_unit_test(test_wakes),
        cmocka_unit_test(test_no_creep),
        cmocka_unit_test(test_given_forces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
