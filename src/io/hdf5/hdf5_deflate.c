// HDF5's filters shuffle and deflate, by ISA-L.
#include "io/hdf5/hdf5_deflate.h"

#include "base/compiler.h"

#include <isa-l/crc64.h>
#include <isa-l/igzip_lib.h>
#include <string.h>

enum { LEVEL = 1 };

bool perp_packer_open(PerpPacker *packer, const PerpAllocator *allocator)
{
    *packer = (PerpPacker){.allocator = *allocator,
                           .stream = perp_allocate(allocator, 1, sizeof *packer->stream),
                           .tables = perp_allocate(allocator, ISAL_DEF_LVL1_DEFAULT, 1)};
    return packer->stream && packer->tables;
}

void perp_packer_close(PerpPacker *packer)
{
    if (!packer->allocator.resize)
        return;
    perp_free(&packer->allocator, packer->stream);
    perp_free(&packer->allocator, packer->tables);
    perp_free(&packer->allocator, packer->shuffled);
    *packer = (PerpPacker){.stream = NULL};
}

void perp_batch_free(const PerpAllocator *allocator, PerpBatch *batch)
{
    perp_free(allocator, batch->raw);
    perp_free(allocator, batch->bytes);
    perp_free(allocator, batch->size);
    *batch = (PerpBatch){.raw = NULL};
}

bool perp_batch_repeat(PerpBatch *batch, size_t chunk, const PerpBatch *others, size_t other,
                       size_t chunk_size)
{
    size_t to = chunk * chunk_size, from = other * chunk_size;
    if (others->size[other] == PERP_UNPACKED ||
        memcmp(batch->raw + to, others->raw + from, chunk_size) != 0)
        return false;
    batch->size[chunk] = others->size[other];
    memcpy(batch->bytes + to, others->bytes + from, batch->size[chunk]);
    return true;
}

// The first bytes of all elements, then the second ones and so on.
PERP_KERNEL_PART void shuffle(const char *restrict from, size_t count, size_t width,
                              char *restrict to)
{
    for (size_t b = 0; b < width; b++)
        for (size_t k = 0; k < count; k++)
            to[b * count + k] = from[k * width + b];
}

// Sizes that are known to the compiler, for its vector instructions.
PERP_VECTOR_KERNEL static void shuffle_bytes(const char *from, size_t count, size_t width, char *to)
{
    if (width == 8)
        shuffle(from, count, 8, to);
    else if (width == 4)
        shuffle(from, count, 4, to);
    else
        shuffle(from, count, width, to);
}

static bool make_room(const PerpAllocator *allocator, char **bytes, size_t size)
{
    char *larger = perp_resize(allocator, *bytes, size, 1);
    if (larger)
        *bytes = larger;
    return larger != NULL;
}

static bool reserve_chunks(const PerpAllocator *allocator, PerpBatch *batch, size_t chunks,
                           size_t chunk_size)
{
    if (chunks <= batch->room)
        return true;
    size_t *size = perp_resize(allocator, batch->size, chunks, sizeof *size);
    if (size)
        batch->size = size;
    if (!size || chunks > SIZE_MAX / chunk_size ||
        !make_room(allocator, &batch->bytes, chunks * chunk_size))
        return false;
    batch->room = chunks;
    return true;
}

bool perp_packer_reserve(PerpPacker *packer, PerpBatch *batch, size_t chunks, size_t chunk_size)
{
    if (!reserve_chunks(&packer->allocator, batch, chunks, chunk_size))
        return false;
    if (chunk_size > packer->room) {
        if (!make_room(&packer->allocator, &packer->shuffled, chunk_size))
            return false;
        packer->room = chunk_size;
    }
    return true;
}

// Bytes of the deflated elements; 0 if they would not be fewer.
static size_t deflate(PerpPacker *packer, const char *bytes, size_t size, char *to)
{
    struct isal_zstream *stream = packer->stream;
    isal_deflate_stateless_init(stream);
    stream->level = LEVEL;
    stream->level_buf = packer->tables;
    stream->level_buf_size = ISAL_DEF_LVL1_DEFAULT;
    stream->gzip_flag = IGZIP_ZLIB;
    stream->end_of_stream = 1;
    stream->next_in = (uint8_t *)(uintptr_t)bytes; // it is only read
    stream->avail_in = (uint32_t)size;
    stream->next_out = (uint8_t *)to;
    stream->avail_out = (uint32_t)size - 1;
    return isal_deflate_stateless(stream) == COMP_OK ? stream->total_out : 0;
}

size_t perp_pack(PerpPacker *packer, const char *raw, size_t chunk_size, size_t width, char *to)
{
    const char *bytes = raw;
    if (chunk_size > UINT32_MAX)
        return 0;
    if (width > 1) {
        shuffle_bytes(raw, chunk_size / width, width, packer->shuffled);
        bytes = packer->shuffled;
    }
    return deflate(packer, bytes, chunk_size, to);
}

uint64_t perp_checksum(const void *bytes, size_t size)
{
    return crc64_ecma_refl(0, bytes, size);
}
