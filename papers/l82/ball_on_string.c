// Section 1: a ball rotating about a point by means of a string, which is slack or taut.
#include "papers/l82/l82.h"

#include <math.h>

static const double LENGTH = 1, G = 9.81;

static void mass(void *user, const double *q, double *M)
{
    (void)user, (void)q;
    M[0] = M[3] = 1;
    M[1] = M[2] = 0;
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

static void slack(void *user, const double *q, double *phi)
{
    (void)user;
    phi[0] = LENGTH - hypot(q[0], q[1]);
}

static void slack_gradient(void *user, const double *q, double *n)
{
    (void)user;
    n[0] = -q[0] / hypot(q[0], q[1]);
    n[1] = -q[1] / hypot(q[0], q[1]);
}

static PerpSystemDef define(const double *q, const double *v)
{
    PerpSystemDef def = perp_default_system();
    def.n = 2;
    def.position = q;
    def.velocity = v;
    def.mass = mass;
    def.force = force;
    def.potential = potential;
    def.n_constraints = 1;
    def.constraints = slack;
    def.constraint_gradients = slack_gradient;
    return def;
}

static double energy(const L82Run *run)
{
    const PerpEnergy *e = &perp_simulation_report(run->simulation)->energy;
    return e->kinetic + e->gravity;
}

// Runs until the string's slackness is as wanted.
static void run_until(L82Run *run, double h, bool wanted)
{
    bool is_slack = !wanted;
    while (is_slack != wanted && perp_simulation_time(run->simulation) < 5 && l82_step(run, h)) {
        double away = LENGTH - hypot(l82_q(run, 0), l82_q(run, 1));
        is_slack = away > 1e-9;
        l82_keep(run, (double[]){away, l82_force(run, 0, h), 0, 0});
    }
}

// Started at the bottom with v^2 = 4 g L the string slackens at height 2/3 L, where v^2 = 2/3 g L;
// the flight takes 4 v cos/g, and what the string takes when it is taut is the radial speed.
static void compare(L82Run *run, double h)
{
    double s = 2. / 3, c = sqrt(1 - s * s), v = sqrt(G * LENGTH * s), flight = 4 * v * c / G;
    double x = LENGTH * c - v * s * flight;
    double z = LENGTH * s + v * c * flight - G * flight * flight / 2;
    double radial = (x * -v * s + z * (v * c - G * flight)) / LENGTH;
    run_until(run, h, true);
    double vx = l82_v(run, 0), before = energy(run);
    run_until(run, h, false);
    double after = energy(run), expected = before - radial * radial / 2;
    paper_table(run->paper, "slack and taut",
                "vx vx-closed-form E-slack E-closed-form E-taut E-taut-closed-form");
    paper_row(run->paper, (double[]){vx, -v * s, before, G * LENGTH, after, expected}, NULL);
    paper_claim(run->paper, fabs(vx + v * s) < 1e-9,
                "the string slackens where its force vanishes: horizontal speed to %.1e m/s",
                fabs(vx + v * s));
    paper_claim(run->paper, fabs(before - G * LENGTH) < 1e-8 && fabs(after - expected) < 1e-8,
                "taut again, it takes the radial speed %.6f m/s and nothing else: energy to %.1e J",
                radial, fabs(after - expected));
}

void l82_ball_on_string(Paper *paper)
{
    const double q[2] = {0, -LENGTH}, v[2] = {sqrt(4 * G * LENGTH), 0}, h = 5e-3;
    PerpSystemDef def = define(q, v);
    L82Run *run = l82_begin_custom(paper, &def, 1e-3);
    if (!run || run->status) {
        l82_end(run);
        return;
    }
    compare(run, h);
    while (perp_simulation_time(run->simulation) < 4 && l82_step(run, h))
        l82_keep(run, (double[]){LENGTH - hypot(l82_q(run, 0), l82_q(run, 1)), l82_force(run, 0, h),
                                 0, 0});
    l82_draw(run, "history", "A ball on a string", "slack (m), force in the string (N)", 2,
             (const char *const[]){"slack", "force"});
    l82_claim_theorems(run, true);
    paper_note(paper, "Chosen here, as the paper gives no data: length 1 m, mass 1 kg, v^2 = 4 g L "
                      "at the bottom, the string takes up without bounce.");
    l82_end(run);
}
