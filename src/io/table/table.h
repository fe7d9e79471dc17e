// Rows of a table, kept column by column until there are enough for a block; a format writes
// blocks.
#ifndef PERP_IO_TABLE_TABLE_H
#define PERP_IO_TABLE_TABLE_H

#include "base/text.h"
#include "perp/table.h"

enum { PERP_TABLE_BLOCK = 65536 }; // rows

// The cells of a block: numbers, or texts one behind the other.
typedef struct PerpTableBuffer {
    double *numbers; // owned, PERP_TABLE_BLOCK of them; of texts: where each ends
    PerpText texts;  // owned
} PerpTableBuffer;

typedef struct PerpTableFormat {
    const char *endings[2];
    bool (*begin)(PerpTableWriter *writer); // false: what went wrong is in errno
    bool (*block)(PerpTableWriter *writer);
    bool (*end)(PerpTableWriter *writer);
    void (*release)(PerpTableWriter *writer); // what begin made; also after a failure
} PerpTableFormat;

struct PerpTableWriter {
    PerpContext context;
    const PerpTableFormat *format;
    char path[PERP_PATH_SIZE], temporary[PERP_PATH_SIZE];
    int n_columns;
    PerpTableColumn *columns; // owned, with names
    PerpTableBuffer *buffers; // owned, one a column
    int rows;                 // in the buffers
    long long total;          // with these
    void *file;               // of the format
    int n_blocks;             // that were written
    PerpText index;           // of Parquet: what its footer says of each block
};

extern const PerpTableFormat perp_table_csv, perp_table_hdf5, perp_table_parquet;

// The text of row k of a column.
const char *perp_table_text(const PerpTableBuffer *buffer, int k, size_t *length);

#endif
