// Forces of rigid systems and their derivatives, and springs as links, against differences and
// against the springs themselves.

#include "../stepping.h"
#include "model/springs.h"
#include "random.h"
#include "step/systems/rigid_system.h"

#include <string.h>

enum { ROOM = 64 };

// Three bodies, springs of both kinds between them and to the world, hinges with springs, forces.
static void place_springs(PerpWorld *w)
{
    static const double moments[3] = {0.2, 0.3, 0.4};
    PerpRandom r = perp_random(7);
    perp_world_init(w);
    for (int k = 0; k < 3; k++) {
        int body = perp_world_solid(w, 1 + k, moments, k, 0.3 * k, 1);
        perp_world_turn(w, body, perp_random_normal(&r), 0.2, perp_random_normal(&r));
        for (int i = 0; i < 3; i++) {
            w->bodies[body].velocity[i] = perp_random_normal(&r);
            w->bodies[body].spin[i] = perp_random_normal(&r);
        }
    }
    int taut = perp_world_spring(w, 0, 1, 50), slack = perp_world_spring(w, -1, 2, 20);
    w->springs[taut].rest = 0.4;
    w->springs[taut].damping = 3;
    w->springs[taut].anchor_a[1] += 0.3; // off the centres
    w->springs[taut].anchor_b[2] += 0.2;
    w->springs[slack].damping = 1;
    w->springs[slack].anchor_b[0] += 0.25;
    int hinge = perp_world_hinge(w, 1, 2, 1.5, 0, 1);
    w->joints[hinge].axis_def[0].stiffness = 7;
    w->joints[hinge].axis_def[0].damping = 0.5;
    w->joints[hinge].axis_def[0].rest = 0.3;
    int force = perp_world_force(w, 1);
    w->forces[force].force[0] = 2;
    w->forces[force].point[1] = 0.4;
    w->forces[force].wave[2] = 3;
    w->forces[force].frequency = 1;
    w->forces[force].phase = 1;
    start(w);
}

static PerpLinks links_at(PerpSimulation *sim, const double *q)
{
    PerpLinks links;
    PerpError error;
    if (sim->system->links(sim, q, &links, &error))
        fail_msg("%s", error.message);
    return links;
}

// A random direction of all velocities.
static void fill_random(PerpRandom *r, int count, double *x)
{
    for (int i = 0; i < count; i++)
        x[i] = perp_random_normal(r);
}

// --- links --------------------------------------------------------------------------------------

static PerpBodyMotion motion_of(const PerpSimulation *sim, int body)
{
    PerpTwist twist = perp_rigid_twist(&sim->bodies.rigid, sim->state.v, body);
    const PerpPose *pose = perp_rigid_poses(sim->state.q);
    return (PerpBodyMotion){perp_rigid_pose(&sim->bodies.rigid, pose, body), twist.linear,
                            twist.angular};
}

static void add_wrench(const PerpSimulation *sim, int body, PerpWrench wrench, double *k)
{
    if (body >= 0)
        perp_rigid_add_twist(&sim->bodies.rigid, body, (PerpTwist){wrench.force, wrench.torque}, k);
}

// k of all springs between points, by perp_spring_force.
static void add_spring_forces(const PerpSimulation *sim, double *k)
{
    for (int i = 0; i < sim->bodies.model->n_springs; i++) {
        const PerpSpring *s = &sim->bodies.model->springs[i];
        PerpBodyMotion a = motion_of(sim, s->body_a), b = motion_of(sim, s->body_b);
        PerpSpringForce f = perp_spring_force(s, a, b);
        add_wrench(sim, s->body_a,
                   perp_wrench_of_force(a.pose, f.point_a, perp_vec3_scale(-1, f.force)), k);
        add_wrench(sim, s->body_b, perp_wrench_of_force(b.pose, f.point_b, f.force), k);
    }
}

// k = - sum (stiffness psi + damping g'v) g  of links first .. last - 1
static void add_link_forces(const PerpLinks *links, int first, int last, const double *v, double *k)
{
    for (int i = first; i < last; i++) {
        double tension = links->stiffness[i] * links->psi[i] +
                         links->damping[i] * perp_block_rows_dot(&links->gradient, i, v);
        perp_block_rows_add_row(&links->gradient, i, -tension, k);
    }
}

static void test_links_pull_like_springs(void **state)
{
    PerpWorld w;
    double expected[ROOM] = {0}, k[ROOM] = {0};
    (void)state;
    place_springs(&w);
    PerpSimulation *sim = w.simulation;
    PerpLinks links = links_at(sim, sim->state.q);
    assert_int_equal(links.count, 1 + 3 + 1); // taut: its length; slack: a vector; the hinge
    add_spring_forces(sim, expected);
    add_link_forces(&links, 0, 4, sim->state.v, k);
    for (int i = 0; i < sim->n_v; i++)
        assert_near(k[i], expected[i], 1e-12 * (1 + fabs(expected[i])));
    perp_world_end(&w);
}

// The hinge's spring: its energy is stiffness psi^2/2, psi = angle - rest.
static void test_link_of_a_joint(void **state)
{
    PerpWorld w;
    (void)state;
    place_springs(&w);
    PerpLinks links = links_at(w.simulation, w.simulation->state.q);
    assert_near(links.psi[4], coordinate(&w, 0) - 0.3, 1e-14);
    assert_true(links.stiffness[4] == 7 && links.damping[4] == 0.5);
    perp_world_end(&w);
}

// psi(q (+) e u) - psi(q (-) e u) = 2 e g'u
static void test_link_gradients_by_differences(void **state)
{
    const double e = 1e-5;
    PerpWorld w;
    PerpRandom r = perp_random(3);
    double u[ROOM], moved[ROOM];
    (void)state;
    place_springs(&w);
    PerpSimulation *sim = w.simulation;
    for (int trial = 0; trial < 10; trial++) {
        fill_random(&r, sim->n_v, u);
        PerpLinks links = links_at(sim, sim->state.q);
        sim->system->advance(sim, sim->state.q, u, e, moved);
        PerpLinks ahead = links_at(sim, moved);
        sim->system->advance(sim, sim->state.q, u, -e, moved);
        PerpLinks behind = links_at(sim, moved);
        for (int i = 0; i < links.count; i++)
            assert_near((ahead.psi[i] - behind.psi[i]) / (2 * e),
                        perp_block_rows_dot(&links.gradient, i, u), 1e-8);
    }
    perp_world_end(&w);
}

// --- forces -------------------------------------------------------------------------------------

// One step of free motion with the links agrees with force and links to second order.
static void test_force_is_that_of_free_motion(void **state)
{
    const double h = 1e-6;
    PerpWorld w;
    double k[ROOM], b[ROOM], v_free[ROOM], p[ROOM];
    PerpError error;
    (void)state;
    place_springs(&w);
    PerpSimulation *sim = w.simulation;
    sim->scheme = perp_scheme_find("anitescu-potra"); // springs of the default scheme are rows
    const double *q = sim->state.q, *v = sim->state.v;
    sim->system->force(sim, 0, q, v, k);
    PerpLinks links = links_at(sim, q);
    add_link_forces(&links, 0, links.count, v, k);
    assert_int_equal(sim->system->free_motion(sim, h, 0, q, b, v_free, &error), PERP_OK);
    perp_rigid_momentum(&sim->bodies.rigid, v, p);
    for (int i = 0; i < sim->n_v; i++)
        assert_near((b[i] - p[i]) / h, k[i], 1e-4);
    perp_world_end(&w);
}

// out += block-diagonal A times u
static void times_blocks(const PerpRigid *rigid, const double *A, const double *u, double *out)
{
    for (int b = 0; b < rigid->n_bodies; b++) {
        int first = rigid->body_start[b], n = rigid->body_start[b + 1] - first;
        for (int j = 0; j < n; j++)
            for (int i = 0; i < n; i++)
                out[first + i] += A[rigid->block_start[b] + n * j + i] * u[first + j];
    }
}

// (k(q (+) e u, v + e w) - k(q (-) e u, v - e w)) / 2e = k_q u + k_v w
static void test_force_derivatives_by_differences(void **state)
{
    const double e = 1e-5;
    PerpWorld w;
    PerpRandom r = perp_random(5);
    double u[ROOM], dv[ROOM], moved[ROOM], v[ROOM], k[2][ROOM];
    double k_q[3 * 36], k_v[3 * 36];
    PerpError error;
    (void)state;
    place_springs(&w);
    PerpSimulation *sim = w.simulation;
    assert_int_equal(
        sim->system->force_derivatives(sim, 0.3, sim->state.q, sim->state.v, k_q, k_v, &error),
        PERP_OK);
    for (int trial = 0; trial < 10; trial++) {
        double expected[ROOM] = {0};
        fill_random(&r, sim->n_v, u);
        fill_random(&r, sim->n_v, dv);
        for (int side = 0; side < 2; side++) {
            double step = side ? e : -e;
            sim->system->advance(sim, sim->state.q, u, step, moved);
            for (int i = 0; i < sim->n_v; i++)
                v[i] = sim->state.v[i] + step * dv[i];
            sim->system->force(sim, 0.3, moved, v, k[side]);
        }
        times_blocks(&sim->bodies.rigid, k_q, u, expected);
        times_blocks(&sim->bodies.rigid, k_v, dv, expected);
        for (int i = 0; i < sim->n_v; i++)
            assert_near((k[1][i] - k[0][i]) / (2 * e), expected[i], 1e-7 * (1 + fabs(expected[i])));
    }
    perp_world_end(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_links_pull_like_springs),
        cmocka_unit_test(test_link_of_a_joint),
        cmocka_unit_test(test_link_gradients_by_differences),
        cmocka_unit_test(test_force_is_that_of_free_motion),
        cmocka_unit_test(test_force_derivatives_by_differences),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
