// The certificate of a contact problem without bodies: residuals of the exact law, from the numbers
// of the problem alone. It shares no code with any solver.
#include "base/compiler.h"
#include "base/error.h"
#include "base/memory.h"
#include "certify/exact_sum.h"
#include "certify/norm.h"
#include "perp/contact_problem.h"

#include <math.h>

// u = A r + q, in doubled precision
PERP_VECTOR_KERNEL static void weigh(const PerpContactProblem *p, const double *r, double *u)
{
    for (int row = 0; row < perp_contact_problem_rows(p); row++) {
        PerpSum sum = {0};
        perp_sum_add(&sum, p->q[row]);
        for (int e = p->start[row]; e < p->start[row + 1]; e++)
            perp_sum_add_product(&sum, p->x[e], r[p->column[e]]);
        u[row] = perp_sum_total(&sum);
    }
}

// dimension / trace W_kk; a contact that nothing can move gets 1
static double find_rho(const PerpContactProblem *p, int contact)
{
    double trace = 0;
    for (int row = contact * p->dimension; row < (contact + 1) * p->dimension; row++)
        for (int e = p->start[row]; e < p->start[row + 1]; e++)
            trace += p->column[e] == row ? p->x[e] : 0;
    return trace > 0 ? p->dimension / trace : 1;
}

static double square_of(double x)
{
    return x * x;
}

// |r - P_K(r - rho (u + mu |u_T| e_n))|^2 of one contact
static double natural_square(int dimension, double mu, double rho, const double *r, const double *u)
{
    double u_2 = dimension == 3 ? u[2] : 0, r_2 = dimension == 3 ? r[2] : 0;
    double y[3] = {r[0] - rho * (u[0] + mu * perp_norm(u[1], u_2)), r[1] - rho * u[1],
                   r_2 - rho * u_2};
    double t = perp_norm(y[1], y[2]), n = y[0], shrink = 1;
    if (mu * t <= -y[0]) {
        n = shrink = 0;
    } else if (t > mu * y[0]) {
        n = (y[0] + mu * t) / (1 + mu * mu);
        shrink = mu * n / t;
    }
    double off =
        square_of(r[0] - n) + square_of(r[1] - shrink * y[1]) + square_of(r_2 - shrink * y[2]);
    return isnan(off) ? INFINITY : off;
}

// With impulses and velocities as they are, over all contacts. A problem at rest has no size.
static void judge_whole(const PerpContactProblem *p, const double *r, const double *u,
                        PerpContactCertificate *certificate)
{
    double sum = 0, size = 0;
    for (int k = 0; k < p->contacts; k++)
        sum +=
            natural_square(p->dimension, p->mu[k], 1, r + k * p->dimension, u + k * p->dimension);
    for (int row = 0; row < perp_contact_problem_rows(p); row++)
        size += square_of(p->q[row]);
    certificate->natural = size > 0 ? sqrt(sum / size) : sqrt(sum);
}

// The residual of r = 0, l = 0: as velocities, the worst contact or bilateral row.
static double find_idle(const PerpContactProblem *p)
{
    static const double none[3] = {0};
    double idle = 0;
    for (int k = 0; k < p->contacts; k++)
        idle = fmax(idle,
                    sqrt(natural_square(p->dimension, p->mu[k], 1, none, p->q + k * p->dimension)));
    for (int row = p->contacts * p->dimension; row < perp_contact_problem_rows(p); row++)
        idle = fmax(idle, fabs(p->q[row]));
    return idle > 0 ? idle : 1;
}

static void judge_contacts(const PerpContactProblem *p, double idle, const double *r,
                           const double *u, PerpContactCertificate *certificate)
{
    for (int k = 0; k < p->contacts; k++) {
        double rho = find_rho(p, k);
        double off = sqrt(natural_square(p->dimension, p->mu[k], rho, r + k * p->dimension,
                                         u + k * p->dimension)) /
                     (rho * idle);
        if (off > certificate->contact) {
            certificate->contact = off;
            certificate->worst_contact = k;
        }
    }
}

static void judge_joints(const PerpContactProblem *p, double idle, const double *u,
                         PerpContactCertificate *certificate)
{
    int first = p->contacts * p->dimension;
    certificate->worst_joint = p->bilateral > 0 ? 0 : -1;
    for (int row = first; row < first + p->bilateral; row++) {
        double off = fabs(u[row]) / idle;
        if (isnan(off) || off > certificate->joint) {
            certificate->joint = isnan(off) ? INFINITY : off;
            certificate->worst_joint = row - first;
        }
    }
}

PerpStatus perp_contact_problem_certify(const PerpContext *context, const PerpContactProblem *p,
                                        const double *r, double *u,
                                        PerpContactCertificate *certificate, PerpError *error)
{
    PerpContext lent = context ? *context : perp_default_context();
    double *taken = u ? NULL
                      : perp_allocate(&lent.allocator, (size_t)perp_contact_problem_rows(p) + 1,
                                      sizeof(double));
    double *speed = u ? u : taken;
    *certificate = (PerpContactCertificate){0};
    if (!speed)
        return perp_fail_memory(error);
    weigh(p, r, speed);
    double idle = find_idle(p);
    judge_contacts(p, idle, r, speed, certificate);
    judge_whole(p, r, speed, certificate);
    judge_joints(p, idle, speed, certificate);
    certificate->worst = fmax(certificate->joint, fmax(certificate->contact, certificate->natural));
    perp_free(&lent.allocator, taken);
    return PERP_OK;
}
