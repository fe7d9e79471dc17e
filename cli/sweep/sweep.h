// A study under way: its folder, its rows, the processes that run its cases.
//
//     DIR/plan                       what is run, written last when the folder is made
//     DIR/files/study/...            the study as it was then
//     DIR/files/scene/...            its scene, and the files of that
//     DIR/rows/000/00012.rows        the rows of chunk 12, complete
//     DIR/rows/000/00012.*.part      rows of attempts at it that were cut off, or are under way
//     DIR/recordings/000/case-*.h5   those that are kept
//
// Every attempt at a chunk writes to a file of its own; a complete chunk is renamed into place. So
// nothing is ever locked, and attempts that do not know of each other do no harm: rows of the same
// case are the same.
#ifndef PERP_CLI_SWEEP_SWEEP_H
#define PERP_CLI_SWEEP_SWEEP_H

#include "common/cli.h"
#include "common/support.h"

#include "perp/study.h"

enum {
    SWEEP_WORD = 64,
    SWEEP_PATH = 2 * PERP_PATH_SIZE,
    SWEEP_FOLDER = 1000, // chunks whose files share a folder
    SWEEP_CHUNK = 10000, // cases of a chunk at most: a process has their rows in its memory
};

typedef struct Sweep {
    PerpStudy *study;
    const PerpStudyInfo *info;
    char folder[PERP_PATH_SIZE];
    char file[PERP_PATH_SIZE];  // the study, in the folder
    char scene[PERP_PATH_SIZE]; // likewise
    long chunk, n_chunks;       // cases of a chunk, chunks
    char host[SWEEP_WORD];      // this one
} Sweep;

// One row: what became of a case, where.
typedef struct Row {
    long index;
    PerpCaseResult result;
    char host[SWEEP_WORD], version[SWEEP_WORD];
} Row;

// --- the folder ----------------------------------------------------------------------------------

// Makes the folder of a study, or finds that it is that of the same study. chunk 0: chosen. False
// after a complaint.
bool sweep_begin(Sweep *sweep, const char *study, const char *folder, long chunk);
bool sweep_open(Sweep *sweep, const char *folder); // one that was made
void sweep_close(Sweep *sweep);
bool sweep_is_folder(const char *path); // of a study
// The path of what has that name in the folder.
void sweep_find_path(const Sweep *sweep, const char *name, char path[SWEEP_PATH]);
// False after a complaint, unless it is there already.
bool sweep_make_folder(const char *path);
// What was renamed or removed beside path is on the disk; false with errno.
bool sweep_sync_folder(const char *path);
// DIR/kind/FFF for the chunk, made if need be; and the beginning of its files' names there.
void sweep_chunk_path(const Sweep *sweep, const char *kind, long chunk, char path[SWEEP_PATH]);

// --- rows ----------------------------------------------------------------------------------------

// The rows of a chunk, those that are there: rows[k] of the k-th case, index -1 if it is missing.
// False after a complaint.
bool rows_read(const Sweep *sweep, long chunk, Row *rows);
long rows_first(const Sweep *sweep, long chunk);        // case
long rows_count(const Sweep *sweep, long chunk);        // cases
bool rows_are_complete(const Sweep *sweep, long chunk); // by its file
Row *rows_make(const Sweep *sweep);                     // room for those of a chunk, or NULL

// A file of this attempt; -1 with errno.
int rows_open_part(const Sweep *sweep, long chunk);
bool rows_append(int file, const Sweep *sweep, const Row *row); // false with errno
// Gives a chunk its final file, if every case has a row; false with errno if that failed.
bool rows_finish(const Sweep *sweep, long chunk, const Row *rows);
// Removes what attempts left behind that were cut off while they did that.
void rows_tidy(const Sweep *sweep, long from, long to);
// Takes the final file away again: the rows that are missing here will be run. False with errno.
bool rows_reopen(const Sweep *sweep, long chunk, const Row *rows);
void rows_fill(const Sweep *sweep, long index, Row *row); // host, version, index, parameters

// --- running -------------------------------------------------------------------------------------

// What a worker tells the driver, in memory that they share.
typedef struct Slot {
    volatile long current; // the case under way, -1: none
    volatile long done;    // cases finished
    char trouble[256];     // why it gave up
} Slot;

enum { WORKER_DONE = 0, WORKER_TROUBLE = 3 }; // exit codes

// Runs the cases of a chunk that have no row. In a process of its own.
int worker_run(const Sweep *sweep, long chunk, Slot *slot);

// Limits of the process for the next case: ends what hangs or takes too much even where the library
// does not look.
void limits_set(const PerpStudyInfo *info);

typedef struct DriverOptions {
    int workers;
    long from, to; // chunks
    bool quiet;
} DriverOptions;

CliExit driver_run(const Sweep *sweep, const DriverOptions *options);

// --- reports -------------------------------------------------------------------------------------

typedef struct Tally {
    long cases; // that the conditions admit
    long rows, count[PERP_CASE_OUTCOME_COUNT];
    long certified;                  // of those that finished
    long occurred[PERP_STUDY_NAMES]; // of those that finished: measures with a value
    double seconds;                  // of CPU time
} Tally;

// Calls visit for every row in the order of cases; false ends it, after a complaint.
bool rows_visit(const Sweep *sweep, bool (*visit)(void *user, const Row *row), void *user,
                long *cases);
bool tally_rows(const Sweep *sweep, Tally *tally);

CliExit sweep_plan(const char *study, int workers, bool all);
double sweep_case_seconds(const PerpStudy *study); // of CPU time, by one case; 0: not known
CliExit sweep_status(const Sweep *sweep, bool failed);
CliExit sweep_collect(const Sweep *sweep, const char *path, bool results_only, bool force);
CliExit sweep_retry(const Sweep *sweep, const char *outcomes);
CliExit sweep_verify(const Sweep *sweep, int sample);
// At the end of a run: counts, the first failures, measures that never occurred.
CliExit sweep_report(const Sweep *sweep);
void print_failure(FILE *out, const Sweep *sweep, const Row *row);

typedef struct SlurmOptions {
    char *const *sbatch; // options for sbatch
    int n_sbatch, tasks; // tasks 0: chosen
    bool detach;
} SlurmOptions;
CliExit slurm_run(const Sweep *sweep, const SlurmOptions *options);

#endif
