// Panels and curves of perp plot, for the files that know what quantities mean.
#ifndef PERP_CLI_PLOT_PANELS_H
#define PERP_CLI_PLOT_PANELS_H

#include "plot/curves.h"

enum { PLOT_LONG_NAME = 2 * PLOT_NAME + 8 };

bool plot_no_memory(PerpError *error); // false
// The panel of a kind, a new one if there is none; NULL if memory is short.
PlotPanel *plot_panel(Plot *plot, const char *kind);
void plot_label(char label[PLOT_NAME], const char *what, const char *unit);
// Takes y over, and x if it is given; the usual x is the time. NULL if memory is short.
PlotCurve *plot_curve(PlotPanel *panel, const PlotRun *run, double *x, double *y, const char *name);
// With several runs, a legend says which one a curve is of.
const char *plot_curve_name(const Plot *plot, const PlotRun *run, const char *name,
                            char room[PLOT_LONG_NAME]);
double plot_largest(const double *values, long count); // by size

// Of the index-th run. False and no error: not recorded.
bool plot_add_energy(Plot *plot, int index, PerpError *error);
bool plot_add_residuals(Plot *plot, int index, PerpError *error);
bool plot_add_contacts(Plot *plot, int index, PerpError *error);

#endif
