#include "papers/pagt06/entries.h"
void pagt06_pawl(Paper *paper)
{
    (void)paper;
}
