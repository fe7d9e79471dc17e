// The residual of constraints, and the system of Newton's method in its two forms: over the bodies
// (over_bodies.c), and u = W r + q without them (explicit.c).

#include "cones/cone_problem.h"

#include "cones/operator/explicit.h"
#include "cones/operator/over_bodies.h"
#include "cones/product.h"
#include "cones/second_order.h"

#include <math.h>

// --- the system of Newton's method --------------------------------------------------------------

bool perp_delassus_analyse(PerpConeProblem *cones)
{
    if (!cones->analysed)
        cones->analysed =
            cones->rows.start ? perp_explicit_analyse(cones) : perp_over_bodies_analyse(cones);
    return cones->analysed;
}

bool perp_delassus_factor(PerpConeProblem *cones)
{
    return cones->rows.start ? perp_explicit_factor(cones) : perp_over_bodies_factor(cones);
}

void perp_delassus_velocity(const PerpConeProblem *cones, const double *r, double *v)
{
    if (cones->rows.start)
        perp_explicit_velocity(cones, r, v);
    else
        perp_over_bodies_velocity(cones, r, v);
}

void perp_delassus_speeds(const PerpConeProblem *cones, const double *v, double *u)
{
    if (cones->rows.start)
        perp_explicit_speeds(cones, v, u);
    else
        perp_over_bodies_speeds(cones, v, u);
}

void perp_delassus_solve(PerpConeProblem *cones, const double *g, double *dr)
{
    if (cones->rows.start)
        perp_explicit_change(cones, g, dr);
    else
        perp_over_bodies_change(cones, g, dr);
}

// --- residual -----------------------------------------------------------------------------------

static double box_residual(const PerpConstraint *constraint, const double *r, const double *u)
{
    return fabs(r[0] - fmin(fmax(r[0] - u[0], constraint->lo), constraint->hi));
}

static double joint_residual(const double *u)
{
    return fmax(fabs(u[0]), fmax(fabs(u[1]), fabs(u[2])));
}

static double wide_residual(const PerpConeProblem *cones, int constraint, const double *r,
                            const double *u)
{
    PerpProductCone cone = perp_product_cone(cones, constraint);
    return perp_product_residual(&cone, cones->shift, r, u);
}

double perp_cones_residual(const PerpConeProblem *cones, const double *r, const double *u)
{
    double worst = 0;
    for (int c = 0; c < cones->n_constraints; c++) {
        const PerpConstraint *constraint = &cones->constraint[c];
        const double *r_c = r + 3 * c, *u_c = u + 3 * c;
        double wrong =
            constraint->kind == PERP_CONSTRAINT_COUPLED         ? 0 // with its cone
            : cones->product && perp_cones_is_product(cones, c) ? wide_residual(cones, c, r_c, u_c)
            : constraint->kind == PERP_CONSTRAINT_CONE ? perp_soc_residual(r_c, u_c, cones->shift)
            : constraint->kind == PERP_CONSTRAINT_BOX  ? box_residual(constraint, r_c, u_c)
                                                       : joint_residual(u_c);
        worst = wrong > worst || isnan(wrong) ? wrong : worst;
    }
    return isnan(worst) ? INFINITY : worst;
}

// --- what there is ------------------------------------------------------------------------------

void perp_cones_count_inequalities(PerpConeProblem *cones)
{
    cones->n_inequalities = 0;
    for (int c = 0; c < cones->n_constraints; c++)
        cones->n_inequalities += cones->constraint[c].kind != PERP_CONSTRAINT_BILATERAL;
}

bool perp_cones_have_joints(const PerpConeProblem *cones)
{
    return cones->n_inequalities < cones->n_constraints;
}

int perp_cones_count_contacts(const PerpConeProblem *cones)
{
    int contacts = 0;
    for (int c = 0; c < cones->n_constraints; c++)
        contacts += cones->constraint[c].kind == PERP_CONSTRAINT_CONE;
    return contacts;
}
