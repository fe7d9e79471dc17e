// Section 5: a table with four legs on a floor, whose constraints depend on each other. A rigid
// top with a load aside; the legs are points.
#include "papers/l82/l82.h"

#include <math.h>

static const double SIDE = 0.5, HEIGHT = 0.7, MASS = 10, INERTIA = 1, G = 9.81; // m, kg, kg m^2
enum { LEGS = 4 };

typedef struct Table {
    PerpBodyDef body;
    PerpShapeDef shape[LEGS + 1];
    PerpMaterialDef material;
    PerpModelDef def;
} Table;

// The centre of mass is `aside` from the middle of the legs, along x.
static void define(double aside, Table *t)
{
    t->body = perp_default_body();
    t->body.position[2] = HEIGHT;
    t->body.mass = MASS;
    t->body.centre[0] = aside;
    for (int i = 0; i < 3; i++)
        t->body.inertia[i] = INERTIA;
    for (int i = 0; i < LEGS; i++) {
        t->shape[i] = perp_default_shape();
        t->shape[i].kind = PERP_SHAPE_POINT;
        t->shape[i].body = 0;
        t->shape[i].density = 0;
        t->shape[i].position[0] = i & 1 ? SIDE : -SIDE;
        t->shape[i].position[1] = i & 2 ? SIDE : -SIDE;
        t->shape[i].position[2] = -HEIGHT;
    }
    t->shape[LEGS] = perp_default_shape();
    t->shape[LEGS].kind = PERP_SHAPE_PLANE;
    t->material = perp_default_material();
    t->material.mu = 0;
    t->def = perp_default_model_def();
    t->def.n_bodies = 1;
    t->def.bodies = &t->body;
    t->def.n_shapes = LEGS + 1;
    t->def.shapes = t->shape;
    t->def.n_materials = 1;
    t->def.materials = &t->material;
}

// On two legs without friction the centre falls straight down, h over the feet and b beyond them:
//     a = -b N/I cos.. at the start:   N = m g/(1 + m b^2/I),   spin' = b N/I
static double expected_spin(double aside, double h)
{
    double b = aside - SIDE;
    return b > 0 ? h * MASS * G * b / (INERTIA + MASS * b * b) : 0;
}

static void try_load(Paper *paper, double aside, bool *right, int *legs)
{
    const double h = 1e-4;
    Table table;
    define(aside, &table);
    L82Run *run = l82_begin(paper, &table.def, "lotstedt", 1e-3);
    double v[3], spin[3], force[LEGS] = {0};
    if (!run || !l82_step(run, h)) {
        l82_end(run);
        return;
    }
    perp_simulation_velocity(run->simulation, 0, v, spin);
    *legs = perp_simulation_contact_count(run->simulation);
    double sum = 0;
    for (int i = 0; i < *legs && i < LEGS; i++) {
        force[i] = perp_simulation_contact(run->simulation, i).impulse[2] / h;
        sum += force[i];
    }
    double unique = run->least_margin[PERP_BOUND_L82_UNIQUE];
    *right = *right && fabs(spin[1] - expected_spin(aside, h)) < 1e-7 * h * G && unique >= 0;
    paper_row(paper,
              (double[]){aside, force[0], force[1], force[2], force[3], sum, spin[1] / h,
                         expected_spin(aside, h) / h},
              NULL);
    l82_end(run);
}

// Dropped askew it lands leg by leg; the height of each foot is kept.
static void drop(Paper *paper)
{
    Table table;
    define(0.1, &table);
    table.body.position[2] = HEIGHT + 0.1;
    table.body.rotation[0] = cos(0.05);
    table.body.rotation[1] = table.body.rotation[2] = sin(0.05) / sqrt(2);
    L82Run *run = l82_begin(paper, &table.def, "lotstedt", 1e-3);
    while (run && perp_simulation_time(run->simulation) < 0.6 && l82_step(run, 2e-3)) {
        double foot[L82_CURVES], x[3], q[4];
        perp_simulation_pose(run->simulation, 0, x, q);
        for (int i = 0; i < LEGS; i++) { // the third row of R on the leg
            const double *leg = table.shape[i].position;
            foot[i] = x[2] + 2 * (q[1] * q[3] - q[0] * q[2]) * leg[0] +
                      2 * (q[2] * q[3] + q[0] * q[1]) * leg[1] +
                      (1 - 2 * (q[1] * q[1] + q[2] * q[2])) * leg[2];
        }
        l82_keep(run, foot);
    }
    if (run && !run->status) {
        l82_draw(run, "landing", "A table lands on its four legs", "height of the feet (m)", LEGS,
                 (const char *const[]){"leg 1", "leg 2", "leg 3", "leg 4"});
        paper_claim(paper, perp_simulation_contact_count(run->simulation) == LEGS,
                    "dropped askew, it ends on all four legs");
        l82_claim_theorems(run, true);
    }
    l82_end(run);
}

void l82_table(Paper *paper)
{
    static const double aside[] = {0, 0.1, 0.3, 0.49, 0.51, 0.6, 0.8};
    bool right = true, stands = true;
    paper_table(paper, "loads", "aside leg1 leg2 leg3 leg4 sum spin-rate closed-form");
    for (int i = 0; i < 7 && !paper_failed(paper); i++) {
        int legs = 0;
        try_load(paper, aside[i], &right, &legs);
        stands = stands && (aside[i] > SIDE || legs == LEGS);
    }
    paper_claim(paper, right, "accelerations are unique and right although multipliers are not");
    paper_claim(paper, stands, "loaded within its legs it stands on all four");
    drop(paper);
    paper_note(
        paper,
        "Chosen here, as the paper gives no data: legs at the corners of a square of 1 m, "
        "%g kg, inertia %g kg m^2, centre of mass `aside` of the middle, no friction. Forces "
        "in N are those of three independent legs [lemma 5.2, part 3]; any others with the "
        "same sum and moments would do.",
        MASS, INERTIA);
}
