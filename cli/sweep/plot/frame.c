// Axes with round ticks, scales of colours, and the frame of a drawing.
#include "sweep/plot/study_plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

Scale scale_of(double low, double high, double from, double to, bool log)
{
    log = log && low > 0;
    if (!(high > low)) { // a single value stands in the middle
        double half = low != 0 ? 0.5 * fabs(low) : 0.5;
        high = low + half;
        low -= log ? 0.5 * low : half;
    } else if (log) {
        double margin = pow(high / low, 0.04);
        low /= margin;
        high *= margin;
    } else {
        double margin = 0.04 * (high - low);
        low -= margin;
        high += margin;
    }
    return (Scale){low, high, from, to, log, NULL, false};
}

double scale_at(const Scale *s, double value)
{
    double part = s->log ? log(value / s->low) / log(s->high / s->low)
                         : (value - s->low) / (s->high - s->low);
    return s->from + part * (s->to - s->from);
}

double scale_value(const Scale *s, double px)
{
    double part = (px - s->from) / (s->to - s->from);
    return s->log ? s->low * pow(s->high / s->low, part) : s->low + part * (s->high - s->low);
}

// 1, 2 or 5 times a power of ten apart, about six of them; or the decades of a logarithmic axis.
int scale_ticks(const Scale *s, double ticks[32])
{
    int n = 0;
    if (s->log && s->high / s->low >= 10) {
        for (double e = ceil(log10(s->low)); n < 32 && pow(10, e) <= s->high; e++)
            ticks[n++] = pow(10, e);
        return n;
    }
    if (s->words) {
        for (double k = ceil(s->low); n < 32 && k <= s->high; k++)
            ticks[n++] = k;
        return n;
    }
    double rough = (s->high - s->low) / 6, power = pow(10, floor(log10(rough))), m = rough / power;
    double step = power * (m <= 1 ? 1 : m <= 2 ? 2 : m <= 5 ? 5 : 10);
    step = s->whole ? fmax(step, 1) : step;
    for (double k = ceil(s->low / step); n < 32 && k * step <= s->high; k++)
        ticks[n++] = k == 0 ? 0 : k * step; // never -0
    return n;
}

const Column *words_of(const Column *column)
{
    return column->study ? column : NULL;
}

// Large and small ones with a power of ten.
static void put_number(FILE *out, double value)
{
    char digits[32];
    snprintf(digits, sizeof digits, "%g", value);
    char *power = strchr(digits, 'e');
    if (!power) {
        fputs(digits, out);
        return;
    }
    *power = '\0';
    if (strcmp(digits, "1") != 0)
        fprintf(out, "%s\u00b7", digits);
    fprintf(out, "10<tspan dy=\"-4\" font-size=\"8\">%s%d</tspan>", power[1] == '-' ? "\u2212" : "",
            abs(atoi(power + 1)));
}

static void put_value(FILE *out, const Column *words, double value)
{
    const char *word = words && value == floor(value) && value >= words->low && value <= words->high
                           ? perp_study_word(words->study, words->parameter, value)
                           : NULL;
    if (word)
        put_escaped(out, word);
    else if (!words)
        put_number(out, value);
}

static void put_power(FILE *out, double decade)
{
    int exponent = (int)lround(log10(decade));
    fprintf(out, "10<tspan dy=\"-4\" font-size=\"8\">%s%d</tspan>", exponent < 0 ? "\u2212" : "",
            abs(exponent));
}

// On a logarithmic axis of many decades all of them look alike.
void put_tick(FILE *out, const Scale *s, double value)
{
    if (s->log && s->high / s->low >= 1e4)
        put_power(out, value);
    else
        put_value(out, s->words, value);
}

// Viridis, between five of its colours [van der Walt and Smith 2015].
void put_colour(FILE *out, double part)
{
    static const double stops[5][3] = {
        {68, 1, 84}, {59, 82, 139}, {33, 145, 140}, {94, 201, 98}, {253, 231, 37}};
    double place = 4 * fmin(fmax(part, 0), 1);
    int k = (int)fmin(floor(place), 3);
    double rest = place - k;
    fputc('#', out);
    for (int c = 0; c < 3; c++)
        fprintf(out, "%02x",
                (unsigned)lround(stops[k][c] + rest * (stops[k + 1][c] - stops[k][c])));
}

const char *palette_colour(int k)
{
    static const char *const colours[] = {"#1f77b4", "#d62728", "#2ca02c", "#9467bd",
                                          "#ff7f0e", "#17becf", "#8c564b", "#e377c2"};
    return colours[k % (int)(sizeof colours / sizeof *colours)];
}

void put_escaped(FILE *out, const char *text)
{
    for (; *text; text++)
        if (*text == '<')
            fputs("&lt;", out);
        else if (*text == '&')
            fputs("&amp;", out);
        else
            fputc(*text, out);
}

// px that the longest of a column's words takes, if its values are words
static double width_of_words(const Column *column)
{
    size_t longest = 0;
    if (!column->study)
        return 0;
    for (double k = column->low; k <= column->high; k++) {
        size_t length = strlen(perp_study_word(column->study, column->parameter, k));
        longest = length > longest ? length : longest;
    }
    return 7 * (double)longest;
}

// px that explains the colours: a bar, or a legend, which means have of numbers, too
static double width_of_colours(const StudyPlot *plot, const Column *colour)
{
    double legend = fmax(40 + width_of_words(colour), 22 + 7 * (double)strlen(colour->label));
    return colour->study || plot->mean >= 0 ? fmax(96, legend) : 96;
}

Frame frame_begin(FILE *out, const StudyPlot *plot, const Column *y, const Column *colour)
{
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
            "viewBox=\"0 0 %d %d\">\n"
            "<style>text{font:12px sans-serif;fill:#222}line,.frame{stroke:#888;fill:none}"
            ".grid{stroke:#8883}.over{paint-order:stroke;stroke:#fffc;stroke-width:3}"
            "@media(prefers-color-scheme:dark){text{fill:#ddd}.over{stroke:#000c}}</style>\n",
            plot->width, plot->height, plot->width, plot->height);
    if (plot->title) {
        fprintf(out, "<text x=\"%d\" y=\"20\" text-anchor=\"middle\">", plot->width / 2);
        put_escaped(out, plot->title);
        fputs("</text>\n", out);
    }
    double left = y ? fmax(64, 34 + width_of_words(y)) : 64;
    double right = colour ? width_of_colours(plot, colour) : 18;
    return (Frame){.left = left,
                   .top = plot->title ? 34 : 14,
                   .right = plot->width - right,
                   .bottom = plot->height - 46};
}

static void put_side_label(FILE *out, double x, double y, const char *label)
{
    fprintf(out, "<text transform=\"translate(%.1f %.1f) rotate(-90)\" text-anchor=\"middle\">", x,
            y);
    put_escaped(out, label);
    fputs("</text>\n", out);
}

void frame_axes(FILE *out, const Frame *f, const char *x_label, const char *y_label)
{
    double ticks[32];
    int n = scale_ticks(&f->x, ticks);
    for (int k = 0; k < n; k++) {
        double x = scale_at(&f->x, ticks[k]);
        fprintf(out,
                "<line class=\"grid\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\"/>"
                "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">",
                x, x, f->top, f->bottom, x, f->bottom + 16);
        put_tick(out, &f->x, ticks[k]);
        fputs("</text>\n", out);
    }
    n = scale_ticks(&f->y, ticks);
    for (int k = 0; k < n; k++) {
        double y = scale_at(&f->y, ticks[k]);
        fprintf(out,
                "<line class=\"grid\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\"/>"
                "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">",
                f->left, f->right, y, y, f->left - 6, y + 4);
        put_tick(out, &f->y, ticks[k]);
        fputs("</text>\n", out);
    }
    fprintf(out,
            "<rect class=\"frame\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>\n"
            "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">",
            f->left, f->top, f->right - f->left, f->bottom - f->top, (f->left + f->right) / 2,
            f->bottom + 36);
    put_escaped(out, x_label);
    fputs("</text>\n", out);
    put_side_label(out, 16, (f->top + f->bottom) / 2, y_label);
}

void put_colour_of(FILE *out, const Column *column, double value)
{
    if (column->study)
        fputs(palette_colour((int)value), out);
    else
        put_colour(out, column->high > column->low
                            ? (value - column->low) / (column->high - column->low)
                            : 0.5);
}

void frame_bar(FILE *out, const Frame *f, const char *label, double low, double high)
{
    enum { STEPS = 48 };
    double x = f->right + 14, height = (f->bottom - f->top) / STEPS, ticks[32];
    Scale scale = {low, high > low ? high : low + 1, f->bottom, f->top, false, NULL, false};
    for (int k = 0; k < STEPS; k++) {
        fprintf(out, "<rect x=\"%.1f\" y=\"%.2f\" width=\"12\" height=\"%.2f\" fill=\"", x,
                f->bottom - (k + 1) * height, height + 0.5);
        put_colour(out, high > low ? (k + 0.5) / STEPS : 0.5);
        fputs("\"/>\n", out);
    }
    int n = high > low ? scale_ticks(&scale, ticks) : 1;
    if (!(high > low))
        ticks[0] = low;
    for (int k = 0; k < n; k++) {
        double y = high > low ? scale_at(&scale, ticks[k]) : (f->bottom + f->top) / 2;
        fprintf(out, "<text x=\"%.1f\" y=\"%.1f\">", x + 16, y + 4);
        put_value(out, NULL, ticks[k]);
        fputs("</text>\n", out);
    }
    put_side_label(out, f->right + 90, (f->top + f->bottom) / 2, label);
}

void frame_legend(FILE *out, const Frame *f, const Column *column, const double *levels, int n)
{
    fprintf(out, "<text x=\"%.1f\" y=\"%.1f\">", f->right + 14, f->top + 12);
    put_escaped(out, column->label);
    fputs("</text>\n", out);
    for (int k = 0; k < n; k++) {
        double y = f->top + 32 + 16 * k;
        const char *colour = palette_colour(column->study ? (int)levels[k] : k);
        fprintf(out,
                "<rect x=\"%.1f\" y=\"%.1f\" width=\"10\" height=\"10\" fill=\"%s\"/>"
                "<text x=\"%.1f\" y=\"%.1f\">",
                f->right + 14, y - 9, colour, f->right + 28, y);
        put_value(out, words_of(column), levels[k]);
        fputs("</text>\n", out);
    }
}

void frame_colours(FILE *out, const Frame *f, const Column *column)
{
    double levels[64];
    int n = 0;
    for (double k = column->low; column->study && n < 64 && k <= column->high; k++)
        levels[n++] = k;
    if (column->study)
        frame_legend(out, f, column, levels, n);
    else
        frame_bar(out, f, column->label, column->low, column->high);
}

void frame_end(FILE *out)
{
    fputs("</svg>\n", out);
}
