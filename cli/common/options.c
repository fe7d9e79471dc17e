// Parsing of the command line by a table of options.
#include "common/cli.h"

#include "perp/words.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_OPTIONS = 48 };

static const CliOption *find_option(const char *argument, const CliOption *options, int count)
{
    size_t length = strcspn(argument, "=");
    for (int k = 0; k < count; k++)
        if (strlen(options[k].name) == length && strncmp(options[k].name, argument, length) == 0)
            return &options[k];
    return NULL;
}

static void complain_of_option(const char *argument, const CliOption *options, int count)
{
    const char *names[MAX_OPTIONS];
    for (int k = 0; k < count; k++)
        names[k] = options[k].name;
    fprintf(stderr, "perp: unknown option %s; did you mean %s?\n", argument,
            perp_nearest_word(argument, names, count));
}

// Returns how many arguments the option took, 0 after an error.
static int take_option(const CliOption *option, int argc, char **argv)
{
    const char *equals = strchr(argv[0], '=');
    if (option->is_set) {
        *option->is_set = true;
        if (equals)
            fprintf(stderr, "perp: %s takes no value\n", option->name);
        return equals ? 0 : 1;
    }
    if (!equals && argc < 2) {
        fprintf(stderr, "perp: %s needs a value\n", option->name);
        return 0;
    }
    *option->value = equals ? equals + 1 : argv[1];
    return equals ? 1 : 2;
}

static int fail(const char *usage)
{
    fprintf(stderr, "usage: %s\n", usage);
    return -1;
}

int cli_parse(int argc, char **argv, const CliOption *options, int count, const char **others,
              int limit, const char *usage)
{
    int found = 0;
    bool only_others = false;
    for (int k = 1; k < argc;) {
        bool is_option = !only_others && argv[k][0] == '-' && argv[k][1] != '\0';
        if (is_option && strcmp(argv[k], "--") == 0) {
            only_others = true;
            k++;
        } else if (is_option) {
            const CliOption *option = find_option(argv[k], options, count);
            int taken = option ? take_option(option, argc - k, argv + k) : 0;
            if (!option)
                complain_of_option(argv[k], options, count);
            if (taken == 0)
                return fail(usage);
            k += taken;
        } else if (found == limit) {
            fprintf(stderr, "perp: unexpected argument %s\n", argv[k]);
            return fail(usage);
        } else {
            others[found++] = argv[k++];
        }
    }
    return found;
}

bool cli_read_number(const char *option, const char *text, double *number)
{
    if (!text)
        return true;
    char *end;
    *number = strtod(text, &end);
    if (end != text && !*end && isfinite(*number) && *number > 0)
        return true;
    fprintf(stderr, "perp: %s must be a number above 0, not %s\n", option, text);
    return false;
}

bool cli_read_count(const char *option, const char *text, int *count)
{
    if (!text)
        return true;
    char *end;
    long number = strtol(text, &end, 10);
    *count = (int)number;
    if (end != text && !*end && number > 0 && number <= INT_MAX)
        return true;
    fprintf(stderr, "perp: %s must be a whole number above 0, not %s\n", option, text);
    return false;
}
