// Figures as SVG: plain shapes, classes and one style sheet, which every viewer understands. Dark
// where the reader's screen is dark, light on paper.
#include "plot/svg.h"

#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

// Okabe and Ito's colours, which people who see few colours can tell apart; the order puts those
// that make good lines first. The dark ones are the same hues, lighter.
static const char *const light[PERP_PALETTE] = {"#0072b2", "#d55e00", "#009e73", "#cc79a7",
                                                "#e69f00", "#56b4e9", "#333333", "#b5a900"};
static const char *const dark[PERP_PALETTE] = {"#4aa8e8", "#f0803c", "#2fc598", "#dd99bf",
                                               "#f2b430", "#8accf2", "#dddddd", "#f0e442"};

// --- layout -------------------------------------------------------------------------------------

// As long as it looks without the sign for superscripts, whose digits are smaller.
static double label_width(const char *label)
{
    const char *power = strchr(label, '^');
    double width = perp_text_width(label, PERP_SVG_TICK_FONT);
    return power
               ? width - perp_text_width(power, PERP_SVG_TICK_FONT) * 0.3 - PERP_SVG_TICK_FONT * 0.4
               : width;
}

static double widest_label(const PerpTicks *ticks)
{
    double widest = 0;
    for (int k = 0; k < ticks->count; k++)
        widest = fmax(widest, label_width(ticks->tick[k].label));
    return widest;
}

static void place_frame(PerpSheet *sheet, double beside)
{
    PerpPlot *plot = &sheet->plot;
    const PerpFigure *figure = plot->figure;
    double top = figure->title ? PERP_SVG_EDGE + 26 : PERP_SVG_EDGE;
    plot->y.from = figure->height - PERP_SVG_EDGE - PERP_SVG_TICK - 16 - (figure->x_label ? 20 : 0);
    plot->y.to = top;
    perp_axis_ticks(&plot->y, (int)((plot->y.from - top) / 45), &sheet->y_ticks);
    if (sheet->y_ticks.note[0])
        plot->y.to += 16;
    plot->x.from = fmax(figure->left, PERP_SVG_EDGE + (figure->y_label ? 20 : 0) +
                                          widest_label(&sheet->y_ticks) + PERP_SVG_TICK + 5);
    plot->x.to = fmax(figure->width - PERP_SVG_EDGE - 8 - beside, plot->x.from + 20);
}

// The frame depends on the labels of y, these on the range, and with equal axes that on the frame.
static void lay_out(PerpSheet *sheet, double beside)
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

static PerpStatus place_legend(PerpSheet *sheet, PerpError *error)
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

// --- the whole ----------------------------------------------------------------------------------

static void write_head(PerpSheet *sheet)
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

static PerpStatus draw(PerpSheet *sheet, PerpError *error)
{
    PerpStatus status = place_legend(sheet, error);
    if (status)
        return status;
    write_head(sheet);
    perp_svg_grid(sheet);
    status = perp_svg_curves(sheet, error);
    perp_svg_axes(sheet);
    perp_svg_legend(sheet);
    perp_text_add(&sheet->text, "</svg>\n");
    bool failed = sheet->text.failed || sheet->path.failed;
    return !status && failed ? perp_fail(error, PERP_NO_MEMORY, "out of memory") : status;
}

PerpStatus perp_figure_svg(const PerpContext *context, const PerpFigure *figure, char **text,
                           PerpError *error)
{
    PerpContext usual = perp_default_context();
    context = context ? context : &usual;
    PerpSheet sheet = {.context = context,
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

PerpStatus perp_figure_left(const PerpContext *context, const PerpFigure *figure, double *left,
                            PerpError *error)
{
    PerpContext usual = perp_default_context();
    context = context ? context : &usual;
    PerpSheet sheet = {.context = context};
    PerpStatus status = perp_plot_prepare(context, figure, &sheet.plot, error);
    if (!status)
        status = place_legend(&sheet, error);
    *left = status ? 0 : sheet.plot.x.from;
    perp_legend_free(context, &sheet.legend);
    perp_plot_free(context, &sheet.plot);
    return status;
}
