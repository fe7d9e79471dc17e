// Reads and prints lists of the ladder's methods; shared with the benchmarks.
#include "cli/common/method_list.h"

#include "perp/problem.h"
#include "perp/words.h"

#include <string.h>

enum { WORD = 64 };

static bool complain_of_word(const char *option, const char *word)
{
    const char *names[PERP_METHOD_COUNT];
    for (int k = 0; k < PERP_METHOD_COUNT; k++)
        names[k] = perp_method_name((PerpMethod)k);
    fprintf(stderr, "perp: %s: unknown method %s; did you mean %s? There are ", option, word,
            perp_nearest_word(word, names, PERP_METHOD_COUNT));
    cli_print_method_names(stderr, PERP_ALL_METHODS);
    fputc('\n', stderr);
    return false;
}

static bool read_list(const char *option, const char *list, unsigned *bits)
{
    *bits = 0;
    while (list) {
        PerpMethod method;
        char word[WORD];
        snprintf(word, sizeof word, "%.*s", (int)strcspn(list, ","), list);
        if (!perp_method_from_name(word, &method))
            return complain_of_word(option, word);
        *bits |= PERP_METHOD_BIT(method);
        list = strchr(list, ',');
        list += list != NULL;
    }
    return true;
}

bool cli_read_methods(const char *methods, const char *without, unsigned *bits)
{
    unsigned left_out = 0;
    *bits = PERP_ALL_METHODS;
    if (methods && !read_list("--methods", methods, bits))
        return false;
    if (without && !read_list("--without", without, &left_out))
        return false;
    *bits &= ~left_out;
    if (*bits == 0)
        fputs("perp: --methods and --without leave no method\n", stderr);
    return *bits != 0;
}

void cli_print_methods(FILE *out)
{
    for (int k = 0; k < PERP_METHOD_COUNT; k++)
        fprintf(out, "    %-15s%s\n", perp_method_name((PerpMethod)k),
                perp_method_text((PerpMethod)k));
}

void cli_print_method_names(FILE *out, unsigned bits)
{
    const char *separator = "";
    for (int k = 0; k < PERP_METHOD_COUNT; k++)
        if (bits & PERP_METHOD_BIT(k)) {
            fprintf(out, "%s%s", separator, perp_method_name((PerpMethod)k));
            separator = ", ";
        }
}
