// Definitions of callers who were compiled with shorter structs: their items are copied, and what
// they do not have takes its default.
#include "base/error.h"
#include "base/sized.h"
#include "model/compile.h"

typedef struct Copier {
    PerpArena *arena;
    PerpStatus status;
    PerpError *error;
} Copier;

// The items as they are if they have `known` bytes each, else a copy of them over the default.
static const void *widen(Copier *copier, const char *name, int count, const void *items,
                         size_t given, const void *defaults, size_t known)
{
    if (copier->status || count <= 0 || !items || given == known)
        return items;
    if (given == 0 || given > known) {
        copier->status = perp_fail(copier->error, PERP_BAD_VALUE,
                                   "%s_size is %zu bytes, not %zu or less: begin with "
                                   "perp_default_model_def() of this version of perp or before",
                                   name, given, known);
        return items;
    }
    char *copy = perp_arena_take(copier->arena, (size_t)count, known);
    if (!copy)
        copier->status = perp_fail_memory(copier->error);
    for (int k = 0; copy && k < count; k++) {
        perp_fill_plain(copy + known * (size_t)k, known, defaults, known);
        perp_read_item(copy + known * (size_t)k, known, items, given, k);
    }
    return copy;
}

PerpStatus perp_model_def_read(PerpArena *copies, const PerpModelDef *given, PerpModelDef *def,
                               PerpError *error)
{
    const PerpBodyDef body = perp_default_body();
    const PerpShapeDef shape = perp_default_shape();
    const PerpJointDef joint = perp_default_joint();
    const PerpSpringDef spring = perp_default_spring();
    const PerpForceDef force = perp_default_force();
    const PerpMaterialDef material = perp_default_material();
    const PerpPairDef pair = perp_default_pair();
    const PerpSiteDef site = perp_default_site();
    const PerpSignalDef signal = perp_default_signal();
    const PerpActuatorDef actuator = perp_default_actuator();
    const PerpMotionDef motion = perp_default_motion();
    const PerpSensorDef sensor = perp_default_sensor();
    const PerpKeyframeDef keyframe = perp_default_keyframe();
    Copier copier = {.arena = copies, .error = error};
    copier.status = perp_read_sized(def, sizeof *def, given, "perp_default_model_def", error);
#define WIDEN(NAME, LIST)                                                                          \
    def->LIST =                                                                                    \
        widen(&copier, #NAME, def->n_##LIST, def->LIST, def->NAME##_size, &NAME, sizeof NAME)
    WIDEN(body, bodies);
    WIDEN(shape, shapes);
    WIDEN(joint, joints);
    WIDEN(spring, springs);
    WIDEN(force, forces);
    WIDEN(material, materials);
    WIDEN(pair, pairs);
    WIDEN(site, sites);
    WIDEN(signal, signals);
    WIDEN(actuator, actuators);
    WIDEN(motion, motions);
    WIDEN(sensor, sensors);
    WIDEN(keyframe, keyframes);
#undef WIDEN
    return copier.status;
}
