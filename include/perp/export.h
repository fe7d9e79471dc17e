// Recordings for other programs: tables, ParaView, glTF, Foxglove, FCLIB. docs/convert.md tells
// what each file holds.
#ifndef PERP_EXPORT_H
#define PERP_EXPORT_H

#include "perp/api.h"
#include "perp/recording.h"

#ifdef __cplusplus
extern "C" {
#endif

// X(name, word, ending, text)
#define PERP_EXPORT_LIST(X)                                                                        \
    X(CONTACTS, "contacts", ".contacts.csv", "a table of contacts, a row a contact and frame")     \
    X(CSV, "csv", ".csv", "a table: energies, certificate, motion, a row a frame")                 \
    X(NPZ, "npz", ".npz", "arrays for NumPy: everything that was recorded")                        \
    X(VTK, "vtk", ".pvd", "for ParaView: an index and a folder of .vtp files beside it")           \
    X(GLTF, "gltf", ".glb", "an animation for Blender, browsers, slides")                          \
    X(MCAP, "mcap", ".mcap", "for Foxglove: transforms, shapes, contacts, numbers of each step")   \
    X(FCLIB, "fclib", ".hdf5", "step problems that were recorded, for other solvers")

// The formats, by the words that users type.
typedef enum PerpExportFormat {
#define PERP_EXPORT_CODE(name, word, ending, text) PERP_EXPORT_##name,
    PERP_EXPORT_LIST(PERP_EXPORT_CODE)
#undef PERP_EXPORT_CODE
        PERP_EXPORT_FORMAT_COUNT
} PerpExportFormat;

// The word, the ending of files and one line about a format; "?" if out of range.
PERP_API const char *perp_export_name(PerpExportFormat format);
PERP_API const char *perp_export_ending(PerpExportFormat format);
PERP_API const char *perp_export_text(PerpExportFormat format);

// Which frames are written.
typedef struct PerpExportOptions {
    size_t size;      // set by perp_default_export_options
    long first, last; // steps, default 0 and LONG_MAX
    int every;        // frames, default 1, > 0
} PerpExportOptions;

PERP_DEFAULTS(PerpExportOptions, export_options)

// Writes the frames of the chosen steps. A file appears whole or not at all; one of that name is
// replaced. files: how many were written, may be NULL.
PERP_API PerpStatus perp_export(const PerpContext *context, PerpRecording *recording,
                                const char *path, PerpExportFormat format,
                                const PerpExportOptions *options, int *files, PerpError *error);

#ifdef __cplusplus
}
#endif
#endif
