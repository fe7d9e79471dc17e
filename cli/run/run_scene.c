// perp run: creates the simulation, steps it, reports, and chooses the exit code.
#include "run/run.h"

#include "common/interrupt.h"
#include "common/progress.h"
#include "run/csv.h"
#include "run/live.h"
#include "run/recording.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// --- creation -----------------------------------------------------------------------------------

static PerpStatus plan_steps(Run *run, const PerpRunDef *def)
{
    if (run->planned > 0 && !(run->options->duration > 0))
        return PERP_OK; // as the recording says
    double duration = run->options->duration > 0 ? run->options->duration : def->duration;
    double steps = fmax(round(duration / run->settings.step), 1);
    run->planned = steps < 1e15 ? (long)steps : 0;
    if (run->planned > 0)
        return PERP_OK;
    run->error.status = PERP_BAD_VALUE;
    snprintf(run->error.message, sizeof run->error.message, "%g s in steps of %g s are too many",
             duration, run->settings.step);
    return PERP_BAD_VALUE;
}

static bool is_interrupted(void *user)
{
    (void)user;
    return interrupt_requested();
}

static PerpStatus create_simulation(Run *run)
{
    PerpStatus status = plan_steps(run, perp_scene_run(run->opened.scene));
    if (!status)
        status = start_simulation(&run->opened, &run->settings, &run->simulation, &run->error);
    if (!status)
        run->settings = perp_simulation_settings(run->simulation); // with the scheme's own cone
    if (status && !run->error.file[0])
        snprintf(run->error.file, sizeof run->error.file, "%s",
                 perp_scene_file(run->opened.scene, 0));
    return status;
}

static PerpStatus open_run(Run *run)
{
    PerpStatus status = run_resumed_path(run)
                            ? run_open_recorded(run)
                            : open_scene(&run->options->source, &run->opened, &run->error);
    if (status)
        return status;
    if (!run_resumed_path(run))
        run->settings = run_choose_settings(run->options, perp_scene_run(run->opened.scene));
    int expectations = perp_scene_expectations(run->opened.scene);
    run->outcomes = calloc((size_t)expectations + 1, sizeof *run->outcomes);
    if (!run->outcomes) {
        run->error.status = PERP_NO_MEMORY;
        return PERP_NO_MEMORY;
    }
    interrupt_catch();
    run->settings.interrupt = is_interrupted;
    PerpStatus chosen = run_resumed_path(run) ? PERP_OK : run_choose_step(run);
    return chosen ? chosen : create_simulation(run);
}

static void close_run(Run *run)
{
    perp_simulation_destroy(run->simulation);
    close_scene(&run->opened);
    free(run->outcomes);
}

// --- stepping -----------------------------------------------------------------------------------

static void add_to_tally(RunTally *tally, const PerpStepReport *report)
{
    bool held = report->outcome == PERP_OUTCOME_HELD;
    tally->missed_steps += report->outcome != PERP_OUTCOME_SOLVED && !held;
    tally->held_steps += held;
    tally->problems += report->problems;
    tally->impacts += report->impacts;
    tally->divided_steps += report->substeps > 1;
    tally->most_substeps =
        report->substeps > tally->most_substeps ? report->substeps : tally->most_substeps;
    tally->pivots += report->pivots;
    tally->contacts = report->contacts > tally->contacts ? report->contacts : tally->contacts;
    tally->penetration = fmax(tally->penetration, report->penetration);
    tally->joint_gap = fmax(tally->joint_gap, report->joint_gap);
    tally->balance = fmax(tally->balance, report->energy.balance);
    tally->velocity_bound = fmax(tally->velocity_bound, report->gap.velocity);
    tally->gap_error = fmax(tally->gap_error, report->gap_error);
    tally->held_residual = fmax(tally->held_residual, report->held.residual);
    tally->held_exact = fmax(tally->held_exact, report->held_exact);
    tally->held_contacts =
        report->held.contacts > tally->held_contacts ? report->held.contacts : tally->held_contacts;
    if (tally->steps == 0 || report->certificate.worst > tally->certificate.worst) {
        tally->certificate = report->certificate;
        tally->certificate_time = report->t;
        memcpy(tally->worst, report->worst, sizeof tally->worst);
    }
    tally->steps++;
}

static void add_bounds(RunTally *tally, const PerpStepReport *report)
{
    for (int k = 0; k < PERP_BOUND_COUNT; k++) {
        const PerpBound *made = &report->bound[k];
        PerpBound *least = &tally->bound[k];
        if (!made->applies || (least->applies && least->margin <= made->margin))
            continue;
        *least = *made;
        tally->bound_time[k] = report->t;
    }
    if (report->warnings > 0 && tally->warned_steps++ == 0)
        memcpy(tally->warning, report->warning, sizeof tally->warning);
}

bool run_names_bound(const Run *run, PerpBoundKind kind)
{
    static const char *const papers[][2] = {{"anitescu-potra", "AP97"},
                                            {"trapezoidal", "PAGT06"},
                                            {"stewart-trinkle", "ST97"},
                                            {"lotstedt", "L82"},
                                            {"paoli-schatzman", "PS02"}};
    for (size_t k = 0; k < sizeof papers / sizeof *papers; k++)
        if (strcmp(run->settings.scheme, papers[k][0]) == 0 &&
            strncmp(perp_bound_name(kind), papers[k][1], strlen(papers[k][1])) == 0)
            return true;
    return run->tally.bound[kind].applies;
}

bool run_violates(const Run *run, PerpBoundKind kind)
{
    const PerpBound *bound = &run->tally.bound[kind];
    return bound->applies && !(bound->margin >= -cli_margin_slack(run->settings.tolerance));
}

static PerpStatus take_step(Run *run)
{
    double start = cli_seconds();
    PerpStatus status = perp_simulation_step(run->simulation, 0, &run->error);
    run->step_seconds = cli_seconds() - start;
    return status;
}

static void write_step(Run *run, RunCsv *csv, RunRecording *recording)
{
    run_check_expectations(run);
    run_csv_row(csv, run);
    if (!run_recording_step(recording, run))
        run->end = RUN_UNRECORDED;
}

static void simulate(Run *run, RunCsv *csv, RunRecording *recording)
{
    Progress progress = progress_begin(run->options->quiet);
    if (!run->is_begun) {
        run_warn_at_start(run);
        write_step(run, csv, recording);
    }
    run_live_show(run->live);
    while (run->end == RUN_FINISHED && run->tally.steps < run->planned) {
        PerpStatus status = take_step(run);
        if (status) {
            run->end = status == PERP_INTERRUPTED ? RUN_INTERRUPTED : RUN_FAILED;
        } else {
            add_to_tally(&run->tally, perp_simulation_report(run->simulation));
            add_bounds(&run->tally, perp_simulation_report(run->simulation));
            run_warn_after_step(run);
            write_step(run, csv, recording);
        }
        if (interrupt_requested() && run->tally.steps < run->planned && run->end == RUN_FINISHED)
            run->end = RUN_INTERRUPTED;
        progress_show(&progress, run->tally.steps, run->planned,
                      perp_simulation_time(run->simulation));
    }
    run->seconds = cli_seconds() - progress.start;
    progress_end(&progress);
}

// --- reports ------------------------------------------------------------------------------------

// What keeps the run from being certified. Missed steps have a warning of their own.
static void print_verdict(const Run *run)
{
    char text[2 * PERP_NAME_SIZE];
    PerpVerdict verdict = perp_simulation_verdict(run->simulation);
    for (int k = PERP_CHECK_GAIN; k < PERP_CHECK_COUNT; k++)
        if (!verdict.check[k].holds)
            fprintf(stderr, "perp: %s: not certified: %s\n", run->options->source.path,
                    perp_verdict_text(&verdict, (PerpCheck)k, text, sizeof text));
}

static void print_warnings(const Run *run)
{
    const char *path = run->options->source.path;
    if (run->end == RUN_INTERRUPTED)
        fprintf(stderr, "perp: %s: interrupted after %ld of %ld steps\n", path, run->tally.steps,
                run->planned);
    if (run->tally.missed_steps > 0)
        fprintf(stderr,
                "perp: %s: warning: %ld of %ld steps missed the tolerance %g, the worst by a "
                "certificate of %.1e; --strict stops at the first\n",
                path, run->tally.missed_steps, run->tally.steps, run->settings.tolerance,
                run->tally.certificate.worst);
    for (int k = 0; k < PERP_BOUND_COUNT; k++)
        if (run_violates(run, (PerpBoundKind)k))
            fprintf(stderr,
                    "perp: %s: warning: the a-priori bound %s (%s) is violated by %.2g relative at "
                    "t = %.6g s\n",
                    path, perp_bound_name((PerpBoundKind)k), perp_bound_text((PerpBoundKind)k),
                    -run->tally.bound[k].margin, run->tally.bound_time[k]);
    if (run->tally.warned_steps > 0)
        fprintf(stderr, "perp: %s: warning in %ld of %ld steps; the first: %s\n", path,
                run->tally.warned_steps, run->tally.steps, run->tally.warning);
    print_verdict(run);
    int missed = run_missed_expectations(run);
    if (missed > 0)
        fprintf(stderr, "perp: %s: %d of %d expectations not met\n", path, missed,
                perp_scene_expectations(run->opened.scene));
}

static void print_summary(const Run *run)
{
    if (run->options->json)
        run_print_json(stdout, run);
    else if (!run->options->quiet)
        run_print_text(stdout, run);
}

static CliExit choose_code(const Run *run)
{
    switch (run->end) {
    case RUN_FAILED:
        return run->options->strict && run->error.status == PERP_NOT_SOLVED ? CLI_INACCURATE
                                                                            : CLI_FAILED;
    case RUN_INTERRUPTED:
        return CLI_INTERRUPTED;
    case RUN_UNRECORDED:
        return CLI_BAD_INPUT;
    default:
        if (run_missed_expectations(run) > 0)
            return CLI_MISMATCH;
        return run->options->strict && !perp_simulation_verdict(run->simulation).certified
                   ? CLI_INACCURATE
                   : CLI_OK;
    }
}

static CliExit run_opened(Run *run)
{
    RunCsv csv;
    RunRecording recording;
    interrupt_catch();
    if (!run_csv_open(&csv, run))
        return CLI_BAD_INPUT;
    if (!run_recording_open(&recording, run)) {
        run_csv_close(&csv);
        return CLI_BAD_INPUT;
    }
    simulate(run, &csv, &recording);
    bool written = run_csv_close(&csv);
    written = run_recording_close(&recording, run) && written;
    if (run->end == RUN_FAILED)
        run_report_failure(run);
    print_summary(run);
    print_warnings(run);
    CliExit code = choose_code(run);
    return code == CLI_OK && !written ? CLI_BAD_INPUT : code;
}

// Before the first step: the scene is wrong, or --accuracy was not reached, or given up.
static CliExit complain(const Run *run)
{
    CliExit code = cli_complain_of_error(&run->error);
    return run->error.status == PERP_INTERRUPTED  ? CLI_INTERRUPTED
           : run->error.status == PERP_NOT_SOLVED ? CLI_INACCURATE
                                                  : code;
}

CliExit run_scene(const RunOptions *options)
{
    RunLive live;
    RunOptions used = *options;
    Run run = {.options = &used, .live = &live};
    if (!run_live_begin(&live, &used))
        return CLI_FAILED;
    CliExit code = open_run(&run) ? complain(&run) : run_opened(&run);
    close_run(&run);
    run_live_end(&live, code != CLI_INTERRUPTED);
    return code;
}
