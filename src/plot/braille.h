// A drawing of characters: cells of dots, then everything written around them.
#ifndef PERP_PLOT_BRAILLE_H
#define PERP_PLOT_BRAILLE_H

#include "plot/path.h"
#include "plot/words.h"

enum { PERP_LETTERS = 26 };

typedef struct PerpBrailleCell {
    unsigned char dots; // bits of the Braille patterns of Unicode
    signed char colour; // -1: none
    char letter;        // instead of dots, 0: none
} PerpBrailleCell;

typedef struct PerpCanvas {
    const PerpContext *context;
    PerpPlot plot; // places are dots: x from 0, y from 0 at the top
    int columns, rows, margin;
    PerpBrailleCell *cells; // owned
    PerpTicks x_ticks, y_ticks;
    PerpPath path;
    PerpText text;
} PerpCanvas;

int perp_label_columns(const char *label); // characters of a tick's label
void perp_braille_write(PerpCanvas *canvas, const int *order, int names); // all of the text

#endif
