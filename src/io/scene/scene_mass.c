// A body's mass, spread over its shapes.
#include "io/scene/scene_shape.h"
#include "model/model.h"

enum { CHARACTERS_A_VERTEX = 20 }; // what a vertex of a hull costs, in characters of expressions

// Making a hull takes time, and a scene may ask for a million of them.
static PerpStatus charge_for_hull(PerpSceneReader *reader, const PerpNode *node, int n_vertices)
{
    reader->scope.left -= (long long)CHARACTERS_A_VERTEX * n_vertices;
    if (reader->scope.left >= 0)
        return PERP_OK;
    return perp_node_fail(reader->document, node, PERP_BAD_SIZE,
                          "mass: too many hulls of too many points in the scene");
}

static PerpStatus weigh(PerpSceneReader *reader, const PerpNode *node, const PerpShapeDef *def,
                        double *mass)
{
    const PerpAllocator *allocator = &reader->scene->context.allocator;
    PerpShape shape;
    PerpStatus status = charge_for_hull(reader, node, def->n_vertices);
    if (!status)
        status = perp_node_blame(reader->document, node,
                                 perp_shape_create(allocator, def, &shape, reader->error));
    if (status)
        return status;
    *mass = def->density * perp_shape_mass(&shape).mass;
    perp_shape_free(allocator, &shape);
    return PERP_OK;
}

PerpStatus perp_share_mass(PerpSceneReader *reader, const PerpNode *node, int first, double mass)
{
    PerpShapeDef *shapes = reader->scene->shapes.items;
    int count = reader->scene->shapes.count;
    double sum = 0, part = 0;
    PerpStatus status = PERP_OK;
    for (int k = first; !status && k < count; k++) {
        status = weigh(reader, node, &shapes[k], &part);
        sum += part;
    }
    if (!status && !(sum > 0 && mass / sum < 1e300))
        status = perp_node_fail(reader->document, node, PERP_BAD_VALUE,
                                "mass: the body has no shape with a volume, so it needs "
                                "\"inertia\" too, or \"free: point\"");
    for (int k = first; !status && k < count; k++)
        shapes[k].density *= mass / sum;
    return status;
}
