// NPZ: a zip archive of .npy files, stored without compression. [APPNOTE.TXT 6.3.9, NEP 1]
#include "base/error.h"
#include "base/memory.h"
#include "io/export/export.h"

#include <string.h>
#include <zlib.h>

enum { LOCAL_HEADER = 30, PREAMBLE = 128, MOST_ENTRIES = 128, NAME_SIZE = 64 };

typedef struct Entry {
    char name[NAME_SIZE];
    uint32_t crc, size, offset;
} Entry;

typedef struct Archive {
    PerpExport *x;
    FILE *stream;
    int n_entries;
    Entry entries[MOST_ENTRIES];
    uint32_t crc;   // of the entry being written
    uint64_t size;  //
    bool too_large; // for the 32-bit fields of a zip file
} Archive;

// --- zip ----------------------------------------------------------------------------------------

static void put_entry_fields(FILE *stream, const Entry *entry)
{
    perp_put_u16(stream, 0);           // flags
    perp_put_u16(stream, 0);           // stored
    perp_put_u32(stream, 0x00210000);  // 1980-01-01: no wall-clock in results
    perp_put_u32(stream, entry->crc);  //
    perp_put_u32(stream, entry->size); // compressed
    perp_put_u32(stream, entry->size); //
    perp_put_u16(stream, (unsigned)strlen(entry->name));
    perp_put_u16(stream, 0); // extra
}

static void put_local_header(FILE *stream, const Entry *entry)
{
    perp_put_u32(stream, 0x04034b50);
    perp_put_u16(stream, 20);
    put_entry_fields(stream, entry);
}

static void put_directory(const Archive *archive)
{
    FILE *stream = archive->stream;
    long start = ftell(stream);
    for (int k = 0; k < archive->n_entries; k++) {
        const Entry *entry = &archive->entries[k];
        perp_put_u32(stream, 0x02014b50);
        perp_put_u16(stream, 20);
        perp_put_u16(stream, 20);
        put_entry_fields(stream, entry);
        perp_put_u16(stream, 0); // comment
        perp_put_u16(stream, 0); // disk
        perp_put_u16(stream, 0); // attributes
        perp_put_u32(stream, 0); //
        perp_put_u32(stream, entry->offset);
        fputs(entry->name, stream);
    }
    long end = ftell(stream);
    perp_put_u32(stream, 0x06054b50);
    perp_put_u16(stream, 0);
    perp_put_u16(stream, 0);
    perp_put_u16(stream, (unsigned)archive->n_entries);
    perp_put_u16(stream, (unsigned)archive->n_entries);
    perp_put_u32(stream, (uint32_t)(end - start));
    perp_put_u32(stream, (uint32_t)start);
    perp_put_u16(stream, 0);
}

static void put_data(Archive *archive, const void *data, size_t size)
{
    fwrite(data, 1, size, archive->stream);
    archive->crc = (uint32_t)crc32_z(archive->crc, data, size);
    archive->size += size;
}

// --- npy ----------------------------------------------------------------------------------------

// A file of version 1.0: magic, length of the header, a Python literal padded to 128 bytes.
static void begin_array(Archive *archive, const char *name, const char *type, const char *shape)
{
    unsigned char preamble[PREAMBLE];
    Entry *entry = &archive->entries[archive->n_entries];
    *entry = (Entry){.offset = (uint32_t)ftell(archive->stream)};
    snprintf(entry->name, sizeof entry->name, "%s.npy", name);
    put_local_header(archive->stream, entry);
    fputs(entry->name, archive->stream);
    archive->crc = (uint32_t)crc32(0, NULL, 0);
    archive->size = 0;
    memcpy(preamble, "\x93NUMPY\x01\x00\x76\x00", 10);
    int length = snprintf((char *)preamble + 10, PREAMBLE - 10,
                          "{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", type, shape);
    memset(preamble + 10 + length, ' ', (size_t)(PREAMBLE - 10 - length));
    preamble[PREAMBLE - 1] = '\n';
    put_data(archive, preamble, PREAMBLE);
}

// Goes back and fills in what the header could not know.
static void end_array(Archive *archive)
{
    Entry *entry = &archive->entries[archive->n_entries++];
    long end = ftell(archive->stream);
    if (end < 0 || (uint64_t)end > UINT32_MAX - (1 << 20) || archive->n_entries == MOST_ENTRIES)
        archive->too_large = true;
    entry->crc = archive->crc;
    entry->size = (uint32_t)archive->size;
    fseek(archive->stream, (long)entry->offset, SEEK_SET);
    put_local_header(archive->stream, entry);
    fseek(archive->stream, end, SEEK_SET);
}

// The machine's doubles are little-endian wherever perp runs.
static void put_doubles(Archive *archive, const double *numbers, size_t count)
{
    put_data(archive, numbers, count * sizeof *numbers);
}

static void put_integers(Archive *archive, const int64_t *numbers, size_t count)
{
    put_data(archive, numbers, count * sizeof *numbers);
}

// --- series, motion -----------------------------------------------------------------------------

static PerpStatus put_series(Archive *archive, const char *name, PerpError *error)
{
    PerpExport *x = archive->x;
    double *values;
    char shape[32];
    PerpStatus status = perp_export_series(x, name, &values, error);
    if (status)
        return status;
    snprintf(shape, sizeof shape, "%ld,", x->frames);
    begin_array(archive, name, "<f8", shape);
    put_doubles(archive, values, (size_t)x->frames);
    end_array(archive);
    perp_free(&x->context->allocator, values);
    return PERP_OK;
}

static PerpStatus put_all_series(Archive *archive, PerpError *error)
{
    PerpStatus status = PERP_OK;
    for (int k = 0; !status && k < perp_recording_series_count(); k++)
        if (perp_recording_has(archive->x->recording, perp_recording_series_name(k)))
            status = put_series(archive, perp_recording_series_name(k), error);
    return status;
}

static PerpStatus put_motion(Archive *archive, bool poses, PerpError *error)
{
    PerpExport *x = archive->x;
    char shape[64];
    const char *name = poses ? "pose" : "velocity";
    if (!perp_recording_has(x->recording, name))
        return PERP_OK;
    PerpStatus status = PERP_OK;
    int width = poses ? 7 : 6;
    snprintf(shape, sizeof shape, "%ld, %d, %d", x->frames, x->info->bodies, width);
    begin_array(archive, name, "<f8", shape);
    for (long k = 0; !status && k < x->frames; k++) {
        const double *pose, *velocity;
        status = perp_export_motion(x, k, &pose, &velocity, error);
        if (!status)
            put_doubles(archive, poses ? pose : velocity, (size_t)width * (size_t)x->info->bodies);
    }
    end_array(archive);
    return status;
}

static PerpStatus put_coordinates(Archive *archive, PerpError *error)
{
    PerpExport *x = archive->x;
    char shape[64];
    size_t width = PERP_JOINT_COORDINATES * (size_t)x->info->joints;
    if (width == 0 || !perp_recording_has(x->recording, "coordinate"))
        return PERP_OK;
    double *row = perp_allocate(&x->context->allocator, width, sizeof *row);
    PerpStatus status = row ? PERP_OK : perp_fail(error, PERP_NO_MEMORY, "out of memory");
    snprintf(shape, sizeof shape, "%ld, %d, %d", x->frames, x->info->joints,
             PERP_JOINT_COORDINATES);
    begin_array(archive, "coordinate", "<f8", shape);
    for (long k = 0; !status && k < x->frames; k++) {
        status = perp_recording_coordinates(x->recording, x->frame[k], 1, row, error);
        if (!status)
            put_doubles(archive, row, width);
    }
    end_array(archive);
    perp_free(&x->context->allocator, row);
    return status;
}

// --- contacts -----------------------------------------------------------------------------------

typedef struct ContactColumn {
    const char *name;
    int width; // numbers
    bool real; // else integers
    void (*read)(const PerpRecordedContact *contact, double *real, int64_t *integer);
} ContactColumn;

#define VECTOR_COLUMN(field)                                                                       \
    static void read_##field(const PerpRecordedContact *contact, double *real, int64_t *integer)   \
    {                                                                                              \
        (void)integer;                                                                             \
        memcpy(real, contact->field, 3 * sizeof *real);                                            \
    }
VECTOR_COLUMN(point)
VECTOR_COLUMN(normal)
VECTOR_COLUMN(velocity)
VECTOR_COLUMN(impulse)
#undef VECTOR_COLUMN

static void read_gap(const PerpRecordedContact *contact, double *real, int64_t *integer)
{
    (void)integer;
    *real = contact->gap;
}

static void read_mu(const PerpRecordedContact *contact, double *real, int64_t *integer)
{
    (void)integer;
    *real = contact->mu;
}

static void read_residual(const PerpRecordedContact *contact, double *real, int64_t *integer)
{
    (void)integer;
    *real = contact->residual;
}

static void read_id(const PerpRecordedContact *contact, double *real, int64_t *integer)
{
    (void)real;
    memcpy(integer, &contact->id, sizeof *integer);
}

static void read_body(const PerpRecordedContact *contact, double *real, int64_t *integer)
{
    (void)real;
    integer[0] = contact->body_a;
    integer[1] = contact->body_b;
}

static void read_status(const PerpRecordedContact *contact, double *real, int64_t *integer)
{
    (void)real;
    *integer = contact->status;
}

static const ContactColumn contact_columns[] = {
    {"contacts/id", 1, false, read_id},
    {"contacts/body", 2, false, read_body},
    {"contacts/point", 3, true, read_point},
    {"contacts/normal", 3, true, read_normal},
    {"contacts/gap", 1, true, read_gap},
    {"contacts/velocity", 3, true, read_velocity},
    {"contacts/impulse", 3, true, read_impulse},
    {"contacts/mu", 1, true, read_mu},
    {"contacts/residual", 1, true, read_residual},
    {"contacts/status", 1, false, read_status},
};

static PerpStatus put_contact_column(Archive *archive, const ContactColumn *column, long total,
                                     PerpError *error)
{
    PerpExport *x = archive->x;
    char shape[64];
    if (column->width > 1)
        snprintf(shape, sizeof shape, "%ld, %d", total, column->width);
    else
        snprintf(shape, sizeof shape, "%ld,", total);
    begin_array(archive, column->name, column->real ? "<f8" : "<i8", shape);
    PerpStatus status = PERP_OK;
    for (long k = 0; !status && k < x->frames; k++) {
        const PerpRecordedContact *contacts;
        int count = 0;
        status = perp_recording_contacts(x->recording, x->frame[k], &contacts, &count, error);
        for (int i = 0; !status && i < count; i++) {
            double real[3] = {0};
            int64_t integer[3] = {0};
            column->read(&contacts[i], real, integer);
            if (column->real)
                put_doubles(archive, real, (size_t)column->width);
            else
                put_integers(archive, integer, (size_t)column->width);
        }
    }
    end_array(archive);
    return status;
}

// contacts/start[k] .. contacts/start[k+1] - 1 are the contacts of frame k.
static PerpStatus put_contact_starts(Archive *archive, long *total, PerpError *error)
{
    PerpExport *x = archive->x;
    char shape[32];
    int64_t start = 0;
    PerpStatus status = PERP_OK;
    snprintf(shape, sizeof shape, "%ld,", x->frames + 1);
    begin_array(archive, "contacts/start", "<i8", shape);
    put_integers(archive, &start, 1);
    for (long k = 0; !status && k < x->frames; k++) {
        const PerpRecordedContact *contacts;
        int count = 0;
        status = perp_recording_contacts(x->recording, x->frame[k], &contacts, &count, error);
        start += count;
        put_integers(archive, &start, 1);
    }
    end_array(archive);
    *total = (long)start;
    return status;
}

static PerpStatus put_contacts(Archive *archive, PerpError *error)
{
    long total;
    if (!perp_recording_has(archive->x->recording, "contacts/start"))
        return PERP_OK;
    PerpStatus status = put_contact_starts(archive, &total, error);
    for (size_t k = 0; !status && k < sizeof contact_columns / sizeof *contact_columns; k++)
        status = put_contact_column(archive, &contact_columns[k], total, error);
    return status;
}

// --- names --------------------------------------------------------------------------------------

// As bytes of UTF-8, all as long as the longest.
static void put_names(Archive *archive, const char *array, int count,
                      const char *(*name_of)(const PerpRecording *recording, int index))
{
    size_t longest = 1;
    char type[32], shape[32];
    for (int k = 0; k < count; k++) {
        size_t length = strlen(name_of(archive->x->recording, k));
        longest = length > longest ? length : longest;
    }
    snprintf(type, sizeof type, "|S%zu", longest);
    snprintf(shape, sizeof shape, "%d,", count);
    begin_array(archive, array, type, shape);
    for (int k = 0; k < count; k++) {
        const char *name = name_of(archive->x->recording, k);
        put_data(archive, name, strlen(name));
        for (size_t i = strlen(name); i < longest; i++)
            put_data(archive, "", 1);
    }
    end_array(archive);
}

static const char *body_name(const PerpRecording *recording, int body)
{
    return perp_recording_body(recording, body).name;
}

// --- the whole ----------------------------------------------------------------------------------

static PerpStatus write_archive(FILE *stream, void *what, PerpError *error)
{
    Archive *archive = what;
    PerpExport *x = archive->x;
    archive->stream = stream;
    PerpStatus status = put_all_series(archive, error);
    if (!status)
        status = put_motion(archive, true, error);
    if (!status)
        status = put_motion(archive, false, error);
    if (!status)
        status = put_coordinates(archive, error);
    if (!status)
        status = put_contacts(archive, error);
    if (status)
        return status;
    put_names(archive, "bodies", x->info->bodies, body_name);
    put_names(archive, "joints", x->info->joints, perp_recording_joint);
    put_directory(archive);
    if (archive->too_large)
        return perp_fail_at(error, PERP_NOT_SUPPORTED, x->path, 0, 0,
                            "an .npz file above 4 GB; choose fewer steps or a larger --every");
    return PERP_OK;
}

PerpStatus perp_export_npz(PerpExport *x, PerpError *error)
{
    Archive *archive = perp_allocate(&x->context->allocator, 1, sizeof *archive);
    if (!archive)
        return perp_fail(error, PERP_NO_MEMORY, "out of memory");
    archive->x = x;
    PerpStatus status = perp_export_file(x, x->path, write_archive, archive, error);
    perp_free(&x->context->allocator, archive);
    return status;
}
