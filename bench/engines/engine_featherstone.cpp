// Bullet's Featherstone multibodies, single precision: chains that hang from the world and touch
// nothing. Joints are its coordinates, so that none can open but by rounding.
#include "engines/engine.h"

#include <BulletDynamics/Featherstone/btMultiBody.h>
#include <BulletDynamics/Featherstone/btMultiBodyConstraintSolver.h>
#include <BulletDynamics/Featherstone/btMultiBodyDynamicsWorld.h>
#include <btBulletDynamicsCommon.h>

#include <vector>

namespace
{

struct World {
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher;
    btDbvtBroadphase broadphase;
    btMultiBodyConstraintSolver solver;
    btMultiBodyDynamicsWorld world;
    btMultiBody chain;
    btScalar dt;

    World(int links, double step)
        : dispatcher(&configuration), world(&dispatcher, &broadphase, &solver, &configuration),
          chain(links, 0, btVector3(0, 0, 0), true, false), dt(btScalar(step))
    {
    }
};

btVector3 vector(const double x[3])
{
    return btVector3(btScalar(x[0]), btScalar(x[1]), btScalar(x[2]));
}

btQuaternion turn(const double q[4])
{
    return btQuaternion(btScalar(q[1]), btScalar(q[2]), btScalar(q[3]), btScalar(q[0]));
}

bool can_play(const BenchScene *scene)
{
    bool good = !scene->file && !scene->touching && scene->n_joints == scene->n_bodies &&
                !bench_is_mechanism(scene);
    for (int k = 0; good && k < scene->n_joints; k++)
        good = scene->joints[k].b == k;
    return good;
}

void add_link(World *w, const BenchScene *scene, const BenchJoint &j)
{
    const BenchBody &b = scene->bodies[j.b];
    btQuaternion own = turn(b.rotation).inverse();
    btQuaternion from_parent = j.a < 0 ? own : own * turn(scene->bodies[j.a].rotation);
    w->chain.setupSpherical(j.b, btScalar(b.mass), vector(b.inertia), j.a, from_parent,
                            vector(j.anchor_a), -vector(j.anchor_b), true);
}

void *create(const BenchEngine *, const BenchScene *scene, char *)
{
    World *w = new World(scene->n_bodies, scene->dt);
    w->world.setGravity(btVector3(0, 0, btScalar(-9.81)));
    for (int k = 0; k < scene->n_joints; k++)
        add_link(w, scene, scene->joints[k]);
    w->chain.finalizeMultiDof();
    w->chain.setLinearDamping(0);
    w->chain.setAngularDamping(0);
    w->world.addMultiBody(&w->chain);
    return w;
}

bool step(void *world, char *)
{
    World *w = static_cast<World *>(world);
    w->world.stepSimulation(w->dt, 0);
    return true;
}

void store(const btVector3 &x, double y[3])
{
    y[0] = x.x();
    y[1] = x.y();
    y[2] = x.z();
}

void poses(void *world, int count, BenchPose *p)
{
    btMultiBody &chain = static_cast<World *>(world)->chain;
    btAlignedObjectArray<btQuaternion> turns;
    btAlignedObjectArray<btVector3> places, spins, speeds;
    spins.resize(count + 1);
    speeds.resize(count + 1);
    chain.forwardKinematics(turns, places);
    chain.compTreeLinkVelocities(&spins[0], &speeds[0]);
    for (int k = 0; k < count; k++) {
        const btTransform &frame = chain.getLink(k).m_cachedWorldTransform;
        btQuaternion q = frame.getRotation();
        store(frame.getOrigin(), p[k].position);
        store(frame.getBasis() * speeds[k + 1], p[k].velocity);
        store(frame.getBasis() * spins[k + 1], p[k].spin);
        p[k].rotation[0] = q.w();
        p[k].rotation[1] = q.x();
        p[k].rotation[2] = q.y();
        p[k].rotation[3] = q.z();
    }
}

int contacts(const void *)
{
    return 0;
}

void destroy(void *world)
{
    World *w = static_cast<World *>(world);
    w->world.removeMultiBody(&w->chain);
    delete w;
}

} // namespace

extern "C" const BenchEngine bench_engine_featherstone = {
    "featherstone",
    "Bullet, single precision, Featherstone's algorithm (chains only)",
    can_play,
    create,
    step,
    nullptr,
    poses,
    contacts,
    nullptr,
    destroy,
    0,
    1,
    0};
