// Stacks of boxes that must stand.
#ifndef PERP_TEST_STACKS_H
#define PERP_TEST_STACKS_H

#include "../stepping.h"

static const double UNIT[3] = {0.5, 0.5, 0.5};

static inline void place_stack(PerpWorld *w, int scheme, int boxes)
{
    perp_world_init(w);
    choose(w, scheme, 1e-2);
    perp_world_plane(w, 0, 0, 1);
    for (int k = 0; k < boxes; k++)
        perp_world_box(w, 1, UNIT, 0, 0, 0.5 + k);
}

// Steps, and then no body has moved by more than `creep`; 0: not a bit.
static inline void assert_stands(PerpWorld *w, int steps, double creep)
{
    start(w);
    for (int k = 0; k < steps; k++) {
        step(w, 0);
        assert_below(perp_simulation_report(w->simulation)->penetration, 1e-9);
    }
    for (int b = 0; b < w->def.n_bodies; b++) {
        assert_below(distance(position(w, b), perp_vec3_load(w->bodies[b].position)), creep);
        assert_below(perp_vec3_norm(velocity(w, b)) + perp_vec3_norm(spin_of(w, b)), creep);
    }
    perp_world_end(w);
}

static inline double creep_of(int scheme)
{
    return scheme == DEFAULT_SCHEME ? 0 : 1e-10;
}

#endif
