// Product cones: contacts with several friction groups, restitution or polygons.
//
// Sliding, torsion and rolling [ST97 section 3.1]; pressed by more than their own impulse,
// restitution [AP97 (3.3)]; friction bounded by polygons [AP97 (2.11), (2.12)]:
//
//     K = { x_g in x_n P_g for each group g,  x_n >= floor },   P_g a disc of radius slope_g, or a
//                                                               polygon around 0
//     r in K,   z = u + sum_g s_g(u_g) e_n,   z'(x - r) >= 0 for all x in K
//     s_g(u) = max over w in P_g of -w'u:  slope_g |u|, or that of the best vertex
//
// For one disc and no floor that is de Saxce's form of the exact law, and it is the exact law here,
// too: at the floor, which no impulse of its own presses, u_n may be positive. Circular sliding has
// slope 1; further groups are scaled to inverse mass 1, whatever slope that gives them.
//
// Numbers of a cone are its own three and the three of its coupled constraint, if it has one.
#ifndef PERP_CONES_PRODUCT_H
#define PERP_CONES_PRODUCT_H

#include "cones/cone_problem.h"

enum { PERP_PRODUCT_NUMBERS = 6, PERP_PRODUCT_GROUPS = 3 };

typedef struct PerpProductGroup {
    int first, n;           // among the numbers: one or two
    double slope;           // of a disc
    int facets;             // 0: a disc
    const PerpFacet *facet; // borrowed from the problem
} PerpProductGroup;

typedef struct PerpProductCone {
    int n; // numbers: 3, or 6 with a coupled constraint
    int n_groups;
    PerpProductGroup group[PERP_PRODUCT_GROUPS];
    double floor;
} PerpProductCone;

// The cone that begins with this constraint.
PerpProductCone perp_product_cone(const PerpConeProblem *cones, int constraint);

// sum_g s_g(u_g), and its derivative
double perp_product_slip(const PerpProductCone *cone, const double *u);
void perp_product_slope(const PerpProductCone *cone, const double *u, double *slope);
// P(y); dP: its derivative, n x n by rows, NULL: not asked for
void perp_product_project(const PerpProductCone *cone, const double *y, double *P, double *dP);
// What pairs add to M + J'C J, and e -= C J x between them.
void perp_product_add_cross(PerpConeProblem *cones);
void perp_product_respond(const PerpConeProblem *cones, const double *x, double *e);

#endif
