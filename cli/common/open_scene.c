// A scene from a file with parameters from the command line, read and compiled.
#include "common/open_scene.h"

#include <string.h>

static bool add_parameter(char *text, SceneSource *source)
{
    char *equals = strchr(text, '=');
    if (!equals || equals == text) {
        fprintf(stderr, "perp: --set needs NAME=VALUE, not %s\n", text);
        return false;
    }
    if (source->n_set == PARAMETERS) {
        fprintf(stderr, "perp: --set may be given at most %d times\n", PARAMETERS);
        return false;
    }
    *equals = '\0';
    source->set[source->n_set++] = (PerpParameter){text, equals + 1};
    return true;
}

// What --set is given in argument k, and how many arguments that takes; 0 if it is none.
static int find_parameter(int argc, char **argv, int k, char **text)
{
    bool joined = strncmp(argv[k], "--set=", 6) == 0;
    bool apart = strcmp(argv[k], "--set") == 0 && k + 1 < argc;
    *text = joined ? argv[k] + 6 : apart ? argv[k + 1] : NULL;
    return joined ? 1 : apart ? 2 : 0;
}

int take_parameters(int argc, char **argv, SceneSource *source)
{
    int kept = 0, limit = 0;
    while (limit < argc && strcmp(argv[limit], "--") != 0)
        limit++;
    for (int k = 0; k < argc;) {
        char *text;
        int taken = k < limit ? find_parameter(limit, argv, k, &text) : 0;
        if (taken > 0 && !add_parameter(text, source))
            return 0;
        if (taken == 0)
            argv[kept++] = argv[k++];
        k += taken;
    }
    return kept;
}

// Does the message begin with: kind "name"
static bool blames(const PerpError *error, const char *kind, const char *name)
{
    char start[PERP_MESSAGE_SIZE];
    int length = snprintf(start, sizeof start, "%s \"%s\":", kind, name);
    return strncmp(error->message, start, (size_t)length) == 0;
}

// The shape that is to blame; -1: none is
static int shape_to_blame(const PerpModelDef *def, const PerpError *error)
{
    char name[PERP_NAME_SIZE];
    for (int k = 0; k < def->n_shapes; k++) {
        snprintf(name, sizeof name, "shape-%d", k);
        if (blames(error, "shape",
                   def->shapes[k].name && def->shapes[k].name[0] ? def->shapes[k].name : name))
            return k;
    }
    return -1;
}

// The first body of "a" and "b" overlap ...; -1: the message says something else
static int body_to_blame(const PerpModelDef *def, const PerpError *error)
{
    char start[PERP_MESSAGE_SIZE];
    for (int k = 0; k < def->n_bodies; k++) {
        int length = snprintf(start, sizeof start, "\"%s\" and \"", def->bodies[k].name);
        if (strncmp(error->message, start, (size_t)length) == 0)
            return k;
    }
    return -1;
}

static PerpPlace find_place(const PerpScene *scene, const PerpError *error)
{
    char kind[PERP_NAME_SIZE] = "", name[PERP_NAME_SIZE] = "";
    int shape = shape_to_blame(perp_scene_model_def(scene), error);
    if (shape >= 0)
        return perp_scene_shape_place(scene, shape);
    int body = body_to_blame(perp_scene_model_def(scene), error);
    if (body >= 0)
        return perp_scene_body_place(scene, body);
    const char *quote = strchr(error->message, '"'), *end = quote ? strstr(quote, "\":") : NULL;
    if (end && quote > error->message && quote - error->message < (int)sizeof kind) {
        snprintf(kind, sizeof kind, "%.*s", (int)(quote - error->message) - 1, error->message);
        snprintf(name, sizeof name, "%.*s", (int)(end - quote) - 1, quote + 1);
    }
    return perp_scene_place_of(scene, kind, name);
}

// Of a shape without a name the place says which it is.
static void drop_made_up_name(PerpError *error)
{
    int number, length = 0;
    if (sscanf(error->message, "shape \"shape-%d\": %n", &number, &length) == 1 && length > 0)
        memmove(error->message, error->message + length, strlen(error->message + length) + 1);
}

// Expressions know their own.
static void add_place(const PerpScene *scene, PerpError *error)
{
    if (error->line > 0)
        return;
    PerpPlace place = find_place(scene, error);
    snprintf(error->file, sizeof error->file, "%s", place.file);
    error->line = place.line;
    error->column = place.column;
    drop_made_up_name(error);
}

static void print_error(void *user, PerpLogLevel level, const char *text)
{
    (void)user;
    (void)level;
    fprintf(stderr, "perp: %s\n", text);
}

PerpStatus open_scene(const SceneSource *source, OpenScene *opened, PerpError *error)
{
    *opened = (OpenScene){0};
    *error = (PerpError){0};
    bool from_input = strcmp(source->path, "-") == 0;
    PerpContext context = perp_default_context();
    context.log.write = print_error; // all errors but the last, which is returned
    PerpStatus status = perp_scene_read(&context, from_input ? "/dev/stdin" : source->path,
                                        source->set, source->n_set, &opened->scene, error);
    if (status)
        return status;
    status = perp_model_create(NULL, perp_scene_model_def(opened->scene), &opened->model, error);
    if (status)
        add_place(opened->scene, error);
    return status;
}

PerpStatus start_simulation(const OpenScene *opened, const PerpSimulationSettings *settings,
                            PerpSimulation **simulation, PerpError *error)
{
    PerpStatus status = perp_simulation_create(NULL, opened->model, settings, simulation, error);
    if (status)
        add_place(opened->scene, error);
    return status;
}

void close_scene(OpenScene *opened)
{
    perp_model_destroy(opened->model);
    perp_scene_destroy(opened->scene);
}
