// PS02, the angle condition: a particle is thrown at the corner of two walls, a little to either
// side of it. Where the condition holds it leaves with nearly the same velocity; where it does not,
// there is a jump, so that the data do not decide, and perp warns.
#include "papers/ps02/entries.h"

#include <math.h>

enum { CASES = 6, ASIDE = 9 };
static const double DEGREE = 3.14159265358979323846 / 180, STEP = 1e-3; // s
static const double MOST = 0.02;                                        // m, to either side

typedef struct Corner {
    double angle, e;
    bool holds; // the angle condition: <= 90 deg if e = 0, = 90 deg if e > 0
} Corner;

static const Corner corners[CASES] = {{60, 0, true}, {90, 0, true},  {120, 0, false},
                                      {90, 1, true}, {75, 1, false}, {120, 0.5, false}};

// The velocity with which a particle leaves that was thrown along the bisector, `aside` of it.
static bool leave(Paper *paper, const Corner *corner, double aside, double velocity[2],
                  int *warnings)
{
    double half = corner->angle / 2 * DEGREE, s = sin(half), c = cos(half);
    // the bisector is the x axis; walls rise and fall from the origin by half the angle
    Ps02Particle p = {.position = {0.5, aside},
                      .velocity = {-1, 0},
                      .walls = 2,
                      .normal = {{s, -c}, {s, c}},
                      .e = corner->e};
    *warnings = 0;
    if (!ps02_start(paper, &p, STEP))
        return false;
    for (int n = 0; n < 1500 && ps02_step(paper, &p); n++)
        *warnings += perp_simulation_report(p.simulation)->warnings;
    velocity[0] = ps02_velocity(&p)[0];
    velocity[1] = ps02_velocity(&p)[1];
    ps02_end(&p);
    return !paper_failed(paper);
}

// The largest difference of velocities between throws on the two sides of the corner and at it.
static void tell_corner(Paper *paper, int number, double y[ASIDE], double vy[ASIDE])
{
    const Corner *corner = &corners[number];
    double low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    int warned = 0, warnings;
    for (int k = 0; k < ASIDE; k++) {
        double v[2];
        y[k] = MOST * (2.0 * k / (ASIDE - 1) - 1);
        if (!leave(paper, corner, y[k], v, &warnings))
            return;
        vy[k] = v[1];
        warned += warnings > 0;
        for (int i = 0; i < 2; i++) {
            low[i] = fmin(low[i], v[i]);
            high[i] = fmax(high[i], v[i]);
        }
    }
    double jump = fmax(high[0] - low[0], high[1] - low[1]);
    double cosine = -cos(corner->angle * DEGREE);
    const double row[] = {corner->angle, corner->e, cosine, jump, warned};
    paper_row(paper, row, NULL);
    paper_claim(paper, corner->holds ? jump < 1e-9 && warned == 0 : jump > 0.1 && warned > 0,
                corner->holds ? "%g deg, e = %g: the condition holds, velocities agree, no warning"
                              : "%g deg, e = %g: it fails, velocities jump, perp warns",
                corner->angle, corner->e);
}

void ps02_corner(Paper *paper)
{
    static const char *const names[CASES] = {"60 deg, e = 0", "90 deg, e = 0", "120 deg, e = 0",
                                             "90 deg, e = 1", "75 deg, e = 1", "120 deg, e = 0.5"};
    double y[CASES][ASIDE], v[CASES][ASIDE];
    PerpSeries series[CASES];
    PerpFigure figure = perp_default_figure();
    paper_table(paper, "rows", "angle e cosine jump warned");
    for (int k = 0; k < CASES && !paper_failed(paper); k++) {
        tell_corner(paper, k, y[k], v[k]);
        series[k] = perp_default_series();
        series[k].name = names[k];
        series[k].count = ASIDE;
        series[k].x = y[k];
        series[k].y = v[k];
        series[k].mark = PERP_MARK_POINTS;
    }
    paper_note(paper,
               "Particles at 1 m/s along the bisector, up to %g m aside of it, h = %g s. cosine: "
               "of the two gradients; jump: the largest difference of the velocities with which "
               "they leave; warned: of %d throws.",
               MOST, STEP, ASIDE);
    if (paper_failed(paper))
        return;
    figure.title = "Velocity across the bisector after a corner";
    figure.x_label = "thrown so far aside (m)";
    figure.y_label = "v_y at the end (m/s)";
    figure.n_series = CASES;
    figure.series = series;
    paper_figure(paper, "velocities", &figure);
}
