#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/error.h"

#include <string.h>

static void test_names_and_texts(void **state)
{
    (void)state;
    assert_string_equal(perp_status_name(PERP_OK), "OK");
    assert_string_equal(perp_status_text(PERP_OK), "ok");
    assert_string_equal(perp_status_name(PERP_NO_MEMORY), "NO_MEMORY");
    assert_string_equal(perp_status_text(PERP_NO_MEMORY), "out of memory");
    assert_string_equal(perp_status_name(PERP_NOT_SUPPORTED), "NOT_SUPPORTED");
    assert_string_equal(perp_status_text(PERP_NOT_SUPPORTED), "not supported");
    assert_int_equal(PERP_OK, 0);
}

static void test_every_status_has_its_own_name_and_text(void **state)
{
    (void)state;
    for (int a = 0; a < PERP_STATUS_COUNT; a++)
        for (int b = 0; b < a; b++) {
            assert_string_not_equal(perp_status_name(a), perp_status_name(b));
            assert_string_not_equal(perp_status_text(a), perp_status_text(b));
        }
}

static void test_unknown_status(void **state)
{
    (void)state;
    assert_string_equal(perp_status_name(PERP_STATUS_COUNT), "?");
    assert_string_equal(perp_status_text(PERP_STATUS_COUNT), "?");
    assert_string_equal(perp_status_name((PerpStatus)-1), "?");
    assert_string_equal(perp_status_text((PerpStatus)-1), "?");
}

static void test_fail(void **state)
{
    (void)state;
    PerpError error = {.line = 7, .column = 8, .file = "old", .message = "old"};
    PerpStatus status = perp_fail(&error, PERP_BAD_VALUE, "mu[%d] is %g, not >= 0", 3, -0.5);
    assert_int_equal(status, PERP_BAD_VALUE);
    assert_int_equal(error.status, PERP_BAD_VALUE);
    assert_string_equal(error.message, "mu[3] is -0.5, not >= 0");
    assert_string_equal(error.file, "");
    assert_int_equal(error.line, 0);
    assert_int_equal(error.column, 0);
}

static void test_fail_at(void **state)
{
    (void)state;
    PerpError error;
    PerpStatus status = perp_fail_at(&error, PERP_BAD_SYNTAX, "a.json", 12, 5, "no %s", "comma");
    assert_int_equal(status, PERP_BAD_SYNTAX);
    assert_int_equal(error.status, PERP_BAD_SYNTAX);
    assert_string_equal(error.file, "a.json");
    assert_int_equal(error.line, 12);
    assert_int_equal(error.column, 5);
    assert_string_equal(error.message, "no comma");
}

static void test_error_may_be_null(void **state)
{
    (void)state;
    assert_int_equal(perp_fail(NULL, PERP_NO_MEMORY, "%d bytes", 8), PERP_NO_MEMORY);
    assert_int_equal(perp_fail_at(NULL, PERP_NO_FILE, "f", 1, 1, "none"), PERP_NO_FILE);
}

static void test_long_texts_are_cut(void **state)
{
    (void)state;
    char text[2000];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = 0;
    PerpError error;
    perp_fail_at(&error, PERP_NO_FILE, text, 1, 1, "%s", text);
    assert_int_equal(strlen(error.file), PERP_PATH_SIZE - 1);
    assert_int_equal(strlen(error.message), PERP_MESSAGE_SIZE - 1);
}

static void test_error_text(void **state)
{
    (void)state;
    char text[100];
    PerpError error;
    perp_fail_at(&error, PERP_BAD_SYNTAX, "a.json", 12, 5, "no comma");
    assert_ptr_equal(perp_error_text(&error, text, sizeof text), text);
    assert_string_equal(text, "a.json:12:5: no comma");
    perp_fail_at(&error, PERP_NO_FILE, "a.json", 0, 0, "not there");
    assert_string_equal(perp_error_text(&error, text, sizeof text), "a.json: not there");
    perp_fail(&error, PERP_NO_MEMORY, "8 bytes");
    assert_string_equal(perp_error_text(&error, text, sizeof text), "8 bytes");
}

static void test_error_text_fits_the_buffer(void **state)
{
    (void)state;
    char text[12];
    memset(text, '#', sizeof text);
    PerpError error;
    perp_fail_at(&error, PERP_BAD_SYNTAX, "a.json", 12, 5, "no comma");
    assert_string_equal(perp_error_text(&error, text, 10), "a.json:12");
    assert_true(text[10] == '#' && text[11] == '#');
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names_and_texts),
        cmocka_unit_test(test_every_status_has_its_own_name_and_text),
        cmocka_unit_test(test_unknown_status),
        cmocka_unit_test(test_fail),
        cmocka_unit_test(test_fail_at),
        cmocka_unit_test(test_error_may_be_null),
        cmocka_unit_test(test_long_texts_are_cut),
        cmocka_unit_test(test_error_text),
        cmocka_unit_test(test_error_text_fits_the_buffer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
