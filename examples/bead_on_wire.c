// A bead on a wire bent into a circle, in Cartesian coordinates: the wire is a joint Theta(q) = 0,
// and a stop on it a constraint Phi(q) >= 0 with restitution.
#include "perp/perp.h"

#include <stdio.h>

static const double g = 9.81, m = 0.2, r = 1;

static void mass(void *user, const double *q, double *M)
{
    (void)user, (void)q;
    M[0] = M[3] = m;
    M[1] = M[2] = 0;
}

static void force(void *user, double t, const double *q, const double *v, double *k)
{
    (void)user, (void)t, (void)q, (void)v;
    k[0] = 0;
    k[1] = -m * g;
}

static double potential(void *user, const double *q)
{
    (void)user;
    return m * g * q[1];
}

static void wire(void *user, const double *q, double *theta)
{
    (void)user;
    theta[0] = (q[0] * q[0] + q[1] * q[1] - r * r) / (2 * r);
}

static void wire_gradient(void *user, const double *q, double *nu) // optional
{
    (void)user;
    nu[0] = q[0] / r;
    nu[1] = q[1] / r;
}

static void stop(void *user, const double *q, double *phi) // at the bottom
{
    (void)user;
    phi[0] = q[0];
}

int main(void)
{
    const double start[2] = {0.6, -0.8}, at_rest[2] = {0, 0}, restitution = 0.5;
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
    def.n_joints = 1;
    def.joints = wire;
    def.joint_gradients = wire_gradient;
    def.n_constraints = 1;
    def.constraints = stop;
    def.restitution = &restitution;
    if (perp_simulation_create_custom(NULL, &def, NULL, &simulation, &error)) {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    double highest = -r; // after the first bounce
    int impacts = 0;
    while (perp_simulation_time(simulation) < 1.2) {
        if (perp_simulation_step(simulation, 0, &error)) {
            fprintf(stderr, "%s\n", error.message);
            return 1;
        }
        double z = perp_simulation_q(simulation, &n)[1];
        impacts += perp_simulation_report(simulation)->impacts;
        highest = impacts > 0 && z > highest ? z : highest;
    }
    // the height above the bottom falls by the square of the restitution: 0.2 to 0.05
    printf("%d impact; the bead rises from the bottom to %.4f m\n", impacts, highest + r);
    printf("off the wire by less than 1e-10: %s\n",
           perp_simulation_report(simulation)->joint_gap < 1e-10 ? "yes" : "no");
    perp_simulation_destroy(simulation);
}
