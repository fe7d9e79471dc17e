// The energy ledger. With v_m = (v_before + v)/2 an impulse J'c changes the kinetic energy by
// exactly c J v_m, so that every row's share is known:
//
//     kinetic - before = sum over rows of c J v_m + v_m' (h k) + gyroscopic part

#include "step/step.h"

#include <math.h>

static double row_work(const PerpStage *stage, int row)
{
    return stage->c[row] *
           (perp_stage_row_speed(stage, row, stage->before) +
            perp_stage_row_speed(stage, row, stage->v)) /
           2;
}

// What takes energy out is counted positive; a motor's row works on the speed it aims at.
void perp_energy_add_stage(PerpSimulation *sim, const PerpStage *stage)
{
    const PerpProblem *p = &stage->rows.problem;
    PerpEnergy *energy = &sim->report.energy;
    int row = 0;
    for (int i = 0; i < p->n_joints; i++, row++)
        energy->scheme -= row_work(stage, row);
    for (int i = 0; i < p->n_boxes; i++, row++) {
        double work = row_work(stage, row);
        if (p->d[row] != 0)
            energy->work += work;
        else
            energy->friction -= work;
    }
    for (int i = 0; i < p->n_contacts; i++, row++)
        energy->impact -= row_work(stage, row);
    for (int i = 0; i < p->n_directions; i++, row++)
        energy->friction -= row_work(stage, row);
}

// Gravity's and springs' impulses are taken at the beginning of a step while the potentials change
// along its motion; the difference is the scheme's.
void perp_energy_close(PerpSimulation *sim)
{
    PerpEnergy *energy = &sim->report.energy;
    double before = energy->kinetic + energy->gravity + energy->spring;
    double stored = perp_energy_stored(sim);
    (void)before;
    double out = energy->friction + energy->impact + energy->damper;
    energy->scheme = sim->start_energy + energy->work - stored - out;
    double size = fmax(fabs(sim->start_energy), fmax(fabs(stored), fmax(fabs(energy->work), out)));
    energy->balance = size > 0 ? fabs(energy->scheme) / size : 0;
}
