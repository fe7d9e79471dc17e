// Reading a scene, from the first file to the finished definition. Sections are read one after the
// other over all files, so that what names something may stand in any of them, in any order.
#include "base/error.h"
#include "base/log.h"
#include "io/scene/scene_reader.h"
#include "io/scene/scene_shape.h"
#include "io/text/c_locale.h"

#include <string.h>

const PerpSection perp_sections[PERP_SECTIONS] = {
    {"materials", true, perp_read_material},  {"pairs", false, perp_read_pair},
    {"bodies", true, perp_read_body},         {"world", false, perp_read_world},
    {"joints", true, perp_read_joint},        {"springs", true, perp_read_spring},
    {"forces", true, perp_read_force},        {"exclude", false, perp_read_exclusion},
    {"sites", true, perp_read_site},          {"signals", true, perp_read_signal},
    {"actuators", true, perp_read_actuator},  {"motions", true, perp_read_motion},
    {"sensors", true, perp_read_sensor},      {"keyframes", true, perp_read_keyframe},
    {"expect", false, perp_read_expectation},
};

static void tell(const PerpSceneReader *reader, const PerpError *error)
{
    char text[PERP_PATH_SIZE + PERP_MESSAGE_SIZE];
    perp_log(&reader->scene->context.log, PERP_LOG_WARNING, "%s",
             perp_error_text(error, text, sizeof text));
}

static bool is_known(const PerpSceneReader *reader, const PerpPlace *place)
{
    if (!place->file || strcmp(reader->error->file, place->file) != 0)
        return false;
    for (int k = 0; k < reader->n_errors; k++) {
        const PerpPlace *known = &reader->place[k];
        if (known->file == place->file && known->line == place->line &&
            known->column == place->column)
            return true;
    }
    return false;
}

PerpStatus perp_scene_go_on(PerpSceneReader *reader, PerpStatus status)
{
    if (!status || status == PERP_NO_MEMORY || !reader->error || !reader->scene->context.log.write)
        return status;
    const PerpPlace place = {reader->document ? reader->document->name : NULL, reader->error->line,
                             reader->error->column};
    if (is_known(reader, &place))
        return PERP_OK;
    if (reader->n_errors == PERP_SCENE_ERRORS)
        return status;
    if (reader->n_errors > 0)
        tell(reader, &reader->found);
    reader->place[reader->n_errors++] = place;
    reader->found = *reader->error;
    return PERP_OK;
}

PerpStatus perp_read_items(PerpSceneReader *reader, const PerpSection *section,
                           const PerpNode *items)
{
    PerpStatus status = section->by_name
                            ? perp_node_mapping(reader->document, items, section->key)
                            : perp_node_sequence(reader->document, items, section->key);
    const PerpNode *node = items->child;
    while (!status && node) {
        const PerpNode *item = section->by_name ? node->next : node;
        status =
            perp_scene_go_on(reader, section->read(reader, section->by_name ? node : NULL, item));
        node = item->next;
    }
    return status;
}

static PerpStatus read_section(PerpSceneReader *reader, const PerpSection *section)
{
    PerpStatus status = PERP_OK;
    reader->iterations = 0;
    for (PerpSceneFile *file = reader->first_file; !status && file; file = file->next) {
        reader->document = &file->document;
        const PerpNode *items = perp_node_find(file->document.root, section->key);
        if (items)
            status = perp_read_items(reader, section, items);
        if (!status)
            status = perp_read_repeats(reader, section);
    }
    return status;
}

static PerpStatus read_files(PerpSceneReader *reader)
{
    PerpStatus status = perp_read_about(reader);
    if (!status)
        status = perp_read_parameters(reader);
    if (!status)
        status = perp_scene_go_on(reader, perp_read_run(reader));
    if (!status)
        status = perp_scene_go_on(reader, perp_read_gravity(reader));
    if (!status)
        status = perp_add_default_material(reader);
    int before = reader->n_errors; // what a section defines, later ones may need
    for (int k = 0; !status && k < PERP_SECTIONS && reader->n_errors == before; k++)
        status = read_section(reader, &perp_sections[k]);
    if (!status && reader->n_errors > 0) {
        *reader->error = reader->found;
        return reader->found.status;
    }
    if (status && reader->n_errors > 0)
        tell(reader, &reader->found);
    if (!status)
        status = perp_resolve_couplings(reader);
    if (!status)
        status = perp_read_start_keyframe(reader);
    return status ? status : perp_read_camera(reader);
}

static void finish_def(PerpScene *scene)
{
    PerpModelDef *def = &scene->def;
    def->n_bodies = scene->bodies.count;
    def->bodies = scene->bodies.items;
    def->n_shapes = scene->shapes.count;
    def->shapes = scene->shapes.items;
    def->n_joints = scene->joints.count;
    def->joints = scene->joints.items;
    def->n_springs = scene->springs.count;
    def->springs = scene->springs.items;
    def->n_forces = scene->forces.count;
    def->forces = scene->forces.items;
    def->n_materials = scene->materials.count;
    def->materials = scene->materials.items;
    def->n_pairs = scene->pairs.count;
    def->pairs = scene->pairs.items;
    def->n_exclusions = scene->exclusions.count;
    def->exclusions = scene->exclusions.items;
    def->n_sites = scene->sites.count;
    def->sites = scene->sites.items;
    def->n_signals = scene->signals.count;
    def->signals = scene->signals.items;
    def->n_actuators = scene->actuators.count;
    def->actuators = scene->actuators.items;
    def->n_motions = scene->motions.count;
    def->motions = scene->motions.items;
    def->n_sensors = scene->sensors.count;
    def->sensors = scene->sensors.items;
    def->n_keyframes = scene->keyframes.count;
    def->keyframes = scene->keyframes.items;
    def->noise_seed = scene->run.seed;
    def->control_every = scene->run.control_every;
}

static PerpSceneReader open_reader(PerpScene *scene, const PerpParameter *set, int n_set,
                                   PerpError *error)
{
    PerpNames no_names = {.allocator = scene->context.allocator};
    return (PerpSceneReader){
        .scene = scene,
        .error = error,
        .set = set,
        .n_set = n_set,
        .bytes_left = PERP_SCENE_BYTE_LIMIT,
        .scope = {.parameters = no_names, .left = PERP_SCENE_CHARACTER_LIMIT},
        .parameters = {.item_size = sizeof(double)},
        .couplings = {.item_size = sizeof(PerpPendingCoupling)},
        .meshes = {.item_size = sizeof(PerpSceneMesh)},
        .material_names = no_names,
        .mesh_names = no_names,
        .run_keys = no_names,
    };
}

static void close_reader(PerpSceneReader *reader)
{
    const PerpAllocator *allocator = &reader->scene->context.allocator;
    perp_names_free(&reader->scope.parameters);
    perp_names_free(&reader->material_names);
    perp_names_free(&reader->mesh_names);
    perp_names_free(&reader->run_keys);
    perp_scene_list_free(allocator, &reader->parameters);
    perp_scene_list_free(allocator, &reader->couplings);
    perp_scene_list_free(allocator, &reader->meshes);
    while (reader->first_file) {
        PerpSceneFile *next = reader->first_file->next;
        perp_document_free(&reader->first_file->document);
        perp_free(allocator, reader->first_file);
        reader->first_file = next;
    }
}

static PerpScene *create_scene(const PerpContext *context)
{
    PerpContext lent = context ? *context : perp_default_context();
    PerpScene *scene = perp_allocate(&lent.allocator, 1, sizeof *scene);
    if (!scene)
        return NULL;
    PerpNames no_names = {.allocator = lent.allocator};
    *scene = (PerpScene){.context = lent,
                         .bodies = {.item_size = sizeof(PerpBodyDef)},
                         .shapes = {.item_size = sizeof(PerpShapeDef)},
                         .joints = {.item_size = sizeof(PerpJointDef)},
                         .springs = {.item_size = sizeof(PerpSpringDef)},
                         .forces = {.item_size = sizeof(PerpForceDef)},
                         .materials = {.item_size = sizeof(PerpMaterialDef)},
                         .pairs = {.item_size = sizeof(PerpPairDef)},
                         .exclusions = {.item_size = sizeof(PerpExclusionDef)},
                         .sites = {.item_size = sizeof(PerpSiteDef)},
                         .signals = {.item_size = sizeof(PerpSignalDef)},
                         .actuators = {.item_size = sizeof(PerpActuatorDef)},
                         .motions = {.item_size = sizeof(PerpMotionDef)},
                         .sensors = {.item_size = sizeof(PerpSensorDef)},
                         .keyframes = {.item_size = sizeof(PerpKeyframeDef)},
                         .expectations = {.item_size = sizeof(PerpExpectation)},
                         .shape_places = {.item_size = sizeof(PerpPlace)},
                         .body_names = no_names,
                         .joint_names = no_names,
                         .sensor_names = no_names,
                         .spring_names = no_names,
                         .force_names = no_names,
                         .site_names = no_names,
                         .signal_names = no_names,
                         .actuator_names = no_names,
                         .keyframe_names = no_names,
                         .file_names = no_names,
                         .def = perp_default_model_def(),
                         .run = perp_default_run(),
                         .about = ""};
    perp_arena_init(&scene->arena, &lent.allocator);
    return scene;
}

void perp_scene_destroy(PerpScene *scene)
{
    if (!scene)
        return;
    PerpAllocator allocator = scene->context.allocator;
    PerpSceneList *lists[] = {
        &scene->bodies,       &scene->shapes,    &scene->joints,    &scene->springs,
        &scene->forces,       &scene->materials, &scene->pairs,     &scene->exclusions,
        &scene->expectations, &scene->sites,     &scene->signals,   &scene->actuators,
        &scene->motions,      &scene->sensors,   &scene->keyframes, &scene->shape_places};
    for (int k = 0; k < PERP_COUNT(lists); k++)
        perp_scene_list_free(&allocator, lists[k]);
    perp_names_free(&scene->body_names);
    perp_names_free(&scene->joint_names);
    perp_names_free(&scene->sensor_names);
    perp_names_free(&scene->spring_names);
    perp_names_free(&scene->force_names);
    perp_names_free(&scene->site_names);
    perp_names_free(&scene->signal_names);
    perp_names_free(&scene->actuator_names);
    perp_names_free(&scene->keyframe_names);
    perp_names_free(&scene->file_names);
    perp_arena_free(&scene->arena);
    perp_free(&allocator, scene);
}

// The text of a scene; bytes is NULL if it is to be read from the file `name`, which is looked for
// among the given ones if there are any.
typedef struct Source {
    const char *name, *bytes;
    size_t size;
    const PerpSceneText *given;
    int n_given;
} Source;

static PerpStatus load(PerpSceneReader *reader, const Source *source)
{
    PerpStatus status =
        source->bytes ? perp_scene_load_bytes(reader, source->bytes, source->size, source->name)
                      : perp_scene_load(reader, source->name);
    return status ? status : read_files(reader);
}

static PerpStatus read_source(PerpScene *scene, const Source *source, const PerpParameter *set,
                              int n_set, PerpError *error)
{
    PerpSceneReader reader = open_reader(scene, set, n_set, error);
    reader.given = source->given;
    reader.n_given = source->n_given;
    PerpCLocale locale;
    if (!perp_c_locale_enter(&locale))
        return perp_fail(error, PERP_NO_MEMORY, "out of memory while reading the scene");
    PerpStatus status = load(&reader, source);
    perp_c_locale_leave(&locale);
    close_reader(&reader);
    finish_def(scene);
    return status;
}

static PerpStatus create_and_read(const PerpContext *context, const Source *source,
                                  const PerpParameter *set, int n_set, PerpScene **scene,
                                  PerpError *error)
{
    *scene = create_scene(context);
    if (!*scene)
        return perp_fail_at(error, PERP_NO_MEMORY, source->name, 0, 0,
                            "out of memory while reading the scene");
    PerpStatus status = read_source(*scene, source, set, n_set, error);
    if (status) {
        perp_scene_destroy(*scene);
        *scene = NULL;
    }
    return status;
}

PerpStatus perp_scene_read(const PerpContext *context, const char *path, const PerpParameter *set,
                           int n_set, PerpScene **scene, PerpError *error)
{
    Source source = {.name = path};
    return create_and_read(context, &source, set, n_set, scene, error);
}

PerpStatus perp_scene_parse(const PerpContext *context, const char *bytes, size_t size,
                            const char *name, const PerpParameter *set, int n_set,
                            PerpScene **scene, PerpError *error)
{
    Source source = {.name = name, .bytes = bytes, .size = size};
    return create_and_read(context, &source, set, n_set, scene, error);
}

PerpStatus perp_scene_read_texts(const PerpContext *context, const PerpSceneText *texts,
                                 int n_texts, const PerpParameter *set, int n_set,
                                 PerpScene **scene, PerpError *error)
{
    *scene = NULL;
    if (n_texts < 1)
        return perp_fail(error, PERP_BAD_SIZE, "a scene needs at least one text");
    Source source = {.name = texts[0].path, .given = texts, .n_given = n_texts};
    return create_and_read(context, &source, set, n_set, scene, error);
}

const char *perp_scene_about(const PerpScene *scene)
{
    return scene->about;
}

const PerpModelDef *perp_scene_model_def(const PerpScene *scene)
{
    return &scene->def;
}

const PerpRunDef *perp_scene_run(const PerpScene *scene)
{
    return &scene->run;
}

int perp_scene_expectations(const PerpScene *scene)
{
    return scene->expectations.count;
}

const PerpExpectation *perp_scene_expectation(const PerpScene *scene, int index)
{
    return (const PerpExpectation *)scene->expectations.items + index;
}

bool perp_scene_camera(const PerpScene *scene, PerpCamera *camera)
{
    if (scene->has_camera)
        *camera = scene->camera;
    return scene->has_camera;
}

int perp_scene_files(const PerpScene *scene)
{
    return scene->file_names.count;
}

const char *perp_scene_file(const PerpScene *scene, int index)
{
    return scene->file_names.names[index].text;
}

PerpSceneText perp_scene_text(const PerpScene *scene, int index)
{
    return scene->texts[index];
}

PerpPlace perp_scene_body_place(const PerpScene *scene, int body)
{
    return scene->body_names.names[body].place;
}

PerpPlace perp_scene_joint_place(const PerpScene *scene, int joint)
{
    return scene->joint_names.names[joint].place;
}

PerpPlace perp_scene_shape_place(const PerpScene *scene, int shape)
{
    return ((const PerpPlace *)scene->shape_places.items)[shape];
}

PerpPlace perp_scene_place_of(const PerpScene *scene, const char *kind, const char *name)
{
    const struct {
        const char *kind;
        const PerpNames *names;
    } lists[] = {{"body", &scene->body_names},     {"motion", &scene->body_names},
                 {"joint", &scene->joint_names},   {"spring", &scene->spring_names},
                 {"force", &scene->force_names},   {"site", &scene->site_names},
                 {"signal", &scene->signal_names}, {"actuator", &scene->actuator_names},
                 {"sensor", &scene->sensor_names}, {"keyframe", &scene->keyframe_names}};
    for (size_t k = 0; k < sizeof lists / sizeof *lists; k++) {
        int index = strcmp(lists[k].kind, kind) == 0 ? perp_names_find(lists[k].names, name) : -1;
        if (index >= 0)
            return lists[k].names->names[index].place;
    }
    return (PerpPlace){.file = perp_scene_file(scene, 0)};
}
