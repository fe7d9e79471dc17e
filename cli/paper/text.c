// Results of an entry as text.
#include "paper/paper.h"

#include <math.h>
#include <string.h>

enum { WIDTH = 13, GAP = 2 };

// The length of UTF-8 text in letters.
static int letters(const char *text)
{
    int count = 0;
    for (; *text; text++)
        count += (*text & 0xC0) != 0x80;
    return count;
}

static void print_right(FILE *out, const char *text, int width)
{
    fprintf(out, "%*s%s", width > letters(text) ? width - letters(text) : 0, "", text);
}

static int width_of(const PaperTable *table, int column)
{
    int length = letters(table->column[column]);
    return (length > WIDTH ? length : WIDTH) + GAP;
}

static void print_heads(FILE *out, const PaperTable *table)
{
    for (int k = 0; k < table->n_columns; k++) {
        print_right(out, table->column[k], width_of(table, k));
        if (table->is_printed[k])
            fprintf(out, "%*s%*s", WIDTH, "printed", WIDTH - 2, "difference");
    }
    fputc('\n', out);
}

static void print_printed(FILE *out, double value, double printed)
{
    if (isnan(printed))
        fprintf(out, "%*s%*s", WIDTH, "-", WIDTH - 2, "-");
    else
        fprintf(out, "%*.6g%+*.1e", WIDTH, printed, WIDTH - 2, paper_difference(value, printed));
}

static void print_table(FILE *out, const PaperTable *table)
{
    fprintf(out, "\n  %s\n", table->name);
    print_heads(out, table);
    for (int row = 0; row < table->n_rows; row++) {
        for (int k = 0; k < table->n_columns; k++) {
            int at = table->n_columns * row + k;
            fprintf(out, "%*.7g", width_of(table, k), table->values[at]);
            if (table->is_printed[k])
                print_printed(out, table->values[at], table->printed[at]);
        }
        fputc('\n', out);
    }
}

void paper_print_text(FILE *out, const PaperEntry *entry, const Paper *paper)
{
    fprintf(out, "%s: %s\n", entry->name, entry->text);
    for (int k = 0; k < paper->n_tables; k++)
        print_table(out, &paper->tables[k]);
    if (paper->n_notes > 0)
        fputc('\n', out);
    for (int k = 0; k < paper->n_notes; k++)
        fprintf(out, "  note   %s\n", paper->notes[k]);
    if (paper->n_claims > 0)
        fputc('\n', out);
    for (int k = 0; k < paper->n_claims; k++)
        fprintf(out, "  %s  %s\n", paper->claims[k].holds ? "holds" : "FAILS",
                paper->claims[k].text);
}
