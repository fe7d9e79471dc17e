// The step problem as one mixed LCP: by hand, and by the solutions of the step problem.
#include "problem/kkt.h"

#include "solving.h"

#include "generate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Whole {
    PerpArena arena;
    PerpReduction red;
    PerpLcp lcp;
} Whole;

static void fill_whole(Whole *w, const PerpProblem *p)
{
    PerpContext context = perp_default_context();
    perp_arena_init(&w->arena, &context.allocator);
    assert_int_equal(perp_reduce(&w->arena, p, &w->red, NULL), PERP_OK);
    int free = perp_kkt_free(&w->red), n = free + w->red.n;
    double *M = PERP_TAKE(&w->arena, double, n *n), *q = PERP_TAKE(&w->arena, double, n);
    perp_kkt_fill(&w->red, M, q);
    w->lcp = (PerpLcp){.n = n, .free = free, .M = M, .q = q};
}

// A point of mass 2 in the plane with a joint along x, a box c <= 3 along y, a box in [-1, 4] along
// x + y, and a contact along y with one friction direction along x.
static PerpSample *create_example(void)
{
    PerpSample *s = perp_sample_create();
    int body = perp_sample_add_body(s, 2, (double[]){2, 0, 0, 2}, (double[]){5, 6});
    const double x[2] = {1, 0}, y[2] = {0, 1}, both[2] = {1, 1};
    perp_sample_add_joint(s, (PerpSampleRow){1, &body, x, 0.5});
    perp_sample_add_box(s, (PerpSampleRow){1, &body, y, 0.25}, -INFINITY, 3);
    perp_sample_add_box(s, (PerpSampleRow){1, &body, both, 0}, -1, 4);
    int contact = perp_sample_add_contact(s, (PerpSampleRow){1, &body, y, 0.125});
    perp_sample_add_group(s, contact, 0.5, 0.75);
    perp_sample_add_direction(s, (PerpSampleRow){1, &body, x, 0});
    return s;
}

// unknowns: v_x, v_y; c of the joint; z of the upper box, the range, the contact, the direction;
// the range's multiplier, the slip speed
static void example_by_hand(void **state)
{
    (void)state;
    static const double rows[9][10] = {
        {2, 0, -1, 0, -1, 0, -1, 0, 0, -(5 - 1)}, {0, 2, 0, 1, -1, -1, 0, 0, 0, -(6 + 3 - 1)},
        {1, 0, 0, 0, 0, 0, 0, 0, 0, 0.5},         {0, -1, 0, 0, 0, 0, 0, 0, 0, -0.25},
        {1, 1, 0, 0, 0, 0, 0, 1, 0, 0},           {0, 1, 0, 0, 0, 0, 0, 0, 0, 0.125},
        {1, 0, 0, 0, 0, 0, 0, 0, 1, 0},           {0, 0, 0, 0, -1, 0, 0, 0, 0, 5},
        {0, 0, 0, 0, 0, 0.5, -1, 0, 0, 0.75},
    };
    PerpSample *s = create_example();
    PerpProblem p = perp_sample_problem(s);
    Whole w;
    fill_whole(&w, &p);
    assert_int_equal(w.lcp.n, 9);
    assert_int_equal(w.lcp.free, 3);
    for (int i = 0; i < 9; i++) {
        for (int j = 0; j < 9; j++)
            assert_true(w.lcp.M[i + 9 * j] == rows[i][j]);
        assert_true(w.lcp.q[i] == rows[i][9]);
    }
    perp_arena_free(&w.arena);
    perp_sample_free(s);
}

// the unknowns of the whole problem from a solution of the step problem
static void gather(const Whole *w, const PerpProblemResult *result, double *z)
{
    const PerpReduction *red = &w->red;
    int n_v = perp_problem_velocities(red->problem), f = perp_kkt_free(red);
    memcpy(z, result->v, (size_t)n_v * sizeof(double));
    for (int k = 0; k < red->equations; k++)
        z[n_v + k] = result->c[red->equation_row[k]];
    for (int j = 0; j < red->impulses; j++) {
        int row = red->impulse_row[j];
        z[f + j] = red->sign[j] * (result->c[row] - red->base[row]);
    }
    for (int k = 0; k < red->ranges; k++) { // the multiplier is what y has below zero
        int row = red->impulse_row[red->range_impulse[k]];
        double y = red->problem->d[row] + perp_block_rows_dot(&red->J, row, result->v);
        z[f + red->impulses + k] = fmax(-y, 0);
    }
    for (int g = 0; g < red->problem->n_groups; g++)
        z[f + red->impulses + red->ranges + g] = result->lambda[g];
}

// Every equation and every slack of the whole problem, by its own terms.
static void solutions_of_the_step_solve_the_whole(void **state)
{
    for (int seed = 0; seed < 200; seed++) {
        PerpRandom random = perp_random((uint64_t)seed);
        PerpSceneOptions o = perp_random_scene_options(&random, 6);
        o.mass_ratio = 1; // an LCP does not know what a body is, and judges all by one measure
        PerpSample *s = perp_sample_scene((uint64_t)seed, &o);
        PerpProblem p = perp_sample_problem(s);
        PerpProblemResult result = solve_problem(*state, &p, NULL);
        Whole w;
        fill_whole(&w, &p);
        // dependent joints are not among the unknowns: only without them is the answer unique
        if (w.red.equations == p.n_joints) {
            double *z = calloc((size_t)w.lcp.n, sizeof *z);
            PerpLcpCertificate certificate;
            gather(&w, &result, z);
            perp_lcp_certify(&w.lcp, z, NULL, &certificate);
            assert_true(certificate.worst <= 1e-8);
            free(z);
        }
        perp_arena_free(&w.arena);
        perp_sample_free(s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(example_by_hand),
        cmocka_unit_test(solutions_of_the_step_solve_the_whole),
    };
    return cmocka_run_group_tests(tests, create_solver, destroy_solver);
}
