// Springs and external forces, in the frames of the centres of mass.
#include "model/compile.h"

#include <string.h>

static PerpStatus check_spring(const PerpModel *model, const PerpSpringDef *def, const char *name,
                               PerpError *error)
{
    PerpCheck check = {.kind = "spring", .name = name, .error = error};
    perp_check_index(&check, "body_a", def->body_a, -1, model->n_bodies);
    perp_check_index(&check, "body_b", def->body_b, -1, model->n_bodies);
    if (def->body_a == def->body_b)
        perp_check_fail(&check, PERP_BAD_VALUE, "body_a and body_b are both %d", def->body_a);
    perp_check_finite(&check, "anchor_a", def->anchor_a, 3);
    perp_check_finite(&check, "anchor_b", def->anchor_b, 3);
    perp_check_at_least(&check, "stiffness", def->stiffness, 0);
    perp_check_at_least(&check, "damping", def->damping, 0);
    perp_check_number(&check, "rest", def->rest);
    perp_check_times(&check, def->start, def->end);
    return check.status;
}

// Without a damper a spring that is slack at length 0 pulls like three, along the axes: the same
// force, but linear, and its direction never turns round.
static double rest_of(const PerpSpringDef *def)
{
    return def->rest == 0 && def->damping == 0 ? -1 : def->rest;
}

static PerpStatus compile_spring(PerpModel *model, const PerpSpringDef *def, int index,
                                 PerpError *error)
{
    PerpSpring *spring = &model->springs[index];
    spring->name = perp_compile_name(model, def->name, "spring", index);
    if (!spring->name)
        return perp_compile_no_memory(error);
    PerpStatus status = check_spring(model, def, spring->name, error);
    if (status)
        return status;
    spring->body_a = def->body_a;
    spring->body_b = def->body_b;
    spring->anchor_a = perp_compile_point(model, def->body_a, perp_vec3_load(def->anchor_a));
    spring->anchor_b = perp_compile_point(model, def->body_b, perp_vec3_load(def->anchor_b));
    spring->stiffness = def->stiffness;
    spring->damping = def->damping;
    spring->rest = rest_of(def);
    spring->start = def->start;
    spring->end = def->end;
    return PERP_OK;
}

PerpStatus perp_compile_springs(PerpModel *model, const PerpModelDef *def, PerpError *error)
{
    const PerpAllocator *allocator = &model->context.allocator;
    model->springs = perp_allocate(allocator, (size_t)def->n_springs, sizeof *model->springs);
    if (!model->springs)
        return perp_compile_no_memory(error);
    model->n_springs = def->n_springs;
    PerpStatus status = PERP_OK;
    for (int k = 0; k < def->n_springs && !status; k++)
        status = compile_spring(model, &def->springs[k], k, error);
    return status;
}

static PerpStatus check_force(const PerpModel *model, const PerpForceDef *def, int n_signals,
                              const char *name, PerpError *error)
{
    PerpCheck check = {.kind = "force", .name = name, .error = error};
    perp_check_index(&check, "body", def->body, 0, model->n_bodies);
    perp_check_finite(&check, "point", def->point, 3);
    perp_check_finite(&check, "force", def->force, 3);
    perp_check_finite(&check, "torque", def->torque, 3);
    perp_check_finite(&check, "wave", def->wave, 3);
    perp_check_at_least(&check, "frequency", def->frequency, 0);
    perp_check_number(&check, "phase", def->phase);
    for (int k = 0; k < 3; k++) {
        perp_check_index(&check, "force_signal", def->force_signal[k], -1, n_signals);
        perp_check_index(&check, "torque_signal", def->torque_signal[k], -1, n_signals);
    }
    if (!(def->start <= def->end))
        perp_check_fail(&check, PERP_BAD_VALUE,
                        "it starts at %g s and ends at %g s; the start must not be after the end",
                        def->start, def->end);
    return check.status;
}

static PerpStatus compile_force(PerpModel *model, const PerpForceDef *def, int n_signals, int index,
                                PerpError *error)
{
    PerpForce *force = &model->forces[index];
    char *name = perp_compile_name(model, def->name, "force", index);
    if (!name)
        return perp_compile_no_memory(error);
    force->name = name;
    PerpStatus status = check_force(model, def, n_signals, name, error);
    if (status)
        return status;
    *force = (PerpForce){
        .name = name,
        .body = def->body,
        .point = perp_vec3_sub(perp_vec3_load(def->point), model->bodies[def->body].centre),
        .force = perp_vec3_load(def->force),
        .torque = perp_vec3_load(def->torque),
        .wave = perp_vec3_load(def->wave),
        .frequency = def->frequency,
        .phase = def->phase,
        .start = def->start,
        .end = def->end,
    };
    memcpy(force->force_signal, def->force_signal, sizeof force->force_signal);
    memcpy(force->torque_signal, def->torque_signal, sizeof force->torque_signal);
    return PERP_OK;
}

PerpStatus perp_compile_forces(PerpModel *model, const PerpModelDef *def, PerpError *error)
{
    const PerpAllocator *allocator = &model->context.allocator;
    model->forces = perp_allocate(allocator, (size_t)def->n_forces, sizeof *model->forces);
    if (!model->forces)
        return perp_compile_no_memory(error);
    model->n_forces = def->n_forces;
    PerpStatus status = PERP_OK;
    for (int k = 0; k < def->n_forces && !status; k++)
        status = compile_force(model, &def->forces[k], def->n_signals, k, error);
    return status;
}
