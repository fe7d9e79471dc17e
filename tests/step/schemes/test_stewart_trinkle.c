// The method of ST97 section 3: closed forms, no overlap at the ends of steps, the contraction of
// its iteration, dissipation, and the friction cones of 3.1.

#include "particle.h"

static const char *const SCHEME = "stewart-trinkle";

// --- closed forms -------------------------------------------------------------------------------

// Falls freely until the step that would pass the floor ends on it; the next has v = 0: the impact
// is spread over two steps. Returns how far the run is from that.
static double landing_error(double y, double v, double h)
{
    Particle p = new_particle(0, y, 0, v);
    p.force[1] = -G;
    p.n_walls = 1;
    p.wall[0] = (Wall){STRAIGHT, 0, 1, 0};
    start_particle(&p, SCHEME, h, false);
    double worst = 0;
    for (int k = 0; k < 200; k++) {
        v = fmax(v - h * G, -y / h); // 0 <= y + h v_new  perp  c_n >= 0
        y += h * v;
        step_particle(&p, 0);
        worst = fmax(worst, fmax(fabs(where(&p)[1] - y), h * fabs(speed(&p)[1] - v)));
    }
    assert_near(speed(&p)[1], 0, 1e-12);
    end_particle(&p);
    return worst;
}

static void test_landing(void **state)
{
    (void)state;
    assert_below(landing_error(1, 0, 0.01), 1e-13);
    assert_below(landing_error(1, -3, 0.017), 1e-13);
    assert_below(landing_error(0, 2, 0.0093), 1e-13);
}

// The same fall as a rigid body, a ball of radius 0.1.
static void test_rigid_landing(void **state)
{
    (void)state;
    PerpWorld w;
    const double h = 0.01;
    double y = 1, v = 0;
    perp_world_init(&w);
    w.settings.scheme = SCHEME;
    w.settings.step = h;
    perp_world_plane(&w, 0, 0, 1);
    int ball = perp_world_sphere(&w, 2, 0.1, 0, 0, 0.1 + y);
    start(&w);
    for (int k = 0; k < 100; k++) {
        v = fmax(v - h * G, -y / h);
        y += h * v;
        step(&w, 0);
        assert_near(position(&w, ball).z - 0.1, y, 1e-13);
    }
    assert_near(y, 0, 1e-15);
    perp_world_end(&w);
}

// --- curved constraints -------------------------------------------------------------------------

static Particle new_bead(double angle)
{
    Particle p = new_particle(sin(angle), -cos(angle), 0, 0);
    p.force[1] = -G;
    p.n_walls = 1;
    p.wall[0] = (Wall){INSIDE, 0, 0, 1};
    return p;
}

// The deepest overlap of a bead that slides in a bowl.
static double deepest(bool linear, double h)
{
    Particle p = new_bead(1.2);
    double least = 0;
    start_particle(&p, SCHEME, h, linear);
    for (int k = 0; k * h < 2; k++) {
        step_particle(&p, 0);
        least = fmin(least, wall_gap(&p.wall[0], where(&p)));
    }
    end_particle(&p);
    return -least;
}

static void test_no_overlap_with_iteration(void **state)
{
    (void)state;
    assert_below(deepest(false, 0.02), 1e-14);
    assert_below(deepest(false, 0.005), 1e-14);
    double linear[2] = {deepest(true, 0.02), deepest(true, 0.01)};
    assert_true(linear[0] > 1e-4); // one linear problem a step is off by h^2 v^2/(2 r)
    assert_near(linear[0] / linear[1], 4, 0.5);
}

// The angle of a pendulum by Runge's and Kutta's method, with 20000 steps.
static double pendulum(double angle, double t)
{
    double x = angle, w = 0, h = t / 20000;
    for (int k = 0; k < 20000; k++) {
        double a1 = -G * sin(x), w2 = w + h / 2 * a1;
        double a2 = -G * sin(x + h / 2 * w), w3 = w + h / 2 * a2;
        double a3 = -G * sin(x + h / 2 * w2), w4 = w + h * a3, a4 = -G * sin(x + h * w3);
        x += h / 6 * (w + 2 * w2 + 2 * w3 + w4);
        w += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
    }
    return x;
}

// The bead is a pendulum as long as it is pressed against the bowl.
static double bead_error(bool linear, int steps)
{
    Particle p = new_bead(1.2);
    start_particle(&p, SCHEME, 0.9 / steps, linear);
    for (int k = 0; k < steps; k++)
        step_particle(&p, 0);
    double error = atan2(where(&p)[0], -where(&p)[1]) - pendulum(1.2, 0.9);
    end_particle(&p);
    return error;
}

static void test_order(void **state)
{
    (void)state;
    for (int linear = 0; linear < 2; linear++) {
        double e[3];
        for (int k = 0; k < 3; k++)
            e[k] = fabs(bead_error(linear, 200 << k));
        assert_near(log2(e[0] / e[1]), 1, 0.15);
        assert_near(log2(e[1] / e[2]), 1, 0.1);
        assert_below(e[2], 0.01);
    }
}

// Positions converge with order 1 also through an impact, on average over its phases.
static double mean_error_after_impact(int steps)
{
    double sum = 0;
    for (int phase = 0; phase < 8; phase++) {
        Particle p = new_particle(0, 1 + phase / 80.0, 1, 0);
        p.force[1] = -G;
        p.n_walls = 1;
        p.wall[0] = (Wall){STRAIGHT, 0.6, 0.8, 0}; // a slope: slides down after the impact
        double y = p.position[1];
        start_particle(&p, SCHEME, 1.0 / steps, false);
        for (int k = 0; k < steps; k++)
            step_particle(&p, 0);
        // n'q = 0.6 t + 0.8 (y - g t^2/2) = 0, then the speed along the slope stays and grows
        double t = (0.6 + sqrt(0.36 + 2 * 0.8 * 0.8 * y * G)) / (0.8 * G), rest = 1 - t;
        double along = 0.8 * t - 0.6 * (y - G * t * t / 2), v = 0.8 + 0.6 * G * t;
        double exact = along + v * rest + 0.6 * G * rest * rest / 2;
        sum += fabs(0.8 * where(&p)[0] - 0.6 * where(&p)[1] - exact);
        end_particle(&p);
    }
    return sum / 8;
}

static void test_order_through_impact(void **state)
{
    (void)state;
    double coarse = mean_error_after_impact(200), fine = mean_error_after_impact(800);
    assert_near(log2(coarse / fine) / 2, 1, 0.2);
}

// The factor of the iteration of 3.4 falls as h does; "10^-2 or better".
static double contraction(double h)
{
    Particle p = new_bead(1.2);
    double sum = 0;
    int count = 0;
    start_particle(&p, SCHEME, h, false);
    for (int k = 0; k * h < 0.5; k++, count++) {
        const PerpStepReport *report = step_particle(&p, 0);
        assert_int_equal(report->warnings, 0);
        assert_true(report->iterations >= 2);
        sum += report->contraction;
    }
    end_particle(&p);
    return sum / count;
}

static void test_contraction_falls_with_h(void **state)
{
    (void)state;
    double coarse = contraction(0.04), middle = contraction(0.01), fine = contraction(0.0025);
    assert_true(coarse > 2 * middle && middle > 2 * fine && fine > 0);
    assert_below(middle, 1e-2);
}

// A bead thrown across the bowl so fast that the iteration does not converge: the linear step.
static void test_divergence_is_told(void **state)
{
    (void)state;
    Particle p[2];
    const PerpStepReport *report[2];
    for (int linear = 0; linear < 2; linear++) {
        p[linear] = new_bead(1.2);
        p[linear].velocity[0] = 300;
        p[linear].velocity[1] = 200;
        start_particle(&p[linear], SCHEME, 0.1, linear);
        report[linear] = step_particle(&p[linear], 0);
    }
    assert_int_equal(report[0]->warnings, 1);
    assert_non_null(strstr(report[0]->warning, "did not converge"));
    assert_int_equal(report[1]->warnings, 0);
    for (int i = 0; i < 2; i++)
        assert_near(where(&p[0])[i], where(&p[1])[i], 1e-9);
    end_particle(&p[0]);
    end_particle(&p[1]);
}

// --- energy -------------------------------------------------------------------------------------

// (1/2) v'M v + k'q of the paper never grows, M and k constant                          [ST97 3.5]
static void test_dissipation(void **state)
{
    (void)state;
    for (int run = 0; run < 6; run++) {
        Particle p = new_particle(0.3, 1, 2.5 - run, 0.5 * run - 3);
        p.force[0] = 0.4 * run;
        p.force[1] = -G;
        p.M[0] = 2;
        p.M[1] = p.M[2] = 0.1 * run;
        p.n_walls = 3;
        p.wall[0] = (Wall){STRAIGHT, 0, 1, 0};
        p.wall[1] = (Wall){STRAIGHT, 0.8, 0.6, -0.5};
        p.wall[2] = (Wall){STRAIGHT, -1, 0, -1};
        for (int i = 0; i < 3; i++)
            p.mu[i] = 0.15 * run;
        start_particle(&p, SCHEME, 0.01, false);
        double before = INFINITY;
        for (int k = 0; k < 400; k++) {
            const PerpStepReport *report = step_particle(&p, 0);
            const PerpBound *bound = &report->bound[PERP_BOUND_ST97_DISSIPATION];
            const PerpEnergy *e = &report->energy;
            assert_true(bound->applies || e->kinetic < 1e-12);
            assert_true(!bound->applies || bound->margin > -1e-12 || e->kinetic < 1e-12);
            assert_below(e->kinetic + e->gravity, before + 1e-12);
            before = e->kinetic + e->gravity;
        }
        end_particle(&p);
    }
}

// --- the same system in other clothes -----------------------------------------------------------

// A ball on a string, as a rigid point mass and as a custom system.
static void test_rigid_and_custom_agree(void **state)
{
    (void)state;
    PerpWorld w;
    Particle p = new_particle(0.6, 0, 0.5, 0);
    p.M[0] = p.M[3] = 2;
    p.force[1] = -2 * G;
    p.n_walls = 1;
    p.wall[0] = (Wall){INSIDE, 0, 0, 1};
    start_particle(&p, SCHEME, 0.01, false);
    perp_world_init(&w);
    w.settings.scheme = SCHEME;
    w.settings.step = 0.01;
    int ball = perp_world_point(&w, 2, 0.6, 0, 0);
    w.bodies[ball].velocity[0] = 0.5;
    w.joints[perp_world_joint(&w, PERP_JOINT_ROPE, -1, ball, 0, 0, 0)].length = 1;
    start(&w);
    for (int k = 0; k < 300; k++) {
        step(&w, 0);
        step_particle(&p, 0);
        assert_near(position(&w, ball).x, where(&p)[0], 1e-11);
        assert_near(position(&w, ball).z, where(&p)[1], 1e-11);
    }
    perp_world_end(&w);
    end_particle(&p);
}

// Polar coordinates (r, angle from below): M = diag(1, r^2) depends on q.
static void polar_mass(void *user, const double *q, double *M)
{
    (void)user;
    M[0] = 1;
    M[1] = M[2] = 0;
    M[3] = q[0] * q[0];
}

static void polar_force(void *user, double t, const double *q, const double *v, double *k)
{
    (void)user, (void)t;
    k[0] = q[0] * v[1] * v[1] + G * cos(q[1]);
    k[1] = -2 * q[0] * v[0] * v[1] - q[0] * G * sin(q[1]);
}

static void polar_wall(void *user, const double *q, double *phi)
{
    (void)user;
    phi[0] = 1 - q[0];
}

// Distance of the runs in polar and in Cartesian coordinates.
static double polar_difference(int steps)
{
    PerpError error;
    PerpSimulation *polar;
    PerpSystemDef def = perp_default_system();
    PerpSimulationSettings settings = perp_default_simulation_settings();
    const double start_q[2] = {0.5, 1}, start_v[2] = {0, 1};
    int n;
    def.n = 2;
    def.position = start_q;
    def.velocity = start_v;
    def.mass = polar_mass;
    def.force = polar_force;
    def.n_constraints = 1;
    def.constraints = polar_wall;
    settings.scheme = SCHEME;
    settings.step = 1.2 / steps;
    assert_int_equal(perp_simulation_create_custom(NULL, &def, &settings, &polar, &error), PERP_OK);
    Particle p = new_particle(0.5 * sin(1), -0.5 * cos(1), 0.5 * cos(1), 0.5 * sin(1));
    p.force[1] = -G;
    p.n_walls = 1;
    p.wall[0] = (Wall){INSIDE, 0, 0, 1};
    start_particle(&p, SCHEME, settings.step, false);
    for (int k = 0; k < steps; k++) {
        step_particle(&p, 0);
        assert_int_equal(perp_simulation_step(polar, 0, &error), PERP_OK);
    }
    const double *q = perp_simulation_q(polar, &n);
    double off = hypot(q[0] * sin(q[1]) - where(&p)[0], -q[0] * cos(q[1]) - where(&p)[1]);
    perp_simulation_destroy(polar);
    end_particle(&p);
    return off;
}

static void test_mass_matrix_of_q(void **state)
{
    (void)state;
    double e[3] = {polar_difference(500), polar_difference(2000), polar_difference(8000)};
    assert_near(log2(e[0] / e[2]) / 4, 1, 0.25);
    assert_below(e[2], 2e-3);
}

// --- friction cones of 3.1 ----------------------------------------------------------------------

// A ball that slides on a floor of material 0, without turning.
static int place_slider(PerpWorld *w, double vx, double vy)
{
    perp_world_init(w);
    w->settings.scheme = SCHEME;
    w->settings.step = 0.01;
    perp_world_plane(w, 0, 0, 1);
    int ball = perp_world_sphere(w, 2, 0.1, 0, 0, 0.1);
    w->bodies[ball].freedom = PERP_FREE_POINT;
    w->bodies[ball].velocity[0] = vx;
    w->bodies[ball].velocity[1] = vy;
    return ball;
}

// The change of velocity in one step.
static PerpVec3 friction_of(PerpWorld *w, int body)
{
    start(w);
    PerpVec3 before = velocity(w, body);
    step(w, 0);
    PerpVec3 change = perp_vec3_sub(velocity(w, body), before);
    perp_world_end(w);
    return change;
}

// The cone generated by n + mu d_i: slip against a corner of the octagon meets mu g, slip between
// two corners their one impulse, mu g cos(pi/8) against it.
static void test_octagonal_cone(void **state)
{
    (void)state;
    for (int k = 0; k < 32; k++) {
        PerpWorld w;
        double angle = k * PI / 16 + 0.01;
        int ball = place_slider(&w, 3 * cos(angle), 3 * sin(angle));
        w.materials[0].mu = 0.5;
        PerpVec3 change = friction_of(&w, ball);
        double corner = round(angle / (PI / 4)) * PI / 4;
        assert_near(change.x, -0.5 * G * 0.01 * cos(corner), 1e-12);
        assert_near(change.y, -0.5 * G * 0.01 * sin(corner), 1e-12);
    }
}

// d_i = (cos, (mu_2/mu) sin): the corner with the greatest dissipation, not the nearest one
static void test_anisotropic_cone(void **state)
{
    (void)state;
    const double mu = 0.6, second = 0.2;
    for (int k = 0; k < 32; k++) {
        PerpWorld w;
        double angle = k * PI / 16 + 0.01, best = -INFINITY, d[2] = {0, 0};
        int ball = place_slider(&w, 3 * cos(angle), 3 * sin(angle));
        w.materials[0].mu = mu;
        w.materials[0].mu_second = second;
        perp_world_set(w.materials[0].axis, 1, 0, 0);
        PerpVec3 change = friction_of(&w, ball);
        for (int i = 0; i < 8; i++) {
            double x = mu * cos(i * PI / 4), y = second * sin(i * PI / 4);
            if (x * cos(angle) + y * sin(angle) > best) {
                best = x * cos(angle) + y * sin(angle);
                d[0] = x;
                d[1] = y;
            }
        }
        assert_near(change.x, -G * 0.01 * d[0], 1e-12);
        assert_near(change.y, -G * 0.01 * d[1], 1e-12);
    }
}

// A soft finger carries the torque torsion c_n about the normal: the spin falls by
// torsion m g h/I a step and ends at rest.
static void test_soft_finger(void **state)
{
    (void)state;
    PerpWorld w;
    const double I = 0.4 * 2 * 0.01, torsion = 0.02;
    perp_world_init(&w);
    w.settings.scheme = SCHEME;
    w.settings.step = 0.001;
    w.materials[0].torsion = torsion;
    perp_world_plane(&w, 0, 0, 1);
    int ball = perp_world_sphere(&w, 2, 0.1, 0, 0, 0.1);
    w.bodies[ball].spin[2] = 5;
    start(&w);
    double fall = torsion * 2 * G * 0.001 / I;
    for (int k = 1; k <= 200; k++) {
        step(&w, 0);
        assert_near(spin_of(&w, ball).z, fmax(5 - k * fall, 0), 1e-11);
    }
    assert_near(spin_of(&w, ball).z, 0, 1e-12);
    perp_world_end(&w);
}

// --- what it cannot do --------------------------------------------------------------------------

// Restitution is not part of the method: an impact that should bounce is told, once.
static void test_restitution_warns(void **state)
{
    (void)state;
    for (int bouncy = 0; bouncy < 2; bouncy++) {
        Particle p = new_particle(0, 0.5, 0, 0);
        int warnings = 0;
        p.force[1] = -G;
        p.n_walls = 1;
        p.wall[0] = (Wall){STRAIGHT, 0, 1, 0};
        p.restitution[0] = bouncy ? 0.5 : 0;
        start_particle(&p, SCHEME, 0.01, false);
        for (int k = 0; k < 100; k++)
            warnings += step_particle(&p, 0)->warnings;
        assert_true(bouncy ? warnings == 1 || warnings == 2 : warnings == 0);
        assert_near(where(&p)[1], 0, 1e-14);
        end_particle(&p);
    }
}

// The rod of 1.4 with far too much friction: no acceleration, but a step.
static void test_painleve_rod_jams(void **state)
{
    (void)state;
    PerpWorld w;
    const double moments[3] = {1e-3, 1.0 / 3, 1.0 / 3};
    perp_world_init(&w);
    w.settings.scheme = SCHEME;
    w.settings.step = 1e-3;
    w.materials[0].mu = 5;
    perp_world_plane(&w, 0, 0, 1);
    int rod = perp_world_solid(&w, 1, moments, cos(1.2), 0, sin(1.2)); // left tip at the origin
    w.bodies[rod].freedom = PERP_FREE_PLANAR_XZ;
    w.bodies[rod].velocity[0] = -1;
    int tip = perp_world_shape(&w, PERP_SHAPE_SPHERE, rod);
    w.shapes[tip].size[0] = 1e-9;
    perp_world_set(w.shapes[tip].position, -cos(1.2), 0, -sin(1.2));
    start(&w);
    step(&w, 0);
    // the tip stands still: a jam within one step
    PerpVec3 v = velocity(&w, rod), spin = spin_of(&w, rod);
    assert_near(v.x - spin.y * sin(1.2), 0, 5e-3);
    assert_true(fabs(spin.y) > 0.5);
    perp_world_end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_landing),
        cmocka_unit_test(test_rigid_landing),
        cmocka_unit_test(test_no_overlap_with_iteration),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_order_through_impact),
        cmocka_unit_test(test_contraction_falls_with_h),
        cmocka_unit_test(test_divergence_is_told),
        cmocka_unit_test(test_dissipation),
        cmocka_unit_test(test_rigid_and_custom_agree),
        cmocka_unit_test(test_mass_matrix_of_q),
        cmocka_unit_test(test_octagonal_cone),
        cmocka_unit_test(test_anisotropic_cone),
        cmocka_unit_test(test_soft_finger),
        cmocka_unit_test(test_restitution_warns),
        cmocka_unit_test(test_painleve_rod_jams),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
