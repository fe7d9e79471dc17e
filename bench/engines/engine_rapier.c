// Rapier in single precision with its default settings, by the C functions of bench/engines/rapier.
// tools/setup bench builds them where cargo is at hand; without them there is no such engine.
#include "engines/engine.h"

#include "perp_rapier.h"

#include <string.h>

static void *create(const BenchEngine *engine, const BenchScene *scene, char message[BENCH_MESSAGE])
{
    PerpRapierWorld *w = perp_rapier_create(scene->dt);
    (void)engine;
    (void)message;
    for (int k = 0; k < scene->n_bodies; k++) {
        const BenchBody *b = &scene->bodies[k];
        perp_rapier_add_body(w, (int)b->kind, b->size, b->position, b->rotation, b->mass,
                             b->inertia, scene->mu, scene->touching);
    }
    for (int k = 0; k < scene->n_planes; k++)
        perp_rapier_add_plane(w, scene->planes[k].normal, scene->planes[k].offset, scene->mu);
    for (int k = 0; k < scene->n_joints; k++) {
        const BenchJoint *j = &scene->joints[k];
        perp_rapier_add_joint(w, j->a, j->b, j->a < 0 ? j->anchor : j->anchor_a, j->anchor_b);
    }
    return w;
}

static bool step(void *world, char message[BENCH_MESSAGE])
{
    (void)message;
    perp_rapier_step(world);
    return true;
}

static void poses(void *world, int count, BenchPose *p)
{
    for (int k = 0; k < count; k++) {
        double all[13];
        perp_rapier_pose(world, k, all);
        memcpy(p[k].position, all, sizeof p[k].position);
        memcpy(p[k].rotation, all + 3, sizeof p[k].rotation);
        memcpy(p[k].velocity, all + 7, sizeof p[k].velocity);
        memcpy(p[k].spin, all + 10, sizeof p[k].spin);
    }
}

static int contacts(const void *world)
{
    return perp_rapier_contacts(world);
}

static void destroy(void *world)
{
    perp_rapier_destroy(world);
}

const BenchEngine bench_engine_rapier = {
    .name = "rapier",
    .text = "Rapier 0.36, single precision, default settings: 4 iterations",
    .create = create,
    .step = step,
    .poses = poses,
    .contacts = contacts,
    .destroy = destroy,
};
