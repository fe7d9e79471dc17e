// Collects the results of an entry. After a failure everything else is ignored.
#define _POSIX_C_SOURCE 200809L

#include "papers/collected.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT_SIZE = 1024 };

Paper *paper_create(void)
{
    return calloc(1, sizeof(Paper));
}

static void free_table(PaperTable *table)
{
    free(table->name);
    for (int k = 0; k < table->n_columns; k++)
        free(table->column[k]);
    free(table->values);
    free(table->printed);
}

void paper_destroy(Paper *paper)
{
    for (int k = 0; paper && k < paper->n_tables; k++)
        free_table(&paper->tables[k]);
    for (int k = 0; paper && k < paper->n_figures; k++) {
        free(paper->figures[k].name);
        perp_figure_free(NULL, paper->figures[k].svg);
        free(paper->figures[k].csv);
    }
    for (int k = 0; paper && k < paper->n_notes; k++)
        free(paper->notes[k]);
    for (int k = 0; paper && k < paper->n_claims; k++)
        free(paper->claims[k].text);
    if (paper) {
        free(paper->tables);
        free(paper->figures);
        free(paper->notes);
        free(paper->claims);
    }
    free(paper);
}

bool paper_failed(const Paper *paper)
{
    return paper->error.status != PERP_OK;
}

void paper_fail(Paper *paper, const PerpError *error)
{
    if (!paper_failed(paper))
        paper->error = *error;
}

static void fail_with(Paper *paper, PerpStatus status, const char *message)
{
    PerpError error = {.status = status};
    snprintf(error.message, sizeof error.message, "%s", message);
    paper_fail(paper, &error);
}

static void fail_of_memory(Paper *paper)
{
    fail_with(paper, PERP_NO_MEMORY, "out of memory");
}

// Room for one more of `size` bytes behind the `count` there are; NULL after a failure.
static void *grow(Paper *paper, void *list, int count, size_t size)
{
    void *room = paper_failed(paper) ? NULL : realloc(list, ((size_t)count + 1) * size);
    if (!room && !paper_failed(paper))
        fail_of_memory(paper);
    return room;
}

// A copy of the first `length` letters of the text; NULL after a failure.
static char *copy_text(Paper *paper, const char *text, size_t length)
{
    char *copy = strndup(text, length);
    if (!copy)
        fail_of_memory(paper);
    return copy;
}

// --- tables -------------------------------------------------------------------------------------

static void name_columns(Paper *paper, PaperTable *table, const char *columns)
{
    for (const char *at = columns + strspn(columns, " "); *at && !paper_failed(paper);) {
        size_t length = strcspn(at, " ");
        if (table->n_columns == PAPER_COLUMNS) {
            fail_with(paper, PERP_BAD_VALUE, "a table has too many columns");
            return;
        }
        table->column[table->n_columns] = copy_text(paper, at, length);
        if (table->column[table->n_columns])
            table->n_columns++;
        at += length + strspn(at + length, " ");
    }
}

void paper_table(Paper *paper, const char *name, const char *columns)
{
    PaperTable *tables = grow(paper, paper->tables, paper->n_tables, sizeof *tables);
    if (!tables)
        return;
    paper->tables = tables;
    tables[paper->n_tables] = (PaperTable){.name = copy_text(paper, name, strlen(name))};
    name_columns(paper, &tables[paper->n_tables++], columns);
}

void paper_row(Paper *paper, const double *values, const double *printed)
{
    if (paper_failed(paper))
        return;
    if (paper->n_tables == 0) {
        fail_with(paper, PERP_BAD_VALUE, "a row stands before the first table");
        return;
    }
    PaperTable *table = &paper->tables[paper->n_tables - 1];
    size_t size = (size_t)table->n_columns * sizeof(double);
    double *room = grow(paper, table->values, table->n_rows, size);
    if (room)
        table->values = room;
    double *printed_room = grow(paper, table->printed, table->n_rows, size);
    if (!printed_room)
        return;
    table->printed = printed_room;
    for (int k = 0; k < table->n_columns; k++) {
        int at = table->n_columns * table->n_rows + k;
        table->values[at] = values[k];
        table->printed[at] = printed ? printed[k] : NAN;
        table->is_printed[k] = table->is_printed[k] || !isnan(table->printed[at]);
    }
    table->n_rows++;
}

double paper_difference(double value, double printed)
{
    return (value - printed) / (printed == 0 ? 1 : fabs(printed));
}

// --- figures ------------------------------------------------------------------------------------

// A name in CSV: quoted, inner quotes doubled.
static void write_quoted(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text; text++)
        fprintf(out, *text == '"' ? "\"%c" : "%c", *text);
    fputc('"', out);
}

static char *points_of(Paper *paper, const PerpFigure *figure)
{
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (out)
        fputs("series,x,y\n", out);
    for (int s = 0; out && s < figure->n_series; s++)
        for (int i = 0; i < figure->series[s].count; i++) {
            write_quoted(out, figure->series[s].name ? figure->series[s].name : "");
            fprintf(out, ",%.17g,%.17g\n", figure->series[s].x[i], figure->series[s].y[i]);
        }
    if (!out || fclose(out) != 0) {
        free(text);
        fail_of_memory(paper);
        return NULL;
    }
    return text;
}

void paper_figure(Paper *paper, const char *name, const PerpFigure *figure)
{
    PerpError error;
    PaperDrawing *figures = grow(paper, paper->figures, paper->n_figures, sizeof *figures);
    if (!figures)
        return;
    paper->figures = figures;
    PaperDrawing *drawing = &figures[paper->n_figures++];
    *drawing = (PaperDrawing){.name = copy_text(paper, name, strlen(name)),
                              .csv = points_of(paper, figure)};
    if (perp_figure_svg(NULL, figure, &drawing->svg, &error))
        paper_fail(paper, &error);
}

// --- notes and claims ---------------------------------------------------------------------------

static char *format_text(Paper *paper, const char *format, va_list arguments)
{
    char text[TEXT_SIZE];
    vsnprintf(text, sizeof text, format, arguments);
    return copy_text(paper, text, sizeof text);
}

void paper_note(Paper *paper, const char *format, ...)
{
    va_list arguments;
    char **notes = grow(paper, paper->notes, paper->n_notes, sizeof *notes);
    if (!notes)
        return;
    paper->notes = notes;
    va_start(arguments, format);
    notes[paper->n_notes++] = format_text(paper, format, arguments);
    va_end(arguments);
}

void paper_claim(Paper *paper, bool holds, const char *format, ...)
{
    va_list arguments;
    PaperClaim *claims = grow(paper, paper->claims, paper->n_claims, sizeof *claims);
    if (!claims)
        return;
    paper->claims = claims;
    va_start(arguments, format);
    claims[paper->n_claims++] = (PaperClaim){format_text(paper, format, arguments), holds};
    va_end(arguments);
}

void paper_bound(Paper *paper, PerpBoundKind kind, double margin, double rounding)
{
    if (isfinite(margin))
        paper_claim(paper, margin >= -rounding, "%s held wherever it applied, least margin %.1e",
                    perp_bound_name(kind), margin);
    else
        paper_claim(paper, false, "%s did not apply in any step", perp_bound_name(kind));
}

int paper_failed_claims(const Paper *paper)
{
    int failed = 0;
    for (int k = 0; k < paper->n_claims; k++)
        failed += !paper->claims[k].holds;
    return failed;
}
