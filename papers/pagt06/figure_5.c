// Figure 5: the spring from the wall to the left cart becomes a rigid link.
#include "papers/pagt06/carts.h"
#include "papers/pagt06/entries.h"

#include <math.h>
#include <string.h>

enum { RUNS = 4, STEPS = 200 }; // gamma = 1e2, 1e4, 1e6, rigid; 2 s

static const double gamma_of[RUNS] = {1e2, 1e4, 1e6, INFINITY};
static const char *const names[RUNS] = {"gamma = 1e2", "gamma = 1e4", "gamma = 1e6", "rigid link"};

static bool run(Paper *paper, const char *scheme, Carts carts[RUNS])
{
    for (int k = 0; k < RUNS; k++) {
        carts[k] = (Carts){.scheme = scheme,
                           .printed = strcmp(scheme, "trapezoidal") == 0,
                           .gamma = gamma_of[k],
                           .delta = 10,
                           .x1 = 0.2,
                           .v = -3,
                           .steps = STEPS};
        if (!pagt06_carts_run(paper, &carts[k]))
            return false;
        for (int i = 0; i <= STEPS; i++)
            carts[k].x[i] -= 0.2; // from where the spring is slack
    }
    return true;
}

static void add_rows(Paper *paper, const Carts carts[RUNS])
{
    for (int k = 0; k < RUNS; k++) {
        const Carts *c = &carts[k];
        const double row[5] = {c->gamma, pagt06_largest(STEPS + 1, c->x, 0),
                               pagt06_largest(51, c->speed + STEPS - 50, 0), c->energy[0],
                               c->energy[STEPS]};
        paper_row(paper, row, NULL);
    }
}

static void draw(Paper *paper, const Carts printed[RUNS], const Carts damped[RUNS])
{
    const Carts *runs[RUNS];
    const double *distance[RUNS], *energy[RUNS];
    for (int k = 0; k < RUNS; k++) {
        runs[k] = &printed[k];
        distance[k] = printed[k].x;
        energy[k] = printed[k].energy;
    }
    pagt06_carts_draw(paper, "distance", "Left cart from the spring's equilibrium", "x1 - 0.2 (m)",
                      RUNS, runs, distance, names);
    pagt06_carts_draw(paper, "energy", "Total energy", "energy (J)", RUNS, runs, energy, names);
    const Carts *const ringing[3] = {&printed[2], &damped[2], &printed[3]};
    const double *const speed[3] = {printed[2].speed, damped[2].speed, printed[3].speed};
    pagt06_carts_draw(
        paper, "ringing", "Velocity of the left cart", "v1 (m/s)", 3, ringing, speed,
        (const char *const[]){"trapezoidal", "trapezoidal-damped", "rigid link, trapezoidal"});
}

void pagt06_figure_5(Paper *paper)
{
    static Carts printed[RUNS], damped[RUNS];
    if (!run(paper, "trapezoidal", printed) || !run(paper, "trapezoidal-damped", damped))
        return;
    paper_table(paper, "rows", "gamma deviation late_speed first_energy last_energy");
    add_rows(paper, printed);
    paper_table(paper, "damped", "gamma deviation late_speed first_energy last_energy");
    add_rows(paper, damped);
    draw(paper, printed, damped);
    double rings = pagt06_largest(51, printed[2].speed + STEPS - 50, 0);
    double link = pagt06_largest(51, printed[3].speed + STEPS - 50, 0);
    double damps = pagt06_largest(51, damped[2].speed + STEPS - 50, 0);
    double soft = pagt06_largest(STEPS + 1, printed[1].x, 0),
           stiff = pagt06_largest(STEPS + 1, printed[2].x, 0);
    paper_note(paper, "delta = 10, g = 9.8, h = 0.01, 2 s; v = -3 m/s at the start, which no rigid "
                      "link allows. late_speed: largest |v1| of the last half second.");
    paper_note(paper,
               "With the spring slack, (5.4) keeps |v1|: v_new = -v (1 - 2/(1 + h^2 gamma/4)) "
               "nearly. A rigid link, (5.5), does it exactly, v_new = -v. Positions look "
               "rigid, the energy of the start stays, for ever in the limit. The damped "
               "sibling takes it out in one step.");
    paper_claim(paper, stiff < 0.2 * soft,
                "the cart comes to stand at the spring's equilibrium: "
                "%.1e m at 1e4, %.1e m at 1e6",
                soft, stiff);
    paper_claim(paper, rings > 1 && link > 2.9,
                "trapezoidal: the cart's velocity rings, %.2g m/s; with the link %.2g m/s", rings,
                link);
    paper_claim(paper, damps < 1e-6, "trapezoidal-damped: it does not, %.1e m/s", damps);
    paper_claim(paper, pagt06_largest(STEPS + 1, printed[2].energy, 0) < 9 + 1e-9,
                "energy stays bounded as gamma grows: never above the start's 9 J");
    for (int k = PERP_BOUND_PAGT06_STIFF; k <= PERP_BOUND_PAGT06_LIMIT; k++)
        paper_bound(paper, (PerpBoundKind)k, printed[2].margin[k], 1e-12);
}
