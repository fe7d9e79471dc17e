// Friction polygons [AP97 (2.11), (2.12)] as cones over a polygon: the directions of a group span a
// plane, their impulses beta >= 0 with sum beta <= limit make x = sum beta p in limit times the
// polygon of the p, and what dissipates most is a vertex or an edge of it. So polygons need no
// dense pivots: they are constraints of three rows like second-order cones, whatever the number of
// facets.
#ifndef PERP_CONES_POLYGON_H
#define PERP_CONES_POLYGON_H

#include "perp/problem.h"

#include <stdbool.h>

enum { PERP_MOST_FACETS = 64 };

// A vertex of a polygon around 0, and the edge from it to the next one, counter-clockwise.
typedef struct PerpFacet {
    int direction;    // of the group
    double p[2];      // the vertex
    double normal[2]; // of the edge, outwards, of length 1
    double offset;    // of the edge from 0 along the normal, > 0
} PerpFacet;

// The directions of a group, n rows of J one after the other, `values` numbers each, and their d,
// in terms of two of them: rows basis[0] and basis[1], which is -1 where all lie on a line.
// Vertices are sorted. False if they lie in no plane, or make no convex polygon around 0.
bool perp_facets_find(int n, int values, const double *J, const double *d, int basis[2],
                      PerpFacet *facets);

// All as long times `by`.
void perp_facets_scale(int n, double by, PerpFacet *facets);

// max over the vertices of -p'u: the slip speed lambda; *at: the vertex
double perp_facets_slip(int n, const PerpFacet *facets, const double *u, int *at);

// x as a sum of two neighbouring vertices, or of one: weights >= 0
void perp_facets_split(int n, const PerpFacet *facets, const double *x, int at[2],
                       double weight[2]);

#endif
