// The rows of contacts: their normals, and the directions of their friction.
#ifndef PERP_STEP_ROWS_CONTACT_ROWS_H
#define PERP_STEP_ROWS_CONTACT_ROWS_H

#include "step/rows/assembly.h"

void perp_contact_rows_add_normal(PerpAssembly *assembly, const PerpPose *pose,
                                  const PerpContact *contact);

// The friction groups of the contact with this index, each with its directions: sliding, torsion
// and rolling, as its surface has them. facets: of polygons; 0: round
void perp_contact_rows_add_friction(PerpAssembly *assembly, const PerpPose *pose,
                                    const PerpContact *contact, int index, int facets);

// Friction that sticks, like joints, at the end of the step: with rows at the middle of it and
// velocities v at its beginning, d of the sliding directions is what the last h, half of the step,
// adds to the sliding velocity as the bodies turn.
void perp_contact_rows_follow(PerpAssembly *assembly, const PerpPose *pose, const double *v,
                              double h);

// The most directions that a contact of this surface has.
int perp_contact_directions(const PerpSurface *surface, int facets);

// m/s, of a's surface against b's where belts run, beside the motion of the bodies; world axes.
PerpVec3 perp_contact_surface_velocity(const PerpModel *model, const PerpPose *pose,
                                       const PerpContact *contact);

#endif
