// Names and random numbers of arithmetic in scenes; src/signal compiles and evaluates it.
#include "io/text/expression.h"

#include <stdio.h>
#include <string.h>

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool perp_is_identifier(const char *text)
{
    if (!is_letter(*text))
        return false;
    while (is_letter(*text) || is_digit(*text))
        text++;
    return *text == '\0';
}

bool perp_is_reserved(const char *text)
{
    for (int k = 0; perp_reserved_word(k); k++)
        if (strcmp(perp_reserved_word(k), text) == 0)
            return true;
    return false;
}

bool perp_scope_find(const PerpScope *scope, const char *name, double *value)
{
    for (int k = 0; k < scope->n_index; k++)
        if (strcmp(scope->index[k].name, name) == 0) {
            *value = scope->index[k].value;
            return true;
        }
    int parameter = perp_names_find(&scope->parameters, name);
    if (parameter >= 0)
        *value = scope->values[parameter];
    return parameter >= 0;
}

static bool find_name(void *user, const char *name, const char *quantity, PerpMeaning *meaning,
                      char *hint, size_t size)
{
    const PerpScope *scope = user;
    const char *nearest = NULL;
    (void)quantity;
    meaning->is_constant = perp_scope_find(scope, name, &meaning->value);
    if (meaning->is_constant)
        return true;
    for (int k = 0; k < scope->n_index; k++)
        nearest = perp_nearer_word(name, nearest, scope->index[k].name);
    nearest = perp_names_nearest(&scope->parameters, name, nearest);
    for (int k = 0; perp_reserved_word(k); k++)
        nearest = perp_nearer_word(name, nearest, perp_reserved_word(k));
    snprintf(hint, size, "the nearest known name is \"%s\"", nearest);
    return false;
}

// state += golden ratio, then two rounds of shift and multiply                [SplitMix64]
static uint64_t draw_bits(uint64_t *state)
{
    uint64_t x = *state += UINT64_C(0x9E3779B97F4A7C15);
    x = (x ^ (x >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94D049BB133111EB);
    return x ^ (x >> 31);
}

static bool draw(void *user, double *number, char *reason, size_t size)
{
    PerpScope *scope = user;
    snprintf(reason, size,
             "random() cannot be used in parameters and run, which are read before the seed is "
             "known");
    if (scope->allows_random)
        *number = (double)(draw_bits(&scope->random) >> 11) * 0x1p-53;
    return scope->allows_random;
}

// The code of a number is gone once it is evaluated: it grows in place, and needs no memory of
// others.
typedef struct Scratch {
    _Alignas(16) char bytes[1 << 16]; // twice what the longest text comes to
} Scratch;

static void *resize_in_place(void *user, void *memory, size_t bytes)
{
    Scratch *scratch = user;
    (void)memory;
    return bytes > 0 && bytes <= sizeof scratch->bytes ? scratch->bytes : NULL;
}

static PerpStatus compile(PerpScope *scope, const PerpAllocator *allocator, const char *text,
                          PerpProgram *program, PerpExpressionFault *fault)
{
    const PerpVocabulary vocabulary = {.user = scope, .find = find_name, .draw = draw};
    scope->left -= (long long)strlen(text) + 1;
    if (scope->left >= 0)
        return perp_program_compile(allocator, text, &vocabulary, program, fault);
    fault->offset = 0;
    snprintf(fault->message, sizeof fault->message, "too many numbers in the scene");
    return PERP_BAD_SIZE;
}

PerpStatus perp_expression_evaluate(PerpScope *scope, const char *text, double *value,
                                    PerpExpressionFault *fault)
{
    Scratch scratch;
    const PerpAllocator allocator = {resize_in_place, &scratch};
    PerpProgram program;
    PerpDual result;
    PerpStatus status = compile(scope, &allocator, text, &program, fault);
    if (status)
        return status;
    if (perp_program_evaluate(&program, 0, NULL, &result, fault))
        *value = result.x;
    else
        status = PERP_BAD_VALUE;
    return status;
}
