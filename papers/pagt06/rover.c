#include "papers/pagt06/entries.h"
void pagt06_rover(Paper *paper)
{
    (void)paper;
}
