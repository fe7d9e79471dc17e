// Joints, springs and actuators that exist for a part of the run.

#include "../stepping.h"

#include "perp/system.h"

#include <string.h>

static void no_gravity(PerpWorld *w)
{
    perp_world_init(w);
    perp_world_set(w->def.gravity, 0, 0, 0);
}

// Two bodies that are welded together at 0.1 s: m_a v_a + m_b v_b is kept, and the ledger has what
// the joint takes, m_a m_b/(m_a + m_b) (v_a - v_b)^2/2, as impact. Later they part as they are.
static void test_caught(void **state)
{
    (void)state;
    const double moments[3] = {0.1, 0.2, 0.3}, apart = 0.7;
    PerpWorld w;
    no_gravity(&w);
    int a = perp_world_solid(&w, 2, moments, 0, 0, 0);
    int b = perp_world_solid(&w, 3, moments, 0, 0, apart);
    w.bodies[a].velocity[2] = 1;
    int weld = perp_world_joint(&w, PERP_JOINT_WELD, a, b, 0, 0, 0);
    w.joints[weld].start = 0.1;
    w.joints[weld].end = 0.2;
    start(&w);
    run(&w, steps_of(&w, 0.1));
    assert_near(velocity(&w, b).z, 0, 0);
    run(&w, 1);
    assert_near(velocity(&w, a).z, 2.0 / 5, 1e-14);
    assert_near(velocity(&w, b).z, 2.0 / 5, 1e-14);
    const PerpEnergy *e = &perp_simulation_report(w.simulation)->energy;
    assert_near(e->impact, 6.0 / 5 / 2, 1e-14);
    assert_near(e->scheme, 0, 1e-14);
    run(&w, steps_of(&w, 0.2) - 1);
    assert_near(position(&w, b).z - position(&w, a).z, apart - 0.1, 1e-13);
    assert_near(position(&w, b).z, apart + 0.2 * 2 / 5, 1e-13);
    perp_world_end(&w);
}

// A hinge that begins while the body turns: its angle counts from there, and the body goes on about
// the anchor with the angular momentum that it has about it, (I + m l^2) w = I w_0, to order h^2.
static void test_hinge_begins(void **state)
{
    (void)state;
    const double moments[3] = {0.5, 0.5, 0.5}, l = 0.5;
    PerpWorld w;
    no_gravity(&w);
    int body = perp_world_solid(&w, 1, moments, l, 0, 0);
    w.bodies[body].spin[1] = 2;
    int hinge = perp_world_hinge(&w, -1, body, 0, 0, 0);
    w.joints[hinge].start = 0.25;
    start(&w);
    run(&w, steps_of(&w, 0.25) + 1);
    double after = 0.5 * 2 / (0.5 + l * l);
    assert_near(spin_of(&w, body).y, after, 1e-6);
    assert_near(coordinate(&w, hinge), after * w.settings.step, 1e-9);
    run(&w, 1000);
    assert_near(coordinate(&w, hinge), after * 1001 * w.settings.step, 1e-6);
    assert_near(perp_vec3_norm(position(&w, body)), l, 1e-10);
    perp_world_end(&w);
}

// A spring that is cut when it is slack leaves the speed that it gave, x_0 sqrt(k/m).
static void test_spring_is_cut(void **state)
{
    (void)state;
    const double k = 100, quarter = PI / 2 / 10;
    PerpWorld w;
    no_gravity(&w);
    w.settings.step = quarter / 256;
    int body = perp_world_point(&w, 1, 0.5, 0, 0);
    int spring = perp_world_spring(&w, -1, body, k);
    perp_world_set(w.springs[spring].anchor_a, 0, 0, 0);
    w.springs[spring].end = quarter;
    start(&w);
    run(&w, 256);
    double speed = velocity(&w, body).x;
    assert_near(speed, -0.5 * 10, 1e-4);
    run(&w, 256);
    assert_near(velocity(&w, body).x, speed, 0);
    assert_near(perp_simulation_report(w.simulation)->energy.spring, 0, 0);
    perp_world_end(&w);
}

// A force of 3 N from 0.2 s to 0.5 s on 2 kg; a servo that ends lets go.
static void test_actuators(void **state)
{
    (void)state;
    PerpWorld w;
    no_gravity(&w);
    int a = perp_world_point(&w, 2, 0, 0, 0), b = perp_world_point(&w, 1, 0, 1, 0);
    PerpActuatorDef actuators[2] = {perp_default_actuator(), perp_default_actuator()};
    for (int k = 0; k < 2; k++) {
        int rail = perp_world_joint(&w, PERP_JOINT_SLIDER, -1, k == 0 ? a : b, 0, k, 0);
        perp_world_set(w.joints[rail].axis, 1, 0, 0);
        actuators[k].joint = rail;
    }
    actuators[0].start = 0.2;
    actuators[0].end = 0.5;
    actuators[1].kind = PERP_ACTUATOR_VELOCITY;
    actuators[1].end = 0.5;
    w.def.n_actuators = 2;
    w.def.actuators = actuators;
    start(&w);
    assert_int_equal(perp_simulation_set_control(w.simulation, 0, 3, NULL), PERP_OK);
    assert_int_equal(perp_simulation_set_control(w.simulation, 1, 1, NULL), PERP_OK);
    run(&w, steps_of(&w, 0.5));
    assert_near(perp_simulation_actuator_force(w.simulation, 0), 3, 0);
    const double push[3] = {0.5, 0, 0}, none[3] = {0};
    perp_simulation_set_wrench(w.simulation, b, push, none, NULL);
    run(&w, steps_of(&w, 0.4));
    assert_near(perp_simulation_actuator_force(w.simulation, 0), 0, 0);
    assert_near(velocity(&w, a).x, 3 * 0.3 / 2, 1e-12);
    assert_near(velocity(&w, b).x, 1 + 0.5 * 0.4, 1e-12);
    perp_world_end(&w);
}

static void tumbling_pair(PerpWorld *w)
{
    const double moments[3] = {0.1, 0.2, 0.3};
    perp_world_init(w);
    int a = perp_world_solid(w, 2, moments, 0, 0, 0), b = perp_world_solid(w, 3, moments, 0, 0, 1);
    perp_world_set(w->bodies[a].spin, 1, 2, 3);
    perp_world_set(w->bodies[b].velocity, 1, 0, 0);
    int ball = perp_world_joint(w, PERP_JOINT_BALL, a, b, 0.1, 0, 0.5);
    w->joints[ball].start = 0.05;
    int spring = perp_world_spring(w, a, b, 50);
    w->springs[spring].start = 0.03;
    start(w);
}

// The same bits after a reset, and from a checkpoint behind the beginning of a joint.
static void test_same_bits(void **state)
{
    (void)state;
    static unsigned char bytes[1 << 14];
    PerpWorld w, other;
    double end[14];
    int n;
    tumbling_pair(&w);
    tumbling_pair(&other);
    run(&w, 70);
    size_t size = perp_simulation_state_size(w.simulation);
    assert_true(size <= sizeof bytes);
    perp_simulation_save(w.simulation, bytes);
    run(&w, 70);
    memcpy(end, perp_simulation_q(w.simulation, &n), sizeof end);
    assert_int_equal(perp_simulation_restore(other.simulation, bytes, size, NULL), PERP_OK);
    run(&other, 70);
    assert_memory_equal(perp_simulation_q(other.simulation, &n), end, sizeof end);
    assert_int_equal(perp_simulation_reset(w.simulation, NULL), PERP_OK);
    run(&w, 140);
    assert_memory_equal(perp_simulation_q(w.simulation, &n), end, sizeof end);
    perp_world_end(&w);
    perp_world_end(&other);
}

static bool give_up(void *user)
{
    return *(bool *)user;
}

// A step that fails where a joint begins leaves it as it was: the next try has the same bits.
static void test_failed_step(void **state)
{
    (void)state;
    bool stop = false;
    double end[14];
    int n;
    for (int round = 0; round < 2; round++) {
        PerpWorld w;
        const double moments[3] = {0.1, 0.2, 0.3};
        perp_world_init(&w);
        w.settings.interrupt = give_up;
        w.settings.interrupt_user = &stop;
        int a = perp_world_solid(&w, 2, moments, 0, 0, 0);
        int b = perp_world_solid(&w, 3, moments, 0, 0, 1);
        perp_world_set(w.bodies[a].spin, 1, 2, 3);
        int ball = perp_world_joint(&w, PERP_JOINT_BALL, a, b, 0.1, 0, 0.5);
        w.joints[ball].start = 0.01;
        start(&w);
        run(&w, 10);
        stop = round == 1;
        double before = perp_simulation_report(w.simulation)->energy.impact;
        if (stop) {
            assert_int_equal(perp_world_step(&w, 0), PERP_INTERRUPTED);
            assert_near(perp_simulation_report(w.simulation)->energy.impact, before, 0);
        }
        stop = false;
        run(&w, 10);
        const double *q = perp_simulation_q(w.simulation, &n);
        if (round == 1)
            assert_memory_equal(q, end, sizeof end);
        memcpy(end, q, sizeof end);
        perp_world_end(&w);
    }
}

static void test_refused(void **state)
{
    (void)state;
    PerpWorld w;
    perp_world_init(&w);
    int body = perp_world_point(&w, 1, 0, 0, 0);
    int joint = perp_world_joint(&w, PERP_JOINT_WELD, -1, body, 0, 0, 0);
    w.joints[joint].start = 2;
    w.joints[joint].end = 1;
    assert_int_equal(perp_world_start(&w), PERP_BAD_VALUE);
    assert_non_null(strstr(w.error.message, "from 2 s to 1 s"));
    perp_world_end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_caught),        cmocka_unit_test(test_hinge_begins),
        cmocka_unit_test(test_spring_is_cut), cmocka_unit_test(test_actuators),
        cmocka_unit_test(test_same_bits),     cmocka_unit_test(test_failed_step),
        cmocka_unit_test(test_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
