// Projected gradients on the exact law: where they arrive, what they say of it, before and after
// the order of elimination is known.
#include "cone_setup.h"
#include "cones/methods/methods.h"
#include "cones/operator/delassus.h"

#include <string.h>

enum { SCENES = 60, CONTACTS = 120 };

static void begin(uint64_t seed, Setup *setup)
{
    begin_circular(seed, CONTACTS, 1, 0, setup);
}

// What is returned is the residual of r; most random scenes are solved to 1e-3.
static void test_arrives(void **state)
{
    (void)state;
    int solved = 0;
    for (uint64_t seed = 1; seed <= SCENES; seed++) {
        Setup s;
        int steps = 3000;
        begin(seed, &s);
        double residual = perp_apgd(&s.arena, &s.cones, 1e-3, &steps, s.r);
        assert_in_cones(&s.cones, s.r);
        assert_true(fabs(residual - find_residual(&s)) <= 1e-10);
        assert_in_range(steps, 0, 3000);
        solved += residual <= 1e-3;
        end(&s);
    }
    assert_true(solved >= SCENES * 9 / 10);
}

// The order of elimination changes where bodies stand in vectors, not what comes out.
static void test_needs_no_order(void **state)
{
    (void)state;
    Setup s;
    begin(7, &s);
    assert_false(s.cones.newton.analysed);
    int steps = 50, steps_ordered = 50;
    double *ordered_r = PERP_TAKE(&s.arena, double, 3 * s.cones.n_constraints);
    double residual = perp_apgd(&s.arena, &s.cones, 1e-9, &steps, s.r);
    assert_true(perp_delassus_analyse(&s.cones));
    double ordered = perp_apgd(&s.arena, &s.cones, 1e-9, &steps_ordered, ordered_r);
    assert_memory_equal(&residual, &ordered, sizeof residual);
    assert_memory_equal(s.r, ordered_r, (size_t)(3 * s.cones.n_constraints) * sizeof(double));
    end(&s);
}

// A good start is kept as it is.
static void test_keeps_what_is_good(void **state)
{
    (void)state;
    Setup s;
    begin(3, &s);
    int steps = 3000, none = 3000;
    size_t bytes = (size_t)(3 * s.cones.n_constraints) * sizeof(double);
    double *cache = PERP_TAKE(&s.arena, double, 3 * s.cones.n_constraints);
    double residual = perp_apgd(&s.arena, &s.cones, 1e-2, &steps, s.r);
    assert_true(residual <= 1e-2 && steps > 0);
    memcpy(cache, s.r, bytes);
    assert_true(perp_apgd(&s.arena, &s.cones, 1e-2, &none, s.r) == residual);
    assert_int_equal(none, 0);
    assert_memory_equal(s.r, cache, bytes);
    end(&s);
}

// Nothing is exact enough for 0: once at rounding, or stuck, most of them do not go on for ever.
static void test_gives_up(void **state)
{
    (void)state;
    enum { TRIES = 10, MOST = 100000 };
    int ended = 0;
    for (uint64_t seed = 1; seed <= TRIES; seed++) {
        Setup setup;
        begin(seed, &setup);
        int steps = MOST;
        perp_apgd(&setup.arena, &setup.cones, 0, &steps, setup.r);
        ended += steps < MOST / 2;
        end(&setup);
    }
    assert_in_range(ended, TRIES / 2, TRIES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arrives),
        cmocka_unit_test(test_gives_up),
        cmocka_unit_test(test_needs_no_order),
        cmocka_unit_test(test_keeps_what_is_good),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
