// Scenes of the benchmark as models of perp.
#include "engines/perp_model.h"

#include "common/measure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static PerpBodyDef define_body(const BenchBody *b)
{
    PerpBodyDef body = perp_default_body();
    memcpy(body.position, b->position, sizeof body.position);
    memcpy(body.rotation, b->rotation, sizeof body.rotation);
    body.mass = b->mass;
    memcpy(body.inertia, b->inertia, sizeof b->inertia);
    return body;
}

static PerpShapeDef define_shape(const BenchBody *b, int body)
{
    static const PerpShapeKind kinds[] = {PERP_SHAPE_SPHERE, PERP_SHAPE_BOX, PERP_SHAPE_CAPSULE};
    PerpShapeDef shape = perp_default_shape();
    shape.kind = kinds[b->kind];
    shape.body = body;
    shape.density = 0;
    for (int k = 0; k < 3; k++)
        shape.size[k] = b->size[k] > 0 ? b->size[k] : 1;
    return shape;
}

// the plane's frame has z along its normal
static PerpShapeDef define_plane(const BenchPlane *p)
{
    PerpShapeDef shape = perp_default_shape();
    shape.kind = PERP_SHAPE_PLANE;
    double q[4] = {1 + p->normal[2], -p->normal[1], p->normal[0], 0};
    double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2]);
    for (int k = 0; k < 4; k++)
        shape.rotation[k] = q[k] / length;
    for (int k = 0; k < 3; k++)
        shape.position[k] = p->offset * p->normal[k];
    return shape;
}

static PerpJointDef define_joint(const BenchJoint *j)
{
    PerpJointDef joint = perp_default_joint();
    joint.body_a = j->a;
    joint.body_b = j->b;
    memcpy(joint.anchor, j->anchor, sizeof joint.anchor);
    if (j->hinge) {
        joint.kind = PERP_JOINT_HINGE;
        memcpy(joint.axis, j->axis, sizeof joint.axis);
        joint.axis_def[0].motor_speed = j->speed;
        joint.axis_def[0].motor_force = j->torque;
    }
    return joint;
}

PerpStatus bench_perp_model(const BenchScene *scene, PerpModel **model, PerpError *error)
{
    size_t bodies = (size_t)scene->n_bodies, joints = (size_t)scene->n_joints;
    PerpBodyDef *body = bench_memory(bodies, sizeof *body);
    PerpShapeDef *shape = bench_memory(bodies + BENCH_PLANES, sizeof *shape);
    PerpJointDef *joint = bench_memory(joints + 1, sizeof *joint);
    PerpMaterialDef material = perp_default_material();
    PerpModelDef def = perp_default_model_def();
    material.mu = scene->mu;
    for (int k = 0; k < scene->n_bodies; k++) {
        body[k] = define_body(&scene->bodies[k]);
        shape[k] = define_shape(&scene->bodies[k], k);
    }
    for (int k = 0; k < scene->n_planes; k++)
        shape[scene->n_bodies + k] = define_plane(&scene->planes[k]);
    for (int k = 0; k < scene->n_joints; k++)
        joint[k] = define_joint(&scene->joints[k]);
    def.n_bodies = scene->n_bodies;
    def.bodies = body;
    def.n_shapes = scene->touching ? scene->n_bodies + scene->n_planes : 0;
    def.shapes = shape;
    def.n_joints = scene->n_joints;
    def.joints = joint;
    def.n_materials = 1;
    def.materials = &material;
    PerpStatus status = perp_model_create(NULL, &def, model, error);
    free(body);
    free(shape);
    free(joint);
    return status;
}
