// Chunks of a recording as HDF5's own filters shuffle and deflate would leave them, made by ISA-L,
// which takes a fraction of the time; any HDF5 reads them.
#ifndef PERP_IO_RECORDING_PACK_H
#define PERP_IO_RECORDING_PACK_H

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

// A chunk that was packed, kept because the next one is often the same: bodies come to rest.
typedef struct PerpPacked {
    char *raw;    // what it was made of; owned, NULL: nothing is kept
    char *bytes;  // owned
    size_t size;  // of bytes, 0: it would not get smaller
    size_t room;  // of raw and of bytes
    size_t whole; // size of raw
} PerpPacked;

bool perp_packer_open(PerpPacker *packer, const PerpAllocator *allocator); // false: no memory
void perp_packer_close(PerpPacker *packer);                                // also if not opened

// Packs cells of `cell` bytes. False if memory is short.
bool perp_pack(PerpPacker *packer, const char *raw, size_t size, size_t cell, PerpPacked *packed);
bool perp_packed_is(const PerpPacked *packed, const char *raw, size_t size);
void perp_packed_free(const PerpAllocator *allocator, PerpPacked *packed);

// For checkpoints: tells a whole one from one that did not arrive.
uint64_t perp_checksum(const void *bytes, size_t size);

#endif
