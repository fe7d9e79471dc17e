// Figure 4: the damper between the carts becomes a rigid link.
#include "papers/pagt06/carts.h"
#include "papers/pagt06/entries.h"

#include <math.h>

enum { RUNS = 4 }; // delta = 1e2, 1e3, 1e6, rigid

static const double delta[RUNS] = {1e2, 1e3, 1e6, INFINITY};
static const char *const names[RUNS] = {"delta = 1e2", "delta = 1e3", "delta = 1e6", "rigid link"};

static bool run(Paper *paper, const char *scheme, bool as_printed, Carts carts[RUNS])
{
    for (int k = 0; k < RUNS; k++) {
        carts[k] = (Carts){.scheme = scheme,
                           .printed = as_printed,
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
        double deviation = pagt06_largest(c->steps + 1, c->distance, 5);
        const double row[7] = {c->delta,
                               deviation,
                               isinf(c->delta) ? NAN : deviation * c->delta,
                               pagt06_largest(51, c->relative + late, 0),
                               c->energy[0],
                               c->energy[c->steps],
                               c->impacts};
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

// The power of 1/delta with which the deviation falls from 1e3 to 1e6.
static double power_of(const Carts carts[RUNS])
{
    return log10(pagt06_largest(CARTS_POINTS, carts[1].distance, 5) /
                 pagt06_largest(CARTS_POINTS, carts[2].distance, 5)) /
           log10(delta[2] / delta[1]);
}

static void add_table(Paper *paper, const char *name, const Carts carts[RUNS])
{
    paper_table(paper, name,
                "delta deviation deviation*delta late_ringing first_energy last_energy impacts");
    add_rows(paper, carts);
}

// The largest energy of any run, above the start's 4.5 J.
static double growth(const Carts carts[RUNS])
{
    double most = 0;
    for (int k = 0; k < RUNS; k++)
        most = fmax(most, pagt06_largest(CARTS_POINTS, carts[k].energy, 0));
    return most - 4.5;
}

void pagt06_figure_4(Paper *paper)
{
    static Carts printed[RUNS], hit[RUNS], damped[RUNS];
    if (!run(paper, "trapezoidal", true, printed) || !run(paper, "trapezoidal", false, hit) ||
        !run(paper, "trapezoidal-damped", false, damped))
        return;
    add_table(paper, "rows", printed);
    add_table(paper, "closed contacts hit", hit);
    add_table(paper, "damped", damped);
    draw(paper, printed, damped);
    int late = CARTS_STEPS - 50;
    double rings = pagt06_largest(51, printed[2].relative + late, 0);
    double damps = pagt06_largest(51, damped[2].relative + late, 0);
    paper_note(paper, "gamma = 100, g = 9.8, h = 0.01, 4 s. late_ringing: largest |v2 - v1| of the "
                      "last half second. Energy without gravity's, 4.5 J at the start. The paper "
                      "prints no numbers.");
    paper_note(paper, "rows: the algorithm of section 7 as printed (printed_collisions). A contact "
                      "that is closed when a step begins and approaches is then turned round by "
                      "(5.6), v_new = -v, whatever e is. Second table: perp's default, which takes "
                      "it as an impact.");
    paper_note(paper, "The stopper hits the left cart alone and leaves v2 - v1 = 1.3 times the "
                      "speed. The trapezoidal rule multiplies it by (1 - h delta)/(1 + h delta) a "
                      "step, which tends to -1: positions look rigid, velocities flip from step to "
                      "step and keep energy that the damper should have taken.");
    paper_note(paper, "A rigid link rebounds as one body, with 0.3 of the speed. The stiff damper "
                      "lets the left cart be hit again and again until both have lost their speed: "
                      "theorem 9.3 speaks of a step without impact, where limit and link agree.");
    paper_claim(paper, fabs(power_of(printed) - 1) < 0.05,
                "trapezoidal: the deviation goes as 1/delta, with the power %.3f",
                power_of(printed));
    paper_claim(paper, fabs(power_of(damped) - 1) < 0.05,
                "trapezoidal-damped: it does so, too, %.3f", power_of(damped));
    paper_claim(paper, rings > 0.1, "trapezoidal, delta = 1e6: v2 - v1 still rings, %.2g m/s",
                rings);
    paper_claim(paper, damps < 1e-3, "trapezoidal-damped: it does not, %.1e m/s", damps);
    paper_claim(paper, growth(printed) < 1e-9 && growth(hit) < 1e-9 && growth(damped) < 1e-9,
                "energy stays bounded as delta grows: never above the start's, by %.1e J at most",
                fmax(growth(printed), fmax(growth(hit), growth(damped))));
    paper_claim(paper, printed[2].impacts < hit[2].impacts,
                "as printed the stopper is hit %d times at delta = 1e6; with closed contacts that "
                "approach taken as impacts %d times",
                printed[2].impacts, hit[2].impacts);
    paper_bound(paper, PERP_BOUND_PAGT06_STIFF, printed[2].margin[PERP_BOUND_PAGT06_STIFF], 1e-12);
}
