// The residual of a cone problem, and what constraints there are in it.

#include "cones/cone.h"

#include <math.h>

double perp_cones_residual(const PerpConeProblem *cones, const double *r, const double *u)
{
    double worst = 0;
    for (int c = 0; c < cones->n_constraints; c++) {
        double wrong = cones->constraint[c].cone->residual(cones, c, r + 3 * c, u + 3 * c);
        worst = wrong > worst || isnan(wrong) ? wrong : worst;
    }
    return isnan(worst) ? INFINITY : worst;
}

void perp_cones_count_inequalities(PerpConeProblem *cones)
{
    cones->n_inequalities = 0;
    for (int c = 0; c < cones->n_constraints; c++)
        cones->n_inequalities += !cones->constraint[c].cone->is_equation;
}

bool perp_cones_have_joints(const PerpConeProblem *cones)
{
    return cones->n_inequalities < cones->n_constraints;
}

int perp_cones_count_contacts(const PerpConeProblem *cones)
{
    int contacts = 0;
    for (int c = 0; c < cones->n_constraints; c++)
        contacts += cones->constraint[c].cone->is_contact;
    return contacts;
}
