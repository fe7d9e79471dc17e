// The entries of ST97.
#include "papers/paper.h"

const PaperEntry papers_st97[] = {{0}};
