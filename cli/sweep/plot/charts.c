// The kinds of figures of a study.
#include "sweep/plot/study_plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_LEVELS = 400 };

static double part_of(const Column *column, double value)
{
    return column->high > column->low ? (value - column->low) / (column->high - column->low) : 0.5;
}

static const Column *column(const StudyPlot *plot, int index)
{
    return index >= 0 ? &plot->columns[index] : NULL;
}

static void set_scales(const StudyPlot *plot, const Column *x, const Column *y, Frame *f)
{
    f->x = scale_of(x->low, x->high, f->left, f->right, plot->log_x);
    f->y = scale_of(y->low, y->high, f->bottom, f->top, plot->log_y);
    f->x.words = words_of(x);
    f->y.words = words_of(y);
}

// --- a dot a case --------------------------------------------------------------------------------

void draw_dots(FILE *out, const StudyPlot *plot)
{
    const Column *x = column(plot, plot->x), *y = column(plot, plot->y);
    const Column *colour = column(plot, plot->colour);
    Frame f = frame_begin(out, plot, colour != NULL);
    set_scales(plot, x, y, &f);
    frame_axes(out, &f, x->name, y->name);
    double radius = plot->n > 2000 ? 1.5 : plot->n > 300 ? 2.2 : 3.2;
    for (long k = 0; k < plot->n; k++) {
        if ((f.x.log && !(x->values[k] > 0)) || (f.y.log && !(y->values[k] > 0)))
            continue;
        fprintf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" fill=\"",
                scale_at(&f.x, x->values[k]), scale_at(&f.y, y->values[k]), radius);
        if (colour)
            put_colour(out, part_of(colour, colour->values[k]));
        else
            fputs(palette_colour(0), out);
        fputs("\"/>\n", out);
    }
    if (colour)
        frame_bar(out, &f, colour);
    frame_end(out);
}

// --- levels --------------------------------------------------------------------------------------

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// The different values of a column in ascending order; if there are too many, the middles of `most`
// intervals. Returns how many.
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
    for (int k = 0; k < most; k++)
        levels[k] = column->low + (k + 0.5) * (column->high - column->low) / most;
    return most;
}

static int nearest_level(const double *levels, int count, double value)
{
    int best = 0;
    for (int k = 1; k < count; k++)
        if (fabs(levels[k] - value) < fabs(levels[best] - value))
            best = k;
    return best;
}

// Sums of a column over the cases at each pair of levels.
typedef struct Sums {
    int n_x, n_y;
    double x[MOST_LEVELS], y[MOST_LEVELS];
    double *count, *sum, *square; // n_x n_y each, in one piece that is owned by count
} Sums;

static bool add_up(const StudyPlot *plot, const Column *x, int most_x, const Column *y, int most_y,
                   const Column *value, Sums *sums)
{
    sums->n_x = find_levels(x, plot->n, most_x, sums->x);
    sums->n_y = y ? find_levels(y, plot->n, most_y, sums->y) : 1;
    size_t cells = (size_t)sums->n_x * (size_t)sums->n_y;
    sums->count = calloc(3 * cells + 1, sizeof *sums->count);
    if (!sums->count)
        return false;
    sums->sum = sums->count + cells;
    sums->square = sums->sum + cells;
    for (long k = 0; k < plot->n; k++) {
        int i = nearest_level(sums->x, sums->n_x, x->values[k]);
        int j = y ? nearest_level(sums->y, sums->n_y, y->values[k]) : 0;
        size_t cell = (size_t)j * (size_t)sums->n_x + (size_t)i;
        sums->count[cell]++;
        sums->sum[cell] += value->values[k];
        sums->square[cell] += value->values[k] * value->values[k];
    }
    return true;
}

// --- means with their standard errors ------------------------------------------------------------

static void draw_mean_line(FILE *out, const Frame *f, const Sums *s, int j, const char *colour)
{
    fprintf(out, "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"1.6\" points=\"", colour);
    for (int i = 0; i < s->n_x; i++) {
        size_t cell = (size_t)j * (size_t)s->n_x + (size_t)i;
        if (s->count[cell] > 0)
            fprintf(out, "%.1f,%.1f ", scale_at(&f->x, s->x[i]),
                    scale_at(&f->y, s->sum[cell] / s->count[cell]));
    }
    fputs("\"/>\n", out);
    for (int i = 0; i < s->n_x; i++) {
        size_t cell = (size_t)j * (size_t)s->n_x + (size_t)i;
        double n = s->count[cell], mean = s->sum[cell] / n;
        if (!(n > 0))
            continue;
        double variance = n > 1 ? fmax(s->square[cell] - n * mean * mean, 0) / (n - 1) : 0;
        double error = sqrt(variance / n), x = scale_at(&f->x, s->x[i]);
        fprintf(out,
                "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\" style=\"stroke:%s\"/>"
                "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3\" fill=\"%s\"/>\n",
                x, x, scale_at(&f->y, mean - error), scale_at(&f->y, mean + error), colour, x,
                scale_at(&f->y, mean), colour);
    }
}

static void draw_legend(FILE *out, const Frame *f, const Column *group, const Sums *s)
{
    for (int j = 0; j < s->n_y; j++) {
        fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" style=\"fill:%s\">", f->right + 14,
                f->top + 32 + 16 * j, palette_colour(j));
        put_value(out, words_of(group), s->y[j]);
        fputs("</text>\n", out);
    }
    fprintf(out, "<text x=\"%.1f\" y=\"%.1f\">", f->right + 14, f->top + 12);
    put_escaped(out, group->name);
    fputs("</text>\n", out);
}

void draw_means(FILE *out, const StudyPlot *plot)
{
    const Column *x = column(plot, plot->x), *mean = column(plot, plot->mean);
    const Column *group = column(plot, plot->colour);
    Sums *s = calloc(1, sizeof *s);
    Frame f = frame_begin(out, plot, group != NULL);
    char name[96];
    snprintf(name, sizeof name, "mean of %s", mean->name);
    if (s && add_up(plot, x, 40, group, 8, mean, s)) {
        set_scales(plot, x, mean, &f);
        frame_axes(out, &f, x->name, name);
        for (int j = 0; j < s->n_y; j++)
            draw_mean_line(out, &f, s, j, palette_colour(j));
        if (group)
            draw_legend(out, &f, group, s);
        free(s->count);
    }
    free(s);
    frame_end(out);
}

// --- a heat map of means -------------------------------------------------------------------------

// Half-way to the neighbours of level k, px.
static void cell_range(const double *levels, int n, int k, const Scale *scale, double range[2])
{
    double before = k > 0 ? levels[k - 1] : n > 1 ? 2 * levels[0] - levels[1] : levels[0] - 1;
    double after = k + 1 < n ? levels[k + 1]
                   : n > 1   ? 2 * levels[k] - levels[k - 1]
                             : levels[k] + 1;
    double a = scale_at(scale, (before + levels[k]) / 2),
           b = scale_at(scale, (after + levels[k]) / 2);
    double low = fmin(scale->from, scale->to), high = fmax(scale->from, scale->to);
    range[0] = fmax(fmin(a, b), low);
    range[1] = fmin(fmax(a, b), high);
}

static void draw_cells(FILE *out, const Frame *f, const Sums *s, double low, double high)
{
    for (int j = 0; j < s->n_y; j++)
        for (int i = 0; i < s->n_x; i++) {
            size_t cell = (size_t)j * (size_t)s->n_x + (size_t)i;
            double x[2], y[2], mean = s->sum[cell] / s->count[cell];
            if (!(s->count[cell] > 0))
                continue;
            cell_range(s->x, s->n_x, i, &f->x, x);
            cell_range(s->y, s->n_y, j, &f->y, y);
            fprintf(out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"", x[0],
                    y[0], x[1] - x[0] + 0.3, y[1] - y[0] + 0.3);
            put_colour(out, high > low ? (mean - low) / (high - low) : 0.5);
            fputs("\"/>\n", out);
        }
}

void draw_heat(FILE *out, const StudyPlot *plot)
{
    const Column *x = column(plot, plot->x), *y = column(plot, plot->y);
    const Column *heat = column(plot, plot->heat);
    Sums *s = calloc(1, sizeof *s);
    Frame f = frame_begin(out, plot, true);
    int most = plot->n > 10000 ? 100 : plot->n > 900 ? (int)sqrt((double)plot->n) : 60;
    if (s && add_up(plot, x, most, y, most, heat, s)) {
        set_scales(plot, x, y, &f);
        draw_cells(out, &f, s, heat->low, heat->high);
        frame_axes(out, &f, x->name, y->name);
        frame_bar(out, &f, heat);
        free(s->count);
    }
    free(s);
    frame_end(out);
}

// --- a histogram ---------------------------------------------------------------------------------

// Bins of equal width, as many as the root of the number of cases, at most 60.
void draw_histogram(FILE *out, const StudyPlot *plot)
{
    enum { MOST_BINS = 60 };
    const Column *c = column(plot, plot->histogram);
    long counts[MOST_BINS] = {0}, most = 0;
    int bins = (int)fmin(fmax(ceil(sqrt((double)plot->n)), 5), MOST_BINS);
    for (long k = 0; k < plot->n; k++) {
        int bin = (int)fmin(part_of(c, c->values[k]) * bins, bins - 1);
        most = ++counts[bin] > most ? counts[bin] : most;
    }
    Frame f = frame_begin(out, plot, false);
    f.x = scale_of(c->low, c->high, f.left, f.right, false);
    f.y = (Scale){0, 1.05 * (double)most, f.bottom, f.top, false, NULL};
    frame_axes(out, &f, c->name, "cases");
    double width = (c->high - c->low) / bins;
    for (int k = 0; k < bins && width > 0; k++) {
        double x0 = scale_at(&f.x, c->low + k * width),
               x1 = scale_at(&f.x, c->low + (k + 1) * width);
        double y = scale_at(&f.y, (double)counts[k]);
        fprintf(out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"%s\"/>\n",
                x0 + 0.5, y, fmax(x1 - x0 - 1, 0.5), f.bottom - y, palette_colour(0));
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
        put_value(out, scale->words, ticks[k]);
        fputs("</text>\n", out);
    }
    fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">", x, scale->from + 24);
    put_escaped(out, c->name);
    fputs("</text>\n", out);
}

void draw_parallel(FILE *out, const StudyPlot *plot)
{
    const Column *colour = column(plot, plot->colour);
    Frame f = frame_begin(out, plot, colour != NULL);
    Scale scales[STUDY_COLUMNS];
    int n = plot->n_parallel;
    for (int a = 0; a < n; a++) {
        const Column *c = &plot->columns[plot->parallel[a]];
        scales[a] = scale_of(c->low, c->high, f.bottom, f.top, false);
        scales[a].words = words_of(c);
    }
    for (long k = 0; k < plot->n; k++) {
        fputs("<polyline fill=\"none\" stroke-opacity=\"0.45\" stroke=\"", out);
        if (colour)
            put_colour(out, part_of(colour, colour->values[k]));
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
        frame_bar(out, &f, colour);
    frame_end(out);
}
