// Schemes: one table of functions each, chosen by name. A new one is one file and one line here.
#ifndef PERP_STEP_SCHEMES_SCHEME_H
#define PERP_STEP_SCHEMES_SCHEME_H

#include "perp/simulation.h"

typedef struct PerpScheme {
    const char *name, *text;
    int facets;            // of friction polygons, unless settings say, or PERP_FACETS_CIRCULAR
    bool explicit_turn;    // bodies turn by the spin before the step, not by the mean
    bool link_rows;        // springs and dampers are rows of its problem (rows/link_rows.h)
    bool takes_soft;       // contacts, limits with compliance; armatures
    bool shortest_at_rest; // the impulses of an island at rest are the shortest that hold
    bool explicit_springs; // its step is limited by the fastest mode of springs and dampers
    bool sequential;       // impacts, unless settings say
    bool notes_bounces;    // that are early or lost, for the verdict of the run
    PerpStatus (*step)(PerpSimulation *sim, double h, PerpError *error);
} PerpScheme;

extern const PerpScheme perp_scheme_default, perp_scheme_anitescu_potra,
    perp_scheme_stewart_trinkle, perp_scheme_paoli_schatzman, perp_scheme_lotstedt,
    perp_scheme_trapezoidal, perp_scheme_trapezoidal_damped;

const PerpScheme *perp_scheme_find(const char *name); // NULL: there is none

#endif
