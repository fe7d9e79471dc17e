// Repeated items of a scene, with index variables.
#include "io/scene/scene_reader.h"

#include <math.h>
#include <string.h>

static const double LARGEST_INDEX = 1e9;

typedef struct Range {
    double first, last;
} Range;

static PerpStatus check_block(PerpSceneReader *reader, const PerpNode *block)
{
    const char *keys[PERP_SECTIONS + 1];
    const PerpNode *loops;
    for (int k = 0; k < PERP_SECTIONS; k++)
        keys[k] = perp_sections[k].key;
    keys[PERP_SECTIONS] = "for";
    PerpStatus status = perp_node_mapping(reader->document, block, "repeat");
    if (!status)
        status = perp_node_check_keys(reader->document, block, keys, PERP_COUNT(keys));
    if (!status)
        status = perp_node_require(reader->document, block, "for", &loops);
    if (!status)
        status = perp_node_mapping(reader->document, loops, "for");
    if (!status && (loops->count < 1 || loops->count > PERP_INDEX_LIMIT))
        status = perp_node_fail(reader->document, loops, PERP_BAD_SIZE,
                                "for: expected 1 to %d index variables", PERP_INDEX_LIMIT);
    return status;
}

PerpStatus perp_check_repeats(PerpSceneReader *reader, const PerpNode *root)
{
    const PerpNode *repeat = perp_node_find(root, "repeat");
    if (!repeat)
        return PERP_OK;
    if (repeat->kind != PERP_NODE_SEQUENCE)
        return check_block(reader, repeat);
    PerpStatus status = PERP_OK;
    for (const PerpNode *block = repeat->child; !status && block; block = block->next)
        status = check_block(reader, block);
    return status;
}

static PerpStatus read_end(PerpSceneReader *reader, const PerpNode *node, const char *start,
                           size_t length, double *end)
{
    PerpStatus status = perp_scene_evaluate(reader, node, start, length, "a range", end);
    if (!status && (*end != floor(*end) || fabs(*end) > LARGEST_INDEX))
        status = perp_node_fail(reader->document, node, PERP_BAD_VALUE,
                                "a range: expected whole numbers, found %.6g", *end);
    return status;
}

// first..last, both included; no index at all if last < first
static PerpStatus read_range(PerpSceneReader *reader, const PerpNode *node, Range *range)
{
    const char *dots = node->kind == PERP_NODE_SCALAR ? strstr(node->text, "..") : NULL;
    if (!dots)
        return perp_node_fail(reader->document, node, PERP_BAD_SYNTAX,
                              "for: expected a range such as 0..9");
    PerpStatus status =
        read_end(reader, node, node->text, (size_t)(dots - node->text), &range->first);
    return status ? status : read_end(reader, node, dots + 2, strlen(dots + 2), &range->last);
}

static PerpStatus open_index(PerpSceneReader *reader, const PerpNode *key)
{
    PerpScope *scope = &reader->scope;
    PerpIndexVariable *index = &scope->index[scope->n_index];
    if (!perp_is_identifier(key->text) || strlen(key->text) >= sizeof index->name)
        return perp_node_fail(reader->document, key, PERP_BAD_SYNTAX,
                              "for: expected a short name of letters and digits, such as i");
    // two index variables of one name are two equal keys, which the document refuses
    if (perp_is_reserved(key->text) || perp_names_find(&scope->parameters, key->text) >= 0)
        return perp_node_fail(reader->document, key, PERP_BAD_VALUE,
                              "for: the name \"%s\" already means something else", key->text);
    strcpy(index->name, key->text);
    scope->n_index++;
    return PERP_OK;
}

static PerpStatus count_iteration(PerpSceneReader *reader, const PerpNode *key)
{
    if (++reader->iterations <= PERP_SCENE_ITERATION_LIMIT)
        return PERP_OK;
    return perp_node_fail(reader->document, key, PERP_BAD_SIZE, "repeat: more than %d repetitions",
                          PERP_SCENE_ITERATION_LIMIT);
}

// The index variable at key, and within it those behind it.
static PerpStatus loop(PerpSceneReader *reader, const PerpSection *section, const PerpNode *key,
                       const PerpNode *items)
{
    if (!key)
        return perp_read_items(reader, section, items);
    Range range;
    PerpStatus status = read_range(reader, key->next, &range);
    if (!status)
        status = open_index(reader, key);
    if (status)
        return status;
    PerpIndexVariable *index = &reader->scope.index[reader->scope.n_index - 1];
    for (double value = range.first; !status && value <= range.last; value++) {
        index->value = value;
        status = count_iteration(reader, key);
        if (!status)
            status = loop(reader, section, key->next->next, items);
    }
    reader->scope.n_index--;
    return status;
}

static PerpStatus read_block(PerpSceneReader *reader, const PerpSection *section,
                             const PerpNode *block)
{
    const PerpNode *items = perp_node_find(block, section->key);
    return items ? loop(reader, section, perp_node_find(block, "for")->child, items) : PERP_OK;
}

PerpStatus perp_read_repeats(PerpSceneReader *reader, const PerpSection *section)
{
    const PerpNode *repeat = perp_node_find(reader->document->root, "repeat");
    if (!repeat)
        return PERP_OK;
    if (repeat->kind != PERP_NODE_SEQUENCE)
        return read_block(reader, section, repeat);
    PerpStatus status = PERP_OK;
    for (const PerpNode *block = repeat->child; !status && block; block = block->next)
        status = read_block(reader, section, block);
    return status;
}
