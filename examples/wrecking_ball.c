// A rigid scene built in code: a ball on a rod, which turns about a hinge, knocks down a wall.
#include "perp/perp.h"

#include <stdio.h>

enum { ROWS = 3, COLUMNS = 4, BALL = ROWS * COLUMNS, BODIES, GROUND = BODIES, SHAPES };

static const double SIDE = 0.4, ROD = 2.5; // m

static void lay_bricks(PerpBodyDef *bodies, PerpShapeDef *shapes)
{
    for (int k = 0; k < BALL; k++) {
        bodies[k] = perp_default_body();
        bodies[k].position[1] = SIDE * (k % COLUMNS - (COLUMNS - 1) / 2.0);
        bodies[k].position[2] = SIDE * (k / COLUMNS + 0.5);
        shapes[k] = perp_default_shape();
        shapes[k].kind = PERP_SHAPE_BOX;
        shapes[k].body = k;
        for (int i = 0; i < 3; i++)
            shapes[k].size[i] = SIDE / 2; // half of each side
    }
}

// The ball starts beside the hinge, at its height.
static PerpJointDef hang_ball(PerpBodyDef *ball, PerpShapeDef *shape)
{
    PerpJointDef hinge = perp_default_joint();
    *ball = perp_default_body();
    ball->name = "ball";
    ball->position[0] = -ROD;
    ball->position[2] = ROD + 0.5;
    *shape = perp_default_shape(); // a sphere
    shape->size[0] = 0.3;
    shape->density = 7800;
    shape->body = BALL;
    hinge.name = "hinge";
    hinge.kind = PERP_JOINT_HINGE; // between the world and
    hinge.body_b = BALL;
    hinge.anchor[2] = ROD + 0.5;
    hinge.axis[1] = 1;
    hinge.axis[2] = 0;
    return hinge;
}

static PerpStatus create_model(PerpModel **model, PerpError *error)
{
    PerpBodyDef bodies[BODIES];
    PerpShapeDef shapes[SHAPES];
    lay_bricks(bodies, shapes);
    PerpJointDef hinge = hang_ball(&bodies[BALL], &shapes[BALL]);
    shapes[GROUND] = perp_default_shape();
    shapes[GROUND].kind = PERP_SHAPE_PLANE;
    PerpModelDef def = perp_default_model_def();
    def.n_bodies = BODIES;
    def.bodies = bodies;
    def.n_shapes = SHAPES;
    def.shapes = shapes;
    def.n_joints = 1;
    def.joints = &hinge;
    return perp_model_create(NULL, &def, model, error); // copies everything
}

static void print_state(const PerpSimulation *simulation, double worst)
{
    double position[3], rotation[4];
    int moved = 0;
    for (int k = 0; k < BALL; k++) {
        perp_simulation_pose(simulation, k, position, rotation);
        moved += position[0] > 0.01;
    }
    printf("t = %.1f s: hinge at %4.0f deg, %2d of %d bricks moved, %s\n",
           perp_simulation_time(simulation),
           perp_simulation_coordinate(simulation, 0, 0) * 57.29578, moved, BALL,
           worst <= PERP_TOLERANCE ? "certified" : "not certified");
}

int main(void)
{
    PerpModel *model = NULL;
    PerpSimulation *simulation = NULL;
    PerpError error;
    double worst = 0;
    PerpStatus status = create_model(&model, &error);
    if (!status)
        status = perp_simulation_create(NULL, model, NULL, &simulation, &error);
    for (int k = 1; k <= 1500 && !status; k++) {
        status = perp_simulation_step(simulation, 1e-3, &error);
        double now = perp_simulation_report(simulation)->certificate.worst;
        worst = now > worst ? now : worst;
        if (k % 500 == 0)
            print_state(simulation, worst);
    }
    if (status)
        fprintf(stderr, "%s\n", error.message);
    perp_simulation_destroy(simulation);
    perp_model_destroy(model);
    return status != PERP_OK;
}
