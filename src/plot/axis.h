// An axis: from values to places on the paper, and its ticks.
#ifndef PERP_PLOT_AXIS_H
#define PERP_PLOT_AXIS_H

#include <stdbool.h>

// Coordinates along an axis are the values, or their decimal logarithms.
typedef struct PerpAxis {
    bool log;
    double low, high; // coordinates at the ends, low < high
    double from, to;  // places of the ends, in px or dots; to < from if the axis points up
} PerpAxis;

enum { PERP_MAX_TICKS = 128, PERP_TICK_LABEL = 64 };

typedef struct PerpTick {
    double at;                   // coordinate
    bool minor;                  // without a label
    char label[PERP_TICK_LABEL]; // '^' switches to superscript and back
} PerpTick;

typedef struct PerpTicks {
    int count;
    PerpTick tick[PERP_MAX_TICKS];
    char note[160]; // what all labels lack, such as "x10^-6" or "+1.25"; empty: nothing
} PerpTicks;

// False if the axis has no place for the value: not finite, absurdly large, or <= 0 on a log axis.
bool perp_axis_coordinate(const PerpAxis *axis, double value, double *coordinate);
double perp_axis_place(const PerpAxis *axis, double coordinate);

// Sets the ends from the least and the largest coordinate (low > high: there are none); a share of
// the length is left free at both ends. Log axes end at 1, 2 or 5 times a power of ten.
void perp_axis_fit(PerpAxis *axis, double low, double high, double share);

// Steps of 1, 2 or 5 times a power of ten, about `wanted` of them; on log axes decades.
void perp_axis_ticks(const PerpAxis *axis, int wanted, PerpTicks *ticks);

#endif
