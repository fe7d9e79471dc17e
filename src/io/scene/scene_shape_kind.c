// The keys of each kind of shape in a scene.
#include "io/scene/scene_shape.h"

#include <stddef.h>

enum { LEAST_HULL = 4, LEAST_GRID = 2 };

typedef PerpStatus (*KindRead)(PerpSceneReader *reader, const PerpNode *value,
                               PerpShapeDraft *draft);

static PerpStatus read_point(PerpSceneReader *reader, const PerpNode *value, PerpShapeDraft *draft)
{
    double place[3] = {0};
    PerpStatus status = perp_scene_numbers(reader, value, 3, "point", place);
    draft->inner.position = perp_vec3_load(place);
    return status;
}

static PerpStatus read_sphere(PerpSceneReader *reader, const PerpNode *value, PerpShapeDraft *draft)
{
    return perp_scene_positive(reader, value, "sphere (its radius)", &draft->def.size[0]);
}

typedef struct Round {
    double radius, length;
} Round;

// {radius, length}, where `length_key` is the word for the second; halves it.
static PerpStatus read_round(PerpSceneReader *reader, const PerpNode *value, const char *what,
                             const char *length_key, double *size)
{
    const PerpField list[] = {
        {"radius", PERP_FIELD_POSITIVE, offsetof(Round, radius), NULL, 0},
        {length_key, PERP_FIELD_POSITIVE, offsetof(Round, length), NULL, 0},
    };
    const PerpFields fields = PERP_FIELDS(what, list);
    const PerpNode *required;
    Round round;
    PerpStatus status = perp_fields_read(reader, value, &fields, 0, "", &round);
    if (!status)
        status = perp_node_require(reader->document, value, "radius", &required);
    if (!status)
        status = perp_node_require(reader->document, value, length_key, &required);
    if (status)
        return status;
    size[0] = round.radius;
    size[1] = round.length / 2;
    return PERP_OK;
}

static PerpStatus read_capsule(PerpSceneReader *reader, const PerpNode *value,
                               PerpShapeDraft *draft)
{
    return read_round(reader, value, "capsule", "length", draft->def.size);
}

static PerpStatus read_cylinder(PerpSceneReader *reader, const PerpNode *value,
                                PerpShapeDraft *draft)
{
    return read_round(reader, value, "cylinder", "height", draft->def.size);
}

static PerpStatus read_box(PerpSceneReader *reader, const PerpNode *value, PerpShapeDraft *draft)
{
    PerpStatus status = perp_scene_sizes(reader, value, 3, "box (its sides)", draft->def.size);
    for (int k = 0; k < 3; k++)
        draft->def.size[k] /= 2;
    return status;
}

static PerpStatus read_ellipsoid(PerpSceneReader *reader, const PerpNode *value,
                                 PerpShapeDraft *draft)
{
    return perp_scene_sizes(reader, value, 3, "ellipsoid (its semi-axes)", draft->def.size);
}

// The rotation that turns z into n on the shortest way.
static PerpQuat tilt(PerpVec3 n)
{
    if (n.z < -1 + 1e-12)
        return (PerpQuat){.x = 1};
    return perp_quat_normalise((PerpQuat){1 + n.z, -n.y, n.x, 0});
}

static PerpStatus read_plane(PerpSceneReader *reader, const PerpNode *value, PerpShapeDraft *draft)
{
    double normal[3];
    PerpStatus status = perp_scene_direction(reader, value, "plane (its normal)", normal);
    if (!status)
        draft->inner.rotation = tilt(perp_vec3_normalise(perp_vec3_load(normal)));
    return status;
}

// A list of points, or a file whose vertices are taken.
static PerpStatus read_hull(PerpSceneReader *reader, const PerpNode *value, PerpShapeDraft *draft)
{
    PerpSceneMesh mesh = {0};
    PerpStatus status = PERP_OK;
    if (value->kind == PERP_NODE_SCALAR) {
        status = perp_scene_mesh(reader, value, "hull", &mesh);
    } else {
        status = perp_node_sequence(reader->document, value, "hull");
        mesh.n_vertices = value->count;
    }
    if (!status && mesh.n_vertices < LEAST_HULL)
        status = perp_node_fail(reader->document, value, PERP_BAD_SIZE,
                                "hull: expected at least %d points", LEAST_HULL);
    if (!status && !mesh.vertices) {
        mesh.vertices = PERP_TAKE(&reader->scene->arena, double, 3 * (size_t)value->count);
        status = mesh.vertices ? PERP_OK : perp_scene_fail_for_memory(reader, value);
        double *next = mesh.vertices;
        for (const PerpNode *n = value->child; !status && n; n = n->next, next += 3)
            status = perp_scene_numbers(reader, n, 3, "hull: a point", next);
    }
    draft->def.n_vertices = mesh.n_vertices;
    draft->def.vertices = mesh.vertices;
    return status;
}

static PerpStatus read_mesh(PerpSceneReader *reader, const PerpNode *value, PerpShapeDraft *draft)
{
    PerpSceneMesh mesh = {0};
    PerpStatus status = perp_scene_mesh(reader, value, "mesh", &mesh);
    if (!status && mesh.n_triangles == 0)
        status =
            perp_node_fail(reader->document, value, PERP_BAD_SIZE, "mesh: the file has no faces");
    draft->def.n_vertices = mesh.n_vertices;
    draft->def.vertices = mesh.vertices;
    draft->def.n_triangles = mesh.n_triangles;
    draft->def.triangles = mesh.triangles;
    return status;
}

static PerpStatus read_cell(PerpSceneReader *reader, const PerpNode *value, void *target)
{
    PerpShapeDef *def = target;
    return perp_scene_sizes(reader, value, 2, "cell", def->size);
}

static PerpStatus check_grid(PerpSceneReader *reader, const PerpNode *rows)
{
    PerpStatus status = perp_node_sequence(reader->document, rows, "heights");
    if (!status && rows->count < LEAST_GRID)
        status = perp_node_fail(reader->document, rows, PERP_BAD_SIZE,
                                "heights: expected at least %d rows", LEAST_GRID);
    if (!status)
        status = perp_node_sequence(reader->document, rows->child, "heights: a row");
    if (!status && rows->child->count < LEAST_GRID)
        status = perp_node_fail(reader->document, rows->child, PERP_BAD_SIZE,
                                "heights: expected rows of at least %d points", LEAST_GRID);
    return status;
}

static PerpStatus read_heights(PerpSceneReader *reader, const PerpNode *value, void *target)
{
    PerpShapeDef *def = target;
    PerpStatus status = check_grid(reader, value);
    if (status)
        return status;
    def->rows = value->count;
    def->columns = value->child->count;
    // A row of many points and many empty rows would ask for far more than the file holds.
    for (const PerpNode *row = value->child; !status && row; row = row->next)
        status = perp_node_sequence_of(reader->document, row, def->columns, "heights: a row");
    if (status)
        return status;
    double *heights =
        PERP_TAKE(&reader->scene->arena, double, (size_t)def->rows *(size_t)def->columns);
    if (!heights)
        return perp_scene_fail_for_memory(reader, value);
    def->heights = heights;
    for (const PerpNode *row = value->child; !status && row; row = row->next) {
        status = perp_scene_numbers(reader, row, def->columns, "heights: a row", heights);
        heights += def->columns;
    }
    return status;
}

static const PerpField height_field_list[] = {
    {"cell", PERP_FIELD_OWN, 0, read_cell, 0},
    {"heights", PERP_FIELD_OWN, 0, read_heights, 0},
};
static const PerpFields height_fields = PERP_FIELDS("height-field", height_field_list);

static PerpStatus read_height_field(PerpSceneReader *reader, const PerpNode *value,
                                    PerpShapeDraft *draft)
{
    const PerpNode *required;
    PerpStatus status = perp_fields_read(reader, value, &height_fields, 0, "", &draft->def);
    if (!status)
        status = perp_node_require(reader->document, value, "cell", &required);
    return status ? status : perp_node_require(reader->document, value, "heights", &required);
}

static const KindRead kind_reads[PERP_SHAPE_KIND_COUNT] = {
    [PERP_SHAPE_POINT] = read_point,       [PERP_SHAPE_SPHERE] = read_sphere,
    [PERP_SHAPE_CAPSULE] = read_capsule,   [PERP_SHAPE_BOX] = read_box,
    [PERP_SHAPE_CYLINDER] = read_cylinder, [PERP_SHAPE_ELLIPSOID] = read_ellipsoid,
    [PERP_SHAPE_PLANE] = read_plane,       [PERP_SHAPE_HULL] = read_hull,
    [PERP_SHAPE_MESH] = read_mesh,         [PERP_SHAPE_HEIGHT_FIELD] = read_height_field,
};

PerpStatus perp_read_shape_kind(PerpSceneReader *reader, const PerpNode *value, void *draft)
{
    PerpShapeDraft *shape = draft;
    return kind_reads[shape->def.kind](reader, value, shape);
}
