// The rows of a step problem may leave out a contact that its solution does not close: the solution
// then solves the problem with that row, too, with no impulse in it. So contacts are searched by
// what bodies do if nothing hits them; afterwards those that were hit are looked at again.

#include "step/near.h"

#include "base/error.h"
#include "step/rigid_system.h"

#include <math.h>

// Of its speed: a body is expected to change its velocity by so much, and by what forces do to it,
// before it counts as hit.
static const double EXPECTED = 0.125;

// The speed of the farthest point at a spin. A plane's is infinitely far.
static double turning(const PerpSimulation *sim, int body, PerpVec3 spin)
{
    double speed = perp_vec3_norm(spin);
    return speed > 0 ? sim->radius[body] * speed : 0;
}

// The most that two velocities of a body differ by at any of its points.
static double difference(const PerpSimulation *sim, int body, PerpTwist a, PerpTwist b)
{
    return perp_vec3_norm(perp_vec3_sub(a.linear, b.linear)) +
           turning(sim, body, perp_vec3_sub(a.angular, b.angular));
}

bool perp_near_is_needed(const PerpSimulation *sim)
{
    return sim->model && sim->model->n_shapes > 0;
}

bool perp_near_begin(PerpSimulation *sim, const double *v_free, double h, double margin,
                     PerpNear *near)
{
    int n = sim->model->n_bodies;
    PerpVec3 *way = PERP_TAKE(&sim->arena, PerpVec3, PERP_WAYS * n);
    double *more = PERP_TAKE(&sim->arena, double, n);
    double *around = PERP_TAKE(&sim->arena, double, n);
    double *allowed = PERP_TAKE(&sim->arena, double, n);
    bool *grown = PERP_TAKE(&sim->arena, bool, n);
    PerpReach reach = {.margin = margin, .way = way, .more = more, .around = around};
    *near = (PerpNear){reach, way, more, around, allowed, grown};
    if (!way || !more || !around || !allowed || !grown)
        return false;
    for (int b = 0; b < n; b++) {
        PerpTwist now = perp_rigid_twist(&sim->rigid, sim->state.v, b);
        PerpTwist free = perp_rigid_twist(&sim->rigid, v_free, b), none = {{0, 0, 0}, {0, 0, 0}};
        double spin = fmax(turning(sim, b, now.angular), turning(sim, b, free.angular));
        double fast = fmax(difference(sim, b, now, none), difference(sim, b, free, none));
        allowed[b] = EXPECTED * fast + difference(sim, b, now, free);
        more[b] = around[b] = h * (spin + allowed[b]);
        way[PERP_WAYS * b] = perp_vec3_scale(h, now.linear);
        way[PERP_WAYS * b + 1] = perp_vec3_scale(h, free.linear);
    }
    return true;
}

// How far x lies outside of the range of 0, a and b.
static double outside(double x, double a, double b)
{
    return fmax(0, fmax(x - fmax(0, fmax(a, b)), fmin(0, fmin(a, b)) - x));
}

// The same in space: a body that was only stopped stays in the box of its ways.
static double off_box(PerpVec3 x, const PerpVec3 way[PERP_WAYS])
{
    PerpVec3 off = {outside(x.x, way[0].x, way[1].x), outside(x.y, way[0].y, way[1].y),
                    outside(x.z, way[0].z, way[1].z)};
    return perp_vec3_norm(off);
}

// Makes room for what bodies did; false if there was enough.
static bool grow(const PerpSimulation *sim, const double *v_free, const double *v, double h,
                 PerpNear *near)
{
    bool any = false;
    for (int b = 0; b < sim->model->n_bodies; b++) {
        PerpTwist free = perp_rigid_twist(&sim->rigid, v_free, b);
        PerpTwist found = perp_rigid_twist(&sim->rigid, v, b);
        double change = difference(sim, b, free, found);
        near->grown[b] = change > near->allowed[b];
        if (!near->grown[b])
            continue;
        double off = off_box(perp_vec3_scale(h, found.linear), near->way + PERP_WAYS * b);
        near->more[b] += h * (change - near->allowed[b]);
        near->around[b] = fmax(near->around[b], off + h * turning(sim, b, found.angular));
        near->allowed[b] = change;
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

PerpStatus perp_near_look_again(PerpSimulation *sim, const double *v_free, double h,
                                const PerpStage *stage, PerpNear *near, bool *found,
                                PerpError *error)
{
    const PerpContact *contact;
    int count, at = 0;
    *found = false;
    if (!grow(sim, v_free, stage->v, h, near))
        return PERP_OK;
    PerpReach again = near->reach;
    again.only = near->grown;
    PerpStatus status = perp_contact_finder_find_near(sim->finder, perp_rigid_poses(stage->q),
                                                      &again, &contact, &count);
    if (status)
        return perp_fail(error, status, "%s", perp_status_text(status));
    for (int i = 0; i < count && !*found; i++) {
        // a row would ask for n'v_new + d >= 0 with d >= gap/h
        PerpVec3 v = perp_rigid_contact_velocity(sim, stage->q, stage->v, &contact[i]);
        double left = contact[i].point.gap + h * perp_vec3_dot(contact[i].point.normal, v);
        *found = left < -near->reach.margin && !has_row(&stage->rows, contact[i].id, &at);
    }
    return PERP_OK;
}
