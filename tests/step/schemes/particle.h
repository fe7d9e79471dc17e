// A particle in the plane as a custom system, for tests of schemes: any constant mass matrix, a
// constant force, walls that are straight or round.
#ifndef PERP_TEST_PARTICLE_H
#define PERP_TEST_PARTICLE_H

#include "../stepping.h"
#include "perp/system.h"

#include <string.h>

enum { WALLS = 4 };

// Straight: n'q >= offset with n = (x, y). Round: inside the circle about (x, y), or outside it.
typedef struct Wall {
    enum { STRAIGHT, INSIDE, OUTSIDE } kind;
    double x, y, size; // offset, or radius
} Wall;

typedef struct Particle {
    double M[4], force[2];
    double position[2], velocity[2];
    int n_walls;
    Wall wall[WALLS];
    double restitution[WALLS], mu[WALLS];
    PerpSimulation *simulation;
} Particle;

static inline Particle new_particle(double x, double y, double vx, double vy)
{
    return (Particle){.M = {1, 0, 0, 1}, .position = {x, y}, .velocity = {vx, vy}};
}

static inline void particle_mass(void *user, const double *q, double *M)
{
    (void)q;
    memcpy(M, ((Particle *)user)->M, 4 * sizeof(double));
}

static inline void particle_force(void *user, double t, const double *q, const double *v, double *k)
{
    (void)t, (void)q, (void)v;
    memcpy(k, ((Particle *)user)->force, 2 * sizeof(double));
}

static inline double particle_potential(void *user, const double *q)
{
    const Particle *p = user;
    return -p->force[0] * q[0] - p->force[1] * q[1];
}

static inline double wall_gap(const Wall *w, const double *q)
{
    if (w->kind == STRAIGHT)
        return w->x * q[0] + w->y * q[1] - w->size;
    double r = hypot(q[0] - w->x, q[1] - w->y);
    return w->kind == INSIDE ? w->size - r : r - w->size;
}

static inline void particle_walls(void *user, const double *q, double *phi)
{
    const Particle *p = user;
    for (int i = 0; i < p->n_walls; i++)
        phi[i] = wall_gap(&p->wall[i], q);
}

static inline void particle_normals(void *user, const double *q, double *n)
{
    const Particle *p = user;
    for (int i = 0; i < p->n_walls; i++) {
        const Wall *w = &p->wall[i];
        double x = q[0] - w->x, y = q[1] - w->y, r = hypot(x, y);
        double sign = w->kind == INSIDE ? -1 : 1;
        n[2 * i] = w->kind == STRAIGHT ? w->x : sign * x / r;
        n[2 * i + 1] = w->kind == STRAIGHT ? w->y : sign * y / r;
    }
}

static inline void particle_tangents(void *user, const double *q, int wall, double *T)
{
    double n[2 * WALLS];
    particle_normals(user, q, n);
    T[0] = -n[2 * wall + 1];
    T[1] = n[2 * wall];
}

static inline void start_particle(Particle *p, const char *scheme, double h, bool linear)
{
    PerpError error;
    PerpSystemDef def = perp_default_system();
    PerpSimulationSettings settings = perp_default_simulation_settings();
    def.n = 2;
    def.position = p->position;
    def.velocity = p->velocity;
    def.user = p;
    def.mass = particle_mass;
    def.force = particle_force;
    def.potential = particle_potential;
    def.n_constraints = p->n_walls;
    def.constraints = particle_walls;
    def.constraint_gradients = particle_normals;
    def.restitution = p->restitution;
    def.mu = p->mu;
    def.n_tangents = 1;
    def.tangents = particle_tangents;
    settings.scheme = scheme;
    settings.step = h;
    settings.linear = linear;
    if (perp_simulation_create_custom(NULL, &def, &settings, &p->simulation, &error))
        fail_msg("%s", error.message);
}

static inline const PerpStepReport *step_particle(Particle *p, double h)
{
    PerpError error;
    if (perp_simulation_step(p->simulation, h, &error))
        fail_msg("%s", error.message);
    const PerpStepReport *report = perp_simulation_report(p->simulation);
    assert_int_equal(report->outcome, PERP_OUTCOME_SOLVED);
    return report;
}

static inline const double *where(const Particle *p)
{
    int n;
    return perp_simulation_q(p->simulation, &n);
}

static inline const double *speed(const Particle *p)
{
    int n;
    return perp_simulation_v(p->simulation, &n);
}

static inline void end_particle(Particle *p)
{
    perp_simulation_destroy(p->simulation);
    p->simulation = NULL;
}

#endif
