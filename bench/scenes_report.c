#include "scenes_report.h"

#include "machine.h"
#include "perp/problem.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

enum { CELL = 48, COLUMNS = 14 };

// --- tables -------------------------------------------------------------------------------------

typedef struct Row {
    char cell[COLUMNS][CELL];
    int count;
} Row;

static void add(Row *row, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    vsnprintf(row->cell[row->count++], CELL, format, values);
    va_end(values);
}

// - for what was not measured
static void add_number(Row *row, double number)
{
    add(row, isfinite(number) ? "%.3g" : "-", number);
}

static void print_row(const BenchStyle *style, const Row *row)
{
    for (int k = 0; k < row->count; k++)
        if (style->markdown)
            fprintf(style->out, "| %s ", row->cell[k]);
        else
            fprintf(style->out, k ? "  %11s" : "  %-13s", row->cell[k]);
    fputs(style->markdown ? "|\n" : "\n", style->out);
}

static void print_head(const BenchStyle *style, const Row *row)
{
    print_row(style, row);
    for (int k = 0; style->markdown && k < row->count; k++)
        fputs(k ? "|---:" : "|---", style->out);
    fputs(style->markdown ? "|\n" : "", style->out);
}

void bench_report_heading(const BenchStyle *style)
{
    char cpu[BENCH_TEXT], date[BENCH_TEXT];
    bench_read_cpu(cpu);
    bench_read_date(date);
    fprintf(
        style->out,
        "perp %s, %s, %s, %s. CPU time of one thread, the least of up to three runs, engines in "
        "turns, %g s for each engine and scene.\n",
        bench_commit(), bench_build(), cpu, date, style->seconds);
    fflush(style->out);
}

// --- one scene ----------------------------------------------------------------------------------

static const char *ending_text(const BenchRun *run)
{
    switch (run->ending) {
    case BENCH_WHOLE:
        return "";
    case BENCH_BUDGET:
        return "budget spent";
    case BENCH_KILLED:
        return "killed: the next step took longer than twice the budget";
    default:
        return run->message;
    }
}

static bool is_perp(const BenchScore *score)
{
    return score->engine->prove;
}

static double fastest_peer(const BenchResult *result)
{
    double least = INFINITY;
    for (int k = 0; k < result->n_scores; k++)
        if (!is_perp(&result->scores[k]) && result->scores[k].run.ending == BENCH_WHOLE)
            least = fmin(least, result->scores[k].late);
    return least;
}

static void add_accuracy(Row *row, const BenchResult *result, const BenchScore *score)
{
    const BenchRun *run = &score->run;
    const BenchVerdict *v = &run->verdict;
    bool known = run->judged;
    if (result->touching) {
        double own = is_perp(score) ? run->proof.penetration : NAN;
        double most = isfinite(v->penetration_max) ? v->penetration_max : own;
        add_number(row, known ? 1e3 * most : NAN);
        add_number(row, known ? 1e3 * v->penetration_mean : NAN);
    }
    if (result->stands)
        add_number(row, known ? 1e3 * v->drift_max : NAN);
    if (result->has_joints)
        add_number(row, run->steps > 0 ? 1e3 * run->gap_max : NAN);
    add_number(row, known ? v->kinetic : NAN);
}

static void add_proof(Row *row, const BenchScore *score)
{
    const BenchProof *proof = &score->run.proof;
    if (is_perp(score) && score->run.judged) {
        add(row, "%d/%d", proof->certified, proof->steps);
        add(row, "%.1e", proof->worst);
    } else {
        add(row, "-");
        add(row, "-");
    }
}

static void print_score(const BenchStyle *style, const BenchResult *result, const BenchScore *score)
{
    const BenchRun *run = &score->run;
    Row row = {.count = 0};
    add(&row, "%s", score->engine->name);
    add_number(&row, 1e3 * score->whole);
    add_number(&row, 1e3 * score->late);
    add_number(&row, score->late / fastest_peer(result));
    add(&row, "%d", run->steps);
    if (result->touching)
        add(&row, "%d", run->contacts);
    add_accuracy(&row, result, score);
    add_proof(&row, score);
    add_number(&row, run->judged ? run->bytes / 1e6 : NAN);
    print_row(style, &row);
}

static void print_titles(const BenchStyle *style, const BenchResult *result)
{
    Row row = {.count = 0};
    add(&row, "engine");
    add(&row, "ms/step");
    add(&row, "late");
    add(&row, "times");
    add(&row, "steps");
    if (result->touching) {
        add(&row, "contacts");
        add(&row, "overlap mm");
        add(&row, "mean mm");
    }
    if (result->stands)
        add(&row, "drift mm");
    if (result->has_joints)
        add(&row, "gap mm");
    add(&row, "kinetic J");
    add(&row, "certified");
    add(&row, "worst");
    add(&row, "MB");
    print_head(style, &row);
}

// which engines did not do all steps, and why
static void print_endings(const BenchStyle *style, const BenchResult *result)
{
    for (int k = 0; k < result->n_scores; k++) {
        const BenchScore *score = &result->scores[k];
        if (score->run.ending != BENCH_WHOLE)
            fprintf(style->out, "%s%s stopped after %d of %d steps: %s\n",
                    style->markdown ? "- " : "  ", score->engine->name, score->run.steps,
                    result->steps, ending_text(&score->run));
    }
}

// how perp found its answers
static void print_rungs(const BenchStyle *style, const BenchScore *score)
{
    const BenchProof *proof = &score->run.proof;
    if (!is_perp(score) || proof->problems == 0)
        return;
    fprintf(style->out, "%s%s: %.1f problems a step, %.1f iterations and %.1f pivots a problem;",
            style->markdown ? "- " : "  ", score->engine->name,
            (double)proof->problems / proof->steps, (double)proof->iterations / proof->problems,
            (double)proof->pivots / proof->problems);
    for (int k = 0; k < BENCH_RUNGS; k++)
        if (proof->rung[k])
            fprintf(style->out, " %s %.0f %%", perp_rung_name((PerpRung)k),
                    100.0 * proof->rung[k] / proof->problems);
    fprintf(style->out, "; longest step %.3g ms\n", 1e3 * score->longest);
}

void bench_report_result(const BenchStyle *style, const BenchResult *result)
{
    fprintf(style->out, style->markdown ? "\n### %s\n\n" : "\n%s\n", result->name);
    fprintf(style->out, "%s%s (%d bodies, dt %.3g ms, %d steps)\n%s", style->markdown ? "" : "  ",
            result->text, result->n_bodies, 1e3 * result->dt, result->steps,
            style->markdown ? "\n" : "");
    print_titles(style, result);
    for (int k = 0; k < result->n_scores; k++)
        print_score(style, result, &result->scores[k]);
    if (style->markdown)
        fputc('\n', style->out);
    print_endings(style, result);
    for (int k = 0; k < result->n_scores; k++)
        print_rungs(style, &result->scores[k]);
    fflush(style->out);
}

// --- cost against contacts ----------------------------------------------------------------------

static int count_piles(const BenchResult *results, int count)
{
    int piles = 0;
    for (int k = 0; k < count; k++)
        piles += results[k].pile;
    return piles;
}

static void print_scaling(const BenchStyle *style, const BenchResult *results, int count,
                          double (*value)(const BenchScore *score))
{
    Row head = {.count = 0};
    const BenchResult *first = NULL;
    for (int k = 0; k < count && !first; k++)
        first = results[k].pile ? &results[k] : NULL;
    add(&head, "pile");
    for (int k = 0; k < first->n_scores; k++)
        add(&head, "%s", first->scores[k].engine->name);
    print_head(style, &head);
    for (int k = 0; k < count; k++) {
        Row row = {.count = 0};
        if (!results[k].pile)
            continue;
        add(&row, "%s", results[k].name);
        for (int e = 0; e < results[k].n_scores; e++)
            add_number(&row, value(&results[k].scores[e]));
        print_row(style, &row);
    }
}

static double microseconds_a_contact(const BenchScore *score)
{
    return score->run.contacts ? 1e6 * score->late / score->run.contacts : NAN;
}

static double kilobytes_a_contact(const BenchScore *score)
{
    return score->run.judged && score->run.contacts ? score->run.bytes / 1e3 / score->run.contacts
                                                    : NAN;
}

void bench_report_scaling(const BenchStyle *style, const BenchResult *results, int count)
{
    const char *head = style->markdown ? "\n### %s\n\n" : "\n%s\n";
    if (count_piles(results, count) < 2)
        return;
    fprintf(style->out, head, "cost: microseconds a contact and step, second half");
    print_scaling(style, results, count, microseconds_a_contact);
    fprintf(style->out, head, "memory: kB a contact, heap at the end of the run");
    print_scaling(style, results, count, kilobytes_a_contact);
    fflush(style->out);
}
