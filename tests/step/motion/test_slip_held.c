// Motion with slip held within the step: every step is answered and certified, energy never grows,
// gaps are no more wrong than stated, and piles end up as high as on the exact law.
#include "../stepping.h"

enum { SIDE = 4, LAYERS = 4, BALLS = SIDE * SIDE * LAYERS, STEPS = 300 };
static const double RADIUS = 0.5, H = 5e-3;

// A loose stack of balls between four inclined planes, which make it slide together.
static void pour(PerpWorld *w)
{
    perp_world_init(w);
    choose(w, DEFAULT_SCHEME, H);
    for (int k = 0; k < 4; k++)
        perp_world_plane(w, 0.5 * (k == 0) - 0.5 * (k == 1), 0.5 * (k == 2) - 0.5 * (k == 3), 1);
    for (int k = 0; k < BALLS; k++) {
        int i = k % SIDE, j = k / SIDE % SIDE, layer = k / (SIDE * SIDE);
        perp_world_sphere(w, 1, RADIUS, 1.02 * (i - 1.5) + 0.011 * layer,
                          1.02 * (j - 1.5) - 0.007 * layer, 2 + 1.02 * layer);
    }
}

// What a run shows.
typedef struct Seen {
    int held, missed;
    double rise;        // J, the largest of a step
    double penetration; // m, the largest beyond what gap errors explain
    double height;      // m, mean at the end
} Seen;

static double stored(const PerpStepReport *report)
{
    return report->energy.kinetic + report->energy.gravity;
}

static Seen run_and_see(PerpWorld *w)
{
    Seen seen = {0};
    double before = INFINITY;
    start(w);
    for (int k = 0; k < STEPS; k++) {
        assert_int_equal(perp_world_step(w, 0), PERP_OK);
        const PerpStepReport *report = perp_simulation_report(w->simulation);
        bool held = report->outcome == PERP_OUTCOME_HELD;
        seen.held += held;
        seen.missed += !held && report->outcome != PERP_OUTCOME_SOLVED;
        seen.rise = fmax(seen.rise, stored(report) - before);
        seen.penetration = fmax(seen.penetration, report->penetration);
        if (held)
            assert_true(report->held.residual > 0 &&
                        report->held.residual <= w->settings.held_tolerance);
        before = stored(report);
    }
    for (int b = 0; b < BALLS; b++)
        seen.height += position(w, b).z / BALLS;
    perp_world_end(w);
    return seen;
}

static Seen run_held(double tolerance)
{
    PerpWorld w;
    pour(&w);
    w.settings.held_tolerance = tolerance;
    w.settings.methods &=
        ~(PERP_METHOD_BIT(PERP_METHOD_NEWTON_LOCAL) | PERP_METHOD_BIT(PERP_METHOD_NEWTON) | //
          PERP_METHOD_BIT(PERP_METHOD_PROXIMAL));
    return run_and_see(&w);
}

static Seen run_exact(void)
{
    PerpWorld w;
    pour(&w);
    w.settings.held_tolerance = 0;
    return run_and_see(&w);
}

static void check(const Seen *held, const Seen *exact, double energy)
{
    assert_true(held->held > STEPS / 10 && held->missed == 0);
    assert_true(held->rise <= energy + 2 * exact->rise);
    assert_below(held->penetration, 1e-4);
    assert_near(held->height, exact->height, 0.02 * exact->height);
}

// By gradients, 1e-3, and by interior points, 1e-8. Energy of thousands of joules does not rise by
// more than what the tolerance leaves open and projections bring, which they do on the exact law,
// too.
static void test_piles_as_on_the_exact_law(void **state)
{
    (void)state;
    Seen exact = run_exact(), rough = run_held(1e-3), sharp = run_held(1e-8);
    assert_int_equal(exact.held, 0);
    check(&rough, &exact, 1e-2);
    check(&sharp, &exact, 1e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_piles_as_on_the_exact_law)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
