// What the certificate of residuals leaves open: how far off velocities may be, and whether the law
// with slip held is met.
//
//     held     r in K,  u + mu s e_n in K*,  r'(u + mu s e_n) = 0
//     exact    the same with s = |u_T|                             [DeSaxceFeng98]
//
// For given s the law is convex, and its duality gap bounds the distance to the velocities v* that
// solve it, with r* their impulses:
//
//     |v - v*|_M <= (2 (r'u + |r*| dist(u, K*)))^(1/2)
//
// r* is not known; 2 |r| stands for it.

#include "certify/certificate_rows.h"
#include "certify/norm.h"

#include <math.h>

typedef struct Check {
    const PerpProblem *p;
    const double *c;
    const PerpCertificateRow *row;
    const double *slip; // groups: s; NULL: |u_T|
    double residual;    // the worst of the law
    double gap;
    double gap_speed; // the fastest that a gap goes wrong
    int contacts;     // for which that is not nothing
} Check;

static const double NEGLIGIBLE = 1e-8; // of the velocity scale

// |r - P(r - u)| for the cone |r_T| <= mu r_n, in velocities
static double cone_residual(double mu, const double *r, const double *u)
{
    double y[3] = {r[0] - u[0], r[1] - u[1], r[2] - u[2]}, t = perp_norm(y[1], y[2]), e[3];
    double n = (y[0] + mu * t) / (1 + mu * mu); // on the boundary
    bool inside = t <= mu * y[0], polar = n <= 0;
    const double P[3] = {inside  ? y[0]
                         : polar ? 0
                                 : n,
                         inside  ? y[1]
                         : polar ? 0
                                 : mu * n * y[1] / t,
                         inside  ? y[2]
                         : polar ? 0
                                 : mu * n * y[2] / t};
    for (int i = 0; i < 3; i++)
        e[i] = r[i] - P[i];
    return sqrt(e[0] * e[0] + e[1] * e[1] + e[2] * e[2]);
}

// A residual of the law, by the velocity scale of its row or contact; what is no number counts as
// infinitely wrong.
static void note(Check *k, double residual, double scale, double gap)
{
    double relative = residual == 0 ? 0 : residual / scale;
    k->residual = isnan(relative) ? INFINITY : relative > k->residual ? relative : k->residual;
    k->gap += gap;
}

static void judge_joints(Check *k)
{
    for (int i = 0; i < k->p->n_joints; i++)
        note(k, fabs(k->row[i].y), k->row[i].scale, 2 * fabs(k->c[i] * k->row[i].y));
}

static void judge_boxes(Check *k)
{
    const PerpProblem *p = k->p;
    for (int i = 0; i < p->n_boxes; i++) {
        const PerpCertificateRow *row = &k->row[p->n_joints + i];
        double w = row->inverse_mass, c = k->c[p->n_joints + i], y = row->y;
        double lo = p->lo[i], hi = p->hi[i], room = y > 0 ? c - lo : hi - c;
        note(k, fabs(w * c - fmin(fmax(w * c - y, w * lo), w * hi)), row->scale,
             isfinite(room) ? fabs(room * y) : 2 * fabs(c * y));
    }
}

// group: -1 for none
static void judge_contact(Check *k, int contact, int group)
{
    const PerpProblem *p = k->p;
    int normal = p->n_joints + p->n_boxes + contact, count = 0, first = 0;
    double mu = group < 0 ? 0 : p->mu[group];
    if (group >= 0) {
        first = p->n_joints + p->n_boxes + p->n_contacts + p->group_start[group];
        count = p->group_start[group + 1] - p->group_start[group];
    }
    double w = k->row[normal].inverse_mass, r[3] = {k->c[normal]}, u[3] = {k->row[normal].y};
    double scale = k->row[normal].scale;
    for (int i = 0; i < count && i < 2; i++) {
        w += k->row[first + i].inverse_mass;
        scale = fmax(scale, k->row[first + i].scale);
        r[1 + i] = k->c[first + i];
        u[1 + i] = k->row[first + i].y;
    }
    double slip = perp_norm(u[1], u[2]), size = sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2]);
    double gap = r[0] * (u[0] + mu * slip) + r[1] * u[1] + r[2] * u[2];
    double outside = fmax(0, -u[0]); // how far u + mu |u_T| e_n is from K*
    double s = k->slip && group >= 0 ? k->slip[group] : slip, off = mu * fabs(slip - s);
    u[0] += mu * s;
    for (int i = 0; i < 3; i++)
        r[i] *= w / (1 + count);
    note(k, cone_residual(mu, r, u), scale, fmax(gap, 0) + 2 * size * outside);
    if (!(r[0] > 0)) // it may approach: u_n >= mu (|u_T| - s)
        off = fmax(0, mu * s - u[0]);
    k->gap_speed = isnan(off) ? INFINITY : fmax(k->gap_speed, off);
    k->contacts += !(off <= NEGLIGIBLE * scale);
}

static void judge_contacts(Check *k)
{
    for (int i = 0, g = 0; i < k->p->n_contacts; i++) {
        bool rubs = g < k->p->n_groups && k->p->group_contact[g] == i;
        judge_contact(k, i, rubs ? g : -1);
        while (g < k->p->n_groups && k->p->group_contact[g] == i)
            g++;
    }
}

// |v - v_f|^2_M = c'J (v - v_f)
static double moved(const Check *k)
{
    double sum = 0;
    for (int r = 0; r < perp_problem_rows(k->p); r++)
        sum += k->c[r] * (k->row[r].y - k->row[r].y_free);
    return sum;
}

void perp_gap_judge(const PerpProblem *p, const double *c, const PerpCertificateRow *row,
                    PerpGap *gap)
{
    Check k = {.p = p, .c = c, .row = row};
    judge_joints(&k);
    judge_boxes(&k);
    judge_contacts(&k);
    double distance = moved(&k);
    *gap = (PerpGap){.velocity = distance > 0 ? sqrt(2 * k.gap / distance) : 0};
}

void perp_held_judge(const PerpProblem *p, const double *c, const double *slip,
                     const PerpCertificateRow *row, PerpHeld *held)
{
    Check k = {.p = p, .c = c, .row = row, .slip = slip};
    judge_joints(&k);
    judge_boxes(&k);
    judge_contacts(&k);
    *held = (PerpHeld){k.residual, k.gap_speed, k.contacts};
}
