// Scenes of the benchmark, part by part.
#include "scenes/scene.h"

#include "common/measure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

void bench_turn(const double q[4], const double x[3], double y[3])
{
    // y = x + 2 u cross (u cross x + w x)
    double w = q[0], a = q[1], b = q[2], c = q[3];
    double t[3] = {b * x[2] - c * x[1] + w * x[0], c * x[0] - a * x[2] + w * x[1],
                   a * x[1] - b * x[0] + w * x[2]};
    double r[3] = {x[0] + 2 * (b * t[2] - c * t[1]), x[1] + 2 * (c * t[0] - a * t[2]),
                   x[2] + 2 * (a * t[1] - b * t[0])};
    memcpy(y, r, sizeof r);
}

void bench_turn_back(const double q[4], const double x[3], double y[3])
{
    bench_turn((double[]){q[0], -q[1], -q[2], -q[3]}, x, y);
}

// --- bodies -------------------------------------------------------------------------------------

static void *grow(void *array, int count, int *room, size_t size)
{
    if (count < *room)
        return array;
    *room = *room ? 2 * *room : 64;
    array = realloc(array, (size_t)*room * size);
    if (!array)
        abort();
    return array;
}

static int add_body(BenchScene *scene, BenchBody body)
{
    scene->bodies = grow(scene->bodies, scene->n_bodies, &scene->room, sizeof *scene->bodies);
    scene->bodies[scene->n_bodies] = body;
    return scene->n_bodies++;
}

int bench_add_sphere(BenchScene *scene, double radius, double density, const double position[3])
{
    double mass = density * 4.0 / 3.0 * PI * pow(radius, 3), j = 0.4 * mass * radius * radius;
    return add_body(scene, (BenchBody){.kind = BENCH_SPHERE,
                                       .size = {radius},
                                       .position = {position[0], position[1], position[2]},
                                       .rotation = {1},
                                       .mass = mass,
                                       .inertia = {j, j, j}});
}

int bench_add_box(BenchScene *scene, const double half[3], double density, const double position[3])
{
    double x = half[0] * half[0], y = half[1] * half[1], z = half[2] * half[2];
    double mass = density * 8 * half[0] * half[1] * half[2];
    return add_body(scene, (BenchBody){.kind = BENCH_BOX,
                                       .size = {half[0], half[1], half[2]},
                                       .position = {position[0], position[1], position[2]},
                                       .rotation = {1},
                                       .mass = mass,
                                       .inertia = {mass * (y + z) / 3, mass * (x + z) / 3,
                                                   mass * (x + y) / 3}});
}

int bench_add_capsule(BenchScene *scene, double radius, double half, double density,
                      const double position[3], const double rotation[4])
{
    double r2 = radius * radius;
    double tube = density * PI * r2 * 2 * half, caps = density * 4.0 / 3.0 * PI * r2 * radius;
    double along = 0.5 * tube * r2 + 0.4 * caps * r2;
    double across =
        tube * (r2 / 4 + half * half / 3) + caps * (0.4 * r2 + half * half + 0.75 * half * radius);
    return add_body(scene,
                    (BenchBody){.kind = BENCH_CAPSULE,
                                .size = {radius, half},
                                .position = {position[0], position[1], position[2]},
                                .rotation = {rotation[0], rotation[1], rotation[2], rotation[3]},
                                .mass = tube + caps,
                                .inertia = {across, across, along}});
}

void bench_add_plane(BenchScene *scene, double x, double y, double z, double offset)
{
    scene->planes[scene->n_planes++] = (BenchPlane){{x, y, z}, offset};
}

static void place_anchor(const BenchScene *scene, int body, const double anchor[3], double own[3])
{
    memcpy(own, anchor, 3 * sizeof *own);
    if (body < 0)
        return;
    const BenchBody *b = &scene->bodies[body];
    double arm[3] = {anchor[0] - b->position[0], anchor[1] - b->position[1],
                     anchor[2] - b->position[2]};
    bench_turn_back(b->rotation, arm, own);
}

void bench_add_joint(BenchScene *scene, int a, int b, const double anchor[3])
{
    BenchJoint joint = {.a = a, .b = b, .anchor = {anchor[0], anchor[1], anchor[2]}};
    place_anchor(scene, a, anchor, joint.anchor_a);
    place_anchor(scene, b, anchor, joint.anchor_b);
    scene->joints = realloc(scene->joints, (size_t)(scene->n_joints + 1) * sizeof joint);
    if (!scene->joints)
        abort();
    scene->joints[scene->n_joints++] = joint;
}

void bench_add_hinge(BenchScene *scene, int a, int b, const double anchor[3], const double axis[3],
                     double speed, double torque)
{
    bench_add_joint(scene, a, b, anchor);
    BenchJoint *joint = &scene->joints[scene->n_joints - 1];
    joint->hinge = true;
    joint->speed = speed;
    joint->torque = torque;
    memcpy(joint->axis, axis, sizeof joint->axis);
}

void bench_close_loop(BenchScene *scene, int a, int b, const double anchor[3])
{
    bench_add_joint(scene, a, b, anchor);
    scene->joints[scene->n_joints - 1].closes = true;
}

bool bench_is_mechanism(const BenchScene *scene)
{
    for (int k = 0; k < scene->n_joints; k++)
        if (scene->joints[k].hinge || scene->joints[k].closes)
            return true;
    return false;
}

// --- whole scenes -------------------------------------------------------------------------------

void bench_scene_make(const BenchSceneEntry *entry, BenchScene *scene)
{
    *scene = (BenchScene){.text = entry->text, .mu = 0.5, .dt = 1.0 / 240, .touching = true};
    strncpy(scene->name, entry->name, BENCH_NAME - 1);
    entry->make(scene, entry->size);
}

void bench_scene_free(BenchScene *scene)
{
    free(scene->bodies);
    free(scene->joints);
    *scene = (BenchScene){0};
}
