// A scene with a bit of everything, and its whole state, for tests of simulations as objects.
#ifndef PERP_TEST_MIXTURE_H
#define PERP_TEST_MIXTURE_H

#include "random.h"
#include "stepping.h"

#include <string.h>

// A bit of everything: boxes and balls that fall, bounce and slide, a pendulum, a motor, a rope.
static inline void place_mixture(PerpWorld *w, int scheme)
{
    static const double half[3] = {0.3, 0.2, 0.1}, moments[3] = {0.1, 0.1, 0.1};
    PerpRandom r = perp_random(1);
    perp_world_init(w);
    choose(w, scheme, 5e-3);
    perp_world_plane(w, 0, 0, 1);
    w->materials[0].restitution = 0.3;
    for (int k = 0; k < 4; k++) {
        int box = perp_world_box(w, 1, half, k, 0, 0.4 + 0.1 * k);
        perp_world_turn(w, box, perp_random_normal(&r), perp_random_normal(&r), 0.3);
        perp_world_sphere(w, 2, 0.2, k, 0.1, 1.4 + 0.1 * k);
    }
    int link = perp_world_solid(w, 1, moments, 0, 3, 2);
    perp_world_hinge(w, -1, link, 0, 3, 2.5);
    int next = perp_world_solid(w, 1, moments, 0.5, 3, 1.5);
    int elbow = perp_world_hinge(w, link, next, 0, 3, 1.5);
    w->joints[elbow].axis_def[0].motor_speed = 2;
    w->joints[elbow].axis_def[0].motor_force = 1;
    int weight = perp_world_sphere(w, 1, 0.2, 1, 3, 1.5);
    w->joints[perp_world_joint(w, PERP_JOINT_ROPE, next, weight, 0.5, 3, 1.5)].length = 0.6;
}

// --- the whole state, as it can be asked for ----------------------------------------------------

typedef struct Snapshot {
    double t;
    double body[PERP_WORLD_BODIES][13];
    double joint[PERP_WORLD_JOINTS];
    PerpStepReport report;
    int contacts;
} Snapshot;

static inline void take_snapshot(const PerpWorld *w, Snapshot *s)
{
    memset(s, 0, sizeof *s);
    s->t = perp_simulation_time(w->simulation);
    for (int b = 0; b < w->def.n_bodies; b++) {
        double *at = s->body[b];
        perp_simulation_pose(w->simulation, b, at, at + 3);
        perp_simulation_velocity(w->simulation, b, at + 7, at + 10);
    }
    for (int j = 0; j < w->def.n_joints; j++)
        if (w->joints[j].kind == PERP_JOINT_HINGE)
            s->joint[j] = coordinate(w, j);
    s->report = *perp_simulation_report(w->simulation);
    s->contacts = perp_simulation_contact_count(w->simulation);
}

static inline void assert_same_motion(const Snapshot *a, const Snapshot *b)
{
    assert_memory_equal(&a->t, &b->t, sizeof a->t);
    assert_memory_equal(a->body, b->body, sizeof a->body);
    assert_memory_equal(a->joint, b->joint, sizeof a->joint);
    assert_memory_equal(&a->report.energy, &b->report.energy, sizeof a->report.energy);
}

#endif
