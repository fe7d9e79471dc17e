// A glTF file while it is built: buffers, nodes and their JSON.
#ifndef PERP_IO_EXPORT_GLTF_H
#define PERP_IO_EXPORT_GLTF_H

#include "io/export/mesh.h"

// A form that several shapes may have.
typedef struct PerpForm {
    PerpMesh mesh;
    int shape;                // the first that has it
    size_t vertices, indices; // where they begin in their views, bytes
} PerpForm;

typedef struct PerpGltf {
    PerpExport *x;
    int n_forms, n_moving;
    PerpForm *forms;    // owned
    int *form_of_shape; // owned
    int *body_of_shape; // owned
    int *track;         // owned: of each body, -1 if it rests
    double *last;       // owned: rotation written last, 4 a moving body
    float *block;       // owned
    size_t vertex_bytes, index_bytes;
} PerpGltf;

// The JSON part: nodes, meshes, where their numbers are, the animation.
PerpStatus perp_gltf_json(FILE *stream, PerpGltf *scene, PerpError *error);

#endif
