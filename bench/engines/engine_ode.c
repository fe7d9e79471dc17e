// ODE: quickstep with 20 iterations, and dWorldStep (Dantzig's method). Everything else as ODE
// comes: error reduction 0.2, the pyramid of dContactApprox1.
#include "engines/engine_ode.h"
#include "engines/engine.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { POINTS_A_PAIR = 8 };

typedef struct World {
    dWorldID world;
    dSpaceID space;
    dJointGroupID contacts;
    dBodyID *bodies;
    double mu, dt;
    int n_contacts;
    bool quick, touching;
} World;

dGeomID bench_ode_geom(dSpaceID space, const BenchBody *b)
{
    switch (b->kind) {
    case BENCH_SPHERE:
        return dCreateSphere(space, b->size[0]);
    case BENCH_BOX:
        return dCreateBox(space, 2 * b->size[0], 2 * b->size[1], 2 * b->size[2]);
    default:
        return dCreateCapsule(space, b->size[0], 2 * b->size[1]);
    }
}

void bench_ode_planes(dSpaceID space, const BenchScene *scene)
{
    for (int k = 0; k < scene->n_planes; k++) {
        const BenchPlane *p = &scene->planes[k];
        dCreatePlane(space, p->normal[0], p->normal[1], p->normal[2], p->offset);
    }
}

static dBodyID add_body(World *w, const BenchBody *b)
{
    dBodyID body = dBodyCreate(w->world);
    dMass mass;
    dMassSetParameters(&mass, b->mass, 0, 0, 0, b->inertia[0], b->inertia[1], b->inertia[2], 0, 0,
                       0);
    dBodySetMass(body, &mass);
    dBodySetPosition(body, b->position[0], b->position[1], b->position[2]);
    dBodySetQuaternion(body, b->rotation);
    if (w->touching)
        dGeomSetBody(bench_ode_geom(w->space, b), body);
    return body;
}

static void add_joint(World *w, const BenchJoint *j)
{
    dJointID joint = dJointCreateBall(w->world, 0);
    dJointAttach(joint, j->a < 0 ? 0 : w->bodies[j->a], w->bodies[j->b]);
    dJointSetBallAnchor(joint, j->anchor[0], j->anchor[1], j->anchor[2]);
}

// dWorldStep says much when its pivots fail
static void be_quiet(int number, const char *format, va_list values)
{
    (void)number;
    (void)format;
    (void)values;
}

static void *create(const BenchEngine *engine, const BenchScene *scene, char message[BENCH_MESSAGE])
{
    (void)message;
    dSetMessageHandler(be_quiet);
    dInitODE();
    dRandSetSeed(0); // the same order of contacts, whatever ran before
    World *w = calloc(1, sizeof *w);
    *w = (World){.world = dWorldCreate(),
                 .space = dHashSpaceCreate(0),
                 .contacts = dJointGroupCreate(0),
                 .bodies = calloc((size_t)scene->n_bodies, sizeof(dBodyID)),
                 .mu = scene->mu,
                 .dt = scene->dt,
                 .quick = engine->setting > 0,
                 .touching = scene->touching};
    dWorldSetGravity(w->world, 0, 0, -9.81);
    if (w->quick)
        dWorldSetQuickStepNumIterations(w->world, (int)engine->setting);
    bench_ode_planes(w->space, scene);
    for (int k = 0; k < scene->n_bodies; k++)
        w->bodies[k] = add_body(w, &scene->bodies[k]);
    for (int k = 0; k < scene->n_joints; k++)
        add_joint(w, &scene->joints[k]);
    return w;
}

static void collide(void *user, dGeomID a, dGeomID b)
{
    World *w = user;
    dBodyID body_a = dGeomGetBody(a), body_b = dGeomGetBody(b);
    if ((!body_a && !body_b) || (body_a && body_b && dAreConnected(body_a, body_b)))
        return;
    dContact points[POINTS_A_PAIR];
    int count = dCollide(a, b, POINTS_A_PAIR, &points[0].geom, sizeof *points);
    for (int k = 0; k < count; k++) {
        points[k].surface = (dSurfaceParameters){.mode = dContactApprox1, .mu = w->mu};
        dJointAttach(dJointCreateContact(w->world, w->contacts, &points[k]), body_a, body_b);
    }
    w->n_contacts += count;
}

static bool step(void *world, char message[BENCH_MESSAGE])
{
    World *w = world;
    w->n_contacts = 0;
    if (w->touching)
        dSpaceCollide(w->space, w, collide);
    bool good = w->quick ? dWorldQuickStep(w->world, w->dt) : dWorldStep(w->world, w->dt);
    dJointGroupEmpty(w->contacts);
    if (!good)
        snprintf(message, BENCH_MESSAGE, "out of memory");
    return good;
}

static void poses(void *world, int count, BenchPose *p)
{
    for (int k = 0; k < count; k++) {
        dBodyID b = ((const World *)world)->bodies[k];
        const dReal *x = dBodyGetPosition(b), *q = dBodyGetQuaternion(b);
        const dReal *v = dBodyGetLinearVel(b), *s = dBodyGetAngularVel(b);
        p[k] = (BenchPose){
            {x[0], x[1], x[2]}, {q[0], q[1], q[2], q[3]}, {v[0], v[1], v[2]}, {s[0], s[1], s[2]}};
    }
}

static int contacts(const void *world)
{
    return ((const World *)world)->n_contacts;
}

static void destroy(void *world)
{
    World *w = world;
    dJointGroupDestroy(w->contacts);
    dSpaceDestroy(w->space);
    dWorldDestroy(w->world);
    dCloseODE();
    free(w->bodies);
    free(w);
}

const BenchEngine bench_engine_ode_quick = {.name = "ode-quick",
                                            .text = "ODE, quickstep, 20 iterations",
                                            .create = create,
                                            .step = step,
                                            .poses = poses,
                                            .contacts = contacts,
                                            .destroy = destroy,
                                            .setting = 20};
const BenchEngine bench_engine_ode_step = {.name = "ode-step",
                                           .text = "ODE, dWorldStep (Dantzig's method)",
                                           .create = create,
                                           .step = step,
                                           .poses = poses,
                                           .contacts = contacts,
                                           .destroy = destroy};
