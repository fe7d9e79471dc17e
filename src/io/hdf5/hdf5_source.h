// Reading datasets of an untrusted HDF5 file.
#ifndef PERP_IO_HDF5_HDF5_SOURCE_H
#define PERP_IO_HDF5_HDF5_SOURCE_H

#include "base/memory.h"
#include "perp/status.h"

#include <hdf5.h>

// HDF5 prints its errors unless told not to. Between quiet and restore it is silent.
typedef struct PerpHdf5Quiet {
    H5E_auto2_t print;
    void *user;
} PerpHdf5Quiet;

PerpHdf5Quiet perp_hdf5_quiet(void);
void perp_hdf5_restore(PerpHdf5Quiet quiet);

typedef struct PerpHdf5Source {
    hid_t file;
    const char *path; // borrowed, for messages
    PerpArena *arena; // where arrays come from
    PerpError *error; // may be NULL
} PerpHdf5Source;

PerpStatus perp_hdf5_open(PerpHdf5Source *source, const char *path, PerpArena *arena,
                          PerpError *error);
void perp_hdf5_close(PerpHdf5Source *source);

// Whether an object stands at a path such as "/fclib_local/W"; links out of the file do not count.
bool perp_hdf5_exists(const PerpHdf5Source *source, const char *object);

// All numbers of a dataset of rank 0 or 1 that has from low to high of them. Doubles must be
// finite. Integers beyond int come out as INT_MIN or INT_MAX.
PerpStatus perp_hdf5_ints(const PerpHdf5Source *source, const char *object, int low, int high,
                          int **numbers, int *count);
PerpStatus perp_hdf5_doubles(const PerpHdf5Source *source, const char *object, int low, int high,
                             double **numbers, int *count);
PerpStatus perp_hdf5_int(const PerpHdf5Source *source, const char *object, int *number);
// NULL if there is none, or none of fixed length up to 64 KiB.
const char *perp_hdf5_text(const PerpHdf5Source *source, const char *object);

#endif
