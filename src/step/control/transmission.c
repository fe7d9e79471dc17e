// What actuators act on: lengths over joints, tendons and sites, with their gradients.

#include "step/control/controls.h"
#include "step/rows/joint_rows.h"

#include <math.h>

static PerpPose body_pose(const PerpPose *pose, int body)
{
    return body < 0 ? (PerpPose){{0, 0, 0}, {1, 0, 0, 0}} : pose[body];
}

PerpPose perp_site_pose(const PerpModel *model, const PerpPose *pose, int site)
{
    const PerpSite *s = &model->control.sites[site];
    return perp_pose_product(body_pose(pose, s->body), s->pose);
}

static void add(PerpActuatorPath *path, int body, double factor, PerpVec3 linear, PerpVec3 angular)
{
    int k = 0;
    if (body < 0)
        return;
    while (k < path->n_bodies && path->body[k] != body)
        k++;
    if (k == path->n_bodies) {
        path->body[path->n_bodies++] = body;
        path->linear[k] = path->angular[k] = (PerpVec3){0, 0, 0};
    }
    path->linear[k] = perp_vec3_add_scaled(path->linear[k], factor, linear);
    path->angular[k] = perp_vec3_add_scaled(path->angular[k], factor, angular);
}

// gear sum ratio x
static void add_terms(const PerpModel *model, const PerpActuator *actuator, const PerpPose *pose,
                      const double *turn, PerpActuatorPath *path)
{
    for (int i = 0; i < actuator->n_terms; i++) {
        const PerpTendonTerm *term = &actuator->term[i];
        const PerpJoint *joint = &model->joints[term->joint];
        double factor = actuator->gear * term->ratio;
        PerpJointRow row;
        path->length +=
            factor * (perp_joint_value(model, pose, term->joint, term->coordinate, &row) +
                      turn[PERP_JOINT_COORDINATES * term->joint + term->coordinate]);
        add(path, joint->body_a, factor, row.a_linear, row.a_angular);
        add(path, joint->body_b, factor, row.b_linear, row.b_angular);
    }
}

// A force u at a point of a body, as linear and angular part.
static void add_point(PerpActuatorPath *path, const PerpPose *pose, int body, double factor,
                      PerpVec3 point, PerpVec3 u)
{
    if (body < 0)
        return;
    PerpVec3 moment = perp_vec3_cross(perp_vec3_sub(point, pose[body].position), u);
    add(path, body, factor, u, perp_quat_rotate_back(pose[body].rotation, moment));
}

// gear |b - a|; sites at the same place have no direction, and no force
static void add_line(const PerpModel *model, const PerpActuator *actuator, const PerpPose *pose,
                     PerpActuatorPath *path)
{
    const PerpSite *sites = model->control.sites;
    PerpVec3 a = perp_site_pose(model, pose, actuator->site_a).position;
    PerpVec3 b = perp_site_pose(model, pose, actuator->site_b).position;
    PerpVec3 along = perp_vec3_sub(b, a);
    double length = perp_vec3_norm(along);
    PerpVec3 u = length > 0 ? perp_vec3_scale(1 / length, along) : (PerpVec3){0, 0, 0};
    path->length = actuator->gear * length;
    add_point(path, pose, sites[actuator->site_a].body, -actuator->gear, a, u);
    add_point(path, pose, sites[actuator->site_b].body, actuator->gear, b, u);
}

static void add_wrench(const PerpModel *model, const PerpActuator *actuator, const PerpPose *pose,
                       PerpActuatorPath *path)
{
    int body = model->control.sites[actuator->site_a].body;
    PerpPose site = perp_site_pose(model, pose, actuator->site_a);
    PerpVec3 moment = perp_quat_rotate(site.rotation, actuator->moment);
    add_point(path, pose, body, actuator->gear, site.position,
              perp_quat_rotate(site.rotation, actuator->force));
    add(path, body, actuator->gear, (PerpVec3){0, 0, 0},
        perp_quat_rotate_back(pose[body].rotation, moment));
}

PerpActuatorPath perp_actuator_path(const PerpModel *model, const PerpActuator *actuator,
                                    const PerpPose *pose, const double *turn)
{
    PerpActuatorPath path = {0};
    if (actuator->n_terms > 0)
        add_terms(model, actuator, pose, turn, &path);
    else if (actuator->site_b >= 0)
        add_line(model, actuator, pose, &path);
    else
        add_wrench(model, actuator, pose, &path);
    return path;
}

double perp_actuator_speed(const PerpRigid *rigid, const PerpActuatorPath *path, const double *v)
{
    double speed = 0;
    for (int k = 0; k < path->n_bodies; k++) {
        PerpTwist twist = perp_rigid_twist(rigid, v, path->body[k]);
        speed += perp_vec3_dot(path->linear[k], twist.linear) +
                 perp_vec3_dot(path->angular[k], twist.angular);
    }
    return speed;
}
