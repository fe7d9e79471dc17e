// Parsing of YAML and JSON by libyaml into a tree of nodes.
#include "io/text/document.h"

#include "base/error.h"

#include <string.h>
#include <yaml.h>

enum { NODES_AT_ONCE = 128, TEXT_AT_ONCE = 4096 };

typedef struct Level {
    PerpNode *parent;
    PerpNode *last; // child so far
    int children;   // of a mapping: keys and values
} Level;

typedef struct Parser {
    yaml_parser_t yaml;
    PerpDocument *document;
    Level levels[PERP_DOCUMENT_DEPTH_LIMIT];
    int depth;
    PerpNode *nodes; // not yet used
    int nodes_left;
    char *text; // not yet used
    size_t text_left;
} Parser;

static PerpStatus fail_at_mark(Parser *parser, const yaml_mark_t *mark, const char *message)
{
    return perp_fail_at(parser->document->error, PERP_BAD_SYNTAX, parser->document->name,
                        (int)mark->line + 1, (int)mark->column + 1, "%s", message);
}

static PerpStatus fail_for_memory(PerpDocument *document)
{
    return perp_fail_at(document->error, PERP_NO_MEMORY, document->name, 0, 0,
                        "out of memory while reading the file");
}

// The place of a byte, for errors that libyaml reports by offset.
static PerpStatus fail_at_byte(PerpDocument *document, const char *bytes, size_t offset,
                               const char *message)
{
    int line = 1, column = 1;
    for (size_t k = 0; k < offset; k++) {
        bool continues_character = ((unsigned char)bytes[k] & 0xC0) == 0x80;
        column += !continues_character;
        if (bytes[k] == '\n') {
            line++;
            column = 1;
        }
    }
    return perp_fail_at(document->error, PERP_BAD_SYNTAX, document->name, line, column, "%s",
                        message);
}

static PerpStatus fail_for_yaml(Parser *parser, const char *bytes, size_t size)
{
    const yaml_parser_t *yaml = &parser->yaml;
    char message[PERP_MESSAGE_SIZE];
    switch (yaml->error) {
    case YAML_MEMORY_ERROR:
        return fail_for_memory(parser->document);
    case YAML_READER_ERROR:
        snprintf(message, sizeof message, "not a UTF-8 text: %s", yaml->problem);
        return fail_at_byte(parser->document, bytes,
                            yaml->problem_offset < size ? yaml->problem_offset : size, message);
    default:
        if (yaml->problem_mark.index < size && bytes[yaml->problem_mark.index] == '\t')
            return fail_at_mark(parser, &yaml->problem_mark,
                                "a tab; YAML is indented with spaces only");
        snprintf(message, sizeof message, "not valid JSON or YAML: %s",
                 yaml->problem ? yaml->problem : "unknown error");
        return fail_at_mark(parser, &yaml->problem_mark, message);
    }
}

static PerpNode *take_node(Parser *parser)
{
    if (parser->nodes_left == 0) {
        parser->nodes = PERP_TAKE(&parser->document->arena, PerpNode, NODES_AT_ONCE);
        if (!parser->nodes)
            return NULL;
        parser->nodes_left = NODES_AT_ONCE;
    }
    parser->nodes_left--;
    return parser->nodes++;
}

static char *take_text(Parser *parser, const char *text, size_t length)
{
    if (parser->text_left < length + 1) {
        size_t room = length + 1 > TEXT_AT_ONCE ? length + 1 : TEXT_AT_ONCE;
        parser->text = PERP_TAKE(&parser->document->arena, char, room);
        if (!parser->text) {
            parser->text_left = 0;
            return NULL;
        }
        parser->text_left = room;
    }
    char *copy = memcpy(parser->text, text, length);
    copy[length] = '\0';
    parser->text += length + 1;
    parser->text_left -= length + 1;
    return copy;
}

static const PerpNode *find_key(const PerpNode *mapping, const char *text)
{
    for (const PerpNode *key = mapping->child; key && key->next; key = key->next->next)
        if (strcmp(key->text, text) == 0)
            return key;
    return NULL;
}

static PerpStatus check_key(Parser *parser, const Level *level, const PerpNode *key,
                            const yaml_mark_t *mark)
{
    char message[PERP_MESSAGE_SIZE];
    if (key->kind != PERP_NODE_SCALAR)
        return fail_at_mark(parser, mark, "expected a key in quotes");
    if (level->children / 2 == PERP_DOCUMENT_KEY_LIMIT)
        return fail_at_mark(parser, mark, "more than 256 keys in one object");
    const PerpNode *first = find_key(level->parent, key->text);
    if (!first)
        return PERP_OK;
    snprintf(message, sizeof message, "the key \"%.100s\" was already given in line %d", key->text,
             first->line);
    return fail_at_mark(parser, mark, message);
}

static PerpStatus attach(Parser *parser, PerpNode *node, const yaml_mark_t *mark)
{
    if (parser->depth == 0) {
        parser->document->root = node;
        return PERP_OK;
    }
    Level *level = &parser->levels[parser->depth - 1];
    bool is_mapping = level->parent->kind == PERP_NODE_MAPPING;
    if (is_mapping && level->children % 2 == 0) {
        PerpStatus status = check_key(parser, level, node, mark);
        if (status)
            return status;
    }
    if (level->last)
        level->last->next = node;
    else
        level->parent->child = node;
    level->last = node;
    level->children++;
    level->parent->count = is_mapping ? level->children / 2 : level->children;
    return PERP_OK;
}

static PerpStatus add_scalar(Parser *parser, PerpNode *node, const yaml_event_t *event)
{
    const char *value = (const char *)event->data.scalar.value;
    size_t length = event->data.scalar.length;
    if (memchr(value, '\0', length))
        return fail_at_mark(parser, &event->start_mark, "a text with the character NUL");
    node->quoted = event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
    node->text = take_text(parser, value, length);
    return node->text ? PERP_OK : fail_for_memory(parser->document);
}

static PerpStatus open_level(Parser *parser, PerpNode *node, const yaml_mark_t *mark)
{
    if (parser->depth == PERP_DOCUMENT_DEPTH_LIMIT)
        return fail_at_mark(parser, mark, "nested deeper than 64 levels");
    parser->levels[parser->depth++] = (Level){.parent = node};
    return PERP_OK;
}

static bool has_anchor_or_tag(const yaml_event_t *event)
{
    switch (event->type) {
    case YAML_SCALAR_EVENT:
        return event->data.scalar.anchor || event->data.scalar.tag;
    case YAML_SEQUENCE_START_EVENT:
        return event->data.sequence_start.anchor || event->data.sequence_start.tag;
    default:
        return event->data.mapping_start.anchor || event->data.mapping_start.tag;
    }
}

static PerpStatus add_node(Parser *parser, PerpNodeKind kind, const yaml_event_t *event)
{
    const yaml_mark_t *mark = &event->start_mark;
    if (has_anchor_or_tag(event))
        return fail_at_mark(parser, mark, "anchors (&) and tags (!) are not allowed");
    PerpNode *node = take_node(parser);
    if (!node)
        return fail_for_memory(parser->document);
    *node = (PerpNode){.kind = kind, .line = (int)mark->line + 1, .column = (int)mark->column + 1};
    PerpStatus status = kind == PERP_NODE_SCALAR ? add_scalar(parser, node, event) : PERP_OK;
    if (!status)
        status = attach(parser, node, mark);
    if (!status && kind != PERP_NODE_SCALAR)
        status = open_level(parser, node, mark);
    return status;
}

static PerpStatus take_event(Parser *parser, const yaml_event_t *event)
{
    switch (event->type) {
    case YAML_DOCUMENT_START_EVENT:
        if (parser->document->root)
            return fail_at_mark(parser, &event->start_mark, "a second document in the file");
        return PERP_OK;
    case YAML_ALIAS_EVENT:
        return fail_at_mark(parser, &event->start_mark, "aliases (*) are not allowed");
    case YAML_SCALAR_EVENT:
        return add_node(parser, PERP_NODE_SCALAR, event);
    case YAML_SEQUENCE_START_EVENT:
        return add_node(parser, PERP_NODE_SEQUENCE, event);
    case YAML_MAPPING_START_EVENT:
        return add_node(parser, PERP_NODE_MAPPING, event);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        parser->depth--;
        return PERP_OK;
    default:
        return PERP_OK;
    }
}

static PerpStatus take_all_events(Parser *parser, const char *bytes, size_t size)
{
    PerpStatus status = PERP_OK;
    bool ended = false;
    while (!status && !ended) {
        yaml_event_t event;
        if (!yaml_parser_parse(&parser->yaml, &event))
            return fail_for_yaml(parser, bytes, size);
        ended = event.type == YAML_STREAM_END_EVENT;
        status = take_event(parser, &event);
        yaml_event_delete(&event);
    }
    if (!status && !parser->document->root)
        status = fail_at_byte(parser->document, bytes, size, "the file is empty");
    return status;
}

static PerpStatus check_bytes(PerpDocument *document, const char *bytes, size_t size)
{
    if (size > PERP_DOCUMENT_SIZE_LIMIT)
        return perp_fail_at(document->error, PERP_BAD_SIZE, document->name, 0, 0,
                            "larger than 64 MiB, the limit for JSON and YAML");
    const char *nul = memchr(bytes, '\0', size);
    if (nul)
        return fail_at_byte(document, bytes, (size_t)(nul - bytes), "a NUL byte in the file");
    return PERP_OK;
}

PerpStatus perp_document_parse(const PerpAllocator *allocator, const char *bytes, size_t size,
                               const char *name, PerpDocument *document, PerpError *error)
{
    *document = (PerpDocument){.name = name, .error = error};
    PerpStatus status = check_bytes(document, bytes, size);
    if (status)
        return status;
    Parser parser = {.document = document};
    if (!yaml_parser_initialize(&parser.yaml))
        return fail_for_memory(document);
    perp_arena_init(&document->arena, allocator);
    yaml_parser_set_encoding(&parser.yaml, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser.yaml, (const unsigned char *)bytes, size);
    status = take_all_events(&parser, bytes, size);
    yaml_parser_delete(&parser.yaml);
    if (status)
        perp_document_free(document);
    return status;
}

void perp_document_free(PerpDocument *document)
{
    perp_arena_free(&document->arena);
    document->root = NULL;
}
