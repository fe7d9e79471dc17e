// Placement of the legend where it hides least.
#include "plot/legend.h"

#include "base/error.h"
#include "base/memory.h"
#include "plot/words.h"

#include <math.h>

enum { CELL = 4, MARGIN = 8 };           // px
static const double MOST_HIDDEN = 0.015; // share of the legend's cells that may cover something

PerpStatus perp_legend_measure(const PerpContext *context, const PerpPlot *plot, double room,
                               PerpLegend *legend, PerpError *error)
{
    *legend = (PerpLegend){0};
    legend->order =
        perp_allocate(&context->allocator, (size_t)plot->n_curves + 1, sizeof *legend->order);
    if (!legend->order)
        return perp_fail(error, PERP_NO_MEMORY, "out of memory");
    int names = perp_plot_legend_order(plot, legend->order);
    int most = (int)((room - 2 * PERP_LEGEND_PADDING) / PERP_LEGEND_ROW);
    legend->rows = names <= most ? names : most > 1 ? most - 1 : 0;
    legend->left_out = names - legend->rows;
    double widest = legend->left_out ? 60 : 0;
    for (int k = 0; k < legend->rows; k++)
        widest =
            fmax(widest, perp_text_width(plot->curves[legend->order[k]].name, PERP_LEGEND_FONT));
    int lines = legend->rows + (legend->left_out > 0);
    legend->width = widest + PERP_LEGEND_SAMPLE + PERP_LEGEND_GAP + 2 * PERP_LEGEND_PADDING;
    legend->height = lines * PERP_LEGEND_ROW + 2 * PERP_LEGEND_PADDING;
    return PERP_OK;
}

void perp_legend_free(const PerpContext *context, PerpLegend *legend)
{
    perp_free(&context->allocator, legend->order);
}

// --- what the curves cover ----------------------------------------------------------------------

typedef struct Cover {
    double left, top;
    int columns, rows;
    unsigned char *cells;
} Cover;

static void cover_spot(Cover *cover, double x, double y)
{
    int column = (int)floor((x - cover->left) / CELL), row = (int)floor((y - cover->top) / CELL);
    if (column >= 0 && column < cover->columns && row >= 0 && row < cover->rows)
        cover->cells[row * cover->columns + column] = 1;
}

static void cover_segment(Cover *cover, const double a[2], const double b[2])
{
    int steps = 1 + (int)(hypot(b[0] - a[0], b[1] - a[1]) / (CELL / 2));
    for (int k = 0; k <= steps; k++) {
        double share = (double)k / steps;
        cover_spot(cover, a[0] + share * (b[0] - a[0]), a[1] + share * (b[1] - a[1]));
    }
}

static void cover_path(Cover *cover, const PerpPath *path, bool joined)
{
    for (int k = 0; k < path->count; k++) {
        const PerpPathPoint *point = &path->points[k];
        if (point->start || !joined)
            cover_spot(cover, point->at[0], point->at[1]);
        else
            cover_segment(cover, point[-1].at, point->at);
    }
}

static void cover_area(Cover *cover, const PerpPlot *plot, const PerpCurve *curve)
{
    for (int k = 0; k < curve->count; k++) {
        double upper[2], lower[2];
        if (perp_plot_place(plot, curve->x[k], curve->y[k], upper) &&
            perp_plot_place(plot, curve->x[k], curve->lower[k], lower))
            cover_segment(cover, upper, lower);
    }
}

static bool cover_curves(const PerpContext *context, const PerpPlot *plot, Cover *cover)
{
    PerpPath path = {.allocator = &context->allocator};
    for (int k = 0; k < plot->n_curves && !path.failed; k++) {
        const PerpCurve *curve = &plot->curves[k];
        if (curve->lower)
            cover_area(cover, plot, curve);
        perp_path_trace(&path, plot, curve, curve->y, 0.1);
        cover_path(cover, &path, curve->mark != PERP_MARK_POINTS);
    }
    bool done = !path.failed;
    perp_path_free(&path);
    return done;
}

// --- candidates ---------------------------------------------------------------------------------

static double hidden_share(const Cover *cover, double left, double top, double width, double height)
{
    int hidden = 0, all = 0;
    for (double y = top; y < top + height; y += CELL)
        for (double x = left; x < left + width; x += CELL, all++) {
            int column = (int)((x - cover->left) / CELL), row = (int)((y - cover->top) / CELL);
            if (column < cover->columns && row < cover->rows)
                hidden += cover->cells[row * cover->columns + column];
        }
    return (double)hidden / (all ? all : 1);
}

// Corners first, then the middles of the sides; the first of equals.
static double choose_place(const PerpPlot *plot, const Cover *cover, PerpLegend *legend)
{
    static const double shares[8][2] = {{1, 0},   {0, 0},   {1, 1},   {0, 1},
                                        {1, 0.5}, {0, 0.5}, {0.5, 0}, {0.5, 1}};
    double free_x = plot->x.to - plot->x.from - legend->width - 2 * MARGIN;
    double free_y = plot->y.from - plot->y.to - legend->height - 2 * MARGIN;
    double best = INFINITY;
    if (free_x < 0 || free_y < 0)
        return best;
    for (int k = 0; k < 8; k++) {
        double left = plot->x.from + MARGIN + shares[k][0] * free_x;
        double top = plot->y.to + MARGIN + shares[k][1] * free_y;
        double share = hidden_share(cover, left, top, legend->width, legend->height);
        if (share < best) {
            best = share;
            legend->left = left;
            legend->top = top;
        }
    }
    return best;
}

bool perp_legend_fit(const PerpContext *context, const PerpPlot *plot, PerpLegend *legend)
{
    Cover cover = {.left = plot->x.from,
                   .top = plot->y.to,
                   .columns = (int)ceil((plot->x.to - plot->x.from) / CELL),
                   .rows = (int)ceil((plot->y.from - plot->y.to) / CELL)};
    cover.cells = perp_allocate(&context->allocator, (size_t)cover.columns * (size_t)cover.rows, 1);
    if (!cover.cells)
        return false;
    bool fits =
        cover_curves(context, plot, &cover) && choose_place(plot, &cover, legend) <= MOST_HIDDEN;
    perp_free(&context->allocator, cover.cells);
    return fits;
}
