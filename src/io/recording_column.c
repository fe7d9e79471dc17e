#include "io/recording_column.h"

#include "io/hdf5_sink.h"
#include "perp/simulation.h"

#include <string.h>

enum {
    CHUNK_BYTES = 64 << 10,
    CHUNK_ROWS = 1024,
    LARGE_CHUNK_ROWS = 8192,
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
    column->row_size = perp_cell_size(def->type);
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
    perp_batch_free(&column->allocator, &column->next);
    perp_batch_free(&column->allocator, &column->last);
    *column = (PerpColumn){.set = -1};
}

static size_t chunk_size(const PerpColumn *column)
{
    return (size_t)column->chunk * column->row_size;
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
    return batch->chunks > 0 ? batch->raw + batch->chunks * chunk_size(column) - column->row_size
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
    size_t pending = column->is_pending ? column->next.chunks * (size_t)column->chunk : 0;
    return (pending + column->again + column->count + more + (size_t)column->chunk) *
               column->row_size +
           INDEX_BYTES;
}

// --- whole chunks -------------------------------------------------------------------------------

bool perp_column_hand_over(PerpColumn *column)
{
    size_t chunks = column->count / (size_t)column->chunk, whole = chunks * (size_t)column->chunk;
    size_t part = column->count - whole;
    PerpBatch free = column->last;
    if (chunks == 0)
        return true;
    bool ok = perp_packer_reserve(column->packer, &free, chunks, chunk_size(column)) &&
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

// The chunk before it, or that of the twin, may be the same.
static bool repeats(PerpColumn *column, size_t k)
{
    const PerpColumn *twin = column->twin;
    const PerpBatch *before = k > 0 ? &column->next : &column->last;
    size_t size = chunk_size(column), at = k > 0 ? k - 1 : before->chunks - 1;
    bool has_twin = twin && twin->is_pending && twin->first == column->first &&
                    twin->next.chunks == column->next.chunks && chunk_size(twin) == size;
    return (has_twin && perp_batch_repeat(&column->next, k, &twin->next, k, size)) ||
           (before->chunks > 0 && perp_batch_repeat(&column->next, k, before, at, size));
}

// Numbers without a pattern, of bodies that all move, lose a fifth by being packed, which is most
// of what recording them costs. They are left as they are, but for a try now and then.
static size_t try_to_pack(PerpColumn *column, size_t k)
{
    enum { PATIENCE = 15 };
    PerpBatch *batch = &column->next;
    size_t size = chunk_size(column);
    if (column->patience > 0) {
        column->patience--;
        return PERP_UNPACKED;
    }
    size_t packed = perp_pack(column->packer, batch->raw + k * size, size,
                              perp_cell_size(column->type), batch->bytes + k * size);
    column->patience = packed == 0 || packed > size - size / 4 ? PATIENCE : 0;
    return packed;
}

void perp_column_pack(PerpColumn *column)
{
    PerpBatch *batch = &column->next;
    for (size_t k = 0; column->is_pending && k < batch->chunks; k++) {
        if (k == 0 && column->stays_plain)
            batch->size[k] = PERP_UNPACKED;
        else if (!repeats(column, k))
            batch->size[k] = try_to_pack(column, k);
    }
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

// The chunk at a row as these bytes; plain: no filter was applied to them.
static bool write_bytes(PerpColumn *column, hsize_t row, const char *bytes, size_t size, bool plain)
{
    const hsize_t start[3] = {row, 0, 0};
    const uint32_t all_filters = ~UINT32_C(0);
    return H5Dwrite_chunk(column->set, H5P_DEFAULT, plain ? all_filters : 0, start, size, bytes) >=
           0;
}

// packed: bytes that they take in `bytes`, or as in PerpBatch.
static bool write_chunk(PerpColumn *column, hsize_t row, const char *raw, const char *bytes,
                        size_t packed)
{
    bool plain = packed == 0 || packed == PERP_UNPACKED;
    return write_bytes(column, row, plain ? raw : bytes, plain ? chunk_size(column) : packed,
                       plain);
}

// Zeros behind the last row, so that the chunk in the file holds nothing of old memory.
static bool pad(PerpColumn *column)
{
    size_t missing = (size_t)column->chunk - column->count;
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

static bool write_one_of_batch(PerpColumn *column, hsize_t row, size_t k)
{
    const PerpBatch *batch = &column->next;
    size_t at = k * chunk_size(column);
    return write_chunk(column, row, batch->raw + at, batch->bytes + at, batch->size[k]);
}

static bool write_batch(PerpColumn *column)
{
    size_t chunks = column->next.chunks;
    bool ok = extend(column, column->first);
    for (size_t k = 0; ok && k < chunks; k++)
        ok = write_one_of_batch(column, column->first - (chunks - k) * column->chunk, k);
    column->is_pending = !ok;
    return ok;
}

// Chunks of one row each.
static bool write_repeated(PerpColumn *column)
{
    bool ok = extend(column, column->first + column->again);
    for (; ok && column->again > 0; column->again--)
        ok = write_one_of_batch(column, column->first++, column->next.chunks - 1);
    return ok;
}

bool perp_column_settle(PerpColumn *column)
{
    if ((column->is_pending && !write_batch(column)) ||
        (column->again > 0 && !write_repeated(column)))
        return false;
    column->written = column->first > column->written ? column->first : column->written;
    return true;
}

static bool write_part(PerpColumn *column, bool last)
{
    PerpBatch *free = &column->last;
    size_t packed = PERP_UNPACKED;
    if (column->extent[0] > perp_column_rows(column)) // rows of before a resume follow
        return write_rows(column, 0, column->count);
    if (!pad(column))
        return false;
    if (!last || column->is_plain)
        column->is_plain = true;
    else if (perp_packer_reserve(column->packer, free, 1, chunk_size(column)))
        packed = perp_pack(column->packer, column->rows, chunk_size(column),
                           perp_cell_size(column->type), free->bytes);
    return write_chunk(column, column->first, column->rows, free->bytes, packed);
}

bool perp_column_write(PerpColumn *column, bool last)
{
    if (perp_column_rows(column) == column->written)
        return true;
    if (!extend(column, perp_column_rows(column)) ||
        (column->count > 0 && !write_part(column, last)))
        return false;
    column->written = perp_column_rows(column);
    return true;
}
