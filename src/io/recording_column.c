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

static void describe(PerpColumn *column, PerpPacker *packer, const PerpColumnDef *def)
{
    *column = (PerpColumn){
        .allocator = packer->allocator, .packer = packer, .type = def->type, .rank = 1, .set = -1};
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

bool perp_column_create(PerpColumn *column, PerpPacker *packer, hid_t file,
                        const PerpColumnDef *def)
{
    describe(column, packer, def);
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

bool perp_column_open(PerpColumn *column, PerpPacker *packer, hid_t file, const PerpColumnDef *def,
                      hsize_t rows)
{
    describe(column, packer, def);
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
    perp_packed_free(&column->allocator, &column->packed);
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

// Rows [from, from + count) of memory, filtered by HDF5, which keeps other rows of the chunk.
static bool write_rows(PerpColumn *column, size_t from, size_t count)
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

static size_t chunk_size(const PerpColumn *column)
{
    return (size_t)column->chunk * column->row_size;
}

// The chunk at row `from` of memory as these bytes; plain: no filter was applied to them.
static bool write_bytes(PerpColumn *column, size_t from, const char *bytes, size_t size, bool plain)
{
    const hsize_t start[3] = {column->first + from, 0, 0};
    const uint32_t all_filters = ~UINT32_C(0);
    return H5Dwrite_chunk(column->set, H5P_DEFAULT, plain ? all_filters : 0, start, size, bytes) >=
           0;
}

// Memory has room for a whole chunk there.
static bool write_plain(PerpColumn *column, size_t from)
{
    return write_bytes(column, from, column->rows + from * column->row_size, chunk_size(column),
                       true);
}

static bool write_packed(PerpColumn *column, size_t from)
{
    const char *raw = column->rows + from * column->row_size;
    const PerpPacked *packed = &column->packed;
    size_t size = chunk_size(column);
    if (column->twin && perp_packed_is(&column->twin->packed, raw, size))
        packed = &column->twin->packed;
    else if (!perp_packed_is(packed, raw, size) &&
             !perp_pack(column->packer, raw, size, perp_cell_size(column->type), &column->packed))
        return false;
    return packed->size > 0 ? write_bytes(column, from, packed->bytes, packed->size, false)
                            : write_plain(column, from);
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

static bool extend(PerpColumn *column, hsize_t rows)
{
    if (rows <= column->extent[0])
        return true;
    column->extent[0] = rows;
    return H5Dset_extent(column->set, column->extent) >= 0;
}

bool perp_column_write_chunks(PerpColumn *column)
{
    size_t whole = column->count - column->count % (size_t)column->chunk;
    size_t part = column->count - whole;
    if (whole == 0)
        return true;
    bool ok = extend(column, column->first + whole);
    for (size_t from = 0; ok && from < whole; from += (size_t)column->chunk) {
        ok = column->is_plain ? write_plain(column, from) : write_packed(column, from);
        column->is_plain = false;
    }
    if (!ok)
        return false;
    memmove(column->rows, column->rows + whole * column->row_size, part * column->row_size);
    column->first += whole;
    column->count = part;
    column->written = column->first > column->written ? column->first : column->written;
    return true;
}

static bool write_part(PerpColumn *column, bool last)
{
    if (column->extent[0] > perp_column_rows(column)) // rows of before a resume follow
        return write_rows(column, 0, column->count);
    if (!pad(column, 0))
        return false;
    if (last && !column->is_plain)
        return write_packed(column, 0);
    column->is_plain = true;
    return write_plain(column, 0);
}

bool perp_column_write(PerpColumn *column, bool last)
{
    if (perp_column_rows(column) == column->written)
        return true;
    if (!perp_column_write_chunks(column) || !extend(column, perp_column_rows(column)) ||
        (column->count > 0 && !write_part(column, last)))
        return false;
    column->written = perp_column_rows(column);
    return true;
}
