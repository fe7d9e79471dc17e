// Figures as text: eight dots a character, curves told apart by colour or by letters on them.
#include "base/error.h"
#include "base/memory.h"
#include "plot/path.h"
#include "plot/text.h"

#include <math.h>
#include <string.h>

enum { MIN_COLUMNS = 20, MIN_ROWS = 6, MAX_SIZE = 1000, LETTERS = 26 };

// Of a terminal with 256 colours, nearest to those of the SVG; -1: the terminal's own.
static const int terminal_colours[PERP_PALETTE] = {32, 166, 36, 175, 214, 74, -1, 227};

typedef struct Cell {
    unsigned char dots; // bits of the Braille patterns of Unicode
    signed char colour; // -1: none
    char letter;        // instead of dots, 0: none
} Cell;

typedef struct Canvas {
    const PerpContext *context;
    PerpPlot plot; // places are dots: x from 0, y from 0 at the top
    int columns, rows, margin;
    Cell *cells; // owned
    PerpTicks x_ticks, y_ticks;
    PerpPath path;
    PerpText text;
} Canvas;

// --- dots ---------------------------------------------------------------------------------------

static Cell *cell_at(Canvas *canvas, double x, double y)
{
    int column = (int)floor(x / 2), row = (int)floor(y / 4);
    bool inside = column >= 0 && column < canvas->columns && row >= 0 && row < canvas->rows;
    return inside ? &canvas->cells[row * canvas->columns + column] : NULL;
}

static void set_dot(Canvas *canvas, int x, int y, int colour)
{
    static const unsigned char bits[4][2] = {
        {0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};
    Cell *cell = cell_at(canvas, x, y);
    if (!cell || x < 0 || y < 0)
        return;
    cell->dots |= bits[y % 4][x % 2];
    cell->colour = (signed char)colour;
}

static void draw_segment(Canvas *canvas, const double a[2], const double b[2],
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

static void draw_path(Canvas *canvas, const PerpCurve *curve)
{
    for (int k = 0; k < canvas->path.count; k++) {
        const PerpPathPoint *point = &canvas->path.points[k];
        bool joined = !point->start && curve->mark != PERP_MARK_POINTS;
        draw_segment(canvas, joined ? point[-1].at : point->at, point->at, curve);
    }
}

static void fill_area(Canvas *canvas, const PerpCurve *curve)
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

static void put_letter(Canvas *canvas, const PerpCurve *curve, int index, int letter)
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
    Cell *cell = cell_at(canvas, lround(at[0]), lround(at[1]));
    if (cell && !cell->letter)
        cell->letter = (char)('a' + letter % LETTERS);
}

// At three places, different ones for each curve, so that letters of close curves do not meet.
static void put_letters(Canvas *canvas, const int *order, int names)
{
    for (int k = 0; k < names; k++) {
        const PerpCurve *curve = &canvas->plot.curves[order[k]];
        for (int place = 1; place <= 3 && curve->count > 0; place++) {
            double share = (place - 0.5 + (k - names / 2.0) * 0.6 / names) / 3;
            put_letter(canvas, curve, (int)(share * (curve->count - 1)), k);
        }
    }
}

// --- words --------------------------------------------------------------------------------------

static void write_label(PerpText *text, const char *label)
{
    static const char *const raised[10] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    bool up = false;
    for (; *label; label++) {
        const char sign[2] = {*label, '\0'};
        if (*label == '^')
            up = !up;
        else if (up && *label >= '0' && *label <= '9')
            perp_text_add(text, raised[*label - '0']);
        else
            perp_text_add(text, up && *label == '-' ? "⁻" : sign);
    }
}

static int label_columns(const char *label)
{
    int columns = perp_columns(label);
    for (; *label; label++)
        columns -= *label == '^';
    return columns;
}

static void write_spaces(PerpText *text, int count)
{
    for (int k = 0; k < count; k++)
        perp_text_add(text, " ");
}

// Without what would move the cursor.
static void write_words(PerpText *text, const char *words)
{
    for (; *words; words++) {
        const char sign[2] = {*words, '\0'};
        perp_text_add(text, (unsigned char)*words < 0x20 || *words == 0x7F ? "?" : sign);
    }
}

static void write_no_data(Canvas *canvas)
{
    static const char words[] = "no data";
    int length = (int)strlen(words);
    Cell *cells = &canvas->cells[canvas->rows / 2 * canvas->columns];
    for (int k = 0; k < length && canvas->columns >= length; k++)
        cells[(canvas->columns - length) / 2 + k].letter = words[k];
}

static void write_head(Canvas *canvas)
{
    const PerpFigure *figure = canvas->plot.figure;
    PerpText *text = &canvas->text;
    write_words(text, figure->y_label ? figure->y_label : "");
    if (canvas->y_ticks.note[0])
        perp_text_add(text, figure->y_label ? "  " : "");
    write_label(text, canvas->y_ticks.note);
    int used = (figure->y_label ? perp_columns(figure->y_label) + 2 : 0) +
               label_columns(canvas->y_ticks.note);
    if (figure->title) {
        int middle = canvas->margin + (canvas->columns - perp_columns(figure->title)) / 2;
        write_spaces(text, middle > used + 2 ? middle - used + 2 * !figure->y_label : 2);
        write_words(text, figure->title);
    }
    perp_text_add(text, "\n");
}

// --- rows ---------------------------------------------------------------------------------------

static void change_colour(Canvas *canvas, int *now, int colour)
{
    if (!canvas->plot.figure->coloured || colour == *now)
        return;
    if (colour < 0 || terminal_colours[colour] < 0)
        perp_text_add(&canvas->text, "\x1b[0m");
    else
        perp_text_print(&canvas->text, "\x1b[38;5;%dm", terminal_colours[colour]);
    *now = colour;
}

static void write_cell(Canvas *canvas, const Cell *cell, int *colour)
{
    if (cell->letter) {
        perp_text_print(&canvas->text, "%c", cell->letter);
    } else if (cell->dots) {
        // U+2800 + dots in UTF-8
        change_colour(canvas, colour, cell->colour);
        perp_text_print(&canvas->text, "\xE2%c%c", 0xA0 | (cell->dots >> 6),
                        0x80 | (cell->dots & 0x3F));
    } else {
        perp_text_add(&canvas->text, " ");
    }
}

static const char *label_of_row(const Canvas *canvas, int row)
{
    for (int k = 0; k < canvas->y_ticks.count; k++) {
        const PerpTick *tick = &canvas->y_ticks.tick[k];
        double place = perp_axis_place(&canvas->plot.y, tick->at);
        if (!tick->minor && (int)floor(fmin(lround(place), 4 * canvas->rows - 1) / 4) == row)
            return tick->label;
    }
    return NULL;
}

static void write_row(Canvas *canvas, int row)
{
    const char *label = label_of_row(canvas, row);
    const Cell *cells = &canvas->cells[row * canvas->columns];
    int last = canvas->columns, colour = -1;
    while (last > 0 && !cells[last - 1].dots && !cells[last - 1].letter)
        last--;
    write_spaces(&canvas->text, canvas->margin - 2 - (label ? label_columns(label) : 0));
    write_label(&canvas->text, label ? label : "");
    perp_text_add(&canvas->text, label ? " ┤" : " │");
    for (int column = 0; column < last; column++)
        write_cell(canvas, &cells[column], &colour);
    change_colour(canvas, &colour, -1);
    perp_text_add(&canvas->text, "\n");
}

static int tick_column(const Canvas *canvas, const PerpTick *tick)
{
    int column = (int)floor(perp_axis_place(&canvas->plot.x, tick->at) / 2);
    return column < canvas->columns ? column : canvas->columns - 1;
}

static void write_x_axis(Canvas *canvas)
{
    PerpText *text = &canvas->text;
    int column = 0;
    write_spaces(text, canvas->margin - 1);
    perp_text_add(text, "└");
    for (int k = 0; k < canvas->x_ticks.count; k++) {
        int at = tick_column(canvas, &canvas->x_ticks.tick[k]);
        if (canvas->x_ticks.tick[k].minor || at < column)
            continue;
        for (; column < at; column++)
            perp_text_add(text, "─");
        perp_text_add(text, "┬");
        column++;
    }
    for (; column < canvas->columns; column++)
        perp_text_add(text, "─");
    perp_text_add(text, "\n");
}

static void write_x_labels(Canvas *canvas)
{
    PerpText *text = &canvas->text;
    int column = 0; // of the line
    for (int k = 0; k < canvas->x_ticks.count; k++) {
        const PerpTick *tick = &canvas->x_ticks.tick[k];
        int width = label_columns(tick->label);
        int at = canvas->margin + tick_column(canvas, tick) - width / 2;
        if (tick->minor || (column > 0 && at <= column))
            continue;
        write_spaces(text, at - column);
        write_label(text, tick->label);
        column = at + width;
    }
    perp_text_add(text, "\n");
}

static void write_x_name(Canvas *canvas)
{
    const char *label = canvas->plot.figure->x_label;
    const char *note = canvas->x_ticks.note;
    if (!label && !note[0])
        return;
    int width = (label ? perp_columns(label) : 0) + label_columns(note);
    write_spaces(&canvas->text, canvas->margin + (canvas->columns - width) / 2);
    write_words(&canvas->text, label ? label : "");
    perp_text_add(&canvas->text, note[0] ? "  " : "");
    write_label(&canvas->text, note);
    perp_text_add(&canvas->text, "\n");
}

static void write_legend(Canvas *canvas, const int *order, int names)
{
    PerpText *text = &canvas->text;
    bool coloured = canvas->plot.figure->coloured;
    int column = 0, none = -1;
    for (int k = 0; k < names; k++) {
        const PerpCurve *curve = &canvas->plot.curves[order[k]];
        int width = perp_columns(curve->name) + 5;
        if (column > 0 && column + width > canvas->margin + canvas->columns) {
            perp_text_add(text, "\n");
            column = 0;
        }
        write_spaces(text, column == 0 ? canvas->margin : 2);
        change_colour(canvas, &none, curve->colour);
        if (coloured || names == 1)
            perp_text_add(text, "⠤⠤ ");
        else
            perp_text_print(text, "%c  ", 'a' + k % LETTERS);
        change_colour(canvas, &none, -1);
        write_words(text, curve->name);
        column += (column == 0 ? canvas->margin : 0) + width;
    }
    perp_text_add(text, names > 0 ? "\n" : "");
}

// --- the whole ----------------------------------------------------------------------------------

// The margin depends on the labels of y, which depend on the rows.
static void lay_out(Canvas *canvas, int columns, int rows)
{
    PerpPlot *plot = &canvas->plot;
    canvas->rows = rows - 3 - (plot->figure->x_label ? 1 : 0);
    plot->y.from = 4 * canvas->rows - 1;
    plot->y.to = 0;
    perp_axis_ticks(&plot->y, canvas->rows / 3, &canvas->y_ticks);
    int widest = 0;
    for (int k = 0; k < canvas->y_ticks.count; k++) {
        int width = label_columns(canvas->y_ticks.tick[k].label);
        widest = width > widest ? width : widest;
    }
    canvas->margin = widest + 2;
    canvas->columns = columns - canvas->margin > 4 ? columns - canvas->margin : 4;
    plot->x.from = 0;
    plot->x.to = 2 * canvas->columns - 1;
}

static void equalise(Canvas *canvas, int columns, int rows)
{
    perp_plot_equalise(&canvas->plot); // a dot is about as wide as it is high
    lay_out(canvas, columns, rows);
}

static void draw_curves(Canvas *canvas)
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

static PerpStatus draw(Canvas *canvas, PerpError *error)
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
        write_head(canvas);
        for (int row = 0; row < canvas->rows; row++)
            write_row(canvas, row);
        write_x_axis(canvas);
        write_x_labels(canvas);
        write_x_name(canvas);
        write_legend(canvas, order, names);
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
    Canvas canvas = {.context = context,
                     .path = {.allocator = &context->allocator},
                     .text = {.allocator = &context->allocator}};
    *text = NULL;
    if (columns < MIN_COLUMNS || rows < MIN_ROWS || columns > MAX_SIZE || rows > MAX_SIZE)
        return perp_fail(error, PERP_BAD_SIZE, "%d x %d characters; %d x %d to %d x %d can be used",
                         columns, rows, MIN_COLUMNS, MIN_ROWS, MAX_SIZE, MAX_SIZE);
    PerpStatus status = perp_plot_prepare(context, figure, &canvas.plot, error);
    if (!status) {
        lay_out(&canvas, columns, rows);
        if (figure->equal)
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
