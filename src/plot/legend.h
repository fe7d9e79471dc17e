// Where the legend of a figure goes: into the corner where it hides least, or beside the frame.
#ifndef PERP_PLOT_LEGEND_H
#define PERP_PLOT_LEGEND_H

#include "plot/path.h"

// px
enum {
    PERP_LEGEND_FONT = 11,
    PERP_LEGEND_ROW = 16,
    PERP_LEGEND_PADDING = 7,
    PERP_LEGEND_SAMPLE = 22, // length of the piece of line
    PERP_LEGEND_GAP = 7      // between it and the name
};

typedef struct PerpLegend {
    int rows;     // names shown
    int left_out; // names for which there is no room
    int *order;   // owned: curves, see perp_plot_legend_order
    double width, height;
    double left, top; // place; beside: the left is beyond the frame
    bool beside;
} PerpLegend;

// Size from the names, with `room` px of height.
PerpStatus perp_legend_measure(const PerpContext *context, const PerpPlot *plot, double room,
                               PerpLegend *legend, PerpError *error);
// Chooses a place inside the frame given by the plot's axes; false if it would hide too much.
bool perp_legend_fit(const PerpContext *context, const PerpPlot *plot, PerpLegend *legend);
void perp_legend_free(const PerpContext *context, PerpLegend *legend);

#endif
