// Measurements from poses and velocities alone: what the library's own ledger is held against.
#include "soak/soak.h"

#include <math.h>
#include <string.h>

void soak_rotate(const double q[4], const double v[3], double out[3])
{
    double w = q[0], x = q[1], y = q[2], z = q[3];
    double t[3] = {2 * (y * v[2] - z * v[1]), 2 * (z * v[0] - x * v[2]), 2 * (x * v[1] - y * v[0])};
    out[0] = v[0] + w * t[0] + y * t[2] - z * t[1];
    out[1] = v[1] + w * t[1] + z * t[0] - x * t[2];
    out[2] = v[2] + w * t[2] + x * t[1] - y * t[0];
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static double distance(const double a[3], const double b[3])
{
    double d[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
    return sqrt(dot(d, d));
}

// A point of the world at the start, in the frame of a body.
void soak_localise(const SoakScene *s, int body, const double point[3], double local[3])
{
    if (body < 0) {
        memcpy(local, point, 3 * sizeof *local);
        return;
    }
    const PerpBodyDef *b = &s->body[body];
    const double back[4] = {b->rotation[0], -b->rotation[1], -b->rotation[2], -b->rotation[3]};
    double d[3];
    for (int k = 0; k < 3; k++)
        d[k] = point[k] - b->position[k];
    soak_rotate(back, d, local);
}

void soak_globalise(const PerpSimulation *simulation, int body, const double local[3],
                    double point[3])
{
    double position[3], rotation[4];
    if (body < 0) {
        memcpy(point, local, 3 * sizeof *point);
        return;
    }
    perp_simulation_pose(simulation, body, position, rotation);
    soak_rotate(rotation, local, point);
    for (int k = 0; k < 3; k++)
        point[k] += position[k];
}

void soak_find_frames(const SoakScene *s, SoakFrames *frames)
{
    for (int j = 0; j < s->def.n_joints; j++)
        soak_find_joint(s, j, &frames->joint[j]);
    for (int j = 0; j < s->def.n_springs; j++) {
        const PerpSpringDef *spring = &s->spring[j];
        soak_localise(s, spring->body_a, spring->anchor_a, frames->spring[j][0]);
        soak_localise(s, spring->body_b, spring->anchor_b, frames->spring[j][1]);
    }
}

static void add_springs(const SoakScene *s, const SoakFrames *frames,
                        const PerpSimulation *simulation, SoakMeasures *m)
{
    double a[3], b[3];
    for (int j = 0; j < s->def.n_springs; j++) {
        const PerpSpringDef *spring = &s->spring[j];
        soak_globalise(simulation, spring->body_a, frames->spring[j][0], a);
        soak_globalise(simulation, spring->body_b, frames->spring[j][1], b);
        double elongation = distance(a, b) - fmax(spring->rest, 0);
        m->energy += spring->stiffness * elongation * elongation / 2;
    }
    for (int j = 0; j < s->def.n_joints; j++)
        for (int k = 0; k < PERP_JOINT_COORDINATES; k++) {
            const PerpAxisDef *axis = &s->joint[j].axis_def[k];
            double x = axis->stiffness > 0 ? perp_simulation_coordinate(simulation, j, k) : 0;
            m->energy += axis->stiffness * x * x / 2;
        }
}

static void add_bodies(const SoakScene *s, const PerpModel *model, const PerpSimulation *simulation,
                       SoakMeasures *m)
{
    for (int b = 0; b < s->def.n_bodies; b++) {
        double x[3], q[4], v[3], w[3], p[3], L[3];
        perp_simulation_pose(simulation, b, x, q);
        perp_simulation_velocity(simulation, b, v, w);
        perp_simulation_momentum(simulation, b, p, L);
        m->kinetic += (dot(p, v) + dot(L, w)) / 2;
        m->energy -= perp_model_body_mass(model, b) * dot(s->def.gravity, x);
        for (int k = 0; k < 3; k++) {
            int i = (k + 1) % 3, j = (k + 2) % 3;
            double part = L[k] + x[i] * p[j] - x[j] * p[i];
            m->momentum[k] += part;
            m->momentum_size += fabs(L[k]) + fabs(x[i] * p[j]) + fabs(x[j] * p[i]);
        }
    }
    m->energy += m->kinetic;
}

SoakMeasures soak_measure(const SoakScene *s, const SoakFrames *frames, const PerpModel *model,
                          const PerpSimulation *simulation)
{
    SoakMeasures m = {0};
    add_bodies(s, model, simulation, &m);
    add_springs(s, frames, simulation, &m);
    m.joint_gap = soak_joint_gap(s, frames, simulation);
    m.overlap = soak_overlap(s, simulation);
    return m;
}
