// Contacts and events of a recording.
#include "io/recording/recording.h"

#include "base/error.h"

#include <limits.h>
#include <string.h>

enum { ROW_BYTES = 24 }; // of the widest row of a contact column

static PerpStatus out_of_memory(PerpError *error)
{
    return perp_fail(error, PERP_NO_MEMORY, "%s", perp_status_text(PERP_NO_MEMORY));
}

static PerpStatus make_room(PerpRecording *recording, int count, PerpError *error)
{
    if (count <= recording->contact_room)
        return PERP_OK;
    const PerpAllocator *allocator = &recording->context.allocator;
    PerpRecordedContact *contacts =
        perp_resize(allocator, recording->contacts, (size_t)count, sizeof *contacts);
    if (contacts)
        recording->contacts = contacts;
    char *scratch = perp_resize(allocator, recording->scratch, (size_t)count, ROW_BYTES);
    if (scratch)
        recording->scratch = scratch;
    if (!contacts || !scratch)
        return out_of_memory(error);
    recording->contact_room = count;
    return PERP_OK;
}

// Numbers of a column go to a member of every contact.
static PerpStatus read_numbers(PerpRecording *recording, PerpWide wide, int64_t first, int count,
                               size_t member, int width, PerpError *error)
{
    double *numbers = (double *)recording->scratch;
    PerpStatus status =
        perp_recording_numbers(recording, &recording->wide[wide], first, count, numbers, error);
    for (int k = 0; !status && k < count; k++)
        memcpy((char *)&recording->contacts[k] + member, numbers + (size_t)k * (size_t)width,
               (size_t)width * sizeof *numbers);
    return status;
}

static PerpStatus read_ids(PerpRecording *recording, int64_t first, int count, PerpError *error)
{
    uint64_t *ids = (uint64_t *)recording->scratch;
    PerpStatus status = perp_recording_rows(recording, &recording->wide[PERP_WIDE_CONTACT_ID],
                                            first, count, ids, error);
    for (int k = 0; !status && k < count; k++)
        recording->contacts[k].id = ids[k];
    return status;
}

static bool is_within(int index, int count)
{
    return index >= -1 && index < count;
}

static PerpStatus read_pairs(PerpRecording *recording, PerpWide wide, int64_t first, int count,
                             int limit, PerpError *error)
{
    int32_t *pairs = (int32_t *)recording->scratch;
    const PerpReadColumn *column = &recording->wide[wide];
    PerpStatus status = perp_recording_rows(recording, column, first, count, pairs, error);
    for (int k = 0; !status && k < count; k++) {
        int a = pairs[2 * k], b = pairs[2 * k + 1];
        PerpRecordedContact *c = &recording->contacts[k];
        if (!is_within(a, limit) || !is_within(b, limit))
            return perp_recording_fail(recording, PERP_BAD_VALUE, column->def.name,
                                       "no such body or shape", error);
        *(wide == PERP_WIDE_CONTACT_BODY ? &c->body_a : &c->shape_a) = a;
        *(wide == PERP_WIDE_CONTACT_BODY ? &c->body_b : &c->shape_b) = b;
    }
    return status;
}

static PerpStatus read_status(PerpRecording *recording, int64_t first, int count, PerpError *error)
{
    uint8_t *numbers = (uint8_t *)recording->scratch;
    const PerpReadColumn *column = &recording->wide[PERP_WIDE_CONTACT_STATUS];
    PerpStatus status = perp_recording_rows(recording, column, first, count, numbers, error);
    for (int k = 0; !status && k < count; k++) {
        if (numbers[k] >= PERP_CONTACT_STATUS_COUNT)
            return perp_recording_fail(recording, PERP_BAD_VALUE, column->def.name,
                                       "no such status", error);
        recording->contacts[k].status = (PerpContactStatus)numbers[k];
    }
    return status;
}

static PerpStatus read_contacts(PerpRecording *recording, int64_t first, int count,
                                PerpError *error)
{
#define MEMBER(name) offsetof(PerpRecordedContact, name)
    static const struct {
        PerpWide wide;
        size_t member;
        int width;
    } numbers[] = {
        {PERP_WIDE_CONTACT_POINT, MEMBER(point), 3},
        {PERP_WIDE_CONTACT_NORMAL, MEMBER(normal), 3},
        {PERP_WIDE_CONTACT_GAP, MEMBER(gap), 1},
        {PERP_WIDE_CONTACT_VELOCITY, MEMBER(velocity), 3},
        {PERP_WIDE_CONTACT_IMPULSE, MEMBER(impulse), 3},
        {PERP_WIDE_CONTACT_MU, MEMBER(mu), 1},
        {PERP_WIDE_CONTACT_RESIDUAL, MEMBER(residual), 1},
    };
#undef MEMBER
    PerpStatus status = read_ids(recording, first, count, error);
    for (size_t k = 0; !status && k < sizeof numbers / sizeof *numbers; k++)
        status = read_numbers(recording, numbers[k].wide, first, count, numbers[k].member,
                              numbers[k].width, error);
    if (!status)
        status = read_pairs(recording, PERP_WIDE_CONTACT_BODY, first, count, recording->info.bodies,
                            error);
    if (!status)
        status = read_pairs(recording, PERP_WIDE_CONTACT_SHAPE, first, count,
                            recording->info.shapes, error);
    return status ? status : read_status(recording, first, count, error);
}

PerpStatus perp_recording_contacts(PerpRecording *recording, long frame,
                                   const PerpRecordedContact **contacts, int *count,
                                   PerpError *error)
{
    int64_t start = 0;
    int32_t found = 0;
    *contacts = NULL;
    *count = 0;
    if (frame < 0 || frame >= recording->info.frames)
        return perp_recording_fail(recording, PERP_BAD_SIZE, "contacts", "no such frame", error);
    PerpStatus status = perp_recording_rows(recording, &recording->wide[PERP_WIDE_CONTACT_START],
                                            frame, 1, &start, error);
    if (!status)
        status = perp_recording_rows(recording, &recording->wide[PERP_WIDE_CONTACT_COUNT], frame, 1,
                                     &found, error);
    if (!status && (found < 0 || start < 0 ||
                    start > recording->wide[PERP_WIDE_CONTACT_ID].rows - (int64_t)found))
        status = perp_recording_fail(recording, PERP_BAD_VALUE, "contacts/count",
                                     "more than there are", error);
    if (!status)
        status = make_room(recording, found, error);
    if (!status)
        status = read_contacts(recording, start, found, error);
    if (!status) {
        *contacts = recording->contacts;
        *count = found;
    }
    return status;
}

// --- events -------------------------------------------------------------------------------------

long perp_recording_events(const PerpRecording *recording)
{
    return recording->events;
}

PerpStatus perp_recording_event(PerpRecording *recording, long index, PerpRecordedEvent *event,
                                PerpError *error)
{
    int32_t body[2] = {-1, -1}, joint = -1;
    int64_t step = 0, frame = 0;
    uint8_t kind = 0;
    const struct {
        PerpWide wide;
        void *to;
    } parts[] = {
        {PERP_WIDE_EVENT_TIME, &event->t},    {PERP_WIDE_EVENT_STEP, &step},
        {PERP_WIDE_EVENT_FRAME, &frame},      {PERP_WIDE_EVENT_KIND, &kind},
        {PERP_WIDE_EVENT_BODY, body},         {PERP_WIDE_EVENT_JOINT, &joint},
        {PERP_WIDE_EVENT_SIZE, &event->size},
    };
    PerpStatus status = PERP_OK;
    if (index < 0 || index >= recording->events)
        status = perp_recording_fail(recording, PERP_BAD_SIZE, "events", "no such event", error);
    for (size_t k = 0; !status && k < sizeof parts / sizeof *parts; k++)
        status = perp_recording_rows(recording, &recording->wide[parts[k].wide], index, 1,
                                     parts[k].to, error);
    if (!status && (kind >= PERP_EVENT_KIND_COUNT || !is_within(body[0], recording->info.bodies) ||
                    !is_within(body[1], recording->info.bodies) ||
                    !is_within(joint, recording->info.joints) || step < 0 || frame < 0))
        status =
            perp_recording_fail(recording, PERP_BAD_VALUE, "events", "an unknown event", error);
    event->step = (long)step;
    event->frame = frame < recording->info.frames ? (long)frame : recording->info.frames - 1;
    event->kind = (PerpEventKind)kind;
    event->body_a = body[0];
    event->body_b = body[1];
    event->joint = joint;
    return status;
}
