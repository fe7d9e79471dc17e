// The layout of a figure: areas, ranges, colours.
#include "plot/plot.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/sized.h"

#include <math.h>
#include <string.h>

void perp_fill_figure(PerpFigure *made, size_t size)
{
    const PerpFigure defaults = {.width = 640, .height = 400, .series_size = sizeof(PerpSeries)};
    perp_fill_sized(made, size, &defaults, sizeof defaults);
}

void perp_fill_series(PerpSeries *made, size_t size)
{
    const PerpSeries defaults = {.colour = -1};
    perp_fill_plain(made, size, &defaults, sizeof defaults);
}

void perp_figure_free(const PerpContext *context, char *text)
{
    PerpContext usual = perp_default_context();
    perp_free(context ? &context->allocator : &usual.allocator, text);
}

// --- checks -------------------------------------------------------------------------------------

static PerpStatus check_series(const PerpSeries *series, int index, PerpError *error)
{
    if (series->count < 0 || (series->count > 0 && (!series->x || !series->y)))
        return perp_fail(error, PERP_BAD_SIZE, "series %d has no points where it should", index);
    if (series->mark < PERP_MARK_LINE || series->mark > PERP_MARK_AREA)
        return perp_fail(error, PERP_BAD_VALUE, "series %d has no known mark", index);
    return PERP_OK;
}

static PerpStatus check_figure(const PerpFigure *figure, PerpError *error)
{
    if (figure->width < 100 || figure->height < 80 || figure->width > 10000 ||
        figure->height > 10000)
        return perp_fail(error, PERP_BAD_SIZE,
                         "a figure of %d x %d px; 100 x 80 to 10000 x 10000 can be drawn",
                         figure->width, figure->height);
    if (figure->n_series < 0 || (figure->n_series > 0 && !figure->series))
        return perp_fail(error, PERP_BAD_SIZE, "the figure has no series where it should");
    if (figure->equal && (figure->log_x || figure->log_y))
        return perp_fail(error, PERP_BAD_VALUE, "a log axis cannot have the scale of the other");
    for (int k = 0; k < figure->n_series; k++) {
        PerpStatus status = check_series(&figure->series[k], k, error);
        if (status)
            return status;
    }
    return PERP_OK;
}

// --- stacked areas ------------------------------------------------------------------------------

static bool same_x(const PerpSeries *a, const PerpSeries *b)
{
    return a->count == b->count &&
           (a->count == 0 || memcmp(a->x, b->x, (size_t)a->count * sizeof *a->x) == 0);
}

static PerpStatus count_areas(const PerpFigure *figure, int *areas, int *points, PerpError *error)
{
    const PerpSeries *first = NULL;
    *areas = 0;
    for (int k = 0; k < figure->n_series; k++) {
        const PerpSeries *series = &figure->series[k];
        if (series->mark != PERP_MARK_AREA)
            continue;
        if (first && !same_x(first, series))
            return perp_fail(error, PERP_BAD_SIZE,
                             "areas must have the same x to stand on top of each other");
        first = first ? first : series;
        ++*areas;
    }
    *points = first ? first->count : 0;
    return PERP_OK;
}

// What is positive stands on what is positive, what is negative hangs from what is negative. Less
// than `least` is nothing, so that rounding does not throw an edge from one side to the other.
static void stack_area(const PerpSeries *series, double least, double *above, double *below,
                       double *lower, double *upper)
{
    for (int k = 0; k < series->count; k++) {
        double y = isfinite(series->y[k]) && fabs(series->y[k]) >= least ? series->y[k] : 0;
        double *edge = y < 0 ? &below[k] : &above[k];
        lower[k] = fmin(*edge, *edge + y);
        upper[k] = fmax(*edge, *edge + y);
        *edge += y;
    }
}

static double largest_in_areas(const PerpFigure *figure)
{
    double largest = 0;
    for (int s = 0; s < figure->n_series; s++)
        for (int k = 0; figure->series[s].mark == PERP_MARK_AREA && k < figure->series[s].count;
             k++)
            if (isfinite(figure->series[s].y[k]))
                largest = fmax(largest, fabs(figure->series[s].y[k]));
    return largest;
}

static PerpStatus stack_areas(const PerpContext *context, PerpPlot *plot, PerpError *error)
{
    int areas, points = 0;
    PerpStatus status = count_areas(plot->figure, &areas, &points, error);
    if (status || areas == 0 || points == 0)
        return status;
    size_t n = (size_t)points;
    plot->stack = perp_allocate(&context->allocator, 2 * (size_t)areas + 2, n * sizeof(double));
    if (!plot->stack)
        return perp_fail(error, PERP_NO_MEMORY, "out of memory");
    double *edge = plot->stack + 2 * n;
    double least = 1e-9 * largest_in_areas(plot->figure);
    for (int k = 0; k < plot->n_curves; k++) {
        if (plot->curves[k].mark != PERP_MARK_AREA)
            continue;
        stack_area(&plot->figure->series[k], least, plot->stack, plot->stack + n, edge, edge + n);
        plot->curves[k].lower = edge;
        plot->curves[k].y = edge + n;
        edge += 2 * n;
    }
    return PERP_OK;
}

// --- curves and ranges --------------------------------------------------------------------------

static void set_curves(PerpPlot *plot)
{
    int next = 0;
    for (int k = 0; k < plot->n_curves; k++) {
        const PerpSeries *series = &plot->figure->series[k];
        int colour = series->colour >= 0 ? series->colour : next++;
        plot->curves[k] = (PerpCurve){.name = series->name,
                                      .count = series->count,
                                      .x = series->x,
                                      .y = series->y,
                                      .mark = series->mark,
                                      .colour = colour % PERP_PALETTE,
                                      .dash = series->dashed ? 1 : colour / PERP_PALETTE % 4};
    }
}

typedef struct Range {
    double low, high;
    bool rising; // no value lies below the one before
} Range;

static void widen(Range *range, double coordinate)
{
    range->low = fmin(range->low, coordinate);
    range->high = fmax(range->high, coordinate);
}

static void widen_by_curve(const PerpPlot *plot, const PerpCurve *curve, Range *x, Range *y)
{
    double before = -INFINITY;
    for (int k = 0; k < curve->count; k++) {
        double at[2];
        if (!perp_axis_coordinate(&plot->x, curve->x[k], &at[0]) ||
            !perp_axis_coordinate(&plot->y, curve->y[k], &at[1]))
            continue;
        widen(x, at[0]);
        widen(y, at[1]);
        if (curve->lower && perp_axis_coordinate(&plot->y, curve->lower[k], &at[1]))
            widen(y, at[1]);
        x->rising = x->rising && at[0] >= before && curve->mark != PERP_MARK_POINTS;
        before = at[0];
    }
}

// Series over time fill the width; everything else keeps off the frame.
static void find_ranges(PerpPlot *plot)
{
    Range x = {INFINITY, -INFINITY, true}, y = {INFINITY, -INFINITY, true};
    for (int k = 0; k < plot->n_curves; k++)
        widen_by_curve(plot, &plot->curves[k], &x, &y);
    plot->empty = x.low > x.high;
    perp_axis_fit(&plot->x, x.low, x.high, x.rising ? 0 : 0.04);
    perp_axis_fit(&plot->y, y.low, y.high, 0.05);
    bool on_the_floor = plot->stack && y.low == 0 && y.high > 0 && !plot->y.log;
    if (on_the_floor)
        plot->y.low = 0;
}

// Of a caller who was compiled with a shorter struct.
static PerpStatus widen_series(const PerpContext *context, PerpPlot *plot, PerpError *error)
{
    PerpFigure *figure = &plot->used;
    size_t given = figure->series_size;
    if (figure->n_series <= 0 || !figure->series || given == sizeof(PerpSeries))
        return PERP_OK;
    if (given == 0 || given > sizeof(PerpSeries))
        return perp_fail(error, PERP_BAD_VALUE, "series_size is %zu bytes, not %zu or less", given,
                         sizeof(PerpSeries));
    plot->series =
        perp_allocate(&context->allocator, (size_t)figure->n_series, sizeof *plot->series);
    if (!plot->series)
        return perp_fail_memory(error);
    for (int k = 0; k < figure->n_series; k++) {
        plot->series[k] = perp_default_series();
        perp_read_item(&plot->series[k], sizeof *plot->series, figure->series, given, k);
    }
    figure->series = plot->series;
    return PERP_OK;
}

PerpStatus perp_plot_prepare(const PerpContext *context, const PerpFigure *given, PerpPlot *plot,
                             PerpError *error)
{
    *plot = (PerpPlot){.used = perp_default_figure(), .figure = &plot->used};
    const PerpFigure *figure = plot->figure;
    PerpStatus status =
        perp_read_sized(&plot->used, sizeof plot->used, given, "perp_default_figure", error);
    if (!status)
        status = widen_series(context, plot, error);
    if (!status)
        status = check_figure(figure, error);
    if (status)
        return status;
    plot->x = (PerpAxis){.log = figure->log_x, .to = 1};
    plot->y = (PerpAxis){.log = figure->log_y, .to = 1};
    plot->curves =
        perp_allocate(&context->allocator, (size_t)figure->n_series + 1, sizeof *plot->curves);
    if (!plot->curves)
        return perp_fail(error, PERP_NO_MEMORY, "out of memory");
    plot->n_curves = figure->n_series;
    set_curves(plot);
    status = stack_areas(context, plot, error);
    if (!status)
        find_ranges(plot);
    return status;
}

void perp_plot_free(const PerpContext *context, PerpPlot *plot)
{
    perp_free(&context->allocator, plot->series);
    perp_free(&context->allocator, plot->curves);
    perp_free(&context->allocator, plot->stack);
}

// --- places -------------------------------------------------------------------------------------

static void stretch(PerpAxis *axis, double factor)
{
    double more = (axis->high - axis->low) * (factor - 1) / 2;
    axis->low -= more;
    axis->high += more;
}

void perp_plot_equalise(PerpPlot *plot)
{
    double x = (plot->x.high - plot->x.low) / fabs(plot->x.to - plot->x.from);
    double y = (plot->y.high - plot->y.low) / fabs(plot->y.to - plot->y.from);
    if (x < y)
        stretch(&plot->x, y / x);
    else
        stretch(&plot->y, x / y);
}

bool perp_plot_place(const PerpPlot *plot, double x, double y, double place[2])
{
    double at[2];
    if (!perp_axis_coordinate(&plot->x, x, &at[0]) || !perp_axis_coordinate(&plot->y, y, &at[1]))
        return false;
    place[0] = perp_axis_place(&plot->x, at[0]);
    place[1] = perp_axis_place(&plot->y, at[1]);
    return true;
}

int perp_plot_legend_order(const PerpPlot *plot, int *order)
{
    int count = 0;
    for (int k = plot->n_curves - 1; k >= 0; k--)
        if (plot->curves[k].name && plot->curves[k].mark == PERP_MARK_AREA)
            order[count++] = k;
    for (int k = 0; k < plot->n_curves; k++)
        if (plot->curves[k].name && plot->curves[k].mark != PERP_MARK_AREA)
            order[count++] = k;
    return count;
}
