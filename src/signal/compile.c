// From the text of an expression to its code, by recursive descent.
#include "base/compiler.h"
#include "signal/code.h"

#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

// status holds the first failure; after it nothing is parsed any more.
typedef struct Parser {
    const PerpAllocator *allocator;
    const char *text, *next;
    const PerpVocabulary *vocabulary;
    PerpProgram *program;
    int room; // of the code
    int depth, stack;
    PerpStatus status;
    PerpExpressionFault *fault;
} Parser;

static void parse_choice(Parser *parser);
static void parse_signed(Parser *parser);

// --- messages and code --------------------------------------------------------------------------

static int characters_before(const char *text, const char *place)
{
    int count = 0;
    for (; text < place; text++)
        count += ((unsigned char)*text & 0xC0) != 0x80;
    return count;
}

static void fail(Parser *parser, const char *place, PerpStatus status, const char *format, ...)
    PERP_PRINTF(4, 5);

static void fail(Parser *parser, const char *place, PerpStatus status, const char *format, ...)
{
    if (parser->status)
        return;
    parser->status = status;
    parser->fault->offset = characters_before(parser->text, place);
    va_list values;
    va_start(values, format);
    vsnprintf(parser->fault->message, sizeof parser->fault->message, format, values);
    va_end(values);
}

// Appends an operation that leaves `more` numbers more on the stack; returns its index.
static int emit(Parser *parser, const char *place, PerpSignalCode code, int more)
{
    PerpProgram *program = parser->program;
    void *memory = program->code;
    if (parser->status)
        return 0;
    if (!perp_make_room(parser->allocator, &memory, &parser->room, program->count + 1,
                        sizeof *program->code)) {
        fail(parser, place, PERP_NO_MEMORY, "out of memory");
        return 0;
    }
    program->code = memory;
    code.offset = characters_before(parser->text, place);
    program->code[program->count] = code;
    parser->stack += more;
    program->stack = parser->stack > program->stack ? parser->stack : program->stack;
    if (program->stack > PERP_EXPRESSION_STACK)
        fail(parser, place, PERP_BAD_SIZE, "more than %d numbers at once", PERP_EXPRESSION_STACK);
    return program->count++;
}

static void emit_number(Parser *parser, const char *place, double number)
{
    emit(parser, place, (PerpSignalCode){.operation = PERP_PUSH_NUMBER, .number = number}, 1);
}

static void emit_binary(Parser *parser, const char *place, PerpOperation operation)
{
    emit(parser, place, (PerpSignalCode){.operation = operation}, -1);
}

// --- characters ---------------------------------------------------------------------------------

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_name(char c)
{
    return is_letter(c) || is_digit(c);
}

static char peek(Parser *parser)
{
    while (*parser->next == ' ' || *parser->next == '\t' || *parser->next == '\n')
        parser->next++;
    return *parser->next;
}

static bool accept(Parser *parser, const char *symbol)
{
    size_t length = strlen(symbol);
    if (parser->status)
        return false;
    peek(parser);
    if (strncmp(parser->next, symbol, length) != 0)
        return false;
    parser->next += length;
    return true;
}

static bool accept_word(Parser *parser, const char *word)
{
    size_t length = strlen(word);
    peek(parser);
    if (parser->status || strncmp(parser->next, word, length) != 0 ||
        is_name(parser->next[length]) || parser->next[length] == '.')
        return false;
    parser->next += length;
    return true;
}

// --- numbers and names --------------------------------------------------------------------------

static const char *skip_digits(const char *s)
{
    while (is_digit(*s))
        s++;
    return s;
}

static void parse_number(Parser *parser)
{
    const char *start = parser->next, *end = skip_digits(start);
    if (*end == '.')
        end = skip_digits(end + 1);
    if (*end == 'e' || *end == 'E') {
        const char *exponent = end + 1;
        exponent += *exponent == '+' || *exponent == '-';
        end = is_digit(*exponent) ? skip_digits(exponent) : end;
    }
    // a copy, because strtod would take more of the text, such as 0x10, with the locale's point
    char digits[PERP_EXPRESSION_LENGTH + 1];
    memcpy(digits, start, (size_t)(end - start));
    digits[end - start] = '\0';
    parser->next = end;
    char *point = strchr(digits, '.');
    if (point)
        *point = localeconv()->decimal_point[0];
    double value = strtod(digits, NULL);
    if (!isfinite(value))
        fail(parser, start, PERP_BAD_VALUE, "%.40s is infinite or too large", digits);
    emit_number(parser, start, value);
}

// A run of characters up to `end` becomes a name.
static void take_name(Parser *parser, const char *end, char name[PERP_EXPRESSION_NAME_SIZE])
{
    size_t length = (size_t)(end - parser->next);
    if (length >= PERP_EXPRESSION_NAME_SIZE) {
        fail(parser, parser->next, PERP_BAD_SIZE, "a name longer than %d bytes",
             PERP_EXPRESSION_NAME_SIZE - 1);
        length = 0;
    }
    memcpy(name, parser->next, length);
    name[length] = '\0';
    parser->next = end;
}

// 'any name'
static void take_quoted(Parser *parser, char name[PERP_EXPRESSION_NAME_SIZE])
{
    const char *start = parser->next++, *end = strchr(parser->next, '\'');
    if (!end) {
        fail(parser, start, PERP_BAD_SYNTAX, "a quote ' without its partner");
        end = parser->next;
    }
    take_name(parser, end, name);
    parser->next += *end == '\'';
}

// Letters, digits and _; of an object, if a dot and a quantity follow, - too.
static const char *end_of_name(const Parser *parser)
{
    const char *plain = parser->next, *end;
    while (is_name(*plain))
        plain++;
    for (end = plain; is_name(*end) || *end == '-'; end++)
        ;
    bool is_object = parser->vocabulary->has_objects && *end == '.' && is_letter(end[1]);
    return is_object ? end : plain;
}

static void take_quantity(Parser *parser, char quantity[PERP_EXPRESSION_NAME_SIZE])
{
    const char *end = parser->next + 1;
    quantity[0] = '\0';
    if (!parser->vocabulary->has_objects || *parser->next != '.' || !is_letter(*end))
        return;
    parser->next++;
    while (is_name(*end) || (*end == '.' && is_name(end[1])))
        end++;
    take_name(parser, end, quantity);
}

static void parse_variable(Parser *parser, const char *place, const char *object,
                           const char *quantity)
{
    PerpMeaning meaning = {0};
    char hint[160] = "";
    if (parser->status)
        return;
    const PerpVocabulary *vocabulary = parser->vocabulary;
    if (!vocabulary->find(vocabulary->user, object, quantity, &meaning, hint, sizeof hint))
        fail(parser, place, PERP_BAD_SYNTAX, "unknown name \"%.60s%s%.40s\"%s%s", object,
             quantity[0] ? "." : "", quantity, hint[0] ? "; " : "", hint);
    else if (meaning.is_constant)
        emit_number(parser, place, meaning.value);
    else if (meaning.is_time)
        emit(parser, place, (PerpSignalCode){.operation = PERP_PUSH_TIME}, 1);
    else
        emit(parser, place,
             (PerpSignalCode){.operation = PERP_PUSH_VARIABLE, .index = meaning.variable}, 1);
    parser->program->is_measured = parser->program->is_measured || meaning.is_measured;
}

// --- functions ----------------------------------------------------------------------------------

static void parse_comma(Parser *parser, const char *name, int arguments)
{
    if (!parser->status && !accept(parser, ","))
        fail(parser, parser->next, PERP_BAD_SYNTAX,
             "expected ',' because %s has %d arguments; within [] or {} put the expression in "
             "quotes",
             name, arguments);
}

static void parse_open(Parser *parser, const char *name)
{
    if (!accept(parser, "("))
        fail(parser, parser->next, PERP_BAD_SYNTAX, "expected '(' behind %s", name);
}

static void parse_close(Parser *parser, const char *name, int arguments)
{
    static const char *const words[] = {"argument", "two arguments", "three arguments"};
    if (!parser->status && !accept(parser, ")"))
        fail(parser, parser->next, PERP_BAD_SYNTAX, "expected ')' behind the %s of %s",
             words[arguments - 1], name);
}

static void draw(Parser *parser, const char *place)
{
    const PerpVocabulary *vocabulary = parser->vocabulary;
    char reason[160] = "random() is for numbers, which are drawn once, not for signals";
    double number = 0;
    if (!parser->status &&
        (!vocabulary->draw || !vocabulary->draw(vocabulary->user, &number, reason, sizeof reason)))
        fail(parser, place, PERP_BAD_VALUE, "%s", reason);
    emit_number(parser, place, number);
}

static void parse_call(Parser *parser, const char *place, int index)
{
    const PerpFunction *function = perp_function(index);
    int written = function->arguments - function->draws;
    parse_open(parser, function->name);
    for (int k = 0; k < written && !parser->status; k++) {
        if (k > 0)
            parse_comma(parser, function->name, written);
        parse_choice(parser);
    }
    parse_close(parser, function->name, written);
    if (function->draws)
        draw(parser, place);
    emit(parser, place, (PerpSignalCode){.operation = PERP_CALL, .index = index},
         1 - function->arguments);
}

// if(condition, then, else): only what is chosen is evaluated
static void parse_if(Parser *parser, const char *place)
{
    parse_open(parser, "if");
    parse_choice(parser);
    int to_else = emit(parser, place, (PerpSignalCode){.operation = PERP_SKIP_IF_ZERO}, -1);
    parse_comma(parser, "if", 3);
    parse_choice(parser);
    int to_end = emit(parser, place, (PerpSignalCode){.operation = PERP_SKIP}, -1);
    parse_comma(parser, "if", 3);
    if (!parser->status)
        parser->program->code[to_else].index = parser->program->count;
    parse_choice(parser);
    parse_close(parser, "if", 3);
    if (!parser->status)
        parser->program->code[to_end].index = parser->program->count;
}

static int find_function(const char *name)
{
    for (int k = 0; k < perp_function_count(); k++)
        if (strcmp(perp_function(k)->name, name) == 0)
            return k;
    return -1;
}

static void parse_word(Parser *parser)
{
    const char *place = parser->next;
    char object[PERP_EXPRESSION_NAME_SIZE], quantity[PERP_EXPRESSION_NAME_SIZE];
    bool is_quoted = *place == '\'';
    if (is_quoted)
        take_quoted(parser, object);
    else
        take_name(parser, end_of_name(parser), object);
    take_quantity(parser, quantity);
    if (is_quoted || quantity[0]) {
        parse_variable(parser, place, object, quantity);
        return;
    }
    int function = find_function(object);
    if (strcmp(object, "pi") == 0)
        emit_number(parser, place, PI);
    else if (strcmp(object, "deg") == 0)
        fail(parser, place, PERP_BAD_SYNTAX, "expected a number before deg");
    else if (strcmp(object, "if") == 0)
        parse_if(parser, place);
    else if (function >= 0)
        parse_call(parser, place, function);
    else
        parse_variable(parser, place, object, quantity);
}

// --- operators ----------------------------------------------------------------------------------

static void parse_brackets(Parser *parser)
{
    parser->next++;
    parse_choice(parser);
    if (!parser->status && !accept(parser, ")"))
        fail(parser, parser->next, PERP_BAD_SYNTAX, "expected ')'");
}

static void parse_atom(Parser *parser)
{
    char c = peek(parser);
    if (is_digit(c) || (c == '.' && is_digit(parser->next[1])))
        parse_number(parser);
    else if (is_letter(c) || c == '\'')
        parse_word(parser);
    else if (c == '(')
        parse_brackets(parser);
    else if (c == '\0')
        fail(parser, parser->next, PERP_BAD_SYNTAX, "expected a number, found nothing");
    else
        fail(parser, parser->next, PERP_BAD_SYNTAX, "expected a number, found '%.4s'",
             parser->next);
}

static void parse_power(Parser *parser)
{
    parse_atom(parser);
    const char *place = parser->next;
    if (accept_word(parser, "deg")) {
        emit_number(parser, place, PI / 180);
        emit_binary(parser, place, PERP_MULTIPLY);
    }
    peek(parser);
    place = parser->next;
    if (!accept(parser, "^"))
        return;
    parse_signed(parser);
    emit_binary(parser, place, PERP_POWER);
}

// Every recursion comes through here, so here its depth is limited.
static void parse_signed(Parser *parser)
{
    peek(parser);
    const char *place = parser->next;
    if (parser->depth == PERP_EXPRESSION_DEPTH) {
        fail(parser, place, PERP_BAD_SIZE, "nested deeper than %d levels", PERP_EXPRESSION_DEPTH);
        return;
    }
    parser->depth++;
    if (accept(parser, "-")) {
        parse_signed(parser);
        emit(parser, place, (PerpSignalCode){.operation = PERP_NEGATE}, 0);
    } else if (accept(parser, "+"))
        parse_signed(parser);
    else
        parse_power(parser);
    parser->depth--;
}

static void parse_product(Parser *parser)
{
    parse_signed(parser);
    while (!parser->status) {
        peek(parser);
        const char *place = parser->next;
        bool times = accept(parser, "*");
        if (!times && !accept(parser, "/"))
            break;
        parse_signed(parser);
        emit_binary(parser, place, times ? PERP_MULTIPLY : PERP_DIVIDE);
    }
}

static void parse_sum(Parser *parser)
{
    parse_product(parser);
    while (!parser->status) {
        peek(parser);
        const char *place = parser->next;
        bool plus = accept(parser, "+");
        if (!plus && !accept(parser, "-"))
            break;
        parse_product(parser);
        emit_binary(parser, place, plus ? PERP_ADD : PERP_SUBTRACT);
    }
}

static void parse_comparison(Parser *parser)
{
    static const char *const symbols[] = {"<=", ">=", "==", "!=", "<", ">"};
    static const PerpComparison kinds[] = {PERP_LESS_EQUAL, PERP_GREATER_EQUAL, PERP_EQUAL,
                                           PERP_NOT_EQUAL,  PERP_LESS,          PERP_GREATER};
    parse_sum(parser);
    peek(parser);
    const char *place = parser->next;
    for (int k = 0; k < 6; k++)
        if (accept(parser, symbols[k])) {
            parse_sum(parser);
            emit(parser, place, (PerpSignalCode){.operation = PERP_COMPARE, .index = (int)kinds[k]},
                 -1);
            return;
        }
}

static void parse_negation(Parser *parser)
{
    peek(parser);
    const char *place = parser->next;
    int count = 0;
    while (accept_word(parser, "not"))
        count++;
    parse_comparison(parser);
    for (; count > 0; count--)
        emit(parser, place, (PerpSignalCode){.operation = PERP_NOT}, 0);
}

static void parse_conjunction(Parser *parser)
{
    parse_negation(parser);
    for (const char *place = parser->next; accept_word(parser, "and"); place = parser->next) {
        parse_negation(parser);
        emit_binary(parser, place, PERP_AND);
    }
}

static void parse_choice(Parser *parser)
{
    parse_conjunction(parser);
    for (const char *place = parser->next; accept_word(parser, "or"); place = parser->next) {
        parse_conjunction(parser);
        emit_binary(parser, place, PERP_OR);
    }
}

// --- the whole ----------------------------------------------------------------------------------

const char *perp_reserved_word(int k)
{
    static const char *const words[] = {"pi", "deg", "if", "and", "or", "not"};
    enum { WORDS = sizeof words / sizeof *words };
    int functions = perp_function_count();
    return k < functions           ? perp_function(k)->name
           : k < functions + WORDS ? words[k - functions]
                                   : NULL;
}

static bool is_unit(const char *text)
{
    static const char *const units[] = {"m",  "cm", "mm", "km", "kg",  "g",   "t",  "s",
                                        "ms", "us", "N",  "kN", "deg", "rad", "Hz", "m/s"};
    for (size_t k = 0; k < sizeof units / sizeof *units; k++)
        if (strcmp(text, units[k]) == 0)
            return true;
    return false;
}

static void parse_end(Parser *parser)
{
    if (parser->status || peek(parser) == '\0')
        return;
    if (is_unit(parser->next))
        fail(parser, parser->next, PERP_BAD_SYNTAX,
             "numbers are in SI units, m, kg, s and rad, without '%.16s' behind them",
             parser->next);
    else
        fail(parser, parser->next, PERP_BAD_SYNTAX, "expected an operator, found '%.16s'",
             parser->next);
}

PerpStatus perp_program_compile(const PerpAllocator *allocator, const char *text,
                                const PerpVocabulary *vocabulary, PerpProgram *program,
                                PerpExpressionFault *fault)
{
    Parser parser = {.allocator = allocator,
                     .text = text,
                     .next = text,
                     .vocabulary = vocabulary,
                     .program = program,
                     .fault = fault};
    *program = (PerpProgram){0};
    if (strlen(text) > PERP_EXPRESSION_LENGTH)
        fail(&parser, text, PERP_BAD_SIZE, "an expression longer than %d characters",
             PERP_EXPRESSION_LENGTH);
    else
        parse_choice(&parser);
    parse_end(&parser);
    if (parser.status)
        perp_program_free(allocator, program);
    return parser.status;
}

void perp_program_free(const PerpAllocator *allocator, PerpProgram *program)
{
    perp_free(allocator, program->code);
    *program = (PerpProgram){0};
}
