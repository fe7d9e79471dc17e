// The equations' matrix: which rows are independent, and whose factors are used.
#include "problem/gram.h"

#include "problem/reduce.h"
#include "solving.h"

#include "frame.h"
#include "generate.h"

#include <math.h>
#include <string.h>

typedef struct Fixture {
    PerpArena arena;
    PerpSample *sample;
    PerpProblem problem;
    PerpReduction red;
} Fixture;

static void set_up(Fixture *f, PerpSample *sample)
{
    PerpContext context = perp_default_context();
    perp_arena_init(&f->arena, &context.allocator);
    f->sample = sample;
    f->problem = perp_sample_problem(sample);
    assert_int_equal(perp_reduce(&f->arena, &f->problem, &f->red, NULL), PERP_OK);
}

static void tear_down(Fixture *f)
{
    perp_arena_free(&f->arena);
    perp_sample_free(f->sample);
}

// The same equations by QR and LU.
static PerpGram dense_gram(Fixture *f)
{
    PerpGram dense = f->red.gram;
    int all = dense.ldl.n;
    dense.row = PERP_TAKE(&f->arena, int, all);
    memcpy(dense.row, f->red.gram.row, (size_t)all * sizeof(int));
    dense.n = all;
    assert_true(perp_gram_factor_dense(&f->arena, &dense));
    return dense;
}

// v = Mt^-1 J_I' G_II^-1 J_I v_0, the same for every maximal independent set
static void project(Fixture *f, const PerpGram *gram, const double *v_0, double *v)
{
    double *x = PERP_TAKE(&f->arena, double, gram->n);
    for (int k = 0; k < gram->n; k++)
        x[k] = perp_block_rows_dot(&gram->J, gram->row[k], v_0);
    perp_gram_solve(gram, 1, x);
    for (int k = 0; k < gram->n; k++)
        perp_block_rows_add_row(&gram->J, gram->row[k], x[k], v);
    perp_block_diagonal_solve(&gram->Mt, v);
}

static void assert_same_projection(Fixture *f, const PerpGram *a, const PerpGram *b)
{
    int n_v = perp_problem_velocities(&f->problem);
    PerpRandom random = perp_random(1);
    double *v_0 = PERP_TAKE(&f->arena, double, n_v);
    double *v_a = PERP_TAKE(&f->arena, double, n_v), *v_b = PERP_TAKE(&f->arena, double, n_v);
    for (int i = 0; i < n_v; i++)
        v_0[i] = perp_random_normal(&random);
    project(f, a, v_0, v_a);
    project(f, b, v_0, v_b);
    for (int i = 0; i < n_v; i++)
        assert_true(fabs(v_a[i] - v_b[i]) <= 1e-8 * (1 + fabs(v_b[i])));
}

static void assert_sparse_like_dense(PerpSample *sample)
{
    Fixture f;
    set_up(&f, sample);
    assert_true(f.red.gram.sparse);
    PerpGram dense = dense_gram(&f);
    assert_int_equal(f.red.gram.n, dense.n);
    assert_same_projection(&f, &f.red.gram, &dense);
    tear_down(&f);
}

static void redundant_scenes_have_the_rank_of_qr(void **state)
{
    (void)state;
    for (int seed = 0; seed < 300; seed++) {
        PerpSceneOptions o = perp_default_scene_options();
        o.contacts = 2;
        o.bodies = 2 + seed % 7;
        o.balls = 1 + seed % 4;
        o.hinges = seed % 5;
        o.redundant = seed % 6;
        o.integer = seed % 11 == 0;
        assert_sparse_like_dense(perp_sample_scene((uint64_t)seed, &o));
    }
}

static void rings_have_the_rank_of_qr(void **state)
{
    (void)state;
    for (int bodies = 3; bodies < 60; bodies++)
        assert_sparse_like_dense(perp_sample_ring(bodies, 0.5, 4));
}

static void asymmetric_masses_are_dense(void **state)
{
    (void)state;
    PerpSceneOptions o = perp_default_scene_options();
    o.hinges = 1;
    o.asymmetry = 0.1;
    Fixture f;
    set_up(&f, perp_sample_scene(1, &o));
    assert_true(!f.red.gram.sparse && f.red.gram.n == 5);
    tear_down(&f);
}

// x and x + epsilon y: the pivot epsilon^2 is lost in rounding, the distance epsilon is not
static void nearly_dependent_rows_go_to_qr(void **state)
{
    (void)state;
    const double epsilon[] = {1e-3, 1e-5, 3e-8, 1e-11};
    const bool sparse[] = {true, true, false, true};
    const int rank[] = {2, 2, 2, 1};
    for (int k = 0; k < 4; k++) {
        PerpSample *s = perp_sample_create();
        int body = perp_sample_add_body(s, 2, (double[]){1, 0, 0, 1}, (double[]){1, 2});
        perp_sample_add_joint(s, (PerpSampleRow){1, &body, (double[]){1, 0}, 0});
        perp_sample_add_joint(s, (PerpSampleRow){1, &body, (double[]){1, epsilon[k]}, 0});
        Fixture f;
        set_up(&f, s);
        assert_int_equal(f.red.gram.sparse, sparse[k]);
        assert_int_equal(f.red.gram.n, rank[k]);
        tear_down(&f);
    }
}

// A chain of links of length 2 that hang from the ground, each turned against the one before.
static PerpSample *chain(int links, bool hinges)
{
    PerpSample *s = perp_sample_create();
    double direction[2][3] = {{0}};
    for (int k = 0; k < links; k++) {
        double Mt[36] = {0}, b[6] = {0, 0, -0.01, 0, 0.001, 0};
        for (int i = 0; i < 6; i++)
            Mt[7 * i] = i < 3 ? 1 : 0.4;
        perp_sample_add_body(s, 6, Mt, b);
        memcpy(direction[1], direction[0], sizeof direction[0]);
        direction[0][0] = sin(0.7 * k);
        direction[0][2] = -cos(0.7 * k);
        PerpFrame f = {.n_entries = k > 0 ? 2 : 1, .body = {k, k - 1}, .normal = {0, 1, 0}};
        for (int i = 0; i < 3; i++) {
            f.arm[0][i] = -direction[0][i];
            f.arm[1][i] = direction[1][i];
        }
        perp_frame_tangents(&f);
        if (hinges)
            perp_frame_add_hinge(s, &f);
        else
            perp_frame_add_ball(s, &f);
    }
    return s;
}

// as many numbers in L a link, however long the chain
static void long_chains_stay_sparse(void **state)
{
    const int links[] = {10, 100, 1000};
    for (int hinges = 0; hinges < 2; hinges++)
        for (int k = 0; k < 3; k++) {
            Fixture f;
            set_up(&f, chain(links[k], hinges));
            int rows = hinges ? 5 : 3;
            assert_true(f.red.gram.sparse);
            assert_int_equal(f.red.gram.n, rows * links[k]);
            assert_true(f.red.gram.ldl.start[rows * links[k]] <= 2 * rows * rows * links[k]);
            PerpProblemResult result = solve_problem(*state, &f.problem, NULL);
            assert_true(result.certificate.worst <= 1e-14);
            tear_down(&f);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(redundant_scenes_have_the_rank_of_qr),
        cmocka_unit_test(rings_have_the_rank_of_qr),
        cmocka_unit_test(asymmetric_masses_are_dense),
        cmocka_unit_test(nearly_dependent_rows_go_to_qr),
        cmocka_unit_test(long_chains_stay_sparse),
    };
    return cmocka_run_group_tests(tests, create_solver, destroy_solver);
}
