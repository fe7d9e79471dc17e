// (2.1c), nonholonomic unilateral constraints. A flywheel with a ratchet, dq/dt >= 0, under the
// torque cos t: it turns, stands while the torque is against it, and turns again [section 2, case
// 2]. A particle whose velocity must not point below a direction that jumps: an impulse with
// restitution (3.9).
#include "papers/l82/l82.h"

#include <math.h>

static const double PI = 3.14159265358979323846;

static void unit_mass(void *user, const double *q, double *M)
{
    (void)user, (void)q;
    M[0] = 1;
}

static void torque(void *user, double t, const double *q, const double *v, double *k)
{
    (void)user, (void)q, (void)v;
    k[0] = cos(t);
}

static double power(void *user, double t, const double *q, const double *v)
{
    (void)user, (void)q;
    return cos(t) * v[0];
}

static void forward(void *user, const double *q, double *G)
{
    (void)user, (void)q;
    G[0] = 1;
}

// sin t until it vanishes at pi; then nothing until cos t > 0 again at 3 pi/2; then 1 + sin t.
static double speed_at(double t)
{
    double phase = fmod(t, 2 * PI);
    if (t < PI)
        return sin(t);
    if (t < 1.5 * PI)
        return 0;
    return t < 3.5 * PI ? 1 + sin(phase) : 0;
}

static double ratchet_force(const L82Run *run, double h)
{
    return perp_simulation_limit_count(run->simulation) > 0
               ? perp_simulation_limit(run->simulation, 0).impulse / h
               : 0;
}

// With PI/64 s the torque is largest at the end of a step, where (3.7) sees it, and the ratchet
// closes there; with another step it closes within one.
static void turn_wheel(Paper *paper, double h)
{
    static const double start = 0;
    const bool at_ends = h == PI / 64;
    PerpSystemDef def = perp_default_system();
    double worst = 0, lambda = 0;
    def.n = 1;
    def.position = def.velocity = &start;
    def.mass = unit_mass;
    def.force = torque;
    def.power = power;
    def.n_rates = 1;
    def.rates = forward;
    L82Run *run = l82_begin_custom(paper, &def, 1e-3);
    bool ok = run && !run->status;
    paper_table(paper, at_ends ? "flywheel" : "flywheel, closing within a step",
                "t speed closed-form force closed-form-force");
    for (int k = 1; ok && k * h < 10; k++) {
        ok = l82_step(run, h);
        double t = perp_simulation_time(run->simulation), v = l82_v(run, 0);
        bool held = t > PI && t < 1.5 * PI;
        double force = ratchet_force(run, h), wanted = held ? -cos(t) : 0;
        worst = fmax(worst, fabs(v - speed_at(t)));
        if (!at_ends || fabs(t - PI) > h / 2) // where it closes there is no force yet, or the whole
            lambda = fmax(lambda, fabs(force - wanted));
        if (k % (at_ends ? 16 : 4) == 0)
            paper_row(paper, (double[]){t, v, speed_at(t), force, wanted}, NULL);
        l82_keep(run, (double[]){v, speed_at(t), force, 0});
    }
    if (ok && at_ends)
        l82_draw(run, "flywheel", "A flywheel with a ratchet under the torque cos t", "rad/s, N m",
                 3, (const char *const[]){"speed", "closed form", "force of the ratchet"});
    if (ok) {
        paper_claim(
            paper, worst < 1e-8 && lambda < 1e-7,
            "h = %.2f s: the ratchet holds from pi to 3 pi/2 with the force -cos t: speed to "
            "%.1e rad/s, force to %.1e N m",
            h, worst, lambda);
        if (at_ends)
            l82_claim_theorems(run, true);
    }
    l82_end(run);
}

// --- a direction that jumps ---------------------------------------------------------------------

static void two_masses(void *user, const double *q, double *M)
{
    (void)user, (void)q;
    M[0] = M[3] = 1;
    M[1] = M[2] = 0;
}

// -sin(angle) vx + cos(angle) vy >= 0, the angle 0 before x = 1 and `user` behind it
static void keel(void *user, const double *q, double *G)
{
    double angle = q[0] > 1 ? *(const double *)user : 0;
    G[0] = -sin(angle);
    G[1] = cos(angle);
}

static double cross(Paper *paper, double angle, double e, double h)
{
    static const double start[2] = {0, 0}, velocity[2] = {1, 0};
    PerpSystemDef def = perp_default_system();
    def.n = 2;
    def.position = start;
    def.velocity = velocity;
    def.user = &angle;
    def.mass = two_masses;
    def.n_rates = 1;
    def.rates = keel;
    def.rate_restitution = &e;
    double jump = angle > 0 ? (1 + e) * sin(angle) : 0, off = INFINITY;
    double v[2] = {1 - jump * sin(angle), jump * cos(angle)};
    L82Run *run = l82_begin_custom(paper, &def, 1e-3);
    bool ok = run && !run->status;
    while (ok && perp_simulation_time(run->simulation) < 2 - h / 2)
        ok = l82_step(run, h);
    if (ok) {
        off = hypot(l82_v(run, 0) - v[0], l82_v(run, 1) - v[1]);
        off = fmax(off, hypot(l82_q(run, 0) - 1 - v[0], l82_q(run, 1) - v[1]));
        paper_row(paper, (double[]){angle, e, l82_v(run, 0), v[0], l82_v(run, 1), v[1]}, NULL);
    }
    l82_end(run);
    return off;
}

void l82_ratchet(Paper *paper)
{
    static const double angle[] = {-0.7, 0.3, 0.7};
    double worst = 0;
    turn_wheel(paper, PI / 64);
    turn_wheel(paper, 0.3);
    paper_table(paper, "direction", "angle e vx vx-closed-form vy vy-closed-form");
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 2 && !paper_failed(paper); i++)
            worst = fmax(worst, cross(paper, angle[k], i ? 0.5 : 0, 0.04));
    paper_claim(paper, worst < 1e-8,
                "g_2 jumps at x = 1: v is continuous where (g_2^2)'v > 0, and by (3.9) with e = 0 "
                "and 0.5 where it is negative; to %.1e",
                worst);
    paper_note(paper, "Chosen here: unit masses; scenes/ratchet.yaml has a ratchet in a scene.");
}
