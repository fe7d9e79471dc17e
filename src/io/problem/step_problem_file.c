// A step problem as JSON. Vectors of a row come one for each body that it is "on":
//
//     {"bodies":   [{"M": [[row], ...] or [diagonal], "b": [...]}, ...],
//      "joints":   [{"on": [bodies], "J": [vectors], "d": 0}, ...],
//      "boxes":    [{"on": [bodies], "J": [vectors], "d": 0, "lo": -1, "hi": "inf"}, ...],
//      "contacts": [{"on": [bodies], "n": [vectors], "d": 0, "friction": [group, ...]}, ...]}
//
// Joints, boxes and contacts may have "compliance", 0 unless given. A friction group has "mu",
// "cohesion" and either the directions, "D": [[vectors], ...], or one or two tangents, "T":
// [[vectors], ...], from which "facets" directions are made.
#include "io/problem/problem_file.h"
#include "io/text/node.h"
#include "perp/friction.h"

#include <math.h>
#include <string.h>

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

typedef struct Reader {
    const PerpDocument *document;
    PerpProblemBuilder *builder;
    PerpArena scratch; // rewound for every row and group
} Reader;

// The bodies of a row, in the reader's scratch memory.
typedef struct Bodies {
    int count;
    int *body;
    int numbers; // velocities of all of them
} Bodies;

static PerpStatus fail_for_memory(const Reader *reader, const PerpNode *node)
{
    return perp_node_fail(reader->document, node, PERP_NO_MEMORY,
                          "out of memory while reading the problem");
}

static PerpStatus read_optional_number(const Reader *reader, const PerpNode *mapping,
                                       const char *key, double *number)
{
    const PerpNode *node = perp_node_find(mapping, key);
    *number = 0;
    return node ? perp_node_number(reader->document, node, key, number) : PERP_OK;
}

static PerpStatus read_block(const Reader *reader, const PerpNode *M, int size, double *block)
{
    bool diagonal = M->child && M->child->kind == PERP_NODE_SCALAR;
    if (diagonal)
        return perp_node_numbers(reader->document, M, size, "the diagonal M", block, size + 1);
    PerpStatus status = PERP_OK;
    for (const PerpNode *row = M->child; !status && row; row = row->next)
        status = perp_node_numbers(reader->document, row, size, "a row of M", block++, size);
    return status;
}

static PerpStatus read_body(Reader *reader, const PerpNode *node)
{
    static const char *const keys[] = {"M", "b"};
    const PerpDocument *document = reader->document;
    const PerpNode *M, *b;
    double *block, *right;
    PerpStatus status = perp_node_mapping(document, node, "a body");
    if (!status)
        status = perp_node_check_keys(document, node, keys, COUNT(keys));
    if (!status)
        status = perp_node_require(document, node, "M", &M);
    if (!status)
        status = perp_node_require(document, node, "b", &b);
    if (!status)
        status = perp_node_sequence(document, M, "M");
    if (!status && M->count == 0)
        status = perp_node_fail(document, M, PERP_BAD_SIZE, "M is empty");
    if (!status)
        status = perp_node_sequence_of(document, b, M->count, "b");
    if (!status)
        status = perp_node_blame(
            document, M,
            perp_builder_body(reader->builder, M->count, &block, &right, document->error));
    if (!status)
        status = read_block(reader, M, M->count, block);
    return status ? status : perp_node_numbers(document, b, M->count, "b", right, 1);
}

static PerpStatus read_on(Reader *reader, const PerpNode *on, Bodies *bodies)
{
    PerpStatus status = perp_node_sequence(reader->document, on, "on");
    if (status)
        return status;
    *bodies = (Bodies){.body = PERP_TAKE(&reader->scratch, int, on->count)};
    if (!bodies->body)
        return fail_for_memory(reader, on);
    int last = perp_builder_bodies(reader->builder) - 1;
    for (const PerpNode *n = on->child; n; n = n->next) {
        int *body = &bodies->body[bodies->count++];
        status = perp_node_integer(reader->document, n, 0, last, "on: a body", body);
        if (status)
            return status;
        bodies->numbers += perp_builder_body_size(reader->builder, *body);
    }
    return PERP_OK;
}

// One vector for each body, one after the other.
static PerpStatus read_vectors(Reader *reader, const PerpNode *node, const Bodies *bodies,
                               const char *what, double **numbers)
{
    PerpStatus status = perp_node_sequence_of(reader->document, node, bodies->count, what);
    if (status)
        return status;
    *numbers = PERP_TAKE(&reader->scratch, double, bodies->numbers);
    if (!*numbers)
        return fail_for_memory(reader, node);
    double *next = *numbers;
    const PerpNode *vector = node->child;
    for (int k = 0; !status && k < bodies->count; k++, vector = vector->next) {
        int size = perp_builder_body_size(reader->builder, bodies->body[k]);
        status = perp_node_numbers(reader->document, vector, size, what, next, 1);
        next += size;
    }
    return status;
}

static PerpStatus add_row(Reader *reader, const PerpNode *place, PerpRowKind kind, double d,
                          const Bodies *bodies, const double *numbers)
{
    PerpError *error = reader->document->error;
    PerpStatus status = perp_builder_row(reader->builder, kind, d, error);
    for (int k = 0; !status && k < bodies->count; k++) {
        double *J;
        size_t size = (size_t)perp_builder_body_size(reader->builder, bodies->body[k]);
        status = perp_builder_entry(reader->builder, bodies->body[k], &J, error);
        if (!status)
            memcpy(J, numbers, size * sizeof *J);
        numbers += size;
    }
    return perp_node_blame(reader->document, place, status);
}

static PerpStatus read_compliance(Reader *reader, const PerpNode *row)
{
    const PerpNode *node = perp_node_find(row, "compliance");
    double compliance;
    PerpStatus status = read_optional_number(reader, row, "compliance", &compliance);
    if (!status && !(compliance >= 0))
        return perp_node_fail(reader->document, node, PERP_BAD_VALUE, "compliance is negative");
    if (!status && compliance > 0)
        perp_builder_compliance(reader->builder, compliance);
    return status;
}

// The part that joints, boxes and contacts have in common: "on", "d" and the vectors under `key`.
static PerpStatus read_row(Reader *reader, const PerpNode *node, const char *key, PerpRowKind kind,
                           Bodies *bodies)
{
    const PerpNode *on, *J;
    double d, *numbers;
    PerpStatus status = perp_node_require(reader->document, node, "on", &on);
    if (!status)
        status = perp_node_require(reader->document, node, key, &J);
    if (!status)
        status = read_optional_number(reader, node, "d", &d);
    if (!status)
        status = read_on(reader, on, bodies);
    if (!status)
        status = read_vectors(reader, J, bodies, key, &numbers);
    if (!status)
        status = add_row(reader, on, kind, d, bodies, numbers);
    return status ? status : read_compliance(reader, node);
}

static PerpStatus read_joint(Reader *reader, const PerpNode *node)
{
    static const char *const keys[] = {"on", "J", "d", "compliance"};
    Bodies bodies;
    PerpStatus status = perp_node_mapping(reader->document, node, "a joint");
    if (!status)
        status = perp_node_check_keys(reader->document, node, keys, COUNT(keys));
    return status ? status : read_row(reader, node, "J", PERP_ROW_JOINT, &bodies);
}

static PerpStatus read_bounds(Reader *reader, const PerpNode *node)
{
    const PerpDocument *document = reader->document;
    const PerpNode *low, *high;
    double lo, hi;
    PerpStatus status = perp_node_require(document, node, "lo", &low);
    if (!status)
        status = perp_node_require(document, node, "hi", &high);
    if (!status)
        status = perp_node_bound(document, low, "lo", &lo);
    if (!status)
        status = perp_node_bound(document, high, "hi", &hi);
    if (status)
        return status;
    if (lo == INFINITY)
        return perp_node_fail(document, low, PERP_BAD_VALUE, "lo is infinity");
    if (hi == -INFINITY)
        return perp_node_fail(document, high, PERP_BAD_VALUE, "hi is minus infinity");
    if (lo > hi)
        return perp_node_fail(document, high, PERP_BAD_VALUE, "hi is less than lo");
    return perp_node_blame(document, node,
                           perp_builder_bounds(reader->builder, lo, hi, document->error));
}

static PerpStatus read_box(Reader *reader, const PerpNode *node)
{
    static const char *const keys[] = {"on", "J", "d", "compliance", "lo", "hi"};
    Bodies bodies;
    PerpStatus status = perp_node_mapping(reader->document, node, "a box");
    if (!status)
        status = perp_node_check_keys(reader->document, node, keys, COUNT(keys));
    if (!status)
        status = read_row(reader, node, "J", PERP_ROW_BOX, &bodies);
    return status ? status : read_bounds(reader, node);
}

static PerpStatus read_contact(Reader *reader, const PerpNode *node)
{
    static const char *const keys[] = {"on", "n", "d", "compliance", "friction"};
    Bodies bodies;
    PerpStatus status = perp_node_mapping(reader->document, node, "a contact");
    if (!status)
        status = perp_node_check_keys(reader->document, node, keys, COUNT(keys));
    return status ? status : read_row(reader, node, "n", PERP_ROW_CONTACT, &bodies);
}

// The offsets of a group, one for each direction or tangent; zero if not given.
static PerpStatus read_offsets(Reader *reader, const PerpNode *group, int count, double **offsets)
{
    const PerpNode *d = perp_node_find(group, "d");
    *offsets = PERP_TAKE(&reader->scratch, double, count);
    if (!*offsets)
        return fail_for_memory(reader, group);
    return d ? perp_node_numbers(reader->document, d, count, "d", *offsets, 1) : PERP_OK;
}

static PerpStatus read_directions(Reader *reader, const PerpNode *group, const PerpNode *D,
                                  const Bodies *bodies)
{
    double *offsets, *numbers;
    PerpStatus status = perp_node_sequence(reader->document, D, "D");
    if (!status && D->count == 0)
        status = perp_node_fail(reader->document, D, PERP_BAD_SIZE, "D is empty");
    if (!status)
        status = read_offsets(reader, group, D->count, &offsets);
    for (const PerpNode *n = D->child; !status && n; n = n->next) {
        status = read_vectors(reader, n, bodies, "a direction of D", &numbers);
        if (!status)
            status = add_row(reader, n, PERP_ROW_DIRECTION, *offsets++, bodies, numbers);
    }
    return status;
}

// direction k = cos(2 pi k/u) t1 + sin(2 pi k/u) t2, and its offset likewise
static PerpStatus add_polygon(Reader *reader, const PerpNode *T, const Bodies *bodies, int facets,
                              double *const tangents[2], const double *offsets)
{
    double *numbers = PERP_TAKE(&reader->scratch, double, bodies->numbers);
    if (!numbers)
        return fail_for_memory(reader, T);
    PerpStatus status = PERP_OK;
    for (int k = 0; !status && k < facets; k++) {
        double weight[2], d = 0;
        perp_friction_direction(k, facets, weight);
        memset(numbers, 0, (size_t)bodies->numbers * sizeof *numbers);
        for (int t = 0; t < T->count; t++) {
            d += weight[t] * offsets[t];
            for (int i = 0; i < bodies->numbers; i++)
                numbers[i] += weight[t] * tangents[t][i];
        }
        status = add_row(reader, T, PERP_ROW_DIRECTION, d, bodies, numbers);
    }
    return status;
}

// The tangents themselves.
static PerpStatus add_circle(Reader *reader, const PerpNode *T, const Bodies *bodies,
                             double *const tangents[2], const double *offsets)
{
    PerpStatus status = PERP_OK;
    perp_builder_round(reader->builder);
    for (int t = 0; !status && t < T->count; t++)
        status = add_row(reader, T, PERP_ROW_DIRECTION, offsets[t], bodies, tangents[t]);
    return status;
}

// 0: circular
static PerpStatus read_facets(const Reader *reader, const PerpNode *group, int tangents,
                              int *facets)
{
    const PerpNode *node = perp_node_find(group, "facets");
    *facets = tangents == 1 ? 2 : 8;
    if (!node)
        return PERP_OK;
    if (node->text && strcmp(node->text, "circular") == 0) {
        *facets = 0;
        return PERP_OK;
    }
    if (tangents == 1)
        return perp_node_integer(reader->document, node, 2, 2, "facets with one tangent", facets);
    PerpStatus status = perp_node_integer(reader->document, node, 4, 256, "facets", facets);
    if (!status && *facets % 2 != 0)
        status = perp_node_fail(reader->document, node, PERP_BAD_VALUE,
                                "facets: expected an even number");
    return status;
}

static PerpStatus read_tangents(Reader *reader, const PerpNode *group, const PerpNode *T,
                                const Bodies *bodies)
{
    double *offsets, *tangents[2];
    int facets, count = 0;
    PerpStatus status = perp_node_sequence(reader->document, T, "T");
    if (!status && T->count != 1 && T->count != 2)
        status = perp_node_fail(reader->document, T, PERP_BAD_SIZE,
                                "T has %d tangents, expected 1 or 2", T->count);
    if (!status)
        status = read_facets(reader, group, T->count, &facets);
    if (!status)
        status = read_offsets(reader, group, T->count, &offsets);
    for (const PerpNode *n = T->child; !status && n; n = n->next)
        status = read_vectors(reader, n, bodies, "a tangent of T", &tangents[count++]);
    if (status)
        return status;
    return facets ? add_polygon(reader, T, bodies, facets, tangents, offsets)
                  : add_circle(reader, T, bodies, tangents, offsets);
}

static PerpStatus read_limits(Reader *reader, const PerpNode *node, int contact)
{
    const PerpDocument *document = reader->document;
    const PerpNode *mu_node, *cohesion_node = perp_node_find(node, "cohesion");
    double mu, cohesion;
    PerpStatus status = perp_node_require(document, node, "mu", &mu_node);
    if (!status)
        status = perp_node_number(document, mu_node, "mu", &mu);
    if (!status)
        status = read_optional_number(reader, node, "cohesion", &cohesion);
    if (status)
        return status;
    if (mu < 0 || cohesion < 0)
        return perp_node_fail(document, mu < 0 ? mu_node : cohesion_node, PERP_BAD_VALUE,
                              "%s is negative", mu < 0 ? "mu" : "cohesion");
    return perp_node_blame(
        document, node,
        perp_builder_group(reader->builder, contact, mu, cohesion, document->error));
}

static PerpStatus read_group(Reader *reader, const PerpNode *node, const PerpNode *contact_on,
                             int contact)
{
    static const char *const keys[] = {"mu", "cohesion", "D", "d", "T", "facets", "on"};
    const PerpDocument *document = reader->document;
    PerpStatus status = perp_node_mapping(document, node, "a friction group");
    if (!status)
        status = perp_node_check_keys(document, node, keys, COUNT(keys));
    if (!status)
        status = read_limits(reader, node, contact);
    if (status)
        return status;
    const PerpNode *on = perp_node_find(node, "on");
    const PerpNode *D = perp_node_find(node, "D"), *T = perp_node_find(node, "T");
    if (!D == !T || (D && perp_node_find(node, "facets")))
        return perp_node_fail(document, node, PERP_BAD_SYNTAX,
                              "expected either \"D\" (directions) or \"T\" (tangents) and facets");
    Bodies bodies;
    perp_arena_rewind(&reader->scratch);
    status = read_on(reader, on ? on : contact_on, &bodies);
    if (status)
        return status;
    return D ? read_directions(reader, node, D, &bodies) : read_tangents(reader, node, T, &bodies);
}

// All contacts are known to be well-formed mappings with "on".
static PerpStatus read_friction(Reader *reader, const PerpNode *contacts)
{
    PerpStatus status = PERP_OK;
    int index = 0;
    for (const PerpNode *c = contacts->child; !status && c; c = c->next, index++) {
        const PerpNode *groups = perp_node_find(c, "friction");
        if (!groups)
            continue;
        status = perp_node_sequence(reader->document, groups, "friction");
        for (const PerpNode *g = groups->child; !status && g; g = g->next)
            status = read_group(reader, g, perp_node_find(c, "on"), index);
    }
    return status;
}

static PerpStatus read_list(Reader *reader, const char *key,
                            PerpStatus (*read_item)(Reader *, const PerpNode *))
{
    const PerpNode *list = perp_node_find(reader->document->root, key);
    if (!list)
        return PERP_OK;
    PerpStatus status = perp_node_sequence(reader->document, list, key);
    for (const PerpNode *n = list->child; !status && n; n = n->next) {
        perp_arena_rewind(&reader->scratch);
        status = read_item(reader, n);
    }
    return status;
}

static PerpStatus read_all(Reader *reader)
{
    static const char *const keys[] = {"bodies", "joints", "boxes", "contacts"};
    const PerpNode *root = reader->document->root;
    PerpStatus status = perp_node_check_keys(reader->document, root, keys, COUNT(keys));
    if (!status)
        status = read_list(reader, "bodies", read_body);
    if (!status)
        status = read_list(reader, "joints", read_joint);
    if (!status)
        status = read_list(reader, "boxes", read_box);
    if (!status)
        status = read_list(reader, "contacts", read_contact);
    const PerpNode *contacts = perp_node_find(root, "contacts");
    return status || !contacts ? status : read_friction(reader, contacts);
}

PerpStatus perp_read_step_problem(const PerpDocument *document, PerpProblemFile *file)
{
    Reader reader = {.document = document, .builder = &file->builder};
    perp_arena_init(&reader.scratch, &file->context.allocator);
    PerpStatus status = read_all(&reader);
    perp_arena_free(&reader.scratch);
    if (status)
        return status;
    file->kind = PERP_PROBLEM_FILE_STEP;
    file->problem = perp_builder_problem(&file->builder);
    return perp_node_blame(document, document->root,
                           perp_problem_check(&file->problem, document->error));
}
