// Shapes of a scene: on bodies and in the world.
#ifndef PERP_IO_SCENE_SCENE_SHAPE_H
#define PERP_IO_SCENE_SCENE_SHAPE_H

#include "io/scene/scene_reader.h"
#include "math/pose.h"

// A shape while it is read. What its own kind says of its place (a plane's normal, a point) stands
// apart from `at` and `turn`, which come around it.
typedef struct PerpShapeDraft {
    PerpShapeDef def;
    PerpPose inner;
} PerpShapeDraft;

PerpShapeDraft perp_shape_draft(void);

extern const char *const perp_shape_words[PERP_SHAPE_KIND_COUNT];

// Fields of the kinds, for tables whose target holds a PerpShapeDraft at `offset`.
#define PERP_SHAPE_KIND_FIELDS(offset)                                                             \
    {"point", PERP_FIELD_OWN, offset, perp_read_shape_kind, 0},                                    \
        {"sphere", PERP_FIELD_OWN, offset, perp_read_shape_kind, 0},                               \
        {"capsule", PERP_FIELD_OWN, offset, perp_read_shape_kind, 0},                              \
        {"box", PERP_FIELD_OWN, offset, perp_read_shape_kind, 0},                                  \
        {"cylinder", PERP_FIELD_OWN, offset, perp_read_shape_kind, 0},                             \
        {"ellipsoid", PERP_FIELD_OWN, offset, perp_read_shape_kind, 0},                            \
        {"plane", PERP_FIELD_OWN, offset, perp_read_shape_kind, 0},                                \
        {"hull", PERP_FIELD_OWN, offset, perp_read_shape_kind, 0},                                 \
        {"mesh", PERP_FIELD_OWN, offset, perp_read_shape_kind, 0},                                 \
    {                                                                                              \
        "height-field", PERP_FIELD_OWN, offset, perp_read_shape_kind, 0                            \
    }

// The value of the key that names the kind; draft->def.kind is set.
PerpStatus perp_read_shape_kind(PerpSceneReader *reader, const PerpNode *value, void *draft);

PerpStatus perp_read_turn(PerpSceneReader *reader, const PerpNode *value, void *rotation);
PerpStatus perp_read_quaternion(PerpSceneReader *reader, const PerpNode *value, void *rotation);
PerpStatus perp_read_shape_material(PerpSceneReader *reader, const PerpNode *value, void *index);
PerpStatus perp_read_group(PerpSceneReader *reader, const PerpNode *value, void *bits);
PerpStatus perp_read_touches(PerpSceneReader *reader, const PerpNode *value, void *bits);

// A whole shape of a list, on a body or in the world; draft gives the defaults.
PerpStatus perp_read_shape(PerpSceneReader *reader, const PerpNode *item, PerpShapeDraft draft);
PerpStatus perp_add_shape(PerpSceneReader *reader, const PerpNode *node, PerpShapeDraft *draft);

// Scales the densities of the shapes first, first + 1, ... so that they weigh mass together.
PerpStatus perp_share_mass(PerpSceneReader *reader, const PerpNode *node, int first, double mass);

// Vertices and triangles of a Wavefront OBJ file.
typedef struct PerpSceneMesh {
    int n_vertices, n_triangles;
    double *vertices; // 3 each, of the scene's arena
    int *triangles;   // 3 each
} PerpSceneMesh;

// Reads a file once, however many shapes name it.
PerpStatus perp_scene_mesh(PerpSceneReader *reader, const PerpNode *node, const char *what,
                           PerpSceneMesh *mesh);

#endif
