// The reduction to an LCP on problems worked out by hand.
#include "problem/reduce.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "generate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Reduced {
    PerpArena arena;
    PerpProblem problem;
    PerpReduction red;
} Reduced;

static PerpStatus reduce(Reduced *r, PerpSample *s, PerpError *error)
{
    PerpContext context = perp_default_context();
    perp_arena_init(&r->arena, &context.allocator);
    r->problem = perp_sample_problem(s);
    return perp_reduce(&r->arena, &r->problem, &r->red, error);
}

static void discard(Reduced *r, PerpSample *s)
{
    perp_arena_free(&r->arena);
    perp_sample_free(s);
}

// by rows, as on the blackboard
static void assert_lcp(const PerpReduction *red, int n, const double *M, const double *q)
{
    assert_int_equal(red->n, n);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++)
            assert_true(fabs(red->M[i + n * j] - M[j + n * i]) <= 1e-14);
        assert_true(fabs(red->q[i] - q[i]) <= 1e-14);
    }
}

// a point of mass m in the plane x, y, with momentum b
static PerpSample *point_mass(double m, double b_x, double b_y, int *body)
{
    PerpSample *s = perp_sample_create();
    *body = perp_sample_add_body(s, 2, (double[]){m, 0, 0, m}, (double[]){b_x, b_y});
    return s;
}

// n = (0, 1), D = (1, 0), (-1, 0), mass 2
static void block_on_the_ground(void **state)
{
    (void)state;
    int body;
    PerpSample *s = point_mass(2, 6, -4, &body);
    Reduced r;
    int contact = perp_sample_add_contact(s, (PerpSampleRow){1, &body, (double[]){0, 1}, 0.25});
    perp_sample_add_group(s, contact, 0.5, 0.125);
    perp_sample_add_direction(s, (PerpSampleRow){1, &body, (double[]){1, 0}, 0});
    perp_sample_add_direction(s, (PerpSampleRow){1, &body, (double[]){-1, 0}, 0});
    assert_int_equal(reduce(&r, s, NULL), PERP_OK);
    const double M[16] = {0.5, 0, 0, 0, 0, 0.5, -0.5, 1, 0, -0.5, 0.5, 1, 0.5, -1, -1, 0};
    assert_lcp(&r.red, 4, M, (double[]){-1.75, 3, -3, 0.125});
    discard(&r, s);
}

// The four kinds of boxes along x: [1, inf), (-inf, 2], [-1, 3], [5, 5], and a free one along y.
static void boxes_of_every_kind(void **state)
{
    (void)state;
    int body;
    PerpSample *s = point_mass(1, 10, 4, &body);
    Reduced r;
    const double x[2] = {1, 0}, y[2] = {0, 1};
    perp_sample_add_box(s, (PerpSampleRow){1, &body, x, 0.5}, 1, INFINITY);
    perp_sample_add_box(s, (PerpSampleRow){1, &body, x, 0}, -INFINITY, 2);
    perp_sample_add_box(s, (PerpSampleRow){1, &body, x, 0}, -1, 3);
    perp_sample_add_box(s, (PerpSampleRow){1, &body, x, 0}, 5, 5);
    perp_sample_add_box(s, (PerpSampleRow){1, &body, y, 0}, -INFINITY, INFINITY);
    assert_int_equal(reduce(&r, s, NULL), PERP_OK);
    // the base impulses 1 + 2 - 1 + 5 give v_x = 17
    const double base[5] = {1, 2, -1, 5, 0};
    assert_int_equal(r.red.equations, 1);
    assert_int_equal(r.red.equation_row[0], 4);
    assert_memory_equal(r.red.base, base, sizeof base);
    const double M[16] = {1, -1, 1, 0, -1, 1, -1, 0, 1, -1, 1, 1, 0, 0, -1, 0};
    assert_lcp(&r.red, 4, M, (double[]){17.5, -17, 17, 4});
    discard(&r, s);
}

// two unit masses on a line, joined: one of mass 2
static void joint_adds_masses(void **state)
{
    (void)state;
    PerpSample *s = perp_sample_create();
    Reduced r;
    const double one = 1, push[2] = {-3, 1};
    int bodies[2] = {perp_sample_add_body(s, 1, &one, &push[0]),
                     perp_sample_add_body(s, 1, &one, &push[1])};
    perp_sample_add_joint(s, (PerpSampleRow){2, bodies, (double[]){1, -1}, 0});
    perp_sample_add_joint(s, (PerpSampleRow){2, bodies, (double[]){-2, 2}, 0});
    perp_sample_add_contact(s, (PerpSampleRow){1, bodies, &one, 0});
    assert_int_equal(reduce(&r, s, NULL), PERP_OK);
    assert_int_equal(r.red.equations, 1);
    assert_lcp(&r.red, 1, (double[]){0.5}, (double[]){-1});
    discard(&r, s);
}

// a contact against the joint's own direction can neither move nor be moved
static void locked_contact_has_a_row_of_zeros(void **state)
{
    (void)state;
    int body;
    PerpSample *s = point_mass(3, 1, -1, &body);
    Reduced r;
    const double slanted[2] = {0.6, 0.8}, other[2] = {1.2, 1.6}, up[2] = {-0.8, 0.6};
    perp_sample_add_joint(s, (PerpSampleRow){1, &body, slanted, 0});
    perp_sample_add_contact(s, (PerpSampleRow){1, &body, other, 0});
    perp_sample_add_contact(s, (PerpSampleRow){1, &body, up, 0});
    assert_int_equal(reduce(&r, s, NULL), PERP_OK);
    assert_int_equal(r.red.n, 2);
    assert_true(r.red.M[0] == 0 && r.red.M[1] == 0 && r.red.M[2] == 0 && r.red.q[0] == 0);
    assert_true(fabs(r.red.M[3] - 1.0 / 3) <= 1e-15 && fabs(r.red.q[1] + 1.4 / 3) <= 1e-15);
    discard(&r, s);
}

// a joint that asks for a velocity gives the locked contact one
static void locked_contact_keeps_its_velocity(void **state)
{
    (void)state;
    int body;
    PerpSample *s = point_mass(3, 1, -1, &body);
    Reduced r;
    perp_sample_add_joint(s, (PerpSampleRow){1, &body, (double[]){0.6, 0.8}, -1});
    perp_sample_add_contact(s, (PerpSampleRow){1, &body, (double[]){1.2, 1.6}, 0});
    assert_int_equal(reduce(&r, s, NULL), PERP_OK);
    assert_true(r.red.M[0] == 0 && fabs(r.red.q[0] - 2) <= 1e-14);
    discard(&r, s);
}

// w_range = hi - lo - z, w_group = mu z_n + cohesion - sum z, and the multipliers
static void slack_is_what_is_no_velocity(void **state)
{
    (void)state;
    int body;
    PerpSample *s = point_mass(1, 0, 0, &body);
    Reduced r;
    const double x[2] = {1, 0}, y[2] = {0, 1};
    perp_sample_add_box(s, (PerpSampleRow){1, &body, x, 0}, -1, 3);
    int contact = perp_sample_add_contact(s, (PerpSampleRow){1, &body, y, 0});
    perp_sample_add_group(s, contact, 0.5, 0.25);
    perp_sample_add_direction(s, (PerpSampleRow){1, &body, x, 0});
    assert_int_equal(reduce(&r, s, NULL), PERP_OK);
    // z: box, contact, direction; the range's multiplier, the slip speed
    const double z[5] = {1.5, 4, 0.75, 7, 9}, expected[5] = {7, 0, 9, 2.5, 1.5};
    double w[5];
    perp_reduction_slack(&r.red, z, w);
    assert_memory_equal(w, expected, sizeof w);
    discard(&r, s);
}

// falling and rising cancel to the last bit but one: the row does not move
static void rounding_is_not_taken_for_velocity(void **state)
{
    (void)state;
    int body;
    PerpSample *s = point_mass(1, 0.1 + 0.2, -0.3, &body);
    Reduced r;
    perp_sample_add_contact(s, (PerpSampleRow){1, &body, (double[]){1, 1}, 0});
    assert_true(0.1 + 0.2 - 0.3 != 0);
    assert_int_equal(reduce(&r, s, NULL), PERP_OK);
    assert_true(r.red.q[0] == 0);
    discard(&r, s);
}

static void bad_masses_are_named(void **state)
{
    (void)state;
    const double blocks[3][4] = {{1, 0, 0, -1}, {0, 0, 0, 0}, {1, 2, 2, 1}};
    for (int k = 0; k < 3; k++) {
        PerpSample *s = perp_sample_create();
        PerpError error;
        Reduced r;
        perp_sample_add_body(s, 2, (double[]){1, 0, 0, 1}, (double[]){0, 0});
        perp_sample_add_body(s, 2, blocks[k], (double[]){0, 0});
        assert_int_equal(reduce(&r, s, &error), PERP_BAD_MASS);
        assert_string_equal(error.message, "the mass block of body 1 is not positive definite");
        discard(&r, s);
    }
}

static void assert_too_many(bool joints, const char *message)
{
    int body;
    PerpSample *s = point_mass(1, 0, 0, &body);
    PerpError error;
    Reduced r;
    for (int k = 0; k <= PERP_LCP_SIZE_LIMIT; k++) {
        PerpSampleRow row = {1, &body, (double[]){0, 1}, 0};
        if (joints)
            perp_sample_add_joint(s, row);
        else
            perp_sample_add_contact(s, row);
    }
    assert_int_equal(reduce(&r, s, &error), PERP_BAD_SIZE);
    assert_string_equal(error.message, message);
    discard(&r, s);
}

static void too_many_rows_are_refused(void **state)
{
    (void)state;
    assert_too_many(false, "8193 complementary pairs and 0 equations: the limit is 8192 each; "
                           "circular friction cones have none");
    assert_too_many(true, "0 complementary pairs and 8193 equations: the limit is 8192 each; "
                          "circular friction cones have none");
}

// G - G_HI G_II^-1 G_IH by dense algebra: W = J Mt^-1 J' of the rows, with c_I from y_I = 0
static void random_reductions_agree_with_the_equations(void **state)
{
    (void)state;
    for (int seed = 0; seed < 60; seed++) {
        PerpSceneOptions o = perp_default_scene_options();
        o.contacts = 1 + seed % 6;
        o.bodies = 1 + seed % 3;
        o.balls = seed % 2;
        o.asymmetry = seed % 3 ? 0.2 : 0;
        PerpSample *s = perp_sample_scene((uint64_t)seed, &o);
        PerpRandom random = perp_random((uint64_t)seed);
        Reduced r;
        assert_int_equal(reduce(&r, s, NULL), PERP_OK);
        const PerpReduction *red = &r.red;
        int n_v = perp_problem_velocities(&r.problem), m = red->equations, h = red->impulses;
        double *c = calloc((size_t)red->J.n_rows, sizeof *c);
        double *v = calloc((size_t)n_v, sizeof *v);
        for (int j = 0; j < h; j++)
            c[red->impulse_row[j]] = perp_random_uniform(&random, 0, 1);
        // c_I = -G_II^-1 (g_I + G_IH c_H) is what Y says, up to the constant part: compare
        // differences, M c = S c
        for (int k = 0; k < m; k++)
            for (int j = 0; j < h; j++)
                c[red->equation_row[k]] -= red->Y[k + m * j] * c[red->impulse_row[j]];
        perp_block_rows_add_impulse(&red->J, c, v);
        perp_block_diagonal_solve(&red->Mt, v);
        for (int k = 0; k < m; k++)
            assert_true(fabs(perp_block_rows_dot(&red->J, red->equation_row[k], v)) <= 1e-12);
        for (int i = 0; i < h; i++) {
            double product = 0;
            for (int j = 0; j < h; j++)
                product += red->M[i + red->n * j] * c[red->impulse_row[j]];
            double y = perp_block_rows_dot(&red->J, red->impulse_row[i], v);
            assert_true(fabs(product - y) <= 1e-11 * (1 + fabs(y)));
        }
        free(c);
        free(v);
        discard(&r, s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(block_on_the_ground),
        cmocka_unit_test(boxes_of_every_kind),
        cmocka_unit_test(joint_adds_masses),
        cmocka_unit_test(locked_contact_has_a_row_of_zeros),
        cmocka_unit_test(locked_contact_keeps_its_velocity),
        cmocka_unit_test(slack_is_what_is_no_velocity),
        cmocka_unit_test(rounding_is_not_taken_for_velocity),
        cmocka_unit_test(bad_masses_are_named),
        cmocka_unit_test(too_many_rows_are_refused),
        cmocka_unit_test(random_reductions_agree_with_the_equations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
