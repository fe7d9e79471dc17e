// Section 2, its end: gradients that jump. A point slides off a table; a particle slides on a floor
// that bends at x = 0.5 m, phi = z - max(0, x - 0.5) s, which is one constraint with a jump of its
// gradient: away from the motion it leaves the floor, towards it an impulse follows (2.10), (3.9).
#include "papers/l82/l82.h"

#include <math.h>

static const double G = 9.81, BEND = 0.5, SPEED = 1; // m/s^2, m, m/s

// --- the table ----------------------------------------------------------------------------------

typedef struct Table {
    PerpBodyDef body;
    PerpShapeDef shape[2];
    PerpMaterialDef material;
    PerpModelDef def;
} Table;

static void define_table(Table *t)
{
    t->body = perp_default_body();
    t->body.freedom = PERP_FREE_POINT;
    t->body.mass = 1;
    t->body.velocity[0] = SPEED;
    for (int i = 0; i < 2; i++)
        t->shape[i] = perp_default_shape();
    t->shape[0].kind = PERP_SHAPE_POINT;
    t->shape[0].body = 0;
    t->shape[0].density = 0;
    t->shape[1].kind = PERP_SHAPE_BOX;
    t->shape[1].body = -1;
    for (int i = 0; i < 3; i++)
        t->shape[1].size[i] = BEND;
    t->shape[1].position[2] = -BEND;
    t->material = perp_default_material();
    t->material.mu = 0;
    t->def = perp_default_model_def();
    t->def.n_bodies = 1;
    t->def.bodies = &t->body;
    t->def.n_shapes = 2;
    t->def.shapes = t->shape;
    t->def.n_materials = 1;
    t->def.materials = &t->material;
}

// The height at t = 1 s, half a second after the edge.
static double slide_off(Paper *paper, double h, double *energy)
{
    Table table;
    define_table(&table);
    L82Run *run = l82_begin(paper, &table.def, "lotstedt", 1e-3);
    double position[3] = {0}, rotation[4];
    for (int i = 0; run && i < lround(1 / h) && l82_step(run, h); i++) {
        const PerpEnergy *e = &perp_simulation_report(run->simulation)->energy;
        *energy = fmax(*energy, fabs(e->kinetic + e->gravity - SPEED * SPEED / 2));
    }
    if (run && !run->status)
        perp_simulation_pose(run->simulation, 0, position, rotation);
    l82_end(run);
    return position[2];
}

static void try_table(Paper *paper)
{
    double worst = 0, energy = 0, closed = -G / 8;
    paper_table(paper, "off a table", "h z(1) closed-form");
    for (int k = 0; k < 4 && !paper_failed(paper); k++) {
        double h = pow(10, -k), z = slide_off(paper, h, &energy);
        paper_row(paper, (double[]){h, z, closed}, NULL);
        worst = fmax(worst, fabs(z - closed));
    }
    paper_claim(paper, worst < 1e-8 && energy < 1e-8,
                "a point that slides off a table falls freely from the edge on, for any step: "
                "height to %.1e m, energy to %.1e J",
                worst, energy);
}

// --- the bent floor -----------------------------------------------------------------------------

typedef struct Floor {
    double slope;
} Floor;

static void mass(void *user, const double *q, double *M)
{
    (void)user, (void)q;
    M[0] = M[3] = 1;
    M[1] = M[2] = 0;
}

static void weight(void *user, double t, const double *q, const double *v, double *k)
{
    (void)user, (void)t, (void)q, (void)v;
    k[0] = 0;
    k[1] = -G;
}

static double height(void *user, const double *q)
{
    (void)user;
    return G * q[1];
}

static void above(void *user, const double *q, double *phi)
{
    const Floor *floor = user;
    phi[0] = q[1] - fmax(q[0] - BEND, 0) * floor->slope;
}

static void gradient(void *user, const double *q, double *n)
{
    const Floor *floor = user;
    n[0] = q[0] > BEND ? -floor->slope : 0;
    n[1] = 1;
}

// Just after the bend, at t0 = BEND/SPEED: by (3.9) if the floor rises; else nothing happens.
static void velocity_after(double slope, double e, double v[2])
{
    double n[2] = {-slope / hypot(1, slope), 1 / hypot(1, slope)}, approach = n[0] * SPEED;
    double jump = approach < 0 ? -(1 + e) * approach : 0;
    v[0] = SPEED + jump * n[0];
    v[1] = jump * n[1];
}

// The motion t after the bend: flight; on a floor that rises without bounce, sliding up it.
static void closed_form(double slope, double e, double t, double q[2])
{
    double v[2], a[2] = {0, -G};
    velocity_after(slope, e, v);
    if (slope > 0 && e == 0) { // gravity along the slope
        a[0] = -G * slope / (1 + slope * slope);
        a[1] = a[0] * slope;
    }
    q[0] = BEND + v[0] * t + a[0] * t * t / 2;
    q[1] = v[1] * t + a[1] * t * t / 2;
}

static double pass_bend(Paper *paper, double slope, double e, double h)
{
    static const double start[2] = {0, 0}, velocity[2] = {1, 0};
    const double after = 0.04; // s: all are still in flight, or on the slope
    Floor floor = {slope};
    PerpSystemDef def = perp_default_system();
    def.n = 2;
    def.position = start;
    def.velocity = velocity;
    def.user = &floor;
    def.mass = mass;
    def.force = weight;
    def.potential = height;
    def.n_constraints = 1;
    def.constraints = above;
    def.constraint_gradients = gradient;
    def.restitution = &e;
    double off = INFINITY, q[2];
    L82Run *run = l82_begin_custom(paper, &def, 1e-3);
    bool ok = run != NULL;
    while (ok && perp_simulation_time(run->simulation) < BEND / SPEED + after - h / 2)
        ok = l82_step(run, h);
    if (ok) {
        closed_form(slope, e, perp_simulation_time(run->simulation) - BEND / SPEED, q);
        off = hypot(l82_q(run, 0) - q[0], l82_q(run, 1) - q[1]);
        paper_row(paper, (double[]){slope, e, h, l82_q(run, 0), q[0], l82_q(run, 1), q[1]}, NULL);
    }
    l82_end(run);
    return off;
}

void l82_edge(Paper *paper)
{
    static const double slope[] = {-2, -0.5, 0.5, 1, 2};
    double worst = 0;
    try_table(paper);
    paper_table(paper, "bent floor", "slope e h x x-closed-form z z-closed-form");
    for (int k = 0; k < 5; k++)
        for (int i = 0; i < 2; i++)
            for (int j = 0; j < 2 && !paper_failed(paper); j++)
                worst = fmax(worst, pass_bend(paper, slope[k], i ? 0.5 : 0, j ? 0.02 : 0.0075));
    paper_claim(paper, worst < 1e-8,
                "where g_i jumps away from the motion, (g_i^2)'v > 0, v is continuous and the "
                "constraint is left; where it jumps towards it (2.10) and (3.9) give the impulse: "
                "positions to %.1e m",
                worst);
    paper_note(paper, "Chosen here, as the paper gives no data: 1 m/s, the edge and the bend at "
                      "x = 0.5 m; positions on the bent floor 0.04 s after the bend.");
}
