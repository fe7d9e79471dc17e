// Problem files: plain and mixed LCPs and step problems as JSON, frictional contact problems in
// FCLIB's HDF5 format. docs/formats.md describes them by examples.
#ifndef PERP_PROBLEM_FILE_H
#define PERP_PROBLEM_FILE_H

#include "perp/api.h"
#include "perp/contact_problem.h"

#ifdef __cplusplus
extern "C" {
#endif

// What a file holds.
typedef enum PerpProblemFileKind {
    PERP_PROBLEM_FILE_LCP,
    PERP_PROBLEM_FILE_STEP,
    PERP_PROBLEM_FILE_CONTACT
} PerpProblemFileKind;

// X(name, word): what a file can be written as.
#define PERP_PROBLEM_FILE_FORMAT_LIST(X)                                                           \
    X(JSON, "json")                                                                                \
    X(FCLIB, "fclib")

typedef enum PerpProblemFileFormat {
#define PERP_PROBLEM_FILE_FORMAT_CODE(name, word) PERP_PROBLEM_FILE_##name,
    PERP_PROBLEM_FILE_FORMAT_LIST(PERP_PROBLEM_FILE_FORMAT_CODE)
#undef PERP_PROBLEM_FILE_FORMAT_CODE
        PERP_PROBLEM_FILE_FORMAT_COUNT
} PerpProblemFileFormat;

// The circular cone of an FCLIB problem, kept beside its polyhedral stand-in, if there is one.
typedef struct PerpFclibInfo {
    bool present;        // the file is one of FCLIB
    bool global;         // M, H, f, w; else local: W, q
    int dimension;       // 2 or 3
    int contacts;        //
    const double *mu;    // contacts
    const int *velocity; // global: for each velocity of the problem, its index in the file; bodies
                         // are the connected components of M, which reorders velocities
} PerpFclibInfo;

// How a file is read.
typedef struct PerpProblemFileOptions {
    size_t size; // set by perp_default_problem_file_options
    int facets; // of the polyhedral cone that stands for the circular one of FCLIB problems in 3-D,
                // even, 4 .. 256; default 0: the circular one itself
} PerpProblemFileOptions;

PERP_DEFAULTS(PerpProblemFileOptions, problem_file_options)

// A problem read from a file. Owns all its arrays.
typedef struct PerpProblemFile PerpProblemFile;

// Reads JSON or FCLIB, which the file itself tells. options may be NULL. On failure *file is NULL.
PERP_API PerpStatus perp_problem_file_read(const PerpContext *context, const char *path,
                                           const PerpProblemFileOptions *options,
                                           PerpProblemFile **file, PerpError *error);
PERP_API void perp_problem_file_destroy(PerpProblemFile *file); // NULL is allowed

// What was read, and from which format.
PERP_API PerpProblemFileKind perp_problem_file_kind(const PerpProblemFile *file);
PERP_API PerpProblemFileFormat perp_problem_file_format(const PerpProblemFile *file);
PERP_API const PerpLcp *
perp_problem_file_lcp(const PerpProblemFile *file); // NULL unless kind is LCP
PERP_API const PerpProblem *
perp_problem_file_step(const PerpProblemFile *file); // NULL unless kind is PROBLEM
PERP_API const PerpContactProblem *
perp_problem_file_contact(const PerpProblemFile *file); // NULL unless kind is LOCAL
PERP_API const PerpFclibInfo *perp_problem_file_fclib(const PerpProblemFile *file); // never NULL

// Writes so that reading gives the same problem, bit for bit.
PERP_API PerpStatus perp_lcp_write(const PerpContext *context, const PerpLcp *p, const char *path,
                                   PerpError *error);
PERP_API PerpStatus perp_problem_write(const PerpContext *context, const PerpProblem *p,
                                       const char *path, PerpError *error);
PERP_API PerpStatus perp_problem_file_write(const PerpProblemFile *file, const char *path,
                                            PerpProblemFileFormat format, PerpError *error);

#ifdef __cplusplus
}
#endif
#endif
