// A run of a scene: options, progress, and reports.
#ifndef PERP_CLI_RUN_RUN_H
#define PERP_CLI_RUN_RUN_H

#include "common/cli.h"
#include "common/open_scene.h"
#include "common/support.h"

#include "perp/recording.h"
#include "perp/scene.h"
#include "perp/simulation.h"
#include "perp/verdict.h"

typedef struct RunOptions {
    bool help, json, quiet, strict, exact;
    bool resume; // go on with the recording, which is source.path if output is NULL
    bool force;  // replace a recording
    bool live;   // serve a page that follows the run
    SceneSource source;
    const char *scheme;          // NULL: the scene's
    const char *csv;             // NULL: no time series
    const char *output;          // NULL: no recording
    double flush;                // s between flushes of it
    unsigned groups;             // of the recording
    bool single;                 // its poses as float32
    PerpRecordProblems problems; // that it holds
    int problems_every;
    double duration, step; // s, 0: the scene's
    double tolerance;      // 0: the default
    int facets;            // -1: the scene's, 0: round
    int every;             // steps between rows of the time series
    int threads;           // 0: one a core
    unsigned methods;      // bits of those of the ladder that may be used
    bool chose_methods, chose_every, chose_groups, chose_problems; // not left to their defaults
    int jacobian, stabilise, data; // of their lists; -1: the scene's
    double first_step;             // -1: the scene's
    int impacts, overlap;          // of their lists, too
    double accuracy;               // m, 0: the step is given
    bool printed_coriolis, linear, one_phase, printed_decompression; // or the scene's
    bool printed_collisions;                                         // or the scene's
} RunOptions;

typedef enum RunEnd {
    RUN_FINISHED,
    RUN_INTERRUPTED,
    RUN_FAILED,    // a step
    RUN_UNRECORDED // the recording could not go on
} RunEnd;

// The extremes of all steps so far.
typedef struct RunTally {
    long steps, missed_steps, held_steps, problems, impacts, pivots;
    long divided_steps; // into substeps
    int most_substeps;  // of a step
    int contacts;       // the most in a problem
    double penetration, joint_gap, balance;
    double velocity_bound;               // the largest
    double gap_error;                    // m, of a step with slip held: the largest
    double held_residual, held_exact;    // of such steps: of that law, of the exact one
    int held_contacts;                   // the most in a step
    PerpCertificate certificate;         // the worst
    double certificate_time;             // s, end of its step
    char worst[PERP_NAME_SIZE];          // what it is of
    PerpBound bound[PERP_BOUND_COUNT];   // the least margin of each
    double bound_time[PERP_BOUND_COUNT]; // s, end of its step
    long warned_steps;
    char warning[2 * PERP_NAME_SIZE]; // the first of them
} RunTally;

typedef enum RunVerdict { RUN_NOT_REACHED, RUN_MET, RUN_MISSED } RunVerdict;

// What became of an expectation of the scene.
typedef struct RunOutcome {
    RunVerdict verdict;
    int count;          // of the numbers measured
    double measured[3]; //
    double t;           // s, when
} RunOutcome;

typedef struct Run {
    const RunOptions *options;
    OpenScene opened;
    PerpSimulationSettings settings;
    PerpSimulation *simulation;
    long planned;  // steps
    bool is_begun; // its start is recorded
    double seconds;
    double step_seconds; // of the last step
    double accuracy;     // m: of positions, estimated; 0: not
    RunTally tally;
    struct RunLive *live;
    RunOutcome *outcomes; // as many as the scene has expectations
    RunEnd end;
    PerpError error;            // of the step that failed
    char saved[PERP_PATH_SIZE]; // where its state was saved, "" if it was not
} Run;

// Parses what run and demo have in common. The one other argument, NULL if there is none, is path.
CliExit run_read_options(int argc, char **argv, const CliOption *more, int n_more,
                         const char *usage, RunOptions *options);
void run_print_options(void);              // for --help
bool run_check_scheme(const char *scheme); // false after a complaint; NULL is allowed

// What the options and the scene say together.
PerpSimulationSettings run_choose_settings(const RunOptions *options, const PerpRunDef *def);

// Is the bound of the scheme's own paper, or did some step satisfy its assumptions?
bool run_names_bound(const Run *run, PerpBoundKind kind);
// An a-priori bound whose least margin is below what rounding explains.
bool run_violates(const Run *run, PerpBoundKind kind);

// With --accuracy: the step, by runs with shorter and shorter ones.
PerpStatus run_choose_step(Run *run);

// From the scene to the reports.
CliExit run_scene(const RunOptions *options);

// The recording that is to be gone on with, NULL if none is.
const char *run_resumed_path(const Run *run);
// Fills in scene, model, settings and planned steps from it.
PerpStatus run_open_recorded(Run *run);

// Looks at the expectations that are due.
void run_check_expectations(Run *run);

// warnings.c: what perp check would warn of, on standard error: before the first step, and after
// it.
void run_warn_at_start(const Run *run);
void run_warn_after_step(const Run *run);
int run_missed_expectations(const Run *run);
double run_due_time(const Run *run, const PerpExpectation *expectation); // s

void run_print_text(FILE *out, const Run *run);
void run_print_json(FILE *out, const Run *run);

// Saves the last good state and says how to get there again.
void run_report_failure(Run *run);
void run_print_bodies_json(FILE *out, const Run *run);

#endif
