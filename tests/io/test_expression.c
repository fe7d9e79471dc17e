// Expressions against C, and every way in which they can be wrong.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "io/text/expression.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

static const double PI = 3.14159265358979323846;
static const double parameter_values[] = {0.25, 7};

// r = 0.25, count = 7, index i = 3
static PerpScope open_scope(void)
{
    PerpScope scope = {.parameters = {.allocator = perp_default_context().allocator},
                       .values = parameter_values,
                       .n_index = 1,
                       .index = {{.name = "i", .value = 3}},
                       .allows_random = true,
                       .left = 1000000};
    assert_true(perp_names_add(&scope.parameters, "r", (PerpPlace){0}));
    assert_true(perp_names_add(&scope.parameters, "count", (PerpPlace){0}));
    return scope;
}

static void check_value(const char *text, double expected)
{
    PerpScope scope = open_scope();
    PerpExpressionFault fault = {0};
    double value = NAN;
    if (perp_expression_evaluate(&scope, text, &value, &fault) || value != expected)
        fail_msg("%s gives %.17g, not %.17g: %s", text, value, expected, fault.message);
    perp_names_free(&scope.parameters);
}

static void check_fault(const char *text, PerpStatus status, int offset, const char *fragment)
{
    PerpScope scope = open_scope();
    PerpExpressionFault fault = {0};
    double value = 5;
    PerpStatus found = perp_expression_evaluate(&scope, text, &value, &fault);
    if (found != status || fault.offset != offset || !strstr(fault.message, fragment))
        fail_msg("%s gives %s at %d: %s", text, perp_status_name(found), fault.offset,
                 fault.message);
    assert_true(value == 5);
    perp_names_free(&scope.parameters);
}

static void test_numbers(void **state)
{
    (void)state;
    check_value("0", 0);
    check_value("12.25", 12.25);
    check_value(".5", 0.5);
    check_value("1.", 1);
    check_value("1e-3", 1e-3);
    check_value("1.5E+2", 150);
    check_value("0.1", 0.1);
    check_value(" 7 ", 7);
    check_value("1.7976931348623157e308", 1.7976931348623157e308);
}

static void test_arithmetic(void **state)
{
    (void)state;
    check_value("1 + 2*3", 7);
    check_value("(1 + 2)*3", 9);
    check_value("2 - 3 - 4", -5);
    check_value("16/4/2", 2);
    check_value("2^3^2", 512);
    check_value("-2^2", -4);
    check_value("2^-1", 0.5);
    check_value("--3", 3);
    check_value("+3", 3);
    check_value("2*-3", -6);
    check_value("2*r + 0.1", 2 * 0.25 + 0.1);
    check_value("(i + 0.5)*count", 3.5 * 7);
    check_value("1e2-1", 99);
}

static void test_functions(void **state)
{
    (void)state;
    check_value("pi/4", PI / 4);
    check_value("30 deg", 30 * (PI / 180));
    check_value("30deg", 30 * (PI / 180));
    check_value("2*(10 + 5) deg", 2 * (15 * (PI / 180)));
    check_value("-90 deg", -(90 * (PI / 180)));
    check_value("sqrt(2)", sqrt(2));
    check_value("sin(1.2)", sin(1.2));
    check_value("cos(1.2)", cos(1.2));
    check_value("tan(1.2)", tan(1.2));
    check_value("asin(0.3)", asin(0.3));
    check_value("acos(0.3)", acos(0.3));
    check_value("atan2(-1, 2)", atan2(-1, 2));
    check_value("abs(-r)", 0.25);
    check_value("min(3, i - 1)", 2);
    check_value("max(3, i - 1)", 3);
    check_value("floor(-1.5)", -2);
    check_value("mod(7, 3)", 1);
    check_value("mod(-1, 2)", 1);
    check_value("max(min(1, 2), sqrt(abs(-9)))", 3);
    check_value("if(i > 2 and not i == 4, clamp(i, 0, 1), exp(0) + 4)", 1);
}

static void test_syntax_faults(void **state)
{
    (void)state;
    check_fault("", PERP_BAD_SYNTAX, 0, "found nothing");
    check_fault("1 +", PERP_BAD_SYNTAX, 3, "found nothing");
    check_fault("1 2", PERP_BAD_SYNTAX, 2, "expected an operator, found '2'");
    check_fault("0x10", PERP_BAD_SYNTAX, 1, "expected an operator, found 'x10'");
    check_fault("1e", PERP_BAD_SYNTAX, 1, "expected an operator");
    check_fault("2 * $", PERP_BAD_SYNTAX, 4, "found '$'");
    check_fault("(1 + 2", PERP_BAD_SYNTAX, 6, "expected ')'");
    check_fault("1)", PERP_BAD_SYNTAX, 1, "expected an operator");
    check_fault("deg", PERP_BAD_SYNTAX, 0, "a number before deg");
    check_fault("3 degrees", PERP_BAD_SYNTAX, 2, "expected an operator");
    check_fault("sqrt 2", PERP_BAD_SYNTAX, 5, "expected '(' behind sqrt");
    check_fault("max(1", PERP_BAD_SYNTAX, 5, "put the expression in quotes");
    check_fault("sin(1, 2)", PERP_BAD_SYNTAX, 5, "expected ')' behind the argument of sin");
    check_fault("min(1, 2, 3)", PERP_BAD_SYNTAX, 8, "two arguments of min");
    check_fault("1 + \xC3\xA4", PERP_BAD_SYNTAX, 4, "expected a number");
}

static void test_unknown_names(void **state)
{
    (void)state;
    check_fault("1 + cuont", PERP_BAD_SYNTAX, 4, "the nearest known name is \"count\"");
    check_fault("sqr(2)", PERP_BAD_SYNTAX, 0, "the nearest known name is \"sqrt\"");
    check_fault("PI", PERP_BAD_SYNTAX, 0, "unknown name \"PI\"");
    char name[140] = "";
    memset(name, 'a', sizeof name - 1);
    check_fault(name, PERP_BAD_SIZE, 0, "longer than 127");
}

static void test_value_faults(void **state)
{
    (void)state;
    check_fault("1/0", PERP_BAD_VALUE, 1, "division by zero");
    check_fault("2 + 1/(r - 0.25)", PERP_BAD_VALUE, 5, "division by zero");
    check_fault("mod(1, 0)", PERP_BAD_VALUE, 0, "division by zero");
    check_fault("1 + sqrt(-1)", PERP_BAD_VALUE, 4, "sqrt(-1) is not a number");
    check_fault("acos(2)", PERP_BAD_VALUE, 0, "acos(2) is not a number");
    check_fault("(-8)^(1/3)", PERP_BAD_VALUE, 4, "not a number");
    check_fault("1e999", PERP_BAD_VALUE, 0, "infinite");
    check_fault("1e300*1e300", PERP_BAD_VALUE, 5, "the product is infinite");
    check_fault("1e308 + 1e308", PERP_BAD_VALUE, 6, "the sum is infinite");
    check_fault("-1e308 - 1e308", PERP_BAD_VALUE, 7, "the difference is infinite");
    check_fault("1e300/1e-300", PERP_BAD_VALUE, 5, "the quotient is infinite");
    check_fault("10^1000", PERP_BAD_VALUE, 2, "the power is infinite");
    check_fault("random(-1e308, 1e308)", PERP_BAD_VALUE, 0, "infinite");
}

static void test_limits(void **state)
{
    (void)state;
    char text[PERP_EXPRESSION_LENGTH + 2] = "";
    memset(text, ' ', PERP_EXPRESSION_LENGTH);
    text[0] = '4';
    check_value(text, 4);
    text[PERP_EXPRESSION_LENGTH] = ' ';
    check_fault(text, PERP_BAD_SIZE, 0, "longer than 1000");
    memset(text, 0, sizeof text);
    memset(text, '-', PERP_EXPRESSION_DEPTH);
    text[PERP_EXPRESSION_DEPTH - 1] = '1';
    check_value(text, -1);
    text[PERP_EXPRESSION_DEPTH - 1] = '-';
    text[PERP_EXPRESSION_DEPTH] = '1';
    check_fault(text, PERP_BAD_SIZE, 64, "deeper than 64");
    memset(text, '(', 900);
    check_fault(text, PERP_BAD_SIZE, 64, "deeper than 64");
}

static void test_characters_run_out(void **state)
{
    (void)state;
    PerpScope scope = open_scope();
    PerpExpressionFault fault;
    double value;
    scope.left = 10;
    assert_int_equal(perp_expression_evaluate(&scope, "1 + 1", &value, &fault), PERP_OK);
    assert_int_equal(perp_expression_evaluate(&scope, "1 + 1", &value, &fault), PERP_BAD_SIZE);
    assert_non_null(strstr(fault.message, "too many numbers"));
    perp_names_free(&scope.parameters);
}

// The first outputs of SplitMix64 for the seed 1234567, from its published test vector.
static void test_random(void **state)
{
    (void)state;
    static const uint64_t bits[] = {UINT64_C(6457827717110365317), UINT64_C(3203168211198807973),
                                    UINT64_C(9817491932198370423)};
    PerpScope scope = open_scope();
    PerpExpressionFault fault;
    scope.random = 1234567;
    for (int k = 0; k < COUNT(bits); k++) {
        double value, expected = -1 + 3 * ((double)(bits[k] >> 11) * 0x1p-53);
        assert_int_equal(perp_expression_evaluate(&scope, "random(-1, 2)", &value, &fault),
                         PERP_OK);
        assert_memory_equal(&value, &expected, sizeof value);
    }
    scope.allows_random = false;
    double unchanged = 1;
    assert_int_equal(perp_expression_evaluate(&scope, "1+random(0, 1)", &unchanged, &fault),
                     PERP_BAD_VALUE);
    assert_int_equal(fault.offset, 2);
    assert_non_null(strstr(fault.message, "before the seed is known"));
    perp_names_free(&scope.parameters);
}

static void test_words(void **state)
{
    (void)state;
    assert_true(perp_is_identifier("a_1"));
    assert_false(perp_is_identifier("1a"));
    assert_false(perp_is_identifier("a-b"));
    assert_false(perp_is_identifier(""));
    assert_true(perp_is_reserved("pi"));
    assert_true(perp_is_reserved("deg"));
    assert_true(perp_is_reserved("random"));
    assert_false(perp_is_reserved("r"));
}

static void test_many_names(void **state)
{
    (void)state;
    enum { MANY = 2000 };
    static char texts[MANY][16];
    PerpNames names = {.allocator = perp_default_context().allocator};
    assert_int_equal(perp_names_find(&names, "n0"), -1);
    assert_null(perp_names_nearest(&names, "n0", NULL));
    for (int k = 0; k < MANY; k++) {
        snprintf(texts[k], sizeof texts[k], "n%d", k);
        assert_true(perp_names_add(&names, texts[k], (PerpPlace){.line = k}));
    }
    for (int k = 0; k < MANY; k++)
        assert_int_equal(perp_names_find(&names, texts[k]), k);
    assert_int_equal(perp_names_find(&names, "n2000"), -1);
    assert_string_equal(perp_names_nearest(&names, "n77x", NULL), "n77");
    assert_string_equal(perp_names_nearest(&names, "world", "world"), "world");
    perp_names_free(&names);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers),       cmocka_unit_test(test_arithmetic),
        cmocka_unit_test(test_functions),     cmocka_unit_test(test_syntax_faults),
        cmocka_unit_test(test_unknown_names), cmocka_unit_test(test_value_faults),
        cmocka_unit_test(test_limits),        cmocka_unit_test(test_characters_run_out),
        cmocka_unit_test(test_random),        cmocka_unit_test(test_words),
        cmocka_unit_test(test_many_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
