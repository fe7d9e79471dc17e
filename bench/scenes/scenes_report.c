// The table of one scene: engines, their speed and their errors.
#include "scenes/scenes_report.h"
#include "common/machine.h"
#include "common/table.h"
#include "perp/problem.h"
#include "perp/version.h"

#include <math.h>

void bench_report_heading(const BenchStyle *style, double seconds)
{
    char cpu[BENCH_TEXT], date[BENCH_TEXT];
    bench_read_cpu(cpu);
    bench_read_date(date);
    fprintf(
        style->out,
        "perp %s, %s, %s, %s. CPU time of one thread, the least of up to three runs, engines in "
        "turns, %g s for each engine and scene.\n",
        perp_build_commit(), perp_build_flags(), cpu, date, seconds);
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

static void add_accuracy(BenchTableRow *row, const BenchResult *result, const BenchScore *score)
{
    const BenchRun *run = &score->run;
    const BenchVerdict *v = &run->verdict;
    bool known = run->judged;
    if (result->touching) {
        double own = bench_is_perp(score) ? run->proof.penetration : NAN;
        double most = isfinite(v->penetration_max) ? v->penetration_max : own;
        bench_add_number(row, known ? 1e3 * most : NAN);
        bench_add_number(row, known ? 1e3 * v->penetration_mean : NAN);
    }
    if (result->stands)
        bench_add_number(row, known ? 1e3 * v->drift_max : NAN);
    if (result->has_joints)
        bench_add_number(row, run->steps > 0 ? 1e3 * run->gap_max : NAN);
    bench_add_number(row, known ? v->kinetic : NAN);
    if (!result->touching)
        bench_add_number(row, known ? v->energy : NAN);
}

static void add_proof(BenchTableRow *row, const BenchScore *score)
{
    const BenchProof *proof = &score->run.proof;
    if (bench_is_perp(score) && score->run.judged) {
        bench_add(row, "%d/%d", proof->certified, proof->steps);
        bench_add(row, "%d", proof->held);
        bench_add(row, "%.2g", 1e6 * proof->gap_error);
        bench_add(row, "%.1e", proof->worst);
    } else {
        bench_add(row, "-");
        bench_add(row, "-");
        bench_add(row, "-");
        bench_add(row, "-");
    }
}

static void print_score(const BenchStyle *style, const BenchResult *result, const BenchScore *score)
{
    const BenchRun *run = &score->run;
    BenchTableRow row = {.count = 0};
    bench_add(&row, "%s", score->engine->name);
    bench_add_number(&row, 1e3 * score->whole);
    bench_add_number(&row, 1e3 * score->late);
    bench_add_number(&row, score->late / bench_fastest_late(result));
    bench_add(&row, "%d", run->steps);
    if (result->touching)
        bench_add(&row, "%d", run->contacts);
    add_accuracy(&row, result, score);
    add_proof(&row, score);
    bench_add_number(&row, run->judged ? run->bytes / 1e6 : NAN);
    bench_print_row(style, &row);
}

static void print_titles(const BenchStyle *style, const BenchResult *result)
{
    BenchTableRow row = {.count = 0};
    bench_add(&row, "engine");
    bench_add(&row, "ms/step");
    bench_add(&row, "late");
    bench_add(&row, "times");
    bench_add(&row, "steps");
    if (result->touching) {
        bench_add(&row, "contacts");
        bench_add(&row, "overlap mm");
        bench_add(&row, "mean mm");
    }
    if (result->stands)
        bench_add(&row, "drift mm");
    if (result->has_joints)
        bench_add(&row, "gap mm");
    bench_add(&row, "kinetic J");
    if (!result->touching)
        bench_add(&row, "energy J");
    bench_add(&row, "certified");
    bench_add(&row, "held");
    bench_add(&row, "gap um");
    bench_add(&row, "worst");
    bench_add(&row, "MB");
    bench_print_head(style, &row);
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
static void print_methods(const BenchStyle *style, const BenchScore *score)
{
    const BenchProof *proof = &score->run.proof;
    if (!bench_is_perp(score) || proof->problems == 0)
        return;
    fprintf(style->out, "%s%s: %.1f problems a step, %.1f iterations and %.1f pivots a problem;",
            style->markdown ? "- " : "  ", score->engine->name,
            (double)proof->problems / proof->steps,
            (double)proof->iterations / (double)proof->problems,
            (double)proof->pivots / (double)proof->problems);
    for (int k = 0; k < BENCH_METHODS; k++)
        if (proof->method[k])
            fprintf(style->out, " %s %.0f %%", perp_method_name((PerpMethod)k),
                    100.0 * (double)proof->method[k] / (double)proof->problems);
    fprintf(style->out, "; longest step %.3g ms\n", 1e3 * score->longest);
}

void bench_report_result(const BenchStyle *style, const BenchResult *result)
{
    bench_print_title(style, result->name);
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
        print_methods(style, &result->scores[k]);
    fflush(style->out);
}
