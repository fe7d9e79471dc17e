// Checkpoints: a restored simulation goes on to the same bits; bytes that do not fit are refused.

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "perp/scene.h"
#include "perp/simulation.h"
#include "perp/system.h"
#include "random.h"

#include <stdlib.h>
#include <string.h>

typedef struct Case {
    PerpScene *scene;
    PerpModel *model;
    PerpSimulation *simulation;
} Case;

static PerpSimulation *create(const Case *c, const char *scheme)
{
    PerpError error = {0};
    PerpSimulation *simulation;
    PerpSimulationSettings settings = perp_default_simulation_settings();
    settings.step = 2e-3;
    settings.scheme = scheme;
    if (perp_simulation_create(NULL, c->model, &settings, &simulation, &error))
        fail_msg("%s", error.message);
    return simulation;
}

static Case open_case(const char *path, const char *scheme)
{
    Case c = {0};
    PerpError error = {0};
    if (perp_scene_read(NULL, path, NULL, 0, &c.scene, &error) ||
        perp_model_create(NULL, perp_scene_model_def(c.scene), &c.model, &error))
        fail_msg("%s: %s", path, error.message);
    c.simulation = create(&c, scheme);
    return c;
}

static void close_case(Case *c)
{
    perp_simulation_destroy(c->simulation);
    perp_model_destroy(c->model);
    perp_scene_destroy(c->scene);
}

static void step(PerpSimulation *simulation, int steps)
{
    PerpError error = {0};
    for (int k = 0; k < steps; k++)
        if (perp_simulation_step(simulation, 0, &error))
            fail_msg("%s", error.message);
}

static void *save(const PerpSimulation *simulation, size_t *size)
{
    *size = perp_simulation_state_size(simulation);
    void *bytes = malloc(*size);
    assert_non_null(bytes);
    perp_simulation_save(simulation, bytes);
    return bytes;
}

static void assert_same(const PerpSimulation *a, const PerpSimulation *b)
{
    size_t size_a, size_b;
    void *bytes_a = save(a, &size_a), *bytes_b = save(b, &size_b);
    assert_int_equal(size_a, size_b);
    assert_memory_equal(bytes_a, bytes_b, size_a);
    const PerpStepReport *of_a = perp_simulation_report(a), *of_b = perp_simulation_report(b);
    assert_memory_equal(&of_a->energy, &of_b->energy, sizeof of_a->energy);
    assert_int_equal(of_a->pivots, of_b->pivots);
    assert_memory_equal(of_a->certificate.residual, of_b->certificate.residual,
                        sizeof of_a->certificate.residual);
    free(bytes_a);
    free(bytes_b);
}

// --- the same bits ------------------------------------------------------------------------------

static void goes_on_to_the_same_bits(const char *path, const char *scheme)
{
    Case c = open_case(path, scheme);
    PerpSimulation *other = create(&c, scheme);
    PerpError error = {0};
    size_t size;
    step(c.simulation, 60);
    void *bytes = save(c.simulation, &size);
    step(other, 3); // a restored simulation need not be fresh
    if (perp_simulation_restore(other, bytes, size, &error))
        fail_msg("%s: %s", path, error.message);
    for (int k = 0; k < 20; k++) {
        step(c.simulation, 1);
        step(other, 1);
        assert_same(c.simulation, other);
    }
    free(bytes);
    perp_simulation_destroy(other);
    close_case(&c);
}

static void test_same_bits(void **state)
{
    (void)state;
    static const char *const scenes[] = {
        "scenes/demo/workshop.yaml",  "scenes/chain.yaml",         "scenes/newtons-cradle.yaml",
        "scenes/gear-train.yaml",     "scenes/stack.yaml",         "scenes/sliding-stop.yaml",
        "scenes/ball-on-string.yaml", "scenes/examples/pile.yaml",
    };
    for (size_t k = 0; k < sizeof scenes / sizeof *scenes; k++)
        goes_on_to_the_same_bits(scenes[k], "default");
    for (int k = 0; k < perp_scheme_count(); k++) {
        goes_on_to_the_same_bits("scenes/sliding-stop.yaml", perp_scheme_name(k));
        goes_on_to_the_same_bits("scenes/bouncing-ball.yaml", perp_scheme_name(k));
    }
}

// --- bytes that do not fit ----------------------------------------------------------------------

static void test_refusals(void **state)
{
    (void)state;
    size_t size;
    Case c = open_case("scenes/demo/workshop.yaml", "default");
    Case other = open_case("scenes/chain.yaml", "default");
    PerpSimulation *scheme = create(&c, "anitescu-potra");
    PerpError error = {0};
    step(c.simulation, 20);
    char *bytes = save(c.simulation, &size);
    assert_int_equal(perp_simulation_restore(other.simulation, bytes, size, &error), PERP_BAD_SIZE);
    assert_int_equal(perp_simulation_restore(scheme, bytes, size, &error), PERP_BAD_VALUE);
    assert_non_null(strstr(error.message, "anitescu-potra"));
    for (size_t length = 0; length < size; length += 1 + length / 7) {
        char *cut = malloc(length + 1); // to the byte, for the sanitizer
        memcpy(cut, bytes, length);
        assert_int_not_equal(perp_simulation_restore(c.simulation, cut, length, &error), PERP_OK);
        free(cut);
    }
    char *longer = calloc(size + 1, 1);
    memcpy(longer, bytes, size);
    assert_int_not_equal(perp_simulation_restore(c.simulation, longer, size + 1, &error), PERP_OK);
    free(longer);
    free(bytes);
    perp_simulation_destroy(scheme);
    close_case(&other);
    close_case(&c);
}

// Refused, or harmless: a simulation that accepts changed bytes steps on or fails in order.
static void test_changed_bytes(void **state)
{
    (void)state;
    size_t size;
    PerpRandom r = perp_random(5);
    Case c = open_case("scenes/stack.yaml", "default");
    PerpError error = {0};
    step(c.simulation, 40);
    char *bytes = save(c.simulation, &size), *changed = malloc(size);
    int refused = 0;
    for (int k = 0; k < 400; k++) {
        memcpy(changed, bytes, size);
        size_t at = (size_t)(perp_random_uniform(&r, 0, 1) * (double)size) % size;
        changed[at] = (char)(changed[at] ^ (1 << (k % 8)));
        if (perp_simulation_restore(c.simulation, changed, size, &error))
            refused++;
        else if (k % 20 == 0)
            (void)perp_simulation_step(c.simulation, 0, &error);
        assert_int_equal(perp_simulation_restore(c.simulation, bytes, size, &error), PERP_OK);
    }
    assert_in_range(refused, 20, 399);
    free(changed);
    free(bytes);
    close_case(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_changed_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
