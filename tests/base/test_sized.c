// A caller who was compiled with an older header: his structs are shorter, nothing is written
// behind them, and what they do not have takes its default.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "perp/perp.h"

#include <stdlib.h>
#include <string.h>

// The structs as an older header might have had them.
typedef struct OldLcpSettings {
    size_t size;
    PerpLcpMethod method;
    double tolerance;
} OldLcpSettings;

typedef struct OldSimulationSettings {
    size_t size;
    const char *scheme;
    double step;
} OldSimulationSettings;

typedef struct OldBodyDef {
    const char *name;
    unsigned freedom;
    double position[3];
    double rotation[4];
} OldBodyDef;

typedef struct OldShapeDef {
    const char *name;
    PerpShapeKind kind;
    double size[3];
    int n_vertices;
    const double *vertices;
    int n_triangles;
    const int *triangles;
    int rows, columns;
    const double *heights;
    int body;
} OldShapeDef;

typedef struct OldSeries {
    const char *name;
    int count;
    const double *x, *y;
} OldSeries;

// A struct of `size` bytes at the very end of its memory: the sanitizers see whoever goes further.
static void *exactly(size_t size)
{
    void *memory = malloc(size);
    assert_non_null(memory);
    memset(memory, 0x5a, size);
    return memory;
}

static void test_settings_of_problems(void **state)
{
    (void)state;
    const double M[] = {2, 1, 1, 2}, q[] = {-5, -6};
    PerpLcp lcp = {.n = 2, .M = M, .q = q};
    PerpLcpResult result;
    PerpSolver *solver;
    OldLcpSettings *old = exactly(sizeof *old);
    perp_fill_lcp_settings((PerpLcpSettings *)old, sizeof *old);
    assert_int_equal(old->size, sizeof *old);
    assert_true(old->tolerance == PERP_TOLERANCE);
    old->method = PERP_LCP_LEMKE;
    assert_int_equal(perp_solver_create(NULL, &solver), PERP_OK);
    assert_int_equal(perp_lcp_solve(solver, &lcp, (const PerpLcpSettings *)old, &result, NULL),
                     PERP_OK);
    assert_int_equal(result.method, PERP_LCP_LEMKE);
    assert_int_equal(result.outcome, PERP_OUTCOME_SOLVED);
    perp_solver_destroy(solver);
    free(old);
}

// A point above a sphere, both given in structs without mass, density, groups and the like.
static PerpModel *create_model(void)
{
    OldBodyDef *bodies = exactly(2 * sizeof *bodies);
    OldShapeDef *shapes = exactly(2 * sizeof *shapes);
    for (int k = 0; k < 2; k++) {
        perp_fill_body((PerpBodyDef *)&bodies[k], sizeof *bodies);
        bodies[k].name = k ? "upper" : "lower";
        bodies[k].position[2] = 3 * k;
        perp_fill_shape((PerpShapeDef *)&shapes[k], sizeof *shapes);
        shapes[k].body = k;
        shapes[k].size[0] = k + 1;
    }
    PerpModelDef def = perp_default_model_def();
    def.n_bodies = def.n_shapes = 2;
    def.bodies = (const PerpBodyDef *)bodies;
    def.shapes = (const PerpShapeDef *)shapes;
    def.body_size = sizeof *bodies;
    def.shape_size = sizeof *shapes;
    PerpModel *model = NULL;
    PerpError error = {0};
    if (perp_model_create(NULL, &def, &model, &error))
        fail_msg("%s", error.message);
    free(bodies);
    free(shapes);
    return model;
}

static void test_items_of_models(void **state)
{
    (void)state;
    PerpModel *model = create_model();
    assert_string_equal(perp_model_body_name(model, 1), "upper");
    double lower = perp_model_body_mass(model, 0), upper = perp_model_body_mass(model, 1);
    assert_true(lower > 4188 && lower < 4189); // the default density, 1000 kg/m^3
    assert_true(upper > 7.999 * lower && upper < 8.001 * lower);

    OldSimulationSettings *old = exactly(sizeof *old);
    PerpSimulation *simulation;
    PerpError error = {0};
    perp_fill_simulation_settings((PerpSimulationSettings *)old, sizeof *old);
    old->step = 0.25;
    if (perp_simulation_create(NULL, model, (const PerpSimulationSettings *)old, &simulation,
                               &error))
        fail_msg("%s", error.message);
    old->step = 0;
    perp_simulation_copy_settings(simulation, (PerpSimulationSettings *)old, sizeof *old);
    assert_true(old->step == 0.25 && old->size == sizeof *old);
    assert_int_equal(perp_simulation_settings(simulation).threads, 1);
    assert_int_equal(perp_simulation_settings(simulation).size, sizeof(PerpSimulationSettings));
    double position[3], rotation[4];
    perp_simulation_pose(simulation, 1, position, rotation);
    assert_true(position[2] == 3 && rotation[0] == 1);
    perp_simulation_destroy(simulation);
    perp_model_destroy(model);
    free(old);
}

static void test_series_of_figures(void **state)
{
    (void)state;
    const double x[] = {0, 1, 2}, y[] = {1, 3, 2};
    OldSeries *old = exactly(2 * sizeof *old);
    PerpSeries series[2];
    for (int k = 0; k < 2; k++) {
        perp_fill_series((PerpSeries *)&old[k], sizeof *old);
        old[k] = (OldSeries){.name = k ? "b" : "a", .count = 3, .x = x, .y = y};
        series[k] = perp_default_series();
        series[k].name = old[k].name;
        series[k].count = 3;
        series[k].x = x;
        series[k].y = y;
    }
    PerpFigure figure = perp_default_figure();
    figure.n_series = 2;
    figure.series = series;
    char *now, *then;
    assert_int_equal(perp_figure_svg(NULL, &figure, &now, NULL), PERP_OK);
    figure.series = (const PerpSeries *)old;
    figure.series_size = sizeof *old;
    assert_int_equal(perp_figure_svg(NULL, &figure, &then, NULL), PERP_OK);
    assert_string_equal(now, then);
    perp_figure_free(NULL, now);
    perp_figure_free(NULL, then);
    free(old);
}

// Whoever did not begin with the defaults, or is newer than the library, is told so.
static void test_refusals(void **state)
{
    (void)state;
    const struct {
        size_t size;
        const char *words;
    } cases[] = {{0, "begin with perp_default_simulation_settings()"},
                 {sizeof(PerpSimulationSettings) + 8, "a later version"}};
    for (int k = 0; k < 2; k++) {
        PerpModel *model = create_model();
        PerpSimulation *simulation;
        PerpError error = {0};
        PerpSimulationSettings settings = perp_default_simulation_settings();
        settings.size = cases[k].size;
        assert_int_equal(perp_simulation_create(NULL, model, &settings, &simulation, &error),
                         PERP_BAD_VALUE);
        assert_non_null(strstr(error.message, cases[k].words));
        assert_null(simulation);
        perp_model_destroy(model);
    }
    PerpBodyDef body = perp_default_body();
    PerpModelDef def = perp_default_model_def();
    PerpModel *model;
    PerpError error = {0};
    def.n_bodies = 1;
    def.bodies = &body;
    def.body_size = sizeof body + 8;
    assert_int_equal(perp_model_create(NULL, &def, &model, &error), PERP_BAD_VALUE);
    assert_non_null(strstr(error.message, "body_size"));
    PerpModelDef empty = {0};
    assert_int_equal(perp_model_create(NULL, &empty, &model, &error), PERP_BAD_VALUE);
    assert_non_null(strstr(error.message, "perp_default_model_def"));
}

// A longer struct of a later header: what this library does not know is zero.
static void test_longer_struct(void **state)
{
    (void)state;
    size_t size = sizeof(PerpLcpSettings) + 16;
    unsigned char *longer = exactly(size);
    perp_fill_lcp_settings((PerpLcpSettings *)longer, size);
    for (size_t k = sizeof(PerpLcpSettings); k < size; k++)
        assert_int_equal(longer[k], 0);
    assert_int_equal(((PerpLcpSettings *)longer)->size, size);
    free(longer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_settings_of_problems), cmocka_unit_test(test_items_of_models),
        cmocka_unit_test(test_series_of_figures),    cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_longer_struct),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
