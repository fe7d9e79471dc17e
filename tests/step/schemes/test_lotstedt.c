// The event-driven scheme of L82 against closed forms: flights, bounces, pendulums, constraints
// that are left and met, dependent ones, rates, friction, degenerate changes of the active set.

#include "../stepping.h"
#include "perp/system.h"

#include <string.h>

// --- custom systems: a few masses in given forces ------------------------------------------------

enum { MOST = 4 };

typedef struct Toy {
    PerpSystemDef def;
    double q[MOST], v[MOST];
    PerpSimulationSettings settings;
    PerpSimulation *simulation;
} Toy;

static void unit_mass(void *user, const double *q, double *M)
{
    const Toy *toy = user;
    (void)q;
    for (int i = 0; i < toy->def.n * toy->def.n; i++)
        M[i] = i % (toy->def.n + 1) == 0;
}

// along the last coordinate
static void weight(void *user, double t, const double *q, const double *v, double *k)
{
    const Toy *toy = user;
    (void)t, (void)q, (void)v;
    k[toy->def.n - 1] = -G;
}

static double height_energy(void *user, const double *q)
{
    return G * q[((const Toy *)user)->def.n - 1];
}

static void begin_toy(Toy *toy, int n)
{
    *toy = (Toy){.def = perp_default_system(), .settings = perp_default_simulation_settings()};
    toy->def.n = n;
    toy->def.user = toy;
    toy->def.mass = unit_mass;
    toy->def.force = weight;
    toy->def.potential = height_energy;
    toy->def.position = toy->q;
    toy->def.velocity = toy->v;
    toy->settings.scheme = "lotstedt";
}

static void start_toy(Toy *toy)
{
    PerpError error = {0};
    if (perp_simulation_create_custom(NULL, &toy->def, &toy->settings, &toy->simulation, &error))
        fail_msg("%s", error.message);
}

static const PerpStepReport *report_of(const Toy *toy)
{
    return perp_simulation_report(toy->simulation);
}

// To time t in steps of h. Bounds that apply must hold.
static void run_toy(Toy *toy, double t, double h)
{
    PerpError error = {0};
    while (perp_simulation_time(toy->simulation) < t - 1e-12) {
        double rest = t - perp_simulation_time(toy->simulation);
        if (perp_simulation_step(toy->simulation, fmin(h, rest), &error))
            fail_msg("%s", error.message);
        assert_int_equal(report_of(toy)->outcome, PERP_OUTCOME_SOLVED);
        for (int i = 0; i < PERP_BOUND_COUNT; i++)
            if (report_of(toy)->bound[i].applies)
                assert_below(-report_of(toy)->bound[i].margin, 1e-12);
    }
}

static double q_of(const Toy *toy, int i)
{
    int count;
    return perp_simulation_q(toy->simulation, &count)[i];
}

static double v_of(const Toy *toy, int i)
{
    int count;
    return perp_simulation_v(toy->simulation, &count)[i];
}

static double energy_of_toy(const Toy *toy)
{
    const PerpEnergy *e = &report_of(toy)->energy;
    return e->kinetic + e->gravity + e->spring;
}

static void end_toy(Toy *toy)
{
    perp_simulation_destroy(toy->simulation);
}

// --- bounces -------------------------------------------------------------------------------------

static void choose_lotstedt(PerpWorld *w, double h)
{
    w->settings.scheme = "lotstedt";
    w->settings.step = h;
}

// where a ball dropped from height 1 is at time t, with restitution e
static double height_of_bouncing(double t, double e)
{
    double fall = sqrt(2 / G), speed = G * fall;
    if (t < fall)
        return 1 - G * t * t / 2;
    for (t -= fall; speed > 1e-12; t -= 2 * speed / G) {
        speed *= e;
        if (t < 2 * speed / G)
            return speed * t - G * t * t / 2;
    }
    return 0;
}

static void test_ball_bounces(void **state)
{
    (void)state;
    PerpWorld w;
    perp_world_init(&w);
    choose_lotstedt(&w, 0.05);
    perp_world_plane(&w, 0, 0, 1);
    w.materials[0].restitution = 0.8;
    w.materials[0].mu = 0;
    int ball = perp_world_sphere(&w, 2, 0.1, 0, 0, 1.1);
    w.bodies[ball].velocity[0] = 3;
    start(&w);
    for (int k = 1; k <= 40; k++) {
        step(&w, 0);
        assert_near(position(&w, ball).z - 0.1, height_of_bouncing(0.05 * k, 0.8), 1e-9);
        assert_near(position(&w, ball).x, 3 * 0.05 * k, 1e-9);
    }
    assert_below(perp_simulation_report(w.simulation)->energy.balance, 1e-9);
    perp_world_end(&w);
}

// t = sqrt(2 H/g) (1 + e)/(1 - e); what is cut off after the last bounce of speed v is 2 v/(g(1 -
// e))
static void test_accumulation_point_is_passed(void **state)
{
    (void)state;
    static const double e[] = {0.5, 0.8};
    for (int i = 0; i < 2; i++) {
        PerpWorld w;
        perp_world_init(&w);
        choose_lotstedt(&w, 0.1);
        w.settings.restitution_threshold = 1e-5;
        perp_world_plane(&w, 0, 0, 1);
        w.materials[0].restitution = e[i];
        int ball = perp_world_sphere(&w, 2, 0.1, 0, 0, 1.1);
        start(&w);
        double end = sqrt(2 / G) * (1 + e[i]) / (1 - e[i]);
        double cut = 2e-5 / (G * (1 - e[i]));
        step(&w, end - 100 * cut);
        assert_true(fabs(velocity(&w, ball).z) > 0 || position(&w, ball).z > 0.1);
        assert_true(perp_simulation_report(w.simulation)->impacts > 10);
        step(&w, 100 * cut + 1e-6);
        assert_near(position(&w, ball).z, 0.1, 1e-12);
        assert_near(velocity(&w, ball).z, 0, 1e-15);
        step(&w, 1);
        assert_near(position(&w, ball).z, 0.1, 1e-12);
        perp_world_end(&w);
    }
}

// --- pendulums -----------------------------------------------------------------------------------

static void rod(void *user, const double *q, double *theta)
{
    (void)user;
    theta[0] = (q[0] * q[0] + q[1] * q[1] - 1) / 2;
}

// T = 2 pi / (agm(1, cos(A/2)) sqrt(g)), with the rod as a constraint in Cartesian coordinates
static void test_pendulum_period(void **state)
{
    (void)state;
    double period = 2 * PI / (agm(1, cos(0.5)) * sqrt(G));
    Toy toy;
    begin_toy(&toy, 2);
    toy.def.n_joints = 1;
    toy.def.joints = rod;
    toy.q[0] = sin(1);
    toy.q[1] = -cos(1);
    start_toy(&toy);
    run_toy(&toy, 3 * period, 0.1);
    assert_near(q_of(&toy, 0), sin(1), 1e-9);
    assert_near(q_of(&toy, 1), -cos(1), 1e-9);
    assert_below(report_of(&toy)->joint_gap, 1e-13);
    assert_near(energy_of_toy(&toy), -G * cos(1), 1e-9);
    end_toy(&toy);
}

// a rigid bar on a hinge: T of a pendulum of length I/(m d)
static void test_rigid_pendulum_period(void **state)
{
    (void)state;
    PerpWorld w;
    const double moments[3] = {0.1, 0.2, 0.15};
    perp_world_init(&w);
    choose_lotstedt(&w, 0.05);
    int bar = perp_world_solid(&w, 2, moments, 0.5, 0, 0);
    int hinge = perp_world_hinge(&w, bar, -1, 0, 0, 0);
    start(&w);
    double length = (0.2 + 2 * 0.25) / (2 * 0.5);
    double period = 2 * PI / (agm(1, cos(PI / 4)) * sqrt(G / length));
    run(&w, (int)(period / 0.05));
    step(&w, period - perp_simulation_time(w.simulation));
    assert_near(coordinate(&w, hinge), 0, 1e-9);
    assert_near(position(&w, bar).x, 0.5, 1e-9);
    perp_world_end(&w);
}

// --- constraints that are left and met -----------------------------------------------------------

static void outside_circle(void *user, const double *q, double *phi)
{
    (void)user;
    phi[0] = hypot(q[0], q[1]) - 1;
}

// it leaves at cos(theta) = 2/3 cos(theta_0), and keeps its horizontal speed from there on
static void test_bead_leaves_a_sphere(void **state)
{
    (void)state;
    double c0 = cos(0.3), c = 2 * c0 / 3;
    Toy toy;
    begin_toy(&toy, 2);
    toy.def.n_constraints = 1;
    toy.def.constraints = outside_circle;
    toy.q[0] = sin(0.3);
    toy.q[1] = cos(0.3);
    start_toy(&toy);
    run_toy(&toy, 0.2, 0.1);
    assert_near(hypot(q_of(&toy, 0), q_of(&toy, 1)), 1, 1e-13);
    run_toy(&toy, 1, 0.1);
    assert_near(v_of(&toy, 0), sqrt(2 * G * (c0 - c)) * c, 1e-9);
    assert_near(energy_of_toy(&toy), G * c0, 1e-9);
    end_toy(&toy);
}

static void inside_circle(void *user, const double *q, double *phi)
{
    (void)user;
    phi[0] = 1 - hypot(q[0], q[1]);
}

// a ball on a string of length 1, dropped at (x, 0): at z = -sqrt(1 - x^2) the string is taut and
// takes the radial part of the velocity; a pendulum remains
static void test_string_becomes_taut(void **state)
{
    (void)state;
    double x = 0.5, z = -sqrt(1 - x * x), speed = sqrt(-2 * G * z), tangential = speed * x;
    Toy toy;
    begin_toy(&toy, 2);
    toy.def.n_constraints = 1;
    toy.def.constraints = inside_circle;
    toy.q[0] = x;
    start_toy(&toy);
    run_toy(&toy, 2, 0.1);
    assert_near(energy_of_toy(&toy), tangential * tangential / 2 + G * z, 1e-9);
    assert_near(hypot(q_of(&toy, 0), q_of(&toy, 1)), 1, 1e-12);
    assert_near(report_of(&toy)->energy.impact, speed * speed * z * z / 2, 1e-9);
    end_toy(&toy);
}

// (x, z, angle from the floor) of a ladder of length 2 that leans against a wall
static void ladder_mass(void *user, const double *q, double *M)
{
    (void)user, (void)q;
    M[0] = M[4] = 1;
    M[1] = M[2] = M[3] = M[5] = M[6] = M[7] = 0;
    M[8] = 1. / 3;
}

static void ladder_weight(void *user, double t, const double *q, const double *v, double *k)
{
    (void)user, (void)t, (void)q, (void)v;
    k[1] = -G;
}

static void ladder_ends(void *user, const double *q, double *phi)
{
    (void)user;
    phi[0] = q[0] - cos(q[2]); // the upper end at the wall
    phi[1] = q[1] - sin(q[2]); // the lower end on the floor
}

// it leaves the wall at sin(angle) = 2/3 sin(angle_0)
static void test_ladder_leaves_the_wall(void **state)
{
    (void)state;
    double s0 = sin(1.2), speed = 2 * s0 / 3 * sqrt(G * s0 / 2);
    Toy toy;
    begin_toy(&toy, 3);
    toy.def.mass = ladder_mass;
    toy.def.force = ladder_weight;
    toy.def.potential = NULL;
    toy.def.n_constraints = 2;
    toy.def.constraints = ladder_ends;
    toy.q[0] = cos(1.2);
    toy.q[1] = s0;
    toy.q[2] = 1.2;
    start_toy(&toy);
    run_toy(&toy, 0.9, 0.1);
    assert_near(v_of(&toy, 0), speed, 1e-9);
    assert_near(q_of(&toy, 1), sin(q_of(&toy, 2)), 1e-12);
    assert_true(q_of(&toy, 0) - cos(q_of(&toy, 2)) > 0.01);
    end_toy(&toy);
}

// --- dependent constraints -----------------------------------------------------------------------

// (tilt about x, tilt about y, height) of a table with four legs; user loads it aside
static double load_x;

static void table_weight(void *user, double t, const double *q, const double *v, double *k)
{
    (void)user, (void)t, (void)q, (void)v;
    k[1] = -load_x * G;
    k[2] = -G;
}

static void table_legs(void *user, const double *q, double *phi)
{
    (void)user;
    for (int i = 0; i < 4; i++)
        phi[i] = q[2] + (i & 1 ? 1 : -1) * q[0] + (i & 2 ? 1 : -1) * q[1];
}

// four legs, three independent: it stands whatever shares they have, and tips about two of them if
// loaded beyond: then tilt'' = (x g - g)/(1 + 1), as the edge is the axis
static void test_table_on_four_legs(void **state)
{
    (void)state;
    static const double load[] = {0, 0.9, 1.5};
    for (int i = 0; i < 3; i++) {
        Toy toy;
        load_x = load[i];
        begin_toy(&toy, 3);
        toy.def.force = table_weight;
        toy.def.potential = NULL;
        toy.def.n_constraints = 4;
        toy.def.constraints = table_legs;
        start_toy(&toy);
        run_toy(&toy, 1, 0.1);
        double tilt = load[i] > 1 ? -(load[i] - 1) * G / 4 : 0;
        assert_near(q_of(&toy, 1), tilt, 1e-10);
        assert_near(q_of(&toy, 2), -tilt, 1e-10);
        assert_near(q_of(&toy, 0), 0, 1e-10);
        assert_true(report_of(&toy)->bound[PERP_BOUND_L82_UNIQUE].applies);
        assert_int_equal(report_of(&toy)->warnings, 0);
        end_toy(&toy);
    }
}

// --- nonholonomic constraints --------------------------------------------------------------------

static void push_to_and_fro(void *user, double t, const double *q, const double *v, double *k)
{
    (void)user, (void)q, (void)v;
    k[0] = cos(t);
}

static void forward_only(void *user, const double *q, double *G_)
{
    (void)user, (void)q;
    G_[0] = 1;
}

// v >= 0 under cos t: sin t up to pi, at rest up to 3 pi/2, sin t + 1 from there  [L82 (2.1c)]
static void test_rate_constraint(void **state)
{
    (void)state;
    Toy toy;
    begin_toy(&toy, 1);
    toy.def.force = push_to_and_fro;
    toy.def.potential = NULL;
    toy.def.n_rates = 1;
    toy.def.rates = forward_only;
    start_toy(&toy);
    run_toy(&toy, 3, 0.5);
    assert_near(v_of(&toy, 0), sin(3), 1e-9);
    run_toy(&toy, 4, 0.5);
    assert_near(v_of(&toy, 0), 0, 1e-15);
    assert_near(q_of(&toy, 0), 2, 1e-9);
    run_toy(&toy, 6, 0.5);
    assert_near(v_of(&toy, 0), sin(6) + 1, 1e-8);
    assert_near(q_of(&toy, 0), 2 + 6 - 1.5 * PI - cos(6), 1e-8);
    end_toy(&toy);
}

// --- degenerate changes of the active set --------------------------------------------------------

static double degree, sign_of_force;

static void power_of_time(void *user, double t, const double *q, const double *v, double *k)
{
    (void)user, (void)q, (void)v;
    k[0] = sign_of_force * pow(t, degree);
}

static void above_zero(void *user, const double *q, double *phi)
{
    (void)user;
    phi[0] = q[0];
}

// At rest on phi = q >= 0 under f = +-t^p: lambda = delta = 0 at t = 0. With p = 1 their first
// derivatives decide, with p = 2 they do not, which is said; the motion is right all the same.
static void test_derivatives_decide(void **state)
{
    (void)state;
    for (degree = 1; degree <= 2; degree++)
        for (sign_of_force = -1; sign_of_force <= 1; sign_of_force += 2) {
            Toy toy;
            begin_toy(&toy, 1);
            toy.def.force = power_of_time;
            toy.def.potential = NULL;
            toy.def.n_constraints = 1;
            toy.def.constraints = above_zero;
            start_toy(&toy);
            run_toy(&toy, 0.5, 0.5);
            assert_int_equal(report_of(&toy)->warnings, degree > 1);
            run_toy(&toy, 2, 0.5);
            double free = pow(2, degree + 2) / ((degree + 1) * (degree + 2));
            assert_near(q_of(&toy, 0), sign_of_force > 0 ? free : 0, 1e-9);
            end_toy(&toy);
        }
}

// --- friction ------------------------------------------------------------------------------------

// A box on a plane inclined by `angle`, the plane's normal in the x-z plane.
static int place_box(PerpWorld *w, double angle, double mu)
{
    perp_world_init(w);
    choose_lotstedt(w, 0.1);
    perp_world_plane(w, sin(angle), 0, cos(angle));
    w->materials[0].mu = mu;
    const double half[3] = {0.4, 0.3, 0.1};
    int box = perp_world_box(w, 2, half, 0.1 * sin(angle), 0, 0.1 * cos(angle));
    perp_world_turn(w, box, 0, angle, 0);
    return box;
}

static void test_box_on_an_incline(void **state)
{
    (void)state;
    static const double mu[] = {0.3, 0.6};
    double angle = 0.5; // tan = 0.546
    for (int i = 0; i < 2; i++) {
        PerpWorld w;
        int box = place_box(&w, angle, mu[i]);
        PerpVec3 from;
        start(&w);
        from = position(&w, box);
        run(&w, 10);
        double a = fmax(G * (sin(angle) - mu[i] * cos(angle)), 0);
        assert_near(distance(position(&w, box), from), a / 2, 1e-9);
        assert_near(perp_vec3_norm(velocity(&w, box)), a, 1e-9);
        assert_near(perp_vec3_norm(spin_of(&w, box)), 0, 1e-9);
        assert_below(perp_simulation_report(w.simulation)->energy.balance, 1e-9);
        perp_world_end(&w);
    }
}

// pushed across the slope, a box that grips stops: its path is that of the ODE, its rest is rest
static void test_sliding_box_stops(void **state)
{
    (void)state;
    PerpWorld w;
    int box = place_box(&w, 0, 0.5);
    w.bodies[box].velocity[0] = 1.2;
    w.bodies[box].velocity[1] = 1.6;
    start(&w);
    run(&w, 10);
    double distance = 2 * 2 / (2 * 0.5 * G);
    assert_near(position(&w, box).x, 0.6 * distance, 1e-9);
    assert_near(position(&w, box).y, 0.8 * distance, 1e-9);
    assert_near(perp_vec3_norm(velocity(&w, box)), 0, 1e-14);
    assert_near(perp_simulation_report(w.simulation)->energy.friction, 4, 1e-9);
    perp_world_end(&w);
}

// a ball that slides rolls when v = 5/7 v0, at t = 2 v0/(7 mu g)
static void test_sliding_ball_rolls(void **state)
{
    (void)state;
    PerpWorld w;
    perp_world_init(&w);
    choose_lotstedt(&w, 0.1);
    perp_world_plane(&w, 0, 0, 1);
    w.materials[0].mu = 0.2;
    int ball = perp_world_sphere(&w, 2, 0.1, 0, 0, 0.1);
    w.bodies[ball].velocity[0] = 3;
    start(&w);
    double t = 2 * 3 / (7 * 0.2 * G), distance = 3 * t - 0.1 * G * t * t;
    run(&w, 10);
    assert_near(velocity(&w, ball).x, 15. / 7, 1e-9);
    assert_near(spin_of(&w, ball).y, 15. / 0.7, 1e-7);
    assert_near(position(&w, ball).x, distance + 15. / 7 * (1 - t), 1e-9);
    perp_world_end(&w);
}

// a motor that is too weak to hold its speed at once: torque bound, then speed held  [L82 (6.4)]
static void test_motor_has_a_bound(void **state)
{
    (void)state;
    PerpWorld w;
    const double moments[3] = {1, 2, 1};
    perp_world_init(&w);
    choose_lotstedt(&w, 0.1);
    perp_world_set(w.def.gravity, 0, 0, 0);
    int wheel = perp_world_solid(&w, 1, moments, 0, 0, 0);
    int hinge = perp_world_hinge(&w, wheel, -1, 0, 0, 0);
    w.joints[hinge].axis_def[0].motor_speed = 3;
    w.joints[hinge].axis_def[0].motor_force = 4;
    start(&w);
    run(&w, 30);
    assert_near(fabs(coordinate(&w, hinge)), 3 * 3 - 3 * 1.5 / 2, 1e-9);
    assert_near(perp_simulation_report(w.simulation)->energy.work, 2 * 9 / 2., 1e-9);
    perp_world_end(&w);
}

// dry friction in a hinge stops a wheel after w^2 I/(2 torque)  [L82 (6.4)-(6.5)]
static void test_dry_friction_stops(void **state)
{
    (void)state;
    PerpWorld w;
    const double moments[3] = {1, 2, 1};
    perp_world_init(&w);
    choose_lotstedt(&w, 0.1);
    int wheel = perp_world_solid(&w, 1, moments, 0, 0, 0);
    int hinge = perp_world_hinge(&w, wheel, -1, 0, 0, 0);
    w.joints[hinge].axis_def[0].friction = 4;
    w.bodies[wheel].spin[1] = 3;
    start(&w);
    run(&w, 20);
    assert_near(fabs(coordinate(&w, hinge)), 9 * 2 / (2 * 4.), 1e-9);
    assert_near(perp_vec3_norm(spin_of(&w, wheel)), 0, 1e-14);
    assert_near(perp_simulation_report(w.simulation)->energy.friction, 9, 1e-9);
    perp_world_end(&w);
}

static void plane_gap(void *user, const double *q, double *phi)
{
    (void)user;
    phi[0] = q[2];
}

static void plane_tangents(void *user, const double *q, int constraint, double *T)
{
    (void)user, (void)q, (void)constraint;
    memset(T, 0, 6 * sizeof(double));
    T[0] = T[4] = 1;
}

// down x, normal z, of a plane inclined by atan(0.5)
static void inclined_weight(void *user, double t, const double *q, const double *v, double *k)
{
    (void)user, (void)t, (void)q, (void)v;
    k[0] = G * sin(atan(0.5));
    k[2] = -G * cos(atan(0.5));
}

// With mu = tan(slope) a mass pushed across the slope keeps |v| + v_down, whatever its path, which
// turns downhill: friction is on the circle, not on a polygon.
static void test_slip_turns_downhill(void **state)
{
    (void)state;
    const double mu = 0.5;
    Toy toy;
    begin_toy(&toy, 3);
    toy.def.force = inclined_weight;
    toy.def.potential = NULL;
    toy.def.n_constraints = 1;
    toy.def.constraints = plane_gap;
    toy.def.mu = &mu;
    toy.def.n_tangents = 2;
    toy.def.tangents = plane_tangents;
    toy.v[1] = 2;
    start_toy(&toy);
    for (int k = 1; k <= 5; k++) {
        run_toy(&toy, 0.3 * k, 0.1);
        assert_near(hypot(v_of(&toy, 0), v_of(&toy, 1)) + v_of(&toy, 0), 2, 1e-9);
    }
    assert_true(v_of(&toy, 0) > 0.9 && v_of(&toy, 1) > 0);
    end_toy(&toy);
}

// (x, z, angle): the lower end of the ladder's rod slips on the floor, and with it  n'M^-1(n - mu
// T) < 0: no acceleration obeys Coulomb's law [Painleve]. The step fails and leaves the state
// alone.
static void lower_end(void *user, const double *q, double *phi)
{
    (void)user;
    phi[0] = q[1] - sin(q[2]);
}

static void lower_end_slip(void *user, const double *q, int constraint, double *T)
{
    (void)user, (void)constraint;
    T[0] = 1;
    T[1] = 0;
    T[2] = -sin(q[2]);
}

static void test_painleve_fails_cleanly(void **state)
{
    (void)state;
    const double mu = 2;
    PerpError error = {0};
    Toy toy;
    begin_toy(&toy, 3);
    toy.def.mass = ladder_mass;
    toy.def.force = ladder_weight;
    toy.def.potential = NULL;
    toy.def.n_constraints = 1;
    toy.def.constraints = lower_end;
    toy.def.mu = &mu;
    toy.def.n_tangents = 1;
    toy.def.tangents = lower_end_slip;
    toy.q[1] = sin(1);
    toy.q[2] = 1;
    toy.v[0] = 1;
    start_toy(&toy);
    assert_int_equal(perp_simulation_step(toy.simulation, 0.1, &error), PERP_NOT_SOLVED);
    assert_non_null(strstr(error.message, "Painleve"));
    assert_true(q_of(&toy, 0) == 0 && q_of(&toy, 1) == sin(1) && v_of(&toy, 0) == 1);
    assert_true(perp_simulation_time(toy.simulation) == 0);
    end_toy(&toy);
    toy.v[0] = -1; // in the other direction nothing is wrong
    start_toy(&toy);
    run_toy(&toy, 0.01, 0.01);
    end_toy(&toy);
}

// --- stiff dampers -------------------------------------------------------------------------------

static void no_force(void *user, double t, const double *q, const double *v, double *k)
{
    (void)user, (void)t, (void)q, (void)v;
    k[0] = 0;
}

// x = v0 (1 - exp(-c t))/c, by Adams' methods and by BDF
static void test_dampers(void **state)
{
    (void)state;
    static const double damping[] = {10, 1e5};
    for (int i = 0; i < 2; i++) {
        Toy toy;
        begin_toy(&toy, 1);
        toy.def.force = no_force;
        toy.def.potential = NULL;
        toy.def.n_links = 1;
        toy.def.links = above_zero;
        toy.def.damping = &damping[i];
        toy.v[0] = 3;
        start_toy(&toy);
        run_toy(&toy, 1, 0.25);
        assert_near(q_of(&toy, 0), 3 * -expm1(-damping[i]) / damping[i], 1e-9);
        assert_near(report_of(&toy)->energy.damper, 4.5 * -expm1(-2 * damping[i]), 1e-8);
        end_toy(&toy);
    }
}

// --- against a time-stepping scheme --------------------------------------------------------------

// A planar bar that falls on its end, slips and lies down; the default scheme comes near with h.
static double end_of_bar(const char *scheme, double h)
{
    PerpWorld w;
    perp_world_init(&w);
    perp_world_plane(&w, 0, 0, 1);
    w.materials[0].mu = 0.3;
    w.settings.scheme = scheme;
    w.settings.step = h;
    const double half[3] = {0.5, 0.05, 0.05};
    int bar = perp_world_box(&w, 1, half, 0, 0, 0.6);
    perp_world_turn(&w, bar, 0, 0.9, 0);
    w.bodies[bar].freedom = PERP_FREE_PLANAR_XZ;
    start(&w);
    run(&w, steps_of(&w, 0.4));
    double x = position(&w, bar).x;
    perp_world_end(&w);
    return x;
}

static void test_default_scheme_comes_near(void **state)
{
    (void)state;
    double x = end_of_bar("lotstedt", 0.02), off[3];
    assert_true(end_of_bar("lotstedt", 0.02) == x); // the same bits again
    for (int k = 0; k < 3; k++)
        off[k] = fabs(end_of_bar("default", 4e-3 / (1 << 3 * k)) - x);
    print_message("default is off by %g %g %g m\n", off[0], off[1], off[2]);
    assert_below(off[2], 2e-5);
    assert_below(off[2], off[0] / 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ball_bounces),
        cmocka_unit_test(test_accumulation_point_is_passed),
        cmocka_unit_test(test_pendulum_period),
        cmocka_unit_test(test_rigid_pendulum_period),
        cmocka_unit_test(test_bead_leaves_a_sphere),
        cmocka_unit_test(test_string_becomes_taut),
        cmocka_unit_test(test_ladder_leaves_the_wall),
        cmocka_unit_test(test_table_on_four_legs),
        cmocka_unit_test(test_rate_constraint),
        cmocka_unit_test(test_derivatives_decide),
        cmocka_unit_test(test_box_on_an_incline),
        cmocka_unit_test(test_sliding_box_stops),
        cmocka_unit_test(test_sliding_ball_rolls),
        cmocka_unit_test(test_motor_has_a_bound),
        cmocka_unit_test(test_dry_friction_stops),
        cmocka_unit_test(test_slip_turns_downhill),
        cmocka_unit_test(test_painleve_fails_cleanly),
        cmocka_unit_test(test_dampers),
        cmocka_unit_test(test_default_scheme_comes_near),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
