// Single steps of contacts, one after the other: where they arrive, what they leave alone, and
// which problems they leave to others.
#include "cone_setup.h"
#include "cones/methods/methods.h"
#include "cones/operator/delassus.h"

// Small integers make masses diagonal.
static void begin(uint64_t seed, int contacts, bool integer, int joints, Setup *setup)
{
    PerpSceneOptions options = perp_default_scene_options();
    options.bodies = 1 + contacts / 3;
    options.contacts = contacts;
    options.circular = true;
    options.integer = integer;
    options.balls = joints;
    begin_scene(seed, &options, setup);
}

// Whatever the number of contacts, all of them are gone through: the residual tells of each.
static void test_arrives(void **state)
{
    (void)state;
    enum { MOST = 3000 };
    int solved = 0, scenes = 0;
    for (int contacts = 1; contacts <= 120; contacts++, scenes++) {
        Setup s;
        int sweeps = MOST;
        begin((uint64_t)contacts, contacts, true, 0, &s);
        assert_true(perp_projected_nsgs_fits(&s.cones));
        double change = perp_projected_nsgs(&s.arena, &s.cones, 1e-6, &sweeps, s.r);
        assert_in_cones(&s.cones, s.r);
        assert_in_range(sweeps, 1, MOST);
        if (change <= 1e-6)
            assert_true(find_residual(&s) <= 1e-4);
        solved += change <= 1e-6;
        end(&s);
    }
    assert_true(solved >= scenes * 9 / 10);
}

// What obeys the law stays as it is.
static void test_keeps_what_is_right(void **state)
{
    (void)state;
    int tried = 0;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        Setup s;
        int steps = 20000, newton = 20, sweeps = 1;
        begin(seed, 90, true, 0, &s);
        assert_true(perp_delassus_analyse(&s.cones));
        perp_apgd(&s.arena, &s.cones, 1e-4, &steps, s.r);
        if (perp_newton_natural(&s.arena, &s.cones, 1e-7, 1e-10, &newton, s.r) <= 1e-10) {
            assert_true(perp_projected_nsgs(&s.arena, &s.cones, 0, &sweeps, s.r) <= 1e-8);
            assert_int_equal(sweeps, 1);
            tried++;
        }
        end(&s);
    }
    assert_true(tried >= 10);
}

static void test_knows_what_it_cannot_do(void **state)
{
    (void)state;
    Setup s;
    begin(1, 30, true, 2, &s);
    assert_false(perp_projected_nsgs_fits(&s.cones)); // joints
    end(&s);
    begin(1, 30, false, 0, &s);
    assert_false(perp_projected_nsgs_fits(&s.cones)); // masses that are not diagonal
    end(&s);
    begin(1, 30, true, 0, &s);
    s.cones.shift = 0;
    assert_false(perp_projected_nsgs_fits(&s.cones)); // the convex relaxation
    end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_arrives),
        cmocka_unit_test(test_keeps_what_is_right),
        cmocka_unit_test(test_knows_what_it_cannot_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
