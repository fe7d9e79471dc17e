// The tree of a JSON text: structure, places, and everything that is refused.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "failing_allocator.h"
#include "io/text/node.h"
#include "perp/words.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static PerpStatus parse(const char *text, size_t size, PerpDocument *document, PerpError *error)
{
    PerpContext context = perp_default_context();
    return perp_document_parse(&context.allocator, text, size, "file.json", document, error);
}

static void check_failure(const char *text, size_t size, PerpStatus status, int line, int column,
                          const char *fragment)
{
    PerpDocument document;
    PerpError error = {0};
    assert_int_equal(parse(text, size, &document, &error), status);
    if (!strstr(error.message, fragment))
        fail_msg("%s: message \"%s\" lacks \"%s\"", text, error.message, fragment);
    assert_int_equal(error.status, status);
    assert_int_equal(error.line, line);
    assert_int_equal(error.column, column);
    assert_string_equal(error.file, "file.json");
}

static void check_syntax(const char *text, int line, int column, const char *fragment)
{
    check_failure(text, strlen(text), PERP_BAD_SYNTAX, line, column, fragment);
}

static void test_tree(void **state)
{
    (void)state;
    const char *text = "{\"a\": [1, \"two\"],\n \"b\": {\"c\": -0}}";
    PerpDocument document;
    PerpError error;
    assert_int_equal(parse(text, strlen(text), &document, &error), PERP_OK);
    const PerpNode *root = document.root;
    assert_int_equal(root->kind, PERP_NODE_MAPPING);
    assert_int_equal(root->count, 2);
    const PerpNode *a = perp_node_find(root, "a"), *b = perp_node_find(root, "b");
    assert_int_equal(a->kind, PERP_NODE_SEQUENCE);
    assert_int_equal(a->count, 2);
    assert_string_equal(a->child->text, "1");
    assert_false(a->child->quoted);
    assert_string_equal(a->child->next->text, "two");
    assert_true(a->child->next->quoted);
    assert_null(a->child->next->next);
    assert_int_equal(b->line, 2);
    assert_int_equal(b->column, 7);
    assert_string_equal(perp_node_find(b, "c")->text, "-0");
    assert_null(perp_node_find(root, "c"));
    perp_document_free(&document);
}

static void test_block_style_and_comments(void **state)
{
    (void)state;
    const char *text = "# a comment\na: 1\nb:\n  - x\n  - y\n";
    PerpDocument document;
    assert_int_equal(parse(text, strlen(text), &document, NULL), PERP_OK);
    assert_int_equal(perp_node_find(document.root, "b")->count, 2);
    perp_document_free(&document);
}

static void test_refused_syntax(void **state)
{
    (void)state;
    check_syntax("", 1, 1, "empty");
    check_syntax("\n\n", 3, 1, "empty");
    check_syntax("[1, 2", 2, 1, "not valid JSON");
    check_syntax("[1}", 1, 3, "not valid JSON");
    check_syntax("{\"a\": \"b", 1, 9, "not valid JSON");
    check_syntax("[&x 1]", 1, 2, "anchors");
    check_syntax("[1,\n *x]", 2, 2, "aliases");
    check_syntax("[!!int 1]", 1, 2, "tags");
    check_syntax("[!!seq [1]]", 1, 2, "tags");
    check_syntax("[!!map {a: 1}]", 1, 2, "tags");
    check_syntax("[1]\n---\n[2]", 2, 1, "second document");
    check_syntax("{\"a\": 1,\n \"a\": 2}", 2, 2, "already given in line 1");
    check_syntax("{[1]: 2}", 1, 2, "expected a key");
    check_syntax("[\"\\0\"]", 1, 2, "NUL");
    check_syntax("[1,\n \xC3\xA4\xFF]", 2, 3, "not a UTF-8 text");
    check_syntax("[\x01]", 1, 2, "not a UTF-8 text");
}

static void test_nul_byte(void **state)
{
    (void)state;
    check_failure("[1,\n2\0]", 7, PERP_BAD_SYNTAX, 2, 2, "NUL byte");
}

// {"a": {"a": ... }} and [[...]] to a depth of n
static void test_depth(void **state)
{
    (void)state;
    char text[2 * 65 + 1] = "";
    memset(text, '[', 64);
    memset(text + 64, ']', 64);
    PerpDocument document;
    assert_int_equal(parse(text, 128, &document, NULL), PERP_OK);
    perp_document_free(&document);
    memset(text, '[', 65);
    memset(text + 65, ']', 65);
    check_failure(text, 130, PERP_BAD_SYNTAX, 1, 65, "deeper than 64");
}

static void test_key_limit(void **state)
{
    (void)state;
    char text[8192] = "{";
    for (int k = 0; k <= PERP_DOCUMENT_KEY_LIMIT; k++)
        sprintf(text + strlen(text), "k%d: 1,\n", k);
    strcat(text, "}");
    check_syntax(text, PERP_DOCUMENT_KEY_LIMIT + 1, 1, "more than 256 keys");
}

static void test_size_limit(void **state)
{
    (void)state;
    size_t size = (size_t)PERP_DOCUMENT_SIZE_LIMIT + 1;
    char *text = malloc(size);
    assert_non_null(text);
    memset(text, ' ', size);
    check_failure(text, size, PERP_BAD_SIZE, 0, 0, "64 MiB");
    free(text);
}

static void test_allocation_failures(void **state)
{
    (void)state;
    char text[20000] = "[";
    for (int k = 0; k < 2000; k++)
        strcat(text, "123.5, ");
    strcat(text, "\"");
    memset(text + strlen(text), 'x', 5000); // a text longer than a block of texts
    strcat(text, "\"]");
    PerpStatus status = PERP_NO_MEMORY;
    for (int k = 1; status == PERP_NO_MEMORY; k++) {
        PerpFailingAllocator memory = {.fail_at = k};
        PerpContext context = perp_failing_context(&memory);
        PerpDocument document;
        PerpError error = {0};
        status =
            perp_document_parse(&context.allocator, text, strlen(text), "f", &document, &error);
        assert_int_equal(error.status, status);
        if (!status)
            perp_document_free(&document);
        assert_int_equal(memory.live, 0);
    }
    assert_int_equal(status, PERP_OK);
}

// The status of "[text]" read as one number.
static PerpStatus read_number(const char *text, double *number, PerpError *error)
{
    char list[128];
    snprintf(list, sizeof list, "[%s]", text);
    PerpDocument document;
    PerpStatus status = parse(list, strlen(list), &document, error);
    if (status)
        return status;
    status = perp_node_number(&document, document.root->child, "x", number);
    perp_document_free(&document);
    return status;
}

static void check_number(const char *text, double expected)
{
    double number = NAN;
    PerpError error;
    assert_int_equal(read_number(text, &number, &error), PERP_OK);
    assert_memory_equal(&number, &expected, sizeof number);
}

static void check_no_number(const char *text, PerpStatus status, const char *fragment)
{
    double number;
    PerpError error = {0};
    PerpStatus found = read_number(text, &number, &error);
    if (found != status || !strstr(error.message, fragment))
        fail_msg("%s: %s \"%s\"", text, perp_status_name(found), error.message);
    assert_int_equal(error.line, 1);
    assert_int_equal(error.column, 2);
}

static void test_numbers(void **state)
{
    (void)state;
    check_number("0", 0);
    check_number("-0", -0.0);
    check_number("12.25", 12.25);
    check_number("1e3", 1000);
    check_number("-1.5E-2", -0.015);
    check_number("1E+2", 100);
    check_number("0.1", 0.1);
    check_number("1.7976931348623157e308", 1.7976931348623157e308);
    check_number("4.9406564584124654e-324", 4.9406564584124654e-324);
    check_number("1e-999", 0);
}

static void test_no_numbers(void **state)
{
    (void)state;
    static const char *const malformed[] = {"+1",  ".5",    "1.",   "01",   "0x10", "1e",
                                            "1e+", "1.e3",  "-",    "1 2",  "abc",  "1_0",
                                            "--1", "1.5.2", "true", "null", "1f"};
    for (size_t k = 0; k < sizeof malformed / sizeof *malformed; k++)
        check_no_number(malformed[k], PERP_BAD_SYNTAX, "expected a number");
    check_no_number("\"1\"", PERP_BAD_SYNTAX, "found the text");
    check_no_number("[1]", PERP_BAD_SYNTAX, "expected a number");
    static const char *const non_finite[] = {"NaN",  ".nan",     "inf",  "-inf",
                                             "+Inf", "Infinity", ".inf", "-.INF"};
    for (size_t k = 0; k < sizeof non_finite / sizeof *non_finite; k++)
        check_no_number(non_finite[k], PERP_BAD_VALUE, "NaN and infinity");
    check_no_number("1e999", PERP_BAD_VALUE, "too large");
    check_no_number("-1e309", PERP_BAD_VALUE, "too large");
}

static void test_bounds(void **state)
{
    (void)state;
    const char *text = "[\"inf\", \"-inf\", -2.5, \"+inf\", inf]";
    PerpDocument document;
    PerpError error;
    double bound;
    assert_int_equal(parse(text, strlen(text), &document, &error), PERP_OK);
    const PerpNode *node = document.root->child;
    assert_int_equal(perp_node_bound(&document, node, "hi", &bound), PERP_OK);
    assert_true(bound == INFINITY);
    node = node->next;
    assert_int_equal(perp_node_bound(&document, node, "hi", &bound), PERP_OK);
    assert_true(bound == -INFINITY);
    node = node->next;
    assert_int_equal(perp_node_bound(&document, node, "hi", &bound), PERP_OK);
    assert_true(bound == -2.5);
    node = node->next;
    assert_int_equal(perp_node_bound(&document, node, "hi", &bound), PERP_BAD_SYNTAX);
    assert_int_equal(perp_node_bound(&document, node->next, "hi", &bound), PERP_BAD_VALUE);
    perp_document_free(&document);
}

static void test_nearest_word(void **state)
{
    (void)state;
    static const char *const words[] = {"solve", "bench", "friction"};
    assert_string_equal(perp_nearest_word("slove", words, 3), "solve");
    assert_string_equal(perp_nearest_word("becnh", words, 3), "bench");
    assert_string_equal(perp_nearest_word("fricton", words, 3), "friction");
    assert_string_equal(perp_nearest_word("", words, 3), "solve");
    assert_string_equal(
        perp_nearest_word("a word that is much longer than any of the words", words, 3),
        "friction");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tree),           cmocka_unit_test(test_block_style_and_comments),
        cmocka_unit_test(test_refused_syntax), cmocka_unit_test(test_nul_byte),
        cmocka_unit_test(test_depth),          cmocka_unit_test(test_key_limit),
        cmocka_unit_test(test_size_limit),     cmocka_unit_test(test_allocation_failures),
        cmocka_unit_test(test_numbers),        cmocka_unit_test(test_no_numbers),
        cmocka_unit_test(test_bounds),         cmocka_unit_test(test_nearest_word),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
