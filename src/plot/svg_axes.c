// Axes of an SVG drawing: frame, grid, ticks, labels, names.
#include "plot/svg.h"

// --- words --------------------------------------------------------------------------------------

// '^' switches to superscript and back; '-' becomes the sign that is as wide as a digit.
static void write_label(PerpText *text, const char *label)
{
    int turns = 0;
    for (; *label; label++) {
        const char sign[2] = {*label, '\0'};
        if (*label != '^')
            perp_text_add(text, *label == '-' ? "\xE2\x88\x92" : sign);
        else
            perp_text_add(text, turns++ % 2 ? "</tspan><tspan dy=\"4\">"
                                : turns > 1 ? "</tspan><tspan dy=\"-4\" font-size=\"8\">"
                                            : "<tspan dy=\"-4\" font-size=\"8\">");
    }
    perp_text_add(text, turns ? "</tspan>" : "");
}

void perp_svg_words(PerpText *text, double x, double y, int size, const char *more,
                    const char *words)
{
    perp_text_print(text, "<text x=\"%s\" y=\"%s\" font-size=\"%d\"%s>", perp_hundredths(x).text,
                    perp_hundredths(y).text, size, more);
    perp_text_escaped(text, words);
    perp_text_add(text, "</text>\n");
}

static void write_tick_label(PerpText *text, double x, double y, const char *anchor,
                             const char *label)
{
    perp_text_print(text, "<text x=\"%s\" y=\"%s\" font-size=\"%d\" text-anchor=\"%s\">",
                    perp_hundredths(x).text, perp_hundredths(y).text, PERP_SVG_TICK_FONT, anchor);
    write_label(text, label);
    perp_text_add(text, "</text>\n");
}

// --- axes ---------------------------------------------------------------------------------------

static void write_stroke(PerpText *text, double x, double y, char direction, double length)
{
    perp_text_print(text, "M%s %s%c%s", perp_hundredths(x).text, perp_hundredths(y).text, direction,
                    perp_hundredths(length).text);
}

void perp_svg_grid(PerpSheet *sheet)
{
    const PerpAxis *x = &sheet->plot.x, *y = &sheet->plot.y;
    perp_text_add(&sheet->text, "<path class=\"grid\" d=\"");
    for (int k = 0; k < sheet->x_ticks.count; k++)
        if (!sheet->x_ticks.tick[k].minor)
            write_stroke(&sheet->text, perp_axis_place(x, sheet->x_ticks.tick[k].at), y->from, 'V',
                         y->to);
    for (int k = 0; k < sheet->y_ticks.count; k++)
        if (!sheet->y_ticks.tick[k].minor)
            write_stroke(&sheet->text, x->from, perp_axis_place(y, sheet->y_ticks.tick[k].at), 'H',
                         x->to);
    perp_text_add(&sheet->text, "\"/>\n");
}

static double tick_length(const PerpTick *tick)
{
    return tick->minor ? PERP_SVG_TICK * 0.55 : PERP_SVG_TICK;
}

static void write_strokes(PerpSheet *sheet)
{
    const PerpAxis *x = &sheet->plot.x, *y = &sheet->plot.y;
    PerpText *text = &sheet->text;
    perp_text_print(text, "<path class=\"axis\" d=\"M%s %sV%sH%s", perp_hundredths(x->from).text,
                    perp_hundredths(y->to).text, perp_hundredths(y->from).text,
                    perp_hundredths(x->to).text);
    for (int k = 0; k < sheet->x_ticks.count; k++)
        write_stroke(text, perp_axis_place(x, sheet->x_ticks.tick[k].at), y->from, 'v',
                     tick_length(&sheet->x_ticks.tick[k]));
    for (int k = 0; k < sheet->y_ticks.count; k++)
        write_stroke(text, x->from, perp_axis_place(y, sheet->y_ticks.tick[k].at), 'h',
                     -tick_length(&sheet->y_ticks.tick[k]));
    perp_text_add(text, "\"/>\n");
}

static void write_tick_labels(PerpSheet *sheet)
{
    const PerpAxis *x = &sheet->plot.x, *y = &sheet->plot.y;
    for (int k = 0; k < sheet->x_ticks.count; k++)
        if (!sheet->x_ticks.tick[k].minor)
            write_tick_label(&sheet->text, perp_axis_place(x, sheet->x_ticks.tick[k].at),
                             y->from + PERP_SVG_TICK + 13, "middle", sheet->x_ticks.tick[k].label);
    for (int k = 0; k < sheet->y_ticks.count; k++)
        if (!sheet->y_ticks.tick[k].minor)
            write_tick_label(&sheet->text, x->from - PERP_SVG_TICK - 4,
                             perp_axis_place(y, sheet->y_ticks.tick[k].at) + 4, "end",
                             sheet->y_ticks.tick[k].label);
    if (sheet->x_ticks.note[0])
        write_tick_label(&sheet->text, x->to, y->from + PERP_SVG_TICK + 27, "end",
                         sheet->x_ticks.note);
    if (sheet->y_ticks.note[0])
        write_tick_label(&sheet->text, x->from - PERP_SVG_TICK, y->to - 7, "start",
                         sheet->y_ticks.note);
}

static void write_names(PerpSheet *sheet)
{
    const PerpAxis *x = &sheet->plot.x, *y = &sheet->plot.y;
    const PerpFigure *figure = sheet->plot.figure;
    PerpText *text = &sheet->text;
    if (figure->title)
        perp_svg_words(text, x->from, PERP_SVG_EDGE + 13, PERP_SVG_FONT + 1,
                       " font-weight=\"bold\"", figure->title);
    if (figure->x_label)
        perp_svg_words(text, (x->from + x->to) / 2, figure->height - PERP_SVG_EDGE, PERP_SVG_FONT,
                       " text-anchor=\"middle\"", figure->x_label);
    if (figure->y_label) {
        PerpDigits height = perp_hundredths((y->from + y->to) / 2);
        perp_text_print(text,
                        "<text transform=\"translate(%d %s) rotate(-90)\" font-size=\"%d\" "
                        "text-anchor=\"middle\">",
                        PERP_SVG_EDGE + PERP_SVG_FONT - 2, height.text, PERP_SVG_FONT);
        perp_text_escaped(text, figure->y_label);
        perp_text_add(text, "</text>\n");
    }
    if (sheet->plot.empty)
        perp_svg_words(text, (x->from + x->to) / 2, (y->from + y->to) / 2, PERP_SVG_FONT,
                       " text-anchor=\"middle\"", "no data");
}

void perp_svg_axes(PerpSheet *sheet)
{
    write_strokes(sheet);
    write_tick_labels(sheet);
    write_names(sheet);
}
