// The section `run` of a study: numbers, which are expressions of the parameters, and words, which
// are the same for all cases or vary.
#include "base/error.h"
#include "io/text/node.h"
#include "perp/words.h"
#include "study/study.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_WORDS = 32 };

// --- the words ----------------------------------------------------------------------------------

static const char *scheme_word(int k)
{
    return k < perp_scheme_count() ? perp_scheme_name(k) : NULL;
}

static const char *facets_word(int k) // besides numbers
{
    return k == 0 ? "circular" : NULL;
}

static const char *impacts_word(int k)
{
    return k < PERP_IMPACTS_COUNT ? perp_impacts_name((PerpImpacts)k) : NULL;
}

static const char *stabilise_word(int k)
{
    return k < PERP_STABILISE_COUNT ? perp_stabilisation_name((PerpStabilisation)k) : NULL;
}

static const char *jacobian_word(int k)
{
    return k < PERP_JACOBIAN_COUNT ? perp_jacobian_name((PerpJacobian)k) : NULL;
}

static const char *overlap_word(int k)
{
    return k < PERP_OVERLAP_COUNT ? perp_overlap_name((PerpOverlap)k) : NULL;
}

static const char *flag_word(int k)
{
    return k == 0 ? "false" : k == 1 ? "true" : NULL;
}

static const struct {
    const char *key;
    const char *(*word)(int k); // NULL behind the last
} choices[PERP_CHOICES] = {{"scheme", scheme_word},     {"facets", facets_word},
                           {"impacts", impacts_word},   {"stabilise", stabilise_word},
                           {"jacobian", jacobian_word}, {"overlap", overlap_word},
                           {"exact", flag_word},        {"strict", flag_word}};

int perp_choice_index(PerpChoice choice, const char *word)
{
    const char *known;
    for (int k = 0; word && (known = choices[choice].word(k)); k++)
        if (strcmp(word, known) == 0)
            return k;
    return -1;
}

bool perp_is_choice(const char *word)
{
    for (int choice = 0; choice < PERP_CHOICES; choice++)
        if (perp_choice_index((PerpChoice)choice, word) >= 0)
            return true;
    return false;
}

const char *perp_study_choice(const PerpStudy *study, PerpChoice choice, const double *parameters)
{
    const PerpChosen *chosen = &study->choices[choice];
    return chosen->varied < 0 ? chosen->word
                              : perp_study_word(study, chosen->varied, parameters[chosen->varied]);
}

const char *perp_study_word(const PerpStudy *study, int parameter, double value)
{
    const char **words = study->varied[parameter].words;
    return words ? words[(int)value] : NULL;
}

// --- reading ------------------------------------------------------------------------------------

static bool is_facets(const char *text)
{
    char *end;
    long number = strtol(text, &end, 10);
    return *end == '\0' && number >= 4 && number <= 64 && number % 2 == 0;
}

static PerpStatus fail_unknown(const PerpStudy *study, const PerpNode *node, PerpChoice choice,
                               const char *word)
{
    const char *known[MOST_WORDS];
    char list[256] = "";
    int count = 0;
    size_t length = 0;
    while (count < MOST_WORDS && (known[count] = choices[choice].word(count)))
        count++;
    if (choice == PERP_CHOICE_SCHEME)
        return perp_node_fail(&study->document, node, PERP_BAD_VALUE,
                              "unknown scheme \"%.60s\"; the nearest is \"%s\"", word,
                              perp_nearest_word(word, known, count));
    for (int k = 0; k < count && length < sizeof list; k++)
        length += (size_t)snprintf(list + length, sizeof list - length, "%s%s",
                                   k == 0          ? ""
                                   : k + 1 < count ? ", "
                                                   : " or ",
                                   known[k]);
    return perp_node_fail(&study->document, node, PERP_BAD_VALUE,
                          "%s: expected %s%s, found \"%.60s\"", choices[choice].key,
                          choice == PERP_CHOICE_FACETS ? "even numbers from 4 to 64 or " : "", list,
                          word);
}

// A parameter whose values all are words of the option.
static PerpStatus read_varied(PerpStudy *study, const PerpNode *node, PerpChoice choice, int varied)
{
    PerpVaried *parameter = &study->varied[varied];
    for (int k = 0; k < parameter->n_words; k++)
        if (perp_choice_index(choice, parameter->words[k]) < 0 &&
            !(choice == PERP_CHOICE_FACETS && is_facets(parameter->words[k])))
            return fail_unknown(study, node, choice, parameter->words[k]);
    study->choices[choice].varied = varied;
    parameter->is_used = true;
    return PERP_OK;
}

static PerpStatus read_choice(PerpStudy *study, const PerpNode *node, PerpChoice choice)
{
    if (node->kind != PERP_NODE_SCALAR)
        return perp_node_fail(&study->document, node, PERP_BAD_SYNTAX, "%s: expected a word",
                              choices[choice].key);
    int index = perp_choice_index(choice, node->text);
    int varied = perp_study_find_parameter(study, node->text);
    if (index < 0 && varied >= 0 && study->varied[varied].words)
        return read_varied(study, node, choice, varied);
    if (index < 0)
        return fail_unknown(study, node, choice, node->text);
    study->choices[choice].word = choices[choice].word(index);
    return PERP_OK;
}

// Words for the polygon's cone, or a number.
static bool is_choice_of_facets(const PerpStudy *study, const PerpNode *node)
{
    int varied = node->text ? perp_study_find_parameter(study, node->text) : -1;
    return perp_choice_index(PERP_CHOICE_FACETS, node->text) >= 0 ||
           (varied >= 0 && study->varied[varied].words);
}

static const char *const numbers[PERP_OPTIONS] = {"t", "h", "tolerance", "facets"};

static PerpStatus read_option(PerpStudy *study, const PerpNode *key)
{
    int option = 0, choice = 0;
    while (option < PERP_OPTIONS && strcmp(numbers[option], key->text) != 0)
        option++;
    while (choice < PERP_CHOICES && strcmp(choices[choice].key, key->text) != 0)
        choice++;
    if (option == PERP_OPTIONS ||
        (option == PERP_OPTION_FACETS && is_choice_of_facets(study, key->next)))
        return read_choice(study, key->next, (PerpChoice)choice);
    study->options[option].name = key->text;
    study->options[option].node = key->next;
    return perp_study_compile(study, key->next, &study->options[option].program);
}

PerpStatus perp_study_read_run(PerpStudy *study, const PerpNode *node)
{
    const char *keys[PERP_OPTIONS + PERP_CHOICES];
    int count = 0;
    for (int k = 0; k < PERP_OPTIONS; k++)
        keys[count++] = numbers[k];
    for (int k = 0; k < PERP_CHOICES; k++)
        if (k != PERP_CHOICE_FACETS) // a number as well
            keys[count++] = choices[k].key;
    PerpStatus status = perp_node_mapping(&study->document, node, "run");
    if (!status)
        status = perp_node_check_keys(&study->document, node, keys, count);
    for (const PerpNode *key = node->child; !status && key; key = key->next->next)
        status = read_option(study, key);
    return status;
}
