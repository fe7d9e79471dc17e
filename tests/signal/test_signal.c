// Signals: values and rates of expressions, tables, and what is said of texts that are wrong.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "signal/signal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// Two variables: arm.angle, measured, and 'drive', a signal of t.
static bool find(void *user, const char *object, const char *quantity, PerpMeaning *meaning,
                 char *hint, size_t size)
{
    (void)user;
    bool is_angle = strcmp(quantity, "angle") == 0;
    meaning->is_time = !quantity[0] && strcmp(object, "t") == 0;
    if (meaning->is_time)
        return true;
    if (is_angle && (strcmp(object, "arm") == 0 || strcmp(object, "fore-arm") == 0))
        *meaning = (PerpMeaning){.variable = 0, .is_measured = true};
    else if (!quantity[0] && strcmp(object, "drive") == 0)
        *meaning = (PerpMeaning){.variable = 1};
    else if (!quantity[0] && strcmp(object, "gain") == 0)
        *meaning = (PerpMeaning){.is_constant = true, .value = 12};
    else {
        snprintf(hint, size, "try arm.angle");
        return false;
    }
    return true;
}

static const PerpVocabulary vocabulary = {.find = find, .has_objects = true};

static PerpDual evaluate(const char *text, double t)
{
    PerpContext context = perp_default_context();
    const PerpDual variables[] = {{0.25, 0}, {2, 3}};
    PerpProgram program;
    PerpExpressionFault fault;
    PerpDual value;
    PerpStatus status =
        perp_program_compile(&context.allocator, text, &vocabulary, &program, &fault);
    if (status)
        fail_msg("%s: %s", text, fault.message);
    if (!perp_program_evaluate(&program, t, variables, &value, &fault))
        fail_msg("%s: %s", text, fault.message);
    perp_program_free(&context.allocator, &program);
    return value;
}

static void test_values(void **state)
{
    (void)state;
    const double pi = 3.14159265358979323846, t = 0.3;
    const struct {
        const char *text;
        double value;
    } cases[] = {
        {"0.3*sin(2*pi*t)", 0.3 * sin(2 * pi * t)},
        {"-gain*arm.angle - 2", -5},
        {"gain-0.5", 11.5},
        {"fore-arm.angle*4", 1},
        {"'arm'.angle - 'drive'", 0.25 - 2},
        {"if(t < 1, 0, 5)", 0},
        {"if(t >= 1, 0, 5)", 5},
        {"if(drive > 1 and not (arm.angle == 1), 7, 8)", 7},
        {"if(0, log(-1), 3)", 3},
        {"-2^2", -4},
        {"2^3^2", 512},
        {"30 deg", pi / 6},
        {"clamp(drive, 0, 1) + max(1, 2) - min(3, 4) + mod(-1, 4)", 1 + 2 - 3 + 3},
        {"atan2(1, 1) - tanh(0) + exp(0) + log(1) + sign(-3)*abs(-2)", pi / 4 + 1 - 2},
        {"1 < 2 or 1/0 > 1", 1},
        {"1e3 + .5", 1000.5},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        if (k != 14) // 1/0 is an error, below
            assert_true(fabs(evaluate(cases[k].text, t).x - cases[k].value) <
                        1e-15 * (1 + fabs(cases[k].value)));
}

// Rates against central differences; what is measured is held.
static void test_rates(void **state)
{
    (void)state;
    static const char *const texts[] = {"sin(t)*exp(-t)",
                                        "t^3 + 2^t",
                                        "sqrt(1 + t)/cos(t)",
                                        "atan2(t, 1 + t*t)",
                                        "tan(t)*tanh(t)",
                                        "asin(t)*acos(t)",
                                        "clamp(t, 0, 1)*abs(-t)",
                                        "max(t, 2*t)*min(t, 3)",
                                        "if(t < 1, t, 5)",
                                        "mod(t, 0.7)*log(t)",
                                        "arm.angle*t"};
    const double e = 1e-5;
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++)
        for (double t = 0.11; t < 0.65; t += 0.13) {
            double rate = (evaluate(texts[k], t + e).x - evaluate(texts[k], t - e).x) / (2 * e);
            assert_true(fabs(evaluate(texts[k], t).rate - rate) < 1e-8);
        }
    assert_true(evaluate("drive*drive", 0).rate == 12); // 2 x x'
}

static void test_faults(void **state)
{
    (void)state;
    static const struct {
        const char *text, *word;
        int offset;
    } cases[] = {
        {"2*foo", "foo", 2},
        {"arm.angel", "try arm.angle", 0},
        {"sin t", "'('", 4},
        {"max(1)", "','", 5},
        {"(1", "')'", 2},
        {"1 2", "operator", 2},
        {"", "nothing", 0},
        {"1e999", "too large", 0},
        {"random(0, 1)", "random", 0},
        {"'arm.angle", "quote", 0},
        {"1 + $", "'$'", 4},
        {"deg", "before deg", 0},
        {"if(1, 2)", "','", 7},
    };
    PerpContext context = perp_default_context();
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        PerpProgram program;
        PerpExpressionFault fault;
        assert_int_not_equal(
            perp_program_compile(&context.allocator, cases[k].text, &vocabulary, &program, &fault),
            PERP_OK);
        if (!strstr(fault.message, cases[k].word) || fault.offset != cases[k].offset)
            fail_msg("%s: %d %s", cases[k].text, fault.offset, fault.message);
    }
}

// Deep and long texts end with a message, not with the stack.
static void test_limits(void **state)
{
    (void)state;
    PerpContext context = perp_default_context();
    static char text[1200];
    static const char *const parts[] = {"(", "-", "2^", "1+(", "max(1,", "if(1,1,", "not "};
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
        PerpProgram program;
        PerpExpressionFault fault;
        text[0] = '\0';
        while (strlen(text) + strlen(parts[k]) < 990)
            strcat(text, parts[k]);
        perp_program_compile(&context.allocator, text, &vocabulary, &program, &fault);
        perp_program_free(&context.allocator, &program);
    }
    memset(text, '1', 1100);
    text[1100] = '\0';
    PerpProgram program;
    PerpExpressionFault fault;
    assert_int_equal(perp_program_compile(&context.allocator, text, &vocabulary, &program, &fault),
                     PERP_BAD_SIZE);
}

static void test_not_finite(void **state)
{
    (void)state;
    static const struct {
        const char *text, *word;
        int offset;
    } cases[] = {{"1 + 1/(t - t)", "division by zero at t = 0.5 s", 5},
                 {"sqrt(-1 - t)", "sqrt(-1.5) is not a number", 0},
                 {"2*log(t - 1)", "log", 2},
                 {"10^400", "power", 2}};
    PerpContext context = perp_default_context();
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        PerpProgram program;
        PerpExpressionFault fault;
        PerpDual value;
        assert_int_equal(
            perp_program_compile(&context.allocator, cases[k].text, &vocabulary, &program, &fault),
            PERP_OK);
        assert_false(perp_program_evaluate(&program, 0.5, NULL, &value, &fault));
        if (!strstr(fault.message, cases[k].word) || fault.offset != cases[k].offset)
            fail_msg("%s: %d %s", cases[k].text, fault.offset, fault.message);
        perp_program_free(&context.allocator, &program);
    }
}

static void test_tables(void **state)
{
    (void)state;
    PerpContext context = perp_default_context();
    const double points[] = {0, 1, 1, 3, 2, 3, 4, -1};
    for (int cubic = 0; cubic < 2; cubic++) {
        PerpTable table;
        PerpExpressionFault fault;
        assert_int_equal(perp_table_create(&context.allocator, 4, points, cubic, &table, &fault),
                         PERP_OK);
        for (int k = 0; k < 4; k++)
            assert_true(perp_table_at(&table, points[2 * k]).x == points[2 * k + 1]);
        assert_true(perp_table_at(&table, -5).x == 1 && perp_table_at(&table, -5).rate == 0);
        assert_true(perp_table_at(&table, 9).x == -1 && perp_table_at(&table, 9).rate == 0);
        const double e = 1e-6;
        for (double t = -0.053; t < 4.5; t += 0.07) { // rates, and no value beyond the points
            PerpDual at = perp_table_at(&table, t);
            double rate =
                (perp_table_at(&table, t + e).x - perp_table_at(&table, t - e).x) / (2 * e);
            assert_true(at.x >= -1 && at.x <= 3);
            assert_true(fabs(at.rate - rate) < 1e-6);
        }
        perp_table_free(&context.allocator, &table);
    }
    PerpTable table;
    PerpExpressionFault fault;
    const double backward[] = {0, 1, 0, 2}, nothing[] = {0, NAN};
    assert_int_equal(perp_table_create(&context.allocator, 2, backward, false, &table, &fault),
                     PERP_BAD_VALUE);
    assert_int_equal(perp_table_create(&context.allocator, 1, nothing, false, &table, &fault),
                     PERP_BAD_VALUE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),     cmocka_unit_test(test_rates),
        cmocka_unit_test(test_faults),     cmocka_unit_test(test_limits),
        cmocka_unit_test(test_not_finite), cmocka_unit_test(test_tables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
