// The step limit of geometric stiffness: light links and points that carry a heavy load.

#include "../stepping.h"

#include "perp/verdict.h"

#include <string.h>

enum { LINKS = 10 };
static const double LENGTH = 0.1, LINK = 0.07; // m, kg

// Links of 0.1 m along x, and a ball of so many kg at the end.
static int hang_chain(PerpWorld *w, double load, double h)
{
    const double slender = LINK * LENGTH * LENGTH / 12, moments[3] = {1e-5, slender, slender};
    int last = -1;
    perp_world_init(w);
    choose(w, DEFAULT_SCHEME, h);
    for (int k = 0; k < LINKS; k++) {
        int link = perp_world_solid(w, LINK, moments, LENGTH * (k + 0.5), 0, 0);
        perp_world_joint(w, PERP_JOINT_BALL, last, link, LENGTH * k, 0, 0);
        last = link;
    }
    int ball = perp_world_sphere(w, load, 0.3, LENGTH * LINKS + 0.3, 0, 0);
    perp_world_joint(w, PERP_JOINT_BALL, last, ball, LENGTH * LINKS, 0, 0);
    return ball;
}

// Released horizontal, 10 t at the end, 140 000 times the mass of a link: nothing opens, and energy
// stays. Without substeps the joints tear, at any of these lengths.
static void test_heavy_load_swings(void **state)
{
    (void)state;
    static const double lengths[] = {1e-3, 5e-3};
    PerpVec3 end[2];
    for (int i = 0; i < 2; i++) {
        PerpWorld w;
        int ball = hang_chain(&w, 1e4, lengths[i]);
        start(&w);
        double whole = 0;
        for (int k = 0; k < steps_of(&w, 0.8); k++) {
            step(&w, 0);
            const PerpStepReport *report = perp_simulation_report(w.simulation);
            assert_below(report->joint_gap, 1e-10);
            assert_int_equal(report->warnings, 0);
            whole = fmax(whole, report->energy.kinetic);
            assert_near(report->energy.kinetic + report->energy.gravity, 0, 1e-5 * (whole + 1));
        }
        end[i] = position(&w, ball);
        assert_below(end[i].z, -0.9);
        perp_world_end(&w);
    }
    assert_below(perp_vec3_norm(perp_vec3_sub(end[0], end[1])), 1e-3);
}

// What hangs at rest stays there, to the bit.
static void test_heavy_load_hangs(void **state)
{
    (void)state;
    PerpWorld w;
    int ball = hang_chain(&w, 1e4, 1e-2);
    perp_world_set(w.def.gravity, 9.81, 0, 0);
    start(&w);
    PerpVec3 before = position(&w, ball);
    run(&w, 100);
    PerpVec3 after = position(&w, ball);
    assert_below(perp_vec3_norm(perp_vec3_sub(after, before)), 1e-12);
    assert_below(perp_vec3_norm(velocity(&w, ball)), 1e-12);
    perp_world_end(&w);
}

typedef enum Line { ROD, ROPE, SPRING, DAMPER, LINES } Line;

static void add_line(PerpWorld *w, Line line, int a, int b, double x)
{
    if (line == ROD || line == ROPE) {
        PerpJointKind kind = line == ROD ? PERP_JOINT_DISTANCE : PERP_JOINT_ROPE;
        PerpJointDef *joint = &w->joints[perp_world_joint(w, kind, a, b, x, 0, 0)];
        perp_world_set(joint->anchor_b, x + 1, 0, 0);
        return;
    }
    PerpSpringDef *spring = &w->springs[perp_world_spring(w, a, b, line == SPRING ? 1e12 : 0)];
    perp_world_set(spring->anchor_a, x, 0, 0);
    spring->damping = line == DAMPER ? 1e12 : 0;
    spring->rest = 1;
}

// Points of 1 kg, 10 g and 100 kg on rods, ropes, springs or dampers of 1 m swing from the level,
// with the energy that they have (ropes that go slack jerk), to where they are by steps that need
// no division.
static void test_light_point_between_lines(void **state)
{
    (void)state;
    static const double masses[] = {1, 0.01, 100}, lengths[] = {1e-3, 1e-2};
    for (Line line = ROD; line < LINES; line++) {
        PerpVec3 end[2];
        for (int i = 0; i < 2; i++) {
            PerpWorld w;
            perp_world_init(&w);
            choose(&w, DEFAULT_SCHEME, lengths[i]);
            for (int k = 0; k < 3; k++) {
                int point = perp_world_solid(&w, masses[k], (double[]){1, 1, 1}, k + 1, 0, 0);
                w.bodies[point].freedom = PERP_FREE_POINT;
                add_line(&w, line, point - 1, point, k);
            }
            start(&w);
            run(&w, steps_of(&w, 1));
            const PerpEnergy *energy = &perp_simulation_report(w.simulation)->energy;
            double taken = energy->damper + energy->impact;
            double kept = energy->kinetic + energy->gravity + energy->spring + taken;
            assert_near(kept, 0, (line == ROPE ? 2e-3 : 2e-5) * energy->kinetic);
            end[i] = position(&w, 2);
            perp_world_end(&w);
        }
        double apart = perp_vec3_norm(perp_vec3_sub(end[0], end[1]));
        assert_below(apart, line == ROPE ? 2e-3 : 1e-4);
    }
}

static void count_problem(void *user, const PerpSolvedProblem *solved)
{
    (void)solved;
    ++*(int *)user;
}

// The next step, and how many problems it takes.
static PerpStatus step_counted(PerpWorld *w, int *problems)
{
    *problems = 0;
    start(w);
    perp_simulation_watch(w->simulation, count_problem, problems);
    return perp_world_step(w, 0);
}

// Whirled at 1000 rad/s: substeps far shorter than any that a step is divided into would be needed.
// The step ends where the energy explodes, after some per cent of them, and nothing has moved.
static void test_explosion_ends_the_step(void **state)
{
    (void)state;
    static const double turn = 1000; // rad/s
    PerpWorld w;
    int problems, ball = hang_chain(&w, 100, 0.1);
    for (int b = 0; b <= ball; b++) {
        perp_world_set(w.bodies[b].velocity, 0, 0, -turn * w.bodies[b].position[0]);
        perp_world_set(w.bodies[b].spin, 0, turn, 0);
    }
    assert_int_equal(step_counted(&w, &problems), PERP_NOT_SOLVED);
    assert_non_null(strstr(w.error.message, "the energy grew"));
    assert_non_null(strstr(w.error.message, "take shorter steps"));
    assert_in_range(problems, 2, 100);
    assert_near(perp_simulation_time(w.simulation), 0, 0);
    assert_near(position(&w, ball).x, w.bodies[ball].position[0], 0);
    assert_near(velocity(&w, ball).z, w.bodies[ball].velocity[2], 0);
    perp_world_end(&w);
}

// Pulled straight by 100 kN, the chain needs about a hundred substeps; a ball on the ground beside
// it is never solved well enough: after 32 such problems the rest of the step is made at once, and
// the verdict tells of it.
static void test_misses_end_the_division(void **state)
{
    (void)state;
    static const double tolerances[] = {1e-8, 1e-300};
    int problems[2];
    for (int i = 0; i < 2; i++) {
        PerpWorld w;
        hang_chain(&w, 1e4, 1e-2);
        perp_world_set(w.def.gravity, 9.81, 0, -0.1);
        perp_world_set(w.shapes[perp_world_plane(&w, -1, 0, 0)].position, 4, 0, 0);
        perp_world_sphere(&w, 1, 0.5, 3.5, 5, 0);
        w.settings.tolerance = tolerances[i];
        w.settings.held_tolerance = 0;
        assert_int_equal(step_counted(&w, &problems[i]), PERP_OK);
        PerpVerdict verdict = perp_simulation_verdict(w.simulation);
        assert_int_equal(verdict.check[PERP_CHECK_FASTEST_MODE].holds, i == 0);
        perp_world_end(&w);
    }
    assert_in_range(problems[0], 100, 300);
    assert_in_range(problems[1], 32, 80);
}

typedef struct Solved {
    int chain, box, anew; // problems, and those of the box that are more than certified
} Solved;

static void count_solved(void *user, const PerpSolvedProblem *solved)
{
    Solved *to = user;
    bool is_chain = solved->problem->n_joints > 0;
    to->chain += is_chain;
    to->box += !is_chain;
    to->anew += !is_chain && !solved->result->basis_reused;
}

enum { STEPS = 50 };

// A box rests beside a chain that divides the steps: it is certified in all substeps, not solved,
// as its impulses go with their length. Returns how many problems of the chain were in vain.
static int rest_beside(double load, int *substeps)
{
    static const double half[3] = {0.2, 0.2, 0.2};
    PerpWorld w;
    Solved solved = {0};
    hang_chain(&w, load, 5e-3);
    perp_world_set(w.shapes[perp_world_plane(&w, 0, 0, 1)].position, 0, 0, -5);
    int box = perp_world_box(&w, 1, half, -5, 0, half[2] - 5);
    start(&w);
    run(&w, 40); // tension grows
    perp_simulation_watch(w.simulation, count_solved, &solved);
    for (int k = 0; k < STEPS; k++) {
        step(&w, 0);
        *substeps += perp_simulation_report(w.simulation)->substeps;
    }
    assert_int_equal(solved.box, solved.chain);
    assert_int_equal(solved.anew, 0);
    assert_near(perp_vec3_norm(velocity(&w, box)), 0, 0);
    perp_world_end(&w);
    return solved.chain - *substeps;
}

// Each step begins with substeps as long as the last one's might have been where these are few,
// else with its whole length.
static void test_rests_beside_divided_steps(void **state)
{
    (void)state;
    int few = 0, many = 0;
    assert_in_range(rest_beside(50, &few), 0, STEPS / 4);
    assert_in_range(few, 3 * STEPS, 8 * STEPS);
    assert_in_range(rest_beside(1e4, &many), STEPS, 3 * STEPS);
    assert_in_range(many, 50 * STEPS, 1000 * STEPS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_heavy_load_swings),
        cmocka_unit_test(test_heavy_load_hangs),
        cmocka_unit_test(test_light_point_between_lines),
        cmocka_unit_test(test_explosion_ends_the_step),
        cmocka_unit_test(test_misses_end_the_division),
        cmocka_unit_test(test_rests_beside_divided_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
