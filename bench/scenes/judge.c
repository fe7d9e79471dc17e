// Overlaps are those that ODE's collision functions find, whoever made the poses: it belongs to
// none of the others, and its answers for spheres, capsules, boxes and planes are closed formulas.
#include "scenes/judge.h"
#include "engines/engine_ode.h"

#include <math.h>

enum { POINTS_A_PAIR = 8 };

static double distance(const double a[3], const double b[3])
{
    return sqrt(pow(a[0] - b[0], 2) + pow(a[1] - b[1], 2) + pow(a[2] - b[2], 2));
}

// --- joints and energies ------------------------------------------------------------------------

static void place(const BenchPose *pose, const double own[3], double world[3])
{
    bench_turn(pose->rotation, own, world);
    for (int k = 0; k < 3; k++)
        world[k] += pose->position[k];
}

double bench_joint_gap(const BenchScene *scene, const BenchPose *poses)
{
    double gap = 0;
    for (int k = 0; k < scene->n_joints; k++) {
        const BenchJoint *j = &scene->joints[k];
        double a[3] = {j->anchor[0], j->anchor[1], j->anchor[2]}, b[3];
        if (j->a >= 0)
            place(&poses[j->a], j->anchor_a, a);
        place(&poses[j->b], j->anchor_b, b);
        gap = fmax(gap, distance(a, b));
    }
    return gap;
}

static double kinetic_energy(const BenchBody *b, const BenchPose *p)
{
    double own[3], energy = 0;
    bench_turn_back(p->rotation, p->spin, own);
    for (int k = 0; k < 3; k++)
        energy +=
            0.5 * (b->mass * p->velocity[k] * p->velocity[k] + b->inertia[k] * own[k] * own[k]);
    return energy;
}

// --- overlaps -----------------------------------------------------------------------------------

typedef struct Overlaps {
    const BenchScene *scene;
    int points;
    double max, sum;
} Overlaps;

// geoms carry the number of their body plus one; planes 0
static long number_of(dGeomID geom)
{
    return (long)(size_t)dGeomGetData(geom);
}

static bool are_joined(const BenchScene *scene, long a, long b)
{
    for (int k = 0; k < scene->n_joints; k++) {
        long first = scene->joints[k].a + 1, second = scene->joints[k].b + 1;
        if ((first == a && second == b) || (first == b && second == a))
            return true;
    }
    return false;
}

static void measure(void *user, dGeomID a, dGeomID b)
{
    Overlaps *o = user;
    long first = number_of(a), second = number_of(b);
    dContactGeom points[POINTS_A_PAIR];
    if ((!first && !second) || are_joined(o->scene, first, second))
        return;
    int count = dCollide(a, b, POINTS_A_PAIR, points, sizeof *points);
    for (int k = 0; k < count; k++) {
        o->points++;
        o->max = fmax(o->max, points[k].depth);
        o->sum += points[k].depth;
    }
}

static Overlaps find_overlaps(const BenchScene *scene, const BenchPose *poses)
{
    Overlaps found = {.scene = scene};
    dInitODE();
    dSpaceID space = dHashSpaceCreate(0);
    bench_ode_planes(space, scene);
    for (int k = 0; k < scene->n_bodies; k++) {
        dGeomID geom = bench_ode_geom(space, &scene->bodies[k]);
        const double *x = poses[k].position;
        dGeomSetPosition(geom, x[0], x[1], x[2]);
        dGeomSetQuaternion(geom, poses[k].rotation);
        dGeomSetData(geom, (void *)(size_t)(k + 1));
    }
    dSpaceCollide(space, &found, measure);
    dSpaceDestroy(space);
    dCloseODE();
    return found;
}

BenchVerdict bench_judge(const BenchScene *scene, int count, const BenchPose *start,
                         const BenchPose *now)
{
    BenchVerdict v = {0};
    for (int k = 0; k < count; k++)
        v.drift_max = fmax(v.drift_max, distance(start[k].position, now[k].position));
    if (scene->file) {
        v.penetration_max = v.penetration_mean = v.kinetic = v.energy = v.gap = NAN;
        return v;
    }
    for (int k = 0; k < count; k++) {
        double kinetic = kinetic_energy(&scene->bodies[k], &now[k]);
        v.kinetic += kinetic;
        v.energy += kinetic + scene->bodies[k].mass * 9.81 * now[k].position[2];
    }
    v.gap = bench_joint_gap(scene, now);
    if (!scene->touching)
        return v;
    Overlaps found = find_overlaps(scene, now);
    v.touching = found.points;
    v.penetration_max = found.max;
    v.penetration_mean = found.points ? found.sum / found.points : 0;
    return v;
}
