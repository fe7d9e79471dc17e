// Signals of a model: names looked up, expressions compiled, and put into an order in which each
// stands behind those that it uses.
#include "model/compile.h"
#include "perp/words.h"
#include "signal/code.h"

#include <stdio.h>
#include <string.h>

// The expression at hand, for the search for names.
typedef struct Search {
    PerpModel *model;
    const PerpSignalDef *def;
    bool is_short_of_memory;
} Search;

// --- what names mean ----------------------------------------------------------------------------

// The place of a measured quantity among the variables: behind the signals.
static bool measure(Search *search, PerpMeasuredKind kind, int index, int part,
                    PerpMeaning *meaning)
{
    PerpControlModel *c = &search->model->control;
    void *memory = c->measured;
    int k = 0;
    meaning->is_measured = true;
    while (k < c->n_measured && (c->measured[k].kind != kind || c->measured[k].index != index ||
                                 c->measured[k].part != part))
        k++;
    meaning->variable = c->n_signals + k;
    if (k < c->n_measured)
        return true;
    search->is_short_of_memory = !perp_make_room(&search->model->context.allocator, &memory,
                                                 &c->measured_room, k + 1, sizeof *c->measured);
    c->measured = memory;
    if (search->is_short_of_memory)
        return false;
    c->measured[c->n_measured++] = (PerpMeasured){kind, index, part};
    return true;
}

static int index_of(const char *const *words, int count, const char *word)
{
    for (int k = 0; k < count; k++)
        if (strcmp(words[k], word) == 0)
            return k;
    return -1;
}

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

static void suggest(char *hint, size_t size, const char *object, const char *quantity,
                    const char *const *words, int count)
{
    snprintf(hint, size, "the nearest known is \"%.60s.%s\"", object,
             perp_nearest_word(quantity, words, count));
}

// angle, position and speed of the coordinate that is one; first, second, first.speed ...
static bool find_of_joint(Search *search, int joint, const char *object, const char *quantity,
                          PerpMeaning *meaning, char *hint, size_t size)
{
    static const char *const words[] = {"angle",       "position", "speed",       "first",
                                        "first.speed", "second",   "second.speed"};
    const PerpJointTable *table = perp_joint_table(search->model->joints[joint].kind);
    int n = table->coordinates, word = index_of(words, COUNT(words), quantity), coordinate = -1;
    bool is_speed = word == 2 || word == 4 || word == 6;
    for (int k = 0; k < n && (word == 0 || word == 1); k++)
        if ((table->angles >> k & 1) == (word == 0))
            coordinate = coordinate < 0 ? k : n; // two of them: neither
    if (word == 2)
        coordinate = n == 1 ? 0 : n;
    else if (word >= 3)
        coordinate = word >= 5;
    if (coordinate >= 0 && coordinate < n)
        return measure(search, is_speed ? PERP_MEASURED_SPEED : PERP_MEASURED_COORDINATE, joint,
                       coordinate, meaning);
    if (word < 0)
        suggest(hint, size, object, quantity, words, COUNT(words));
    else
        snprintf(hint, size, "a %s has %s%s", table->name,
                 n == 0          ? "no coordinates"
                 : n == 2        ? "two: say first, second, first.speed or second.speed"
                 : table->angles ? "an angle and a speed"
                                 : "a position and a speed",
                 "");
    return false;
}

static const char *const body_words[PERP_BODY_PARTS] = {"x",  "y",  "z",  "vx",   "vy",    "vz",
                                                        "wx", "wy", "wz", "roll", "pitch", "yaw"};

static bool find_of_body(Search *search, int body, const char *quantity, PerpMeaning *meaning)
{
    int part = index_of(body_words, PERP_BODY_PARTS, quantity);
    return part >= 0 && measure(search, PERP_MEASURED_BODY, body, part, meaning);
}

// The number itself of a sensor with one, else x y z, of four w x y z
static bool find_of_sensor(Search *search, int sensor, const char *quantity, PerpMeaning *meaning,
                           char *hint, size_t size)
{
    static const char *const axes[] = {"w", "x", "y", "z"};
    int numbers = perp_sensor_kind_numbers(search->model->control.sensors[sensor].kind);
    int part = numbers == 1 ? (quantity[0] ? -1 : 0) : index_of(axes, 4, quantity);
    if (numbers == 3)
        part--;
    if (part >= 0 && part < numbers)
        return measure(search, PERP_MEASURED_SENSOR, sensor, part, meaning);
    snprintf(hint, size, "the sensor has %s",
             numbers == 1   ? "one number: its name alone"
             : numbers == 3 ? "the numbers .x .y .z"
                            : "the numbers .w .x .y .z");
    return false;
}

static bool find_plain(Search *search, const char *name, PerpMeaning *meaning, char *hint,
                       size_t size)
{
    const PerpControlModel *c = &search->model->control;
    meaning->is_time = strcmp(name, "t") == 0;
    if (meaning->is_time)
        return true;
    for (int k = 0; k < search->def->n_constants; k++)
        if (strcmp(search->def->constants[k].name, name) == 0) {
            *meaning = (PerpMeaning){.is_constant = true, .value = search->def->constants[k].value};
            return true;
        }
    int signal = perp_name_index_find(&c->signal_names, name);
    int sensor = perp_name_index_find(&c->sensor_names, name);
    meaning->variable = signal;
    if (signal >= 0)
        return true;
    if (sensor >= 0)
        return find_of_sensor(search, sensor, "", meaning, hint, size);
    if (perp_model_find_joint(search->model, name) >= 0)
        snprintf(hint, size, "of a joint say for example %.60s.speed", name);
    else if (perp_model_find_body(search->model, name) >= 0)
        snprintf(hint, size, "of a body say for example %.60s.x", name);
    else
        snprintf(hint, size,
                 "expected t, pi, a parameter, signal or sensor, or object.quantity such as "
                 "arm.angle");
    return false;
}

static bool find_name(void *user, const char *object, const char *quantity, PerpMeaning *meaning,
                      char *hint, size_t size)
{
    Search *search = user;
    const PerpControlModel *c = &search->model->control;
    int joint = perp_model_find_joint(search->model, object);
    int body = perp_model_find_body(search->model, object);
    int sensor = perp_name_index_find(&c->sensor_names, object);
    int actuator = perp_name_index_find(&c->actuator_names, object);
    *meaning = (PerpMeaning){0};
    if (!quantity[0])
        return find_plain(search, object, meaning, hint, size);
    if (joint >= 0 && find_of_joint(search, joint, object, quantity, meaning, hint, size))
        return true;
    if (body >= 0 && find_of_body(search, body, quantity, meaning))
        return true;
    if (sensor >= 0 && find_of_sensor(search, sensor, quantity, meaning, hint, size))
        return true;
    if (actuator >= 0 && strcmp(quantity, "force") == 0)
        return measure(search, PERP_MEASURED_ACTUATOR, actuator, 0, meaning);
    if (body >= 0 && joint < 0)
        suggest(hint, size, object, quantity, body_words, PERP_BODY_PARTS);
    else if (actuator >= 0 && !hint[0])
        snprintf(hint, size, "the nearest known is \"%.60s.force\"", object);
    else if (!hint[0] && strchr(object, '-'))
        snprintf(hint, size, "for a difference put spaces around -");
    else if (!hint[0])
        snprintf(hint, size, "there is no joint, body, sensor or actuator of this name");
    return false;
}

// --- one signal ---------------------------------------------------------------------------------

PerpStatus perp_signal_blame(const PerpSignal *signal, PerpStatus status,
                             const PerpExpressionFault *fault, PerpError *error)
{
    if (!signal->file)
        return perp_fail(error, status, "signal \"%.100s\", character %d: %s", signal->name,
                         fault->offset + 1, fault->message);
    return perp_fail_at(error, status, signal->file, signal->line, signal->column + fault->offset,
                        "%s", fault->message);
}

static char *copy_text(const PerpModel *model, const char *text)
{
    char *copy = perp_allocate(&model->context.allocator, strlen(text) + 1, 1);
    if (copy)
        strcpy(copy, text);
    return copy;
}

static PerpStatus name_signal(PerpModel *model, const PerpSignalDef *def, int index,
                              PerpError *error)
{
    PerpSignal *signal = &model->control.signals[index];
    signal->name = perp_compile_name(model, def->name, "signal", index);
    signal->file = def->file ? copy_text(model, def->file) : NULL;
    if (!signal->name || (def->file && !signal->file))
        return perp_compile_no_memory(error);
    signal->line = def->line;
    signal->column = def->column;
    signal->value = def->value;
    signal->kind = def->expression ? PERP_SIGNAL_EXPRESSION
                   : def->table    ? PERP_SIGNAL_TABLE
                                   : PERP_SIGNAL_INPUT;
    return perp_compile_unique(&model->control.signal_names, "signal", signal->name, index, error);
}

static PerpStatus compile_expression(const PerpAllocator *allocator, const char *text,
                                     const PerpVocabulary *vocabulary, PerpProgram *program,
                                     PerpExpressionFault *fault)
{
    PerpDual value;
    PerpStatus status = perp_program_compile(allocator, text, vocabulary, program, fault);
    if (status || perp_program_varies(program))
        return status;
    return perp_program_evaluate(program, 0, NULL, &value, fault) ? PERP_OK : PERP_BAD_VALUE;
}

static PerpStatus compile_signal(PerpModel *model, const PerpSignalDef *def, int index,
                                 PerpError *error)
{
    const PerpAllocator *allocator = &model->context.allocator;
    PerpSignal *signal = &model->control.signals[index];
    PerpExpressionFault fault = {0};
    PerpStatus status = PERP_OK;
    Search search = {.model = model, .def = def};
    const PerpVocabulary vocabulary = {.user = &search, .find = find_name, .has_objects = true};
    PerpCheck check = {.kind = "signal", .name = signal->name, .error = error};
    if (signal->kind == PERP_SIGNAL_EXPRESSION)
        status =
            compile_expression(allocator, def->expression, &vocabulary, &signal->program, &fault);
    else if (signal->kind == PERP_SIGNAL_TABLE)
        status = perp_table_create(allocator, def->n_points, def->table, def->cubic, &signal->table,
                                   &fault);
    else
        perp_check_number(&check, "value", def->value);
    signal->is_measured = signal->kind == PERP_SIGNAL_INPUT || signal->program.is_measured;
    if (search.is_short_of_memory)
        return perp_compile_no_memory(error);
    return status ? perp_signal_blame(signal, status, &fault, error) : check.status;
}

// --- order --------------------------------------------------------------------------------------

typedef struct Order {
    PerpControlModel *control;
    int count;
    signed char *state; // 0: not yet, 1: being placed, 2: placed
    PerpError *error;
} Order;

// Depth first, without recursion: `stack` holds signals and where in their code the search stands.
typedef struct Visit {
    int signal, at;
} Visit;

static PerpStatus fail_cycle(const Order *order, const PerpSignal *signal,
                             const PerpSignalCode *code)
{
    PerpExpressionFault fault = {.offset = code->offset};
    snprintf(fault.message, sizeof fault.message,
             "the signal \"%.100s\" depends on itself through this name",
             order->control->signals[code->index].name);
    return perp_signal_blame(signal, PERP_BAD_VALUE, &fault, order->error);
}

static PerpStatus place(Order *order, int first, Visit *stack)
{
    PerpControlModel *c = order->control;
    int depth = 0;
    stack[depth++] = (Visit){first, 0};
    order->state[first] = 1;
    while (depth > 0) {
        Visit *visit = &stack[depth - 1];
        PerpSignal *signal = &c->signals[visit->signal];
        const PerpSignalCode *code = signal->program.code;
        while (visit->at < signal->program.count &&
               (code[visit->at].operation != PERP_PUSH_VARIABLE ||
                code[visit->at].index >= c->n_signals || order->state[code[visit->at].index] == 2))
            visit->at++;
        if (visit->at == signal->program.count) {
            for (int k = 0; k < signal->program.count; k++)
                if (code[k].operation == PERP_PUSH_VARIABLE && code[k].index < c->n_signals)
                    signal->is_measured =
                        signal->is_measured || c->signals[code[k].index].is_measured;
            order->state[visit->signal] = 2;
            c->order[order->count++] = visit->signal;
            depth--;
            continue;
        }
        int next = code[visit->at].index;
        if (order->state[next] == 1)
            return fail_cycle(order, signal, &code[visit->at]);
        order->state[next] = 1;
        stack[depth++] = (Visit){next, 0};
    }
    return PERP_OK;
}

static PerpStatus order_signals(PerpModel *model, PerpError *error)
{
    const PerpAllocator *allocator = &model->context.allocator;
    PerpControlModel *c = &model->control;
    size_t n = (size_t)c->n_signals;
    Order order = {.control = c, .error = error};
    order.state = perp_allocate(allocator, n, 1);
    Visit *stack = perp_allocate(allocator, n, sizeof *stack);
    PerpStatus status = order.state && stack ? PERP_OK : perp_compile_no_memory(error);
    for (int k = 0; k < c->n_signals && !status; k++)
        if (order.state[k] == 0)
            status = place(&order, k, stack);
    perp_free(allocator, order.state);
    perp_free(allocator, stack);
    return status;
}

// --- all of them --------------------------------------------------------------------------------

// A prescribed position has a velocity only if it depends on nothing but t.
static PerpStatus follow(const PerpModel *model, int signal, const char *what, PerpError *error)
{
    PerpSignal *s = signal >= 0 ? &model->control.signals[signal] : NULL;
    if (s)
        s->is_followed = true;
    if (!s || !s->is_measured)
        return PERP_OK;
    PerpExpressionFault fault = {0};
    snprintf(fault.message, sizeof fault.message,
             "%s follows this signal exactly, so it may depend on t only", what);
    return perp_signal_blame(s, PERP_BAD_VALUE, &fault, error);
}

static PerpStatus note_followed(const PerpModel *model, PerpError *error)
{
    const PerpControlModel *c = &model->control;
    PerpStatus status = PERP_OK;
    for (int k = 0; k < c->n_actuators && !status; k++)
        if (c->actuators[k].kind == PERP_ACTUATOR_MOTION)
            status = follow(model, c->actuators[k].control, c->actuators[k].name, error);
    for (int k = 0; k < c->n_motions && !status; k++) {
        const PerpMotion *m = &c->motions[k];
        const char *name = model->bodies[m->body].name;
        for (int i = 0; i < 3 && !status && !m->is_velocity; i++)
            status = follow(model, m->position[i], name, error);
        if (!status && !m->is_velocity)
            status = follow(model, m->angle, name, error);
    }
    return status;
}

PerpStatus perp_compile_signals(PerpModel *model, const PerpModelDef *def, PerpError *error)
{
    PerpStatus status = PERP_OK;
    for (int k = 0; k < def->n_signals && !status; k++)
        status = name_signal(model, &def->signals[k], k, error);
    for (int k = 0; k < def->n_signals && !status; k++)
        status = compile_signal(model, &def->signals[k], k, error);
    if (!status)
        status = order_signals(model, error);
    return status ? status : note_followed(model, error);
}
