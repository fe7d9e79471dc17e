// HDF5's access to a file of a single writer: a driver like its own for POSIX, on a descriptor
// that is open and locked already, to which no write ever fails (disk_file.h).
#define _POSIX_C_SOURCE 200809L

#include "io/hdf5/disk_file.h"

#include <H5FDpublic.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// A write that did not arrive. HDF5 reads again what it has written.
typedef struct Lost {
    struct Lost *next;
    haddr_t at;
    size_t size;
    char bytes[];
} Lost;

// The file as HDF5 sees it, which opens it twice: to look, then to write.
typedef struct View {
    H5FD_t base;
    PerpDiskFile *file; // borrowed
    haddr_t allocated;  // end of the addresses in use
    haddr_t size;       // bytes
    bool is_writable;
    Lost *first, *last; // owned, in the order of the writes
} View;

// What the property list holds.
typedef struct Access {
    PerpDiskFile *file;
} Access;

static H5FD_t *open_view(const char *name, unsigned flags, hid_t list, haddr_t limit)
{
    (void)name, (void)limit;
    const Access *access = H5Pget_driver_info(list);
    struct stat state;
    if (!access || fstat(access->file->descriptor, &state) != 0)
        return NULL;
    View *view = calloc(1, sizeof *view); // HDF5 has no allocator of ours
    if (view)
        *view = (View){.file = access->file,
                       .size = (haddr_t)state.st_size,
                       .is_writable = flags & H5F_ACC_RDWR};
    return (H5FD_t *)view;
}

static herr_t close_view(H5FD_t *base)
{
    View *view = (View *)base;
    while (view->first) {
        Lost *next = view->first->next;
        free(view->first);
        view->first = next;
    }
    free(view);
    return 0;
}

static herr_t query(const H5FD_t *base, unsigned long *features)
{
    (void)base;
    *features = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA |
                H5FD_FEAT_DATA_SIEVE | H5FD_FEAT_AGGREGATE_SMALLDATA | H5FD_FEAT_SUPPORTS_SWMR_IO;
    return 0;
}

static haddr_t get_allocated(const H5FD_t *base, H5FD_mem_t type)
{
    (void)type;
    return ((const View *)base)->allocated;
}

static bool may_write(PerpDiskFile *file)
{
    if (!file->failure && file->process != (long)getpid())
        file->failure = EPERM;
    return !file->failure;
}

static void set_size(View *view, haddr_t size)
{
    PerpDiskFile *file = view->file;
    if (may_write(file) && ftruncate(file->descriptor, (off_t)size) != 0)
        file->failure = errno;
    view->size = size;
}

// No reader opens a file that ends before the addresses that its head says are in use.
static herr_t set_allocated(H5FD_t *base, H5FD_mem_t type, haddr_t end)
{
    (void)type;
    View *view = (View *)base;
    view->allocated = end;
    if (end > view->size && view->is_writable)
        set_size(view, end);
    return 0;
}

static haddr_t get_size(const H5FD_t *base, H5FD_mem_t type)
{
    (void)type;
    return ((const View *)base)->size;
}

// Behind the end of the file there are zeros.
static bool read_all(int descriptor, char *to, size_t size, off_t from)
{
    while (size > 0) {
        ssize_t count = pread(descriptor, to, size, from);
        if (count < 0 && errno != EINTR)
            return false;
        if (count == 0) {
            memset(to, 0, size);
            break;
        }
        count = count < 0 ? 0 : count;
        to += count;
        from += count;
        size -= (size_t)count;
    }
    return true;
}

// Puts the part of a write that lies within what is read over it.
static void put_lost(const Lost *lost, haddr_t from, size_t size, char *bytes)
{
    haddr_t start = lost->at > from ? lost->at : from;
    haddr_t end = lost->at + lost->size < from + size ? lost->at + lost->size : from + size;
    if (start < end)
        memcpy(bytes + (start - from), lost->bytes + (start - lost->at), end - start);
}

static herr_t read_bytes(H5FD_t *base, H5FD_mem_t type, hid_t list, haddr_t from, size_t size,
                         void *bytes)
{
    (void)type, (void)list;
    const View *view = (const View *)base;
    if (!read_all(view->file->descriptor, bytes, size, (off_t)from))
        return -1;
    for (const Lost *lost = view->first; lost; lost = lost->next)
        put_lost(lost, from, size, bytes);
    return 0;
}

static void keep_lost(View *view, haddr_t at, size_t size, const void *bytes)
{
    Lost *lost = malloc(sizeof *lost + size);
    if (!lost)
        return;
    *lost = (Lost){.at = at, .size = size};
    memcpy(lost->bytes, bytes, size);
    if (view->last)
        view->last->next = lost;
    else
        view->first = lost;
    view->last = lost;
}

static bool write_all(int descriptor, const char *bytes, size_t size, off_t at)
{
    while (size > 0) {
        ssize_t count = pwrite(descriptor, bytes, size, at);
        if (count < 0 && errno != EINTR)
            return false;
        count = count < 0 ? 0 : count;
        bytes += count;
        at += count;
        size -= (size_t)count;
    }
    return true;
}

static herr_t write_bytes(H5FD_t *base, H5FD_mem_t type, hid_t list, haddr_t at, size_t size,
                          const void *bytes)
{
    (void)type, (void)list;
    View *view = (View *)base;
    PerpDiskFile *file = view->file;
    if (may_write(file) && !write_all(file->descriptor, bytes, size, (off_t)at))
        file->failure = errno;
    if (file->failure)
        keep_lost(view, at, size, bytes);
    view->size = at + size > view->size ? at + size : view->size;
    return 0;
}

// Cutting a file off gives up the room that is reserved behind its end.
static herr_t truncate_file(H5FD_t *base, hid_t list, hbool_t closing)
{
    (void)list;
    View *view = (View *)base;
    if (view->size < view->allocated || (closing && view->size != view->allocated))
        set_size(view, view->allocated);
    return 0;
}

// The file is locked already; but HDF5 notes in a file that it is being written only if its driver
// knows locks.
static herr_t lock(H5FD_t *base, hbool_t exclusive)
{
    (void)base, (void)exclusive;
    return 0;
}

static herr_t unlock(H5FD_t *base)
{
    (void)base;
    return 0;
}

hid_t perp_disk_driver(void)
{
    static const H5FD_class_t driver = {
        .name = "perp",
        .maxaddr = ((haddr_t)1 << 62) - 1,
        .fc_degree = H5F_CLOSE_WEAK,
        .fapl_size = sizeof(Access),
        .open = open_view,
        .close = close_view,
        .query = query,
        .get_eoa = get_allocated,
        .set_eoa = set_allocated,
        .get_eof = get_size,
        .read = read_bytes,
        .write = write_bytes,
        .truncate = truncate_file,
        .lock = lock,
        .unlock = unlock,
        .fl_map = H5FD_FLMAP_DICHOTOMY,
    };
    return H5FDregister(&driver);
}

bool perp_disk_driver_set(hid_t access, hid_t driver, PerpDiskFile *file)
{
    return H5Pset_driver(access, driver, &(Access){file}) >= 0;
}
