// Bullet in single precision, as it is usually built: sequential impulses, 10 iterations; bodies
// never sleep.
#include "engines/engine.h"

#include <btBulletDynamicsCommon.h>

#include <cmath>
#include <vector>

namespace
{

struct World {
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher;
    btDbvtBroadphase broadphase;
    btSequentialImpulseConstraintSolver solver;
    btDiscreteDynamicsWorld world;
    std::vector<btCollisionShape *> shapes;
    std::vector<btRigidBody *> bodies; // of the scene, then those of the planes
    std::vector<btTypedConstraint *> joints;
    btScalar dt;

    explicit World(double step)
        : dispatcher(&configuration), world(&dispatcher, &broadphase, &solver, &configuration),
          dt(btScalar(step))
    {
    }

    ~World()
    {
        for (btTypedConstraint *joint : joints) {
            world.removeConstraint(joint);
            delete joint;
        }
        for (btRigidBody *body : bodies) {
            world.removeRigidBody(body);
            delete body;
        }
        for (btCollisionShape *shape : shapes)
            delete shape;
    }
};

btVector3 vector(const double x[3])
{
    return btVector3(btScalar(x[0]), btScalar(x[1]), btScalar(x[2]));
}

btCollisionShape *make_shape(const BenchBody &b)
{
    switch (b.kind) {
    case BENCH_SPHERE:
        return new btSphereShape(btScalar(b.size[0]));
    case BENCH_BOX:
        return new btBoxShape(vector(b.size));
    default:
        return new btCapsuleShapeZ(btScalar(b.size[0]), btScalar(2 * b.size[1]));
    }
}

// friction multiplies in Bullet
btRigidBody *make_body(World *w, btCollisionShape *shape, double mass, const btVector3 &inertia,
                       double mu)
{
    w->shapes.push_back(shape);
    btRigidBody::btRigidBodyConstructionInfo info(btScalar(mass), nullptr, shape, inertia);
    info.m_friction = btScalar(std::sqrt(mu));
    btRigidBody *body = new btRigidBody(info);
    body->setActivationState(DISABLE_DEACTIVATION);
    w->bodies.push_back(body);
    return body;
}

void add_body(World *w, const BenchScene *scene, const BenchBody &b)
{
    btRigidBody *body = make_body(w, make_shape(b), b.mass, vector(b.inertia), scene->mu);
    btQuaternion q(btScalar(b.rotation[1]), btScalar(b.rotation[2]), btScalar(b.rotation[3]),
                   btScalar(b.rotation[0]));
    body->setCenterOfMassTransform(btTransform(q, vector(b.position)));
    if (scene->touching)
        w->world.addRigidBody(body);
    else
        w->world.addRigidBody(body, 1, 0);
}

void add_plane(World *w, const BenchScene *scene, const BenchPlane &p)
{
    btCollisionShape *shape = new btStaticPlaneShape(vector(p.normal), btScalar(p.offset));
    w->world.addRigidBody(make_body(w, shape, 0, btVector3(0, 0, 0), scene->mu));
}

void add_joint(World *w, const BenchJoint &j)
{
    btTypedConstraint *joint =
        j.a < 0 ? new btPoint2PointConstraint(*w->bodies[j.b], vector(j.anchor_b))
                : new btPoint2PointConstraint(*w->bodies[j.a], *w->bodies[j.b], vector(j.anchor_a),
                                              vector(j.anchor_b));
    w->joints.push_back(joint);
    w->world.addConstraint(joint, true);
}

void *create(const BenchEngine *engine, const BenchScene *scene, char *)
{
    World *w = new World(scene->dt);
    w->world.setGravity(btVector3(0, 0, btScalar(-9.81)));
    w->world.getSolverInfo().m_numIterations = int(engine->setting);
    for (int k = 0; k < scene->n_bodies; k++)
        add_body(w, scene, scene->bodies[k]);
    for (int k = 0; k < scene->n_planes; k++)
        add_plane(w, scene, scene->planes[k]);
    for (int k = 0; k < scene->n_joints; k++)
        add_joint(w, scene->joints[k]);
    return w;
}

bool step(void *world, char *)
{
    World *w = static_cast<World *>(world);
    w->world.stepSimulation(w->dt, 0);
    return true;
}

void poses(void *world, int count, BenchPose *p)
{
    for (int k = 0; k < count; k++) {
        const btRigidBody *b = static_cast<const World *>(world)->bodies[size_t(k)];
        const btVector3 &x = b->getCenterOfMassPosition(), &v = b->getLinearVelocity(),
                        &s = b->getAngularVelocity();
        btQuaternion q = b->getOrientation();
        p[k] = {{x.x(), x.y(), x.z()},
                {q.w(), q.x(), q.y(), q.z()},
                {v.x(), v.y(), v.z()},
                {s.x(), s.y(), s.z()}};
    }
}

int contacts(const void *world)
{
    World *w = const_cast<World *>(static_cast<const World *>(world));
    int count = 0;
    for (int k = 0; k < w->dispatcher.getNumManifolds(); k++)
        count += w->dispatcher.getManifoldByIndexInternal(k)->getNumContacts();
    return count;
}

void destroy(void *world)
{
    delete static_cast<World *>(world);
}

} // namespace

extern "C" const BenchEngine bench_engine_bullet = {
    "bullet", "Bullet, single precision, sequential impulses, 10 iterations",
    nullptr,  create,
    step,     nullptr,
    poses,    contacts,
    nullptr,  destroy,
    10,       1,
    0};
