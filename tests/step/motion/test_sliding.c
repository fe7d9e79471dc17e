// Blocks on planes: sticking, sliding, stopping, with isotropic and anisotropic friction.

#include "../stepping.h"

static const double FLAT[3] = {0.5, 0.5, 0.1};

// Gravity tilted by `angle` towards `heading` (rad from x), over a horizontal plane.
static void tilt_gravity(PerpWorld *w, double angle, double heading)
{
    perp_world_set(w->def.gravity, G * sin(angle) * cos(heading), G * sin(angle) * sin(heading),
                   -G * cos(angle));
}

typedef struct Incline {
    int scheme, facets;
    double mass, h;
    double heading; // rad, from the first facet
    double excess;  // mu over the threshold of the heading
} Incline;

static const double SLOPE = 0.5; // rad

static int place_block(PerpWorld *w, const Incline *incline)
{
    perp_world_init(w);
    choose(w, incline->scheme, incline->h);
    w->settings.facets = incline->facets;
    perp_world_plane(w, 0, 0, 1);
    tilt_gravity(w, SLOPE, incline->heading);
    // a polygon of u facets resists pulls between two of them by mu cos(pi/u)
    double facet = 2 * PI / incline->facets, off = remainder(incline->heading, facet);
    double strength = cos(PI / incline->facets) / cos(facet / 2 - fabs(off));
    w->materials[0].mu = incline->excess * tan(SLOPE) / strength;
    return perp_world_box(w, incline->mass, FLAT, 0, 0, FLAT[2]);
}

static double speed_after(const Incline *incline, double seconds)
{
    PerpWorld w;
    int block = place_block(&w, incline);
    start(&w);
    run(&w, steps_of(&w, seconds));
    double speed = perp_vec3_norm(velocity(&w, block)) + perp_vec3_norm(spin_of(&w, block));
    perp_world_end(&w);
    return speed;
}

static void test_block_sticks(void **state)
{
    (void)state;
    static const double masses[] = {1e-3, 1, 1e6};
    for (int scheme = 0; scheme < SCHEME_COUNT; scheme++)
        for (int facets = 4; facets <= 16; facets *= 2)
            for (int m = 0; m < 3; m++)
                for (int between = 0; between < 2; between++) {
                    double heading = (2 + between) * PI / facets;
                    Incline incline = {scheme, facets, masses[m], 1e-2, heading, 1.01};
                    assert_below(speed_after(&incline, 2), 1e-12);
                }
}

static void test_block_sticks_at_small_steps(void **state)
{
    (void)state;
    for (int scheme = 0; scheme < SCHEME_COUNT; scheme++) {
        Incline fine = {scheme, 8, 1, 1e-3, 0.3, 1.01};
        assert_below(speed_after(&fine, 2), 1e-12);
        Incline finest = {scheme, 4, 1e6, 1e-4, 0, 1.01};
        assert_below(speed_after(&finest, 2), 1e-12);
    }
}

// a = g (sin - mu cos) along a facet
static void test_block_slides(void **state)
{
    (void)state;
    static const double masses[] = {1e-3, 1, 1e6};
    for (int scheme = 0; scheme < SCHEME_COUNT; scheme++)
        for (int facets = 4; facets <= 16; facets *= 2)
            for (int m = 0; m < 3; m++) {
                Incline incline = {scheme, facets, masses[m], 1e-2, 4 * PI / facets, 0.9};
                double expected = 2 * G * sin(SLOPE) * 0.1;
                assert_near(speed_after(&incline, 2), expected, 1e-9 * expected);
            }
}

// the same on a plane that is tilted itself, whose normal is no axis
static void test_tilted_plane(void **state)
{
    (void)state;
    for (int scheme = 0; scheme < SCHEME_COUNT; scheme++)
        for (int slides = 0; slides < 2; slides++) {
            PerpWorld w;
            perp_world_init(&w);
            choose(&w, scheme, 1e-2);
            perp_world_plane(&w, sin(SLOPE), 0, cos(SLOPE));
            w.materials[0].mu = (slides ? 0.9 : 1.01) * tan(SLOPE);
            int block = perp_world_box(&w, 2, FLAT, FLAT[2] * sin(SLOPE), 0, FLAT[2] * cos(SLOPE));
            perp_world_turn(&w, block, 0, SLOPE, 0);
            start(&w);
            run(&w, 200);
            double expected = slides ? 2 * G * sin(SLOPE) * 0.1 : 0;
            assert_near(perp_vec3_norm(velocity(&w, block)), expected, 1e-12 + 1e-9 * expected);
            assert_below(perp_simulation_report(w.simulation)->penetration, 1e-9);
            perp_world_end(&w);
        }
}

// v0^2 / (2 mu g)
static double stop_distance_error(int scheme, int steps)
{
    PerpWorld w;
    perp_world_init(&w);
    choose(&w, scheme, 1.0 / steps);
    perp_world_plane(&w, 0, 0, 1);
    w.materials[0].mu = 0.4;
    int block = perp_world_box(&w, 1, FLAT, 0, 0, FLAT[2]);
    w.bodies[block].velocity[0] = 3;
    start(&w);
    run(&w, steps);
    double error = position(&w, block).x - 9 / (2 * 0.4 * G);
    assert_true(velocity(&w, block).x == 0 || scheme != DEFAULT_SCHEME);
    assert_below(perp_vec3_norm(velocity(&w, block)), 1e-13);
    assert_below(fabs(position(&w, block).y), 1e-13);
    perp_world_end(&w);
    return error;
}

// the mean velocity is exact but for the step in which the block stops
static void test_stop_distance(void **state)
{
    (void)state;
    for (int n = 100; n <= 3200; n *= 2)
        assert_below(fabs(stop_distance_error(DEFAULT_SCHEME, n)), 0.4 * G / n / n);
    assert_order(stop_distance_error, ANITESCU_POTRA, 100, 1, 1e-2);
}

// A point on a plane thrown along `heading`, after one step of 0.1 s.
static PerpVec3 loss_of_speed(PerpWorld *w, double heading)
{
    int block = perp_world_box(w, 1, FLAT, 0, 0, FLAT[2]);
    perp_world_set(w->bodies[block].velocity, 5 * cos(heading), 5 * sin(heading), 0);
    start(w);
    run(w, 1);
    PerpVec3 loss = perp_vec3_sub(perp_vec3_load(w->bodies[block].velocity), velocity(w, block));
    perp_world_end(w);
    return loss;
}

// By default friction has no direction that it prefers: mu against the slip, whatever the heading.
static void test_friction_is_isotropic(void **state)
{
    (void)state;
    for (int k = 0; k < 16; k++) {
        PerpWorld w;
        perp_world_init(&w);
        choose(&w, DEFAULT_SCHEME, 0.1);
        w.settings.tolerance = SHARP;
        perp_world_plane(&w, 0, 0, 1);
        w.materials[0].mu = 0.4;
        double heading = 0.1 + k * PI / 8, expected = 0.4 * G * 0.1;
        PerpVec3 loss = loss_of_speed(&w, heading);
        assert_near(loss.x, expected * cos(heading), 1e-12);
        assert_near(loss.y, expected * sin(heading), 1e-12);
    }
}

// mu along the axis of the material, mu_second across, wherever the axis points
static void test_anisotropic_friction(void **state)
{
    (void)state;
    for (int scheme = 0; scheme < SCHEME_COUNT; scheme++)
        for (int across = 0; across < 2; across++) {
            PerpWorld w;
            perp_world_init(&w);
            choose(&w, scheme, 0.1);
            w.settings.tolerance = SHARP;
            perp_world_plane(&w, 0, 0, 1);
            w.materials[0].mu = 0.6;
            w.materials[0].mu_second = 0.2;
            perp_world_set(w.materials[0].axis, 3, 4, 0);
            double heading = atan2(4, 3) + across * PI / 2;
            PerpVec3 loss = loss_of_speed(&w, heading);
            double expected = (across ? 0.2 : 0.6) * G * 0.1;
            assert_near(loss.x, expected * cos(heading), 1e-12);
            assert_near(loss.y, expected * sin(heading), 1e-12);
        }
}

// The axis belongs to the body whose material has it: on a fixed body it turns with that body,
// whatever the other one does, and whichever shape comes first.
static void test_axis_of_the_other_body(void **state)
{
    (void)state;
    for (int ground_first = 0; ground_first < 2; ground_first++) {
        PerpWorld w;
        perp_world_init(&w);
        choose(&w, DEFAULT_SCHEME, 0.1);
        w.settings.tolerance = SHARP;
        const double moments[3] = {1, 1, 1};
        int ground = -1, block = -1;
        for (int k = 0; k < 2; k++)
            if ((k == 0) == (ground_first == 1)) {
                ground = perp_world_solid(&w, 1, moments, 0, 0, 0);
                perp_world_shape(&w, PERP_SHAPE_PLANE, ground);
                w.shapes[w.def.n_shapes - 1].material = 1;
            } else
                block = perp_world_box(&w, 1, FLAT, 0, 0, FLAT[2]);
        w.bodies[ground].freedom = 0;
        perp_world_turn(&w, ground, 0, 0, 0.5);
        perp_world_turn(&w, block, 0, 0, -0.9);
        w.def.n_materials = 2;
        w.materials[0].mu = 1;
        w.materials[1].mu = 0.36;
        w.materials[1].mu_second = 0.04;
        perp_world_set(w.materials[1].axis, 1, 0, 0);
        perp_world_set(w.bodies[block].velocity, -5 * sin(0.5), 5 * cos(0.5), 0);
        start(&w);
        run(&w, 1);
        double expected = 5 - 0.2 * G * 0.1; // across: sqrt(1 * 0.04) of the geometric mean
        assert_near(velocity(&w, block).x, -expected * sin(0.5), 1e-12);
        assert_near(velocity(&w, block).y, expected * cos(0.5), 1e-12);
        perp_world_end(&w);
    }
}

// a planar body has two friction directions, exact whatever the number of facets
static void test_planar_block(void **state)
{
    (void)state;
    static const unsigned freedoms[] = {PERP_FREE_PLANAR_XZ, PERP_FREE_PLANAR_XY};
    for (int scheme = 0; scheme < SCHEME_COUNT; scheme++)
        for (int plane = 0; plane < 2; plane++)
            for (int slides = 0; slides < 2; slides++) {
                PerpWorld w;
                perp_world_init(&w);
                choose(&w, scheme, 1e-2);
                bool xy = freedoms[plane] == PERP_FREE_PLANAR_XY;
                perp_world_plane(&w, 0, xy, !xy);
                double down = -G * cos(SLOPE);
                perp_world_set(w.def.gravity, G * sin(SLOPE), xy ? down : 0, xy ? 0 : down);
                w.materials[0].mu = (slides ? 0.9 : 1.01) * tan(SLOPE);
                const double half[3] = {0.5, 0.1, 0.1};
                int block = perp_world_box(&w, 1, half, 0, 0.1 * xy, 0.1 * !xy);
                w.bodies[block].freedom = freedoms[plane];
                start(&w);
                run(&w, 200);
                double expected = slides ? 2 * G * sin(SLOPE) * 0.1 : 0;
                assert_near(velocity(&w, block).x, expected, 1e-12 + 1e-9 * expected);
                assert_below(perp_vec3_norm(spin_of(&w, block)), 1e-11);
                perp_world_end(&w);
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_block_sticks),
        cmocka_unit_test(test_block_sticks_at_small_steps),
        cmocka_unit_test(test_block_slides),
        cmocka_unit_test(test_tilted_plane),
        cmocka_unit_test(test_stop_distance),
        cmocka_unit_test(test_friction_is_isotropic),
        cmocka_unit_test(test_anisotropic_friction),
        cmocka_unit_test(test_axis_of_the_other_body),
        cmocka_unit_test(test_planar_block),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
