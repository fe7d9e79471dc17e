// Contact problems without bodies, and sweeps in both forms.
#include "cones/cone.h"
#include "cones/methods/methods.h"
#include "cones/methods/newton_local.h"
#include "cones/operator/contact_groups.h"
#include "cones/operator/delassus.h"
#include "cones/operator/explicit.h"
#include "solving.h"

#include "generate.h"

#include <math.h>
#include <string.h>

static PerpStatus solve_to(PerpSolver *solver, const PerpContactProblem *p, double tolerance,
                           PerpContactResult *result)
{
    PerpProblemSettings settings = perp_default_problem_settings();
    settings.tolerance = tolerance;
    return perp_contact_problem_solve(solver, p, &settings, result, NULL);
}

static const double accuracy = 1e-8;

// The local problem of a step problem's constraints as cone_problem.h scales them: cones with mu
// = 1.
typedef struct Local {
    PerpContactProblem p;
    PerpConeProblem cones; // the body form of the same
    double *mu, *x, *q;
    int *start, *column;
} Local;

static PerpSceneOptions options_of(uint64_t seed, int contacts)
{
    PerpRandom random = perp_random(seed);
    PerpSceneOptions options = perp_random_scene_options(&random, contacts);
    options.circular = true;
    options.integer = false;
    options.limits = options.motors = options.locks = 0; // bounds are not known here
    return options;
}

// Row of the local problem that component k of constraint c is, -1 if it is none: contacts, then
// joints.
static int local_row(const PerpConeProblem *cones, int joints, int c, int k)
{
    const PerpConstraint *constraint = &cones->constraint[c];
    if (constraint->cone->is_equation)
        return constraint->row[k] < 0 ? -1 : 3 * cones->p->n_contacts + constraint->row[k];
    return 3 * (constraint->row[0] - joints) + k;
}

static void fill_column(Local *local, const PerpConeProblem *flat, PerpArena *arena, int joints,
                        int c, int k)
{
    int n = flat->n_constraints, rows = perp_contact_problem_rows(&local->p);
    double *r = PERP_TAKE(arena, double, 3 * n), *v = PERP_TAKE(arena, double, flat->n_state);
    double *u = PERP_TAKE(arena, double, 3 * n);
    r[3 * c + k] = 1;
    perp_delassus_velocity(flat, r, v);
    perp_delassus_speeds(flat, v, u);
    for (int i = 0; i < 3 * n; i++)
        if (local_row(flat, joints, i / 3, i % 3) >= 0)
            local->x[local_row(flat, joints, i / 3, i % 3) * rows + local_row(flat, joints, c, k)] =
                u[i];
}

// The velocities at r = 0, and then the columns of W, which must not suffer from their size.
static void fill_local(PerpArena *arena, Local *local, int joints)
{
    PerpConeProblem flat = local->cones;
    int n = flat.n_constraints;
    double *u = PERP_TAKE(arena, double, 3 * n);
    perp_delassus_speeds(&flat, flat.bodies.free, u);
    for (int i = 0; i < 3 * n; i++)
        if (local_row(&flat, joints, i / 3, i % 3) >= 0)
            local->q[local_row(&flat, joints, i / 3, i % 3)] = u[i];
    flat.bodies.free = PERP_TAKE(arena, double, flat.n_state);
    flat.constraint = PERP_TAKE(arena, PerpConstraint, n);
    memcpy(flat.constraint, local->cones.constraint, (size_t)n * sizeof *flat.constraint);
    for (int c = 0; c < n; c++)
        memset(flat.constraint[c].d, 0, sizeof flat.constraint[c].d);
    for (int c = 0; c < n; c++)
        for (int k = 0; k < 3 && local_row(&flat, joints, c, k) >= 0; k++)
            fill_column(local, &flat, arena, joints, c, k);
}

static void make_local(PerpArena *arena, const PerpProblem *p, Local *local)
{
    assert_true(perp_cones_build(arena, NULL, p, &local->cones));
    assert_true(perp_delassus_analyse(&local->cones));
    int joints = p->n_joints, rows = 3 * p->n_contacts + joints;
    local->mu = PERP_TAKE(arena, double, p->n_contacts);
    local->x = PERP_TAKE(arena, double, rows *rows);
    local->q = PERP_TAKE(arena, double, rows);
    local->start = PERP_TAKE(arena, int, rows + 1);
    local->column = PERP_TAKE(arena, int, rows *rows);
    for (int k = 0; k < p->n_contacts; k++)
        local->mu[k] = 1;
    for (int i = 0; i <= rows; i++)
        local->start[i] = i * rows;
    for (int i = 0; i < rows * rows; i++)
        local->column[i] = i % rows;
    local->p = (PerpContactProblem){.dimension = 3,
                                    .contacts = p->n_contacts,
                                    .bilateral = joints,
                                    .mu = local->mu,
                                    .start = local->start,
                                    .column = local->column,
                                    .x = local->x,
                                    .q = local->q};
    fill_local(arena, local, joints);
    assert_int_equal(perp_contact_problem_check(&local->p, NULL), PERP_OK);
}

// The residual of the body form at a solution of the local one.
static double body_residual(PerpArena *arena, Local *local, const double *answer)
{
    PerpConeProblem *cones = &local->cones;
    int n = cones->n_constraints, joints = local->p.bilateral;
    double *r = PERP_TAKE(arena, double, 3 * n), *u = PERP_TAKE(arena, double, 3 * n);
    double *v = PERP_TAKE(arena, double, cones->n_state);
    for (int c = 0; c < n; c++)
        for (int k = 0; k < 3 && local_row(cones, joints, c, k) >= 0; k++)
            r[3 * c + k] = answer[local_row(cones, joints, c, k)];
    perp_delassus_velocity(cones, r, v);
    perp_delassus_speeds(cones, v, u);
    return perp_cones_residual(cones, r, u);
}

// Nothing but rounding breaks the law at r = 0, where its residual would be 1, or 0 if nothing
// does: the two forms have different problems.
static bool is_rounding(PerpArena *arena, Local *local)
{
    const double *none = PERP_TAKE(arena, double, 3 * local->cones.n_constraints);
    double residual = body_residual(arena, local, none);
    return residual > 0 && residual < 0.9;
}

static void local_form_agrees_with_bodies(void **state)
{
    int judged = 0;
    for (uint64_t seed = 1; seed <= 400; seed++) {
        PerpSceneOptions options = options_of(seed, 10);
        PerpSample *sample = perp_sample_scene(seed, &options);
        PerpProblem p = perp_sample_problem(sample);
        PerpContext context = perp_default_context();
        PerpArena arena;
        Local local;
        PerpContactResult result;
        PerpContactCertificate certificate;
        perp_arena_init(&arena, &context.allocator);
        make_local(&arena, &p, &local);
        if (is_rounding(&arena, &local)) {
            perp_arena_free(&arena);
            perp_sample_free(sample);
            continue;
        }
        judged++;
        assert_int_equal(solve_to(*state, &local.p, accuracy, &result), PERP_OK);
        assert_int_equal(
            perp_contact_problem_certify(NULL, &local.p, result.r, NULL, &certificate, NULL),
            PERP_OK);
        assert_true(certificate.worst == result.certificate.worst);
        double residual = body_residual(&arena, &local, result.r);
        if (result.outcome != PERP_OUTCOME_SOLVED || !(residual <= 10 * accuracy))
            fail_msg("scene %d, %d contacts: %.2e, %.2e with bodies", (int)seed, p.n_contacts,
                     certificate.worst, residual);
        perp_arena_free(&arena);
        perp_sample_free(sample);
    }
    assert_true(judged >= 390);
}

// Sweeps alone, in both forms: the same residual, as far as they go.
static void sweeps_agree_in_both_forms(void **state)
{
    (void)state;
    int solved = 0, count = 200;
    for (uint64_t seed = 1; seed <= (uint64_t)count; seed++) {
        PerpSceneOptions options = options_of(seed, 8);
        options.balls = options.hinges = options.redundant = 0;
        options.asymmetry = 0; // sweeps may diverge, and two ways of rounding part
        options.mass_ratio = 1;
        PerpSample *sample = perp_sample_scene(seed, &options);
        PerpProblem p = perp_sample_problem(sample);
        PerpContext context = perp_default_context();
        PerpArena arena;
        Local local;
        PerpConeProblem rows;
        perp_arena_init(&arena, &context.allocator);
        make_local(&arena, &p, &local);
        int n = p.n_contacts, sweeps = 15, sweeps_rows = 15;
        int *unit = PERP_TAKE(&arena, int, n), *scratch = PERP_TAKE(&arena, int, n);
        for (int k = 0; k < n; k++) {
            unit[k] = k;
            scratch[k] = -1;
        }
        PerpContactIsland part = {n, unit, unit, scratch};
        assert_true(perp_cones_build_explicit(&arena, &local.p, &part, &rows));
        double *r = PERP_TAKE(&arena, double, 3 * n), *r_rows = PERP_TAKE(&arena, double, 3 * n);
        double residual = perp_nsgs(&arena, &local.cones, 1e-10, &sweeps, r);
        double residual_rows = perp_nsgs(&arena, &rows, 1e-10, &sweeps_rows, r_rows);
        assert_int_equal(sweeps, sweeps_rows);
        assert_true(fabs(residual - residual_rows) <= 1e-9);
        solved += residual <= 1e-10;
        perp_arena_free(&arena);
        perp_sample_free(sample);
    }
    assert_true(solved > count / 4);
}

// A box of mass 1 on the ground with contacts on a circle under it, pushed sideways and turned.
static void make_table(PerpArena *arena, int contacts, Local *local)
{
    int rows = 3 * contacts;
    double *J = PERP_TAKE(arena, double, 6 * rows);
    local->mu = PERP_TAKE(arena, double, contacts);
    local->x = PERP_TAKE(arena, double, rows *rows);
    local->q = PERP_TAKE(arena, double, rows);
    local->start = PERP_TAKE(arena, int, rows + 1);
    local->column = PERP_TAKE(arena, int, rows *rows);
    for (int k = 0; k < contacts; k++) {
        double x = cos(k), y = sin(k), z = -0.5; // the arm
        const double normal[6] = {0, 0, 1, y, -x, 0}, first[6] = {1, 0, 0, 0, z, -y};
        const double second[6] = {0, 1, 0, -z, 0, x};
        memcpy(J + 18 * k, normal, sizeof normal);
        memcpy(J + 18 * k + 6, first, sizeof first);
        memcpy(J + 18 * k + 12, second, sizeof second);
        local->mu[k] = 0.3;
    }
    static const double v[6] = {2, 1, -1, 0.1, 0.2, 3};
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < rows; j++) {
            local->start[i + 1] = (i + 1) * rows;
            local->column[i * rows + j] = j;
            for (int k = 0; k < 6; k++)
                local->x[i * rows + j] += J[6 * i + k] * J[6 * j + k];
        }
    for (int i = 0; i < rows; i++)
        for (int k = 0; k < 6; k++)
            local->q[i] += J[6 * i + k] * v[k];
    local->p = (PerpContactProblem){.dimension = 3,
                                    .contacts = contacts,
                                    .mu = local->mu,
                                    .start = local->start,
                                    .column = local->column,
                                    .x = local->x,
                                    .q = local->q};
}

static void build(PerpArena *arena, const PerpContactProblem *p, PerpConeProblem *cones)
{
    int *unit = PERP_TAKE(arena, int, p->contacts), *scratch = PERP_TAKE(arena, int, p->contacts);
    for (int k = 0; k < p->contacts; k++) {
        unit[k] = k;
        scratch[k] = -1;
    }
    PerpContactIsland part = {p->contacts, unit, unit, scratch};
    assert_true(perp_cones_build_explicit(arena, p, &part, cones));
}

// Ten contacts between two bodies are one group of six rows, and the change that it gives solves
// (1 + C W) dr = g.
static void contacts_of_two_bodies_are_six_rows(void **state)
{
    (void)state;
    PerpContext context = perp_default_context();
    PerpArena arena;
    Local local;
    PerpConeProblem cones;
    enum { CONTACTS = 10, NUMBERS = 3 * CONTACTS };
    double g[NUMBERS], dr[NUMBERS], w[NUMBERS];
    perp_arena_init(&arena, &context.allocator);
    make_table(&arena, CONTACTS, &local);
    build(&arena, &local.p, &cones);
    assert_true(perp_delassus_analyse(&cones));
    assert_non_null(cones.explicit_W.groups);
    assert_int_equal(cones.explicit_W.groups->n, 1);
    for (int k = 0; k < PERP_GROUP_ROWS; k++)
        assert_true(cones.explicit_W.groups->row[k] >= 0);
    for (int i = 0; i < 9 * CONTACTS; i++)
        cones.newton.C[i] = (i % 9 % 4 == 0) * (1 + i % 7) + 0.1 * sin(i); // not symmetric
    for (int i = 0; i < NUMBERS; i++)
        g[i] = cos(3 * i);
    assert_true(perp_delassus_factor(&cones));
    perp_delassus_solve(&cones, g, dr);
    perp_delassus_velocity(&cones, dr, w);
    for (int i = 0; i < NUMBERS; i++) {
        const double *C = cones.newton.C + 9 * (i / 3) + 3 * (i % 3), *w_c = w + i / 3 * 3;
        double sum = dr[i] + C[0] * w_c[0] + C[1] * w_c[1] + C[2] * w_c[2];
        assert_true(fabs(sum - g[i]) < 1e-12);
    }
    perp_arena_free(&arena);
}

typedef double Method(PerpArena *arena, PerpConeProblem *cones, double tolerance, int *steps,
                      double *r);

// From nothing, where impulses are far from unique. Returns how many steps it takes.
static int solve_table(Method *method, int most)
{
    PerpContext context = perp_default_context();
    PerpArena arena;
    Local local;
    PerpConeProblem cones;
    double r[3 * 25] = {0};
    int steps = most;
    perp_arena_init(&arena, &context.allocator);
    make_table(&arena, 25, &local);
    build(&arena, &local.p, &cones);
    assert_true(method(&arena, &cones, 1e-11, &steps, r) <= 1e-11);
    perp_arena_free(&arena);
    return steps;
}

static void proximal_points_solve_a_table(void **state)
{
    (void)state;
    assert_true(solve_table(perp_proximal_point, 500) < 500);
}

static double newton_local(PerpArena *arena, PerpConeProblem *cones, double tolerance, int *steps,
                           double *r)
{
    return perp_newton_local(arena, cones, tolerance, tolerance, steps, r);
}

static void newton_local_solves_a_table(void **state)
{
    (void)state;
    int steps = solve_table(newton_local, 60);
    assert_true(steps > 1 && steps < 30);
}

// Both forms take the same steps. Scenes have joints, limits and motors, and few need sweeps first.
static void newton_local_solves_scenes(void **state)
{
    (void)state;
    int solved = 0, count = 200;
    for (uint64_t seed = 1; seed <= (uint64_t)count; seed++) {
        PerpRandom random = perp_random(seed);
        PerpSceneOptions options = perp_random_scene_options(&random, 8);
        options.circular = true;
        PerpSample *sample = perp_sample_scene(seed, &options);
        PerpProblem p = perp_sample_problem(sample);
        PerpContext context = perp_default_context();
        PerpArena arena;
        PerpConeProblem cones;
        int steps = 60;
        perp_arena_init(&arena, &context.allocator);
        if (perp_cones_fits(&p)) {
            assert_true(perp_cones_build(&arena, NULL, &p, &cones));
            assert_true(perp_delassus_analyse(&cones));
            double *r = PERP_TAKE(&arena, double, 3 * cones.n_constraints);
            solved +=
                !cones.product && perp_newton_local(&arena, &cones, 1e-9, 1e-9, &steps, r) <= 1e-9;
        }
        perp_arena_free(&arena);
        perp_sample_free(sample);
    }
    assert_true(solved > count / 2);
}

// Islands are counted where they were looked for: not in what is small.
static void islands_of_two_tables(void **state)
{
    enum { HALF = 9, ROWS = 6 * HALF, ENTRIES = 18 * HALF * HALF };
    PerpContext context = perp_default_context();
    PerpArena arena;
    Local half;
    PerpContactResult result;
    int start[ROWS + 1] = {0}, column[ENTRIES];
    double x[ENTRIES], q[ROWS], mu[2 * HALF];
    perp_arena_init(&arena, &context.allocator);
    make_table(&arena, HALF, &half);
    for (int row = 0; row < ROWS; row++) {
        int own = row % (3 * HALF), first = row - own;
        start[row + 1] = start[row] + 3 * HALF;
        q[row] = half.q[own];
        mu[row / 3] = 0.3;
        for (int j = 0; j < 3 * HALF; j++) {
            column[start[row] + j] = first + j;
            x[start[row] + j] = half.x[3 * HALF * own + j];
        }
    }
    PerpContactProblem p = {3, 2 * HALF, 0, mu, start, column, x, q};
    assert_int_equal(solve_to(*state, &p, 1e-10, &result), PERP_OK);
    assert_int_equal(result.outcome, PERP_OUTCOME_SOLVED);
    assert_int_equal(result.islands, 2);
    perp_arena_free(&arena);
}

// The certificate sees impulses that are off, and asks for no more than 1e-10 here.
static void certificate_of_a_table(void **state)
{
    PerpContext context = perp_default_context();
    PerpArena arena;
    Local local;
    PerpContactResult result;
    PerpContactCertificate certificate;
    double r[3 * 7];
    perp_arena_init(&arena, &context.allocator);
    make_table(&arena, 7, &local);
    assert_int_equal(solve_to(*state, &local.p, 1e-10, &result), PERP_OK);
    assert_int_equal(result.outcome, PERP_OUTCOME_SOLVED);
    for (int broken = 0; broken < 4; broken++) {
        memcpy(r, result.r, sizeof r);
        if (broken == 0) // pulls
            r[0] = -0.1;
        else if (broken == 1) // more friction than there is
            r[1] += 0.1;
        else if (broken == 2) // none
            memset(r, 0, sizeof r);
        else
            r[5] = NAN;
        assert_int_equal(perp_contact_problem_certify(NULL, &local.p, r, NULL, &certificate, NULL),
                         PERP_OK);
        assert_true(certificate.worst > 1e-3 && certificate.worst >= certificate.contact &&
                    certificate.worst >= certificate.natural);
    }
    perp_arena_free(&arena);
}

static void refuses_nonsense(void **state)
{
    (void)state;
    double mu[1] = {0.5}, x[1] = {1}, q[2] = {0};
    int start[3] = {0, 1, 1}, column[1] = {0};
    PerpContactProblem p = {2, 1, 0, mu, start, column, x, q};
    assert_int_equal(perp_contact_problem_check(&p, NULL), PERP_OK);
    p.dimension = 4;
    assert_int_equal(perp_contact_problem_check(&p, NULL), PERP_BAD_SIZE);
    p.dimension = 2;
    mu[0] = -1;
    assert_int_equal(perp_contact_problem_check(&p, NULL), PERP_BAD_VALUE);
    mu[0] = 0.5;
    column[0] = 2;
    assert_int_equal(perp_contact_problem_check(&p, NULL), PERP_BAD_VALUE);
    column[0] = 0;
    x[0] = INFINITY;
    assert_int_equal(perp_contact_problem_check(&p, NULL), PERP_BAD_VALUE);
    x[0] = 1;
    start[1] = 2;
    assert_int_equal(perp_contact_problem_check(&p, NULL), PERP_BAD_SIZE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(local_form_agrees_with_bodies),
        cmocka_unit_test(sweeps_agree_in_both_forms),
        cmocka_unit_test(contacts_of_two_bodies_are_six_rows),
        cmocka_unit_test(proximal_points_solve_a_table),
        cmocka_unit_test(newton_local_solves_a_table),
        cmocka_unit_test(newton_local_solves_scenes),
        cmocka_unit_test(islands_of_two_tables),
        cmocka_unit_test(certificate_of_a_table),
        cmocka_unit_test(refuses_nonsense),
    };
    return cmocka_run_group_tests(tests, create_solver, destroy_solver);
}
