// Spring, damper and external forces, with their derivatives.
#include "model/springs.h"

PerpWrench perp_wrench_of_force(PerpPose pose, PerpVec3 point, PerpVec3 force)
{
    PerpVec3 torque = perp_vec3_cross(perp_vec3_sub(point, pose.position), force);
    return (PerpWrench){force, perp_quat_rotate_back(pose.rotation, torque)};
}

// v + R (w x r), r and w in body axes
static PerpVec3 point_velocity(PerpBodyMotion m, PerpVec3 local)
{
    return perp_vec3_add(m.velocity,
                         perp_quat_rotate(m.pose.rotation, perp_vec3_cross(m.spin, local)));
}

static PerpMat3 identity_times(double s)
{
    return perp_mat3_diagonal((PerpVec3){s, s, s});
}

// A + s u w'
static PerpMat3 add_outer(PerpMat3 A, double s, PerpVec3 u, PerpVec3 w)
{
    return (PerpMat3){perp_vec3_add_scaled(A.x, s * w.x, u), perp_vec3_add_scaled(A.y, s * w.y, u),
                      perp_vec3_add_scaled(A.z, s * w.z, u)};
}

// f = -k d - c d',  E = k d'd/2
static void force_of_vector(const PerpSpring *spring, PerpVec3 d, PerpVec3 rate, PerpSpringForce *f)
{
    double k = spring->stiffness, c = spring->damping;
    f->force = perp_vec3_add_scaled(perp_vec3_scale(-k, d), -c, rate);
    f->energy = 0.5 * k * perp_vec3_dot(d, d);
    f->power = c * perp_vec3_dot(rate, rate);
    f->stiffness = identity_times(k);
    f->damping = identity_times(c);
}

static void force_along_line(const PerpSpring *spring, PerpVec3 d, PerpVec3 rate,
                             PerpSpringForce *f)
{
    double k = spring->stiffness, c = spring->damping;
    double length = perp_vec3_norm(d), stretch = length - spring->rest;
    PerpVec3 u = perp_vec3_normalise(d);
    // f = -T u,  T = k (|d| - rest) + c u'd',  E = k (|d| - rest)^2 / 2
    double speed = perp_vec3_dot(u, rate);
    double tension = k * stretch + c * speed;
    f->force = perp_vec3_scale(-tension, u);
    f->energy = 0.5 * k * stretch * stretch;
    f->power = c * speed * speed;
    // -df/dd' = c u u'
    f->damping = add_outer(identity_times(0), c, u, u);
    // -df/dd = k u u' + T/|d| P + c u (P d')'/|d|,  P = 1 - u u' = |d| du/dd
    double coincident = spring->rest > 0 ? 0 : k;
    double across = length > 0 ? tension / length : coincident;
    PerpVec3 sideways = perp_vec3_add_scaled(rate, -speed, u);
    f->stiffness = add_outer(identity_times(across), k - across, u, u);
    if (length > 0)
        f->stiffness = add_outer(f->stiffness, c / length, u, sideways);
}

PerpSpringForce perp_spring_force(const PerpSpring *spring, PerpBodyMotion a, PerpBodyMotion b)
{
    PerpSpringForce f = {.point_a = perp_pose_point(a.pose, spring->anchor_a),
                         .point_b = perp_pose_point(b.pose, spring->anchor_b)};
    PerpVec3 d = perp_vec3_sub(f.point_b, f.point_a);
    PerpVec3 rate =
        perp_vec3_sub(point_velocity(b, spring->anchor_b), point_velocity(a, spring->anchor_a));
    if (spring->rest < 0)
        force_of_vector(spring, d, rate, &f);
    else
        force_along_line(spring, d, rate, &f);
    return f;
}

// f = -k (x - rest) - c x'
PerpAxisForce perp_axis_force(const PerpAxisDef *axis, double x, double x_speed)
{
    double stretch = x - axis->rest;
    return (PerpAxisForce){
        .force = -axis->stiffness * stretch - axis->damping * x_speed,
        .energy = 0.5 * axis->stiffness * stretch * stretch,
        .power = axis->damping * x_speed * x_speed,
        .stiffness = axis->stiffness,
        .damping = axis->damping,
    };
}

// force + wave sin(2 pi frequency t + phase)
PerpWrench perp_force_at(const PerpForce *force, double t, PerpPose pose)
{
    const double turn = 6.28318530717958647692;
    if (!(t >= force->start && t < force->end))
        return (PerpWrench){{0, 0, 0}, {0, 0, 0}};
    double sine = sin(turn * force->frequency * t + force->phase);
    PerpVec3 total = perp_vec3_add_scaled(force->force, sine, force->wave);
    PerpWrench wrench = perp_wrench_of_force(pose, perp_pose_point(pose, force->point), total);
    PerpVec3 torque = perp_quat_rotate_back(pose.rotation, force->torque);
    wrench.torque = perp_vec3_add(wrench.torque, torque);
    return wrench;
}
