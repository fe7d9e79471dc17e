// Results of an entry: tables, figures, notes, claims.
#ifndef PERP_PAPERS_COLLECTED_H
#define PERP_PAPERS_COLLECTED_H

#include "papers/paper.h"

enum { PAPER_COLUMNS = 32 };

typedef struct PaperTable {
    char *name;
    char *column[PAPER_COLUMNS];
    bool is_printed[PAPER_COLUMNS]; // the paper prints something in this column
    int n_columns, n_rows;
    double *values, *printed; // n_columns each row; printed: NAN where there is nothing
} PaperTable;

typedef struct PaperDrawing {
    char *name, *svg;
    char *csv; // series,x,y
} PaperDrawing;

typedef struct PaperClaim {
    char *text;
    bool holds;
} PaperClaim;

struct Paper {
    int n_tables, n_figures, n_notes, n_claims;
    PaperTable *tables;
    PaperDrawing *figures;
    char **notes;
    PaperClaim *claims;
    PerpError error; // status PERP_OK: none
};

Paper *paper_create(void); // NULL: out of memory
void paper_destroy(Paper *paper);

int paper_failed_claims(const Paper *paper);

// (value - printed) / |printed|; the difference itself if 0 is printed.
double paper_difference(double value, double printed);

// A paper with its entries.
typedef struct PaperSource {
    const char *key, *authors, *title;
    int year;
    const PaperEntry *entries; // ended by one without name
} PaperSource;

extern const PaperSource paper_sources[];
extern const int paper_source_count;

#endif
