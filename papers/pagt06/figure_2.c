// Figure 2: the damper between the carts becomes a rigid link.
#include "papers/pagt06/carts.h"
#include "papers/pagt06/entries.h"

#include <math.h>

void pagt06_figure_2(Paper *paper)
{
    (void)paper;
}
