// Joints eliminated in tree order, against dense elimination; and Newton's method on what is left.
#include "cones/cone.h"
#include "cones/methods/methods.h"
#include "cones/operator/delassus.h"
#include "cones/operator/joint_tree.h"
#include "cones/operator/over_bodies.h"
#include "math/small_solve.h"
#include "solving.h"

#include "generate.h"

#include <math.h>
#include <string.h>

enum { SCENES = 60, MOST = 160 }; // numbers of a problem's constraints, at most

typedef struct Setup {
    PerpSample *sample;
    PerpProblem problem;
    PerpArena arena;
    PerpConeProblem cones;
    PerpJointTree tree;
} Setup;

static void begin(PerpSample *sample, Setup *setup)
{
    PerpContext context = perp_default_context();
    setup->sample = sample;
    setup->problem = perp_sample_problem(sample);
    perp_arena_init(&setup->arena, &context.allocator);
    assert_true(perp_cones_build(&setup->arena, NULL, &setup->problem, &setup->cones));
    assert_true(perp_delassus_analyse(&setup->cones));
    assert_true(perp_joint_tree_build(&setup->arena, &setup->cones, &setup->tree));
    assert_true(3 * setup->cones.n_constraints <= MOST);
}

static void end(Setup *setup)
{
    perp_arena_free(&setup->arena);
    perp_sample_free(setup->sample);
}

static void find_speeds(Setup *setup, const PerpConeProblem *cones, const double *r, double *u)
{
    double *v = PERP_TAKE(&setup->arena, double, cones->n_state);
    perp_delassus_velocity(cones, r, v);
    perp_delassus_speeds(cones, v, u);
}

// --- dense elimination --------------------------------------------------------------------------

// Is the number i of the whole problem a row of a joint of the tree?
static bool is_gone(const Setup *setup, int i)
{
    const PerpConstraint *constraint = &setup->cones.constraint[i / 3];
    for (int l = 0; l < setup->tree.n_left; l++)
        if (setup->tree.left[l] == i / 3)
            return false;
    return constraint->row[i % 3] >= 0;
}

// u of the whole problem at r = 0, and W, column by column.
static void measure(Setup *setup, double *u_0, double *W)
{
    int n = 3 * setup->cones.n_constraints;
    double r[MOST] = {0}, u[MOST];
    find_speeds(setup, &setup->cones, r, u_0);
    for (int j = 0; j < n; j++) {
        r[j] = 1;
        find_speeds(setup, &setup->cones, r, u);
        r[j] = 0;
        for (int i = 0; i < n; i++)
            W[i * n + j] = u[i] - u_0[i];
    }
}

// The impulses of the joints that are gone at those of the others, by Gauss's elimination: r_E with
// W_EE r_E = -(u_0 + W r)_E.
static void eliminate_densely(Setup *setup, const double *u_0, const double *W, double *r)
{
    int n = 3 * setup->cones.n_constraints, m = 0, row[MOST];
    double *A = PERP_TAKE(&setup->arena, double, MOST *MOST), right[MOST];
    for (int i = 0; i < n; i++)
        if (is_gone(setup, i))
            row[m++] = i;
    for (int i = 0; i < m; i++) {
        right[i] = -u_0[row[i]];
        for (int j = 0; j < n; j++)
            right[i] -= is_gone(setup, j) ? 0 : W[row[i] * n + j] * r[j];
        for (int j = 0; j < m; j++)
            A[i * m + j] = W[row[i] * n + row[j]];
    }
    assert_true(perp_small_solve(m, A, 1, right));
    for (int i = 0; i < m; i++)
        r[row[i]] = right[i];
}

// At random impulses of what is left: the reduced problem has the speeds that dense elimination of
// the joints leaves, and its impulses of joints close the joints. allowed: of speeds, scaled
static void assert_same_response(Setup *setup, uint64_t seed, double allowed)
{
    int n = 3 * setup->cones.n_constraints;
    PerpRandom random = perp_random(seed);
    double x[MOST] = {0}, r[MOST], dense[MOST], u[MOST], u_0[MOST], reduced[MOST];
    double *W = PERP_TAKE(&setup->arena, double, MOST *MOST);
    for (int l = 0; l < setup->tree.n_left; l++)
        for (int k = 0; k < 3; k++)
            if (setup->cones.constraint[setup->tree.left[l]].row[k] >= 0)
                x[3 * l + k] = perp_random_uniform(&random, -1, 1);
    perp_joint_tree_to_whole(&setup->tree, x, r);
    memcpy(dense, r, sizeof dense);
    measure(setup, u_0, W);
    eliminate_densely(setup, u_0, W, dense);
    find_speeds(setup, &setup->cones, dense, u);
    find_speeds(setup, &setup->tree.reduced, x, reduced);
    for (int l = 0; l < setup->tree.n_left; l++)
        for (int k = 0; k < 3; k++)
            assert_true(fabs(reduced[3 * l + k] - u[3 * setup->tree.left[l] + k]) <= allowed);
    find_speeds(setup, &setup->cones, r, u);
    for (int i = 0; i < n; i++)
        assert_true(!is_gone(setup, i) || fabs(u[i]) <= allowed);
}

static void assert_solved(PerpSolver *solver, const PerpProblem *p)
{
    PerpProblemResult result;
    assert_int_equal(perp_problem_solve(solver, p, NULL, &result, NULL), PERP_OK);
    assert_int_equal(result.outcome, PERP_OUTCOME_SOLVED);
}

typedef struct Kind {
    int bodies, balls, hinges, redundant;
    double mass_ratio, allowed;
} Kind;

// Trees, closed loops (more joints than a tree has), masses 1e6 apart; a joint with a row that
// follows from its others has no inverse, and the problem is left as it is.
static void eliminates_like_dense_matrices(void **state)
{
    static const Kind kinds[] = {{6, 2, 2, 0, 1, 1e-11},
                                 {6, 4, 5, 0, 10, 1e-9},
                                 {6, 2, 2, 4, 10, 1e-9},
                                 {6, 3, 3, 0, 1e6, 1e-6}};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        int fits = 0;
        for (uint64_t seed = 0; seed < SCENES; seed++) {
            PerpSceneOptions options = perp_default_scene_options();
            options.bodies = kinds[k].bodies;
            options.contacts = 5;
            options.circular = true;
            options.motors = 3;
            options.balls = kinds[k].balls;
            options.hinges = kinds[k].hinges;
            options.redundant = kinds[k].redundant;
            options.mass_ratio = kinds[k].mass_ratio;
            Setup setup;
            begin(perp_sample_scene(seed + 1000 * k, &options), &setup);
            if (setup.tree.fits)
                assert_same_response(&setup, seed, kinds[k].allowed);
            else
                assert_solved(*state, &setup.problem);
            fits += setup.tree.fits;
            end(&setup);
        }
        assert_true(kinds[k].redundant == 0 ? fits > SCENES / 2 : fits == 0);
    }
}

// --- rows without mobility ----------------------------------------------------------------------

// A body that five rows, not along its axes, leave one motion; a contact across that motion.
static PerpSample *make_pinned(const double *push)
{
    static const double Mt[36] = {2, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0,   0, 0, 0, 2, 0, 0, 0,
                                  0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0.7, 0, 0, 0, 0, 0, 0, 0.3};
    double row[6][6]; // of Householder's reflection, orthogonal
    double w[6] = {1, 0.3, -0.7, 0.2, 0.9, -0.4}, square = 0;
    PerpSample *s = perp_sample_create();
    int body = perp_sample_add_body(s, 6, Mt, push);
    for (int i = 0; i < 6; i++)
        square += w[i] * w[i];
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 6; j++)
            row[i][j] = (i == j) - 2 * w[i] * w[j] / square;
    for (int i = 0; i < 5; i++)
        perp_sample_add_joint(s, (PerpSampleRow){1, &body, row[i], 0});
    double normal[6];
    for (int j = 0; j < 6; j++)
        normal[j] = 0.4 * row[0][j] - 0.8 * row[2][j] + 0.1 * row[4][j];
    int contact = perp_sample_add_contact(s, (PerpSampleRow){1, &body, normal, 0});
    perp_sample_add_circular_group(s, contact, 0.5, 0);
    perp_sample_add_direction(s, (PerpSampleRow){1, &body, row[1], 0});
    perp_sample_add_direction(s, (PerpSampleRow){1, &body, row[3], 0});
    return s;
}

// What joints leave of such rows is rounding, and must not be taken for a mobility: impulses of
// 1e20 would be asked for to move it.
static void rounding_is_no_mobility(void **state)
{
    static const double push[6] = {1, -3, 0.5, 2, -1, 4};
    Setup setup;
    begin(make_pinned(push), &setup);
    assert_true(setup.tree.fits);
    assert_int_equal(setup.tree.n_left, 0);
    assert_int_equal(setup.tree.reduced.bodies.entries, 0);
    PerpProblemResult result;
    assert_int_equal(perp_problem_solve(*state, &setup.problem, NULL, &result, NULL), PERP_OK);
    assert_int_equal(result.outcome, PERP_OUTCOME_SOLVED);
    for (int i = 0; i < perp_problem_rows(&setup.problem); i++)
        assert_true(fabs(result.c[i]) < 1e3);
    end(&setup);
}

// A belt that moves along x as prescribed, on the world, and a body that falls on it. Contact 0 is
// that of the belt and the world, 1 that of the body and the belt.
static PerpSample *make_belt(void)
{
    static const double one[36] = {[0] = 1, [7] = 1, [14] = 1, [21] = 1, [28] = 1, [35] = 1};
    static const double rest[6] = {0}, falls[6] = {0, 0, -1, 0, 0, 0};
    static const int axis[3] = {2, 0, 1};
    PerpSample *s = perp_sample_create();
    int belt = perp_sample_add_body(s, 6, one, rest), body = perp_sample_add_body(s, 6, one, falls);
    int both[2] = {body, belt};
    for (int i = 0; i < 6; i++)
        perp_sample_add_joint(s, (PerpSampleRow){1, &belt, one + 6 * i, i == 0 ? -1 : 0});
    double apart[3][12] = {{0}};
    for (int k = 0; k < 3; k++) {
        apart[k][axis[k]] = 1;
        apart[k][6 + axis[k]] = -1;
    }
    for (int contact = 0; contact < 2; contact++) {
        PerpSampleRow row[3];
        for (int k = 0; k < 3; k++)
            row[k] = contact == 0 ? (PerpSampleRow){1, &belt, one + 6 * axis[k], 0}
                                  : (PerpSampleRow){2, both, apart[k], 0};
        perp_sample_add_circular_group(s, perp_sample_add_contact(s, row[0]), 0.5, 0);
        perp_sample_add_direction(s, row[1]);
        perp_sample_add_direction(s, row[2]);
    }
    return s;
}

// The law bounds the impulse between belt and world by nothing: it is 0, whatever the last step
// had, on the exact law and with slip held.
static void impulses_that_move_nothing_are_zero(void **state)
{
    static const PerpMethod methods[] = {PERP_METHOD_NEWTON_LOCAL, PERP_METHOD_NSGS,
                                         PERP_METHOD_NEWTON, PERP_METHOD_SLIP_HELD};
    Setup setup;
    begin(make_belt(), &setup);
    assert_true(setup.tree.fits);
    assert_int_equal(setup.tree.n_left, 1);
    double start[MOST] = {0};
    start[6] = 1e6;  // normal
    start[8] = -5e5; // friction along x
    for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
        bool held = methods[k] == PERP_METHOD_SLIP_HELD;
        PerpProblemSettings settings = perp_default_problem_settings();
        PerpProblemResult result;
        settings.methods = PERP_METHOD_BIT(methods[k]);
        settings.start = start;
        settings.held_tolerance = held ? 1e-3 : 0;
        assert_int_equal(perp_problem_solve(*state, &setup.problem, &settings, &result, NULL),
                         PERP_OK);
        assert_true(result.outcome == PERP_OUTCOME_SOLVED ||
                    (held && result.outcome == PERP_OUTCOME_HELD));
        assert_true(result.c[6] == 0 && result.c[8] == 0 && result.c[9] == 0);
        // 1 Ns stops the body, half of it drags it
        const double expected[12] = {[0] = 1.5, [2] = 1, [7] = 1, [10] = 0.5};
        for (int i = 0; i < 12 && !held; i++)
            assert_true(fabs(result.c[i] - expected[i]) <= 1e-6);
    }
    end(&setup);
}

// --- Newton's method ----------------------------------------------------------------------------

static PerpSample *make_joined(uint64_t seed)
{
    PerpSceneOptions options = perp_default_scene_options();
    options.bodies = 5;
    options.contacts = 4;
    options.circular = true;
    options.motors = 2;
    options.hinges = 3;
    options.mass_ratio = 100;
    return perp_sample_scene(seed, &options);
}

// Alone, from nothing, it solves most problems; from the solution and slip of a problem nearby in a
// step or two.
static void newton_starts_from_modes(void **state)
{
    int solved = 0, steps = 0;
    for (uint64_t seed = 0; seed < SCENES; seed++) {
        PerpSample *sample = make_joined(seed);
        PerpProblem p = perp_sample_problem(sample);
        PerpProblemSettings settings = perp_default_problem_settings();
        PerpProblemResult result;
        settings.methods = PERP_METHOD_BIT(PERP_METHOD_NEWTON_LOCAL);
        assert_int_equal(perp_problem_solve(*state, &p, &settings, &result, NULL), PERP_OK);
        if (result.outcome == PERP_OUTCOME_SOLVED) {
            double start[MOST], slip[MOST];
            memcpy(start, result.c, (size_t)perp_problem_rows(&p) * sizeof(double));
            memcpy(slip, result.lambda, (size_t)p.n_groups * sizeof(double));
            for (int i = 0; i < perp_problem_velocities(&p); i++)
                sample->b.at[i] *= 1.0001;
            p = perp_sample_problem(sample);
            settings.start = start;
            settings.start_slip = slip;
            assert_int_equal(perp_problem_solve(*state, &p, &settings, &result, NULL), PERP_OK);
            assert_int_equal(result.outcome, PERP_OUTCOME_SOLVED);
            steps += result.iterations;
            solved++;
        }
        perp_sample_free(sample);
    }
    assert_true(solved > 2 * SCENES / 3);
    assert_true(steps <= 2 * solved);
}

// --- gradients ----------------------------------------------------------------------------------

static int count_gradients(Setup *setup, bool uneven)
{
    int steps = 2000;
    PerpConeProblem *reduced = &setup->tree.reduced;
    double r[MOST] = {0};
    reduced->uneven = uneven;
    assert_true(perp_apgd(&setup->arena, reduced, 1e-3, &steps, r) <= 1);
    return steps;
}

// A contact moves a light limb, another one all that hangs on a heavy body. Steps of their own take
// fewer gradients than one for all.
static void gradients_step_by_inverse_mass(void **state)
{
    (void)state;
    int own = 0, same = 0;
    for (uint64_t seed = 0; seed < SCENES; seed++) {
        PerpSceneOptions options = perp_default_scene_options();
        options.bodies = 12;
        options.contacts = 24;
        options.circular = true;
        options.balls = 9;
        options.mass_ratio = 10;
        options.motion = PERP_SCENE_IMPACTING;
        Setup setup;
        begin(perp_sample_scene(seed, &options), &setup);
        if (setup.tree.fits) {
            own += count_gradients(&setup, true);
            same += count_gradients(&setup, false);
        }
        end(&setup);
    }
    assert_true(own < 0.8 * same);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(eliminates_like_dense_matrices),
        cmocka_unit_test(rounding_is_no_mobility),
        cmocka_unit_test(impulses_that_move_nothing_are_zero),
        cmocka_unit_test(newton_starts_from_modes),
        cmocka_unit_test(gradients_step_by_inverse_mass),
    };
    return cmocka_run_group_tests(tests, create_solver, destroy_solver);
}
