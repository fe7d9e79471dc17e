// What the writers of other programs' files share: the chosen frames of a recording.
#ifndef PERP_IO_EXPORT_EXPORT_H
#define PERP_IO_EXPORT_EXPORT_H

#include "perp/export.h"

#include <stdint.h>
#include <stdio.h>

typedef struct PerpExport {
    const PerpContext *context;
    PerpRecording *recording;
    const PerpRecordingInfo *info;
    const char *path;
    int files;                  // written
    long first_step, last_step; // that were asked for
    int every;
    long frames;             // chosen
    const long *frame;       // which
    const double *time;      // s, of each
    const double *number;    // of its step
    long first, loaded;      // frames of the recording in pose and velocity
    long room;               // for so many
    double *pose, *velocity; // 7 and 6 a body
} PerpExport;

typedef PerpStatus (*PerpExporter)(PerpExport *x, PerpError *error);

PerpStatus perp_export_contacts(PerpExport *x, PerpError *error);
PerpStatus perp_export_csv(PerpExport *x, PerpError *error);
PerpStatus perp_export_npz(PerpExport *x, PerpError *error);
PerpStatus perp_export_vtk(PerpExport *x, PerpError *error);
PerpStatus perp_export_gltf(PerpExport *x, PerpError *error);
PerpStatus perp_export_mcap(PerpExport *x, PerpError *error);
PerpStatus perp_export_fclib(PerpExport *x, PerpError *error);

// Writes x->path by `write`, whole or not at all.
PerpStatus perp_export_file(PerpExport *x, const char *path,
                            PerpStatus (*write)(FILE *stream, void *what, PerpError *error),
                            void *what, PerpError *error);

// Poses and velocities of all bodies at the k-th chosen frame; valid until the next call. Either
// pointer may be NULL; what was not recorded reads as the world's.
PerpStatus perp_export_motion(PerpExport *x, long k, const double **pose, const double **velocity,
                              PerpError *error);

// A series at the chosen frames, to be freed with the context's allocator.
PerpStatus perp_export_series(PerpExport *x, const char *name, double **values, PerpError *error);

// Little-endian, as all these formats want it.
void perp_put_u16(FILE *stream, unsigned value);
void perp_put_u32(FILE *stream, uint32_t value);
void perp_put_u64(FILE *stream, uint64_t value);
void perp_put_float(FILE *stream, double value);

void perp_put_json_string(FILE *stream, const char *text);

// Text with a comma, a quote or a line break stands in quotes, its own doubled.
void perp_put_csv_text(FILE *stream, const char *text);
void perp_put_csv_number(FILE *stream, double number);

#endif
