// An HDF5 dataset that grows row by row. Rows are buffered until they fill a chunk, which is
// shuffled, deflated and written. A chunk that a flush cannot wait for is written uncompressed and
// stays so: it is rewritten in place, so that frequent flushes waste no space in the file.
#ifndef PERP_IO_HDF5_HDF5_COLUMN_H
#define PERP_IO_HDF5_HDF5_COLUMN_H

#include "io/hdf5/hdf5_deflate.h"

#include <hdf5.h>

enum { PERP_FILE_ALIGNMENT = 1024 }; // bytes, of all but the smallest pieces of a file

typedef enum PerpColumnType {
    PERP_COLUMN_DOUBLE,
    PERP_COLUMN_FLOAT,
    PERP_COLUMN_LONG, // 64 bits
    PERP_COLUMN_INT,
    PERP_COLUMN_BYTE,
    PERP_COLUMN_NAME,  // text of PERP_NAME_SIZE bytes
    PERP_COLUMN_NUMBER // double or float, as the recording's options say; in definitions only
} PerpColumnType;

hid_t perp_column_type(PerpColumnType type); // to be closed
size_t perp_column_element_size(PerpColumnType type);

// What a column is like. A row has the extents width x depth; 0 stands for no such rank.
typedef struct PerpColumnDef {
    const char *name; // path in the file
    const char *unit; // "" for none
    PerpColumnType type;
    int width, depth;
    int at_once; // rows that a frame may well add, from which larger chunks follow; 0: a few
} PerpColumnDef;

typedef struct PerpColumn {
    PerpAllocator allocator;
    PerpColumnType type;
    int rank;
    hsize_t extent[3]; // [0] is the number of rows in the file
    hid_t set;
    size_t row_size; // bytes
    hsize_t chunk;   // rows
    hsize_t first;   // the row where a chunk starts and memory begins
    char *rows;      // owned
    size_t count, room;
    hsize_t written;               // rows that HDF5 has
    bool is_plain;                 // the chunk at first stands in the file uncompressed
    PerpPacker *packer;            // borrowed
    PerpBatch next;                // handed over; its rows end at first
    bool is_pending;               // they are not in the file yet
    size_t again;                  // rows behind them that are like the last of them
    bool stays_plain;              // the first of its chunks was plain already
    PerpBatch last;                // those before, often the same: bodies come to rest
    int patience;                  // chunks to be left as they are before one is packed again
    const struct PerpColumn *twin; // borrowed, whose chunks are often the same, or NULL
} PerpColumn;

static inline size_t perp_column_chunk_size(const PerpColumn *column) // bytes
{
    return (size_t)column->chunk * column->row_size;
}

// Creates the dataset, with its groups, in a file that is not in SWMR mode yet; or opens that of a
// file to go on behind `rows` of its rows. Those that follow there will be written over.
bool perp_column_create(PerpColumn *column, PerpPacker *packer, hid_t file,
                        const PerpColumnDef *def);
bool perp_column_open(PerpColumn *column, PerpPacker *packer, hid_t file, const PerpColumnDef *def,
                      hsize_t rows);
void perp_column_free(PerpColumn *column);

// Room for more rows, which count as added; NULL if memory is short.
void *perp_column_add(PerpColumn *column, size_t rows);
// The last row, if it is still in memory, or NULL.
const void *perp_column_last(const PerpColumn *column);
// Adds that row once more, which takes no time if it is a chunk of its own that was packed; else it
// is not added, and false returned. No batch may be pending.
bool perp_column_repeat(PerpColumn *column);
hsize_t perp_column_rows(const PerpColumn *column);

// Rows of the file from or to memory, filtered by HDF5, which keeps the other rows of a chunk.
bool perp_column_transfer(const PerpColumn *column, hsize_t row, size_t count, char *memory,
                          bool to_file);

// Whole chunks take three stages: handed over, which leaves the column free for more rows;
// compressed, perhaps by another thread; written by HDF5. There is one batch at a time.
bool perp_column_hand_over(PerpColumn *column); // false if memory is short
void perp_column_pack(PerpColumn *column);
bool perp_column_write_packed(PerpColumn *column);
// Writes all other rows, no batch being pending. last: nothing follows, so the last chunk
// is better deflated now.
bool perp_column_write(PerpColumn *column, bool last);
// Bytes by which the file may grow by that, with `more` rows to come.
size_t perp_column_bound(const PerpColumn *column, size_t more);

#endif
