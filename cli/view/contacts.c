// Contacts of the payload: columns over all contacts of all frames, each number as a difference
// from the same contact in the frame before, which mostly is 0.
#include "view/view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WORD_COLUMNS = 13 };

typedef struct Contact {
    unsigned long long id;
    int body_a, body_b;
    double point[3];
    uint16_t word[WORD_COLUMNS]; // in the order of the payload; the first three are the point
} Contact;

typedef struct Contacts {
    Contact *all;
    size_t count, room;
    size_t frames;
    size_t *first;   // of each frame that has them
    int32_t *counts; // of each frame, -1 if left out
    uint32_t *link;  // 1 + the same contact in the frame before, 0: new
} Contacts;

// --- one contact --------------------------------------------------------------------------------

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void across(const double v[3], const double n[3], double out[3])
{
    double along = dot(v, n);
    for (int k = 0; k < 3; k++)
        out[k] = v[k] - along * n[k];
}

// Two directions perpendicular to n, as the page makes them [Duff et al. 2017].
static void make_tangents(const double n[3], double s[3], double t[3])
{
    double sign = n[2] >= 0 ? 1 : -1, a = -1 / (sign + n[2]), b = n[0] * n[1] * a;
    double first[3] = {1 + sign * n[0] * n[0] * a, sign * b, -sign * n[0]};
    double second[3] = {b, sign + n[1] * n[1] * a, -n[1]};
    memcpy(s, first, sizeof first);
    memcpy(t, second, sizeof second);
}

// Of rounding errors, the size is enough; the largest word says that nothing is known.
static uint16_t code_residual(double residual)
{
    return isnan(residual) ? 65535 : (uint16_t)(code_log(residual) & ~63);
}

static void code_impulse(const PerpRecordedContact *from, Contact *to)
{
    double n[3], s[3], t[3], c_t[3], v_t[3];
    double c_n = dot(from->impulse, from->normal);
    across(from->impulse, from->normal, c_t);
    across(from->velocity, from->normal, v_t);
    decode_direction(to->word + 3, n);
    make_tangents(n, s, t);
    double side = sqrt(dot(c_t, c_t)), bound = from->mu * c_n;
    double cone = bound > 0 ? side / bound : 0;
    double angle = side > 0 ? atan2(dot(c_t, t), dot(c_t, s)) / (2 * acos(-1)) : 0;
    to->word[5] = code_log(c_n);
    to->word[6] = (uint16_t)fmin(round(4096 * cone), 65535);
    // 256 directions are enough for an arrow
    to->word[7] = (uint16_t)((long)lround(256 * (angle + 1)) % 256 * 256);
    to->word[8] = code_log(from->mu);
    to->word[9] = code_signed_log(from->gap);
    to->word[10] = code_log(sqrt(dot(v_t, v_t)));
    to->word[11] = code_residual(from->residual);
    to->word[12] = (uint16_t)from->status;
}

static Contact code_contact(const PerpRecordedContact *from)
{
    Contact to = {.id = from->id, .body_a = from->body_a, .body_b = from->body_b};
    memcpy(to.point, from->point, sizeof to.point);
    code_direction(from->normal, to.word + 3);
    code_impulse(from, &to);
    return to;
}

// --- all contacts -------------------------------------------------------------------------------

static PerpStatus add_frame(Contacts *contacts, const PerpRecordedContact *from, int count,
                            PerpError *error)
{
    if (contacts->count + (size_t)count > contacts->room) {
        size_t room = 2 * (contacts->count + (size_t)count);
        Contact *all = realloc(contacts->all, room * sizeof *all);
        if (!all)
            return view_fail(error, PERP_NO_MEMORY, "no memory for the contacts");
        contacts->all = all;
        contacts->room = room;
    }
    for (int k = 0; k < count; k++)
        contacts->all[contacts->count++] = code_contact(&from[k]);
    return PERP_OK;
}

static PerpStatus read_contacts(PerpRecording *recording, const ViewPart *part, Contacts *contacts,
                                PerpError *error)
{
    for (size_t k = 0; k < contacts->frames; k++) {
        contacts->counts[k] = -1;
        contacts->first[k] = contacts->count;
        if ((long)k % part->contact_stride != 0)
            continue;
        const PerpRecordedContact *from;
        PerpStatus status = perp_recording_contacts(recording, view_frame(part, (long)k), &from,
                                                    &contacts->counts[k], error);
        if (!status)
            status = add_frame(contacts, from, contacts->counts[k], error);
        if (status)
            return status;
    }
    return PERP_OK;
}

// Points on a grid of 65536 steps over the box of all contacts.
static void code_points(Contacts *contacts, float low[3], float unit[3])
{
    for (int axis = 0; axis < 3; axis++) {
        double least = INFINITY, most = -INFINITY;
        for (size_t k = 0; k < contacts->count; k++) {
            least = fmin(least, contacts->all[k].point[axis]);
            most = fmax(most, contacts->all[k].point[axis]);
        }
        low[axis] = contacts->count ? (float)least : 0;
        unit[axis] = contacts->count ? (float)((most - low[axis]) / 65535) : 0;
        for (size_t k = 0; k < contacts->count; k++) {
            double step = (contacts->all[k].point[axis] - low[axis]) / unit[axis];
            contacts->all[k].word[axis] =
                unit[axis] > 0 ? (uint16_t)fmin(fmax(round(step), 0), 65535) : 0;
        }
    }
}

// --- links between frames -----------------------------------------------------------------------

typedef struct Key {
    unsigned long long id;
    uint32_t index;
} Key;

static int compare_keys(const void *a, const void *b)
{
    const Key *x = a, *y = b;
    if (x->id != y->id)
        return x->id < y->id ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

static void list_keys(const Contacts *contacts, size_t frame, Key *keys)
{
    size_t count = (size_t)contacts->counts[frame];
    for (size_t k = 0; k < count; k++)
        keys[k] = (Key){contacts->all[contacts->first[frame] + k].id, (uint32_t)k};
    qsort(keys, count, sizeof *keys, compare_keys);
}

// Merges the sorted ids of two frames.
static void link_frames(const Contacts *contacts, size_t frame, const Key *keys, const Key *before,
                        size_t n_before)
{
    size_t at = 0;
    for (size_t k = 0; k < (size_t)contacts->counts[frame]; k++) {
        while (at < n_before && before[at].id < keys[k].id)
            at++;
        bool same = at < n_before && before[at].id == keys[k].id;
        contacts->link[contacts->first[frame] + keys[k].index] = same ? before[at++].index + 1 : 0;
    }
}

static PerpStatus link_all(const Contacts *contacts, PerpError *error)
{
    Key *keys = malloc(2 * (contacts->count + 1) * sizeof *keys), *before = keys;
    size_t n_before = 0;
    if (!keys)
        return view_fail(error, PERP_NO_MEMORY, "no memory for the contacts");
    for (size_t k = 0; k < contacts->frames; k++) {
        if (contacts->counts[k] < 0)
            continue;
        Key *now = before == keys ? keys + contacts->count + 1 : keys;
        list_keys(contacts, k, now);
        link_frames(contacts, k, now, before, n_before);
        before = now;
        n_before = (size_t)contacts->counts[k];
    }
    free(keys);
    return PERP_OK;
}

// --- columns ------------------------------------------------------------------------------------

// calls visit(contact, the same one before or NULL) in the order of the payload
typedef void Visit(void *out, size_t index, const Contact *now, const Contact *before, int column);

static void visit_all(const Contacts *contacts, Visit *visit, void *out, int column)
{
    size_t before = 0;
    for (size_t k = 0; k < contacts->frames; k++) {
        for (int i = 0; i < contacts->counts[k]; i++) {
            size_t index = contacts->first[k] + (size_t)i;
            uint32_t link = contacts->link[index];
            visit(out, index, &contacts->all[index],
                  link ? &contacts->all[before + link - 1] : NULL, column);
        }
        if (contacts->counts[k] >= 0)
            before = contacts->first[k];
    }
}

static void write_word(void *out, size_t index, const Contact *now, const Contact *before,
                       int column)
{
    uint16_t old = before ? before->word[column] : 0;
    ((uint16_t *)out)[index] = (uint16_t)(now->word[column] - old);
}

static uint32_t body_of(const Contact *contact, int side)
{
    return (uint32_t)((side == 0 ? contact->body_a : contact->body_b) + 1);
}

static void write_body(void *out, size_t index, const Contact *now, const Contact *before, int side)
{
    ((uint32_t *)out)[index] = body_of(now, side) - (before ? body_of(before, side) : 0);
}

// Contacts that stay keep their order: most links follow the one before.
static void put_links(Bytes *bytes, const Contacts *contacts, uint32_t *code)
{
    for (size_t k = 0; k < contacts->frames; k++) {
        uint32_t last = 0;
        for (int i = 0; i < contacts->counts[k]; i++) {
            size_t index = contacts->first[k] + (size_t)i;
            code[index] = contacts->link[index] - (last + 1);
            last = contacts->link[index];
        }
    }
    bytes_planes32(bytes, code, contacts->count);
}

static void put_columns(Bytes *bytes, const Contacts *contacts, uint32_t *scratch)
{
    put_links(bytes, contacts, scratch);
    for (int side = 0; side < 2; side++) {
        visit_all(contacts, write_body, scratch, side);
        bytes_planes32(bytes, scratch, contacts->count);
    }
    for (int column = 0; column < WORD_COLUMNS; column++) {
        visit_all(contacts, write_word, scratch, column);
        bytes_planes16(bytes, (const uint16_t *)(const void *)scratch, contacts->count);
    }
}

// --- the section --------------------------------------------------------------------------------

static PerpStatus put_section(Bytes *bytes, Contacts *contacts, PerpError *error)
{
    float low[3], unit[3];
    contacts->link = calloc(contacts->count + 1, sizeof *contacts->link);
    uint32_t *scratch = malloc((contacts->count + 1) * sizeof *scratch);
    PerpStatus status = contacts->link && scratch
                            ? link_all(contacts, error)
                            : view_fail(error, PERP_NO_MEMORY, "no memory for the contacts");
    if (!status) {
        code_points(contacts, low, unit);
        size_t section = bytes_begin(bytes, "CONT");
        for (int axis = 0; axis < 3; axis++)
            bytes_f32(bytes, low[axis]);
        for (int axis = 0; axis < 3; axis++)
            bytes_f32(bytes, unit[axis]);
        for (size_t k = 0; k < contacts->frames; k++)
            bytes_u32(bytes, (uint32_t)contacts->counts[k]);
        put_columns(bytes, contacts, scratch);
        bytes_end(bytes, section);
    }
    free(scratch);
    return status;
}

PerpStatus view_put_contacts(Bytes *bytes, PerpRecording *recording, const ViewPart *part,
                             PerpError *error)
{
    Contacts contacts = {.frames = (size_t)part->count};
    contacts.first = calloc(contacts.frames + 1, sizeof *contacts.first);
    contacts.counts = calloc(contacts.frames + 1, sizeof *contacts.counts);
    PerpStatus status = contacts.first && contacts.counts
                            ? read_contacts(recording, part, &contacts, error)
                            : view_fail(error, PERP_NO_MEMORY, "no memory for the contacts");
    if (!status)
        status = put_section(bytes, &contacts, error);
    free(contacts.first);
    free(contacts.counts);
    free(contacts.link);
    free(contacts.all);
    return status;
}
