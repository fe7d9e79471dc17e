// Measures: found in the text of an expression, compiled, sampled.
#include "study/meter.h"

#include "base/error.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const reduce_words[PERP_REDUCE_COUNT] = {
    "final", "largest", "smallest", "mean", "integral", "at", "first", "last"};

// --- compiling ----------------------------------------------------------------------------------

typedef struct Compiling {
    PerpMeter *meter;
    const PerpNode *node;
    PerpError *error;
    bool is_outer; // names stand for reductions
} Compiling;

static PerpStatus fail_at(const Compiling *c, PerpStatus status, int offset, const char *message)
{
    const PerpNode *node = c->node;
    return perp_fail_at(c->error, status, c->meter->study->document.name, node->line,
                        node->column + node->quoted + offset, "%s", message);
}

static int add_quantity(PerpMeter *meter, const PerpQuantity *quantity)
{
    for (int k = 0; k < meter->n_quantities; k++)
        if (memcmp(&meter->quantities[k], quantity, sizeof *quantity) == 0)
            return k;
    if (meter->n_quantities == PERP_METER_QUANTITIES)
        return -1;
    meter->quantities[meter->n_quantities] = *quantity;
    return meter->n_quantities++;
}

static PerpReduction *add_reduction(PerpMeter *meter, PerpReduce kind)
{
    if (meter->n_reductions == PERP_METER_REDUCTIONS)
        return NULL;
    PerpReduction *reduction = &meter->reductions[meter->n_reductions++];
    *reduction = (PerpReduction){.kind = kind, .quantity = -1, .value = NAN, .t = NAN};
    meter->runs_along = meter->runs_along || kind != PERP_REDUCE_FINAL;
    return reduction;
}

enum { REDUCED = '\1' }; // how the names begin that take_reduction makes: no object's does

static bool is_reduce_word(const char *word)
{
    for (int k = 0; k < PERP_REDUCE_COUNT; k++)
        if (strcmp(word, reduce_words[k]) == 0)
            return true;
    return false;
}

// Behind the reductions stands whether the run is certified.
static bool find_reduced(const PerpMeter *meter, const char *object, PerpMeaning *meaning)
{
    int index = -1;
    if (strcmp(object, "certified") == 0)
        index = PERP_METER_REDUCTIONS;
    else if (object[0] != REDUCED || sscanf(object + 1, "%d", &index) != 1 || index < 0 ||
             index >= meter->n_reductions)
        return false;
    meaning->variable = index;
    return true;
}

static bool find_name(void *user, const char *object, const char *part, PerpMeaning *meaning,
                      char *hint, size_t size)
{
    Compiling *c = user;
    PerpMeter *meter = c->meter;
    PerpQuantity quantity;
    int parameter = part[0] ? -1 : perp_study_find_parameter(meter->study, object);
    *meaning = (PerpMeaning){.is_time = !part[0] && strcmp(object, "t") == 0};
    if (meaning->is_time)
        return true;
    *meaning = (PerpMeaning){.is_measured = true};
    if (parameter >= 0 && !meter->study->varied[parameter].words) {
        *meaning = (PerpMeaning){.is_constant = true, .value = meter->parameters[parameter]};
        return true;
    }
    if (c->is_outer && !part[0] && find_reduced(meter, object, meaning))
        return true;
    memset(&quantity, 0, sizeof quantity);
    if (!part[0] && is_reduce_word(object))
        snprintf(hint, size, "%s(...) is of the whole run, not within another function", object);
    if (!perp_quantity_find(meter->model, object, part, &quantity, hint, size))
        return false;
    int index = add_quantity(meter, &quantity);
    PerpReduction *reduction =
        c->is_outer && index >= 0 ? add_reduction(meter, PERP_REDUCE_FINAL) : NULL;
    if (index < 0 || (c->is_outer && !reduction)) {
        snprintf(hint, size, "there are too many quantities");
        return false;
    }
    if (reduction)
        reduction->quantity = index;
    meaning->variable = c->is_outer ? meter->n_reductions - 1 : index;
    return true;
}

static PerpStatus compile(Compiling *c, const char *text, int offset, PerpProgram *program)
{
    PerpExpressionFault fault;
    PerpVocabulary vocabulary = {.user = c, .find = find_name, .has_objects = true};
    PerpStatus status = perp_program_compile(&c->meter->study->context.allocator, text, &vocabulary,
                                             program, &fault);
    return status ? fail_at(c, status, offset + fault.offset, fault.message) : PERP_OK;
}

static bool is_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.';
}

// Behind the bracket or comma that ends what begins at `from`; 0 if there is none.
static int find_end(const char *text, int from, bool comma)
{
    int depth = 0;
    bool quoted = false;
    for (int k = from; text[k]; k++) {
        quoted = quoted != (text[k] == '\'');
        if (quoted)
            continue;
        if (depth == 0 && (text[k] == ')' || (comma && text[k] == ',')))
            return k;
        depth += text[k] == '(' ? 1 : text[k] == ')' ? -1 : 0;
    }
    return 0;
}

// The word of a function that begins at k; from: where its arguments do.
static int find_word(const char *text, int k, int *from)
{
    if (k > 0 && is_name(text[k - 1]))
        return -1;
    for (int word = 0; word < PERP_REDUCE_COUNT; word++) {
        int length = (int)strlen(reduce_words[word]), end = k + length;
        if (strncmp(text + k, reduce_words[word], (size_t)length) != 0)
            continue;
        while (text[end] == ' ')
            end++;
        if (text[end] == '(') {
            *from = end + 1;
            return word;
        }
    }
    return -1;
}

// at(time, x): the time is a number or an expression of the parameters.
static PerpStatus take_time(Compiling *c, char *text, int *from, PerpReduction *reduction)
{
    int comma = find_end(text, *from, true);
    PerpProgram program;
    PerpExpressionFault fault;
    PerpDual value, none[PERP_METER_QUANTITIES] = {{0}};
    if (text[comma] != ',')
        return fail_at(c, PERP_BAD_SYNTAX, *from, "at(time, x) has two arguments");
    text[comma] = '\0';
    PerpStatus status = compile(c, text + *from, *from, &program);
    bool is_constant =
        !status && !program.is_measured && perp_program_evaluate(&program, 0, none, &value, &fault);
    perp_program_free(&c->meter->study->context.allocator, &program);
    if (status)
        return status;
    if (!is_constant)
        return fail_at(c, PERP_BAD_VALUE, *from, "at(time, x): the time must be a number");
    reduction->time = value.x;
    memset(text + *from, ' ', (size_t)(comma - *from + 1));
    *from = comma + 1;
    return PERP_OK;
}

// Takes the function at *place out of the text, where the name of its value remains, as wide as
// before. *place goes to its end.
static PerpStatus take_reduction(Compiling *c, char *text, int *place, int from, PerpReduce kind)
{
    char name[16], inner[PERP_EXPRESSION_LENGTH + 1];
    int k = *place, end = find_end(text, from, false);
    PerpReduction *reduction = add_reduction(c->meter, kind);
    *place = end;
    if (!reduction || end == 0)
        return fail_at(c, PERP_BAD_SYNTAX, k, end ? "too many functions" : "expected ')'");
    PerpStatus status = kind == PERP_REDUCE_AT ? take_time(c, text, &from, reduction) : PERP_OK;
    if (status)
        return status;
    snprintf(inner, sizeof inner, "%.*s", end - from, text + from);
    int length =
        snprintf(name, sizeof name, "'%c%d'", REDUCED, (int)(reduction - c->meter->reductions));
    memset(text + k, ' ', (size_t)(end - k + 1));
    memcpy(text + k, name, (size_t)length);
    return compile(c, inner, from, &reduction->program);
}

static PerpStatus compile_measure(Compiling *c, PerpProgram *program)
{
    char text[PERP_EXPRESSION_LENGTH + 1];
    bool quoted = false;
    PerpStatus status = PERP_OK;
    snprintf(text, sizeof text, "%s", c->node->text);
    c->is_outer = false;
    for (int k = 0; !status && text[k]; k++) {
        int from, word = quoted ? -1 : find_word(text, k, &from);
        quoted = quoted != (text[k] == '\'');
        if (word >= 0)
            status = take_reduction(c, text, &k, from, (PerpReduce)word);
    }
    c->is_outer = true;
    return status ? status : compile(c, text, 0, program);
}

PerpStatus perp_meter_create(const PerpStudy *study, const PerpModel *model,
                             const double *parameters, PerpMeter *meter, PerpError *error)
{
    PerpStatus status = PERP_OK;
    *meter = (PerpMeter){.study = study, .model = model, .parameters = parameters};
    for (int k = 0; !status && k < study->info.n_measures; k++) {
        Compiling c = {.meter = meter, .node = study->measures[k].node, .error = error};
        status = compile_measure(&c, &meter->measures[meter->n_measures++]);
    }
    if (status)
        perp_meter_free(meter);
    return status;
}

void perp_meter_free(PerpMeter *meter)
{
    const PerpAllocator *allocator = &meter->study->context.allocator;
    for (int k = 0; k < meter->n_reductions; k++)
        perp_program_free(allocator, &meter->reductions[k].program);
    for (int k = 0; k < meter->n_measures; k++)
        perp_program_free(allocator, &meter->measures[k]);
    meter->n_reductions = meter->n_measures = 0;
}

// --- sampling -----------------------------------------------------------------------------------

static double value_of(const PerpReduction *reduction, double t, const PerpDual *variables)
{
    PerpDual value;
    PerpExpressionFault fault;
    if (reduction->quantity >= 0)
        return variables[reduction->quantity].x;
    return perp_program_evaluate(&reduction->program, t, variables, &value, &fault) ? value.x : NAN;
}

static void add_sample(PerpReduction *r, double t, double x)
{
    bool is_first = isnan(r->t);
    double area = is_first ? 0 : 0.5 * (t - r->t) * (r->x + x);
    switch (r->kind) {
    case PERP_REDUCE_LARGEST:
        r->value = fmax(r->value, x);
        break;
    case PERP_REDUCE_SMALLEST:
        r->value = fmin(r->value, x);
        break;
    case PERP_REDUCE_MEAN:
    case PERP_REDUCE_INTEGRAL:
        r->value = is_first ? 0 : r->value + area;
        break;
    case PERP_REDUCE_AT: // times are sums of steps, and as inexact
        r->value = isnan(r->value) && t >= r->time * (1 - 1e-12) ? x : r->value;
        break;
    case PERP_REDUCE_FIRST:
        r->value = isnan(r->value) && x != 0 && !isnan(x) ? t : r->value;
        break;
    case PERP_REDUCE_LAST:
        r->value = x != 0 && !isnan(x) ? t : r->value;
        break;
    default:
        r->value = x;
    }
    r->t = t;
    r->x = x;
}

static void sample(PerpMeter *meter, const PerpSimulation *simulation, bool at_end)
{
    PerpDual variables[PERP_METER_QUANTITIES];
    double t = perp_simulation_time(simulation);
    for (int k = 0; k < meter->n_quantities; k++)
        variables[k] =
            (PerpDual){perp_quantity_value(&meter->quantities[k], meter->model, simulation), 0};
    for (int k = 0; k < meter->n_reductions; k++) {
        PerpReduction *reduction = &meter->reductions[k];
        if ((reduction->kind == PERP_REDUCE_FINAL) == at_end)
            add_sample(reduction, t, value_of(reduction, t, variables));
    }
}

void perp_meter_sample(PerpMeter *meter, const PerpSimulation *simulation)
{
    if (meter->runs_along)
        sample(meter, simulation, false);
}

void perp_meter_finish(PerpMeter *meter, const PerpSimulation *simulation, bool certified,
                       double *measures)
{
    PerpDual values[PERP_METER_REDUCTIONS + 1];
    PerpExpressionFault fault;
    double t = perp_simulation_time(simulation);
    sample(meter, simulation, true);
    for (int k = 0; k < meter->n_reductions; k++) {
        const PerpReduction *r = &meter->reductions[k];
        values[k].x = r->kind == PERP_REDUCE_MEAN && t > 0 ? r->value / t : r->value;
        values[k].rate = 0;
    }
    values[PERP_METER_REDUCTIONS] = (PerpDual){certified, 0};
    for (int k = 0; k < meter->n_measures; k++) {
        PerpDual value;
        bool known = perp_program_evaluate(&meter->measures[k], t, values, &value, &fault);
        measures[k] = known ? value.x : NAN;
    }
}
