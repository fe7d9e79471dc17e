// Drive torques of planar mechanisms whose crank turns at constant speed, against virtual work:
// torque w = d(kinetic + potential energy)/dt along the closed-form motion.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "world.h"

#include <math.h>

static const double G = 9.81, OMEGA = 5, START = 0.4, TURN = 6.28318530717958647692;
enum { BODIES = 3 };

// Centre of mass in the plane x z and angle about y.
typedef struct Place {
    double x, z, angle;
} Place;

typedef struct Link {
    double mass, inertia;
} Link;

typedef struct Mechanism {
    void (*place)(double theta, Place place[BODIES]);
    Link link[BODIES];
} Mechanism;

static Place between(double x0, double z0, double x1, double z1)
{
    return (Place){(x0 + x1) / 2, (z0 + z1) / 2, atan2(x1 - x0, z1 - z0)};
}

// Crank 0.3, rod 1, slider along z.
static void place_slider_crank(double theta, Place p[BODIES])
{
    double x = 0.3 * sin(theta), z = 0.3 * cos(theta), end = z + sqrt(1 - x * x);
    p[0] = between(0, 0, x, z);
    p[1] = between(x, z, 0, end);
    p[2] = (Place){0, end, 0};
}

// Crank 0.3 at the origin, coupler 0.9, rocker 0.7 at (0.8, 0).
static void place_four_bar(double theta, Place p[BODIES])
{
    const double b = 0.9, c = 0.7, foot = 0.8;
    double x = 0.3 * sin(theta), z = 0.3 * cos(theta), dx = foot - x, dz = -z;
    double d = hypot(dx, dz), along = (d * d + b * b - c * c) / (2 * d);
    double across = sqrt(b * b - along * along);
    double ex = x + (along * dx - across * dz) / d, ez = z + (along * dz + across * dx) / d;
    p[0] = between(0, 0, x, z);
    p[1] = between(x, z, ex, ez);
    p[2] = between(foot, 0, ex, ez);
}

static Place rate(const Mechanism *m, double theta, int body)
{
    const double e = 1e-3;
    Place p[4][BODIES];
    for (int k = 0; k < 4; k++)
        m->place(theta + (k < 2 ? k - 2 : k - 1) * e, p[k]);
        // (8 (f_1 - f_-1) - (f_2 - f_-2))/(12 e)
#define RATE(part)                                                                                 \
    ((8 * (p[2][body].part - p[1][body].part) - (p[3][body].part - p[0][body].part)) / (12 * e))
    for (int k = 1; k < 4; k++) // angles without jumps
        p[k][body].angle = p[0][body].angle + remainder(p[k][body].angle - p[0][body].angle, TURN);
    return (Place){RATE(x), RATE(z), RATE(angle)};
#undef RATE
}

static double energy(const Mechanism *m, double theta)
{
    Place p[BODIES];
    double sum = 0;
    m->place(theta, p);
    for (int k = 0; k < BODIES; k++) {
        Place v = rate(m, theta, k);
        sum += OMEGA * OMEGA / 2 *
                   (m->link[k].mass * (v.x * v.x + v.z * v.z) +
                    m->link[k].inertia * v.angle * v.angle) +
               m->link[k].mass * G * p[k].z;
    }
    return sum;
}

// dE/dtheta
static double torque(const Mechanism *m, double theta)
{
    const double e = 2e-3;
    return (8 * (energy(m, theta + e) - energy(m, theta - e)) -
            (energy(m, theta + 2 * e) - energy(m, theta - 2 * e))) /
           (12 * e);
}

static void add_bodies(PerpWorld *w, const Mechanism *m)
{
    Place p[BODIES];
    m->place(START, p);
    for (int k = 0; k < BODIES; k++) {
        const double moments[3] = {m->link[k].inertia, m->link[k].inertia, m->link[k].inertia};
        Place v = rate(m, START, k);
        int body = perp_world_solid(w, m->link[k].mass, moments, p[k].x, 0, p[k].z);
        w->bodies[body].freedom = PERP_FREE_PLANAR_XZ;
        perp_world_set(w->bodies[body].velocity, OMEGA * v.x, 0, OMEGA * v.z);
        perp_world_set(w->bodies[body].spin, 0, OMEGA * v.angle, 0);
    }
}

// The drive, and the largest torque seen.
static void compare(PerpWorld *w, const Mechanism *m)
{
    PerpSignalDef signal = perp_default_signal();
    PerpActuatorDef drive = perp_default_actuator();
    PerpSensorDef sensor = perp_default_sensor();
    signal.name = "angle";
    signal.expression = "5*t";
    drive.kind = PERP_ACTUATOR_MOTION;
    drive.joint = drive.control = 0;
    sensor.kind = PERP_SENSOR_MOTOR_FORCE;
    w->def.n_signals = w->def.n_actuators = w->def.n_sensors = 1;
    w->def.signals = &signal;
    w->def.actuators = &drive;
    w->def.sensors = &sensor;
    w->settings.step = 1e-4;
    if (perp_world_start(w))
        fail_msg("%s", w->error.message);
    double worst = 0, largest = 0;
    for (int k = 0; k < 13000; k++) { // a whole turn
        if (perp_world_step(w, 0))
            fail_msg("%s", w->error.message);
        double theta = START + OMEGA * (k + 0.5) * 1e-4, expected = torque(m, theta);
        double got[PERP_SENSOR_NUMBERS];
        perp_simulation_sensor(w->simulation, 0, got);
        if (k > 0) // the first step takes velocities to the scheme's own, O(h^2) away
            worst = fmax(worst, fabs(got[0] - expected));
        largest = fmax(largest, fabs(expected));
    }
    if (!(worst < 1e-6 * largest))
        fail_msg("off by %g of %g", worst, largest);
    // work of the drive is the energy gained
    const PerpEnergy *ledger = &perp_simulation_report(w->simulation)->energy;
    double gained = energy(m, START + OMEGA * 1.3) - energy(m, START);
    assert_true(fabs(ledger->work - gained) < 1e-6 * (largest + fabs(gained)));
    assert_true(ledger->balance < 1e-6);
    perp_world_end(w);
}

static void test_slider_crank(void **state)
{
    (void)state;
    const Mechanism m = {place_slider_crank, {{2, 0.03}, {1.5, 0.12}, {3, 0.1}}};
    PerpWorld w;
    perp_world_init(&w);
    add_bodies(&w, &m);
    double x = 0.3 * sin(START), z = 0.3 * cos(START), end = z + sqrt(1 - x * x);
    perp_world_hinge(&w, -1, 0, 0, 0, 0);
    perp_world_hinge(&w, 0, 1, x, 0, z);
    perp_world_hinge(&w, 1, 2, 0, 0, end);
    perp_world_joint(&w, PERP_JOINT_SLIDER, -1, 2, 0, 0, end); // along z
    compare(&w, &m);
}

static void test_four_bar(void **state)
{
    (void)state;
    const Mechanism m = {place_four_bar, {{2, 0.03}, {1.5, 0.12}, {1, 0.05}}};
    PerpWorld w;
    Place p[BODIES];
    perp_world_init(&w);
    add_bodies(&w, &m);
    m.place(START, p);
    double x = 0.3 * sin(START), z = 0.3 * cos(START);
    perp_world_hinge(&w, -1, 0, 0, 0, 0);
    perp_world_hinge(&w, 0, 1, x, 0, z);
    perp_world_hinge(&w, 1, 2, 2 * p[1].x - x, 0, 2 * p[1].z - z);
    perp_world_hinge(&w, -1, 2, 0.8, 0, 0);
    compare(&w, &m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_slider_crank),
                                       cmocka_unit_test(test_four_bar)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
