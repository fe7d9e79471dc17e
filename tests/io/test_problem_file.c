// Problem files: what they say, every way in which they can be wrong, and that writing loses no
// bit.
#define _POSIX_C_SOURCE 200809L

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "failing_allocator.h"
#include "io/problem/problem_file.h"

#include <locale.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static char folder[] = "/tmp/perp-test-XXXXXX";

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    return rmdir(folder);
}

static const char *path_of(const char *name)
{
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static PerpProblemFile *parse(const char *text)
{
    PerpProblemFile *file = NULL;
    PerpError error = {0};
    PerpStatus status = perp_file_parse(NULL, text, strlen(text), "file.json", &file, &error);
    if (status)
        fail_msg("%d:%d: %s", error.line, error.column, error.message);
    return file;
}

static void check_failure(const char *text, PerpStatus status, int line, int column,
                          const char *fragment)
{
    PerpProblemFile *file = (PerpProblemFile *)&file;
    PerpError error = {0};
    PerpStatus found = perp_file_parse(NULL, text, strlen(text), "file.json", &file, &error);
    if (found != status || error.line != line || error.column != column ||
        !strstr(error.message, fragment))
        fail_msg("%s\n  gives %s %d:%d: %s\n  not   %s %d:%d: %s", text, perp_status_name(found),
                 error.line, error.column, error.message, perp_status_name(status), line, column,
                 fragment);
    assert_string_equal(error.file, "file.json");
    assert_null(file);
}

static void check_syntax(const char *text, int line, int column, const char *fragment)
{
    check_failure(text, PERP_BAD_SYNTAX, line, column, fragment);
}

static void test_lcp(void **state)
{
    (void)state;
    PerpProblemFile *file = parse("{\"M\": [[1, 2], [3, 4]], \"q\": [-5, 6e1], \"free\": 1}");
    assert_int_equal(perp_problem_file_kind(file), PERP_PROBLEM_FILE_LCP);
    assert_int_equal(perp_problem_file_format(file), PERP_PROBLEM_FILE_JSON);
    assert_null(perp_problem_file_step(file));
    assert_false(perp_problem_file_fclib(file)->present);
    const PerpLcp *p = perp_problem_file_lcp(file);
    const double M[] = {1, 3, 2, 4}, q[] = {-5, 60};
    assert_int_equal(p->n, 2);
    assert_int_equal(p->free, 1);
    assert_memory_equal(p->M, M, sizeof M);
    assert_memory_equal(p->q, q, sizeof q);
    perp_problem_file_destroy(file);
    perp_problem_file_destroy(NULL);
}

static void test_lcp_errors(void **state)
{
    (void)state;
    check_syntax("[1]", 1, 1, "expected an object");
    check_syntax("{}", 1, 1, "expected either");
    check_syntax("{\"q\": [1], \"bodies\": []}", 1, 1, "expected either");
    check_syntax("{\"M\": [[1]]}", 1, 1, "\"q\" is missing");
    check_syntax("{\"q\": [1]}", 1, 1, "\"M\" is missing");
    check_syntax("{\"M\": [[1]], \"q\": [1],\n\"fre\": 0}", 2, 1, "nearest known key is \"free\"");
    check_syntax("{\"M\": [[1]], \"q\": 1}", 1, 19, "q: expected a list");
    check_syntax("{\"M\": 1, \"q\": [1]}", 1, 7, "M: expected a list");
    check_syntax("{\"M\": [1], \"q\": [1]}", 1, 8, "row 1 of M: expected a list");
    check_syntax("{\"M\": [[x]], \"q\": [1]}", 1, 9, "row 1 of M: expected a number");
    check_failure("{\"M\": [], \"q\": []}", PERP_BAD_SIZE, 1, 16, "q has length 0");
    check_failure("{\"M\": [[1, 2],\n [3]],\n \"q\": [1, 2]}", PERP_BAD_SIZE, 2, 2,
                  "row 2 of M has length 1, expected 2");
    check_failure("{\"M\": [[1, 2],\n [3, 4, 5]],\n \"q\": [1, 2]}", PERP_BAD_SIZE, 2, 9,
                  "row 2 of M has length 3, expected 2");
    check_failure("{\"M\": [[1, 2]], \"q\": [1, 2]}", PERP_BAD_SIZE, 1, 7, "M has length 1");
    check_failure("{\"M\": [[1]], \"q\": [1e999]}", PERP_BAD_VALUE, 1, 20, "too large");
    check_failure("{\"M\": [[NaN]], \"q\": [1]}", PERP_BAD_VALUE, 1, 9, "NaN and infinity");
    check_failure("{\"M\": [[1]], \"q\": [1], \"free\": 2}", PERP_BAD_VALUE, 1, 32, "from 0 to 1");
    check_failure("{\"M\": [[1]], \"q\": [1], \"free\": -1}", PERP_BAD_VALUE, 1, 32, "from 0 to 1");
    check_failure("{\"M\": [[1]], \"q\": [1], \"free\": 0.5}", PERP_BAD_VALUE, 1, 32, "integer");
}

static void test_lcp_size_limit(void **state)
{
    (void)state;
    size_t size = 2 * (PERP_LCP_SIZE_LIMIT + 1) + 64;
    char *text = malloc(size), *end = text;
    assert_non_null(text);
    end += sprintf(end, "{\"M\": [], \"q\": [0");
    for (int k = 0; k < PERP_LCP_SIZE_LIMIT; k++)
        end += sprintf(end, ",0");
    strcpy(end, "]}");
    check_failure(text, PERP_BAD_SIZE, 1, 16, "expected 1 to 8192");
    free(text);
}

#define BODIES                                                                                     \
    "{\"bodies\": [{\"M\": [[4, 1], [0, 2]], \"b\": [1, 2]}, {\"M\": [3], \"b\": [-1]}],\n"

static const char step_problem[] =
    BODIES "\"joints\": [{\"on\": [1, 0], \"J\": [[7], [8, 9]], \"compliance\": 0.125}],\n"
           "\"boxes\": [{\"on\": [1], \"J\": [[1]], \"d\": 0.5, \"lo\": \"-inf\", \"hi\": 2}],\n"
           "\"contacts\": [{\"on\": [0], \"n\": [[0, 1]], \"d\": 3,\n"
           "  \"friction\": [{\"mu\": 0.5, \"T\": [[[1, 0]]], \"d\": [0.25]},\n"
           "                {\"mu\": 1, \"cohesion\": 2, \"on\": [1], \"D\": [[[5]], [[6]]]}]},\n"
           " {\"on\": [0, 1], \"n\": [[1, 0], [-1]],\n"
           "  \"friction\": [{\"mu\": 0, \"facets\": 4, \"d\": [1, 2],\n"
           "                 \"T\": [[[1, 2], [3]], [[4, 5], [6]]]}]}]}";

static void check_numbers(const double *found, const double *expected, int count)
{
    for (int k = 0; k < count; k++)
        if (found[k] != expected[k])
            fail_msg("number %d is %g, expected %g", k, found[k], expected[k]);
}

static void check_ints(const int *found, const int *expected, int count)
{
    for (int k = 0; k < count; k++)
        assert_int_equal(found[k], expected[k]);
}

static void test_step_problem(void **state)
{
    (void)state;
    PerpProblemFile *file = parse(step_problem);
    assert_int_equal(perp_problem_file_kind(file), PERP_PROBLEM_FILE_STEP);
    assert_null(perp_problem_file_lcp(file));
    const PerpProblem *p = perp_problem_file_step(file);
    assert_int_equal(p->n_bodies, 2);
    check_ints(p->body_start, (int[]){0, 2, 3}, 3);
    check_numbers(p->Mt, (double[]){4, 0, 1, 2, 3}, 5);
    check_numbers(p->b, (double[]){1, 2, -1}, 3);
    check_ints((int[]){p->n_joints, p->n_boxes, p->n_contacts, p->n_directions, p->n_groups},
               (int[]){1, 1, 2, 8, 3}, 5);
    check_ints(p->row_start, (int[]){0, 2, 3, 4, 6, 7, 8, 9, 10, 12, 14, 16, 18}, 13);
    check_ints(p->entry_body, (int[]){1, 0, 1, 0, 0, 1, 0, 0, 1, 1, 0, 1, 0, 1, 0, 1, 0, 1}, 18);
    check_numbers(p->J, (double[]){7, 8, 9, 1, 0, 1, 1, 0,  -1, 1,  0,  -1, 0, 5,
                                   6, 1, 2, 3, 4, 5, 6, -1, -2, -3, -4, -5, -6},
                  27);
    check_numbers(p->d, (double[]){0, 0.5, 3, 0, 0.25, -0.25, 0, 0, 1, 2, -1, -2}, 12);
    check_numbers(p->lo, (double[]){-INFINITY}, 1);
    check_numbers(p->hi, (double[]){2}, 1);
    check_ints(p->group_contact, (int[]){0, 0, 1}, 3);
    check_ints(p->group_start, (int[]){0, 2, 4, 8}, 4);
    check_numbers(p->mu, (double[]){0.5, 1, 0}, 3);
    check_numbers(p->cohesion, (double[]){0, 2, 0}, 3);
    check_numbers(p->compliance, (double[]){0.125, 0}, 2);
    perp_problem_file_destroy(file);
}

static void test_body_errors(void **state)
{
    (void)state;
    check_syntax("{\"bodies\": 1}", 1, 12, "bodies: expected a list");
    check_syntax("{\"bodies\": [1]}", 1, 13, "a body: expected an object");
    check_syntax("{\"bodies\": [{\"M\": [1]}]}", 1, 13, "\"b\" is missing");
    check_syntax("{\"bodies\": [{\"b\": [1]}]}", 1, 13, "\"M\" is missing");
    check_syntax("{\"bodies\": [{\"M\": [1], \"b\": [1], \"v\": 1}]}", 1, 34, "unknown key \"v\"");
    check_syntax("{\"bodies\": [{\"M\": 1, \"b\": [1]}]}", 1, 19, "M: expected a list");
    check_syntax("{\"bodies\": [], \"contact\": []}", 1, 16, "nearest known key is \"contacts\"");
    check_failure("{\"bodies\": [{\"M\": [], \"b\": []}]}", PERP_BAD_SIZE, 1, 19, "M is empty");
    check_failure("{\"bodies\": [{\"M\": [1], \"b\": [1, 2]}]}", PERP_BAD_SIZE, 1, 33,
                  "b has length");
    check_failure("{\"bodies\": [{\"M\": [[1, 2], [3]], \"b\": [1, 2]}]}", PERP_BAD_SIZE, 1, 28,
                  "a row of M has length 1, expected 2");
}

static void test_row_errors(void **state)
{
    (void)state;
    check_syntax(BODIES "\"joints\": 1}", 2, 11, "joints: expected a list");
    check_syntax(BODIES "\"joints\": [1]}", 2, 12, "a joint: expected an object");
    check_syntax(BODIES "\"joints\": [{\"J\": [[1]]}]}", 2, 12, "\"on\" is missing");
    check_syntax(BODIES "\"joints\": [{\"on\": [1]}]}", 2, 12, "\"J\" is missing");
    check_syntax(BODIES "\"joints\": [{\"n\": [1]}]}", 2, 13, "unknown key \"n\"");
    check_syntax(BODIES "\"joints\": [{\"on\": 1, \"J\": []}]}", 2, 19, "on: expected a list");
    check_syntax(BODIES "\"joints\": [{\"on\": [1], \"J\": [[1]], \"d\": []}]}", 2, 41,
                 "d: expected a number");
    check_failure(BODIES "\"joints\": [{\"on\": [2], \"J\": [[1]]}]}", PERP_BAD_VALUE, 2, 20,
                  "integer from 0 to 1");
    check_failure(BODIES "\"joints\": [{\"on\": [1, 1], \"J\": [[1], [1]]}]}", PERP_BAD_VALUE, 2,
                  19, "body 1 twice");
    check_failure(BODIES "\"joints\": [{\"on\": [0], \"J\": [[1]]}]}", PERP_BAD_SIZE, 2, 30,
                  "J has length 1, expected 2");
    check_failure(BODIES "\"joints\": [{\"on\": [0, 1], \"J\": [[1, 2]]}]}", PERP_BAD_SIZE, 2, 32,
                  "J has length 1, expected 2");
    check_syntax(BODIES "\"boxes\": [1]}", 2, 11, "a box: expected an object");
    check_syntax(BODIES "\"boxes\": [{\"mu\": 1}]}", 2, 12, "unknown key \"mu\"");
    check_syntax(BODIES "\"boxes\": [{\"on\": [1], \"J\": [[1]], \"hi\": 1}]}", 2, 11,
                 "\"lo\" is missing");
    check_syntax(BODIES "\"boxes\": [{\"on\": [1], \"J\": [[1]], \"lo\": 1}]}", 2, 11,
                 "\"hi\" is missing");
    check_syntax(BODIES "\"boxes\": [{\"on\": [1], \"J\": [[1]], \"lo\": \"x\", \"hi\": 1}]}", 2,
                 41, "expected a number, \"inf\" or \"-inf\"");
    check_failure(BODIES "\"boxes\": [{\"on\": [1], \"J\": [[1]], \"lo\": 1, \"hi\": inf}]}",
                  PERP_BAD_VALUE, 2, 50, "NaN and infinity");
    check_failure(BODIES "\"boxes\": [{\"on\": [1], \"J\": [[1]], \"lo\": 1, \"hi\": 0}]}",
                  PERP_BAD_VALUE, 2, 50, "less than lo");
    check_failure(BODIES
                  "\"boxes\": [{\"on\": [1], \"J\": [[1]], \"lo\": \"inf\", \"hi\": \"inf\"}]}",
                  PERP_BAD_VALUE, 2, 41, "lo is infinity");
    check_failure(BODIES
                  "\"boxes\": [{\"on\": [1], \"J\": [[1]], \"lo\": \"-inf\", \"hi\": \"-inf\"}]}",
                  PERP_BAD_VALUE, 2, 55, "hi is minus infinity");
    check_syntax(BODIES "\"contacts\": [1]}", 2, 14, "a contact: expected an object");
    check_syntax(BODIES "\"contacts\": [{\"on\": [1], \"J\": [[1]]}]}", 2, 26, "unknown key \"J\"");
}

#define CONTACT BODIES "\"contacts\": [{\"on\": [1], \"n\": [[1]], \"friction\":\n"

static void test_friction_errors(void **state)
{
    (void)state;
    check_syntax(CONTACT "1}]}", 3, 1, "friction: expected a list");
    check_syntax(CONTACT "[1]}]}", 3, 2, "a friction group: expected an object");
    check_syntax(CONTACT "[{\"nu\": 1}]}]}", 3, 3, "unknown key \"nu\"");
    check_syntax(CONTACT "[{\"D\": []}]}]}", 3, 2, "\"mu\" is missing");
    check_syntax(CONTACT "[{\"mu\": \"1\"}]}]}", 3, 9, "mu: expected a number");
    check_syntax(CONTACT "[{\"mu\": 1, \"cohesion\": []}]}]}", 3, 24,
                 "cohesion: expected a number");
    check_syntax(CONTACT "[{\"mu\": 1}]}]}", 3, 2, "expected either \"D\"");
    check_syntax(CONTACT "[{\"mu\": 1, \"D\": [], \"T\": []}]}]}", 3, 2, "expected either \"D\"");
    check_syntax(CONTACT "[{\"mu\": 1, \"D\": [], \"facets\": 8}]}]}", 3, 2, "expected either");
    check_syntax(CONTACT "[{\"mu\": 1, \"D\": 1}]}]}", 3, 17, "D: expected a list");
    check_syntax(CONTACT "[{\"mu\": 1, \"D\": [1]}]}]}", 3, 18,
                 "a direction of D: expected a list");
    check_syntax(CONTACT "[{\"mu\": 1, \"T\": 1}]}]}", 3, 17, "T: expected a list");
    check_syntax(CONTACT "[{\"mu\": 1, \"on\": 1, \"D\": []}]}]}", 3, 18, "on: expected a list");
    check_failure(CONTACT "[{\"mu\": -1}]}]}", PERP_BAD_VALUE, 3, 9, "mu is negative");
    check_failure(CONTACT "[{\"mu\": 1, \"cohesion\": -1}]}]}", PERP_BAD_VALUE, 3, 24,
                  "cohesion is negative");
    check_failure(CONTACT "[{\"mu\": 1, \"D\": []}]}]}", PERP_BAD_SIZE, 3, 17, "D is empty");
    check_failure(CONTACT "[{\"mu\": 1, \"T\": []}]}]}", PERP_BAD_SIZE, 3, 17, "expected 1 or 2");
    check_failure(CONTACT "[{\"mu\": 1, \"T\": [[[1]]], \"facets\": 8}]}]}", PERP_BAD_VALUE, 3, 36,
                  "facets with one tangent");
    check_failure(CONTACT "[{\"mu\": 1, \"T\": [[[1]], [[2]]], \"facets\": 5}]}]}", PERP_BAD_VALUE,
                  3, 43, "expected an even number");
    check_failure(CONTACT "[{\"mu\": 1, \"T\": [[[1]], [[2]]], \"facets\": 258}]}]}",
                  PERP_BAD_VALUE, 3, 43, "from 4 to 256");
    check_failure(CONTACT "[{\"mu\": 1, \"T\": [[[1]]], \"d\": [1, 2]}]}]}", PERP_BAD_SIZE, 3, 35,
                  "d has length 2, expected 1");
    check_failure(CONTACT "[{\"mu\": 1, \"D\": [[[1]]], \"d\": []}]}]}", PERP_BAD_SIZE, 3, 31,
                  "d has length 0, expected 1");
}

// 100 groups of 256 facets would make an LCP larger than the limit.
static void test_row_limit(void **state)
{
    (void)state;
    char text[16384] = CONTACT "[";
    for (int k = 0; k < 100; k++)
        strcat(text, k ? ",\n{\"mu\": 1, \"T\": [[[1]], [[2]]], \"facets\": 256}"
                       : "{\"mu\": 1, \"T\": [[[1]], [[2]]], \"facets\": 256}");
    strcat(text, "]}]}");
    check_failure(text, PERP_BAD_SIZE, 34, 16, "more than 8192 boxes, contacts");
}

static void test_problem_check_is_called(void **state)
{
    (void)state;
    check_failure("{\"bodies\": []}", PERP_BAD_SIZE, 1, 1, "at least one body");
}

static void test_files_that_cannot_be_read(void **state)
{
    (void)state;
    PerpProblemFile *file;
    PerpError error = {0};
    PerpProblemFileOptions options = perp_default_problem_file_options();
    options.facets = 7;
    assert_int_equal(perp_problem_file_read(NULL, path_of("none"), NULL, &file, &error),
                     PERP_NO_FILE);
    assert_non_null(strstr(error.message, "No such file"));
    assert_string_equal(error.file, path_of("none"));
    assert_null(file);
    assert_int_equal(perp_problem_file_read(NULL, folder, NULL, &file, &error), PERP_NO_FILE);
    assert_int_equal(perp_problem_file_read(NULL, "x", &options, &file, &error), PERP_BAD_VALUE);
    assert_int_equal(perp_problem_file_read(NULL, "/dev/zero", NULL, &file, NULL), PERP_BAD_SIZE);
}

static void check_same_lcp(const PerpLcp *a, const PerpLcp *b)
{
    size_t n = (size_t)a->n;
    assert_int_equal(a->n, b->n);
    assert_int_equal(a->free, b->free);
    assert_memory_equal(a->M, b->M, n * n * sizeof(double));
    assert_memory_equal(a->q, b->q, n * sizeof(double));
}

static void test_lcp_round_trip(void **state)
{
    (void)state;
    enum { N = 7 };
    double M[N * N], q[N];
    for (int k = 0; k < N * N; k++)
        M[k] = ldexp(sin(k + 1), 41 * k % 2000 - 1000);
    for (int k = 0; k < N; k++)
        q[k] = -1.0 / (k + 3);
    M[3] = -0.0;
    M[4] = 4.9406564584124654e-324;
    M[5] = 1.7976931348623157e308;
    PerpLcp p = {.n = N, .free = 2, .M = M, .q = q};
    PerpProblemFile *file;
    const char *path = path_of("lcp.json");
    assert_int_equal(perp_lcp_write(NULL, &p, path, NULL), PERP_OK);
    assert_int_equal(perp_problem_file_read(NULL, path, NULL, &file, NULL), PERP_OK);
    check_same_lcp(perp_problem_file_lcp(file), &p);
    assert_int_equal(perp_problem_file_write(file, path, PERP_PROBLEM_FILE_JSON, NULL), PERP_OK);
    perp_problem_file_destroy(file);
    assert_int_equal(perp_problem_file_read(NULL, path, NULL, &file, NULL), PERP_OK);
    check_same_lcp(perp_problem_file_lcp(file), &p);
    perp_problem_file_destroy(file);
    unlink(path);
}

#define CHECK_SAME(array, count)                                                                   \
    assert_memory_equal(a->array, b->array, (size_t)(count) * sizeof *a->array)

static void check_same_problem(const PerpProblem *a, const PerpProblem *b)
{
    assert_int_equal(a->n_bodies, b->n_bodies);
    assert_int_equal(a->n_joints, b->n_joints);
    assert_int_equal(a->n_boxes, b->n_boxes);
    assert_int_equal(a->n_contacts, b->n_contacts);
    assert_int_equal(a->n_directions, b->n_directions);
    assert_int_equal(a->n_groups, b->n_groups);
    int rows = perp_problem_rows(a), entries = a->row_start[rows], blocks = 0, J = 0;
    CHECK_SAME(body_start, a->n_bodies + 1);
    CHECK_SAME(row_start, rows + 1);
    CHECK_SAME(entry_body, entries);
    for (int k = 0; k < a->n_bodies; k++)
        blocks +=
            (a->body_start[k + 1] - a->body_start[k]) * (a->body_start[k + 1] - a->body_start[k]);
    for (int e = 0; e < entries; e++)
        J += a->body_start[a->entry_body[e] + 1] - a->body_start[a->entry_body[e]];
    CHECK_SAME(Mt, blocks);
    CHECK_SAME(b, perp_problem_velocities(a));
    CHECK_SAME(J, J);
    CHECK_SAME(d, rows);
    CHECK_SAME(lo, a->n_boxes);
    CHECK_SAME(hi, a->n_boxes);
    CHECK_SAME(group_contact, a->n_groups);
    CHECK_SAME(group_start, a->n_groups + 1);
    CHECK_SAME(mu, a->n_groups);
    CHECK_SAME(cohesion, a->n_groups);
    assert_int_equal(!a->compliance, !b->compliance);
    if (a->compliance)
        CHECK_SAME(compliance, rows);
}

static void test_step_problem_round_trip(void **state)
{
    (void)state;
    PerpProblemFile *file = parse(step_problem), *again;
    const char *path = path_of("step.json");
    assert_int_equal(perp_problem_file_write(file, path, PERP_PROBLEM_FILE_JSON, NULL), PERP_OK);
    assert_int_equal(perp_problem_file_read(NULL, path, NULL, &again, NULL), PERP_OK);
    check_same_problem(perp_problem_file_step(file), perp_problem_file_step(again));
    perp_problem_file_destroy(again);
    perp_problem_file_destroy(file);
    unlink(path);
}

static void test_layouts_that_json_cannot_hold(void **state)
{
    (void)state;
    PerpProblemFile *file = parse(step_problem);
    PerpProblem p = *perp_problem_file_step(file);
    PerpError error;
    int contacts[] = {1, 0, 1};
    p.group_contact = contacts;
    assert_int_equal(perp_problem_write(NULL, &p, path_of("x.json"), &error), PERP_NOT_SUPPORTED);
    assert_non_null(strstr(error.message, "order of their contacts"));
    p.group_contact = perp_problem_file_step(file)->group_contact;
    int starts[] = {0, 3, 4, 8};
    p.group_start = starts;
    assert_int_equal(perp_problem_write(NULL, &p, path_of("x.json"), &error), PERP_NOT_SUPPORTED);
    assert_non_null(strstr(error.message, "same bodies"));
    assert_int_not_equal(access(path_of("x.json"), F_OK), 0);
    assert_int_equal(
        perp_problem_file_write(file, path_of("x.h5"), PERP_PROBLEM_FILE_FCLIB, &error),
        PERP_NOT_SUPPORTED);
    perp_problem_file_destroy(file);
}

static void test_files_that_cannot_be_written(void **state)
{
    (void)state;
    PerpProblemFile *file = parse("{\"M\": [[1]], \"q\": [1]}");
    PerpError error;
    char longest[PERP_PATH_SIZE + 8];
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    assert_int_equal(perp_problem_file_write(file, "/none/x.json", PERP_PROBLEM_FILE_JSON, &error),
                     PERP_NO_FILE);
    assert_string_equal(error.file, "/none/x.json");
    assert_int_equal(perp_problem_file_write(file, folder, PERP_PROBLEM_FILE_JSON, &error),
                     PERP_NO_FILE);
    assert_non_null(strstr(error.message, "not a regular file"));
    assert_int_equal(perp_problem_file_write(file, "/dev/null", PERP_PROBLEM_FILE_JSON, &error),
                     PERP_NO_FILE);
    assert_int_equal(perp_problem_file_write(file, longest, PERP_PROBLEM_FILE_JSON, &error),
                     PERP_NO_FILE);
    longest[PERP_PATH_SIZE - 1] = '\0';
    assert_int_equal(perp_problem_file_write(file, longest, PERP_PROBLEM_FILE_JSON, &error),
                     PERP_NO_FILE);
    perp_problem_file_destroy(file);
}

// A limit on file sizes stands for a full disk. Neither the file nor a part of it is left.
static void test_full_disk(void **state)
{
    (void)state;
    PerpProblemFile *file = parse(step_problem);
    PerpError error = {0};
    struct rlimit before, tiny;
    getrlimit(RLIMIT_FSIZE, &before);
    tiny = before;
    tiny.rlim_cur = 16;
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &tiny);
    PerpStatus status =
        perp_problem_file_write(file, path_of("full.json"), PERP_PROBLEM_FILE_JSON, &error);
    setrlimit(RLIMIT_FSIZE, &before);
    signal(SIGXFSZ, SIG_DFL);
    assert_int_equal(status, PERP_NO_FILE);
    assert_non_null(strstr(error.message, "File too large"));
    perp_problem_file_destroy(file); // that the folder is empty is checked when it is removed
}

// The caller's locale may write 1,5 for 1.5; files do not. Skipped where no such locale exists.
static void test_decimal_comma(void **state)
{
    (void)state;
    if (!setlocale(LC_ALL, "de_DE.UTF-8") && !setlocale(LC_ALL, "fr_FR.UTF-8"))
        skip();
    PerpProblemFile *file = parse("{\"M\": [[1.5]], \"q\": [-0.25]}");
    assert_true(perp_problem_file_lcp(file)->M[0] == 1.5);
    const char *path = path_of("comma.json");
    assert_int_equal(perp_problem_file_write(file, path, PERP_PROBLEM_FILE_JSON, NULL), PERP_OK);
    perp_problem_file_destroy(file);
    assert_int_equal(perp_problem_file_read(NULL, path, NULL, &file, NULL), PERP_OK);
    assert_true(perp_problem_file_lcp(file)->q[0] == -0.25);
    perp_problem_file_destroy(file);
    unlink(path);
    setlocale(LC_ALL, "C");
}

static void sweep_allocations(const char *text)
{
    PerpStatus status = PERP_NO_MEMORY;
    for (int k = 1; status == PERP_NO_MEMORY; k++) {
        PerpFailingAllocator memory = {.fail_at = k};
        PerpContext context = perp_failing_context(&memory);
        PerpError error = {0};
        PerpProblemFile *file;
        status = perp_file_parse(&context, text, strlen(text), "file.json", &file, &error);
        assert_int_equal(error.status, status);
        if (status)
            assert_string_equal(error.file, "file.json");
        perp_problem_file_destroy(file);
        assert_int_equal(memory.live, 0);
    }
    assert_int_equal(status, PERP_OK);
}

static void test_allocation_failures(void **state)
{
    (void)state;
    sweep_allocations(step_problem);
    sweep_allocations("{\"M\": [[1]], \"q\": [1]}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lcp),
        cmocka_unit_test(test_lcp_errors),
        cmocka_unit_test(test_lcp_size_limit),
        cmocka_unit_test(test_step_problem),
        cmocka_unit_test(test_body_errors),
        cmocka_unit_test(test_row_errors),
        cmocka_unit_test(test_friction_errors),
        cmocka_unit_test(test_row_limit),
        cmocka_unit_test(test_problem_check_is_called),
        cmocka_unit_test(test_files_that_cannot_be_read),
        cmocka_unit_test(test_lcp_round_trip),
        cmocka_unit_test(test_step_problem_round_trip),
        cmocka_unit_test(test_layouts_that_json_cannot_hold),
        cmocka_unit_test(test_files_that_cannot_be_written),
        cmocka_unit_test(test_full_disk),
        cmocka_unit_test(test_decimal_comma),
        cmocka_unit_test(test_allocation_failures),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
