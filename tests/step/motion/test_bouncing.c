// Bounces: apex heights, Zeno's time, Newton's cradle, the threshold, limits and ropes that are
// struck.

#include "../stepping.h"

static const double DROP = 1; // m

static int place_ball(PerpWorld *w, int scheme, double h, double e)
{
    perp_world_init(w);
    choose(w, scheme, h);
    perp_world_plane(w, 0, 0, 1);
    w->materials[0].restitution = e;
    return perp_world_sphere(w, 2, 0.1, 0, 0, 0.1 + DROP);
}

// In flight, the height at which the ball will turn, above rest.
static double apex(const PerpWorld *w, int ball)
{
    double v = velocity(w, ball).z;
    return position(w, ball).z - 0.1 + v * v / (2 * G);
}

// Steps until `bounces` impacts have happened, with the apex after the last.
static double apex_after(PerpWorld *w, int ball, int bounces)
{
    for (int seen = 0; seen < bounces; seen += perp_simulation_report(w->simulation)->impacts) {
        step(w, 0);
        assert_below(perp_simulation_time(w->simulation), 5);
    }
    return apex(w, ball);
}

// e^(2k) H after k bounces
static void test_apex_heights(void **state)
{
    (void)state;
    static const double e[] = {1, 0.9, 0.5, 0.1};
    static const double h[] = {1e-2, 1e-3, 3.7e-4};
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 3; j++) {
            PerpWorld w;
            int ball = place_ball(&w, DEFAULT_SCHEME, h[j], e[i]);
            start(&w);
            for (int seen = 0; seen < 3;) { // a long step may see several
                double height = apex_after(&w, ball, 1);
                seen += perp_simulation_report(w.simulation)->impacts;
                assert_near(height, pow(e[i], 2 * seen) * DROP, 1e-9);
            }
            perp_world_end(&w);
        }
}

static double second_apex_error(int scheme, int steps)
{
    PerpWorld w;
    int ball = place_ball(&w, scheme, 1.0 / steps, 0.8);
    start(&w);
    double error = apex_after(&w, ball, 2) - pow(0.8, 4) * DROP;
    perp_world_end(&w);
    return error;
}

static void test_order_of_apex_heights(void **state)
{
    (void)state;
    assert_order(second_apex_error, ANITESCU_POTRA, 400, 1, 1e-2);
}

// with e = 1 a ball bounces for ever, to the same height
static void test_elastic_ball_keeps_its_energy(void **state)
{
    (void)state;
    PerpWorld w;
    int ball = place_ball(&w, DEFAULT_SCHEME, 1e-2, 1);
    start(&w);
    run(&w, 2000);
    assert_near(apex(&w, ball), DROP, 1e-9);
    assert_below(perp_simulation_report(w.simulation)->energy.balance, 1e-9);
    perp_world_end(&w);
}

// Impact k has the speed e^k v0, at v0/g + 2 v0/g (e + .. + e^k); it bounces above the threshold.
static void test_zeno_time(void **state)
{
    (void)state;
    static const double threshold[] = {1e-2, 1e-3};
    for (int scheme = 0; scheme < SCHEME_COUNT; scheme++)
        for (int i = 0; i < 2; i++) {
            PerpWorld w;
            const double e = 0.7, h = 1e-3, v0 = sqrt(2 * G * DROP), zeno = v0 / G * 1.7 / 0.3;
            int ball = place_ball(&w, scheme, h, e), impacts = 0, bounces = 0;
            // explicit Euler gains g h in each flight: below g h e/(1 - e) it would hop for ever
            double least = threshold[i] + (scheme == ANITESCU_POTRA) * 2 * G * h * e / (1 - e);
            w.settings.restitution_threshold = least;
            for (double v = v0; v > least; v *= e)
                bounces++;
            start(&w);
            while (perp_vec3_norm(velocity(&w, ball)) > 0 || impacts == 0) {
                step(&w, 0);
                impacts += perp_simulation_report(w.simulation)->impacts;
                assert_below(perp_simulation_time(w.simulation), 2 * zeno);
            }
            bool exact = scheme == DEFAULT_SCHEME;
            double left = 2 * least / (G * (1 - e));
            assert_in_range(impacts, bounces - !exact, bounces + 3 * !exact);
            assert_near(perp_simulation_time(w.simulation), zeno, left + 2 * h + !exact * 40 * h);
            run(&w, 100);
            assert_below(perp_vec3_norm(velocity(&w, ball)), 0);
            assert_near(position(&w, ball).z, 0.1, exact ? 1e-9 : least * h);
            perp_world_end(&w);
        }
}

// below the threshold e is 0, above it is not
static void test_threshold(void **state)
{
    (void)state;
    for (int scheme = 0; scheme < SCHEME_COUNT; scheme++)
        for (int above = 0; above < 2; above++) {
            PerpWorld w;
            int ball = place_ball(&w, scheme, 1e-4, 0.5);
            perp_world_set(w.def.gravity, 0, 0, 0);
            w.settings.restitution_threshold = 0.25;
            w.bodies[ball].position[2] = 0.1 + 1e-5;
            w.bodies[ball].velocity[2] = above ? -0.26 : -0.24;
            start(&w);
            run(&w, 3);
            assert_near(velocity(&w, ball).z, above ? 0.13 : 0, 1e-12);
            assert_int_equal(perp_simulation_report(w.simulation)->impacts, 0);
            perp_world_end(&w);
        }
}

// A contact that is struck as the simulation begins bounces too.
static void test_initial_collision(void **state)
{
    (void)state;
    for (int scheme = 0; scheme < SCHEME_COUNT; scheme++) {
        PerpWorld w;
        int ball = place_ball(&w, scheme, 1e-3, 0.5);
        w.bodies[ball].position[2] = 0.1;
        w.bodies[ball].velocity[2] = -2;
        start(&w);
        run(&w, 1);
        assert_near(velocity(&w, ball).z, 1 - 1e-3 * G, 1e-9 + 2 * G * 1e-3 * scheme);
        assert_int_equal(perp_simulation_report(w.simulation)->impacts, 1);
        perp_world_end(&w);
    }
}

enum { BALLS = 5 };

// Balls on a line with small gaps between them, the first one moving: impacts one after the other.
static void place_row(PerpWorld *w, int scheme, double h, double gap, double e)
{
    perp_world_init(w);
    choose(w, scheme, h);
    perp_world_set(w->def.gravity, 0, 0, 0);
    w->materials[0].restitution = e;
    w->materials[0].mu = 0;
    for (int k = 0; k < BALLS; k++)
        perp_world_sphere(w, 1, 0.1, k * (0.2 + gap), 0, 0);
    w->bodies[0].position[0] -= 0.05;
    w->bodies[0].velocity[0] = 1;
}

// the last ball takes the whole velocity
static void test_cradle(void **state)
{
    (void)state;
    static const double gap[] = {1e-7, 1e-5, 1e-3};
    for (int scheme = 0; scheme < SCHEME_COUNT; scheme++)
        for (int i = 0; i < 3; i++) {
            PerpWorld w;
            place_row(&w, scheme, 1e-2, gap[i], 1);
            start(&w);
            run(&w, 20);
            for (int k = 0; k < BALLS; k++)
                assert_near(velocity(&w, k).x, k == BALLS - 1, 1e-12);
            perp_world_end(&w);
        }
}

// v_(k+1) = (1 + e)/2 v_k, v_k' = (1 - e)/2 v_k down the row; momentum is kept
static void test_inelastic_row(void **state)
{
    (void)state;
    for (int scheme = 0; scheme < SCHEME_COUNT; scheme++) {
        PerpWorld w;
        place_row(&w, scheme, 1e-3, 1e-4, 0.9);
        start(&w);
        double momentum = 0;
        while (velocity(&w, BALLS - 1).x == 0) {
            step(&w, 0);
            assert_below(perp_simulation_time(w.simulation), 1);
        }
        assert_near(velocity(&w, BALLS - 1).x, pow(0.95, BALLS - 1), 1e-12);
        for (int k = 0; k < BALLS; k++)
            momentum += velocity(&w, k).x;
        assert_near(momentum, 1, 1e-13);
        perp_world_end(&w);
    }
}

// unequal masses: v1' = (m1 - e m2)/(m1 + m2) v, v2' = (1 + e) m1/(m1 + m2) v
static void test_two_masses(void **state)
{
    (void)state;
    for (int scheme = 0; scheme < SCHEME_COUNT; scheme++)
        for (double ratio = 1e-6; ratio < 1e7; ratio *= 1e3) {
            PerpWorld w;
            perp_world_init(&w);
            choose(&w, scheme, 1e-2);
            perp_world_set(w.def.gravity, 0, 0, 0);
            w.materials[0].restitution = 0.6;
            perp_world_sphere(&w, 1, 0.1, 0, 0, 0);
            perp_world_sphere(&w, ratio, 0.2, 0.31, 0, 0);
            w.bodies[0].velocity[0] = 1;
            start(&w);
            run(&w, 2);
            assert_near(velocity(&w, 0).x, (1 - 0.6 * ratio) / (1 + ratio), 1e-12);
            assert_near(velocity(&w, 1).x, 1.6 / (1 + ratio), 1e-12);
            perp_world_end(&w);
        }
}

// Balls on rods that touch no one at rest: gap between them, the first one raised.
static double swing_over_error(int scheme, int steps)
{
    PerpWorld w;
    perp_world_init(&w);
    const double raise = 0.3, length = 1, reach = length * (1 - cos(raise));
    double period = 2 * PI * sqrt(length / G) / agm(1, cos(raise / 2));
    choose(&w, scheme, 0.75 * period / steps);
    w.materials[0].restitution = 1;
    w.materials[0].mu = 0;
    for (int k = 0; k < 3; k++) {
        double x = 0.2001 * k - (k == 0 ? length * sin(raise) : 0);
        int ball = perp_world_sphere(&w, 1, 0.1, x, 0, k == 0 ? reach : 0);
        w.bodies[ball].freedom = PERP_FREE_POINT;
        perp_world_joint(&w, PERP_JOINT_DISTANCE, -1, ball, 0.2001 * k, 0, length);
    }
    start(&w);
    double highest = 0;
    for (int k = 0; k < steps; k++) {
        step(&w, 0);
        highest = fmax(highest, position(&w, 2).z);
    }
    double error = highest - reach;
    perp_world_end(&w);
    return error;
}

// the last ball rises as high as the first was
static void test_hanging_cradle(void **state)
{
    (void)state;
    for (int scheme = 0; scheme < SCHEME_COUNT; scheme++) {
        double coarse = fabs(swing_over_error(scheme, 1000));
        double fine = fabs(swing_over_error(scheme, 4000));
        assert_below(coarse, 2e-3);
        assert_below(fine, coarse / 3);
    }
}

// A cart on a rail runs against the end of it.
static void test_joint_limit(void **state)
{
    (void)state;
    for (int scheme = 0; scheme < SCHEME_COUNT; scheme++)
        for (double e = 0; e <= 1; e += 0.5) {
            const double ones[3] = {1, 1, 1};
            PerpWorld w;
            perp_world_init(&w);
            choose(&w, scheme, 1e-3);
            int cart = perp_world_solid(&w, 3, ones, 0, 0, 0);
            int rail = perp_world_joint(&w, PERP_JOINT_SLIDER, -1, cart, 0, 0, 0);
            perp_world_set(w.joints[rail].axis, 1, 0, 0);
            w.joints[rail].axis_def[0].upper = 0.25;
            w.joints[rail].axis_def[0].lower = -0.75;
            w.joints[rail].axis_def[0].restitution = e;
            w.bodies[cart].velocity[0] = 2;
            start(&w);
            run(&w, 200); // 0.125 s to the limit
            double expected = e > 0 ? 0.25 - 2 * e * 0.075 : 0.25;
            assert_near(velocity(&w, cart).x, -2 * e, 1e-12);
            assert_near(coordinate(&w, rail), expected, 1e-9);
            run(&w, 1000); // e = 1/2: lower limit at 1.125 s; e = 1: 0.625 s, upper at 1.125 s
            assert_near(velocity(&w, cart).x, e == 1 ? -2 : 2 * e * e, 1e-12);
            assert_true(coordinate(&w, rail) <= 0.25 + 1e-9);
            perp_world_end(&w);
        }
}

// A hinge's limit is reached after a whole turn: angles count turns, and nothing happens where
// atan2 jumps.
static void test_limit_after_a_turn(void **state)
{
    (void)state;
    for (int scheme = 0; scheme < SCHEME_COUNT; scheme++) {
        const double moments[3] = {1, 2, 1};
        PerpWorld w;
        perp_world_init(&w);
        choose(&w, scheme, 1e-2);
        int wheel = perp_world_solid(&w, 1, moments, 0, 0, 0);
        int axle = perp_world_hinge(&w, -1, wheel, 0, 0, 0);
        w.joints[axle].axis_def[0].upper = 10;
        w.joints[axle].axis_def[0].lower = -1;
        w.joints[axle].axis_def[0].restitution = 0.5;
        w.bodies[wheel].spin[1] = 4;
        start(&w);
        run(&w, 350);
        assert_near(spin_of(&w, wheel).y, -2, 1e-12);
        assert_near(coordinate(&w, axle), 10 - 2 * (3.5 - 2.5), 1e-9);
        perp_world_end(&w);
    }
}

// A wheel of 1 rad/s meets its limit wherever in a step, and bounces however small it is: an angle
// has no size that its bodies' points would tell.
static void test_limit_of_a_small_wheel(void **state)
{
    (void)state;
    static const double moments[3] = {0.1, 0.1, 0.1};
    enum { PHASES = 10 };
    for (int k = 0; k < PHASES; k++) {
        PerpWorld w;
        double limit = 0.02 + 1e-3 * k / PHASES;
        perp_world_init(&w);
        choose(&w, DEFAULT_SCHEME, 1e-3);
        int wheel = perp_world_solid(&w, 1, moments, 0, 0, 0);
        int axle = perp_world_hinge(&w, -1, wheel, 0, 0, 0);
        w.joints[axle].axis_def[0].lower = -limit;
        w.joints[axle].axis_def[0].upper = limit;
        w.joints[axle].axis_def[0].restitution = 0.5;
        w.bodies[wheel].spin[1] = 1; // along the axis
        start(&w);
        run(&w, 40);
        double angle = fabs(coordinate(&w, axle)), expected = limit - 0.5 * (0.04 - limit);
        if (!(fabs(angle - expected) <= 1e-12))
            fail_msg("limit %g: at %.9g, not %.9g", limit, angle, expected);
        perp_world_end(&w);
    }
}

// A ball on a slack string falls freely until it is taut; then the radial speed is lost or turned,
// the other is kept                                                                          [L82]
static void fall_on_string(PerpWorld *w, int scheme, double h, double e)
{
    perp_world_init(w);
    choose(w, scheme, h);
    int ball = perp_world_point(w, 2, 0.6, 0, 0);
    int rope = perp_world_joint(w, PERP_JOINT_ROPE, -1, ball, 0, 0, 0);
    w->joints[rope].length = 1;
    w->joints[rope].restitution = e;
}

// Free fall from (0.6, 0): taut at (0.6, -0.8) with the speed sqrt(1.6 g), radial part 0.8 of it.
static double energy_lost_error(int scheme, int steps)
{
    PerpWorld w;
    fall_on_string(&w, scheme, 0.5 / steps, 0);
    start(&w);
    run(&w, steps);
    double taut = 0.8 * 0.8 * G * 1.6; // 2 kg / 2
    double error = -energy_of(&w) - taut;
    perp_world_end(&w);
    return error;
}

static void test_rope_goes_taut(void **state)
{
    (void)state;
    for (int scheme = 0; scheme < SCHEME_COUNT; scheme++) {
        assert_below(fabs(energy_lost_error(scheme, 1000)), 0.05);
        assert_below(fabs(energy_lost_error(scheme, 8000)), 0.05 / 6);
    }
}

// with e = 1 the string turns the radial speed, as a wall would
static void test_elastic_rope(void **state)
{
    (void)state;
    for (int scheme = 0; scheme < SCHEME_COUNT; scheme++) {
        PerpWorld w;
        fall_on_string(&w, scheme, 1e-4, 1);
        start(&w);
        while (perp_simulation_time(w.simulation) == 0 ||
               perp_simulation_report(w.simulation)->impacts == 0) {
            step(&w, 0);
            assert_below(perp_simulation_time(w.simulation), 1);
        }
        // v - 2 (v.r) r with v = (0, -s) and r = (0.6, -0.8)
        double s = sqrt(1.6 * G), late = 2 * G * 1e-4;
        assert_near(velocity(&w, 0).x, -2 * 0.8 * 0.6 * s, late);
        assert_near(velocity(&w, 0).z, -s + 2 * 0.8 * 0.8 * s, late);
        perp_world_end(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_apex_heights),
        cmocka_unit_test(test_order_of_apex_heights),
        cmocka_unit_test(test_elastic_ball_keeps_its_energy),
        cmocka_unit_test(test_zeno_time),
        cmocka_unit_test(test_threshold),
        cmocka_unit_test(test_initial_collision),
        cmocka_unit_test(test_cradle),
        cmocka_unit_test(test_inelastic_row),
        cmocka_unit_test(test_two_masses),
        cmocka_unit_test(test_hanging_cradle),
        cmocka_unit_test(test_joint_limit),
        cmocka_unit_test(test_limit_after_a_turn),
        cmocka_unit_test(test_limit_of_a_small_wheel),
        cmocka_unit_test(test_rope_goes_taut),
        cmocka_unit_test(test_elastic_rope),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
