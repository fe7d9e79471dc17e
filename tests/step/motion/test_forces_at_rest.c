// Forces at rest are the shortest of all that hold: no friction without a load along it, legs share
// like springs, symmetric scenes have symmetric forces. docs/theory/forces.md
#include "../stepping.h"

#include "perp/scene.h"

#include <math.h>

static const double H = 5e-3;

static void begin_with(PerpWorld *w, int scheme)
{
    perp_world_init(w);
    choose(w, scheme, H);
    perp_world_plane(w, 0, 0, 1);
}

static void begin(PerpWorld *w)
{
    begin_with(w, DEFAULT_SCHEME);
}

// Steps until nothing moves, and one more: forces are shortest in the step after.
static void settle(PerpWorld *w)
{
    start(w);
    run(w, 400);
}

static PerpVec3 force_of(const PerpContactReport *contact)
{
    return perp_vec3_scale(1 / H, perp_vec3_load(contact->impulse));
}

static double friction_of(const PerpContactReport *contact)
{
    PerpVec3 force = force_of(contact), n = perp_vec3_load(contact->normal);
    return perp_vec3_norm(perp_vec3_add_scaled(force, -perp_vec3_dot(force, n), n));
}

// A box of 1 kg: four corners of m g/4, no friction.
static void check_box(int scheme, int facets, double torsion, double rolling)
{
    static const double half[3] = {0.1, 0.15, 0.1};
    PerpWorld w;
    begin_with(&w, scheme);
    w.settings.facets = facets;
    w.materials[0].torsion = torsion;
    w.materials[0].rolling = rolling;
    perp_world_box(&w, 1, half, 0.3, 0.2, 0.1);
    settle(&w);
    assert_int_equal(perp_simulation_contact_count(w.simulation), 4);
    for (int i = 0; i < 4; i++) {
        PerpContactReport contact = perp_simulation_contact(w.simulation, i);
        assert_true(friction_of(&contact) <= 1e-9);
        if (!(fabs(perp_vec3_norm(force_of(&contact)) - G / 4) <= 1e-9))
            fail_msg("%d facets, torsion %g: %.12g", facets, torsion,
                     perp_vec3_norm(force_of(&contact)));
    }
    perp_world_end(&w);
}

// Circular cones, polygons, product cones of both.
static void test_box(void **state)
{
    (void)state;
    const int schemes[] = {DEFAULT_SCHEME, DAMPED};
    for (int i = 0; i < 2; i++) {
        check_box(schemes[i], PERP_FACETS_CIRCULAR, 0, 0);
        check_box(schemes[i], 8, 0, 0);
        check_box(schemes[i], PERP_FACETS_CIRCULAR, 0.01, 0.02);
        check_box(schemes[i], 6, 0.01, 0.02);
    }
}

// On soft ground normal forces are unique, friction is not: none is needed, none is reported.
static void check_soft_box(int scheme, double stiffness, double torsion)
{
    static const double half[3] = {0.1, 0.15, 0.1};
    PerpWorld w;
    begin_with(&w, scheme);
    w.materials[0].stiffness = 2 * stiffness;
    w.materials[0].damping = sqrt(stiffness);
    w.materials[0].torsion = torsion;
    perp_world_box(&w, 1, half, 0.3, 0.2, 0.1);
    settle(&w);
    assert_int_equal(perp_simulation_contact_count(w.simulation), 4);
    for (int i = 0; i < 4; i++) {
        PerpContactReport contact = perp_simulation_contact(w.simulation, i);
        if (!(friction_of(&contact) <= 1e-7))
            fail_msg("scheme %d, k = %g: friction %.2e N", scheme, stiffness,
                     friction_of(&contact));
        assert_true(fabs(perp_vec3_norm(force_of(&contact)) - G / 4) <= 1e-2);
    }
    perp_world_end(&w);
}

static void test_soft_box(void **state)
{
    (void)state;
    for (double k = 1e4; k <= 1e10; k *= 100) {
        check_soft_box(DEFAULT_SCHEME, k, 0);
        check_soft_box(DEFAULT_SCHEME, k, 0.01);
        check_soft_box(DAMPED, k, 0);
    }
}

// Legs at points p share like springs on a rigid plate: F = a + b x + c y. Here the centre of mass
// is off the middle of a regular polygon by e along x: F = m g/n (1 + 2 e x/r^2).
static void check_table(int legs)
{
    static const double moments[3] = {0.2, 0.2, 0.3};
    const double r = 0.5, e = 0.1;
    PerpWorld w;
    begin(&w);
    int table = perp_world_solid(&w, 3, moments, 0, 0, 0.6);
    for (int k = 0; k < legs; k++) {
        int shape = perp_world_shape(&w, PERP_SHAPE_SPHERE, table);
        double angle = 2 * PI * k / legs;
        w.shapes[shape].size[0] = 0.1;
        perp_world_set(w.shapes[shape].position, r * cos(angle) - e, r * sin(angle), -0.5);
    }
    settle(&w);
    assert_int_equal(perp_simulation_contact_count(w.simulation), legs);
    for (int i = 0; i < legs; i++) {
        PerpContactReport contact = perp_simulation_contact(w.simulation, i);
        double expected = 3 * G / legs * (1 + 2 * e * (contact.point[0] + e) / (r * r));
        if (!(friction_of(&contact) <= 1e-9 && fabs(fabs(force_of(&contact).z) - expected) <= 1e-9))
            fail_msg("%d legs, leg %d: friction %.2e, force %.12g, not %.12g", legs, i,
                     friction_of(&contact), force_of(&contact).z, expected);
    }
    perp_world_end(&w);
}

static void test_tables(void **state)
{
    (void)state;
    check_table(4);
    check_table(5);
    check_table(9);
}

// What is left and right of x = 0 has the same forces, mirrored.
static void check_symmetric(const PerpSimulation *simulation)
{
    int n = perp_simulation_contact_count(simulation), found = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            PerpContactReport a = perp_simulation_contact(simulation, i);
            PerpContactReport b = perp_simulation_contact(simulation, j);
            bool mirrored = fabs(a.point[0] + b.point[0]) <= 1e-6 &&
                            fabs(a.point[1] - b.point[1]) <= 1e-6 &&
                            fabs(a.point[2] - b.point[2]) <= 1e-6;
            double sign = a.normal[2] * b.normal[2] < 0 ? -1 : 1; // the bodies in another order
            if (!mirrored)
                continue;
            PerpVec3 of_a = force_of(&a), of_b = perp_vec3_scale(sign, force_of(&b));
            found++;
            if (!(fabs(of_a.z - of_b.z) <= 1e-9 && fabs(of_a.x + of_b.x) <= 1e-9))
                fail_msg("at %g %g %g: %.12g and %.12g", a.point[0], a.point[1], a.point[2], of_a.z,
                         of_b.z);
        }
    assert_true(n > 0 && found >= n);
}

static void check_wall(int rows)
{
    static const double half[3] = {0.2, 0.1, 0.05};
    PerpWorld w;
    begin(&w);
    for (int row = 0; row < rows; row++)
        for (int k = 0; k <= row; k++) // narrower upwards
            perp_world_box(&w, 1, half, 0.42 * (k - row / 2.0), 0, 0.05 + 0.1 * (rows - 1 - row));
    settle(&w);
    check_symmetric(w.simulation);
    perp_world_end(&w);
}

// Ten boxes and 120.
static void test_symmetric_wall(void **state)
{
    (void)state;
    check_wall(4);
    check_wall(15);
}

// The arch of scenes/arch.yaml: eleven stones.
static void test_symmetric_arch(void **state)
{
    (void)state;
    PerpScene *scene;
    PerpModel *model;
    PerpSimulation *simulation;
    assert_int_equal(perp_scene_read(NULL, "scenes/arch.yaml", NULL, 0, &scene, NULL), PERP_OK);
    assert_int_equal(perp_model_create(NULL, perp_scene_model_def(scene), &model, NULL), PERP_OK);
    PerpSimulationSettings settings = perp_default_simulation_settings();
    settings.step = H;
    assert_int_equal(perp_simulation_create(NULL, model, &settings, &simulation, NULL), PERP_OK);
    for (int k = 0; k < 20; k++)
        assert_int_equal(perp_simulation_step(simulation, 0, NULL), PERP_OK);
    check_symmetric(simulation);
    perp_simulation_destroy(simulation);
    perp_model_destroy(model);
    perp_scene_destroy(scene);
}

// Two fingers press a box from both sides: each carries half of it, alike.
static void check_gripper(bool moves)
{
    static const double finger[3] = {0.02, 0.1, 0.1}, held[3] = {0.1, 0.05, 0.05};
    PerpWorld w;
    perp_world_init(&w);
    choose(&w, DEFAULT_SCHEME, H);
    int box = perp_world_box(&w, 1, held, 0, 0, 0);
    for (int side = -1; side <= 1; side += 2) {
        int body = perp_world_box(&w, 0.5, finger, 0.12 * side, 0, 0);
        w.bodies[body].freedom = PERP_FREE_X | (moves ? PERP_FREE_Z : 0);
        int force = perp_world_force(&w, body);
        w.forces[force].force[0] = -20 * side;
        w.forces[force].force[2] = moves ? G : 0; // carries itself and half of the box
    }
    for (int b = 0; b < w.def.n_bodies && moves; b++)
        w.bodies[b].velocity[2] = 0.3;
    start(&w);
    perp_simulation_shortest_forces(w.simulation, moves);
    run(&w, 100);
    double carried[2] = {0}, pressed[2] = {0};
    for (int i = 0; i < perp_simulation_contact_count(w.simulation); i++) {
        PerpContactReport contact = perp_simulation_contact(w.simulation, i);
        PerpVec3 force = force_of(&contact);
        int right = contact.point[0] > 0;
        double sign = contact.body_a == box ? 1 : -1;
        carried[right] += sign * force.z;
        pressed[right] += fabs(force.x);
        assert_true(fabs(force.y) <= 1e-9);
    }
    for (int side = 0; side < 2; side++) {
        assert_true(fabs(carried[side] - G / 2) <= 1e-9);
        assert_true(fabs(pressed[side] - 20) <= 1e-9);
    }
    perp_world_end(&w);
}

// Also while it goes up, if that is asked for.
static void test_symmetric_gripper(void **state)
{
    (void)state;
    check_gripper(false);
    check_gripper(true);
}

// Boxes with torsion that slide, topple and fall on each other: the motion is the same with the
// shortest forces, to the tolerance.
static void test_motion_is_the_same(void **state)
{
    (void)state;
    enum { BOXES = 3, STEPS = 40 };
    static const double half[3] = {0.1, 0.15, 0.1};
    double velocity[2][BOXES][6];
    for (int shortest = 0; shortest < 2; shortest++) {
        PerpWorld w;
        begin(&w);
        w.materials[0].torsion = 0.01;
        for (int k = 0; k < BOXES; k++) {
            int box = perp_world_box(&w, 1 + k, half, 0.05 * k, 0.02 * k, 0.1 + 0.2 * k);
            w.bodies[box].velocity[0] = 0.5 - 0.3 * k;
        }
        start(&w);
        perp_simulation_shortest_forces(w.simulation, shortest);
        run(&w, STEPS);
        for (int k = 0; k < BOXES; k++)
            perp_simulation_velocity(w.simulation, k, velocity[shortest][k],
                                     velocity[shortest][k] + 3);
        perp_world_end(&w);
    }
    for (int k = 0; k < BOXES; k++)
        for (int i = 0; i < 6; i++)
            assert_true(fabs(velocity[0][k][i] - velocity[1][k][i]) <= 1e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_box),
        cmocka_unit_test(test_soft_box),
        cmocka_unit_test(test_tables),
        cmocka_unit_test(test_symmetric_wall),
        cmocka_unit_test(test_symmetric_arch),
        cmocka_unit_test(test_symmetric_gripper),
        cmocka_unit_test(test_motion_is_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
