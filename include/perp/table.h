// Tables written row by row: CSV, HDF5 or Parquet, by the ending of their file's name.
#ifndef PERP_TABLE_H
#define PERP_TABLE_H

#include "perp/api.h"
#include "perp/context.h"
#include "perp/status.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

// What the cells of a column are. NaN is an empty number.
typedef enum PerpCellKind { PERP_CELL_NUMBER, PERP_CELL_INTEGER, PERP_CELL_TEXT } PerpCellKind;

// A column. Keeps its layout.
typedef struct PerpTableColumn {
    const char *name;  // in the head
    PerpCellKind kind; // of all its cells
} PerpTableColumn;

// A cell: text for a column of texts, else number. Keeps its layout.
typedef struct PerpCell {
    double number;    //
    const char *text; // UTF-8, copied
} PerpCell;

// A table that is being written. It appears under its name when it is complete.
typedef struct PerpTableWriter PerpTableWriter;

// path ends in .csv, .h5, .hdf5 or .parquet, else NOT_SUPPORTED. context may be NULL.
PERP_API PerpStatus perp_table_begin(const PerpContext *context, const char *path,
                                     const PerpTableColumn *columns, int n_columns,
                                     PerpTableWriter **writer, PerpError *error);
// A row: as many cells as there are columns.
PERP_API PerpStatus perp_table_add(PerpTableWriter *writer, const PerpCell *cells,
                                   PerpError *error);
// Gives the file its name; keep false: it vanishes. Frees the writer, also after a failure. NULL is
// allowed.
PERP_API PerpStatus perp_table_end(PerpTableWriter *writer, bool keep, PerpError *error);

#ifdef __cplusplus
}
#endif
#endif
