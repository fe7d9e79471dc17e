// Curves of an SVG drawing, and the legend that names them.
#include "base/error.h"
#include "base/memory.h"
#include "plot/svg.h"

static const double FLATNESS = 0.04; // px by which a path may miss its points
static const char *const dashes[4] = {"", "6 3", "2 2.5", "8 3 2 3"};

// --- curves -------------------------------------------------------------------------------------

static void write_point(PerpText *text, char command, const double at[2])
{
    perp_text_print(text, "%c%s %s", command, perp_hundredths(at[0]).text,
                    perp_hundredths(at[1]).text);
}

static void write_line(PerpSheet *sheet, const PerpCurve *curve, const char *class)
{
    PerpText *text = &sheet->text;
    perp_text_print(text, "<path class=\"%s l%d\"", class, curve->colour);
    if (curve->dash)
        perp_text_print(text, " stroke-dasharray=\"%s\"", dashes[curve->dash]);
    perp_text_add(text, " d=\"");
    for (int k = 0; k < sheet->path.count; k++) {
        const PerpPathPoint *point = &sheet->path.points[k];
        bool follows = k > 0 && !point->start && !point[-1].start;
        write_point(text, point->start ? 'M' : follows ? ' ' : 'L', point->at);
        bool alone = point->start && (k + 1 == sheet->path.count || point[1].start);
        perp_text_add(text, alone ? "h.01" : "");
    }
    perp_text_add(text, "\"/>\n");
}

// One dot where many would lie on top of each other.
static PerpStatus write_dots(PerpSheet *sheet, const PerpCurve *curve, PerpError *error)
{
    const PerpFigure *figure = sheet->plot.figure;
    size_t room = (size_t)figure->width * (size_t)figure->height;
    unsigned char *taken = perp_allocate(&sheet->context->allocator, room, 1);
    if (!taken)
        return perp_fail(error, PERP_NO_MEMORY, "out of memory");
    perp_text_print(&sheet->text, "<path class=\"dots l%d\" d=\"", curve->colour);
    for (int k = 0; k < curve->count; k++) {
        double at[2];
        if (!perp_plot_place(&sheet->plot, curve->x[k], curve->y[k], at))
            continue;
        size_t cell = (size_t)at[1] * (size_t)figure->width + (size_t)at[0];
        if (cell >= room || taken[cell])
            continue;
        taken[cell] = 1;
        write_point(&sheet->text, 'M', at);
        perp_text_add(&sheet->text, "h0");
    }
    perp_text_add(&sheet->text, "\"/>\n");
    perp_free(&sheet->context->allocator, taken);
    return PERP_OK;
}

// Along the upper edge and back along the lower one.
static void write_area(PerpSheet *sheet, const PerpCurve *curve)
{
    PerpPath *path = &sheet->path;
    perp_path_trace(path, &sheet->plot, curve, curve->y, FLATNESS);
    if (path->count == 0)
        return;
    perp_text_print(&sheet->text, "<path class=\"area f%d\" d=\"", curve->colour);
    for (int k = 0; k < path->count; k++)
        write_point(&sheet->text, k == 0 ? 'M' : k == 1 ? 'L' : ' ', path->points[k].at);
    perp_path_trace(path, &sheet->plot, curve, curve->lower, FLATNESS);
    for (int k = path->count - 1; k >= 0; k--)
        write_point(&sheet->text, 'L', path->points[k].at);
    perp_text_add(&sheet->text, "Z\"/>\n");
}

static PerpStatus write_curve(PerpSheet *sheet, const PerpCurve *curve, PerpError *error)
{
    if (curve->count == 0)
        return PERP_OK;
    if (curve->lower)
        write_area(sheet, curve);
    if (curve->mark != PERP_MARK_POINTS) {
        perp_path_trace(&sheet->path, &sheet->plot, curve, curve->y, FLATNESS);
        if (sheet->path.count > 0)
            write_line(sheet, curve, curve->lower ? "edge" : "line");
    }
    bool dots = curve->mark == PERP_MARK_POINTS || curve->mark == PERP_MARK_BOTH;
    return dots ? write_dots(sheet, curve, error) : PERP_OK;
}

// Areas lie below everything else.
PerpStatus perp_svg_curves(PerpSheet *sheet, PerpError *error)
{
    const PerpAxis *x = &sheet->plot.x, *y = &sheet->plot.y;
    PerpStatus status = PERP_OK;
    PerpDigits left = perp_hundredths(x->from - 3), top = perp_hundredths(y->to - 3);
    PerpDigits width = perp_hundredths(x->to - x->from + 6);
    PerpDigits height = perp_hundredths(y->from - y->to + 6);
    // an inner drawing cuts off what leaves it, without an id that could be taken elsewhere
    perp_text_print(&sheet->text,
                    "<svg x=\"%s\" y=\"%s\" width=\"%s\" height=\"%s\" "
                    "viewBox=\"%s %s %s %s\">\n",
                    left.text, top.text, width.text, height.text, left.text, top.text, width.text,
                    height.text);
    for (int pass = 0; pass < 2; pass++)
        for (int k = 0; !status && k < sheet->plot.n_curves; k++)
            if ((sheet->plot.curves[k].lower != NULL) == (pass == 0))
                status = write_curve(sheet, &sheet->plot.curves[k], error);
    perp_text_add(&sheet->text, "</svg>\n");
    return status;
}

// --- legend -------------------------------------------------------------------------------------

static void write_sample(PerpText *text, const PerpCurve *curve, double left, double middle)
{
    PerpDigits x = perp_hundredths(left), y = perp_hundredths(middle);
    if (curve->mark == PERP_MARK_AREA)
        perp_text_print(
            text, "<rect class=\"area f%d\" x=\"%s\" y=\"%s\" width=\"%d\" height=\"10\"/>\n",
            curve->colour, x.text, perp_hundredths(middle - 5).text, PERP_LEGEND_SAMPLE);
    if (curve->mark == PERP_MARK_LINE || curve->mark == PERP_MARK_BOTH) {
        perp_text_print(text, "<path class=\"line l%d\"", curve->colour);
        if (curve->dash)
            perp_text_print(text, " stroke-dasharray=\"%s\"", dashes[curve->dash]);
        perp_text_print(text, " d=\"M%s %sh%d\"/>\n", x.text, y.text, PERP_LEGEND_SAMPLE);
    }
    if (curve->mark == PERP_MARK_POINTS || curve->mark == PERP_MARK_BOTH)
        perp_text_print(text, "<path class=\"dots l%d\" d=\"M%s %sh0\"/>\n", curve->colour,
                        perp_hundredths(left + PERP_LEGEND_SAMPLE / 2.0).text, y.text);
}

void perp_svg_legend(PerpSheet *sheet)
{
    const PerpLegend *legend = &sheet->legend;
    PerpText *text = &sheet->text;
    double left = legend->left + PERP_LEGEND_PADDING;
    double middle = legend->top + PERP_LEGEND_PADDING + PERP_LEGEND_ROW / 2.0;
    double words = left + PERP_LEGEND_SAMPLE + PERP_LEGEND_GAP;
    if (legend->rows == 0)
        return;
    if (!legend->beside)
        perp_text_print(text,
                        "<rect class=\"box\" x=\"%s\" y=\"%s\" width=\"%s\" height=\"%s\"/>\n",
                        perp_hundredths(legend->left).text, perp_hundredths(legend->top).text,
                        perp_hundredths(legend->width).text, perp_hundredths(legend->height).text);
    for (int k = 0; k < legend->rows; k++, middle += PERP_LEGEND_ROW) {
        const PerpCurve *curve = &sheet->plot.curves[legend->order[k]];
        write_sample(text, curve, left, middle);
        perp_svg_words(text, words, middle + 4, PERP_LEGEND_FONT, "", curve->name);
    }
    if (legend->left_out > 0)
        perp_text_print(text, "<text x=\"%s\" y=\"%s\" font-size=\"%d\">and %d more</text>\n",
                        perp_hundredths(words).text, perp_hundredths(middle + 4).text,
                        PERP_LEGEND_FONT, legend->left_out);
}
