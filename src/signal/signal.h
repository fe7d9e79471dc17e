// Expressions: numbers, and signals, which are functions of time and of measured quantities;
// compiled once and evaluated without memory of their own. Tables of signals.
//
//     choice     = conjunction {or conjunction}
//     conjunction= negation {and negation}
//     negation   = not negation | comparison
//     comparison = sum [(<|<=|>|>=|==|!=) sum]
//     sum        = product {(+|-) product}
//     product    = signed {(*|/) signed}
//     signed     = (+|-) signed | power
//     power      = atom [deg] [^ signed]
//     atom       = number | name | object.quantity | function(choice, ...) | (choice)
//
// Names are letters, digits and _; those of objects may have - too, so that small-axle.angle is one
// name, and any name may stand between single quotes. Comparisons are 1 or 0.
#ifndef PERP_SIGNAL_SIGNAL_H
#define PERP_SIGNAL_SIGNAL_H

#include "base/memory.h"
#include "perp/status.h"

enum {
    PERP_EXPRESSION_LENGTH = 1000, // characters
    PERP_EXPRESSION_DEPTH = 64,    // brackets, signs and powers within each other
    PERP_EXPRESSION_STACK = 128,   // numbers at hand at once
    PERP_EXPRESSION_NAME_SIZE = 128,
};

// A value and its derivative by t, with everything that is measured held.
typedef struct PerpDual {
    double x, rate;
} PerpDual;

typedef struct PerpSignalCode PerpSignalCode;

// A compiled expression. Owned.
typedef struct PerpProgram {
    PerpSignalCode *code;
    int count;
    int stack;        // numbers at hand at most
    bool is_measured; // it depends on more than t
} PerpProgram;

// What a name stands for: a number, the time, or a place in the array of variables.
typedef struct PerpMeaning {
    bool is_constant, is_time;
    double value;
    int variable;
    bool is_measured; // depends on more than t
} PerpMeaning;

// The names that an expression may use.
typedef struct PerpVocabulary {
    void *user;
    // Finds what a name means; quantity "" if there is no dot. False: unknown, with the nearest
    // known name, or another word on what to write, in `hint`.
    bool (*find)(void *user, const char *object, const char *quantity, PerpMeaning *meaning,
                 char *hint, size_t hint_size);
    bool has_objects; // object.quantity is a name
    // Of random(): a number of [0, 1), drawn when the expression is compiled. False: refused, with
    // the reason. NULL: always.
    bool (*draw)(void *user, double *number, char *reason, size_t reason_size);
} PerpVocabulary;

// What was wrong, and where in the text.
typedef struct PerpExpressionFault {
    int offset; // in characters
    char message[256];
} PerpExpressionFault;

PerpStatus perp_program_compile(const PerpAllocator *allocator, const char *text,
                                const PerpVocabulary *vocabulary, PerpProgram *program,
                                PerpExpressionFault *fault);
void perp_program_free(const PerpAllocator *allocator, PerpProgram *program);
bool perp_program_varies(const PerpProgram *program); // with t or with any variable

// False if an operation has no finite value; fault says which.
bool perp_program_evaluate(const PerpProgram *program, double t, const PerpDual *variables,
                           PerpDual *value, PerpExpressionFault *fault);

// The names of functions, operators and constants, k = 0, 1, ..; NULL behind the last.
const char *perp_reserved_word(int k);

// A table: n pairs t, x with ascending t; held before the first and behind the last. Cubic: through
// all points with continuous slopes that do not overshoot [Fritsch and Butland 1984].
typedef struct PerpTable {
    int n;
    bool is_cubic;
    double *point; // 2 n, owned
    double *slope; // n, owned; NULL unless cubic
} PerpTable;

// BAD_VALUE with a message if times do not ascend or a number is not finite.
PerpStatus perp_table_create(const PerpAllocator *allocator, int n, const double *points,
                             bool is_cubic, PerpTable *table, PerpExpressionFault *fault);
void perp_table_free(const PerpAllocator *allocator, PerpTable *table);
PerpDual perp_table_at(const PerpTable *table, double t);

#endif
