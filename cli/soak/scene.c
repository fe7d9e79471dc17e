// Random scenes: bodies of all shapes on planes, meshes, height fields or in empty space, with
// joints, springs, motors, limits, friction and restitution, and steps from 1e-4 to 0.1 s.
#include "soak/soak.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

// splitmix64 [Steele, Lea and Flood 2014]
static uint64_t next(uint64_t *state)
{
    uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static double uniform(uint64_t *state, double a, double b)
{
    return a + (b - a) * (double)(next(state) >> 11) * 0x1p-53;
}

static double logarithmic(uint64_t *state, double a, double b)
{
    return pow(10, uniform(state, log10(a), log10(b)));
}

static int below(uint64_t *state, int n)
{
    return (int)(next(state) % (uint64_t)n);
}

static bool chance(uint64_t *state, double p)
{
    return uniform(state, 0, 1) < p;
}

static void direction(uint64_t *state, double v[3])
{
    double norm = 0;
    while (norm < 0.1 || norm > 1) {
        norm = 0;
        for (int k = 0; k < 3; k++) {
            v[k] = uniform(state, -1, 1);
            norm += v[k] * v[k];
        }
    }
    for (int k = 0; k < 3; k++)
        v[k] /= sqrt(norm);
}

// --- bodies -------------------------------------------------------------------------------------

static const double RADIUS = 0.4; // m: shapes lie within, cells are 1 m wide

static void set_shape(uint64_t *r, int body, PerpShapeDef *shape)
{
    static const PerpShapeKind kinds[] = {PERP_SHAPE_SPHERE,  PERP_SHAPE_SPHERE,
                                          PERP_SHAPE_BOX,     PERP_SHAPE_BOX,
                                          PERP_SHAPE_CAPSULE, PERP_SHAPE_CYLINDER};
    *shape = perp_default_shape();
    shape->kind = kinds[below(r, 6)];
    shape->body = body;
    shape->density = logarithmic(r, 100, 10000);
    for (int k = 0; k < 3; k++)
        shape->size[k] = RADIUS * uniform(r, 0.15, 0.55);
}

static void set_body(uint64_t *r, int number, int columns, double height, PerpBodyDef *body)
{
    *body = perp_default_body();
    body->position[0] = number % columns - (columns - 1) / 2.0 + uniform(r, -0.05, 0.05);
    body->position[1] = number / columns % columns - (columns - 1) / 2.0;
    body->position[2] = height + number / (columns * columns);
    double speed = chance(r, 0.7) ? logarithmic(r, 0.1, 10) : 0;
    double turn = chance(r, 0.5) ? logarithmic(r, 0.1, 20) : 0, axis[3], half = uniform(r, 0, 1.5);
    direction(r, body->velocity);
    direction(r, body->spin);
    direction(r, axis);
    body->rotation[0] = cos(half);
    for (int k = 0; k < 3; k++) {
        body->velocity[k] *= speed;
        body->spin[k] *= turn;
        body->rotation[k + 1] = axis[k] * sin(half);
    }
}

static void add_bodies(uint64_t *r, SoakScene *s)
{
    int most = chance(r, 0.1) ? SOAK_BODIES : 8, count = 1 + below(r, most);
    double height = uniform(r, 1, 2);
    int columns = 1 + below(r, 3);
    for (int b = 0; b < count; b++) {
        set_body(r, b, columns, height, &s->body[b]);
        set_shape(r, b, &s->shape[b]);
    }
    s->def.n_bodies = s->def.n_shapes = count;
}

// --- the world ----------------------------------------------------------------------------------

enum { POINTS = SOAK_CELLS + 1 };

static void set_heights(uint64_t *r, SoakScene *s)
{
    double rough = chance(r, 0.3) ? 0 : uniform(r, 0, 0.3);
    for (int k = 0; k < POINTS * POINTS; k++)
        s->heights[k] = rough * uniform(r, -1, 1);
}

static void set_mesh(SoakScene *s, PerpShapeDef *shape)
{
    for (int i = 0; i < POINTS * POINTS; i++) {
        s->vertices[3 * i] = i % POINTS - SOAK_CELLS / 2.0;
        s->vertices[3 * i + 1] = i / POINTS - SOAK_CELLS / 2.0;
        s->vertices[3 * i + 2] = s->heights[i];
    }
    int *to = s->triangles;
    for (int y = 0; y < SOAK_CELLS; y++)
        for (int x = 0; x < SOAK_CELLS; x++) {
            int a = y * POINTS + x, b = a + 1, c = a + POINTS, d = c + 1;
            const int corners[6] = {a, b, d, a, d, c};
            memcpy(to, corners, sizeof corners);
            to += 6;
        }
    shape->n_vertices = POINTS * POINTS;
    shape->vertices = s->vertices;
    shape->n_triangles = 2 * SOAK_CELLS * SOAK_CELLS;
    shape->triangles = s->triangles;
}

static void add_world(uint64_t *r, SoakScene *s)
{
    int kind = below(r, 10);
    PerpShapeDef *ground = &s->shape[s->def.n_shapes];
    *ground = perp_default_shape();
    set_heights(r, s);
    if (kind < 2) // empty space
        return;
    s->isolated = false;
    s->def.n_shapes++;
    if (kind < 6) {
        ground->kind = PERP_SHAPE_PLANE;
    } else if (kind < 8) {
        ground->kind = PERP_SHAPE_MESH;
        set_mesh(s, ground);
    } else {
        ground->kind = PERP_SHAPE_HEIGHT_FIELD;
        ground->size[0] = ground->size[1] = 1;
        ground->rows = ground->columns = POINTS;
        ground->heights = s->heights;
    }
}

// --- joints and springs -------------------------------------------------------------------------

static const int coordinates[] = {
#define SOAK_COORDINATES(name, word, equations, coordinates, text) coordinates,
    PERP_JOINT_LIST(SOAK_COORDINATES)
#undef SOAK_COORDINATES
};

static void set_axis(uint64_t *r, SoakScene *s, PerpAxisDef *axis)
{
    if (chance(r, 0.25)) {
        axis->motor_speed = uniform(r, -10, 10);
        axis->motor_force = logarithmic(r, 0.1, 1000);
        s->driven = true;
    }
    if (chance(r, 0.2))
        axis->friction = logarithmic(r, 0.01, 10);
    if (chance(r, 0.3))
        axis->stiffness = logarithmic(r, 1, 1e6);
    if (chance(r, 0.3))
        axis->damping = logarithmic(r, 0.01, 1e3);
    if (chance(r, 0.2)) {
        axis->lower = -uniform(r, 0.1, 2);
        axis->upper = uniform(r, 0.1, 2);
        axis->restitution = chance(r, 0.5) ? uniform(r, 0, 1) : 0;
    }
}

static void set_joint(uint64_t *r, SoakScene *s, int a, int b, PerpJointDef *joint)
{
    static const PerpJointKind kinds[] = {
        PERP_JOINT_BALL,     PERP_JOINT_HINGE,    PERP_JOINT_HINGE,
        PERP_JOINT_SLIDER,   PERP_JOINT_WELD,     PERP_JOINT_UNIVERSAL,
        PERP_JOINT_DISTANCE, PERP_JOINT_ROPE,     PERP_JOINT_CYLINDRICAL,
        PERP_JOINT_BALL,     PERP_JOINT_DISTANCE, PERP_JOINT_POINT_ON_PLANE};
    double across[3];
    *joint = perp_default_joint();
    joint->kind = kinds[below(r, 12)];
    joint->body_a = a;
    joint->body_b = b;
    direction(r, joint->axis);
    direction(r, across);
    const double *u = joint->axis;
    joint->axis_b[0] = u[1] * across[2] - u[2] * across[1];
    joint->axis_b[1] = u[2] * across[0] - u[0] * across[2];
    joint->axis_b[2] = u[0] * across[1] - u[1] * across[0];
    bool apart = joint->kind == PERP_JOINT_DISTANCE || joint->kind == PERP_JOINT_ROPE;
    for (int k = 0; k < 3; k++) {
        double end =
            a < 0 ? s->body[b].position[k] + uniform(r, -0.8, 0.8) : s->body[a].position[k];
        joint->anchor[k] = apart ? end : (end + s->body[b].position[k]) / 2;
        joint->anchor_b[k] = s->body[b].position[k];
    }
    for (int k = 0; k < coordinates[joint->kind]; k++)
        set_axis(r, s, &joint->axis_def[k]);
}

// Each body hangs on one before it, on the world, or on nothing: no loops, which few draws close.
static void add_joints(uint64_t *r, SoakScene *s)
{
    double density = uniform(r, 0, 1);
    for (int b = 0; b < s->def.n_bodies; b++) {
        int a = below(r, b + 1) - 1;
        if (!chance(r, density))
            continue;
        set_joint(r, s, a, b, &s->joint[s->def.n_joints++]);
        s->isolated = s->isolated && a >= 0;
    }
}

static void add_springs(uint64_t *r, SoakScene *s)
{
    double density = chance(r, 0.5) ? uniform(r, 0, 0.8) : 0;
    for (int b = 0; b < s->def.n_bodies; b++) {
        int a = below(r, b + 1) - 1;
        if (!chance(r, density))
            continue;
        PerpSpringDef *spring = &s->spring[s->def.n_springs++];
        *spring = perp_default_spring();
        spring->body_a = a;
        spring->body_b = b;
        spring->stiffness = logarithmic(r, 1, 1e6);
        spring->damping = chance(r, 0.5) ? logarithmic(r, 0.01, 1e3) : 0;
        spring->rest = chance(r, 0.5) ? uniform(r, 0.2, 1.5) : -1;
        s->isolated = s->isolated && a >= 0;
        for (int k = 0; k < 3; k++) {
            spring->anchor_a[k] = a < 0 ? s->body[b].position[k] + uniform(r, -1, 1)
                                        : s->body[a].position[k] + uniform(r, -0.2, 0.2);
            spring->anchor_b[k] = s->body[b].position[k] + uniform(r, -0.2, 0.2);
        }
    }
}

void soak_make(unsigned long long seed, int number, SoakScene *s)
{
    uint64_t r = seed * UINT64_C(0x2545f4914f6cdd1d) + (uint64_t)number;
    next(&r);
    memset(s, 0, sizeof *s);
    s->def = perp_default_model_def();
    s->settings = perp_default_simulation_settings();
    s->isolated = true;
    add_bodies(&r, s);
    add_world(&r, s);
    add_joints(&r, s);
    add_springs(&r, s);
    s->material[0] = perp_default_material();
    s->material[0].mu = chance(&r, 0.2) ? 0 : uniform(&r, 0, 1);
    s->material[0].restitution = chance(&r, 0.4) ? 0 : uniform(&r, 0, 1);
    if (chance(&r, 0.2))
        s->material[0].rolling = 0.01;
    if (chance(&r, 0.3) || s->isolated)
        s->def.gravity[2] = 0;
    s->def.n_materials = 1;
    s->def.bodies = s->body;
    s->def.shapes = s->shape;
    s->def.joints = s->joint;
    s->def.springs = s->spring;
    s->def.materials = s->material;
    s->settings.step = logarithmic(&r, 1e-4, 0.1);
    double duration = uniform(&r, 0.3, 3);
    s->steps = (int)fmin(fmax(duration / s->settings.step, 20), 400);
}
