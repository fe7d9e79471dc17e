// The time series of a run as CSV.
#include "run/csv.h"

#include <errno.h>
#include <string.h>

enum { BUFFER_SIZE = 1 << 20 };
static const double PAUSE = 0.5; // s; with the length of a step, at most a second is ever lost

static const char *const step_columns[] = {
    "t",      "kinetic", "gravity", "spring",      "work",        "friction",  "impact",
    "damper", "scheme",  "balance", "certificate", "penetration", "joint_gap", "contacts"};
enum { STEP_COLUMNS = sizeof step_columns / sizeof *step_columns };
static const char *const body_columns[] = {"x",  "y",  "z",  "qw", "qx", "qy", "qz",
                                           "vx", "vy", "vz", "wx", "wy", "wz"};
enum { BODY_COLUMNS = sizeof body_columns / sizeof *body_columns };

// A name with a comma, a quote or a line break stands in quotes, its own doubled.
static void print_heading(FILE *out, const char *name, const char *column)
{
    bool quoted = name[strcspn(name, ",\"\r\n")] != '\0';
    fputs(quoted ? ",\"" : ",", out);
    for (; *name; name++)
        fprintf(out, *name == '"' ? "\"\"" : "%c", *name);
    fprintf(out, "%s%s%s", column[0] ? "." : "", column, quoted ? "\"" : "");
}

static bool is_of(const char *label, size_t length, const char *name)
{
    return strncmp(name, label, length) == 0 && name[length] == '\0';
}

// Is a column called so that stands left of those of the sensors, or would among the joints?
static bool is_taken(const PerpModel *model, const char *label)
{
    const char *dot = strrchr(label, '.'), *column = dot ? dot + 1 : "";
    size_t length = dot ? (size_t)(dot - label) : 0;
    bool of_joint = strcmp(column, "q") == 0 || strcmp(column, "q2") == 0, of_body = false;
    for (int k = 0; k < BODY_COLUMNS; k++)
        of_body = of_body || strcmp(column, body_columns[k]) == 0;
    for (int body = 0; of_body && body < perp_model_body_count(model); body++)
        if (is_of(label, length, perp_model_body_name(model, body)))
            return true;
    for (int joint = 0; of_joint && joint < perp_model_joint_count(model); joint++)
        if (is_of(label, length, perp_model_joint_name(model, joint)))
            return true;
    for (int k = 0; k < STEP_COLUMNS; k++)
        if (strcmp(label, step_columns[k]) == 0)
            return true;
    return false;
}

static void print_sensor(FILE *out, const PerpModel *model, const char *label)
{
    char longer[PERP_NAME_SIZE + 16];
    snprintf(longer, sizeof longer, "sensor.%s", label);
    print_heading(out, is_taken(model, label) ? longer : label, "");
}

static void print_header(FILE *out, const PerpModel *model)
{
    for (int k = 0; k < STEP_COLUMNS; k++)
        fprintf(out, "%s%s", k > 0 ? "," : "", step_columns[k]);
    for (int body = 0; body < perp_model_body_count(model); body++)
        for (int k = 0; k < BODY_COLUMNS; k++)
            print_heading(out, perp_model_body_name(model, body), body_columns[k]);
    for (int k = 0; k < perp_model_sensor_numbers(model); k++)
        print_sensor(out, model, perp_model_sensor_label(model, k));
    fputc('\n', out);
}

static bool complain(RunCsv *csv)
{
    fprintf(stderr, "perp: %s: cannot be written: %s\n", csv->path, strerror(errno));
    csv->failed = true;
    return false;
}

bool run_csv_open(RunCsv *csv, const Run *run)
{
    *csv = (RunCsv){.path = run->options->csv, .flushed = cli_seconds()};
    if (!csv->path)
        return true;
    if (!cli_may_overwrite(csv->path, "t,kinetic,gravity,", "a time series"))
        return false;
    csv->file = fopen(csv->path, "w");
    if (!csv->file)
        return complain(csv);
    setvbuf(csv->file, NULL, _IOFBF, BUFFER_SIZE);
    print_header(csv->file, run->opened.model);
    return true;
}

static void print_numbers(FILE *out, const double *numbers, int count)
{
    for (int k = 0; k < count; k++)
        fprintf(out, ",%.15g", numbers[k]);
}

static void print_step(FILE *out, const PerpStepReport *report)
{
    const PerpEnergy *energy = &report->energy;
    const double numbers[] = {energy->kinetic,     energy->gravity,
                              energy->spring,      energy->work,
                              energy->friction,    energy->impact,
                              energy->damper,      energy->scheme,
                              energy->balance,     report->certificate.worst,
                              report->penetration, report->joint_gap};
    fprintf(out, "%.15g", report->t);
    print_numbers(out, numbers, sizeof numbers / sizeof *numbers);
    fprintf(out, ",%d", report->contacts);
}

static void print_body(FILE *out, const PerpSimulation *simulation, int body)
{
    double position[3], rotation[4], velocity[3], spin[3];
    perp_simulation_pose(simulation, body, position, rotation);
    perp_simulation_velocity(simulation, body, velocity, spin);
    print_numbers(out, position, 3);
    print_numbers(out, rotation, 4);
    print_numbers(out, velocity, 3);
    print_numbers(out, spin, 3);
}

// A killed run loses little.
static void flush_in_time(RunCsv *csv)
{
    double now = cli_seconds();
    if (now - csv->flushed < PAUSE)
        return;
    csv->flushed = now;
    if (fflush(csv->file) != 0)
        complain(csv);
}

void run_csv_row(RunCsv *csv, const Run *run)
{
    if (!csv->file || csv->failed)
        return;
    if (run->tally.steps % run->options->every == 0) {
        print_step(csv->file, perp_simulation_report(run->simulation));
        for (int body = 0; body < perp_model_body_count(run->opened.model); body++)
            print_body(csv->file, run->simulation, body);
        int count;
        const double *sensors = perp_simulation_sensors(run->simulation, &count);
        print_numbers(csv->file, sensors, count);
        fputc('\n', csv->file);
    }
    flush_in_time(csv);
}

bool run_csv_close(RunCsv *csv)
{
    if (!csv->file)
        return true;
    bool written = !ferror(csv->file);
    if (fclose(csv->file) != 0 || !written)
        return csv->failed ? false : complain(csv);
    return true;
}
