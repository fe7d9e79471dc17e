// Studies: a scene, parameters that vary, and what is measured of each run, as YAML. docs/sweep.md
// describes them by examples. A case is determined by the study and its index alone.
#ifndef PERP_STUDY_H
#define PERP_STUDY_H

#include "perp/api.h"
#include "perp/context.h"
#include "perp/scene.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

// Sizes of a study.
enum {
    PERP_STUDY_NAMES = 64,       // parameters, measures: at most so many of each
    PERP_STUDY_POINTS = 10000000 // cases, with those that `where` leaves out
};

// Which recordings are kept.
typedef enum PerpKeep {
    PERP_KEEP_NEVER, // default
    PERP_KEEP_FAILED,
    PERP_KEEP_EVERY // all, or every n-th
} PerpKeep;

// A study that was read. Owns everything it gives out; constant, so that threads may share it.
typedef struct PerpStudy PerpStudy;

// What a study says. Belongs to it.
typedef struct PerpStudyInfo {
    const char *about;          // may be ""
    const char *scene;          // its path
    long points;                // cases, with those that `where` leaves out
    int n_parameters;           // that vary
    int n_measures;             //
    const char *const *names;   // of the parameters
    const char *const *measure; // names of the measures
    bool has_condition;         // `where` is given
    unsigned long long seed;    //
    PerpKeep keep;              //
    int keep_every;             // of PERP_KEEP_EVERY
    double time_limit;          // s of CPU time, 0: none
    double memory_limit;        // bytes, 0: none
    int retries;                // of cases that crashed or met a limit
} PerpStudyInfo;

// Reads a study and the files of its scene, which must know its parameters. context may be NULL. On
// failure *study is NULL.
PERP_API PerpStatus perp_study_read(const PerpContext *context, const char *path, PerpStudy **study,
                                    PerpError *error);
// The same with a copy of its scene: `scene` is read instead of the file that the study names.
PERP_API PerpStatus perp_study_read_with_scene(const PerpContext *context, const char *path,
                                               const char *scene, PerpStudy **study,
                                               PerpError *error);
PERP_API void perp_study_destroy(PerpStudy *study); // NULL is allowed
// What it says.
PERP_API const PerpStudyInfo *perp_study_info(const PerpStudy *study);
// The files that it was read from: the study, the scene, what that includes.
PERP_API int perp_study_files(const PerpStudy *study);
PERP_API PerpSceneText perp_study_file(const PerpStudy *study, int index);

// The varied parameters of a case (n_parameters). False if `where` leaves it out, or if an
// expression has no value there.
PERP_API bool perp_study_case(const PerpStudy *study, long index, double *parameters);

// The word that a varied parameter's value stands for, such as a scheme; NULL: it is a number.
PERP_API const char *perp_study_word(const PerpStudy *study, int parameter, double value);

// Can what is measured be found in the scene? By the first of ten cases spread over the study whose
// model can be made, which is not run. Errors say where in the study.
PERP_API PerpStatus perp_study_check(const PerpStudy *study, PerpError *error);

// X(name, word): what became of a case.
#define PERP_CASE_LIST(X)                                                                          \
    X(FINISHED, "finished")                                                                        \
    X(FAILED, "failed")             /* a step */                                                   \
    X(REFUSED, "refused")           /* scene, model or settings, for these values */               \
    X(TIME_LIMIT, "time-limit")     /* */                                                          \
    X(MEMORY_LIMIT, "memory-limit") /* */                                                          \
    X(CRASHED, "crashed")           /* the process that ran it */                                  \
    X(LOST, "lost")                 /* its process was killed, again and again */

typedef enum PerpCaseOutcome {
#define PERP_CASE_CODE(name, word) PERP_CASE_##name,
    PERP_CASE_LIST(PERP_CASE_CODE)
#undef PERP_CASE_CODE
        PERP_CASE_OUTCOME_COUNT
} PerpCaseOutcome;

// The word of tables; "?" if out of range.
PERP_API const char *perp_case_outcome_name(PerpCaseOutcome outcome);

enum { PERP_REASON_SIZE = 256 };

// A case that was run. Keeps its layout.
typedef struct PerpCaseResult {
    PerpCaseOutcome outcome;             // what became of it
    long steps;                          // that were taken
    double t;                            // s, at the end
    double certificate;                  // the worst of all steps; NaN before the first
    unsigned unmet;                      // checks of the verdict that do not hold, as bits
    char reason[PERP_REASON_SIZE];       // "" if it finished
    double measures[PERP_STUDY_NAMES];   // n_measures; NaN: never occurred, or did not finish
    double parameters[PERP_STUDY_NAMES]; // n_parameters
    double seconds;                      // of CPU time; not repeatable
} PerpCaseResult;

// Runs a case, within its limits as far as the library can see to them: CPU time between the parts
// of a step, and its own memory. recording: where it is recorded, or NULL. A case that fails is a
// result, not an error; errors are of the recording (its disk is full) and of memory for the study.
PERP_API PerpStatus perp_study_run(const PerpStudy *study, long index, const char *recording,
                                   PerpCaseResult *result, PerpError *error);

// The command of a case, "perp run SCENE --set mu=0.3 ...", for the scene at that path. Always
// terminated; false if it does not fit.
PERP_API bool perp_study_command(const PerpStudy *study, long index, const char *scene, char *text,
                                 int size);

#ifdef __cplusplus
}
#endif
#endif
