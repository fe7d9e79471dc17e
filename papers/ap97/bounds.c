// Theorems 2.3 and 5.1 on runs: (2.22) each step, the bounds (5.3) and (5.4) of the whole.
#include "papers/ap97/ap97.h"

#include <math.h>
#include <stdlib.h>

enum { LADDER = 4, FACTOR = 2 };
static const double GRAVITY = 9.81, DURATION = 1;

// What a run showed.
typedef struct Bounded {
    double step_margin, impact_margin; // least
    double speed;                      // sqrt(v'Mv) at the end
    double worst;                      // largest of sqrt(v'Mv) / bound, or of v'Mv / bound
    int impacts;
} Bounded;

// The bound as a function of time.
typedef double (*BoundOf)(double t, const double *constants);

// --- models -------------------------------------------------------------------------------------

// Three boxes of different sides, thrown and spinning, above a floor.
static PerpStatus make_boxes(PerpModel **model, PerpError *error)
{
    PerpBodyDef bodies[3];
    PerpShapeDef shapes[4];
    PerpMaterialDef material = perp_default_material();
    PerpModelDef def = perp_default_model_def();
    material.restitution = 0.5;
    shapes[3] = perp_default_shape();
    shapes[3].kind = PERP_SHAPE_PLANE;
    for (int k = 0; k < 3; k++) {
        bodies[k] = perp_default_body();
        bodies[k].position[0] = 0.5 * k;
        bodies[k].position[2] = 0.5 + 0.1 * k;
        bodies[k].velocity[0] = 1 - k;
        bodies[k].spin[k] = 4;
        bodies[k].spin[(k + 1) % 3] = 2;
        shapes[k] = perp_default_shape();
        shapes[k].kind = PERP_SHAPE_BOX;
        shapes[k].body = k;
        shapes[k].size[0] = 0.1;
        shapes[k].size[1] = 0.08 + 0.01 * k;
        shapes[k].size[2] = 0.06;
    }
    def.gravity[2] = -GRAVITY;
    def.n_bodies = 3;
    def.bodies = bodies;
    def.n_shapes = 4;
    def.shapes = shapes;
    def.n_materials = 1;
    def.materials = &material;
    return perp_model_create(NULL, &def, model, error);
}

enum { STIFFNESS = 40 }; // N/m

// A point mass of 1 kg on a spring without rest length, fixed at the origin, on which the floor is.
static PerpStatus make_ball(PerpModel **model, PerpError *error)
{
    PerpBodyDef body = perp_default_body();
    PerpShapeDef shapes[2] = {perp_default_shape(), perp_default_shape()};
    PerpMaterialDef material = perp_default_material();
    PerpSpringDef spring = perp_default_spring();
    PerpModelDef def = perp_default_model_def();
    body.freedom = PERP_FREE_POINT;
    body.mass = 1;
    body.position[2] = 0.5;
    body.velocity[0] = 1;
    shapes[0].kind = PERP_SHAPE_POINT;
    shapes[0].body = 0;
    shapes[1].kind = PERP_SHAPE_PLANE;
    material.restitution = 1;
    material.mu = 0;
    spring.body_a = -1;
    spring.body_b = 0;
    spring.anchor_b[2] = 0.5;
    spring.stiffness = STIFFNESS;
    def.gravity[2] = 0;
    def.n_bodies = 1;
    def.bodies = &body;
    def.n_shapes = 2;
    def.shapes = shapes;
    def.n_springs = 1;
    def.springs = &spring;
    def.n_materials = 1;
    def.materials = &material;
    return perp_model_create(NULL, &def, model, error);
}

// --- runs ---------------------------------------------------------------------------------------

static void take_bounds(const PerpStepReport *report, Bounded *bounded)
{
    const PerpBound *step = &report->bound[PERP_BOUND_AP97_STEP];
    const PerpBound *impact = &report->bound[PERP_BOUND_AP97_IMPACT];
    if (step->applies)
        bounded->step_margin = fmin(bounded->step_margin, step->margin);
    if (impact->applies)
        bounded->impact_margin = fmin(bounded->impact_margin, impact->margin);
    bounded->impacts += report->impacts;
}

// t, sqrt(v'Mv) and the bound go to the three series, if given.
static Bounded run(Paper *paper, const PerpModel *model, double h, BoundOf bound,
                   const double *constants, double *series)
{
    PerpSimulationSettings settings = perp_default_simulation_settings();
    PerpSimulation *simulation = NULL;
    PerpError error;
    Bounded bounded = {.step_margin = INFINITY, .impact_margin = INFINITY};
    int steps = (int)round(DURATION / h);
    settings.scheme = "anitescu-potra";
    settings.step = h;
    PerpStatus status = perp_simulation_create(NULL, model, &settings, &simulation, &error);
    for (int k = 1; k <= steps && !status; k++) {
        status = perp_simulation_step(simulation, 0, &error);
        if (status)
            break;
        const PerpStepReport *report = perp_simulation_report(simulation);
        double most = bound(report->t, constants);
        take_bounds(report, &bounded);
        bounded.speed = sqrt(2 * report->energy.kinetic);
        bounded.worst = fmax(bounded.worst, bounded.speed / most);
        if (series) {
            series[k - 1] = report->t;
            series[steps + k - 1] = bounded.speed;
            series[2 * steps + k - 1] = most;
        }
    }
    if (status)
        paper_fail(paper, &error);
    perp_simulation_destroy(simulation);
    return bounded;
}

static void draw(Paper *paper, const char *name, const char *title, const double *series, int count,
                 bool log_y)
{
    PerpSeries lines[2] = {perp_default_series(), perp_default_series()};
    PerpFigure figure = perp_default_figure();
    lines[0].name = "computed";
    lines[1].name = "bound";
    lines[1].dashed = true;
    for (int k = 0; k < 2; k++) {
        lines[k].count = count;
        lines[k].x = series;
        lines[k].y = series + (k + 1) * count;
    }
    figure.title = title;
    figure.x_label = "time (s)";
    figure.y_label = "sqrt(v'Mv)";
    figure.log_y = log_y;
    figure.n_series = 2;
    figure.series = lines;
    paper_figure(paper, name, &figure);
}

// A sequence of halved steps: a row each, and a figure of the finest. True if every bound held.
static bool run_refinement(Paper *paper, const PerpModel *model, BoundOf bound,
                           const double *constants, const char *title, bool log_y)
{
    bool holds = true;
    paper_table(paper, "runs",
                "h sqrt(vMv) bound largest/bound margin(2.22) margin(impact) impacts");
    for (int k = 0; k < LADDER && !paper_failed(paper); k++) {
        double h = 1e-2 / pow(FACTOR, k);
        int steps = (int)round(DURATION / h);
        double *series = malloc(3 * (size_t)steps * sizeof *series);
        if (!series) {
            paper_fail(paper, &(PerpError){.status = PERP_NO_MEMORY, .message = "out of memory"});
            return false;
        }
        Bounded b = run(paper, model, h, bound, constants, series);
        paper_row(paper,
                  (double[]){h, b.speed, bound(DURATION, constants), b.worst, b.step_margin,
                             b.impact_margin, b.impacts},
                  NULL);
        holds = holds && b.worst <= 1 && b.step_margin >= -1e-9 && b.impact_margin >= -1e-9;
        if (k == LADDER - 1 && !paper_failed(paper))
            draw(paper, "bound", title, series, steps, log_y);
        free(series);
    }
    return holds;
}

// sqrt(v'Mv(0)) + c t + 1                                                           [AP97 (5.4)]
static double linear_bound(double t, const double *constants)
{
    return constants[0] + constants[1] * t + 1;
}

// sqrt((z_0^2 + w_0) e^(2ct) + 2 c t e^(2ct)),  z = sqrt(v'Mv), w = |q|             [AP97 (5.3)]
static double exponential_bound(double t, const double *constants)
{
    double c = constants[1];
    return sqrt((constants[0] + 2 * c * t) * exp(2 * c * t));
}

static double start_kinetic(Paper *paper, const PerpModel *model)
{
    PerpSimulation *simulation = NULL;
    PerpError error;
    double kinetic = 0;
    if (perp_simulation_create(NULL, model, NULL, &simulation, &error))
        paper_fail(paper, &error);
    else
        for (int k = 0; k < perp_model_body_count(model); k++) {
            double v[3], w[3], p[3], L[3];
            perp_simulation_velocity(simulation, k, v, w);
            perp_simulation_momentum(simulation, k, p, L);
            for (int i = 0; i < 3; i++)
                kinetic += (v[i] * p[i] + w[i] * L[i]) / 2;
        }
    perp_simulation_destroy(simulation);
    return kinetic;
}

void ap97_energy(Paper *paper)
{
    PerpModel *model = NULL;
    PerpError error;
    double mass = 0;
    if (make_boxes(&model, &error)) {
        paper_fail(paper, &error);
        return;
    }
    for (int k = 0; k < 3; k++)
        mass += perp_model_body_mass(model, k);
    // |M^-1/2 k_1| of weights is g sqrt(sum m); the Coriolis force has the bound c_4 z^2 in the
    // step only, which a step small enough takes into the 1
    double c = 2 * GRAVITY * sqrt(mass);
    double z = sqrt(2 * start_kinetic(paper, model));
    bool holds = run_refinement(paper, model, linear_bound, (double[]){z, c},
                                "AP97 (5.4): three boxes thrown on a floor", false);
    paper_note(paper,
               "the paper gives no example: three boxes, mu = 0.5, e = 0.5, thrown and "
               "spinning; c = 2 g sqrt(m) = %.4g from the proof (B.23)-(B.26)",
               c);
    paper_claim(paper, holds,
                "theorem 2.3 each step, energy over each impact, and (5.4) at all times");
    perp_model_destroy(model);
}

void ap97_exponential(Paper *paper)
{
    PerpModel *model = NULL;
    PerpError error;
    if (make_ball(&model, &error)) {
        paper_fail(paper, &error);
        return;
    }
    // k_3 = -s q: c_3 = s, c_5 = 1 with m = 1; c = max 2 c_i, of (B.21) and (B.19)
    double c = 2 * STIFFNESS, z2 = 1, w = 0.5;
    bool holds = run_refinement(paper, model, exponential_bound, (double[]){z2 + w, c},
                                "AP97 (5.3): a ball on a spring above a floor", true);
    paper_note(paper,
               "the paper gives no example: 1 kg on a spring of %d N/m fixed at the floor, "
               "e = 1; c = %.4g from the proof",
               STIFFNESS, c);
    paper_note(paper,
               "(5.3) prints |q(0)|^2 where lemma B.1 gives w_0 = |q(0)|; the latter is used");
    paper_note(paper, "explicit Euler feeds the spring: sqrt(v'Mv) grows as h does, far below a "
                      "bound that is exponential in the stiffness");
    paper_claim(paper, holds, "theorem 2.3 each step, energy over each impact, and (5.3)");
    perp_model_destroy(model);
}
