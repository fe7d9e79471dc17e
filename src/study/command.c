// What a case hands to its scene, and the command that runs it alone.
#include "base/text.h"
#include "io/text/c_locale.h"
#include "study/study.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void perp_study_digits(double number, char *text, int size)
{
    for (int precision = 6; precision <= 17; precision++) {
        snprintf(text, (size_t)size, "%.*g", precision, number);
        if (strtod(text, NULL) == number)
            break;
    }
}

int perp_study_set(const PerpStudy *study, const double *parameters, PerpParameter *set,
                   PerpDigits *digits)
{
    int count = 0;
    for (int k = 0; k < study->info.n_parameters; k++)
        if (!study->varied[k].is_foreign) {
            perp_study_digits(parameters[k], digits[count], sizeof *digits);
            set[count] = (PerpParameter){study->names[k], digits[count]};
            count++;
        }
    for (int k = 0; k < study->n_sets; k++) {
        double value =
            perp_study_evaluate(&study->sets[k].program, parameters, study->info.n_parameters);
        perp_study_digits(value, digits[count], sizeof *digits);
        set[count] = (PerpParameter){study->sets[k].name, digits[count]};
        count++;
    }
    return count;
}

// Quoted for a shell where it needs to be.
static void add_word(PerpText *text, const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_-+./=:,@%";
    if (*word && word[strspn(word, plain)] == '\0') {
        perp_text_add(text, word);
        return;
    }
    perp_text_add(text, "'");
    for (; *word; word++)
        perp_text_print(text, *word == '\'' ? "'\\''" : "%c", *word);
    perp_text_add(text, "'");
}

static void add_options(PerpText *text, const PerpStudy *study, const double *parameters)
{
    static const char *const words[PERP_OPTIONS] = {"-t", "-h", "--tolerance", "--facets"};
    static const struct {
        const char *flag;
        bool takes_word;
    } flags[PERP_CHOICES] = {{"--scheme", true},    {"--facets", true},   {"--impacts", true},
                             {"--stabilise", true}, {"--jacobian", true}, {"--overlap", true},
                             {"--exact", false},    {"--strict", false}};
    char digits[32];
    for (int k = 0; k < PERP_OPTIONS; k++) {
        if (!study->options[k].name)
            continue;
        perp_study_digits(
            perp_study_evaluate(&study->options[k].program, parameters, study->info.n_parameters),
            digits, sizeof digits);
        perp_text_print(text, " %s %s", words[k], digits);
    }
    for (int k = 0; k < PERP_CHOICES; k++) {
        const char *word = perp_study_choice(study, (PerpChoice)k, parameters);
        if (word && flags[k].takes_word)
            perp_text_print(text, " %s %s", flags[k].flag, word);
        else if (word && strcmp(word, "true") == 0)
            perp_text_print(text, " %s", flags[k].flag);
    }
}

bool perp_study_command(const PerpStudy *study, long index, const char *scene, char *line, int size)
{
    double parameters[PERP_STUDY_NAMES];
    PerpParameter set[PERP_STUDY_NAMES + PERP_STUDY_SETS];
    PerpDigits digits[PERP_STUDY_NAMES + PERP_STUDY_SETS];
    PerpText text = {.allocator = &study->context.allocator};
    PerpCLocale locale;
    line[0] = '\0';
    if (!perp_c_locale_enter(&locale))
        return false;
    perp_study_case(study, index, parameters);
    int count = perp_study_set(study, parameters, set, digits);
    perp_text_add(&text, "perp run ");
    add_word(&text, scene);
    for (int k = 0; k < count; k++)
        perp_text_print(&text, " --set %s=%s", set[k].name, set[k].value);
    add_options(&text, study, parameters);
    perp_c_locale_leave(&locale);
    bool fits = !text.failed && text.data && snprintf(line, (size_t)size, "%s", text.data) < size;
    perp_free(&study->context.allocator, text.data);
    return fits;
}
