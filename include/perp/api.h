// PERP_API marks what the library exports; everything else stays inside it.
//
// Definitions, settings and options may get new fields at their end, and a program that was
// compiled with an older header goes on to work: its structs are shorter, which the library sees by
// their `size`, and what they do not have takes its default. Therefore start from perp_default_x(),
// which sets `size`; a struct with size 0 is refused. Problems (PerpLcp, PerpProblem,
// PerpContactProblem), contexts, results and reports keep their layout as long as the library
// keeps its SONAME.
#ifndef PERP_API_H
#define PERP_API_H

#include <stddef.h>

// Exported by the shared library.
#if defined(__GNUC__)
#define PERP_API __attribute__((visibility("default")))
#else
#define PERP_API
#endif

// Declares perp_default_NAME(), a TYPE with its defaults. The function is in the header so that it
// knows how long the caller's struct is; perp_fill_NAME is for other languages.
#define PERP_DEFAULTS(TYPE, NAME)                                                                  \
    PERP_API void perp_fill_##NAME(TYPE *made, size_t size);                                       \
    static inline TYPE perp_default_##NAME(void)                                                   \
    {                                                                                              \
        TYPE made;                                                                                 \
        perp_fill_##NAME(&made, sizeof made);                                                      \
        return made;                                                                               \
    }

#endif
