// The code of compiled expressions: operations on a stack of numbers with their rates.
#ifndef PERP_SIGNAL_CODE_H
#define PERP_SIGNAL_CODE_H

#include "signal/signal.h"

typedef enum PerpOperation {
    PERP_PUSH_NUMBER,
    PERP_PUSH_TIME,
    PERP_PUSH_VARIABLE,
    PERP_NEGATE,
    PERP_ADD,
    PERP_SUBTRACT,
    PERP_MULTIPLY,
    PERP_DIVIDE,
    PERP_POWER,
    PERP_COMPARE, // by `index`: PerpComparison
    PERP_AND,
    PERP_OR,
    PERP_NOT,
    PERP_CALL,         // the function `index`
    PERP_SKIP_IF_ZERO, // to `index`, and takes the number off the stack
    PERP_SKIP          // to `index`
} PerpOperation;

typedef enum PerpComparison {
    PERP_LESS,
    PERP_LESS_EQUAL,
    PERP_GREATER,
    PERP_GREATER_EQUAL,
    PERP_EQUAL,
    PERP_NOT_EQUAL
} PerpComparison;

struct PerpSignalCode {
    PerpOperation operation;
    int index;     // of a variable, function, comparison, or where to go on
    int offset;    // in the text, in characters
    double number; // that is pushed
};

// A function of the language; its derivatives by its arguments go to `by`.
typedef struct PerpFunction {
    const char *name;
    int arguments;
    double (*value)(const double *x, double *by);
    bool draws; // the last argument is not written but drawn: random
} PerpFunction;

enum { PERP_FUNCTION_ARGUMENTS = 3 };

int perp_function_count(void);
const PerpFunction *perp_function(int index);

#endif
