// Small mechanisms of the literature.
#include "frame.h"
#include "generate.h"

#include <math.h>

static const double step_length = 0.01; // s
static const double gravity = 9.81;     // m/s^2

// --- the Painleve rod, planar: velocities x, y, angle ---

static const double rod_inertia = 1.0 / 3.0;

bool perp_painleve_jams(double mu, double turns)
{
    double c, s;
    perp_circle_point(turns, &c, &s);
    return 1.0 + (c * c - mu * s * c) / rod_inertia < 0.0;
}

PerpSample *perp_sample_painleve_rod(double mu, double turns, double speed, double spin, double h)
{
    double c, s;
    perp_circle_point(turns, &c, &s);
    // the left end is at (x - cos, y - sin): its velocity (speed, 0) gives that of the centre
    double v[3] = {speed - s * spin, c * spin, spin};
    double Mt[9] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, rod_inertia};
    double b[3] = {v[0], v[1] - h * gravity, rod_inertia * v[2]};
    double normal[3] = {0.0, 1.0, -c}, right[3] = {1.0, 0.0, s}, left[3] = {-1.0, 0.0, -s};
    double turning_normal = h * s * spin * spin; // h n'(q)v v

    PerpSample *sample = perp_sample_create();
    int rod = perp_sample_add_body(sample, 3, Mt, b);
    int contact = perp_sample_add_contact(sample, (PerpSampleRow){1, &rod, normal, turning_normal});
    perp_sample_add_group(sample, contact, mu, 0.0);
    perp_sample_add_direction(sample, (PerpSampleRow){1, &rod, right, 0.0});
    perp_sample_add_direction(sample, (PerpSampleRow){1, &rod, left, 0.0});
    return sample;
}

// --- bodies of six velocities ---

// mass m, moment of inertia i about each axis, an impulse b at the centre
static int add_round_body(PerpSample *s, double mass, double inertia, const double impulse[3])
{
    double Mt[36] = {0}, b[6] = {impulse[0], impulse[1], impulse[2]};
    for (int k = 0; k < 6; k++)
        Mt[7 * k] = k < 3 ? mass : inertia;
    return perp_sample_add_body(s, 6, Mt, b);
}

static PerpFrame ground_frame(int body, const double arm[3], const double normal[3])
{
    PerpFrame f = {.n_entries = 1, .body = {body, -1}};
    for (int k = 0; k < 3; k++) {
        f.arm[0][k] = arm[k];
        f.normal[k] = normal[k];
    }
    perp_frame_tangents(&f);
    return f;
}

// --- the grasp ---

// `side` is -1 for the finger at the left, 1 for the one at the right. The normal row sees cube and
// finger; the tangents see the cube alone, for the finger does not give way along them.
static void add_finger(PerpSample *s, int cube, double side, double mu, double squeeze, int facets)
{
    double mass = 1.0, push = -side * squeeze, J[12];
    int bodies[2] = {cube, perp_sample_add_body(s, 1, &mass, &push)};
    PerpFrame f = ground_frame(cube, (double[]){0.5 * side, 0.0, 0.0}, (double[]){-side, 0.0, 0.0});
    perp_frame_row(&f, f.normal, perp_no_vector, J);
    J[6] = side;
    int contact = perp_sample_add_contact(s, (PerpSampleRow){2, bodies, J, 0.0});
    perp_frame_add_sliding(s, &f, contact, mu, facets);
}

PerpSample *perp_sample_grasp(double mu, double squeeze, int facets)
{
    PerpSample *s = perp_sample_create();
    int cube = add_round_body(s, 1.0, 1.0 / 6.0, (double[]){0.0, 0.0, -step_length * gravity});
    add_finger(s, cube, -1.0, mu, squeeze, facets);
    add_finger(s, cube, 1.0, mu, squeeze, facets);
    return s;
}

// --- table, stack, groove, ring ---

static const double up[3] = {0.0, 0.0, 1.0};

PerpSample *perp_sample_table(int legs, double mu, int facets)
{
    PerpSample *s = perp_sample_create();
    double mass = 4.0, x, y;
    int table = add_round_body(s, mass, 2.0, (double[]){0.0, 0.0, -step_length * mass * gravity});
    for (int leg = 0; leg < legs; leg++) {
        perp_circle_point((double)leg / legs, &x, &y);
        PerpFrame f = ground_frame(table, (double[]){x, y, -1.0}, up);
        perp_frame_add_contact(s, &f, mu, facets);
    }
    return s;
}

// four corners between a cube and the one below, or the ground
static void add_stack_contacts(PerpSample *s, int cube, double mu, int facets)
{
    for (int corner = 0; corner < 4; corner++) {
        double x = corner % 2 ? 0.5 : -0.5, y = corner / 2 ? 0.5 : -0.5;
        PerpFrame f = ground_frame(cube, (double[]){x, y, -0.5}, up);
        f.n_entries = cube > 0 ? 2 : 1;
        f.body[1] = cube - 1;
        f.arm[1][0] = x;
        f.arm[1][1] = y;
        f.arm[1][2] = 0.5;
        perp_frame_add_contact(s, &f, mu, facets);
    }
}

PerpSample *perp_sample_stack(int cubes, double mass_ratio, double mu, int facets)
{
    PerpSample *s = perp_sample_create();
    for (int cube = 0; cube < cubes; cube++) {
        double mass = cube == cubes - 1 ? mass_ratio : 1.0;
        double weight[3] = {0.0, 0.0, -step_length * mass * gravity};
        add_round_body(s, mass, mass / 6.0, weight);
        add_stack_contacts(s, cube, mu, facets);
    }
    return s;
}

PerpSample *perp_sample_groove(double mu, double turns, int facets)
{
    PerpSample *s = perp_sample_create();
    int ball = add_round_body(s, 1.0, 0.4, (double[]){0.0, 0.0, -step_length * gravity});
    double cosine, sine;
    perp_circle_point(turns, &cosine, &sine);
    for (int side = -1; side <= 1; side += 2) {
        double normal[3] = {side * sine, 0.0, cosine};
        PerpFrame f = ground_frame(ball, (double[]){-normal[0], 0.0, -normal[2]}, normal);
        perp_frame_add_contact(s, &f, mu, facets);
    }
    return s;
}

// body k has its centre on the circle; its pin to the next one is halfway between the centres
static PerpFrame ring_pin(int body, int bodies)
{
    PerpFrame f = {.n_entries = 2, .body = {body, (body + 1) % bodies}, .normal = {0.0, 0.0, 1.0}};
    double centre[2][2];
    for (int e = 0; e < 2; e++)
        perp_circle_point((double)f.body[e] / bodies, &centre[e][0], &centre[e][1]);
    for (int k = 0; k < 2; k++) {
        f.arm[0][k] = 0.5 * (centre[1][k] - centre[0][k]);
        f.arm[1][k] = -f.arm[0][k];
    }
    perp_frame_tangents(&f);
    return f;
}

PerpSample *perp_sample_ring(int bodies, double mu, int facets)
{
    PerpSample *s = perp_sample_create();
    for (int body = 0; body < bodies; body++)
        add_round_body(s, 1.0, 0.1, (double[]){0.0, -step_length * gravity, 0.0});
    for (int body = 0; body < bodies; body++) {
        PerpFrame pin = ring_pin(body, bodies);
        perp_frame_add_hinge(s, &pin);
    }
    for (int foot = 0; foot < 2; foot++) {
        double arm[3] = {foot == 0 ? -0.1 : 0.1, -0.1, 0.0};
        PerpFrame f = ground_frame(bodies - 1 - foot, arm, (double[]){0.0, 1.0, 0.0});
        perp_frame_add_contact(s, &f, mu, facets);
    }
    return s;
}
