// Impacts in two phases [AP97 section 3]: compression until nothing approaches, then decompression
// with the restitution e c_n^c of the compression's normal impulses.

#include "step/events/bounces.h"
#include "step/events/sequential.h"
#include "step/scheme_tools.h"

#include "base/error.h"
#include "step/rows/link_rows.h"
#include "step/rows/soft_rows.h"

#include <math.h>
#include <string.h>

static const double GROWTH = 1e-9; // of the energy of an impact that is more than rounding

// e of a contact, 0 below the threshold speed (Zeno)
static double restitution(const PerpSimulation *sim, const PerpStage *stage, int contact,
                          const double *v)
{
    double speed = perp_stage_row_speed(stage, perp_stage_contact_row(stage, contact), v);
    return -speed > sim->threshold.bounce ? stage->rows.unilateral[contact].restitution : 0;
}

// F^r = sum e_j n_j c_n^c                                                         [AP97 (3.3)]
static bool add_restitution(const PerpSimulation *sim, const PerpStage *compression,
                            PerpStage *decompression)
{
    const PerpProblem *p = &compression->rows.problem;
    bool bounces = false;
    for (int i = 0; i < p->n_contacts; i++) {
        int row = perp_stage_contact_row(compression, i);
        double e = restitution(sim, compression, i, compression->before);
        double impulse = e * compression->c[row];
        const double *J = p->J + compression->rows.row_values[row];
        for (int k = p->row_start[row]; k < p->row_start[row + 1]; k++) {
            int body = p->entry_body[k];
            for (int j = p->body_start[body]; j < p->body_start[body + 1]; j++)
                decompression->rows.b[j] += impulse * *J++;
        }
        bounces = bounces || impulse > 0;
    }
    return bounces;
}

// Friction may use what restitution presses: mu (e c_n^c + c_n^x). As printed, by c_n^x alone,
// energy can grow; see docs/decisions.md.
static void add_cohesion(const PerpSimulation *sim, const PerpStage *compression,
                         PerpStage *decompression)
{
    const PerpProblem *p = &compression->rows.problem;
    for (int g = 0; g < p->n_groups && !sim->settings.printed_decompression; g++) {
        int contact = p->group_contact[g];
        double e = restitution(sim, compression, contact, compression->before);
        decompression->rows.cohesion[g] =
            p->mu[g] * e * fmax(compression->c[perp_stage_contact_row(compression, contact)], 0);
    }
}

// Armatures, whose inertia an impact has to move: u_new + c/I - u = 0.
static PerpStatus add_armatures(PerpSimulation *sim, PerpStage *stage, PerpError *error)
{
    PerpLinkRows links;
    PerpStatus status = perp_link_rows_find(sim, 0, NULL, NULL, &links, error);
    if (!status && !perp_link_rows_insert(&links, &stage->rows))
        status = perp_fail_memory(error);
    return status;
}

// Their right-hand sides, for the speeds before a phase.
static void set_armatures(PerpStage *stage, const double *v)
{
    const PerpProblem *p = &stage->rows.problem;
    for (int r = 0; r < p->n_joints && p->compliance; r++)
        if (p->compliance[r] > 0)
            stage->rows.d[r] = -perp_stage_row_speed(stage, r, v);
}

// v+ = (1 + e) v^c - e v^-, with the largest e of the contacts that were hit      [AP97 lemma 3.1]
static PerpStatus bounce_in_one_phase(PerpSimulation *sim, const PerpStage *compression, double *v,
                                      PerpError *error)
{
    double e = 0;
    for (int i = 0; i < compression->rows.problem.n_contacts; i++)
        if (compression->c[perp_stage_contact_row(compression, i)] > 0)
            e = fmax(e, restitution(sim, compression, i, compression->before));
    sim->report.impacts += e > 0;
    for (int i = 0; i < sim->n_v; i++)
        v[i] = (1 + e) * compression->v[i] - e * compression->before[i];
    sim->report.energy.impact +=
        perp_stage_kinetic(compression, compression->v) - perp_stage_kinetic(compression, v);
    if (compression->is_aside)
        return PERP_OK;
    return perp_stage_add_hits(sim, compression, e, error); // v+ - v^- = (1 + e) (v^c - v^-)
}

// What a phase did, in the ledger and among the hits.
static PerpStatus record(PerpSimulation *sim, const PerpStage *phase, PerpError *error)
{
    if (phase->is_aside)
        return PERP_OK;
    perp_energy_add_stage(sim, phase);
    return perp_stage_add_hits(sim, phase, 1, error);
}

static PerpStatus decompress(PerpSimulation *sim, PerpStage *compression, double *v,
                             PerpError *error)
{
    PerpStage decompression = *compression;
    perp_stage_momentum(compression, compression->v, decompression.rows.b);
    if (!add_restitution(sim, compression, &decompression))
        return PERP_OK;
    sim->report.impacts++;
    add_cohesion(sim, compression, &decompression);
    set_armatures(&decompression, compression->v);
    PerpStatus status = perp_stage_solve(sim, compression->v, &decompression, error);
    if (status)
        return status;
    memcpy(v, decompression.v, (size_t)sim->n_v * sizeof(double));
    for (int i = 0; i < compression->rows.problem.n_contacts; i++) { // c_n^d = e c_n^c + c_n^x
        int row = perp_stage_contact_row(compression, i);
        double e = restitution(sim, compression, i, compression->before);
        decompression.c[row] += e * compression->c[row];
    }
    return record(sim, &decompression, error);
}

// Do all contacts that were pushed in compression have the same e?
static bool has_one_restitution(const PerpSimulation *sim, const PerpStage *compression)
{
    double e = -1;
    for (int i = 0; i < compression->rows.problem.n_contacts; i++) {
        double e_i = restitution(sim, compression, i, compression->before);
        if (compression->c[perp_stage_contact_row(compression, i)] <= 0)
            continue;
        if (e >= 0 && e_i != e)
            return false;
        e = e_i;
    }
    return true;
}

static bool has_friction(const PerpStage *compression)
{
    const PerpProblem *p = &compression->rows.problem;
    for (int g = 0; g < p->n_groups; g++)
        if (p->mu[g] > 0)
            return true;
    return false;
}

// Is the energy after the impact at most that before it? In one phase [AP97 lemma 3.1]; in two
// without friction, or with our bound of friction and one e [docs/theory/ap97.md].
static bool obeys_lemma(const PerpSimulation *sim, const PerpStage *compression)
{
    if (!perp_stage_is_passive(compression))
        return false;
    if (sim->settings.one_phase || !has_friction(compression))
        return true;
    return !sim->settings.printed_decompression && has_one_restitution(sim, compression);
}

// The a-priori bound where it applies; elsewhere energy may grow, which is warned of.
static void judge(PerpSimulation *sim, const PerpStage *compression, const double *v)
{
    double before = perp_stage_kinetic(compression, compression->before);
    double after = perp_stage_kinetic(compression, v);
    if (obeys_lemma(sim, compression))
        perp_bound_energy(sim, PERP_BOUND_AP97_IMPACT, compression, compression->before, v);
    else if (perp_stage_is_passive(compression) && after > (1 + GROWTH) * before)
        perp_step_warn(sim,
                       "t = %.9g s: an impact raised the kinetic energy by %.2g %%, which AP97 "
                       "theorem 5.1 assumes it does not; one-phase impacts never do",
                       sim->state.t, 100 * (after / before - 1));
}

PerpStatus perp_impact_rows(PerpSimulation *sim, const double *q, double reach,
                            const PerpReach *speculative, PerpStage *stage, PerpError *error)
{
    PerpRowChoice choice = {.reach = reach, .speculative = speculative};
    *stage = (PerpStage){.q = q};
    PerpStatus status = sim->system->assemble(sim, q, &choice, &stage->rows, error);
    if (!status && !perp_soft_rows_leave_out(sim, &stage->rows)) // they push with finite forces
        status = perp_fail_memory(error);
    return status;
}

PerpStatus perp_impact_together(PerpSimulation *sim, PerpStage *compression, double *v,
                                PerpError *error)
{
    PerpStatus status = sim->has_armature ? add_armatures(sim, compression, error) : PERP_OK;
    if (status)
        return status;
    perp_stage_momentum(compression, v, compression->rows.b);
    set_armatures(compression, v);
    // (v^c, ...) in L(v^-, 0) [AP97 (3.2)]
    status = perp_stage_solve(sim, v, compression, error);
    if (status)
        return status;
    status = record(sim, compression, error);
    memcpy(v, compression->v, (size_t)sim->n_v * sizeof(double));
    if (!status)
        status = sim->settings.one_phase ? bounce_in_one_phase(sim, compression, v, error)
                                         : decompress(sim, compression, v, error);
    if (!status && !compression->is_aside) {
        perp_bounce_note_slow(sim, compression);
        judge(sim, compression, v);
    }
    return status;
}

PerpStatus perp_impact_by(PerpSimulation *sim, bool in_sequence, PerpStage *rows, double *v,
                          PerpError *error)
{
    PerpStatus status = in_sequence ? perp_impact_sequence(sim, rows, v, error) : PERP_OK;
    // in sequence nothing is left that would bounce, but what is closed must not approach at all
    return status ? status : perp_impact_together(sim, rows, v, error);
}

// One pair is as good together. The law in use is compared with the other one.
static PerpStatus solve(PerpSimulation *sim, bool in_sequence, PerpStage *rows, double *v,
                        PerpError *error)
{
    if (perp_impact_pairs(rows) <= 1)
        return perp_impact_together(sim, rows, v, error);
    double *before = PERP_TAKE(&sim->arena, double, sim->n_v);
    if (!before)
        return perp_fail_memory(error);
    memcpy(before, v, (size_t)sim->n_v * sizeof *v);
    PerpStatus status = perp_impact_by(sim, in_sequence, rows, v, error);
    return status ? status : perp_impact_compare(sim, in_sequence, rows, before, v, error);
}

PerpStatus perp_impact_solve(PerpSimulation *sim, PerpStage *rows, double *v, PerpError *error)
{
    return solve(sim, sim->settings.impacts == PERP_IMPACTS_SEQUENTIAL, rows, v, error);
}

PerpStatus perp_impact(PerpSimulation *sim, const double *q, double closed, double *v,
                       PerpError *error)
{
    PerpStage rows;
    PerpArenaMark mark = perp_arena_mark(&sim->arena);
    PerpImpacts chosen = sim->settings.impacts;
    bool in_sequence = chosen == PERP_IMPACTS_SEQUENTIAL ||
                       (chosen == PERP_IMPACTS_SCHEME && sim->scheme->sequential);
    PerpStatus status = perp_impact_rows(sim, q, closed, NULL, &rows, error);
    if (!status)
        status = solve(sim, in_sequence, &rows, v, error);
    perp_arena_release(&sim->arena, mark); // there may be many in a step
    return status;
}
