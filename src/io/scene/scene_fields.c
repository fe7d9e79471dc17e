// Mappings with known keys, read by a table of fields.
#include "io/scene/scene_reader.h"

#include <string.h>

enum { MOST_FIELDS = 64 };

// Of a key that perp_fields_check has passed.
static const PerpField *find_field(const PerpFields *fields, const char *key)
{
    const PerpField *field = fields->fields;
    while (strcmp(field->key, key) != 0)
        field++;
    return field;
}

static int index_of(const char *const *words, int count, const char *word)
{
    for (int k = 0; k < count; k++)
        if (strcmp(words[k], word) == 0)
            return k;
    return -1;
}

// The kind that one of the keys names; -1: none does
static int find_kind(const PerpNode *mapping, const PerpFields *fields)
{
    int kind = -1;
    for (const PerpNode *key = mapping->child; key && kind < 0; key = key->next->next)
        kind = index_of(fields->kinds, fields->n_kinds, key->text);
    return kind;
}

static bool goes_with(const PerpFields *fields, const PerpField *field, int kind)
{
    if (kind < 0)
        return true;
    int own = index_of(fields->kinds, fields->n_kinds, field->key);
    return own >= 0 ? own == kind : !field->only || field->only & 1u << kind;
}

PerpStatus perp_fields_check(PerpSceneReader *reader, const PerpNode *mapping,
                             const PerpFields *fields)
{
    const char *keys[MOST_FIELDS];
    PerpStatus status = perp_node_mapping(reader->document, mapping, fields->what);
    if (status)
        return status;
    int kind = find_kind(mapping, fields), fitting = 0, count = 0;
    for (int pass = 0; pass < 2; pass++) { // those that go with the kind, then the others
        for (int k = 0; k < fields->count; k++)
            if (goes_with(fields, &fields->fields[k], kind) == (pass == 0))
                keys[count++] = fields->fields[k].key;
        fitting = pass == 0 ? count : fitting;
    }
    return perp_node_check_keys_of_kind(reader->document, mapping, keys, count, fitting);
}

static PerpStatus read_non_negative(PerpSceneReader *reader, const PerpNode *node, const char *key,
                                    void *target)
{
    double *number = target;
    PerpStatus status = perp_scene_number(reader, node, key, number);
    if (!status && !(*number >= 0))
        status = perp_node_fail(reader->document, node, PERP_BAD_VALUE,
                                "%s: expected 0 or more, found %.6g", key, *number);
    return status;
}

static PerpStatus read_fraction(PerpSceneReader *reader, const PerpNode *node, const char *key,
                                void *target)
{
    double *number = target;
    PerpStatus status = perp_scene_number(reader, node, key, number);
    if (!status && !(*number >= 0 && *number <= 1))
        status = perp_node_fail(reader->document, node, PERP_BAD_VALUE,
                                "%s: expected a number from 0 to 1, found %.6g", key, *number);
    return status;
}

PerpStatus perp_field_value(PerpSceneReader *reader, const PerpNode *node, const PerpField *field,
                            void *target)
{
    switch (field->kind) {
    case PERP_FIELD_NUMBER:
        return perp_scene_number(reader, node, field->key, target);
    case PERP_FIELD_POSITIVE:
        return perp_scene_positive(reader, node, field->key, target);
    case PERP_FIELD_NON_NEGATIVE:
        return read_non_negative(reader, node, field->key, target);
    case PERP_FIELD_FRACTION:
        return read_fraction(reader, node, field->key, target);
    case PERP_FIELD_BOUND:
        return perp_scene_bound(reader, node, field->key, target);
    case PERP_FIELD_VECTOR:
        return perp_scene_numbers(reader, node, 3, field->key, target);
    case PERP_FIELD_DIRECTION:
        return perp_scene_direction(reader, node, field->key, target);
    case PERP_FIELD_FLAG:
        return perp_scene_flag(reader, node, field->key, target);
    case PERP_FIELD_TEXT:
        return perp_scene_name(reader, node, field->key, target);
    default:
        return field->read(reader, node, target);
    }
}

PerpStatus perp_fields_read(PerpSceneReader *reader, const PerpNode *mapping,
                            const PerpFields *fields, unsigned variant, const char *variant_name,
                            void *target)
{
    PerpStatus status = perp_fields_check(reader, mapping, fields);
    for (const PerpNode *key = mapping->child; !status && key; key = key->next->next) {
        const PerpField *field = find_field(fields, key->text);
        if (field->only && !(field->only & variant))
            return perp_node_fail(reader->document, key, PERP_BAD_SYNTAX,
                                  "\"%s\" does not go with \"%s\"", key->text, variant_name);
        status = perp_field_value(reader, key->next, field, (char *)target + field->offset);
    }
    return status;
}

PerpStatus perp_fields_choose(PerpSceneReader *reader, const PerpNode *mapping,
                              const char *const *words, int count, int *index)
{
    *index = -1;
    for (const PerpNode *key = mapping->child; key; key = key->next->next) {
        int found = index_of(words, count, key->text);
        if (found >= 0 && *index >= 0)
            return perp_node_fail(reader->document, key, PERP_BAD_SYNTAX,
                                  "\"%s\" besides \"%s\", expected one of them", words[found],
                                  words[*index]);
        *index = found >= 0 ? found : *index;
    }
    return PERP_OK;
}

const PerpNode *perp_fields_key(const PerpNode *mapping, const char *text)
{
    for (const PerpNode *key = mapping->child; key; key = key->next->next)
        if (strcmp(key->text, text) == 0)
            return key;
    return NULL;
}

PerpStatus perp_fields_refuse_both(PerpSceneReader *reader, const PerpNode *mapping,
                                   const char *key, const char *other)
{
    const PerpNode *place = perp_fields_key(mapping, other);
    if (!place || !perp_fields_key(mapping, key))
        return PERP_OK;
    return perp_node_fail(reader->document, place, PERP_BAD_SYNTAX,
                          "\"%s\" besides \"%s\", expected one of them", other, key);
}
