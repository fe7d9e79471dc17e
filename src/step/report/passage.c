// Bodies that may have passed through each other: at the end of a step no overlap need be left of
// it. Where bodies moved farther than half of the thinnest shape, overlaps are measured between
// the ends of the step as well, along the straight motion.

#include "step/report/verdict.h"
#include "step/scheme_tools.h"

#include "base/error.h"
#include "math/dense.h"

#include <math.h>

enum { MOST_SAMPLES = 16 }; // of one step

static PerpVec3 between(PerpVec3 a, PerpVec3 b, double part)
{
    return perp_vec3_add(a, perp_vec3_scale(part, perp_vec3_sub(b, a)));
}

// Of unit quaternions: the shorter way, made a unit again.
static PerpQuat turned_between(PerpQuat a, PerpQuat b, double part)
{
    double sign = a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z < 0 ? -1 : 1;
    PerpQuat q = {a.w + part * (sign * b.w - a.w), a.x + part * (sign * b.x - a.x),
                  a.y + part * (sign * b.y - a.y), a.z + part * (sign * b.z - a.z)};
    double norm = sqrt(q.w * q.w + q.x * q.x + q.y * q.y + q.z * q.z);
    return (PerpQuat){q.w / norm, q.x / norm, q.y / norm, q.z / norm};
}

// rad, to first order: 2 |b - a| of the quaternions
static double turn(PerpQuat a, PerpQuat b)
{
    double sign = a.w * b.w + a.x * b.x + a.y * b.y + a.z * b.z < 0 ? -1 : 1;
    double w = sign * b.w - a.w, x = sign * b.x - a.x, y = sign * b.y - a.y, z = sign * b.z - a.z;
    return 2 * sqrt(w * w + x * x + y * y + z * z);
}

// m: how far the farthest point of a body came, at most
static double largest_travel(const PerpSimulation *sim)
{
    const PerpPose *from = (const PerpPose *)sim->before.q, *to = (const PerpPose *)sim->state.q;
    double largest = 0;
    for (int k = 0; k < sim->bodies.rigid.n_bodies; k++) {
        int b = sim->bodies.rigid.body_of[k];
        double radius = sim->bodies.radius[b];
        double travel = perp_vec3_norm(perp_vec3_sub(to[b].position, from[b].position)) +
                        (radius > 0 ? radius * turn(from[b].rotation, to[b].rotation) : 0);
        largest = travel > largest ? travel : largest;
    }
    return largest;
}

// The overlap at a configuration, or how many contacts are within reach.
static PerpStatus measure_at(PerpSimulation *sim, const double *q, double reach, double *overlap,
                             int *near, PerpError *error)
{
    PerpStage stage;
    PerpArenaMark mark = perp_arena_mark(&sim->arena);
    PerpRowChoice choice = {.reach = reach,
                            .positions = true,
                            .transient = true,
                            .gaps = reach == 0,
                            .unilateral = true};
    PerpStatus status = sim->system->assemble(sim, q, &choice, &stage.rows, error);
    *near = status ? 0 : stage.rows.problem.n_contacts;
    for (int i = 0; i < *near; i++)
        *overlap = fmax(*overlap, -stage.rows.unilateral[i].gap);
    perp_arena_release(&sim->arena, mark);
    return status;
}

static void place_between(const PerpSimulation *sim, double part, PerpPose *pose)
{
    const PerpPose *from = (const PerpPose *)sim->before.q, *to = (const PerpPose *)sim->state.q;
    for (int b = 0; b < sim->bodies.model->n_bodies; b++)
        pose[b] = (PerpPose){between(from[b].position, to[b].position, part),
                             turned_between(from[b].rotation, to[b].rotation, part)};
}

static PerpStatus sample(PerpSimulation *sim, double travel, double *q, PerpError *error)
{
    double thickness = sim->scales.thickness, overlap = 0, samples = ceil(2 * travel / thickness);
    int near;
    PerpStatus status = PERP_OK;
    if (!(samples <= MOST_SAMPLES)) { // too many: is there anything to pass through?
        place_between(sim, 0.5, (PerpPose *)q);
        status = measure_at(sim, q, travel, &overlap, &near, error);
        if (near > 0)
            perp_verdict_note(sim, PERP_CHECK_PASSAGE, fmax(thickness, overlap));
        return status;
    }
    for (int k = 1; k < (int)samples && !status; k++) {
        place_between(sim, k / samples, (PerpPose *)q);
        status = measure_at(sim, q, 0, &overlap, &near, error);
    }
    perp_verdict_note(sim, PERP_CHECK_PASSAGE, overlap);
    return status;
}

PerpStatus perp_verdict_check_passage(PerpSimulation *sim, PerpError *error)
{
    if (!sim->bodies.model || !(sim->scales.thickness < INFINITY))
        return PERP_OK;
    double travel = largest_travel(sim);
    if (!(travel > sim->scales.thickness / 2))
        return PERP_OK;
    sim->sleep.ready = false; // what moves so far does not rest: the step's memory is free
    perp_arena_rewind(&sim->arena);
    double *q = PERP_TAKE(&sim->arena, double, sim->n_q);
    return q ? sample(sim, travel, q, error) : perp_fail_memory(error);
}
