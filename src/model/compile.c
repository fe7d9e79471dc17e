// What the compilation steps share: names, frames of the centres of mass.
#include "model/compile.h"

#include <stdio.h>
#include <string.h>

PerpStatus perp_compile_no_memory(PerpError *error)
{
    return perp_fail(error, PERP_NO_MEMORY, "out of memory while compiling the model");
}

char *perp_compile_name(const PerpModel *model, const char *name, const char *kind, int index)
{
    char generated[64];
    snprintf(generated, sizeof generated, "%s-%d", kind, index);
    const char *text = name && name[0] ? name : generated;
    char *copy = perp_allocate(&model->context.allocator, strlen(text) + 1, 1);
    if (copy)
        strcpy(copy, text);
    return copy;
}

PerpStatus perp_compile_unique(PerpNameIndex *names, const char *kind, const char *name, int index,
                               PerpError *error)
{
    int first = perp_name_index_add(names, name, index);
    PerpCheck check = {.kind = kind, .name = name, .error = error};
    if (first != index)
        perp_check_fail(&check, PERP_BAD_VALUE,
                        "numbers %d and %d have this name; it must be unique", first, index);
    return check.status;
}

PerpVec3 perp_compile_point(const PerpModel *model, int body, PerpVec3 world)
{
    return body < 0 ? world : perp_pose_local(model->bodies[body].pose, world);
}

PerpPose perp_compile_pose(const PerpModel *model, int body, PerpPose world)
{
    if (body < 0)
        return world;
    PerpQuat back = perp_quat_conjugate(model->bodies[body].pose.rotation);
    return (PerpPose){perp_compile_point(model, body, world.position),
                      perp_quat_normalise(perp_quat_product(back, world.rotation))};
}

PerpQuat perp_compile_quat(const double q[4])
{
    return perp_quat_normalise((PerpQuat){q[0], q[1], q[2], q[3]});
}
