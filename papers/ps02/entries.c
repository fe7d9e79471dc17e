// The list of PS02's entries.
#include "papers/ps02/entries.h"

const PaperEntry papers_ps02[] = {
    {"ps02-ball", "the bouncing ball in closed form, e = 0 .. 1", ps02_ball},
    {"ps02-corner", "corners with and without the angle condition", ps02_corner},
    {"ps02-estimate", "the estimates of the discrete velocities, e = 0 .. 1", ps02_estimate},
    {0},
};
