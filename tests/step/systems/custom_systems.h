// Custom systems for tests: each a definition whose functions stand beside it.
#ifndef PERP_TEST_CUSTOM_SYSTEMS_H
#define PERP_TEST_CUSTOM_SYSTEMS_H

#include "perp/system.h"

#include <math.h>
#include <string.h>

static const double GRAVITY = 9.81;

// --- two coordinates with unit masses -----------------------------------------------------------

static inline void unit_mass(void *user, const double *q, double *M)
{
    (void)user, (void)q;
    M[0] = M[3] = 1;
    M[1] = M[2] = 0;
}

static inline void weight(void *user, double t, const double *q, const double *v, double *k)
{
    (void)user, (void)t, (void)q, (void)v;
    k[0] = 0;
    k[1] = -GRAVITY;
}

static inline double height(void *user, const double *q)
{
    (void)user;
    return GRAVITY * q[1];
}

static inline void floor_gap(void *user, const double *q, double *phi)
{
    (void)user;
    phi[0] = q[1];
}

static inline void along_floor(void *user, const double *q, int constraint, double *T)
{
    (void)user, (void)q, (void)constraint;
    T[0] = 1;
    T[1] = 0;
}

// A point of 1 kg in a vertical plane, (x, z).
static inline PerpSystemDef point_def(const double *position, const double *velocity)
{
    PerpSystemDef def = perp_default_system();
    def.n = 2;
    def.position = position;
    def.velocity = velocity;
    def.mass = unit_mass;
    def.force = weight;
    def.potential = height;
    return def;
}

// The same above the floor z = 0.
static inline PerpSystemDef floor_def(const double *position, const double *velocity,
                                      const double *restitution, const double *mu)
{
    PerpSystemDef def = point_def(position, velocity);
    def.n_constraints = 1;
    def.constraints = floor_gap;
    def.restitution = restitution;
    def.mu = mu;
    def.n_tangents = 1;
    def.tangents = along_floor;
    return def;
}

// --- a wire -------------------------------------------------------------------------------------

static inline void wire(void *user, const double *q, double *theta)
{
    (void)user;
    theta[0] = (q[0] * q[0] + q[1] * q[1] - 1) / 2;
}

static inline void wire_gradient(void *user, const double *q, double *nu)
{
    (void)user;
    nu[0] = q[0];
    nu[1] = q[1];
}

// A bead of 1 kg on the unit circle.
static inline PerpSystemDef bead_def(const double *position, const double *velocity)
{
    PerpSystemDef def = point_def(position, velocity);
    def.n_joints = 1;
    def.joints = wire;
    return def;
}

// --- two pendulums in angles, unit masses and lengths -------------------------------------------

static inline void pendulum_mass(void *user, const double *q, double *M)
{
    (void)user;
    M[0] = 2;
    M[1] = M[2] = cos(q[0] - q[1]);
    M[3] = 1;
}

static inline void pendulum_force(void *user, double t, const double *q, const double *v, double *k)
{
    double s = sin(q[0] - q[1]);
    (void)user, (void)t;
    k[0] = -s * v[1] * v[1] - 2 * GRAVITY * sin(q[0]);
    k[1] = s * v[0] * v[0] - GRAVITY * sin(q[1]);
}

static inline void pendulum_derivatives(void *user, double t, const double *q, const double *v,
                                        double *k_q, double *k_v)
{
    double s = sin(q[0] - q[1]), c = cos(q[0] - q[1]);
    (void)user, (void)t;
    k_q[0] = -c * v[1] * v[1] - 2 * GRAVITY * cos(q[0]);
    k_q[1] = c * v[0] * v[0];
    k_q[2] = c * v[1] * v[1];
    k_q[3] = -c * v[0] * v[0] - GRAVITY * cos(q[1]);
    k_v[0] = k_v[3] = 0;
    k_v[1] = 2 * s * v[0];
    k_v[2] = -2 * s * v[1];
}

static inline double pendulum_potential(void *user, const double *q)
{
    (void)user;
    return -2 * GRAVITY * cos(q[0]) - GRAVITY * cos(q[1]);
}

static inline PerpSystemDef pendulum_def(const double *position, const double *velocity)
{
    PerpSystemDef def = perp_default_system();
    def.n = 2;
    def.position = position;
    def.velocity = velocity;
    def.mass = pendulum_mass;
    def.force = pendulum_force;
    def.potential = pendulum_potential;
    return def;
}

// --- polar coordinates --------------------------------------------------------------------------

static inline void polar_mass(void *user, const double *q, double *M)
{
    (void)user;
    M[0] = 1;
    M[1] = M[2] = 0;
    M[3] = q[0] * q[0];
}

static inline void polar_force(void *user, double t, const double *q, const double *v, double *k)
{
    (void)user, (void)t;
    k[0] = q[0] * v[1] * v[1];
    k[1] = -2 * q[0] * v[0] * v[1];
}

static inline void round_wall(void *user, const double *q, double *phi)
{
    (void)user;
    phi[0] = 1 - q[0];
}

static inline void along_wall(void *user, const double *q, int constraint, double *T)
{
    (void)user, (void)constraint;
    T[0] = 0;
    T[1] = q[0];
}

// A free particle of 1 kg inside the unit circle.
static inline PerpSystemDef polar_def(const double *position, const double *velocity,
                                      const double *restitution, const double *mu)
{
    PerpSystemDef def = perp_default_system();
    def.n = 2;
    def.position = position;
    def.velocity = velocity;
    def.mass = polar_mass;
    def.force = polar_force;
    def.n_constraints = 1;
    def.constraints = round_wall;
    def.restitution = restitution;
    def.mu = mu;
    def.n_tangents = 1;
    def.tangents = along_wall;
    return def;
}

#endif
