// Impulses when holonomic constraints become active [L82 (2.10)-(2.11), (3.9)]:
//
//     M (v2 - v1) = G Lambda                                                            (2.10a)
//     0 <= g_i'v2 + e_i g_i'v1   perp   Lambda_i >= 0                                    (3.9)
//
// Newton's law as an LCP, which with e = 0 is (2.11). Constraints that separate are not in the
// list: with them (3.11) would not bound the energy. Should the impulses make one of them close,
// another round follows. Friction, of which L82 says nothing here, is Coulomb's on impulses.

#include "step/event_driven/mode.h"

#include "base/error.h"

#include <math.h>
#include <string.h>

static const double FAR = 1e3;   // times the speeds: what keeps a row out of the problem
static const double GAIN = 1e-9; // of the energy: more is not rounding
enum { ROUNDS = 100 };

static bool is_closed(const PerpUnilateral *u)
{
    return u->kind == PERP_UNILATERAL_RATE || u->gap <= PERP_CLOSED;
}

// Is anything approached that is closed?
static bool is_hit(const PerpSimulation *sim, const PerpStage *stage, double rest)
{
    for (int i = 0; i < stage->rows.problem.n_contacts; i++)
        if (is_closed(&stage->rows.unilateral[i]) &&
            perp_stage_row_speed(stage, perp_stage_contact_row(stage, i), sim->state.v) < -rest)
            return true;
    return false;
}

// d_i = e_i g_i'v1; what separates is left out. e is 0 from `restless` on.
static void set_rows(const PerpSimulation *sim, double rest, bool restless, PerpStage *stage)
{
    for (int i = 0; i < stage->rows.problem.n_contacts; i++) {
        const PerpUnilateral *u = &stage->rows.unilateral[i];
        int row = perp_stage_contact_row(stage, i);
        double y = perp_stage_row_speed(stage, row, sim->state.v);
        bool bounces = -y > sim->threshold.bounce && !restless;
        if (!is_closed(u) || y > rest)
            stage->rows.d[row] = FAR * (1 + fabs(y));
        else
            stage->rows.d[row] = bounces ? u->restitution * y : 0;
    }
}

static bool has_bounced(const PerpStage *stage)
{
    for (int i = 0; i < stage->rows.problem.n_contacts; i++) {
        int row = perp_stage_contact_row(stage, i);
        if (stage->rows.d[row] < 0 && stage->c[row] > 0)
            return true;
    }
    return false;
}

// |C'v2| <= |C'v1|                                                                       (3.11)
static bool gains_energy(const PerpSimulation *sim, const PerpStage *stage)
{
    double before = perp_stage_kinetic(stage, sim->state.v);
    return perp_stage_kinetic(stage, stage->v) > before * (1 + GAIN);
}

static PerpStatus solve(PerpSimulation *sim, double rest, bool restless, PerpStage *stage,
                        PerpError *error)
{
    set_rows(sim, rest, restless, stage);
    perp_stage_momentum(stage, sim->state.v, stage->rows.b);
    return perp_stage_solve(sim, sim->state.v, stage, error);
}

static PerpStatus take_impulse(PerpSimulation *sim, double rest, bool restless, PerpStage *stage,
                               PerpError *error)
{
    PerpStatus status = solve(sim, rest, restless, stage, error);
    if (!status && gains_energy(sim, stage)) { // which friction can make Newton's law do
        perp_step_warn(sim,
                       "t = %.9g s: Newton's law with friction would gain energy; this impact "
                       "does not bounce",
                       sim->state.t);
        status = solve(sim, rest, true, stage, error);
    }
    if (status)
        return status;
    sim->report.substeps++;
    sim->report.impacts += has_bounced(stage);
    perp_energy_add_stage(sim, stage);
    memcpy(sim->state.v, stage->v, (size_t)sim->n_v * sizeof(double));
    return PERP_OK;
}

PerpStatus perp_impulse(PerpSimulation *sim, PerpError *error)
{
    for (int round = 0; round < ROUNDS; round++) {
        PerpStage stage;
        PerpArenaMark mark = perp_arena_mark(&sim->arena);
        double rest = perp_at_rest_speed(sim);
        PerpStatus status = perp_stage_assemble(sim, sim->state.q, PERP_CLOSED, 0, &stage, error);
        bool hit = !status && is_hit(sim, &stage, rest);
        if (hit)
            status = take_impulse(sim, rest, round > ROUNDS / 2, &stage, error);
        perp_arena_release(&sim->arena, mark);
        if (status || !hit)
            return status;
    }
    return perp_fail(error, PERP_NOT_SOLVED,
                     "t = %.9g s: %d impulses leave closed constraints approached", sim->state.t,
                     ROUNDS);
}
