// Cones of contacts with several friction groups (sliding, torsion, rolling [ST97 section 3.1]),
// that are pressed by more than their own impulse (restitution [AP97 (3.3)]), or whose friction is
// bounded by polygons [AP97 (2.11), (2.12)]:
//
//     K = { x_g in x_n P_g for each group g,  x_n >= floor },   P_g a disc of radius slope_g, or a
//                                                               polygon around 0
//     r in K,   z = u + sum_g s_g(u_g) e_n,   z'(x - r) >= 0 for all x in K
//     s_g(u) = max over w in P_g of -w'u:  slope_g |u|, or that of the best vertex
//
// For one disc and no floor that is de Saxce's form of the exact law, and it is the exact law here,
// too: at the floor, which no impulse of its own presses, u_n may be positive. Round sliding has
// slope 1; further groups are scaled to inverse mass 1, whatever slope that gives them.
//
// Numbers of a cone are its own three and the three of its mate, if it has one.
#ifndef PERP_LCP_ROUND_WIDE_H
#define PERP_LCP_ROUND_WIDE_H

#include "lcp/round.h"

enum { PERP_WIDE_NUMBERS = 6, PERP_WIDE_GROUPS = 3 };

typedef struct PerpWideGroup {
    int first, n;           // among the numbers: one or two
    double slope;           // of a disc
    int facets;             // 0: a disc
    const PerpFacet *facet; // borrowed from the round
} PerpWideGroup;

typedef struct PerpWideCone {
    int n; // numbers: 3, or 6 with a mate
    int n_groups;
    PerpWideGroup group[PERP_WIDE_GROUPS];
    double floor;
} PerpWideCone;

static inline bool perp_round_is_wide(const PerpRound *round, int cell)
{
    return cell < 2 * round->n_pairs || round->cell[cell].floor > 0 ||
           round->cell[cell].facets[0] > 0;
}

// The cone that begins with this cell.
PerpWideCone perp_wide_cone(const PerpRound *round, int cell);

// sum_g s_g(u_g), and its derivative
double perp_wide_slip(const PerpWideCone *cone, const double *u);
void perp_wide_slope(const PerpWideCone *cone, const double *u, double *slope);
// P(y); dP: its derivative, n x n by rows, NULL: not asked for
void perp_wide_project(const PerpWideCone *cone, const double *y, double *P, double *dP);
// |r - P(r - z)|
double perp_wide_residual(const PerpWideCone *cone, double shift, const double *r, const double *u);

// Of Newton's method: dr = g - C J dv, as in round_polish.c; into round->C, round->cross and g, of
// all cells. False if singular.
bool perp_wide_linearise(PerpRound *round, int cell, double soft, double pull, const double *r,
                         const double *u, double *g);

// What pairs add to M + J'C J, and e -= C J x between them.
void perp_wide_add_cross(PerpRound *round);
void perp_wide_respond(const PerpRound *round, const double *x, double *e);

#endif
