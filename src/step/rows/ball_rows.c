// The rows of ball joints, written in place.

#include "step/rows/ball_rows.h"

#include "base/compiler.h"

enum { AXES = 3, FREE = 2 * AXES };

static const PerpPose world = {{0, 0, 0}, {1, 0, 0, 0}};

static bool is_free_or_fixed(const PerpModel *model, int body)
{
    return body < 0 || model->bodies[body].freedom == 0 ||
           model->bodies[body].freedom == PERP_FREE_ALL;
}

static int block_of(const PerpAssembly *a, int body)
{
    return body < 0 ? -1 : a->rigid->block_of[body];
}

// sign e_k and sign R'(arm x e_k) into the three rows, `size` numbers apart
static inline void write_numbers(double sign, const PerpVec3 moment[AXES], int size, double *J)
{
    for (int k = 0; k < AXES; k++, J += size) {
        J[0] = k == 0 ? sign : 0;
        J[1] = k == 1 ? sign : 0;
        J[2] = k == 2 ? sign : 0;
        perp_vec3_store(perp_vec3_scale(sign, moment[k]), J + AXES);
    }
}

// What is the same at all configurations. The counts are kept apart from the arrays while these are
// written: the compiler cannot know that they are not among them.
static inline void write_pattern(PerpAssembly *a, int joint, int block_a, int block_b)
{
    int rows = a->rows, entries = a->entries, values = a->values;
    int size = FREE * ((block_a >= 0) + (block_b >= 0));
    for (int k = 0; k < AXES; k++) {
        if (block_a >= 0)
            a->entry_body[entries++] = block_a;
        if (block_b >= 0)
            a->entry_body[entries++] = block_b;
        a->row_joint[rows] = joint;
        a->d[rows] = 0;
        values += size;
        a->row_start[++rows] = entries;
        a->row_values[rows] = values;
    }
    a->rows = rows;
    a->entries = entries;
    a->values = values;
}

PERP_VECTOR_KERNEL bool perp_ball_rows_add(PerpAssembly *a, const PerpPose *pose, int joint)
{
    const PerpModel *model = a->rigid->model;
    const PerpJoint *j = &model->joints[joint];
    int block_a = block_of(a, j->body_a), block_b = block_of(a, j->body_b);
    PerpVec3 moment_a[AXES], moment_b[AXES];
    if (!is_free_or_fixed(model, j->body_a) || !is_free_or_fixed(model, j->body_b) ||
        (block_a < 0 && block_b < 0))
        return false;
    PerpPose at_a = j->body_a < 0 ? world : pose[j->body_a];
    PerpPose at_b = j->body_b < 0 ? world : pose[j->body_b];
    PerpVec3 point_a = perp_joint_carry(at_a, j->frame_a.position, moment_a);
    PerpVec3 point_b = perp_joint_carry(at_b, j->frame_b.position, moment_b);
    double *J = a->J + a->values;
    int size_a = block_a >= 0 ? FREE : 0, size = size_a + (block_b >= 0 ? FREE : 0);
    if (block_a >= 0)
        write_numbers(-1, moment_a, size, J);
    if (block_b >= 0)
        write_numbers(1, moment_b, size, J + size_a);
    perp_vec3_store(perp_vec3_sub(point_b, point_a), a->theta + a->rows);
    write_pattern(a, joint, block_a, block_b);
    return true;
}
