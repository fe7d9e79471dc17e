// Joints, from poses alone: how far the two bodies are from what each joint allows.
#include "soak/soak.h"

#include <math.h>

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static double size_of(const double a[3])
{
    return sqrt(dot(a, a));
}

// conj(a) b
static void relative(const double a[4], const double b[4], double out[4])
{
    out[0] = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
    for (int k = 1; k < 4; k++) {
        int i = k % 3 + 1, j = i % 3 + 1;
        out[k] = a[0] * b[k] - a[k] * b[0] - a[i] * b[j] + a[j] * b[i];
    }
}

static void rotation_of(const PerpSimulation *simulation, int body, double rotation[4])
{
    double position[3];
    rotation[0] = 1;
    rotation[1] = rotation[2] = rotation[3] = 0;
    if (body >= 0)
        perp_simulation_pose(simulation, body, position, rotation);
}

static void turn_to(const SoakScene *s, int body, const double v[3], double out[3])
{
    double q[4] = {1, 0, 0, 0};
    for (int k = 0; k < 4 && body >= 0; k++)
        q[k] = k ? -s->body[body].rotation[k] : s->body[body].rotation[k];
    soak_rotate(q, v, out);
}

void soak_find_joint(const SoakScene *s, int joint, SoakJoint *frame)
{
    static const double world[4] = {1, 0, 0, 0};
    const PerpJointDef *j = &s->joint[joint];
    bool apart = j->kind == PERP_JOINT_DISTANCE || j->kind == PERP_JOINT_ROPE;
    const double *at_b = apart ? j->anchor_b : j->anchor;
    double d[3] = {at_b[0] - j->anchor[0], at_b[1] - j->anchor[1], at_b[2] - j->anchor[2]};
    soak_localise(s, j->body_a, j->anchor, frame->anchor[0]);
    soak_localise(s, j->body_b, at_b, frame->anchor[1]);
    turn_to(s, j->body_a, j->axis, frame->axis[0]);
    turn_to(s, j->body_b, j->axis, frame->axis[1]);
    turn_to(s, j->body_b, j->axis_b, frame->second);
    relative(j->body_a < 0 ? world : s->body[j->body_a].rotation, s->body[j->body_b].rotation,
             frame->rotation);
    frame->length = size_of(d);
}

// Where a joint's frames are now.
typedef struct Placed {
    double apart[3];    // from the anchor on a to that on b
    double axis[2][3];  // in the world
    double second[3];   //
    double rotation[4]; // of b in a
} Placed;

static void place(const SoakJoint *frame, const PerpJointDef *j, const PerpSimulation *simulation,
                  Placed *p)
{
    double a[3], b[3], turned_a[4], turned_b[4];
    soak_globalise(simulation, j->body_a, frame->anchor[0], a);
    soak_globalise(simulation, j->body_b, frame->anchor[1], b);
    rotation_of(simulation, j->body_a, turned_a);
    rotation_of(simulation, j->body_b, turned_b);
    soak_rotate(turned_a, frame->axis[0], p->axis[0]);
    soak_rotate(turned_b, frame->axis[1], p->axis[1]);
    soak_rotate(turned_b, frame->second, p->second);
    relative(turned_a, turned_b, p->rotation);
    for (int k = 0; k < 3; k++)
        p->apart[k] = b[k] - a[k];
}

// rad, of two directions: the sine
static double angle(const Placed *p)
{
    const double *a = p->axis[0], *b = p->axis[1];
    double cross[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2],
                       a[0] * b[1] - a[1] * b[0]};
    return size_of(cross);
}

// rad, of the rotation since the start
static double turn(const SoakJoint *frame, const Placed *p)
{
    double since[4];
    relative(frame->rotation, p->rotation, since);
    return 2 * size_of(since + 1);
}

// m, across the axis of a
static double beside(const Placed *p)
{
    double off[3], along = dot(p->axis[0], p->apart);
    for (int k = 0; k < 3; k++)
        off[k] = p->apart[k] - along * p->axis[0][k];
    return size_of(off);
}

// The verdict measures joints row by row: n rows are sqrt(n) of that apart.
static double gap_of(const SoakJoint *frame, const PerpJointDef *j, const Placed *p)
{
    double apart = size_of(p->apart), two = sqrt(2), three = sqrt(3);
    switch (j->kind) {
    case PERP_JOINT_BALL:
        return apart / three;
    case PERP_JOINT_HINGE:
        return fmax(apart / three, angle(p) / two);
    case PERP_JOINT_SLIDER:
        return fmax(beside(p) / two, turn(frame, p) / three);
    case PERP_JOINT_UNIVERSAL:
        return fmax(apart / three, fabs(dot(p->axis[0], p->second)));
    case PERP_JOINT_CYLINDRICAL:
        return fmax(beside(p), angle(p)) / two;
    case PERP_JOINT_WELD:
        return fmax(apart, turn(frame, p)) / three;
    case PERP_JOINT_DISTANCE:
        return fabs(apart - frame->length);
    case PERP_JOINT_ROPE:
        return fmax(apart - frame->length, 0);
    case PERP_JOINT_POINT_ON_PLANE:
        return fabs(dot(p->axis[0], p->apart));
    default:
        return 0;
    }
}

double soak_joint_gap(const SoakScene *s, const SoakFrames *frames,
                      const PerpSimulation *simulation)
{
    double widest = 0;
    for (int k = 0; k < s->def.n_joints; k++) {
        Placed placed;
        place(&frames->joint[k], &s->joint[k], simulation, &placed);
        widest = fmax(widest, gap_of(&frames->joint[k], &s->joint[k], &placed));
    }
    return widest;
}
