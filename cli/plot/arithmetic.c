// Sums and products of quantities, frame by frame: 2 * ball.z - rod.x. Since names hold signs
// (joint-gap, energy/kinetic), operators and parentheses are words of their own, between blanks.
#include "plot/curves.h"

#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 32 }; // parentheses in each other

typedef struct Reader {
    PlotRun *run;
    char word[PLOT_NAME];
    const char *rest; // behind the word
    int depth;
    PerpError *error;
} Reader;

static void next(Reader *r)
{
    const char *start = r->rest + strspn(r->rest, " ");
    size_t length = strcspn(start, " ");
    snprintf(r->word, sizeof r->word, "%.*s", (int)length, start);
    r->rest = start + length;
}

static bool is(const Reader *r, const char *sign)
{
    return strcmp(r->word, sign) == 0;
}

static bool read_number(const Reader *r, PlotColumn *column)
{
    char *end;
    double number = strtod(r->word, &end);
    if (end == r->word || *end)
        return false;
    *column = (PlotColumn){.what = "", .unit = ""};
    column->values = malloc(((size_t)r->run->frames + 1) * sizeof *column->values);
    for (long k = 0; column->values && k < r->run->frames; k++)
        column->values[k] = number;
    return column->values != NULL;
}

static bool read_sum(Reader *r, PlotColumn *sum);

static bool read_factor(Reader *r, PlotColumn *factor)
{
    bool found;
    if (is(r, "(") && r->depth < DEEPEST) {
        r->depth++;
        next(r);
        found = read_sum(r, factor);
        if (found && !is(r, ")")) {
            free(factor->values);
            found = false;
        }
        r->depth--;
    } else {
        found = read_number(r, factor) || plot_column(r->run, r->word, factor, r->error);
    }
    if (found)
        next(r);
    return found;
}

static double combine(char sign, double a, double b)
{
    return sign == '+' ? a + b : sign == '-' ? a - b : sign == '*' ? a * b : a / b;
}

// The unit if only one has any, or if a sum is of the same; others are left to the reader.
static const char *unit_of(char sign, const char *a, const char *b)
{
    bool sum = sign == '+' || sign == '-';
    if (!b[0] || (sum && strcmp(a, b) == 0))
        return a;
    return a[0] || sign == '/' ? "" : b;
}

static void combine_columns(const Reader *r, char sign, PlotColumn *a, const PlotColumn *b)
{
    a->unit = unit_of(sign, a->unit, b->unit);
    for (long k = 0; k < r->run->frames; k++)
        a->values[k] = combine(sign, a->values[k], b->values[k]);
    free(b->values);
}

static bool read_chain(Reader *r, PlotColumn *column, const char *signs,
                       bool (*read)(Reader *r, PlotColumn *column))
{
    PlotColumn other;
    if (!read(r, column))
        return false;
    while (r->word[0] && !r->word[1] && strchr(signs, r->word[0])) {
        char sign = r->word[0];
        next(r);
        if (!read(r, &other)) {
            free(column->values);
            return false;
        }
        combine_columns(r, sign, column, &other);
    }
    return true;
}

static bool read_product(Reader *r, PlotColumn *product)
{
    return read_chain(r, product, "*/", read_factor);
}

static bool read_sum(Reader *r, PlotColumn *sum)
{
    return read_chain(r, sum, "+-", read_product);
}

bool plot_arithmetic(PlotRun *run, const char *text, PlotColumn *column, PerpError *error)
{
    Reader r = {.run = run, .rest = text, .error = error};
    if (!strchr(text, ' '))
        return false;
    next(&r);
    if (!read_sum(&r, column))
        return false;
    if (r.word[0]) {
        free(column->values);
        return false;
    }
    snprintf(column->name, sizeof column->name, "%s", text);
    column->what = "value";
    return true;
}
