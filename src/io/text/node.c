// Values of nodes: numbers, vectors, keys, with errors that name the place.
#include "io/text/node.h"
#include "io/text/words.h"

#include "perp/words.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

PerpStatus perp_node_fail(const PerpDocument *document, const PerpNode *node, PerpStatus status,
                          const char *format, ...)
{
    char message[PERP_MESSAGE_SIZE];
    va_list values;
    va_start(values, format);
    vsnprintf(message, sizeof message, format, values);
    va_end(values);
    return perp_fail_at(document->error, status, document->name, node->line, node->column, "%s",
                        message);
}

PerpStatus perp_node_blame(const PerpDocument *document, const PerpNode *node, PerpStatus status)
{
    PerpError *error = document->error;
    if (status && error && !error->file[0]) {
        snprintf(error->file, sizeof error->file, "%s", document->name);
        error->line = node->line;
        error->column = node->column;
    }
    return status;
}

PerpStatus perp_node_mapping(const PerpDocument *document, const PerpNode *node, const char *what)
{
    if (node->kind == PERP_NODE_MAPPING)
        return PERP_OK;
    return perp_node_fail(document, node, PERP_BAD_SYNTAX, "%s: expected an object {...}", what);
}

PerpStatus perp_node_sequence(const PerpDocument *document, const PerpNode *node, const char *what)
{
    if (node->kind == PERP_NODE_SEQUENCE)
        return PERP_OK;
    return perp_node_fail(document, node, PERP_BAD_SYNTAX, "%s: expected a list [...]", what);
}

static const PerpNode *element(const PerpNode *sequence, int index)
{
    const PerpNode *node = sequence->child;
    while (index-- > 0)
        node = node->next;
    return node;
}

PerpStatus perp_node_sequence_of(const PerpDocument *document, const PerpNode *node, int count,
                                 const char *what)
{
    PerpStatus status = perp_node_sequence(document, node, what);
    if (status || node->count == count)
        return status;
    const PerpNode *place = node->count > count ? element(node, count) : node;
    return perp_node_fail(document, place, PERP_BAD_SIZE, "%s has length %d, expected %d", what,
                          node->count, count);
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static const char *skip_digits(const char *s)
{
    while (is_digit(*s))
        s++;
    return s;
}

// number = -? (0 | [1-9][0-9]*) (. [0-9]+)? ([eE] [+-]? [0-9]+)?                [RFC 8259, 6]
static bool is_json_number(const char *s)
{
    s += *s == '-';
    if (!is_digit(*s))
        return false;
    s = *s == '0' ? s + 1 : skip_digits(s);
    if (*s == '.') {
        if (!is_digit(s[1]))
            return false;
        s = skip_digits(s + 1);
    }
    if (*s == 'e' || *s == 'E') {
        s++;
        s += *s == '+' || *s == '-';
        if (!is_digit(*s))
            return false;
        s = skip_digits(s);
    }
    return *s == '\0';
}

static bool equals_ignoring_case(const char *text, const char *lower)
{
    for (; *text && *lower; text++, lower++) {
        char c = *text >= 'A' && *text <= 'Z' ? (char)(*text - 'A' + 'a') : *text;
        if (c != *lower)
            return false;
    }
    return *text == *lower;
}

static bool names_non_finite(const char *text)
{
    static const char *const names[] = {"nan", "inf", "infinity"};
    text += *text == '-' || *text == '+';
    text += *text == '.';
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (equals_ignoring_case(text, names[k]))
            return true;
    return false;
}

PerpStatus perp_node_number(const PerpDocument *document, const PerpNode *node, const char *what,
                            double *number)
{
    if (node->kind != PERP_NODE_SCALAR)
        return perp_node_fail(document, node, PERP_BAD_SYNTAX, "%s: expected a number", what);
    if (names_non_finite(node->text))
        return perp_node_fail(document, node, PERP_BAD_VALUE,
                              "%s: NaN and infinity are not allowed, expected a finite number",
                              what);
    if (node->quoted)
        return perp_node_fail(document, node, PERP_BAD_SYNTAX,
                              "%s: expected a number, found the text \"%.60s\"", what, node->text);
    if (!is_json_number(node->text))
        return perp_node_fail(document, node, PERP_BAD_SYNTAX,
                              "%s: expected a number such as -1.5e3, found %.60s", what,
                              node->text);
    *number = strtod(node->text, NULL);
    if (!isfinite(*number))
        return perp_node_fail(document, node, PERP_BAD_VALUE, "%s: %.60s is too large for a double",
                              what, node->text);
    return PERP_OK;
}

PerpStatus perp_node_bound(const PerpDocument *document, const PerpNode *node, const char *what,
                           double *number)
{
    bool is_text = node->kind == PERP_NODE_SCALAR && node->quoted;
    if (is_text && strcmp(node->text, "inf") == 0) {
        *number = INFINITY;
        return PERP_OK;
    }
    if (is_text && strcmp(node->text, "-inf") == 0) {
        *number = -INFINITY;
        return PERP_OK;
    }
    if (is_text)
        return perp_node_fail(document, node, PERP_BAD_SYNTAX,
                              "%s: expected a number, \"inf\" or \"-inf\"", what);
    return perp_node_number(document, node, what, number);
}

PerpStatus perp_node_integer(const PerpDocument *document, const PerpNode *node, int low, int high,
                             const char *what, int *number)
{
    double value;
    PerpStatus status = perp_node_number(document, node, what, &value);
    if (status)
        return status;
    if (value != floor(value) || value < low || value > high)
        return perp_node_fail(document, node, PERP_BAD_VALUE,
                              "%s: expected an integer from %d to %d, found %.60s", what, low, high,
                              node->text);
    *number = (int)value;
    return PERP_OK;
}

PerpStatus perp_node_numbers(const PerpDocument *document, const PerpNode *node, int count,
                             const char *what, double *numbers, int stride)
{
    PerpStatus status = perp_node_sequence_of(document, node, count, what);
    for (const PerpNode *n = node->child; !status && n; n = n->next, numbers += stride)
        status = perp_node_number(document, n, what, numbers);
    return status;
}

const PerpNode *perp_node_find(const PerpNode *mapping, const char *key)
{
    for (const PerpNode *k = mapping->child; k; k = k->next->next)
        if (strcmp(k->text, key) == 0)
            return k->next;
    return NULL;
}

PerpStatus perp_node_require(const PerpDocument *document, const PerpNode *mapping, const char *key,
                             const PerpNode **value)
{
    *value = perp_node_find(mapping, key);
    if (*value)
        return PERP_OK;
    return perp_node_fail(document, mapping, PERP_BAD_SYNTAX, "the key \"%s\" is missing", key);
}

static bool is_in_list(const char *word, const char *const *words, int count)
{
    for (int k = 0; k < count; k++)
        if (strcmp(word, words[k]) == 0)
            return true;
    return false;
}

// What other programs call it, if it is among the keys here.
static const char *find_synonym(const char *word, const char *const *keys, int count)
{
    static const char *const synonyms[][2] = {
        {"dt", "h"},        {"timestep", "h"},  {"time_step", "h"},   {"duration", "t"},
        {"position", "at"}, {"pos", "at"},      {"radius", "sphere"}, {"ball", "sphere"},
        {"cube", "box"},    {"mu", "friction"}, {"vel", "velocity"},  {"omega", "spin"},
    };
    for (size_t k = 0; k < sizeof synonyms / sizeof *synonyms; k++)
        if (strcmp(word, synonyms[k][0]) == 0 && is_in_list(synonyms[k][1], keys, count))
            return synonyms[k][1];
    return NULL;
}

// All keys that fit, as far as there is room.
static PerpStatus fail_with_keys(const PerpDocument *document, const PerpNode *key,
                                 const char *const *keys, int fitting)
{
    char list[PERP_MESSAGE_SIZE / 2] = "";
    size_t length = 0;
    for (int k = 0; k < fitting; k++) {
        size_t more = strlen(keys[k]) + 2;
        if (length + more + sizeof ", ..." > sizeof list) {
            strcpy(list + length, ", ...");
            break;
        }
        length += (size_t)sprintf(list + length, "%s%s", k > 0 ? ", " : "", keys[k]);
    }
    return perp_node_fail(document, key, PERP_BAD_SYNTAX,
                          "unknown key \"%.60s\", expected one of %s", key->text, list);
}

// What other programs call it, what it may be mistyped for, or all that it might be.
static PerpStatus fail_unknown(const PerpDocument *document, const PerpNode *key,
                               const char *const *keys, int count, int fitting)
{
    const char *synonym = find_synonym(key->text, keys, fitting);
    if (synonym)
        return perp_node_fail(document, key, PERP_BAD_SYNTAX,
                              "unknown key \"%.60s\"; here it is called \"%s\"", key->text,
                              synonym);
    const char *nearest = perp_nearest_word(key->text, keys, fitting);
    if (!perp_word_is_near(key->text, nearest))
        nearest = perp_nearest_word(key->text, keys, count);
    if (!perp_word_is_near(key->text, nearest))
        return fail_with_keys(document, key, keys, fitting);
    return perp_node_fail(document, key, PERP_BAD_SYNTAX,
                          "unknown key \"%.60s\"; the nearest known key is \"%s\"", key->text,
                          nearest);
}

PerpStatus perp_node_check_keys_of_kind(const PerpDocument *document, const PerpNode *mapping,
                                        const char *const *keys, int count, int fitting)
{
    for (const PerpNode *key = mapping->child; key; key = key->next->next)
        if (!is_in_list(key->text, keys, count))
            return fail_unknown(document, key, keys, count, fitting);
    return PERP_OK;
}

PerpStatus perp_node_check_keys(const PerpDocument *document, const PerpNode *mapping,
                                const char *const *keys, int count)
{
    return perp_node_check_keys_of_kind(document, mapping, keys, count, count);
}
