// The files of an entry: <entry>.csv of its first table, <entry>-<name>.csv of the others,
// <entry>-<name>.svg and <entry>-<name>-points.csv of its figures.
#define _POSIX_C_SOURCE 200809L

#include "paper/paper.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <sys/stat.h>

static FILE *open_file(const char *folder, const PaperEntry *entry, const char *name,
                       const char *end)
{
    char path[PERP_PATH_SIZE];
    const char *dash = *name ? "-" : "";
    int length = snprintf(path, sizeof path, "%s/%s%s%s%s", folder, entry->name, dash, name, end);
    FILE *file = (size_t)length < sizeof path ? fopen(path, "w") : NULL;
    if (!file)
        fprintf(stderr, "perp: %s: %s\n", path, strerror(errno));
    return file;
}

static bool close_file(FILE *file, const char *folder)
{
    bool written = !ferror(file);
    if (fclose(file) != 0)
        written = false;
    if (!written)
        fprintf(stderr, "perp: %s: a file could not be written: %s\n", folder, strerror(errno));
    return written;
}

static bool write_text(const char *folder, const PaperEntry *entry, const char *name,
                       const char *end, const char *text)
{
    FILE *file = open_file(folder, entry, name, end);
    if (!file)
        return false;
    fputs(text, file);
    return close_file(file, folder);
}

static void write_cell(FILE *file, double number)
{
    if (!isnan(number))
        fprintf(file, "%.17g", number);
}

static bool write_table(const char *folder, const PaperEntry *entry, const char *name,
                        const PaperTable *table)
{
    FILE *file = open_file(folder, entry, name, ".csv");
    if (!file)
        return false;
    for (int k = 0; k < table->n_columns; k++)
        fprintf(file, table->is_printed[k] ? "%s%s,%s printed" : "%s%s", k ? "," : "",
                table->column[k], table->column[k]);
    fputc('\n', file);
    for (int at = 0; at < table->n_rows * table->n_columns; at++) {
        int k = at % table->n_columns;
        fputs(k ? "," : at ? "\n" : "", file);
        write_cell(file, table->values[at]);
        if (table->is_printed[k]) {
            fputc(',', file);
            write_cell(file, table->printed[at]);
        }
    }
    fputc('\n', file);
    return close_file(file, folder);
}

bool paper_write_files(const char *folder, const PaperEntry *entry, const Paper *paper)
{
    bool written = mkdir(folder, 0777) == 0 || errno == EEXIST;
    if (!written)
        fprintf(stderr, "perp: %s: %s\n", folder, strerror(errno));
    for (int k = 0; written && k < paper->n_tables; k++)
        written = write_table(folder, entry, k ? paper->tables[k].name : "", &paper->tables[k]);
    for (int k = 0; written && k < paper->n_figures; k++)
        written =
            write_text(folder, entry, paper->figures[k].name, ".svg", paper->figures[k].svg) &&
            write_text(folder, entry, paper->figures[k].name, "-points.csv", paper->figures[k].csv);
    return written;
}
