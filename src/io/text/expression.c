// Parser and evaluator of arithmetic expressions.
#include "io/text/expression.h"

#include "base/compiler.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

static const double PI = 3.14159265358979323846;

enum { MOST_ARGUMENTS = 2, NAME_SIZE = 64 };

// status holds the first failure; after it the parse functions return 0 without going on.
typedef struct Parser {
    PerpScope *scope;
    const char *text, *next;
    int depth;
    PerpStatus status;
    PerpExpressionFault *fault;
} Parser;

static double parse_sum(Parser *parser);
static double parse_signed(Parser *parser);

static int characters_before(const char *text, const char *place)
{
    int count = 0;
    for (; text < place; text++)
        count += ((unsigned char)*text & 0xC0) != 0x80;
    return count;
}

static double fail(Parser *parser, const char *place, PerpStatus status, const char *format, ...)
    PERP_PRINTF(4, 5);

static double fail(Parser *parser, const char *place, PerpStatus status, const char *format, ...)
{
    if (parser->status)
        return 0;
    parser->status = status;
    parser->fault->offset = characters_before(parser->text, place);
    va_list values;
    va_start(values, format);
    vsnprintf(parser->fault->message, sizeof parser->fault->message, format, values);
    va_end(values);
    return 0;
}

static double check_finite(Parser *parser, const char *place, double value, const char *what)
{
    if (isnan(value))
        return fail(parser, place, PERP_BAD_VALUE, "%s is not a number (NaN)", what);
    if (isinf(value))
        return fail(parser, place, PERP_BAD_VALUE, "%s is infinite or too large", what);
    return value;
}

static double absolute(const double *x)
{
    return fabs(x[0]);
}

static double square_root(const double *x)
{
    return sqrt(x[0]);
}

static double sine(const double *x)
{
    return sin(x[0]);
}

static double cosine(const double *x)
{
    return cos(x[0]);
}

static double tangent(const double *x)
{
    return tan(x[0]);
}

static double arc_sine(const double *x)
{
    return asin(x[0]);
}

static double arc_cosine(const double *x)
{
    return acos(x[0]);
}

static double arc_tangent(const double *x)
{
    return atan2(x[0], x[1]);
}

static double least(const double *x)
{
    return x[1] < x[0] ? x[1] : x[0];
}

static double largest(const double *x)
{
    return x[1] > x[0] ? x[1] : x[0];
}

static double round_down(const double *x)
{
    return floor(x[0]);
}

// with the sign of the divisor, so that mod(i, 2) is 0 or 1 for negative i too
static double modulo(const double *x)
{
    return x[0] - x[1] * floor(x[0] / x[1]);
}

typedef struct Function {
    const char *name;
    int arguments;
    double (*value)(const double *x); // NULL: random
} Function;

static const Function functions[] = {
    {"sqrt", 1, square_root}, {"sin", 1, sine},         {"cos", 1, cosine},
    {"tan", 1, tangent},      {"asin", 1, arc_sine},    {"acos", 1, arc_cosine},
    {"abs", 1, absolute},     {"floor", 1, round_down}, {"atan2", 2, arc_tangent},
    {"min", 2, least},        {"max", 2, largest},      {"mod", 2, modulo},
    {"random", 2, NULL},
};

static const char *const constants[] = {"pi", "deg"};

static const Function *find_function(const char *name)
{
    for (int k = 0; k < COUNT(functions); k++)
        if (strcmp(functions[k].name, name) == 0)
            return &functions[k];
    return NULL;
}

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
    for (int k = 0; k < COUNT(constants); k++)
        if (strcmp(constants[k], text) == 0)
            return true;
    return find_function(text) != NULL;
}

static char peek(Parser *parser)
{
    while (*parser->next == ' ' || *parser->next == '\t' || *parser->next == '\n')
        parser->next++;
    return *parser->next;
}

static bool accept(Parser *parser, char symbol)
{
    if (parser->status || peek(parser) != symbol)
        return false;
    parser->next++;
    return true;
}

static const char *skip_digits(const char *s)
{
    while (is_digit(*s))
        s++;
    return s;
}

static double parse_number(Parser *parser)
{
    const char *start = parser->next, *end = skip_digits(start);
    if (*end == '.')
        end = skip_digits(end + 1);
    if (*end == 'e' || *end == 'E') {
        const char *exponent = end + 1;
        exponent += *exponent == '+' || *exponent == '-';
        end = is_digit(*exponent) ? skip_digits(exponent) : end;
    }
    // a copy, because strtod would take more of the text, such as 0x10
    char digits[PERP_EXPRESSION_LENGTH + 1];
    memcpy(digits, start, (size_t)(end - start));
    digits[end - start] = '\0';
    parser->next = end;
    return check_finite(parser, start, strtod(digits, NULL), digits);
}

static void take_name(Parser *parser, char name[NAME_SIZE])
{
    const char *start = parser->next;
    int length = 0;
    for (; is_letter(*parser->next) || is_digit(*parser->next); parser->next++)
        if (length < NAME_SIZE - 1)
            name[length++] = *parser->next;
    name[length] = '\0';
    if (parser->next - start >= NAME_SIZE)
        fail(parser, start, PERP_BAD_SIZE, "a name longer than %d letters", NAME_SIZE - 1);
}

// state += golden ratio, then two rounds of shift and multiply                [SplitMix64]
static uint64_t draw_bits(uint64_t *state)
{
    uint64_t x = *state += UINT64_C(0x9E3779B97F4A7C15);
    x = (x ^ (x >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94D049BB133111EB);
    return x ^ (x >> 31);
}

static double draw(Parser *parser, const char *place, const double *range)
{
    if (!parser->scope->allows_random)
        return fail(parser, place, PERP_BAD_VALUE,
                    "random() cannot be used in parameters and run, which are read before the "
                    "seed is known");
    double x = (double)(draw_bits(&parser->scope->random) >> 11) * 0x1p-53;
    return check_finite(parser, place, range[0] + (range[1] - range[0]) * x, "random()");
}

static void parse_arguments(Parser *parser, const Function *function, double *x)
{
    if (!accept(parser, '('))
        fail(parser, parser->next, PERP_BAD_SYNTAX, "expected '(' behind %s", function->name);
    for (int k = 0; k < function->arguments && !parser->status; k++) {
        if (k > 0 && !accept(parser, ','))
            fail(parser, parser->next, PERP_BAD_SYNTAX,
                 "expected ',' because %s has %d arguments; within [] or {} put the expression in "
                 "quotes",
                 function->name, function->arguments);
        x[k] = parse_sum(parser);
    }
    if (!parser->status && !accept(parser, ')'))
        fail(parser, parser->next, PERP_BAD_SYNTAX, "expected ')' behind the %s of %s",
             function->arguments == 1 ? "argument" : "two arguments", function->name);
}

static double call(Parser *parser, const char *place, const Function *function)
{
    double x[MOST_ARGUMENTS] = {0};
    parse_arguments(parser, function, x);
    if (parser->status)
        return 0;
    if (function->value == modulo && x[1] == 0)
        return fail(parser, place, PERP_BAD_VALUE, "division by zero in mod");
    if (!function->value)
        return draw(parser, place, x);
    char what[NAME_SIZE];
    snprintf(what, sizeof what, "%s(%.6g)", function->name, x[0]);
    return check_finite(parser, place, function->value(x), what);
}

static double fail_for_name(Parser *parser, const char *place, const char *name)
{
    const char *best = NULL;
    for (int k = 0; k < parser->scope->n_index; k++)
        best = perp_nearer_word(name, best, parser->scope->index[k].name);
    best = perp_names_nearest(&parser->scope->parameters, name, best);
    for (int k = 0; k < COUNT(functions); k++)
        best = perp_nearer_word(name, best, functions[k].name);
    for (int k = 0; k < COUNT(constants); k++)
        best = perp_nearer_word(name, best, constants[k]);
    return fail(parser, place, PERP_BAD_SYNTAX,
                "unknown name \"%s\" in a number; the nearest known name is \"%s\"", name, best);
}

static double find_value(Parser *parser, const char *place, const char *name)
{
    const PerpScope *scope = parser->scope;
    for (int k = 0; k < scope->n_index; k++)
        if (strcmp(scope->index[k].name, name) == 0)
            return scope->index[k].value;
    int parameter = perp_names_find(&scope->parameters, name);
    if (parameter >= 0)
        return scope->values[parameter];
    if (strcmp(name, "pi") == 0)
        return PI;
    return fail_for_name(parser, place, name);
}

static double parse_name(Parser *parser)
{
    const char *place = parser->next;
    char name[NAME_SIZE];
    take_name(parser, name);
    if (parser->status)
        return 0;
    if (strcmp(name, "deg") == 0)
        return fail(parser, place, PERP_BAD_SYNTAX, "expected a number before deg");
    const Function *function = find_function(name);
    return function ? call(parser, place, function) : find_value(parser, place, name);
}

static double parse_brackets(Parser *parser)
{
    parser->next++;
    double value = parse_sum(parser);
    if (!parser->status && !accept(parser, ')'))
        fail(parser, parser->next, PERP_BAD_SYNTAX, "expected ')'");
    return value;
}

static double parse_atom(Parser *parser)
{
    char c = peek(parser);
    if (is_digit(c) || (c == '.' && is_digit(parser->next[1])))
        return parse_number(parser);
    if (is_letter(c))
        return parse_name(parser);
    if (c == '(')
        return parse_brackets(parser);
    if (c == '\0')
        return fail(parser, parser->next, PERP_BAD_SYNTAX, "expected a number, found nothing");
    return fail(parser, parser->next, PERP_BAD_SYNTAX, "expected a number, found '%.4s'",
                parser->next);
}

static bool accept_degrees(Parser *parser)
{
    peek(parser);
    const char *s = parser->next;
    if (parser->status || strncmp(s, "deg", 3) != 0 || is_letter(s[3]) || is_digit(s[3]))
        return false;
    parser->next += 3;
    return true;
}

static double parse_power(Parser *parser)
{
    double base = parse_atom(parser);
    if (accept_degrees(parser))
        base *= PI / 180;
    const char *place = parser->next;
    if (!accept(parser, '^'))
        return base;
    double exponent = parse_signed(parser);
    return parser->status ? 0 : check_finite(parser, place, pow(base, exponent), "the power");
}

// Every recursion comes through here, so here its depth is limited.
static double parse_signed(Parser *parser)
{
    if (parser->depth == PERP_EXPRESSION_DEPTH)
        return fail(parser, parser->next, PERP_BAD_SIZE, "nested deeper than %d levels",
                    PERP_EXPRESSION_DEPTH);
    parser->depth++;
    double value;
    if (accept(parser, '-'))
        value = -parse_signed(parser);
    else if (accept(parser, '+'))
        value = parse_signed(parser);
    else
        value = parse_power(parser);
    parser->depth--;
    return value;
}

static double divide(Parser *parser, const char *place, double a, double b)
{
    if (!parser->status && b == 0)
        return fail(parser, place, PERP_BAD_VALUE, "division by zero");
    return check_finite(parser, place, a / b, "the quotient");
}

static double parse_product(Parser *parser)
{
    double value = parse_signed(parser);
    while (!parser->status) {
        peek(parser);
        const char *place = parser->next;
        if (accept(parser, '*'))
            value = check_finite(parser, place, value * parse_signed(parser), "the product");
        else if (accept(parser, '/'))
            value = divide(parser, place, value, parse_signed(parser));
        else
            break;
    }
    return value;
}

static double parse_sum(Parser *parser)
{
    double value = parse_product(parser);
    while (!parser->status) {
        peek(parser);
        const char *place = parser->next;
        if (accept(parser, '+'))
            value = check_finite(parser, place, value + parse_product(parser), "the sum");
        else if (accept(parser, '-'))
            value = check_finite(parser, place, value - parse_product(parser), "the difference");
        else
            break;
    }
    return value;
}

static void check_length(Parser *parser)
{
    size_t length = strlen(parser->text);
    if (length > PERP_EXPRESSION_LENGTH)
        fail(parser, parser->text, PERP_BAD_SIZE, "an expression longer than %d characters",
             PERP_EXPRESSION_LENGTH);
    parser->scope->left -= (long long)length + 1;
    if (parser->scope->left < 0)
        fail(parser, parser->text, PERP_BAD_SIZE, "too many numbers in the scene");
}

static bool is_unit(Parser *parser)
{
    static const char *const units[] = {"m",  "cm", "mm", "km", "kg",  "g",   "t",  "s",
                                        "ms", "us", "N",  "kN", "deg", "rad", "Hz", "m/s"};
    peek(parser); // passes over blanks
    for (int k = 0; k < COUNT(units); k++)
        if (strcmp(parser->next, units[k]) == 0)
            return true;
    return false;
}

PerpStatus perp_expression_evaluate(PerpScope *scope, const char *text, double *value,
                                    PerpExpressionFault *fault)
{
    Parser parser = {.scope = scope, .text = text, .next = text, .fault = fault};
    check_length(&parser);
    double result = parser.status ? 0 : parse_sum(&parser);
    if (!parser.status && is_unit(&parser))
        fail(&parser, parser.next, PERP_BAD_SYNTAX,
             "numbers are in SI units, m, kg, s and rad, without '%.16s' behind them", parser.next);
    else if (!parser.status && peek(&parser) != '\0')
        fail(&parser, parser.next, PERP_BAD_SYNTAX, "expected an operator, found '%.16s'",
             parser.next);
    if (!parser.status)
        *value = result;
    return parser.status;
}
