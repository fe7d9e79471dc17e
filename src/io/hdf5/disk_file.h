// A file of a single writer: locked, with room reserved on the disk ahead of the writes, and quiet
// about failures. HDF5 does not survive a write that fails: it ends in a segmentation fault when it
// is closed. So it is told that every write arrived; after the first that did not, none reaches the
// file any more, which stays as a kill at that moment would have left it, and `failure` says why.
#ifndef PERP_IO_HDF5_DISK_FILE_H
#define PERP_IO_HDF5_DISK_FILE_H

#include <hdf5.h>

#include <stdbool.h>
#include <stddef.h>

typedef struct PerpDiskFile {
    int descriptor;  // -1: none
    size_t reserved; // bytes: up to here the disk has room for sure
    int failure;     // errno of the first write that failed, 0: none did
    long process;    // that opened it; its children, which HDF5 lets write at their exit, do not
} PerpDiskFile;

// False with errno. The former makes a file that must not be there yet.
bool perp_disk_file_create(PerpDiskFile *file, const char *path);
bool perp_disk_file_open(PerpDiskFile *file, const char *path);
void perp_disk_file_close(PerpDiskFile *file);

// Keeps others from writing to the file until it is closed; false if another does already.
bool perp_disk_file_lock(PerpDiskFile *file);
// Others can ask who holds the lock, until a reader in this process closes the file.
void perp_disk_file_announce(const PerpDiskFile *file);
long perp_disk_file_owner(const PerpDiskFile *file); // process that holds the lock, 0: not known
bool perp_disk_file_has_name(const PerpDiskFile *file, const char *path);

// Sees to it that the file can grow to `end` bytes; false if it cannot. Its size stays.
bool perp_disk_file_reserve(PerpDiskFile *file, size_t end);
void perp_disk_file_trim(PerpDiskFile *file, size_t end); // gives back what lies behind `end`
// What was written reaches the disk itself, for the case that the machine stops.
void perp_disk_file_sync(PerpDiskFile *file);

// HDF5's file access to it, -1 if HDF5 fails: the driver, to be unregistered at the end, and a
// property list, to be closed. The file must outlive both.
hid_t perp_disk_driver(void);
bool perp_disk_driver_set(hid_t access, hid_t driver, PerpDiskFile *file);

#endif
