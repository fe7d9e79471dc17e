// Axes with round ticks, scales of colours, and the frame of a drawing.
#include "sweep/plot/study_plot.h"

#include <math.h>

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
    return (Scale){low, high, from, to, log, NULL};
}

double scale_at(const Scale *s, double value)
{
    double part = s->log ? log(value / s->low) / log(s->high / s->low)
                         : (value - s->low) / (s->high - s->low);
    return s->from + part * (s->to - s->from);
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
    for (double k = ceil(s->low / step); n < 32 && k * step <= s->high; k++)
        ticks[n++] = k == 0 ? 0 : k * step; // never -0
    return n;
}

const Column *words_of(const Column *column)
{
    return column->study ? column : NULL;
}

void put_value(FILE *out, const Column *words, double value)
{
    const char *word = words && value == floor(value) && value >= words->low && value <= words->high
                           ? perp_study_word(words->study, words->parameter, value)
                           : NULL;
    if (word)
        put_escaped(out, word);
    else if (!words)
        fprintf(out, "%g", value);
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

Frame frame_begin(FILE *out, const StudyPlot *plot, bool bar)
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
    int words = 0; // room for them
    for (int k = 0; k < plot->n_columns; k++)
        words = plot->columns[k].study ? 60 : words;
    return (Frame){.left = 64 + words,
                   .top = plot->title ? 34 : 14,
                   .right = plot->width - (bar ? 96 : 18) - words,
                   .bottom = plot->height - 46};
}

void frame_axes(FILE *out, const Frame *f, const char *x_name, const char *y_name)
{
    double ticks[32];
    int n = scale_ticks(&f->x, ticks);
    for (int k = 0; k < n; k++) {
        double x = scale_at(&f->x, ticks[k]);
        fprintf(out,
                "<line class=\"grid\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\"/>"
                "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">",
                x, x, f->top, f->bottom, x, f->bottom + 16);
        put_value(out, f->x.words, ticks[k]);
        fputs("</text>\n", out);
    }
    n = scale_ticks(&f->y, ticks);
    for (int k = 0; k < n; k++) {
        double y = scale_at(&f->y, ticks[k]);
        fprintf(out,
                "<line class=\"grid\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\"/>"
                "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">",
                f->left, f->right, y, y, f->left - 6, y + 4);
        put_value(out, f->y.words, ticks[k]);
        fputs("</text>\n", out);
    }
    fprintf(out,
            "<rect class=\"frame\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>\n"
            "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">",
            f->left, f->top, f->right - f->left, f->bottom - f->top, (f->left + f->right) / 2,
            f->bottom + 36);
    put_escaped(out, x_name);
    fprintf(out,
            "</text>\n<text transform=\"translate(16 %.1f) rotate(-90)\" text-anchor=\"middle\">",
            (f->top + f->bottom) / 2);
    put_escaped(out, y_name);
    fputs("</text>\n", out);
}

void frame_bar(FILE *out, const Frame *f, const Column *column)
{
    enum { STEPS = 48 };
    double x = f->right + 14, height = (f->bottom - f->top) / STEPS, ticks[32];
    double high = column->high > column->low ? column->high : column->low + 1;
    Scale scale = {column->low, high, f->bottom, f->top, false, words_of(column)};
    for (int k = 0; k < STEPS; k++) {
        fprintf(out, "<rect x=\"%.1f\" y=\"%.2f\" width=\"12\" height=\"%.2f\" fill=\"", x,
                f->bottom - (k + 1) * height, height + 0.5);
        put_colour(out, (k + 0.5) / STEPS);
        fputs("\"/>\n", out);
    }
    int n = scale_ticks(&scale, ticks);
    for (int k = 0; k < n; k++) {
        fprintf(out, "<text x=\"%.1f\" y=\"%.1f\">", x + 16, scale_at(&scale, ticks[k]) + 4);
        put_value(out, scale.words, ticks[k]);
        fputs("</text>\n", out);
    }
    fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">", x + 22, f->bottom + 16);
    put_escaped(out, column->name);
    fputs("</text>\n", out);
}

void frame_end(FILE *out)
{
    fputs("</svg>\n", out);
}
