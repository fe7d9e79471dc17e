// The list of PAGT06's entries.
#include "papers/pagt06/entries.h"

const PaperEntry papers_pagt06[] = {
    {"pagt06-order", "sections 2 and 3: trapezoidal steps and their orders", pagt06_order},
    {"pagt06-table-10.1", "errors of a double pendulum before a wall, order 2", pagt06_table_10_1},
    {"pagt06-figure-2", "the double pendulum's positions and energy", pagt06_figure_2},
    {"pagt06-figure-4", "two carts and a damper that becomes a rigid link", pagt06_figure_4},
    {"pagt06-figure-5", "two carts and a spring that becomes a rigid link", pagt06_figure_5},
    {"pagt06-rover", "section 10.3: a rover with an arm on rough terrain", pagt06_rover},
    {"pagt06-pawl", "section 10.3: a pawl pushed into a hole over a cantilever", pagt06_pawl},
    {0},
};
