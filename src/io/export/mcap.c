// MCAP: chunks of messages with their indexes, then a summary, so that a reader can jump to any
// time. Uncompressed. [MCAP specification, version 0]
#include "base/error.h"
#include "base/memory.h"
#include "io/export/foxglove_messages.h"

#include <math.h>
#include <string.h>
#include <zlib.h>

enum { CHUNK_BYTES = 1 << 20 };

// Opcodes.
typedef enum Record {
    HEADER = 0x01,
    FOOTER = 0x02,
    SCHEMA = 0x03,
    CHANNEL = 0x04,
    MESSAGE = 0x05,
    CHUNK = 0x06,
    MESSAGE_INDEX = 0x07,
    CHUNK_INDEX = 0x08,
    STATISTICS = 0x0B,
    DATA_END = 0x0F
} Record;

typedef struct Place {
    int channel;
    uint64_t time, offset; // in the chunk
} Place;

typedef struct File {
    PerpExport *x;
    PerpMessages messages;
    FILE *stream;
    PerpText chunk;   // records of the chunk being filled
    PerpText record;  // content of one record
    PerpText indexes; // chunk index records, for the summary
    Place *places;    // owned: of the messages of the chunk
    size_t n_places, places_room;
    uint32_t n_chunks;
    uint64_t counts[PERP_TOPIC_COUNT];
    uint64_t chunk_start, chunk_end; // ns
} File;

static const char magic[8] = {'\x89', 'M', 'C', 'A', 'P', '0', '\r', '\n'};

// --- records ------------------------------------------------------------------------------------

static void add_integer(PerpText *text, uint64_t value, int bytes)
{
    unsigned char little[8];
    for (int k = 0; k < bytes; k++)
        little[k] = (unsigned char)(value >> (8 * k));
    perp_text_bytes(text, little, (size_t)bytes);
}

static void add_string(PerpText *text, const char *words)
{
    add_integer(text, strlen(words), 4);
    perp_text_add(text, words);
}

// Moves the content of `record` into target as a record.
static void add_record(PerpText *target, Record opcode, PerpText *record)
{
    add_integer(target, opcode, 1);
    add_integer(target, record->length, 8);
    perp_text_bytes(target, record->data ? record->data : "", record->length);
    record->length = 0;
}

static void put_record(FILE *stream, Record opcode, PerpText *record)
{
    fputc(opcode, stream);
    perp_put_u64(stream, record->length);
    fwrite(record->data ? record->data : "", 1, record->length, stream);
    record->length = 0;
}

// Two topics share a schema, which is numbered by the first of them.
static int schema_of(int topic)
{
    for (int k = 0; k < topic; k++)
        if (strcmp(perp_topics[k].schema_name, perp_topics[topic].schema_name) == 0)
            return k + 1;
    return topic + 1;
}

static void add_schema(File *file, int topic)
{
    add_integer(&file->record, (uint64_t)topic + 1, 2);
    add_string(&file->record, perp_topics[topic].schema_name);
    add_string(&file->record, "jsonschema");
    add_string(&file->record, perp_topics[topic].schema);
}

static void add_channel(File *file, int topic)
{
    add_integer(&file->record, (uint64_t)topic, 2);
    add_integer(&file->record, (uint64_t)schema_of(topic), 2);
    add_string(&file->record, perp_topics[topic].topic);
    add_string(&file->record, "json");
    add_integer(&file->record, 0, 4); // no metadata
}

static void put_definitions(File *file)
{
    for (int topic = 0; topic < PERP_TOPIC_COUNT; topic++)
        if (schema_of(topic) == topic + 1) {
            add_schema(file, topic);
            put_record(file->stream, SCHEMA, &file->record);
        }
    for (int topic = 0; topic < PERP_TOPIC_COUNT; topic++) {
        add_channel(file, topic);
        put_record(file->stream, CHANNEL, &file->record);
    }
}

// --- chunks -------------------------------------------------------------------------------------

// A reader that follows the index starts in any chunk, so each repeats what its messages need.
static void begin_chunk(File *file)
{
    file->chunk.length = 0;
    file->n_places = 0;
    file->chunk_start = UINT64_MAX;
    file->chunk_end = 0;
    for (int topic = 0; topic < PERP_TOPIC_COUNT; topic++)
        if (schema_of(topic) == topic + 1) {
            add_schema(file, topic);
            add_record(&file->chunk, SCHEMA, &file->record);
        }
    for (int topic = 0; topic < PERP_TOPIC_COUNT; topic++) {
        add_channel(file, topic);
        add_record(&file->chunk, CHANNEL, &file->record);
    }
}

static void put_message_index(File *file, int channel)
{
    size_t count = 0;
    for (size_t k = 0; k < file->n_places; k++)
        count += file->places[k].channel == channel;
    add_integer(&file->record, (uint64_t)channel, 2);
    add_integer(&file->record, 16 * count, 4);
    for (size_t k = 0; k < file->n_places; k++)
        if (file->places[k].channel == channel) {
            add_integer(&file->record, file->places[k].time, 8);
            add_integer(&file->record, file->places[k].offset, 8);
        }
    put_record(file->stream, MESSAGE_INDEX, &file->record);
}

static void end_chunk(File *file)
{
    if (file->n_places == 0 || file->chunk.failed)
        return;
    uint64_t start = (uint64_t)ftell(file->stream), size = file->chunk.length;
    add_integer(&file->record, file->chunk_start, 8);
    add_integer(&file->record, file->chunk_end, 8);
    add_integer(&file->record, size, 8);
    add_integer(&file->record, (uint64_t)crc32_z(0, (const void *)file->chunk.data, size), 4);
    add_string(&file->record, ""); // not compressed
    add_integer(&file->record, size, 8);
    perp_text_bytes(&file->record, file->chunk.data, size);
    put_record(file->stream, CHUNK, &file->record);
    uint64_t end = (uint64_t)ftell(file->stream);
    uint64_t offsets[PERP_TOPIC_COUNT];
    for (int channel = 0; channel < PERP_TOPIC_COUNT; channel++) {
        offsets[channel] = (uint64_t)ftell(file->stream);
        put_message_index(file, channel);
    }
    uint64_t after = (uint64_t)ftell(file->stream);
    const uint64_t head[4] = {file->chunk_start, file->chunk_end, start, end - start};
    for (int k = 0; k < 4; k++)
        add_integer(&file->record, head[k], 8);
    add_integer(&file->record, 10 * PERP_TOPIC_COUNT, 4);
    for (int channel = 0; channel < PERP_TOPIC_COUNT; channel++) {
        add_integer(&file->record, (uint64_t)channel, 2);
        add_integer(&file->record, offsets[channel], 8);
    }
    add_integer(&file->record, after - end, 8);
    add_string(&file->record, "");
    add_integer(&file->record, size, 8);
    add_integer(&file->record, size, 8);
    add_record(&file->indexes, CHUNK_INDEX, &file->record);
    file->n_chunks++;
}

static bool remember_place(File *file, int channel, uint64_t time)
{
    if (file->n_places == file->places_room) {
        size_t room = 2 * file->places_room + 64;
        Place *places =
            perp_resize(&file->x->context->allocator, file->places, room, sizeof *places);
        if (!places)
            return false;
        file->places = places;
        file->places_room = room;
    }
    file->places[file->n_places++] = (Place){channel, time, file->chunk.length};
    return true;
}

static PerpStatus add_message(File *file, PerpTopic topic, long k, PerpError *error)
{
    uint64_t time = (uint64_t)llround(fmax(file->x->time[k], 0) * 1e9);
    if (!remember_place(file, topic, time))
        return perp_fail(error, PERP_NO_MEMORY, "out of memory");
    add_integer(&file->record, topic, 2);
    add_integer(&file->record, file->counts[topic]++, 4);
    add_integer(&file->record, time, 8);
    add_integer(&file->record, time, 8);
    PerpStatus status = perp_messages_write(&file->messages, topic, k, &file->record, error);
    add_record(&file->chunk, MESSAGE, &file->record);
    file->chunk_start = time < file->chunk_start ? time : file->chunk_start;
    file->chunk_end = time > file->chunk_end ? time : file->chunk_end;
    return status;
}

static PerpStatus put_chunks(File *file, PerpError *error)
{
    PerpStatus status = PERP_OK;
    begin_chunk(file);
    for (long k = 0; !status && k < file->x->frames && !ferror(file->stream); k++) {
        for (int topic = 0; !status && topic < PERP_TOPIC_COUNT; topic++)
            if (topic != PERP_TOPIC_SHAPES || k == 0)
                status = add_message(file, topic, k, error);
        if (file->chunk.length > CHUNK_BYTES) {
            end_chunk(file);
            begin_chunk(file);
        }
    }
    end_chunk(file);
    bool failed = file->chunk.failed || file->record.failed || file->indexes.failed;
    return !status && failed ? perp_fail(error, PERP_NO_MEMORY, "out of memory") : status;
}

// --- summary ------------------------------------------------------------------------------------

static void put_statistics(File *file)
{
    const PerpExport *x = file->x;
    uint64_t total = 0;
    int schemas = 0;
    for (int topic = 0; topic < PERP_TOPIC_COUNT; topic++) {
        total += file->counts[topic];
        schemas += schema_of(topic) == topic + 1;
    }
    add_integer(&file->record, total, 8);
    add_integer(&file->record, (uint64_t)schemas, 2);
    add_integer(&file->record, PERP_TOPIC_COUNT, 4);
    add_integer(&file->record, 0, 4); // attachments
    add_integer(&file->record, 0, 4); // metadata
    add_integer(&file->record, file->n_chunks, 4);
    add_integer(&file->record, (uint64_t)llround(fmax(x->time[0], 0) * 1e9), 8);
    add_integer(&file->record, (uint64_t)llround(fmax(x->time[x->frames - 1], 0) * 1e9), 8);
    add_integer(&file->record, 10 * PERP_TOPIC_COUNT, 4);
    for (int topic = 0; topic < PERP_TOPIC_COUNT; topic++) {
        add_integer(&file->record, (uint64_t)topic, 2);
        add_integer(&file->record, file->counts[topic], 8);
    }
    put_record(file->stream, STATISTICS, &file->record);
}

static PerpStatus write_file(FILE *stream, void *what, PerpError *error)
{
    File *file = what;
    file->stream = stream;
    fwrite(magic, 1, sizeof magic, stream);
    add_string(&file->record, "");
    add_string(&file->record, "perp");
    put_record(stream, HEADER, &file->record);
    PerpStatus status = put_chunks(file, error);
    if (status)
        return status;
    add_integer(&file->record, 0, 4); // no CRC
    put_record(stream, DATA_END, &file->record);
    uint64_t summary = (uint64_t)ftell(stream);
    put_definitions(file);
    put_statistics(file);
    fwrite(file->indexes.data ? file->indexes.data : "", 1, file->indexes.length, stream);
    add_integer(&file->record, summary, 8);
    add_integer(&file->record, 0, 8); // no offsets of its parts
    add_integer(&file->record, 0, 4); // no CRC
    put_record(stream, FOOTER, &file->record);
    fwrite(magic, 1, sizeof magic, stream);
    return file->record.failed ? perp_fail(error, PERP_NO_MEMORY, "out of memory") : PERP_OK;
}

PerpStatus perp_export_mcap(PerpExport *x, PerpError *error)
{
    const PerpAllocator *allocator = &x->context->allocator;
    File file = {.x = x,
                 .chunk = {.allocator = allocator},
                 .record = {.allocator = allocator},
                 .indexes = {.allocator = allocator}};
    PerpStatus status = perp_messages_create(x, &file.messages, error);
    if (!status)
        status = perp_export_file(x, x->path, write_file, &file, error);
    perp_messages_free(&file.messages);
    perp_free(allocator, file.chunk.data);
    perp_free(allocator, file.record.data);
    perp_free(allocator, file.indexes.data);
    perp_free(allocator, file.places);
    return status;
}
