// Balls: sliding into rolling, rolling down, spinning and rolling against friction; blocks that
// rock.

#include "../stepping.h"

static const double RADIUS = 0.3;

static int place_ball(PerpWorld *w, int scheme, double h, double mu)
{
    perp_world_init(w);
    choose(w, scheme, h);
    perp_world_plane(w, 0, 0, 1);
    w->materials[0].mu = mu;
    return perp_world_sphere(w, 2, RADIUS, 0, 0, RADIUS);
}

// Angular momentum about the track is kept whatever friction does: 5/7 v0 in any direction.
static void test_sliding_becomes_rolling(void **state)
{
    (void)state;
    for (int scheme = 0; scheme < SCHEME_COUNT; scheme++)
        for (double heading = 0; heading < 6; heading += 0.7) {
            PerpWorld w;
            int ball = place_ball(&w, scheme, 1e-2, 0.2);
            perp_world_set(w.bodies[ball].velocity, 3 * cos(heading), 3 * sin(heading), 0);
            start(&w);
            run(&w, 100);
            PerpVec3 v = velocity(&w, ball), spin = spin_of(&w, ball);
            assert_near(v.x, 15.0 / 7 * cos(heading), 1e-11);
            assert_near(v.y, 15.0 / 7 * sin(heading), 1e-11);
            assert_near(spin.x, -v.y / RADIUS, 1e-11);
            assert_near(spin.y, v.x / RADIUS, 1e-11);
            assert_near(spin.z, 0, 1e-11);
            perp_world_end(&w);
        }
}

// It slides for 2 v0/(7 mu g), over 12 v0^2/(49 mu g); then rolls with 5/7 v0.
static double distance_rolled_error(int scheme, int steps)
{
    PerpWorld w;
    int ball = place_ball(&w, scheme, 1.0 / steps, 0.2);
    w.bodies[ball].velocity[0] = 3;
    start(&w);
    run(&w, steps);
    double slide = 6 / (7 * 0.2 * G), expected = 12 * 9 / (49 * 0.2 * G) + 15.0 / 7 * (1 - slide);
    double error = position(&w, ball).x - expected;
    perp_world_end(&w);
    return error;
}

static void test_order_of_distance_rolled(void **state)
{
    (void)state;
    for (int n = 50; n <= 800; n *= 2)
        assert_below(fabs(distance_rolled_error(DEFAULT_SCHEME, n)), 0.2 * G / n / n);
    assert_order(distance_rolled_error, ANITESCU_POTRA, 100, 1, 5e-3);
}

// 5/7 g sin where mu >= 2/7 tan, else g (sin - mu cos)
static void test_rolling_down(void **state)
{
    (void)state;
    const double slope = 0.6;
    for (int scheme = 0; scheme < SCHEME_COUNT; scheme++)
        for (int slips = 0; slips < 2; slips++) {
            PerpWorld w;
            double mu = (slips ? 0.5 : 1.01) * 2 / 7 * tan(slope);
            int ball = place_ball(&w, scheme, 1e-2, mu);
            perp_world_set(w.def.gravity, G * sin(slope), 0, -G * cos(slope));
            start(&w);
            run(&w, 200);
            double a = slips ? G * (sin(slope) - mu * cos(slope)) : 5.0 / 7 * G * sin(slope);
            assert_near(velocity(&w, ball).x, 2 * a, 1e-11);
            if (scheme == DEFAULT_SCHEME)
                assert_near(position(&w, ball).x, 2 * a, 1e-10);
            perp_world_end(&w);
        }
}

// w0 - (torsion m g / I) t, then 0
static void test_torsion_stops_spin(void **state)
{
    (void)state;
    for (int scheme = 0; scheme < SCHEME_COUNT; scheme++) {
        PerpWorld w;
        int ball = place_ball(&w, scheme, 1e-3, 0.3);
        w.materials[0].torsion = 0.02;
        w.bodies[ball].spin[2] = -4;
        start(&w);
        double slowing = 0.02 * G / (0.4 * RADIUS * RADIUS), stop = 4 / slowing;
        int before = (int)floor(0.9 * stop / 1e-3);
        run(&w, before);
        assert_near(spin_of(&w, ball).z, -4 + slowing * before * 1e-3, 1e-11);
        run(&w, (int)ceil(0.2 * stop / 1e-3));
        assert_below(perp_vec3_norm(spin_of(&w, ball)), 1e-12);
        assert_below(perp_vec3_norm(velocity(&w, ball)), 1e-12);
        perp_world_end(&w);
    }
}

// A rolling ball slows by 5/7 rolling g / r along a facet, and stands still in the end.
static void test_rolling_friction(void **state)
{
    (void)state;
    for (int scheme = 0; scheme < SCHEME_COUNT; scheme++) {
        PerpWorld w;
        int ball = place_ball(&w, scheme, 1e-3, 0.5);
        w.materials[0].rolling = 0.01;
        w.bodies[ball].velocity[0] = 0.2;
        w.bodies[ball].spin[1] = 0.2 / RADIUS;
        start(&w);
        double slowing = 5.0 / 7 * 0.01 * G / RADIUS;
        run(&w, 500);
        assert_near(velocity(&w, ball).x, 0.2 - 0.5 * slowing, 1e-11);
        run(&w, 500);
        assert_below(perp_vec3_norm(velocity(&w, ball)), 1e-12);
        assert_near(position(&w, ball).x, 0.04 / (2 * slowing), scheme ? 2e-4 : 1e-6);
        perp_world_end(&w);
    }
}

// A ball at rest on a slope that rolling friction holds: rolling/r >= tan.
static void test_rolling_friction_holds(void **state)
{
    (void)state;
    for (int scheme = 0; scheme < SCHEME_COUNT; scheme++)
        for (int holds = 0; holds < 2; holds++) {
            PerpWorld w;
            int ball = place_ball(&w, scheme, 1e-2, 0.5);
            w.materials[0].rolling = (holds ? 1.01 : 0.9) * RADIUS * tan(0.1);
            perp_world_set(w.def.gravity, G * sin(0.1), 0, -G * cos(0.1));
            start(&w);
            run(&w, 100);
            double expected = holds ? 0 : 5.0 / 7 * 0.1 * G * sin(0.1);
            assert_near(velocity(&w, ball).x, expected, 1e-12);
            perp_world_end(&w);
        }
}

// --- rocking blocks -----------------------------------------------------------------------------

static const double SLENDER[3] = {0.1, 0.1, 0.5};

static int place_slender(PerpWorld *w, int scheme, double h)
{
    perp_world_init(w);
    choose(w, scheme, h);
    perp_world_plane(w, 0, 0, 1);
    w->materials[0].mu = 2;
    return perp_world_box(w, 3, SLENDER, 0, 0, SLENDER[2]);
}

// w+/w- = 1 - 3/2 sin^2 alpha, angular momentum about the new edge             [Housner 1963]
static double spin_ratio(void)
{
    double b2 = SLENDER[0] * SLENDER[0], h2 = SLENDER[2] * SLENDER[2];
    return 1 - 1.5 * b2 / (b2 + h2);
}

// A block that turns about its left edge as the right one touches down.
static void test_rocking_impact(void **state)
{
    (void)state;
    static const unsigned freedoms[] = {PERP_FREE_ALL, PERP_FREE_PLANAR_XZ};
    for (int scheme = 0; scheme < SCHEME_COUNT; scheme++)
        for (int planar = 0; planar < 2; planar++) {
            PerpWorld w;
            int block = place_slender(&w, scheme, 1e-7);
            w.bodies[block].freedom = freedoms[planar];
            w.bodies[block].spin[1] = 1;
            perp_world_set(w.bodies[block].velocity, SLENDER[2], 0, -SLENDER[0]);
            start(&w);
            run(&w, 2);
            assert_near(spin_of(&w, block).y, spin_ratio(), 1e-6);
            assert_near(velocity(&w, block).x, SLENDER[2] * spin_ratio(), 1e-6);
            assert_near(velocity(&w, block).z, SLENDER[0] * spin_ratio(), 1e-6);
            perp_world_end(&w);
        }
}

// Energy above rest of a block that leans by theta on an edge: m g R (cos(alpha - theta) - cos).
static double lean_energy(double theta)
{
    double alpha = atan(SLENDER[0] / SLENDER[2]), R = hypot(SLENDER[0], SLENDER[2]);
    return 3 * G * R * (cos(alpha - theta) - cos(alpha));
}

// Released at a lean, the block keeps (w+/w-)^2 of its energy at the first impact.
static double rocking_energy_error(int scheme, int steps)
{
    PerpWorld w;
    int block = place_slender(&w, scheme, 0.45 / steps);
    const double lean = 0.1, b = SLENDER[0], c = SLENDER[2];
    w.bodies[block].position[0] = b * (1 - cos(lean)) - c * sin(lean);
    w.bodies[block].position[2] = b * sin(lean) + c * cos(lean);
    perp_world_turn(&w, block, 0, -lean, 0);
    start(&w);
    for (int k = 0; k < steps; k++)
        step(&w, 0);
    assert_true(2 * rotation(&w, block).y > 0.01); // over on the other edge
    double above = energy_of(&w) - 3 * G * c;
    perp_world_end(&w);
    return above - spin_ratio() * spin_ratio() * lean_energy(lean);
}

static void test_rocking_energy(void **state)
{
    (void)state;
    for (int scheme = 0; scheme < SCHEME_COUNT; scheme++) {
        double scale = lean_energy(0.1);
        assert_below(fabs(rocking_energy_error(scheme, 500)), 2e-2 * scale);
        assert_below(fabs(rocking_energy_error(scheme, 4000)), 4e-3 * scale);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sliding_becomes_rolling),
        cmocka_unit_test(test_order_of_distance_rolled),
        cmocka_unit_test(test_rolling_down),
        cmocka_unit_test(test_torsion_stops_spin),
        cmocka_unit_test(test_rolling_friction),
        cmocka_unit_test(test_rolling_friction_holds),
        cmocka_unit_test(test_rocking_impact),
        cmocka_unit_test(test_rocking_energy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
