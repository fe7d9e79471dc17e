// glTF 2.0 in one binary file: a node a body, its shapes below, and an animation with a track for
// the place and one for the rotation of every body that moves. [glTF 2.0 specification]
#include "io/export/gltf.h"

#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

enum { BLOCK_BYTES = 16 << 20 };

// --- forms --------------------------------------------------------------------------------------

static bool same_form(const PerpRecordedShape *a, const PerpRecordedShape *b)
{
    return a->n_triangles == 0 && b->n_triangles == 0 && strcmp(a->kind, b->kind) == 0 &&
           memcmp(a->size, b->size, sizeof a->size) == 0;
}

static int find_form(const PerpGltf *scene, const PerpRecordedShape *shape)
{
    for (int k = 0; k < scene->n_forms; k++) {
        PerpRecordedShape other = perp_recording_shape(scene->x->recording, scene->forms[k].shape);
        if (same_form(shape, &other))
            return k;
    }
    return -1;
}

static PerpStatus add_form(PerpGltf *scene, const PerpRecordedShape *shape, int index, double plane,
                           PerpError *error)
{
    PerpForm *form = &scene->forms[scene->n_forms];
    PerpStatus status = perp_mesh_create(scene->x->context, shape, plane,
                                         perp_mesh_segments(scene->x), &form->mesh, error);
    if (status)
        return status;
    if (form->mesh.n_triangles == 0) {
        perp_mesh_free(scene->x->context, &form->mesh);
        scene->form_of_shape[index] = -1;
        return PERP_OK;
    }
    form->shape = index;
    form->vertices = scene->vertex_bytes;
    form->indices = scene->index_bytes;
    scene->vertex_bytes += 24 * (size_t)form->mesh.n_vertices; // places and normals
    scene->index_bytes += 12 * (size_t)form->mesh.n_triangles;
    scene->form_of_shape[index] = scene->n_forms++;
    return PERP_OK;
}

static PerpStatus make_forms(PerpGltf *scene, PerpError *error)
{
    double plane;
    PerpStatus status = perp_mesh_plane(scene->x, &plane, error);
    for (int k = 0; !status && k < scene->x->info->shapes; k++) {
        PerpRecordedShape shape = perp_recording_shape(scene->x->recording, k);
        scene->body_of_shape[k] = shape.body;
        scene->form_of_shape[k] = find_form(scene, &shape);
        if (scene->form_of_shape[k] < 0)
            status = add_form(scene, &shape, k, plane, error);
    }
    return status;
}

// --- motion -------------------------------------------------------------------------------------

// A body that is where it was in all chosen frames needs no track.
static PerpStatus find_moving(PerpGltf *scene, PerpError *error)
{
    PerpExport *x = scene->x;
    size_t bodies = (size_t)x->info->bodies;
    double *start = perp_allocate(&x->context->allocator, 7 * bodies + 1, sizeof *start);
    PerpStatus status = start ? PERP_OK : perp_fail(error, PERP_NO_MEMORY, "out of memory");
    for (size_t body = 0; body < bodies; body++)
        scene->track[body] = -1;
    for (long k = 0; !status && k < x->frames; k++) {
        const double *pose;
        status = perp_export_motion(x, k, &pose, NULL, error);
        if (!status && k == 0)
            memcpy(start, pose, 7 * bodies * sizeof *start);
        for (size_t body = 0; !status && body < bodies; body++)
            if (memcmp(pose + 7 * body, start + 7 * body, 7 * sizeof *start) != 0)
                scene->track[body] = 0;
    }
    perp_free(&x->context->allocator, start);
    for (size_t body = 0; body < bodies; body++)
        if (scene->track[body] == 0)
            scene->track[body] = scene->n_moving++;
    return status;
}

// Unit, on the side of the rotation before it, so that nothing in between turns the long way.
static void store_rotation(const double q[4], double last[4], float out[4])
{
    double norm = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    double side = q[0] * last[0] + q[1] * last[1] + q[2] * last[2] + q[3] * last[3];
    double factor = (side < 0 ? -1 : 1) / (norm > 0 ? norm : 1);
    for (int k = 0; k < 4; k++)
        last[k] = factor * q[k];
    out[0] = (float)last[1], out[1] = (float)last[2], out[2] = (float)last[3];
    out[3] = (float)last[0];
}

// Of frames first .. first + count - 1: places of track 0, then rotations of track 0, and so on.
static PerpStatus load_block(PerpGltf *scene, long first, long count, PerpError *error)
{
    PerpStatus status = PERP_OK;
    for (long k = 0; !status && k < count; k++) {
        const double *pose;
        status = perp_export_motion(scene->x, first + k, &pose, NULL, error);
        for (int body = 0; !status && body < scene->x->info->bodies; body++) {
            int track = scene->track[body];
            const double *p = pose + 7 * (size_t)body;
            if (track < 0)
                continue;
            float *place = scene->block + (size_t)count * 7 * (size_t)track + 3 * k;
            float *rotation = scene->block + (size_t)count * (7 * (size_t)track + 3) + 4 * k;
            for (int i = 0; i < 3; i++)
                place[i] = (float)p[i];
            store_rotation(p + 3, scene->last + 4 * (size_t)track, rotation);
        }
    }
    return status;
}

// Tracks lie one after the other in the file, frames come one after the other.
static PerpStatus write_tracks(FILE *stream, PerpGltf *scene, long block, PerpError *error)
{
    long start = ftell(stream), frames = scene->x->frames;
    PerpStatus status = PERP_OK;
    for (long first = 0; !status && first < frames; first += block) {
        long count = frames - first < block ? frames - first : block;
        status = load_block(scene, first, count, error);
        for (int track = 0; !status && track < scene->n_moving; track++) {
            const float *place = scene->block + (size_t)count * 7 * (size_t)track;
            long at = start + 28L * frames * track;
            fseek(stream, at + 12 * first, SEEK_SET);
            fwrite(place, 12, (size_t)count, stream);
            fseek(stream, at + 12 * frames + 16 * first, SEEK_SET);
            fwrite(place + 3 * count, 16, (size_t)count, stream);
        }
    }
    fseek(stream, start + 28L * frames * scene->n_moving, SEEK_SET);
    return status;
}

// --- the file -----------------------------------------------------------------------------------

static void put_forms(FILE *stream, const PerpGltf *scene)
{
    for (int k = 0; k < scene->n_forms; k++) {
        const PerpMesh *mesh = &scene->forms[k].mesh;
        fwrite(mesh->vertex, 12, (size_t)mesh->n_vertices, stream);
        fwrite(mesh->normal, 12, (size_t)mesh->n_vertices, stream);
    }
    for (int k = 0; k < scene->n_forms; k++)
        for (size_t i = 0; i < 3 * (size_t)scene->forms[k].mesh.n_triangles; i++)
            perp_put_u32(stream, (uint32_t)scene->forms[k].mesh.triangle[i]);
}

static void begin_chunk(FILE *stream, const char type[4])
{
    perp_put_u32(stream, 0); // filled in at the end
    fwrite(type, 1, 4, stream);
}

static void end_chunk(FILE *stream, long start, char filling)
{
    while ((ftell(stream) - start) % 4 != 0)
        fputc(filling, stream);
    long end = ftell(stream);
    fseek(stream, start, SEEK_SET);
    perp_put_u32(stream, (uint32_t)(end - start - 8));
    fseek(stream, end, SEEK_SET);
}

static PerpStatus put_binary(FILE *stream, PerpGltf *scene, long block, PerpError *error)
{
    const PerpExport *x = scene->x;
    put_forms(stream, scene);
    for (long k = 0; scene->n_moving > 0 && k < x->frames; k++)
        perp_put_float(stream, x->time[k]);
    return scene->n_moving > 0 ? write_tracks(stream, scene, block, error) : PERP_OK;
}

static PerpStatus write_scene(FILE *stream, void *what, PerpError *error)
{
    PerpGltf *scene = what;
    size_t row = 28 * (size_t)(scene->n_moving > 0 ? scene->n_moving : 1);
    long block = (long)(BLOCK_BYTES / row) + 1;
    block = block < scene->x->frames ? block : scene->x->frames;
    scene->block = perp_allocate(&scene->x->context->allocator, (size_t)block, row);
    if (!scene->block)
        return perp_fail(error, PERP_NO_MEMORY, "out of memory");
    if ((double)scene->x->frames * (double)row > 4e9)
        return perp_fail_at(error, PERP_NOT_SUPPORTED, scene->x->path, 0, 0,
                            "a .glb file above 4 GB; choose fewer steps or a larger --every");
    fputs("glTF", stream);
    perp_put_u32(stream, 2);
    perp_put_u32(stream, 0); // length, filled in at the end
    begin_chunk(stream, "JSON");
    PerpStatus status = perp_gltf_json(stream, scene, error);
    end_chunk(stream, 12, ' ');
    long binary = ftell(stream);
    if (!status && (scene->n_forms > 0 || scene->n_moving > 0)) {
        begin_chunk(stream, "BIN");
        status = put_binary(stream, scene, block, error);
        end_chunk(stream, binary, '\0');
    }
    long end = ftell(stream);
    fseek(stream, 8, SEEK_SET);
    perp_put_u32(stream, (uint32_t)end);
    return status;
}

static PerpStatus allocate(PerpGltf *scene, PerpError *error)
{
    const PerpAllocator *allocator = &scene->x->context->allocator;
    size_t shapes = (size_t)scene->x->info->shapes + 1, bodies = (size_t)scene->x->info->bodies + 1;
    scene->forms = perp_allocate(allocator, shapes, sizeof *scene->forms);
    scene->form_of_shape = perp_allocate(allocator, shapes, sizeof *scene->form_of_shape);
    scene->body_of_shape = perp_allocate(allocator, shapes, sizeof *scene->body_of_shape);
    scene->track = perp_allocate(allocator, bodies, sizeof *scene->track);
    scene->last = perp_allocate(allocator, 4 * bodies, sizeof *scene->last);
    bool done =
        scene->forms && scene->form_of_shape && scene->body_of_shape && scene->track && scene->last;
    return done ? PERP_OK : perp_fail(error, PERP_NO_MEMORY, "out of memory");
}

static void release(PerpGltf *scene)
{
    const PerpAllocator *allocator = &scene->x->context->allocator;
    for (int k = 0; scene->forms && k < scene->n_forms; k++)
        perp_mesh_free(scene->x->context, &scene->forms[k].mesh);
    perp_free(allocator, scene->forms);
    perp_free(allocator, scene->form_of_shape);
    perp_free(allocator, scene->body_of_shape);
    perp_free(allocator, scene->track);
    perp_free(allocator, scene->last);
    perp_free(allocator, scene->block);
}

PerpStatus perp_export_gltf(PerpExport *x, PerpError *error)
{
    PerpGltf scene = {.x = x};
    PerpStatus status = allocate(&scene, error);
    if (!status)
        status = make_forms(&scene, error);
    if (!status)
        status = find_moving(&scene, error);
    if (!status)
        status = perp_export_file(x, x->path, write_scene, &scene, error);
    release(&scene);
    return status;
}
