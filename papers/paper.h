// One table, figure or worked example of a paper, reproduced: what an entry fills in and what
// `perp paper` prints and writes. Entries use the public headers of perp only.
#ifndef PERP_PAPERS_PAPER_H
#define PERP_PAPERS_PAPER_H

#include "perp/perp.h"

// Collects what an entry found. Memory that runs short is remembered and ends the entry.
typedef struct Paper Paper;

// Begins a table; columns: names separated by spaces, such as "h E E1 E2". The first table of an
// entry is "rows" in its JSON, the others have their names.
void paper_table(Paper *paper, const char *name, const char *columns);
// A row of the table begun last. printed: what the paper prints in each column, NAN where it prints
// nothing; NULL: nothing at all. The relative differences are shown beside them.
void paper_row(Paper *paper, const double *values, const double *printed);
// Draws the figure at once; it goes to <entry>-<name>.svg, the points of its series to CSV.
void paper_figure(Paper *paper, const char *name, const PerpFigure *figure);
// A sentence below the tables: data chosen where the paper gives none, what to look at.
void paper_note(Paper *paper, const char *format, ...);
// A claim of the paper that the entry has tested. One that fails makes `perp paper` exit with 5.
void paper_claim(Paper *paper, bool holds, const char *format, ...);

// An a-priori bound of the theory with the least margin that a run showed of it. INFINITY: no step
// satisfied its assumptions, which is said as "did not apply" and counts as a claim that fails, as
// an entry claims a bound only where it must apply.
void paper_bound(Paper *paper, PerpBoundKind kind, double margin, double rounding);

// Something went wrong: the entry should return.
bool paper_failed(const Paper *paper);
void paper_fail(Paper *paper, const PerpError *error);

typedef struct PaperEntry {
    const char *name; // such as "pagt06-table-10.1"
    const char *text; // one line
    void (*run)(Paper *paper);
} PaperEntry;

// Each paper has its own list, ended by an entry without name: papers/<paper>/entries.c
extern const PaperEntry papers_ap97[], papers_pagt06[], papers_st97[], papers_l82[], papers_ps02[];

#endif
