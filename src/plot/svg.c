// Figures as SVG: plain shapes, classes and one style sheet, which every viewer understands. Dark
// where the reader's screen is dark, light on paper.
#include "base/error.h"
#include "base/memory.h"
#include "plot/legend.h"
#include "plot/text.h"

#include <math.h>
#include <string.h>

enum { FONT = 12, TICK_FONT = 11, TICK = 4, EDGE = 10 }; // px
static const double FLATNESS = 0.04;                     // px by which a path may miss its points

// Okabe and Ito's colours, which people who see few colours can tell apart; the order puts those
// that make good lines first. The dark ones are the same hues, lighter.
static const char *const light[PERP_PALETTE] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                "#e69f00", "#56b4e9", "#333333", "#b5a900"};
static const char *const dark[PERP_PALETTE] = {"#4aa8e8", "#f0803c", "#2fc598", "#dd99bf",
                                               "#f2b430", "#8accf2", "#dddddd", "#f0e442"};
static const char *const dashes[4] = {"", "6 3", "2 2.5", "8 3 2 3"};

typedef struct Sheet {
    const PerpContext *context;
    PerpPlot plot; // the frame is where its axes are
    PerpTicks x_ticks, y_ticks;
    PerpLegend legend;
    PerpPath path; // scratch
    PerpText text;
} Sheet;

// --- layout -------------------------------------------------------------------------------------

// As long as it looks without the sign for superscripts, whose digits are smaller.
static double label_width(const char *label)
{
    const char *power = strchr(label, '^');
    double width = perp_text_width(label, TICK_FONT);
    return power ? width - perp_text_width(power, TICK_FONT) * 0.3 - TICK_FONT * 0.4 : width;
}

static double widest_label(const PerpTicks *ticks)
{
    double widest = 0;
    for (int k = 0; k < ticks->count; k++)
        widest = fmax(widest, label_width(ticks->tick[k].label));
    return widest;
}

static void place_frame(Sheet *sheet, double beside)
{
    PerpPlot *plot = &sheet->plot;
    const PerpFigure *figure = plot->figure;
    double top = figure->title ? EDGE + 26 : EDGE;
    plot->y.from = figure->height - EDGE - TICK - 16 - (figure->x_label ? 20 : 0);
    plot->y.to = top;
    perp_axis_ticks(&plot->y, (int)((plot->y.from - top) / 45), &sheet->y_ticks);
    if (sheet->y_ticks.note[0])
        plot->y.to += 16;
    plot->x.from = EDGE + (figure->y_label ? 20 : 0) + widest_label(&sheet->y_ticks) + TICK + 5;
    plot->x.to = fmax(figure->width - EDGE - 8 - beside, plot->x.from + 20);
}

// The frame depends on the labels of y, these on the range, and with equal axes that on the frame.
static void lay_out(Sheet *sheet, double beside)
{
    PerpPlot *plot = &sheet->plot;
    PerpAxis x = plot->x, y = plot->y;
    place_frame(sheet, beside);
    for (int pass = 0; plot->figure->equal && pass < 2; pass++) {
        plot->x.low = x.low, plot->x.high = x.high;
        plot->y.low = y.low, plot->y.high = y.high;
        perp_plot_equalise(plot);
        place_frame(sheet, beside);
    }
    perp_axis_ticks(&plot->x, (int)((plot->x.to - plot->x.from) / 75), &sheet->x_ticks);
}

static PerpStatus place_legend(Sheet *sheet, PerpError *error)
{
    PerpAxis x = sheet->plot.x, y = sheet->plot.y;
    PerpLegend *legend = &sheet->legend;
    lay_out(sheet, 0);
    PerpStatus status = perp_legend_measure(sheet->context, &sheet->plot,
                                            sheet->plot.y.from - sheet->plot.y.to, legend, error);
    if (status || legend->rows == 0 || perp_legend_fit(sheet->context, &sheet->plot, legend))
        return status;
    sheet->plot.x = x;
    sheet->plot.y = y;
    lay_out(sheet, legend->width);
    legend->beside = true;
    legend->left = sheet->plot.x.to + 8;
    legend->top = sheet->plot.y.to - PERP_LEGEND_PADDING;
    return PERP_OK;
}

// --- style --------------------------------------------------------------------------------------

static void write_colours(PerpText *text, const char *const *colours)
{
    for (int k = 0; k < PERP_PALETTE; k++)
        perp_text_print(text, ".l%d{stroke:%s}.f%d{fill:%s}", k, colours[k], k, colours[k]);
}

static void write_style(PerpText *text)
{
    perp_text_add(text, "<style>\n"
                        "text{font-family:Helvetica,Arial,'Liberation Sans',sans-serif;fill:#222}"
                        ".page{fill:#fff}.box{fill:#fff;fill-opacity:.85}"
                        ".axis{stroke:#444;stroke-width:.8;fill:none}"
                        ".grid{stroke:#e4e4e4;stroke-width:.6;fill:none}\n"
                        ".line{fill:none;stroke-width:1.4;stroke-linejoin:round;"
                        "stroke-linecap:butt}"
                        ".dots{fill:none;stroke-width:4;stroke-linecap:round}"
                        ".edge{fill:none;stroke-width:.8;stroke-linejoin:round}"
                        ".area{fill-opacity:.6}\n");
    write_colours(text, light);
    perp_text_add(text, "\n@media screen and (prefers-color-scheme:dark){"
                        "text{fill:#ddd}.page{fill:#16181c}.box{fill:#16181c}"
                        ".axis{stroke:#aaa}.grid{stroke:#30343a}\n");
    write_colours(text, dark);
    perp_text_add(text, "}\n</style>\n");
}

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

static void write_words(PerpText *text, double x, double y, int size, const char *more,
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
                    perp_hundredths(x).text, perp_hundredths(y).text, TICK_FONT, anchor);
    write_label(text, label);
    perp_text_add(text, "</text>\n");
}

// --- axes ---------------------------------------------------------------------------------------

static void write_stroke(PerpText *text, double x, double y, char direction, double length)
{
    perp_text_print(text, "M%s %s%c%s", perp_hundredths(x).text, perp_hundredths(y).text, direction,
                    perp_hundredths(length).text);
}

static void write_grid(Sheet *sheet)
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
    return tick->minor ? TICK * 0.55 : TICK;
}

static void write_axes(Sheet *sheet)
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

static void write_tick_labels(Sheet *sheet)
{
    const PerpAxis *x = &sheet->plot.x, *y = &sheet->plot.y;
    for (int k = 0; k < sheet->x_ticks.count; k++)
        if (!sheet->x_ticks.tick[k].minor)
            write_tick_label(&sheet->text, perp_axis_place(x, sheet->x_ticks.tick[k].at),
                             y->from + TICK + 13, "middle", sheet->x_ticks.tick[k].label);
    for (int k = 0; k < sheet->y_ticks.count; k++)
        if (!sheet->y_ticks.tick[k].minor)
            write_tick_label(&sheet->text, x->from - TICK - 4,
                             perp_axis_place(y, sheet->y_ticks.tick[k].at) + 4, "end",
                             sheet->y_ticks.tick[k].label);
    if (sheet->x_ticks.note[0])
        write_tick_label(&sheet->text, x->to, y->from + TICK + 27, "end", sheet->x_ticks.note);
    if (sheet->y_ticks.note[0])
        write_tick_label(&sheet->text, x->from - TICK, y->to - 7, "start", sheet->y_ticks.note);
}

static void write_names(Sheet *sheet)
{
    const PerpAxis *x = &sheet->plot.x, *y = &sheet->plot.y;
    const PerpFigure *figure = sheet->plot.figure;
    PerpText *text = &sheet->text;
    if (figure->title)
        write_words(text, x->from, EDGE + 13, FONT + 1, " font-weight=\"bold\"", figure->title);
    if (figure->x_label)
        write_words(text, (x->from + x->to) / 2, figure->height - EDGE, FONT,
                    " text-anchor=\"middle\"", figure->x_label);
    if (figure->y_label) {
        PerpDigits height = perp_hundredths((y->from + y->to) / 2);
        perp_text_print(text,
                        "<text transform=\"translate(%d %s) rotate(-90)\" font-size=\"%d\" "
                        "text-anchor=\"middle\">",
                        EDGE + FONT - 2, height.text, FONT);
        perp_text_escaped(text, figure->y_label);
        perp_text_add(text, "</text>\n");
    }
    if (sheet->plot.empty)
        write_words(text, (x->from + x->to) / 2, (y->from + y->to) / 2, FONT,
                    " text-anchor=\"middle\"", "no data");
}

// --- curves -------------------------------------------------------------------------------------

static void write_point(PerpText *text, char command, const double at[2])
{
    perp_text_print(text, "%c%s %s", command, perp_hundredths(at[0]).text,
                    perp_hundredths(at[1]).text);
}

static void write_line(Sheet *sheet, const PerpCurve *curve, const char *class)
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
static PerpStatus write_dots(Sheet *sheet, const PerpCurve *curve, PerpError *error)
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
static void write_area(Sheet *sheet, const PerpCurve *curve)
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

static PerpStatus write_curve(Sheet *sheet, const PerpCurve *curve, PerpError *error)
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
static PerpStatus write_curves(Sheet *sheet, PerpError *error)
{
    const PerpAxis *x = &sheet->plot.x, *y = &sheet->plot.y;
    PerpStatus status = PERP_OK;
    perp_text_print(&sheet->text,
                    "<clipPath id=\"frame\"><path d=\"M%s %sV%sH%sV%sZ\"/></clipPath>\n"
                    "<g clip-path=\"url(#frame)\">\n",
                    perp_hundredths(x->from - 3).text, perp_hundredths(y->to - 3).text,
                    perp_hundredths(y->from + 3).text, perp_hundredths(x->to + 3).text,
                    perp_hundredths(y->to - 3).text);
    for (int pass = 0; pass < 2; pass++)
        for (int k = 0; !status && k < sheet->plot.n_curves; k++)
            if ((sheet->plot.curves[k].lower != NULL) == (pass == 0))
                status = write_curve(sheet, &sheet->plot.curves[k], error);
    perp_text_add(&sheet->text, "</g>\n");
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

static void write_legend(Sheet *sheet)
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
        write_words(text, words, middle + 4, PERP_LEGEND_FONT, "", curve->name);
    }
    if (legend->left_out > 0)
        perp_text_print(text, "<text x=\"%s\" y=\"%s\" font-size=\"%d\">and %d more</text>\n",
                        perp_hundredths(words).text, perp_hundredths(middle + 4).text,
                        PERP_LEGEND_FONT, legend->left_out);
}

// --- the whole ----------------------------------------------------------------------------------

static void write_head(Sheet *sheet)
{
    const PerpFigure *figure = sheet->plot.figure;
    PerpText *text = &sheet->text;
    perp_text_print(text,
                    "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
                    "viewBox=\"0 0 %d %d\" role=\"img\">\n<title>",
                    figure->width, figure->height, figure->width, figure->height);
    perp_text_escaped(text, figure->title ? figure->title : figure->y_label ? figure->y_label : "");
    perp_text_add(text, "</title>\n");
    write_style(text);
    perp_text_add(text, "<rect class=\"page\" width=\"100%\" height=\"100%\"/>\n");
}

static PerpStatus draw(Sheet *sheet, PerpError *error)
{
    PerpStatus status = place_legend(sheet, error);
    if (status)
        return status;
    write_head(sheet);
    write_grid(sheet);
    status = write_curves(sheet, error);
    write_axes(sheet);
    write_tick_labels(sheet);
    write_names(sheet);
    write_legend(sheet);
    perp_text_add(&sheet->text, "</svg>\n");
    bool failed = sheet->text.failed || sheet->path.failed;
    return !status && failed ? perp_fail(error, PERP_NO_MEMORY, "out of memory") : status;
}

PerpStatus perp_figure_svg(const PerpContext *context, const PerpFigure *figure, char **text,
                           PerpError *error)
{
    PerpContext usual = perp_default_context();
    context = context ? context : &usual;
    Sheet sheet = {.context = context,
                   .path = {.allocator = &context->allocator},
                   .text = {.allocator = &context->allocator}};
    *text = NULL;
    PerpStatus status = perp_plot_prepare(context, figure, &sheet.plot, error);
    if (!status)
        status = draw(&sheet, error);
    if (status)
        perp_free(&context->allocator, sheet.text.data);
    else
        *text = sheet.text.data;
    perp_path_free(&sheet.path);
    perp_legend_free(context, &sheet.legend);
    perp_plot_free(context, &sheet.plot);
    return status;
}
