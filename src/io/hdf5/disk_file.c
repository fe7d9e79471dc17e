// A file of a single writer: its lock, and the room that is reserved for it on the disk.
#define _GNU_SOURCE // fallocate, locks of open file descriptions

#include "io/hdf5/disk_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

enum { STEP = 2 << 20 }; // bytes taken at a time, if there are as many

// --- opening ------------------------------------------------------------------------------------

static bool open_with(PerpDiskFile *file, const char *path, int flags)
{
    *file = (PerpDiskFile){.descriptor = open(path, O_RDWR | O_CLOEXEC | flags, 0666),
                           .process = (long)getpid()};
    return file->descriptor >= 0;
}

bool perp_disk_file_create(PerpDiskFile *file, const char *path)
{
    return open_with(file, path, O_CREAT | O_EXCL);
}

bool perp_disk_file_open(PerpDiskFile *file, const char *path)
{
    return open_with(file, path, 0);
}

void perp_disk_file_close(PerpDiskFile *file)
{
    if (file->descriptor >= 0)
        close(file->descriptor);
    file->descriptor = -1;
}

bool perp_disk_file_has_name(const PerpDiskFile *file, const char *path)
{
    struct stat mine, named;
    return fstat(file->descriptor, &mine) == 0 && stat(path, &named) == 0 &&
           mine.st_dev == named.st_dev && mine.st_ino == named.st_ino;
}

// --- the lock -----------------------------------------------------------------------------------

// Two bytes behind any file's end. The lock on the first belongs to the open file: it ends with
// the process at the latest, and not because a reader in this process closes the file. That on the
// second belongs to the process, so that others can ask for its number; it decides nothing.
static struct flock lock_at(int byte)
{
    return (struct flock){
        .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = ((off_t)1 << 62) + byte, .l_len = 1};
}

bool perp_disk_file_lock(PerpDiskFile *file)
{
    struct flock exclusive = lock_at(0);
    if (fcntl(file->descriptor, F_OFD_SETLK, &exclusive) != 0)
        return false;
    perp_disk_file_announce(file);
    return true;
}

void perp_disk_file_announce(const PerpDiskFile *file)
{
    struct flock named = lock_at(1);
    if (file->descriptor >= 0)
        fcntl(file->descriptor, F_SETLK, &named);
}

long perp_disk_file_owner(const PerpDiskFile *file)
{
    struct flock named = lock_at(1);
    if (fcntl(file->descriptor, F_GETLK, &named) != 0 || named.l_type == F_UNLCK)
        return 0;
    return named.l_pid;
}

// --- room ---------------------------------------------------------------------------------------

// Blocks behind the end of the file, so that after a kill its size tells what was written. Where
// the file system has no such blocks it may yet be able to grow.
static bool take(PerpDiskFile *file, size_t end)
{
    struct rlimit limit; // on the size of files, of which these blocks are no part yet
    if (getrlimit(RLIMIT_FSIZE, &limit) == 0 && end > limit.rlim_cur)
        return false;
    off_t from = (off_t)file->reserved, size = (off_t)(end - file->reserved);
    if (fallocate(file->descriptor, FALLOC_FL_KEEP_SIZE, from, size) != 0 &&
        (errno != EOPNOTSUPP || posix_fallocate(file->descriptor, from, size) != 0))
        return false;
    file->reserved = end;
    return true;
}

bool perp_disk_file_reserve(PerpDiskFile *file, size_t end)
{
    return end <= file->reserved || take(file, end + STEP) || take(file, end);
}

void perp_disk_file_trim(PerpDiskFile *file, size_t end)
{
    if (!file->failure && ftruncate(file->descriptor, (off_t)end) == 0)
        file->reserved = end;
}

// Some file systems cannot: EINVAL.
void perp_disk_file_sync(PerpDiskFile *file)
{
    if (!file->failure && fsync(file->descriptor) != 0 && errno != EINVAL)
        file->failure = errno;
}
