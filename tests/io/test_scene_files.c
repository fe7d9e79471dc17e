// Scene files: the examples of the documentation, includes, meshes; memory that runs out; files
// that are cut short or broken.
#define _POSIX_C_SOURCE 200809L

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "failing_allocator.h"
#include "io/scene/scene_reader.h"
#include "random.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const examples[] = {
    "ball", "incline", "shapes", "bodies", "joints",  "gears",     "springs", "wall",
    "pile", "chain",   "ground", "yard",   "control", "keyframes", "enabled", "cylinder"};
enum { FLIPS = 400, LARGEST = 4096 };

static char folder[] = "/tmp/perp-scene-XXXXXX";

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    return rmdir(folder);
}

static const char *path_of(const char *name)
{
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void write_file(const char *name, const char *text)
{
    FILE *file = fopen(path_of(name), "wb");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void remove_file(const char *name)
{
    assert_int_equal(unlink(path_of(name)), 0);
}

static PerpScene *read_scene(const char *path)
{
    PerpScene *scene = NULL;
    PerpError error = {0};
    char text[2048];
    if (perp_scene_read(NULL, path, NULL, 0, &scene, &error))
        fail_msg("%s", perp_error_text(&error, text, sizeof text));
    return scene;
}

static void check_failure(const char *path, const char *expected)
{
    PerpScene *scene = (PerpScene *)&scene;
    PerpError error = {0};
    char text[2048];
    assert_int_not_equal(perp_scene_read(NULL, path, NULL, 0, &scene, &error), PERP_OK);
    perp_error_text(&error, text, sizeof text);
    if (!strstr(text, expected))
        fail_msg("\"%s\" lacks \"%s\"", text, expected);
    assert_null(scene);
}

static const char *example_path(size_t k)
{
    static char path[256];
    snprintf(path, sizeof path, "scenes/examples/%s.yaml", examples[k]);
    return path;
}

static size_t load_file(const char *path, char *bytes, size_t room)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t size = fread(bytes, 1, room, file);
    fclose(file);
    assert_true(size > 0 && size < room);
    return size;
}

static void check_model(const PerpModelDef *def)
{
    PerpContext context = perp_default_context();
    PerpModel *model = NULL;
    PerpError error = {0};
    if (perp_model_create(&context, def, &model, &error))
        fail_msg("%s", error.message);
    perp_model_destroy(model);
}

static void test_examples(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof examples / sizeof *examples; k++) {
        PerpScene *scene = read_scene(example_path(k));
        const PerpModelDef *def = perp_scene_model_def(scene);
        assert_true(strlen(perp_scene_about(scene)) > 0);
        assert_true(def->n_bodies + def->n_shapes > 0);
        check_model(def);
        perp_scene_destroy(scene);
    }
}

static void test_example_wall(void **state)
{
    (void)state;
    const PerpParameter set = {"rows", "12"};
    PerpScene *scene;
    assert_int_equal(perp_scene_read(NULL, "scenes/examples/wall.yaml", &set, 1, &scene, NULL),
                     PERP_OK);
    const PerpModelDef *def = perp_scene_model_def(scene);
    assert_int_equal(def->n_bodies, 60);
    assert_string_equal(def->bodies[5].name, "brick-1-0");
    assert_true(def->bodies[5].position[0] == 0.12);
    assert_int_equal(perp_scene_expectation(scene, 0)->body, 55);
    perp_scene_destroy(scene);
}

static void test_example_yard(void **state)
{
    (void)state;
    PerpScene *scene = read_scene("scenes/examples/yard.yaml");
    assert_int_equal(perp_scene_files(scene), 2);
    assert_string_equal(perp_scene_file(scene, 0), "scenes/examples/yard.yaml");
    assert_string_equal(perp_scene_file(scene, 1), "scenes/examples/ground.yaml");
    assert_string_equal(perp_scene_about(scene), "a box slides onto ice");
    assert_int_equal(perp_scene_model_def(scene)->n_shapes, 3);
    perp_scene_destroy(scene);
    scene = read_scene("scenes/examples/shapes.yaml");
    assert_int_equal(perp_scene_files(scene), 2);
    assert_string_equal(perp_scene_file(scene, 1), "scenes/examples/ramp.obj");
    perp_scene_destroy(scene);
}

static void test_include(void **state)
{
    (void)state;
    write_file("a.yaml", "include: [b.yaml, c.yaml]\n"
                         "run: {t: 3}\n"
                         "joints: {j: {weld: [from-b, from-c]}}\n");
    write_file("b.yaml", "parameters: {r: 2}\nrun: {h: 0.5}\nbodies: {from-b: {sphere: q}}\n");
    write_file("c.yaml",
               "parameters: {q: 2*r}\ngravity: [1, 0, 0]\nbodies: {from-c: {sphere: 1}}\n");
    PerpScene *scene = read_scene(path_of("a.yaml"));
    const PerpModelDef *def = perp_scene_model_def(scene);
    assert_true(def->shapes[0].size[0] == 4);
    assert_true(def->gravity[0] == 1);
    assert_int_equal(def->joints[0].body_b, 1);
    assert_true(perp_scene_run(scene)->duration == 3 && perp_scene_run(scene)->step == 0.5);
    assert_int_equal(perp_scene_files(scene), 3);
    assert_string_equal(perp_scene_body_place(scene, 1).file, path_of("c.yaml"));
    perp_scene_destroy(scene);
    remove_file("a.yaml");
    remove_file("b.yaml");
    remove_file("c.yaml");
}

static void test_include_errors(void **state)
{
    (void)state;
    write_file("a.yaml", "include: b.yaml\nbodies: {x: {sphere: 1}}\n");
    check_failure(path_of("a.yaml"), "a.yaml:1:10: \"");
    check_failure(path_of("a.yaml"), "b.yaml\": cannot be read");
    write_file("b.yaml", "include: a.yaml\n");
    check_failure(path_of("a.yaml"), "b.yaml:1:10: \"");
    check_failure(path_of("a.yaml"), "only once, and not by itself");
    write_file("b.yaml", "\nbodies:\n  x: {sphere: 2}\n");
    check_failure(path_of("a.yaml"), "a.yaml:2:10: the body \"x\" was already given in /tmp");
    check_failure(path_of("a.yaml"), "b.yaml:3:3");
    write_file("b.yaml", "run: {t: 1, t2: 1}\n");
    check_failure(path_of("a.yaml"), "b.yaml:1:13: unknown key \"t2\"");
    write_file("b.yaml", "bodies: [\n");
    check_failure(path_of("a.yaml"), "b.yaml:2:1: ");
    write_file("b.yaml", "");
    check_failure(path_of("a.yaml"), "b.yaml:1:1: the file is empty");
    write_file("b.yaml", "gravity: [0, 0, 1]\nrun: {t: 1}\nparameters: {r: 1}");
    write_file("a.yaml", "include: b.yaml\ngravity: [0, 0, 2]\n");
    check_failure(path_of("a.yaml"), "a.yaml:2:10: the key \"gravity\" was already given in");
    write_file("a.yaml", "include: b.yaml\nrun: {t: 2}\n");
    check_failure(path_of("a.yaml"), "a.yaml:2:7: the key \"t\" was already given in");
    write_file("a.yaml", "include: b.yaml\nparameters: {r: 2}\n");
    check_failure(path_of("a.yaml"), "a.yaml:2:14: the parameter \"r\" was already given in");
    write_file("a.yaml", "include: [/etc/passwd]\n");
    check_failure(path_of("a.yaml"), "a.yaml:1:11: include: expected a path relative");
    write_file("a.yaml", "include: {}\n");
    check_failure(path_of("a.yaml"), "a.yaml:1:10: include: expected the name of a file");
    write_file("a.yaml", "include: .\n");
    check_failure(path_of("a.yaml"), "a.yaml:1:10: ");
    write_file("a.yaml", "\211HDF\r\n\032\n");
    check_failure(path_of("a.yaml"), "an HDF5 file, expected a scene");
    check_failure(path_of("none.yaml"), "none.yaml: cannot be read");
    remove_file("a.yaml");
    remove_file("b.yaml");
}

static void test_include_depth(void **state)
{
    (void)state;
    char name[32], text[64];
    for (int k = 0; k <= PERP_SCENE_INCLUDE_DEPTH; k++) {
        snprintf(name, sizeof name, "%d.yaml", k);
        snprintf(text, sizeof text, "include: %d.yaml\n", k + 1);
        write_file(name, text);
    }
    check_failure(path_of("0.yaml"), "16.yaml:1:10: include: nested deeper than 16");
    for (int k = 0; k <= PERP_SCENE_INCLUDE_DEPTH; k++) {
        snprintf(name, sizeof name, "%d.yaml", k);
        remove_file(name);
    }
}

static void test_meshes(void **state)
{
    (void)state;
    write_file("a.yaml", "world: [{mesh: m.obj}]\n");
    write_file(
        "m.obj",
        "\xef\xbb\xbf# comment\r\no thing\nv 0 0 0 1\r\n  v\t1 0 0\nv 0 1.5e0 0\n\nvn 0 0 1\n"
        "f 1/2/3 2//3 -1\nf -3 2/1 3");
    PerpScene *scene = read_scene(path_of("a.yaml"));
    const PerpShapeDef *shape = perp_scene_model_def(scene)->shapes;
    assert_int_equal(shape->n_vertices, 3);
    assert_int_equal(shape->n_triangles, 2);
    assert_true(shape->vertices[7] == 1.5);
    static const int triangles[] = {0, 1, 2, 0, 1, 2};
    assert_memory_equal(shape->triangles, triangles, sizeof triangles);
    perp_scene_destroy(scene);
    remove_file("a.yaml");
    remove_file("m.obj");
}

static void test_mesh_errors(void **state)
{
    (void)state;
    static const char *const wrong[][2] = {
        {"v 0 0\n", "m.obj:1:6: expected a number behind v"},
        {"v 0 0 x\n", "m.obj:1:7: expected a number behind v"},
        {"v 0 0 1e101\n", "m.obj:1:7: expected a number behind v, at most 1e100"},
        {"v 0 0 inf\n", "m.obj:1:7: expected a number behind v"},
        {"v 0 0 0\nf 1 1\n", "m.obj:2:2: expected at least 3 corners"},
        {"v 0 0 0\nf 1 1 2\n", "m.obj:2:7: expected a vertex that stands above"},
        {"v 0 0 0\nf 0 1 1\n", "m.obj:2:3: expected a vertex"},
        {"v 0 0 0\nf -2 1 1\n", "m.obj:2:3: expected a vertex"},
        {"v 0 0 0\nf 1x 1 1\n", "m.obj:2:3: expected a vertex"},
        {"vertex 0 0 0\n", "m.obj:1:1: unknown word"},
        {"solid ascii.stl\n", "m.obj:1:1: unknown word, expected v or f: meshes are Wavefront OBJ"},
        {"v 0000000000000000000000000000000000000000000000000000000000000000000",
         "m.obj:1:3: a word"},
        {"v 0 0 0\n", "a.yaml:1:16: mesh: the file has no faces"},
    };
    write_file("a.yaml", "world: [{mesh: m.obj}]\n");
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
        write_file("m.obj", wrong[k][0]);
        check_failure(path_of("a.yaml"), wrong[k][1]);
    }
    remove_file("a.yaml");
    remove_file("m.obj");
}

static void test_too_many_files(void **state)
{
    (void)state;
    char name[32], text[8192] = "include: [";
    for (int k = 0; k < PERP_SCENE_FILE_LIMIT; k++) {
        snprintf(name, sizeof name, "%d.yaml", k);
        write_file(name, "parameters: {a: 1, b: 2, c: 3, d: 4}\n");
        sprintf(text + strlen(text), "%s, ", name);
    }
    strcat(text, "]");
    write_file("a.yaml", text);
    check_failure(path_of("a.yaml"), "a.yaml:1:2");
    check_failure(path_of("a.yaml"), "more than 256 files");
    for (int k = 0; k < PERP_SCENE_FILE_LIMIT; k++) {
        snprintf(name, sizeof name, "%d.yaml", k);
        remove_file(name);
    }
    memset(text, 'x', 1020);
    memcpy(text, "include: ", 9);
    text[1020] = '\0';
    write_file("a.yaml", text);
    check_failure(path_of("a.yaml"), "a.yaml:1:10: include: a path longer than 1023 bytes");
    remove_file("a.yaml");
}

static void test_too_many_parameters(void **state)
{
    (void)state;
    write_file("a.yaml", "include: [0.yaml, 1.yaml, 2.yaml, 3.yaml]\n");
    for (int k = 0; k < 4; k++) {
        char name[32], text[8192] = "parameters: {";
        snprintf(name, sizeof name, "%d.yaml", k);
        for (int i = 0; i < 251; i++)
            sprintf(text + strlen(text), "p_%d_%d: 1, ", k, i);
        strcat(text, "}\n");
        write_file(name, text);
    }
    check_failure(path_of("a.yaml"), "more than 1000 parameters");
    remove_file("a.yaml");
    remove_file("0.yaml");
    remove_file("1.yaml");
    remove_file("2.yaml");
    remove_file("3.yaml");
}

// Hulls whose mass is wanted are made while reading; that is limited too.
static void test_too_many_hulls(void **state)
{
    (void)state;
    FILE *obj = fopen(path_of("m.obj"), "wb");
    assert_non_null(obj);
    for (int k = 0; k < 20000; k++)
        fprintf(obj, "v %d %d %d\n", k & 1, k >> 1 & 1, k >> 2 & 1);
    assert_int_equal(fclose(obj), 0);
    write_file("a.yaml", "repeat: {for: {i: 1..1e6}, bodies: {\"{i}\": {hull: m.obj, mass: 1}}}");
    check_failure(path_of("a.yaml"), "a.yaml:1:64: mass: too many hulls");
    remove_file("a.yaml");
    remove_file("m.obj");
}

// Every fenced block of docs/scenes.md opens with the name of its file and stands in it.
static void test_docs_show_the_examples(void **state)
{
    (void)state;
    static char docs[1 << 16], bytes[LARGEST];
    size_t size = load_file("docs/scenes.md", docs, sizeof docs);
    docs[size] = '\0';
    int blocks = 0;
    for (char *block = strstr(docs, "```yaml\n# "); block; block = strstr(block, "```yaml\n# ")) {
        char path[64], *body = strchr(block + 8, '\n') + 1, *end = strstr(body, "```");
        assert_int_equal(sscanf(block, "```yaml\n# %63[^ ,\n]", path), 1);
        assert_non_null(end);
        *end = '\0';
        bytes[load_file(path, bytes, sizeof bytes)] = '\0';
        if (!strstr(bytes, body))
            fail_msg("docs/scenes.md shows other lines than %s", path);
        block = end + 1;
        blocks++;
    }
    assert_int_equal(blocks, 12);
}

static void test_decimal_comma(void **state)
{
    (void)state;
    static const char *const locales[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8"};
    bool found = false;
    for (size_t k = 0; !found && k < sizeof locales / sizeof *locales; k++)
        found = setlocale(LC_ALL, locales[k]) != NULL;
    if (!found)
        skip();
    PerpScene *scene = read_scene("scenes/examples/ball.yaml");
    assert_true(perp_scene_model_def(scene)->shapes[0].size[0] == 0.1);
    perp_scene_destroy(scene);
    setlocale(LC_ALL, "C");
}

static void sweep_allocations(const char *path)
{
    PerpStatus status = PERP_NO_MEMORY;
    for (int k = 1; status == PERP_NO_MEMORY; k++) {
        PerpFailingAllocator memory = {.fail_at = k};
        PerpContext context = perp_failing_context(&memory);
        PerpScene *scene;
        PerpError error = {0};
        status = perp_scene_read(&context, path, NULL, 0, &scene, &error);
        assert_int_equal(error.status, status);
        assert_true((scene == NULL) == (status != PERP_OK));
        assert_true((error.message[0] == '\0') == (status == PERP_OK));
        perp_scene_destroy(scene);
        assert_int_equal(memory.live, 0);
    }
    assert_int_equal(status, PERP_OK);
}

static void test_allocation_failures(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof examples / sizeof *examples; k++)
        sweep_allocations(example_path(k));
}

// Texts and lists longer than a block of memory.
static void write_large_scene(void)
{
    FILE *yaml = fopen(path_of("large.yaml"), "wb"), *obj = fopen(path_of("large.obj"), "wb");
    assert_true(yaml && obj);
    fprintf(yaml, "about: %05000d\nbodies:\n  egg: {mass: 1, hull: [", 1);
    for (int k = 0; k < 300; k++) {
        fprintf(yaml, "[%d, %d, %d], ", k % 7, k % 5, k % 3);
        fprintf(obj, "v %d 0 0\nv 0 %d 0\nv 0 0 %d\n", k, k, k);
    }
    fputs("f 1 2 3\n", obj);
    fputs("]}\nworld:\n  - mesh: large.obj\n  - height-field: {cell: [1, 1], heights: [", yaml);
    for (int k = 0; k < 400; k++)
        fputs("[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20], ", yaml);
    fputs("]}\nrepeat: {for: {i: 1..3000}, materials: {\"m{i}\": {}}}\n", yaml);
    assert_int_equal(fclose(yaml) + fclose(obj), 0);
}

static void test_large_allocation_failures(void **state)
{
    (void)state;
    write_large_scene();
    sweep_allocations(path_of("large.yaml"));
    remove_file("large.yaml");
    remove_file("large.obj");
}

// A text either reads or is refused with a place.
static void check_text(const char *bytes, size_t size, const char *name)
{
    PerpScene *scene;
    PerpError error = {0};
    PerpStatus status = perp_scene_parse(NULL, bytes, size, name, NULL, 0, &scene, &error);
    assert_true((scene == NULL) == (status != PERP_OK));
    if (status && (error.line < 1 || error.column < 1 || !error.message[0] || !error.file[0]))
        fail_msg("%.*s\ngives %s:%d:%d: %s", (int)size, bytes, error.file, error.line, error.column,
                 error.message);
    perp_scene_destroy(scene);
}

static size_t load_example(size_t k, char bytes[LARGEST])
{
    return load_file(example_path(k), bytes, LARGEST);
}

static void test_truncation(void **state)
{
    (void)state;
    char bytes[LARGEST];
    for (size_t k = 0; k < sizeof examples / sizeof *examples; k++) {
        size_t size = load_example(k, bytes);
        for (size_t length = 0; length < size; length++) {
            char *exact = malloc(length + 1); // so that reading past the end is noticed
            assert_non_null(exact);
            memcpy(exact, bytes, length);
            check_text(exact, length, example_path(k));
            free(exact);
        }
    }
}

static void test_flipped_bytes(void **state)
{
    (void)state;
    char bytes[LARGEST];
    PerpRandom random = perp_random(3);
    for (size_t k = 0; k < sizeof examples / sizeof *examples; k++) {
        int size = (int)load_example(k, bytes);
        for (int flip = 0; flip < FLIPS; flip++) {
            int at = perp_random_int(&random, 0, size - 1);
            char before = bytes[at];
            bytes[at] = (char)perp_random_int(&random, 0, 255);
            check_text(bytes, (size_t)size, example_path(k));
            bytes[at] = before;
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_examples),
        cmocka_unit_test(test_example_wall),
        cmocka_unit_test(test_example_yard),
        cmocka_unit_test(test_include),
        cmocka_unit_test(test_include_errors),
        cmocka_unit_test(test_include_depth),
        cmocka_unit_test(test_meshes),
        cmocka_unit_test(test_mesh_errors),
        cmocka_unit_test(test_too_many_files),
        cmocka_unit_test(test_too_many_parameters),
        cmocka_unit_test(test_too_many_hulls),
        cmocka_unit_test(test_docs_show_the_examples),
        cmocka_unit_test(test_large_allocation_failures),
        cmocka_unit_test(test_decimal_comma),
        cmocka_unit_test(test_allocation_failures),
        cmocka_unit_test(test_truncation),
        cmocka_unit_test(test_flipped_bytes),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
