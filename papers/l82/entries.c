// The entries of L82.
#include "papers/paper.h"

const PaperEntry papers_l82[] = {{0}};
