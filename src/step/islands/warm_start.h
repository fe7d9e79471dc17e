// Warm starts of islands that have other rows than in the last step: the impulses of those contacts
// that they had then.
#ifndef PERP_STEP_ISLANDS_WARM_START_H
#define PERP_STEP_ISLANDS_WARM_START_H

#include "step/islands/islands.h"
#include "step/scheme_tools.h"

// One number for each row of the island, those of the contacts' impulses times `impulse_scale`.
// NULL if memory is short.
double *perp_warm_start(PerpArena *arena, const PerpReports *reports, double impulse_scale,
                        const PerpAssembly *rows, const PerpIslands *islands, int island);

#endif
