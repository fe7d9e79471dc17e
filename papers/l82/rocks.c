// Section 1: rocks that slide on a slope [Cundall 1974]. Three equal blocks in a plane; the
// uppermost is smooth and slides into the two rough ones, which alone would stay where they are.
#include "papers/l82/l82.h"

#include <math.h>

enum { ROCKS = 3, SLOPE = ROCKS, STOP };
static const double ANGLE = 0.5235987755982988, HALF = 0.2, GAP = 0.3, FOOT = 0.6, G = 9.81;
static const double MU[ROCKS] = {0.2, 0.7, 0.7}; // on the slope, from the top; between them 0

typedef struct Slope {
    PerpBodyDef body[ROCKS];
    PerpShapeDef shape[ROCKS + 2];
    PerpMaterialDef material[ROCKS + 1];
    PerpPairDef pair[ROCKS * (ROCKS + 1)];
    PerpModelDef def;
} Slope;

// The place s down the slope and n above it; turned so that the block lies flat.
static void place(double s, double n, double position[3], double rotation[4])
{
    position[0] = s * cos(ANGLE) + n * sin(ANGLE);
    position[1] = 0;
    position[2] = -s * sin(ANGLE) + n * cos(ANGLE);
    rotation[0] = cos(ANGLE / 2);
    rotation[1] = rotation[3] = 0;
    rotation[2] = sin(ANGLE / 2);
}

static double start_of(int rock)
{
    return rock * (2 * HALF + GAP);
}

static void define_shapes(Slope *s)
{
    for (int i = 0; i < ROCKS + 2; i++) {
        PerpShapeDef *shape = &s->shape[i];
        *shape = perp_default_shape();
        shape->kind = i == SLOPE ? PERP_SHAPE_PLANE : PERP_SHAPE_BOX;
        shape->body = i < ROCKS ? i : -1;
        shape->material = i < ROCKS ? i : ROCKS;
        for (int k = 0; k < 3; k++)
            shape->size[k] = HALF;
        if (i == SLOPE)
            place(0, 0, shape->position, shape->rotation);
    }
    place(start_of(ROCKS - 1) + 2 * HALF + FOOT, HALF, s->shape[STOP].position,
          s->shape[STOP].rotation);
}

static void define_materials(Slope *s)
{
    int pairs = 0;
    for (int i = 0; i <= ROCKS; i++) {
        s->material[i] = perp_default_material();
        for (int k = i + 1; k <= ROCKS; k++) {
            s->pair[pairs] = perp_default_pair();
            s->pair[pairs].material_a = i;
            s->pair[pairs].material_b = k;
            s->pair[pairs++].mu = k == ROCKS ? MU[i] : 0;
        }
    }
    s->def.n_pairs = pairs;
}

static void define(Slope *s)
{
    s->def = perp_default_model_def();
    for (int i = 0; i < ROCKS; i++) {
        s->body[i] = perp_default_body();
        s->body[i].freedom = PERP_FREE_PLANAR_XZ;
        place(start_of(i), HALF, s->body[i].position, s->body[i].rotation);
    }
    define_shapes(s);
    define_materials(s);
    s->def.n_bodies = ROCKS;
    s->def.bodies = s->body;
    s->def.n_shapes = ROCKS + 2;
    s->def.shapes = s->shape;
    s->def.n_materials = ROCKS + 1;
    s->def.materials = s->material;
    s->def.pairs = s->pair;
}

static double down_slope(const L82Run *run, int rock)
{
    double v[3], spin[3];
    perp_simulation_velocity(run->simulation, rock, v, spin);
    return v[0] * cos(ANGLE) - v[2] * sin(ANGLE);
}

// a = g (sin - mean mu cos) of the first k rocks together
static double together(int k)
{
    double mu = 0;
    for (int i = 0; i < k; i++)
        mu += MU[i] / k;
    return G * (sin(ANGLE) - mu * cos(ANGLE));
}

// The speed of the first rock at time t: it meets the others one by one, inelastically, and shares
// its momentum with them; the last of them meets the stop, which takes it from all.
static double closed_form(double t)
{
    double v = 0;
    for (int k = 1; k <= ROCKS; k++) {
        double a = together(k), way = k == ROCKS ? FOOT : GAP;
        double meets = (sqrt(v * v + 2 * a * way) - v) / a;
        if (t < meets)
            return v + a * t;
        if (k == ROCKS)
            return 0;
        v = (v + a * meets) * k / (k + 1);
        t -= meets;
    }
    return v;
}

// Up to time `end`; the largest deviation of the first rock's speed.
static double follow(L82Run *run, double end, double h)
{
    double worst = 0, t = 0;
    while (t < end && l82_step(run, h)) {
        double v[L82_CURVES] = {0};
        t = perp_simulation_time(run->simulation);
        for (int i = 0; i < ROCKS; i++)
            v[i] = down_slope(run, i);
        v[ROCKS] = closed_form(t);
        worst = fmax(worst, fabs(v[0] - v[ROCKS]));
        if (fabs(fmod(t + h / 2, 0.1)) < h)
            paper_row(run->paper, (double[]){t, v[0], v[1], v[2], v[ROCKS]}, NULL);
        l82_keep(run, v);
    }
    return worst;
}

void l82_rocks(Paper *paper)
{
    Slope slope = {0};
    define(&slope);
    L82Run *run = l82_begin(paper, &slope.def, "lotstedt", 1e-3);
    if (!run || run->status) {
        l82_end(run);
        return;
    }
    paper_table(paper, "speeds down the slope", "t rock1 rock2 rock3 closed-form");
    double worst = follow(run, 2, 0.01);
    if (!run->status) {
        double fastest = fmax(fabs(down_slope(run, 0)), fabs(down_slope(run, 2)));
        l82_draw(run, "history", "Rocks on a slope", "speed down the slope (m/s)", ROCKS + 1,
                 (const char *const[]){"rock 1", "rock 2", "rock 3", "closed form of rock 1"});
        paper_claim(
            paper, worst < 1e-8,
            "sticking, slipping and pushing as Coulomb's bounds (6.4)-(6.5) say: to %.1e m/s",
            worst);
        paper_claim(paper, fastest < 1e-9, "the stop at the foot brings all of them to rest");
        l82_claim_theorems(run, false);
    }
    paper_note(paper,
               "Chosen here, as the paper gives no data: slope 30 degrees, cubes of %g m, %g m "
               "apart, mu = %g, %g, %g on the slope, 0 between them, no bounce; a stop %g m below.",
               2 * HALF, GAP, MU[0], MU[1], MU[2], FOOT);
    l82_end(run);
}
