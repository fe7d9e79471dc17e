// Names of items in a scene, with their expressions evaluated: brick-{i}-{j + 1} becomes brick-0-1.
#include "io/scene/scene_reader.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { FIRST_ROOM = 16 };

static const double LARGEST_INDEX = 1e15;

typedef struct Name {
    PerpSceneReader *reader;
    const PerpNode *node;
    const char *what;
    char text[PERP_SCENE_NAME_SIZE];
    int length;
} Name;

static PerpStatus fail_at(const Name *name, const char *place, PerpStatus status,
                          const char *message)
{
    PerpNode node = *name->node;
    node.column += (int)(place - name->node->text) + name->node->quoted;
    return perp_node_fail(name->reader->document, &node, status, "%.100s: %s", name->what, message);
}

static PerpStatus append(Name *name, const char *text, size_t length)
{
    if (length >= sizeof name->text - (size_t)name->length)
        return perp_node_fail(name->reader->document, name->node, PERP_BAD_SIZE,
                              "%.100s: a name longer than %d bytes", name->what,
                              PERP_SCENE_NAME_SIZE - 1);
    memcpy(name->text + name->length, text, length);
    name->length += (int)length;
    name->text[name->length] = '\0';
    return PERP_OK;
}

// The value of the expression between braces, as a whole number.
static PerpStatus append_value(Name *name, const char *start, const char *end)
{
    char digits[32];
    double value;
    PerpStatus status = perp_scene_evaluate(name->reader, name->node, start, (size_t)(end - start),
                                            name->what, &value);
    if (status)
        return status;
    if (value != floor(value) || fabs(value) > LARGEST_INDEX)
        return fail_at(name, start, PERP_BAD_VALUE, "expected a whole number within {}");
    int length = snprintf(digits, sizeof digits, "%.0f", value + 0.0);
    return append(name, digits, (size_t)length);
}

static PerpStatus expand(Name *name)
{
    const char *next = name->node->text;
    PerpStatus status = PERP_OK;
    while (!status && *next) {
        size_t plain = strcspn(next, "{}");
        status = append(name, next, plain);
        next += plain;
        if (status || !*next)
            break;
        const char *end = *next == '{' ? strchr(next, '}') : NULL;
        if (!end)
            return fail_at(name, next, PERP_BAD_SYNTAX, "a brace without its partner in a name");
        status = append_value(name, next + 1, end);
        next = end + 1;
    }
    return status;
}

static PerpStatus expand_name(PerpSceneReader *reader, const PerpNode *node, const char *what,
                              Name *name)
{
    if (node->kind != PERP_NODE_SCALAR || !node->text[0])
        return perp_node_fail(reader->document, node, PERP_BAD_SYNTAX, "%.100s: expected a name",
                              what);
    *name = (Name){.reader = reader, .node = node, .what = what};
    return expand(name);
}

PerpStatus perp_scene_name(PerpSceneReader *reader, const PerpNode *node, const char *what,
                           const char **name)
{
    Name expanded;
    PerpStatus status = expand_name(reader, node, what, &expanded);
    if (status)
        return status;
    char *copy = perp_arena_take(&reader->scene->arena, (size_t)expanded.length + 1, 1);
    if (!copy)
        return perp_scene_fail_for_memory(reader, node);
    *name = memcpy(copy, expanded.text, (size_t)expanded.length + 1);
    return PERP_OK;
}

static PerpStatus fail_to_find(PerpSceneReader *reader, const PerpNode *node, const char *what,
                               const char *name, const char *nearest)
{
    if (!nearest)
        return perp_node_fail(reader->document, node, PERP_BAD_VALUE,
                              "there is no %s \"%s\", nor any other", what, name);
    return perp_node_fail(reader->document, node, PERP_BAD_VALUE,
                          "there is no %s \"%s\"; the nearest is \"%s\"", what, name, nearest);
}

PerpStatus perp_scene_find(PerpSceneReader *reader, const PerpNode *node, const char *what,
                           const PerpNames *names, int *index)
{
    Name name;
    PerpStatus status = expand_name(reader, node, what, &name);
    if (status)
        return status;
    *index = perp_names_find(names, name.text);
    if (*index >= 0)
        return PERP_OK;
    return fail_to_find(reader, node, what, name.text, perp_names_nearest(names, name.text, NULL));
}

PerpStatus perp_scene_find_body(PerpSceneReader *reader, const PerpNode *node, int *body)
{
    const PerpNames *names = &reader->scene->body_names;
    Name name;
    PerpStatus status = expand_name(reader, node, "body", &name);
    if (status)
        return status;
    *body = perp_names_find(names, name.text);
    if (*body >= 0 || strcmp(name.text, "world") == 0)
        return PERP_OK;
    return fail_to_find(reader, node, "body", name.text,
                        perp_names_nearest(names, name.text, "world"));
}

PerpStatus perp_scene_find_two_bodies(PerpSceneReader *reader, const PerpNode *node,
                                      const char *what, int *body_a, int *body_b)
{
    PerpStatus status = perp_node_sequence_of(reader->document, node, 2, what);
    if (!status)
        status = perp_scene_find_body(reader, node->child, body_a);
    if (!status)
        status = perp_scene_find_body(reader, node->child->next, body_b);
    if (!status && *body_a == *body_b)
        status = perp_node_fail(reader->document, node->child->next, PERP_BAD_VALUE,
                                "%.100s: expected two different bodies", what);
    return status;
}

PerpStatus perp_scene_enter(PerpSceneReader *reader, const PerpNode *node, const char *what,
                            const char *name, PerpNames *names)
{
    int given = perp_names_find(names, name);
    if (given >= 0) {
        PerpPlace place = names->names[given].place;
        return perp_node_fail(reader->document, node, PERP_BAD_SYNTAX,
                              "the %s \"%s\" was already given in %.200s:%d:%d", what, name,
                              place.file, place.line, place.column);
    }
    if (!perp_names_add(names, name, perp_scene_place(reader, node)))
        return perp_scene_fail_for_memory(reader, node);
    return PERP_OK;
}

PerpPlace perp_scene_place(const PerpSceneReader *reader, const PerpNode *node)
{
    return (PerpPlace){reader->document->name, node->line, node->column};
}

PerpStatus perp_scene_fail_for_memory(const PerpSceneReader *reader, const PerpNode *node)
{
    return perp_node_fail(reader->document, node, PERP_NO_MEMORY,
                          "out of memory while reading the scene");
}

static bool make_room(const PerpAllocator *allocator, PerpSceneList *list)
{
    int room = list->room ? 2 * list->room : FIRST_ROOM;
    void *items = perp_resize(allocator, list->items, (size_t)room, list->item_size);
    if (!items)
        return false;
    list->items = items;
    list->room = room;
    return true;
}

PerpStatus perp_scene_append(PerpSceneReader *reader, const PerpNode *node, PerpSceneList *list,
                             const void *item)
{
    if (list->count == list->room && !make_room(&reader->scene->context.allocator, list))
        return perp_scene_fail_for_memory(reader, node);
    memcpy((char *)list->items + (size_t)list->count * list->item_size, item, list->item_size);
    list->count++;
    return PERP_OK;
}

PerpStatus perp_scene_add(PerpSceneReader *reader, const PerpNode *node, PerpSceneList *list,
                          const void *item)
{
    if (++reader->items > PERP_SCENE_ITEM_LIMIT)
        return perp_node_fail(reader->document, node, PERP_BAD_SIZE,
                              "more than %d bodies, shapes, joints and other items",
                              PERP_SCENE_ITEM_LIMIT);
    return perp_scene_append(reader, node, list, item);
}

void perp_scene_list_free(const PerpAllocator *allocator, PerpSceneList *list)
{
    perp_free(allocator, list->items);
    *list = (PerpSceneList){.item_size = list->item_size};
}
