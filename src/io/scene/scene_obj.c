// Wavefront OBJ: vertices "v x y z" and faces "f a b c ...", cut into triangles from the first
// corner. Corners may be a, a/t, a//n or a/t/n; negative ones count from the last vertex. Normals,
// texture, groups and materials are passed over.
#include "base/error.h"
#include "io/scene/scene_shape.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WORD_SIZE = 64 };
static const double LARGEST = 1e100;       // coordinates
static const char MARK[] = "\xef\xbb\xbf"; // of UTF-8 at the beginning, which some programs write

typedef struct Obj {
    PerpSceneReader *reader;
    const char *path;
    const char *next, *end; // of the bytes, which have a NUL at the end
    const char *line_start;
    int line;
    PerpSceneMesh *mesh; // counted if its arrays are NULL, else filled
} Obj;

static PerpStatus fail(const Obj *obj, const char *place, const char *message)
{
    return perp_fail_at(obj->reader->error, PERP_BAD_SYNTAX, obj->path, obj->line,
                        (int)(place - obj->line_start) + 1, "%s", message);
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

// The next word of the line; empty at its end.
static PerpStatus take_word(Obj *obj, char word[WORD_SIZE])
{
    while (is_blank(*obj->next))
        obj->next++;
    const char *start = obj->next;
    while (*obj->next && *obj->next != '\n' && !is_blank(*obj->next))
        obj->next++;
    size_t length = (size_t)(obj->next - start);
    if (length >= WORD_SIZE)
        return fail(obj, start, "a word longer than 63 bytes");
    memcpy(word, start, length);
    word[length] = '\0';
    return PERP_OK;
}

static PerpStatus read_coordinate(Obj *obj, double *x)
{
    char word[WORD_SIZE], *end;
    PerpStatus status = take_word(obj, word);
    if (status)
        return status;
    *x = strtod(word, &end);
    if (end == word || *end || !(fabs(*x) <= LARGEST))
        return fail(obj, obj->next - strlen(word), "expected a number behind v, at most 1e100");
    return PERP_OK;
}

static PerpStatus read_vertex(Obj *obj)
{
    double x[3];
    PerpStatus status = PERP_OK;
    for (int k = 0; !status && k < 3; k++)
        status = read_coordinate(obj, &x[k]);
    if (!status && obj->mesh->vertices)
        memcpy(obj->mesh->vertices + 3 * (size_t)obj->mesh->n_vertices, x, sizeof x);
    obj->mesh->n_vertices++;
    return status;
}

// A corner counts from 1, or from -1 backwards; -1 marks the end of the face.
static PerpStatus read_corner(Obj *obj, int *vertex)
{
    char word[WORD_SIZE], *end;
    PerpStatus status = take_word(obj, word);
    *vertex = -1;
    if (status || !word[0])
        return status;
    long corner = strtol(word, &end, 10);
    int count = obj->mesh->n_vertices;
    long index = corner < 0 ? count + corner : corner - 1;
    if (end == word || (*end && *end != '/') || index < 0 || index >= count)
        return fail(obj, obj->next - strlen(word), "expected a vertex that stands above");
    *vertex = (int)index;
    return PERP_OK;
}

static void add_triangle(PerpSceneMesh *mesh, const int corner[3])
{
    if (mesh->triangles)
        memcpy(mesh->triangles + 3 * (size_t)mesh->n_triangles, corner, 3 * sizeof *corner);
    mesh->n_triangles++;
}

static PerpStatus read_face(Obj *obj)
{
    int corner[3], corners = 0, vertex = 0;
    const char *place = obj->next;
    PerpStatus status = read_corner(obj, &vertex);
    for (; !status && vertex >= 0; corners++) {
        corner[corners < 2 ? corners : 2] = vertex;
        if (corners >= 2) {
            add_triangle(obj->mesh, corner);
            corner[1] = vertex;
        }
        status = read_corner(obj, &vertex);
    }
    if (!status && corners < 3)
        status = fail(obj, place, "expected at least 3 corners behind f");
    return status;
}

static bool is_passed_over(const char *word)
{
    static const char *const words[] = {"vn", "vt", "o", "g", "s", "usemtl", "mtllib", "l", "p"};
    for (int k = 0; k < PERP_COUNT(words); k++)
        if (strcmp(word, words[k]) == 0)
            return true;
    return word[0] == '\0' || word[0] == '#';
}

static PerpStatus read_line(Obj *obj)
{
    char word[WORD_SIZE];
    PerpStatus status = PERP_OK;
    while (is_blank(*obj->next))
        obj->next++;
    if (*obj->next != '#')
        status = take_word(obj, word);
    else
        word[0] = '\0';
    if (!status && strcmp(word, "v") == 0)
        status = read_vertex(obj);
    else if (!status && strcmp(word, "f") == 0)
        status = read_face(obj);
    else if (!status && !is_passed_over(word))
        status = fail(obj, obj->next - strlen(word),
                      "unknown word, expected v or f: meshes are Wavefront OBJ files");
    return status;
}

// One pass over the bytes: counts, or fills in.
static PerpStatus read_lines(PerpSceneReader *reader, const char *path, const PerpInput *input,
                             PerpSceneMesh *mesh)
{
    Obj obj = {.reader = reader,
               .path = path,
               .next = input->bytes,
               .end = input->bytes + input->size,
               .mesh = mesh};
    PerpStatus status = PERP_OK;
    mesh->n_vertices = mesh->n_triangles = 0;
    if (strncmp(obj.next, MARK, strlen(MARK)) == 0)
        obj.next += strlen(MARK);
    while (!status && obj.next < obj.end) {
        obj.line++;
        obj.line_start = obj.next;
        status = read_line(&obj);
        const char *newline = memchr(obj.next, '\n', (size_t)(obj.end - obj.next));
        obj.next = newline ? newline + 1 : obj.end;
    }
    return status;
}

// Puts a NUL behind the bytes, so that no line runs past them.
static bool terminate(PerpInput *input)
{
    char *bytes = perp_resize(&input->allocator, input->bytes, input->size + 1, 1);
    if (!bytes)
        return false;
    bytes[input->size] = '\0';
    input->bytes = bytes;
    return true;
}

static PerpStatus read_twice(PerpSceneReader *reader, const PerpNode *node, const char *path,
                             PerpInput *input, PerpSceneMesh *mesh)
{
    if (!terminate(input))
        return perp_scene_fail_for_memory(reader, node);
    PerpStatus status = read_lines(reader, path, input, mesh);
    if (status)
        return status;
    PerpArena *arena = &reader->scene->arena;
    mesh->vertices = PERP_TAKE(arena, double, 3 * (size_t)mesh->n_vertices);
    mesh->triangles = PERP_TAKE(arena, int, 3 * (size_t)mesh->n_triangles);
    if (!mesh->vertices || !mesh->triangles)
        return perp_scene_fail_for_memory(reader, node);
    return read_lines(reader, path, input, mesh);
}

static PerpStatus read_file(PerpSceneReader *reader, const PerpNode *node, const char *path,
                            PerpSceneMesh *mesh)
{
    PerpInput input;
    PerpStatus status = perp_scene_input(reader, node, path, &input);
    if (status)
        return status;
    status = read_twice(reader, node, path, &input, mesh);
    perp_input_free(&input);
    if (!status)
        status = perp_scene_enter(reader, node, "mesh", path, &reader->mesh_names);
    return status ? status : perp_scene_add(reader, node, &reader->meshes, mesh);
}

PerpStatus perp_scene_mesh(PerpSceneReader *reader, const PerpNode *node, const char *what,
                           PerpSceneMesh *mesh)
{
    const char *path;
    PerpStatus status = perp_scene_path(reader, node, what, &path);
    if (status)
        return status;
    int known = perp_names_find(&reader->mesh_names, path);
    if (known < 0)
        return read_file(reader, node, path, mesh);
    *mesh = ((const PerpSceneMesh *)reader->meshes.items)[known];
    return PERP_OK;
}
