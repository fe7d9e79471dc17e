// Models for tests of motion, in few lines: bodies, shapes and joints are added one by one, their
// definitions may be changed until the world starts, then it steps.
//
//     PerpWorld w;
//     perp_world_init(&w);
//     perp_world_plane(&w, 0, 0, 1);
//     int ball = perp_world_sphere(&w, 1, 0.5, 0, 0, 0.5);
//     w.bodies[ball].velocity[0] = 3;
//     PerpStatus status = perp_world_start(&w);
//     ...
//     perp_world_end(&w);
#ifndef PERP_TEST_WORLD_H
#define PERP_TEST_WORLD_H

#include "perp/simulation.h"

enum {
    PERP_WORLD_BODIES = 128,
    PERP_WORLD_SHAPES = 136,
    PERP_WORLD_JOINTS = 32,
    PERP_WORLD_LOADS = 4,
    PERP_WORLD_MATERIALS = 3
};

// Arrays belong to the world; def refers to them. model and simulation exist once it has started.
typedef struct PerpWorld {
    PerpModelDef def; // gravity -9.81 along z
    PerpBodyDef bodies[PERP_WORLD_BODIES];
    PerpShapeDef shapes[PERP_WORLD_SHAPES];
    PerpJointDef joints[PERP_WORLD_JOINTS];
    PerpSpringDef springs[PERP_WORLD_LOADS];
    PerpForceDef forces[PERP_WORLD_LOADS];
    PerpMaterialDef materials[PERP_WORLD_MATERIALS]; // one of mu = 0.5 at first, for all shapes
    PerpContext context;                             // default, may be changed before the start
    PerpSimulationSettings settings;                 // likewise
    PerpModel *model;
    PerpSimulation *simulation;
    PerpError error; // of the last call that failed
} PerpWorld;

void perp_world_init(PerpWorld *w);

// Each returns the index of what it added. Bodies have their mass and centre at the position.
int perp_world_solid(PerpWorld *w, double mass, const double moments[3], double x, double y,
                     double z);                                                // no shape
int perp_world_point(PerpWorld *w, double mass, double x, double y, double z); // a point mass
int perp_world_sphere(PerpWorld *w, double mass, double radius, double x, double y, double z);
int perp_world_box(PerpWorld *w, double mass, const double half[3], double x, double y, double z);

// Shape of the world: the half space below the origin, with the normal (x, y, z).
int perp_world_plane(PerpWorld *w, double x, double y, double z);
int perp_world_shape(PerpWorld *w, PerpShapeKind kind, int body); // of size 0.5, without mass

int perp_world_joint(PerpWorld *w, PerpJointKind kind, int a, int b, double x, double y, double z);
int perp_world_hinge(PerpWorld *w, int a, int b, double x, double y, double z); // axis y
int perp_world_gear(PerpWorld *w, int joint_a, int joint_b, double ratio_a, double ratio_b);
int perp_world_spring(PerpWorld *w, int a, int b, double stiffness); // between the positions
int perp_world_force(PerpWorld *w, int body);

void perp_world_turn(PerpWorld *w, int body, double x, double y, double z); // rotation vector
void perp_world_set(double target[3], double x, double y, double z);

// Compiles the model and creates the simulation.
PerpStatus perp_world_start(PerpWorld *w);
PerpStatus perp_world_step(PerpWorld *w, double h); // h = 0: settings.step
void perp_world_end(PerpWorld *w);

#endif
