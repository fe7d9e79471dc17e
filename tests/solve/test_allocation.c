// Memory that runs out at every possible place: each solve says so, leaks nothing, and leaves a
// solver that solves the next time.
#include "solve/solver.h"

#include "solving.h"

#include "failing_allocator.h"
#include "generate.h"

#include <math.h>
#include <string.h>

// One of the solves below, on a problem that `user` holds.
typedef PerpStatus (*Solve)(PerpSolver *solver, const void *user, PerpError *error);

static void assert_told(PerpStatus status, const PerpError *error)
{
    assert_int_equal(status, PERP_NO_MEMORY);
    assert_int_equal(error->status, PERP_NO_MEMORY);
    assert_true(strlen(error->message) > 0);
}

// The first, second, third ... request of a new solver fails.
static void sweep_requests(Solve solve, const void *user)
{
    for (int fail_at = 1;; fail_at++) {
        PerpFailingAllocator memory = {.fail_at = fail_at};
        PerpContext context = perp_failing_context(&memory);
        PerpSolver *solver = NULL;
        PerpError error = {0};
        PerpStatus status = perp_solver_create(&context, &solver);
        if (fail_at == 1) {
            assert_int_equal(status, PERP_NO_MEMORY);
            assert_null(solver);
            continue;
        }
        assert_int_equal(status, PERP_OK);
        status = solve(solver, user, &error);
        bool failed = memory.calls >= fail_at;
        if (failed) {
            assert_told(status, &error);
            assert_int_equal(solve(solver, user, &error), PERP_OK);
        }
        assert_true(failed || status == PERP_OK);
        perp_solver_destroy(solver);
        assert_int_equal(memory.live, 0);
        if (!failed)
            return;
    }
}

// How much a solve takes from its arena.
static size_t bytes_of(Solve solve, const void *user)
{
    PerpSolver *solver;
    assert_int_equal(perp_solver_create(NULL, &solver), PERP_OK);
    assert_int_equal(solve(solver, user, NULL), PERP_OK);
    size_t bytes = solver->arena.most;
    perp_solver_destroy(solver);
    return bytes;
}

// Blocks grow by doubling, so that few requests reach the allocator. Here the arena has one block
// of `room` bytes and gets no other: whatever does not fit into it fails.
static bool solve_in(size_t room, Solve solve, const void *user)
{
    PerpFailingAllocator memory = {0};
    PerpContext context = perp_failing_context(&memory);
    PerpSolver *solver;
    PerpError error = {0};
    assert_int_equal(perp_solver_create(&context, &solver), PERP_OK);
    assert_non_null(perp_arena_take(&solver->arena, room, 1));
    memory.fail_at = memory.calls + 1;
    PerpStatus status = solve(solver, user, &error);
    bool failed = memory.calls >= memory.fail_at;
    if (failed) {
        assert_told(status, &error);
        assert_int_equal(solve(solver, user, &error), PERP_OK);
    }
    assert_true(failed || status == PERP_OK);
    perp_solver_destroy(solver);
    assert_int_equal(memory.live, 0);
    return !failed;
}

// Every request of the solve fails in turn, for some room, since the room grows by the least that
// an arena hands out; beyond the first pages, where requests are large, more coarsely.
static void sweep_rooms(Solve solve, const void *user)
{
    const size_t fine = 64, pages = 32768, bytes = bytes_of(solve, user);
    const size_t coarse = fine * (1 + bytes / (1000 * fine));
    bool done = false;
    for (size_t room = fine; room < bytes + coarse; room += room < pages ? fine : coarse)
        done = solve_in(room, solve, user);
    assert_true(done);
}

static void sweep(Solve solve, const void *user)
{
    sweep_requests(solve, user);
    sweep_rooms(solve, user);
}

// --- plain and mixed LCPs -----------------------------------------------------------------------

typedef struct LcpCase {
    const PerpLcp *lcp;
    PerpLcpSettings settings;
    PerpOutcome outcome;
} LcpCase;

static PerpStatus solve_lcp_case(PerpSolver *solver, const void *user, PerpError *error)
{
    const LcpCase *c = user;
    PerpLcpResult result;
    PerpStatus status = perp_lcp_solve(solver, c->lcp, &c->settings, &result, error);
    if (!status)
        assert_int_equal(result.outcome, c->outcome);
    return status;
}

static void sweep_lcp(PerpLcpSample *s, PerpOutcome outcome, bool minimum_norm)
{
    double cover[64];
    for (int i = 0; i < 64; i++)
        cover[i] = 1 + i;
    LcpCase c = {.lcp = &s->lcp, .settings = perp_default_lcp_settings(), .outcome = outcome};
    c.settings.minimum_norm = minimum_norm;
    c.settings.cover = cover;
    sweep(solve_lcp_case, &c);
    perp_lcp_sample_free(s);
}

static void plain_lcp(void **state)
{
    (void)state;
    sweep_lcp(perp_lcp_sample_monotone(1, 15, 15, false), PERP_OUTCOME_SOLVED, false);
    sweep_lcp(perp_lcp_sample_psd(2, 15, 15, false), PERP_OUTCOME_SOLVED, false);
}

static void mixed_lcp_with_a_regular_block(void **state)
{
    (void)state;
    sweep_lcp(perp_lcp_sample_mixed(3, 20, 8), PERP_OUTCOME_SOLVED, false);
}

static void mixed_lcp_with_a_singular_block(void **state)
{
    (void)state;
    sweep_lcp(perp_lcp_sample_kkt(4, 8, 3, 2, 7), PERP_OUTCOME_SOLVED, false);
}

static void ray_of_a_plain_lcp(void **state)
{
    (void)state;
    sweep_lcp(perp_lcp_sample_infeasible(5, 12), PERP_OUTCOME_INFEASIBLE, false);
}

static void shortest_z(void **state)
{
    (void)state;
    sweep_lcp(perp_lcp_sample_psd(6, 14, 7, false), PERP_OUTCOME_SOLVED, true);
}

// --- step problems ------------------------------------------------------------------------------

typedef struct StepCase {
    const PerpProblem *problem;
    PerpProblemSettings settings;
    PerpOutcome outcome;
    int least_attempts;
} StepCase;

static PerpStatus solve_step_case(PerpSolver *solver, const void *user, PerpError *error)
{
    const StepCase *c = user;
    PerpProblemResult result;
    PerpStatus status = perp_problem_solve(solver, c->problem, &c->settings, &result, error);
    if (!status) {
        assert_int_equal(result.outcome, c->outcome);
        assert_true(result.attempts >= c->least_attempts);
    }
    return status;
}

static void sweep_step(PerpSample *s, bool minimum_norm, PerpOutcome outcome, int attempts)
{
    PerpProblem p = perp_sample_problem(s);
    StepCase c = {&p, perp_default_problem_settings(), outcome, attempts};
    c.settings.minimum_norm = minimum_norm;
    sweep(solve_step_case, &c);
    perp_sample_free(s);
}

static PerpSample *scene(void)
{
    PerpSceneOptions o = perp_default_scene_options();
    o.bodies = 2;
    o.contacts = 4;
    o.hinges = 1;
    o.redundant = 2;
    o.motors = o.limits = 1;
    return perp_sample_scene(7, &o);
}

static void step_with_joints_and_friction(void **state)
{
    (void)state;
    sweep_step(scene(), false, PERP_OUTCOME_SOLVED, 0);
}

static void shortest_impulses(void **state)
{
    (void)state;
    sweep_step(scene(), true, PERP_OUTCOME_SOLVED, 0);
}

// v >= 1 and v <= 0: the reduced problem has no answer, so the whole one is tried too
static void step_that_falls_back_on_the_whole_problem(void **state)
{
    (void)state;
    const double one = 1;
    const int body = 0;
    PerpSample *s = perp_sample_create();
    perp_sample_add_body(s, 1, &one, &one);
    perp_sample_add_box(s, (PerpSampleRow){1, &body, &one, -1}, 0, INFINITY);
    perp_sample_add_box(s, (PerpSampleRow){1, &body, &one, 0}, -INFINITY, 0);
    PerpProblem p = perp_sample_problem(s);
    PerpSolver *solver;
    PerpProblemResult result;
    assert_int_equal(perp_solver_create(NULL, &solver), PERP_OK);
    assert_int_equal(perp_problem_solve(solver, &p, NULL, &result, NULL), PERP_OK);
    PerpOutcome outcome = result.outcome;
    assert_int_not_equal(outcome, PERP_OUTCOME_SOLVED);
    perp_solver_destroy(solver);
    sweep_step(s, false, outcome, 2);
}

typedef struct ReduceCase {
    const PerpProblem *problem;
} ReduceCase;

static PerpStatus solve_reduce_case(PerpSolver *solver, const void *user, PerpError *error)
{
    const ReduceCase *c = user;
    PerpLcp lcp;
    return perp_problem_reduce(solver, c->problem, &lcp, error);
}

static void reduction(void **state)
{
    (void)state;
    PerpSceneOptions o = perp_default_scene_options();
    o.bodies = o.contacts = 20;
    o.facets = 2;
    o.balls = 2;
    PerpSample *s = perp_sample_scene(8, &o);
    PerpProblem p = perp_sample_problem(s);
    sweep(solve_reduce_case, &(ReduceCase){&p});
    perp_sample_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_lcp),
        cmocka_unit_test(mixed_lcp_with_a_regular_block),
        cmocka_unit_test(mixed_lcp_with_a_singular_block),
        cmocka_unit_test(ray_of_a_plain_lcp),
        cmocka_unit_test(shortest_z),
        cmocka_unit_test(step_with_joints_and_friction),
        cmocka_unit_test(shortest_impulses),
        cmocka_unit_test(step_that_falls_back_on_the_whole_problem),
        cmocka_unit_test(reduction),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
