#include "step/ball_rows.h"

enum { AXES = 3 };

// A free body of the joint: block, and where its numbers are in a row.
typedef struct Side {
    int body, block, at;
    double sign; // of its part in p_b - p_a
    PerpVec3 arm;
} Side;

// sign e_k and sign R'(arm x e_k) into the three rows, `size` numbers apart; returns the point.
static PerpVec3 write_side(const Side *side, PerpPose pose, int size, double *J)
{
    PerpVec3 moment[AXES];
    PerpVec3 point = perp_joint_carry(pose, side->arm, moment);
    for (int k = 0; k < AXES && side->block >= 0; k++) {
        double *to = J + size * k + side->at;
        to[0] = to[1] = to[2] = 0;
        to[k] = side->sign;
        perp_vec3_store(perp_vec3_scale(side->sign, moment[k]), to + AXES);
    }
    return point;
}

// What is the same in all rows: the joint, and the bodies.
static void write_pattern(PerpAssembly *a, int joint, const Side side[2], int n)
{
    for (int k = 0; k < AXES; k++) {
        for (int s = 0; s < 2; s++)
            if (side[s].block >= 0)
                a->entry_body[a->entries++] = side[s].block;
        a->row_joint[a->rows] = joint;
        a->d[a->rows] = 0;
        a->values += 2 * AXES * n;
        a->row_start[++a->rows] = a->entries;
        a->row_values[a->rows] = a->values;
    }
}

static bool is_free_or_fixed(const PerpModel *model, int body)
{
    return body < 0 || model->bodies[body].freedom == 0 ||
           model->bodies[body].freedom == PERP_FREE_ALL;
}

bool perp_ball_rows_add(PerpAssembly *a, const PerpPose *pose, int joint)
{
    static const PerpPose world = {{0, 0, 0}, {1, 0, 0, 0}};
    const PerpModel *model = a->rigid->model;
    const PerpJoint *j = &model->joints[joint];
    Side side[2] = {{.body = j->body_a, .sign = -1, .arm = j->frame_a.position},
                    {.body = j->body_b, .sign = 1, .arm = j->frame_b.position}};
    PerpVec3 point[2];
    int n = 0;
    if (!is_free_or_fixed(model, j->body_a) || !is_free_or_fixed(model, j->body_b))
        return false;
    for (int s = 0; s < 2; s++) {
        side[s].block = side[s].body < 0 ? -1 : a->rigid->block_of[side[s].body];
        side[s].at = 2 * AXES * n;
        n += side[s].block >= 0;
    }
    if (n == 0)
        return false;
    for (int s = 0; s < 2; s++)
        point[s] = write_side(&side[s], side[s].body < 0 ? world : pose[side[s].body],
                              2 * AXES * n, a->J + a->values);
    perp_vec3_store(perp_vec3_sub(point[1], point[0]), a->theta + a->rows);
    write_pattern(a, joint, side, n);
    return true;
}
