// After a step that failed: the last good state as a file, and the command that leads there.
#include "common/json.h"
#include "run/run.h"

#include <stdlib.h>
#include <string.h>

// ball.failed.json in the current folder, for scenes/ball.yaml.
static void name_file(const char *scene, char *path, size_t size)
{
    const char *slash = strrchr(scene, '/'), *name = slash ? slash + 1 : scene;
    const char *dot = strrchr(name, '.');
    int length = dot && dot > name ? (int)(dot - name) : (int)strlen(name);
    if (strcmp(name, "-") == 0)
        snprintf(path, size, "stdin.failed.json");
    else
        snprintf(path, size, "%.*s.failed.json", length, name);
}

static void print_state(FILE *out, const Run *run)
{
    fputs("{\"scene\": ", out);
    json_string(out, run->options->source.path);
    fputs(", \"t\": ", out);
    json_number(out, perp_simulation_time(run->simulation));
    fprintf(out, ", \"steps\": %ld, \"error\": ", run->tally.steps);
    json_string(out, run->error.message);
    fputs(",\n \"bodies\": ", out);
    run_print_bodies_json(out, run);
    fputs("}\n", out);
}

static void save_state(Run *run)
{
    name_file(run->options->source.path, run->saved, sizeof run->saved);
    FILE *file = fopen(run->saved, "w");
    if (file) {
        print_state(file, run);
        bool written = !ferror(file);
        if (fclose(file) == 0 && written)
            return;
    }
    perror(run->saved);
    run->saved[0] = '\0';
}

// Quoted for a shell where it needs to be.
static void print_word(FILE *out, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_-+./=:,@%";
    if (*word && word[strspn(word, plain)] == '\0') {
        fputs(word, out);
        return;
    }
    fputc('\'', out);
    for (; *word; word++)
        fprintf(out, *word == '\'' ? "'\\''" : "%c", *word);
    fputc('\'', out);
}

static void print_parameter(FILE *out, const PerpParameter *parameter)
{
    char word[2 * PERP_PATH_SIZE];
    snprintf(word, sizeof word, "%s=%s", parameter->name, parameter->value);
    fputs(" --set ", out);
    print_word(out, word);
}

// With as many digits as it needs to be read back as it is.
static void print_number(FILE *out, const char *option, double number)
{
    char digits[32];
    for (int precision = 6; precision <= 17; precision++) {
        snprintf(digits, sizeof digits, "%.*g", precision, number);
        if (strtod(digits, NULL) == number)
            break;
    }
    fprintf(out, " %s %s", option, digits);
}

static void print_scheme_options(FILE *out, const PerpSimulationSettings *settings)
{
    PerpSimulationSettings usual = perp_default_simulation_settings();
    if (settings->stabilise != usual.stabilise)
        fprintf(out, " --stabilise %s", perp_stabilisation_name(settings->stabilise));
    if (settings->jacobian != usual.jacobian)
        fprintf(out, " --jacobian %s", perp_jacobian_name(settings->jacobian));
    if (settings->impacts != usual.impacts)
        fprintf(out, " --impacts %s", perp_impacts_name(settings->impacts));
    if (settings->overlap != usual.overlap)
        fprintf(out, " --overlap %s", perp_overlap_name(settings->overlap));
    fputs(settings->printed_coriolis ? " --printed-coriolis" : "", out);
    fputs(settings->linear ? " --linear" : "", out);
    fputs(settings->one_phase ? " --one-phase" : "", out);
    if (settings->data != usual.data)
        fprintf(out, " --data %s", perp_data_name(settings->data));
    if (settings->first_step >= 0)
        print_number(out, "--first-step", settings->first_step);
    fputs(settings->printed_collisions ? " --printed-collisions" : "", out);
    fputs(settings->printed_decompression ? " --printed-decompression" : "", out);
}

static void print_methods(FILE *out, unsigned methods)
{
    const char *separator = " --methods ";
    for (int k = 0; methods != PERP_ALL_METHODS && k < PERP_METHOD_COUNT; k++)
        if (methods & PERP_METHOD_BIT(k)) {
            fprintf(out, "%s%s", separator, perp_method_name((PerpMethod)k));
            separator = ",";
        }
}

// Those without --tolerance, which says both.
static bool has_usual_tolerances(const PerpSimulationSettings *settings)
{
    return settings->tolerance == PERP_TOLERANCE && settings->held_tolerance == PERP_HELD_TOLERANCE;
}

// Everything else is spelled out, so that later changes of the scene's run: do not matter.
static void print_command(FILE *out, const Run *run)
{
    const RunOptions *options = run->options;
    const PerpSimulationSettings *settings = &run->settings;
    fputs("reproduce: perp run ", out);
    print_word(out, options->source.path);
    print_number(out, "-t", (double)(run->tally.steps + 1) * settings->step);
    print_number(out, "-h", settings->step);
    if (!has_usual_tolerances(settings))
        print_number(out, "--tolerance", settings->tolerance);
    fprintf(out, " --scheme %s", settings->scheme);
    if (settings->facets > 0)
        fprintf(out, " --facets %d", settings->facets);
    else
        fputs(" --facets circular", out);
    fputs(settings->held_tolerance == 0 ? " --exact" : "", out);
    fputs(settings->strict ? " --strict" : "", out);
    print_methods(out, settings->methods);
    print_scheme_options(out, settings);
    for (int k = 0; k < options->source.n_set; k++)
        print_parameter(out, &options->source.set[k]);
    fputc('\n', out);
}

void run_report_failure(Run *run)
{
    PerpError error = run->error; // of an expression with its place, else with the scene's file
    if (error.line <= 0)
        snprintf(error.file, sizeof error.file, "%s", run->options->source.path);
    snprintf(error.message, sizeof error.message, "the step after t = %.9g s failed: %.*s",
             perp_simulation_time(run->simulation), PERP_MESSAGE_SIZE - 64, run->error.message);
    cli_complain_of_error(&error);
    save_state(run);
    if (run->saved[0])
        fprintf(stderr, "last good state: %s\n", run->saved);
    print_command(stderr, run);
}
