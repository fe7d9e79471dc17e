// Tables as HDF5: a dataset a column, in the order of the table by the attribute "columns".
#include "io/table/table.h"

#include "base/memory.h"
#include "io/hdf5/hdf5_sink.h"
#include "io/hdf5/hdf5_source.h"

#include <stdint.h>
#include <string.h>

enum { TEXT_WIDTH = 256 }; // bytes of a text, padded with zeros; longer ones are cut

static hid_t type_of(PerpCellKind kind)
{
    return kind == PERP_CELL_TEXT      ? perp_hdf5_text_type(TEXT_WIDTH)
           : kind == PERP_CELL_INTEGER ? H5Tcopy(H5T_NATIVE_INT64)
                                       : H5Tcopy(H5T_NATIVE_DOUBLE);
}

static bool create_column(hid_t file, const PerpTableColumn *column)
{
    hsize_t none = 0, unlimited = H5S_UNLIMITED, chunk = 4096;
    hid_t type = type_of(column->kind), space = H5Screate_simple(1, &none, &unlimited);
    hid_t plist = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_chunk(plist, 1, &chunk);
    H5Pset_deflate(plist, 4);
    H5Pset_obj_track_times(plist, false); // the same bytes for the same table
    hid_t set = H5Dcreate2(file, column->name, type, space, H5P_DEFAULT, plist, H5P_DEFAULT);
    bool made = set >= 0;
    if (made)
        H5Dclose(set);
    H5Pclose(plist);
    H5Sclose(space);
    H5Tclose(type);
    return made;
}

static bool create_file(PerpTableWriter *writer)
{
    hid_t *file = perp_allocate(&writer->context.allocator, 1, sizeof *file);
    if (!file)
        return false;
    writer->file = file;
    *file = H5Fcreate(writer->temporary, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    PerpText names = {.allocator = &writer->context.allocator};
    bool made = *file >= 0;
    for (int k = 0; made && k < writer->n_columns; k++) {
        made = create_column(*file, &writer->columns[k]);
        perp_text_print(&names, "%s%s", k ? "," : "", writer->columns[k].name);
    }
    made = made && !names.failed && perp_hdf5_put_text(*file, "columns", names.data);
    perp_free(&writer->context.allocator, names.data);
    return made;
}

static bool begin(PerpTableWriter *writer)
{
    PerpHdf5Quiet quiet = perp_hdf5_quiet();
    bool made = create_file(writer);
    perp_hdf5_restore(quiet);
    return made;
}

// Cut between two characters, not within one.
static size_t cut(const char *text, size_t length)
{
    size_t fits = length < TEXT_WIDTH ? length : TEXT_WIDTH;
    while (fits < length && fits > 0 && ((unsigned char)text[fits] & 0xC0) == 0x80)
        fits--;
    return fits;
}

// The cells of a column as the file has them; NULL if memory is short.
static void *cells_of(const PerpTableWriter *writer, int column)
{
    const PerpTableBuffer *buffer = &writer->buffers[column];
    bool is_text = writer->columns[column].kind == PERP_CELL_TEXT;
    char *cells = perp_allocate(&writer->context.allocator, (size_t)writer->rows,
                                is_text ? (size_t)TEXT_WIDTH : sizeof(double));
    for (int row = 0; cells && row < writer->rows; row++) {
        size_t length;
        int64_t integer = is_text ? 0 : (int64_t)buffer->numbers[row];
        const char *text = is_text ? perp_table_text(buffer, row, &length) : NULL;
        if (is_text)
            memcpy(cells + (size_t)row * TEXT_WIDTH, text, cut(text, length));
        else if (writer->columns[column].kind == PERP_CELL_INTEGER)
            memcpy(cells + (size_t)row * sizeof integer, &integer, sizeof integer);
        else
            memcpy(cells + (size_t)row * sizeof(double), &buffer->numbers[row], sizeof(double));
    }
    return cells;
}

static bool append(const PerpTableWriter *writer, int column)
{
    hid_t file = *(hid_t *)writer->file;
    hsize_t count = (hsize_t)writer->rows, total = (hsize_t)writer->total, first = total - count;
    hid_t set = H5Dopen2(file, writer->columns[column].name, H5P_DEFAULT);
    hid_t type = type_of(writer->columns[column].kind);
    void *cells = cells_of(writer, column);
    bool written = set >= 0 && cells && H5Dset_extent(set, &total) >= 0;
    if (written) {
        hid_t memory = H5Screate_simple(1, &count, NULL), space = H5Dget_space(set);
        H5Sselect_hyperslab(space, H5S_SELECT_SET, &first, NULL, &count, NULL);
        written = H5Dwrite(set, type, memory, space, H5P_DEFAULT, cells) >= 0;
        H5Sclose(memory);
        H5Sclose(space);
    }
    perp_free(&writer->context.allocator, cells);
    H5Tclose(type);
    if (set >= 0)
        H5Dclose(set);
    return written;
}

static bool block(PerpTableWriter *writer)
{
    PerpHdf5Quiet quiet = perp_hdf5_quiet();
    bool written = true;
    for (int k = 0; written && k < writer->n_columns; k++)
        written = append(writer, k);
    perp_hdf5_restore(quiet);
    return written;
}

static bool close_file(PerpTableWriter *writer)
{
    hid_t *file = writer->file;
    bool written = H5Fflush(*file, H5F_SCOPE_GLOBAL) >= 0;
    written = H5Fclose(*file) >= 0 && written;
    *file = -1;
    return written;
}

static bool end(PerpTableWriter *writer)
{
    PerpHdf5Quiet quiet = perp_hdf5_quiet();
    bool written = close_file(writer);
    perp_hdf5_restore(quiet);
    return written;
}

static void release(PerpTableWriter *writer)
{
    hid_t *file = writer->file;
    if (file && *file >= 0)
        close_file(writer);
    perp_free(&writer->context.allocator, file);
}

const PerpTableFormat perp_table_hdf5 = {{".h5", ".hdf5"}, begin, block, end, release};
