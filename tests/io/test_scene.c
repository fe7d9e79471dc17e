// Scenes: what every key gives in the definitions.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "io/scene/scene_reader.h"
#include "math/quat.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static PerpScene *parse_set(const char *text, const PerpParameter *set, int n_set)
{
    PerpScene *scene = NULL;
    PerpError error = {0};
    if (perp_scene_parse(NULL, text, strlen(text), "scenes/examples/test.yaml", set, n_set, &scene,
                         &error))
        fail_msg("%s\n%d:%d: %s", text, error.line, error.column, error.message);
    return scene;
}

static PerpScene *parse(const char *text)
{
    return parse_set(text, NULL, 0);
}

static void check_numbers(const double *found, const double *expected, int count)
{
    for (int k = 0; k < count; k++)
        if (fabs(found[k] - expected[k]) > 1e-15 * (1 + fabs(expected[k])))
            fail_msg("number %d is %.17g, expected %.17g", k, found[k], expected[k]);
}

static void check_vector(const double *found, double x, double y, double z)
{
    check_numbers(found, (const double[]){x, y, z}, 3);
}

static void check_rotation(const double *found, double w, double x, double y, double z)
{
    check_numbers(found, (const double[]){w, x, y, z}, 4);
}

static void test_empty(void **state)
{
    (void)state;
    PerpScene *scene = parse("{}");
    const PerpModelDef *def = perp_scene_model_def(scene);
    const PerpRunDef *run = perp_scene_run(scene);
    assert_int_equal(def->n_bodies + def->n_shapes + def->n_joints, 0);
    assert_int_equal(def->n_materials, 1);
    assert_string_equal(def->materials[0].name, "default");
    check_vector(def->gravity, 0, 0, -9.81);
    assert_true(run->duration == 1 && run->step == 1e-3 && run->restitution_threshold == 1e-3);
    assert_string_equal(run->scheme, "default");
    assert_int_equal(run->facets, PERP_FACETS_SCHEME);
    assert_int_equal(run->seed, 0);
    assert_string_equal(perp_scene_about(scene), "");
    assert_int_equal(perp_scene_expectations(scene), 0);
    assert_int_equal(perp_scene_files(scene), 1);
    assert_string_equal(perp_scene_file(scene, 0), "scenes/examples/test.yaml");
    perp_scene_destroy(scene);
    perp_scene_destroy(NULL);
}

static void test_run(void **state)
{
    (void)state;
    PerpScene *scene = parse("about: a test\n"
                             "gravity: [0, -1, 2]\n"
                             "run: {t: 2*3, h: 1e-4, scheme: anitescu-potra, facets: 4,\n"
                             "      restitution-threshold: 0, seed: 9007199254740991}\n");
    const PerpRunDef *run = perp_scene_run(scene);
    assert_true(run->duration == 6 && run->step == 1e-4 && run->restitution_threshold == 0);
    assert_string_equal(run->scheme, "anitescu-potra");
    assert_int_equal(run->facets, 4);
    assert_true(run->seed == 9007199254740991ull);
    assert_string_equal(perp_scene_about(scene), "a test");
    check_vector(perp_scene_model_def(scene)->gravity, 0, -1, 2);
    perp_scene_destroy(scene);
}

static void test_scheme_options(void **state)
{
    (void)state;
    PerpScene *scene = parse("run: {jacobian: approximate, stabilise: project, linear: true,\n"
                             "      printed-coriolis: true, one-phase: false, data: middle,\n"
                             "      printed-collisions: true, first-step: 0.5}\n");
    const PerpRunDef *run = perp_scene_run(scene);
    assert_true(run->printed_collisions && run->first_step == 0.5);
    assert_int_equal(run->data, PERP_DATA_MIDDLE);
    assert_int_equal(run->jacobian, PERP_JACOBIAN_APPROXIMATE);
    assert_int_equal(run->stabilise, PERP_STABILISE_PROJECT);
    assert_true(run->linear && run->printed_coriolis);
    assert_false(run->one_phase || run->printed_decompression);
    perp_scene_destroy(scene);
    scene = parse("about: defaults\n");
    assert_int_equal(perp_scene_run(scene)->jacobian, PERP_JACOBIAN_SWITCH);
    assert_int_equal(perp_scene_run(scene)->stabilise, PERP_STABILISE_SCHEME);
    assert_true(perp_scene_run(scene)->first_step < 0 &&
                !perp_scene_run(scene)->printed_collisions);
    perp_scene_destroy(scene);
}

static void test_parameters(void **state)
{
    (void)state;
    const char *text = "parameters: {r: 0.5, d: 2*r, a: 90 deg}\n"
                       "bodies: {b: {sphere: r, at: [d, sin(a), 0]}}\n";
    PerpScene *scene = parse(text);
    check_vector(perp_scene_model_def(scene)->bodies[0].position, 1, 1, 0);
    assert_true(perp_scene_model_def(scene)->shapes[0].size[0] == 0.5);
    perp_scene_destroy(scene);
    const PerpParameter set[] = {{"r", "7"}, {"a", "0"}, {"r", "1/8"}};
    scene = parse_set(text, set, 3);
    check_vector(perp_scene_model_def(scene)->bodies[0].position, 0.25, 0, 0);
    perp_scene_destroy(scene);
}

static void test_materials(void **state)
{
    (void)state;
    PerpScene *scene = parse(
        "materials:\n"
        "  steel: {mu: 0.04, restitution: 0.5, torsion: 0.25, rolling: 4}\n"
        "  wood: {mu: 0.25, second-mu: 0.16, axis: [0, 2, 0], torsion: 1, rolling: 1}\n"
        "  default: {mu: 1}\n"
        "pairs:\n"
        "  - {between: [steel, wood]}\n"
        "  - {between: [wood, wood], mu: 1, second-mu: 2, torsion: 3, rolling: 4, restitution: 1}\n"
        "  - {between: [steel, default], mu: 7}\n"
        "world: [{plane: [0, 0, 1]}, {sphere: 1, material: wood}]\n");
    const PerpModelDef *def = perp_scene_model_def(scene);
    assert_int_equal(def->n_materials, 3);
    assert_true(def->materials[0].mu == 1 && def->materials[1].rolling == 4);
    assert_string_equal(def->materials[2].name, "wood");
    assert_true(def->materials[2].mu_second == 0.16);
    check_vector(def->materials[2].axis, 0, 2, 0);
    const PerpPairDef *p = def->pairs;
    assert_int_equal(def->n_pairs, 3);
    check_numbers(&p[0].mu, (const double[]){0.1, 0.08, 0.5, 2, 0.5}, 5);
    check_numbers(&p[1].mu, (const double[]){1, 2, 3, 4, 1}, 5);
    check_numbers(&p[2].mu, (const double[]){7, -1, 0, 0, 0.5}, 5);
    assert_int_equal(p[2].material_b, 0);
    assert_int_equal(def->shapes[0].material, 0);
    assert_int_equal(def->shapes[1].material, 2);
    perp_scene_destroy(scene);
}

// Hull, mesh and height field of test_shapes.
static void check_point_shapes(const PerpShapeDef *s)
{
    assert_int_equal(s[7].n_vertices, 4);
    assert_true(s[7].vertices[11] == 0.5);
    assert_int_equal(s[8].n_vertices, 6);
    assert_int_equal(s[8].n_triangles, 8);
    check_vector(s[8].vertices + 6, 1, -0.5, 0.3);
    assert_int_equal(s[8].triangles[8], 5); // 1 3 6 4 gives 1 3 6 and 1 6 4
    assert_int_equal(s[8].triangles[11], 3);
    assert_int_equal(s[9].rows, 2);
    assert_int_equal(s[9].columns, 3);
    assert_true(s[9].size[0] == 1 && s[9].size[1] == 2 && s[9].heights[5] == 5);
}

static void test_shapes(void **state)
{
    (void)state;
    PerpScene *scene = parse("world:\n"
                             "  - {point: [1, 2, 3], at: [1, 0, 0], name: tip}\n"
                             "  - {sphere: 2}\n"
                             "  - {capsule: {radius: 1, length: 3}}\n"
                             "  - {box: [2, 4, 6], density: 8}\n"
                             "  - {cylinder: {radius: 1, height: 5}}\n"
                             "  - {ellipsoid: [1, 2, 3]}\n"
                             "  - {plane: [3, 0, 0], at: [0, 0, 7]}\n"
                             "  - {hull: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1/2]]}\n"
                             "  - {mesh: ramp.obj}\n"
                             "  - {height-field: {cell: [1, 2], heights: [[0, 1, 2], [3, 4, 5]]}}\n"
                             "  - {hull: ramp.obj, group: 3, touches: [1, 32]}\n"
                             "  - {plane: [0, 0, -1]}\n");
    const PerpModelDef *def = perp_scene_model_def(scene);
    const PerpShapeDef *s = def->shapes;
    assert_int_equal(def->n_shapes, 12);
    for (int k = 0; k < PERP_SHAPE_KIND_COUNT; k++)
        assert_int_equal(s[k].kind, k);
    check_vector(s[0].position, 2, 2, 3);
    assert_string_equal(s[0].name, "tip");
    assert_true(s[1].size[0] == 2 && s[2].size[0] == 1 && s[2].size[1] == 1.5);
    check_vector(s[3].size, 1, 2, 3);
    assert_true(s[3].density == 8 && s[1].density == 1000);
    assert_true(s[4].size[0] == 1 && s[4].size[1] == 2.5);
    check_vector(s[5].size, 1, 2, 3);
    PerpQuat q = {s[6].rotation[0], s[6].rotation[1], s[6].rotation[2], s[6].rotation[3]};
    double normal[3];
    perp_vec3_store(perp_quat_rotate(q, (PerpVec3){0, 0, 1}), normal);
    check_vector(normal, 1, 0, 0);
    check_point_shapes(s);
    assert_ptr_equal(s[10].vertices, s[8].vertices);
    assert_int_equal(s[10].group, 4);
    assert_int_equal(s[10].mask, 0x80000001u);
    check_rotation(s[11].rotation, 0, 1, 0, 0);
    assert_int_equal(s[0].body, -1);
    perp_scene_destroy(scene);
}

static void test_bodies(void **state)
{
    (void)state;
    PerpScene *scene =
        parse("bodies:\n"
              "  a: {sphere: 1, at: [1, 2, 3], turn: {axis: [0, 0, 2], angle: 180 deg}, spin: [4,\n"
              "      5, 6], velocity: [7, 8, 9], density: 5}\n"
              "  b: {quaternion: [2, 0, 0, 0], mass: 2, centre: [0, 1, 0], inertia: [3, 3, 3]}\n"
              "  c: {mass: 1, inertia: [1, 2, 2.5, 0.1, 0.2, 0.3]}\n"
              "  d: {plane: [1, 0, 0], at: [0, 0, 1], free: fixed}\n");
    const PerpModelDef *def = perp_scene_model_def(scene);
    const PerpBodyDef *b = def->bodies;
    assert_int_equal(def->n_bodies, 4);
    assert_string_equal(b[0].name, "a");
    assert_int_equal(b[0].freedom, PERP_FREE_ALL);
    check_vector(b[0].position, 1, 2, 3);
    check_vector(b[0].spin, 4, 5, 6);
    check_vector(b[0].velocity, 7, 8, 9);
    check_rotation(b[0].rotation, 0, 0, 0, 1);
    assert_true(b[0].mass == 0 && def->shapes[0].density == 5);
    assert_int_equal(def->shapes[0].body, 0);
    check_vector(def->shapes[0].position, 0, 0, 0);
    check_rotation(b[1].rotation, 1, 0, 0, 0);
    check_vector(b[1].centre, 0, 1, 0);
    check_numbers(b[1].inertia, (const double[]){3, 3, 3, 0, 0, 0}, 6);
    check_numbers(b[2].inertia, (const double[]){1, 2, 2.5, 0.1, 0.2, 0.3}, 6);
    assert_int_equal(def->n_shapes, 2);
    assert_int_equal(def->shapes[1].body, 3);
    PerpPlace place = perp_scene_body_place(scene, 2);
    assert_string_equal(place.file, "scenes/examples/test.yaml");
    assert_int_equal(place.line, 5);
    assert_int_equal(place.column, 3);
    perp_scene_destroy(scene);
}

static void test_list_of_shapes(void **state)
{
    (void)state;
    PerpScene *scene =
        parse("materials: {steel: {}, wood: {}}\n"
              "bodies:\n"
              "  a: {at: [5, 0, 0], density: 2, material: steel, group: 2, touches: [], shapes: [\n"
              "      {sphere: 1, at: [1, 0, 0]},\n"
              "      {box: [1, 1, 1], density: 3, material: wood, group: 1, touches: [1],\n"
              "       turn: {axis: [1, 0, 0], angle: pi}, name: lid}]}\n");
    const PerpShapeDef *s = perp_scene_model_def(scene)->shapes;
    assert_int_equal(perp_scene_model_def(scene)->n_shapes, 2);
    check_vector(s[0].position, 1, 0, 0);
    assert_true(s[0].density == 2 && s[0].material == 1 && s[0].group == 2 && s[0].mask == 0);
    assert_true(s[1].density == 3 && s[1].material == 2 && s[1].group == 1 && s[1].mask == 1);
    check_rotation(s[1].rotation, 0, 1, 0, 0);
    assert_string_equal(s[1].name, "lid");
    perp_scene_destroy(scene);
}

static unsigned freedom_of(const char *free)
{
    char text[128];
    snprintf(text, sizeof text, "bodies: {a: {sphere: 1, free: %s}}", free);
    PerpScene *scene = parse(text);
    unsigned freedom = perp_scene_model_def(scene)->bodies[0].freedom;
    perp_scene_destroy(scene);
    return freedom;
}

static void test_freedom(void **state)
{
    (void)state;
    assert_int_equal(freedom_of("all"), PERP_FREE_ALL);
    assert_int_equal(freedom_of("fixed"), 0);
    assert_int_equal(freedom_of("point"), PERP_FREE_POINT);
    assert_int_equal(freedom_of("planar-xy"), PERP_FREE_PLANAR_XY);
    assert_int_equal(freedom_of("planar-xz"), PERP_FREE_PLANAR_XZ);
    assert_int_equal(freedom_of("[x, y, z, rotation-x, rotation-y, rotation-z]"), PERP_FREE_ALL);
    assert_int_equal(freedom_of("[rotation-y, x]"), PERP_FREE_ROTATION_Y | PERP_FREE_X);
    assert_int_equal(freedom_of("[]"), 0);
}

static void test_mass(void **state)
{
    (void)state;
    PerpScene *scene = parse("bodies:\n"
                             "  box: {box: [1, 2, 4], mass: 2}\n"
                             "  point: {sphere: 1, mass: 3, free: point, centre: [1, 0, 0]}\n"
                             "  two: {mass: 10, shapes: [{box: [1, 1, 1]},\n"
                             "        {box: [1, 1, 1], density: 4000}]}\n");
    const PerpModelDef *def = perp_scene_model_def(scene);
    assert_true(def->bodies[0].mass == 0);
    check_numbers(&def->shapes[0].density, (const double[]){0.25}, 1);
    assert_true(def->bodies[1].mass == 3 && def->bodies[1].centre[0] == 1);
    assert_true(def->shapes[1].density == 1000);
    check_numbers(&def->shapes[2].density, (const double[]){2}, 1);
    check_numbers(&def->shapes[3].density, (const double[]){8}, 1);
    perp_scene_destroy(scene);
}

#define BODIES "bodies: {a: {sphere: 1}, b: {sphere: 1, at: [5, 0, 0]}}\n"

static void test_plain_joints(void **state)
{
    (void)state;
    PerpScene *scene =
        parse(BODIES "joints:\n"
                     "  j0: {ball: [a, b], at: [1, 2, 3]}\n"
                     "  j1: {weld: [world, b], collide: true}\n"
                     "  j2: {distance: [a, b], from: [1, 2, 3], to: [4, 5, 6], length: 7}\n"
                     "  j3: {rope: [a, world], from: [1, 2, 3], to: [4, 5, 6], restitution: 0.5}\n"
                     "  j4: {point-on-plane: [a, b], at: [1, 2, 3], axis: [0, 1, 0]}\n");
    const PerpJointDef *j = perp_scene_model_def(scene)->joints;
    static const PerpJointKind kinds[] = {PERP_JOINT_BALL, PERP_JOINT_WELD, PERP_JOINT_DISTANCE,
                                          PERP_JOINT_ROPE, PERP_JOINT_POINT_ON_PLANE};
    assert_int_equal(perp_scene_model_def(scene)->n_joints, 5);
    for (int k = 0; k < 5; k++)
        assert_int_equal(j[k].kind, kinds[k]);
    assert_string_equal(j[0].name, "j0");
    assert_true(j[0].body_a == 0 && j[0].body_b == 1 && !j[0].collide);
    check_vector(j[0].anchor, 1, 2, 3);
    assert_true(j[1].body_a == -1 && j[1].body_b == 1 && j[1].collide);
    check_vector(j[2].anchor_b, 4, 5, 6);
    assert_true(j[2].length == 7 && j[3].length == 0 && j[3].restitution == 0.5);
    check_vector(j[4].axis, 0, 1, 0);
    assert_int_equal(perp_scene_joint_place(scene, 4).line, 7);
    perp_scene_destroy(scene);
}

static void test_joints_with_coordinates(void **state)
{
    (void)state;
    PerpScene *scene = parse(
        BODIES "joints:\n"
               "  gears: {coupling: [hinge, both], ratio: [3, 4], coordinates: [first, second]}\n"
               "  hinge: {hinge: [a, b], at: [0, 0, 0], axis: [1, 0, 0], limits: [-1, inf],\n"
               "          restitution: 0.5, motor: {speed: 2, force: 3}, friction: 4,\n"
               "          spring: {stiffness: 5, damping: 6, rest: 7}}\n"
               "  rail: {slider: [a, b], at: [0, 0, 0], axis: [1, 0, 0], limits: [-inf, 1]}\n"
               "  both: {cylindrical: [a, b], at: [0, 0, 0], axis: [0, 0, 1],\n"
               "         first: {limits: [0, 1], restitution: 1}, second: {friction: 2}}\n"
               "  cross: {universal: [a, b], at: [0, 0, 0], axis: [0, 0, 1], second-axis: [0, 1,\n"
               "          0], second: {motor: {force: 8}}}\n");
    const PerpJointDef *j = perp_scene_model_def(scene)->joints;
    assert_int_equal(j[0].kind, PERP_JOINT_COUPLING);
    assert_true(j[0].joint_a == 1 && j[0].joint_b == 3);
    assert_true(j[0].ratio_a == 3 && j[0].ratio_b == 4);
    assert_true(j[0].coordinate_a == 0 && j[0].coordinate_b == 1);
    const PerpAxisDef *axis = &j[1].axis_def[0];
    assert_true(axis->lower == -1 && axis->upper == INFINITY && axis->restitution == 0.5);
    assert_true(axis->motor_speed == 2 && axis->motor_force == 3 && axis->friction == 4);
    assert_true(axis->stiffness == 5 && axis->damping == 6 && axis->rest == 7);
    assert_true(j[2].axis_def[0].lower == -INFINITY && j[2].axis_def[0].upper == 1);
    assert_true(j[3].axis_def[0].upper == 1 && j[3].axis_def[0].restitution == 1);
    assert_true(j[3].axis_def[1].friction == 2 && j[3].axis_def[1].lower == -INFINITY);
    check_vector(j[4].axis_b, 0, 1, 0);
    assert_true(j[4].axis_def[1].motor_force == 8);
    perp_scene_destroy(scene);
}

static void test_springs_and_forces(void **state)
{
    (void)state;
    PerpScene *scene = parse(
        BODIES "springs:\n"
               "  s: {between: [a, world], from: [1, 2, 3], to: [4, 5, 6], stiffness: 7, damping:\n"
               "      8, rest: 9}\n"
               "  t: {between: [a, b], from: [0, 0, 0], to: [5, 0, 0]}\n"
               "forces:\n"
               "  f: {body: b, at: [1, 2, 3], force: [4, 5, 6], torque: [7, 8, 9], start: 1,\n"
               "      end: 2, wave: {force: [1, 1, 2], frequency: 3, phase: 4}}\n"
               "  g: {body: a, end: inf}\n"
               "exclude: [[a, b], [world, a]]\n");
    const PerpModelDef *def = perp_scene_model_def(scene);
    assert_int_equal(def->n_springs, 2);
    assert_int_equal(def->n_forces, 2);
    assert_int_equal(def->n_exclusions, 2);
    const PerpSpringDef *s = def->springs;
    assert_true(s->body_a == 0 && s->body_b == -1);
    check_vector(s->anchor_a, 1, 2, 3);
    check_vector(s->anchor_b, 4, 5, 6);
    assert_true(s->stiffness == 7 && s->damping == 8 && s->rest == 9 && s[1].rest == -1);
    const PerpForceDef *f = def->forces;
    assert_string_equal(f->name, "f");
    assert_int_equal(f->body, 1);
    check_vector(f->point, 1, 2, 3);
    check_vector(f->force, 4, 5, 6);
    check_vector(f->torque, 7, 8, 9);
    check_vector(f->wave, 1, 1, 2);
    assert_true(f->frequency == 3 && f->phase == 4 && f->start == 1 && f->end == 2);
    assert_true(f[1].end == INFINITY);
    assert_true(def->exclusions[0].body_b == 1 && def->exclusions[1].body_a == -1);
    perp_scene_destroy(scene);
}

static void test_expectations(void **state)
{
    (void)state;
    PerpScene *scene = parse(BODIES "expect:\n"
                                    "  - {body: a, position: [1, 2, 3], within: 1e-3, t: 0.5}\n"
                                    "  - {body: b, velocity: [1, 2, 3], name: stops}\n"
                                    "  - {body: b, spin: [1, 2, 3]}\n"
                                    "  - {body: a, height: 7}\n"
                                    "  - energy-error: 1e-1\n"
                                    "  - penetration: 1e-2\n"
                                    "  - {joint-gap: 1e-3, t: 1}\n"
                                    "  - certificate: 0\n");
    assert_int_equal(perp_scene_expectations(scene), 8);
    for (int k = 0; k < 8; k++)
        assert_int_equal(perp_scene_expectation(scene, k)->kind, k);
    const PerpExpectation *e = perp_scene_expectation(scene, 0);
    assert_int_equal(e->body, 0);
    check_vector(e->value, 1, 2, 3);
    assert_true(e->within == 1e-3 && e->time == 0.5);
    assert_int_equal(e->place.line, 3);
    assert_true(e[1].within == 1e-9 && e[1].time == INFINITY && e[1].body == 1);
    assert_string_equal(e[1].name, "stops");
    check_vector(e[3].value, 7, 0, 0);
    assert_true(e[4].within == 0.1 && e[4].body == -1);
    assert_true(e[6].within == 1e-3 && e[6].time == 1);
    assert_string_equal(perp_expect_kind_name(PERP_EXPECT_JOINT_GAP), "joint-gap");
    assert_string_equal(perp_expect_kind_name(PERP_EXPECT_KIND_COUNT), "?");
    perp_scene_destroy(scene);
}

static void test_repeat(void **state)
{
    (void)state;
    PerpScene *scene = parse("parameters: {n: 3}\n"
                             "repeat:\n"
                             "  - for: {j: 0..n-1, i: 1..j}\n"
                             "    bodies:\n"
                             "      \"b-{j}-{2*i}\": {sphere: 1, at: [i, j, 0]}\n"
                             "      \"{i}{j}\": {point: [0, 0, 0], mass: 1, free: point}\n"
                             "  - for: {k: 1..2}\n"
                             "    materials: {\"m{k}\": {mu: k}}\n"
                             "    joints: {\"j{k}\": {weld: [\"b-{k}-2\", world]}}\n"
                             "    exclude: [[\"b-{k}-2\", \"1{k}\"]]\n"
                             "    expect: [{body: \"b-{k}-2\", height: k}]\n"
                             "bodies: {first: {sphere: 1}}\n");
    const PerpModelDef *def = perp_scene_model_def(scene);
    static const char *const names[] = {"first", "b-1-2", "11", "b-2-2", "12", "b-2-4", "22"};
    assert_int_equal(def->n_bodies, 7);
    for (int k = 0; k < 7; k++)
        assert_string_equal(def->bodies[k].name, names[k]);
    check_vector(def->bodies[5].position, 2, 2, 0);
    assert_int_equal(def->n_materials, 3);
    assert_true(def->materials[2].mu == 2);
    assert_int_equal(def->joints[1].body_a, 3);
    assert_int_equal(def->exclusions[1].body_b, 4);
    assert_true(perp_scene_expectation(scene, 1)->value[0] == 2);
    perp_scene_destroy(scene);
}

// The same seed gives the same bits, another seed others; the order is that of the sections.
static void test_random(void **state)
{
    (void)state;
    const char *text = "parameters: {s: 1}\n"
                       "run: {seed: s}\n"
                       "joints: {j: {ball: [a-0, world], at: [\"random(0, 1)\", 0, 0]}}\n"
                       "repeat: {for: {i: 0..1}, bodies: {\"a-{i}\": {sphere: 1, at: [\n"
                       "  \"random(0, 1)\", \"random(0, 1)\", 0]}}}\n";
    const PerpParameter set = {"s", "2"};
    PerpScene *one = parse(text), *again = parse(text), *other = parse_set(text, &set, 1);
    const PerpModelDef *a = perp_scene_model_def(one), *b = perp_scene_model_def(again);
    for (int k = 0; k < 2; k++)
        assert_memory_equal(a->bodies[k].position, b->bodies[k].position, 3 * sizeof(double));
    assert_memory_equal(a->joints[0].anchor, b->joints[0].anchor, 3 * sizeof(double));
    assert_true(a->bodies[0].position[0] == (double)(UINT64_C(0x910A2DEC89025CC1) >> 11) * 0x1p-53);
    assert_true(a->bodies[0].position[0] != perp_scene_model_def(other)->bodies[0].position[0]);
    assert_true(a->bodies[1].position[1] != a->joints[0].anchor[0]);
    perp_scene_destroy(one);
    perp_scene_destroy(again);
    perp_scene_destroy(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_empty),
        cmocka_unit_test(test_run),
        cmocka_unit_test(test_scheme_options),
        cmocka_unit_test(test_parameters),
        cmocka_unit_test(test_materials),
        cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_bodies),
        cmocka_unit_test(test_list_of_shapes),
        cmocka_unit_test(test_freedom),
        cmocka_unit_test(test_mass),
        cmocka_unit_test(test_plain_joints),
        cmocka_unit_test(test_joints_with_coordinates),
        cmocka_unit_test(test_springs_and_forces),
        cmocka_unit_test(test_expectations),
        cmocka_unit_test(test_repeat),
        cmocka_unit_test(test_random),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
