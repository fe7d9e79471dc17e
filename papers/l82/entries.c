// The entries of L82. The paper has no table and no figure: its examples are given in words, so
// that data are chosen here and closed forms stand where printed numbers would.
#include "papers/l82/l82.h"

const PaperEntry papers_l82[] = {
    {"l82-hinged-bar", "section 1: a bar hinged to the ceiling, and the floor", l82_hinged_bar},
    {"l82-ball-on-string", "section 1: a ball on a string, slack and taut", l82_ball_on_string},
    {"l82-building", "section 1: the collapse of a small building", l82_building},
    {"l82-rocks", "section 1: sliding rocks on a slope", l82_rocks},
    {"l82-edge", "section 2: gradients that jump, edges and corners", l82_edge},
    {"l82-impulse", "section 2: external impulses (2.10)-(2.11)", l82_impulse},
    {"l82-ratchet", "(2.1c): nonholonomic unilateral constraints", l82_ratchet},
    {"l82-accumulation", "section 4: bounces that accumulate", l82_accumulation},
    {"l82-table", "section 5: a table with four legs on a floor", l82_table},
    {"l82-degenerate", "section 5: derivatives decide about the active set", l82_degenerate},
    {"l82-quadratic", "section 6: quadratic programmes, Gauss' principle", l82_quadratic},
    {"l82-bounded", "(6.4)-(6.5): a motor and dry friction with bounds", l82_bounded},
    {0},
};
