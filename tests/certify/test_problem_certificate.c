// The certificate of a step problem on problems solved by hand, and on errors of known size.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "failing_allocator.h"
#include "perp/problem.h"

#include <math.h>
#include <string.h>

// A problem and a solution to try on it, built row by row: bodies, then joints, boxes, contacts,
// and groups with their directions.
enum { MANY = 64 };
typedef struct Case {
    int body_start[MANY], row_start[MANY], entry_body[MANY], group_contact[MANY], group_start[MANY];
    double Mt[4 * MANY], b[MANY], J[4 * MANY], d[MANY], lo[MANY], hi[MANY], mu[MANY];
    double cohesion[MANY];
    double v[MANY], c[MANY], lambda[MANY];
    int mass_numbers, J_numbers;
    PerpProblem p;
} Case;

static void add_body(Case *k, int n, const double *Mt, const double *b, const double *v)
{
    int first = k->body_start[k->p.n_bodies];
    memcpy(k->Mt + k->mass_numbers, Mt, sizeof(double) * (size_t)(n * n));
    memcpy(k->b + first, b, sizeof(double) * (size_t)n);
    memcpy(k->v + first, v, sizeof(double) * (size_t)n);
    k->mass_numbers += n * n;
    k->body_start[++k->p.n_bodies] = first + n;
}

// the last row gets an entry
static void add_entry(Case *k, int body, const double *J)
{
    int n = k->body_start[body + 1] - k->body_start[body], rows = perp_problem_rows(&k->p);
    memcpy(k->J + k->J_numbers, J, sizeof(double) * (size_t)n);
    k->J_numbers += n;
    k->entry_body[k->row_start[rows]++] = body;
}

// one more row, of the class that count counts
static void add_row(Case *k, int *count, int body, const double *J, double d, double c)
{
    int row = perp_problem_rows(&k->p);
    k->d[row] = d;
    k->c[row] = c;
    ++*count;
    k->row_start[row + 1] = k->row_start[row];
    if (J)
        add_entry(k, body, J);
}

static void add_joint(Case *k, int body, const double *J, double d, double c)
{
    add_row(k, &k->p.n_joints, body, J, d, c);
}

static void add_box(Case *k, int body, const double *J, double d, double lo, double hi, double c)
{
    k->lo[k->p.n_boxes] = lo;
    k->hi[k->p.n_boxes] = hi;
    add_row(k, &k->p.n_boxes, body, J, d, c);
}

static void add_contact(Case *k, int body, const double *J, double d, double c)
{
    add_row(k, &k->p.n_contacts, body, J, d, c);
}

static void add_group(Case *k, int contact, double mu, double cohesion, double lambda)
{
    int g = k->p.n_groups++;
    k->group_contact[g] = contact;
    k->group_start[g + 1] = k->group_start[g];
    k->mu[g] = mu;
    k->cohesion[g] = cohesion;
    k->lambda[g] = lambda;
}

static void add_direction(Case *k, int body, const double *J, double beta)
{
    ++k->group_start[k->p.n_groups];
    add_row(k, &k->p.n_directions, body, J, 0, beta);
}

static const PerpProblem *problem(Case *k)
{
    k->p.body_start = k->body_start;
    k->p.Mt = k->Mt;
    k->p.b = k->b;
    k->p.row_start = k->row_start;
    k->p.entry_body = k->entry_body;
    k->p.J = k->J;
    k->p.d = k->d;
    k->p.lo = k->lo;
    k->p.hi = k->hi;
    k->p.group_contact = k->group_contact;
    k->p.group_start = k->group_start;
    k->p.mu = k->mu;
    k->p.cohesion = k->cohesion;
    return &k->p;
}

static PerpCertificate certify(Case *k)
{
    PerpCertificate certificate;
    assert_int_equal(perp_certify(NULL, problem(k), k->v, k->c, k->lambda, &certificate, NULL),
                     PERP_OK);
    return certificate;
}

static void assert_close(double value, double expected)
{
    assert_true(fabs(value - expected) <= 1e-12 * fabs(expected));
}

// this residual, in this row, and all others at most rounding
static void assert_only(const PerpCertificate *to, PerpResidual kind, int row, double value)
{
    assert_close(to->residual[kind], value);
    assert_int_equal(to->residual_row[kind], row);
    assert_true(to->worst == to->residual[kind] && to->worst_kind == kind);
    for (int i = 0; i < PERP_RESIDUAL_COUNT; i++)
        assert_true(i == (int)kind || to->residual[i] <= 1e-15);
}

// Blocks on inclines, three of them. Axes x down the slope, z normal; m = 2 kg, b = (6, -8) N s.
// c_n = 8. Sliding: mu = 1/2, friction 4 up the slope, v_x = (6 - 4)/2 = 1 = lambda.
// v_f = (3, -4), so e = sqrt(2) (1 + 5), W = 1/2, and s = 6 in all rows.
static const double mass_2[] = {2, 0, 0, 2}, x_axis[] = {1, 0}, x_back[] = {-1, 0};
static const double z_axis[] = {0, 1}, z_back[] = {0, -1};

static Case blocks(double mu, double v, double lambda, double friction)
{
    Case k = {0};
    for (int i = 0; i < 3; i++)
        add_body(&k, 2, mass_2, (double[]){6, -8}, (double[]){v, 0});
    for (int i = 0; i < 3; i++)
        add_contact(&k, i, z_axis, 0, 8);
    for (int i = 0; i < 3; i++) {
        add_group(&k, i, mu, 0, lambda);
        add_direction(&k, i, x_axis, 0);
        add_direction(&k, i, x_back, friction);
    }
    return k;
}

// rows of blocks(): contacts 0 .. 2, directions 3 .. 8
static Case sliding_blocks(void)
{
    return blocks(0.5, 1, 1, 4);
}

// mu = 1: friction 6 of 8 holds the block; e = sqrt(2) 5, s = 5
static Case sticking_blocks(void)
{
    return blocks(1, 0, 0, 6);
}

// Three balls, m = 1, v_f = -3, Newton's law with e = 1/2: y = v - 3/2 >= 0 perp c; v = 3/2, c =
// 9/2
static Case bouncing_balls(void)
{
    Case k = {0};
    double one = 1;
    for (int i = 0; i < 3; i++)
        add_body(&k, 1, &one, (double[]){-3}, (double[]){1.5});
    for (int i = 0; i < 3; i++)
        add_contact(&k, i, &one, -1.5, 4.5);
    return k;
}

// Two motors of inertia 2 should turn a resting rotor with 5 rad/s, but stop at 4 N m s: w = 2,
// y = 2 - 5; s = 5 + 2, W = 1/2
static Case motors(void)
{
    Case k = {0};
    double inertia = 2, one = 1, none = 0, speed = 2;
    add_body(&k, 1, &inertia, &none, &speed);
    add_body(&k, 1, &inertia, &none, &speed);
    add_box(&k, 0, &one, -5, -4, 4, 4);
    add_box(&k, 1, &one, -5, -4, 4, 4);
    return k;
}

// A pendulum (x, z, angle), m = 2, I = 2, hinged 1 m above its centre: v_x + w = 0, v_z = 0.
// b = (4, -6, 0): c = (-2, 6), v = (1, 0, -1). v_f = (2, -3, 0), e = 2 + sqrt(26), W = (1, 1/2)
static Case pendulum(void)
{
    Case k = {0};
    add_body(&k, 3, (double[]){2, 0, 0, 0, 2, 0, 0, 0, 2}, (double[]){4, -6, 0},
             (double[]){1, 0, -1});
    add_joint(&k, 0, (double[]){1, 0, 1}, 0, -2);
    add_joint(&k, 0, (double[]){0, 1, 0}, 0, 6);
    return k;
}

// A top (z, spin), m = 1, I = 2, b = (-6, 8): c_n = 6, torsion limit 6/4 + 1/2 = 2 slows the spin
// to (8 - 2)/2 = 3
static Case top(void)
{
    Case k = {0};
    add_body(&k, 2, (double[]){1, 0, 0, 2}, (double[]){-6, 8}, (double[]){0, 3});
    add_contact(&k, 0, x_axis, 0, 6);
    add_group(&k, 0, 0.25, 0.5, 3);
    add_direction(&k, 0, z_axis, 0);
    add_direction(&k, 0, z_back, 2);
    return k;
}

// A block of mass 1 between two fingers, any squeeze of at least 7.5 carries b_z = -3 at mu = 1/5
static Case grasp(double squeeze)
{
    Case k = {0};
    add_body(&k, 2, (double[]){1, 0, 0, 1}, (double[]){0, -3}, (double[]){0, 0});
    add_contact(&k, 0, x_axis, 0, squeeze);
    add_contact(&k, 0, x_back, 0, squeeze);
    for (int i = 0; i < 2; i++) {
        add_group(&k, i, 0.2, 0, 0);
        add_direction(&k, 0, z_axis, 1.5);
        add_direction(&k, 0, z_back, 0);
    }
    return k;
}

static void test_names(void **state)
{
    (void)state;
    assert_string_equal(perp_residual_name(PERP_RESIDUAL_MOMENTUM), "momentum");
    assert_string_equal(perp_residual_name(PERP_RESIDUAL_DISSIPATION), "dissipation");
    assert_string_equal(perp_residual_unit(PERP_RESIDUAL_BOX_SIGN), "box row");
    assert_string_equal(perp_residual_name(PERP_RESIDUAL_COUNT), "?");
    assert_string_equal(perp_residual_unit((PerpResidual)-1), "?");
}

static void test_hand_solutions(void **state)
{
    (void)state;
    Case cases[] = {sliding_blocks(), sticking_blocks(), bouncing_balls(),
                    motors(),         pendulum(),        top(),
                    grasp(10),        grasp(1e9)};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        PerpCertificate certificate = certify(&cases[i]);
        assert_true(certificate.worst == 0);
        assert_true(certificate.energy_excess < 0 && certificate.symmetric);
    }
}

static void test_classes_without_rows(void **state)
{
    (void)state;
    Case k = pendulum();
    PerpCertificate certificate = certify(&k);
    assert_int_equal(certificate.residual_row[PERP_RESIDUAL_MOMENTUM], 0);
    assert_int_equal(certificate.residual_row[PERP_RESIDUAL_JOINT], 0);
    for (int i = PERP_RESIDUAL_BOX_RANGE; i < PERP_RESIDUAL_COUNT; i++)
        assert_true(certificate.residual_row[i] == -1 && certificate.residual[i] == 0);
}

static void test_momentum_error(void **state)
{
    (void)state;
    // b_x = 6 + delta on body 1: v_f = (3 + delta/2, -4), error delta / sqrt(2)
    for (double delta = 0x1p-30; delta < 1; delta *= 16) {
        Case k = sliding_blocks();
        k.b[2] += delta;
        PerpCertificate certificate = certify(&k);
        double speed = sqrt(2) * (1 + hypot(3 + delta / 2, 4));
        assert_only(&certificate, PERP_RESIDUAL_MOMENTUM, 1, delta / sqrt(2) / speed);
    }
}

static void test_joint_error(void **state)
{
    (void)state;
    // d = delta in the second row: s = delta + (2 + sqrt(26)), times sqrt(1/2 2)
    Case k = pendulum();
    double delta = 1e-3;
    k.d[1] = -delta;
    PerpCertificate certificate = certify(&k);
    double scale = delta + sqrt(0.5) * (2 + sqrt(26));
    assert_only(&certificate, PERP_RESIDUAL_JOINT, 1, delta / scale);
}

static void test_box_errors(void **state)
{
    (void)state;
    double delta = 0x1p-10;
    // c = 4 above hi = 4 - delta, W = 1/2
    Case k = motors();
    k.hi[1] -= delta;
    PerpCertificate certificate = certify(&k);
    assert_only(&certificate, PERP_RESIDUAL_BOX_RANGE, 1, delta / 2 / 7);

    // c below lo
    k = motors();
    k.lo[1] = 4 + delta;
    k.hi[1] = 5;
    certificate = certify(&k);
    assert_close(certificate.residual[PERP_RESIDUAL_BOX_RANGE], delta / 2 / 7);

    // y = -3 although c may still grow by delta
    k = motors();
    k.hi[1] += delta;
    certificate = certify(&k);
    assert_only(&certificate, PERP_RESIDUAL_BOX_SIGN, 1, delta / 2 / 7);

    // y = -3 although c may grow as it likes: wrong by all of y
    k = motors();
    k.hi[1] = INFINITY;
    certificate = certify(&k);
    assert_only(&certificate, PERP_RESIDUAL_BOX_SIGN, 1, 3.0 / 7);

    // y = 3 at the lower bound, mirrored, which is delta further down
    k = motors();
    for (int i = 0; i < 2; i++) {
        k.v[i] = -2;
        k.c[i] = -4;
        k.d[i] = 5;
    }
    assert_true(certify(&k).worst == 0);
    k.lo[0] -= delta;
    certificate = certify(&k);
    assert_only(&certificate, PERP_RESIDUAL_BOX_SIGN, 0, delta / 2 / 7);

    // a motor with strength to spare reaches its speed
    k = motors();
    for (int i = 0; i < 2; i++) {
        k.hi[i] = INFINITY;
        k.lo[i] = -INFINITY;
        k.c[i] = 10;
        k.v[i] = 5;
    }
    assert_true(certify(&k).worst == 0);
}

static void test_contact_errors(void **state)
{
    (void)state;
    double delta = 0x1p-12;
    // y = -delta at ball 2: d = -3/2 - delta, s = 6 + delta
    Case k = bouncing_balls();
    k.d[2] -= delta;
    PerpCertificate certificate = certify(&k);
    assert_only(&certificate, PERP_RESIDUAL_APPROACH, 2, delta / (6 + delta));

    // y = delta although c = 9/2
    k = bouncing_balls();
    k.d[2] += delta;
    certificate = certify(&k);
    assert_only(&certificate, PERP_RESIDUAL_CONTACT_GAP, 2, delta / (6 - delta));

    // a ball that flies off, pulled by delta: v = 3 - delta, c = -delta, y = 3/2 - delta
    k = bouncing_balls();
    k.b[1] = 3;
    k.v[1] = 3 - delta;
    k.c[1] = -delta;
    certificate = certify(&k);
    assert_only(&certificate, PERP_RESIDUAL_TENSION, 1, delta / (7.5 - delta));
}

static void test_direction_errors(void **state)
{
    (void)state;
    double delta = 0x1p-12;
    // lambda = 1 - delta < -y at the back direction of block 1; cone and dissipation do not mind
    Case k = sliding_blocks();
    k.lambda[1] -= delta;
    PerpCertificate certificate = certify(&k);
    assert_only(&certificate, PERP_RESIDUAL_SLIP, 3, delta / 6);

    // lambda = 1 + delta although beta = 4: the gap is delta
    k.lambda[1] = 1 + delta;
    certificate = certify(&k);
    assert_only(&certificate, PERP_RESIDUAL_SLIP_GAP, 3, delta / 6);

    // the block sticks with beta = (-delta, 6 - delta), which is the same force
    k = sticking_blocks();
    k.c[5] = -delta;
    k.c[6] = 6 - delta;
    certificate = certify(&k);
    assert_only(&certificate, PERP_RESIDUAL_BETA_SIGN, 2, delta / 2 / 5);

    // a huge lambda hides nothing: beta = 4 pushes although lambda + y is large
    k = sliding_blocks();
    k.lambda[1] = 1e12;
    certificate = certify(&k);
    assert_only(&certificate, PERP_RESIDUAL_SLIP_GAP, 3, 4.0 / 2 / 6);
}

static void test_cone_errors(void **state)
{
    (void)state;
    double delta = 0x1p-12;
    // mu = (6 - delta)/8 is too little to stick: sum beta is delta above the limit
    Case k = sticking_blocks();
    k.mu[2] = (6 - delta) / 8;
    PerpCertificate certificate = certify(&k);
    assert_only(&certificate, PERP_RESIDUAL_CONE, 2, delta / 2 / 5);

    // lambda < 0: then it is too small for its directions as well
    k = sticking_blocks();
    k.lambda[2] = -delta;
    certificate = certify(&k);
    assert_close(certificate.residual[PERP_RESIDUAL_LAMBDA], delta / 5);
    assert_int_equal(certificate.residual_row[PERP_RESIDUAL_LAMBDA], 2);
    assert_close(certificate.residual[PERP_RESIDUAL_SLIP], delta / 5);

    // slides although mu leaves delta to spare: friction takes less power than it could, e = delta
    // 1
    k = sliding_blocks();
    k.mu[2] = (4 + delta) / 8;
    certificate = certify(&k);
    assert_close(certificate.residual[PERP_RESIDUAL_CONE_GAP], delta / 2 / 6);
    assert_int_equal(certificate.residual_row[PERP_RESIDUAL_CONE_GAP], 2);
    assert_close(certificate.residual[PERP_RESIDUAL_DISSIPATION], delta / (4 + delta) / 6);
    assert_int_equal(certificate.residual_row[PERP_RESIDUAL_DISSIPATION], 2);
}

// without load lambda may be anything that its directions allow
// The worst of the contacts is the worst of their kinds, and only contact `broken` has any.
static void assert_contacts(Case *k, int broken)
{
    PerpCertificate certificate;
    double of_contact[MANY], worst = 0;
    assert_int_equal(perp_certify_contacts(NULL, problem(k), k->v, k->c, k->lambda, &certificate,
                                           of_contact, NULL),
                     PERP_OK);
    for (int kind = PERP_RESIDUAL_APPROACH; kind < PERP_RESIDUAL_COUNT; kind++)
        worst = fmax(worst, certificate.residual[kind]);
    for (int i = 0; i < k->p.n_contacts; i++)
        assert_true(of_contact[i] == (i == broken ? worst : 0));
    assert_true((worst > 0) == (broken >= 0));
    PerpCertificate search = certify(k);
    assert_memory_equal(search.residual, certificate.residual, sizeof search.residual);
}

// Blocks as above, with friction along a line as a round group.
static Case circular_blocks(void)
{
    static const int cones[] = {1, 1, 1};
    Case k = {0};
    for (int i = 0; i < 3; i++)
        add_body(&k, 2, mass_2, (double[]){6, -8}, (double[]){1, 0});
    for (int i = 0; i < 3; i++)
        add_contact(&k, i, z_axis, 0, 8);
    for (int i = 0; i < 3; i++) {
        add_group(&k, i, 0.5, 0, 1);
        add_direction(&k, i, x_axis, -4);
    }
    k.p.group_circular = cones;
    return k;
}

static void test_residuals_of_contacts(void **state)
{
    (void)state;
    Case k = sliding_blocks(); // right, and wrong in momentum only
    assert_contacts(&k, -1);
    k.b[2] += 1;
    assert_contacts(&k, -1);
    for (int i = 0; i < 3; i++) {
        k = sliding_blocks(); // approach
        k.d[i] = -0.125;
        assert_contacts(&k, i);
        k = sliding_blocks(); // tension, and a cone without room
        k.c[i] = -1;
        assert_contacts(&k, i);
        k = sliding_blocks(); // a direction pushes the wrong way
        k.c[3 + 2 * i] = -0.5;
        assert_contacts(&k, i);
        k = sliding_blocks(); // slip that lambda does not know of
        k.lambda[i] = 0.5;
        assert_contacts(&k, i);
        k = sticking_blocks(); // out of the cone
        k.c[4 + 2 * i] = 9;
        assert_contacts(&k, i);
        k = sliding_blocks(); // no number
        k.c[i] = NAN;
        assert_contacts(&k, i);
        k = circular_blocks();
        assert_contacts(&k, -1);
        k.c[3 + i] = -3.5; // slips though friction could be larger
        assert_contacts(&k, i);
        k.c[3 + i] = -5; // out of the disc
        assert_contacts(&k, i);
    }
}

// Groups need not come in the order of their contacts, and a contact may have several.
static void test_residuals_of_groups_in_any_order(void **state)
{
    (void)state;
    Case k = sliding_blocks();
    k.group_contact[0] = 2;
    k.group_contact[2] = 0;
    k.lambda[0] = 0.5;
    assert_contacts(&k, 2);
    k.d[2] = -0.125; // a smaller one of the same contact
    assert_contacts(&k, 2);
}

static void test_unloaded_contact(void **state)
{
    (void)state;
    Case k = {0};
    add_body(&k, 2, mass_2, (double[]){2, 4}, (double[]){1, 2});
    add_contact(&k, 0, z_axis, 0, 0);
    add_group(&k, 0, 0.5, 0, 1);
    add_direction(&k, 0, x_axis, 0);
    add_direction(&k, 0, x_back, 0);
    assert_true(certify(&k).worst == 0);
    k.lambda[0] = 1e9;
    assert_true(certify(&k).worst == 0);
    k.lambda[0] = 0.5;
    PerpCertificate certificate = certify(&k);
    assert_only(&certificate, PERP_RESIDUAL_SLIP, 1, 0.5 / (2 * sqrt(5)));
}

// rounding noise in an impulse of an unloaded group stays noise, though limit = 0 = max(-y)
static void test_noise_of_an_unloaded_group(void **state)
{
    (void)state;
    Case k = {0};
    add_body(&k, 2, mass_2, (double[]){2, 4}, (double[]){1, 2});
    add_contact(&k, 0, z_axis, 0, 0);
    add_group(&k, 0, 0.5, 0, 0);
    add_direction(&k, 0, x_axis, 1e-17);
    assert_true(certify(&k).worst < 1e-16);
}

// Friction against the motion, whatever lambda says: half of it on either side does no work.
// e = 4 1 + (2 - 2) = 4; by 4 a speed of 1, by the speed an impulse of 4, so min(1, 4/2) by 6
static void test_dissipation_error(void **state)
{
    (void)state;
    Case k = sliding_blocks();
    k.c[5] = k.c[6] = 2;
    k.b[2] = 2;
    PerpCertificate certificate = certify(&k);
    double scale = 1 + sqrt(17);
    assert_close(certificate.residual[PERP_RESIDUAL_DISSIPATION], 1 / scale);
    assert_int_equal(certificate.residual_row[PERP_RESIDUAL_DISSIPATION], 1);
    assert_true(certificate.residual[PERP_RESIDUAL_MOMENTUM] == 0);
    assert_true(certificate.residual[PERP_RESIDUAL_CONE] == 0);
}

static void test_residuals_grow_with_the_perturbation(void **state)
{
    (void)state;
    double last = 0, last_slip = 0;
    for (double delta = 1e-15; delta < 1; delta *= 2) {
        Case k = bouncing_balls();
        k.d[1] -= delta;
        double worst = certify(&k).worst;
        k = sliding_blocks();
        k.lambda[0] -= delta;
        double slip = certify(&k).worst;
        assert_true(worst > last && slip > last_slip);
        last = worst;
        last_slip = slip;
    }
}

// All classes at once, wrong in every way, for two bodies of three velocities (x, z, angle).
static Case everything_wrong(void)
{
    Case k = {0};
    double Mt[] = {3, 0.2, 0.5, 0.2, 3, 0.1, 0.5, 0.1, 2};
    add_body(&k, 3, Mt, (double[]){1, -2, 0.5}, (double[]){0.7, -0.4, 0.3});
    add_body(&k, 3, Mt, (double[]){-2, 0.1, 1.5}, (double[]){-0.2, 0.9, -0.6});
    double rows[][3] = {{1, 0.3, 0.2}, {-0.4, 1, 0.6}, {0.1, 1, -0.8}, {1, -0.1, 0.7}};
    add_joint(&k, 0, rows[0], 0.2, 0.3);
    add_entry(&k, 1, rows[1]);
    add_box(&k, 0, rows[1], 0.1, -1, 0.5, 0.8);
    add_box(&k, 1, rows[2], 0.4, -1, 0.5, 0.3);
    double contact_c[] = {0.6, -0.4, 0.5}, contact_d[] = {-0.9, 0.3, 0.5};
    for (int i = 0; i < 3; i++) {
        add_contact(&k, i % 2, rows[i], contact_d[i], contact_c[i]);
        add_entry(&k, 1 - i % 2, rows[3 - i]);
    }
    double lambda[] = {-0.3, 0.8, 0.2}, beta[] = {0.9, 0.05, -0.2};
    for (int i = 0; i < 3; i++) {
        add_group(&k, i, 0.5, 0.2, lambda[i]);
        for (int j = 0; j < 4; j++) {
            add_direction(&k, i % 2, rows[j], j % 2 ? 0 : beta[i]);
            add_entry(&k, 1 - i % 2, rows[3 - j]);
        }
    }
    return k;
}

// velocity i in units u_i, row r in units w_r, energies in units E
static void change_units(Case *k, const double *u, const double *w, double E)
{
    const PerpProblem *p = problem(k);
    for (int body = 0, at = 0; body < p->n_bodies; body++)
        for (int j = k->body_start[body]; j < k->body_start[body + 1]; j++)
            for (int i = k->body_start[body]; i < k->body_start[body + 1]; i++)
                k->Mt[at++] *= E / (u[i] * u[j]);
    for (int i = 0; i < perp_problem_velocities(p); i++) {
        k->b[i] *= E / u[i];
        k->v[i] *= u[i];
    }
    for (int r = 0, at = 0; r < perp_problem_rows(p); r++) {
        for (int e = k->row_start[r]; e < k->row_start[r + 1]; e++)
            for (int i = k->body_start[k->entry_body[e]]; i < k->body_start[k->entry_body[e] + 1];
                 i++)
                k->J[at++] *= w[r] / u[i];
        k->d[r] *= w[r];
        k->c[r] *= E / w[r];
    }
    for (int i = 0; i < p->n_boxes; i++) {
        k->lo[i] *= E / w[p->n_joints + i];
        k->hi[i] *= E / w[p->n_joints + i];
    }
    int contacts = p->n_joints + p->n_boxes, directions = contacts + p->n_contacts;
    for (int g = 0; g < p->n_groups; g++) {
        double unit = w[directions + k->group_start[g]];
        k->mu[g] *= w[contacts + k->group_contact[g]] / unit;
        k->cohesion[g] *= E / unit;
        k->lambda[g] *= unit;
    }
}

static void test_units_do_not_matter(void **state)
{
    (void)state;
    Case search = everything_wrong();
    PerpCertificate before = certify(&search);
    for (int i = 0; i < PERP_RESIDUAL_COUNT; i++)
        assert_true(before.residual[i] > 1e-3);

    // mass, length, time; rows are lengths by time but for the angles of the last group
    double choices[][3] = {{1e6, 1, 1}, {1, 1e-3, 1}, {1, 1, 1e4}, {1e6, 1e-3, 1e-5}};
    for (size_t n = 0; n < sizeof choices / sizeof choices[0]; n++) {
        double mass = choices[n][0], length = choices[n][1], time = choices[n][2];
        double u[MANY], w[MANY];
        for (int i = 0; i < MANY; i++) {
            u[i] = i % 3 == 2 ? 1 / time : length / time;
            w[i] = i >= 14 ? 1 / time : length / time;
        }
        Case k = everything_wrong();
        change_units(&k, u, w, mass * length * length / (time * time));
        PerpCertificate after = certify(&k);
        for (int i = 0; i < PERP_RESIDUAL_COUNT; i++) {
            assert_close(after.residual[i], before.residual[i]);
            assert_int_equal(after.residual_row[i], before.residual_row[i]);
        }
        assert_close(after.energy_excess, before.energy_excess);
    }
}

static void test_numbers_that_are_none(void **state)
{
    (void)state;
    double bad[] = {NAN, INFINITY, -INFINITY, 1e308};
    for (int n = 0; n < 4; n++) {
        Case k = everything_wrong();
        for (int i = 0; i < k.body_start[k.p.n_bodies]; i++) {
            k = everything_wrong();
            k.v[i] = bad[n];
            PerpCertificate certificate = certify(&k);
            assert_true(certificate.worst == INFINITY && certificate.energy_excess == INFINITY);
            for (int kind = 0; kind < PERP_RESIDUAL_COUNT; kind++)
                assert_true(certificate.residual[kind] == INFINITY);
        }
        for (int i = 0; i < perp_problem_rows(&k.p) && n < 3; i++) {
            k = everything_wrong();
            k.c[i] = bad[n];
            assert_true(certify(&k).worst == INFINITY);
        }
        for (int i = 0; i < k.p.n_groups && n < 3; i++) {
            k = everything_wrong();
            k.lambda[i] = bad[n];
            PerpCertificate certificate = certify(&k);
            assert_true(certificate.residual[PERP_RESIDUAL_LAMBDA] == INFINITY);
            assert_int_equal(certificate.residual_row[PERP_RESIDUAL_LAMBDA], i);
        }
    }
}

static void test_singular_mass(void **state)
{
    (void)state;
    Case k = sticking_blocks();
    k.Mt[3] = 0;
    assert_true(certify(&k).worst == INFINITY);
}

static void test_zero_problems(void **state)
{
    (void)state;
    Case nothing = {0};
    PerpCertificate certificate = certify(&nothing);
    assert_true(certificate.worst == 0 && certificate.energy_excess == 0);
    assert_int_equal(certificate.residual_row[PERP_RESIDUAL_MOMENTUM], -1);

    // all at rest, no force: a squeeze is a solution, tension is infinitely wrong
    Case rest = grasp(10);
    rest.b[1] = 0;
    memset(rest.c + 2, 0, 4 * sizeof(double));
    assert_true(certify(&rest).worst == 0);
    rest.c[0] = rest.c[1] = -1e-30;
    certificate = certify(&rest);
    assert_true(certificate.residual[PERP_RESIDUAL_TENSION] == INFINITY);
    assert_true(certificate.residual[PERP_RESIDUAL_MOMENTUM] == 0);
}

// a row without entries moves nothing: its impulse has no scale, and must be exactly right
static void test_empty_rows(void **state)
{
    (void)state;
    Case k = {0};
    add_contact(&k, 0, NULL, 2, 0);
    assert_true(certify(&k).worst == 0);
    k.c[0] = 1e-9;
    PerpCertificate certificate = certify(&k);
    assert_only(&certificate, PERP_RESIDUAL_CONTACT_GAP, 0, 1);
    k.c[0] = -1e-9;
    assert_true(certify(&k).residual[PERP_RESIDUAL_TENSION] == INFINITY);
    k.d[0] = 0;
    k.c[0] = 1;
    assert_true(certify(&k).worst == 0);
    k.d[0] = -1;
    certificate = certify(&k);
    assert_only(&certificate, PERP_RESIDUAL_APPROACH, 0, 1);

    // boxes: c = lo where y > 0, anything between where y = 0
    Case box = {0};
    add_box(&box, 0, NULL, 1, -1, 2, -1);
    assert_true(certify(&box).worst == 0);
    box.c[0] = 0;
    certificate = certify(&box);
    assert_only(&certificate, PERP_RESIDUAL_BOX_SIGN, 0, 1);
    box.d[0] = 0;
    assert_true(certify(&box).worst == 0);
}

// a heavy body drags a light one along: v = M/(M + 1) for both, c = -v
static Case tow(double mass)
{
    Case k = {0};
    double one = 1, minus = -1, none = 0, v = mass / (mass + 1);
    add_body(&k, 1, &mass, &mass, &v);
    add_body(&k, 1, &one, &none, &v);
    add_joint(&k, 0, &one, 0, -v);
    add_entry(&k, 1, &minus);
    return k;
}

static void test_mass_ratios(void **state)
{
    (void)state;
    for (double mass = 1; mass <= 1e12; mass *= 100) {
        Case k = tow(mass);
        PerpCertificate certificate = certify(&k);
        assert_true(certificate.worst < 1e-15 && certificate.energy_excess < 0);

        // the light body is too fast by 1e-6, with an impulse to match: only the joint suffers
        k.v[1] += 1e-6;
        k.c[0] = -k.v[1];
        k.v[0] = 1 + k.c[0] / mass;
        certificate = certify(&k);
        assert_int_equal(certificate.worst_kind, PERP_RESIDUAL_JOINT);
        assert_true(certificate.worst > 2e-7 && certificate.worst < 1.1e-6);

        // the light body alone is too fast: momentum
        k = tow(mass);
        k.v[1] += 1e-6;
        certificate = certify(&k);
        assert_true(certificate.residual[PERP_RESIDUAL_MOMENTUM] > 4e-7);
        assert_int_equal(certificate.residual_row[PERP_RESIDUAL_MOMENTUM], 1);
    }
}

// a stiff spring of 1e12 N/m s^2 couples x and z; its forces cancel but for a few parts in 1e12
static void test_stiff_block(void **state)
{
    (void)state;
    double s = 0x1p40;
    Case k = {0};
    add_body(&k, 2, (double[]){1 + s, -s, -s, 1 + s}, (double[]){2, 2}, (double[]){2, 2});
    PerpCertificate certificate = certify(&k);
    assert_true(certificate.worst == 0);
    assert_close(certificate.energy, 4);
    assert_close(certificate.free_energy, 4);
    k.v[0] += 0x1p-42;
    assert_true(certify(&k).worst > 1e-8);
}

// a block at rest on level ground: noise in v_x is judged by the energy that gravity gives, though
// v_x and v_f,x hold nothing else
static void test_noise_in_one_velocity(void **state)
{
    (void)state;
    double noise = 0x1p-60;
    Case k = blocks(1, noise, 0, 0);
    for (int i = 0; i < 3; i++)
        k.b[2 * i] = 2 * noise;
    PerpCertificate certificate = certify(&k);
    assert_close(certificate.worst, noise / 4);
}

// A body pinched without gravity rests; the noise of its velocity is put in proportion to the
// bodies that move.
static void test_body_at_rest_among_moving_ones(void **state)
{
    (void)state;
    Case k = {0};
    double one = 1, minus = -1, none = 0, noise = 0x1p-60;
    add_body(&k, 1, &one, &one, &none);
    add_body(&k, 1, &one, &none, &noise);
    add_body(&k, 1, &one, &minus, &none);
    add_box(&k, 1, &one, 0, -1, 1, 0);
    add_contact(&k, 0, &minus, 0, 1);
    add_entry(&k, 1, &one);
    add_contact(&k, 1, &minus, 0, 1);
    add_entry(&k, 2, &one);
    PerpCertificate certificate = certify(&k);
    assert_true(certificate.worst < 1e-11);
    assert_close(certificate.residual[PERP_RESIDUAL_BOX_SIGN], noise / (0x1p-20 * sqrt(2)));
}

// a self-stress of any size hides no error
static void test_stress_hides_nothing(void **state)
{
    (void)state;
    for (double squeeze = 10; squeeze < 1e13; squeeze *= 1e3) {
        Case k = grasp(squeeze);
        k.v[0] = 1e-3;
        PerpCertificate certificate = certify(&k);
        assert_close(certificate.residual[PERP_RESIDUAL_APPROACH], 1e-3 / 3.001);
        assert_close(certificate.residual[PERP_RESIDUAL_MOMENTUM], 1e-3 / 3.001);
    }
}

static void test_energies(void **state)
{
    (void)state;
    // block: (1 - 25) by 26
    Case k = {0};
    add_body(&k, 2, mass_2, (double[]){6, -8}, (double[]){1, 0});
    add_contact(&k, 0, z_axis, 0, 8);
    add_group(&k, 0, 0.5, 0, 1);
    add_direction(&k, 0, x_back, 4);
    PerpCertificate certificate = certify(&k);
    assert_close(certificate.energy, 1);
    assert_close(certificate.free_energy, 25);
    assert_close(certificate.energy_excess, -24.0 / 26);

    // ball: 9/8 - 9/2 + c d with c d = -27/4
    k = (Case){0};
    add_body(&k, 1, (double[]){1}, (double[]){-3}, (double[]){1.5});
    add_contact(&k, 0, (double[]){1}, -1.5, 4.5);
    assert_close(certify(&k).energy_excess, (1.125 - 4.5 - 6.75) / (1.125 + 4.5 + 6.75));

    // a push of at least 1 does work: 9/2 - 2 - 1 3
    k = (Case){0};
    add_body(&k, 1, (double[]){1}, (double[]){2}, (double[]){3});
    add_box(&k, 0, (double[]){1}, 0, 1, 4, 1);
    assert_close(certify(&k).energy_excess, (4.5 - 2 - 3) / (4.5 + 2 + 3));
    // and a pull of at least 1
    k.v[0] = 1;
    k.c[0] = -1;
    k.lo[0] = -4;
    k.hi[0] = -1;
    assert_true(certify(&k).energy_excess == (0.5 - 2 + 1) / (0.5 + 2 + 1));

    // friction that pushes: v = (6 + 8)/2 = 7, energy 49
    k = (Case){0};
    add_body(&k, 2, mass_2, (double[]){6, -8}, (double[]){7, 0});
    add_contact(&k, 0, z_axis, 0, 8);
    add_group(&k, 0, 1, 0, 0);
    add_direction(&k, 0, x_axis, 8);
    certificate = certify(&k);
    assert_close(certificate.energy_excess, (49.0 - 25) / (49 + 25));
    assert_true(certificate.residual[PERP_RESIDUAL_MOMENTUM] == 0);
    assert_true(certificate.residual[PERP_RESIDUAL_DISSIPATION] > 0.1);
}

static void test_symmetry(void **state)
{
    (void)state;
    Case k = sticking_blocks();
    k.Mt[5] = 1e-16;
    assert_true(certify(&k).symmetric);
    k.Mt[5] = 1e-6;
    assert_false(certify(&k).symmetric);
}

static void test_memory(void **state)
{
    (void)state;
    Case k = everything_wrong();
    for (int fail_at = 1; fail_at <= 2; fail_at++) {
        PerpFailingAllocator memory = {.fail_at = fail_at};
        PerpContext context = perp_failing_context(&memory);
        PerpCertificate certificate;
        PerpError error = {0};
        PerpStatus status =
            perp_certify(&context, problem(&k), k.v, k.c, k.lambda, &certificate, &error);
        assert_int_equal(status, fail_at == 1 ? PERP_NO_MEMORY : PERP_OK);
        assert_int_equal(error.status, status);
        assert_true(memory.live == 0 && memory.calls == 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_hand_solutions),
        cmocka_unit_test(test_classes_without_rows),
        cmocka_unit_test(test_momentum_error),
        cmocka_unit_test(test_joint_error),
        cmocka_unit_test(test_box_errors),
        cmocka_unit_test(test_contact_errors),
        cmocka_unit_test(test_direction_errors),
        cmocka_unit_test(test_cone_errors),
        cmocka_unit_test(test_residuals_of_contacts),
        cmocka_unit_test(test_residuals_of_groups_in_any_order),
        cmocka_unit_test(test_unloaded_contact),
        cmocka_unit_test(test_noise_of_an_unloaded_group),
        cmocka_unit_test(test_dissipation_error),
        cmocka_unit_test(test_residuals_grow_with_the_perturbation),
        cmocka_unit_test(test_units_do_not_matter),
        cmocka_unit_test(test_numbers_that_are_none),
        cmocka_unit_test(test_singular_mass),
        cmocka_unit_test(test_zero_problems),
        cmocka_unit_test(test_empty_rows),
        cmocka_unit_test(test_mass_ratios),
        cmocka_unit_test(test_stiff_block),
        cmocka_unit_test(test_noise_in_one_velocity),
        cmocka_unit_test(test_body_at_rest_among_moving_ones),
        cmocka_unit_test(test_stress_hides_nothing),
        cmocka_unit_test(test_energies),
        cmocka_unit_test(test_symmetry),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
