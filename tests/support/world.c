#include "world.h"

#include <assert.h>
#include <math.h>
#include <string.h>

void perp_world_init(PerpWorld *w)
{
    memset(w, 0, sizeof *w);
    w->def = perp_default_model_def();
    w->def.bodies = w->bodies;
    w->def.shapes = w->shapes;
    w->def.joints = w->joints;
    w->def.springs = w->springs;
    w->def.forces = w->forces;
    w->def.materials = w->materials;
    w->def.n_materials = 1;
    for (int k = 0; k < PERP_WORLD_MATERIALS; k++)
        w->materials[k] = perp_default_material();
    w->context = perp_default_context();
    w->settings = perp_default_simulation_settings();
}

void perp_world_set(double target[3], double x, double y, double z)
{
    target[0] = x;
    target[1] = y;
    target[2] = z;
}

int perp_world_solid(PerpWorld *w, double mass, const double moments[3], double x, double y,
                     double z)
{
    assert(w->def.n_bodies < PERP_WORLD_BODIES);
    PerpBodyDef *body = &w->bodies[w->def.n_bodies];
    *body = perp_default_body();
    body->mass = mass;
    memcpy(body->inertia, moments, 3 * sizeof(double));
    perp_world_set(body->position, x, y, z);
    return w->def.n_bodies++;
}

int perp_world_point(PerpWorld *w, double mass, double x, double y, double z)
{
    const double none[3] = {0};
    int body = perp_world_solid(w, mass, none, x, y, z);
    w->bodies[body].freedom = PERP_FREE_POINT;
    return body;
}

int perp_world_shape(PerpWorld *w, PerpShapeKind kind, int body)
{
    assert(w->def.n_shapes < PERP_WORLD_SHAPES);
    PerpShapeDef *shape = &w->shapes[w->def.n_shapes];
    *shape = perp_default_shape();
    shape->kind = kind;
    shape->body = body;
    return w->def.n_shapes++;
}

// I = 2/5 m r^2
int perp_world_sphere(PerpWorld *w, double mass, double radius, double x, double y, double z)
{
    double moment = 0.4 * mass * radius * radius;
    const double moments[3] = {moment, moment, moment};
    int body = perp_world_solid(w, mass, moments, x, y, z);
    w->shapes[perp_world_shape(w, PERP_SHAPE_SPHERE, body)].size[0] = radius;
    return body;
}

// I_x = m (b^2 + c^2)/3 with half sides a, b, c
int perp_world_box(PerpWorld *w, double mass, const double half[3], double x, double y, double z)
{
    double a = half[0] * half[0], b = half[1] * half[1], c = half[2] * half[2];
    const double moments[3] = {mass * (b + c) / 3, mass * (a + c) / 3, mass * (a + b) / 3};
    int body = perp_world_solid(w, mass, moments, x, y, z);
    memcpy(w->shapes[perp_world_shape(w, PERP_SHAPE_BOX, body)].size, half, 3 * sizeof(double));
    return body;
}

// The least rotation that takes z to the normal n: 1 + n_z, z x n, normalised by the model.
int perp_world_plane(PerpWorld *w, double x, double y, double z)
{
    int shape = perp_world_shape(w, PERP_SHAPE_PLANE, -1);
    double norm = sqrt(x * x + y * y + z * z);
    const double q[4] = {1 + z / norm, -y / norm, x / norm, 0};
    memcpy(w->shapes[shape].rotation, q, sizeof q);
    return shape;
}

int perp_world_joint(PerpWorld *w, PerpJointKind kind, int a, int b, double x, double y, double z)
{
    assert(w->def.n_joints < PERP_WORLD_JOINTS);
    PerpJointDef *joint = &w->joints[w->def.n_joints];
    *joint = perp_default_joint();
    joint->kind = kind;
    joint->body_a = a;
    joint->body_b = b;
    perp_world_set(joint->anchor, x, y, z);
    if (b >= 0)
        memcpy(joint->anchor_b, w->bodies[b].position, 3 * sizeof(double));
    return w->def.n_joints++;
}

int perp_world_hinge(PerpWorld *w, int a, int b, double x, double y, double z)
{
    int joint = perp_world_joint(w, PERP_JOINT_HINGE, a, b, x, y, z);
    perp_world_set(w->joints[joint].axis, 0, 1, 0);
    return joint;
}

int perp_world_gear(PerpWorld *w, int joint_a, int joint_b, double ratio_a, double ratio_b)
{
    int joint = perp_world_joint(w, PERP_JOINT_COUPLING, -1, -1, 0, 0, 0);
    w->joints[joint].joint_a = joint_a;
    w->joints[joint].joint_b = joint_b;
    w->joints[joint].ratio_a = ratio_a;
    w->joints[joint].ratio_b = ratio_b;
    return joint;
}

int perp_world_spring(PerpWorld *w, int a, int b, double stiffness)
{
    assert(w->def.n_springs < PERP_WORLD_LOADS);
    PerpSpringDef *spring = &w->springs[w->def.n_springs];
    *spring = perp_default_spring();
    spring->body_a = a;
    spring->body_b = b;
    spring->stiffness = stiffness;
    if (a >= 0)
        memcpy(spring->anchor_a, w->bodies[a].position, 3 * sizeof(double));
    memcpy(spring->anchor_b, w->bodies[b].position, 3 * sizeof(double));
    return w->def.n_springs++;
}

int perp_world_force(PerpWorld *w, int body)
{
    assert(w->def.n_forces < PERP_WORLD_LOADS);
    w->forces[w->def.n_forces] = perp_default_force();
    w->forces[w->def.n_forces].body = body;
    return w->def.n_forces++;
}

// cos |a|/2, sin |a|/2 a/|a|
void perp_world_turn(PerpWorld *w, int body, double x, double y, double z)
{
    double angle = sqrt(x * x + y * y + z * z), s = angle > 0 ? sin(angle / 2) / angle : 0.5;
    const double q[4] = {cos(angle / 2), s * x, s * y, s * z};
    memcpy(w->bodies[body].rotation, q, sizeof q);
}

PerpStatus perp_world_start(PerpWorld *w)
{
    PerpStatus status = perp_model_create(&w->context, &w->def, &w->model, &w->error);
    return status ? status
                  : perp_simulation_create(&w->context, w->model, &w->settings, &w->simulation,
                                           &w->error);
}

PerpStatus perp_world_step(PerpWorld *w, double h)
{
    return perp_simulation_step(w->simulation, h, &w->error);
}

void perp_world_end(PerpWorld *w)
{
    perp_simulation_destroy(w->simulation);
    perp_model_destroy(w->model);
    w->simulation = NULL;
    w->model = NULL;
}
