// Tables: buffering, choice of format, the file's name.
#define _POSIX_C_SOURCE 200809L

#include "io/table/table.h"

#include "base/error.h"
#include "base/memory.h"
#include "io/text/c_locale.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const PerpTableFormat *const formats[] = {&perp_table_csv, &perp_table_hdf5,
                                                 &perp_table_parquet};

static const PerpTableFormat *find_format(const char *path)
{
    const char *dot = strrchr(path, '.');
    for (size_t k = 0; dot && k < sizeof formats / sizeof *formats; k++)
        for (int e = 0; e < 2; e++)
            if (formats[k]->endings[e] && strcmp(dot, formats[k]->endings[e]) == 0)
                return formats[k];
    return NULL;
}

const char *perp_table_text(const PerpTableBuffer *buffer, int k, size_t *length)
{
    size_t from = k > 0 ? (size_t)buffer->numbers[k - 1] : 0;
    *length = (size_t)buffer->numbers[k] - from;
    return *length > 0 ? buffer->texts.data + from : "";
}

static PerpStatus fail_to_write(const PerpTableWriter *writer, PerpError *error)
{
    PerpStatus status = errno == ENOSPC || errno == EDQUOT ? PERP_NO_ROOM : PERP_NO_FILE;
    return perp_fail_at(error, status, writer->path, 0, 0, "cannot be written: %s",
                        errno ? strerror(errno) : "by HDF5");
}

// Every call of a format, in the "C" locale.
static bool call(PerpTableWriter *writer, bool (*function)(PerpTableWriter *writer))
{
    PerpCLocale locale;
    errno = 0;
    if (!perp_c_locale_enter(&locale))
        return false;
    bool done = function(writer);
    int cause = errno;
    perp_c_locale_leave(&locale);
    errno = cause;
    return done;
}

static void release(PerpTableWriter *writer)
{
    const PerpAllocator *allocator = &writer->context.allocator;
    for (int k = 0; k < writer->n_columns; k++) {
        if (writer->columns)
            perp_free(allocator, (char *)(uintptr_t)writer->columns[k].name);
        if (writer->buffers) {
            perp_free(allocator, writer->buffers[k].numbers);
            perp_free(allocator, writer->buffers[k].texts.data);
        }
    }
    perp_free(allocator, writer->columns);
    perp_free(allocator, writer->buffers);
    perp_free(allocator, writer->index.data);
    perp_free(allocator, writer);
}

static bool copy_columns(PerpTableWriter *writer, const PerpTableColumn *columns)
{
    const PerpAllocator *allocator = &writer->context.allocator;
    writer->columns = perp_allocate(allocator, (size_t)writer->n_columns, sizeof *columns);
    writer->buffers = perp_allocate(allocator, (size_t)writer->n_columns, sizeof *writer->buffers);
    for (int k = 0; writer->columns && writer->buffers && k < writer->n_columns; k++) {
        size_t size = strlen(columns[k].name) + 1;
        char *name = perp_allocate(allocator, size, 1);
        writer->columns[k] = (PerpTableColumn){name, columns[k].kind};
        writer->buffers[k].texts.allocator = &writer->context.allocator;
        writer->buffers[k].numbers = perp_allocate(allocator, PERP_TABLE_BLOCK, sizeof(double));
        if (!name || !writer->buffers[k].numbers)
            return false;
        memcpy(name, columns[k].name, size);
    }
    return writer->columns && writer->buffers;
}

PerpStatus perp_table_begin(const PerpContext *context, const char *path,
                            const PerpTableColumn *columns, int n_columns, PerpTableWriter **made,
                            PerpError *error)
{
    PerpContext given = context ? *context : perp_default_context();
    const PerpTableFormat *format = find_format(path);
    *made = NULL;
    if (!format)
        return perp_fail_at(error, PERP_NOT_SUPPORTED, path, 0, 0,
                            "expected a name that ends in .csv, .h5 or .parquet");
    PerpTableWriter *writer = perp_allocate(&given.allocator, 1, sizeof *writer);
    if (!writer)
        return perp_fail_memory(error);
    writer->context = given;
    writer->format = format;
    writer->n_columns = n_columns;
    writer->index.allocator = &writer->context.allocator;
    snprintf(writer->path, sizeof writer->path, "%s", path);
    int length =
        snprintf(writer->temporary, sizeof writer->temporary, "%s.%ld.part", path, (long)getpid());
    PerpStatus status = PERP_OK;
    if (length >= (int)sizeof writer->temporary)
        status = perp_fail_at(error, PERP_BAD_SIZE, path, 0, 0, "too long a path");
    else if (!copy_columns(writer, columns))
        status = perp_fail_memory(error);
    else if (!call(writer, format->begin)) {
        status = fail_to_write(writer, error);
        format->release(writer);
        unlink(writer->temporary);
    }
    if (status)
        release(writer);
    else
        *made = writer;
    return status;
}

static bool write_block(PerpTableWriter *writer)
{
    bool written = writer->rows == 0 || call(writer, writer->format->block);
    writer->n_blocks += writer->rows > 0;
    writer->rows = 0;
    for (int k = 0; k < writer->n_columns; k++)
        writer->buffers[k].texts.length = 0;
    return written;
}

// Broken UTF-8, which readers would refuse with the whole table, is replaced by U+FFFD.
static void add_text(PerpText *texts, const char *text)
{
    while (*text) {
        int count = perp_character_bytes(text);
        perp_text_bytes(texts, count ? text : "\xEF\xBF\xBD", count ? (size_t)count : 3);
        text += count ? count : 1;
    }
}

PerpStatus perp_table_add(PerpTableWriter *writer, const PerpCell *cells, PerpError *error)
{
    for (int k = 0; k < writer->n_columns; k++) {
        PerpTableBuffer *buffer = &writer->buffers[k];
        bool is_text = writer->columns[k].kind == PERP_CELL_TEXT;
        if (is_text)
            add_text(&buffer->texts, cells[k].text);
        if (buffer->texts.failed)
            return perp_fail_memory(error);
        buffer->numbers[writer->rows] = is_text ? (double)buffer->texts.length : cells[k].number;
    }
    writer->rows++;
    writer->total++;
    if (writer->rows == PERP_TABLE_BLOCK && !write_block(writer))
        return fail_to_write(writer, error);
    return PERP_OK;
}

PerpStatus perp_table_end(PerpTableWriter *writer, bool keep, PerpError *error)
{
    if (!writer)
        return PERP_OK;
    PerpStatus status = PERP_OK;
    if (keep && (!write_block(writer) || !call(writer, writer->format->end)))
        status = fail_to_write(writer, error);
    writer->format->release(writer);
    errno = 0;
    if (keep && !status && rename(writer->temporary, writer->path) != 0)
        status = fail_to_write(writer, error);
    if (!keep || status)
        unlink(writer->temporary);
    release(writer);
    return status;
}
