// Where a row acts: a point and its directions, on one body against the ground, or on the first
// body against the second. Bodies have six velocities.
#ifndef PERP_TEST_FRAME_H
#define PERP_TEST_FRAME_H

#include "sample.h"

typedef struct PerpFrame {
    int n_entries, body[2];
    double arm[2][3];                // m, from the centre to the point
    double normal[3], tangent[2][3]; // unit, orthogonal
} PerpFrame;

extern const double perp_no_vector[3];
extern const double perp_axis[3][3];

void perp_frame_tangents(PerpFrame *f); // from the normal, which need not be unit

// The row of a force and a torque on the first body and their opposite on the second: [f, r x f +
// t],
// -[f, r2 x f + t]. J: room for 12 numbers, d = 0.
PerpSampleRow perp_frame_row(const PerpFrame *f, const double force[3], const double torque[3],
                             double *J);

// A group of `facets` directions on the unit circle, or none if facets = 0; and a contact with it.
void perp_frame_add_sliding(PerpSample *s, const PerpFrame *f, int contact, double mu, int facets);
int perp_frame_add_contact(PerpSample *s, const PerpFrame *f, double mu, int facets);

// Three rows that hold the points together, and two more that hold the normals together.
void perp_frame_add_ball(PerpSample *s, const PerpFrame *f);
void perp_frame_add_hinge(PerpSample *s, const PerpFrame *f);

#endif
