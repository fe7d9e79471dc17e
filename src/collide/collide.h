// Contacts: signed distances between shapes, with witness points, normals and persistent ids.
#ifndef PERP_COLLIDE_COLLIDE_H
#define PERP_COLLIDE_COLLIDE_H

#include "collide/manifold/contact_point.h"
#include "model/model.h"

// All points of the contact between a and b with gap <= margin; returns their number. A box on a
// plane has four, a box on a box up to eight, a cylinder on its rim or face enough to stand.
int perp_collide(const PerpShape *a, PerpPose pose_a, const PerpShape *b, PerpPose pose_b,
                 double margin, PerpContactPoint *points);

// Is the contact of the two found by a search? Others are formulas, as fast as any short cut.
bool perp_collide_is_searched(const PerpShape *a, const PerpShape *b);

// How far apart two convex shapes are along a unit vector from b to a. Their signed distance is not
// less.
double perp_separation(const PerpShape *a, PerpPose pose_a, const PerpShape *b, PerpPose pose_b,
                       PerpVec3 normal);

// The signed distance of two convex shapes with its one pair of witness points (GJK outside, EPA
// inside), accurate to 1e-10 relative.
void perp_distance(const PerpShape *a, PerpPose pose_a, const PerpShape *b, PerpPose pose_b,
                   PerpContactPoint *point);

// All contacts of a model at given poses of its bodies (centres of mass), sorted by id.
typedef struct PerpContact {
    uint64_t id;          // of the pair of shapes and the feature
    int shape_a, shape_b; // shape_a < shape_b
    int body_a, body_b;   // -1: the world
    const PerpSurface *surface;
    PerpContactPoint point;
} PerpContact;

typedef struct PerpContactFinder PerpContactFinder;

// Borrows the model. At most 65536 shapes (PERP_BAD_SIZE), so that ids are unique.
PerpStatus perp_contact_finder_create(const PerpContext *context, const PerpModel *model,
                                      PerpContactFinder **finder);
void perp_contact_finder_destroy(PerpContactFinder *finder);
// Contacts belong to the finder until its next call. No heap calls once it has grown.
PerpStatus perp_contact_finder_find(PerpContactFinder *finder, const PerpPose *poses, double margin,
                                    const PerpContact **contacts, int *n_contacts);

// Speculative contacts: which shapes may come within the margin during a step, from displacements
// that bracket the motion of each body and bounds on its deviation from them. Borrowed.
enum { PERP_DISPLACEMENTS = 2 };
typedef struct PerpReach {
    double margin; // m
    const PerpVec3
        *displacement;    // PERP_DISPLACEMENTS per body: displacements, and all between; NULL: none
    const double *more;   // m, per body: deviation from them
    const double *around; // m, per body: beyond the box that they sweep
    const bool *only;     // per body: contacts of these bodies alone are asked for; NULL: all
    bool deepest;         // margin 0: the deepest overlap is asked for, and others may be left out
} PerpReach;

// Finds all that these motions can close, and nothing farther apart than the sum of the three.
PerpStatus perp_contact_finder_find_near(PerpContactFinder *finder, const PerpPose *poses,
                                         const PerpReach *reach, const PerpContact **contacts,
                                         int *n_contacts);

#endif
