// The files of a scene: reading, including, and what stands at the top of each.
#include "base/error.h"
#include "io/scene/scene_reader.h"

#include <stdio.h>
#include <string.h>

static PerpStatus load_file(PerpSceneReader *reader, const PerpNode *node, const char *path,
                            int depth);

static const char *copy_text(PerpSceneReader *reader, const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = perp_arena_take(&reader->scene->arena, size, 1);
    return copy ? memcpy(copy, text, size) : NULL;
}

PerpStatus perp_scene_path(PerpSceneReader *reader, const PerpNode *node, const char *what,
                           const char **path)
{
    if (node->kind != PERP_NODE_SCALAR || !node->text[0])
        return perp_node_fail(reader->document, node, PERP_BAD_SYNTAX,
                              "%s: expected the name of a file", what);
    if (node->text[0] == '/')
        return perp_node_fail(reader->document, node, PERP_BAD_VALUE,
                              "%s: expected a path relative to this file", what);
    const char *name = reader->document->name, *slash = strrchr(name, '/');
    int folder = slash ? (int)(slash - name) + 1 : 0;
    char joined[PERP_PATH_SIZE];
    int length = snprintf(joined, sizeof joined, "%.*s%s", folder, name, node->text);
    if (length >= PERP_PATH_SIZE)
        return perp_node_fail(reader->document, node, PERP_BAD_SIZE,
                              "%s: a path longer than %d bytes", what, PERP_PATH_SIZE - 1);
    *path = copy_text(reader, joined);
    return *path ? PERP_OK : perp_scene_fail_for_memory(reader, node);
}

// The first file has no node that names it.
static PerpStatus enter_file(PerpSceneReader *reader, const PerpNode *node, const char *path)
{
    PerpNames *names = &reader->scene->file_names;
    if (names->count == PERP_SCENE_FILE_LIMIT)
        return perp_node_fail(reader->document, node, PERP_BAD_SIZE, "more than %d files",
                              PERP_SCENE_FILE_LIMIT);
    if (perp_names_find(names, path) >= 0)
        return perp_node_fail(reader->document, node, PERP_BAD_VALUE,
                              "\"%.200s\" is already part of the scene; a file can be included "
                              "only once, and not by itself",
                              path);
    PerpPlace place = node ? perp_scene_place(reader, node) : (PerpPlace){.file = path};
    if (!perp_names_add(names, path, place))
        return perp_fail_at(reader->error, PERP_NO_MEMORY, path, 0, 0,
                            "out of memory while reading the scene");
    return PERP_OK;
}

// What a scene was read from can be asked for later.
static PerpStatus keep_text(PerpSceneReader *reader, const char *path, const char *bytes,
                            size_t size)
{
    char *copy = perp_arena_take(&reader->scene->arena, size + 1, 1);
    if (!copy)
        return perp_fail_at(reader->error, PERP_NO_MEMORY, path, 0, 0,
                            "out of memory while reading the scene");
    if (size > 0)
        memcpy(copy, bytes, size);
    PerpScene *scene = reader->scene;
    scene->texts[scene->file_names.count - 1] = (PerpSceneText){path, copy, size};
    return PERP_OK;
}

static PerpStatus find_given(const PerpSceneReader *reader, const char *path, PerpInput *input,
                             PerpError *error)
{
    *input = (PerpInput){.allocator = reader->scene->context.allocator};
    for (int k = 0; k < reader->n_given; k++) {
        const PerpSceneText *text = &reader->given[k];
        if (strcmp(text->path, path) != 0)
            continue;
        input->bytes = perp_allocate(&input->allocator, text->size + 1, 1);
        if (!input->bytes)
            return perp_fail(error, PERP_NO_MEMORY, "out of memory while reading the file");
        if (text->size > 0)
            memcpy(input->bytes, text->bytes, text->size);
        input->size = text->size;
        return PERP_OK;
    }
    return perp_fail(error, PERP_NO_FILE, "not among the files given");
}

// A scene may come through a pipe. What it names may not: nobody might ever write to it.
static PerpStatus read_input(const PerpSceneReader *reader, const char *path, bool is_named,
                             PerpInput *input, PerpError *error)
{
    if (reader->given)
        return find_given(reader, path, input, error);
    if (is_named && perp_input_is_special(path))
        return perp_fail(error, PERP_NO_FILE, "not a file, but a folder, pipe or device");
    return perp_input_read(&reader->scene->context.allocator, path, reader->bytes_left, input,
                           error);
}

PerpStatus perp_scene_input(PerpSceneReader *reader, const PerpNode *node, const char *path,
                            PerpInput *input)
{
    PerpError error = {0};
    PerpStatus status = enter_file(reader, node, path);
    if (status)
        return status;
    status = read_input(reader, path, node != NULL, input, &error);
    if (status && node)
        return perp_node_fail(reader->document, node, status, "\"%.200s\": %.200s", path,
                              error.message);
    if (status)
        return perp_fail_at(reader->error, status, path, 0, 0, "%s", error.message);
    reader->bytes_left -= input->size;
    status = keep_text(reader, path, input->bytes, input->size);
    if (status)
        perp_input_free(input);
    return status;
}

static PerpStatus load_include(PerpSceneReader *reader, const PerpNode *node, int depth)
{
    const char *path;
    if (depth == PERP_SCENE_INCLUDE_DEPTH)
        return perp_node_fail(reader->document, node, PERP_BAD_SIZE,
                              "include: nested deeper than %d files", PERP_SCENE_INCLUDE_DEPTH);
    PerpStatus status = perp_scene_path(reader, node, "include", &path);
    return status ? status : load_file(reader, node, path, depth + 1);
}

static PerpStatus load_includes(PerpSceneReader *reader, const PerpNode *root, int depth)
{
    const PerpNode *include = perp_node_find(root, "include");
    if (!include)
        return PERP_OK;
    if (include->kind != PERP_NODE_SEQUENCE)
        return load_include(reader, include, depth);
    PerpStatus status = PERP_OK;
    for (const PerpNode *node = include->child; !status && node; node = node->next)
        status = load_include(reader, node, depth);
    return status;
}

static PerpStatus check_root(PerpSceneReader *reader, const PerpNode *root)
{
    enum { OTHERS = 8 };
    const char *keys[PERP_SECTIONS + OTHERS] = {"about",   "include", "parameters", "run",
                                                "control", "gravity", "repeat",     "camera"};
    for (int k = 0; k < PERP_SECTIONS; k++)
        keys[OTHERS + k] = perp_sections[k].key;
    PerpStatus status = perp_node_mapping(reader->document, root, "the scene");
    if (!status)
        status = perp_node_check_keys(reader->document, root, keys, PERP_COUNT(keys));
    return status ? status : perp_check_repeats(reader, root);
}

static void append_file(PerpSceneReader *reader, PerpSceneFile *file)
{
    if (reader->last_file)
        reader->last_file->next = file;
    else
        reader->first_file = file;
    reader->last_file = file;
}

static PerpStatus load_document(PerpSceneReader *reader, PerpSceneFile *file, int depth)
{
    const PerpDocument *before = reader->document;
    reader->document = &file->document;
    PerpStatus status = check_root(reader, file->document.root);
    if (!status)
        status = load_includes(reader, file->document.root, depth);
    reader->document = before;
    return status;
}

static PerpStatus load_bytes(PerpSceneReader *reader, const char *bytes, size_t size,
                             const char *name, int depth)
{
    const PerpAllocator *allocator = &reader->scene->context.allocator;
    PerpSceneFile *file = perp_allocate(allocator, 1, sizeof *file);
    if (!file)
        return perp_fail_at(reader->error, PERP_NO_MEMORY, name, 0, 0,
                            "out of memory while reading the scene");
    PerpStatus status =
        perp_document_parse(allocator, bytes, size, name, &file->document, reader->error);
    if (status) {
        perp_free(allocator, file);
        return status;
    }
    status = load_document(reader, file, depth);
    append_file(reader, file);
    return status;
}

static PerpStatus load_file(PerpSceneReader *reader, const PerpNode *node, const char *path,
                            int depth)
{
    PerpInput input;
    PerpStatus status = perp_scene_input(reader, node, path, &input);
    if (status)
        return status;
    if (input.hdf5)
        status = perp_fail_at(reader->error, PERP_BAD_SYNTAX, path, 1, 1,
                              "an HDF5 file, expected a scene in YAML");
    else
        status = load_bytes(reader, input.bytes, input.size, path, depth);
    perp_input_free(&input);
    return status;
}

static PerpStatus keep_name(PerpSceneReader *reader, const char *name, const char **copy)
{
    *copy = copy_text(reader, name);
    if (*copy)
        return PERP_OK;
    return perp_fail_at(reader->error, PERP_NO_MEMORY, name, 0, 0,
                        "out of memory while reading the scene");
}

PerpStatus perp_scene_load(PerpSceneReader *reader, const char *path)
{
    const char *copy;
    PerpStatus status = keep_name(reader, path, &copy);
    return status ? status : load_file(reader, NULL, copy, 0);
}

PerpStatus perp_scene_load_bytes(PerpSceneReader *reader, const char *bytes, size_t size,
                                 const char *name)
{
    const char *copy;
    PerpStatus status = keep_name(reader, name, &copy);
    if (!status)
        status = enter_file(reader, NULL, copy);
    if (!status)
        status = keep_text(reader, copy, bytes, size);
    return status ? status : load_bytes(reader, bytes, size, copy, 0);
}
