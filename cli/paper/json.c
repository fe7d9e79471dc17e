// Results of an entry as one JSON object.
#include "common/json.h"
#include "common/support.h"
#include "paper/paper.h"

#include <math.h>

// {"h": 1, "E": 2}, or with the printed numbers only; NAN becomes null.
static void print_row(FILE *out, const PaperTable *table, const double *row)
{
    fputc('{', out);
    for (int k = 0; k < table->n_columns; k++)
        json_member(out, k ? ", " : "", table->column[k], row[k]);
    fputc('}', out);
}

static void print_rows(FILE *out, const PaperTable *table, const double *values)
{
    fputc('[', out);
    for (int row = 0; row < table->n_rows; row++) {
        fputs(row ? ",\n   " : "", out);
        print_row(out, table, values + table->n_columns * row);
    }
    fputc(']', out);
}

static bool has_printed(const PaperTable *table)
{
    for (int k = 0; k < table->n_columns; k++)
        if (table->is_printed[k])
            return true;
    return false;
}

// The first table is "rows", the others have their names; what the paper prints stands in
// "printed" under the same name.
static void print_tables(FILE *out, const Paper *paper)
{
    for (int k = 0; k < paper->n_tables; k++) {
        fputs(",\n  ", out);
        json_string(out, k ? paper->tables[k].name : "rows");
        fputs(": ", out);
        print_rows(out, &paper->tables[k], paper->tables[k].values);
    }
    fputs(",\n  \"printed\": {", out);
    const char *separator = "";
    for (int k = 0; k < paper->n_tables; k++)
        if (has_printed(&paper->tables[k])) {
            fputs(separator, out);
            json_string(out, k ? paper->tables[k].name : "rows");
            fputs(": ", out);
            print_rows(out, &paper->tables[k], paper->tables[k].printed);
            separator = ", ";
        }
    fputc('}', out);
}

static void print_claims(FILE *out, const Paper *paper)
{
    fputs(",\n  \"claims\": [", out);
    for (int k = 0; k < paper->n_claims; k++) {
        json_text(out, k ? ",\n   {" : "{", "text", paper->claims[k].text);
        fprintf(out, ", \"holds\": %s}", paper->claims[k].holds ? "true" : "false");
    }
    fputc(']', out);
}

static void print_notes(FILE *out, const Paper *paper)
{
    fputs(",\n  \"notes\": [", out);
    for (int k = 0; k < paper->n_notes; k++) {
        fputs(k ? ",\n   " : "", out);
        json_string(out, paper->notes[k]);
    }
    fputc(']', out);
}

// The files that paper_write_files writes.
static void print_figures(FILE *out, const PaperEntry *entry, const Paper *paper)
{
    fputs(",\n  \"figures\": [", out);
    for (int k = 0; k < paper->n_figures; k++)
        fprintf(out, "%s\"%s-%s.svg\"", k ? ", " : "", entry->name, paper->figures[k].name);
    fputc(']', out);
}

void paper_print_json(FILE *out, const PaperEntry *entry, const Paper *paper)
{
    json_text(out, "{", "name", entry->name);
    json_text(out, ", ", "text", entry->text);
    print_tables(out, paper);
    print_claims(out, paper);
    print_notes(out, paper);
    print_figures(out, entry, paper);
    fputc('}', out);
}

void paper_print_failure_json(FILE *out, const PaperEntry *entry, const Paper *paper)
{
    json_text(out, "{", "name", entry->name);
    json_text(out, ", ", "error", paper->error.message);
    fputc('}', out);
}
