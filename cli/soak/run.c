// One scene of perp soak from its creation to what was found.
#include "soak/soak.h"

#include <math.h>
#include <stdio.h>
#include <time.h>

// s of CPU time
static double cpu_seconds(void)
{
    return (double)clock() / CLOCKS_PER_SEC;
}

// Extremes over the run so far.
typedef struct Extremes {
    SoakMeasures first;
    double least_energy, kinetic, least_potential, most_potential, work, gain, momentum, turned;
} Extremes;

static void add(const SoakScene *scene, const SoakMeasures *m, double work, Extremes *e,
                SoakResult *result)
{
    double net = m->energy - work, potential = m->energy - m->kinetic, change = 0;
    e->least_energy = fmin(e->least_energy, net);
    e->kinetic = fmax(e->kinetic, m->kinetic);
    e->work = fmax(e->work, fabs(work));
    e->least_potential = fmin(e->least_potential, potential);
    e->most_potential = fmax(e->most_potential, potential);
    e->gain = fmax(e->gain, net - e->least_energy);
    result->overlap = fmax(result->overlap, m->overlap);
    result->joint_gap = fmax(result->joint_gap, m->joint_gap);
    for (int k = 0; k < 3; k++)
        change = fmax(change, fabs(m->momentum[k] - e->first.momentum[k]));
    e->momentum = fmax(e->momentum, m->momentum_size);
    e->turned = fmax(e->turned, scene->isolated ? change : 0);
}

static void note_report(const PerpStepReport *report, SoakResult *result)
{
    result->substeps = report->substeps > result->substeps ? report->substeps : result->substeps;
    if (!(report->certificate.worst > result->certificate))
        return;
    result->certificate = report->certificate.worst;
    snprintf(result->worst, sizeof result->worst, "%s", report->worst);
}

static void simulate(const SoakScene *scene, const PerpModel *model, PerpSimulation *simulation,
                     SoakResult *result)
{
    SoakFrames frames;
    soak_find_frames(scene, &frames);
    Extremes e = {.first = soak_measure(scene, &frames, model, simulation)};
    double potential = e.first.energy - e.first.kinetic, work = 0;
    e.least_energy = e.first.energy;
    e.least_potential = e.most_potential = potential;
    for (int k = 0; k < scene->steps && !result->status; k++) {
        double begin = cpu_seconds();
        result->status = perp_simulation_step(simulation, 0, &result->error);
        result->longest_step = fmax(result->longest_step, cpu_seconds() - begin);
        SoakMeasures m = soak_measure(scene, &frames, model, simulation);
        const PerpStepReport *report = perp_simulation_report(simulation);
        work = scene->driven ? report->energy.work : 0;
        note_report(report, result);
        add(scene, &m, work, &e, result);
    }
    result->verdict = perp_simulation_verdict(simulation);
    e.kinetic = fmax(e.kinetic, e.first.kinetic - result->verdict.closed);
    result->energy_scale = e.kinetic + e.most_potential - e.least_potential + e.work;
    result->gain = result->energy_scale > 0 ? e.gain / result->energy_scale : 0;
    result->largest_energy = fmax(fabs(e.least_potential), fabs(e.most_potential));
    result->momentum_change = e.momentum > 0 ? e.turned / e.momentum : 0;
    result->weight = 0;
    for (int b = 0; b < scene->def.n_bodies; b++)
        result->weight += perp_model_body_mass(model, b) * fabs(scene->def.gravity[2]);
}

// What is promised, and no more. Beside the energy at play, all bodies may rise by the overlap that
// is allowed, and energies that cancel round (docs/verdict.md).
static const char *judge(const SoakResult *r)
{
    static const double ROUNDING = 1e-11;
    const PerpChecked *check = r->verdict.check;
    double gain = check[PERP_CHECK_GAIN].bound * r->energy_scale +
                  check[PERP_CHECK_OVERLAP].bound * r->weight + ROUNDING * r->largest_energy;
    if (r->status || !r->verdict.certified)
        return NULL;
    if (r->gain * r->energy_scale > gain)
        return "energy-gain";
    if (r->overlap > check[PERP_CHECK_OVERLAP].bound)
        return "overlap";
    if (r->joint_gap > check[PERP_CHECK_JOINT_GAP].bound)
        return "joint-gap";
    if (r->momentum_change > check[PERP_CHECK_MOMENTUM].bound)
        return "momentum";
    return NULL;
}

void soak_run(const SoakScene *scene, SoakResult *result)
{
    PerpModel *model = NULL;
    PerpSimulation *simulation = NULL;
    *result = (SoakResult){0};
    result->status = perp_model_create(NULL, &scene->def, &model, &result->error);
    if (!result->status)
        result->status =
            perp_simulation_create(NULL, model, &scene->settings, &simulation, &result->error);
    if (!result->status)
        simulate(scene, model, simulation, result);
    result->broken = judge(result);
    perp_simulation_destroy(simulation);
    perp_model_destroy(model);
}

double soak_remedy(const SoakResult *result)
{
    double step = 0;
    for (int k = 0; k < PERP_CHECK_COUNT && !result->status; k++) {
        double advised = result->verdict.check[k].step;
        step = advised > 0 && (step == 0 || advised < step) ? advised : step;
    }
    return step;
}

void soak_shorten(SoakScene *scene, double step)
{
    scene->steps = (int)ceil(scene->steps * scene->settings.step / step);
    scene->settings.step = step;
}
