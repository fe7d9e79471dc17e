// Problem files: plain and mixed LCPs and step problems as JSON, frictional contact problems in
// FCLIB's HDF5 format. docs/formats.md describes them by examples.
#ifndef PERP_FILE_H
#define PERP_FILE_H

#include "perp/local.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum PerpFileKind { PERP_FILE_LCP, PERP_FILE_PROBLEM, PERP_FILE_LOCAL } PerpFileKind;

// X(name, word): what a file can be written as.
#define PERP_FILE_FORMAT_LIST(X)                                                                   \
    X(JSON, "json")                                                                                \
    X(FCLIB, "fclib")

typedef enum PerpFileFormat {
#define PERP_FILE_FORMAT_CODE(name, word) PERP_FILE_##name,
    PERP_FILE_FORMAT_LIST(PERP_FILE_FORMAT_CODE)
#undef PERP_FILE_FORMAT_CODE
        PERP_FILE_FORMAT_COUNT
} PerpFileFormat;

// The circular cone of an FCLIB problem, kept beside its polyhedral stand-in, if there is one.
typedef struct PerpFclibInfo {
    bool present;
    bool global;         // M, H, f, w; else local: W, q
    int dimension;       // 2 or 3
    int contacts;        //
    const double *mu;    // contacts
    const int *velocity; // global: for each velocity of the problem, its index in the file; bodies
                         // are the connected components of M, which reorders velocities
} PerpFclibInfo;

typedef struct PerpFileOptions {
    int facets; // of the polyhedral cone that stands for the circular one of FCLIB problems in 3-D,
                // even, 4 .. 256; default 0: the circular one itself
} PerpFileOptions;

PerpFileOptions perp_default_file_options(void);

// A problem read from a file. Owns all its arrays.
typedef struct PerpFile PerpFile;

PerpStatus perp_file_read(const PerpContext *context, const char *path,
                          const PerpFileOptions *options, PerpFile **file, PerpError *error);
void perp_file_destroy(PerpFile *file); // NULL is allowed

PerpFileKind perp_file_kind(const PerpFile *file);
PerpFileFormat perp_file_format(const PerpFile *file);
const PerpLcp *perp_file_lcp(const PerpFile *file);         // NULL unless kind is LCP
const PerpProblem *perp_file_problem(const PerpFile *file); // NULL unless kind is PROBLEM
const PerpLocal *perp_file_local(const PerpFile *file);     // NULL unless kind is LOCAL
const PerpFclibInfo *perp_file_fclib(const PerpFile *file); // never NULL

// Writes so that reading gives the same problem, bit for bit.
PerpStatus perp_lcp_write(const PerpContext *context, const PerpLcp *p, const char *path,
                          PerpError *error);
PerpStatus perp_problem_write(const PerpContext *context, const PerpProblem *p, const char *path,
                              PerpError *error);
PerpStatus perp_file_write(const PerpFile *file, const char *path, PerpFileFormat format,
                           PerpError *error);

#ifdef __cplusplus
}
#endif
#endif
