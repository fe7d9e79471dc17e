// The section `vary` of a study: axes, axes that go together, samples; and the cases they make.
#include "base/error.h"
#include "io/text/expression.h"
#include "io/text/node.h"
#include "study/study.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

static bool has_words(const PerpNode *node)
{
    for (const PerpNode *item = node->child; item; item = item->next)
        if (item->kind == PERP_NODE_SCALAR && perp_is_choice(item->text))
            return true;
    return false;
}

// Their values are their places in the list. The section run says what they must be.
static PerpStatus read_words(PerpStudy *study, const PerpNode *node, PerpVaried *varied,
                             double *numbers)
{
    varied->is_foreign = true;
    varied->words = PERP_TAKE(&study->arena, const char *, node->count);
    if (!varied->words)
        return perp_fail_memory(study->document.error);
    for (const PerpNode *item = node->child; item; item = item->next) {
        if (item->kind != PERP_NODE_SCALAR)
            return perp_node_fail(&study->document, item, PERP_BAD_SYNTAX, "%s: expected a word",
                                  varied->name);
        numbers[varied->n_words] = varied->n_words;
        varied->words[varied->n_words++] = item->text;
    }
    return PERP_OK;
}

// Numbers, or words of the run.
static PerpStatus read_list(PerpStudy *study, const PerpNode *node, PerpVaried *varied,
                            double **numbers)
{
    const char *what = varied->name;
    PerpStatus status = perp_node_sequence(&study->document, node, what);
    if (!status && node->count == 0)
        return perp_node_fail(&study->document, node, PERP_BAD_SIZE, "%s: an empty list", what);
    *numbers = status ? NULL : PERP_TAKE(&study->arena, double, node->count);
    if (!status && !*numbers)
        return perp_fail_memory(study->document.error);
    if (!status && has_words(node))
        return read_words(study, node, varied, *numbers);
    int k = 0;
    for (const PerpNode *item = node->child; !status && item; item = item->next)
        status = perp_study_number(study, item, what, &(*numbers)[k++]);
    return status;
}

static PerpStatus read_numbers(PerpStudy *study, const PerpNode *node, int count, const char *what,
                               double *numbers)
{
    PerpStatus status = perp_node_sequence_of(&study->document, node, count, what);
    int k = 0;
    for (const PerpNode *item = node->child; !status && item; item = item->next)
        status = perp_study_number(study, item, what, &numbers[k++]);
    return status;
}

// The one key of a mapping, and its index among the words.
static PerpStatus read_kind(PerpStudy *study, const PerpNode *node, const char *const *words,
                            int count, const char *what, int *kind)
{
    PerpStatus status = perp_node_mapping(&study->document, node, what);
    if (!status && node->count == 0)
        return perp_node_fail(&study->document, node, PERP_BAD_SYNTAX,
                              "%s: expected one of its keys", what);
    if (!status)
        status = perp_node_check_keys(&study->document, node, words, count);
    *kind = 0;
    while (!status && strcmp(words[*kind], node->child->text) != 0)
        (*kind)++;
    return status;
}

// --- axes ---------------------------------------------------------------------------------------

static PerpStatus check_spacing(PerpStudy *study, const PerpNode *node, const double numbers[3],
                                int kind, PerpSpacing *spacing)
{
    double count =
        kind == 3 ? floor((numbers[1] - numbers[0]) / numbers[2] * (1 + 4 * DBL_EPSILON) + 1e-9) + 1
                  : numbers[2];
    if (kind == 3 && !(numbers[2] != 0))
        return perp_node_fail(&study->document, node, PERP_BAD_VALUE, "grid: the step is 0");
    if (!(count >= 1))
        return perp_node_fail(&study->document, node, PERP_BAD_VALUE,
                              "an empty grid: expected [from, to, %s]",
                              kind == 3 ? "step" : "number of values");
    if (count != floor(count))
        return perp_node_fail(&study->document, node, PERP_BAD_VALUE,
                              "expected [from, to, number of values]");
    if (count > PERP_STUDY_POINTS)
        return perp_node_fail(&study->document, node, PERP_BAD_SIZE,
                              "%.6g values: at most %d are possible", count, PERP_STUDY_POINTS);
    if (kind == 2 && !(numbers[0] * numbers[1] > 0))
        return perp_node_fail(&study->document, node, PERP_BAD_VALUE,
                              "logspace: expected two numbers of the same sign, not 0");
    *spacing = (PerpSpacing){.kind = (PerpSpacingKind)kind,
                             .count = (long)count,
                             .from = numbers[0],
                             .to = kind == 3 ? numbers[2] : numbers[1]};
    return PERP_OK;
}

static PerpStatus read_spacing(PerpStudy *study, const PerpNode *node, PerpVaried *varied)
{
    const char *what = varied->name;
    PerpSpacing *spacing = &varied->spacing;
    static const char *const words[] = {"list", "linspace", "logspace", "grid"};
    double numbers[3], *list;
    int kind = 0;
    if (node->kind == PERP_NODE_SCALAR)
        return perp_node_fail(
            &study->document, node, PERP_BAD_SYNTAX,
            "%s: expected [values], {linspace: [from, to, count]}, {logspace: ...} "
            "or {grid: [from, to, step]}",
            what);
    const PerpNode *value = node;
    PerpStatus status = PERP_OK;
    if (node->kind == PERP_NODE_MAPPING) {
        status = read_kind(study, node, words, COUNT(words), what, &kind);
        value = status ? NULL : node->child->next;
    }
    if (status)
        return status;
    if (kind > 0) {
        status = read_numbers(study, value, 3, words[kind], numbers);
        return status ? status : check_spacing(study, value, numbers, kind, spacing);
    }
    status = read_list(study, value, varied, &list);
    *spacing = (PerpSpacing){.kind = PERP_SPACING_LIST, .count = value->count, .list = list};
    return status;
}

// --- distributions ------------------------------------------------------------------------------

#define LEAST_PROBABILITY 1e-200 // within bounds: below it the normal distribution has few digits

static PerpStatus check_distribution(PerpStudy *study, const PerpNode *node,
                                     const PerpDistribution *d)
{
    const char *fault = NULL;
    switch (d->kind) {
    case PERP_DRAW_UNIFORM:
        fault = d->a <= d->b ? NULL : "expected [from, to] with from <= to";
        break;
    case PERP_DRAW_LOGUNIFORM:
        fault = 0 < d->a && d->a <= d->b ? NULL : "expected [from, to] with 0 < from <= to";
        break;
    case PERP_DRAW_NORMAL:
    case PERP_DRAW_LOGNORMAL:
        fault = !(d->b > 0)            ? "expected [mean, deviation] with a deviation above 0"
                : d->lower >= d->upper ? "within: expected [from, to] with from < to"
                : !(perp_probability_within(d) > LEAST_PROBABILITY)
                    ? "within: too far from the mean to be drawn"
                    : NULL;
        break;
    case PERP_DRAW_TRIANGULAR:
        fault = d->a <= d->b && d->b <= d->c && d->a < d->c
                    ? NULL
                    : "expected [from, mode, to] in ascending order";
        break;
    case PERP_DRAW_INTEGER:
        fault = d->a <= d->b && d->a == floor(d->a) && d->b == floor(d->b) && fabs(d->a) < 0x1p53 &&
                        fabs(d->b) < 0x1p53
                    ? NULL
                    : "expected [from, to], integers with from <= to";
        break;
    default:
        break;
    }
    return fault ? perp_node_fail(&study->document, node, PERP_BAD_VALUE, "%s", fault) : PERP_OK;
}

static PerpStatus read_bounds(PerpStudy *study, const PerpNode *node, PerpDistribution *d)
{
    const PerpNode *within = perp_node_find(node, "within");
    double bounds[2] = {d->kind == PERP_DRAW_LOGNORMAL ? 0 : -INFINITY, INFINITY};
    d->lower = bounds[0];
    d->upper = bounds[1];
    if (!within)
        return PERP_OK;
    if (d->kind != PERP_DRAW_NORMAL && d->kind != PERP_DRAW_LOGNORMAL)
        return perp_node_fail(&study->document, within, PERP_BAD_SYNTAX,
                              "within is for normal and lognormal");
    PerpStatus status = read_numbers(study, within, 2, "within", bounds);
    d->lower = bounds[0];
    d->upper = bounds[1];
    return status;
}

static PerpStatus read_distribution(PerpStudy *study, const PerpNode *node, PerpVaried *varied)
{
    const char *what = varied->name;
    PerpDistribution *d = &varied->draw;
    static const char *const words[] = {"uniform",    "loguniform", "normal", "lognormal",
                                        "triangular", "integer",    "choice", "within"};
    double numbers[3] = {0}, *list = NULL;
    int kind;
    if (node->kind != PERP_NODE_MAPPING)
        return perp_node_fail(&study->document, node, PERP_BAD_SYNTAX,
                              "%s: expected a distribution such as {uniform: [0, 1]}", what);
    PerpStatus status = read_kind(study, node, words, COUNT(words), what, &kind);
    if (!status && (kind >= PERP_DRAW_COUNT || node->count > 2 ||
                    (node->count == 2 && !perp_node_find(node, "within"))))
        return perp_node_fail(&study->document, node, PERP_BAD_SYNTAX,
                              "%s: expected one distribution, then perhaps within", what);
    if (status)
        return status;
    const PerpNode *value = node->child->next;
    d->kind = (PerpDistributionKind)kind;
    if (d->kind == PERP_DRAW_CHOICE)
        status = read_list(study, value, varied, &list);
    else
        status = read_numbers(study, value, d->kind == PERP_DRAW_TRIANGULAR ? 3 : 2, words[kind],
                              numbers);
    d->a = numbers[0];
    d->b = numbers[1];
    d->c = numbers[2];
    d->choice = list;
    d->count = value->count;
    if (!status)
        status = read_bounds(study, node, d);
    return status ? status : check_distribution(study, value, d);
}

// --- factors ------------------------------------------------------------------------------------

static PerpStatus add_parameter(PerpStudy *study, const PerpNode *key, PerpVaried **added)
{
    int k = study->info.n_parameters;
    if (!perp_is_identifier(key->text) || perp_is_reserved(key->text))
        return perp_node_fail(&study->document, key, PERP_BAD_SYNTAX,
                              "expected the name of a parameter, found \"%.60s\"", key->text);
    if (perp_study_find_parameter(study, key->text) >= 0)
        return perp_node_fail(&study->document, key, PERP_BAD_VALUE, "\"%.60s\" varies already",
                              key->text);
    if (perp_study_is_column(key->text))
        return perp_node_fail(&study->document, key, PERP_BAD_VALUE,
                              "\"%.60s\" is a column of the table already", key->text);
    if (k == PERP_STUDY_NAMES)
        return perp_node_fail(&study->document, key, PERP_BAD_SIZE, "more than %d parameters",
                              PERP_STUDY_NAMES);
    study->names[k] = key->text;
    study->varied[k] = (PerpVaried){.name = key->text, .node = key};
    study->info.n_parameters++;
    *added = &study->varied[k];
    return PERP_OK;
}

static PerpStatus add_factor(PerpStudy *study, const PerpNode *node, PerpFactor factor)
{
    if (study->n_factors == PERP_STUDY_FACTORS)
        return perp_node_fail(&study->document, node, PERP_BAD_SIZE, "more than %d factors",
                              PERP_STUDY_FACTORS);
    if ((double)study->info.points * (double)factor.points > PERP_STUDY_POINTS)
        return perp_node_fail(
            &study->document, node, PERP_BAD_SIZE, "%.6g cases up to here: at most %d are possible",
            (double)study->info.points * (double)factor.points, PERP_STUDY_POINTS);
    study->info.points *= factor.points;
    study->factors[study->n_factors++] = factor;
    return PERP_OK;
}

static PerpStatus read_axis(PerpStudy *study, const PerpNode *key)
{
    PerpVaried *varied = NULL;
    PerpStatus status = add_parameter(study, key, &varied);
    if (!status)
        status = read_spacing(study, key->next, varied);
    return status ? status
                  : add_factor(study, key,
                               (PerpFactor){.points = varied->spacing.count,
                                            .first = study->info.n_parameters - 1,
                                            .count = 1});
}

static PerpStatus read_zip(PerpStudy *study, const PerpNode *node)
{
    PerpFactor factor = {.first = study->info.n_parameters};
    PerpStatus status = perp_node_mapping(&study->document, node, "zip");
    for (const PerpNode *key = node->child; !status && key; key = key->next->next) {
        PerpVaried *varied = NULL;
        status = add_parameter(study, key, &varied);
        if (!status)
            status = read_spacing(study, key->next, varied);
        if (!status && factor.count++ > 0 && varied->spacing.count != factor.points)
            status = perp_node_fail(&study->document, key->next, PERP_BAD_SIZE,
                                    "zip: %ld values, the others have %ld", varied->spacing.count,
                                    factor.points);
        if (!status)
            factor.points = varied->spacing.count;
    }
    if (!status && factor.count == 0)
        return perp_node_fail(&study->document, node, PERP_BAD_SIZE, "zip: nothing in it");
    return status ? status : add_factor(study, node, factor);
}

static PerpStatus read_sample(PerpStudy *study, const PerpNode *mapping, const PerpNode *key,
                              PerpFactorKind kind)
{
    const PerpNode *of;
    double points;
    PerpFactor factor = {.kind = kind, .first = study->info.n_parameters};
    PerpStatus status = perp_study_number(study, key->next, key->text, &points);
    if (!status && (points != floor(points) || points < 1))
        return perp_node_fail(&study->document, key->next, PERP_BAD_VALUE,
                              "%s: expected a number of points", key->text);
    if (!status && points > PERP_STUDY_POINTS)
        return perp_node_fail(&study->document, key->next, PERP_BAD_SIZE,
                              "%.6g points: at most %d are possible", points, PERP_STUDY_POINTS);
    if (!status)
        status = perp_node_require(&study->document, mapping, "of", &of);
    if (!status)
        status = perp_node_mapping(&study->document, of, "of");
    if (status)
        return status;
    for (const PerpNode *name = of->child; !status && name; name = name->next->next) {
        PerpVaried *varied = NULL;
        status = add_parameter(study, name, &varied);
        if (!status && kind == PERP_FACTOR_SOBOL && factor.count == PERP_SOBOL_DIMENSIONS)
            status = perp_node_fail(&study->document, name, PERP_BAD_SIZE,
                                    "sobol: at most %d parameters", PERP_SOBOL_DIMENSIONS);
        if (!status)
            status = read_distribution(study, name->next, varied);
        if (!status)
            varied->dimension = factor.count++;
    }
    if (!status && factor.count == 0)
        return perp_node_fail(&study->document, of, PERP_BAD_SIZE, "of: nothing in it");
    factor.points = status ? 0 : (long)points;
    return status ? status : add_factor(study, key, factor);
}

static PerpStatus read_factors(PerpStudy *study, const PerpNode *mapping)
{
    static const char *const samples[] = {"random", "latin", "sobol"};
    PerpStatus status = perp_node_mapping(&study->document, mapping, "vary");
    bool has_sample = false;
    for (const PerpNode *key = mapping->child; !status && key; key = key->next->next) {
        int kind = 0;
        while (kind < 3 && strcmp(key->text, samples[kind]) != 0)
            kind++;
        if (kind < 3 && has_sample)
            status = perp_node_fail(&study->document, key, PERP_BAD_SYNTAX,
                                    "two samples: make vary a list, with an entry for each");
        else if (kind < 3)
            status = read_sample(study, mapping, key, (PerpFactorKind)(kind + 1));
        else if (strcmp(key->text, "of") == 0)
            status = has_sample || perp_node_find(mapping, "random") ||
                             perp_node_find(mapping, "latin") || perp_node_find(mapping, "sobol")
                         ? PERP_OK
                         : perp_node_fail(&study->document, key, PERP_BAD_SYNTAX,
                                          "of belongs to random, latin or sobol");
        else if (strcmp(key->text, "zip") == 0)
            status = read_zip(study, key->next);
        else
            status = read_axis(study, key);
        has_sample = has_sample || kind < 3;
    }
    return status;
}

PerpStatus perp_study_read_vary(PerpStudy *study, const PerpNode *node)
{
    PerpStatus status = PERP_OK;
    study->info.points = 1;
    if (node->kind == PERP_NODE_SEQUENCE)
        for (const PerpNode *item = node->child; !status && item; item = item->next)
            status = read_factors(study, item);
    else
        status = read_factors(study, node);
    if (!status && study->n_factors == 0)
        return perp_node_fail(&study->document, node, PERP_BAD_SIZE, "vary: nothing varies");
    return status;
}

// --- cases --------------------------------------------------------------------------------------

static double value_at(const PerpStudy *study, const PerpFactor *factor, const PerpVaried *varied,
                       long k)
{
    uint64_t stream = (uint64_t)(varied - study->varied), point = (uint64_t)k;
    uint64_t seed = study->info.seed;
    switch (factor->kind) {
    case PERP_FACTOR_RANDOM:
        return perp_drawn(&varied->draw, perp_random_point(seed, stream, point));
    case PERP_FACTOR_LATIN:
        return perp_drawn(&varied->draw,
                          perp_latin_point(seed, stream, point, (uint64_t)factor->points));
    case PERP_FACTOR_SOBOL:
        return perp_drawn(&varied->draw,
                          perp_sobol_point(seed, stream, varied->dimension, (uint32_t)k));
    default:
        return perp_spaced(&varied->spacing, k);
    }
}

bool perp_study_case(const PerpStudy *study, long index, double *parameters)
{
    for (int f = study->n_factors - 1; f >= 0; f--) {
        const PerpFactor *factor = &study->factors[f];
        long k = index % factor->points;
        index /= factor->points;
        for (int p = factor->first; p < factor->first + factor->count; p++)
            parameters[p] = value_at(study, factor, &study->varied[p], k);
    }
    if (!study->info.has_condition)
        return true;
    double holds = perp_study_evaluate(&study->where, parameters, study->info.n_parameters);
    return holds != 0 && !isnan(holds);
}
