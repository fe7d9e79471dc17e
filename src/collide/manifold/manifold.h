// A contact manifold while its points are collected.
#ifndef PERP_COLLIDE_MANIFOLD_MANIFOLD_H
#define PERP_COLLIDE_MANIFOLD_MANIFOLD_H

#include "collide/distance/core.h"
#include "collide/distance/distance.h"
#include "collide/manifold/contact_point.h"

// Kinds of features, in the two highest bits of PerpContactPoint.feature.
typedef enum PerpFeature {
    PERP_FEATURE_NEAREST, // the pair of nearest points
    PERP_FEATURE_A,       // a vertex of a
    PERP_FEATURE_B,       // a vertex of b
    PERP_FEATURE_CROSSING // of two edges
} PerpFeature;

typedef struct PerpManifold {
    double rounding_a, rounding_b; // m, of the cores
    double margin;                 // m, points with a larger gap are left out
    double merge;                  // m, of points nearer to each other only one is taken
    // Which points to take, by their feature, place on b's core and normal; NULL: all. May change
    // the feature.
    bool (*accepts)(const void *user, uint32_t *feature, PerpVec3 on_b, PerpVec3 normal);
    // Which corners of a that are not over b's face it holds all the same; NULL: none.
    bool (*holds)(const void *user, PerpVec3 corner);
    const void *user; // borrowed
    double deepest;   // m, the least gap seen since this was set
    int n;
    PerpContactPoint *point; // borrowed, PERP_CONTACT_POINTS
} PerpManifold;

static inline uint32_t perp_feature(PerpFeature kind, uint32_t index)
{
    return (uint32_t)kind << 30 | (index & 0x3fffffffu);
}

PerpManifold perp_manifold(const PerpCore *a, const PerpCore *b, double margin,
                           PerpContactPoint *points);

// Adds a pair of points of the cores, on_a - on_b = gap normal, unless its gap is beyond the margin
// or the contact has that point already. When the contact is full the deepest points stay.
void perp_manifold_add(PerpManifold *m, PerpVec3 on_a, PerpVec3 on_b, PerpVec3 normal,
                       uint32_t feature);

// Reduces to at most `most` points: the deepest, then repeatedly the one farthest from those
// chosen.
void perp_manifold_thin(PerpManifold *m, int most);

// All points of the contact of two cores with the given separation, whose own points are found if
// they are needed.
void perp_manifold_facets(PerpManifold *m, const PerpCore *a, const PerpCore *b, PerpSeparation *s);

#endif
