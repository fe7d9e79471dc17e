// Quantities of a recording that can be drawn: its series, the coordinates of its bodies and
// joints.
#include "plot/curves.h"

#include "perp/words.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 1 << 20 }; // numbers read at a time

static PerpStatus fail(PerpError *error)
{
    *error = (PerpError){.status = PERP_NO_MEMORY};
    snprintf(error->message, sizeof error->message, "%s", perp_status_text(PERP_NO_MEMORY));
    return PERP_NO_MEMORY;
}

// --- opening ------------------------------------------------------------------------------------

static void set_stem(PlotRun *run)
{
    const char *slash = strrchr(run->path, '/');
    snprintf(run->stem, sizeof run->stem, "%s", slash ? slash + 1 : run->path);
    char *dot = strrchr(run->stem, '.');
    if (dot && dot > run->stem)
        *dot = '\0';
}

static PerpStatus choose_frames(PlotRun *run, const double t[2], PerpError *error)
{
    long frames = run->info->frames;
    run->time = calloc((size_t)frames + 1, sizeof *run->time);
    if (!run->time)
        return fail(error);
    PerpStatus status = perp_recording_series(run->recording, "time", 0, frames, run->time, error);
    if (status)
        return status;
    while (run->first < frames && run->time[run->first] < t[0])
        run->first++;
    while (run->first + run->frames < frames && run->time[run->first + run->frames] <= t[1])
        run->frames++;
    memmove(run->time, run->time + run->first, (size_t)run->frames * sizeof *run->time);
    return PERP_OK;
}

PerpStatus plot_open(const char *path, const double t[2], PlotRun *run, PerpError *error)
{
    *run = (PlotRun){.path = path};
    set_stem(run);
    PerpStatus status = perp_recording_open(NULL, path, &run->recording, error);
    if (status)
        return status;
    run->info = perp_recording_info(run->recording);
    return choose_frames(run, t, error);
}

void plot_close(PlotRun *run)
{
    perp_recording_close(run->recording);
    free(run->time);
}

// --- bodies and joints --------------------------------------------------------------------------

// Coordinates of a body: where in a row of poses (7) or velocities (6), how many of them are
// squared and added.
typedef struct Coordinate {
    const char *suffix, *what, *unit;
    bool velocity;
    int first, count;
} Coordinate;

static const Coordinate coordinates[] = {
    {"x", "position", "m", false, 0, 1},
    {"y", "position", "m", false, 1, 1},
    {"z", "position", "m", false, 2, 1},
    {"qw", "rotation", "quaternion", false, 3, 1},
    {"qx", "rotation", "quaternion", false, 4, 1},
    {"qy", "rotation", "quaternion", false, 5, 1},
    {"qz", "rotation", "quaternion", false, 6, 1},
    {"vx", "velocity", "m/s", true, 0, 1},
    {"vy", "velocity", "m/s", true, 1, 1},
    {"vz", "velocity", "m/s", true, 2, 1},
    {"speed", "velocity", "m/s", true, 0, 3},
    {"wx", "angular velocity", "rad/s", true, 3, 1},
    {"wy", "angular velocity", "rad/s", true, 4, 1},
    {"wz", "angular velocity", "rad/s", true, 5, 1},
    {"spin", "angular velocity", "rad/s", true, 3, 3},
};
enum { COORDINATES = sizeof coordinates / sizeof *coordinates };
static const char *const joint_suffixes[] = {"q", "q2", "v", "v2"};
enum { JOINT_SUFFIXES = sizeof joint_suffixes / sizeof *joint_suffixes };

typedef PerpStatus (*ReadRows)(PerpRecording *recording, long first, long count, double *rows,
                               PerpError *error);

// One number, or the length of `count` of them, from rows of `width` numbers a frame.
static PerpStatus read_component(PlotRun *run, ReadRows read, size_t width, size_t component,
                                 int count, double *values, PerpError *error)
{
    size_t room = BLOCK / width + 1;
    double *rows = malloc(room * width * sizeof *rows);
    PerpStatus status = rows ? PERP_OK : fail(error);
    for (long k = 0; !status && k < run->frames; k += (long)room) {
        long left = run->frames - k, rows_now = left < (long)room ? left : (long)room;
        status = read(run->recording, run->first + k, rows_now, rows, error);
        for (long i = 0; !status && i < rows_now; i++) {
            const double *row = rows + (size_t)i * width + component;
            values[k + i] =
                count == 1 ? row[0] : sqrt(row[0] * row[0] + row[1] * row[1] + row[2] * row[2]);
        }
    }
    free(rows);
    return status;
}

static int find_body(const PlotRun *run, const char *name, size_t length)
{
    for (int body = 0; body < run->info->bodies; body++) {
        const char *other = perp_recording_body(run->recording, body).name;
        if (strlen(other) == length && strncmp(other, name, length) == 0)
            return body;
    }
    return -1;
}

static int find_joint(const PlotRun *run, const char *name, size_t length)
{
    for (int joint = 0; joint < run->info->joints; joint++) {
        const char *other = perp_recording_joint(run->recording, joint);
        if (strlen(other) == length && strncmp(other, name, length) == 0)
            return joint;
    }
    return -1;
}

static bool read_body(PlotRun *run, int body, const char *suffix, PlotColumn *column,
                      PerpError *error)
{
    for (int k = 0; k < COORDINATES; k++) {
        const Coordinate *c = &coordinates[k];
        bool recorded = perp_recording_has(run->recording, c->velocity ? "velocity" : "pose");
        if (strcmp(c->suffix, suffix) != 0 || !recorded)
            continue;
        size_t each = c->velocity ? 6 : 7;
        column->what = c->what;
        column->unit = c->unit;
        return !read_component(run, c->velocity ? perp_recording_velocities : perp_recording_poses,
                               each * (size_t)run->info->bodies,
                               each * (size_t)body + (size_t)c->first, c->count, column->values,
                               error);
    }
    return false;
}

// Differences of the frames on both sides; one-sided at the ends.
static bool differentiate(const PlotRun *run, double *values, PerpError *error)
{
    long last = run->frames - 1;
    double *x = malloc(((size_t)run->frames + 1) * sizeof *x);
    if (!x)
        return !fail(error);
    memcpy(x, values, (size_t)run->frames * sizeof *x);
    for (long k = 0; k <= last; k++) {
        long from = k > 0 ? k - 1 : k, to = k < last ? k + 1 : k;
        values[k] = to > from ? (x[to] - x[from]) / (run->time[to] - run->time[from]) : 0;
    }
    free(x);
    return true;
}

static bool read_joint(PlotRun *run, int joint, const char *suffix, PlotColumn *column,
                       PerpError *error)
{
    for (int k = 0; k < JOINT_SUFFIXES; k++) {
        if (strcmp(joint_suffixes[k], suffix) != 0 ||
            !perp_recording_has(run->recording, "coordinate"))
            continue;
        bool speed = k >= PERP_JOINT_COORDINATES;
        column->what = speed ? "rate" : "coordinate";
        column->unit = speed ? "m/s or rad/s" : "m or rad";
        int coordinate = k % PERP_JOINT_COORDINATES;
        return !read_component(run, perp_recording_coordinates,
                               PERP_JOINT_COORDINATES * (size_t)run->info->joints,
                               PERP_JOINT_COORDINATES * (size_t)joint + (size_t)coordinate, 1,
                               column->values, error) &&
               (!speed || differentiate(run, column->values, error));
    }
    return false;
}

// --- sensors ------------------------------------------------------------------------------------

static bool read_sensor(PlotRun *run, const char *name, PlotColumn *column, PerpError *error)
{
    int count = perp_recording_sensor_count(run->recording);
    for (int k = 0; k < count; k++)
        if (strcmp(perp_recording_sensor(run->recording, k), name) == 0) {
            column->what = "sensor";
            column->unit = perp_recording_sensor_unit(run->recording, k);
            return !read_component(run, perp_recording_sensors, (size_t)count, (size_t)k, 1,
                                   column->values, error);
        }
    return false;
}

// --- by name ------------------------------------------------------------------------------------

// Short names of series that people ask for.
static const struct {
    const char *name, *series;
} short_names[] = {
    {"penetration", "step/penetration"}, {"joint-gap", "step/joint_gap"},
    {"balance", "energy/balance"},       {"certificate", "certificate/worst"},
    {"pivots", "step/pivots"},           {"wall", "step/wall"},
};
enum { SHORT_NAMES = sizeof short_names / sizeof *short_names };

static const char *series_of(const char *name)
{
    for (int k = 0; k < SHORT_NAMES; k++)
        if (strcmp(short_names[k].name, name) == 0)
            return short_names[k].series;
    return name;
}

static bool read_series(PlotRun *run, const char *name, PlotColumn *column, PerpError *error)
{
    const char *series = series_of(name);
    const char *slash = strrchr(series, '/');
    for (int k = 0; k < perp_recording_series_count(); k++) {
        if (strcmp(perp_recording_series_name(k), series) != 0 ||
            !perp_recording_has(run->recording, series))
            continue;
        column->what = strncmp(series, "energy/", 7) == 0 ? "energy" : slash ? slash + 1 : series;
        column->unit = perp_recording_series_unit(k);
        return !perp_recording_series(run->recording, series, run->first, run->frames,
                                      column->values, error);
    }
    return false;
}

bool plot_column(PlotRun *run, const char *name, PlotColumn *column, PerpError *error)
{
    *column = (PlotColumn){0};
    error->status = PERP_OK;
    snprintf(column->name, sizeof column->name, "%s", name);
    column->values = calloc((size_t)run->frames + 1, sizeof *column->values);
    if (!column->values)
        return !fail(error);
    const char *dot = strrchr(name, '.');
    int body = dot ? find_body(run, name, (size_t)(dot - name)) : -1;
    int joint = dot ? find_joint(run, name, (size_t)(dot - name)) : -1;
    if (read_series(run, name, column, error) || read_sensor(run, name, column, error) ||
        (body >= 0 && read_body(run, body, dot + 1, column, error)) ||
        (joint >= 0 && read_joint(run, joint, dot + 1, column, error)))
        return true;
    free(column->values);
    column->values = NULL;
    return false;
}

// --- what there is ------------------------------------------------------------------------------

static void list_names(const char *heading, const char *parts, int count, const PlotRun *run,
                       bool joints)
{
    enum { SHOWN = 12 };
    if (count == 0)
        return;
    printf("%s: NAME with %s\n ", heading, parts);
    for (int k = 0; k < count && k < SHOWN; k++)
        printf(" %s", joints ? perp_recording_joint(run->recording, k)
                             : perp_recording_body(run->recording, k).name);
    printf(count > SHOWN ? " and %d more\n" : "\n", count - SHOWN);
}

void plot_list(const PlotRun *run)
{
    const PerpRecording *recording = run->recording;
    printf("%s: %ld frames, %d bodies, %d joints\n", run->path, run->info->frames,
           run->info->bodies, run->info->joints);
    if (perp_recording_has(recording, "energy/kinetic"))
        puts("energy                 the ledger, stacked");
    if (perp_recording_has(recording, "certificate/worst"))
        puts("residuals              every residual of the certificate");
    if (perp_recording_has(recording, "contacts/start"))
        puts("contacts               how many stick, slip, are open, are hit\n"
             "force:A,B  force:A     between two bodies, or on one; world is a name too\n"
             "contact:ID             at one contact point");
    puts("A:B                    two quantities against each other");
    for (int k = 0; k < SHORT_NAMES; k++)
        if (perp_recording_has(recording, short_names[k].series))
            printf("%-22s same as %s\n", short_names[k].name, short_names[k].series);
    for (int k = 0; k < perp_recording_series_count(); k++)
        if (perp_recording_has(recording, perp_recording_series_name(k)))
            printf("%-22s %s\n", perp_recording_series_name(k), perp_recording_series_unit(k));
    list_names("bodies", ".x .y .z .vx .vy .vz .speed .wx .wy .wz .spin .qw .qx .qy .qz",
               run->info->bodies, run, false);
    if (perp_recording_has(recording, "coordinate"))
        list_names("joints", ".q .q2 .v .v2", run->info->joints, run, true);
    for (int k = 0; k < perp_recording_sensor_count(recording); k++)
        printf("%-22s %s, a sensor\n", perp_recording_sensor(recording, k),
               perp_recording_sensor_unit(recording, k));
}

// --- suggestions --------------------------------------------------------------------------------

typedef struct Words {
    char **words;
    int count, room;
} Words;

static void add_word(Words *words, const char *name, const char *dot, const char *suffix)
{
    if (words->count == words->room)
        return;
    size_t size = strlen(name) + strlen(suffix) + 2;
    char *word = malloc(size);
    if (!word)
        return;
    snprintf(word, size, "%s%s%s", name, dot, suffix);
    words->words[words->count++] = word;
}

static void add_words(Words *words, const PlotRun *run)
{
    static const char *const plain[] = {"energy", "residuals", "contacts"};
    for (size_t k = 0; k < sizeof plain / sizeof *plain; k++)
        add_word(words, plain[k], "", "");
    for (int k = 0; k < SHORT_NAMES; k++)
        add_word(words, short_names[k].name, "", "");
    for (int k = 0; k < perp_recording_series_count(); k++)
        add_word(words, perp_recording_series_name(k), "", "");
    for (int body = 0; body < run->info->bodies; body++)
        for (int k = 0; k < COORDINATES; k++)
            add_word(words, perp_recording_body(run->recording, body).name, ".",
                     coordinates[k].suffix);
    for (int joint = 0; joint < run->info->joints; joint++)
        for (int k = 0; k < JOINT_SUFFIXES; k++)
            add_word(words, perp_recording_joint(run->recording, joint), ".", joint_suffixes[k]);
    for (int k = 0; k < perp_recording_sensor_count(run->recording); k++)
        add_word(words, perp_recording_sensor(run->recording, k), "", "");
}

char *plot_suggestion(const PlotRun *run, const char *name)
{
    Words words = {.room = 64 + SHORT_NAMES + perp_recording_series_count() +
                           COORDINATES * run->info->bodies + JOINT_SUFFIXES * run->info->joints +
                           perp_recording_sensor_count(run->recording)};
    words.words = calloc((size_t)words.room, sizeof *words.words);
    if (!words.words)
        return NULL;
    add_words(&words, run);
    const char *nearest =
        words.count > 0 ? perp_nearest_word(name, (const char *const *)words.words, words.count)
                        : "";
    char *copy = malloc(strlen(nearest) + 1);
    if (copy)
        memcpy(copy, nearest, strlen(nearest) + 1);
    for (int k = 0; k < words.count; k++)
        free(words.words[k]);
    free(words.words);
    return copy;
}
