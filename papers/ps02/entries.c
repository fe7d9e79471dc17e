// The list of PS02's entries.
#include "papers/ps02/entries.h"

const PaperEntry papers_ps02[] = {
    {"ps02-ball", "the bouncing ball in closed form, e = 0 .. 1", ps02_ball},
    {"ps02-corner", "corners with and without the angle condition", ps02_corner},
    {"ps02-estimate", "the estimates of the discrete velocities, e = 0 .. 1", ps02_estimate},
    {"ps02-first-step", "the free choice of z(h) in the first step", ps02_first_step},
    {"ps02-lemma-3", "lemma 3 inside and outside a disc", ps02_lemma_3},
    {"ps02-metric", "M(q): lemma 2 and the impact law in oblique coordinates", ps02_metric},
    {"ps02-nonconvex", "K outside two discs: the nearest point", ps02_nonconvex},
    {0},
};
