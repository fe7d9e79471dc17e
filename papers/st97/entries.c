// The list of ST97's entries.
#include "papers/st97/entries.h"

const PaperEntry papers_st97[] = {
    {"st97-rod", "a falling, spinning rod for several h: Figures 4, 5, 6", st97_rod},
    {"st97-rod-1996", "the same with the data of the article of 1996", st97_rod_1996},
    {"st97-balls", "four balls, errors of order h: Figures 7, 8, Table 1", st97_balls},
    {"st97-painleve", "the rod of 1.4 and 1.5: no, two and three solutions", st97_painleve},
    {"st97-cones", "section 3.1: octagon, anisotropic friction, soft finger", st97_cones},
    {"st97-bounded", "section 4.1: bounds of the kinetic energy", st97_bounded},
    {0},
};
