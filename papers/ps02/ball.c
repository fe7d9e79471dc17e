// PS02, example "bouncing ball": K = R+, M = 1, no force, q_0 = 1, u_0 = -1. The paper works out
// every iterate; so does perp.
#include "papers/ps02/entries.h"

#include <math.h>

enum { COEFFICIENTS = 5, LENGTHS = 3, DRAWN = 64 };
static const double E[COEFFICIENTS] = {0, 0.25, 0.5, 0.75, 1};
static const double H[LENGTHS] = {0.3, 0.07, 0.013}; // s
static const double DURATION = 3;                    // s

static double approach(int n, double h)
{
    return 1 - n * h;
}

// p = max{k; 2 q^n - (1 - e) q^{n-1} >= 0 for all n <= k} while q^n = 1 - n h
static int last_free(double h, double e)
{
    int p = 0;
    while (2 * approach(p + 1, h) - (1 - e) * approach(p, h) >= 0)
        p++;
    return p;
}

// q^n = 1 - n h up to p + 1, then q^{p+2+k} = -e q^p + e k h
static double printed(int n, double h, double e)
{
    int p = last_free(h, e);
    return n <= p + 1 ? approach(n, h) : -e * approach(p, h) + e * (n - p - 2) * h;
}

static double solution(double t, double e)
{
    return t <= 1 ? 1 - t : e * (t - 1);
}

static Ps02Particle ball(double e)
{
    return (Ps02Particle){
        .position = {1, 0}, .velocity = {-1, 0}, .walls = 1, .normal = {{1, 0}}, .e = e};
}

// One line of the table; the differences from the closed form, and of the error from 2 e h.
static void tell_run(Paper *paper, double e, double h, double *worst_off, double *worst_error)
{
    Ps02Particle p = ball(e);
    double off = 0, error = 0, lowest = 0;
    if (!ps02_start(paper, &p, h))
        return;
    for (int n = 1; n * h < DURATION && ps02_step(paper, &p); n++) {
        double q = ps02_position(&p)[0];
        off = fmax(off, fabs(q - printed(n, h, e)));
        error = fmax(error, fabs(q - solution(n * h, e)));
        lowest = fmin(lowest, q);
    }
    const double row[] = {e, h, last_free(h, e), ps02_velocity(&p)[0], off, error, lowest};
    paper_row(paper, row, NULL);
    *worst_off = fmax(*worst_off, off);
    *worst_error = fmax(*worst_error, fabs(error - 2 * e * h));
    ps02_end(&p);
}

static void draw(Paper *paper)
{
    static const char *const names[COEFFICIENTS] = {"e = 0", "e = 0.25", "e = 0.5", "e = 0.75",
                                                    "e = 1"};
    double t[DRAWN], q[COEFFICIENTS][DRAWN];
    PerpSeries series[COEFFICIENTS];
    PerpFigure figure = perp_default_figure();
    const double h = H[1];
    int count = 1;
    t[0] = 0;
    for (int k = 0; k < COEFFICIENTS; k++) {
        Ps02Particle p = ball(E[k]);
        q[k][0] = 1;
        count = 1;
        if (!ps02_start(paper, &p, h))
            return;
        for (; count * h < DURATION && count < DRAWN && ps02_step(paper, &p); count++) {
            t[count] = count * h;
            q[k][count] = ps02_position(&p)[0];
        }
        ps02_end(&p);
    }
    for (int k = 0; k < COEFFICIENTS; k++) {
        series[k] = perp_default_series();
        series[k].name = names[k];
        series[k].count = count;
        series[k].x = t;
        series[k].y = q[k];
        series[k].mark = PERP_MARK_BOTH;
    }
    figure.title = "Bouncing ball, h = 0.07";
    figure.x_label = "time (s)";
    figure.y_label = "q (m)";
    figure.n_series = COEFFICIENTS;
    figure.series = series;
    paper_figure(paper, "iterates", &figure);
}

void ps02_ball(Paper *paper)
{
    double off = 0, error = 0;
    paper_table(paper, "rows", "e h p velocity off_closed_form off_solution lowest");
    for (int k = 0; k < COEFFICIENTS && !paper_failed(paper); k++)
        for (int j = 0; j < LENGTHS && !paper_failed(paper); j++)
            tell_run(paper, E[k], H[j], &off, &error);
    paper_claim(paper, off < 1e-13, "every iterate is the paper's, to rounding: %.1e", off);
    paper_claim(paper, error < 1e-13, "the error is 2 e h: order 1; off by %.1e", error);
    paper_note(paper,
               "p: the last n with 2 q^n - (1 - e) q^{n-1} >= 0. Then q^{p+2} = -e q^p: with "
               "e > 0 the ball leaves K (lowest < 0), Z does not.");
    if (!paper_failed(paper))
        draw(paper);
}
