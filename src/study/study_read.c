// Reading a study: its keys, expressions of its parameters, its scene.
#include "base/error.h"
#include "io/text/c_locale.h"
#include "io/text/expression.h"
#include "io/text/input.h"
#include "io/text/node.h"
#include "perp/words.h"
#include "study/study.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { FILE_LIMIT = 4 << 20 }; // bytes of a study

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

// --- values -------------------------------------------------------------------------------------

PerpStatus perp_study_number(const PerpStudy *study, const PerpNode *node, const char *what,
                             double *number)
{
    PerpScope scope = {.parameters = {.allocator = study->context.allocator}, .left = 100000};
    PerpExpressionFault fault;
    if (node->kind != PERP_NODE_SCALAR)
        return perp_node_fail(&study->document, node, PERP_BAD_SYNTAX, "%s: expected a number",
                              what);
    if (strlen(node->text) > PERP_EXPRESSION_LENGTH)
        return perp_node_fail(&study->document, node, PERP_BAD_SYNTAX,
                              "%s: an expression longer than %d characters", what,
                              PERP_EXPRESSION_LENGTH);
    PerpStatus status = perp_expression_evaluate(&scope, node->text, number, &fault);
    if (!status)
        return PERP_OK;
    PerpNode place = *node;
    place.column += fault.offset + node->quoted;
    return perp_node_fail(&study->document, &place, status, "%s: %s", what, fault.message);
}

int perp_study_find_parameter(const PerpStudy *study, const char *name)
{
    for (int k = 0; k < study->info.n_parameters; k++)
        if (strcmp(study->names[k], name) == 0)
            return k;
    return -1;
}

static bool find_parameter(void *user, const char *object, const char *quantity,
                           PerpMeaning *meaning, char *hint, size_t size)
{
    PerpStudy *study = user;
    int index = quantity[0] ? -1 : perp_study_find_parameter(study, object);
    if (index >= 0 && study->varied[index].words)
        index = -1;
    *meaning = (PerpMeaning){.variable = index, .is_measured = true};
    if (index >= 0)
        study->varied[index].is_used = true;
    else
        snprintf(hint, size, "expected a parameter that varies and is a number");
    return index >= 0;
}

PerpStatus perp_study_compile(PerpStudy *study, const PerpNode *node, PerpProgram *program)
{
    PerpExpressionFault fault;
    if (node->kind != PERP_NODE_SCALAR)
        return perp_node_fail(&study->document, node, PERP_BAD_SYNTAX, "expected an expression");
    PerpVocabulary vocabulary = {.user = study, .find = find_parameter};
    PerpStatus status =
        perp_program_compile(&study->context.allocator, node->text, &vocabulary, program, &fault);
    if (!status)
        return PERP_OK;
    PerpNode place = *node;
    place.column += fault.offset + node->quoted;
    return perp_node_fail(&study->document, &place, status, "%s", fault.message);
}

double perp_study_evaluate(const PerpProgram *program, const double *parameters, int count)
{
    PerpDual variables[PERP_STUDY_NAMES], value;
    PerpExpressionFault fault;
    for (int k = 0; k < count; k++)
        variables[k] = (PerpDual){parameters[k], 0};
    return perp_program_evaluate(program, 0, variables, &value, &fault) ? value.x : NAN;
}

static PerpStatus read_count(const PerpStudy *study, const PerpNode *node, double low, double high,
                             const char *what, double *number)
{
    PerpStatus status = perp_study_number(study, node, what, number);
    if (status || (*number == floor(*number) && *number >= low && *number <= high))
        return status;
    return perp_node_fail(&study->document, node, PERP_BAD_VALUE,
                          "%s: expected an integer from %.17g to %.17g", what, low, high);
}

bool perp_study_is_column(const char *name)
{
    static const char *const columns[] = {"case",    "outcome", "verdict",  "certificate",
                                          "steps",   "t",       "reason",   "version",
                                          "seconds", "host",    "certified"};
    for (int k = 0; k < COUNT(columns); k++)
        if (strcmp(columns[k], name) == 0)
            return true;
    return false;
}

// --- sections -----------------------------------------------------------------------------------

static PerpStatus read_derived(PerpStudy *study, const PerpNode *key, PerpDerived *derived)
{
    derived->name = key->text;
    derived->node = key->next;
    return perp_study_compile(study, key->next, &derived->program);
}

static PerpStatus read_sets(PerpStudy *study, const PerpNode *node)
{
    PerpStatus status = perp_node_mapping(&study->document, node, "set");
    for (const PerpNode *key = node->child; !status && key; key = key->next->next) {
        if (study->n_sets == PERP_STUDY_SETS)
            return perp_node_fail(&study->document, key, PERP_BAD_SIZE, "more than %d entries",
                                  PERP_STUDY_SETS);
        if (perp_study_find_parameter(study, key->text) >= 0)
            return perp_node_fail(&study->document, key, PERP_BAD_VALUE, "\"%.60s\" varies already",
                                  key->text);
        status = read_derived(study, key, &study->sets[study->n_sets++]);
    }
    return status;
}

PerpStatus perp_study_read_measures(PerpStudy *study, const PerpNode *node)
{
    PerpStatus status = perp_node_mapping(&study->document, node, "measure");
    for (const PerpNode *key = node->child; !status && key; key = key->next->next) {
        int k = study->info.n_measures;
        if (k == PERP_STUDY_NAMES)
            return perp_node_fail(&study->document, key, PERP_BAD_SIZE, "more than %d measures",
                                  PERP_STUDY_NAMES);
        if (!perp_is_identifier(key->text))
            return perp_node_fail(&study->document, key, PERP_BAD_VALUE,
                                  "expected a name of letters, digits and _, found \"%.60s\"; "
                                  "within {...} an expression with commas needs quotes",
                                  key->text);
        if (perp_study_find_parameter(study, key->text) >= 0 || perp_study_is_column(key->text))
            return perp_node_fail(&study->document, key, PERP_BAD_VALUE,
                                  "a parameter or a column of the table has the name \"%.60s\"; "
                                  "expected another one",
                                  key->text);
        if (key->next->kind != PERP_NODE_SCALAR || strlen(key->next->text) > PERP_EXPRESSION_LENGTH)
            return perp_node_fail(&study->document, key->next, PERP_BAD_SYNTAX,
                                  "expected an expression of at most %d characters",
                                  PERP_EXPRESSION_LENGTH);
        study->measures[k] = (PerpMeasure){key->text, key->next};
        study->measure_names[k] = key->text;
        study->info.n_measures++;
    }
    return status;
}

static PerpStatus read_limits(PerpStudy *study, const PerpNode *node)
{
    static const char *const keys[] = {"time", "memory"};
    double *limits[] = {&study->info.time_limit, &study->info.memory_limit};
    PerpStatus status = perp_node_mapping(&study->document, node, "limits");
    if (!status)
        status = perp_node_check_keys(&study->document, node, keys, 2);
    for (const PerpNode *key = node->child; !status && key; key = key->next->next) {
        double *limit = limits[strcmp(key->text, "memory") == 0];
        status = perp_study_number(study, key->next, key->text, limit);
        if (!status && !(*limit > 0))
            status = perp_node_fail(&study->document, key->next, PERP_BAD_VALUE,
                                    "expected a number above 0");
    }
    study->info.memory_limit *= 1e6;
    return status;
}

static PerpStatus read_keep(PerpStudy *study, const PerpNode *node)
{
    static const char *const words[] = {"never", "failed", "all"};
    double every = 1;
    for (int k = 0; k < COUNT(words); k++)
        if (node->kind == PERP_NODE_SCALAR && strcmp(node->text, words[k]) == 0) {
            study->info.keep = (PerpKeep)k;
            return PERP_OK;
        }
    if (node->kind == PERP_NODE_SCALAR && perp_is_identifier(node->text))
        return perp_node_fail(&study->document, node, PERP_BAD_VALUE,
                              "keep: expected never, failed, all or a number, every so many cases");
    PerpStatus status = read_count(study, node, 1, 1e9, "keep", &every);
    study->info.keep = PERP_KEEP_EVERY;
    study->info.keep_every = (int)every;
    return status;
}

static PerpStatus read_seed(PerpStudy *study, const PerpNode *node)
{
    double seed = 0;
    PerpStatus status = read_count(study, node, 0, 0x1p53, "seed", &seed);
    study->info.seed = (unsigned long long)seed;
    return status;
}

static PerpStatus read_retries(PerpStudy *study, const PerpNode *node)
{
    double retries = 0;
    PerpStatus status = read_count(study, node, 0, 100, "retries", &retries);
    study->info.retries = (int)retries;
    return status;
}

static PerpStatus read_about(PerpStudy *study, const PerpNode *node)
{
    if (node->kind != PERP_NODE_SCALAR)
        return perp_node_fail(&study->document, node, PERP_BAD_SYNTAX, "about: expected a text");
    study->info.about = node->text;
    return PERP_OK;
}

static PerpStatus read_where(PerpStudy *study, const PerpNode *node)
{
    study->info.has_condition = true;
    bool used[PERP_STUDY_NAMES]; // a condition alone is no use: the case must differ by it
    for (int k = 0; k < PERP_STUDY_NAMES; k++)
        used[k] = study->varied[k].is_used;
    PerpStatus status = perp_study_compile(study, node, &study->where);
    for (int k = 0; k < PERP_STUDY_NAMES; k++)
        study->varied[k].is_used = used[k];
    return status;
}

// The path is relative to the study.
static PerpStatus read_scene(PerpStudy *study, const PerpNode *node)
{
    const char *name = study->document.name, *slash = strrchr(name, '/');
    int folder = slash && node->text && node->text[0] != '/' ? (int)(slash - name) + 1 : 0;
    char path[PERP_PATH_SIZE];
    if (node->kind != PERP_NODE_SCALAR || !node->text[0])
        return perp_node_fail(&study->document, node, PERP_BAD_SYNTAX,
                              "scene: expected the name of a file");
    if (snprintf(path, sizeof path, "%.*s%s", folder, name, node->text) >= PERP_PATH_SIZE)
        return perp_node_fail(&study->document, node, PERP_BAD_SIZE, "scene: too long a path");
    study->info.scene = perp_arena_copy(&study->arena, path, strlen(path) + 1, 1);
    return study->info.scene ? PERP_OK : perp_fail_memory(study->document.error);
}

// In the order in which they are read: expressions name parameters.
static const struct {
    const char *key;
    PerpStatus (*read)(PerpStudy *study, const PerpNode *node);
} sections[] = {
    {"about", read_about},        {"scene", read_scene},
    {"seed", read_seed},          {"vary", perp_study_read_vary},
    {"where", read_where},        {"set", read_sets},
    {"run", perp_study_read_run}, {"measure", perp_study_read_measures},
    {"limits", read_limits},      {"retries", read_retries},
    {"keep", read_keep},
};

static PerpStatus check_words(const PerpStudy *study)
{
    for (int k = 0; k < study->info.n_parameters; k++)
        if (study->varied[k].words && !study->varied[k].is_used)
            return perp_node_fail(&study->document, study->varied[k].node, PERP_BAD_VALUE,
                                  "words that vary are for the section run, such as run: "
                                  "{scheme: %.60s}",
                                  study->names[k]);
    return PERP_OK;
}

static PerpStatus read_sections(PerpStudy *study)
{
    const PerpDocument *document = &study->document;
    const char *keys[COUNT(sections)];
    const PerpNode *needed;
    for (int k = 0; k < COUNT(sections); k++)
        keys[k] = sections[k].key;
    PerpStatus status = perp_node_mapping(document, document->root, "a study");
    if (!status)
        status = perp_node_check_keys(document, document->root, keys, COUNT(sections));
    if (!status)
        status = perp_node_require(document, document->root, "scene", &needed);
    if (!status)
        status = perp_node_require(document, document->root, "vary", &needed);
    for (int k = 0; !status && k < COUNT(sections); k++) {
        const PerpNode *node = perp_node_find(document->root, sections[k].key);
        if (node)
            status = sections[k].read(study, node);
    }
    return status ? status : check_words(study);
}

// --- the whole ----------------------------------------------------------------------------------

PerpStatus perp_study_parse(const PerpContext *context, const char *bytes, size_t size,
                            const char *path, PerpStudy **made, PerpError *error)
{
    PerpContext given = context ? *context : perp_default_context();
    PerpStudy *study = perp_allocate(&given.allocator, 1, sizeof *study);
    PerpCLocale locale;
    *made = NULL;
    if (!study || !perp_c_locale_enter(&locale)) {
        perp_free(&given.allocator, study);
        return perp_fail_memory(error);
    }
    study->context = given;
    for (int k = 0; k < PERP_CHOICES; k++)
        study->choices[k].varied = -1;
    perp_arena_init(&study->arena, &given.allocator);
    study->info = (PerpStudyInfo){
        .about = "", .keep_every = 1, .names = study->names, .measure = study->measure_names};
    const char *name = perp_arena_copy(&study->arena, path, strlen(path) + 1, 1);
    PerpStatus status =
        name ? perp_document_parse(&given.allocator, bytes, size, name, &study->document, error)
             : perp_fail_memory(error);
    study->is_parsed = !status;
    if (!status)
        status = read_sections(study);
    perp_c_locale_leave(&locale);
    study->document.error = NULL; // it was the caller's
    if (status)
        perp_study_destroy(study);
    else
        *made = study;
    return status;
}

// --- its scene ----------------------------------------------------------------------------------

// The parameter that the scene says it does not know, by its message.
static int find_unknown(const PerpStudy *study, const PerpError *error)
{
    char start[PERP_MESSAGE_SIZE];
    for (int k = 0; k < study->info.n_parameters + study->n_sets; k++) {
        bool varies = k < study->info.n_parameters;
        const char *name =
            varies ? study->names[k] : study->sets[k - study->info.n_parameters].name;
        int length = snprintf(start, sizeof start, "unknown parameter \"%.60s\"", name);
        if (strncmp(error->message, start, (size_t)length) == 0)
            return k;
    }
    return -1;
}

// A parameter that the scene does not know must serve the run, or another parameter.
static PerpStatus blame_unknown(PerpStudy *study, int unknown, PerpError *error)
{
    bool varies = unknown < study->info.n_parameters;
    const PerpNode *node =
        varies ? study->varied[unknown].node : study->sets[unknown - study->info.n_parameters].node;
    if (varies && study->varied[unknown].is_used && !study->varied[unknown].is_foreign) {
        study->varied[unknown].is_foreign = true;
        return PERP_OK;
    }
    char message[PERP_MESSAGE_SIZE];
    snprintf(message, sizeof message, "%s", error->message);
    return perp_fail_at(error, PERP_BAD_VALUE, study->document.name, node->line, node->column, "%s",
                        message);
}

static PerpStatus check_parameters(PerpStudy *study, PerpError *error)
{
    double parameters[PERP_STUDY_NAMES];
    PerpParameter set[PERP_STUDY_NAMES + PERP_STUDY_SETS];
    PerpDigits digits[PERP_STUDY_NAMES + PERP_STUDY_SETS];
    PerpStatus status = PERP_OK;
    PerpCLocale locale;
    perp_study_case(study, 0, parameters);
    if (!perp_c_locale_enter(&locale))
        return perp_fail_memory(error);
    for (int tries = 0; !status && tries <= study->info.n_parameters; tries++) {
        PerpScene *scene;
        PerpError fault = {0};
        int count = perp_study_set(study, parameters, set, digits);
        PerpStatus read =
            perp_scene_read(&study->context, study->info.scene, set, count, &scene, &fault);
        perp_scene_destroy(scene);
        int unknown = read ? find_unknown(study, &fault) : -1;
        if (unknown < 0) // other failures are of these values
            break;
        status = blame_unknown(study, unknown, &fault);
        if (status && error)
            *error = fault;
    }
    perp_c_locale_leave(&locale);
    return status;
}

// scene: another file than the study names, or NULL.
static PerpStatus load_scene(PerpStudy *study, const PerpInput *input, const char *scene,
                             PerpError *error)
{
    const PerpNode *node = perp_node_find(study->document.root, "scene");
    char *bytes = PERP_TAKE(&study->arena, char, input->size + 1);
    if (scene)
        study->info.scene = perp_arena_copy(&study->arena, scene, strlen(scene) + 1, 1);
    if (!bytes || !study->info.scene)
        return perp_fail_memory(error);
    if (input->size > 0)
        memcpy(bytes, input->bytes, input->size);
    study->text = (PerpSceneText){study->document.name, bytes, input->size};
    PerpError fault = {0};
    PerpStatus status =
        perp_scene_read(&study->context, study->info.scene, NULL, 0, &study->scene, &fault);
    if (status == PERP_NO_FILE && fault.line == 0)
        return perp_fail_at(error, status, study->document.name, node->line, node->column,
                            "the scene %.200s: %.200s", study->info.scene, fault.message);
    if (status && error)
        *error = fault;
    return status ? status : check_parameters(study, error);
}

int perp_study_files(const PerpStudy *study)
{
    return 1 + perp_scene_files(study->scene);
}

PerpSceneText perp_study_file(const PerpStudy *study, int index)
{
    return index == 0 ? study->text : perp_scene_text(study->scene, index - 1);
}

PerpStatus perp_study_read(const PerpContext *context, const char *path, PerpStudy **study,
                           PerpError *error)
{
    return perp_study_read_with_scene(context, path, NULL, study, error);
}

PerpStatus perp_study_read_with_scene(const PerpContext *context, const char *path,
                                      const char *scene, PerpStudy **study, PerpError *error)
{
    PerpContext given = context ? *context : perp_default_context();
    PerpInput input;
    *study = NULL;
    PerpStatus status = perp_input_read(&given.allocator, path, FILE_LIMIT, &input, error);
    if (status)
        return status;
    status =
        perp_study_parse(context, input.bytes ? input.bytes : "", input.size, path, study, error);
    if (!status)
        status = load_scene(*study, &input, scene, error);
    perp_input_free(&input);
    if (status) {
        perp_study_destroy(*study);
        *study = NULL;
    }
    return status;
}

void perp_study_destroy(PerpStudy *study)
{
    if (!study)
        return;
    PerpAllocator allocator = study->context.allocator;
    perp_program_free(&allocator, &study->where);
    for (int k = 0; k < study->n_sets; k++)
        perp_program_free(&allocator, &study->sets[k].program);
    for (int k = 0; k < PERP_OPTIONS; k++)
        perp_program_free(&allocator, &study->options[k].program);
    perp_scene_destroy(study->scene);
    if (study->is_parsed)
        perp_document_free(&study->document);
    perp_arena_free(&study->arena);
    perp_free(&allocator, study);
}

const PerpStudyInfo *perp_study_info(const PerpStudy *study)
{
    return &study->info;
}
