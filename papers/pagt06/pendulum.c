// The double pendulum of PAGT06 section 10.1 as a custom system.
#include "papers/pagt06/pendulum.h"

#include <math.h>
#include <string.h>

static const double g = 9.8; // m/s^2

static void mass(void *user, const double *q, double *M)
{
    (void)user, (void)q;
    for (int i = 0; i < 4; i++)
        M[5 * i] = 1;
}

static void force(void *user, double t, const double *q, const double *v, double *k)
{
    (void)user, (void)t, (void)q, (void)v;
    k[1] = k[3] = -g;
}

static double potential(void *user, const double *q)
{
    (void)user;
    return g * (q[1] + q[3]);
}

void pagt06_pendulum_joints(const double *q, double theta[2])
{
    double x = q[0] - q[2], y = q[1] - q[3];
    theta[0] = q[0] * q[0] + q[1] * q[1] - 1;
    theta[1] = x * x + y * y - 1;
}

static void joints(void *user, const double *q, double *theta)
{
    (void)user;
    pagt06_pendulum_joints(q, theta);
}

static void joint_gradients(void *user, const double *q, double *nu)
{
    double x = 2 * (q[0] - q[2]), y = 2 * (q[1] - q[3]);
    const double gradients[8] = {2 * q[0], 2 * q[1], 0, 0, x, y, -x, -y};
    (void)user;
    memcpy(nu, gradients, sizeof gradients);
}

static void wall(void *user, const double *q, double *phi)
{
    (void)user;
    phi[0] = q[0];
    phi[1] = q[2];
}

static void wall_gradients(void *user, const double *q, double *n)
{
    (void)user, (void)q;
    n[0] = n[6] = 1;
}

PerpSimulation *pagt06_pendulum(Paper *paper, const char *scheme, double step)
{
    const double pi = 3.14159265358979323846;
    const double q[4] = {sin(pi / 3), -cos(pi / 3), sin(pi / 3) + sin(pi / 5),
                         -cos(pi / 3) - cos(pi / 5)};
    const double v[4] = {0}, restitution[2] = {0.1, 0.1};
    PerpSystemDef def = perp_default_system();
    PerpSimulationSettings settings = perp_default_simulation_settings();
    PerpSimulation *simulation = NULL;
    PerpError error = {0};
    def.n = 4;
    def.position = q;
    def.velocity = v;
    def.mass = mass;
    def.force = force;
    def.potential = potential;
    def.n_joints = 2;
    def.joints = joints;
    def.joint_gradients = joint_gradients;
    def.n_constraints = 2;
    def.constraints = wall;
    def.constraint_gradients = wall_gradients;
    def.restitution = restitution;
    settings.scheme = scheme;
    settings.step = step;
    if (perp_simulation_create_custom(NULL, &def, &settings, &simulation, &error))
        paper_fail(paper, &error);
    return simulation;
}

bool pagt06_step(Paper *paper, PerpSimulation *simulation)
{
    PerpError error = {0};
    if (paper_failed(paper))
        return false;
    if (!perp_simulation_step(simulation, 0, &error))
        return true;
    paper_fail(paper, &error);
    return false;
}
