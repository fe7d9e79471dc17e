// The particle of the entries of PS02, as a custom system.
#include "papers/ps02/entries.h"

#include <string.h>

static void mass(void *user, const double *q, double *M)
{
    (void)user, (void)q;
    M[0] = M[3] = 1;
    M[1] = M[2] = 0;
}

static void force(void *user, double t, const double *q, const double *v, double *k)
{
    (void)t, (void)q, (void)v;
    memcpy(k, ((Ps02Particle *)user)->force, 2 * sizeof(double));
}

static void gaps(void *user, const double *q, double *phi)
{
    const Ps02Particle *p = user;
    for (int i = 0; i < p->walls; i++)
        phi[i] = p->normal[i][0] * q[0] + p->normal[i][1] * q[1];
}

static void gradients(void *user, const double *q, double *n)
{
    const Ps02Particle *p = user;
    (void)q;
    memcpy(n, p->normal, (size_t)p->walls * sizeof p->normal[0]);
}

bool ps02_start(Paper *paper, Ps02Particle *p, double h)
{
    PerpError error;
    PerpSystemDef def = perp_default_system();
    PerpSimulationSettings settings = perp_default_simulation_settings();
    const double e[PS02_WALLS] = {p->e, p->e};
    def.n = 2;
    def.position = p->position;
    def.velocity = p->velocity;
    def.user = p;
    def.mass = mass;
    def.force = force;
    def.n_constraints = p->walls;
    def.constraints = gaps;
    def.constraint_gradients = gradients;
    def.restitution = e;
    settings.scheme = "paoli-schatzman";
    settings.step = h;
    if (!perp_simulation_create_custom(NULL, &def, &settings, &p->simulation, &error))
        return true;
    paper_fail(paper, &error);
    return false;
}

bool ps02_step(Paper *paper, Ps02Particle *p)
{
    PerpError error;
    if (!perp_simulation_step(p->simulation, 0, &error))
        return true;
    paper_fail(paper, &error);
    return false;
}

void ps02_end(Ps02Particle *p)
{
    perp_simulation_destroy(p->simulation);
    p->simulation = NULL;
}

const double *ps02_position(const Ps02Particle *p)
{
    int n;
    return perp_simulation_q(p->simulation, &n);
}

const double *ps02_velocity(const Ps02Particle *p)
{
    int n;
    return perp_simulation_v(p->simulation, &n);
}
