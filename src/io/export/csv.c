// CSV: the columns of perp run --csv, then the coordinates of the joints and the sensors.
#include "base/error.h"
#include "base/memory.h"
#include "io/export/export.h"
#include "io/text/json_write.h"

#include <math.h>
#include <string.h>

// Columns that every frame has, and where they are in a recording.
static const struct {
    const char *name, *series;
} columns[] = {
    {"t", "time"},
    {"kinetic", "energy/kinetic"},
    {"gravity", "energy/gravity"},
    {"spring", "energy/spring"},
    {"work", "energy/work"},
    {"friction", "energy/friction"},
    {"impact", "energy/impact"},
    {"damper", "energy/damper"},
    {"scheme", "energy/scheme"},
    {"balance", "energy/balance"},
    {"certificate", "certificate/worst"},
    {"penetration", "step/penetration"},
    {"joint_gap", "step/joint_gap"},
    {"contacts", "step/contacts"},
};
enum { COLUMNS = sizeof columns / sizeof *columns };

static const char *const pose_columns[] = {"x", "y", "z", "qw", "qx", "qy", "qz"};
static const char *const velocity_columns[] = {"vx", "vy", "vz", "wx", "wy", "wz"};
static const char *const joint_columns[] = {"q", "q2"};

typedef struct Table {
    PerpExport *x;
    bool poses, velocities, joints;
    double *series[COLUMNS]; // owned; NULL: not recorded
    double *coordinate;      // owned: of one frame
    int sensors;             // numbers a frame
    double *sensor;          // owned: of one frame
} Table;

static bool needs_quotes(const char *name)
{
    return name[strcspn(name, ",\"\r\n")] != '\0';
}

static void put_doubled(FILE *stream, const char *name)
{
    for (; *name; name++)
        fprintf(stream, *name == '"' ? "\"\"" : "%c", *name);
}

static void put_heading(FILE *stream, const char *name, const char *column)
{
    bool quoted = needs_quotes(name);
    fputs(quoted ? ",\"" : ",", stream);
    put_doubled(stream, name);
    fprintf(stream, "%s%s%s", column[0] ? "." : "", column, quoted ? "\"" : "");
}

static bool is_of(const char *label, size_t length, const char *name)
{
    return strncmp(name, label, length) == 0 && name[length] == '\0';
}

static bool is_among(const char *const *words, int count, const char *word)
{
    for (int k = 0; k < count; k++)
        if (strcmp(word, words[k]) == 0)
            return true;
    return false;
}

// Is a column called so that stands left of those of the sensors? The same for all recordings of a
// scene, whatever is in them.
static bool is_taken(const PerpExport *x, const char *label)
{
    const char *dot = strrchr(label, '.'), *column = dot ? dot + 1 : "";
    size_t length = dot ? (size_t)(dot - label) : 0;
    bool of_body = is_among(pose_columns, 7, column) || is_among(velocity_columns, 6, column);
    bool of_joint = is_among(joint_columns, PERP_JOINT_COORDINATES, column);
    for (int body = 0; of_body && body < x->info->bodies; body++)
        if (is_of(label, length, perp_recording_body(x->recording, body).name))
            return true;
    for (int joint = 0; of_joint && joint < x->info->joints; joint++)
        if (is_of(label, length, perp_recording_joint(x->recording, joint)))
            return true;
    for (int k = 0; k < COLUMNS; k++)
        if (strcmp(label, columns[k].name) == 0)
            return true;
    return false;
}

static void put_sensor(FILE *stream, const PerpExport *x, const char *label)
{
    char longer[PERP_NAME_SIZE + 16];
    snprintf(longer, sizeof longer, "sensor.%s", label);
    put_heading(stream, is_taken(x, label) ? longer : label, "");
}

void perp_put_csv_text(FILE *stream, const char *text)
{
    const char *quote = needs_quotes(text) ? "\"" : "";
    fputs(quote, stream);
    put_doubled(stream, text);
    fputs(quote, stream);
}

void perp_put_csv_number(FILE *stream, double number)
{
    if (isnan(number))
        fputs("nan", stream);
    else if (isinf(number))
        fputs(number > 0 ? "inf" : "-inf", stream); // as all readers of tables know it
    else
        perp_write_number(stream, number);
}

static void put_header(FILE *stream, const Table *table)
{
    const PerpExport *x = table->x;
    for (int k = 0; k < COLUMNS; k++)
        if (table->series[k])
            fprintf(stream, "%s%s", k ? "," : "", columns[k].name);
    for (int body = 0; body < x->info->bodies; body++) {
        const char *name = perp_recording_body(x->recording, body).name;
        for (int k = 0; table->poses && k < 7; k++)
            put_heading(stream, name, pose_columns[k]);
        for (int k = 0; table->velocities && k < 6; k++)
            put_heading(stream, name, velocity_columns[k]);
    }
    for (int joint = 0; table->joints && joint < x->info->joints; joint++)
        for (int k = 0; k < PERP_JOINT_COORDINATES; k++)
            put_heading(stream, perp_recording_joint(x->recording, joint), joint_columns[k]);
    for (int k = 0; k < table->sensors; k++)
        put_sensor(stream, x, perp_recording_sensor(x->recording, k));
    fputc('\n', stream);
}

static void put_numbers(FILE *stream, const double *numbers, size_t count)
{
    for (size_t k = 0; k < count; k++) {
        fputc(',', stream);
        perp_put_csv_number(stream, numbers[k]);
    }
}

static PerpStatus put_row(FILE *stream, Table *table, long k, PerpError *error)
{
    PerpExport *x = table->x;
    const double *pose, *velocity;
    PerpStatus status = perp_export_motion(x, k, &pose, &velocity, error);
    if (!status && table->joints)
        status = perp_recording_coordinates(x->recording, x->frame[k], 1, table->coordinate, error);
    if (!status)
        status = perp_recording_sensors(x->recording, x->frame[k], 1, table->sensor, error);
    if (status)
        return status;
    perp_write_number(stream, table->series[0][k]);
    for (int column = 1; column < COLUMNS; column++)
        if (table->series[column])
            put_numbers(stream, &table->series[column][k], 1);
    for (size_t body = 0; body < (size_t)x->info->bodies; body++) {
        put_numbers(stream, pose + 7 * body, table->poses ? 7 : 0);
        put_numbers(stream, velocity + 6 * body, table->velocities ? 6 : 0);
    }
    if (table->joints)
        put_numbers(stream, table->coordinate, PERP_JOINT_COORDINATES * (size_t)x->info->joints);
    put_numbers(stream, table->sensor, (size_t)table->sensors);
    fputc('\n', stream);
    return PERP_OK;
}

static PerpStatus write_table(FILE *stream, void *what, PerpError *error)
{
    Table *table = what;
    PerpStatus status = PERP_OK;
    put_header(stream, table);
    for (long k = 0; !status && k < table->x->frames && !ferror(stream); k++)
        status = put_row(stream, table, k, error);
    return status;
}

static PerpStatus load_columns(Table *table, PerpError *error)
{
    PerpExport *x = table->x;
    size_t numbers = PERP_JOINT_COORDINATES * (size_t)x->info->joints + 1;
    table->coordinate = perp_allocate(&x->context->allocator, numbers, sizeof(double));
    table->sensors = perp_recording_sensor_count(x->recording);
    table->sensor =
        perp_allocate(&x->context->allocator, (size_t)table->sensors + 1, sizeof(double));
    PerpStatus status = table->coordinate && table->sensor
                            ? PERP_OK
                            : perp_fail(error, PERP_NO_MEMORY, "out of memory");
    for (int k = 0; !status && k < COLUMNS; k++)
        if (perp_recording_has(x->recording, columns[k].series))
            status = perp_export_series(x, columns[k].series, &table->series[k], error);
    return status;
}

PerpStatus perp_export_csv(PerpExport *x, PerpError *error)
{
    Table table = {.x = x,
                   .poses = perp_recording_has(x->recording, "pose"),
                   .velocities = perp_recording_has(x->recording, "velocity"),
                   .joints = perp_recording_has(x->recording, "coordinate")};
    PerpStatus status = load_columns(&table, error);
    if (!status)
        status = perp_export_file(x, x->path, write_table, &table, error);
    for (int k = 0; k < COLUMNS; k++)
        perp_free(&x->context->allocator, table.series[k]);
    perp_free(&x->context->allocator, table.coordinate);
    perp_free(&x->context->allocator, table.sensor);
    return status;
}
