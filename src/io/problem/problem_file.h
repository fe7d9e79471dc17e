// The inside of a PerpProblemFile, and the readers and writers behind it.
#ifndef PERP_IO_PROBLEM_PROBLEM_FILE_H
#define PERP_IO_PROBLEM_PROBLEM_FILE_H

#include "base/memory.h"
#include "io/problem/fclib_data.h"
#include "io/problem/problem_builder.h"
#include "io/text/document.h"
#include "perp/problem_file.h"

struct PerpProblemFile {
    PerpContext context;
    PerpArena arena; // owns the arrays of lcp, fclib and info
    PerpProblemFileKind kind;
    PerpProblemFileFormat format;
    PerpLcp lcp;
    PerpProblemBuilder builder; // owns the arrays of problem
    PerpProblem problem;
    PerpContactProblem local;
    PerpFclib fclib; // as it stood in the file
    PerpFclibInfo info;
};

// perp_problem_file_read for a JSON text in memory; name stands for the file in messages.
PerpStatus perp_file_parse(const PerpContext *context, const char *bytes, size_t size,
                           const char *name, PerpProblemFile **file, PerpError *error);

// Each fills in file->lcp or file->problem; the file's builder is ready. Errors of the last three
// have no file yet. facets = 0: the circular law.
PerpStatus perp_read_lcp(const PerpDocument *document, PerpProblemFile *file);
PerpStatus perp_read_step_problem(const PerpDocument *document, PerpProblemFile *file);
PerpStatus perp_convert_local(PerpProblemFile *file, int facets, PerpError *error);
PerpStatus perp_convert_circular(PerpProblemFile *file, PerpError *error); // local, facets = 0
PerpStatus perp_convert_global(PerpProblemFile *file, int facets, PerpError *error);

#endif
