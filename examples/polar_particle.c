// A particle in polar coordinates (r, phi) inside a round wall, with friction at the wall.
#include "perp/perp.h"

#include <stdio.h>

static const double m = 1, R = 1;

static void mass(void *user, const double *q, double *M)
{
    (void)user;
    M[0] = m;
    M[1] = M[2] = 0;
    M[3] = m * q[0] * q[0];
}

// no force at all: what is left are the centrifugal and the Coriolis term
static void force(void *user, double t, const double *q, const double *v, double *k)
{
    (void)user, (void)t;
    k[0] = m * q[0] * v[1] * v[1];
    k[1] = -2 * m * q[0] * v[0] * v[1];
}

static void wall(void *user, const double *q, double *phi)
{
    (void)user;
    phi[0] = R - q[0];
}

static void slip(void *user, const double *q, int constraint, double *T) // T'v = r dphi/dt
{
    (void)user, (void)constraint;
    T[0] = 0;
    T[1] = q[0];
}

int main(void)
{
    // along a chord: from (r, phi) = (0.5, 0) with the velocity 2 m/s at a right angle
    const double start[2] = {0.5, 0}, velocity[2] = {0, 4}, restitution = 0.5, mu = 0.1;
    PerpSystemDef def = perp_default_system();
    PerpSimulationSettings settings = perp_default_simulation_settings();
    PerpSimulation *simulation;
    PerpError error;
    int n;
    def.n = 2;
    def.position = start;
    def.velocity = velocity;
    def.mass = mass;
    def.force = force;
    def.n_constraints = 1;
    def.constraints = wall;
    def.restitution = &restitution;
    def.mu = &mu;
    def.n_tangents = 1;
    def.tangents = slip;
    settings.step = 1e-4;
    if (perp_simulation_create_custom(NULL, &def, &settings, &simulation, &error)) {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    while (perp_simulation_time(simulation) < 0.45) // the chord ends after 0.433 s
        if (perp_simulation_step(simulation, 0, &error)) {
            fprintf(stderr, "%s\n", error.message);
            return 1;
        }
    const double *q = perp_simulation_q(simulation, &n), *v = perp_simulation_v(simulation, &n);
    // before the wall m r^2 dphi/dt = 1; the impulse 1.5 sqrt(3) N s takes 0.1 of that times R
    printf("angular momentum %.4f kg m^2/s\n", m * q[0] * q[0] * v[1]);
    perp_simulation_destroy(simulation);
}
