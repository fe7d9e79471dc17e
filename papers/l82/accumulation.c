// Section 4: a ball bounces on a plane with 0 < e < 1; its bounces accumulate, then it rests.
#include "papers/l82/l82.h"

#include <math.h>

static const double DROP = 1, G = 9.81;

static void mass(void *user, const double *q, double *M)
{
    (void)user, (void)q;
    M[0] = 1;
}

static void force(void *user, double t, const double *q, const double *v, double *k)
{
    (void)user, (void)t, (void)q, (void)v;
    k[0] = -G;
}

static double potential(void *user, const double *q)
{
    (void)user;
    return G * q[0];
}

static void above(void *user, const double *q, double *phi)
{
    (void)user;
    phi[0] = q[0];
}

static PerpSystemDef define(const double *e)
{
    static const double rest = 0;
    PerpSystemDef def = perp_default_system();
    def.n = 1;
    def.position = &DROP;
    def.velocity = &rest;
    def.mass = mass;
    def.force = force;
    def.potential = potential;
    def.n_constraints = 1;
    def.constraints = above;
    def.restitution = e;
    return def;
}

// The step in which the ball comes to rest, found in steps of h: true if the accumulation point
// sqrt(2 H/g) (1 + e)/(1 - e) lies in it, but for what the threshold cuts off.
static bool find_rest(L82Run *run, double e, double h, bool draw)
{
    double limit = sqrt(2 * DROP / G) * (1 + e) / (1 - e), threshold = 1e-5, t = 0;
    while (t < 2 * limit && l82_step(run, h)) {
        t = perp_simulation_time(run->simulation);
        if (draw)
            l82_keep(run, (double[]){l82_q(run, 0), 0, 0, 0});
        if (l82_q(run, 0) < 1e-11 && fabs(l82_v(run, 0)) < 1e-12)
            break;
    }
    double cut = 2 * threshold / (G * (1 - e));
    paper_row(run->paper, (double[]){e, run->impacts, t - h, t, limit, cut}, NULL);
    return !run->status && t >= limit - cut && t - h <= limit;
}

void l82_accumulation(Paper *paper)
{
    static const double e[] = {0.3, 0.5, 0.7, 0.9};
    bool right = true;
    paper_table(paper, "rest", "e bounces rest-after rest-before accumulation-point cut-off");
    for (int i = 0; i < 4 && !paper_failed(paper); i++) {
        PerpSystemDef def = define(&e[i]);
        L82Run *run = l82_begin_custom(paper, &def, 1e-5);
        right = run && find_rest(run, e[i], 5e-3, i == 2) && right;
        if (run && i == 2) {
            l82_draw(run, "history", "Bounces accumulate (e = 0.7)", "height (m)", 1,
                     (const char *const[]){"ball"});
            l82_claim_theorems(run, true);
        }
        l82_end(run);
    }
    paper_claim(paper, right,
                "the ball comes to rest in the step that holds the accumulation point");
    paper_note(paper,
               "Impacts slower than 1e-5 m/s do not bounce; what they would still have taken "
               "is the cut-off (s). Dropped from 1 m.");
}
