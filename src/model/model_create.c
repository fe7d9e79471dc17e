// Creation of a model: the definitions checked and compiled step by step; destruction.
#include "model/compile.h"

#include <assert.h>

static PerpStatus check_model(const PerpModelDef *def, PerpError *error)
{
    PerpCheck check = {.kind = "the model", .name = "", .error = error};
    perp_check_finite(&check, "gravity", def->gravity, 3);
    const struct {
        const char *name;
        int count;
        const void *items;
    } counts[] = {
        {"bodies", def->n_bodies, def->bodies},
        {"shapes", def->n_shapes, def->shapes},
        {"joints", def->n_joints, def->joints},
        {"springs", def->n_springs, def->springs},
        {"forces", def->n_forces, def->forces},
        {"materials", def->n_materials, def->materials},
        {"pairs", def->n_pairs, def->pairs},
        {"exclusions", def->n_exclusions, def->exclusions},
        {"sites", def->n_sites, def->sites},
        {"signals", def->n_signals, def->signals},
        {"motions", def->n_motions, def->motions},
        {"actuators", def->n_actuators, def->actuators},
        {"sensors", def->n_sensors, def->sensors},
        {"keyframes", def->n_keyframes, def->keyframes},
    };
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++) {
        assert(counts[k].count <= 0 || counts[k].items);
        if (counts[k].count < 0)
            perp_check_fail(&check, PERP_BAD_SIZE, "the number of %s is %d; it must be at least 0",
                            counts[k].name, counts[k].count);
    }
    return check.status;
}

static PerpStatus compile(PerpModel *model, const PerpModelDef *def, PerpError *error)
{
    static PerpStatus (*const steps[])(PerpModel *, const PerpModelDef *, PerpError *) = {
        perp_compile_bodies, perp_compile_surfaces,   perp_compile_shapes,
        perp_compile_motion, perp_compile_joints,     perp_compile_springs,
        perp_compile_forces, perp_compile_exclusions, perp_compile_control};
    PerpStatus status = check_model(def, error);
    for (size_t k = 0; k < sizeof steps / sizeof *steps && !status; k++)
        status = steps[k](model, def, error);
    return status;
}

PerpStatus perp_model_create(const PerpContext *context, const PerpModelDef *def, PerpModel **model,
                             PerpError *error)
{
    assert(def && model);
    PerpContext lent = context ? *context : perp_default_context();
    *model = NULL;
    PerpModel *compiled = perp_allocate(&lent.allocator, 1, sizeof *compiled);
    if (!compiled)
        return perp_compile_no_memory(error);
    compiled->context = lent;
    PerpModelDef used = perp_default_model_def();
    PerpArena copies;
    perp_arena_init(&copies, &lent.allocator);
    PerpStatus status = perp_model_def_read(&copies, def, &used, error);
    compiled->gravity = perp_vec3_load(used.gravity);
    if (!status)
        status = compile(compiled, &used, error);
    perp_arena_free(&copies);
    if (status)
        perp_model_destroy(compiled);
    else
        *model = compiled;
    return status;
}

static void free_items(PerpModel *model)
{
    const PerpAllocator *allocator = &model->context.allocator;
    for (int k = 0; k < model->n_bodies; k++)
        perp_free(allocator, model->bodies[k].name);
    for (int k = 0; k < model->n_shapes; k++) {
        perp_free(allocator, model->shapes[k].name);
        perp_shape_free(allocator, &model->shapes[k].shape);
    }
    for (int k = 0; k < model->n_joints; k++)
        perp_free(allocator, model->joints[k].name);
    for (int k = 0; k < model->n_springs; k++)
        perp_free(allocator, model->springs[k].name);
    for (int k = 0; k < model->n_forces; k++)
        perp_free(allocator, model->forces[k].name);
}

void perp_model_destroy(PerpModel *model)
{
    if (!model)
        return;
    PerpAllocator allocator = model->context.allocator;
    free_items(model);
    perp_name_index_free(&allocator, &model->body_names);
    perp_name_index_free(&allocator, &model->joint_names);
    perp_control_free(&allocator, &model->control);
    void *const owned[] = {model->bodies,   model->shapes,         model->joints,
                           model->springs,  model->forces,         model->surfaces,
                           model->excluded, model->excluded_start, model};
    for (size_t k = 0; k < sizeof owned / sizeof *owned; k++)
        perp_free(&allocator, owned[k]);
}
