// Figures as text: eight dots a character, curves told apart by colour or by letters on them.
#include "plot/braille.h"

#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

enum { MIN_COLUMNS = 20, MIN_ROWS = 6, MAX_SIZE = 1000 };

// --- dots ---------------------------------------------------------------------------------------

static PerpBrailleCell *cell_at(PerpCanvas *canvas, double x, double y)
{
    int column = (int)floor(x / 2), row = (int)floor(y / 4);
    bool inside = column >= 0 && column < canvas->columns && row >= 0 && row < canvas->rows;
    return inside ? &canvas->cells[row * canvas->columns + column] : NULL;
}

static void set_dot(PerpCanvas *canvas, int x, int y, int colour)
{
    static const unsigned char bits[4][2] = {
        {0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
    PerpBrailleCell *cell = cell_at(canvas, x, y);
    if (!cell || x < 0 || y < 0)
        return;
    cell->dots |= bits[y % 4][x % 2];
    cell->colour = (signed char)colour;
}

static void draw_segment(PerpCanvas *canvas, const double a[2], const double b[2],
                         const PerpCurve *curve)
{
    int steps = 1 + (int)fmax(fabs(b[0] - a[0]), fabs(b[1] - a[1]));
    for (int k = 0; k <= steps; k++) {
        double share = (double)k / steps;
        int x = (int)lround(a[0] + share * (b[0] - a[0]));
        int y = (int)lround(a[1] + share * (b[1] - a[1]));
        if (curve->dash == 0 || (x + y) % 4 < 2)
            set_dot(canvas, x, y, curve->colour);
    }
}

static void draw_path(PerpCanvas *canvas, const PerpCurve *curve)
{
    for (int k = 0; k < canvas->path.count; k++) {
        const PerpPathPoint *point = &canvas->path.points[k];
        bool joined = !point->start && curve->mark != PERP_MARK_POINTS;
        draw_segment(canvas, joined ? point[-1].at : point->at, point->at, curve);
    }
}

static void fill_area(PerpCanvas *canvas, const PerpCurve *curve)
{
    for (int k = 0; k < curve->count; k++) {
        double upper[2], lower[2];
        if (perp_plot_place(&canvas->plot, curve->x[k], curve->y[k], upper) &&
            perp_plot_place(&canvas->plot, curve->x[k], curve->lower[k], lower) &&
            lower[1] - upper[1] >= 1)
            draw_segment(canvas, upper, lower, curve);
    }
}

// --- letters ------------------------------------------------------------------------------------

static void put_letter(PerpCanvas *canvas, const PerpCurve *curve, int index, int letter)
{
    double at[2], lower[2];
    if (!perp_plot_place(&canvas->plot, curve->x[index], curve->y[index], at))
        return;
    if (curve->lower &&
        perp_plot_place(&canvas->plot, curve->x[index], curve->lower[index], lower)) {
        if (lower[1] - at[1] < 4)
            return;
        at[1] = (at[1] + lower[1]) / 2;
    }
    PerpBrailleCell *cell = cell_at(canvas, round(at[0]), round(at[1]));
    if (cell && !cell->letter)
        cell->letter = (char)('a' + letter % PERP_LETTERS);
}

// At three places, different ones for each curve, so that letters of close curves do not meet.
static void put_letters(PerpCanvas *canvas, const int *order, int names)
{
    for (int k = 0; k < names; k++) {
        const PerpCurve *curve = &canvas->plot.curves[order[k]];
        for (int place = 1; place <= 3 && curve->count > 0; place++) {
            double share = (place - 0.5 + (k - names / 2.0) * 0.6 / names) / 3;
            put_letter(canvas, curve, (int)(share * (curve->count - 1)), k);
        }
    }
}

static void write_no_data(PerpCanvas *canvas)
{
    static const char words[] = "no data";
    int length = (int)strlen(words);
    PerpBrailleCell *cells = &canvas->cells[canvas->rows / 2 * canvas->columns];
    for (int k = 0; k < length && canvas->columns >= length; k++)
        cells[(canvas->columns - length) / 2 + k].letter = words[k];
}

// --- the whole ----------------------------------------------------------------------------------

// The margin depends on the labels of y, which depend on the rows.
static void lay_out(PerpCanvas *canvas, int columns, int rows)
{
    PerpPlot *plot = &canvas->plot;
    canvas->rows = rows - 3 - (plot->figure->x_label ? 1 : 0);
    plot->y.from = 4 * canvas->rows - 1;
    plot->y.to = 0;
    perp_axis_ticks(&plot->y, canvas->rows / 3, &canvas->y_ticks);
    int widest = 0;
    for (int k = 0; k < canvas->y_ticks.count; k++) {
        int width = perp_label_columns(canvas->y_ticks.tick[k].label);
        widest = width > widest ? width : widest;
    }
    canvas->margin = widest + 2;
    canvas->columns = columns - canvas->margin > 4 ? columns - canvas->margin : 4;
    plot->x.from = 0;
    plot->x.to = 2 * canvas->columns - 1;
}

static void equalise(PerpCanvas *canvas, int columns, int rows)
{
    perp_plot_equalise(&canvas->plot); // a dot is about as wide as it is high
    lay_out(canvas, columns, rows);
}

static void draw_curves(PerpCanvas *canvas)
{
    for (int pass = 0; pass < 2; pass++)
        for (int k = 0; k < canvas->plot.n_curves; k++) {
            const PerpCurve *curve = &canvas->plot.curves[k];
            if ((curve->lower != NULL) != (pass == 0))
                continue;
            if (curve->lower && canvas->plot.figure->coloured)
                fill_area(canvas, curve);
            perp_path_trace(&canvas->path, &canvas->plot, curve, curve->y, 0.1);
            draw_path(canvas, curve);
        }
}

static PerpStatus draw(PerpCanvas *canvas, PerpError *error)
{
    const PerpAllocator *allocator = &canvas->context->allocator;
    size_t cells = (size_t)canvas->columns * (size_t)canvas->rows;
    canvas->cells = perp_allocate(allocator, cells, sizeof *canvas->cells);
    int *order = perp_allocate(allocator, (size_t)canvas->plot.n_curves + 1, sizeof *order);
    if (canvas->cells && order) {
        int names = perp_plot_legend_order(&canvas->plot, order);
        draw_curves(canvas);
        if (names > 1 && !canvas->plot.figure->coloured)
            put_letters(canvas, order, names);
        if (canvas->plot.empty)
            write_no_data(canvas);
        perp_braille_write(canvas, order, names);
    }
    bool failed = !canvas->cells || !order || canvas->text.failed || canvas->path.failed;
    perp_free(allocator, order);
    perp_free(allocator, canvas->cells);
    return failed ? perp_fail(error, PERP_NO_MEMORY, "out of memory") : PERP_OK;
}

PerpStatus perp_figure_braille(const PerpContext *context, const PerpFigure *figure, int columns,
                               int rows, char **text, PerpError *error)
{
    PerpContext usual = perp_default_context();
    context = context ? context : &usual;
    PerpCanvas canvas = {.context = context,
                         .path = {.allocator = &context->allocator},
                         .text = {.allocator = &context->allocator}};
    *text = NULL;
    if (columns < MIN_COLUMNS || rows < MIN_ROWS || columns > MAX_SIZE || rows > MAX_SIZE)
        return perp_fail(error, PERP_BAD_SIZE, "%d x %d characters; %d x %d to %d x %d can be used",
                         columns, rows, MIN_COLUMNS, MIN_ROWS, MAX_SIZE, MAX_SIZE);
    PerpStatus status = perp_plot_prepare(context, figure, &canvas.plot, error);
    if (!status) {
        lay_out(&canvas, columns, rows);
        if (canvas.plot.figure->equal)
            equalise(&canvas, columns, rows);
        perp_axis_ticks(&canvas.plot.x, canvas.columns / 10, &canvas.x_ticks);
        status = draw(&canvas, error);
    }
    if (status)
        perp_free(&context->allocator, canvas.text.data);
    else
        *text = canvas.text.data;
    perp_path_free(&canvas.path);
    perp_plot_free(context, &canvas.plot);
    return status;
}
