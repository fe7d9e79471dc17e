// Figures: series of points on axes, drawn as SVG for papers and as text for terminals.
#ifndef PERP_FIGURE_H
#define PERP_FIGURE_H

#include "perp/api.h"
#include "perp/context.h"
#include "perp/status.h"

#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

// How a series is drawn.
typedef enum PerpMark {
    PERP_MARK_LINE,   // points joined by lines, gaps where a value is not finite
    PERP_MARK_POINTS, //
    PERP_MARK_BOTH,   //
    PERP_MARK_AREA    // areas of a figure stand on top of each other, in order
} PerpMark;

// Borrowed for the time of a call.
typedef struct PerpSeries {
    const char *name;    // for the legend; NULL: none
    int count;           // points
    const double *x, *y; // count each
    PerpMark mark;       // default LINE
    bool dashed;         // for limits and references
    int colour;          // of the palette; default -1: the next one
} PerpSeries;

// A drawing: axes and the series on them. Borrowed for the time of a call.
typedef struct PerpFigure {
    size_t size;                   // set by perp_default_figure
    const char *title;             // NULL: none
    const char *x_label, *y_label; // with units, such as "time (s)"
    bool log_x, log_y;             // values that are not > 0 are left out
    bool equal;                    // the same scale along both axes
    int width, height;             // px of the SVG, default 640 x 400
    bool coloured;                 // braille with a terminal's colours, default: letters on curves
    int n_series;                  // how many
    const PerpSeries *series;      // drawn in this order
    size_t series_size;            // of an item, set by perp_default_figure
    double left; // px of the SVG: the frame begins there, or where labels end; default 0
} PerpFigure;

PERP_DEFAULTS(PerpSeries, series)

// The first `size` bytes of the defaults, for other languages.
PERP_API void perp_fill_figure(PerpFigure *figure, size_t size);
static inline PerpFigure perp_default_figure(void)
{
    PerpFigure figure;
    perp_fill_figure(&figure, sizeof figure);
    figure.series_size = sizeof *figure.series;
    return figure;
}

// The drawing as text, ended by '\0', to be freed with perp_figure_free. Same bits for the same
// figure.
PERP_API PerpStatus perp_figure_svg(const PerpContext *context, const PerpFigure *figure,
                                    char **text, PerpError *error);
// Where the frame of the SVG begins, px: the largest of several is the `left` that they share.
PERP_API PerpStatus perp_figure_left(const PerpContext *context, const PerpFigure *figure,
                                     double *left, PerpError *error);
// Braille, columns x rows characters; the legend below.
PERP_API PerpStatus perp_figure_braille(const PerpContext *context, const PerpFigure *figure,
                                        int columns, int rows, char **text, PerpError *error);
PERP_API void perp_figure_free(const PerpContext *context, char *text); // NULL is allowed

#ifdef __cplusplus
}
#endif
#endif
