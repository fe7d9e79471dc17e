// Faults of the file system, injected under a program by LD_PRELOAD. Counted are the calls that
// change regular files or their names. FAULT, an environment variable, says what happens:
//   kill:N    the process is killed before the N-th call
//   torn:N    likewise, but if it writes, the bytes up to the last page boundary arrive first
//   full:B    the disk has B bytes left: growth beyond them fails with ENOSPC
//   thin:B    likewise, on a disk that grants every reservation
//   fail:N    the N-th call fails with EIO, and so does every one after it
// FAULT_LOG, a path, gets a line for each call.
#define _GNU_SOURCE

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

typedef enum Fault { NONE, KILL, TORN, FULL, THIN, FAIL } Fault;

static Fault fault;
static long at;         // the call, or bytes left
static long calls;      // so far
static int log_to = -1; // descriptor

__attribute__((constructor)) static void read_environment(void)
{
    static const char *const words[] = {"", "kill:", "torn:", "full:", "thin:", "fail:"};
    const char *text = getenv("FAULT"), *path = getenv("FAULT_LOG");
    for (int k = KILL; text && k <= FAIL; k++)
        if (strncmp(text, words[k], strlen(words[k])) == 0) {
            fault = (Fault)k;
            at = atol(text + strlen(words[k]));
        }
    if (path)
        log_to = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC,
                              0644);
}

static void note(const char *what, long offset, long size)
{
    char line[128];
    int length = snprintf(line, sizeof line, "%ld %s %ld %ld\n", calls, what, offset, size);
    if (log_to >= 0)
        syscall(SYS_write, log_to, line, (size_t)length);
}

static bool is_regular(int descriptor)
{
    struct stat state;
    return descriptor != log_to && fstat(descriptor, &state) == 0 && S_ISREG(state.st_mode);
}

static void die(void)
{
    syscall(SYS_kill, getpid(), SIGKILL);
}

// Counts a call. True if it fails.
static bool enter(const char *what, long offset, long size)
{
    calls++;
    note(what, offset, size);
    if ((fault == KILL || (fault == TORN && strcmp(what, "write") != 0)) && calls == at)
        die();
    if (fault != FAIL || calls < at)
        return false;
    errno = EIO;
    return true;
}

// Room for the file's first `end` bytes: false if there is too little left.
static bool reserve(int descriptor, long end)
{
    enum { BLOCK = 4096 };
    struct stat state;
    if ((fault != FULL && fault != THIN) || fstat(descriptor, &state) != 0)
        return true;
    long held = (long)state.st_blocks * 512, needed = (end + BLOCK - 1) / BLOCK * BLOCK;
    if (needed <= held)
        return true;
    if (needed - held > at) {
        errno = ENOSPC;
        return false;
    }
    at -= needed - held;
    return true;
}

// --- the calls ----------------------------------------------------------------------------------

static ssize_t put(int descriptor, const void *bytes, size_t size, long offset)
{
    enum { PAGE = 4096 };
    if (!is_regular(descriptor))
        return syscall(SYS_pwrite64, descriptor, bytes, size, offset);
    if (enter("write", offset, (long)size))
        return -1;
    if (fault == TORN && calls == at) {
        long last = (offset + (long)size - 1) / PAGE * PAGE;
        if (last > offset)
            syscall(SYS_pwrite64, descriptor, bytes, (size_t)(last - offset), offset);
        die();
    }
    if (!reserve(descriptor, offset + (long)size))
        return -1;
    return syscall(SYS_pwrite64, descriptor, bytes, size, offset);
}

ssize_t pwrite(int descriptor, const void *bytes, size_t size, off_t offset)
{
    return put(descriptor, bytes, size, offset);
}

ssize_t pwrite64(int descriptor, const void *bytes, size_t size, off64_t offset)
{
    return put(descriptor, bytes, size, offset);
}

ssize_t write(int descriptor, const void *bytes, size_t size)
{
    off_t offset = lseek(descriptor, 0, SEEK_CUR);
    if (offset < 0 || !is_regular(descriptor))
        return syscall(SYS_write, descriptor, bytes, size);
    ssize_t written = put(descriptor, bytes, size, offset);
    if (written > 0)
        lseek(descriptor, written, SEEK_CUR);
    return written;
}

static int truncate_to(int descriptor, long size)
{
    if (is_regular(descriptor) && enter("truncate", size, 0))
        return -1;
    return (int)syscall(SYS_ftruncate, descriptor, size);
}

int ftruncate(int descriptor, off_t size)
{
    return truncate_to(descriptor, size);
}

int ftruncate64(int descriptor, off64_t size)
{
    return truncate_to(descriptor, size);
}

static int allocate(int descriptor, int mode, long offset, long size)
{
    if (is_regular(descriptor) && enter("allocate", offset, size))
        return -1;
    if (fault == THIN)
        return 0;
    if (!reserve(descriptor, offset + size))
        return -1;
    return (int)syscall(SYS_fallocate, descriptor, mode, offset, size);
}

int fallocate(int descriptor, int mode, off_t offset, off_t size)
{
    return allocate(descriptor, mode, offset, size);
}

int fallocate64(int descriptor, int mode, off64_t offset, off64_t size)
{
    return allocate(descriptor, mode, offset, size);
}

int posix_fallocate(int descriptor, off_t offset, off_t size)
{
    return allocate(descriptor, 0, offset, size) == 0 ? 0 : errno;
}

int posix_fallocate64(int descriptor, off64_t offset, off64_t size)
{
    return allocate(descriptor, 0, offset, size) == 0 ? 0 : errno;
}

int fsync(int descriptor)
{
    return enter("sync", 0, 0) ? -1 : (int)syscall(SYS_fsync, descriptor);
}

int fdatasync(int descriptor)
{
    return enter("sync", 0, 0) ? -1 : (int)syscall(SYS_fdatasync, descriptor);
}

int rename(const char *from, const char *to)
{
    return enter("rename", 0, 0) ? -1 : (int)syscall(SYS_renameat, AT_FDCWD, from, AT_FDCWD, to);
}

int link(const char *from, const char *to)
{
    return enter("link", 0, 0) ? -1 : (int)syscall(SYS_linkat, AT_FDCWD, from, AT_FDCWD, to, 0);
}

int unlink(const char *path)
{
    return enter("unlink", 0, 0) ? -1 : (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
}

int remove(const char *path)
{
    return unlink(path);
}

// Files that are made; reading is no concern of ours.
static int open_counted(const char *path, int flags, unsigned mode)
{
    if (flags & (O_CREAT | O_TRUNC) && enter("open", 0, 0))
        return -1;
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

int open(const char *path, int flags, ...)
{
    va_list more;
    va_start(more, flags);
    unsigned mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(more, unsigned) : 0;
    va_end(more);
    return open_counted(path, flags, mode);
}

int open64(const char *path, int flags, ...)
{
    va_list more;
    va_start(more, flags);
    unsigned mode = flags & (O_CREAT | O_TMPFILE) ? va_arg(more, unsigned) : 0;
    va_end(more);
    return open_counted(path, flags, mode);
}
