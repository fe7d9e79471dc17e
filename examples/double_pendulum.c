// A double pendulum in its two angles, counted from the downward vertical.
#include "perp/perp.h"

#include <math.h>
#include <stdio.h>

static const double g = 9.81, m = 1, l = 1; // both masses and lengths

static void mass(void *user, const double *q, double *M) // by columns
{
    (void)user;
    M[0] = 2 * m * l * l;
    M[1] = M[2] = m * l * l * cos(q[0] - q[1]);
    M[3] = m * l * l;
}

// M dv/dt = k: gravity, and the terms quadratic in v
static void force(void *user, double t, const double *q, const double *v, double *k)
{
    double s = m * l * l * sin(q[0] - q[1]);
    (void)user, (void)t;
    k[0] = -s * v[1] * v[1] - 2 * m * g * l * sin(q[0]);
    k[1] = s * v[0] * v[0] - m * g * l * sin(q[1]);
}

static double potential(void *user, const double *q)
{
    (void)user;
    return -2 * m * g * l * cos(q[0]) - m * g * l * cos(q[1]);
}

int main(void)
{
    const double start[2] = {1, 0.5}, at_rest[2] = {0, 0};
    PerpSystemDef def = perp_default_system();
    PerpSimulation *simulation;
    PerpError error;
    int n;
    def.n = 2;
    def.position = start;
    def.velocity = at_rest;
    def.mass = mass;
    def.force = force;
    def.potential = potential;
    if (perp_simulation_create_custom(NULL, &def, NULL, &simulation, &error)) {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    while (perp_simulation_time(simulation) < 2 - 5e-4)
        if (perp_simulation_step(simulation, 0, &error)) {
            fprintf(stderr, "%s\n", error.message);
            return 1;
        }
    const double *q = perp_simulation_q(simulation, &n);
    const PerpEnergy *energy = &perp_simulation_report(simulation)->energy;
    printf("t = 2 s: angles %.3f %.3f, energy %.4f J\n", q[0], q[1],
           energy->kinetic + energy->gravity);
    perp_simulation_destroy(simulation);
}
