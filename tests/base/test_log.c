#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/log.h"

#include <stdio.h>
#include <string.h>

typedef struct Heard {
    int lines;
    PerpLogLevel level;
    char text[2 * PERP_MESSAGE_SIZE];
} Heard;

static void hear(void *user, PerpLogLevel level, const char *text)
{
    Heard *heard = user;
    heard->lines++;
    heard->level = level;
    snprintf(heard->text, sizeof heard->text, "%s", text);
}

static void test_lines_reach_the_callback(void **state)
{
    (void)state;
    Heard heard = {0};
    PerpLog log = {.write = hear, .user = &heard};
    perp_log(&log, PERP_LOG_WARNING, "%d pivots, residual %.1e", 12, 1e-11);
    assert_int_equal(heard.lines, 1);
    assert_int_equal(heard.level, PERP_LOG_WARNING);
    assert_string_equal(heard.text, "12 pivots, residual 1.0e-11");
    perp_log(&log, PERP_LOG_DEBUG, "done");
    assert_int_equal(heard.lines, 2);
    assert_int_equal(heard.level, PERP_LOG_DEBUG);
    assert_string_equal(heard.text, "done");
}

static void test_long_lines_are_cut(void **state)
{
    (void)state;
    Heard heard = {0};
    PerpLog log = {.write = hear, .user = &heard};
    char text[2 * PERP_MESSAGE_SIZE];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = 0;
    perp_log(&log, PERP_LOG_INFO, "%s", text);
    assert_int_equal(strlen(heard.text), PERP_MESSAGE_SIZE - 1);
}

static void test_no_callback_means_silence(void **state)
{
    (void)state;
    Heard heard = {0};
    PerpLog log = {.user = &heard};
    perp_log(&log, PERP_LOG_WARNING, "%d", 1);
    PerpContext context = perp_default_context();
    perp_log(&context.log, PERP_LOG_WARNING, "%d", 1);
    assert_int_equal(heard.lines, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines_reach_the_callback),
        cmocka_unit_test(test_long_lines_are_cut),
        cmocka_unit_test(test_no_callback_means_silence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
