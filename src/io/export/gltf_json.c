// The JSON part of a glTF file: nodes, meshes, accessors, animation.
#include "io/export/gltf.h"

#include <math.h>

enum { COLOURS = 8 };
enum { FLOAT = 5126, UNSIGNED = 5125, VERTICES = 34962, INDICES = 34963 }; // numbers of the format

// Linear, of the palette that figures use; the world is grey.
static const double colours[COLOURS + 1][3] = {
    {0.00, 0.17, 0.45}, {0.66, 0.11, 0.00}, {0.00, 0.34, 0.17},
    {0.60, 0.19, 0.39}, {0.79, 0.35, 0.00}, {0.09, 0.46, 0.81},
    {0.20, 0.20, 0.20}, {0.87, 0.77, 0.05}, {0.42, 0.42, 0.42}};

static void put_vector(FILE *stream, const char *name, const double *numbers, int count)
{
    fprintf(stream, ",\"%s\":[", name);
    for (int k = 0; k < count; k++)
        fprintf(stream, "%s%.9g", k ? "," : "", numbers[k]);
    fputc(']', stream);
}

static void put_place(FILE *stream, const double position[3], const double q[4])
{
    const double xyzw[4] = {q[1], q[2], q[3], q[0]};
    put_vector(stream, "translation", position, 3);
    put_vector(stream, "rotation", xyzw, 4);
}

// Node 0 turns z up into y up, then come bodies, then shapes.
static void put_root(FILE *stream, const PerpGltf *scene)
{
    const PerpRecordingInfo *info = scene->x->info;
    fputs("{\"name\":\"world\",\"rotation\":[-0.70710678118654752,0,0,0.70710678118654752]",
          stream);
    bool first = true;
    for (int body = 0; body < info->bodies; body++, first = false)
        fprintf(stream, "%s%d", first ? ",\"children\":[" : ",", 1 + body);
    for (int k = 0; k < info->shapes; k++)
        if (scene->body_of_shape[k] < 0) {
            fprintf(stream, "%s%d", first ? ",\"children\":[" : ",", 1 + info->bodies + k);
            first = false;
        }
    fputs(first ? "}" : "]}", stream);
}

static void put_body(FILE *stream, const PerpGltf *scene, int body, const double *pose)
{
    fputs(",\n{\"name\":", stream);
    perp_put_json_string(stream, perp_recording_body(scene->x->recording, body).name);
    put_place(stream, pose, pose + 3);
    bool first = true;
    for (int k = 0; k < scene->x->info->shapes; k++)
        if (scene->body_of_shape[k] == body) {
            fprintf(stream, "%s%d", first ? ",\"children\":[" : ",",
                    1 + scene->x->info->bodies + k);
            first = false;
        }
    fputs(first ? "}" : "]}", stream);
}

static PerpStatus put_nodes(FILE *stream, PerpGltf *scene, PerpError *error)
{
    PerpExport *x = scene->x;
    const double *pose;
    PerpStatus status = perp_export_motion(x, 0, &pose, NULL, error);
    if (status)
        return status;
    fputs("\"scene\":0,\"scenes\":[{\"nodes\":[0]}],\n\"nodes\":[", stream);
    put_root(stream, scene);
    for (int body = 0; body < x->info->bodies; body++)
        put_body(stream, scene, body, pose + 7 * (size_t)body);
    int mesh = 0;
    for (int k = 0; k < x->info->shapes; k++) {
        PerpRecordedShape shape = perp_recording_shape(x->recording, k);
        fprintf(stream, ",\n{\"name\":\"%s\"", shape.kind);
        put_place(stream, shape.position, shape.rotation);
        if (scene->form_of_shape[k] >= 0)
            fprintf(stream, ",\"mesh\":%d", mesh++);
        fputc('}', stream);
    }
    fputc(']', stream);
    return PERP_OK;
}

static void put_material(FILE *stream, bool first, const double linear[3], double opacity)
{
    fprintf(stream,
            "%s{\"pbrMetallicRoughness\":{\"baseColorFactor\":[%.3g,%.3g,%.3g,%.3g],"
            "\"metallicFactor\":0,\"roughnessFactor\":0.7},%s\"doubleSided\":true}",
            first ? "" : ",\n", linear[0], linear[1], linear[2], opacity,
            opacity < 1 ? "\"alphaMode\":\"BLEND\"," : "");
}

// [IEC 61966-2-1]
static double linear_of_srgb(double x)
{
    return x <= 0.04045 ? x / 12.92 : pow((x + 0.055) / 1.055, 2.4);
}

// The palette, then one for each shape with a colour of its own.
static void put_materials(FILE *stream, const PerpGltf *scene)
{
    double colour[4];
    fputs(",\n\"materials\":[", stream);
    for (int k = 0; k <= COLOURS; k++)
        put_material(stream, k == 0, colours[k], 1);
    for (int k = 0; k < scene->x->info->shapes; k++) {
        if (!perp_recording_colour(scene->x->recording, k, colour))
            continue;
        for (int i = 0; i < 3; i++)
            colour[i] = linear_of_srgb(colour[i]);
        put_material(stream, false, colour, colour[3]);
    }
    fputc(']', stream);
}

// A mesh a shape, since the colour belongs to the mesh; the numbers behind it are shared.
static void put_meshes(FILE *stream, const PerpGltf *scene)
{
    if (scene->n_forms == 0)
        return;
    put_materials(stream, scene);
    fputs(",\n\"meshes\":[", stream);
    bool first = true;
    double colour[4];
    int own = COLOURS + 1;
    for (int k = 0; k < scene->x->info->shapes; k++) {
        int form = scene->form_of_shape[k], body = scene->body_of_shape[k];
        int material = body < 0 ? COLOURS : body % COLOURS;
        if (perp_recording_colour(scene->x->recording, k, colour))
            material = own++;
        if (form < 0)
            continue;
        fprintf(stream,
                "%s{\"primitives\":[{\"attributes\":{\"POSITION\":%d,\"NORMAL\":%d},"
                "\"indices\":%d,\"material\":%d}]}",
                first ? "" : ",\n", 3 * form, 3 * form + 1, 3 * form + 2, material);
        first = false;
    }
    fputc(']', stream);
}

static void put_bounds(FILE *stream, const PerpMesh *mesh)
{
    double low[3], high[3];
    for (int i = 0; i < 3; i++) {
        low[i] = high[i] = mesh->vertex[i];
        for (int k = 1; k < mesh->n_vertices; k++) {
            low[i] = fmin(low[i], mesh->vertex[3 * (size_t)k + (size_t)i]);
            high[i] = fmax(high[i], mesh->vertex[3 * (size_t)k + (size_t)i]);
        }
    }
    put_vector(stream, "min", low, 3);
    put_vector(stream, "max", high, 3);
}

static void put_accessor(FILE *stream, bool first, int view, size_t offset, int type,
                         const char *kind, long count)
{
    fprintf(stream,
            "%s{\"bufferView\":%d,\"byteOffset\":%zu,\"componentType\":%d,\"type\":\"%s\","
            "\"count\":%ld",
            first ? "" : "},\n", view, offset, type, kind, count);
}

// Vertices, indices and normals of each form, then the times, then two for each track.
static void put_accessors(FILE *stream, const PerpGltf *scene)
{
    const PerpExport *x = scene->x;
    int motion = scene->n_forms > 0 ? 2 : 0; // the view
    fputs(",\n\"accessors\":[", stream);
    for (int k = 0; k < scene->n_forms; k++) {
        const PerpForm *form = &scene->forms[k];
        size_t half = 12 * (size_t)form->mesh.n_vertices;
        put_accessor(stream, k == 0, 0, form->vertices, FLOAT, "VEC3", form->mesh.n_vertices);
        put_bounds(stream, &form->mesh);
        put_accessor(stream, false, 0, form->vertices + half, FLOAT, "VEC3", form->mesh.n_vertices);
        put_accessor(stream, false, 1, form->indices, UNSIGNED, "SCALAR",
                     3L * form->mesh.n_triangles);
    }
    if (scene->n_moving > 0) {
        const double low = (float)x->time[0], high = (float)x->time[x->frames - 1];
        put_accessor(stream, scene->n_forms == 0, motion, 0, FLOAT, "SCALAR", x->frames);
        put_vector(stream, "min", &low, 1);
        put_vector(stream, "max", &high, 1);
    }
    for (int track = 0; track < scene->n_moving; track++) {
        size_t frames = (size_t)x->frames, offset = 4 * frames + 28 * frames * (size_t)track;
        put_accessor(stream, false, motion, offset, FLOAT, "VEC3", x->frames);
        put_accessor(stream, false, motion, offset + 12 * frames, FLOAT, "VEC4", x->frames);
    }
    fputs("}]", stream);
}

static void put_views(FILE *stream, const PerpGltf *scene)
{
    size_t motion =
        scene->n_moving > 0 ? (size_t)scene->x->frames * (4 + 28 * (size_t)scene->n_moving) : 0;
    size_t forms = scene->vertex_bytes + scene->index_bytes;
    fprintf(stream, ",\n\"buffers\":[{\"byteLength\":%zu}],\n\"bufferViews\":[", forms + motion);
    if (scene->n_forms > 0)
        fprintf(stream,
                "{\"buffer\":0,\"byteLength\":%zu,\"byteStride\":12,\"target\":%d},\n"
                "{\"buffer\":0,\"byteOffset\":%zu,\"byteLength\":%zu,\"target\":%d}%s",
                scene->vertex_bytes, VERTICES, scene->vertex_bytes, scene->index_bytes, INDICES,
                motion ? ",\n" : "");
    if (motion)
        fprintf(stream, "{\"buffer\":0,\"byteOffset\":%zu,\"byteLength\":%zu}", forms, motion);
    fputc(']', stream);
}

static void put_animation(FILE *stream, const PerpGltf *scene)
{
    int times = 3 * scene->n_forms; // the accessor
    if (scene->n_moving == 0)
        return;
    fputs(",\n\"animations\":[{\"name\":\"run\",\"samplers\":[", stream);
    for (int k = 0; k < 2 * scene->n_moving; k++)
        fprintf(stream, "%s{\"input\":%d,\"output\":%d}", k ? "," : "", times, times + 1 + k);
    fputs("],\n\"channels\":[", stream);
    for (int body = 0; body < scene->x->info->bodies; body++)
        for (int k = 0; k < 2 && scene->track[body] >= 0; k++)
            fprintf(stream, "%s{\"sampler\":%d,\"target\":{\"node\":%d,\"path\":\"%s\"}}",
                    scene->track[body] + k ? "," : "", 2 * scene->track[body] + k, 1 + body,
                    k ? "rotation" : "translation");
    fputs("]}]", stream);
}

PerpStatus perp_gltf_json(FILE *stream, PerpGltf *scene, PerpError *error)
{
    fputs("{\"asset\":{\"version\":\"2.0\",\"generator\":\"perp\"},\n", stream);
    PerpStatus status = put_nodes(stream, scene, error);
    put_meshes(stream, scene);
    if (scene->n_forms > 0 || scene->n_moving > 0) {
        put_accessors(stream, scene);
        put_views(stream, scene);
    }
    put_animation(stream, scene);
    fputs("}", stream);
    return status;
}
