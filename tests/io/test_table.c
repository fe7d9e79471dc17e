// Tables: CSV to the letter, blocks of Parquet and HDF5, what cannot be written.
#define _DEFAULT_SOURCE // mkdtemp

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "perp/table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const PerpTableColumn columns[] = {
    {"k", PERP_CELL_INTEGER}, {"x, \"y\"", PERP_CELL_NUMBER}, {"text", PERP_CELL_TEXT}};
static char folder[64];

static const char *place(const char *name)
{
    static char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void write_rows(const char *path, const PerpCell (*rows)[3], int count)
{
    PerpTableWriter *writer;
    assert_int_equal(perp_table_begin(NULL, path, columns, 3, &writer, NULL), PERP_OK);
    for (int k = 0; k < count; k++)
        assert_int_equal(perp_table_add(writer, rows[k], NULL), PERP_OK);
    assert_true(access(path, F_OK) != 0); // not before it is complete
    assert_int_equal(perp_table_end(writer, true, NULL), PERP_OK);
}

static char *read_whole(const char *path, long *size)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    *size = ftell(file);
    rewind(file);
    char *bytes = calloc((size_t)*size + 1, 1);
    assert_true(bytes && fread(bytes, 1, (size_t)*size, file) == (size_t)*size);
    fclose(file);
    return bytes;
}

// Quotes where they are needed; broken UTF-8 is replaced, whole characters stay.
static void test_csv(void **state)
{
    static const PerpCell rows[][3] = {
        {{.number = 9007199254740991}, {.number = 0.1}, {.text = "plain"}},
        {{.number = -1}, {.number = NAN}, {.text = "a \"b\", c\nd"}},
        {{.number = 0}, {.number = -INFINITY}, {.text = "f\xC3\xBCr \xC3"}}};
    long size;
    (void)state;
    write_rows(place("t.csv"), rows, 3);
    char *bytes = read_whole(place("t.csv"), &size);
    assert_string_equal(bytes, "k,\"x, \"\"y\"\"\",text\n"
                               "9007199254740991,0.1,plain\n"
                               "-1,,\"a \"\"b\"\", c\nd\"\n"
                               "0,-inf,f\xC3\xBCr \xEF\xBF\xBD\n");
    free(bytes);
}

// Two blocks: the mark at both ends, and a footer of the length that it says.
static void test_parquet(void **state)
{
    enum { ROWS = 70000 };
    PerpTableWriter *writer;
    long size;
    (void)state;
    assert_int_equal(perp_table_begin(NULL, place("t.parquet"), columns, 3, &writer, NULL),
                     PERP_OK);
    for (int k = 0; k < ROWS; k++) {
        PerpCell cells[3] = {{.number = k}, {.number = 0.5 * k}, {.text = k % 2 ? "odd" : ""}};
        assert_int_equal(perp_table_add(writer, cells, NULL), PERP_OK);
    }
    assert_int_equal(perp_table_end(writer, true, NULL), PERP_OK);
    unsigned char *bytes = (unsigned char *)read_whole(place("t.parquet"), &size);
    long footer = bytes[size - 8] | bytes[size - 7] << 8 | bytes[size - 6] << 16;
    assert_memory_equal(bytes, "PAR1", 4);
    assert_memory_equal(bytes + size - 4, "PAR1", 4);
    // numbers, and texts behind their lengths, besides heads of pages
    assert_in_range(size - 8 - footer, 16 * ROWS + 4 * ROWS + 3 * ROWS / 2, 24 * ROWS);
    free(bytes);
}

static void test_hdf5(void **state)
{
    char longest[400];
    (void)state;
    memset(longest, 'x', sizeof longest);
    memcpy(longest + 255, "\xC3\xBC", 3); // would be cut in its middle
    const PerpCell rows[][3] = {{{.number = 3}, {.number = 2.5}, {.text = longest}}};
    write_rows(place("t.h5"), rows, 1);
    long size;
    char *bytes = read_whole(place("t.h5"), &size);
    assert_memory_equal(bytes + 1, "HDF", 3);
    free(bytes);
}

static void test_refused(void **state)
{
    PerpTableWriter *writer;
    PerpError error = {0};
    (void)state;
    assert_int_equal(perp_table_begin(NULL, place("t.txt"), columns, 3, &writer, &error),
                     PERP_NOT_SUPPORTED);
    assert_null(writer);
    static const char *const names[] = {"none/t.csv", "none/t.parquet", "none/t.h5"};
    for (int k = 0; k < 3; k++) {
        assert_int_equal(perp_table_begin(NULL, place(names[k]), columns, 3, &writer, &error),
                         PERP_NO_FILE);
        assert_null(writer);
        assert_non_null(strstr(error.message, "cannot be written"));
    }
    assert_int_equal(perp_table_begin(NULL, place("gone.csv"), columns, 3, &writer, NULL), PERP_OK);
    assert_int_equal(perp_table_end(writer, false, NULL), PERP_OK);
    assert_true(access(place("gone.csv"), F_OK) != 0);
}

static int make_folder(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/perp-table-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    static const char *const names[] = {"t.csv", "t.parquet", "t.h5"};
    (void)state;
    for (int k = 0; k < 3; k++)
        unlink(place(names[k]));
    return rmdir(folder); // nothing else is left
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_csv), cmocka_unit_test(test_parquet),
                                       cmocka_unit_test(test_hdf5), cmocka_unit_test(test_refused)};
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
