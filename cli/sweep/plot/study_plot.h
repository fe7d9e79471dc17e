// Figures of a study: a dot a case, means, a heat map, a histogram, parallel coordinates.
#ifndef PERP_CLI_SWEEP_PLOT_STUDY_PLOT_H
#define PERP_CLI_SWEEP_PLOT_STUDY_PLOT_H

#include "common/cli.h"

#include "perp/study.h"

#include <stdio.h>

enum { STUDY_COLUMNS = 16 };

// A column of the table, of the cases that have a number in every column that is drawn.
typedef struct Column {
    char name[64];  // in the study
    char label[96]; // in the drawing
    double *values; // owned
    double low, high;
    bool log;               // on a logarithmic axis
    const PerpStudy *study; // of a parameter whose values are words; else NULL
    int parameter;
} Column;

// What is drawn: roles x, y, colour, ... of columns; -1: not asked for.
typedef struct StudyPlot {
    Column columns[STUDY_COLUMNS];
    int n_columns;
    long n; // cases
    int x, y, colour, mean, heat, histogram;
    int parallel[STUDY_COLUMNS], n_parallel;
    const char *title; // NULL: none
    int width, height; // px
    bool log_x, log_y;
    const char *log; // names of parallel axes that are logarithmic, with commas between; or NULL
} StudyPlot;

// perp plot DIR x=... y=...: others are what was typed, the folder first. svg NULL: to standard
// output; width 0: usual.
CliExit study_plot(const char *const *others, int n_others, const char *svg, const char *title,
                   int width, int height, bool log_y);

// Each draws all of the SVG.
void draw_dots(FILE *out, const StudyPlot *plot);
void draw_means(FILE *out, const StudyPlot *plot);
void draw_heat(FILE *out, const StudyPlot *plot);
void draw_histogram(FILE *out, const StudyPlot *plot);
void draw_parallel(FILE *out, const StudyPlot *plot);

// --- axes, shared by these -----------------------------------------------------------------------

typedef struct Scale {
    double low, high; // values
    double from, to;  // px
    bool log;
    const Column *words; // NULL: numbers
    bool whole;          // only whole numbers are ticks
} Scale;

Scale scale_of(double low, double high, double from, double to, bool log);
double scale_at(const Scale *scale, double value); // px
double scale_value(const Scale *scale, double px);
int scale_ticks(const Scale *scale, double ticks[32]);
const Column *words_of(const Column *column); // NULL: its values are numbers
// A value of a column: a number, or the word that stands for it; beside an axis.
void put_tick(FILE *out, const Scale *scale, double value);

typedef struct Frame {
    Scale x, y;
    double left, top, right, bottom; // px
} Frame;

// Opens the drawing and gives the room between the axes, beside which stand words of the column y
// and what explains the colours; NULL: numbers, no colours.
Frame frame_begin(FILE *out, const StudyPlot *plot, const Column *y, const Column *colour);
void frame_axes(FILE *out, const Frame *frame, const char *x_label, const char *y_label);
void frame_end(FILE *out);

// The colour of a value, as an attribute's text; what explains it at the right: a bar from low to
// high, or the words.
void put_colour_of(FILE *out, const Column *column, double value);
void frame_colours(FILE *out, const Frame *frame, const Column *column);
void frame_bar(FILE *out, const Frame *frame, const char *label, double low, double high);
void frame_legend(FILE *out, const Frame *frame, const Column *column, const double *levels, int n);

void put_colour(FILE *out, double part);       // "#rrggbb" of 0 .. 1
const char *palette_colour(int k);             // of a few kinds
void put_escaped(FILE *out, const char *text); // for XML

#endif
