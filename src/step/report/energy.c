// The energy ledger, row by row. With v_m = (v_before + v)/2 an impulse J'c changes the kinetic
// energy by exactly c J v_m, so that every row's share is known.

#include "math/dense.h"
#include "step/control/controls.h"
#include "step/rows/link_rows.h"
#include "step/scheme_tools.h"

#include <math.h>

static double row_work(const PerpStage *stage, int row)
{
    if (stage->c[row] == 0)
        return 0;
    return stage->c[row] *
           (perp_stage_row_speed(stage, row, stage->before) +
            perp_stage_row_speed(stage, row, stage->v)) /
           2;
}

// J that joints take from velocities which a caller gave and which they do not allow: an impact.
static double closing_work(const PerpStage *stage)
{
    const PerpProblem *p = &stage->rows.problem;
    double work = 0;
    for (int i = 0; i < p->n_joints; i++)
        if (!perp_source_is_control(stage->rows.row_joint[i]) &&
            !(p->compliance && p->compliance[i] > 0))
            work += row_work(stage, i);
    return work;
}

// m/s of a moving surface along a friction row: its d, but for what follows bodies that turn.
static double surface_speed(const PerpAssembly *rows, int row, int contact)
{
    return rows->problem.d[row] - perp_vec3_dot(rows->along[row], rows->unilateral[contact].turn);
}

static void add_friction(const PerpStage *stage, PerpEnergy *energy)
{
    const PerpProblem *p = &stage->rows.problem;
    int directions = p->n_joints + p->n_boxes + p->n_contacts;
    for (int g = 0; g < p->n_groups; g++)
        for (int k = directions + p->group_start[g]; k < directions + p->group_start[g + 1]; k++) {
            double speed = surface_speed(&stage->rows, k, p->group_contact[g]);
            double given = -stage->c[k] * speed; // by what drives the surface
            energy->friction -= row_work(stage, k) - given;
            energy->work += given;
        }
}

// What takes energy out is counted positive; a motor's row works on the speed it aims at.
void perp_energy_add_stage(PerpSimulation *sim, const PerpStage *stage)
{
    const PerpProblem *p = &stage->rows.problem;
    PerpEnergy *energy = &sim->report.energy;
    int row = p->n_joints;
    perp_loads_add_stage(sim, stage);
    if (sim->run.given > 0) {
        double had = perp_stage_kinetic(stage, sim->before.v) - sim->noted.closed;
        double closed = fmin(-closing_work(stage), had); // the rest is the scheme's
        energy->impact += closed;
        sim->noted.closed += closed;
    }
    for (int i = 0; i < p->n_joints && sim->controls.drives; i++)
        if (perp_source_is_control(stage->rows.row_joint[i]))
            energy->work += row_work(stage, i);
    for (int i = 0; i < p->n_boxes; i++, row++) {
        double work = row_work(stage, row);
        if (p->d[row] != 0 || perp_source_is_control(stage->rows.box_joint[i]))
            energy->work += work;
        else
            energy->friction -= work;
    }
    for (int i = 0; i < p->n_contacts; i++, row++) {
        double work = row_work(stage, row);
        energy->impact -= work;
        if (perp_unilateral_is_soft(&stage->rows.unilateral[i]))
            sim->noted.soft -= work;
    }
    add_friction(stage, energy);
    if (stage->h == 0)
        return;
    energy->damper += sim->ledger.damper_work + perp_link_rows_damped(stage);
    energy->work += sim->ledger.given_work;
    for (int i = 0; i < sim->n_v; i++)
        energy->work += sim->ledger.external[i] * (stage->before[i] + stage->v[i]) / 2;
}

double perp_energy_stored(PerpSimulation *sim)
{
    PerpEnergy *energy = &sim->report.energy;
    sim->system->store(sim, energy);
    return energy->kinetic + energy->gravity + energy->spring;
}

// Whatever the others do not explain is the scheme's: joint impulses on rows that have turned,
// gravity's and springs' impulses against the potentials along the motion, projection.
void perp_energy_close(PerpSimulation *sim)
{
    PerpEnergy *energy = &sim->report.energy;
    double stored = perp_energy_stored(sim);
    double out = energy->friction + energy->impact + energy->damper;
    const double terms[] = {sim->ledger.start, energy->kinetic,  energy->gravity, energy->spring,
                            energy->work,      energy->friction, energy->impact,  energy->damper};
    sim->ledger.largest =
        fmax(sim->ledger.largest, perp_max_abs(sizeof terms / sizeof *terms, terms));
    energy->scheme = sim->ledger.start + energy->work - stored - out;
    energy->balance = sim->ledger.largest > 0 ? fabs(energy->scheme) / sim->ledger.largest : 0;
}
