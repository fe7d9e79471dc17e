// Numbers as arithmetic: 2*r + 0.1, pi/4, sqrt(2), 30 deg, random(-1, 1).
//
//     sum     = product {(+|-) product}
//     product = signed {(*|/) signed}
//     signed  = (+|-) signed | power
//     power   = atom [deg] [^ signed]
//     atom    = number | name | function(sum, ...) | (sum)
#ifndef PERP_IO_TEXT_EXPRESSION_H
#define PERP_IO_TEXT_EXPRESSION_H

#include "io/text/name_table.h"

#include <stdint.h>

enum {
    PERP_EXPRESSION_LENGTH = 1000, // characters
    PERP_EXPRESSION_DEPTH = 64,    // brackets, signs and powers within each other
    PERP_INDEX_LIMIT = 8,          // index variables
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

typedef struct PerpExpressionFault {
    int offset; // in the text, in characters
    char message[256];
} PerpExpressionFault;

// The value is finite. Run under perp_c_locale_enter.
PerpStatus perp_expression_evaluate(PerpScope *scope, const char *text, double *value,
                                    PerpExpressionFault *fault);

// A letter or _, then letters, digits and _.
bool perp_is_identifier(const char *text);
// Names of functions and constants, which nothing else may have.
bool perp_is_reserved(const char *text);

#endif
