// Reports and files of the results that an entry has collected.
#ifndef PERP_CLI_PAPER_PAPER_H
#define PERP_CLI_PAPER_PAPER_H

#include "common/cli.h"

#include "papers/collected.h"

// Tables with the printed numbers beside, notes, claims.
void paper_print_text(FILE *out, const PaperEntry *entry, const Paper *paper);
// One JSON object, without the end of the line.
void paper_print_json(FILE *out, const PaperEntry *entry, const Paper *paper);
void paper_print_failure_json(FILE *out, const PaperEntry *entry, const Paper *paper);

// Tables and points of figures as CSV, figures as SVG, into the folder, which is made if it is not
// there. False after a complaint.
bool paper_write_files(const char *folder, const PaperEntry *entry, const Paper *paper);

#endif
