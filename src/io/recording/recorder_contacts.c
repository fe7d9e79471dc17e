// The contacts of a frame: from reports, one after the other, to columns. A block of reports at a
// time, which stays in the processor's nearest cache while the columns take their parts. A frame
// whose contacts are those of the frame before has the same rows.
#include "io/recording/recorder.h"

#include <string.h>

enum { BLOCK = 64 };

// The part of every report that a column takes: `width` values of one type that lie at `member`.
typedef struct Part {
    PerpWide wide;
    size_t member;
    size_t width;
} Part;

#define PART(wide, name, width)                                                                    \
    {                                                                                              \
        PERP_WIDE_CONTACT_##wide, offsetof(PerpContactReport, name), width                         \
    }
static const Part number_parts[] = {
    PART(POINT, point, 3),       PART(NORMAL, normal, 3),   PART(GAP, gap, 1),
    PART(VELOCITY, velocity, 3), PART(IMPULSE, impulse, 3), PART(MU, mu, 1),
    PART(RESIDUAL, residual, 1),
};
#undef PART

static inline void take_doubles(const PerpContactReport *from, int count, size_t member,
                                size_t width, double *to)
{
    for (int k = 0; k < count; k++)
        memcpy(to + (size_t)k * width, (const char *)&from[k] + member, width * sizeof *to);
}

static inline void take_floats(const PerpContactReport *from, int count, size_t member,
                               size_t width, float *to)
{
    for (int k = 0; k < count; k++) {
        const double *numbers = (const double *)((const char *)&from[k] + member);
        for (size_t i = 0; i < width; i++)
            *to++ = (float)numbers[i];
    }
}

// Widths that are known to the compiler.
static void take_numbers(const Part *part, PerpColumnType type, const PerpContactReport *from,
                         int count, void *to)
{
    if (type == PERP_COLUMN_DOUBLE && part->width == 3)
        take_doubles(from, count, part->member, 3, to);
    else if (type == PERP_COLUMN_DOUBLE)
        take_doubles(from, count, part->member, 1, to);
    else if (part->width == 3)
        take_floats(from, count, part->member, 3, to);
    else
        take_floats(from, count, part->member, 1, to);
}

static void take_names(const PerpContactReport *from, int count, uint64_t *id, int32_t (*body)[2],
                       int32_t (*shape)[2], uint8_t *status)
{
    for (int k = 0; k < count; k++) {
        id[k] = from[k].id;
        body[k][0] = from[k].body_a;
        body[k][1] = from[k].body_b;
        shape[k][0] = from[k].shape_a;
        shape[k][1] = from[k].shape_b;
        status[k] = (uint8_t)from[k].status;
    }
}

// rows: of each column, where those of `from` begin
static void take_block(const PerpRecorder *recorder, const PerpContactReport *from, int count,
                       char *const rows[PERP_WIDE_COUNT])
{
    for (size_t k = 0; k < sizeof number_parts / sizeof *number_parts; k++) {
        const Part *part = &number_parts[k];
        take_numbers(part, recorder->wide[part->wide].type, from, count, rows[part->wide]);
    }
    take_names(from, count, (uint64_t *)rows[PERP_WIDE_CONTACT_ID],
               (int32_t(*)[2])rows[PERP_WIDE_CONTACT_BODY],
               (int32_t(*)[2])rows[PERP_WIDE_CONTACT_SHAPE],
               (uint8_t *)rows[PERP_WIDE_CONTACT_STATUS]);
}

static bool add_rows(PerpRecorder *recorder, const PerpContactReport *contacts, int count)
{
    PerpColumn *wide = recorder->wide;
    char *rows[PERP_WIDE_COUNT] = {NULL};
    for (int w = PERP_WIDE_PER_FRAME; w < PERP_WIDE_CONTACT_END; w++)
        if (!(rows[w] = perp_column_add(&wide[w], (size_t)count)))
            return false;
    for (int k = 0; k < count; k += BLOCK) {
        int size = count - k < BLOCK ? count - k : BLOCK;
        take_block(recorder, contacts + k, size, rows);
        for (int w = PERP_WIDE_PER_FRAME; w < PERP_WIDE_CONTACT_END; w++)
            rows[w] += (size_t)size * wide[w].row_size;
    }
    return true;
}

// --- the same as before -------------------------------------------------------------------------

// As recorded: residuals are floats there, which is all that a resumed run knows of them.
static bool is_same(const PerpContactReport *a, const PerpContactReport *b)
{
    float of_a = (float)a->residual, of_b = (float)b->residual;
    return memcmp(a, b, offsetof(PerpContactReport, residual)) == 0 && a->status == b->status &&
           memcmp(&of_a, &of_b, sizeof of_a) == 0;
}

// Asked of recordings of every step alone: what the last frame's contacts were is known after a
// resume, too, so that the same rows follow.
static bool repeats(const PerpRecorder *recorder, const PerpContactReport *contacts, int count)
{
    if (recorder->every != 1 || recorder->contacts.count != count)
        return false;
    for (int k = 0; k < count; k++)
        if (!is_same(&contacts[k], &recorder->contacts.items[k]))
            return false;
    return true;
}

bool perp_recorder_keep_contacts(PerpRecorder *recorder)
{
    PerpFrameContacts *copy = &recorder->contacts;
    int count;
    const PerpContactReport *contacts = perp_simulation_contacts(recorder->simulation, &count);
    if (count > copy->room) {
        PerpContactReport *larger = perp_resize(&recorder->context.allocator, copy->items,
                                                2 * (size_t)count, sizeof *larger);
        if (!larger)
            return false;
        copy->items = larger;
        copy->room = 2 * count;
    }
    if (count > 0)
        memcpy(copy->items, contacts, (size_t)count * sizeof *contacts);
    copy->count = count;
    return true;
}

bool perp_recorder_add_contacts(PerpRecorder *recorder)
{
    PerpColumn *wide = recorder->wide;
    int count;
    if (wide[PERP_WIDE_CONTACT_START].set < 0)
        return true;
    const PerpContactReport *contacts = perp_simulation_contacts(recorder->simulation, &count);
    int64_t *start = perp_column_add(&wide[PERP_WIDE_CONTACT_START], 1);
    int32_t *counted = perp_column_add(&wide[PERP_WIDE_CONTACT_COUNT], 1);
    if (!start || !counted)
        return false;
    bool again = repeats(recorder, contacts, count);
    *start = (int64_t)perp_column_rows(&wide[PERP_WIDE_CONTACT_ID]) - (again ? count : 0);
    *counted = count;
    return again || (add_rows(recorder, contacts, count) && perp_recorder_keep_contacts(recorder));
}
