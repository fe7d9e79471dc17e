// Figures to a file, to standard output or to the terminal.
#define _POSIX_C_SOURCE 200809L

#include "plot/curves.h"

#include "common/terminal.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// --- from panels to figures ---------------------------------------------------------------------

static PerpSeries *make_series(const PlotPanel *panel)
{
    PerpSeries *series = calloc((size_t)panel->n_curves + 1, sizeof *series);
    bool several = panel->n_curves > 1;
    for (int k = 0; series && k < panel->n_curves; k++) {
        const PlotCurve *curve = &panel->curves[k];
        series[k] = (PerpSeries){.name = several ? curve->name : NULL,
                                 .count = curve->count,
                                 .x = curve->x,
                                 .y = curve->y,
                                 .mark = curve->mark,
                                 .dashed = curve->dashed,
                                 .colour = curve->colour};
    }
    return series;
}

static PerpFigure make_figure(const Plot *plot, int index, const PlotStyle *style,
                              const PerpSeries *series)
{
    const PlotPanel *panel = &plot->panels[index];
    PerpFigure figure = perp_default_figure();
    bool log = style->log || panel->log;
    figure.title = index == 0 ? style->title : NULL;
    figure.x_label = panel->x_label;
    figure.y_label = panel->y_label;
    figure.log_y = log;
    figure.equal = (style->equal || panel->equal) && !log;
    figure.width = style->width > 0 ? style->width : figure.width;
    figure.height = style->height > 0 ? style->height : figure.height;
    figure.left = style->left;
    figure.n_series = panel->n_curves;
    figure.series = series;
    return figure;
}

typedef PerpStatus (*Draw)(const PerpFigure *figure, void *out, PerpError *error);

static PerpStatus draw_svg(const PerpFigure *figure, void *out, PerpError *error)
{
    char *text;
    PerpStatus status = perp_figure_svg(NULL, figure, &text, error);
    if (!status)
        fputs(text, out);
    perp_figure_free(NULL, text);
    return status;
}

static PerpStatus draw_terminal(const PerpFigure *figure, void *out, PerpError *error)
{
    char *text;
    PerpFigure coloured = *figure;
    Terminal terminal = terminal_of(out);
    coloured.coloured = terminal.coloured;
    int rows = terminal.rows - 3 < 30 ? terminal.rows - 3 : 30;
    PerpStatus status = perp_figure_braille(NULL, &coloured, terminal.columns - 1,
                                            rows > 10 ? rows : 10, &text, error);
    if (!status)
        fputs(text, out);
    perp_figure_free(NULL, text);
    return status;
}

// Raises the left edge that panels share.
static PerpStatus find_left(const PerpFigure *figure, void *shared, PerpError *error)
{
    double left, *largest = shared;
    PerpStatus status = perp_figure_left(NULL, figure, &left, error);
    *largest = fmax(*largest, left);
    return status;
}

static PerpStatus draw_panel(const Plot *plot, int index, const PlotStyle *style, Draw draw,
                             void *out, PerpError *error)
{
    PerpSeries *series = make_series(&plot->panels[index]);
    if (!series) {
        *error = (PerpError){.status = PERP_NO_MEMORY, .message = "out of memory"};
        return PERP_NO_MEMORY;
    }
    PerpFigure figure = make_figure(plot, index, style, series);
    PerpStatus status = draw(&figure, out, error);
    free(series);
    return status;
}

// Panels below each other, in one drawing.
static PerpStatus draw_panels(const Plot *plot, const PlotStyle *asked, FILE *out, PerpError *error)
{
    PerpFigure figure = make_figure(plot, 0, asked, NULL);
    PlotStyle style = *asked;
    bool several = plot->n_panels > 1;
    PerpStatus status = PERP_OK;
    for (int k = 0; !status && several && k < plot->n_panels; k++)
        status = draw_panel(plot, k, asked, find_left, &style.left, error);
    if (several)
        fprintf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\">\n",
                figure.width, figure.height * plot->n_panels);
    for (int k = 0; !status && k < plot->n_panels; k++) {
        if (several)
            fprintf(out, "<g transform=\"translate(0 %d)\">\n", k * figure.height);
        status = draw_panel(plot, k, &style, draw_svg, out, error);
        if (several)
            fputs("</g>\n", out);
    }
    if (several)
        fputs("</svg>\n", out);
    return status;
}

// --- where to -----------------------------------------------------------------------------------

static CliExit complain_of_file(const char *path)
{
    fprintf(stderr, "perp: %s: cannot be written: %s\n", path, strerror(errno));
    return CLI_BAD_INPUT;
}

static CliExit write_to(const char *path, const char *name, const Plot *plot,
                        const PlotStyle *style)
{
    PerpError error = {0};
    FILE *file = fopen(path, "wb");
    if (!file)
        return complain_of_file(name);
    PerpStatus status = draw_panels(plot, style, file, &error);
    bool bad = ferror(file) != 0;
    if ((fclose(file) != 0 || bad) && !status)
        return complain_of_file(name);
    return status ? cli_complain_of_error(&error) : CLI_OK;
}

// Under a temporary name first, so that nobody sees half a drawing; but a pipe or a device, which
// renaming would replace, is written to as it is.
static CliExit write_svg(const Plot *plot, const PlotStyle *style)
{
    char target[PERP_PATH_SIZE];
    const char *path = cli_follow_links(style->svg, target);
    if (!cli_may_overwrite(style->svg, "<svg", "a drawing"))
        return CLI_BAD_INPUT;
    if (!cli_may_replace(style->svg))
        return write_to(style->svg, style->svg, plot, style);
    size_t size = strlen(path) + 16;
    char *temporary = malloc(size);
    if (!temporary)
        return CLI_FAILED;
    snprintf(temporary, size, "%s.part", path);
    CliExit code = write_to(temporary, style->svg, plot, style);
    if (!code && rename(temporary, path) != 0)
        code = complain_of_file(style->svg);
    if (code)
        remove(temporary);
    free(temporary);
    return code;
}

CliExit plot_draw(const Plot *plot, const PlotStyle *style)
{
    PerpError error = {0};
    PerpStatus status = PERP_OK;
    CliExit code = style->svg ? write_svg(plot, style) : CLI_OK;
    if (style->terminal)
        for (int k = 0; !status && k < plot->n_panels; k++)
            status = draw_panel(plot, k, style, draw_terminal, stdout, &error);
    else if (!style->svg)
        status = draw_panels(plot, style, stdout, &error);
    return status ? cli_complain_of_error(&error) : code;
}
