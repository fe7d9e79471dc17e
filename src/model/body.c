// Bodies, first step: names, freedom, and the masses that are given.
#include "model/compile.h"

#include <string.h>

static int count_bits(unsigned bits)
{
    int count = 0;
    for (; bits; bits &= bits - 1)
        count++;
    return count;
}

static bool all_zero(const double *values, int count)
{
    for (int k = 0; k < count; k++)
        if (values[k] != 0)
            return false;
    return true;
}

static void check_mass(PerpCheck *check, const PerpBodyDef *def)
{
    perp_check_at_least(check, "mass", def->mass, 0);
    perp_check_finite(check, "centre", def->centre, 3);
    perp_check_finite(check, "inertia", def->inertia, 6);
    if (def->mass == 0 && !(all_zero(def->centre, 3) && all_zero(def->inertia, 6)))
        perp_check_fail(check, PERP_BAD_VALUE,
                        "centre and inertia are given, but no mass; without a mass, all three "
                        "come from the shapes");
}

static PerpStatus check_body(const PerpBodyDef *def, const char *name, PerpError *error)
{
    PerpCheck check = {.kind = "body", .name = name, .error = error};
    if (strcmp(name, "world") == 0)
        perp_check_fail(&check, PERP_BAD_VALUE, "this name is that of the world, body -1");
    if (def->freedom & ~(unsigned)PERP_FREE_ALL)
        perp_check_fail(&check, PERP_BAD_VALUE, "freedom is %u; it has six bits, 0 to 63",
                        def->freedom);
    perp_check_finite(&check, "position", def->position, 3);
    perp_check_rotation(&check, "rotation", def->rotation);
    perp_check_finite(&check, "velocity", def->velocity, 3);
    perp_check_finite(&check, "spin", def->spin, 3);
    check_mass(&check, def);
    return check.status;
}

// xx yy zz xy xz yz
static PerpMat3 load_inertia(const double i[6])
{
    return (PerpMat3){{i[0], i[3], i[4]}, {i[3], i[1], i[5]}, {i[4], i[5], i[2]}};
}

static PerpStatus compile_body(PerpModel *model, const PerpBodyDef *def, int index,
                               PerpError *error)
{
    PerpBody *body = &model->bodies[index];
    body->name = perp_compile_name(model, def->name, "body", index);
    if (!body->name)
        return perp_compile_no_memory(error);
    PerpStatus status = perp_compile_unique(&model->body_names, "body", body->name, index, error);
    if (!status)
        status = check_body(def, body->name, error);
    body->freedom = def->freedom;
    body->n_velocities = count_bits(def->freedom);
    body->mass = def->mass;
    body->centre = perp_vec3_load(def->centre);
    body->inertia = load_inertia(def->inertia);
    return status;
}

PerpStatus perp_compile_bodies(PerpModel *model, const PerpModelDef *def, PerpError *error)
{
    const PerpAllocator *allocator = &model->context.allocator;
    model->bodies = perp_allocate(allocator, (size_t)def->n_bodies, sizeof *model->bodies);
    if (!model->bodies || !perp_name_index_create(allocator, def->n_bodies, &model->body_names))
        return perp_compile_no_memory(error);
    model->n_bodies = def->n_bodies;
    PerpStatus status = PERP_OK;
    for (int k = 0; k < def->n_bodies && !status; k++)
        status = compile_body(model, &def->bodies[k], k, error);
    return status;
}
