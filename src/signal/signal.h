// Signals: functions of time and of measured quantities, compiled once and evaluated without memory
// of their own.
//
//     choice     = conjunction {or conjunction}
//     conjunction= negation {and negation}
//     negation   = not negation | comparison
//     comparison = sum [(<|<=|>|>=|==|!=) sum]
//     sum        = product {(+|-) product}
//     product    = signed {(*|/) signed}
//     signed     = (+|-) signed | power
//     power      = atom [deg] [^ signed]
//     atom       = number | t | name | object.quantity | function(choice, ...) | (choice)
//
// Names are letters, digits and _; those before a dot may have - too, so that small-axle.angle is
// one name, and any name may stand between single quotes. Comparisons are 1 or 0.
#ifndef PERP_SIGNAL_SIGNAL_H
#define PERP_SIGNAL_SIGNAL_H

#include "base/memory.h"
#include "perp/status.h"

enum {
    PERP_SIGNAL_LENGTH = 1000, // characters of an expression
    PERP_SIGNAL_DEPTH = 64,    // brackets, signs and powers within each other
    PERP_SIGNAL_STACK = 128,   // numbers at hand at once
    PERP_SIGNAL_NAME_SIZE = 128,
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

// What a name stands for: a number, or a place in the array of variables.
typedef struct PerpMeaning {
    bool is_constant;
    double value;
    int variable;
    bool is_measured; // depends on more than t
} PerpMeaning;

// Finds what a name means; quantity "" if there is no dot. False: unknown, with the nearest known
// name, or another word on what to write, in `hint`.
typedef bool (*PerpNameFind)(void *user, const char *object, const char *quantity,
                             PerpMeaning *meaning, char *hint, size_t hint_size);

// What was wrong, and where in the text.
typedef struct PerpSignalFault {
    int offset; // in characters
    char message[256];
} PerpSignalFault;

PerpStatus perp_program_compile(const PerpAllocator *allocator, const char *text, PerpNameFind find,
                                void *user, PerpProgram *program, PerpSignalFault *fault);
void perp_program_free(const PerpAllocator *allocator, PerpProgram *program);

// False if an operation has no finite value; fault says which.
bool perp_program_evaluate(const PerpProgram *program, double t, const PerpDual *variables,
                           PerpDual *value, PerpSignalFault *fault);

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
                             bool is_cubic, PerpTable *table, PerpSignalFault *fault);
void perp_table_free(const PerpAllocator *allocator, PerpTable *table);
PerpDual perp_table_at(const PerpTable *table, double t);

#endif
