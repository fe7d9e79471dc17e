// The bytes of a file or of standard input.
#define _POSIX_C_SOURCE 200809L

#include "io/text/input.h"

#include "base/error.h"
#include "base/memory.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

static const char HDF5_SIGNATURE[8] = {'\211', 'H', 'D', 'F', '\r', '\n', '\032', '\n'};

static PerpStatus fail_to_read(const char *path, int cause, PerpError *error)
{
    return perp_fail_at(error, PERP_NO_FILE, path, 0, 0, "cannot be read: %s", strerror(cause));
}

static PerpStatus make_room(PerpInput *input, size_t *room, const char *path, PerpError *error)
{
    if (input->size < *room)
        return PERP_OK;
    char *bytes = perp_resize(&input->allocator, input->bytes, *room * 2, 1);
    if (!bytes)
        return perp_fail_at(error, PERP_NO_MEMORY, path, 0, 0,
                            "out of memory while reading the file");
    input->bytes = bytes;
    *room *= 2;
    return PERP_OK;
}

static PerpStatus read_stream(FILE *stream, const char *path, size_t limit, PerpInput *input,
                              PerpError *error)
{
    size_t room = sizeof HDF5_SIGNATURE;
    input->bytes = perp_resize(&input->allocator, NULL, room, 1);
    if (!input->bytes)
        return perp_fail_at(error, PERP_NO_MEMORY, path, 0, 0,
                            "out of memory while reading the file");
    for (;;) {
        errno = 0;
        input->size += fread(input->bytes + input->size, 1, room - input->size, stream);
        if (ferror(stream))
            return fail_to_read(path, errno, error);
        if (room == sizeof HDF5_SIGNATURE && input->size == room &&
            memcmp(input->bytes, HDF5_SIGNATURE, room) == 0) {
            input->hdf5 = true;
            return PERP_OK;
        }
        if (input->size > limit)
            return perp_fail_at(error, PERP_BAD_SIZE, path, 0, 0,
                                "larger than %zu MiB, the limit for JSON and YAML", limit >> 20);
        if (feof(stream))
            return PERP_OK;
        PerpStatus status = make_room(input, &room, path, error);
        if (status)
            return status;
    }
}

PerpStatus perp_input_read(const PerpAllocator *allocator, const char *path, size_t limit,
                           PerpInput *input, PerpError *error)
{
    *input = (PerpInput){.allocator = *allocator};
    FILE *stream = fopen(path, "rb");
    if (!stream)
        return fail_to_read(path, errno, error);
    PerpStatus status = read_stream(stream, path, limit, input, error);
    fclose(stream);
    if (status)
        perp_input_free(input);
    return status;
}

bool perp_input_is_special(const char *path)
{
    struct stat state;
    return stat(path, &state) == 0 && !S_ISREG(state.st_mode);
}

void perp_input_free(PerpInput *input)
{
    perp_free(&input->allocator, input->bytes);
    input->bytes = NULL;
}
