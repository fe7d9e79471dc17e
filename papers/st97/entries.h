// The entries of ST97, one file each.
#ifndef PERP_PAPERS_ST97_ENTRIES_H
#define PERP_PAPERS_ST97_ENTRIES_H

#include "papers/paper.h"

void st97_rod(Paper *paper);      // rod.c: Figures 4, 5, 6
void st97_rod_1996(Paper *paper); // rod.c
void st97_cones(Paper *paper);    // cones.c: section 3.1
void st97_bounded(Paper *paper);  // bounded.c: section 4.1
void st97_balls(Paper *paper);    // balls.c: Figures 7, 8, Table 1
void st97_painleve(Paper *paper); // painleve.c: sections 1.4, 1.5

#endif
