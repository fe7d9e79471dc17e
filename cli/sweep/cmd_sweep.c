// perp sweep: many runs of a scene whose parameters vary.
#define _POSIX_C_SOURCE 200809L

#include "sweep/sweep.h"

#include "perp/words.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char USAGE[] =
    "perp sweep STUDY --plan [-j N] [--all]\n"
    "       perp sweep STUDY -o DIR [-j N] [--chunk N] [--quiet]\n"
    "       perp sweep STUDY -o DIR --slurm [--tasks N] [--detach] [-- SBATCH OPTIONS]\n"
    "       perp sweep status|retry|collect|verify DIR";

typedef struct Arguments {
    bool help, plan, prepare, all, quiet, slurm, detach, failed, results, force;
    const char *output, *jobs, *chunk, *tasks, *sample, *outcome, *task;
    int n_jobs, n_chunk, n_tasks, n_sample;
    const char *others[2];
    int n_others;
    char **sbatch;
    int n_sbatch;
} Arguments;

static CliExit print_help(void)
{
    printf(
        "Examples:\n"
        "  perp sweep study.yaml --plan              the cases, and how long they will take\n"
        "  perp sweep study.yaml -o DIR -j 8         run them in 8 processes\n"
        "  perp sweep status DIR --failed            what failed, why, and how to see it again\n"
        "  perp sweep retry DIR                      go on; lost and crashed cases again\n"
        "  perp sweep collect DIR -o table.parquet   one row a case\n"
        "  perp sweep verify DIR --sample 20         some cases again: the same bits?\n"
        "  perp plot DIR x=mu y=distance             a figure\n"
        "  perp sweep study.yaml -o DIR --slurm -- --partition=long --time=60\n"
        "\n"
        "usage: %s\n"
        "\n"
        "docs/sweep.md describes studies. Whatever ends it, the same command goes on.\n"
        "\n"
        "  --plan           print the cases and an estimate, run nothing; --all: every case, CSV\n"
        "  -o DIR           where rows are kept; collect: the table (DIR/table.csv), which may\n"
        "                   end in .csv, .h5 or .parquet\n"
        "  -j N             processes at the same time (one a core)\n"
        "  --chunk N        cases of a process and of a file, at most 10000 (chosen by their\n"
        "                   number)\n"
        "  --prepare        make DIR, run nothing: other engines run its chunks (perp.sweep)\n"
        "  --slurm          run as job arrays of Slurm; options behind -- go to sbatch\n"
        "  --tasks N        of the array (chosen by an estimate of the time)\n"
        "  --detach         do not wait for them\n"
        "  --failed         status: all cases that failed, with their commands\n"
        "  --outcome LIST   retry: which (time-limit,memory-limit,crashed,lost)\n"
        "  --results        collect: without the columns seconds and host, which differ from\n"
        "                   run to run; all others are the same, bit for bit\n"
        "  --force          collect: -o may replace a file that is not seen to be such a table\n"
        "  --sample N       verify: how many cases, spread over the study (20)\n"
        "  --quiet          no progress\n"
        "\n"
        "Exit: 0 ok, 1 some cases failed or are missing, 2 usage, 3 bad study, or the disk is\n"
        "      full, 5 verify found a difference, 130 interrupted\n",
        USAGE);
    return CLI_OK;
}

static CliExit fail_with_usage(const char *why)
{
    fprintf(stderr, "perp: %s\nusage: %s\n", why, USAGE);
    return CLI_USAGE;
}

static bool read_arguments(int argc, char **argv, Arguments *a)
{
    const CliOption options[] = {
        {"--help", &a->help, NULL},       {"--plan", &a->plan, NULL},
        {"--prepare", &a->prepare, NULL}, {"--all", &a->all, NULL},
        {"--quiet", &a->quiet, NULL},     {"--slurm", &a->slurm, NULL},
        {"--detach", &a->detach, NULL},   {"--failed", &a->failed, NULL},
        {"--results", &a->results, NULL}, {"--force", &a->force, NULL},
        {"-o", NULL, &a->output},         {"-j", NULL, &a->jobs},
        {"--chunk", NULL, &a->chunk},     {"--tasks", NULL, &a->tasks},
        {"--sample", NULL, &a->sample},   {"--outcome", NULL, &a->outcome},
        {"--task", NULL, &a->task},
    };
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    int end = 0;
    while (end < argc && strcmp(argv[end], "--") != 0)
        end++;
    a->sbatch = argv + end + (end < argc);
    a->n_sbatch = argc - end - (end < argc);
    a->n_jobs = cores > 0 ? (int)cores : 1;
    a->n_sample = 20;
    a->n_others =
        cli_parse(end, argv, options, sizeof options / sizeof *options, a->others, 2, USAGE);
    return a->n_others >= 0 && cli_read_count("-j", a->jobs, &a->n_jobs) &&
           cli_read_count("--chunk", a->chunk, &a->n_chunk) &&
           cli_read_count("--tasks", a->tasks, &a->n_tasks) &&
           cli_read_count("--sample", a->sample, &a->n_sample);
}

static CliExit run_here(const Sweep *sweep, const Arguments *a)
{
    DriverOptions options = {.workers = a->n_jobs, .to = sweep->n_chunks, .quiet = a->quiet};
    CliExit code = driver_run(sweep, &options);
    return code ? code : sweep_report(sweep);
}

static CliExit run_there(const Sweep *sweep, const Arguments *a)
{
    SlurmOptions options = {a->sbatch, a->n_sbatch, a->n_tasks, a->detach};
    CliExit code = slurm_run(sweep, &options);
    return code || a->detach ? code : sweep_report(sweep);
}

static CliExit run_study(const Arguments *a)
{
    Sweep sweep;
    if (a->plan)
        return sweep_plan(a->others[0], a->n_jobs, a->all);
    if (!a->output || !a->output[0])
        return fail_with_usage("sweep needs -o DIR, or --plan");
    if (a->n_sbatch > 0 && !a->slurm)
        return fail_with_usage("options behind -- are for --slurm");
    if (a->n_chunk > SWEEP_CHUNK)
        return fail_with_usage("--chunk: at most 10000 cases");
    if (!sweep_begin(&sweep, a->others[0], a->output, a->n_chunk))
        return CLI_BAD_INPUT;
    CliExit code = CLI_OK;
    if (!a->prepare)
        code = a->slurm ? run_there(&sweep, a) : run_here(&sweep, a);
    sweep_close(&sweep);
    return code;
}

// --- of a folder ---------------------------------------------------------------------------------

static CliExit status(const Sweep *sweep, const Arguments *a)
{
    return sweep_status(sweep, a->failed);
}

static CliExit retry(const Sweep *sweep, const Arguments *a)
{
    CliExit code = sweep_retry(sweep, a->outcome);
    if (code)
        return code;
    return a->slurm ? run_there(sweep, a) : run_here(sweep, a);
}

static CliExit collect(const Sweep *sweep, const Arguments *a)
{
    return sweep_collect(sweep, a->output, a->results, a->force);
}

static CliExit verify(const Sweep *sweep, const Arguments *a)
{
    return sweep_verify(sweep, a->n_sample);
}

// Chunks FROM-TO, for a job of Slurm or a worker of another engine.
static CliExit work(const Sweep *sweep, const Arguments *a)
{
    long from, to;
    if (!a->task || sscanf(a->task, "%ld-%ld", &from, &to) != 2 || from < 0 || to < from ||
        to >= sweep->n_chunks)
        return fail_with_usage("work needs --task FROM-TO, chunks of the study");
    DriverOptions options = {.workers = a->n_jobs, .from = from, .to = to + 1, .quiet = true};
    return driver_run(sweep, &options);
}

static const struct {
    const char *word;
    CliExit (*run)(const Sweep *sweep, const Arguments *a);
} verbs[] = {
    {"status", status}, {"retry", retry}, {"collect", collect}, {"verify", verify}, {"work", work}};

CliExit cmd_sweep(int argc, char **argv)
{
    Arguments a = {0};
    if (!read_arguments(argc, argv, &a))
        return CLI_USAGE;
    if (a.help)
        return print_help();
    for (size_t k = 0; a.n_others == 2 && k < sizeof verbs / sizeof *verbs; k++)
        if (strcmp(a.others[0], verbs[k].word) == 0) {
            Sweep sweep;
            if (!sweep_open(&sweep, a.others[1]))
                return CLI_BAD_INPUT;
            CliExit code = verbs[k].run(&sweep, &a);
            sweep_close(&sweep);
            return code;
        }
    if (a.n_others != 1)
        return fail_with_usage(a.n_others ? "expected status, retry, collect or verify"
                                          : "sweep needs a study");
    return run_study(&a);
}
