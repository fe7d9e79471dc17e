// The two carts of PAGT06 section 10.2 as a custom system.
#include "papers/pagt06/carts.h"

#include "papers/pagt06/pendulum.h"

#include <math.h>

static const double g = 9.8, slack = 0.2, apart = 5;

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

// stopper, floor, floor
static void constraints(void *user, const double *q, double *phi)
{
    (void)user;
    phi[0] = q[0];
    phi[1] = q[1];
    phi[2] = q[3];
}

static void tangents(void *user, const double *q, int constraint, double *T)
{
    (void)user, (void)q;
    T[0] = constraint == 1;
    T[2] = constraint == 2;
    T[1] = T[3] = 0;
}

// The spring's and the damper's psi: those that are rigid become joints.
static int links_or_joints(const Carts *carts, bool rigid, const double *q, double *psi)
{
    int count = 0;
    if (isinf(carts->gamma) == rigid)
        psi[count++] = q[0] - slack;
    if (isinf(carts->delta) == rigid)
        psi[count++] = q[2] - q[0] - apart;
    return count;
}

static void links(void *user, const double *q, double *psi)
{
    links_or_joints(user, false, q, psi);
}

static void joints(void *user, const double *q, double *theta)
{
    links_or_joints(user, true, q, theta);
}

static void gradients(const Carts *carts, bool rigid, double *g_out)
{
    if (isinf(carts->gamma) == rigid) {
        g_out[0] = 1;
        g_out[1] = g_out[2] = g_out[3] = 0;
        g_out += 4;
    }
    if (isinf(carts->delta) == rigid) {
        g_out[0] = -1;
        g_out[1] = g_out[3] = 0;
        g_out[2] = 1;
    }
}

static void link_gradients(void *user, const double *q, double *g_out)
{
    (void)q;
    gradients(user, false, g_out);
}

static void joint_gradients(void *user, const double *q, double *nu)
{
    (void)q;
    gradients(user, true, nu);
}

static PerpSimulation *create(Paper *paper, Carts *carts)
{
    static const double restitution[3] = {0.3, 0, 0}, mu[3] = {0, 0.05, 0.05};
    const double q[4] = {carts->x1, 0, carts->x1 + apart, 0}, v[4] = {carts->v, 0, carts->v, 0};
    double psi[2], stiffness[2] = {0, 0}, damping[2] = {0, 0};
    PerpSystemDef def = perp_default_system();
    PerpSimulationSettings settings = perp_default_simulation_settings();
    PerpSimulation *simulation = NULL;
    PerpError error = {0};
    def.n = 4;
    def.position = q;
    def.velocity = v;
    def.user = carts;
    def.mass = mass;
    def.force = force;
    def.potential = potential;
    def.n_constraints = 3;
    def.constraints = constraints;
    def.restitution = restitution;
    def.mu = mu;
    def.n_tangents = 1;
    def.tangents = tangents;
    def.n_links = links_or_joints(carts, false, q, psi);
    def.links = links;
    def.link_gradients = link_gradients;
    def.n_joints = links_or_joints(carts, true, q, psi);
    def.joints = joints;
    def.joint_gradients = joint_gradients;
    if (!isinf(carts->gamma))
        stiffness[0] = carts->gamma;
    if (!isinf(carts->delta))
        damping[def.n_links - 1] = carts->delta;
    def.stiffness = stiffness;
    def.damping = damping;
    settings.scheme = carts->scheme;
    settings.step = 0.01;
    settings.printed_collisions = carts->printed;
    if (perp_simulation_create_custom(NULL, &def, &settings, &simulation, &error))
        paper_fail(paper, &error);
    return simulation;
}

static void record(const PerpSimulation *simulation, int point, Carts *carts)
{
    int count;
    const double *q = perp_simulation_q(simulation, &count);
    const double *v = perp_simulation_v(simulation, &count);
    const PerpStepReport *report = perp_simulation_report(simulation);
    carts->t[point] = report->t;
    carts->x[point] = q[0];
    carts->distance[point] = q[2] - q[0];
    carts->speed[point] = v[0];
    carts->relative[point] = v[2] - v[0];
    carts->energy[point] = report->energy.kinetic + report->energy.spring;
    carts->impacts += report->impacts;
    for (int k = 0; k < PERP_BOUND_COUNT; k++)
        if (report->bound[k].applies)
            carts->margin[k] = fmin(carts->margin[k], report->bound[k].margin);
}

bool pagt06_carts_run(Paper *paper, Carts *carts)
{
    PerpSimulation *simulation = create(paper, carts);
    for (int k = 0; k < PERP_BOUND_COUNT; k++)
        carts->margin[k] = INFINITY;
    if (simulation)
        record(simulation, 0, carts);
    for (int step = 1; step <= carts->steps && pagt06_step(paper, simulation); step++)
        record(simulation, step, carts);
    perp_simulation_destroy(simulation);
    return !paper_failed(paper);
}

void pagt06_carts_draw(Paper *paper, const char *name, const char *title, const char *label,
                       int count, const Carts *const *runs, const double *const *y,
                       const char *const *names)
{
    PerpSeries series[8];
    PerpFigure figure = perp_default_figure();
    for (int k = 0; k < count; k++) {
        series[k] = perp_default_series();
        series[k].name = names[k];
        series[k].count = runs[k]->steps + 1;
        series[k].x = runs[k]->t;
        series[k].y = y[k];
        series[k].dashed = k == count - 1;
    }
    figure.title = title;
    figure.x_label = "time (s)";
    figure.y_label = label;
    figure.n_series = count;
    figure.series = series;
    paper_figure(paper, name, &figure);
}

double pagt06_largest(int count, const double *values, double from)
{
    double largest = 0;
    for (int k = 0; k < count; k++)
        largest = fmax(largest, fabs(values[k] - from));
    return largest;
}
