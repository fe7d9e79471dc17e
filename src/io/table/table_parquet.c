// Tables as Parquet: a row group a block, a page a column, plain encoding, no compression. The
// footer and page headers are Thrift's compact protocol.
// [Apache Parquet format 2.10, parquet.thrift; Thrift compact protocol specification]
#define _POSIX_C_SOURCE 200809L

#include "io/table/table.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

// --- Thrift's compact protocol ------------------------------------------------------------------

enum { THRIFT_I32 = 5, THRIFT_I64 = 6, THRIFT_BINARY = 8, THRIFT_LIST = 9, THRIFT_STRUCT = 12 };

static void put_varint(PerpText *out, uint64_t number)
{
    unsigned char bytes[10];
    size_t count = 0;
    do {
        bytes[count] = (unsigned char)((number & 0x7f) | (number > 0x7f ? 0x80 : 0));
        count++;
        number >>= 7;
    } while (number > 0);
    perp_text_bytes(out, bytes, count);
}

static void put_byte(PerpText *out, int byte)
{
    unsigned char c = (unsigned char)byte;
    perp_text_bytes(out, &c, 1);
}

// Fields are named by how much their number exceeds that of the last.
static void put_field(PerpText *out, int *last, int field, int type)
{
    put_byte(out, (field - *last) << 4 | type);
    *last = field;
}

static void put_zigzag(PerpText *out, int64_t number)
{
    put_varint(out, ((uint64_t)number << 1) ^ (uint64_t)(number < 0 ? -1 : 0));
}

static void put_integer(PerpText *out, int *last, int field, int type, int64_t number)
{
    put_field(out, last, field, type);
    put_zigzag(out, number);
}

static void put_text(PerpText *out, const char *text)
{
    put_varint(out, strlen(text));
    perp_text_add(out, text);
}

static void put_list(PerpText *out, int *last, int field, int type, int count)
{
    put_field(out, last, field, THRIFT_LIST);
    put_byte(out, (count < 15 ? count : 15) << 4 | type);
    if (count >= 15)
        put_varint(out, (uint64_t)count);
}

// --- what Parquet says of columns ---------------------------------------------------------------

enum { PLAIN = 0, RLE = 3, REQUIRED = 0, UTF8 = 0, UNCOMPRESSED = 0, DATA_PAGE = 0 };

static int physical_type(PerpCellKind kind)
{
    enum { INT64 = 2, DOUBLE = 5, BYTE_ARRAY = 6 };
    return kind == PERP_CELL_TEXT ? BYTE_ARRAY : kind == PERP_CELL_INTEGER ? INT64 : DOUBLE;
}

// SchemaElement
static void put_column(PerpText *out, const PerpTableColumn *column)
{
    int last = 0;
    put_integer(out, &last, 1, THRIFT_I32, physical_type(column->kind));
    put_integer(out, &last, 3, THRIFT_I32, REQUIRED);
    put_field(out, &last, 4, THRIFT_BINARY);
    put_text(out, column->name);
    if (column->kind == PERP_CELL_TEXT)
        put_integer(out, &last, 6, THRIFT_I32, UTF8);
    put_byte(out, 0);
}

static void put_schema(PerpText *out, const PerpTableWriter *writer)
{
    int last = 0;
    put_field(out, &last, 4, THRIFT_BINARY);
    put_text(out, "table");
    put_integer(out, &last, 5, THRIFT_I32, writer->n_columns);
    put_byte(out, 0);
    for (int k = 0; k < writer->n_columns; k++)
        put_column(out, &writer->columns[k]);
}

// ColumnChunk with its ColumnMetaData
static void put_chunk(PerpText *out, const PerpTableColumn *column, int rows, int64_t offset,
                      int64_t bytes)
{
    int chunk = 0, last = 0;
    put_integer(out, &chunk, 2, THRIFT_I64, offset);
    put_field(out, &chunk, 3, THRIFT_STRUCT);
    put_integer(out, &last, 1, THRIFT_I32, physical_type(column->kind));
    put_list(out, &last, 2, THRIFT_I32, 2);
    put_zigzag(out, PLAIN);
    put_zigzag(out, RLE);
    put_list(out, &last, 3, THRIFT_BINARY, 1);
    put_text(out, column->name);
    put_integer(out, &last, 4, THRIFT_I32, UNCOMPRESSED);
    put_integer(out, &last, 5, THRIFT_I64, rows);
    put_integer(out, &last, 6, THRIFT_I64, bytes);
    put_integer(out, &last, 7, THRIFT_I64, bytes);
    put_integer(out, &last, 9, THRIFT_I64, offset);
    put_byte(out, 0);
    put_byte(out, 0);
}

static void put_page_header(PerpText *out, int rows, size_t bytes)
{
    int last = 0, data = 0;
    put_integer(out, &last, 1, THRIFT_I32, DATA_PAGE);
    put_integer(out, &last, 2, THRIFT_I32, (int64_t)bytes);
    put_integer(out, &last, 3, THRIFT_I32, (int64_t)bytes);
    put_field(out, &last, 5, THRIFT_STRUCT);
    put_integer(out, &data, 1, THRIFT_I32, rows);
    put_integer(out, &data, 2, THRIFT_I32, PLAIN);
    put_integer(out, &data, 3, THRIFT_I32, RLE);
    put_integer(out, &data, 4, THRIFT_I32, RLE);
    put_byte(out, 0);
    put_byte(out, 0);
}

// --- cells: little-endian, whatever the machine is -----------------------------------------------

static void put_little(PerpText *out, uint64_t number, int bytes)
{
    unsigned char little[8];
    for (int k = 0; k < bytes; k++)
        little[k] = (unsigned char)(number >> 8 * k & 0xff);
    perp_text_bytes(out, little, (size_t)bytes);
}

static void put_cells(PerpText *out, const PerpTableWriter *writer, int column)
{
    const PerpTableBuffer *buffer = &writer->buffers[column];
    for (int row = 0; row < writer->rows; row++) {
        size_t length;
        uint64_t bits;
        memcpy(&bits, &buffer->numbers[row], sizeof bits);
        switch (writer->columns[column].kind) {
        case PERP_CELL_TEXT: {
            const char *text = perp_table_text(buffer, row, &length);
            put_little(out, length, 4);
            perp_text_bytes(out, text, length);
            break;
        }
        case PERP_CELL_INTEGER:
            put_little(out, (uint64_t)(int64_t)buffer->numbers[row], 8);
            break;
        default:
            put_little(out, bits, 8);
        }
    }
}

// --- the file -----------------------------------------------------------------------------------

static bool write_bytes(FILE *file, const PerpText *text)
{
    return !text->failed && fwrite(text->data, 1, text->length, file) == text->length;
}

static bool begin(PerpTableWriter *writer)
{
    FILE *file = writer->file = fopen(writer->temporary, "wb");
    return file && fwrite("PAR1", 1, 4, file) == 4;
}

static bool write_page(PerpTableWriter *writer, int column, int64_t *bytes)
{
    PerpText cells = {.allocator = &writer->context.allocator}, head = cells;
    put_cells(&cells, writer, column);
    put_page_header(&head, writer->rows, cells.length);
    bool fits = cells.length <= INT32_MAX; // as the header says it
    if (!fits)
        errno = EFBIG;
    bool written = fits && write_bytes(writer->file, &head) && write_bytes(writer->file, &cells);
    *bytes = (int64_t)(head.length + cells.length);
    writer->context.allocator.resize(writer->context.allocator.user, head.data, 0);
    writer->context.allocator.resize(writer->context.allocator.user, cells.data, 0);
    return written;
}

// A row group; what the footer will say of it goes to the index.
static bool block(PerpTableWriter *writer)
{
    int last = 0;
    int64_t total = 0;
    put_list(&writer->index, &last, 1, THRIFT_STRUCT, writer->n_columns);
    for (int k = 0; k < writer->n_columns; k++) {
        int64_t bytes, offset = ftell(writer->file);
        if (offset < 0 || !write_page(writer, k, &bytes))
            return false;
        put_chunk(&writer->index, &writer->columns[k], writer->rows, offset, bytes);
        total += bytes;
    }
    put_integer(&writer->index, &last, 2, THRIFT_I64, total);
    put_integer(&writer->index, &last, 3, THRIFT_I64, writer->rows);
    put_byte(&writer->index, 0);
    return !writer->index.failed;
}

// FileMetaData, its length, the mark
static bool end(PerpTableWriter *writer)
{
    FILE *file = writer->file;
    PerpText out = {.allocator = &writer->context.allocator};
    int last = 0;
    put_integer(&out, &last, 1, THRIFT_I32, 1);
    put_list(&out, &last, 2, THRIFT_STRUCT, writer->n_columns + 1);
    put_schema(&out, writer);
    put_integer(&out, &last, 3, THRIFT_I64, writer->total);
    put_list(&out, &last, 4, THRIFT_STRUCT, writer->n_blocks);
    if (writer->index.length > 0)
        perp_text_bytes(&out, writer->index.data, writer->index.length);
    put_field(&out, &last, 6, THRIFT_BINARY);
    put_text(&out, "perp");
    put_byte(&out, 0);
    put_little(&out, out.length, 4);
    perp_text_add(&out, "PAR1");
    bool written = write_bytes(file, &out) && fflush(file) == 0 && fsync(fileno(file)) == 0;
    writer->context.allocator.resize(writer->context.allocator.user, out.data, 0);
    writer->file = NULL;
    return fclose(file) == 0 && written;
}

static void release(PerpTableWriter *writer)
{
    if (writer->file)
        fclose(writer->file);
}

const PerpTableFormat perp_table_parquet = {{".parquet", NULL}, begin, block, end, release};
