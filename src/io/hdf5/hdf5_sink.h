// Writing attributes and whole datasets of an HDF5 file.
#ifndef PERP_IO_HDF5_HDF5_SINK_H
#define PERP_IO_HDF5_HDF5_SINK_H

#include <hdf5.h>

#include <stdbool.h>

// Each returns false as soon as HDF5 does; the caller need not know which call it was.

bool perp_hdf5_put(hid_t object, const char *name, hid_t type, const void *number);
bool perp_hdf5_put_int(hid_t object, const char *name, long long number);
bool perp_hdf5_put_double(hid_t object, const char *name, double number);
bool perp_hdf5_put_text(hid_t object, const char *name, const char *text);

// A type for texts of up to size bytes, >= 1; to be closed.
hid_t perp_hdf5_text_type(size_t size);

// A dataset of given extents (rank 0: one element) with its unit, "" for none.
bool perp_hdf5_write(hid_t group, const char *name, hid_t type, int rank, const hsize_t *extent,
                     const void *data, const char *unit);
// Texts padded to the longest.
bool perp_hdf5_write_texts(hid_t group, const char *name, int count,
                           const char *(*text)(const void *user, int index), const void *user);

hid_t perp_hdf5_make_group(hid_t parent, const char *name);

#endif
