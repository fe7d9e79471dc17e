// An HDF5 dataset that grows row by row: created, opened, appended to.
#include "io/hdf5/hdf5_column.h"

#include "io/hdf5/hdf5_sink.h"
#include "perp/simulation.h"

#include <string.h>

enum {
    CHUNK_BYTES = 64 << 10,
    CHUNK_ROWS = 1024,
    LARGE_CHUNK_ROWS = 8192,
    DEFLATE = 1,           // the fastest
    INDEX_BYTES = 32 << 10 // by which a dataset's index of chunks may grow at a time
};

hid_t perp_column_type(PerpColumnType type)
{
    switch (type) {
    case PERP_COLUMN_DOUBLE:
        return H5Tcopy(H5T_NATIVE_DOUBLE);
    case PERP_COLUMN_FLOAT:
        return H5Tcopy(H5T_NATIVE_FLOAT);
    case PERP_COLUMN_LONG:
        return H5Tcopy(H5T_NATIVE_INT64);
    case PERP_COLUMN_INT:
        return H5Tcopy(H5T_NATIVE_INT32);
    case PERP_COLUMN_BYTE:
        return H5Tcopy(H5T_NATIVE_UINT8);
    default:
        return perp_hdf5_text_type(PERP_NAME_SIZE);
    }
}

size_t perp_column_element_size(PerpColumnType type)
{
    static const size_t sizes[] = {8, 4, 8, 4, 1, PERP_NAME_SIZE};
    return sizes[type];
}

// Rows of a chunk. Where many come at once large chunks are better packed in half the time; where
// few do they would stand in the file mostly empty.
static hsize_t choose_chunk(size_t row_size, int at_once)
{
    size_t chunk = CHUNK_BYTES / row_size;
    if (at_once > CHUNK_ROWS)
        return at_once < LARGE_CHUNK_ROWS ? (hsize_t)at_once : LARGE_CHUNK_ROWS;
    return chunk < 1 ? 1 : chunk > CHUNK_ROWS ? CHUNK_ROWS : chunk;
}

static void describe(PerpColumn *column, PerpPacker *packer, const PerpColumnDef *def)
{
    *column = (PerpColumn){
        .allocator = packer->allocator, .packer = packer, .type = def->type, .rank = 1, .set = -1};
    column->row_size = perp_column_element_size(def->type);
    const int extents[] = {def->width, def->depth};
    for (int k = 0; k < 2 && extents[k] > 0; k++) {
        column->extent[column->rank++] = (hsize_t)extents[k];
        column->row_size *= (size_t)extents[k];
    }
    column->chunk = choose_chunk(column->row_size, def->at_once);
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
    hid_t type = perp_column_type(column->type);
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

bool perp_column_transfer(const PerpColumn *column, hsize_t row, size_t count, char *memory,
                          bool to_file)
{
    const hsize_t start[3] = {row, 0, 0};
    const hsize_t extent[3] = {count, column->extent[1], column->extent[2]};
    hid_t type = perp_column_type(column->type), file = H5Dget_space(column->set);
    hid_t space = H5Screate_simple(column->rank, extent, NULL);
    bool ok = type >= 0 && file >= 0 && space >= 0 &&
              H5Sselect_hyperslab(file, H5S_SELECT_SET, start, NULL, extent, NULL) >= 0;
    if (ok && to_file)
        ok = H5Dwrite(column->set, type, space, file, H5P_DEFAULT, memory) >= 0;
    else if (ok)
        ok = H5Dread(column->set, type, space, file, H5P_DEFAULT, memory) >= 0;
    if (space >= 0)
        H5Sclose(space);
    if (file >= 0)
        H5Sclose(file);
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
    return ok && perp_column_add(column, part) &&
           (part == 0 ||
            perp_column_transfer(column, column->first, column->count, column->rows, false));
}

void perp_column_free(PerpColumn *column)
{
    if (column->set >= 0)
        H5Dclose(column->set);
    perp_free(&column->allocator, column->rows);
    perp_batch_free(&column->allocator, &column->next);
    perp_batch_free(&column->allocator, &column->last);
    *column = (PerpColumn){.set = -1};
}

// --- rows in memory -----------------------------------------------------------------------------

static bool make_room(const PerpColumn *column, char **rows, size_t *room, size_t needed)
{
    if (*rows && needed <= *room)
        return true;
    size_t wanted = 2 * needed > column->chunk ? 2 * needed : (size_t)column->chunk;
    char *larger = perp_resize(&column->allocator, *rows, wanted, column->row_size);
    if (!larger)
        return false;
    *rows = larger;
    *room = wanted;
    return true;
}

void *perp_column_add(PerpColumn *column, size_t rows)
{
    if (!make_room(column, &column->rows, &column->room, column->count + rows))
        return NULL;
    void *added = column->rows + column->count * column->row_size;
    column->count += rows;
    return added;
}

const void *perp_column_last(const PerpColumn *column)
{
    const PerpBatch *batch = &column->next;
    if (column->count > 0)
        return column->rows + (column->count - 1) * column->row_size;
    return batch->chunks > 0
               ? batch->raw + batch->chunks * perp_column_chunk_size(column) - column->row_size
               : NULL;
}

bool perp_column_repeat(PerpColumn *column)
{
    const PerpBatch *batch = &column->next;
    if (column->chunk > 1 || column->count > 0 || batch->chunks == 0 ||
        batch->size[batch->chunks - 1] == PERP_UNPACKED)
        return false;
    column->again++;
    return true;
}

hsize_t perp_column_rows(const PerpColumn *column)
{
    return column->first + column->again + column->count;
}

size_t perp_column_bound(const PerpColumn *column, size_t more)
{
    size_t chunk = (size_t)column->chunk;
    size_t pending = column->is_pending ? column->next.chunks * chunk : 0;
    size_t rows = pending + column->again + column->count + more + chunk;
    return rows * column->row_size + (rows / chunk + 1) * PERP_FILE_ALIGNMENT + INDEX_BYTES;
}

// --- whole chunks -------------------------------------------------------------------------------

bool perp_column_hand_over(PerpColumn *column)
{
    size_t chunks = column->count / (size_t)column->chunk, whole = chunks * (size_t)column->chunk;
    size_t part = column->count - whole;
    PerpBatch free = column->last;
    if (chunks == 0)
        return true;
    bool ok = perp_packer_reserve(column->packer, &free, chunks, perp_column_chunk_size(column)) &&
              make_room(column, &free.raw, &free.raw_room, part);
    column->last = free;
    if (!ok)
        return false;
    memcpy(free.raw, column->rows + whole * column->row_size, part * column->row_size);
    column->last = column->next;
    column->next = free;
    column->next.raw = column->rows;
    column->next.raw_room = column->room;
    column->next.chunks = chunks;
    column->rows = free.raw;
    column->room = free.raw_room;
    column->first += whole;
    column->count = part;
    column->stays_plain = column->is_plain;
    column->is_plain = false;
    column->is_pending = true;
    return true;
}
