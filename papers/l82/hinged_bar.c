// Section 1: a bar hinged to the ceiling whose other end meets the floor. In (x, z, angle from the
// vertical), so that the hinge is two bilateral constraints and the floor a unilateral one.
#include "papers/l82/l82.h"

#include <math.h>

static const double LENGTH = 2, CEILING = 1.8, RESTITUTION = 0.6, START = 1.4, G = 9.81; // m, rad

static void mass(void *user, const double *q, double *M)
{
    (void)user, (void)q;
    for (int i = 0; i < 9; i++)
        M[i] = i % 4 == 0;
    M[8] = LENGTH * LENGTH / 12;
}

static void force(void *user, double t, const double *q, const double *v, double *k)
{
    (void)user, (void)t, (void)q, (void)v;
    k[1] = -G;
}

static double potential(void *user, const double *q)
{
    (void)user;
    return G * q[1];
}

// the upper end at (0, ceiling)
static void hinge(void *user, const double *q, double *theta)
{
    (void)user;
    theta[0] = q[0] - LENGTH / 2 * sin(q[2]);
    theta[1] = q[1] + LENGTH / 2 * cos(q[2]) - CEILING;
}

// the lower end above the floor
static void floor_gap(void *user, const double *q, double *phi)
{
    (void)user;
    phi[0] = q[1] - LENGTH / 2 * cos(q[2]);
}

static PerpSystemDef define(double q[3], double v[3])
{
    PerpSystemDef def = perp_default_system();
    q[0] = LENGTH / 2 * sin(START);
    q[1] = CEILING - LENGTH / 2 * cos(START);
    q[2] = START;
    v[0] = v[1] = v[2] = 0;
    def.n = 3;
    def.position = q;
    def.velocity = v;
    def.mass = mass;
    def.force = force;
    def.potential = potential;
    def.n_joints = 2;
    def.joints = hinge;
    def.n_constraints = 1;
    def.constraints = floor_gap;
    def.restitution = &RESTITUTION;
    return def;
}

// cos of the angle at which the bar turns back, from its energy now
static double turning(const L82Run *run)
{
    double w = l82_v(run, 2);
    return cos(l82_q(run, 2)) - w * w * LENGTH / (3 * G);
}

// After k impacts:  cos(turning) = c - e^(2k) (c - cos(start)),  c = ceiling/length
static double worst_turning(L82Run *run, double h, int bounces)
{
    double worst = 0, c = CEILING / LENGTH;
    paper_table(run->paper, "turning angles", "impacts t cos closed-form difference");
    for (int k = 0; k <= bounces; k++) {
        double expected = c - pow(RESTITUTION, 2 * k) * (c - cos(START)), seen = turning(run);
        double t = perp_simulation_time(run->simulation);
        paper_row(run->paper, (double[]){k, t, seen, expected, seen - expected}, NULL);
        worst = fmax(worst, fabs(seen - expected));
        while (run->impacts == k && l82_step(run, h))
            l82_keep(run, (double[]){l82_q(run, 2), l82_v(run, 2), 0, 0});
        if (run->status || run->impacts > k + 1)
            return k < bounces ? INFINITY : worst;
    }
    return worst;
}

void l82_hinged_bar(Paper *paper)
{
    double q[3], v[3], h = 5e-3;
    PerpSystemDef def = define(q, v);
    L82Run *run = l82_begin_custom(paper, &def, 1e-5);
    if (!run || run->status) {
        l82_end(run);
        return;
    }
    double worst = worst_turning(run, h, 6);
    while (perp_simulation_time(run->simulation) < 4 && l82_step(run, h))
        l82_keep(run, (double[]){l82_q(run, 2), l82_v(run, 2), 0, 0});
    double push = l82_force(run, 0, h);
    l82_draw(run, "history", "A hinged bar and the floor", "angle (rad), spin (rad/s)", 2,
             (const char *const[]){"angle from the vertical", "spin"});
    paper_claim(paper, worst < 1e-9, "bounces lose energy by Newton's law (3.9): to %.1e", worst);
    paper_claim(paper, fabs(l82_v(run, 2)) < 1e-12,
                "the accumulation point is passed: the bar lies on the floor");
    paper_claim(paper, fabs(push - G / 2) < 1e-9,
                "there the floor carries half the weight: %.12g N of %.12g", push, G / 2);
    l82_claim_theorems(run, true);
    paper_note(paper,
               "Chosen here, as the paper gives no data: length %g m, ceiling %g m, mass 1 kg, "
               "released at rest at %g rad, e = %g.",
               LENGTH, CEILING, START, RESTITUTION);
    l82_end(run);
}
