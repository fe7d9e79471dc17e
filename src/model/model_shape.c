// Shapes of a model, in the frames that the user gave, and the masses that come from them.
#include "model/compile.h"

#include <string.h>

static bool must_be_fixed(PerpShapeKind kind)
{
    return kind == PERP_SHAPE_PLANE || kind == PERP_SHAPE_MESH || kind == PERP_SHAPE_HEIGHT_FIELD;
}

static PerpStatus check_shape(const PerpModel *model, const PerpShapeDef *def, const char *name,
                              PerpError *error)
{
    PerpCheck check = {.kind = "shape", .name = name, .error = error};
    perp_check_index(&check, "kind", (int)def->kind, 0, PERP_SHAPE_KIND_COUNT);
    perp_check_index(&check, "body", def->body, -1, model->n_bodies);
    perp_check_index(&check, "material", def->material, 0, model->n_materials);
    perp_check_finite(&check, "position", def->position, 3);
    perp_check_rotation(&check, "rotation", def->rotation);
    perp_check_at_least(&check, "density", def->density, 0);
    perp_check_finite(&check, "surface_velocity", def->surface_velocity, 3);
    for (int k = 0; k < 4 && def->colour[0] != -1; k++)
        perp_check_fraction(&check, "colour", def->colour[k]);
    if (!check.status && must_be_fixed(def->kind) && def->body >= 0 &&
        model->bodies[def->body].freedom != 0)
        perp_check_fail(&check, PERP_BAD_VALUE,
                        "a %s belongs to the world or to a fixed body; body \"%s\" can move",
                        perp_shape_kind_name(def->kind), model->bodies[def->body].name);
    return check.status;
}

static PerpStatus create_shape(PerpModel *model, const PerpShapeDef *def, PerpModelShape *shape,
                               PerpError *error)
{
    PerpCheck check = {.kind = "shape", .name = shape->name, .error = error};
    shape->body = def->body;
    shape->pose = (PerpPose){perp_vec3_load(def->position), perp_compile_quat(def->rotation)};
    shape->material = def->material;
    shape->group = def->group;
    shape->mask = def->mask;
    shape->surface_velocity = perp_vec3_load(def->surface_velocity);
    memcpy(shape->colour, def->colour, sizeof shape->colour);
    model->has_surface_velocity =
        model->has_surface_velocity || perp_vec3_norm(shape->surface_velocity) > 0;
    PerpShape created;
    PerpError why;
    PerpStatus status = perp_shape_create(&model->context.allocator, def, &created, &why);
    if (status)
        perp_check_fail(&check, status, "%s", why.message);
    else
        shape->shape = created;
    return status;
}

// mass, centre and inertia of the body with one part more
static void add_mass(PerpBody *body, const PerpModelShape *shape, double density)
{
    PerpMassProperties part = perp_shape_mass(&shape->shape);
    if (part.mass == 0 || density == 0)
        return;
    PerpMassProperties sum = perp_mass_moved(part, shape->pose, density);
    if (body->mass > 0)
        sum = perp_mass_sum((PerpMassProperties){body->mass, body->centre, body->inertia}, sum);
    body->mass = sum.mass;
    body->centre = sum.centre;
    body->inertia = sum.inertia;
}

static PerpStatus compile_shape(PerpModel *model, const PerpModelDef *def, int index,
                                PerpError *error)
{
    const PerpShapeDef *shape_def = &def->shapes[index];
    PerpModelShape *shape = &model->shapes[index];
    shape->name = perp_compile_name(model, shape_def->name, "shape", index);
    if (!shape->name)
        return perp_compile_no_memory(error);
    PerpStatus status = check_shape(model, shape_def, shape->name, error);
    if (!status)
        status = create_shape(model, shape_def, shape, error);
    if (!status && shape->body >= 0 && def->bodies[shape->body].mass == 0)
        add_mass(&model->bodies[shape->body], shape, shape_def->density);
    return status;
}

PerpStatus perp_compile_shapes(PerpModel *model, const PerpModelDef *def, PerpError *error)
{
    const PerpAllocator *allocator = &model->context.allocator;
    model->shapes = perp_allocate(allocator, (size_t)def->n_shapes, sizeof *model->shapes);
    if (!model->shapes)
        return perp_compile_no_memory(error);
    model->n_shapes = def->n_shapes;
    PerpStatus status = PERP_OK;
    for (int k = 0; k < def->n_shapes && !status; k++)
        status = compile_shape(model, def, k, error);
    return status;
}
