// PS02, lemma 1 and the estimates behind it, step by step: a particle falls into a right corner.
#include "papers/ps02/entries.h"

#include <math.h>
#include <string.h>

enum { COEFFICIENTS = 5, STEPS = 2000 };
static const double E[COEFFICIENTS] = {0, 0.25, 0.5, 0.75, 1};
static const double STEP = 1e-3, GRAVITY = 9.81;

// (V^{n-1} - V^n + h G, V^n + e V^{n-2}) for convex K, M = 1; V: the last three velocities
static double product(double V[3][2], const double *G, double e)
{
    double sum = 0;
    for (int i = 0; i < 2; i++)
        sum += (V[1][i] - V[2][i] + STEP * G[i]) * (V[2][i] + e * V[0][i]);
    return sum;
}

static double norm(const double v[2])
{
    return hypot(v[0], v[1]);
}

// (1 + e) |V^{n-1}|^2 + 2 e |V^{n-2}|^2 - (1 - e) |V^n|^2
static double slack(double V[3][2], double e)
{
    return (1 + e) * norm(V[1]) * norm(V[1]) + 2 * e * norm(V[0]) * norm(V[0]) -
           (1 - e) * norm(V[2]) * norm(V[2]);
}

typedef struct Seen {
    int applied;                        // steps in which the estimate of one step applies
    double margin, product, slack, top; // the least of each, the largest speed
} Seen;

static void observe(const Ps02Particle *p, int n, double V[3][2], Seen *seen)
{
    const PerpBound *bound = &perp_simulation_report(p->simulation)->bound[PERP_BOUND_PS02_ENERGY];
    memmove(V[0], V[1], 2 * sizeof V[0]);
    memcpy(V[2], ps02_velocity(p), sizeof V[2]);
    seen->top = fmax(seen->top, norm(V[2]));
    if (bound->applies) {
        seen->applied++;
        seen->margin = fmin(seen->margin, bound->margin);
    }
    if (n < 2)
        return;
    seen->product = fmin(seen->product, product(V, p->force, p->e));
    seen->slack = fmin(seen->slack, slack(V, p->e));
}

static void tell(Paper *paper, double e, double speed[STEPS])
{
    Ps02Particle p = {.position = {0.6, 0.4},
                      .velocity = {-0.7, 0},
                      .force = {0, -GRAVITY},
                      .walls = 2,
                      .normal = {{1, 0}, {0, 1}},
                      .e = e};
    double V[3][2] = {{0}}, start = norm(p.velocity);
    Seen seen = {.margin = INFINITY, .product = INFINITY, .slack = INFINITY};
    if (!ps02_start(paper, &p, STEP))
        return;
    for (int n = 0; n < STEPS && ps02_step(paper, &p); n++) {
        observe(&p, n, V, &seen);
        speed[n] = norm(V[2]);
    }
    const double row[] = {e, seen.applied, seen.margin, seen.product, seen.slack, seen.top};
    paper_row(paper, row, NULL);
    paper_claim(paper, seen.margin > -1e-13 && seen.product > -1e-12,
                "e = %g: |V^n| <= |V^{n-1}| + h |G| wherever q^n is in K, and the product of two "
                "steps is never negative",
                e);
    paper_claim(paper,
                seen.top <= start + STEPS * STEP * GRAVITY &&
                    seen.slack >= -4 * STEP * GRAVITY * seen.top,
                "e = %g: speeds stay below |u_0| + integral |g|, and (1 - e)|V^n|^2 below the sum "
                "of the two before, up to 4 h g times the speed",
                e);
    ps02_end(&p);
}

static void draw(Paper *paper, double speed[COEFFICIENTS][STEPS])
{
    static const char *const names[] = {"e = 0", "e = 0.5", "e = 1", "|u_0| + t |g|"};
    static double t[STEPS], bound[STEPS];
    PerpSeries series[4];
    PerpFigure figure = perp_default_figure();
    for (int n = 0; n < STEPS; n++) {
        t[n] = (n + 1) * STEP;
        bound[n] = 0.7 + t[n] * GRAVITY;
    }
    for (int k = 0; k < 4; k++) {
        series[k] = perp_default_series();
        series[k].name = names[k];
        series[k].count = k < 3 ? STEPS : STEPS / 5;
        series[k].x = t;
        series[k].y = k < 3 ? speed[2 * k] : bound;
        series[k].dashed = k == 3;
    }
    figure.title = "Speeds in a right corner";
    figure.x_label = "time (s)";
    figure.y_label = "|V| (m/s)";
    figure.n_series = 4;
    figure.series = series;
    paper_figure(paper, "speeds", &figure);
}

void ps02_estimate(Paper *paper)
{
    static double speed[COEFFICIENTS][STEPS];
    paper_table(paper, "rows", "e applied margin product slack top_speed");
    for (int k = 0; k < COEFFICIENTS && !paper_failed(paper); k++)
        tell(paper, E[k], speed[k]);
    paper_note(
        paper,
        "A particle in the corner x, y >= 0 under gravity, %d steps of %g s. margin: the "
        "least of (|V^{n-1}| + h|G| - |V^n|)/(|V^{n-1}| + h|G|) over the `applied` steps that "
        "begin in K. product: (V^{n-1} - V^n + h G, V^n + e V^{n-2}). slack: (1 + e)|V^{n-1}|^2 "
        "+ 2e|V^{n-2}|^2 - (1 - e)|V^n|^2, which is >= -O(h).",
        STEPS, STEP);
    if (!paper_failed(paper))
        draw(paper, speed);
}
