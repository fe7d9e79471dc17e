// Figures: what an SVG and a terminal plot contain, the same bits each time, in any locale, and no
// leak wherever memory runs short.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "failing_allocator.h"
#include "perp/figure.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POINTS = 200 };

static double t[POINTS], wave[POINTS], fall[POINTS];

static int fill_points(void **state)
{
    (void)state;
    for (int k = 0; k < POINTS; k++) {
        t[k] = 0.02 * k;
        wave[k] = 1 + sin(5 * t[k]);
        fall[k] = exp(-3 * t[k]);
    }
    return 0;
}

static PerpSeries series(const char *name, int count, const double *x, const double *y)
{
    PerpSeries s = perp_default_series();
    s.name = name;
    s.count = count;
    s.x = x;
    s.y = y;
    return s;
}

static char *draw(const PerpFigure *figure)
{
    static char *text; // gcc 12 takes what it points to for a local otherwise
    PerpError error = {0};
    assert_int_equal(perp_figure_svg(NULL, figure, &text, &error), PERP_OK);
    assert_non_null(text);
    return text;
}

static char *draw_braille(const PerpFigure *figure, int columns, int rows)
{
    char *text = NULL;
    PerpError error = {0};
    assert_int_equal(perp_figure_braille(NULL, figure, columns, rows, &text, &error), PERP_OK);
    assert_non_null(text);
    return text;
}

static int count_of(const char *text, const char *part)
{
    int count = 0;
    for (; (text = strstr(text, part)); text += strlen(part))
        count++;
    return count;
}

// Lines and areas that need a legend, a title and labels.
static PerpFigure example(PerpSeries *s)
{
    PerpFigure figure = perp_default_figure();
    s[0] = series("wave", POINTS, t, wave);
    s[1] = series("fall", POINTS, t, fall);
    s[0].mark = s[1].mark = PERP_MARK_AREA;
    s[2] = series("limit", POINTS, t, wave);
    s[2].dashed = true;
    figure.title = "An example";
    figure.x_label = "time (s)";
    figure.y_label = "energy (J)";
    figure.n_series = 3;
    figure.series = s;
    return figure;
}

static void test_svg_has_everything(void **state)
{
    (void)state;
    PerpSeries s[3];
    PerpFigure figure = example(s);
    char *text = draw(&figure);
    assert_int_equal(count_of(text, "<svg "), 2); // and the frame
    assert_int_equal(count_of(text, "</svg>\n"), 2);
    assert_int_equal(count_of(text, "<path class=\"area "), 2);
    assert_int_equal(count_of(text, ">time (s)</text>"), 1);
    assert_int_equal(count_of(text, ">energy (J)</text>"), 1);
    assert_int_equal(count_of(text, ">An example</t"), 2); // title of the file and of the figure
    assert_int_equal(count_of(text, ">wave</text>"), 1);
    assert_int_equal(count_of(text, "stroke-dasharray=\"6 3\""), 2); // the line and its sample
    assert_int_equal(count_of(text, "prefers-color-scheme:dark"), 1);
    assert_null(strstr(text, "nan"));
    assert_null(strstr(text, "inf"));
    perp_figure_free(NULL, text);
}

static void test_same_bits(void **state)
{
    (void)state;
    PerpSeries s[3];
    PerpFigure figure = example(s);
    char *a = draw(&figure), *b = draw(&figure);
    assert_string_equal(a, b);
    perp_figure_free(NULL, b);
    const char *comma = setlocale(LC_ALL, "de_DE.UTF-8");
    b = draw(&figure);
    setlocale(LC_ALL, "C");
    assert_string_equal(a, b);
    if (!comma)
        print_message("no locale with a decimal comma here; nothing was compared with it\n");
    perp_figure_free(NULL, a);
    perp_figure_free(NULL, b);
}

static void test_text_is_escaped(void **state)
{
    (void)state;
    PerpFigure figure = perp_default_figure();
    figure.title = "a<b & \"c\" 'd' \x01 \xFF \xC3\xA9";
    char *text = draw(&figure);
    assert_int_equal(
        count_of(text, "a&lt;b &amp; &quot;c&quot; &#39;d&#39; \xEF\xBF\xBD \xEF\xBF\xBD \xC3\xA9"),
        2);
    assert_int_equal(count_of(text, ">no data</text>"), 1);
    perp_figure_free(NULL, text);
}

// A spike one point wide in a million must be seen, at its height.
static void test_million_points_are_thinned(void **state)
{
    (void)state;
    enum { MANY = 1000000 };
    double *x = malloc(MANY * sizeof *x), *y = malloc(MANY * sizeof *y);
    assert_non_null(x);
    assert_non_null(y);
    for (int k = 0; k < MANY; k++) {
        x[k] = k;
        y[k] = sin(k * 0.7);
    }
    y[777777] = 9; // 0 .. 1 without it
    PerpSeries s = series(NULL, MANY, x, y);
    PerpFigure figure = perp_default_figure();
    figure.n_series = 1;
    figure.series = &s;
    char *text = draw(&figure);
    assert_true(strlen(text) < 60000);
    // the frame's top is 10 px from the edge, the range -1 .. 9 with 5 % at both ends
    double top = 10, bottom = 400 - 10 - 4 - 16;
    char spike[32];
    snprintf(spike, sizeof spike, " %.2f", top + (bottom - top) * 0.05 / 1.1);
    assert_non_null(strstr(text, spike));
    perp_figure_free(NULL, text);
    free(x);
    free(y);
}

// What the path of the first line says.
static void copy_first_line(const char *text, char *points, size_t size)
{
    static const char head[] = "<path class=\"line l0\" d=\"";
    const char *path = strstr(text, head);
    assert_non_null(path);
    path += strlen(head);
    assert_true(strcspn(path, "\"") < size);
    snprintf(points, size, "%.*s", (int)strcspn(path, "\""), path);
}

static void test_straight_lines_need_two_points(void **state)
{
    (void)state;
    double y[POINTS];
    for (int k = 0; k < POINTS; k++)
        y[k] = 3 * t[k];
    PerpSeries s = series(NULL, POINTS, t, y);
    PerpFigure figure = perp_default_figure();
    figure.n_series = 1;
    figure.series = &s;
    char *text = draw(&figure);
    char points[64];
    copy_first_line(text, points, sizeof points);
    assert_int_equal(count_of(points, "L"), 1);
    perp_figure_free(NULL, text);
}

static void test_log_axes(void **state)
{
    (void)state;
    double x[4] = {1, 2, 3, 4}, y[4] = {1e-12, 0, -1, 1e-5};
    PerpSeries s = series(NULL, 4, x, y);
    PerpFigure figure = perp_default_figure();
    figure.n_series = 1;
    figure.series = &s;
    figure.log_y = true;
    char *text = draw(&figure);
    // superscripts with the sign of a minus
    assert_non_null(strstr(text, ">10<tspan dy=\"-4\" font-size=\"8\">\xE2\x88\x92"
                                 "12</tspan>"));
    assert_non_null(strstr(text, ">10<tspan dy=\"-4\" font-size=\"8\">\xE2\x88\x92"
                                 "5</tspan>"));
    // values that are not > 0 leave a gap: two pieces of one point each
    assert_int_equal(count_of(text, "h.01"), 2);
    perp_figure_free(NULL, text);
    text = draw_braille(&figure, 40, 12);
    assert_non_null(strstr(text, "10⁻¹²"));
    perp_figure_free(NULL, text);
}

static void check_tick_labels(double low, double high, const char *first, const char *last)
{
    double x[2] = {low, high}, y[2] = {0, 0};
    PerpSeries s = series(NULL, 2, x, y);
    PerpFigure figure = perp_default_figure();
    figure.n_series = 1;
    figure.series = &s;
    char *text = draw(&figure);
    char part[80];
    snprintf(part, sizeof part, "text-anchor=\"middle\">%s</text>", first);
    assert_non_null(strstr(text, part));
    snprintf(part, sizeof part, "text-anchor=\"middle\">%s</text>", last);
    assert_non_null(strstr(text, part));
    perp_figure_free(NULL, text);
}

static void test_ticks(void **state)
{
    (void)state;
    check_tick_labels(0, 5, "0", "5");
    check_tick_labels(0.5, 1.1, "0.5", "1.1");
    check_tick_labels(-2, 13,
                      "\xE2\x88\x92"
                      "2",
                      "12");
    check_tick_labels(0, 3e-6, "0", "3");     // with the note x 10^-6
    check_tick_labels(0, 250000, "0", "250"); // with the note x 10^3
    check_tick_labels(1e9, 1e9 + 10, "0", "10");
}

static void test_broken_values(void **state)
{
    (void)state;
    double x[6] = {0, 1, 2, 3, 4, 5};
    double y[6] = {NAN, INFINITY, -INFINITY, DBL_MAX, -DBL_MAX, 5e-324};
    PerpFigure figure = perp_default_figure();
    for (int mark = PERP_MARK_LINE; mark <= PERP_MARK_AREA; mark++) {
        PerpSeries s[2] = {series("x", 6, x, y), series("y", 6, y, x)};
        s[0].mark = mark;
        s[1].mark = mark == PERP_MARK_AREA ? PERP_MARK_LINE : mark;
        figure.n_series = 2;
        figure.series = s;
        figure.log_x = figure.log_y = mark % 2;
        char *text = draw(&figure);
        assert_null(strstr(text, "nan"));
        perp_figure_free(NULL, text);
        text = draw_braille(&figure, 20, 6);
        perp_figure_free(NULL, text);
    }
}

static void test_bad_figures(void **state)
{
    (void)state;
    PerpError error;
    char *text;
    PerpSeries s[2] = {series("a", POINTS, t, wave), series("b", POINTS, t, fall)};
    PerpFigure figure = perp_default_figure();
    figure.n_series = 2;
    figure.series = s;
    figure.width = 10;
    assert_int_equal(perp_figure_svg(NULL, &figure, &text, &error), PERP_BAD_SIZE);
    assert_null(text);
    figure.width = 640;
    figure.equal = figure.log_x = true;
    assert_int_equal(perp_figure_svg(NULL, &figure, &text, &error), PERP_BAD_VALUE);
    figure.equal = figure.log_x = false;
    s[0].mark = s[1].mark = PERP_MARK_AREA;
    s[1].count = POINTS - 1;
    assert_int_equal(perp_figure_svg(NULL, &figure, &text, &error), PERP_BAD_SIZE);
    assert_int_equal(perp_figure_braille(NULL, &figure, 5, 5, &text, &error), PERP_BAD_SIZE);
}

// Nothing depends on the order of points in an area: what lies on top adds up.
static void test_areas_are_stacked(void **state)
{
    (void)state;
    double x[2] = {0, 1}, one[2] = {1, 1}, two[2] = {2, 2};
    PerpSeries s[2] = {series(NULL, 2, x, one), series(NULL, 2, x, two)};
    s[0].mark = s[1].mark = PERP_MARK_AREA;
    PerpFigure figure = perp_default_figure();
    figure.n_series = 2;
    figure.series = s;
    char *text = draw(&figure);
    // 0 .. 3 with 5 % free at the top: edges at 0, 1 and 3
    double top = 10, bottom = 400 - 10 - 4 - 16, scale = (bottom - top) / 3.15;
    char edge[32];
    snprintf(edge, sizeof edge, " %.2fL", bottom - scale * 1);
    assert_true(count_of(text, edge) >= 2); // upper edge of one, lower edge of the other
    snprintf(edge, sizeof edge, " %.2fL", bottom - scale * 3);
    assert_true(count_of(text, edge) >= 1);
    perp_figure_free(NULL, text);
}

static void test_braille(void **state)
{
    (void)state;
    PerpSeries s[3];
    PerpFigure figure = example(s);
    char *text = draw_braille(&figure, 60, 15);
    assert_int_equal(count_of(text, "\n"), 16); // and a line of legend
    assert_int_equal(count_of(text, "\x1b"), 0);
    assert_non_null(strstr(text, "c  limit"));
    perp_figure_free(NULL, text);
    figure.coloured = true;
    text = draw_braille(&figure, 60, 15);
    assert_non_null(strstr(text, "\x1b[38;5;32m"));
    assert_true(count_of(text, "\x1b[0m") >= 11);
    perp_figure_free(NULL, text);
}

static void test_memory_runs_short(void **state)
{
    (void)state;
    PerpSeries s[3];
    PerpFigure figure = example(s);
    for (int braille = 0; braille < 2; braille++) {
        PerpStatus status = PERP_NO_MEMORY;
        for (int k = 1; status; k++) {
            PerpFailingAllocator memory = {.fail_at = k};
            PerpContext context = perp_failing_context(&memory);
            PerpError error;
            char *text;
            status = braille ? perp_figure_braille(&context, &figure, 60, 15, &text, &error)
                             : perp_figure_svg(&context, &figure, &text, &error);
            assert_true(status == PERP_OK || status == PERP_NO_MEMORY);
            assert_true(status == PERP_OK || text == NULL);
            perp_figure_free(&context, text);
            assert_int_equal(memory.live, 0);
            assert_true(k < 1000);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_svg_has_everything),
        cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_text_is_escaped),
        cmocka_unit_test(test_million_points_are_thinned),
        cmocka_unit_test(test_straight_lines_need_two_points),
        cmocka_unit_test(test_log_axes),
        cmocka_unit_test(test_ticks),
        cmocka_unit_test(test_broken_values),
        cmocka_unit_test(test_bad_figures),
        cmocka_unit_test(test_areas_are_stacked),
        cmocka_unit_test(test_braille),
        cmocka_unit_test(test_memory_runs_short),
    };
    return cmocka_run_group_tests(tests, fill_points, NULL);
}
