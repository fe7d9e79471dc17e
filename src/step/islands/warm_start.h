// Where to start from when an island has other rows than in the last step: the impulses of those
// contacts that it had then.
#ifndef PERP_STEP_ISLANDS_WARM_START_H
#define PERP_STEP_ISLANDS_WARM_START_H

#include "step/islands/islands.h"
#include "step/scheme_tools.h"

// One number for each row of the island, those of the contacts' impulses times `share`. NULL if
// memory is short.
double *perp_warm_start(PerpArena *arena, const PerpReports *reports, double share,
                        const PerpAssembly *rows, const PerpIslands *islands, int island);

#endif
