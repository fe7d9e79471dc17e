// VTK: an index of frames (.pvd) and beside it a folder with two PolyData files a frame, the
// surfaces of all shapes and the contacts. Data in raw blocks after the XML. [VTK file formats]
#define _POSIX_C_SOURCE 200809L

#include "base/error.h"
#include "base/memory.h"
#include "io/export/mesh.h"
#include "math/pose.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

// An array of a file, written in two passes: first its tag with the offset, then its numbers.
typedef struct Block {
    const char *name, *type;
    int components;
    size_t bytes;
} Block;

typedef struct Sheet {
    PerpExport *x;
    PerpMesh *meshes; // one a shape, owned
    size_t n_vertices, n_triangles;
    float *points;      // owned: of one frame, and their velocities
    int32_t *triangles; // owned: bodies, corners, ends
    char folder[PERP_PATH_SIZE];
    const char *folder_name; // its last part
    long k;                  // the chosen frame that is being written
    const PerpRecordedContact *contacts;
    int n_contacts;
} Sheet;

// --- pieces of XML ------------------------------------------------------------------------------

static void put_tag(FILE *stream, const Block *block, size_t *offset)
{
    fprintf(stream, "<DataArray type=\"%s\"", block->type);
    if (block->name)
        fprintf(stream, " Name=\"%s\"", block->name);
    if (block->components > 1)
        fprintf(stream, " NumberOfComponents=\"%d\"", block->components);
    fprintf(stream, " format=\"appended\" offset=\"%zu\"/>\n", *offset);
    *offset += sizeof(uint64_t) + block->bytes;
}

static void put_head(FILE *stream, size_t points, size_t vertices, size_t polygons)
{
    fprintf(stream,
            "<?xml version=\"1.0\"?>\n"
            "<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\" "
            "header_type=\"UInt64\">\n<PolyData>\n"
            "<Piece NumberOfPoints=\"%zu\" NumberOfVerts=\"%zu\" NumberOfLines=\"0\" "
            "NumberOfStrips=\"0\" NumberOfPolys=\"%zu\">\n",
            points, vertices, polygons);
}

static void put_end_of_head(FILE *stream)
{
    fputs("</Piece>\n</PolyData>\n<AppendedData encoding=\"raw\">\n_", stream);
}

static void put_foot(FILE *stream)
{
    fputs("\n</AppendedData>\n</VTKFile>\n", stream);
}

// --- surfaces -----------------------------------------------------------------------------------

static PerpPose load_pose(const double *pose)
{
    return (PerpPose){perp_vec3_load(pose), {pose[3], pose[4], pose[5], pose[6]}};
}

static PerpPose pose_of_shape(const PerpRecordedShape *shape, const double *pose)
{
    PerpPose local = {
        perp_vec3_load(shape->position),
        {shape->rotation[0], shape->rotation[1], shape->rotation[2], shape->rotation[3]}};
    return shape->body < 0 ? local
                           : perp_pose_product(load_pose(pose + 7 * (size_t)shape->body), local);
}

static PerpVec3 vertex_of(const PerpMesh *mesh, int k)
{
    const float *v = mesh->vertex + 3 * (size_t)k;
    return (PerpVec3){v[0], v[1], v[2]};
}

static float *store(float *target, PerpVec3 v)
{
    target[0] = (float)v.x, target[1] = (float)v.y, target[2] = (float)v.z;
    return target + 3;
}

static void fill_points(const Sheet *sheet, const double *pose, float *target)
{
    for (int shape = 0; shape < sheet->x->info->shapes; shape++) {
        PerpRecordedShape recorded = perp_recording_shape(sheet->x->recording, shape);
        PerpPose place = pose_of_shape(&recorded, pose);
        for (int k = 0; k < sheet->meshes[shape].n_vertices; k++)
            target = store(target, perp_pose_point(place, vertex_of(&sheet->meshes[shape], k)));
    }
}

// v + w x r at the points
static void fill_velocities(const Sheet *sheet, const double *pose, const double *velocity,
                            const float *point, float *target)
{
    for (int shape = 0; shape < sheet->x->info->shapes; shape++) {
        int body = perp_recording_shape(sheet->x->recording, shape).body;
        const double rest[6] = {0};
        const double *of_body = body < 0 ? rest : velocity + 6 * (size_t)body;
        PerpVec3 origin = perp_vec3_load(body < 0 ? rest : pose + 7 * (size_t)body);
        PerpVec3 v = perp_vec3_load(of_body), w = perp_vec3_load(of_body + 3);
        for (int k = 0; k < sheet->meshes[shape].n_vertices; k++, point += 3) {
            PerpVec3 r = perp_vec3_sub((PerpVec3){point[0], point[1], point[2]}, origin);
            target = store(target, perp_vec3_add(v, perp_vec3_cross(w, r)));
        }
    }
}

// Bodies, corners and ends of the triangles, which are the same in all frames.
static void fill_triangles(Sheet *sheet)
{
    int32_t *body = sheet->triangles, *corner = body + sheet->n_triangles;
    int32_t *end = corner + 3 * sheet->n_triangles;
    int32_t first = 0, count = 0;
    for (int shape = 0; shape < sheet->x->info->shapes; shape++) {
        const PerpMesh *mesh = &sheet->meshes[shape];
        for (int k = 0; k < mesh->n_triangles; k++) {
            *body++ = perp_recording_shape(sheet->x->recording, shape).body;
            for (int i = 0; i < 3; i++)
                *corner++ = first + mesh->triangle[3 * (size_t)k + (size_t)i];
            *end++ = 3 * ++count;
        }
        first += mesh->n_vertices;
    }
}

static void put_block(FILE *stream, const void *data, size_t bytes)
{
    perp_put_u64(stream, bytes);
    fwrite(data, 1, bytes, stream);
}

static PerpStatus write_surfaces(FILE *stream, void *what, PerpError *error)
{
    Sheet *sheet = what;
    const double *pose, *velocity;
    size_t offset = 0, n = sheet->n_vertices, m = sheet->n_triangles;
    const Block blocks[] = {{NULL, "Float32", 3, 12 * n},
                            {"velocity", "Float32", 3, 12 * n},
                            {"body", "Int32", 1, 4 * m},
                            {"connectivity", "Int32", 1, 12 * m},
                            {"offsets", "Int32", 1, 4 * m}};
    PerpStatus status = perp_export_motion(sheet->x, sheet->k, &pose, &velocity, error);
    if (status)
        return status;
    fill_points(sheet, pose, sheet->points);
    fill_velocities(sheet, pose, velocity, sheet->points, sheet->points + 3 * n);
    put_head(stream, n, 0, m);
    fputs("<Points>\n", stream);
    put_tag(stream, &blocks[0], &offset);
    fputs("</Points>\n<PointData Vectors=\"velocity\">\n", stream);
    put_tag(stream, &blocks[1], &offset);
    fputs("</PointData>\n<CellData Scalars=\"body\">\n", stream);
    put_tag(stream, &blocks[2], &offset);
    fputs("</CellData>\n<Polys>\n", stream);
    put_tag(stream, &blocks[3], &offset);
    put_tag(stream, &blocks[4], &offset);
    fputs("</Polys>\n", stream);
    put_end_of_head(stream);
    put_block(stream, sheet->points, 12 * n);
    put_block(stream, sheet->points + 3 * n, 12 * n);
    put_block(stream, sheet->triangles, 4 * m);
    put_block(stream, sheet->triangles + m, 12 * m);
    put_block(stream, sheet->triangles + 4 * m, 4 * m);
    put_foot(stream);
    return PERP_OK;
}

// --- contacts -----------------------------------------------------------------------------------

static void put_contact_vectors(FILE *stream, const Sheet *sheet, size_t field)
{
    perp_put_u64(stream, 12 * (size_t)sheet->n_contacts);
    for (int k = 0; k < sheet->n_contacts; k++) {
        double vector[3];
        memcpy(vector, (const char *)&sheet->contacts[k] + field, sizeof vector);
        for (int i = 0; i < 3; i++)
            perp_put_float(stream, vector[i]);
    }
}

static PerpStatus write_contacts(FILE *stream, void *what, PerpError *error)
{
    Sheet *sheet = what;
    size_t offset = 0, n = (size_t)sheet->n_contacts;
    const Block points = {NULL, "Float32", 3, 12 * n};
    const Block data[] = {{"normal", "Float32", 3, 12 * n},  {"velocity", "Float32", 3, 12 * n},
                          {"impulse", "Float32", 3, 12 * n}, {"gap", "Float32", 1, 4 * n},
                          {"residual", "Float32", 1, 4 * n}, {"status", "Int32", 1, 4 * n}};
    const Block cells[] = {{"connectivity", "Int64", 1, 8 * n}, {"offsets", "Int64", 1, 8 * n}};
    (void)error;
    put_head(stream, n, n, 0);
    fputs("<Points>\n", stream);
    put_tag(stream, &points, &offset);
    fputs("</Points>\n<PointData Vectors=\"impulse\" Scalars=\"status\">\n", stream);
    for (size_t k = 0; k < sizeof data / sizeof *data; k++)
        put_tag(stream, &data[k], &offset);
    fputs("</PointData>\n<Verts>\n", stream);
    put_tag(stream, &cells[0], &offset);
    put_tag(stream, &cells[1], &offset);
    fputs("</Verts>\n", stream);
    put_end_of_head(stream);
    put_contact_vectors(stream, sheet, offsetof(PerpRecordedContact, point));
    put_contact_vectors(stream, sheet, offsetof(PerpRecordedContact, normal));
    put_contact_vectors(stream, sheet, offsetof(PerpRecordedContact, velocity));
    put_contact_vectors(stream, sheet, offsetof(PerpRecordedContact, impulse));
    perp_put_u64(stream, 4 * n);
    for (size_t k = 0; k < n; k++)
        perp_put_float(stream, sheet->contacts[k].gap);
    perp_put_u64(stream, 4 * n);
    for (size_t k = 0; k < n; k++)
        perp_put_float(stream, sheet->contacts[k].residual);
    perp_put_u64(stream, 4 * n);
    for (size_t k = 0; k < n; k++)
        perp_put_u32(stream, (uint32_t)sheet->contacts[k].status);
    for (int array = 0; array < 2; array++) {
        perp_put_u64(stream, 8 * n);
        for (size_t k = 0; k < n; k++)
            perp_put_u64(stream, k + (size_t)array);
    }
    put_foot(stream);
    return PERP_OK;
}

// --- index --------------------------------------------------------------------------------------

static const char *const parts[] = {"bodies", "contacts"};

static void put_escaped(FILE *stream, const char *text)
{
    for (; *text; text++)
        if (strchr("&<>\"'", *text))
            fprintf(stream, "&#%d;", *text);
        else
            fputc(*text, stream);
}

static PerpStatus write_index(FILE *stream, void *what, PerpError *error)
{
    Sheet *sheet = what;
    int n_parts = sheet->contacts ? 2 : 1;
    (void)error;
    fputs("<?xml version=\"1.0\"?>\n"
          "<VTKFile type=\"Collection\" version=\"0.1\" byte_order=\"LittleEndian\">\n"
          "<Collection>\n",
          stream);
    for (long k = 0; k < sheet->x->frames; k++)
        for (int part = 0; part < n_parts; part++) {
            fprintf(stream, "<DataSet timestep=\"%.17g\" part=\"%d\" name=\"%s\" file=\"",
                    sheet->x->time[k], part, parts[part]);
            put_escaped(stream, sheet->folder_name);
            fprintf(stream, "/%s_%06ld.vtp\"/>\n", parts[part], k);
        }
    fputs("</Collection>\n</VTKFile>\n", stream);
    return PERP_OK;
}

// --- the whole ----------------------------------------------------------------------------------

// run.pvd gets the folder run; a name without an ending gets -files.
static PerpStatus make_folder(Sheet *sheet, PerpError *error)
{
    const char *path = sheet->x->path;
    const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
    bool has_ending = dot && dot > (slash ? slash + 1 : path);
    size_t length = has_ending ? (size_t)(dot - path) : strlen(path);
    int size = snprintf(sheet->folder, sizeof sheet->folder, "%.*s%s", (int)length, path,
                        has_ending ? "" : "-files");
    if (size < 0 || (size_t)size + 32 > sizeof sheet->folder)
        return perp_fail_at(error, PERP_NO_FILE, path, 0, 0, "cannot be written: name too long");
    const char *last = strrchr(sheet->folder, '/');
    sheet->folder_name = last ? last + 1 : sheet->folder;
    if (mkdir(sheet->folder, 0777) != 0 && errno != EEXIST)
        return perp_fail_at(error, PERP_NO_FILE, sheet->folder, 0, 0, "cannot be made: %s",
                            strerror(errno));
    return PERP_OK;
}

static PerpStatus write_part(Sheet *sheet, int part,
                             PerpStatus (*write)(FILE *stream, void *what, PerpError *error),
                             PerpError *error)
{
    char path[PERP_PATH_SIZE + 64];
    snprintf(path, sizeof path, "%s/%s_%06ld.vtp", sheet->folder, parts[part], sheet->k);
    return perp_export_file(sheet->x, path, write, sheet, error);
}

static PerpStatus write_frames(Sheet *sheet, PerpError *error)
{
    PerpExport *x = sheet->x;
    bool contacts = perp_recording_has(x->recording, "contacts/start");
    PerpStatus status = make_folder(sheet, error);
    for (sheet->k = 0; !status && sheet->k < x->frames; sheet->k++) {
        status = write_part(sheet, 0, write_surfaces, error);
        if (!status && contacts)
            status = perp_recording_contacts(x->recording, x->frame[sheet->k], &sheet->contacts,
                                             &sheet->n_contacts, error);
        if (!status && contacts)
            status = write_part(sheet, 1, write_contacts, error);
    }
    return status ? status : perp_export_file(x, x->path, write_index, sheet, error);
}

static PerpStatus make_meshes(Sheet *sheet, PerpError *error)
{
    PerpExport *x = sheet->x;
    double plane;
    PerpStatus status = perp_mesh_plane(x, &plane, error);
    for (int k = 0; !status && k < x->info->shapes; k++) {
        PerpRecordedShape shape = perp_recording_shape(x->recording, k);
        status = perp_mesh_create(x->context, &shape, plane, perp_mesh_segments(x),
                                  &sheet->meshes[k], error);
        sheet->n_vertices += (size_t)sheet->meshes[k].n_vertices;
        sheet->n_triangles += (size_t)sheet->meshes[k].n_triangles;
    }
    if (status)
        return status;
    if (sheet->n_vertices > INT32_MAX || sheet->n_triangles > INT32_MAX / 3)
        return perp_fail_at(error, PERP_BAD_SIZE, x->path, 0, 0, "too many triangles");
    const PerpAllocator *allocator = &x->context->allocator;
    sheet->points = perp_allocate(allocator, 6 * sheet->n_vertices + 1, sizeof *sheet->points);
    sheet->triangles =
        perp_allocate(allocator, 5 * sheet->n_triangles + 1, sizeof *sheet->triangles);
    if (!sheet->points || !sheet->triangles)
        return perp_fail(error, PERP_NO_MEMORY, "out of memory");
    fill_triangles(sheet);
    return PERP_OK;
}

PerpStatus perp_export_vtk(PerpExport *x, PerpError *error)
{
    Sheet sheet = {.x = x};
    sheet.meshes =
        perp_allocate(&x->context->allocator, (size_t)x->info->shapes + 1, sizeof *sheet.meshes);
    if (!sheet.meshes)
        return perp_fail(error, PERP_NO_MEMORY, "out of memory");
    PerpStatus status = make_meshes(&sheet, error);
    if (!status)
        status = write_frames(&sheet, error);
    for (int k = 0; k < x->info->shapes; k++)
        perp_mesh_free(x->context, &sheet.meshes[k]);
    perp_free(&x->context->allocator, sheet.meshes);
    perp_free(&x->context->allocator, sheet.points);
    perp_free(&x->context->allocator, sheet.triangles);
    return status;
}
