// (6.4)-(6.5): bounded multipliers. A cart on a rail with a motor that aims at a speed with at most
// FORCE, and dry friction of at most DRY, pushed by a force that grows: at rest, driven at the
// bound, at the motor's speed, and pushed beyond it, each in closed form.
#include "papers/l82/l82.h"

#include <math.h>

static const double MASS = 2, SPEED = 0.5, FORCE = 4, DRY = 1; // kg, m/s, N

static void drive(void *user, double t, int body, const double position[3],
                  const double rotation[4], double force[3], double torque[3])
{
    (void)user, (void)body, (void)position, (void)rotation, (void)torque;
    force[0] += t - 4; // N: -4 at first, which the motor and friction hold for a while
}

// lambda_motor in -FORCE .. FORCE, 0 inside where the speed is SPEED; friction in -DRY .. DRY.
// At t < 1 the push is -4 + t <= -(FORCE - DRY): nothing moves forward before FORCE - DRY + push >
// 0.
static double speed_at(double t)
{
    const double starts = 4 - (FORCE - DRY);                // push + FORCE = DRY
    const double reaches = starts + sqrt(2 * MASS * SPEED); // (t - starts)^2/(2 m) = SPEED
    const double leaves = 4 + FORCE + DRY;                  // push = FORCE + DRY
    if (t < starts)
        return 0;
    if (t < reaches)
        return (t - starts) * (t - starts) / (2 * MASS);
    return t < leaves ? SPEED : SPEED + (t - leaves) * (t - leaves) / (2 * MASS);
}

static PerpStatus create(L82Run *run, PerpError *error)
{
    PerpModelDef def = perp_default_model_def();
    PerpBodyDef body = perp_default_body();
    PerpJointDef rail = perp_default_joint();
    PerpSimulationSettings settings = perp_default_simulation_settings();
    body.mass = MASS;
    body.inertia[0] = body.inertia[1] = body.inertia[2] = 1;
    rail.kind = PERP_JOINT_SLIDER;
    rail.body_b = 0;
    rail.axis[0] = 1;
    rail.axis[1] = rail.axis[2] = 0;
    rail.axis_def[0].motor_speed = SPEED;
    rail.axis_def[0].motor_force = FORCE;
    rail.axis_def[0].friction = DRY;
    def.gravity[2] = 0;
    def.n_bodies = 1;
    def.bodies = &body;
    def.n_joints = 1;
    def.joints = &rail;
    settings.scheme = "lotstedt";
    settings.force = drive;
    PerpStatus status = perp_model_create(NULL, &def, &run->model, error);
    return status ? status
                  : perp_simulation_create(NULL, run->model, &settings, &run->simulation, error);
}

void l82_bounded(Paper *paper)
{
    L82Run *run = l82_new(paper);
    PerpError error = {0};
    double worst = 0, h = 0.1;
    if (!run)
        return;
    run->status = create(run, &error);
    if (run->status)
        paper_fail(paper, &error);
    paper_table(paper, "speeds", "t push speed closed-form");
    for (int k = 1; k <= 110 && l82_step(run, h); k++) {
        double t = perp_simulation_time(run->simulation), v[3], spin[3];
        perp_simulation_velocity(run->simulation, 0, v, spin);
        worst = fmax(worst, fabs(v[0] - speed_at(t)));
        if (k % 10 == 0)
            paper_row(paper, (double[]){t, t - 4, v[0], speed_at(t)}, NULL);
        l82_keep(run, (double[]){v[0], speed_at(t), 0, 0});
    }
    if (!run->status) {
        l82_draw(run, "speed", "A motor and dry friction with bounds", "speed (m/s)", 2,
                 (const char *const[]){"lotstedt", "closed form"});
        paper_claim(paper, worst < 1e-8,
                    "(6.4)-(6.5): held by friction, driven at the motor's bound, at its speed, and "
                    "pushed beyond it: to %.1e m/s",
                    worst);
    }
    paper_note(paper,
               "Chosen here: %g kg, a motor of %g N for %g m/s, dry friction of %g N, a push of "
               "t - 4 N.",
               MASS, FORCE, SPEED, DRY);
    l82_end(run);
}
