// Scenes that are wrong: every message, its place and its suggestion.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "io/scene/scene_reader.h"

#include <stdio.h>
#include <string.h>

static const char NAME[] = "scenes/examples/test.yaml";

static void check(const char *text, PerpStatus status, int line, int column, const char *fragment)
{
    PerpScene *scene = (PerpScene *)&scene;
    PerpError error = {0};
    PerpStatus found = perp_scene_parse(NULL, text, strlen(text), NAME, NULL, 0, &scene, &error);
    if (found != status || error.line != line || error.column != column ||
        !strstr(error.message, fragment))
        fail_msg("%s\n  gives %s %d:%d: %s\n  not   %s %d:%d: %s", text, perp_status_name(found),
                 error.line, error.column, error.message, perp_status_name(status), line, column,
                 fragment);
    assert_string_equal(error.file, NAME);
    assert_null(scene);
}

static void check_syntax(const char *text, int line, int column, const char *fragment)
{
    check(text, PERP_BAD_SYNTAX, line, column, fragment);
}

static void check_bad(const char *text, int line, int column, const char *fragment)
{
    check(text, PERP_BAD_VALUE, line, column, fragment);
}

static void check_size(const char *text, int line, int column, const char *fragment)
{
    check(text, PERP_BAD_SIZE, line, column, fragment);
}

static void test_top(void **state)
{
    (void)state;
    check_syntax("[1]", 1, 1, "the scene");
    check_syntax("run: {t: 1}\nboddies: {}\n", 2, 1, "the nearest known key is \"bodies\"");
    check_syntax("bodies: []", 1, 9, "bodies: expected");
    check_syntax("world: {}", 1, 8, "world: expected a list");
    check_syntax("bodies:\n", 1, 8, "bodies: expected");
    check_syntax("about: [1]", 1, 8, "about: expected a text");
    check_size("gravity: [0, 0]", 1, 10, "gravity has length 2, expected 3");
    check_syntax("gravity: [0, 0, {}]", 1, 17, "expected a number, found a mapping");
    check_syntax("gravity: [0, [], 0]", 1, 14, "expected a number, found a list");
    check_syntax("gravity: [0, 0, down]", 1, 17, "unknown name \"down\"");
    check_bad("gravity: [0, 0, -inf]", 1, 17, "NaN and infinity");
    check_bad("gravity: [0, .nan, 0]", 1, 14, "NaN and infinity");
    check_bad("gravity: [0, 0, 1 + 2/0]", 1, 22, "division by zero");
    check_bad("gravity: [0, 0, \"1 + 2/0\"]", 1, 23, "division by zero");
    check_syntax("gravity: [0, max(1, 2), 0]", 1, 19, "put the expression in quotes");
}

static void test_run(void **state)
{
    (void)state;
    check_syntax("run: {steps: 3}", 1, 7, "unknown key \"steps\"");
    check_bad("run: {t: 0}", 1, 10, "t: expected a number above 0");
    check_bad("run: {h: -1}", 1, 10, "h: expected a number above 0");
    check_syntax("run: {scheme: anitescu}", 1, 15, "the nearest known word is \"anitescu-potra\"");
    check_syntax("run: {scheme: [default]}", 1, 15, "expected a word such as default");
    check_bad("run: {facets: 5}", 1, 15, "an even number, found 5");
    check_bad("run: {facets: 300}", 1, 15, "a whole number from 4 to 64");
    check_bad("run: {seed: 1.5}", 1, 13, "whole number");
    check_bad("run: {restitution-threshold: -1}", 1, 30, "expected 0 or more");
    check_bad("run: {seed: \"random(0, 1)\"}", 1, 14, "before the seed is known");
}

static void test_parameters(void **state)
{
    (void)state;
    check_syntax("parameters: [1]", 1, 13, "parameters: expected");
    check_syntax("parameters: {a-b: 1}", 1, 14, "letters, digits and _");
    check_bad("parameters: {pi: 3}", 1, 14, "\"pi\" already means something");
    check_syntax("parameters: {a: b, b: 1}", 1, 17, "a: \"b\" stands below");
    check_bad("parameters: {a: \"random(0, 1)\"}", 1, 18, "before the seed is known");
    check_syntax("parameters: {a: 1, a: 2}", 1, 20, "already given in line 1");
}

static void count_line(void *user, PerpLogLevel level, const char *text)
{
    (void)level;
    (void)text;
    ++*(int *)user;
}

// With a log, reading goes on: all errors but the last are told there, and memory is freed.
static void test_several_errors(void **state)
{
    (void)state;
    const char *text = "run: {dt: 1}\n"
                       "bodies:\n"
                       "  a: {spere: 1}\n"
                       "  b: {sphere: 10 cm}\n"
                       "joints:\n"
                       "  j: {hinge: [a, b]}\n"; // not read: what it names was not
    int told = 0;
    PerpContext context = perp_default_context();
    PerpScene *scene;
    PerpError error = {0};
    context.log = (PerpLog){count_line, &told};
    assert_int_not_equal(
        perp_scene_parse(&context, text, strlen(text), NAME, NULL, 0, &scene, &error), PERP_OK);
    assert_int_equal(told, 2);
    assert_int_equal(error.line, 4);
    assert_non_null(strstr(error.message, "SI units"));
    assert_null(scene);
}

// Of a repeated item each error is told once.
static void test_repeated_errors(void **state)
{
    (void)state;
    const char *text = "repeat:\n"
                       "  for: {i: 1..50}\n"
                       "  bodies:\n"
                       "    \"a{i}\": {spere: 1}\n"
                       "    \"b{i}\": {sphere: 10 cm}\n";
    int told = 0;
    PerpContext context = perp_default_context();
    PerpScene *scene;
    PerpError error = {0};
    context.log = (PerpLog){count_line, &told};
    assert_int_not_equal(
        perp_scene_parse(&context, text, strlen(text), NAME, NULL, 0, &scene, &error), PERP_OK);
    assert_int_equal(told, 1);
    assert_int_equal(error.line, 5);
}

static void check_set(PerpParameter set, const char *fragment)
{
    const char *text = "parameters: {rows: 1, b: rows}";
    PerpScene *scene;
    PerpError error = {0};
    assert_int_not_equal(perp_scene_parse(NULL, text, strlen(text), NAME, &set, 1, &scene, &error),
                         PERP_OK);
    if (!strstr(error.message, fragment))
        fail_msg("\"%s\" lacks \"%s\"", error.message, fragment);
    assert_int_equal(error.line, 0);
    assert_null(scene);
}

static void test_set(void **state)
{
    (void)state;
    check_set((PerpParameter){"row", "1"}, "unknown parameter \"row\"; the nearest is \"rows\"");
    check_set((PerpParameter){"rows", "1/0"}, "parameter rows=1/0: division by zero");
    check_set((PerpParameter){"rows", "x"}, "parameter rows=x: unknown name");
    PerpParameter set = {"a", "1"};
    PerpScene *scene;
    PerpError error;
    assert_int_equal(perp_scene_parse(NULL, "{}", 2, NAME, &set, 1, &scene, &error),
                     PERP_BAD_VALUE);
    assert_non_null(strstr(error.message, "the scene has none"));
}

static void test_materials(void **state)
{
    (void)state;
    check_syntax("materials: {a: {my: 1}}", 1, 17, "the nearest known key is \"mu\"");
    check_bad("materials: {a: {mu: -1}}", 1, 21, "mu: expected 0 or more");
    check_bad("materials: {a: {restitution: 1.1}}", 1, 30, "from 0 to 1");
    check_bad("materials: {a: {axis: [0, 0, 0]}}", 1, 23, "expected a direction");
    check_syntax("materials: {a: {second-mu: 1}}", 1, 28, "expected also \"axis\"");
    check_syntax("materials: {\"a{1}\": {}, a1: {}}", 1, 25,
                 "the material \"a1\" was already given in scenes/examples/test.yaml:1:13");
    check_syntax("materials: {\"defaul{\": {}}", 1, 20, "a brace without its partner");
    check_syntax("materials:\n  default: {}\n  \"default\": {}", 3, 3, "already given in line 2");
    check_syntax("pairs: [{mu: 1}]", 1, 9, "the key \"between\" is missing");
    check_size("pairs: [{between: [a]}]", 1, 19, "between has length 1");
    check_bad("materials: {steel: {}}\npairs: [{between: [steel, stel]}]", 2, 27,
              "there is no material \"stel\"; the nearest is \"steel\"");
    check_bad("world: [{sphere: 1, material: wood}]", 1, 31, "no material \"wood\"");
}

static void test_shapes(void **state)
{
    (void)state;
    check_syntax("world: [{at: [0, 0, 0]}]", 1, 9, "expected one of the keys point, sphere");
    check_syntax("world: [{spere: 1}]", 1, 10, "the nearest known key is \"sphere\"");
    check_syntax("world: [plane]", 1, 9, "a shape: expected");
    check_syntax("world: [{sphere: 1, box: [1, 1, 1]}]", 1, 21, "\"box\" besides \"sphere\"");
    check_bad("world: [{sphere: 0}]", 1, 18, "sphere (its radius): expected a number above 0");
    check_bad("world: [{box: [1, -2, 1]}]", 1, 19, "box (its sides): expected a number above 0");
    check_size("world: [{box: [1, 1]}]", 1, 15, "box (its sides) has length 2");
    check_size("world: [{box: [1, 1, 1, 1]}]", 1, 25, "has length 4, expected 3");
    check_syntax("world: [{capsule: {radius: 1}}]", 1, 19, "the key \"length\" is missing");
    check_syntax("world: [{cylinder: {radius: 1, length: 1}}]", 1, 32,
                 "unknown key \"length\", expected one of radius, height");
    check_syntax("world: [{cylinder: {height: 1}}]", 1, 20, "the key \"radius\" is missing");
    check_bad("world: [{ellipsoid: [1, 1, 0]}]", 1, 28, "above 0");
    check_bad("world: [{plane: [0, 0, 0]}]", 1, 17, "plane (its normal): expected a direction");
    check_size("world: [{hull: [[0, 0, 0]]}]", 1, 16, "at least 4 points");
    check_size("world: [{hull: [[0, 0, 0], [1, 1], [1, 1, 1], [0, 0, 1]]}]", 1, 28, "a point has");
    check_syntax("world: [{mesh: [1]}]", 1, 16, "mesh: expected the name of a file");
    check_bad("world: [{mesh: /dev/null}]", 1, 16, "a path relative to this file");
    check("world: [{mesh: none.obj}]", PERP_NO_FILE, 1, 16, "none.obj\": cannot be read");
    check_syntax("world: [{height-field: {cell: [1, 1]}}]", 1, 24, "\"heights\" is missing");
    check_syntax("world: [{height-field: {heights: [[0, 0], [0, 0]]}}]", 1, 24, "\"cell\" is");
    check_size("world: [{height-field: {heights: [[0, 0]]}}]", 1, 34, "at least 2 rows");
    check_size("world: [{height-field: {heights: [[0], [0]]}}]", 1, 35, "at least 2 points");
    check_syntax("world: [{height-field: {heights: [0, 0]}}]", 1, 35, "a row: expected a list");
    check_size("world: [{height-field: {heights: [[0, 0], [0]]}}]", 1, 43, "length 1, expected 2");
    check_bad("world: [{sphere: 1, group: 33}]", 1, 28, "from 1 to 32");
    check_bad("world: [{sphere: 1, touches: [0]}]", 1, 31, "from 1 to 32");
    check_syntax("world: [{sphere: 1, touches: 1}]", 1, 30, "touches: expected a list");
    check_syntax("world: [{sphere: 1, turn: {angle: 1}}]", 1, 27, "\"axis\" is missing");
    check_syntax("world: [{sphere: 1, turn: {axis: [1, 0, 0]}}]", 1, 27, "\"angle\" is missing");
    check_syntax("world: [{sphere: 1, quaternion: [1, 0, 0, 0], turn: {}}]", 1, 21,
                 "\"quaternion\" besides \"turn\"");
    check_bad("world: [{sphere: 1, quaternion: [0, 0, 0, 0]}]", 1, 33, "of length 1");
}

static void test_bodies(void **state)
{
    (void)state;
    check_syntax("bodies: {a: 1}", 1, 13, "a body: expected");
    check_syntax("bodies: {a: {speed: 1}}", 1, 14, "unknown key \"speed\"");
    check_syntax("bodies: {a: {veloctiy: [1, 0, 0]}}", 1, 14, "known key is \"velocity\"");
    check_bad("bodies: {world: {sphere: 1}}", 1, 10, "cannot have the name \"world\"");
    check_syntax("bodies: {\"\": {sphere: 1}}", 1, 10, "body: expected a name");
    check_syntax("bodies: {a: {sphere: 1, shapes: []}}", 1, 25, "\"shapes\" besides \"sphere\"");
    check_syntax("bodies: {a: {shapes: {}}}", 1, 22, "shapes: expected a list");
    check_syntax("bodies: {a: {free: planar}}", 1, 20, "the nearest known word is \"planar-xy\"");
    check_syntax("bodies: {a: {free: [x, rot-y]}}", 1, 24, "known word is");
    check_syntax("bodies: {a: {free: [x, x]}}", 1, 24, "\"x\" was already given");
    check_bad("bodies: {a: {mass: 0}}", 1, 20, "mass: expected a number above 0");
    check_syntax("bodies: {a: {sphere: 1, density: 1, mass: 1}}", 1, 25,
                 "\"density\" besides \"mass\"");
    check_syntax("bodies: {a: {sphere: 1, inertia: [1, 1, 1]}}", 1, 34, "also \"mass\"");
    check_syntax("bodies: {a: {sphere: 1, centre: [1, 1, 1]}}", 1, 33, "also \"mass\"");
    check_syntax("bodies: {a: {sphere: 1, mass: 1, centre: [1, 1, 1]}}", 1, 42, "also \"inertia\"");
    check_bad("bodies: {a: {mass: 1}}", 1, 20, "no shape with a volume");
    check_bad("bodies: {a: {mass: 1, inertia: [1, 0, 1]}}", 1, 32, "moments above 0");
    check_size("bodies: {a: {mass: 1, inertia: [1, 0, 1, 2]}}", 1, 42, "expected 3");
    check_bad("bodies: {a: {plane: [0, 0, 1]}}", 1, 13, "on a body with \"free: fixed\"");
    check_bad("bodies: {a: {density: -1, sphere: 1}}", 1, 23, "0 or more");
}

#define BODIES "bodies: {a: {sphere: 1}, b: {sphere: 1}}\n"
#define JOINT(text) BODIES "joints: {j: {" text "}}"

static void test_joints(void **state)
{
    (void)state;
    check_syntax(JOINT("at: [0, 0, 0]"), 2, 13, "expected ball, hinge, slider");
    check_syntax(JOINT("hnge: [a, b]"), 2, 14, "the nearest known key is \"hinge\"");
    check_syntax(JOINT("hinge: [a, b], axs: [0, 0, 1]"), 2, 29, "known key is \"axis\"");
    check_syntax(JOINT("hinge: [a, b], rop: 1"), 2, 29, "the nearest known key is \"rope\"");
    check_syntax(JOINT("rope: [a, b], bale: 1"), 2, 28, "the nearest known key is \"ball\"");
    check_syntax(JOINT("ball: [a, b], wel: 1"), 2, 28, "the nearest known key is \"weld\"");
    check_syntax(JOINT("weld: [a, b], breaking: 1"), 2, 28,
                 "unknown key \"breaking\", expected one of weld, at, collide, enabled");
    check_syntax(JOINT("hinge: [a, b], at: [0, 0, 0]"), 2, 13, "\"axis\" is missing");
    check_syntax(JOINT("ball: [a, b]"), 2, 13, "\"at\" is missing");
    check_syntax(JOINT("rope: [a, b], to: [0, 0, 0]"), 2, 13, "\"from\" is missing");
    check_syntax(JOINT("rope: [a, b], from: [0, 0, 0]"), 2, 13, "\"to\" is missing");
    check_syntax(JOINT("universal: [a, b], at: [0, 0, 0], axis: [1, 0, 0]"), 2, 13,
                 "\"second-axis\" is missing");
    check_syntax(JOINT("weld: [a, b], ball: [a, b], at: [0, 0, 0]"), 2, 28, "besides \"weld\"");
    check_syntax(JOINT("weld: [a, b], limits: [0, 1]"), 2, 28,
                 "\"limits\" does not go with \"weld\"");
    check_bad(JOINT("weld: [a, bb]"), 2, 24, "there is no body \"bb\"; the nearest is \"b\"");
    check_bad(JOINT("weld: [wrld, b]"), 2, 21,
              "there is no body \"wrld\"; the nearest is \"world\"");
    check_bad(JOINT("weld: [a, a]"), 2, 24, "two different bodies");
    check_size(JOINT("weld: [a]"), 2, 20, "weld has length 1, expected 2");
    check_syntax(JOINT("weld: [a, b], collide: yes"), 2, 37, "expected true or false");
#define HINGE "hinge: [a, b], at: [0, 0, 0], axis: [1, 0, 0], "
    check_bad(JOINT(HINGE "limits: [1, 0]"), 2, 69, "the lower one first");
    check_bad(JOINT(HINGE "limits: [inf, inf]"), 2, 69, "the lower one first");
    check_syntax(JOINT(HINGE "motor: {speed: 1}"), 2, 68, "\"force\" is missing");
    check_syntax(JOINT(HINGE "motor: {sped: 1}"), 2, 69, "known key is \"speed\"");
    check_bad(JOINT(HINGE "friction: -1"), 2, 71, "friction: expected 0 or more");
    check_bad(JOINT(HINGE "restitution: 2"), 2, 74, "restitution: expected a number from 0 to 1");
    check_bad(JOINT(HINGE "spring: {stiffness: -1}"), 2, 81, "0 or more");
    check_syntax(JOINT(HINGE "first: {}"), 2, 61, "\"first\" does not go with \"hinge\"");
#undef HINGE
}

static void test_couplings(void **state)
{
    (void)state;
    check_bad(JOINT("coupling: [k, j]"), 2, 25, "there is no joint \"k\"; the nearest is \"j\"");
    check_bad(JOINT("coupling: [j, j]"), 2, 25, "is a coupling, which has 0 coordinates");
    check_bad(JOINT("coupling: [j, j], ratio: [0, 1]"), 2, 39, "other than 0");
    check_syntax(JOINT("coupling: [j, j], coordinates: [first, third]"), 2, 53, "known word is");
    check_syntax(JOINT("coupling: [j, j], collide: true"), 2, 32, "\"collide\" does not go with");
}

static void test_springs_and_forces(void **state)
{
    (void)state;
    check_syntax(BODIES "springs: {s: {between: [a, b], from: [0, 0, 0]}}", 2, 14, "\"to\" is");
    check_bad(BODIES "springs: {s: {between: [a, b], from: [0, 0, 0], to: [0, 0, 0], rest: -1}}", 2,
              70, "rest: expected 0 or more");
    check_syntax(BODIES "forces: {f: {force: [0, 0, 1]}}", 2, 13, "\"body\" is missing");
    check_bad(BODIES "forces: {f: {body: world}}", 2, 20, "there is no body \"world\"");
    check_bad(BODIES "forces: {f: {body: a, start: 2, end: 1}}", 2, 13, "\"start\" before \"end\"");
    check_syntax(BODIES "forces: {f: {body: a, wave: {amplitude: 1}}}", 2, 30, "unknown key");
    check_bad(BODIES "exclude: [[a, c]]", 2, 15, "there is no body \"c\"");
    check_syntax(BODIES "exclude: [a]", 2, 11, "exclude: expected a list");
    check_bad("forces: {f: {body: a}}", 1, 20, "there is no body \"a\", nor any other");
}

static void test_expectations(void **state)
{
    (void)state;
    check_syntax(BODIES "expect: [{body: a}]", 2, 10, "one of the keys position, velocity");
    check_syntax(BODIES "expect: [{postion: [0, 0, 0]}]", 2, 11, "known key is \"position\"");
    check_syntax(BODIES "expect: [{height: 1}]", 2, 10, "the key \"body\" is missing");
    check_syntax(BODIES "expect: [{penetration: 1, body: a}]", 2, 27, "does not go with");
    check_syntax(BODIES "expect: [{penetration: 1, certificate: 1}]", 2, 27, "besides");
    check_bad(BODIES "expect: [{certificate: -1}]", 2, 24, "certificate: expected 0 or more");
    check_bad(BODIES "expect: [{certificate: 1, t: 2}]", 2, 30, "within the run of 1 s");
    check_bad(BODIES "expect: [{body: c, height: 1}]", 2, 17, "there is no body \"c\"");
}

static void test_repeat(void **state)
{
    (void)state;
    check_syntax("repeat: {bodies: {}}", 1, 9, "the key \"for\" is missing");
    check_syntax("repeat: [1]", 1, 10, "repeat: expected");
    check_syntax("repeat: {for: {i: 0..1}, body: {}}", 1, 26, "known key is \"bodies\"");
    check_syntax("repeat: {for: i}", 1, 15, "for: expected");
    check_size("repeat: {for: {}}", 1, 15, "1 to 8 index variables");
#define REPEAT(text) "repeat: {for: {" text "}, bodies: {\"b{i}\": {sphere: 1}}}"
    check_syntax(REPEAT("i: 5"), 1, 19, "a range such as 0..9");
    check_syntax(REPEAT("i: 0..n"), 1, 22, "unknown name \"n\"");
    check_bad(REPEAT("i: 0..1.5"), 1, 19, "whole numbers, found 1.5");
    check_syntax(REPEAT("i-j: 0..1"), 1, 16, "a short name");
    check_bad(REPEAT("pi: 0..1"), 1, 16, "\"pi\" already means");
    check_bad("parameters: {i: 1}\n" REPEAT("i: 0..1"), 2, 16, "\"i\" already means");
    check_syntax(REPEAT("j: 0..1"), 1, 38, "unknown name \"i\"");
    check_syntax(REPEAT("i: 0..1, j: 0..1"), 1, 44,
                 "the body \"b0\" was already given in scenes/examples/test.yaml:1:44");
#undef REPEAT
    check_bad("bodies: {\"b{1/2}\": {sphere: 1}}", 1, 13, "a whole number within {}");
    check_syntax("bodies: {\"b{1 + }\": {sphere: 1}}", 1, 17, "found nothing");
    check_syntax("bodies: {\"b}\": {sphere: 1}}", 1, 12, "a brace without its partner");
}

// Each of these would go on for years.
static void test_explosions(void **state)
{
    (void)state;
    check_size("repeat: {for: {i: 1..1e9}, exclude: []}", 1, 16, "more than 1000000 repetitions");
    check_size("repeat: {for: {a: 1..9e8, b: 1..9e8, c: 2..1}, exclude: []}", 1, 27,
               "more than 1000000 repetitions");
    check_size("bodies: {b: {sphere: 1}}\n"
               "repeat: {for: {i: 1..999999}, exclude: [[b, world], [world, b]]}",
               2, 53, "more than 1000000 bodies, shapes");
    char text[2048] = "repeat: {for: {i: 1..1e6}, world: [{sphere: 1";
    strcat(text, ".");
    for (int k = 0; k < 800; k++) // quick to read
        strcat(text, "0");
    strcat(text, "}]}");
    check_size(text, 1, 45, "too many numbers");
    char name[200] = "";
    memset(name, 'x', sizeof name - 1);
    snprintf(text, sizeof text, "bodies: {%s: {sphere: 1}}", name);
    check_size(text, 1, 10, "a name longer than 127 bytes");
}

// Keys that would do nothing where they stand.
static void test_acting_and_measuring(void **state)
{
    (void)state;
    check_syntax("control: {evry: 2}", 1, 11, "the nearest known key is \"every\"");
    check_bad("control: {every: 0}", 1, 18, "expected a whole number from 1");
    check_syntax("control: {every: 3}\nrun: {control-every: 2}\n", 1, 10, "already given");
    static const struct {
        const char *sensor, *fragment;
        int column;
    } cases[] = {
        {"{accelerometer: s, limit: 3}", "\"limit\" does not go with \"accelerometer\"", 31},
        {"{range: s, frame: s}", "\"frame\" does not go with \"range\"", 23},
        {"{touch: a, frame: s}", "\"frame\" does not go with \"touch\"", 23},
        {"{position: s, coordinate: second}", "\"coordinate\" does not go with", 26},
    };
    char text[256];
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        snprintf(text, sizeof text,
                 "bodies: {a: {sphere: 1}}\nsites: {s: {body: a}}\nsensors: {x: %s}\n",
                 cases[k].sensor);
        check_syntax(text, 3, cases[k].column + 2, cases[k].fragment);
    }
    check_size("bodies: {a: {sphere: 1}}\nsensors: {x: {energy: []}}", 2, 23, "some, or all");
    check_bad("parameters: {gain: 2}\nsignals: {gain: {input: 1}}", 2, 11, "name of a parameter");
    check_bad("signals: {t: {input: 1}}", 1, 11, "name of the time");
    check_bad("parameters: {t: 2}\nsignals: {x: 3*t - y}", 2, 14, "t is the time in a signal");
}

static void test_many_parameters(void **state)
{
    (void)state;
    char text[8192] = "parameters: {";
    for (int k = 0; k < 256; k++)
        sprintf(text + strlen(text), "a%d: %d, ", k, k);
    strcat(text, "}");
    PerpScene *scene;
    assert_int_equal(perp_scene_parse(NULL, text, strlen(text), NAME, NULL, 0, &scene, NULL),
                     PERP_OK);
    perp_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_top),
        cmocka_unit_test(test_run),
        cmocka_unit_test(test_several_errors),
        cmocka_unit_test(test_repeated_errors),
        cmocka_unit_test(test_parameters),
        cmocka_unit_test(test_set),
        cmocka_unit_test(test_materials),
        cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_bodies),
        cmocka_unit_test(test_joints),
        cmocka_unit_test(test_couplings),
        cmocka_unit_test(test_springs_and_forces),
        cmocka_unit_test(test_expectations),
        cmocka_unit_test(test_repeat),
        cmocka_unit_test(test_explosions),
        cmocka_unit_test(test_acting_and_measuring),
        cmocka_unit_test(test_many_parameters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
