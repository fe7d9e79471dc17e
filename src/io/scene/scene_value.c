// Numbers, vectors and words of a scene.
#include "io/scene/scene_reader.h"
#include "perp/words.h"

#include <math.h>
#include <string.h>

// Faults inside a scalar have their own column, right for texts on one line without escapes.
static PerpStatus fail_inside(PerpSceneReader *reader, const PerpNode *node, const char *start,
                              PerpStatus status, const char *what, const PerpExpressionFault *fault)
{
    PerpNode place = *node;
    place.column += (int)(start - node->text) + fault->offset + node->quoted;
    return perp_node_fail(reader->document, &place, status, "%.100s: %s", what, fault->message);
}

PerpStatus perp_scene_evaluate(PerpSceneReader *reader, const PerpNode *node, const char *start,
                               size_t length, const char *what, double *number)
{
    char text[PERP_EXPRESSION_LENGTH + 2]; // one more than allowed, so that too long stays too long
    PerpExpressionFault fault;
    length = length < sizeof text ? length : sizeof text - 1;
    memcpy(text, start, length);
    text[length] = '\0';
    PerpStatus status = perp_expression_evaluate(&reader->scope, text, number, &fault);
    return status ? fail_inside(reader, node, start, status, what, &fault) : PERP_OK;
}

static bool is_text(const PerpNode *node, const char *text)
{
    return node->kind == PERP_NODE_SCALAR && strcmp(node->text, text) == 0;
}

static bool names_non_finite(const PerpNode *node)
{
    static const char *const words[] = {"inf",   "-inf", "+inf", "infinity", ".inf",
                                        "-.inf", ".Inf", "nan",  ".nan",     "NaN"};
    for (int k = 0; k < PERP_COUNT(words); k++)
        if (is_text(node, words[k]))
            return true;
    return false;
}

PerpStatus perp_scene_number(PerpSceneReader *reader, const PerpNode *node, const char *what,
                             double *number)
{
    if (node->kind != PERP_NODE_SCALAR)
        return perp_node_fail(reader->document, node, PERP_BAD_SYNTAX,
                              "%.100s: expected a number, found a %s", what,
                              node->kind == PERP_NODE_MAPPING ? "mapping {...}" : "list [...]");
    if (names_non_finite(node))
        return perp_node_fail(reader->document, node, PERP_BAD_VALUE,
                              "%.100s: NaN and infinity are not allowed, expected a finite number",
                              what);
    return perp_scene_evaluate(reader, node, node->text, strlen(node->text), what, number);
}

PerpStatus perp_scene_positive(PerpSceneReader *reader, const PerpNode *node, const char *what,
                               double *number)
{
    PerpStatus status = perp_scene_number(reader, node, what, number);
    if (!status && !(*number > 0))
        status = perp_node_fail(reader->document, node, PERP_BAD_VALUE,
                                "%.100s: expected a number above 0, found %.6g", what, *number);
    return status;
}

PerpStatus perp_scene_bound(PerpSceneReader *reader, const PerpNode *node, const char *what,
                            double *number)
{
    bool positive = is_text(node, "inf"), negative = is_text(node, "-inf");
    if (!positive && !negative)
        return perp_scene_number(reader, node, what, number);
    *number = positive ? INFINITY : -INFINITY;
    return PERP_OK;
}

PerpStatus perp_scene_integer(PerpSceneReader *reader, const PerpNode *node, double low,
                              double high, const char *what, double *number)
{
    PerpStatus status = perp_scene_number(reader, node, what, number);
    if (!status && (*number != floor(*number) || *number < low || *number > high))
        status = perp_node_fail(reader->document, node, PERP_BAD_VALUE,
                                "%.100s: expected a whole number from %.16g to %.16g, found %.6g",
                                what, low, high, *number);
    return status;
}

typedef PerpStatus (*NumberRead)(PerpSceneReader *reader, const PerpNode *node, const char *what,
                                 double *number);

// Numbers first, then how many: a comma in max(1, 2) is blamed as such.
static PerpStatus read_numbers(PerpSceneReader *reader, const PerpNode *node, int count,
                               const char *what, NumberRead read, double *numbers)
{
    PerpStatus status = perp_node_sequence(reader->document, node, what);
    const PerpNode *element = node->child;
    for (int k = 0; !status && k < count && element; k++, element = element->next)
        status = read(reader, element, what, &numbers[k]);
    return status ? status : perp_node_sequence_of(reader->document, node, count, what);
}

PerpStatus perp_scene_numbers(PerpSceneReader *reader, const PerpNode *node, int count,
                              const char *what, double *numbers)
{
    return read_numbers(reader, node, count, what, perp_scene_number, numbers);
}

PerpStatus perp_scene_sizes(PerpSceneReader *reader, const PerpNode *node, int count,
                            const char *what, double *sizes)
{
    return read_numbers(reader, node, count, what, perp_scene_positive, sizes);
}

PerpStatus perp_scene_direction(PerpSceneReader *reader, const PerpNode *node, const char *what,
                                double direction[3])
{
    PerpStatus status = perp_scene_numbers(reader, node, 3, what, direction);
    if (!status && direction[0] == 0 && direction[1] == 0 && direction[2] == 0)
        status = perp_node_fail(reader->document, node, PERP_BAD_VALUE,
                                "%.100s: expected a direction, found [0, 0, 0]", what);
    return status;
}

PerpStatus perp_scene_flag(PerpSceneReader *reader, const PerpNode *node, const char *what,
                           bool *flag)
{
    *flag = is_text(node, "true");
    if (*flag || is_text(node, "false"))
        return PERP_OK;
    return perp_node_fail(reader->document, node, PERP_BAD_SYNTAX, "%.100s: expected true or false",
                          what);
}

PerpStatus perp_scene_word(PerpSceneReader *reader, const PerpNode *node, const char *what,
                           const char *const *words, int count, int *index)
{
    if (node->kind != PERP_NODE_SCALAR)
        return perp_node_fail(reader->document, node, PERP_BAD_SYNTAX,
                              "%.100s: expected a word such as %s", what, words[0]);
    for (*index = 0; *index < count; ++*index)
        if (strcmp(node->text, words[*index]) == 0)
            return PERP_OK;
    return perp_node_fail(reader->document, node, PERP_BAD_SYNTAX,
                          "%.100s: unknown word \"%.60s\"; the nearest known word is \"%s\"", what,
                          node->text, perp_nearest_word(node->text, words, count));
}
