// Shapes of bodies and of the world: for contact, and for mass.
#ifndef PERP_SHAPE_H
#define PERP_SHAPE_H

#include "perp/api.h"

#ifdef __cplusplus
extern "C" {
#endif

// X(name, word, text): size[] in metres; the axis of capsules and cylinders is z.
#define PERP_SHAPE_LIST(X)                                                                         \
    X(POINT, "point", "a point")                                                                   \
    X(SPHERE, "sphere", "size[0]: radius")                                                         \
    X(CAPSULE, "capsule", "size[0]: radius, size[1]: half the length between the two centres")     \
    X(BOX, "box", "size: half of each side")                                                       \
    X(CYLINDER, "cylinder", "size[0]: radius, size[1]: half the height")                           \
    X(ELLIPSOID, "ellipsoid", "size: semi-axes")                                                   \
    X(PLANE, "plane", "the half space z <= 0; only in the world or on a fixed body")               \
    X(HULL, "hull", "the convex hull of the vertices")                                             \
    X(MESH, "mesh", "triangles; only in the world or on a fixed body")                             \
    X(HEIGHT_FIELD, "height-field",                                                                \
      "heights over a grid with cells of size[0] by size[1], centred; like mesh")

typedef enum PerpShapeKind {
#define PERP_SHAPE_CODE(name, word, text) PERP_SHAPE_##name,
    PERP_SHAPE_LIST(PERP_SHAPE_CODE)
#undef PERP_SHAPE_CODE
        PERP_SHAPE_KIND_COUNT
} PerpShapeKind;

// The word of scene files, such as "box"; "?" if out of range.
PERP_API const char *perp_shape_kind_name(PerpShapeKind kind);

// A shape of a body or of the world. Its fields are copied.
typedef struct PerpShapeDef {
    const char *name;           // for messages, default ""
    PerpShapeKind kind;         // default SPHERE
    double size[3];             // m, see the list, > 0, default 0.5 each
    int n_vertices;             // hull, mesh
    const double *vertices;     // m, x y z of each
    int n_triangles;            // mesh
    const int *triangles;       // three vertices each, counter-clockwise seen from outside
    int rows, columns;          // height field: points along y and x, >= 2
    const double *heights;      // m, rows x columns, row after row
    int body;                   // default -1: the world
    double position[3];         // m, in the body's frame, default 0
    double rotation[4];         // quaternion w x y z, in the body's frame, default 1 0 0 0
    double density;             // kg/m^3, default 1000, >= 0; 0 adds no mass
    int material;               // default 0
    unsigned group, mask;       // a and b may touch if a.group & b.mask and b.group & a.mask;
                                // default 1 and all ones
    double surface_velocity[3]; // m/s, of the surface against the body, in the axes of its frame:
                                // belts and tracks; default 0
    double colour[4];           // red, green, blue (sRGB), opacity, 0 .. 1, for whoever draws it;
                                // default -1 each: any
} PerpShapeDef;

PERP_DEFAULTS(PerpShapeDef, shape)

#ifdef __cplusplus
}
#endif
#endif
