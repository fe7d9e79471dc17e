// The text of a drawing of characters: rows with labels, axis, legend.
#include "plot/braille.h"

#include <math.h>

// Of a terminal with 256 colours, nearest to those of the SVG; -1: the terminal's own.
static const int terminal_colours[PERP_PALETTE] = {32, 166, 36, 175, 214, 74, -1, 227};

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

int perp_label_columns(const char *label)
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

static void write_head(PerpCanvas *canvas)
{
    const PerpFigure *figure = canvas->plot.figure;
    PerpText *text = &canvas->text;
    write_words(text, figure->y_label ? figure->y_label : "");
    if (canvas->y_ticks.note[0])
        perp_text_add(text, figure->y_label ? "  " : "");
    write_label(text, canvas->y_ticks.note);
    int used = (figure->y_label ? perp_columns(figure->y_label) + 2 : 0) +
               perp_label_columns(canvas->y_ticks.note);
    if (figure->title) {
        int middle = canvas->margin + (canvas->columns - perp_columns(figure->title)) / 2;
        write_spaces(text, middle > used + 2 ? middle - used + 2 * !figure->y_label : 2);
        write_words(text, figure->title);
    }
    perp_text_add(text, "\n");
}

// --- rows ---------------------------------------------------------------------------------------

static void change_colour(PerpCanvas *canvas, int *now, int colour)
{
    if (!canvas->plot.figure->coloured || colour == *now)
        return;
    if (colour < 0 || terminal_colours[colour] < 0)
        perp_text_add(&canvas->text, "\x1b[0m");
    else
        perp_text_print(&canvas->text, "\x1b[38;5;%dm", terminal_colours[colour]);
    *now = colour;
}

static void write_cell(PerpCanvas *canvas, const PerpBrailleCell *cell, int *colour)
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

static const char *label_of_row(const PerpCanvas *canvas, int row)
{
    for (int k = 0; k < canvas->y_ticks.count; k++) {
        const PerpTick *tick = &canvas->y_ticks.tick[k];
        double place = perp_axis_place(&canvas->plot.y, tick->at);
        if (!tick->minor && (int)floor(fmin(round(place), 4 * canvas->rows - 1) / 4) == row)
            return tick->label;
    }
    return NULL;
}

static void write_row(PerpCanvas *canvas, int row)
{
    const char *label = label_of_row(canvas, row);
    const PerpBrailleCell *cells = &canvas->cells[row * canvas->columns];
    int last = canvas->columns, colour = -1;
    while (last > 0 && !cells[last - 1].dots && !cells[last - 1].letter)
        last--;
    write_spaces(&canvas->text, canvas->margin - 2 - (label ? perp_label_columns(label) : 0));
    write_label(&canvas->text, label ? label : "");
    perp_text_add(&canvas->text, label ? " ┤" : " │");
    for (int column = 0; column < last; column++)
        write_cell(canvas, &cells[column], &colour);
    change_colour(canvas, &colour, -1);
    perp_text_add(&canvas->text, "\n");
}

static int tick_column(const PerpCanvas *canvas, const PerpTick *tick)
{
    int column = (int)floor(perp_axis_place(&canvas->plot.x, tick->at) / 2);
    return column < canvas->columns ? column : canvas->columns - 1;
}

static void write_x_axis(PerpCanvas *canvas)
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

static void write_x_labels(PerpCanvas *canvas)
{
    PerpText *text = &canvas->text;
    int column = 0; // of the line
    for (int k = 0; k < canvas->x_ticks.count; k++) {
        const PerpTick *tick = &canvas->x_ticks.tick[k];
        int width = perp_label_columns(tick->label);
        int at = canvas->margin + tick_column(canvas, tick) - width / 2;
        if (tick->minor || (column > 0 && at <= column))
            continue;
        write_spaces(text, at - column);
        write_label(text, tick->label);
        column = at + width;
    }
    perp_text_add(text, "\n");
}

static void write_x_name(PerpCanvas *canvas)
{
    const char *label = canvas->plot.figure->x_label;
    const char *note = canvas->x_ticks.note;
    if (!label && !note[0])
        return;
    int width = (label ? perp_columns(label) : 0) + perp_label_columns(note);
    write_spaces(&canvas->text, canvas->margin + (canvas->columns - width) / 2);
    write_words(&canvas->text, label ? label : "");
    perp_text_add(&canvas->text, note[0] ? "  " : "");
    write_label(&canvas->text, note);
    perp_text_add(&canvas->text, "\n");
}

static void write_legend(PerpCanvas *canvas, const int *order, int names)
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
            perp_text_print(text, "%c  ", 'a' + k % PERP_LETTERS);
        change_colour(canvas, &none, -1);
        write_words(text, curve->name);
        column += (column == 0 ? canvas->margin : 0) + width;
    }
    perp_text_add(text, names > 0 ? "\n" : "");
}

void perp_braille_write(PerpCanvas *canvas, const int *order, int names)
{
    write_head(canvas);
    for (int row = 0; row < canvas->rows; row++)
        write_row(canvas, row);
    write_x_axis(canvas);
    write_x_labels(canvas);
    write_x_name(canvas);
    write_legend(canvas, order, names);
}
