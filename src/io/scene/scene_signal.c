// Signals of a scene: numbers that change. Expressions are kept as text, with the parameters and
// index variables that they use; names are looked up when the model is compiled.
#include "io/scene/scene_reader.h"

#include <string.h>

// Does the text stand for a number that is known now? Then it is one; nothing is drawn if not.
static bool is_number(PerpSceneReader *reader, const PerpNode *node, double *number)
{
    PerpScope scope = reader->scope;
    PerpExpressionFault fault;
    if (node->kind != PERP_NODE_SCALAR ||
        perp_expression_evaluate(&scope, node->text, number, &fault))
        return false;
    reader->scope.random = scope.random;
    reader->scope.left = scope.left;
    return true;
}

static bool is_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// The parameters and index variables among the words of the text.
static PerpStatus take_constants(PerpSceneReader *reader, const PerpNode *node, PerpSignalDef *def)
{
    PerpConstant *constants =
        PERP_TAKE(&reader->scene->arena, PerpConstant, strlen(node->text) / 2 + 1);
    if (!constants)
        return perp_scene_fail_for_memory(reader, node);
    for (const char *s = node->text; *s;) {
        char word[PERP_SCENE_NAME_SIZE];
        size_t length = 0;
        while (is_name(s[length]))
            length++;
        double value;
        bool fits = length > 0 && length < sizeof word;
        memcpy(word, s, fits ? length : 0);
        word[fits ? length : 0] = '\0';
        if (fits && perp_scope_find(&reader->scope, word, &value)) {
            if (strcmp(word, "t") == 0)
                return perp_node_fail(reader->document, node, PERP_BAD_VALUE,
                                      "t is the time in a signal, and a parameter is called so, "
                                      "too; give the parameter another name");
            const char *name = perp_arena_copy(&reader->scene->arena, word, length + 1, 1);
            if (!name)
                return perp_scene_fail_for_memory(reader, node);
            constants[def->n_constants++] = (PerpConstant){name, value};
        }
        s += length > 0 ? length : 1;
    }
    def->constants = constants;
    return PERP_OK;
}

// In names the text between braces is an index; in expressions braces stand in quoted names.
static PerpStatus take_expression(PerpSceneReader *reader, const PerpNode *node, PerpSignalDef *def)
{
    if (strlen(node->text) > PERP_EXPRESSION_LENGTH)
        return perp_node_fail(reader->document, node, PERP_BAD_SIZE,
                              "an expression longer than %d characters", PERP_EXPRESSION_LENGTH);
    if (strchr(node->text, '{') || strchr(node->text, '}')) {
        const char *name;
        PerpStatus status = perp_scene_name(reader, node, "expression", &name);
        def->expression = name;
        if (status)
            return status;
    } else {
        def->expression =
            perp_arena_copy(&reader->scene->arena, node->text, strlen(node->text) + 1, 1);
        if (!def->expression)
            return perp_scene_fail_for_memory(reader, node);
    }
    PerpPlace place = perp_scene_place(reader, node);
    def->file = perp_arena_copy(&reader->scene->arena, place.file, strlen(place.file) + 1, 1);
    def->line = place.line;
    def->column = place.column + node->quoted;
    return def->file ? take_constants(reader, node, def) : perp_scene_fail_for_memory(reader, node);
}

// [[t, value], ...]
static PerpStatus take_table(PerpSceneReader *reader, const PerpNode *node, PerpSignalDef *def)
{
    PerpStatus status = perp_node_sequence(reader->document, node, "a table");
    if (!status && node->count < 1)
        return perp_node_fail(reader->document, node, PERP_BAD_SIZE,
                              "a table: expected [[t, value], ...]");
    double *points = status ? NULL : PERP_TAKE(&reader->scene->arena, double, 2 * node->count);
    if (!status && !points)
        return perp_scene_fail_for_memory(reader, node);
    int n = 0;
    for (const PerpNode *point = node->child; !status && point; point = point->next, n++) {
        status = perp_scene_numbers(reader, point, 2, "a point of a table", points + 2 * n);
        if (!status && n > 0 && !(points[2 * n] > points[2 * n - 2]))
            status = perp_node_fail(reader->document, point, PERP_BAD_VALUE,
                                    "a table: expected times that ascend");
    }
    def->table = points;
    def->n_points = n;
    return status;
}

// --- the section signals ------------------------------------------------------------------------

typedef struct Draft {
    PerpSignalDef def;
    bool has_input;
} Draft;

static PerpStatus read_table(PerpSceneReader *reader, const PerpNode *value, void *draft)
{
    return take_table(reader, value, &((Draft *)draft)->def);
}

static PerpStatus read_interpolation(PerpSceneReader *reader, const PerpNode *value, void *draft)
{
    static const char *const words[] = {"linear", "cubic"};
    int index = 0;
    PerpStatus status = perp_scene_word(reader, value, "interpolation", words, 2, &index);
    ((Draft *)draft)->def.cubic = index == 1;
    return status;
}

static PerpStatus read_input(PerpSceneReader *reader, const PerpNode *value, void *draft)
{
    ((Draft *)draft)->has_input = true;
    return perp_scene_number(reader, value, "input", &((Draft *)draft)->def.value);
}

static const PerpField signal_field_list[] = {
    {"table", PERP_FIELD_OWN, 0, read_table, 0},
    {"interpolation", PERP_FIELD_OWN, 0, read_interpolation, 0},
    {"input", PERP_FIELD_OWN, 0, read_input, 0},
};
static const PerpFields signal_fields = PERP_FIELDS("a signal", signal_field_list);

// {table: [[t, value], ...], interpolation: cubic}, {input: value}, a table, or an expression
static PerpStatus take_signal(PerpSceneReader *reader, const PerpNode *node, PerpSignalDef *def)
{
    if (node->kind == PERP_NODE_SCALAR)
        return take_expression(reader, node, def);
    if (node->kind == PERP_NODE_SEQUENCE)
        return take_table(reader, node, def);
    Draft draft = {.def = *def};
    PerpStatus status = perp_fields_read(reader, node, &signal_fields, 0, "", &draft);
    if (!status && draft.has_input == (draft.def.table != NULL))
        status = perp_node_fail(reader->document, node, PERP_BAD_SYNTAX,
                                "a signal: expected either \"table\" or \"input\"");
    *def = draft.def;
    return status;
}

static PerpStatus add_signal(PerpSceneReader *reader, const PerpNode *node, const char *name,
                             int *signal)
{
    PerpSignalDef def = perp_default_signal();
    def.name = name;
    *signal = reader->scene->signals.count;
    PerpStatus status = take_signal(reader, node, &def);
    return status ? status : perp_scene_add(reader, node, &reader->scene->signals, &def);
}

// A name that expressions take for something else would make a signal that nobody can name.
static PerpStatus check_name(PerpSceneReader *reader, const PerpNode *node, const char *name)
{
    double value;
    const char *what = strcmp(name, "t") == 0                          ? "the time"
                       : strcmp(name, "pi") == 0                       ? "a constant"
                       : perp_scope_find(&reader->scope, name, &value) ? "a parameter"
                                                                       : NULL;
    if (!what)
        return PERP_OK;
    return perp_node_fail(reader->document, node, PERP_BAD_VALUE,
                          "the signal \"%.100s\" has the name of %s, which expressions would take "
                          "in its place",
                          name, what);
}

PerpStatus perp_read_signal(PerpSceneReader *reader, const PerpNode *name, const PerpNode *item)
{
    const char *text;
    int signal;
    PerpStatus status = perp_scene_name(reader, name, "signal", &text);
    if (!status)
        status = check_name(reader, name, text);
    if (!status)
        status = perp_scene_enter(reader, name, "signal", text, &reader->scene->signal_names);
    return status ? status : add_signal(reader, item, text, &signal);
}

PerpStatus perp_scene_signal(PerpSceneReader *reader, const PerpNode *node, int *signal)
{
    return add_signal(reader, node, "", signal);
}

PerpStatus perp_scene_number_or_signal(PerpSceneReader *reader, const PerpNode *node,
                                       double *number, int *signal)
{
    *signal = -1;
    return is_number(reader, node, number) ? PERP_OK : perp_scene_signal(reader, node, signal);
}
