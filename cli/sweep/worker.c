// A process that runs the cases of a chunk one after the other, and the limits it sets itself.
#define _XOPEN_SOURCE 700

#include "sweep/sweep.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { WAIT_SECONDS = 5 }; // beyond twenty times the limit: a loaded machine is no hang

// --- limits --------------------------------------------------------------------------------------

static void lower(int resource, double to)
{
    struct rlimit limit;
    if (getrlimit(resource, &limit) != 0)
        return;
    bool fits = limit.rlim_max == RLIM_INFINITY || to < (double)limit.rlim_max;
    limit.rlim_cur = fits ? (rlim_t)to : limit.rlim_max;
    setrlimit(resource, &limit);
}

static double used_cpu(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_utime.tv_sec + (double)usage.ru_stime.tv_sec;
}

#ifdef __SANITIZE_ADDRESS__ // whose address space has no bounds
static void limit_memory(double bytes)
{
    (void)bytes;
}
#else
static double used_memory(void) // bytes of address space
{
    double pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file && fscanf(file, "%lf", &pages) != 1)
        pages = 0;
    if (file)
        fclose(file);
    return pages * (double)sysconf(_SC_PAGESIZE);
}

static void limit_memory(double bytes)
{
    if (bytes > 0)
        lower(RLIMIT_AS, used_memory() + 2 * bytes + 0x1p28);
}
#endif

// The library keeps to the limits where it looks; these catch what it does not see: a loop without
// end, a library below it that takes memory.
void limits_set(const PerpStudyInfo *info)
{
    if (info->time_limit > 0) {
        lower(RLIMIT_CPU, ceil(used_cpu() + 1.5 * info->time_limit) + 2);
        alarm((unsigned)fmin(WAIT_SECONDS + 20 * info->time_limit, 1e9)); // and what waits for ever
    }
    limit_memory(info->memory_limit);
}

// --- cases ---------------------------------------------------------------------------------------

static bool is_kept(const PerpStudyInfo *info, long index)
{
    return info->keep == PERP_KEEP_EVERY && index % info->keep_every == 0;
}

static void recording_path(const Sweep *sweep, long index, char path[SWEEP_PATH + 32])
{
    char start[SWEEP_PATH];
    sweep_chunk_path(sweep, "recordings", index / sweep->chunk, start);
    snprintf(path, SWEEP_PATH + 32, "%.*scase-%07ld.h5", (int)(strrchr(start, '/') + 1 - start),
             start, index);
}

// Not those that are refused before their first step.
static bool is_recorded_again(PerpCaseOutcome outcome)
{
    return outcome == PERP_CASE_FAILED || outcome == PERP_CASE_TIME_LIMIT ||
           outcome == PERP_CASE_MEMORY_LIMIT;
}

static bool may_succeed_again(PerpCaseOutcome outcome)
{
    return outcome == PERP_CASE_TIME_LIMIT || outcome == PERP_CASE_MEMORY_LIMIT;
}

static bool run_once(const Sweep *sweep, long index, bool record, PerpCaseResult *result,
                     PerpError *error)
{
    char path[SWEEP_PATH + 32];
    if (record) {
        recording_path(sweep, index, path);
        unlink(path); // of an attempt that was cut off
    }
    limits_set(sweep->info);
    return !perp_study_run(sweep->study, index, record ? path : NULL, result, error);
}

// A failed one is run again to be recorded: it fails again in the same way.
static bool run_case(const Sweep *sweep, long index, Row *row, PerpError *error)
{
    const PerpStudyInfo *info = sweep->info;
    PerpCaseResult again;
    bool good = run_once(sweep, index, is_kept(info, index), &row->result, error);
    for (int k = 0; good && k < info->retries && may_succeed_again(row->result.outcome); k++)
        good = run_once(sweep, index, is_kept(info, index), &row->result, error);
    if (good && info->keep == PERP_KEEP_FAILED && is_recorded_again(row->result.outcome))
        good = run_once(sweep, index, true, &again, error);
    rows_fill(sweep, index, row);
    return good;
}

static int give_up(Slot *slot, const char *what, const char *why)
{
    snprintf(slot->trouble, sizeof slot->trouble, "%.100s%s%.140s", what, why[0] ? ": " : "", why);
    return WORKER_TROUBLE;
}

// Unless another attempt completed the chunk and took this one's files away.
static int fail_to_write(const Sweep *sweep, long chunk, Slot *slot)
{
    int cause = errno;
    return rows_are_complete(sweep, chunk) ? WORKER_DONE
                                           : give_up(slot, sweep->folder, strerror(cause));
}

int worker_run(const Sweep *sweep, long chunk, Slot *slot)
{
    const double pause = 1; // s between what goes to the disk for certain
    PerpError error = {0};
    char text[PERP_PATH_SIZE + PERP_MESSAGE_SIZE];
    double parameters[PERP_STUDY_NAMES], synced = cli_seconds();
    signal(SIGXFSZ, SIG_IGN); // a file that may not grow is an error like a full disk
    Row *rows = rows_make(sweep);
    if (!rows || !rows_read(sweep, chunk, rows))
        return give_up(slot, "out of memory", "");
    int file = -1;
    for (long k = 0; k < rows_count(sweep, chunk); k++) {
        long index = rows_first(sweep, chunk) + k;
        if (rows[k].index >= 0 || !perp_study_case(sweep->study, index, parameters))
            continue;
        if (file < 0 && (file = rows_open_part(sweep, chunk)) < 0)
            return give_up(slot, sweep->folder, strerror(errno));
        slot->current = index;
        if (!run_case(sweep, index, &rows[k], &error))
            return give_up(slot, perp_error_text(&error, text, sizeof text), "");
        if (!rows_append(file, sweep, &rows[k]) ||
            (cli_seconds() - synced > pause && fsync(file) != 0))
            return fail_to_write(sweep, chunk, slot);
        if (cli_seconds() - synced > pause)
            synced = cli_seconds();
        slot->current = -1;
        slot->done++;
    }
    if (file >= 0)
        close(file);
    if (!rows_finish(sweep, chunk, rows))
        return fail_to_write(sweep, chunk, slot);
    free(rows);
    return WORKER_DONE;
}
