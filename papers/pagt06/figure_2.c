// Figure 2: the double pendulum's x-coordinates and its energy.
#include "papers/pagt06/entries.h"
#include "papers/pagt06/pendulum.h"

#include <math.h>

enum { STEPS = 640, POINTS = STEPS + 1 }; // of 2^-8 s: 2.5 s; the start is a point

typedef struct Motion {
    double t[POINTS], x1[POINTS], x2[POINTS], energy[POINTS];
    int impacts;
    double deepest;      // least x
    double largest_rise; // of the energy from step to step
} Motion;

static void record(const PerpSimulation *simulation, int point, Motion *m)
{
    int count;
    const double *q = perp_simulation_q(simulation, &count);
    const PerpStepReport *report = perp_simulation_report(simulation);
    m->t[point] = report->t;
    m->x1[point] = q[0];
    m->x2[point] = q[2];
    m->energy[point] = report->energy.kinetic + report->energy.gravity;
    m->impacts += report->impacts;
    m->deepest = fmin(m->deepest, fmin(q[0], q[2]));
    if (point > 0)
        m->largest_rise = fmax(m->largest_rise, m->energy[point] - m->energy[point - 1]);
}

static bool run(Paper *paper, const char *scheme, Motion *m)
{
    PerpSimulation *simulation = pagt06_pendulum(paper, scheme, 0x1p-8);
    if (simulation)
        record(simulation, 0, m);
    for (int step = 1; step <= STEPS && pagt06_step(paper, simulation); step++)
        record(simulation, step, m);
    perp_simulation_destroy(simulation);
    return !paper_failed(paper);
}

static void draw(Paper *paper, const char *name, const char *label, const Motion *m,
                 const double *first, const double *second, const char *const names[2])
{
    PerpSeries series[2] = {perp_default_series(), perp_default_series()};
    PerpFigure figure = perp_default_figure();
    const double *y[2] = {first, second};
    for (int k = 0; k < 2; k++) {
        series[k].name = names[k];
        series[k].count = POINTS;
        series[k].x = m->t;
        series[k].y = y[k];
    }
    figure.x_label = "time (s)";
    figure.y_label = label;
    figure.n_series = 2;
    figure.series = series;
    paper_figure(paper, name, &figure);
}

void pagt06_figure_2(Paper *paper)
{
    static Motion printed, damped;
    printed = damped = (Motion){0};
    if (!run(paper, "trapezoidal", &printed) || !run(paper, "trapezoidal-damped", &damped))
        return;
    draw(paper, "positions", "x (m)", &printed, printed.x1, printed.x2,
         (const char *const[]){"x1", "x2"});
    draw(paper, "energy", "total energy (J)", &printed, printed.energy, damped.energy,
         (const char *const[]){"trapezoidal", "trapezoidal-damped"});
    paper_table(paper, "rows", "impacts least_x first_energy last_energy largest_rise");
    for (int k = 0; k < 2; k++) {
        const Motion *m = k == 0 ? &printed : &damped;
        const double row[5] = {m->impacts, m->deepest, m->energy[0], m->energy[STEPS],
                               m->largest_rise};
        paper_row(paper, row, NULL);
    }
    paper_note(paper, "h = 2^-8, g = 9.8; first row trapezoidal, second trapezoidal-damped; the "
                      "paper prints no numbers.");
    paper_claim(paper, printed.deepest > -1e-9, "neither bob goes through the wall");
    paper_claim(paper, printed.impacts == 5, "five impacts within 2.5 s");
    paper_claim(paper, printed.energy[STEPS] < printed.energy[0] - 1,
                "impacts take energy out: %.3f J to %.3f J", printed.energy[0],
                printed.energy[STEPS]);
    paper_claim(paper, printed.largest_rise < 1e-3 && damped.largest_rise < 1e-3,
                "between impacts the energy is kept: it rises by %.1e J in a step at most",
                fmax(printed.largest_rise, damped.largest_rise));
}
