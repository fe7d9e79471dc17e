// perp plot: from recordings and names of quantities to figures.
#ifndef PERP_CLI_PLOT_CURVES_H
#define PERP_CLI_PLOT_CURVES_H

#include "common/support.h"

#include "perp/figure.h"
#include "perp/recording.h"

enum { PLOT_NAME = 160 };

// A recording that is drawn.
typedef struct PlotRun {
    const char *path;
    PerpRecording *recording; // owned
    const PerpRecordingInfo *info;
    char stem[PLOT_NAME]; // of the path, for legends
    long first, frames;   // the chosen ones
    double *time;         // owned, s
} PlotRun;

// A number at every chosen frame.
typedef struct PlotColumn {
    double *values;       // owned
    char name[PLOT_NAME]; // as it was typed
    const char *what;     // "velocity"
    const char *unit;     // "m/s", "" for counts
} PlotColumn;

typedef struct PlotCurve {
    double *x, *y; // owned
    int count;
    char name[2 * PLOT_NAME + 8];
    PerpMark mark;
    bool dashed;
    int colour; // -1: the next one
} PlotCurve;

// Axes with what is drawn on them.
typedef struct PlotPanel {
    char x_label[PLOT_NAME], y_label[PLOT_NAME];
    char kind[PLOT_NAME]; // curves of the same kind share a panel
    bool log, equal;
    PlotCurve *curves; // owned
    int n_curves;
} PlotPanel;

typedef struct Plot {
    PlotRun *runs;
    int n_runs;
    PlotPanel *panels; // owned
    int n_panels;
} Plot;

// --- columns.c ---
// t[2]: from and to, s.
PerpStatus plot_open(const char *path, const double t[2], PlotRun *run, PerpError *error);
void plot_close(PlotRun *run);
// Series of a recording, coordinates of bodies and joints. False and no error: no such name.
bool plot_column(PlotRun *run, const char *name, PlotColumn *column, PerpError *error);
// Sums and products of such, with blanks around the operators: 2 * ball.z - rod.x. As plot_column.
bool plot_arithmetic(PlotRun *run, const char *text, PlotColumn *column, PerpError *error);
void plot_list(const PlotRun *run);
// The nearest name that the recording holds; must be freed.
char *plot_suggestion(const PlotRun *run, const char *name);

// --- quantity.c ---
// Adds what a quantity means, of every run. False and no error: unknown to the run *bad.
bool plot_add(Plot *plot, const char *quantity, int *bad, PerpError *error);
void plot_free(Plot *plot);

// --- plot_force.c ---
// force:A, force:A,B or contact:ID: normal force and friction at every chosen frame, N. False and
// no error: it is none of these.
bool plot_force(PlotRun *run, const char *quantity, double **normal, double **friction,
                PerpError *error);
bool plot_is_force(const char *quantity);

// --- plot_output.c ---
typedef struct PlotStyle {
    const char *svg; // file; NULL: none
    const char *title;
    bool terminal, log, equal;
    int width, height; // px of a panel
    double left;       // px, the edge that panels share
} PlotStyle;

CliExit plot_draw(const Plot *plot, const PlotStyle *style);

#endif
