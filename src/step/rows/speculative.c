// Speculative contacts, a priori and checked a posteriori. A row may be left out if the solution
// does not close its contact: with that row and no impulse in it the problem has the same solution.
// So contacts are searched within the free motion; afterwards the bodies that were hit are searched
// again, within the motion found.

#include "step/rows/speculative.h"

#include "base/error.h"
#include "step/systems/rigid_system.h"
#include "step/timing.h"

#include <math.h>

// Of its speed: a body is expected to change its velocity by so much, and by what forces do to it,
// before it counts as hit.
static const double EXPECTED = 0.125;

// The speed of the farthest point at a spin. A plane's is infinitely far.
static double turning(const PerpSimulation *sim, int body, PerpVec3 spin)
{
    double speed = perp_vec3_norm(spin);
    return speed > 0 ? sim->bodies.radius[body] * speed : 0;
}

// The most that two velocities of a body differ by at any of its points.
static double difference(const PerpSimulation *sim, int body, PerpTwist a, PerpTwist b)
{
    return perp_vec3_norm(perp_vec3_sub(a.linear, b.linear)) +
           turning(sim, body, perp_vec3_sub(a.angular, b.angular));
}

bool perp_speculative_applies(const PerpSimulation *sim)
{
    return sim->bodies.model && sim->bodies.model->n_shapes > 0;
}

bool perp_speculative_begin(PerpSimulation *sim, const double *v_free, double h, double margin,
                            PerpSpeculative *speculative)
{
    int n = sim->bodies.model->n_bodies;
    PerpVec3 *displacement = PERP_TAKE(&sim->arena, PerpVec3, PERP_DISPLACEMENTS * n);
    double *more = PERP_TAKE(&sim->arena, double, n);
    double *around = PERP_TAKE(&sim->arena, double, n);
    double *expected = PERP_TAKE(&sim->arena, double, n);
    bool *exceeded = PERP_TAKE(&sim->arena, bool, n);
    PerpReach reach = {
        .margin = margin, .displacement = displacement, .more = more, .around = around};
    *speculative = (PerpSpeculative){reach, displacement, more, around, expected, exceeded};
    if (!displacement || !more || !around || !expected || !exceeded)
        return false;
    for (int b = 0; b < n; b++) {
        PerpTwist now = perp_rigid_twist(&sim->bodies.rigid, sim->state.v, b);
        PerpTwist free = perp_rigid_twist(&sim->bodies.rigid, v_free, b),
                  none = {{0, 0, 0}, {0, 0, 0}};
        double spin = fmax(turning(sim, b, now.angular), turning(sim, b, free.angular));
        double fast = fmax(difference(sim, b, now, none), difference(sim, b, free, none));
        expected[b] = EXPECTED * fast + difference(sim, b, now, free);
        // a soft contact that opens before the middle of the step, behind the body, still pushes
        more[b] = around[b] = h * (spin + expected[b] + (sim->has_soft ? fast / 2 : 0));
        displacement[PERP_DISPLACEMENTS * b] = perp_vec3_scale(h, now.linear);
        displacement[PERP_DISPLACEMENTS * b + 1] = perp_vec3_scale(h, free.linear);
    }
    return true;
}

// Can the contact close with velocities that differ from v_free by what is expected?
//     n'v_new + gap/h < 0   for some   |v_new - v_free| <= expected_a + expected_b
// What bounces or is soft has a law of its own.
static bool may_close(const PerpStage *stage, int i, const double *v_free, double h,
                      const PerpSpeculative *speculative)
{
    const PerpUnilateral *u = &stage->rows.unilateral[i];
    if (u->kind != PERP_UNILATERAL_CONTACT || u->restitution > 0 || perp_unilateral_is_soft(u))
        return true;
    const PerpContact *contact = &stage->rows.contact[u->index];
    int a = contact->body_a, b = contact->body_b;
    double expected =
        (a < 0 ? 0 : speculative->expected[a]) + (b < 0 ? 0 : speculative->expected[b]);
    double speed = perp_stage_row_speed(stage, perp_stage_contact_row(stage, i), v_free) - expected;
    return u->gap + h * speed <= speculative->reach.margin;
}

bool perp_speculative_select(PerpSimulation *sim, const double *v_free, double h,
                             const PerpSpeculative *speculative, PerpStage *stage)
{
    int n = stage->rows.problem.n_contacts;
    if (sim->bodies.model->n_joints == 0)
        return true;
    PerpArenaMark mark = perp_arena_mark(&sim->arena);
    bool *keep = PERP_TAKE(&sim->arena, bool, n);
    for (int i = 0; i < n && keep; i++)
        keep[i] = may_close(stage, i, v_free, h, speculative);
    if (keep)
        perp_assembly_select(&stage->rows, keep);
    perp_arena_release(&sim->arena, mark);
    return keep;
}

// How far x lies outside of the range of 0, a and b.
static double outside(double x, double a, double b)
{
    return fmax(0, fmax(x - fmax(0, fmax(a, b)), fmin(0, fmin(a, b)) - x));
}

// The same in space: a body that was only stopped stays in the box of its two displacements.
static double off_box(PerpVec3 x, const PerpVec3 range[PERP_DISPLACEMENTS])
{
    PerpVec3 off = {outside(x.x, range[0].x, range[1].x), outside(x.y, range[0].y, range[1].y),
                    outside(x.z, range[0].z, range[1].z)};
    return perp_vec3_norm(off);
}

// Extends the reach to the motion found; false if that lies within.
static bool extend(const PerpSimulation *sim, const double *v_free, const double *v, double h,
                   PerpSpeculative *speculative)
{
    bool any = false;
    for (int b = 0; b < sim->bodies.model->n_bodies; b++) {
        PerpTwist free = perp_rigid_twist(&sim->bodies.rigid, v_free, b);
        PerpTwist found = perp_rigid_twist(&sim->bodies.rigid, v, b);
        double change = difference(sim, b, free, found);
        speculative->exceeded[b] = change > speculative->expected[b];
        if (!speculative->exceeded[b])
            continue;
        double off = off_box(perp_vec3_scale(h, found.linear),
                             speculative->displacement + PERP_DISPLACEMENTS * b);
        speculative->more[b] += h * (change - speculative->expected[b]);
        speculative->around[b] =
            fmax(speculative->around[b], off + h * turning(sim, b, found.angular));
        speculative->expected[b] = change;
        any = true;
    }
    return any;
}

// Is the contact among the rows? Both are sorted by id; `at` is how far the rows have been passed.
static bool has_row(const PerpAssembly *rows, uint64_t id, int *at)
{
    const PerpUnilateral *row = rows->unilateral;
    int n = rows->problem.n_contacts;
    while (*at < n && row[*at].kind == PERP_UNILATERAL_CONTACT && row[*at].id < id)
        ++*at;
    return *at < n && row[*at].kind == PERP_UNILATERAL_CONTACT && row[*at].id == id;
}

PerpStatus perp_speculative_check(PerpSimulation *sim, const double *v_free, double h,
                                  const PerpStage *stage, PerpSpeculative *speculative,
                                  bool *missed, PerpError *error)
{
    const PerpContact *contact;
    int count, at = 0;
    *missed = false;
    if (!extend(sim, v_free, stage->v, h, speculative))
        return PERP_OK;
    PerpReach again = speculative->reach;
    again.only = speculative->exceeded;
    PerpTiming interrupted = perp_timing_enter(sim, PERP_TIMING_COLLIDE);
    PerpStatus status = perp_contact_finder_find_near(
        sim->bodies.finder, perp_rigid_poses(stage->q), &again, &contact, &count);
    perp_timing_enter(sim, interrupted);
    if (status)
        return perp_fail(error, status, "%s", perp_status_text(status));
    for (int i = 0; i < count && !*missed; i++) {
        // a row would ask for n'v_new + d >= 0 with d >= gap/h
        PerpVec3 v = perp_rigid_contact_velocity(sim, stage->q, stage->v, &contact[i]);
        double left = contact[i].point.gap + h * perp_vec3_dot(contact[i].point.normal, v);
        *missed = left < -speculative->reach.margin && !has_row(&stage->rows, contact[i].id, &at);
    }
    return PERP_OK;
}
