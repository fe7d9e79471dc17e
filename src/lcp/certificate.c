// The certificate of a step problem: residuals recomputed from the problem's own numbers. It shares
// no code with any solver. Every residual is a velocity by the velocity scale of its row, see
// docs/notation.md:
//
//     e_k  = |v|_Mt + |v_f|_Mt                 of body k, |x|_A = sqrt(x'A x), Mt v_f = b
//     s_r  = |d_r| + sum_k |J_rk'|_inv(Mt) e_k the speed that row r would have if all of the energy
//                                              went its way
//     W_r  = sum_k |J_rk'|_inv(Mt)^2           inverse mass: turns impulses into velocities
#include "base/compiler.h"
#include "base/error.h"
#include "base/memory.h"
#include "lcp/certificate_inverse.h"
#include "lcp/certificate_rows.h"
#include "lcp/exact_sum.h"
#include "math/vec3.h"
#include "perp/problem.h"

#include <math.h>

static const char *const names[] = {
#define PERP_RESIDUAL_NAME(name, word, unit) word,
    PERP_RESIDUAL_LIST(PERP_RESIDUAL_NAME)
#undef PERP_RESIDUAL_NAME
};

static const char *const units[] = {
#define PERP_RESIDUAL_UNIT(name, word, unit) unit,
    PERP_RESIDUAL_LIST(PERP_RESIDUAL_UNIT)
#undef PERP_RESIDUAL_UNIT
};

const char *perp_residual_name(PerpResidual residual)
{
    return (unsigned)residual < PERP_RESIDUAL_COUNT ? names[residual] : "?";
}

const char *perp_residual_unit(PerpResidual residual)
{
    return (unsigned)residual < PERP_RESIDUAL_COUNT ? units[residual] : "?";
}

// Impulses are doubles: where large ones cancel, no choice of doubles makes the sum vanish. What
// four units in their last place may cause is not counted.
static const double IMPULSE_ROUNDING = 0x1p-50;

// The sum of impulses beyond what their rounding may cause.
static double beyond_rounding(const PerpSum *s)
{
    double sum = perp_sum_total(s), allowed = IMPULSE_ROUNDING * s->terms;
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

// The positive part of x by its scale; what is no number counts as infinitely wrong.
static double relative(double x, double scale)
{
    if (isnan(x) || !isfinite(scale))
        return INFINITY;
    return x > 0 ? x / scale : 0;
}

typedef struct Body {
    int first, n;     // velocities first .. first + n - 1
    bool diagonal;    // Mt has nothing off its diagonal, and so has the inverse
    const double *Mt; // n x n
    double *inverse;  // n x n, or the n numbers of the diagonal
    double speed;     // e_k, sqrt(J)
    double rounding;  // velocity error, in the same units, that rounding of c to doubles may cause
} Body;

// Velocities of most bodies, for which loops are compiled by themselves; of those, what is summed
// up side by side.
enum { FREE = 6, LANES = 4 };

// J v of a row, each velocity of a free body in a lane of its own.
typedef struct Speed {
    double value[FREE], error[FREE];
} Speed;

typedef struct Check {
    const PerpProblem *p;         // borrowed, as are v, c and lambda
    const double *v, *c, *lambda; //
    Body *body;                   // n_bodies, the one allocation; the arrays below lie behind it
    PerpCertificateRow *row;      // rows
    double *momentum;             // velocities: Mt v - J'c - b, value and
    double *momentum_error;       // velocities: error of a sum
    double *v_free;               // velocities: v_f
    double *defect;               // velocities: scratch
    double *inverses;             // the blocks of Mt^-1
    Speed speed;                  // of the row at hand; not a local variable, for vectors' sake
    PerpCertificate *to;
    double *of_contact; // contacts: the worst of each; NULL: not asked for
    bool asks_gap;      // y_free is needed
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

// (Mt x)_i - b_i. Mass blocks are mostly zeros, and bodies at rest are, which add nothing; an x_j
// that is no number still shows in the row of its own diagonal.
PERP_KERNEL_PART PerpSum row_times(const Body *body, const double *x, int i, double b)
{
    PerpSum s = {0};
    int n = body->n;
    for (int j = 0; j < n; j++)
        if (body->Mt[i + n * j] != 0 && x[j] != 0)
            perp_sum_add_product(&s, body->Mt[i + n * j], x[j]);
    perp_sum_add(&s, -b);
    return s;
}

PERP_KERNEL_PART double diagonal_form(int n, const double *diagonal, const double *x)
{
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i] * diagonal[i] * x[i];
    return sum;
}

// x'Mt^-1 x
PERP_KERNEL_PART double inverse_form(const Body *body, const double *x)
{
    if (!body->diagonal)
        return perp_certificate_form(body->inverse, body->n, false, x);
    return body->n == FREE ? diagonal_form(FREE, body->inverse, x)
                           : diagonal_form(body->n, body->inverse, x);
}

// value + error += a b of sums side by side, each as exact as a PerpSum. All is read before
// anything is written: the compiler makes vectors of it.
PERP_KERNEL_PART void add_products(int n, const double *a, const double *b, double *value,
                                   double *error)
{
    double sum[LANES], rest[LANES];
    for (int i = 0; i < n; i++) {
        double product = a[i] * b[i], part;
        sum[i] = value[i] + product;
        part = sum[i] - value[i];
        rest[i] = error[i] +
                  (((value[i] - (sum[i] - part)) + (product - part)) + fma(a[i], b[i], -product));
    }
    for (int i = 0; i < n; i++)
        value[i] = sum[i];
    for (int i = 0; i < n; i++)
        error[i] = rest[i];
}

// x'A x / 2, right to rounding also where stiff terms of A cancel in A x
PERP_KERNEL_PART double kinetic_energy(const Body *body, const double *x)
{
    PerpSum energy = {0};
    for (int i = 0; i < body->n; i++) {
        PerpSum momentum = row_times(body, x, i, 0);
        perp_sum_add_product(&energy, perp_sum_total(&momentum), x[i] / 2);
    }
    return perp_sum_total(&energy);
}

// Mt v_f = b from v_f = 0: inverse and two rounds of refinement
PERP_KERNEL_PART void find_free_velocity(const Body *body, const double *b, double *v_free,
                                         double *defect)
{
    int n = body->n;
    bool exact = false;
    for (int round = 0; round < 3 && !exact; round++) {
        exact = true;
        for (int i = 0; i < n; i++) {
            PerpSum s = row_times(body, v_free, i, b[i]);
            defect[i] = perp_sum_total(&s);
            exact = exact && defect[i] == 0;
        }
        for (int j = 0; j < n; j++)
            for (int i = 0; i < n && defect[j] != 0; i++)
                v_free[i] -= body->inverse[i + n * j] * defect[j];
    }
}

// |A_ij - A_ji| <= 1e-12 sqrt(A_ii A_jj)
PERP_KERNEL_PART bool is_symmetric(const double *A, int n)
{
    for (int j = 0; j < n; j++)
        for (int i = 0; i < j; i++) {
            if (A[i + n * j] == A[j + n * i])
                continue;
            double size = sqrt(fabs(A[i + n * i])) * sqrt(fabs(A[j + n * j]));
            if (!(fabs(A[i + n * j] - A[j + n * i]) <= 1e-12 * size))
                return false;
        }
    return true;
}

// Mt^-1, v_f, the energies of v and v_f, and Mt v - b of a body with a full Mt
PERP_KERNEL_PART void measure_full(Check *k, Body *body, double energy[2])
{
    int n = body->n;
    const double *v = k->v + body->first, *b = k->p->b + body->first;
    double *v_free = k->v_free + body->first;
    for (int i = 0; i < n * n; i++)
        body->inverse[i] = body->Mt[i];
    perp_certificate_invert(body->inverse, n, false);
    find_free_velocity(body, b, v_free, k->defect + body->first);
    energy[0] = kinetic_energy(body, v);
    energy[1] = kinetic_energy(body, v_free);
    k->to->symmetric = k->to->symmetric && is_symmetric(body->Mt, n);
    for (int i = 0; i < n; i++) {
        PerpSum s = row_times(body, v, i, b[i]);
        k->momentum[body->first + i] = s.value;
        k->momentum_error[body->first + i] = s.error;
    }
}

// The same with a diagonal Mt, where nothing cancels
PERP_KERNEL_PART void measure_diagonal(Check *k, Body *body, int n, double energy[2])
{
    const double *restrict v = k->v + body->first, *restrict b = k->p->b + body->first;
    double *restrict v_free = k->v_free + body->first, *restrict mass = k->defect + body->first;
    double *momentum = k->momentum + body->first, *error = k->momentum_error + body->first;
    for (int i = 0; i < n; i++)
        mass[i] = body->Mt[(n + 1) * i];
    for (int i = 0; i < n; i++)
        body->inverse[i] = 1 / mass[i];
    for (int i = 0; i < n; i++)
        v_free[i] = b[i] / mass[i];
    energy[0] = diagonal_form(n, mass, v) / 2;
    energy[1] = diagonal_form(n, mass, v_free) / 2;
    for (int i = 0; i < n; i++)
        momentum[i] = -b[i];
    for (int i = 0, few; i < n; i += few) {
        few = n - i < LANES ? n - i : LANES;
        add_products(few, mass + i, v + i, momentum + i, error + i);
    }
}

// e_k, the energies, and Mt v - b
PERP_KERNEL_PART void measure_body(Check *k, Body *body)
{
    double energy[2];
    if (!body->diagonal)
        measure_full(k, body, energy);
    else if (body->n == FREE)
        measure_diagonal(k, body, FREE, energy);
    else
        measure_diagonal(k, body, body->n, energy);
    body->speed = sqrt(2 * fabs(energy[0])) + sqrt(2 * fabs(energy[1]));
    k->to->energy += energy[0];
    k->to->free_energy += energy[1];
}

// A body at rest among moving ones is judged by a little of theirs: e_k >= 2^-20 |e|
static void raise_slow_bodies(Check *k)
{
    double squares = 0;
    for (int i = 0; i < k->p->n_bodies; i++)
        squares += k->body[i].speed * k->body[i].speed;
    double least = 0x1p-20 * sqrt(squares);
    for (int i = 0; i < k->p->n_bodies; i++)
        if (k->body[i].speed < least)
            k->body[i].speed = least;
}

// y += J v, momentum -= J'c
PERP_KERNEL_PART void add_few(int n, const double *J, const double *v, double c, double *y,
                              double *y_error, double *momentum, double *error)
{
    const double impulse[LANES] = {-c, -c, -c, -c};
    add_products(n, J, v, y, y_error);
    add_products(n, J, impulse, momentum, error);
}

PERP_KERNEL_PART double total_speed(const Speed *y, double d)
{
    PerpSum sum = {.value = d};
    for (int i = 0; i < FREE; i++)
        perp_sum_add_pair(&sum, y->value[i], y->error[i]);
    return perp_sum_total(&sum);
}

// What body k adds to row r: J_rk v to y, J_rk v_f to y_free if that is asked for, the scales, and
// -J_rk' c_r to the momentum.
PERP_KERNEL_PART void add_entry(Check *k, Body *body, const double *J, double c,
                                PerpCertificateRow *row)
{
    const double *v = k->v + body->first;
    Speed *y = &k->speed;
    double *momentum = k->momentum + body->first, *error = k->momentum_error + body->first;
    double inverse_mass = fabs(inverse_form(body, J)), root = sqrt(inverse_mass);
    int rest = body->n;
    if (rest == FREE) {
        add_few(LANES, J, v, c, y->value, y->error, momentum, error);
        add_few(FREE - LANES, J + LANES, v + LANES, c, y->value + LANES, y->error + LANES,
                momentum + LANES, error + LANES);
        rest = 0;
    }
    for (int i = 0; i < rest; i++)
        add_few(1, J + i, v + i, c, y->value, y->error, momentum + i, error + i);
    for (int i = 0; i < body->n && k->asks_gap; i++)
        row->y_free += J[i] * k->v_free[body->first + i];
    row->inverse_mass += inverse_mass;
    row->scale += root * body->speed;
    body->rounding += IMPULSE_ROUNDING * fabs(c) * root;
}

// y = J v + d of all rows; an impulse that is no number spoils the scale of its row
PERP_VECTOR_KERNEL static void measure_rows(Check *k)
{
    const PerpProblem *p = k->p;
    const double *J = p->J;
    for (int r = 0; r < perp_problem_rows(p); r++) {
        PerpCertificateRow row = {.y_free = p->d[r],
                                  .scale = isfinite(k->c[r]) ? fabs(p->d[r]) : NAN};
        k->speed = (Speed){{0}, {0}};
        for (int i = p->row_start[r]; i < p->row_start[r + 1]; i++) {
            Body *body = &k->body[p->entry_body[i]];
            add_entry(k, body, J, k->c[r], &row);
            J += body->n;
        }
        row.y = total_speed(&k->speed, p->d[r]);
        k->row[r] = row;
    }
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
        const Body *body = &k->body[i];
        double *defect = k->defect + body->first;
        for (int j = 0; j < body->n; j++)
            defect[j] = k->momentum[body->first + j] + k->momentum_error[body->first + j];
        double error = sqrt(fabs(inverse_form(body, defect)));
        if (error <= body->rounding)
            error = 0;
        note(k, PERP_RESIDUAL_MOMENTUM, i, relative(error, body->speed));
    }
}

// y = 0                                                                  [AP97 (2.9)]
static void judge_joints(Check *k)
{
    for (int i = 0; i < k->p->n_joints; i++) {
        const PerpCertificateRow *row = &k->row[i];
        note(k, PERP_RESIDUAL_JOINT, i, relative(fabs(row->y), row->scale));
    }
}

static void judge_boxes(Check *k)
{
    for (int i = 0; i < k->p->n_boxes; i++) {
        const PerpCertificateRow *row = &k->row[k->p->n_joints + i];
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
        const PerpCertificateRow *row = &k->row[first + i];
        double push = as_velocity(row->inverse_mass, k->c[first + i]);
        note_contact(k, PERP_RESIDUAL_APPROACH, i, i, relative(-row->y, row->scale));
        note_contact(k, PERP_RESIDUAL_PULL, i, i, relative(-push, row->scale));
        note_contact(k, PERP_RESIDUAL_CONTACT_GAP, i, i,
                     relative(smaller(row->y, push), row->scale));
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
    group.row = k->row + directions + group.first;
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
        double slip = g->lambda + row->y, push = as_velocity(row->inverse_mass, g->beta[i]);
        note_contact(k, PERP_RESIDUAL_SLIP, g->first + i, g->contact, relative(-slip, row->scale));
        note_contact(k, PERP_RESIDUAL_PUSH, g->first + i, g->contact, relative(-push, row->scale));
        double gap = smaller(slip, push);
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

// A round group: |beta| <= limit, and beta = P(beta - y/W) with the projection P on that disc,
// which says at once that slip is opposed and that friction below its limit does not slip.
static void judge_round(Check *k, int index, const Group *g)
{
    double W = g->inverse_mass, beta[2] = {0}, y[2] = {0}, aim[2] = {0};
    for (int i = 0; i < g->n; i++) {
        beta[i] = g->beta[i];
        y[i] = g->row[i].y;
        aim[i] = as_velocity(W, beta[i]) - y[i];
    }
    double size = perp_length(beta[0], beta[1]), far = perp_length(aim[0], aim[1]);
    double limit = as_velocity(W, g->limit), shrink = far > limit ? larger(limit, 0) / far : 1;
    double outside = size - g->limit;
    if (outside <= IMPULSE_ROUNDING * larger(size, g->limit))
        outside = smaller(outside, 0);
    double wrong = perp_length(as_velocity(W, beta[0]) - shrink * aim[0],
                               as_velocity(W, beta[1]) - shrink * aim[1]);
    if (wrong <= IMPULSE_ROUNDING * as_velocity(W, size))
        wrong = 0;
    note_contact(k, PERP_RESIDUAL_CONE, index, g->contact,
                 relative(as_velocity(W, outside), g->scale));
    note_contact(k, PERP_RESIDUAL_DISSIPATION, index, g->contact, relative(wrong, g->scale));
}

static void judge_groups(Check *k)
{
    for (int i = 0; i < k->p->n_groups; i++) {
        Group group = gather_group(k, i);
        if (k->p->group_round && k->p->group_round[i]) {
            judge_round(k, i, &group);
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
//     energy - free_energy + c'd - c'y = -|v - v_f|^2_Mt / 2             [AP97 (2.18)-(2.22)]
// and c'y <= 0 but for boxes that exclude 0, where c y <= clamp(0, lo, hi) y
static void judge_energy(Check *k)
{
    const PerpProblem *p = k->p;
    PerpSum balance = {0};
    perp_sum_add(&balance, k->to->energy);
    perp_sum_add(&balance, -k->to->free_energy);
    for (int r = 0; r < perp_problem_rows(p); r++)
        perp_sum_add_product(&balance, k->c[r], p->d[r]);
    for (int i = 0; i < p->n_boxes; i++) {
        double nearest_zero = smaller(larger(0, p->lo[i]), p->hi[i]);
        perp_sum_add_product(&balance, -nearest_zero, k->row[p->n_joints + i].y);
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

static size_t inverse_size(int n, bool diagonal)
{
    return (size_t)n * (size_t)(diagonal ? 1 : n);
}

// All scratch comes from one allocation, zeroed.
static bool take_memory(Check *k, const PerpAllocator *allocator)
{
    const PerpProblem *p = k->p;
    size_t bodies = (size_t)p->n_bodies, rows = (size_t)perp_problem_rows(p);
    size_t velocities = (size_t)perp_problem_velocities(p), blocks = 0;
    const double *Mt = p->Mt;
    for (int i = 0; i < p->n_bodies; i++) {
        int n = p->body_start[i + 1] - p->body_start[i];
        blocks += inverse_size(n, perp_certificate_is_diagonal(Mt, n));
        Mt += n * n;
    }
    size_t bytes = bodies * sizeof(Body) + rows * sizeof(PerpCertificateRow) +
                   (4 * velocities + blocks) * sizeof(double);
    k->body = perp_allocate(allocator, bytes, 1);
    if (!k->body)
        return false;
    k->row = (PerpCertificateRow *)(k->body + bodies);
    k->momentum = (double *)(k->row + rows);
    k->momentum_error = k->momentum + velocities;
    k->v_free = k->momentum_error + velocities;
    k->defect = k->v_free + velocities;
    k->inverses = k->defect + velocities;
    return true;
}

PERP_VECTOR_KERNEL static void measure_bodies(Check *k)
{
    const double *Mt = k->p->Mt;
    double *inverse = k->inverses;
    for (int i = 0; i < k->p->n_bodies; i++) {
        int first = k->p->body_start[i], n = k->p->body_start[i + 1] - first;
        bool diagonal = perp_certificate_is_diagonal(Mt, n);
        k->body[i] =
            (Body){.first = first, .n = n, .diagonal = diagonal, .Mt = Mt, .inverse = inverse};
        measure_body(k, &k->body[i]);
        Mt += n * n;
        inverse += inverse_size(n, diagonal);
    }
    raise_slow_bodies(k);
}

static PerpCertificate blank_certificate(void)
{
    PerpCertificate blank = {.symmetric = true};
    for (int kind = 0; kind < PERP_RESIDUAL_COUNT; kind++)
        blank.residual_row[kind] = -1;
    return blank;
}

// Numbers of the problem alone: v_f, y = J v + d, Mt v - J'c - b, and the scales.
static bool measure(Check *k, const PerpAllocator *allocator)
{
    *k->to = blank_certificate();
    if (!take_memory(k, allocator))
        return false;
    measure_bodies(k);
    measure_rows(k);
    return true;
}

// The laws, class by class.
static void judge(Check *k)
{
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
    Check k = {.p = p, .v = v, .c = c, .lambda = lambda, .to = certificate, .asks_gap = gap};
    k.of_contact = of_contact;
    if (!measure(&k, &lent.allocator))
        return perp_fail(error, PERP_NO_MEMORY, "no memory for the certificate");
    judge(&k);
    if (gap)
        perp_gap_judge(p, c, k.row, gap);
    perp_free(&lent.allocator, k.body);
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
    PerpCertificate unused;
    Check k = {.p = p, .v = v, .c = c, .to = &unused, .asks_gap = true};
    if (!measure(&k, &lent.allocator))
        return perp_fail_memory(error);
    perp_gap_judge(p, c, k.row, gap);
    perp_free(&lent.allocator, k.body);
    return PERP_OK;
}
