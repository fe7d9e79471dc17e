// Projected nonsmooth Gauss-Seidel on the exact law, where little is asked of many contacts: one
// after the other takes a projected step while the others are held [Jourdan, Alart and Jean 1998],
//
//     r_n = max(0, r_n - u_n / A_nn)     r_T = P(r_T - u_T / a)     P onto the disc |x| <= r_n
//
// with A = J M^-1 J' of the contact, u_T as the new r_n leaves it, and a the largest eigenvalue of
// A_TT. What no such step changes obeys Coulomb's law, without a shift. Constraints of
// nsgs.c are solved exactly, which pays off only where the law has to be obeyed to more
// than a digit.
//
// With z = M^1/2 v the velocities of contacts, u = J M^-1/2 z + d, and what impulses do to bodies,
// z += M^-1/2 J'dr, are products with the same numbers. Contacts lie in memory in the order in
// which they are gone through. Neighbours in it have hardly ever a body in common, so that the
// processor need not wait for one contact before it begins the next.

#include "base/lanes.h"
#include "cones/cone.h"
#include "cones/methods/methods.h"
#include "cones/operator/delassus.h"
#include "cones/operator/over_bodies.h"

#include <math.h>
#include <string.h>

enum { SIZE = 6, PAD = 8, BODIES = 2, ROWS = 3 };

typedef struct Contact {
    int constraint;
    int place[BODIES]; // in z, the one behind the last body for the world
    double r[ROWS], d[ROWS];
    double normal_step;  // 1 / A_nn
    double tangent_step; // 1 / a
    double across[2];    // A_Tn
} Contact;

typedef struct Rows {
    PerpLanes8 of_body[BODIES][ROWS]; // J M^-1/2
} Rows;

typedef struct Sweeps {
    const PerpConeProblem *cones;
    Contact *contact; // n_constraints
    Rows *rows;       // n_constraints
    PerpLanes8 *z;    // n_bodies + 1
    PerpLanes8 *root; // n_bodies: M^-1/2
} Sweeps;

// --- what stays the same ------------------------------------------------------------------------

static bool take(PerpArena *arena, const PerpConeProblem *cones, Sweeps *at)
{
    size_t constraints = (size_t)cones->n_constraints, bodies = (size_t)cones->p->n_bodies;
    *at = (Sweeps){.cones = cones,
                   .contact = PERP_TAKE_RAW(arena, Contact, constraints),
                   .rows = PERP_TAKE_RAW(arena, Rows, constraints),
                   .z = PERP_TAKE(arena, PerpLanes8, bodies + 1),
                   .root = PERP_TAKE_RAW(arena, PerpLanes8, bodies)};
    return at->contact && at->rows && at->z && at->root;
}

PERP_KERNEL_PART void begin_bodies(Sweeps *at)
{
    const PerpConeProblem *cones = at->cones;
    for (int k = 0; k < cones->p->n_bodies; k++) {
        double *root = (double *)&at->root[k], *z = (double *)&at->z[k];
        for (int i = 0; i < PAD; i++)
            root[i] = sqrt(cones->bodies.padded_inverse[PAD * k + i]);
        for (int i = 0; i < SIZE; i++)
            z[i] = root[i] > 0 ? cones->bodies.free[SIZE * k + i] / root[i] : 0;
    }
}

PERP_KERNEL_PART double product(const Rows *rows, int i, int j)
{
    PerpLanes8 sum = {0};
    for (int b = 0; b < BODIES; b++)
        perp_lanes8_add_product(&sum, &rows->of_body[b][i], &rows->of_body[b][j]);
    return perp_lanes8_total(&sum);
}

PERP_KERNEL_PART double inverse_of(double x)
{
    return x > 0 ? 1 / x : 0;
}

PERP_KERNEL_PART void find_steps(const Rows *rows, Contact *contact)
{
    double A = product(rows, 1, 1), B = product(rows, 1, 2), C = product(rows, 2, 2);
    double apart = (A - C) / 2, largest = (A + C) / 2 + sqrt(apart * apart + B * B);
    contact->normal_step = inverse_of(product(rows, 0, 0));
    contact->tangent_step = inverse_of(largest);
    contact->across[0] = product(rows, 0, 1);
    contact->across[1] = product(rows, 0, 2);
}

// The rows of the b-th body of a contact, and what its impulse does to that body.
PERP_KERNEL_PART void begin_entry(Sweeps *at, int entry, int b, Contact *contact, Rows *rows)
{
    int body = contact->place[b] = at->cones->bodies.entry_body[entry];
    const PerpLanes8 *J = (const PerpLanes8 *)perp_over_bodies_row(at->cones, entry, 0);
    for (int k = 0; k < ROWS; k++) {
        PerpLanes8 row = {0};
        perp_lanes8_add_product(&row, &J[k], &at->root[body]);
        perp_lanes8_add(&at->z[body], &row, contact->r[k]);
        rows->of_body[b][k] = row;
    }
}

PERP_KERNEL_PART void begin_contact(Sweeps *at, int constraint, const double *r, Contact *contact,
                                    Rows *rows)
{
    const PerpConeProblem *cones = at->cones;
    const PerpConstraint *from = &cones->constraint[constraint];
    int world = cones->p->n_bodies, bodies = from->end - from->first;
    *contact = (Contact){.constraint = constraint, .place = {world, world}};
    memcpy(contact->r, r, sizeof contact->r);
    memcpy(contact->d, from->d, sizeof contact->d);
    for (int b = 0; b < bodies; b++)
        begin_entry(at, from->first + b, b, contact, rows);
    for (int b = bodies; b < BODIES; b++)
        memset(rows->of_body[b], 0, sizeof rows->of_body[b]);
    find_steps(rows, contact);
}

static int common_divisor(int a, int b)
{
    while (b != 0) {
        int rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

// From contact to contact of the order: about the golden section, so that those of one body, which
// follow each other in the constraints, lie far apart; without a common divisor, so that all are
// met.
static int stride(int n)
{
    int step = (int)(0.618 * n) + 1;
    while (common_divisor(step, n) != 1)
        step++;
    return step;
}

PERP_VECTOR_KERNEL static void begin(Sweeps *at, int step, const double *r)
{
    int n = at->cones->n_constraints;
    begin_bodies(at);
    for (int k = 0, constraint = 0; k < n; k++, constraint = (constraint + step) % n)
        begin_contact(at, constraint, r + ROWS * constraint, &at->contact[k], &at->rows[k]);
}

// --- one contact after the other ----------------------------------------------------------------

PERP_KERNEL_PART double larger(double x, double y)
{
    return x > y ? x : y;
}

// The step of a contact at velocity u; returns how far it went.
PERP_KERNEL_PART double step(Contact *at, const double u[ROWS], double dr[ROWS])
{
    double n = larger(at->r[0] - at->normal_step * u[0], 0);
    dr[0] = n - at->r[0];
    double p = at->r[1] - at->tangent_step * (u[1] + at->across[0] * dr[0]);
    double q = at->r[2] - at->tangent_step * (u[2] + at->across[1] * dr[0]);
    double square = p * p + q * q, shrink = square > n * n ? n / sqrt(square) : 1;
    dr[1] = shrink * p - at->r[1];
    dr[2] = shrink * q - at->r[2];
    at->r[0] = n;
    at->r[1] = shrink * p;
    at->r[2] = shrink * q;
    return larger(fabs(dr[0]), larger(fabs(dr[1]), fabs(dr[2])));
}

// All contacts once; returns the largest step.
PERP_VECTOR_KERNEL static double sweep(Sweeps *at)
{
    double most = 0;
    for (int k = 0; k < at->cones->n_constraints; k++) {
        Contact *contact = &at->contact[k];
        const Rows *rows = &at->rows[k];
        double u[ROWS], dr[ROWS];
        for (int i = 0; i < ROWS; i++) {
            PerpLanes8 sum = {0};
            for (int b = 0; b < BODIES; b++)
                perp_lanes8_add_product(&sum, &rows->of_body[b][i], &at->z[contact->place[b]]);
            u[i] = contact->d[i] + perp_lanes8_total(&sum);
        }
        most = larger(step(contact, u, dr), most);
        for (int b = 0; b < BODIES; b++)
            for (int i = 0; i < ROWS; i++)
                perp_lanes8_add(&at->z[contact->place[b]], &rows->of_body[b][i], dr[i]);
    }
    return most;
}

// --- the iteration ------------------------------------------------------------------------------

bool perp_projected_nsgs_fits(const PerpConeProblem *cones)
{
    bool can = cones->delassus->has_bodies && cones->bodies.size == SIZE &&
               cones->bodies.diagonal && !cones->product && cones->shift > 0;
    for (int c = 0; can && c < cones->n_constraints; c++)
        can = cones->constraint[c].cone->is_contact &&
              cones->constraint[c].end - cones->constraint[c].first <= BODIES;
    return can;
}

double perp_projected_nsgs(PerpArena *arena, const PerpConeProblem *cones, double tolerance,
                           int *sweeps, double *r)
{
    Sweeps at;
    int most = *sweeps, done = 0;
    double change = INFINITY;
    if (!take(arena, cones, &at))
        return NAN;
    begin(&at, stride(cones->n_constraints), r);
    for (; done < most && !(change <= tolerance); done++)
        change = sweep(&at);
    for (int k = 0; k < cones->n_constraints; k++)
        memcpy(r + ROWS * at.contact[k].constraint, at.contact[k].r, sizeof at.contact[k].r);
    *sweeps = done;
    return change;
}
