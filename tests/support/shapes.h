// Shapes and poses for tests. Without memory the program aborts: this is test code.
#ifndef PERP_TEST_SHAPES_H
#define PERP_TEST_SHAPES_H

#include "geom/shape.h"
#include "random.h"

extern const PerpPose perp_identity;

PerpShape perp_test_shape(PerpShapeKind kind, double x, double y, double z); // x y z: size
PerpShape perp_test_hull(int n, const double *vertices);
PerpShape perp_test_field(int rows, int columns, double cell, const double *heights);
void perp_test_shape_free(PerpShape *shape);

// Sizes between 0.2 and 1; hulls of 20 points; a flat square for the others.
PerpShape perp_random_shape(PerpRandom *r, PerpShapeKind kind);

PerpVec3 perp_random_unit(PerpRandom *r);
PerpQuat perp_random_rotation(PerpRandom *r);
PerpPose perp_random_pose(PerpRandom *r, double distance); // within a cube of half side distance
PerpPose perp_pose_turned(double x, double y, double z, PerpVec3 turn); // turn: axis times angle

#endif
