// Figure 4: the damper between the carts becomes a rigid link.
#include "papers/pagt06/carts.h"
#include "papers/pagt06/entries.h"

#include <math.h>

enum { RUNS = 4 }; // delta = 1e2, 1e3, 1e6, rigid

static const double delta[RUNS] = {1e2, 1e3, 1e6, INFINITY};
static const char *const names[RUNS] = {"delta = 1e2", "delta = 1e3", "delta = 1e6", "rigid link"};

static bool run(Paper *paper, const char *scheme, Carts carts[RUNS])
{
    for (int k = 0; k < RUNS; k++) {
        carts[k] = (Carts){.scheme = scheme,
                           .gamma = 100,
                           .delta = delta[k],
                           .x1 = 0.1,
                           .v = -2,
                           .steps = CARTS_STEPS};
        if (!pagt06_carts_run(paper, &carts[k]))
            return false;
    }
    return true;
}

static void add_rows(Paper *paper, const Carts carts[RUNS])
{
    for (int k = 0; k < RUNS; k++) {
        const Carts *c = &carts[k];
        int late = c->steps - 50;
        double deviation = pagt06_largest(c->steps, c->distance, 5);
        const double row[6] = {c->delta,
                               deviation,
                               isinf(c->delta) ? NAN : deviation * c->delta,
                               pagt06_largest(50, c->relative + late, 0),
                               c->energy[0],
                               c->energy[c->steps - 1]};
        paper_row(paper, row, NULL);
    }
}

static void draw(Paper *paper, const Carts printed[RUNS], const Carts damped[RUNS])
{
    const Carts *runs[RUNS];
    const double *distance[RUNS], *energy[RUNS];
    for (int k = 0; k < RUNS; k++) {
        runs[k] = &printed[k];
        distance[k] = printed[k].distance;
        energy[k] = printed[k].energy;
    }
    pagt06_carts_draw(paper, "distance", "Distance between the carts", "x2 - x1 (m)", RUNS, runs,
                      distance, names);
    pagt06_carts_draw(paper, "energy", "Total energy", "energy (J)", RUNS, runs, energy, names);
    const Carts *const ringing[3] = {&printed[2], &damped[2], &printed[3]};
    const double *const relative[3] = {printed[2].relative, damped[2].relative,
                                       printed[3].relative};
    pagt06_carts_draw(paper, "ringing", "Relative velocity, delta = 1e6", "v2 - v1 (m/s)", 3,
                      ringing, relative,
                      (const char *const[]){"trapezoidal", "trapezoidal-damped", "rigid link"});
}

// Deviations of delta and 10^k delta must differ by 10^k, within 30 %.
static bool goes_as_one_over(const Carts carts[RUNS])
{
    double first = pagt06_largest(carts[1].steps, carts[1].distance, 5) * delta[1];
    double second = pagt06_largest(carts[2].steps, carts[2].distance, 5) * delta[2];
    return fabs(second / first - 1) < 0.3;
}

void pagt06_figure_4(Paper *paper)
{
    static Carts printed[RUNS], damped[RUNS];
    if (!run(paper, "trapezoidal", printed) || !run(paper, "trapezoidal-damped", damped))
        return;
    paper_table(paper, "rows",
                "delta deviation deviation*delta late_ringing first_energy "
                "last_energy");
    add_rows(paper, printed);
    paper_table(paper, "damped",
                "delta deviation deviation*delta late_ringing first_energy "
                "last_energy");
    add_rows(paper, damped);
    draw(paper, printed, damped);
    int late = CARTS_STEPS - 50;
    double rings = pagt06_largest(50, printed[2].relative + late, 0);
    double damps = pagt06_largest(50, damped[2].relative + late, 0);
    paper_note(paper, "gamma = 100, g = 9.8, h = 0.01, 4 s. late_ringing: largest |v2 - v1| of the "
                      "last half second. Energy without gravity's.");
    paper_note(paper, "The stopper hits the left cart alone and leaves v2 - v1 = 1.3 times the "
                      "speed. The trapezoidal rule multiplies it by (1 - h delta)/(1 + h delta) a "
                      "step, which tends to -1: positions look rigid, velocities flip from step to "
                      "step and keep energy that the damper should have taken.");
    paper_note(paper, "A rigid link rebounds as one body, with 0.3 of the speed. The stiff damper "
                      "lets the left cart be hit again and again until both have lost their speed: "
                      "theorem 9.3 speaks of a step without impact, where limit and link agree.");
    paper_claim(paper, goes_as_one_over(printed), "trapezoidal: the deviation goes as 1/delta");
    paper_claim(paper, goes_as_one_over(damped), "trapezoidal-damped: it does so, too");
    paper_claim(paper, rings > 0.1, "trapezoidal, delta = 1e6: v2 - v1 still rings, %.2g m/s",
                rings);
    paper_claim(paper, damps < 1e-3, "trapezoidal-damped: it does not, %.1e m/s", damps);
    paper_claim(paper, pagt06_largest(CARTS_STEPS, printed[2].energy, 0) < 4.6,
                "energy stays bounded as delta grows");
    paper_claim(paper, printed[2].margin[PERP_BOUND_PAGT06_STIFF] > -1e-12,
                "theorem 9.1 held in every step, least margin %.1e",
                printed[2].margin[PERP_BOUND_PAGT06_STIFF]);
}
