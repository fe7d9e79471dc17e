// Numbers of scenes as arithmetic: expressions whose names are all known now: 2*r + 0.1, pi/4,
// sqrt(2), 30 deg, random(-1, 1). signal/signal.h has their grammar.
#ifndef PERP_IO_TEXT_EXPRESSION_H
#define PERP_IO_TEXT_EXPRESSION_H

#include "io/text/name_table.h"
#include "signal/signal.h"

#include <stdint.h>

enum {
    PERP_INDEX_LIMIT = 8, // index variables
    PERP_INDEX_NAME_SIZE = 32,
};

typedef struct PerpIndexVariable {
    char name[PERP_INDEX_NAME_SIZE];
    double value;
} PerpIndexVariable;

// What an expression may use.
typedef struct PerpScope {
    PerpNames parameters; // borrowed or owned, as the user of the scope decides
    const double *values; // of the parameters
    int n_index;
    PerpIndexVariable index[PERP_INDEX_LIMIT];
    bool allows_random;
    uint64_t random; // state of random(): SplitMix64, set it to the seed
    long long left;  // how many characters may still be evaluated, so that every reading ends
} PerpScope;

// The value is finite.
PerpStatus perp_expression_evaluate(PerpScope *scope, const char *text, double *value,
                                    PerpExpressionFault *fault);

// The value of an index variable or parameter. False: there is none of this name.
bool perp_scope_find(const PerpScope *scope, const char *name, double *value);

// A letter or _, then letters, digits and _.
bool perp_is_identifier(const char *text);
// Functions, operators and constants, whose names nothing else may have.
bool perp_is_reserved(const char *text);

#endif
