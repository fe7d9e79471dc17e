// Random small piles, body by body from a seed.
#include "cones/small_pile.h"

#include "random.h"

#include <math.h>
#include <stdlib.h>

static void add_ground(PerpRandom *random, PerpWorld *w)
{
    perp_world_plane(w, 0, 0, 1);
    if (perp_random_coin(random)) {
        double tilt = perp_random_uniform(random, 0, 0.4);
        perp_world_plane(w, sin(tilt), 0, cos(tilt));
    }
}

static void add_walls(PerpWorld *w, double side)
{
    static const double normal[4][2] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}};
    for (int k = 0; k < 4; k++) {
        int shape = perp_world_plane(w, normal[k][0], normal[k][1], 0);
        for (int i = 0; i < 2; i++)
            w->shapes[shape].position[i] = -normal[k][i] * side / 2;
    }
}

// A capsule has the mass and the moments of a box about its size.
static int add_body(PerpRandom *random, PerpWorld *w, double ratio, const double at[3])
{
    double size = perp_random_uniform(random, 0.1, 0.3), half[3];
    double mass = 1000 * size * size * size * perp_random_log_uniform(random, 1, ratio);
    int kind = perp_random_int(random, 0, 2);
    for (int i = 0; i < 3; i++)
        half[i] = size * perp_random_uniform(random, 0.4, 1);
    if (kind == 0)
        return perp_world_sphere(w, mass, 0.7 * size, at[0], at[1], at[2]);
    int body = perp_world_box(w, mass, half, at[0], at[1], at[2]);
    if (kind == 2) {
        PerpShapeDef *shape = &w->shapes[w->def.n_shapes - 1];
        shape->kind = PERP_SHAPE_CAPSULE;
        shape->size[0] = 0.5 * size;
        shape->size[1] = 0.6 * size;
    }
    return body;
}

static void set_moving(PerpRandom *random, PerpBodyDef *body)
{
    double squares = 0;
    for (int i = 0; i < 4; i++) {
        body->rotation[i] = perp_random_normal(random);
        squares += body->rotation[i] * body->rotation[i];
    }
    for (int i = 0; i < 4; i++)
        body->rotation[i] /= sqrt(squares);
    for (int i = 0; i < 3; i++) {
        body->velocity[i] = perp_random_normal(random);
        body->spin[i] = 2 * perp_random_normal(random);
    }
}

PerpWorld *bench_small_pile_create(int seed)
{
    PerpRandom random = perp_random((uint64_t)seed);
    PerpWorld *w = malloc(sizeof *w);
    if (!w)
        return NULL;
    perp_world_init(w);
    int bodies = perp_random_int(&random, 3, 18);
    bool walls = perp_random_coin(&random), heavy = perp_random_coin(&random);
    double ratio = heavy ? perp_random_log_uniform(&random, 2, 1000) : 1;
    double wide =
        walls ? perp_random_uniform(&random, 0.5, 0.9) : perp_random_uniform(&random, 0.3, 1.2);
    w->materials[0].mu = perp_random_uniform(&random, 0.1, 1);
    w->settings.facets = 0;
    w->settings.overlap = PERP_OVERLAP_ALLOW;
    w->settings.tolerance = 1e-8;
    w->settings.step = perp_random_coin(&random) ? 0.005 : 0.01;
    add_ground(&random, w);
    if (walls)
        add_walls(w, wide + 0.5);
    for (int k = 0; k < bodies; k++) {
        const double at[3] = {perp_random_uniform(&random, -wide, wide) / 2,
                              perp_random_uniform(&random, -wide, wide) / 2,
                              0.8 + 0.45 * k * perp_random_uniform(&random, 0.4, 1)};
        set_moving(&random, &w->bodies[add_body(&random, w, ratio, at)]);
    }
    return w;
}

void bench_small_pile_destroy(PerpWorld *pile)
{
    if (pile)
        perp_world_end(pile);
    free(pile);
}
