// Chunks of a growing HDF5 dataset written: compressed when whole, or as they are at a flush.
#include "io/hdf5/hdf5_column.h"

#include <string.h>

// --- packing ------------------------------------------------------------------------------------

// The chunk before it, or that of the twin, may be the same.
static bool repeats(PerpColumn *column, size_t k)
{
    const PerpColumn *twin = column->twin;
    const PerpBatch *before = k > 0 ? &column->next : &column->last;
    size_t size = perp_column_chunk_size(column), at = k > 0 ? k - 1 : before->chunks - 1;
    bool has_twin = twin && twin->is_pending && twin->first == column->first &&
                    twin->next.chunks == column->next.chunks &&
                    perp_column_chunk_size(twin) == size;
    return (has_twin && perp_batch_repeat(&column->next, k, &twin->next, k, size)) ||
           (before->chunks > 0 && perp_batch_repeat(&column->next, k, before, at, size));
}

// Numbers without a pattern, of bodies that all move, lose a fifth by being packed, which is most
// of what recording them costs. They are left as they are, but for a try now and then.
static size_t try_to_pack(PerpColumn *column, size_t k)
{
    enum { PATIENCE = 15 };
    PerpBatch *batch = &column->next;
    size_t size = perp_column_chunk_size(column);
    if (column->patience > 0) {
        column->patience--;
        return PERP_UNPACKED;
    }
    size_t packed = perp_pack(column->packer, batch->raw + k * size, size,
                              perp_column_element_size(column->type), batch->bytes + k * size);
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
    return write_bytes(column, row, plain ? raw : bytes,
                       plain ? perp_column_chunk_size(column) : packed, plain);
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
    size_t at = k * perp_column_chunk_size(column);
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

bool perp_column_write_packed(PerpColumn *column)
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
        return perp_column_transfer(column, column->first, column->count, column->rows, true);
    if (!pad(column))
        return false;
    if (!last || column->is_plain)
        column->is_plain = true;
    else if (perp_packer_reserve(column->packer, free, 1, perp_column_chunk_size(column)))
        packed = perp_pack(column->packer, column->rows, perp_column_chunk_size(column),
                           perp_column_element_size(column->type), free->bytes);
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
