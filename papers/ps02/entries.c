// The entries of PS02.
#include "papers/paper.h"

const PaperEntry papers_ps02[] = {{0}};
