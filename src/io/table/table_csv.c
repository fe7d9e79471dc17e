// Tables as CSV [RFC 4180]: a head, then a line a row; empty cells for NaN.
#define _POSIX_C_SOURCE 200809L

#include "io/table/table.h"
#include "io/text/json_write.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static void write_text(FILE *file, const char *text, size_t length)
{
    bool plain = true;
    for (size_t k = 0; k < length; k++)
        plain = plain && text[k] != ',' && text[k] != '"' && text[k] != '\n' && text[k] != '\r';
    if (plain) {
        fwrite(text, 1, length, file);
        return;
    }
    fputc('"', file);
    for (size_t k = 0; k < length; k++) {
        if (text[k] == '"')
            fputc('"', file);
        fputc(text[k], file);
    }
    fputc('"', file);
}

static bool begin(PerpTableWriter *writer)
{
    FILE *file = writer->file = fopen(writer->temporary, "wb");
    for (int k = 0; file && k < writer->n_columns; k++) {
        if (k > 0)
            fputc(',', file);
        write_text(file, writer->columns[k].name, strlen(writer->columns[k].name));
    }
    if (file)
        fputc('\n', file);
    return file && !ferror(file);
}

static void write_cell(FILE *file, const PerpTableWriter *writer, int column, int row)
{
    const PerpTableBuffer *buffer = &writer->buffers[column];
    double number = buffer->numbers[row];
    switch (writer->columns[column].kind) {
    case PERP_CELL_TEXT: {
        size_t length;
        const char *text = perp_table_text(buffer, row, &length);
        write_text(file, text, length);
        break;
    }
    case PERP_CELL_INTEGER:
        fprintf(file, "%.0f", number);
        break;
    default:
        if (isfinite(number))
            perp_write_number(file, number);
        else
            fputs(isnan(number) ? "" : number > 0 ? "inf" : "-inf", file);
    }
}

static bool block(PerpTableWriter *writer)
{
    FILE *file = writer->file;
    for (int row = 0; row < writer->rows; row++) {
        for (int k = 0; k < writer->n_columns; k++) {
            if (k > 0)
                fputc(',', file);
            write_cell(file, writer, k, row);
        }
        fputc('\n', file);
    }
    return !ferror(file);
}

static bool end(PerpTableWriter *writer)
{
    FILE *file = writer->file;
    bool written = fflush(file) == 0 && !ferror(file) && fsync(fileno(file)) == 0;
    writer->file = NULL;
    return fclose(file) == 0 && written;
}

static void release(PerpTableWriter *writer)
{
    if (writer->file)
        fclose(writer->file);
}

const PerpTableFormat perp_table_csv = {{".csv", NULL}, begin, block, end, release};
