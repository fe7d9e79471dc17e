// The certificate of a step problem: residuals recomputed from the problem's own numbers. It shares
// no code with any solver. Every residual is a velocity by the velocity scale of its row, see
// docs/notation.md and measure.h.
#include "base/error.h"
#include "base/memory.h"
#include "certify/exact_sum.h"
#include "certify/measure.h"
#include "certify/norm.h"
#include "perp/problem.h"

#include <math.h>

// The sum of impulses beyond what their rounding may cause.
static double beyond_rounding(const PerpSum *s)
{
    double sum = perp_sum_total(s), allowed = PERP_IMPULSE_ROUNDING * s->terms;
    return fabs(sum) <= allowed ? 0 : sum;
}

// NaN wins
static double larger(double a, double b)
{
    return a > b || isnan(a) ? a : b;
}

static double smaller(double a, double b)
{
    return a < b ? a : b;
}

// m/s: slower is rest, however slow all else is. A body that is held and that nothing moves has
// velocities of 1e-41 m/s by rounding, which are no scale.
static const double LEAST_SPEED = 1e-30;

// The positive part of x by its scale; what is no number counts as infinitely wrong.
static double relative(double x, double scale)
{
    if (isnan(x) || !isfinite(scale))
        return INFINITY;
    return x > 0 ? x / (scale > 0 && scale < LEAST_SPEED ? LEAST_SPEED : scale) : 0;
}

typedef struct Check {
    const PerpProblem *p;      // borrowed, as are c and lambda
    const double *c, *lambda;  //
    const PerpMeasures *found; //
    PerpCertificate *to;
    double *of_contact; // contacts: the worst of each; NULL: not asked for
} Check;

// The worst of each class, and where.
static void note(const Check *k, PerpResidual kind, int index, double value)
{
    PerpCertificate *to = k->to;
    if (to->residual_row[kind] >= 0 && value <= to->residual[kind])
        return;
    to->residual[kind] = value;
    to->residual_row[kind] = index;
}

// The same of a row or group that belongs to a contact: the worst of that contact, too.
static void note_contact(const Check *k, PerpResidual kind, int index, int contact, double value)
{
    note(k, kind, index, value);
    if (k->of_contact && value > k->of_contact[contact]) // never NaN, see relative; mostly 0
        k->of_contact[contact] = value;
}

// W c; an empty row has no inverse mass: any impulse but 0 is infinitely large
static double as_velocity(double inverse_mass, double impulse)
{
    if (inverse_mass > 0)
        return inverse_mass * impulse;
    return impulse == 0 ? 0 : copysign(INFINITY, impulse);
}

// Mt v - J'c - b = 0, as the velocity error in the kinetic metric        [AP97 (2.8)]
static void judge_momentum(Check *k)
{
    for (int i = 0; i < k->p->n_bodies; i++) {
        const PerpMeasuredBody *body = &k->found->body[i];
        double error = body->error <= body->rounding ? 0 : body->error;
        note(k, PERP_RESIDUAL_MOMENTUM, i, relative(error, body->speed));
    }
}

// y = 0                                                                  [AP97 (2.9)]
static void judge_joints(Check *k)
{
    for (int i = 0; i < k->p->n_joints; i++) {
        const PerpCertificateRow *row = &k->found->row[i];
        note(k, PERP_RESIDUAL_JOINT, i, relative(fabs(row->y), row->scale));
    }
}

static void judge_boxes(Check *k)
{
    for (int i = 0; i < k->p->n_boxes; i++) {
        const PerpCertificateRow *row = &k->found->row[k->p->n_joints + i];
        double c = k->c[k->p->n_joints + i], W = row->inverse_mass;
        double above_lo = c - k->p->lo[i], below_hi = k->p->hi[i] - c;

        // lo <= c <= hi                                                  [L82 (6.4)]
        double outside = as_velocity(W, -smaller(above_lo, below_hi));
        note(k, PERP_RESIDUAL_BOX_RANGE, i, relative(outside, row->scale));

        // |c - clamp(c - y/W, lo, hi)| W = min(y, W (c - lo)) if y > 0,
        //                                  min(-y, W (hi - c)) if y < 0  [L82 (6.5)]
        double room = as_velocity(W, row->y > 0 ? above_lo : below_hi);
        double wrong = smaller(fabs(row->y), room);
        note(k, PERP_RESIDUAL_BOX_SIGN, i, relative(wrong, row->scale));
    }
}

// 0 <= y  perp  c >= 0                                                   [AP97 (2.10)]
static void judge_contacts(Check *k)
{
    int first = k->p->n_joints + k->p->n_boxes;
    for (int i = 0; i < k->p->n_contacts; i++) {
        const PerpCertificateRow *row = &k->found->row[first + i];
        double impulse = as_velocity(row->inverse_mass, k->c[first + i]);
        note_contact(k, PERP_RESIDUAL_APPROACH, i, i, relative(-row->y, row->scale));
        note_contact(k, PERP_RESIDUAL_TENSION, i, i, relative(-impulse, row->scale));
        note_contact(k, PERP_RESIDUAL_CONTACT_GAP, i, i,
                     relative(smaller(row->y, impulse), row->scale));
    }
}

// A friction group: its directions are the rows row[0 .. n-1] with the impulses beta.
typedef struct Group {
    int contact;
    int first, n; // directions first .. first + n - 1
    const PerpCertificateRow *row;
    const double *beta;
    double lambda, limit;
    double rest;                // limit - sum beta
    double scale, inverse_mass; // the largest of the directions
} Group;

static Group gather_group(const Check *k, int g)
{
    const PerpProblem *p = k->p;
    int contacts = p->n_joints + p->n_boxes, directions = contacts + p->n_contacts;
    Group group = {
        .contact = p->group_contact[g], .first = p->group_start[g], .lambda = k->lambda[g]};
    group.n = p->group_start[g + 1] - group.first;
    group.row = k->found->row + directions + group.first;
    group.beta = k->c + directions + group.first;

    // limit = mu c_n + cohesion
    PerpSum rest = {0};
    perp_sum_add_product(&rest, p->mu[g], k->c[contacts + group.contact]);
    perp_sum_add(&rest, p->cohesion[g]);
    group.limit = perp_sum_total(&rest);
    for (int i = 0; i < group.n; i++) {
        perp_sum_add(&rest, -group.beta[i]);
        group.scale = larger(group.scale, group.row[i].scale);
        group.inverse_mass = larger(group.inverse_mass, group.row[i].inverse_mass);
    }
    group.rest = beyond_rounding(&rest);
    return group;
}

// 0 <= lambda + y  perp  beta >= 0                                       [AP97 (2.11)]
static void judge_directions(Check *k, const Group *g)
{
    for (int i = 0; i < g->n; i++) {
        const PerpCertificateRow *row = &g->row[i];
        double slip = g->lambda + row->y, impulse = as_velocity(row->inverse_mass, g->beta[i]);
        note_contact(k, PERP_RESIDUAL_SLIP, g->first + i, g->contact, relative(-slip, row->scale));
        note_contact(k, PERP_RESIDUAL_BETA_SIGN, g->first + i, g->contact,
                     relative(-impulse, row->scale));
        double gap = smaller(slip, impulse);
        note_contact(k, PERP_RESIDUAL_SLIP_GAP, g->first + i, g->contact,
                     relative(gap, row->scale));
    }
}

// 0 <= limit - sum beta  perp  lambda >= 0                               [AP97 (2.12)]
static void judge_cone(Check *k, int index, const Group *g)
{
    double rest = as_velocity(g->inverse_mass, g->rest);
    double below = isfinite(g->lambda) ? -g->lambda : INFINITY;
    note_contact(k, PERP_RESIDUAL_CONE, index, g->contact, relative(-rest, g->scale));
    note_contact(k, PERP_RESIDUAL_LAMBDA, index, g->contact, relative(below, g->scale));
    note_contact(k, PERP_RESIDUAL_CONE_GAP, index, g->contact,
                 relative(smaller(g->lambda, rest), g->scale));
}

// beta takes the most power: e = limit max(0, max -y) + beta'y = 0, whatever lambda says; by the
// larger of limit and sum |beta| it is a velocity, by max |y| an impulse [AP97 (2.5)-(2.7)]
static void judge_dissipation(Check *k, int index, const Group *g)
{
    double fastest = 0, speed = 0, impulse = 0;
    for (int i = 0; i < g->n; i++) {
        fastest = larger(fastest, -g->row[i].y);
        speed = larger(speed, fabs(g->row[i].y));
        impulse += fabs(g->beta[i]);
    }
    PerpSum e = {0};
    perp_sum_add_product(&e, g->limit, fastest);
    for (int i = 0; i < g->n; i++)
        perp_sum_add_product(&e, g->beta[i], g->row[i].y);
    double wrong = beyond_rounding(&e);
    if (wrong > 0)
        wrong =
            smaller(wrong / larger(g->limit, impulse), as_velocity(g->inverse_mass, wrong / speed));
    note_contact(k, PERP_RESIDUAL_DISSIPATION, index, g->contact, relative(wrong, g->scale));
}

// A circular group: |beta| <= limit, and beta = P(beta - y/W) with the projection P on that disc,
// which says at once that slip is opposed and that friction below its limit does not slip.
static void judge_circular(Check *k, int index, const Group *g)
{
    double W = g->inverse_mass, beta[2] = {0}, y[2] = {0}, aim[2] = {0};
    for (int i = 0; i < g->n; i++) {
        beta[i] = g->beta[i];
        y[i] = g->row[i].y;
        aim[i] = as_velocity(W, beta[i]) - y[i];
    }
    double size = perp_norm(beta[0], beta[1]), far = perp_norm(aim[0], aim[1]);
    double limit = as_velocity(W, g->limit), shrink = far > limit ? larger(limit, 0) / far : 1;
    double outside = size - g->limit;
    if (outside <= PERP_IMPULSE_ROUNDING * larger(size, g->limit))
        outside = smaller(outside, 0);
    double wrong = perp_norm(as_velocity(W, beta[0]) - shrink * aim[0],
                             as_velocity(W, beta[1]) - shrink * aim[1]);
    if (wrong <= PERP_IMPULSE_ROUNDING * as_velocity(W, size))
        wrong = 0;
    note_contact(k, PERP_RESIDUAL_CONE, index, g->contact,
                 relative(as_velocity(W, outside), g->scale));
    note_contact(k, PERP_RESIDUAL_DISSIPATION, index, g->contact, relative(wrong, g->scale));
}

static void judge_groups(Check *k)
{
    for (int i = 0; i < k->p->n_groups; i++) {
        Group group = gather_group(k, i);
        if (k->p->group_circular && k->p->group_circular[i]) {
            judge_circular(k, i, &group);
            continue;
        }
        judge_directions(k, &group);
        judge_cone(k, i, &group);
        judge_dissipation(k, i, &group);
    }
}

static double relative_excess(const PerpSum *balance)
{
    if (!isfinite(balance->terms))
        return INFINITY;
    return balance->terms > 0 ? perp_sum_total(balance) / balance->terms : 0;
}

// for symmetric Mt,  v'Mt (v - v_f) = c'J v  gives
//     energy - free_energy + c'd + c'C c - c'y = -|v - v_f|^2_Mt / 2     [AP97 (2.18)-(2.22)]
// and c'y <= 0 but for boxes that exclude 0, where c y <= clamp(0, lo, hi) y
PERP_VECTOR_KERNEL static void judge_energy(Check *k)
{
    const PerpProblem *p = k->p;
    PerpSum balance = {0};
    perp_sum_add(&balance, k->to->energy);
    perp_sum_add(&balance, -k->to->free_energy);
    for (int r = 0; r < perp_problem_rows(p); r++)
        perp_sum_add_product(&balance, k->c[r], p->d[r]);
    for (int r = 0; p->compliance && r < perp_problem_rows(p); r++)
        perp_sum_add_product(&balance, p->compliance[r] * k->c[r], k->c[r]);
    for (int i = 0; i < p->n_boxes; i++) {
        double nearest_zero = smaller(larger(0, p->lo[i]), p->hi[i]);
        perp_sum_add_product(&balance, -nearest_zero, k->found->row[p->n_joints + i].y);
    }
    k->to->energy_excess = relative_excess(&balance);
}

static void find_worst(PerpCertificate *to)
{
    for (int kind = 0; kind < PERP_RESIDUAL_COUNT; kind++)
        if (to->residual[kind] > to->worst) {
            to->worst = to->residual[kind];
            to->worst_kind = (PerpResidual)kind;
        }
}

static PerpCertificate blank_certificate(const PerpMeasures *found)
{
    PerpCertificate blank = {
        .energy = found->energy, .free_energy = found->free_energy, .symmetric = found->symmetric};
    for (int kind = 0; kind < PERP_RESIDUAL_COUNT; kind++)
        blank.residual_row[kind] = -1;
    return blank;
}

// The laws, class by class.
static void judge(Check *k)
{
    *k->to = blank_certificate(k->found);
    for (int i = 0; k->of_contact && i < k->p->n_contacts; i++)
        k->of_contact[i] = 0;
    judge_momentum(k);
    judge_joints(k);
    judge_boxes(k);
    judge_contacts(k);
    judge_groups(k);
    judge_energy(k);
    find_worst(k->to);
}

PerpStatus perp_certify_with_gap(const PerpContext *context, const PerpProblem *p, const double *v,
                                 const double *c, const double *lambda,
                                 PerpCertificate *certificate, double *of_contact, PerpGap *gap,
                                 PerpError *error)
{
    PerpContext lent = context ? *context : perp_default_context();
    PerpMeasures found;
    if (!perp_certificate_measure(&lent.allocator, p, v, c, gap, &found))
        return perp_fail(error, PERP_NO_MEMORY, "no memory for the certificate");
    judge(&(Check){.p = p,
                   .c = c,
                   .lambda = lambda,
                   .found = &found,
                   .to = certificate,
                   .of_contact = of_contact});
    if (gap)
        perp_gap_judge(p, c, found.row, gap);
    perp_free(&lent.allocator, found.body);
    return PERP_OK;
}

PerpStatus perp_certify_contacts(const PerpContext *context, const PerpProblem *p, const double *v,
                                 const double *c, const double *lambda,
                                 PerpCertificate *certificate, double *of_contact, PerpError *error)
{
    return perp_certify_with_gap(context, p, v, c, lambda, certificate, of_contact, NULL, error);
}

PerpStatus perp_certify(const PerpContext *context, const PerpProblem *p, const double *v,
                        const double *c, const double *lambda, PerpCertificate *certificate,
                        PerpError *error)
{
    return perp_certify_contacts(context, p, v, c, lambda, certificate, NULL, error);
}

PerpStatus perp_certify_gap(const PerpContext *context, const PerpProblem *p, const double *v,
                            const double *c, PerpGap *gap, PerpError *error)
{
    PerpContext lent = context ? *context : perp_default_context();
    PerpMeasures found;
    if (!perp_certificate_measure(&lent.allocator, p, v, c, true, &found))
        return perp_fail_memory(error);
    perp_gap_judge(p, c, found.row, gap);
    perp_free(&lent.allocator, found.body);
    return PERP_OK;
}

PerpStatus perp_certify_held(const PerpContext *context, const PerpProblem *p, const double *v,
                             const double *c, const double *slip, PerpHeld *held, PerpError *error)
{
    PerpContext lent = context ? *context : perp_default_context();
    PerpMeasures found;
    PerpCertificate momentum;
    if (!perp_certificate_measure(&lent.allocator, p, v, c, false, &found))
        return perp_fail_memory(error);
    momentum = blank_certificate(&found);
    judge_momentum(&(Check){.p = p, .c = c, .found = &found, .to = &momentum});
    perp_held_judge(p, c, slip, found.row, held);
    held->residual = larger(held->residual, momentum.residual[PERP_RESIDUAL_MOMENTUM]);
    perp_free(&lent.allocator, found.body);
    return PERP_OK;
}
