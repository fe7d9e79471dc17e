// The projection scheme of PS02: closed forms, the printed two-step recursion, the metric of M,
// nonconvex K, the angle condition and the energy estimate.

#include "particle.h"

static const char *const SCHEME = "paoli-schatzman";

// --- the bouncing ball --------------------------------------------------------------------------

// q^n of the ball with K = R+, q_0 = 1, u_0 = -1, no force, as PS02 works it out.
static double ball_at(int n, double h, double e)
{
    int p = 0;
    while (2 * (1 - p * h) - (1 - e) * (1 - (p - 1) * h) >= 0)
        p++;
    p--; // the last with 2 q^p - (1 - e) q^{p-1} >= 0
    if (n <= p + 1)
        return 1 - n * h;
    return -e * (1 - p * h) + e * (n - p - 2) * h;
}

static const double coefficients[] = {0, 0.25, 0.5, 0.9, 1};
static const double steps[] = {0.3, 0.07, 0.013};

static void test_bouncing_ball(void **state)
{
    (void)state;
    for (int i = 0; i < 5; i++)
        for (int j = 0; j < 3; j++) {
            double e = coefficients[i], h = steps[j];
            Particle p = new_particle(1, 0, -1, 0);
            p.n_walls = 1;
            p.wall[0] = (Wall){STRAIGHT, 1, 0, 0};
            p.restitution[0] = e;
            start_particle(&p, SCHEME, h, false);
            for (int n = 1; n * h < 3; n++) {
                step_particle(&p, 0);
                assert_near(where(&p)[0], ball_at(n, h, e), 1e-13);
            }
            end_particle(&p);
        }
}

static void test_rigid_bouncing_ball(void **state)
{
    (void)state;
    for (int i = 0; i < 5; i++) {
        PerpWorld w;
        double e = coefficients[i], h = 0.013;
        perp_world_init(&w);
        w.settings.scheme = SCHEME;
        w.settings.step = h;
        perp_world_set(w.def.gravity, 0, 0, 0);
        w.materials[0].mu = 0;
        w.materials[0].restitution = e;
        perp_world_plane(&w, 0, 0, 1);
        int ball = perp_world_sphere(&w, 2, 0.1, 0, 0, 1.1);
        w.bodies[ball].velocity[2] = -1;
        start(&w);
        for (int n = 1; n * h < 3; n++) {
            step(&w, 0);
            assert_near(position(&w, ball).z - 0.1, ball_at(n, h, e), 1e-12);
            assert_int_equal(perp_simulation_report(w.simulation)->warnings, 0);
        }
        perp_world_end(&w);
    }
}

// --- the printed recursion ----------------------------------------------------------------------

// The nearest point of the quarter plane x, y >= 0 is max(q, 0), whatever the diagonal M is.
static void test_two_step_recursion(void **state)
{
    (void)state;
    for (int i = 0; i < 5; i++) {
        const double e = coefficients[i], h = 0.01, force[2] = {-0.7, -G};
        double old[2], q[2] = {0.4, 1}, u[2] = {-2, 0.3};
        Particle p = new_particle(q[0], q[1], u[0], u[1]);
        p.M[0] = 2;
        p.force[0] = 2 * force[0];
        p.force[1] = force[1];
        p.n_walls = 2;
        p.wall[0] = (Wall){STRAIGHT, 1, 0, 0};
        p.wall[1] = (Wall){STRAIGHT, 0, 1, 0};
        p.restitution[0] = p.restitution[1] = e;
        start_particle(&p, SCHEME, h, false);
        for (int k = 0; k < 2; k++)
            old[k] = q[k] - h * u[k]; // q^{-1}
        for (int n = 0; n < 600; n++) {
            step_particle(&p, 0);
            for (int k = 0; k < 2; k++) {
                double W = (2 * q[k] - (1 - e) * old[k] + h * h * force[k]) / (1 + e);
                double next = -e * old[k] + (1 + e) * fmax(W, 0);
                old[k] = q[k];
                q[k] = next;
                assert_near(where(&p)[k], q[k], 1e-10); // rounding grows as n^2
            }
        }
        end_particle(&p);
    }
}

// One constraint in a metric that is not diagonal: the impulse is along n, the velocity changes
// along M^-1 n.
static void test_metric(void **state)
{
    (void)state;
    const double M[4] = {2, 0.9, 0.9, 1}, det = 2 - 0.81, n[2] = {0.6, 0.8}, h = 0.01, e = 0.4;
    Particle p = new_particle(0.3, 0.3, -2, -1);
    memcpy(p.M, M, sizeof M);
    p.n_walls = 1;
    p.wall[0] = (Wall){STRAIGHT, n[0], n[1], 0};
    p.restitution[0] = e;
    start_particle(&p, SCHEME, h, false);
    const double y[2] = {(M[3] * n[0] - M[1] * n[1]) / det, (-M[1] * n[0] + M[0] * n[1]) / det};
    double q[2] = {0.3, 0.3}, v[2] = {-2, -1};
    for (int k = 0; k < 60; k++) {
        // 0 <= n'(q + h (u - e v)/(1 + e)), u = v + y c
        double gap = n[0] * q[0] + n[1] * q[1], s = n[0] * v[0] + n[1] * v[1];
        double c = fmax(0, -((1 + e) * gap / h + (1 - e) * s) / (n[0] * y[0] + n[1] * y[1]));
        step_particle(&p, 0);
        for (int i = 0; i < 2; i++) {
            v[i] += c * y[i];
            q[i] += h * v[i];
            assert_near(where(&p)[i], q[i], 1e-12);
        }
    }
    assert_near(v[0] * n[0] + v[1] * n[1], e * 2, 1e-12); // it has bounced
    end_particle(&p);
}

// A ball thrown at a wall, with a step of its own for each n; its speed at the end.
static double thrown(double e, double (*length)(int n), int count, int *warnings)
{
    Particle p = new_particle(1, 0, -1, 0);
    p.n_walls = 1;
    p.wall[0] = (Wall){STRAIGHT, 1, 0, 0};
    p.restitution[0] = e;
    start_particle(&p, SCHEME, 0.01, false);
    *warnings = 0;
    for (int n = 0; n < count; n++)
        *warnings += step_particle(&p, length(n))->warnings;
    double v = speed(&p)[0];
    end_particle(&p);
    return v;
}

static double any_length(int n)
{
    return 0.005 + 0.005 * (n % 3);
}

static double changes_in_flight(int n)
{
    return n < 10 ? 0.03 : 0.0099;
}

// The memory is v, not q^{n-1}: in flight, and without restitution, steps may have any length.
// Within the two steps of a bounce they should be equal: changes are told.
static void test_steps_of_any_length(void **state)
{
    (void)state;
    int warnings;
    assert_near(thrown(0, any_length, 300, &warnings), 0, 1e-13);
    assert_int_equal(warnings, 0);
    assert_near(thrown(0.5, changes_in_flight, 300, &warnings), 0.5, 1e-12);
    assert_int_equal(warnings, 0);
    thrown(0.5, any_length, 300, &warnings);
    assert_true(warnings > 0);
}

// The second step of a bounce is shorter, as the last of a run may be: the rebound is right.
static void test_one_change_within_a_bounce(void **state)
{
    (void)state;
    Particle p = new_particle(1, 0, -1, 0);
    p.n_walls = 1;
    p.wall[0] = (Wall){STRAIGHT, 1, 0, 0};
    p.restitution[0] = 0.5;
    start_particle(&p, SCHEME, 0.0123, false); // K is left in the first step of the bounce
    while (where(&p)[0] >= 0)
        step_particle(&p, 0);
    assert_int_equal(step_particle(&p, 0.002)->warnings, 1);
    assert_near(speed(&p)[0], 0.5, 1e-12);
    end_particle(&p);
}

// --- order --------------------------------------------------------------------------------------

// A ball dropped from 1 m bounces to e^2 m: the height at 1 s, mean over phases of the impact.
static double fall_error(int count)
{
    double sum = 0;
    for (int phase = 0; phase < 8; phase++) {
        const double e = 0.8, H = 1 + phase / 100.0, t = sqrt(2 * H / G), rest = 1 - t;
        Particle p = new_particle(0, H, 0, 0);
        p.force[1] = -G;
        p.n_walls = 1;
        p.wall[0] = (Wall){STRAIGHT, 0, 1, 0};
        p.restitution[0] = e;
        start_particle(&p, SCHEME, 1.0 / count, false);
        for (int k = 0; k < count; k++)
            step_particle(&p, 0);
        sum += fabs(where(&p)[1] - (e * G * t * rest - G * rest * rest / 2));
        end_particle(&p);
    }
    return sum / 8;
}

static void test_order(void **state)
{
    (void)state;
    double coarse = fall_error(200), fine = fall_error(1600);
    assert_near(log2(coarse / fine) / 3, 1, 0.2);
    assert_below(fine, 0.01);
}

// --- nonconvex K --------------------------------------------------------------------------------

// The squared distance of W to the nearest point outside both circles, by a fine search.
static double nearest_outside(const Wall wall[2], const double W[2])
{
    double best = INFINITY;
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 200000; k++) {
            double a = 2 * PI * k / 200000;
            double q[2] = {wall[i].x + wall[i].size * cos(a), wall[i].y + wall[i].size * sin(a)};
            if (wall_gap(&wall[1 - i], q) >= 0)
                best = fmin(best, hypot(q[0] - W[0], q[1] - W[1]));
        }
    return best;
}

// Two round obstacles that overlap; one long step ends in both. Argmin must choose between the
// notches and the two arcs.
static void test_nearest_point_of_nonconvex_set(void **state)
{
    (void)state;
    const double targets[][2] = {{0.15, 0.3}, {-0.1, 0.2}, {0.3, 0.6}, {0.02, 0.7}, {-0.4, 0.35}};
    for (int k = 0; k < 5; k++) {
        double x = 0.1, y = 2.5;
        Particle p = new_particle(x, y, targets[k][0] - x, targets[k][1] - y);
        p.n_walls = 2;
        p.wall[0] = (Wall){OUTSIDE, -0.5, 0, 1};
        p.wall[1] = (Wall){OUTSIDE, 0.5, 0, 1};
        start_particle(&p, SCHEME, 1, false);
        step_particle(&p, 0);
        for (int i = 0; i < 2; i++)
            assert_true(wall_gap(&p.wall[i], where(&p)) >= -1e-12);
        double distance = hypot(where(&p)[0] - targets[k][0], where(&p)[1] - targets[k][1]);
        assert_near(distance, nearest_outside(p.wall, targets[k]), 1e-4);
        end_particle(&p);
    }
}

// Z lies in K exactly on curved walls, with e = 0 the new position does.
static void test_curved_walls(void **state)
{
    (void)state;
    Particle p = new_particle(0.6, 0, 0.5, 0);
    p.force[1] = -G;
    p.n_walls = 1;
    p.wall[0] = (Wall){INSIDE, 0, 0, 1};
    start_particle(&p, SCHEME, 0.01, false);
    for (int k = 0; k < 400; k++) {
        step_particle(&p, 0);
        assert_true(wall_gap(&p.wall[0], where(&p)) >= -1e-14);
    }
    end_particle(&p);
}

// --- the angle condition ------------------------------------------------------------------------

// Warnings of a run into the corner between two walls that meet at `angle`, and of one that
// touches only one of them.
static int warnings_in_corner(double angle, double e, double coupling, bool into_corner)
{
    Particle p =
        new_particle(2 * cos(angle / 2), 2 * sin(angle / 2), -cos(angle / 2), -sin(angle / 2));
    int warnings = 0;
    p.M[1] = p.M[2] = coupling;
    p.n_walls = 2;
    p.wall[0] = (Wall){STRAIGHT, 0, 1, 0}; // the x axis, and the ray at `angle`
    p.wall[1] = (Wall){STRAIGHT, sin(angle), -cos(angle), 0};
    p.restitution[0] = p.restitution[1] = e;
    if (!into_corner) {
        p.velocity[0] = 0;
        p.velocity[1] = -1;
    }
    start_particle(&p, SCHEME, 0.01, false);
    for (int k = 0; k < 205; k++)
        warnings += step_particle(&p, 0)->warnings;
    end_particle(&p);
    return warnings;
}

// With M = 1 gradients have the cosine -cos(angle): <= 0 up to a right angle, 0 at one.
static void test_angle_condition(void **state)
{
    (void)state;
    const double third = PI / 3, right = PI / 2, wide = 2 * PI / 3;
    assert_int_equal(warnings_in_corner(third, 0, 0, true), 0);
    assert_int_equal(warnings_in_corner(right, 0, 0, true), 0);
    assert_true(warnings_in_corner(wide, 0, 0, true) > 0);
    assert_true(warnings_in_corner(third, 0.5, 0, true) > 0);
    assert_int_equal(warnings_in_corner(right, 0.5, 0, true), 0);
    assert_true(warnings_in_corner(wide, 0.5, 0, true) > 0);
    assert_int_equal(warnings_in_corner(wide, 0.5, 0, false), 0); // never in the corner
}

// The angle counts in the metric M^-1: a right angle of the plane is none if M couples x and y.
static void test_angle_condition_in_metric(void **state)
{
    (void)state;
    // grad = e_y, e_x: (M^-1)_xy = -coupling/det
    assert_int_equal(warnings_in_corner(PI / 2, 0, 0.5, true), 0);
    assert_true(warnings_in_corner(PI / 2, 0, -0.5, true) > 0);
    assert_true(warnings_in_corner(PI / 2, 0.5, 0.5, true) > 0);
}

// --- energy -------------------------------------------------------------------------------------

// |u| <= |v| + h |G| while q is in K, and the paper's estimate over two steps always:
// (V1 - V2 + h G, V2 + e V0) >= 0 for convex K, M = 1.
static void test_energy_estimate(void **state)
{
    (void)state;
    for (int i = 0; i < 5; i++) {
        const double e = coefficients[i], h = 0.01;
        Particle p = new_particle(0.3, 0.2, 2, 1);
        double V[3][2] = {{0}};
        int applied = 0;
        p.force[1] = -G;
        p.n_walls = 2;
        p.wall[0] = (Wall){INSIDE, 0, 0, 1};
        p.wall[1] = (Wall){STRAIGHT, 0.6, 0.8, -0.5};
        p.restitution[0] = p.restitution[1] = e;
        start_particle(&p, SCHEME, h, false);
        for (int n = 0; n < 600; n++) {
            const PerpBound *bound = &step_particle(&p, 0)->bound[PERP_BOUND_PS02_ENERGY];
            applied += bound->applies;
            assert_true(!bound->applies || bound->margin >= -1e-13);
            memmove(V[0], V[1], 4 * sizeof(double));
            memcpy(V[2], speed(&p), 2 * sizeof(double));
            double product = (V[1][0] - V[2][0]) * (V[2][0] + e * V[0][0]) +
                             (V[1][1] - V[2][1] - h * G) * (V[2][1] + e * V[0][1]);
            assert_true(n < 2 || product >= -1e-9);
        }
        assert_true(applied > 300 || e > 0.9);
        assert_true(e > 0 || applied == 600);
        end_particle(&p);
    }
}

// Outside a circle K is not convex and the estimate is not proved.
static void test_estimate_needs_convexity(void **state)
{
    (void)state;
    Particle p = new_particle(0.1, 1.1, 1, -1);
    int missing = 0;
    p.force[1] = -G;
    p.n_walls = 1;
    p.wall[0] = (Wall){OUTSIDE, 0, 0, 1};
    start_particle(&p, SCHEME, 0.01, false);
    for (int n = 0; n < 60; n++)
        missing += !step_particle(&p, 0)->bound[PERP_BOUND_PS02_ENERGY].applies;
    assert_true(missing > 5);
    end_particle(&p);
}

// --- rigid systems ------------------------------------------------------------------------------

// A ball on an elastic string, as a rigid point mass and as a custom system.
static void test_rigid_and_custom_agree(void **state)
{
    (void)state;
    PerpWorld w;
    Particle p = new_particle(0.6, 0, 0.5, 0);
    p.M[0] = p.M[3] = 2;
    p.force[1] = -2 * G;
    p.n_walls = 1;
    p.wall[0] = (Wall){INSIDE, 0, 0, 1};
    p.restitution[0] = 0.7;
    start_particle(&p, SCHEME, 0.01, false);
    perp_world_init(&w);
    w.settings.scheme = SCHEME;
    w.settings.step = 0.01;
    int ball = perp_world_point(&w, 2, 0.6, 0, 0);
    w.bodies[ball].velocity[0] = 0.5;
    int rope = perp_world_joint(&w, PERP_JOINT_ROPE, -1, ball, 0, 0, 0);
    w.joints[rope].length = 1;
    w.joints[rope].restitution = 0.7;
    start(&w);
    for (int k = 0; k < 150; k++) {
        step(&w, 0);
        step_particle(&p, 0);
        assert_near(position(&w, ball).x, where(&p)[0], 1e-9);
        assert_near(position(&w, ball).z, where(&p)[1], 1e-9);
    }
    perp_world_end(&w);
    end_particle(&p);
}

// Joints have e = 0 beside contacts with their own e: a hinged bar that falls on a post.
static void test_joints_beside_bounces(void **state)
{
    (void)state;
    PerpWorld w;
    const double half[3] = {0.5, 0.05, 0.05};
    perp_world_init(&w);
    w.settings.scheme = SCHEME;
    w.settings.step = 1e-3;
    w.materials[0].mu = 0;
    w.materials[0].restitution = 0.5;
    int bar = perp_world_box(&w, 1, half, 0.5, 0, 1);
    int hinge = perp_world_hinge(&w, -1, bar, 0, 0, 1);
    int plane = perp_world_plane(&w, 0, 0, 1);
    perp_world_set(w.shapes[plane].position, 0, 0, 0.4);
    start(&w);
    double before = 0, after = 0, last = 0;
    for (int k = 0; k < 700; k++) {
        step(&w, 0);
        assert_below(perp_simulation_report(w.simulation)->joint_gap, 1e-12);
        double spin = spin_of(&w, bar).y;
        if (last * spin < 0 && before == 0)
            before = last;
        if (before != 0 && fabs(spin) > fabs(after) && before * spin < 0)
            after = spin;
        last = spin;
    }
    assert_true(coordinate(&w, hinge) != 0);
    assert_near(after / before, -0.5, 0.05);
    perp_world_end(&w);
}

// Friction in a scene is left out, and said.
static void test_friction_warns(void **state)
{
    (void)state;
    for (int rough = 0; rough < 2; rough++) {
        Particle p = new_particle(0, 0, 1, 0);
        p.force[1] = -G;
        p.n_walls = 1;
        p.wall[0] = (Wall){STRAIGHT, 0, 1, 0};
        p.mu[0] = 0.5 * rough;
        start_particle(&p, SCHEME, 0.01, false);
        assert_int_equal(step_particle(&p, 0)->warnings, rough);
        assert_near(speed(&p)[0], 1, 1e-15);
        end_particle(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bouncing_ball),
        cmocka_unit_test(test_rigid_bouncing_ball),
        cmocka_unit_test(test_two_step_recursion),
        cmocka_unit_test(test_metric),
        cmocka_unit_test(test_steps_of_any_length),
        cmocka_unit_test(test_one_change_within_a_bounce),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_nearest_point_of_nonconvex_set),
        cmocka_unit_test(test_curved_walls),
        cmocka_unit_test(test_angle_condition),
        cmocka_unit_test(test_angle_condition_in_metric),
        cmocka_unit_test(test_energy_estimate),
        cmocka_unit_test(test_estimate_needs_convexity),
        cmocka_unit_test(test_rigid_and_custom_agree),
        cmocka_unit_test(test_joints_beside_bounces),
        cmocka_unit_test(test_friction_warns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
