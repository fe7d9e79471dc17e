// Results of scenes as JSON, and the plot of cost against contacts.
#include "scenes/scenes_report.h"

#include "common/machine.h"
#include "perp/figure.h"
#include "perp/problem.h"
#include "perp/version.h"

#include <math.h>
#include <string.h>

enum { MOST_SCENES = 64 };

// --- JSON ---------------------------------------------------------------------------------------

static void write_text(FILE *out, const char *name, const char *text)
{
    fprintf(out, "\"%s\": \"", name);
    for (; *text; text++)
        if (*text == '"' || *text == '\\')
            fprintf(out, "\\%c", *text);
        else
            fputc((unsigned char)*text < ' ' ? ' ' : *text, out);
    fputs("\", ", out);
}

// NaN and infinity, which JSON does not know, become null
static void write_number(FILE *out, const char *name, double number)
{
    fprintf(out, isfinite(number) ? "\"%s\": %.9g, " : "\"%s\": null, ", name, number);
}

// {"solved": 3, "missed": 1}, without zeros
static void write_counts(FILE *out, const char *name, const long *counts, int count,
                         const char *(*word)(int))
{
    const char *comma = "";
    fprintf(out, "\"%s\": {", name);
    for (int k = 0; k < count; k++)
        if (counts[k]) {
            fprintf(out, "%s\"%s\": %ld", comma, word(k), counts[k]);
            comma = ", ";
        }
    fputs("}, ", out);
}

static const char *method_word(int rung)
{
    return perp_method_name((PerpMethod)rung);
}

static const char *outcome_word(int outcome)
{
    return perp_outcome_name((PerpOutcome)outcome);
}

static void write_proof(FILE *out, const BenchProof *proof)
{
    write_number(out, "certified", proof->certified);
    write_number(out, "held", proof->held);
    write_number(out, "gap_error_m", proof->gap_error);
    write_number(out, "certificate_worst", proof->worst);
    write_number(out, "perp_penetration_m", proof->penetration);
    write_number(out, "perp_joint_gap_m", proof->gap);
    write_number(out, "problems", (double)proof->problems);
    write_number(out, "iterations", (double)proof->iterations);
    write_number(out, "pivots", (double)proof->pivots);
    write_counts(out, "methods", proof->method, BENCH_METHODS, method_word);
    write_counts(out, "steps_by_outcome", proof->outcome, BENCH_OUTCOMES, outcome_word);
}

static void write_verdict(FILE *out, const BenchVerdict *v)
{
    write_number(out, "overlapping", v->touching);
    write_number(out, "overlap_max_m", v->penetration_max);
    write_number(out, "overlap_mean_m", v->penetration_mean);
    write_number(out, "drift_max_m", v->drift_max);
    write_number(out, "kinetic_J", v->kinetic);
    write_number(out, "energy_J", v->energy);
}

static void write_score(FILE *out, const BenchScore *score)
{
    static const char *const endings[] = {"refused", "whole", "budget", "killed", "failed"};
    const BenchRun *run = &score->run;
    fputs("      {", out);
    write_text(out, "engine", score->engine->name);
    write_text(out, "ending", endings[run->ending]);
    write_text(out, "message", run->message);
    write_number(out, "runs", score->runs);
    write_number(out, "steps", run->steps);
    write_number(out, "ms_a_step", 1e3 * score->whole);
    write_number(out, "ms_a_step_late", 1e3 * score->late);
    write_number(out, "ms_longest_step", 1e3 * score->longest);
    write_number(out, "contacts", run->contacts);
    write_number(out, "joint_gap_max_m", run->gap_max);
    if (run->judged)
        write_verdict(out, &run->verdict);
    if (run->judged && score->engine->prove)
        write_proof(out, &run->proof);
    fprintf(out, "\"heap_bytes\": %.0f}", run->bytes);
}

void bench_scenes_json(FILE *out, const BenchResult *results, int count, double seconds)
{
    char cpu[BENCH_TEXT], date[BENCH_TEXT];
    bench_read_cpu(cpu);
    bench_read_date(date);
    fputs("{\"benchmark\": \"scenes\", ", out);
    write_text(out, "date", date);
    write_text(out, "commit", perp_build_commit());
    write_text(out, "compiler", perp_build_flags());
    write_text(out, "cpu", cpu);
    write_number(out, "budget_s", seconds);
    fputs("\n \"scenes\": [", out);
    for (int k = 0; k < count; k++) {
        const BenchResult *r = &results[k];
        fputs(k ? ",\n   {" : "\n   {", out);
        write_text(out, "scene", r->name);
        write_text(out, "text", r->text);
        write_number(out, "dt", r->dt);
        write_number(out, "bodies", r->n_bodies);
        write_number(out, "steps", r->steps);
        fputs("\"engines\": [\n", out);
        for (int e = 0; e < r->n_scores; e++) {
            write_score(out, &r->scores[e]);
            fputs(e + 1 < r->n_scores ? ",\n" : "", out);
        }
        fputs("]}", out);
    }
    fputs("]}\n", out);
}

// --- the plot -----------------------------------------------------------------------------------

typedef struct Curves {
    PerpSeries series[BENCH_ENGINES];
    double x[BENCH_ENGINES][MOST_SCENES], y[BENCH_ENGINES][MOST_SCENES];
    int count;
} Curves;

static int find_curve(Curves *curves, const char *name)
{
    for (int k = 0; k < curves->count; k++)
        if (strcmp(curves->series[k].name, name) == 0)
            return k;
    int k = curves->count++;
    curves->series[k] = perp_default_series();
    curves->series[k].name = name;
    curves->series[k].mark = PERP_MARK_BOTH;
    curves->series[k].x = curves->x[k];
    curves->series[k].y = curves->y[k];
    return k;
}

static void add_points(Curves *curves, const BenchResult *result)
{
    for (int e = 0; e < result->n_scores; e++) {
        const BenchScore *score = &result->scores[e];
        if (!(score->late > 0) || score->run.contacts == 0)
            continue;
        int k = find_curve(curves, score->engine->name), n = curves->series[k].count++;
        curves->x[k][n] = score->run.contacts;
        curves->y[k][n] = 1e6 * score->late / score->run.contacts;
    }
}

bool bench_scaling_svg(FILE *out, const BenchResult *results, int count)
{
    static Curves curves;
    PerpFigure figure = perp_default_figure();
    char *text = NULL;
    for (int k = 0; k < count; k++)
        if (results[k].pile)
            add_points(&curves, &results[k]);
    if (curves.count == 0)
        return false;
    figure.title = "Settled piles of spheres";
    figure.x_label = "contacts";
    figure.y_label = "CPU time per contact and step (µs)";
    figure.log_x = figure.log_y = true;
    figure.n_series = curves.count;
    figure.series = curves.series;
    if (perp_figure_svg(NULL, &figure, &text, NULL))
        return false;
    fputs(text, out);
    perp_figure_free(NULL, text);
    return true;
}
