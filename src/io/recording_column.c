#include "io/recording_column.h"

#include "io/hdf5_sink.h"
#include "perp/simulation.h"

#include <string.h>

enum {
    CHUNK_BYTES = 64 << 10,
    CHUNK_ROWS = 1024,
    DEFLATE = 1,           // the fastest
    INDEX_BYTES = 32 << 10 // by which a dataset's index of chunks may grow at a time
};

hid_t perp_cell_type(PerpCellType type)
{
    switch (type) {
    case PERP_CELL_DOUBLE:
        return H5Tcopy(H5T_NATIVE_DOUBLE);
    case PERP_CELL_FLOAT:
        return H5Tcopy(H5T_NATIVE_FLOAT);
    case PERP_CELL_LONG:
        return H5Tcopy(H5T_NATIVE_INT64);
    case PERP_CELL_INT:
        return H5Tcopy(H5T_NATIVE_INT32);
    case PERP_CELL_BYTE:
        return H5Tcopy(H5T_NATIVE_UINT8);
    default:
        return perp_hdf5_text_type(PERP_NAME_SIZE);
    }
}

size_t perp_cell_size(PerpCellType type)
{
    static const size_t sizes[] = {8, 4, 8, 4, 1, PERP_NAME_SIZE};
    return sizes[type];
}

static void describe(PerpColumn *column, const PerpAllocator *allocator, const PerpColumnDef *def)
{
    *column = (PerpColumn){.allocator = *allocator, .type = def->type, .rank = 1, .set = -1};
    column->row_size = perp_cell_size(def->type);
    const int extents[] = {def->width, def->depth};
    for (int k = 0; k < 2 && extents[k] > 0; k++) {
        column->extent[column->rank++] = (hsize_t)extents[k];
        column->row_size *= (size_t)extents[k];
    }
    size_t chunk = CHUNK_BYTES / column->row_size;
    column->chunk = chunk < 1 ? 1 : chunk > CHUNK_ROWS ? CHUNK_ROWS : chunk;
}

// --- creation -----------------------------------------------------------------------------------

static hid_t layout_of(const PerpColumn *column)
{
    hsize_t chunk[3] = {column->chunk, column->extent[1], column->extent[2]};
    hid_t layout = H5Pcreate(H5P_DATASET_CREATE);
    if (layout >= 0 && H5Pset_chunk(layout, column->rank, chunk) >= 0 &&
        H5Pset_shuffle(layout) >= 0 && H5Pset_deflate(layout, DEFLATE) >= 0)
        return layout;
    if (layout >= 0)
        H5Pclose(layout);
    return -1;
}

static hid_t create_set(const PerpColumn *column, hid_t file, const char *name)
{
    const hsize_t most[3] = {H5S_UNLIMITED, column->extent[1], column->extent[2]};
    hid_t type = perp_cell_type(column->type);
    hid_t space = H5Screate_simple(column->rank, column->extent, most);
    hid_t layout = layout_of(column), links = H5Pcreate(H5P_LINK_CREATE), set = -1;
    if (type >= 0 && space >= 0 && layout >= 0 && links >= 0 &&
        H5Pset_create_intermediate_group(links, 1) >= 0)
        set = H5Dcreate2(file, name, type, space, links, layout, H5P_DEFAULT);
    if (links >= 0)
        H5Pclose(links);
    if (layout >= 0)
        H5Pclose(layout);
    if (space >= 0)
        H5Sclose(space);
    if (type >= 0)
        H5Tclose(type);
    return set;
}

bool perp_column_create(PerpColumn *column, const PerpAllocator *allocator, hid_t file,
                        const PerpColumnDef *def)
{
    describe(column, allocator, def);
    column->set = create_set(column, file, def->name);
    return column->set >= 0 &&
           (!def->unit[0] || perp_hdf5_put_text(column->set, "unit", def->unit));
}

// The rows of the chunk that the last of them lies in.
static bool load_part(PerpColumn *column)
{
    const hsize_t start[3] = {column->first, 0, 0};
    const hsize_t extent[3] = {column->count, column->extent[1], column->extent[2]};
    hid_t type = perp_cell_type(column->type), space = H5Dget_space(column->set);
    hid_t memory = H5Screate_simple(column->rank, extent, NULL);
    bool ok = type >= 0 && space >= 0 && memory >= 0 &&
              H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, extent, NULL) >= 0 &&
              H5Dread(column->set, type, memory, space, H5P_DEFAULT, column->rows) >= 0;
    if (memory >= 0)
        H5Sclose(memory);
    if (space >= 0)
        H5Sclose(space);
    if (type >= 0)
        H5Tclose(type);
    return ok;
}

bool perp_column_open(PerpColumn *column, const PerpAllocator *allocator, hid_t file,
                      const PerpColumnDef *def, hsize_t rows)
{
    describe(column, allocator, def);
    column->set = H5Dopen2(file, def->name, H5P_DEFAULT);
    hid_t space = column->set < 0 ? -1 : H5Dget_space(column->set);
    bool ok = space >= 0 && H5Sget_simple_extent_ndims(space) == column->rank &&
              H5Sget_simple_extent_dims(space, column->extent, NULL) == column->rank &&
              column->extent[0] >= rows;
    if (space >= 0)
        H5Sclose(space);
    size_t part = (size_t)(rows % column->chunk);
    column->first = rows - part;
    column->written = rows;
    return ok && perp_column_add(column, part) && (part == 0 || load_part(column));
}

void perp_column_free(PerpColumn *column)
{
    if (column->set >= 0)
        H5Dclose(column->set);
    perp_free(&column->allocator, column->rows);
    *column = (PerpColumn){.set = -1};
}

// --- rows in memory -----------------------------------------------------------------------------

void *perp_column_add(PerpColumn *column, size_t rows)
{
    size_t needed = column->count + rows;
    if (!column->rows || needed > column->room) {
        size_t room = 2 * needed > column->chunk ? 2 * needed : (size_t)column->chunk;
        char *larger = perp_resize(&column->allocator, column->rows, room, column->row_size);
        if (!larger)
            return NULL;
        column->rows = larger;
        column->room = room;
    }
    void *added = column->rows + column->count * column->row_size;
    column->count = needed;
    return added;
}

hsize_t perp_column_rows(const PerpColumn *column)
{
    return column->first + column->count;
}

size_t perp_column_bound(const PerpColumn *column, size_t more)
{
    return (column->count + more + (size_t)column->chunk) * column->row_size + INDEX_BYTES;
}

// --- rows in the file ---------------------------------------------------------------------------

// Rows [from, from + count) of memory, deflated by HDF5.
static bool write_deflated(PerpColumn *column, size_t from, size_t count)
{
    const hsize_t start[3] = {column->first + from, 0, 0};
    const hsize_t extent[3] = {count, column->extent[1], column->extent[2]};
    hid_t type = perp_cell_type(column->type);
    hid_t space = H5Dget_space(column->set);
    hid_t memory = H5Screate_simple(column->rank, extent, NULL);
    bool ok = type >= 0 && space >= 0 && memory >= 0 &&
              H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, extent, NULL) >= 0 &&
              H5Dwrite(column->set, type, memory, space, H5P_DEFAULT,
                       column->rows + from * column->row_size) >= 0;
    if (memory >= 0)
        H5Sclose(memory);
    if (space >= 0)
        H5Sclose(space);
    if (type >= 0)
        H5Tclose(type);
    return ok;
}

// The chunk at row `from` of memory, no filter applied. Memory has room for a whole chunk there.
static bool write_plain(PerpColumn *column, size_t from)
{
    const hsize_t start[3] = {column->first + from, 0, 0};
    const uint32_t all_filters = ~UINT32_C(0);
    return H5Dwrite_chunk(column->set, H5P_DEFAULT, all_filters, start,
                          (size_t)column->chunk * column->row_size,
                          column->rows + from * column->row_size) >= 0;
}

// Zeros behind the last row, so that the chunk in the file holds nothing of old memory.
static bool pad(PerpColumn *column, size_t from)
{
    size_t missing = from + (size_t)column->chunk - column->count;
    void *padding = perp_column_add(column, missing);
    if (padding)
        memset(padding, 0, missing * column->row_size);
    column->count -= padding ? missing : 0;
    return padding != NULL;
}

static bool write_whole_chunks(PerpColumn *column, size_t whole)
{
    size_t plain = column->is_plain ? (size_t)column->chunk : 0;
    if (whole == 0)
        return true;
    column->is_plain = false;
    return (!plain || write_plain(column, 0)) &&
           (whole == plain || write_deflated(column, plain, whole - plain));
}

static bool write_part(PerpColumn *column, size_t whole, bool last)
{
    size_t part = column->count - whole;
    bool is_plain = whole == 0 && column->is_plain;
    bool others_follow = column->extent[0] > perp_column_rows(column); // after a resume
    if (part == 0)
        return true;
    if ((last && !is_plain) || others_follow)
        return write_deflated(column, whole, part);
    column->is_plain = true;
    return pad(column, whole) && write_plain(column, whole);
}

bool perp_column_write(PerpColumn *column, bool last)
{
    size_t whole = column->count - column->count % (size_t)column->chunk;
    size_t part = column->count - whole;
    if (perp_column_rows(column) == column->written)
        return true;
    if (perp_column_rows(column) > column->extent[0]) {
        column->extent[0] = perp_column_rows(column);
        if (H5Dset_extent(column->set, column->extent) < 0)
            return false;
    }
    if (!write_whole_chunks(column, whole) || !write_part(column, whole, last))
        return false;
    column->written = perp_column_rows(column);
    if (whole > 0) {
        memmove(column->rows, column->rows + whole * column->row_size, part * column->row_size);
        column->first += whole;
        column->count = part;
    }
    return true;
}
