// A study on a cluster: job arrays of Slurm, whose tasks each run some chunks. What is done is what
// has rows; the queue only tells what is under way.
//
//     DIR/slurm/tasks-K     chunks FROM-TO of each task of submission K, a line each
//     DIR/slurm/job-K.sh    its script
//     DIR/slurm/*.out       what its tasks print
#define _XOPEN_SOURCE 700

#include "sweep/sweep.h"

#include "common/interrupt.h"
#include "sweep/command.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <zlib.h>

enum {
    MOST_TASKS = 1000,
    FEWEST_TASKS = 8, // where there are as many chunks
    TASK_SECONDS = 60,
    MOST_IN_VAIN = 5, // submissions in a row that bring no row
    MOST_OPTIONS = 64,
    STATES = 7
};

// In which tasks may end that have not run to their end.
static const char *const states[STATES] = {"CANCELLED", "TIMEOUT", "NODE_FAIL", "OUT_OF_MEMORY",
                                           "PREEMPTED", "FAILED",  "BOOT_FAIL"};

typedef struct Job {
    char id[32];
    int ended[STATES]; // tasks in each state, as far as was told
} Job;

typedef struct Cluster {
    const Sweep *sweep;
    const SlurmOptions *options;
    char folder[PATH_MAX], program[PATH_MAX];
    char name[32]; // of the jobs of this folder
    Job *jobs;     // submitted by this driver
    int n_jobs;
    char *is_under_way;  // n_chunks: a task of the queue has it
    char *is_complete;   // n_chunks: it was when it was looked for
    int submissions;     // so far, also by earlier drivers
    int limit;           // tasks of an array
    long rows, in_vain;  // rows at the last submission, submissions since one was added
    bool has_rest;       // the last submission left chunks to the next
    double case_seconds; // estimated
} Cluster;

// --- the queue -----------------------------------------------------------------------------------

static void mark_task(Cluster *cluster, int submission, int task)
{
    char path[PATH_MAX + 64];
    long from, to;
    snprintf(path, sizeof path, "%s/slurm/tasks-%d", cluster->folder, submission);
    FILE *file = fopen(path, "r");
    for (int k = 0; file && fscanf(file, "%ld-%ld", &from, &to) == 2; k++)
        for (long chunk = from; k == task && chunk <= to; chunk++)
            if (chunk >= 0 && chunk < cluster->sweep->n_chunks)
                cluster->is_under_way[chunk] = 1;
    if (file)
        fclose(file);
}

// Lines "job_task submission". False if Slurm does not answer: then nothing is known.
static bool read_queue(Cluster *cluster)
{
    char name[64];
    snprintf(name, sizeof name, "--name=%s", cluster->name);
    char *argv[] = {"squeue", "-h", "-r", name, "-o", "%i %k", NULL};
    int code, submission, task;
    char *text = command_output(argv, true, &code);
    memset(cluster->is_under_way, 0, (size_t)cluster->sweep->n_chunks);
    for (char *line = text; code == 0 && line && *line;) {
        char *end = strchr(line, '\n');
        if (sscanf(line, "%*d_%d %d", &task, &submission) == 2)
            mark_task(cluster, submission, task);
        line = end ? end + 1 : NULL;
    }
    free(text);
    return code == 0;
}

// "MaxArraySize            = 1001"
static int find_limit(void)
{
    char *argv[] = {"scontrol", "show", "config", NULL};
    int code, limit = MOST_TASKS;
    char *text = command_output(argv, true, &code);
    const char *line = text ? strstr(text, "MaxArraySize") : NULL;
    if (line && sscanf(line, "MaxArraySize = %d", &limit) == 1)
        limit = limit < MOST_TASKS ? limit : MOST_TASKS;
    free(text);
    return limit > 0 ? limit : 1;
}

static int count_state(const char *text, const char *state)
{
    int count = 0;
    for (const char *found = text; (found = strstr(found, state)); found++)
        count += found == text || found[-1] == '\n' || found[-1] == '=';
    return count;
}

// How tasks of a job ended since the last time, by sacct, or where there is no accounting by
// scontrol.
static void explain(Job *job)
{
    char *sacct[] = {"sacct", "-n", "-X", "-P", "-j", job->id, "-o", "State", NULL};
    char *scontrol[] = {"scontrol", "-o", "show", "job", job->id, NULL};
    int code;
    char *text = command_output(sacct, true, &code);
    if (code != 0 || !text || !*text) {
        free(text);
        text = command_output(scontrol, true, &code);
    }
    for (int k = 0; text && k < STATES; k++) {
        int count = count_state(text, states[k]);
        if (count > job->ended[k])
            fprintf(stderr, "perp: job %s: %d tasks ended as %s\n", job->id, count - job->ended[k],
                    states[k]);
        job->ended[k] = count;
    }
    free(text);
}

// --- submitting ----------------------------------------------------------------------------------

static bool is_due(const Cluster *cluster, long chunk)
{
    return !cluster->is_under_way[chunk] && !cluster->is_complete[chunk];
}

// How many chunks are due; *left: or under way.
static long count_due(Cluster *cluster, long *left)
{
    long due = *left = 0;
    for (long chunk = 0; chunk < cluster->sweep->n_chunks; chunk++) {
        if (!cluster->is_complete[chunk])
            cluster->is_complete[chunk] = rows_are_complete(cluster->sweep, chunk);
        *left += !cluster->is_complete[chunk];
        due += is_due(cluster, chunk);
    }
    return due;
}

// So that a task takes a minute or so, and there are some for every node.
static long choose_tasks(const Cluster *cluster, long due)
{
    double seconds = cluster->case_seconds * (double)(due * cluster->sweep->chunk);
    long tasks = (long)fmin(ceil(seconds / TASK_SECONDS), MOST_TASKS);
    tasks = cluster->options->tasks > 0 ? cluster->options->tasks
            : tasks > FEWEST_TASKS      ? tasks
                                        : FEWEST_TASKS;
    tasks = tasks < cluster->limit ? tasks : cluster->limit;
    return tasks < due ? tasks : due;
}

// Shares out the chunks that are due: `share` of them a task, in runs. Returns the number of lines.
static int write_tasks(Cluster *cluster, long due, long share)
{
    char path[PATH_MAX + 64];
    long from = -1, count = 0, given = 0;
    int lines = 0;
    snprintf(path, sizeof path, "%s/slurm/tasks-%d", cluster->folder, cluster->submissions);
    FILE *file = fopen(path, "w");
    for (long chunk = 0; file && chunk <= cluster->sweep->n_chunks; chunk++) {
        bool takes = chunk < cluster->sweep->n_chunks && is_due(cluster, chunk);
        if (from >= 0 && (!takes || count == share)) {
            fprintf(file, "%ld-%ld\n", from, chunk - 1);
            from = -1;
            given += count;
            if (++lines == cluster->limit)
                break; // the rest with the next submission
        }
        if (takes && from < 0) {
            from = chunk;
            count = 0;
        }
        count += takes;
    }
    cluster->has_rest = given < due;
    bool written = file && fflush(file) == 0 && fsync(fileno(file)) == 0;
    if (file)
        fclose(file);
    return written ? lines : 0;
}

static void put_quoted(FILE *file, const char *word)
{
    fputc('\'', file);
    for (; *word; word++)
        fprintf(file, *word == '\'' ? "'\\''" : "%c", *word);
    fputc('\'', file);
}

static bool write_script(const Cluster *cluster, char path[PATH_MAX + 64])
{
    snprintf(path, PATH_MAX + 64, "%s/slurm/job-%d.sh", cluster->folder, cluster->submissions);
    FILE *file = fopen(path, "w");
    if (!file)
        return false;
    fputs("#!/bin/sh\ntask=$(sed -n \"$((SLURM_ARRAY_TASK_ID + 1))p\" ", file);
    put_quoted(file, cluster->folder);
    fprintf(file, "/slurm/tasks-%d)\nexec ", cluster->submissions);
    put_quoted(file, cluster->program);
    fputs(" sweep work ", file);
    put_quoted(file, cluster->folder);
    fputs(" --task \"$task\" -j \"${SLURM_CPUS_PER_TASK:-1}\"\n", file);
    bool written = !ferror(file);
    return fclose(file) == 0 && written;
}

static void remember(Cluster *cluster, const char *id)
{
    Job *more = realloc(cluster->jobs, (size_t)(cluster->n_jobs + 1) * sizeof *more);
    if (!more)
        return; // its end will not be explained
    cluster->jobs = more;
    Job *job = &more[cluster->n_jobs++];
    *job = (Job){0};
    snprintf(job->id, sizeof job->id, "%.31s", id);
}

static bool submit(Cluster *cluster, long due)
{
    char script[PATH_MAX + 64], array[32], name[64], comment[32], output[PATH_MAX + 64];
    long tasks = choose_tasks(cluster, due);
    cluster->submissions++;
    int lines = write_tasks(cluster, due, (due + tasks - 1) / tasks);
    if (lines == 0 || !write_script(cluster, script)) {
        fprintf(stderr, "perp: %s/slurm: %s\n", cluster->folder, strerror(errno));
        return false;
    }
    snprintf(array, sizeof array, "--array=0-%d", lines - 1);
    snprintf(name, sizeof name, "--job-name=%s", cluster->name);
    snprintf(comment, sizeof comment, "--comment=%d", cluster->submissions);
    snprintf(output, sizeof output, "--output=%s/slurm/%%A_%%a.out", cluster->folder);
    char *argv[MOST_OPTIONS + 10] = {
        "sbatch", "--parsable", "--open-mode=append", "--no-requeue", array, name, comment, output};
    int n = 8;
    for (int k = 0; k < cluster->options->n_sbatch && k < MOST_OPTIONS; k++)
        argv[n++] = cluster->options->sbatch[k];
    argv[n] = script;
    int code;
    char *job = command_output(argv, false, &code);
    if (code == 127)
        fputs("perp: there is no sbatch: --slurm needs a machine of a Slurm cluster\n", stderr);
    else if (code == 0 && job) {
        job[strcspn(job, ";\n")] = '\0';
        remember(cluster, job);
        fprintf(stderr, "perp: job %s: %d tasks for %ld chunks of %ld cases\n", job, lines, due,
                cluster->sweep->chunk);
    }
    free(job);
    return code == 0;
}

// --- waiting -------------------------------------------------------------------------------------

static void pause_for(double seconds)
{
    struct timespec pause = {(time_t)seconds, (long)(1e9 * fmod(seconds, 1))};
    nanosleep(&pause, NULL);
}

// Submissions that bring no row are given up after some; not what an array had no room for while
// its tasks are under way.
static bool is_in_vain(Cluster *cluster, bool any_under_way)
{
    Tally tally;
    if (!tally_rows(cluster->sweep, &tally))
        return true;
    bool counts = !(cluster->has_rest && any_under_way);
    cluster->in_vain = tally.rows > cluster->rows ? 0 : cluster->in_vain + counts;
    cluster->rows = tally.rows;
    return cluster->in_vain > MOST_IN_VAIN;
}

static CliExit give_up(const Cluster *cluster)
{
    fprintf(stderr,
            "perp: %d submissions brought no further row: see %s/slurm/*.out; perp sweep retry %s "
            "--slurm tries again\n",
            MOST_IN_VAIN, cluster->folder, cluster->folder);
    return CLI_FAILED;
}

// From one look at the queue to the next: a small part of the time since the last submission, so
// that the end is noticed soon and a long study asks seldom.
static double choose_pause(time_t submitted)
{
    return fmin(fmax(0.02 * difftime(time(NULL), submitted), 0.2), 10);
}

static CliExit wait_for_all(Cluster *cluster)
{
    time_t submitted = time(NULL);
    bool complained = false;
    while (!interrupt_requested()) {
        bool known = read_queue(cluster);
        if (!known && !complained)
            fputs("perp: squeue does not answer; waiting\n", stderr);
        complained = !known;
        long left = 1, due = known ? count_due(cluster, &left) : 0;
        if (left == 0)
            return CLI_OK;
        if (due > 0) {
            for (int k = 0; k < cluster->n_jobs; k++)
                explain(&cluster->jobs[k]);
            if (is_in_vain(cluster, left > due))
                return give_up(cluster);
            if (!submit(cluster, due))
                return CLI_BAD_INPUT;
            submitted = time(NULL);
        }
        if (cluster->options->detach)
            return CLI_OK;
        pause_for(choose_pause(submitted));
    }
    fprintf(stderr, "perp: interrupted; the jobs go on. The same command waits for them\n");
    return CLI_INTERRUPTED;
}

// --- the whole -----------------------------------------------------------------------------------

static int count_submissions(const Cluster *cluster)
{
    char path[PATH_MAX + 64];
    struct stat state;
    for (int k = 1;; k++) {
        snprintf(path, sizeof path, "%s/slurm/tasks-%d", cluster->folder, k);
        if (stat(path, &state) != 0)
            return k - 1;
    }
}

CliExit slurm_run(const Sweep *sweep, const SlurmOptions *options)
{
    Cluster *cluster = calloc(1, sizeof *cluster);
    char path[PATH_MAX + 16];
    if (!cluster || !realpath(sweep->folder, cluster->folder) ||
        !realpath("/proc/self/exe", cluster->program)) {
        free(cluster);
        return CLI_FAILED;
    }
    cluster->sweep = sweep;
    cluster->options = options;
    cluster->is_under_way = calloc((size_t)sweep->n_chunks, 1);
    cluster->is_complete = calloc((size_t)sweep->n_chunks, 1);
    snprintf(cluster->name, sizeof cluster->name, "perp-%08lx",
             crc32(0, (unsigned char *)cluster->folder, (unsigned)strlen(cluster->folder)));
    snprintf(path, sizeof path, "%s/slurm", cluster->folder);
    interrupt_catch();
    CliExit code = CLI_FAILED;
    if (cluster->is_under_way && cluster->is_complete && sweep_make_folder(path)) {
        cluster->submissions = count_submissions(cluster);
        cluster->limit = find_limit();
        cluster->case_seconds = sweep_case_seconds(sweep->study);
        cluster->rows = -1;
        code = wait_for_all(cluster);
    }
    free(cluster->jobs);
    free(cluster->is_under_way);
    free(cluster->is_complete);
    free(cluster);
    return code;
}
