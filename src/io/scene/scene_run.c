// The sections about, parameters, run, control and gravity of a scene.
#include "base/error.h"
#include "base/sized.h"
#include "io/scene/scene_reader.h"

#include <stddef.h>
#include <string.h>

void perp_fill_run(PerpRunDef *made, size_t size)
{
    const PerpRunDef defaults = {.duration = 1,
                                 .step = 1e-3,
                                 .scheme = "default",
                                 .control_every = 1,
                                 .facets = PERP_FACETS_SCHEME,
                                 .restitution_threshold = 1e-3,
                                 .first_step = -1};
    perp_fill_plain(made, size, &defaults, sizeof defaults);
}

void perp_run_settings(const PerpRunDef *run, PerpSimulationSettings *settings)
{
    PerpSimulationSettings s = perp_default_simulation_settings();
    size_t size = settings->size < sizeof s ? settings->size : sizeof s; // of the caller's version
    memcpy(&s, settings, size);
    s.scheme = run->scheme;
    s.step = run->step;
    s.facets = run->facets;
    s.restitution_threshold = run->restitution_threshold;
    s.jacobian = run->jacobian;
    s.stabilise = run->stabilise;
    s.impacts = run->impacts;
    s.overlap = run->overlap;
    s.printed_coriolis = run->printed_coriolis;
    s.linear = run->linear;
    s.one_phase = run->one_phase;
    s.printed_decompression = run->printed_decompression;
    s.printed_collisions = run->printed_collisions;
    s.data = run->data;
    s.first_step = run->first_step;
    memcpy(settings, &s, size);
}

PerpStatus perp_read_about(PerpSceneReader *reader)
{
    reader->document = &reader->last_file->document;
    const PerpNode *about = perp_node_find(reader->document->root, "about");
    if (!about)
        return PERP_OK;
    if (about->kind != PERP_NODE_SCALAR)
        return perp_node_fail(reader->document, about, PERP_BAD_SYNTAX, "about: expected a text");
    size_t size = strlen(about->text) + 1;
    char *copy = perp_arena_take(&reader->scene->arena, size, 1);
    if (!copy)
        return perp_scene_fail_for_memory(reader, about);
    reader->scene->about = memcpy(copy, about->text, size);
    return PERP_OK;
}

static const PerpParameter *find_set(const PerpSceneReader *reader, const char *name)
{
    for (int k = reader->n_set - 1; k >= 0; k--)
        if (strcmp(reader->set[k].name, name) == 0)
            return &reader->set[k];
    return NULL;
}

static PerpStatus read_set_value(PerpSceneReader *reader, const PerpParameter *set, double *value)
{
    PerpExpressionFault fault;
    PerpStatus status = perp_expression_evaluate(&reader->scope, set->value, value, &fault);
    if (status)
        return perp_fail(reader->error, status, "parameter %.60s=%.60s: %s", set->name, set->value,
                         fault.message);
    return PERP_OK;
}

static PerpStatus check_parameter_name(PerpSceneReader *reader, const PerpNode *key)
{
    if (!perp_is_identifier(key->text) || strlen(key->text) >= PERP_INDEX_NAME_SIZE)
        return perp_node_fail(reader->document, key, PERP_BAD_SYNTAX,
                              "parameters: expected a short name of letters, digits and _");
    if (perp_is_reserved(key->text))
        return perp_node_fail(reader->document, key, PERP_BAD_VALUE,
                              "parameters: \"%s\" already means something in numbers", key->text);
    if (reader->parameters.count == PERP_SCENE_PARAMETER_LIMIT)
        return perp_node_fail(reader->document, key, PERP_BAD_SIZE, "more than %d parameters",
                              PERP_SCENE_PARAMETER_LIMIT);
    return PERP_OK;
}

static bool is_word_character(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

static bool names(const char *text, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = strstr(text, name); at; at = strstr(at + 1, name))
        if ((at == text || !is_word_character(at[-1])) && !is_word_character(at[length]))
            return true;
    return false;
}

// A value that cannot be read because it names a parameter further down is told so.
static PerpStatus blame_order(PerpSceneReader *reader, const PerpNode *key, PerpStatus status)
{
    const PerpNode *value = key->next;
    for (const PerpNode *later = value->next; later && value->text; later = later->next->next)
        if (status == PERP_BAD_SYNTAX && names(value->text, later->text))
            return perp_node_fail(reader->document, value, status,
                                  "%s: \"%s\" stands below; a parameter may use those above it",
                                  key->text, later->text);
    return status;
}

// The default is evaluated also where it is replaced, so that its errors never hide.
static PerpStatus read_parameter(PerpSceneReader *reader, const PerpNode *key)
{
    const PerpParameter *set = find_set(reader, key->text);
    double value;
    PerpStatus status = check_parameter_name(reader, key);
    if (!status)
        status = blame_order(reader, key, perp_scene_number(reader, key->next, key->text, &value));
    if (!status && set)
        status = read_set_value(reader, set, &value);
    if (!status)
        status = perp_scene_add(reader, key, &reader->parameters, &value);
    reader->scope.values = reader->parameters.items;
    return status
               ? status
               : perp_scene_enter(reader, key, "parameter", key->text, &reader->scope.parameters);
}

static PerpStatus check_set_names(PerpSceneReader *reader)
{
    const PerpNames *names = &reader->scope.parameters;
    for (int k = 0; k < reader->n_set; k++) {
        const char *name = reader->set[k].name;
        if (perp_names_find(names, name) >= 0)
            continue;
        const char *nearest = perp_names_nearest(names, name, NULL);
        if (!nearest)
            return perp_fail(reader->error, PERP_BAD_VALUE,
                             "unknown parameter \"%.60s\": the scene has none", name);
        return perp_fail(reader->error, PERP_BAD_VALUE,
                         "unknown parameter \"%.60s\"; the nearest is \"%s\"", name, nearest);
    }
    return PERP_OK;
}

PerpStatus perp_read_parameters(PerpSceneReader *reader)
{
    PerpStatus status = PERP_OK;
    for (PerpSceneFile *file = reader->first_file; !status && file; file = file->next) {
        reader->document = &file->document;
        const PerpNode *node = perp_node_find(file->document.root, "parameters");
        if (!node)
            continue;
        status = perp_node_mapping(reader->document, node, "parameters");
        if (status)
            return status;
        for (const PerpNode *key = node->child; !status && key; key = key->next->next)
            status = read_parameter(reader, key);
    }
    return status ? status : check_set_names(reader);
}

enum { MOST_WORDS = 32 };

// The names of schemes are asked for where they are defined, by the public header.
static PerpStatus read_scheme(PerpSceneReader *reader, const PerpNode *value, void *target)
{
    const char *schemes[MOST_WORDS], **scheme = target;
    int index, count = perp_scheme_count() < MOST_WORDS ? perp_scheme_count() : MOST_WORDS;
    for (int k = 0; k < count; k++)
        schemes[k] = perp_scheme_name(k);
    PerpStatus status = perp_scene_word(reader, value, "scheme", schemes, count, &index);
    if (!status)
        *scheme = schemes[index];
    return status;
}

static PerpStatus read_jacobian(PerpSceneReader *reader, const PerpNode *value, void *target)
{
    const char *words[PERP_JACOBIAN_COUNT];
    PerpJacobian *jacobian = target;
    int index;
    for (int k = 0; k < PERP_JACOBIAN_COUNT; k++)
        words[k] = perp_jacobian_name((PerpJacobian)k);
    PerpStatus status =
        perp_scene_word(reader, value, "jacobian", words, PERP_JACOBIAN_COUNT, &index);
    if (!status)
        *jacobian = (PerpJacobian)index;
    return status;
}

static PerpStatus read_stabilise(PerpSceneReader *reader, const PerpNode *value, void *target)
{
    const char *words[PERP_STABILISE_COUNT];
    PerpStabilisation *stabilise = target;
    int index;
    for (int k = 0; k < PERP_STABILISE_COUNT; k++)
        words[k] = perp_stabilisation_name((PerpStabilisation)k);
    PerpStatus status =
        perp_scene_word(reader, value, "stabilise", words, PERP_STABILISE_COUNT, &index);
    if (!status)
        *stabilise = (PerpStabilisation)index;
    return status;
}

static PerpStatus read_impacts(PerpSceneReader *reader, const PerpNode *value, void *target)
{
    const char *words[PERP_IMPACTS_COUNT];
    PerpImpacts *impacts = target;
    int index;
    for (int k = 0; k < PERP_IMPACTS_COUNT; k++)
        words[k] = perp_impacts_name((PerpImpacts)k);
    PerpStatus status =
        perp_scene_word(reader, value, "impacts", words, PERP_IMPACTS_COUNT, &index);
    if (!status)
        *impacts = (PerpImpacts)index;
    return status;
}

static PerpStatus read_overlap(PerpSceneReader *reader, const PerpNode *value, void *target)
{
    const char *words[PERP_OVERLAP_COUNT];
    PerpOverlap *overlap = target;
    int index;
    for (int k = 0; k < PERP_OVERLAP_COUNT; k++)
        words[k] = perp_overlap_name((PerpOverlap)k);
    PerpStatus status =
        perp_scene_word(reader, value, "overlap", words, PERP_OVERLAP_COUNT, &index);
    if (!status)
        *overlap = (PerpOverlap)index;
    return status;
}

static PerpStatus read_data(PerpSceneReader *reader, const PerpNode *value, void *target)
{
    const char *words[PERP_DATA_COUNT];
    PerpData *data = target;
    int index;
    for (int k = 0; k < PERP_DATA_COUNT; k++)
        words[k] = perp_data_name((PerpData)k);
    PerpStatus status = perp_scene_word(reader, value, "data", words, PERP_DATA_COUNT, &index);
    if (!status)
        *data = (PerpData)index;
    return status;
}

static PerpStatus read_facets(PerpSceneReader *reader, const PerpNode *value, void *target)
{
    int *facets = target;
    double number;
    if (value->text && strcmp(value->text, "circular") == 0) {
        *facets = PERP_FACETS_CIRCULAR;
        return PERP_OK;
    }
    PerpStatus status = perp_scene_integer(reader, value, 4, 64, "facets", &number);
    if (status)
        return status;
    *facets = (int)number;
    if (*facets % 2 != 0)
        return perp_node_fail(reader->document, value, PERP_BAD_VALUE,
                              "facets: expected an even number, found %d", *facets);
    return PERP_OK;
}

static PerpStatus read_seed(PerpSceneReader *reader, const PerpNode *value, void *target)
{
    unsigned long long *seed = target;
    double number;
    PerpStatus status = perp_scene_integer(reader, value, 0, 0x1p53, "seed", &number);
    if (!status)
        *seed = (unsigned long long)number;
    return status;
}

static PerpStatus read_every(PerpSceneReader *reader, const PerpNode *value, void *every)
{
    double number;
    PerpStatus status = perp_scene_integer(reader, value, 1, 1e9, "steps between samples", &number);
    if (!status)
        *(int *)every = (int)number;
    return status;
}

// The keyframe to start from waits until all are known.
static PerpStatus pass_over(PerpSceneReader *reader, const PerpNode *value, void *target)
{
    (void)reader;
    (void)value;
    (void)target;
    return PERP_OK;
}

static const PerpField run_field_list[] = {
    {"t", PERP_FIELD_POSITIVE, offsetof(PerpRunDef, duration), NULL, 0},
    {"h", PERP_FIELD_POSITIVE, offsetof(PerpRunDef, step), NULL, 0},
    {"scheme", PERP_FIELD_OWN, offsetof(PerpRunDef, scheme), read_scheme, 0},
    {"facets", PERP_FIELD_OWN, offsetof(PerpRunDef, facets), read_facets, 0},
    {"restitution-threshold", PERP_FIELD_NON_NEGATIVE, offsetof(PerpRunDef, restitution_threshold),
     NULL, 0},
    {"jacobian", PERP_FIELD_OWN, offsetof(PerpRunDef, jacobian), read_jacobian, 0},
    {"stabilise", PERP_FIELD_OWN, offsetof(PerpRunDef, stabilise), read_stabilise, 0},
    {"printed-coriolis", PERP_FIELD_FLAG, offsetof(PerpRunDef, printed_coriolis), NULL, 0},
    {"linear", PERP_FIELD_FLAG, offsetof(PerpRunDef, linear), NULL, 0},
    {"one-phase", PERP_FIELD_FLAG, offsetof(PerpRunDef, one_phase), NULL, 0},
    {"printed-decompression", PERP_FIELD_FLAG, offsetof(PerpRunDef, printed_decompression), NULL,
     0},
    {"printed-collisions", PERP_FIELD_FLAG, offsetof(PerpRunDef, printed_collisions), NULL, 0},
    {"data", PERP_FIELD_OWN, offsetof(PerpRunDef, data), read_data, 0},
    {"first-step", PERP_FIELD_NON_NEGATIVE, offsetof(PerpRunDef, first_step), NULL, 0},
    {"impacts", PERP_FIELD_OWN, offsetof(PerpRunDef, impacts), read_impacts, 0},
    {"overlap", PERP_FIELD_OWN, offsetof(PerpRunDef, overlap), read_overlap, 0},
    {"seed", PERP_FIELD_OWN, offsetof(PerpRunDef, seed), read_seed, 0},
    {"keyframe", PERP_FIELD_OWN, 0, pass_over, 0},
    {"control-every", PERP_FIELD_OWN, offsetof(PerpRunDef, control_every), read_every, 0},
};
static const PerpFields run_fields = PERP_FIELDS("run", run_field_list);

static const double MOST_STEPS = 1e15; // that can be counted

// Keys that may stand in any of the files, but once.
static PerpStatus enter_keys(PerpSceneReader *reader, const PerpNode *mapping)
{
    PerpStatus status = PERP_OK;
    for (const PerpNode *key = mapping->child; !status && key; key = key->next->next)
        status = perp_scene_enter(reader, key, "key", key->text, &reader->run_keys);
    return status;
}

static PerpStatus read_run_of_file(PerpSceneReader *reader)
{
    const PerpNode *node = perp_node_find(reader->document->root, "run");
    if (!node)
        return PERP_OK;
    const PerpRunDef *run = &reader->scene->run;
    PerpStatus status = perp_fields_read(reader, node, &run_fields, 0, "", &reader->scene->run);
    if (!status && !(run->duration / run->step < MOST_STEPS))
        status = perp_node_fail(reader->document, node, PERP_BAD_VALUE,
                                "%g s in steps of %g s are too many", run->duration, run->step);
    return status ? status : enter_keys(reader, node);
}

// control: {every: 10}, the same as the key control-every of run.
static PerpStatus read_control_of_file(PerpSceneReader *reader)
{
    static const PerpField list[] = {
        {"every", PERP_FIELD_OWN, offsetof(PerpRunDef, control_every), read_every, 0},
    };
    static const PerpFields fields = PERP_FIELDS("control", list);
    const PerpNode *node = perp_node_find(reader->document->root, "control");
    if (!node)
        return PERP_OK;
    PerpStatus status = perp_fields_read(reader, node, &fields, 0, "", &reader->scene->run);
    return status ? status
                  : perp_scene_enter(reader, node, "key", "control-every", &reader->run_keys);
}

PerpStatus perp_read_run(PerpSceneReader *reader)
{
    PerpStatus status = PERP_OK;
    for (PerpSceneFile *file = reader->first_file; !status && file; file = file->next) {
        reader->document = &file->document;
        status = read_run_of_file(reader);
        if (!status)
            status = read_control_of_file(reader);
    }
    reader->scope.random = reader->scene->run.seed;
    reader->scope.allows_random = true;
    return status;
}

static PerpStatus read_gravity_of_file(PerpSceneReader *reader)
{
    const PerpNode *node = perp_node_find(reader->document->root, "gravity");
    if (!node)
        return PERP_OK;
    PerpStatus status = perp_scene_numbers(reader, node, 3, "gravity", reader->scene->def.gravity);
    return status ? status : perp_scene_enter(reader, node, "key", "gravity", &reader->run_keys);
}

PerpStatus perp_read_gravity(PerpSceneReader *reader)
{
    PerpStatus status = PERP_OK;
    for (PerpSceneFile *file = reader->first_file; !status && file; file = file->next) {
        reader->document = &file->document;
        status = read_gravity_of_file(reader);
    }
    return status;
}
