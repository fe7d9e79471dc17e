// The parts of an SVG drawing, in the order in which they are written.
#ifndef PERP_PLOT_SVG_H
#define PERP_PLOT_SVG_H

#include "plot/legend.h"
#include "plot/words.h"

enum { PERP_SVG_FONT = 12, PERP_SVG_TICK_FONT = 11, PERP_SVG_TICK = 4, PERP_SVG_EDGE = 10 }; // px

typedef struct PerpSheet {
    const PerpContext *context;
    PerpPlot plot; // the frame is where its axes are
    PerpTicks x_ticks, y_ticks;
    PerpLegend legend;
    PerpPath path; // scratch
    PerpText text;
} PerpSheet;

void perp_svg_grid(PerpSheet *sheet);
PerpStatus perp_svg_curves(PerpSheet *sheet, PerpError *error);
void perp_svg_axes(PerpSheet *sheet); // with ticks, labels and names
void perp_svg_legend(PerpSheet *sheet);

// Escaped; more: further attributes.
void perp_svg_words(PerpText *text, double x, double y, int size, const char *more,
                    const char *words);

#endif
