// The entries of PAGT06.
#include "papers/paper.h"

const PaperEntry papers_pagt06[] = {{0}};
