// The kinds of figures of a study.
#include "sweep/plot/study_plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_LEVELS = 400, MOST_DOTS = 50000, MOST_LINES = 10000 };

// So that not more than `most` are drawn, evenly among the cases.
static long choose_stride(const StudyPlot *plot, long most)
{
    long stride = (plot->n + most - 1) / most;
    if (stride > 1)
        fprintf(stderr, "perp: %ld cases: one in %ld of them is drawn\n", plot->n, stride);
    return stride;
}

static const Column *column(const StudyPlot *plot, int index)
{
    return index >= 0 ? &plot->columns[index] : NULL;
}

// --- a dot a case --------------------------------------------------------------------------------

void draw_dots(FILE *out, const StudyPlot *plot)
{
    const Column *x = column(plot, plot->x), *y = column(plot, plot->y);
    const Column *colour = column(plot, plot->colour);
    Frame f = frame_begin(out, plot, y, colour);
    f.x = scale_of(x->low, x->high, f.left, f.right, plot->log_x);
    f.y = scale_of(y->low, y->high, f.bottom, f.top, plot->log_y);
    f.x.words = words_of(x);
    f.y.words = words_of(y);
    frame_axes(out, &f, x->label, y->label);
    double radius = plot->n > 2000 ? 1.5 : plot->n > 300 ? 2.2 : 3.2;
    long stride = choose_stride(plot, MOST_DOTS);
    for (long k = 0; k < plot->n; k += stride) {
        fprintf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" fill=\"",
                scale_at(&f.x, x->values[k]), scale_at(&f.y, y->values[k]), radius);
        if (colour)
            put_colour_of(out, colour, colour->values[k]);
        else
            fputs(palette_colour(0), out);
        fputs("\"/>\n", out);
    }
    if (colour)
        frame_colours(out, &f, colour);
    frame_end(out);
}

// --- levels --------------------------------------------------------------------------------------

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// The different values of a column in ascending order; if there are too many, the middles of `most`
// intervals of its axis. Returns how many.
static int find_levels(const Column *column, long n, int most, double levels[MOST_LEVELS])
{
    int count = 0;
    double *sorted = malloc((size_t)n * sizeof *sorted);
    if (!sorted)
        return 0;
    memcpy(sorted, column->values, (size_t)n * sizeof *sorted);
    qsort(sorted, (size_t)n, sizeof *sorted, compare);
    for (long k = 0; k < n && count <= most; k++)
        if (k == 0 || sorted[k] != sorted[k - 1]) {
            if (count < most)
                levels[count] = sorted[k];
            count++;
        }
    free(sorted);
    if (count <= most)
        return count;
    Scale scale = {column->low, column->high, 0, 1, column->log, NULL, false};
    for (int k = 0; k < most; k++)
        levels[k] = scale_value(&scale, (k + 0.5) / most);
    return most;
}

// On a logarithmic axis the nearest one by its logarithm.
static double distance(double a, double b, bool log_axis)
{
    return log_axis ? fabs(log(a / b)) : fabs(a - b);
}

static int nearest_level(const double *levels, int count, double value, bool log_axis)
{
    int best = 0;
    for (int k = 1; k < count; k++)
        if (distance(levels[k], value, log_axis) < distance(levels[best], value, log_axis))
            best = k;
    return best;
}

// Means of a column over the cases at each pair of levels, and the squares of what deviates.
typedef struct Sums {
    int n_x, n_y;
    double x[MOST_LEVELS], y[MOST_LEVELS];
    double *count, *mean, *square; // n_x n_y each, in one piece that is owned by count
} Sums;

static size_t cell_of(const Sums *s, int i, int j)
{
    return (size_t)j * (size_t)s->n_x + (size_t)i;
}

// [Welford 1962]
static void add_value(Sums *s, size_t cell, double value)
{
    double deviation = value - s->mean[cell];
    s->mean[cell] += deviation / ++s->count[cell];
    s->square[cell] += deviation * (value - s->mean[cell]);
}

static bool add_up(const StudyPlot *plot, const Column *x, int most_x, const Column *y, int most_y,
                   const Column *value, Sums *sums)
{
    sums->n_x = find_levels(x, plot->n, most_x, sums->x);
    sums->n_y = y ? find_levels(y, plot->n, most_y, sums->y) : 1;
    size_t cells = (size_t)sums->n_x * (size_t)sums->n_y;
    sums->count = calloc(3 * cells + 1, sizeof *sums->count);
    if (!sums->count)
        return false;
    sums->mean = sums->count + cells;
    sums->square = sums->mean + cells;
    for (long k = 0; k < plot->n; k++) {
        int i = nearest_level(sums->x, sums->n_x, x->values[k], x->log);
        int j = y ? nearest_level(sums->y, sums->n_y, y->values[k], y->log) : 0;
        add_value(sums, cell_of(sums, i, j), value->values[k]);
    }
    return true;
}

// --- means with their standard errors ------------------------------------------------------------

static double error_of(const Sums *s, size_t cell)
{
    double n = s->count[cell];
    return n > 1 ? sqrt(s->square[cell] / (n - 1) / n) : 0;
}

// 0 and 1 alone: a share of the cases, whose axis has both.
static bool is_share(const Column *column, long n)
{
    for (long k = 0; k < n; k++)
        if (column->values[k] != 0 && column->values[k] != 1)
            return false;
    return true;
}

// From the lowest to the highest end of the errors.
static Scale scale_of_means(const StudyPlot *plot, const Column *mean, const Sums *s,
                            const Frame *f)
{
    double low = INFINITY, high = -INFINITY;
    for (size_t cell = 0; cell < (size_t)s->n_x * (size_t)s->n_y; cell++) {
        if (!(s->count[cell] > 0))
            continue;
        double m = s->mean[cell], error = error_of(s, cell);
        low = fmin(low, plot->log_y && m - error <= 0 ? m : m - error);
        high = fmax(high, m + error);
    }
    if (is_share(mean, plot->n) && !plot->log_y) {
        low = 0;
        high = 1;
    }
    return scale_of(low, high, f->bottom, f->top, plot->log_y);
}

static void draw_mean_line(FILE *out, const Frame *f, const Sums *s, int j, const char *colour)
{
    fprintf(out, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"1.6\" points=\"", colour);
    for (int i = 0; i < s->n_x; i++) {
        size_t cell = cell_of(s, i, j);
        if (s->count[cell] > 0)
            fprintf(out, "%.1f,%.1f ", scale_at(&f->x, s->x[i]), scale_at(&f->y, s->mean[cell]));
    }
    fputs("\"/>\n", out);
    for (int i = 0; i < s->n_x; i++) {
        size_t cell = cell_of(s, i, j);
        if (!(s->count[cell] > 0))
            continue;
        double mean = s->mean[cell], error = error_of(s, cell), x = scale_at(&f->x, s->x[i]);
        double low = fmax(mean - error, f->y.low), high = fmin(mean + error, f->y.high);
        fprintf(out,
                "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\" style=\"stroke:%s\"/>"
                "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"/>\n",
                x, x, scale_at(&f->y, low), scale_at(&f->y, high), colour, x, scale_at(&f->y, mean),
                colour);
    }
}

// One case everywhere: then a mean is the value.
static bool is_of_many(const Sums *s)
{
    for (size_t cell = 0; cell < (size_t)s->n_x * (size_t)s->n_y; cell++)
        if (s->count[cell] > 1)
            return true;
    return false;
}

static const char *label_of_means(const Sums *s, const Column *column, char label[128])
{
    snprintf(label, 128, "%s%s", is_of_many(s) ? "mean of " : "", column->label);
    return label;
}

void draw_means(FILE *out, const StudyPlot *plot)
{
    const Column *x = column(plot, plot->x), *mean = column(plot, plot->mean);
    const Column *group = column(plot, plot->colour);
    Sums *s = calloc(1, sizeof *s);
    Frame f = frame_begin(out, plot, NULL, group);
    char label[128];
    if (s && add_up(plot, x, 40, group, 8, mean, s)) {
        f.x = scale_of(x->low, x->high, f.left, f.right, plot->log_x);
        f.x.words = words_of(x);
        f.y = scale_of_means(plot, mean, s, &f);
        frame_axes(out, &f, x->label, label_of_means(s, mean, label));
        for (int j = 0; j < s->n_y; j++)
            draw_mean_line(out, &f, s, j, palette_colour(group && group->study ? (int)s->y[j] : j));
        if (group)
            frame_legend(out, &f, group, s->y, s->n_y);
        free(s->count);
    }
    free(s);
    frame_end(out);
}

// --- a heat map of means -------------------------------------------------------------------------

// Half-way between the levels, on a logarithmic axis by their logarithms; as far beyond the first
// and the last. A single level has a cell as wide as the axis.
static void find_edges(const double *levels, int n, bool log, double edges[MOST_LEVELS + 1])
{
    for (int k = 1; k < n; k++)
        edges[k] = log ? sqrt(levels[k - 1] * levels[k]) : (levels[k - 1] + levels[k]) / 2;
    if (n == 1) {
        Scale scale = scale_of(levels[0], levels[0], 0, 1, log);
        edges[0] = scale.low;
        edges[1] = scale.high;
        return;
    }
    edges[0] = log ? levels[0] * levels[0] / edges[1] : 2 * levels[0] - edges[1];
    edges[n] =
        log ? levels[n - 1] * levels[n - 1] / edges[n - 1] : 2 * levels[n - 1] - edges[n - 1];
}

static void draw_cells(FILE *out, const Frame *f, const Sums *s, const double *x, const double *y,
                       double low, double high)
{
    for (int j = 0; j < s->n_y; j++)
        for (int i = 0; i < s->n_x; i++) {
            size_t cell = cell_of(s, i, j);
            if (!(s->count[cell] > 0))
                continue;
            double left = scale_at(&f->x, x[i]), top = scale_at(&f->y, y[j + 1]);
            fprintf(out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"", left,
                    top, scale_at(&f->x, x[i + 1]) - left + 0.3, scale_at(&f->y, y[j]) - top + 0.3);
            put_colour(out, high > low ? (s->mean[cell] - low) / (high - low) : 0.5);
            fputs("\"/>\n", out);
        }
}

void draw_heat(FILE *out, const StudyPlot *plot)
{
    const Column *x = column(plot, plot->x), *y = column(plot, plot->y);
    const Column *heat = column(plot, plot->heat);
    Sums *s = calloc(1, sizeof *s);
    double x_edges[MOST_LEVELS + 1], y_edges[MOST_LEVELS + 1];
    char label[128];
    Frame f = frame_begin(out, plot, y, heat);
    int most = plot->n > 10000 ? 100 : plot->n > 900 ? (int)sqrt((double)plot->n) : 60;
    if (s && add_up(plot, x, most, y, most, heat, s)) {
        find_edges(s->x, s->n_x, plot->log_x, x_edges);
        find_edges(s->y, s->n_y, plot->log_y, y_edges);
        f.x =
            (Scale){x_edges[0], x_edges[s->n_x], f.left, f.right, plot->log_x, words_of(x), false};
        f.y =
            (Scale){y_edges[0], y_edges[s->n_y], f.bottom, f.top, plot->log_y, words_of(y), false};
        double low = INFINITY, high = -INFINITY;
        for (size_t cell = 0; cell < (size_t)s->n_x * (size_t)s->n_y; cell++)
            if (s->count[cell] > 0) {
                low = fmin(low, s->mean[cell]);
                high = fmax(high, s->mean[cell]);
            }
        draw_cells(out, &f, s, x_edges, y_edges, low, high);
        frame_axes(out, &f, x->label, y->label);
        frame_bar(out, &f, label_of_means(s, heat, label), low, high);
        free(s->count);
    }
    free(s);
    frame_end(out);
}

// --- a histogram ---------------------------------------------------------------------------------

enum { MOST_BINS = 60 };

// Bins of equal width on the axis, as many as the root of the number of cases, at most 60; one for
// each word, one alone if all values are the same.
static int choose_bins(const StudyPlot *plot, const Column *c, double range[2])
{
    bool single = !(c->high > c->low);
    if (c->study || single) {
        Scale scale = scale_of(c->low, c->high, 0, 1, plot->log_x);
        range[0] = c->study ? c->low - 0.5 : scale.low;
        range[1] = c->study ? c->high + 0.5 : scale.high;
        return c->study ? (int)fmin(c->high - c->low + 1, MOST_BINS) : 1;
    }
    range[0] = c->low;
    range[1] = c->high;
    return (int)fmin(fmax(ceil(sqrt((double)plot->n)), 5), MOST_BINS);
}

void draw_histogram(FILE *out, const StudyPlot *plot)
{
    const Column *c = column(plot, plot->histogram);
    long counts[MOST_BINS] = {0}, most = 0;
    double range[2];
    int bins = choose_bins(plot, c, range);
    Scale scale = {range[0], range[1], 0, bins, plot->log_x, NULL, false};
    for (long k = 0; k < plot->n; k++) {
        int bin = (int)fmin(fmax(scale_at(&scale, c->values[k]), 0), bins - 1);
        most = ++counts[bin] > most ? counts[bin] : most;
    }
    Frame f = frame_begin(out, plot, NULL, NULL);
    f.x = scale_of(range[0], range[1], f.left, f.right, plot->log_x);
    f.x.words = words_of(c);
    f.y = (Scale){0, 1.05 * (double)most, f.bottom, f.top, false, NULL, true};
    frame_axes(out, &f, c->label, "cases");
    double left = scale_at(&f.x, range[0]), width = (scale_at(&f.x, range[1]) - left) / bins;
    for (int k = 0; k < bins; k++) {
        double y = scale_at(&f.y, (double)counts[k]);
        fprintf(out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"/>\n",
                left + k * width + 0.5, y, fmax(width - 1, 0.5), f.bottom - y, palette_colour(0));
    }
    frame_end(out);
}

// --- parallel coordinates [Inselberg 1985] -------------------------------------------------------

static void draw_axis(FILE *out, const Column *c, const Scale *scale, double x)
{
    double ticks[32];
    int n = scale_ticks(scale, ticks);
    fprintf(out, "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\"/>\n", x, x, scale->from,
            scale->to);
    for (int k = 0; k < n; k++) {
        fprintf(out, "<text class=\"over\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"end\">", x - 4,
                scale_at(scale, ticks[k]) + 4);
        put_tick(out, scale, ticks[k]);
        fputs("</text>\n", out);
    }
    fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">", x, scale->from + 24);
    put_escaped(out, c->label);
    fputs("</text>\n", out);
}

void draw_parallel(FILE *out, const StudyPlot *plot)
{
    const Column *colour = column(plot, plot->colour);
    Frame f = frame_begin(out, plot, &plot->columns[plot->parallel[0]], colour);
    Scale scales[STUDY_COLUMNS];
    int n = plot->n_parallel;
    long stride = choose_stride(plot, MOST_LINES);
    double opacity = fmin(0.6, 30 / sqrt((double)plot->n));
    for (int a = 0; a < n; a++) {
        const Column *c = &plot->columns[plot->parallel[a]];
        scales[a] = scale_of(c->low, c->high, f.bottom, f.top, c->log);
        scales[a].words = words_of(c);
    }
    for (long k = 0; k < plot->n; k += stride) {
        fprintf(out, "<polyline fill=\"none\" stroke-opacity=\"%.2f\" stroke=\"",
                fmax(opacity, 0.1));
        if (colour)
            put_colour_of(out, colour, colour->values[k]);
        else
            fputs(palette_colour(0), out);
        fputs("\" points=\"", out);
        for (int a = 0; a < n; a++)
            fprintf(out, "%.1f,%.1f ", f.left + (f.right - f.left) * a / (n - 1),
                    scale_at(&scales[a], plot->columns[plot->parallel[a]].values[k]));
        fputs("\"/>\n", out);
    }
    for (int a = 0; a < n; a++)
        draw_axis(out, &plot->columns[plot->parallel[a]], &scales[a],
                  f.left + (f.right - f.left) * a / (n - 1));
    if (colour)
        frame_colours(out, &f, colour);
    frame_end(out);
}
