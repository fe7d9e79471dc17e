// The entries of PAGT06, one file each.
#ifndef PERP_PAPERS_PAGT06_ENTRIES_H
#define PERP_PAPERS_PAGT06_ENTRIES_H

#include "papers/paper.h"

void pagt06_order(Paper *paper);
void pagt06_table_10_1(Paper *paper);
void pagt06_figure_2(Paper *paper);
void pagt06_figure_4(Paper *paper);
void pagt06_figure_5(Paper *paper);
void pagt06_rover(Paper *paper);
void pagt06_pawl(Paper *paper);

#endif
