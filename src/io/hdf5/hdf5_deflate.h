// Chunks of a recording as HDF5's own filters shuffle and deflate would leave them, made by ISA-L,
// which takes a fraction of the time; any HDF5 reads them.
#ifndef PERP_IO_HDF5_HDF5_DEFLATE_H
#define PERP_IO_HDF5_HDF5_DEFLATE_H

#include "base/memory.h"

#include <stdint.h>

struct isal_zstream;

// One for all columns of a recording. Everything is owned.
typedef struct PerpPacker {
    PerpAllocator allocator;
    struct isal_zstream *stream;
    unsigned char *tables; // of the stream
    char *shuffled;
    size_t room;
} PerpPacker;

// Chunks of one size on their way into the file, and what they were packed to. Everything is owned.
typedef struct PerpBatch {
    char *raw;       // one after the other
    size_t raw_room; // bytes
    char *bytes;     // packed, each at the place that it has in raw
    size_t *size;    // of each packed one; 0: it would not get smaller, PERP_UNPACKED: not tried
    size_t chunks, room;
} PerpBatch;

#define PERP_UNPACKED SIZE_MAX

bool perp_packer_open(PerpPacker *packer, const PerpAllocator *allocator); // false: no memory
void perp_packer_close(PerpPacker *packer);                                // also if not opened

// Memory for what follows, which needs no more. False if it is short.
bool perp_packer_reserve(PerpPacker *packer, PerpBatch *batch, size_t chunks, size_t chunk_size);
void perp_batch_free(const PerpAllocator *allocator, PerpBatch *batch);

// Packs a chunk of elements of `width` bytes; returns the bytes that it takes, 0 if not fewer.
size_t perp_pack(PerpPacker *packer, const char *raw, size_t chunk_size, size_t width, char *to);
// Takes what chunk `other` of a batch was packed to for a chunk that is the same; false if it is
// not.
bool perp_batch_repeat(PerpBatch *batch, size_t chunk, const PerpBatch *others, size_t other,
                       size_t chunk_size);

// For checkpoints: tells a whole one from one that did not arrive.
uint64_t perp_checksum(const void *bytes, size_t size);

#endif
