// The energy bound of ST97 3.5 from a stored problem.
#include "check/margins.h"

#include <math.h>

// x'Mt y, x and y of all bodies
static double product(const PerpProblem *p, const double *x, const double *y)
{
    const double *M = p->Mt;
    double sum = 0;
    for (int k = 0; k < p->n_bodies; k++)
        for (int j = p->body_start[k]; j < p->body_start[k + 1]; j++)
            for (int i = p->body_start[k]; i < p->body_start[k + 1]; i++)
                sum += x[i] * *M++ * y[j];
    return sum;
}

static int normal_row(const PerpProblem *p, int contact)
{
    return p->n_joints + p->n_boxes + contact;
}

// |v_new| <= |M^-1 b| <= |v| + h |M^-1 k| in the metric of M, of which the problem has the first.
double margin_of_speed(const PerpCertificate *certificate)
{
    return certificate->free_energy > 0 ? 1 - sqrt(certificate->energy / certificate->free_energy)
                                        : -sqrt(certificate->energy);
}

// Does a contact push though it is deeper than rounding makes it: d < 0?
static bool pushes_apart(const PerpRecordedProblem *stored, double h)
{
    const double rounding = 1e-15; // m, as in the step
    const PerpProblem *p = &stored->problem;
    for (int i = 0; i < p->n_contacts; i++)
        if (stored->c[normal_row(p, i)] > 0 && p->d[normal_row(p, i)] < -rounding / h)
            return true;
    return false;
}

// With b = M v + h k the bound  v_new'M v_new/2 <= v'M v/2 + h k'v_new - lambda mu c_n - |v_new -
// v|_M^2/2  is  v_new'M v_new + lambda mu c_n <= b'v_new, which the problem alone decides.
bool margin_of_dissipation(const PerpRecordedProblem *stored, const PerpCertificate *certificate,
                           double h, double *margin)
{
    const PerpProblem *p = &stored->problem;
    double bound = 0, value = product(p, stored->v, stored->v);
    if (!certificate->symmetric || p->n_joints > 0 || p->n_boxes > 0 || pushes_apart(stored, h))
        return false;
    for (int i = 0; i < perp_problem_velocities(p); i++)
        bound += p->b[i] * stored->v[i];
    for (int g = 0; g < p->n_groups; g++)
        value += stored->lambda[g] * p->mu[g] * stored->c[normal_row(p, p->group_contact[g])];
    double scale = certificate->free_energy + certificate->energy;
    *margin = scale > 0 ? (bound - value) / scale : 0;
    return true;
}
