// Velocities and impulses from the unknowns of the reduced problem.
#include "problem/recovery.h"

#include "solving.h"

#include "generate.h"

#include <math.h>
#include <string.h>

typedef struct Fixture {
    PerpArena arena;
    PerpSample *sample;
    PerpProblem problem;
    PerpReduction red;
    PerpRecovery recovery;
    PerpRecoveredPoint point;
} Fixture;

static void set_up(Fixture *f, PerpSample *sample)
{
    PerpContext context = perp_default_context();
    perp_arena_init(&f->arena, &context.allocator);
    f->sample = sample;
    f->problem = perp_sample_problem(sample);
    assert_int_equal(perp_reduce(&f->arena, &f->problem, &f->red, NULL), PERP_OK);
    assert_true(perp_recovery_take(&f->arena, &f->red, &f->recovery));
    assert_true(perp_recovery_take_point(&f->arena, &f->red, &f->point));
}

static void tear_down(Fixture *f)
{
    perp_arena_free(&f->arena);
    perp_sample_free(f->sample);
}

// joints, boxes, contacts and friction, of bodies that differ a thousandfold
static PerpSample *scene(uint64_t seed)
{
    PerpSceneOptions o = perp_default_scene_options();
    o.mass_ratio = 1e3;
    o.hinges = 1;
    o.redundant = 2;
    o.limits = o.motors = 2;
    o.locks = 1;
    o.asymmetry = seed % 2 ? 0.2 : 0;
    o.motion = PERP_SCENE_IMPACTING;
    return perp_sample_scene(seed, &o);
}

static void assert_obeys(const Fixture *f, PerpResidual residual)
{
    PerpCertificate certificate;
    const double *lambda = f->point.z + f->red.impulses + f->red.ranges;
    assert_int_equal(
        perp_certify(NULL, &f->problem, f->point.v, f->point.c, lambda, &certificate, NULL),
        PERP_OK);
    assert_true(certificate.residual[residual] <= 1e-11);
}

// whatever z is, momentum and joints are obeyed, and w = M z + q
static void any_z_gives_a_motion(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 40; seed++) {
        Fixture f;
        PerpRandom random = perp_random(seed);
        set_up(&f, scene(seed));
        int n = f.red.n;
        double *z = PERP_TAKE(&f.arena, double, n);
        for (int j = 0; j < n; j++)
            z[j] = perp_random_coin(&random) ? perp_random_uniform(&random, 0, 0.1) : 0;
        perp_recovery_recover(&f.recovery, z, &f.point);
        assert_memory_equal(f.point.z, z, (size_t)n * sizeof(double));
        assert_obeys(&f, PERP_RESIDUAL_MOMENTUM);
        assert_obeys(&f, PERP_RESIDUAL_JOINT);
        perp_recovery_slack(&f.recovery, &f.point);
        for (int i = 0; i < n; i++) {
            double w = f.red.q[i], size = fabs(w);
            for (int j = 0; j < n; j++) {
                w += f.red.M[i + n * j] * z[j];
                size += fabs(f.red.M[i + n * j] * z[j]);
            }
            assert_true(fabs(f.recovery.w[i] - w) <= 1e-11 * (1 + size));
        }
        tear_down(&f);
    }
}

static void spoil(PerpRandom *random, double *x, int n)
{
    for (int i = 0; i < n; i++)
        x[i] += 1e-3 * perp_random_normal(random);
}

// an error in v and in the joint impulses is gone after one change, and z has moved by dz
static void change_mends_momentum_and_joints(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 40; seed++) {
        Fixture f;
        PerpRandom random = perp_random(seed);
        set_up(&f, scene(seed));
        double *z = PERP_TAKE(&f.arena, double, f.red.n);
        for (int j = 0; j < f.red.n; j++)
            z[j] = perp_random_uniform(&random, 0.01, 0.1);
        perp_recovery_recover(&f.recovery, z, &f.point);
        spoil(&random, f.point.v, perp_problem_velocities(&f.problem));
        spoil(&random, f.point.c, f.problem.n_joints);
        perp_recovery_residual(&f.recovery, &f.point);
        for (int j = 0; j < f.red.n; j++)
            f.recovery.dz[j] = j % 3 == 0 ? -1 : 0.5 * z[j];
        perp_recovery_change(&f.recovery, &f.point);
        for (int j = 0; j < f.red.n; j++)
            assert_true(f.point.z[j] == (j % 3 == 0 ? 0 : z[j] + 0.5 * z[j]));
        // the cut at zero is not in v yet; a second change without dz mends that too
        perp_recovery_residual(&f.recovery, &f.point);
        memset(f.recovery.dz, 0, (size_t)f.red.n * sizeof(double));
        perp_recovery_change(&f.recovery, &f.point);
        assert_obeys(&f, PERP_RESIDUAL_MOMENTUM);
        assert_obeys(&f, PERP_RESIDUAL_JOINT);
        tear_down(&f);
    }
}

// c = base + sign z: [1, inf) from below, (-inf, 2] from above, [5, 5] not at all
static void impulses_of_boxes_by_hand(void **state)
{
    (void)state;
    PerpSample *s = perp_sample_create();
    double one = 1, momentum = 10;
    int body = perp_sample_add_body(s, 1, &one, &momentum);
    PerpSampleRow row = {1, &body, &one, 0};
    perp_sample_add_box(s, row, 1, INFINITY);
    perp_sample_add_box(s, row, -INFINITY, 2);
    perp_sample_add_box(s, row, 5, 5);
    Fixture f;
    set_up(&f, s);
    perp_recovery_recover(&f.recovery, (double[]){0.5, 4}, &f.point);
    assert_true(f.point.c[0] == 1.5 && f.point.c[1] == -2 && f.point.c[2] == 5);
    assert_true(f.point.v[0] == 14.5);
    perp_recovery_slack(&f.recovery, &f.point);
    assert_true(f.recovery.w[0] == 14.5 && f.recovery.w[1] == -14.5);
    tear_down(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_z_gives_a_motion),
        cmocka_unit_test(change_mends_momentum_and_joints),
        cmocka_unit_test(impulses_of_boxes_by_hand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
