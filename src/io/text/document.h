// A JSON text as a tree of nodes, each with its place in the text. JSON is YAML in flow style, so
// libyaml reads it; block style and comments come with that. What the tree cannot say exactly once
// is refused: anchors, aliases, tags, a second document, a key twice in a mapping.
#ifndef PERP_IO_TEXT_DOCUMENT_H
#define PERP_IO_TEXT_DOCUMENT_H

#include "base/memory.h"
#include "perp/status.h"

enum {
    PERP_DOCUMENT_SIZE_LIMIT = 64 << 20, // bytes; a tree takes up to 24 times as much memory
    PERP_DOCUMENT_DEPTH_LIMIT = 64,      // nested sequences and mappings
    PERP_DOCUMENT_KEY_LIMIT = 256,       // keys of one mapping, which are compared in pairs
};

typedef enum PerpNodeKind { PERP_NODE_SCALAR, PERP_NODE_SEQUENCE, PERP_NODE_MAPPING } PerpNodeKind;

typedef struct PerpNode PerpNode;
struct PerpNode {
    PerpNodeKind kind;
    bool quoted;      // a scalar in quotes is a text, never a number
    int line, column; // 1-based, in characters
    int count;        // elements of a sequence, pairs of a mapping
    const char *text; // of a scalar, terminated
    PerpNode *child;  // the first element, or the first key
    PerpNode *next;   // the next element; behind a key its value, behind a value the next key
};

// Owns its nodes and their texts.
typedef struct PerpDocument {
    PerpArena arena;
    const char *name; // of the file, for messages; borrowed
    PerpError *error; // where the functions of node.h put their messages; borrowed, may be NULL
    PerpNode *root;   // of any kind
} PerpDocument;

// Parses size bytes of UTF-8. On failure there is nothing to free. libyaml takes its own scratch
// memory from malloc, not from the allocator.
PerpStatus perp_document_parse(const PerpAllocator *allocator, const char *bytes, size_t size,
                               const char *name, PerpDocument *document, PerpError *error);
void perp_document_free(PerpDocument *document);

#endif
