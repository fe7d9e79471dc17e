// Random frictional scenes.
#include "generate.h"
#include "scene.h"

#include <stdlib.h>

PerpSceneOptions perp_default_scene_options(void)
{
    return (PerpSceneOptions){.bodies = 4,
                              .contacts = 10,
                              .pair_share = 0.5,
                              .facets = 4,
                              .mu_min = 0.2,
                              .mu_max = 0.8,
                              .mass_ratio = 1.0,
                              .anisotropy = 1.0};
}

PerpSceneOptions perp_random_scene_options(PerpRandom *r, int max_contacts)
{
    PerpSceneOptions o = perp_default_scene_options();
    o.contacts = perp_random_int(r, 1, max_contacts);
    o.bodies = 1 + o.contacts / perp_random_int(r, 1, 6);
    o.pair_share = perp_random_uniform(r, 0.0, 1.0);
    o.facets = perp_random_int(r, 0, 7) == 0 ? 0 : perp_random_int(r, 2, 16);
    o.mu_min = perp_random_coin(r) ? 0.0 : 0.3;
    o.mu_max = perp_random_log_uniform(r, 0.3, 10.0);
    o.mass_ratio = perp_random_coin(r) ? 1.0 : perp_random_log_uniform(r, 1.0, 1e8);
    o.asymmetry = perp_random_coin(r) ? 0.0 : perp_random_uniform(r, 0.0, 0.3);
    o.anisotropy = perp_random_coin(r) ? 1.0 : perp_random_uniform(r, 0.2, 2.0);
    o.cohesion = perp_random_coin(r) ? 0.0 : perp_random_uniform(r, 0.0, 0.1);
    o.torsion = perp_random_coin(r) && perp_random_coin(r);
    o.rolling = perp_random_coin(r) && perp_random_coin(r);
    o.balls = perp_random_coin(r) ? 0 : perp_random_int(r, 0, 3);
    o.hinges = perp_random_coin(r) ? 0 : perp_random_int(r, 0, 3);
    o.redundant = perp_random_coin(r) ? 0 : perp_random_int(r, 0, 4);
    o.limits = perp_random_coin(r) ? 0 : perp_random_int(r, 0, 4);
    o.motors = perp_random_coin(r) ? 0 : perp_random_int(r, 0, 4);
    o.locks = perp_random_coin(r) ? 0 : perp_random_int(r, 0, 2);
    o.integer = perp_random_coin(r) && perp_random_coin(r);
    o.moving = perp_random_coin(r) && perp_random_coin(r);
    o.motion = (PerpSceneMotion)perp_random_int(r, PERP_SCENE_REST, PERP_SCENE_IMPACTING);
    return o;
}

PerpSample *perp_sample_scene(uint64_t seed, const PerpSceneOptions *o)
{
    Scene c = {perp_random(seed), o, perp_sample_create(), NULL, NULL};
    c.centre = calloc((size_t)o->bodies * 9, sizeof(double));
    if (!c.centre)
        abort();
    c.v_s = c.centre + 3 * o->bodies;
    for (int k = 0; k < o->bodies; k++)
        perp_scene_add_body(&c, k);
    perp_scene_add_joints(&c);
    for (int k = 0; k < o->limits; k++)
        perp_scene_add_limit(&c, k);
    for (int k = 0; k < o->motors + o->locks; k++)
        perp_scene_add_motor(&c, k >= o->motors);
    for (int k = 0; k < o->contacts; k++)
        perp_scene_add_contact(&c);
    free(c.centre);
    return c.sample;
}
