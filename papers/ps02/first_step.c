// PS02: the first step is free, q^1 in Argmin_K |q_0 + h u_0 + h z(h) - Z| with z(h) -> 0. Here
// z(h) = c h G (settings.first_step = c). A ball above a floor, by the recursion as printed.
#include "papers/ps02/entries.h"

#include <math.h>

enum { STEPS = 60 };
static const double G = -9.81;

static void mass(void *user, const double *q, double *M)
{
    (void)user, (void)q;
    M[0] = 1;
}

static void weight(void *user, double t, const double *q, const double *v, double *k)
{
    (void)user, (void)t, (void)q, (void)v;
    k[0] = G;
}

static void height(void *user, const double *q, double *phi)
{
    (void)user;
    phi[0] = q[0];
}

// The iterates against the recursion; off: the largest difference. parabola: while in flight, the
// largest distance from q_0 + u_0 t + G t^2/2, over h^2.
static void drop(Paper *paper, double c, double e, double start, double h, double *off,
                 double *parabola)
{
    const double velocity = -1;
    double before = start, now = fmax(start + h * velocity + c * h * h * G, 0);
    PerpSystemDef def = perp_default_system();
    PerpSimulationSettings settings = perp_default_simulation_settings();
    PerpSimulation *simulation = NULL;
    PerpError error = {0};
    bool flies = true;
    def.n = 1;
    def.position = &start;
    def.velocity = &velocity;
    def.mass = mass;
    def.force = weight;
    def.n_constraints = 1;
    def.constraints = height;
    def.restitution = &e;
    settings.scheme = "paoli-schatzman";
    settings.step = h;
    settings.first_step = c;
    PerpStatus status = perp_simulation_create_custom(NULL, &def, &settings, &simulation, &error);
    *off = *parabola = 0;
    for (int n = 1; n <= STEPS && !status; n++) {
        int count;
        double t = n * h, free = 2 * now - (1 - e) * before + h * h * G;
        status = perp_simulation_step(simulation, 0, &error);
        if (status)
            break;
        flies = flies && now > 0;
        *off = fmax(*off, fabs(perp_simulation_q(simulation, &count)[0] - now));
        if (flies)
            *parabola = fmax(*parabola, fabs(now - start - t * velocity - G * t * t / 2) / (h * h));
        double next = -e * before + fmax(free, 0);
        before = now;
        now = next;
    }
    if (status)
        paper_fail(paper, &error);
    else
        paper_row(paper, (double[]){c, e, start, h, *off, *parabola}, NULL);
    perp_simulation_destroy(simulation);
}

void ps02_first_step(Paper *paper)
{
    double worst = 0, half = 0, others = INFINITY;
    paper_table(paper, "rows", "c e start h off off_parabola/h^2");
    for (int k = 0; k <= 2; k++)
        for (int i = 0; i <= 2; i++)
            for (int j = 0; j < 2 && !paper_failed(paper); j++) {
                double off, parabola, c = 0.5 * k, h = 0.01;
                drop(paper, c, 0.5 * i, j ? 0.003 : 0.5, h, &off, &parabola);
                worst = fmax(worst, off);
                if (j == 0 && k == 1)
                    half = fmax(half, parabola);
                else if (j == 0)
                    others = fmin(others, parabola);
            }
    paper_claim(paper, worst < 1e-12,
                "q^1 and all that follow are those of the recursion as printed, to %.1e m", worst);
    paper_claim(paper, half < 1e-9 && others > 1,
                "z(h) = h G/2 makes the flight exact, to %.1e h^2; z = 0 and z = h G are off by "
                "%.2g h^2 and more",
                half, others);
    paper_note(paper, "A ball of 1 kg at -1 m/s from 0.5 m, and from 0.003 m, where the first step "
                      "ends at the floor: as printed q^1 = 0, without restitution.");
}
