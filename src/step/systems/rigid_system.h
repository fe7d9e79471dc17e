// The system of rigid bodies, compiled from a model. Its q are the poses of the model's bodies.
#ifndef PERP_STEP_SYSTEMS_RIGID_SYSTEM_H
#define PERP_STEP_SYSTEMS_RIGID_SYSTEM_H

#include "step/scheme_tools.h"

enum { PERP_POSE_NUMBERS = sizeof(PerpPose) / sizeof(double) };

// The whole turns of the angles at other poses near the state's, valid until the next call.
const double *perp_rigid_turns_at(PerpSimulation *sim, const PerpPose *pose);

// Angular velocity of a body, velocity of a point of the world that moves with it; world axes; 0 of
// the world.
PerpVec3 perp_rigid_spin(const PerpSimulation *sim, const double *q, const double *v, int body);
PerpVec3 perp_rigid_point_velocity(const PerpSimulation *sim, const double *q, const double *v,
                                   int body, PerpVec3 point);

// Of a against b at the contact, world axes.
PerpVec3 perp_rigid_contact_velocity(const PerpSimulation *sim, const double *q, const double *v,
                                     const PerpContact *contact);

// See PerpSystem.
PerpStatus perp_rigid_free_motion(PerpSimulation *sim, double h, double t, const double *q,
                                  double *b, double *v_free, PerpError *error);
void perp_rigid_inertial_motion(PerpSimulation *sim, double h, double *b);
void perp_rigid_force(PerpSimulation *sim, double t, const double *q, const double *v, double *k);
PerpStatus perp_rigid_force_derivatives(PerpSimulation *sim, double t, const double *q,
                                        const double *v, double *k_q, double *k_v,
                                        PerpError *error);
void perp_rigid_coriolis(const PerpSimulation *sim, const double *v, double *F);
double perp_rigid_power(PerpSimulation *sim, double t, const double *q, const double *v);
PerpStatus perp_rigid_link_derivatives(PerpSimulation *sim, const double *q, const double *v,
                                       PerpAddPair add, void *user, PerpError *error);
PerpStatus perp_rigid_links(PerpSimulation *sim, const double *q, PerpLinks *links,
                            PerpError *error);
void perp_rigid_store(PerpSimulation *sim, PerpEnergy *energy);

// Memory and start of a simulation's rigid part.
PerpStatus perp_rigid_begin(PerpSimulation *sim, PerpError *error);
void perp_rigid_start(PerpSimulation *sim);
void perp_rigid_end(PerpSimulation *sim);

#endif
