// The cache of joint rows at the state.

#include "step/rows/joint_row_cache.h"

#include <string.h>

bool perp_joint_row_cache_create(const PerpModel *model, PerpJointRowCache *cache)
{
    const PerpAllocator *allocator = &model->context.allocator;
    size_t rows = 0, turns = (size_t)model->n_joints * PERP_JOINT_COORDINATES;
    for (int j = 0; j < model->n_joints; j++)
        rows += (size_t)perp_joint_table(model->joints[j].kind)->equations;
    *cache = (PerpJointRowCache){0};
    cache->pose = perp_allocate(allocator, (size_t)model->n_bodies, sizeof(PerpPose));
    cache->turn = perp_allocate(allocator, turns, sizeof(double));
    cache->theta = perp_allocate(allocator, rows, sizeof(double));
    cache->J = perp_allocate(allocator, PERP_ROW_VALUES * rows, sizeof(double));
    cache->row_joint = perp_allocate(allocator, rows, sizeof(int));
    cache->row_start = perp_allocate(allocator, rows + 1, sizeof(int));
    cache->row_values = perp_allocate(allocator, rows + 1, sizeof(int));
    cache->entry_body = perp_allocate(allocator, PERP_ROW_ENTRIES * rows, sizeof(int));
    return cache->pose && cache->turn && cache->theta && cache->J && cache->row_joint &&
           cache->row_start && cache->row_values && cache->entry_body;
}

void perp_joint_row_cache_free(const PerpModel *model, PerpJointRowCache *cache)
{
    const PerpAllocator *allocator = &model->context.allocator;
    perp_free(allocator, cache->pose);
    perp_free(allocator, cache->turn);
    perp_free(allocator, cache->theta);
    perp_free(allocator, cache->J);
    perp_free(allocator, cache->row_joint);
    perp_free(allocator, cache->row_start);
    perp_free(allocator, cache->row_values);
    perp_free(allocator, cache->entry_body);
    *cache = (PerpJointRowCache){0};
}

static size_t pose_bytes(const PerpModel *model)
{
    return (size_t)model->n_bodies * sizeof(PerpPose);
}

static size_t turn_bytes(const PerpModel *model)
{
    return (size_t)model->n_joints * PERP_JOINT_COORDINATES * sizeof(double);
}

// The rows themselves, in or out of the cache.
static void copy_rows(const PerpJointRowCache *size, const PerpJointRowCache *from,
                      PerpJointRowCache *to)
{
    size_t rows = (size_t)size->rows;
    if (from->J == to->J) // shared
        return;
    memcpy(to->theta, from->theta, rows * sizeof(double));
    memcpy(to->J, from->J, (size_t)size->values * sizeof(double));
    memcpy(to->row_joint, from->row_joint, rows * sizeof(int));
    memcpy(to->row_start, from->row_start, (rows + 1) * sizeof(int));
    memcpy(to->row_values, from->row_values, (rows + 1) * sizeof(int));
    memcpy(to->entry_body, from->entry_body, (size_t)size->entries * sizeof(int));
}

static PerpJointRowCache arrays_of(const PerpAssembly *a)
{
    return (PerpJointRowCache){.theta = a->theta,
                               .J = a->J,
                               .row_joint = a->row_joint,
                               .row_start = a->row_start,
                               .row_values = a->row_values,
                               .entry_body = a->entry_body};
}

void perp_joint_row_cache_share(PerpJointRowCache *cache, PerpAssembly *to)
{
    cache->row_start[0] = cache->row_values[0] = 0;
    to->theta = cache->theta;
    to->J = cache->J;
    to->row_joint = cache->row_joint;
    to->row_start = cache->row_start;
    to->row_values = cache->row_values;
    to->entry_body = cache->entry_body;
}

void perp_joint_row_cache_store(PerpJointRowCache *cache, const PerpPose *pose, const double *turn,
                                const PerpAssembly *from)
{
    const PerpModel *model = from->rigid->model;
    PerpJointRowCache rows = arrays_of(from);
    memcpy(cache->pose, pose, pose_bytes(model));
    memcpy(cache->turn, turn, turn_bytes(model));
    cache->rows = from->rows;
    cache->entries = from->entries;
    cache->values = from->values;
    copy_rows(cache, &rows, cache);
    cache->known = true;
}

bool perp_joint_row_cache_recall(const PerpJointRowCache *cache, const PerpPose *pose,
                                 const double *turn, PerpAssembly *to)
{
    const PerpModel *model = to->rigid->model;
    PerpJointRowCache rows = arrays_of(to);
    if (!cache->known || memcmp(cache->pose, pose, pose_bytes(model)) != 0 ||
        memcmp(cache->turn, turn, turn_bytes(model)) != 0)
        return false;
    copy_rows(cache, cache, &rows);
    memset(to->d, 0, (size_t)cache->rows * sizeof(double));
    to->rows = cache->rows;
    to->entries = cache->entries;
    to->values = cache->values;
    return true;
}
