// Files written under a temporary name, then renamed.
#define _POSIX_C_SOURCE 200809L

#include "io/text/output.h"

#include "base/error.h"
#include "io/text/c_locale.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NAMES_TRIED = 100 };

typedef struct Output {
    const char *path;
    char temporary[PERP_PATH_SIZE]; // exists, and is empty at first
} Output;

static PerpStatus fail_to_write(const char *path, int cause, PerpError *error)
{
    return perp_fail_at(error, PERP_NO_FILE, path, 0, 0, "cannot be written: %s", strerror(cause));
}

// 0666 less the umask, as any new file; mkstemp would keep it from everybody else.
static int create_temporary(Output *output)
{
    int handle = -1;
    errno = EEXIST;
    for (int k = 0; handle < 0 && errno == EEXIST && k < NAMES_TRIED; k++) {
        int length = snprintf(output->temporary, sizeof output->temporary, "%s.%ld-%d",
                              output->path, (long)getpid(), k);
        if (length >= (int)sizeof output->temporary) {
            errno = ENAMETOOLONG;
            return -1;
        }
        handle = open(output->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    }
    return handle;
}

static PerpStatus begin(Output *output, const char *path, PerpError *error)
{
    struct stat state;
    *output = (Output){.path = path};
    if (stat(path, &state) == 0 && !S_ISREG(state.st_mode))
        return perp_fail_at(error, PERP_NO_FILE, path, 0, 0,
                            "cannot be written: not a regular file");
    int handle = create_temporary(output);
    if (handle < 0)
        return fail_to_write(path, errno, error);
    close(handle);
    return PERP_OK;
}

// Gives the file its name if status is OK, and removes it if not.
static PerpStatus end(const Output *output, PerpStatus status, PerpError *error)
{
    if (!status && rename(output->temporary, output->path) != 0)
        status = fail_to_write(output->path, errno, error);
    if (status)
        unlink(output->temporary);
    return status;
}

static PerpStatus write_stream(const Output *output,
                               PerpStatus (*write)(FILE *, void *, PerpError *), void *what,
                               PerpError *error)
{
    FILE *stream = fopen(output->temporary, "wb");
    if (!stream)
        return fail_to_write(output->path, errno, error);
    errno = 0;
    PerpStatus status = write(stream, what, error);
    bool failed = ferror(stream) != 0;
    int cause = errno;
    if (fclose(stream) != 0) {
        cause = failed ? cause : errno;
        failed = true;
    }
    return failed ? fail_to_write(output->path, cause ? cause : EIO, error) : status;
}

PerpStatus perp_output_checked(const char *path,
                               PerpStatus (*write)(FILE *stream, void *what, PerpError *error),
                               void *what, PerpError *error)
{
    Output output;
    PerpCLocale locale;
    PerpStatus status = begin(&output, path, error);
    if (status)
        return status;
    if (perp_c_locale_enter(&locale)) {
        status = write_stream(&output, write, what, error);
        perp_c_locale_leave(&locale);
    } else {
        status = perp_fail_at(error, PERP_NO_MEMORY, path, 0, 0, "out of memory while writing");
    }
    return end(&output, status, error);
}

// --- writers that cannot fail by themselves -----------------------------------------------------

typedef struct Sure {
    void (*write)(FILE *stream, const void *what);
    const void *what;
} Sure;

static PerpStatus write_surely(FILE *stream, void *what, PerpError *error)
{
    const Sure *sure = what;
    (void)error;
    sure->write(stream, sure->what);
    return PERP_OK;
}

PerpStatus perp_output(const char *path, void (*write)(FILE *stream, const void *what),
                       const void *what, PerpError *error)
{
    Sure sure = {write, what};
    return perp_output_checked(path, write_surely, &sure, error);
}
