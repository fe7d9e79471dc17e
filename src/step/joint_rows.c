#include "step/joint_rows.h"

#include <string.h>

bool perp_joint_rows_create(const PerpModel *model, PerpJointRows *kept)
{
    const PerpAllocator *allocator = &model->context.allocator;
    size_t rows = 0, turns = (size_t)model->n_joints * PERP_JOINT_COORDINATES;
    for (int j = 0; j < model->n_joints; j++)
        rows += (size_t)perp_joint_table(model->joints[j].kind)->equations;
    *kept = (PerpJointRows){0};
    kept->pose = perp_allocate(allocator, (size_t)model->n_bodies, sizeof(PerpPose));
    kept->turn = perp_allocate(allocator, turns, sizeof(double));
    kept->theta = perp_allocate(allocator, rows, sizeof(double));
    kept->J = perp_allocate(allocator, PERP_ROW_VALUES * rows, sizeof(double));
    kept->row_joint = perp_allocate(allocator, rows, sizeof(int));
    kept->row_start = perp_allocate(allocator, rows + 1, sizeof(int));
    kept->row_values = perp_allocate(allocator, rows + 1, sizeof(int));
    kept->entry_body = perp_allocate(allocator, PERP_ROW_ENTRIES * rows, sizeof(int));
    return kept->pose && kept->turn && kept->theta && kept->J && kept->row_joint &&
           kept->row_start && kept->row_values && kept->entry_body;
}

void perp_joint_rows_free(const PerpModel *model, PerpJointRows *kept)
{
    const PerpAllocator *allocator = &model->context.allocator;
    perp_free(allocator, kept->pose);
    perp_free(allocator, kept->turn);
    perp_free(allocator, kept->theta);
    perp_free(allocator, kept->J);
    perp_free(allocator, kept->row_joint);
    perp_free(allocator, kept->row_start);
    perp_free(allocator, kept->row_values);
    perp_free(allocator, kept->entry_body);
    *kept = (PerpJointRows){0};
}

static size_t pose_bytes(const PerpModel *model)
{
    return (size_t)model->n_bodies * sizeof(PerpPose);
}

static size_t turn_bytes(const PerpModel *model)
{
    return (size_t)model->n_joints * PERP_JOINT_COORDINATES * sizeof(double);
}

// The rows themselves, either way.
static void copy_rows(const PerpJointRows *size, const PerpJointRows *from, PerpJointRows *to)
{
    size_t rows = (size_t)size->rows;
    if (from->J == to->J) // lent
        return;
    memcpy(to->theta, from->theta, rows * sizeof(double));
    memcpy(to->J, from->J, (size_t)size->values * sizeof(double));
    memcpy(to->row_joint, from->row_joint, rows * sizeof(int));
    memcpy(to->row_start, from->row_start, (rows + 1) * sizeof(int));
    memcpy(to->row_values, from->row_values, (rows + 1) * sizeof(int));
    memcpy(to->entry_body, from->entry_body, (size_t)size->entries * sizeof(int));
}

static PerpJointRows arrays_of(const PerpAssembly *a)
{
    return (PerpJointRows){.theta = a->theta,
                           .J = a->J,
                           .row_joint = a->row_joint,
                           .row_start = a->row_start,
                           .row_values = a->row_values,
                           .entry_body = a->entry_body};
}

void perp_joint_rows_lend(PerpJointRows *kept, PerpAssembly *to)
{
    kept->row_start[0] = kept->row_values[0] = 0;
    to->theta = kept->theta;
    to->J = kept->J;
    to->row_joint = kept->row_joint;
    to->row_start = kept->row_start;
    to->row_values = kept->row_values;
    to->entry_body = kept->entry_body;
}

void perp_joint_rows_keep(PerpJointRows *kept, const PerpPose *pose, const double *turn,
                          const PerpAssembly *from)
{
    const PerpModel *model = from->rigid->model;
    PerpJointRows rows = arrays_of(from);
    memcpy(kept->pose, pose, pose_bytes(model));
    memcpy(kept->turn, turn, turn_bytes(model));
    kept->rows = from->rows;
    kept->entries = from->entries;
    kept->values = from->values;
    copy_rows(kept, &rows, kept);
    kept->known = true;
}

bool perp_joint_rows_recall(const PerpJointRows *kept, const PerpPose *pose, const double *turn,
                            PerpAssembly *to)
{
    const PerpModel *model = to->rigid->model;
    PerpJointRows rows = arrays_of(to);
    if (!kept->known || memcmp(kept->pose, pose, pose_bytes(model)) != 0 ||
        memcmp(kept->turn, turn, turn_bytes(model)) != 0)
        return false;
    copy_rows(kept, kept, &rows);
    memset(to->d, 0, (size_t)kept->rows * sizeof(double));
    to->rows = kept->rows;
    to->entries = kept->entries;
    to->values = kept->values;
    return true;
}
