// The value of a compiled expression and its rate, operation by operation on a stack.
#include "signal/code.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

// --- what has no value --------------------------------------------------------------------------

static const char *name_of(const PerpSignalCode *code)
{
    switch (code->operation) {
    case PERP_ADD:
        return "the sum";
    case PERP_SUBTRACT:
        return "the difference";
    case PERP_MULTIPLY:
        return "the product";
    case PERP_DIVIDE:
        return "the quotient";
    case PERP_POWER:
        return "the power";
    default:
        return "the value";
    }
}

static bool is_called(const PerpSignalCode *code, const char *name)
{
    return code->operation == PERP_CALL && strcmp(perp_function(code->index)->name, name) == 0;
}

bool perp_program_varies(const PerpProgram *program)
{
    for (int k = 0; k < program->count; k++)
        if (program->code[k].operation == PERP_PUSH_TIME ||
            program->code[k].operation == PERP_PUSH_VARIABLE)
            return true;
    return false;
}

// operands: of the operation, the first two.
static void blame(const PerpProgram *program, const PerpSignalCode *code, double t,
                  const double *operands, double value, PerpExpressionFault *fault)
{
    char what[64], when[32] = "";
    const char *how = isnan(value) ? " is not a number (NaN)" : " is infinite or too large";
    snprintf(what, sizeof what, "%s", name_of(code));
    if (code->operation == PERP_CALL)
        snprintf(what, sizeof what, "%s(%.6g)", perp_function(code->index)->name, operands[0]);
    if (operands[1] == 0 && (code->operation == PERP_DIVIDE || is_called(code, "mod"))) {
        snprintf(what, sizeof what, "division by zero");
        how = code->operation == PERP_DIVIDE ? "" : " in mod";
    }
    if (perp_program_varies(program))
        snprintf(when, sizeof when, " at t = %.9g s", t);
    fault->offset = code->offset;
    snprintf(fault->message, sizeof fault->message, "%s%s%s", what, how, when);
}

// --- operations ---------------------------------------------------------------------------------

static bool compare(PerpComparison comparison, double a, double b)
{
    switch (comparison) {
    case PERP_LESS:
        return a < b;
    case PERP_LESS_EQUAL:
        return a <= b;
    case PERP_GREATER:
        return a > b;
    case PERP_GREATER_EQUAL:
        return a >= b;
    case PERP_EQUAL:
        return a == b;
    default:
        return a != b;
    }
}

// x^y: where y does not change, x may be negative
static PerpDual power(PerpDual a, PerpDual b)
{
    double x = pow(a.x, b.x), rate = 0;
    if (a.rate != 0)
        rate += b.x * pow(a.x, b.x - 1) * a.rate;
    if (b.rate != 0)
        rate += log(a.x) * x * b.rate;
    return (PerpDual){x, rate};
}

static PerpDual call(const PerpFunction *function, const PerpDual *argument)
{
    double x[PERP_FUNCTION_ARGUMENTS], by[PERP_FUNCTION_ARGUMENTS];
    PerpDual value = {0, 0};
    for (int k = 0; k < function->arguments; k++)
        x[k] = argument[k].x;
    value.x = function->value(x, by);
    for (int k = 0; k < function->arguments; k++)
        if (argument[k].rate != 0)
            value.rate += by[k] * argument[k].rate;
    return value;
}

static PerpDual combine(const PerpSignalCode *code, PerpDual a, PerpDual b)
{
    switch (code->operation) {
    case PERP_ADD:
        return (PerpDual){a.x + b.x, a.rate + b.rate};
    case PERP_SUBTRACT:
        return (PerpDual){a.x - b.x, a.rate - b.rate};
    case PERP_MULTIPLY:
        return (PerpDual){a.x * b.x, a.rate * b.x + a.x * b.rate};
    case PERP_DIVIDE:
        return (PerpDual){a.x / b.x, (a.rate - a.x / b.x * b.rate) / b.x};
    case PERP_POWER:
        return power(a, b);
    case PERP_COMPARE:
        return (PerpDual){compare((PerpComparison)code->index, a.x, b.x), 0};
    case PERP_AND:
        return (PerpDual){a.x != 0 && b.x != 0, 0};
    default: // PERP_OR
        return (PerpDual){a.x != 0 || b.x != 0, 0};
    }
}

// Applies the operation to the top of the stack, which ends before `top`; returns its new end.
static PerpDual *apply(const PerpSignalCode *code, double t, const PerpDual *variables,
                       PerpDual *top)
{
    switch (code->operation) {
    case PERP_PUSH_NUMBER:
        *top = (PerpDual){code->number, 0};
        return top + 1;
    case PERP_PUSH_TIME:
        *top = (PerpDual){t, 1};
        return top + 1;
    case PERP_PUSH_VARIABLE:
        *top = variables[code->index];
        return top + 1;
    case PERP_NEGATE:
        top[-1] = (PerpDual){-top[-1].x, -top[-1].rate};
        return top;
    case PERP_NOT:
        top[-1] = (PerpDual){top[-1].x == 0, 0};
        return top;
    case PERP_CALL:
        top -= perp_function(code->index)->arguments;
        *top = call(perp_function(code->index), top);
        return top + 1;
    case PERP_SKIP_IF_ZERO:
        return top - 1;
    case PERP_SKIP:
        return top;
    default:
        top[-2] = combine(code, top[-2], top[-1]);
        return top - 1;
    }
}

static int count_operands(const PerpSignalCode *code)
{
    switch (code->operation) {
    case PERP_PUSH_NUMBER:
    case PERP_PUSH_TIME:
    case PERP_PUSH_VARIABLE:
    case PERP_SKIP:
        return 0;
    case PERP_NEGATE:
    case PERP_NOT:
    case PERP_SKIP_IF_ZERO:
        return 1;
    case PERP_CALL:
        return perp_function(code->index)->arguments;
    default:
        return 2;
    }
}

bool perp_program_evaluate(const PerpProgram *program, double t, const PerpDual *variables,
                           PerpDual *value, PerpExpressionFault *fault)
{
    PerpDual stack[PERP_EXPRESSION_STACK], *top = stack;
    for (int k = 0; k < program->count; k++) {
        const PerpSignalCode *code = &program->code[k];
        int count = count_operands(code);
        const double operands[2] = {count > 0 ? top[-count].x : 0,
                                    count > 1 ? top[1 - count].x : 1};
        bool chooses = code->operation == PERP_SKIP_IF_ZERO;
        bool skips = code->operation == PERP_SKIP || (chooses && operands[0] == 0);
        top = apply(code, t, variables, top);
        if (skips)
            k = code->index - 1;
        else if (!chooses && !isfinite(top[-1].x)) {
            blame(program, code, t, operands, top[-1].x, fault);
            return false;
        }
    }
    *value = top[-1];
    return true;
}
