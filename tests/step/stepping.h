// What the tests of motion share: worlds that must start and step, what is asked of them, and the
// observed order of convergence.
#ifndef PERP_TEST_STEPPING_H
#define PERP_TEST_STEPPING_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "math/quat.h"
#include "world.h"

#include <math.h>

static const double PI = 3.14159265358979323846;
static const double G = 9.81; // m/s^2, the world's default

// The schemes that all tests of motion apply to; the others have tests of their own.
enum { DEFAULT_SCHEME, ANITESCU_POTRA, DAMPED, SCHEME_COUNT };

// The tolerance where figures are compared to more digits than the default one gives: problems with
// round cones are solved as far as they are asked for, those of pivots to rounding.
static const double SHARP = 1e-12;

static inline void start(PerpWorld *w)
{
    if (perp_world_start(w))
        fail_msg("%s", w->error.message);
}

// One step; every problem of it must be solved to its certificate.
static inline void step(PerpWorld *w, double h)
{
    if (perp_world_step(w, h))
        fail_msg("%s", w->error.message);
    const PerpStepReport *report = perp_simulation_report(w->simulation);
    if (report->outcome != PERP_OUTCOME_SOLVED)
        fail_msg("t = %g: certificate %g, outcome %d", report->t, report->certificate.worst,
                 (int)report->outcome);
}

// `steps` steps of settings.step
static inline void run(PerpWorld *w, int steps)
{
    for (int k = 0; k < steps; k++)
        step(w, 0);
}

static inline int steps_of(const PerpWorld *w, double seconds)
{
    return (int)lround(seconds / w->settings.step);
}

static inline void choose(PerpWorld *w, int scheme, double h)
{
    w->settings.scheme = perp_scheme_name(scheme);
    w->settings.step = h;
}

static inline PerpVec3 position(const PerpWorld *w, int body)
{
    double x[3], q[4];
    perp_simulation_pose(w->simulation, body, x, q);
    return perp_vec3_load(x);
}

static inline PerpQuat rotation(const PerpWorld *w, int body)
{
    double x[3], q[4];
    perp_simulation_pose(w->simulation, body, x, q);
    return (PerpQuat){q[0], q[1], q[2], q[3]};
}

static inline PerpVec3 velocity(const PerpWorld *w, int body)
{
    double v[3], spin[3];
    perp_simulation_velocity(w->simulation, body, v, spin);
    return perp_vec3_load(v);
}

static inline PerpVec3 spin_of(const PerpWorld *w, int body)
{
    double v[3], spin[3];
    perp_simulation_velocity(w->simulation, body, v, spin);
    return perp_vec3_load(spin);
}

static inline double energy_of(const PerpWorld *w)
{
    const PerpEnergy *e = &perp_simulation_report(w->simulation)->energy;
    return e->kinetic + e->gravity + e->spring;
}

static inline double coordinate(const PerpWorld *w, int joint)
{
    return perp_simulation_coordinate(w->simulation, joint, 0);
}

static inline double distance(PerpVec3 a, PerpVec3 b)
{
    return perp_vec3_norm(perp_vec3_sub(a, b));
}

#define assert_near(value, expected, tolerance)                                                    \
    assert_near_at(value, expected, tolerance, #value, __FILE__, __LINE__)

static inline void assert_near_at(double value, double expected, double tolerance, const char *text,
                                  const char *file, int line)
{
    if (fabs(value - expected) <= tolerance)
        return;
    print_error("%s = %.15g, not %.15g: off by %g, more than %g\n", text, value, expected,
                value - expected, tolerance);
    _fail(file, line);
}

#define assert_below(value, bound) assert_below_at(value, bound, #value, __FILE__, __LINE__)

static inline void assert_below_at(double value, double bound, const char *text, const char *file,
                                   int line)
{
    if (value <= bound)
        return;
    print_error("%s = %.15g, more than %g\n", text, value, bound);
    _fail(file, line);
}

// --- order of convergence -----------------------------------------------------------------------

// The error of a run with `steps` steps.
typedef double (*ErrorOfRun)(int scheme, int steps);

// Errors with n, 2n and 4n steps fall by 2^order each time; the run with 4n is also close.
static inline void assert_order(ErrorOfRun error, int scheme, int n, double order, double close)
{
    double e[3];
    for (int k = 0; k < 3; k++)
        e[k] = fabs(error(scheme, n << k));
    double seen[2] = {log2(e[0] / e[1]), log2(e[1] / e[2])};
    if (e[2] <= close && fabs(seen[0] - order) <= 0.35 && fabs(seen[1] - order) <= 0.25)
        return;
    fail_msg("%s: errors %.3g %.3g %.3g: orders %.2f %.2f, not %.0f, or the last above %g",
             perp_scheme_name(scheme), e[0], e[1], e[2], seen[0], seen[1], order, close);
}

// The arithmetic-geometric mean, for complete elliptic integrals: K(k) = pi / (2 agm(1, k')).
static inline double agm(double a, double b)
{
    for (int k = 0; k < 40 && fabs(a - b) > 1e-16 * a; k++) {
        double mean = (a + b) / 2;
        b = sqrt(a * b);
        a = mean;
    }
    return a;
}

#endif
