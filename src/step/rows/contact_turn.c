// What the second half of a step adds to the sliding velocity of contacts as bodies turn.

#include "step/rows/contact_rows.h"

#include <math.h>

// Sine of the angle between the axis of a cylinder and a normal below which its end lies flat.
static const double FLAT = 0.05;

// One body of a contact.
typedef struct Side {
    const PerpShape *shape;
    PerpQuat rotation; // of the shape, in the world
    PerpVec3 v, w;     // m/s of its centre of mass, rad/s; world axes
    PerpVec3 fixed;    // m/s of the point where it touches, as a part of the body
} Side;

static Side side_of(const PerpRigid *rigid, const PerpPose *pose, const double *v, int body,
                    int shape, PerpVec3 point)
{
    const PerpModelShape *s = &rigid->model->shapes[shape];
    Side side = {.shape = &s->shape, .rotation = s->pose.rotation};
    if (body < 0)
        return side;
    PerpTwist twist = perp_rigid_twist(rigid, v, body);
    PerpVec3 arm = perp_vec3_sub(point, pose[body].position);
    side.rotation = perp_quat_product(pose[body].rotation, side.rotation);
    side.v = twist.linear;
    side.w = perp_quat_rotate(pose[body].rotation, twist.angular);
    side.fixed = perp_vec3_add(side.v, perp_vec3_cross(side.w, arm));
    return side;
}

// t'A u of an ellipsoid x'A^-1 x = 1
static double ellipsoid_form(const Side *side, PerpVec3 t, PerpVec3 u)
{
    const double *axis = side->shape->size;
    PerpVec3 a = perp_quat_rotate_back(side->rotation, t);
    PerpVec3 b = perp_quat_rotate_back(side->rotation, u);
    return axis[0] * axis[0] * a.x * b.x + axis[1] * axis[1] * a.y * b.y +
           axis[2] * axis[2] * a.z * b.z;
}

// t'K u, where a turn dn of the normal moves the point that has it by K dn. The point with the
// normal n is A n/sqrt(n'A n) of an ellipsoid, and goes along the rim of a cylinder.
static double radius_along(const Side *side, PerpVec3 n, PerpVec3 t, PerpVec3 u)
{
    if (side->shape->kind == PERP_SHAPE_ELLIPSOID) {
        double g = ellipsoid_form(side, n, n);
        double across = ellipsoid_form(side, n, t) * ellipsoid_form(side, n, u);
        return (ellipsoid_form(side, t, u) - across / g) / sqrt(g);
    }
    if (side->shape->kind == PERP_SHAPE_CYLINDER) {
        PerpVec3 axis = perp_quat_rotate(side->rotation, (PerpVec3){0, 0, 1});
        PerpVec3 rim = perp_vec3_cross(axis, n);
        double s = perp_vec3_norm(rim);
        double along = perp_vec3_dot(t, rim) * perp_vec3_dot(u, rim);
        return s > FLAT ? side->shape->size[0] * along / (s * s * s) : 0;
    }
    return side->shape->rounding * perp_vec3_dot(t, u);
}

// Turns both tangents to the principal directions of a side's curvature.
static void turn_to_principal(const Side *side, PerpVec3 n, PerpVec3 tangent[2])
{
    PerpVec3 t = tangent[0], u = tangent[1];
    double tu = radius_along(side, n, t, u);
    double difference = radius_along(side, n, t, t) - radius_along(side, n, u, u);
    double angle = atan2(2 * tu, difference) / 2, c = cos(angle), s = sin(angle);
    tangent[0] = perp_vec3_add_scaled(perp_vec3_scale(c, t), s, u);
    tangent[1] = perp_vec3_add_scaled(perp_vec3_scale(c, u), -s, t);
}

// How fast the point of contact itself goes along t, m/s. With radii r_a, r_b and the rate n' of
// the normal, of b into a:  p' = p_a' + r_a (w_a x n - n') = p_b' + r_b (n' - w_b x n).  Of what is
// flat the normal turns with the body; where neither rolls, the point is a part of both.
static double speed_along(const Side *a, const Side *b, PerpVec3 n, PerpVec3 t)
{
    double r_a = radius_along(a, n, t, t), r_b = radius_along(b, n, t, t);
    double turn_a = perp_vec3_dot(t, perp_vec3_cross(a->w, n));
    double turn_b = perp_vec3_dot(t, perp_vec3_cross(b->w, n));
    double at_a = perp_vec3_dot(t, a->fixed), at_b = perp_vec3_dot(t, b->fixed);
    if (!(r_a > 0) && !(r_b > 0))
        return (at_a + at_b) / 2;
    if (!(r_b > 0))
        return at_a + r_a * (turn_a - turn_b);
    if (!(r_a > 0))
        return at_b + r_b * (turn_a - turn_b);
    double turn = (at_a - at_b + r_a * turn_a + r_b * turn_b) / (r_a + r_b);
    return at_a + r_a * (turn_a - turn);
}

static bool is_uneven(const Side *side)
{
    return side->shape->kind == PERP_SHAPE_CYLINDER || side->shape->kind == PERP_SHAPE_ELLIPSOID;
}

// Along the principal directions of a, or of b, if only b's curvature has any.
static PerpVec3 point_velocity(const Side *a, const Side *b, PerpVec3 n)
{
    PerpVec3 tangent[2], fixed = perp_vec3_add(a->fixed, b->fixed);
    PerpVec3 p = perp_vec3_scale(perp_vec3_dot(n, fixed) / 2, n);
    perp_vec3_tangents(n, &tangent[0], &tangent[1]);
    if (is_uneven(a) || is_uneven(b))
        turn_to_principal(is_uneven(a) ? a : b, n, tangent);
    for (int i = 0; i < 2; i++)
        p = perp_vec3_add_scaled(p, speed_along(a, b, n, tangent[i]), tangent[i]);
    return p;
}

// What h adds to the sliding velocity at constant velocities of the bodies:
// h (w_a x arm_a' - w_b x arm_b') with the rates arm' = p' - v of the arms of the point p.
static PerpVec3 turn_of(const PerpAssembly *assembly, const PerpPose *pose, const double *v,
                        const PerpContact *contact, double h)
{
    const PerpContactPoint *at = &contact->point;
    Side a = side_of(assembly->rigid, pose, v, contact->body_a, contact->shape_a, at->point_a);
    Side b = side_of(assembly->rigid, pose, v, contact->body_b, contact->shape_b, at->point_b);
    PerpVec3 p = point_velocity(&a, &b, at->normal);
    PerpVec3 turn_a = perp_vec3_cross(a.w, perp_vec3_sub(p, a.v));
    PerpVec3 turn_b = perp_vec3_cross(b.w, perp_vec3_sub(p, b.v));
    return perp_vec3_scale(h, perp_vec3_sub(turn_a, turn_b));
}

void perp_contact_rows_follow(PerpAssembly *a, const PerpPose *pose, const double *v, double h)
{
    int first = a->rows - a->problem.n_directions;
    for (int g = 0; g < a->problem.n_groups; g++) {
        PerpUnilateral *u = &a->unilateral[a->group_contact[g]];
        u->turn = turn_of(a, pose, v, &a->contact[u->index], h);
        for (int k = a->group_start[g]; k < a->group_start[g + 1]; k++)
            a->d[first + k] += perp_vec3_dot(a->along[first + k], u->turn);
    }
}
