// Runs of the entries of L82.
#include "papers/l82/l82.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

L82Run *l82_new(Paper *paper)
{
    L82Run *run = calloc(1, sizeof *run);
    if (!run) {
        paper_fail(paper, &(PerpError){.status = PERP_NO_MEMORY, .message = "out of memory"});
        return NULL;
    }
    run->paper = paper;
    for (int i = 0; i < PERP_BOUND_COUNT; i++)
        run->least_margin[i] = INFINITY;
    return run;
}

static PerpSimulationSettings settings_of(const char *scheme, double threshold)
{
    PerpSimulationSettings settings = perp_default_simulation_settings();
    settings.scheme = scheme;
    settings.restitution_threshold = threshold;
    return settings;
}

static void note(L82Run *run, PerpStatus status, const PerpError *error)
{
    run->status = status;
    if (status)
        paper_fail(run->paper, error);
}

L82Run *l82_begin(Paper *paper, const PerpModelDef *def, const char *scheme, double threshold)
{
    L82Run *run = l82_new(paper);
    PerpError error = {0};
    PerpSimulationSettings settings = settings_of(scheme, threshold);
    if (!run)
        return NULL;
    PerpStatus status = perp_model_create(NULL, def, &run->model, &error);
    if (!status)
        status = perp_simulation_create(NULL, run->model, &settings, &run->simulation, &error);
    note(run, status, &error);
    return run;
}

L82Run *l82_begin_custom(Paper *paper, const PerpSystemDef *def, double threshold)
{
    L82Run *run = l82_new(paper);
    PerpError error = {0};
    PerpSimulationSettings settings = settings_of("lotstedt", threshold);
    if (run)
        note(run, perp_simulation_create_custom(NULL, def, &settings, &run->simulation, &error),
             &error);
    return run;
}

static double stored(const PerpEnergy *e)
{
    return e->kinetic + e->gravity + e->spring;
}

static void learn(L82Run *run, const PerpEnergy *before)
{
    const PerpStepReport *r = perp_simulation_report(run->simulation);
    for (int i = 0; i < PERP_BOUND_COUNT; i++)
        if (r->bound[i].applies)
            run->least_margin[i] = fmin(run->least_margin[i], r->bound[i].margin);
    run->penetration = fmax(run->penetration, r->penetration);
    run->joint_gap = fmax(run->joint_gap, r->joint_gap);
    run->events += r->iterations;
    run->impacts += r->impacts;
    if (r->warnings > 0 && run->warnings == 0)
        memcpy(run->warning, r->warning, sizeof run->warning);
    run->warnings += r->warnings;
    run->most_energy_gain = fmax(run->most_energy_gain, stored(&r->energy) - stored(before) -
                                                            r->energy.work + before->work);
}

bool l82_step(L82Run *run, double h)
{
    PerpError error = {0};
    if (run->status)
        return false;
    PerpEnergy before = perp_simulation_report(run->simulation)->energy;
    note(run, perp_simulation_step(run->simulation, h, &error), &error);
    if (!run->status)
        learn(run, &before);
    return !run->status;
}

void l82_keep(L82Run *run, const double curve[L82_CURVES])
{
    if (run->points == L82_POINTS)
        return;
    run->t[run->points] = perp_simulation_time(run->simulation);
    for (int i = 0; i < L82_CURVES; i++)
        run->curve[i][run->points] = curve[i];
    run->points++;
}

void l82_draw(L82Run *run, const char *name, const char *title, const char *y_label, int curves,
              const char *const *names)
{
    PerpFigure figure = perp_default_figure();
    PerpSeries series[L82_CURVES];
    for (int i = 0; i < curves; i++) {
        series[i] = perp_default_series();
        series[i].name = names[i];
        series[i].count = run->points;
        series[i].x = run->t;
        series[i].y = run->curve[i];
    }
    figure.title = title;
    figure.x_label = "time (s)";
    figure.y_label = y_label;
    figure.n_series = curves;
    figure.series = series;
    paper_figure(run->paper, name, &figure);
}

void l82_claim_theorems(L82Run *run, bool unique)
{
    paper_bound(run->paper, PERP_BOUND_L82_GROWTH, run->least_margin[PERP_BOUND_L82_GROWTH], 1e-12);
    if (unique)
        paper_bound(run->paper, PERP_BOUND_L82_UNIQUE, run->least_margin[PERP_BOUND_L82_UNIQUE], 0);
    paper_claim(run->paper, run->penetration < 1e-9 && run->joint_gap < 1e-9,
                "(2.1b) holds at all outputs: overlap below %.1e m, joints to %.1e m",
                run->penetration, run->joint_gap);
    if (run->warnings > 0)
        paper_note(run->paper, "%d warnings, the first: %s", run->warnings, run->warning);
}

void l82_end(L82Run *run)
{
    if (!run)
        return;
    perp_simulation_destroy(run->simulation);
    perp_model_destroy(run->model);
    free(run);
}

double l82_uniform(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return (*seed >> 8) / (double)(1 << 23) - 1;
}

// Gauss-Jordan on A'A x = A'b restricted to the set; columns that depend on others stay 0.
void l82_least_squares(int rows, int columns, const double *A, const double *b, int set, double *x,
                       double *left)
{
    enum { MOST = 8 };
    double E[MOST][MOST + 1] = {{0}};
    for (int i = 0; i < columns; i++)
        for (int k = 0; k < rows; k++) {
            for (int j = 0; j < columns; j++)
                E[i][j] += A[k + rows * i] * A[k + rows * j];
            E[i][MOST] += A[k + rows * i] * b[k];
        }
    for (int i = 0; i < columns; i++)
        x[i] = 0;
    for (int p = 0; p < columns; p++) {
        if (!(set >> p & 1) || E[p][p] < 1e-10)
            continue;
        for (int i = 0; i < columns; i++) {
            double factor = E[i][p] / E[p][p];
            for (int j = 0; j <= MOST && i != p; j++)
                E[i][j] -= factor * E[p][j];
        }
    }
    for (int p = 0; p < columns; p++)
        if (set >> p & 1 && E[p][p] >= 1e-10)
            x[p] = E[p][MOST] / E[p][p];
    *left = 0;
    for (int k = 0; k < rows; k++) {
        double sum = -b[k];
        for (int i = 0; i < columns; i++)
            sum += A[k + rows * i] * x[i];
        *left = fmax(*left, fabs(sum));
    }
}

double l82_q(const L82Run *run, int i)
{
    int count;
    return perp_simulation_q(run->simulation, &count)[i];
}

double l82_v(const L82Run *run, int i)
{
    int count;
    return perp_simulation_v(run->simulation, &count)[i];
}

double l82_force(const L82Run *run, int constraint, double h)
{
    for (int i = 0; i < perp_simulation_contact_count(run->simulation); i++) {
        PerpContactReport contact = perp_simulation_contact(run->simulation, i);
        if (contact.id == (unsigned long long)constraint)
            return contact.impulse[0] / h;
    }
    return 0;
}
