// Figures of a study: a dot a case, means, a heat map, a histogram, parallel coordinates.
#ifndef PERP_CLI_SWEEP_PLOT_STUDY_PLOT_H
#define PERP_CLI_SWEEP_PLOT_STUDY_PLOT_H

#include "common/cli.h"

#include "perp/study.h"

#include <stdio.h>

enum { STUDY_COLUMNS = 16 };

// A column of the table, of the cases that have a number in every column that is drawn.
typedef struct Column {
    char name[64];
    double *values; // owned
    double low, high;
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
} Scale;

Scale scale_of(double low, double high, double from, double to, bool log);
double scale_at(const Scale *scale, double value); // px
int scale_ticks(const Scale *scale, double ticks[32]);
const Column *words_of(const Column *column); // NULL: its values are numbers
// A value of a column: a number, or the word that stands for it.
void put_value(FILE *out, const Column *words, double value);

typedef struct Frame {
    Scale x, y;
    double left, top, right, bottom; // px
} Frame;

// Opens the drawing and gives the room between the axes; bar: with a scale of colours.
Frame frame_begin(FILE *out, const StudyPlot *plot, bool bar);
void frame_axes(FILE *out, const Frame *frame, const char *x_name, const char *y_name);
void frame_bar(FILE *out, const Frame *frame, const Column *column);
void frame_end(FILE *out);

void put_colour(FILE *out, double part);       // "#rrggbb" of 0 .. 1
const char *palette_colour(int k);             // of a few kinds
void put_escaped(FILE *out, const char *text); // for XML

#endif
