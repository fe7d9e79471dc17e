// An impulse from outside at one moment, with what closed constraints answer:
//
//     M (v2 - v1) = G Lambda + F                                               [L82 (2.10a)]
//     0 <= g_i'v2   perp   Lambda_i >= 0                                  [(2.11), (3.10)]
//     0 <= g_i'v2 + e_i g_i'v1   perp   Lambda_i >= 0       where g_i'v1 < 0         [(3.9)]
//
// What F alone presses together does not bounce.

#include "step/control/controls.h"
#include "step/scheme_tools.h"

#include "base/error.h"
#include "math/dense.h"

#include <math.h>
#include <string.h>

static const double CLOSED = 1e-9; // m

static PerpStatus solve(PerpSimulation *sim, const double *F, PerpStage *stage, PerpError *error)
{
    PerpStatus status = perp_stage_assemble(sim, sim->state.q, CLOSED, 0, stage, error);
    if (status)
        return status;
    for (int i = 0; i < stage->rows.problem.n_contacts; i++) {
        int row = perp_stage_contact_row(stage, i);
        double y = perp_stage_row_speed(stage, row, sim->state.v);
        stage->rows.d[row] = -y > sim->settings.restitution_threshold
                                 ? stage->rows.unilateral[i].restitution * y
                                 : 0;
    }
    perp_stage_momentum(stage, sim->state.v, stage->rows.b);
    perp_axpy(sim->n_v, 1, F, stage->rows.b);
    return perp_stage_solve(sim, sim->state.v, stage, error);
}

// (v1 + v2)'F/2, which is what F does: S2^2 - S1^2 <= (v1 + v2)'F                 [L82 (3.11)]
static double work_of(const PerpSimulation *sim, const double *F, const double *v)
{
    return (perp_dot(sim->n_v, F, sim->state.v) + perp_dot(sim->n_v, F, v)) / 2;
}

PerpStatus perp_simulation_apply_impulse(PerpSimulation *sim, const double *impulse,
                                         PerpError *error)
{
    const PerpStepReport last = sim->report;
    PerpStage stage;
    if (!perp_all_finite((size_t)sim->n_v, impulse))
        return perp_fail(error, PERP_BAD_VALUE, "the impulse has a number that is not finite");
    sim->sleep.ready = false;
    perp_contact_reports_begin(&sim->contacts);
    perp_arena_rewind(&sim->arena);
    sim->report.certificate.worst = 0;
    PerpStatus status = solve(sim, impulse, &stage, error);
    if (!status && !(sim->report.certificate.worst <= sim->settings.tolerance))
        status = perp_fail(error, PERP_NOT_SOLVED,
                           "t = %.9g s: the impulse is not solved to the tolerance %g",
                           sim->state.t, sim->settings.tolerance);
    if (status) {
        sim->report = last;
        return status;
    }
    perp_energy_add_stage(sim, &stage);
    PerpEnergy energy = sim->report.energy;
    energy.work += work_of(sim, impulse, stage.v);
    sim->report = last;
    sim->report.energy = energy;
    memcpy(sim->state.v, stage.v, (size_t)sim->n_v * sizeof(double));
    perp_energy_close(sim);
    perp_journal_note(sim, PERP_JOURNAL_IMPULSE, 0, NULL, sim->n_v, impulse);
    return PERP_OK;
}
