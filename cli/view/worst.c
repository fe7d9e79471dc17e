// What the worst residual of each frame is of: numbers into a list of names.
#define _POSIX_C_SOURCE 200809L

#include "common/json.h"
#include "common/support.h"
#include "view/view.h"

#include <stdlib.h>
#include <string.h>

typedef struct Names {
    char (*name)[PERP_NAME_SIZE];
    uint32_t count, room;
} Names;

// The number of the name, which is added if it is new. Few are different, and most are recent.
static bool find_name(Names *names, const char *name, uint32_t *number)
{
    for (*number = names->count; (*number)-- > 0;)
        if (strcmp(names->name[*number], name) == 0)
            return true;
    if (names->count == names->room) {
        uint32_t room = 2 * names->room + 16;
        void *grown = realloc(names->name, room * sizeof *names->name);
        if (!grown)
            return false;
        names->name = grown;
        names->room = room;
    }
    *number = names->count;
    memcpy(names->name[names->count++], name, PERP_NAME_SIZE);
    return true;
}

static PerpStatus put_numbers(Bytes *bytes, PerpRecording *recording, const ViewPart *part,
                              Names *names, PerpError *error)
{
    for (long k = 0; k < part->count; k++) {
        char name[PERP_NAME_SIZE] = "";
        uint32_t number;
        PerpStatus status = perp_recording_worst(recording, view_frame(part, k), name, error);
        if (status)
            return status;
        if (!find_name(names, name, &number))
            return view_fail(error, PERP_NO_MEMORY, "no memory for the names of rows");
        bytes_u32(bytes, number);
    }
    return PERP_OK;
}

static PerpStatus put_names(Bytes *bytes, const Names *names, PerpError *error)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    bool whole = out != NULL;
    for (uint32_t k = 0; out && k < names->count; k++) {
        fputs(k ? ", " : "[", out);
        json_string(out, names->name[k]);
    }
    if (out) {
        fputs(names->count ? "]" : "[]", out);
        whole = fclose(out) == 0;
        bytes_put(bytes, text, whole ? size : 0);
        free(text);
    }
    return whole ? PERP_OK : view_fail(error, PERP_NO_MEMORY, "no memory for the names of rows");
}

PerpStatus view_put_worst(Bytes *bytes, PerpRecording *recording, const ViewPart *part,
                          PerpError *error)
{
    Names names = {0};
    size_t section = bytes_begin(bytes, "WRST");
    PerpStatus status = put_numbers(bytes, recording, part, &names, error);
    if (!status)
        status = put_names(bytes, &names, error);
    bytes_end(bytes, section);
    free(names.name);
    return status;
}
