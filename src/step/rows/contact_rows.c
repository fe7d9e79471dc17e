// The rows of contacts: normals, and the directions of sliding, torsion and rolling friction.

#include "step/rows/contact_rows.h"

#include <math.h>

// The relative velocity of the two points of a contact along a direction, a's minus b's, or the
// relative spin about one.
static void add_row(PerpAssembly *a, const PerpPose *pose, const PerpContact *contact,
                    PerpVec3 along, PerpVec3 about)
{
    const int body[2] = {contact->body_a, contact->body_b};
    const PerpVec3 point[2] = {contact->point.point_a, contact->point.point_b};
    perp_row_begin(a, 0);
    for (int side = 0; side < 2; side++) {
        if (body[side] < 0)
            continue;
        PerpPose at = pose[body[side]];
        double sign = side == 0 ? 1 : -1;
        PerpVec3 arm = perp_vec3_sub(point[side], at.position);
        PerpVec3 torque = perp_vec3_add(perp_vec3_cross(arm, along), about);
        perp_row_add(a, body[side], perp_vec3_scale(sign, along),
                     perp_vec3_scale(sign, perp_quat_rotate_back(at.rotation, torque)));
    }
    a->along[a->rows] = along;
    perp_row_end(a);
}

void perp_contact_rows_add_normal(PerpAssembly *a, const PerpPose *pose, const PerpContact *contact)
{
    add_row(a, pose, contact, contact->point.normal, (PerpVec3){0, 0, 0});
}

// --- friction -----------------------------------------------------------------------------------

int perp_contact_directions(const PerpSurface *surface, int facets)
{
    int plane = facets > 0 ? facets : 2, line = facets > 0 ? 2 : 1;
    return (surface->mu > 0 ? plane : 0) + (surface->torsion > 0 ? line : 0) +
           (surface->rolling > 0 ? plane : 0);
}

// Two unit tangents; the first along the axis of anisotropic friction, if there is one.
static void find_tangents(const PerpPose *pose, const PerpContact *contact, PerpVec3 tangent[2])
{
    PerpVec3 n = contact->point.normal, axis = contact->surface->axis;
    int body = contact->surface->axis_is_of_b ? contact->body_b : contact->body_a;
    perp_vec3_tangents(n, &tangent[0], &tangent[1]);
    if (contact->surface->mu_second < 0)
        return;
    if (body >= 0)
        axis = perp_quat_rotate(pose[body].rotation, axis);
    axis = perp_vec3_add_scaled(axis, -perp_vec3_dot(axis, n), n);
    if (perp_vec3_norm(axis) > 1e-6) {
        tangent[0] = perp_vec3_normalise(axis);
        tangent[1] = perp_vec3_cross(n, tangent[0]);
    }
}

PerpVec3 perp_contact_surface_velocity(const PerpModel *model, const PerpPose *pose,
                                       const PerpContact *contact)
{
    PerpVec3 a = model->shapes[contact->shape_a].surface_velocity;
    PerpVec3 b = model->shapes[contact->shape_b].surface_velocity;
    if (contact->body_a >= 0)
        a = perp_quat_rotate(pose[contact->body_a].rotation, a);
    if (contact->body_b >= 0)
        b = perp_quat_rotate(pose[contact->body_b].rotation, b);
    return perp_vec3_sub(a, b);
}

static void add_group(PerpAssembly *a, int contact, double mu, bool round)
{
    int g = a->problem.n_groups++;
    a->group_contact[g] = contact;
    a->group_start[g + 1] = a->group_start[g];
    a->mu[g] = mu;
    a->cohesion[g] = 0;
    a->group_circular[g] = round;
}

static void add_direction(PerpAssembly *a, const PerpPose *pose, const PerpContact *contact,
                          PerpVec3 along, PerpVec3 about)
{
    add_row(a, pose, contact, along, about);
    a->group_start[a->problem.n_groups]++;
    if (a->rigid->model->has_surface_velocity)
        a->d[a->rows - 1] =
            perp_vec3_dot(along, perp_contact_surface_velocity(a->rigid->model, pose, contact));
}

// cos and sin of 2 pi k / n, exact at the quarter turns, so that opposite directions are opposite
static PerpVec3 polygon_direction(int k, int n, const PerpVec3 tangent[2], double second)
{
    if (2 * k >= n)
        return perp_vec3_scale(-1, polygon_direction(k - n / 2, n, tangent, second));
    const double pi = 3.14159265358979323846;
    double c = 4 * k == n ? 0 : cos(2 * pi * k / n), s = k == 0 ? 0 : sin(2 * pi * k / n);
    return perp_vec3_add_scaled(perp_vec3_scale(c, tangent[0]), s * second, tangent[1]);
}

// Is the contact's relative motion confined to a plane, and which direction lies in it?
static bool is_planar(const PerpModel *model, const PerpContact *contact, PerpVec3 *direction)
{
    unsigned freedom = 0;
    const int body[2] = {contact->body_a, contact->body_b};
    for (int side = 0; side < 2; side++)
        if (body[side] >= 0)
            freedom |= model->bodies[body[side]].freedom;
    PerpVec3 across;
    if (!(freedom & ~(unsigned)PERP_FREE_PLANAR_XY))
        across = (PerpVec3){0, 0, 1};
    else if (!(freedom & ~(unsigned)PERP_FREE_PLANAR_XZ))
        across = (PerpVec3){0, 1, 0};
    else
        return false;
    *direction = perp_vec3_normalise(perp_vec3_cross(across, contact->point.normal));
    return true;
}

static void add_sliding(PerpAssembly *a, const PerpPose *pose, const PerpContact *contact,
                        int index, int facets)
{
    bool round = facets == 0;
    const PerpVec3 none = {0, 0, 0};
    const PerpSurface *surface = contact->surface;
    PerpVec3 tangent[2];
    if (surface->mu <= 0)
        return;
    add_group(a, index, surface->mu, round);
    if (is_planar(a->rigid->model, contact, &tangent[0])) {
        add_direction(a, pose, contact, tangent[0], none);
        if (!round)
            add_direction(a, pose, contact, perp_vec3_scale(-1, tangent[0]), none);
        return;
    }
    find_tangents(pose, contact, tangent);
    double second = surface->mu_second < 0 ? 1 : surface->mu_second / surface->mu;
    if (round) {
        add_direction(a, pose, contact, tangent[0], none);
        add_direction(a, pose, contact, perp_vec3_scale(second, tangent[1]), none);
        return;
    }
    for (int k = 0; k < facets; k++)
        add_direction(a, pose, contact, polygon_direction(k, facets, tangent, second), none);
}

// Torsion about the normal and rolling about the tangents, soft fingers          [ST97 section 3.1]
static void add_spinning(PerpAssembly *a, const PerpPose *pose, const PerpContact *contact,
                         int index, int facets)
{
    const PerpVec3 none = {0, 0, 0};
    PerpVec3 n = contact->point.normal, tangent[2];
    bool round = facets == 0;
    if (contact->surface->torsion > 0) {
        add_group(a, index, contact->surface->torsion, round);
        add_direction(a, pose, contact, none, n);
        if (!round)
            add_direction(a, pose, contact, none, perp_vec3_scale(-1, n));
    }
    if (contact->surface->rolling > 0) {
        perp_vec3_tangents(n, &tangent[0], &tangent[1]);
        add_group(a, index, contact->surface->rolling, round);
        for (int k = 0; k < (round ? 2 : facets); k++)
            add_direction(a, pose, contact, none,
                          round ? tangent[k] : polygon_direction(k, facets, tangent, 1));
    }
}

void perp_contact_rows_add_friction(PerpAssembly *a, const PerpPose *pose,
                                    const PerpContact *contact, int index, int facets)
{
    add_sliding(a, pose, contact, index, facets);
    add_spinning(a, pose, contact, index, facets);
}
