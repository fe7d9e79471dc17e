// Mechanisms with springs against closed forms: stick-slip, a beam of links, a car, soft bounces.
#include "scenario.h"

// A block that a spring pulls at speed V sticks until k V t = mu m g. Then, with w^2 = k/m,
// x' = V (1 - cos w t): it comes to rest once a period, and x = V t - V/w sin w t.
static void test_stick_slip(void **state)
{
    (void)state;
    static const char text[] =
        "parameters: {mu: 0.3, m: 2, k: 200, V: 0.1}\n"
        "run: {h: 5e-4}\n"
        "materials: {default: {mu: mu}}\n"
        "world: [{plane: [0, 0, 1]}]\n"
        "bodies:\n"
        "  block: {box: [0.2, 0.2, 0.1], mass: m, at: [0, 0, 0.05], free: planar-xz}\n"
        "  puller: {box: [0.1, 0.1, 0.1], at: [1, 0, 0.05], group: 2, touches: [3]}\n"
        "motions: {puller: {position: [1 + V*t, \"0\", 0.05]}}\n"
        "springs:\n"
        "  s: {between: [block, puller], from: [0, 0, 0], to: [1, 0, 0], stiffness: k, rest: 1}\n"
        "sensors: {x: {signal: block.x}, v: {signal: block.vx}}\n";
    Scenario s = scenario(text, NULL, 0);
    const double w = 10, V = 0.1, start = 0.3 * 2 * G / 200 / V;
    run_until(&s, start - 5e-3);
    assert_near(sensed(&s, "v", 0), 0, 0);
    PerpError error;
    for (int k = 1; k <= 8; k++) {
        run_until(&s, start + 0.11 * k);
        if (perp_simulation_step(s.simulation, 0, &error)) // signals are those of its beginning
            fail_msg("%s", error.message);
        double t = perp_simulation_time(s.simulation) - 5e-4 - start;
        assert_near(sensed(&s, "x", 0), V * t - V / w * sin(w * t), 2e-5);
        assert_near(sensed(&s, "v", 0), V * (1 - cos(w * t)), 4e-4);
    }
    end_scenario(&s);
}

// A beam of n stiff links with hinges of K = E I/l: a load P at its end bends it by
// P l^2/K sum(j^2), j = 1 .. n, which is P L^3/(3 E I) (1 + 1/n)(1 + 1/(2 n)).
static void test_beam(void **state)
{
    (void)state;
    static const char text[] =
        "gravity: [0, 0, 0]\n"
        "parameters: {n: 8, l: 0.125, K: 4e5, P: 20}\n"
        "run: {h: 2e-3}\n"
        "repeat:\n"
        "  - for: {i: 0..7}\n"
        "    bodies:\n"
        "      \"link-{i}\": {mass: 0.1, inertia: [2e-4, 2e-4, 2e-4], at: [(i + 0.5)*l, 0, 0]}\n"
        "  - for: {i: 1..7}\n"
        "    joints:\n"
        "      \"h-{i}\": {hinge: [\"link-{i - 1}\", \"link-{i}\"], at: [i*l, 0, 0], axis: [0, 1, "
        "0],\n"
        "               spring: {stiffness: K, damping: 2000}}\n"
        "joints:\n"
        "  h-0: {hinge: [world, link-0], at: [0, 0, 0], axis: [0, 1, 0],\n"
        "        spring: {stiffness: K, damping: 2000}}\n"
        "forces: {load: {body: link-7, at: [l/2, 0, 0], force: [0, 0, -P]}}\n"
        "sites: {tip: {body: link-7, at: [l/2, 0, 0]}}\n"
        "sensors: {tip: {position: tip}}\n";
    Scenario s = scenario(text, NULL, 0);
    run_until(&s, 0.6);
    double expected = 20 * 0.125 * 0.125 / 4e5 * (8 * 9 * 17 / 6.0);
    assert_near(sensed(&s, "tip", 2), -expected, 1e-5 * expected);
    double beam = 20 * 1.0 / (3 * 4e5 * 0.125); // P L^3/(3 E I)
    assert_near(expected, beam * (1 + 1 / 8.0) * (1 + 1 / 16.0), 1e-15);
    end_scenario(&s);
}

// When the tip passes 0 from below for the first, second and third time, and the energy then: it
// swings mostly in the first mode.
static void find_passages(double h, double time[3], double energy[3])
{
    static const char text[] =
        "gravity: [0, 0, 0]\n"
        "parameters: {h: 2e-3, l: 0.125, K: 1600, m: 0.375}\n"
        "run: {h: h}\n"
        "repeat:\n"
        "  - for: {i: 0..7}\n"
        "    bodies:\n"
        "      \"link-{i}\": {mass: m, inertia: [m*l^2/12, m*l^2/12, m*l^2/12],\n"
        "                  at: [(i + 0.5)*l, 0, 0], velocity: [0, 0, -1e-3*(i + 0.5)^2],\n"
        "                  spin: [0, 2e-3*(i + 0.5)/l, 0]}\n"
        "  - for: {i: 1..7}\n"
        "    joints:\n"
        "      \"h-{i}\": {hinge: [\"link-{i - 1}\", \"link-{i}\"], at: [i*l, 0, 0],\n"
        "               axis: [0, 1, 0], spring: {stiffness: K}}\n"
        "joints: {h-0: {hinge: [world, link-0], at: [0, 0, 0], axis: [0, 1, 0],\n"
        "               spring: {stiffness: 2*K}}}\n"
        "sites: {tip: {body: link-7, at: [l/2, 0, 0]}}\n"
        "sensors: {tip: {position: tip}}\n";
    Scenario s = scenario(text, "h", h);
    const PerpStepReport *report = perp_simulation_report(s.simulation);
    double last = 0;
    for (int found = 0; found < 3;) {
        run_until(&s, perp_simulation_time(s.simulation) + h);
        double z = sensed(&s, "tip", 2);
        if (last < 0 && z >= 0) {
            time[found] = perp_simulation_time(s.simulation) - h * z / (z - last);
            energy[found++] = report->energy.kinetic + report->energy.spring;
        }
        last = z;
    }
    end_scenario(&s);
}

// The same beam swings with W of Euler and Bernoulli, W^2 = 1.8751^4 E I/(rho A L^4), but for 0.7 %
// of eight links, whether steps resolve a link (sqrt(z) = 0.3) or not (sqrt(z) = 5). As long as
// they do not, it loses 1 - exp(-h W^2 t) of its energy, which docs/compliance.md tells.
static void test_beam_swings(void **state)
{
    (void)state;
    const double W = pow(1.8751040687, 2) * sqrt(1600 * 0.125 / 3.0), steps[] = {2e-3, 1e-4};
    for (int i = 0; i < 2; i++) {
        double time[3], energy[3];
        find_passages(steps[i], time, energy);
        assert_near(2 * PI / (time[2] - time[1]), W, 0.01 * W);
        double kept = energy[2] / energy[1], t = time[2] - time[1];
        assert_near(kept, i == 0 ? exp(-steps[i] * W * W * t) : 1, i == 0 ? 0.02 : 1e-3);
    }
}

// A car on four springs at (+-a, +-b): it heaves with w^2 = 4 k/m, pitches with 4 k a^2/I_y and
// rolls with 4 k b^2/I_x. After a period of each motion it is back.
static void test_car(void **state)
{
    (void)state;
    static const char text[] =
        "gravity: [0, 0, 0]\n"
        "parameters: {mode: 0, k: 2e4, m: 1200, a: 1.3, b: 0.75, d: 1e-3}\n"
        "run: {h: 1e-3}\n"
        "bodies:\n"
        "  car: {mass: m, inertia: [500, 2000, 2200], at: [0, 0, 1], free: [z, rotation-x, "
        "rotation-y],\n"
        "        velocity: [0, 0, \"if(mode == 0, d, 0)\"],\n"
        "        spin: [\"if(mode == 2, d, 0)\", \"if(mode == 1, d, 0)\", 0]}\n"
        "repeat:\n"
        "  - for: {i: 0..1, j: 0..1}\n"
        "    springs:\n"
        "      \"s-{i}-{j}\": {between: [world, car], from: [a*(2*i - 1), b*(2*j - 1), 0],\n"
        "                  to: [a*(2*i - 1), b*(2*j - 1), 1], stiffness: k, rest: 1}\n"
        "sites: {c: {body: car}}\n"
        "sensors: {v: {velocity: c}, w: {gyroscope: c}}\n";
    const double w[3] = {sqrt(4 * 2e4 / 1200), sqrt(4 * 2e4 * 1.3 * 1.3 / 2000),
                         sqrt(4 * 2e4 * 0.75 * 0.75 / 500)};
    for (int mode = 0; mode < 3; mode++) {
        Scenario s = scenario(text, "mode", mode);
        for (int k = 1; k <= 3; k++) { // v = d cos w t
            run_until(&s, 0.7 * k);
            double t = perp_simulation_time(s.simulation), expected = 1e-3 * cos(w[mode] * t);
            double found = mode == 0   ? sensed(&s, "v", 2)
                           : mode == 1 ? sensed(&s, "w", 1)
                                       : sensed(&s, "w", 0);
            assert_near(found, expected, 2e-7);
        }
        end_scenario(&s);
    }
}

// A mass between two springs, 1e8 and 3e8 N/m, one above and one below: they share its weight as
// 1 : 3, it sinks by m g/(k_1 + k_2).
static void test_between_springs(void **state)
{
    (void)state;
    static const char text[] =
        "parameters: {k: 1e8}\n"
        "run: {h: 1e-3}\n"
        "bodies: {mass: {sphere: 0.1, mass: 50, at: [0, 0, 0], free: [z]}}\n"
        "springs:\n"
        "  up: {between: [world, mass], from: [0, 0, 1], to: [0, 0, 0], stiffness: k, damping: "
        "1e5,\n"
        "       rest: 1}\n"
        "  down: {between: [world, mass], from: [0, 0, -1], to: [0, 0, 0], stiffness: 3*k,\n"
        "         damping: 3e5, rest: 1}\n"
        "sites: {c: {body: mass}}\n"
        "sensors: {z: {position: c}}\n";
    Scenario s = scenario(text, NULL, 0);
    run_until(&s, 0.5);
    assert_near(sensed(&s, "z", 2), -50 * G / 4e8, 1e-6 * 50 * G / 4e8);
    end_scenario(&s);
}

// A mass between two taut springs of any stiffness is a string: to the side it swings with
// w^2 = 2 T/(m L), however stiff they are along themselves.
static void test_taut_string(void **state)
{
    (void)state;
    static const char text[] =
        "gravity: [0, 0, 0]\n"
        "parameters: {k: 1e8, T: 1000, a: 1e-5}\n"
        "run: {h: 5e-4}\n"
        "bodies: {mass: {mass: 1, free: point, at: [0, 0, a]}}\n"
        "springs:\n"
        "  left: {between: [world, mass], from: [-1, 0, 0], to: [0, 0, a], stiffness: k,\n"
        "         rest: 1 - T/k}\n"
        "  right: {between: [world, mass], from: [1, 0, 0], to: [0, 0, a], stiffness: k,\n"
        "          rest: 1 - T/k}\n"
        "sites: {c: {body: mass}}\n"
        "sensors: {z: {position: c}}\n";
    const double w = sqrt(2000);
    for (double k = 1e4; k <= 1e10; k *= 100) {
        Scenario s = scenario(text, "k", k);
        for (int i = 1; i <= 4; i++) {
            run_until(&s, 0.04 * i);
            double t = perp_simulation_time(s.simulation);
            assert_near(sensed(&s, "z", 2), 1e-5 * cos(w * t), 2e-8);
        }
        end_scenario(&s);
    }
}

// A damper alone stops a mass after m v/c, and takes all its energy, in both schemes.
static void test_damper_alone(void **state)
{
    (void)state;
    static const char text[] =
        "gravity: [0, 0, 0]\n"
        "parameters: {c: 1}\n"
        "run: {h: 1e-2}\n"
        "bodies: {mass: {mass: 1, inertia: [1, 1, 1], at: [1, 0, 0], velocity: [1, 0, 0]}}\n"
        "springs: {d: {between: [world, mass], from: [0, 0, 0], to: [1, 0, 0], stiffness: 0,\n"
        "              damping: c}}\n"
        "sites: {c: {body: mass}}\n"
        "sensors: {x: {position: c}}\n";
    static const char *const schemes[] = {"default", "trapezoidal-damped"};
    for (int scheme = 0; scheme < 2; scheme++)
        for (double c = 1; c <= 1e12; c *= 100) {
            Scenario s = scenario_of(text, "c", c, schemes[scheme]);
            run_until(&s, 0.5);
            const PerpEnergy *energy = &perp_simulation_report(s.simulation)->energy;
            double x = sensed(&s, "x", 0) - 1;
            assert_near(x, (1 - exp(-0.5 * c)) / c, 1e-3);
            assert_near(energy->damper, (1 - exp(-c)) / 2, 2e-5);
            assert_near(energy->scheme, 0, 1e-6);
            end_scenario(&s);
        }
}

// An elastic bounce on a soft floor never gains energy, wherever in a step it begins and ends, and
// loses little: 1e-5 at 30 steps of contact.
static void test_bounce_never_gains(void **state)
{
    (void)state;
    static const char text[] =
        "gravity: [0, 0, 0]\n"
        "parameters: {gap: 0.001}\n"
        "run: {h: 1e-3}\n"
        "materials: {default: {stiffness: 2e4}}\n"
        "world: [{plane: [0, 0, 1]}]\n"
        "bodies: {ball: {sphere: 0.1, mass: 1, at: [0, 0, 0.1 + gap], velocity: [0, 0, -1]}}\n"
        "sites: {c: {body: ball}}\n"
        "sensors: {v: {velocity: c}}\n";
    for (int k = 0; k < 20; k++) {
        Scenario s = scenario(text, "gap", 0.001 + 0.00017 * k);
        run_until(&s, 0.06);
        double v = sensed(&s, "v", 2);
        assert_true(v <= 1 + 1e-12);
        assert_near(v, 1, 1e-5);
        end_scenario(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stick_slip),      cmocka_unit_test(test_beam),
        cmocka_unit_test(test_beam_swings),     cmocka_unit_test(test_car),
        cmocka_unit_test(test_between_springs), cmocka_unit_test(test_taut_string),
        cmocka_unit_test(test_damper_alone),    cmocka_unit_test(test_bounce_never_gains),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
