#include "step/rows/soft_rows.h"

#include "step/rows/implicit_force.h"
#include "step/rows/mobility.h"
#include "step/scheme_tools.h"

#include <math.h>
#include <string.h>

// h^2 k W of contacts whose bounce the step does not resolve, unless they creep.
static const double UNRESOLVED = 8;
static const double SOFTEST = 1e300; // compliance, s/kg: as good as none

static bool has_soft(const PerpAssembly *rows)
{
    for (int i = 0; i < rows->problem.n_contacts; i++)
        if (perp_unilateral_is_soft(&rows->unilateral[i]))
            return true;
    return false;
}

// The part of the step in which a contact with gap and speed u at the beginning is closed: only
// then does its damper act.
static double closed_part(double gap, double u, double h)
{
    if (gap <= 0)
        return 1;
    return gap < -u * h ? 1 + gap / (u * h) : 0;
}

// A contact that closes within the step. To take from the motion what it stores, k psi_new^2/2, its
// force must be  k psi_new^2/(2 (psi_new - psi)) = -k s psi_new,  s = psi_new/(2 (psi_new - psi))
// (a discrete gradient), psi_new = psi + h (u + u_new)/2. s is that of the free motion, which comes
// deeper: then the force takes more, never less. As k psi* of psi* = psi/2 + h (u + u_new)/4 the
// stiffness is 2 s k.
static PerpImplicitForce closing_force(double stiffness, double gap, double u, double u_free,
                                       double h)
{
    double end = gap + h / 2 * (u + u_free);
    double s = end < 0 ? end / (2 * (end - gap)) : 0.5;
    return (PerpImplicitForce){.stiffness = 2 * s * stiffness, .value = gap / 2, .speed = u};
}

// A contact that opens within the step: it gives back what it stores, k psi^2/2 = c (u + u_new)/2,
// u_new = u_free + W c alone. The row is the tangent of  c(u_new) = k psi^2/(u + u_new)  there,
// which lies below it: whatever the others do, it gives no more. False: the free motion keeps it
// closed.
static bool open_row(const PerpImplicitForce *force, double u_free, double W, double h,
                     PerpImplicitRow *row)
{
    double u = force->speed, stored = force->stiffness * force->value * force->value;
    double mean = (u + u_free) / 2, c = (sqrt(mean * mean + W * stored) - mean) / W;
    double u_new = u_free + W * c, damper = h * force->damping / 2;
    if (!(force->value < 0 && force->value + h * mean > 0))
        return false;
    double slope = c / (u + u_new), A = slope + damper; // c = -(A u_new + B)
    double B = damper * u - c - slope * u_new;
    *row = (PerpImplicitRow){.compliance = 1 / A, .d = B / A};
    return true;
}

// The impulse that stops the contact: of its own bodies, or what it had in the last step.
static double stopping_impulse(const PerpSimulation *sim, const PerpStage *stage, int contact,
                               double mobility, const double *v_free)
{
    int r = perp_stage_contact_row(stage, contact), at = 0;
    double own = -perp_stage_row_speed(stage, r, v_free) / mobility, last = 0;
    const PerpUnilateral *of = &stage->rows.unilateral[contact];
    const PerpContactReport *report = perp_reports_find(&sim->contacts.last, of->id, &at);
    if (of->kind == PERP_UNILATERAL_CONTACT && report)
        for (int i = 0; i < 3; i++)
            last += report->impulse[i] * report->normal[i];
    return fmax(0, fmax(own, fabs(last)));
}

static void set_row(const PerpSimulation *sim, double h, const double *v_free, double mobility,
                    int contact, PerpStage *stage)
{
    PerpUnilateral *of = &stage->rows.unilateral[contact];
    const double *v = sim->state.v;
    int r = perp_stage_contact_row(stage, contact);
    double u = perp_stage_row_speed(stage, r, v), gap = of->gap - h / 2 * u;
    of->is_stiff = h * h * of->stiffness * mobility > UNRESOLVED && h * of->stiffness > of->damping;
    double u_free = perp_stage_row_speed(stage, r, v_free);
    PerpImplicitForce force = {.stiffness = of->stiffness, .value = gap, .speed = u};
    if (gap > 0 && !of->is_stiff)
        force = closing_force(of->stiffness, gap, u, u_free, h);
    force.damping = closed_part(gap, u, h) * of->damping;
    PerpImplicitRow row;
    if (of->is_stiff || !open_row(&force, u_free, mobility, h, &row))
        row = perp_implicit_row(&force, h, mobility);
    stage->rows.compliance[r] = fmin(row.compliance, SOFTEST);
    stage->rows.d[r] = row.d;
    if (of->is_stiff) // c = -(u_new + d)/C
        stage->rows.d[r] =
            fmax(row.d, -row.compliance * stopping_impulse(sim, stage, contact, mobility, v_free));
}

bool perp_soft_rows_set(PerpSimulation *sim, double h, const double *v_free, PerpStage *stage)
{
    PerpAssembly *rows = &stage->rows;
    const PerpProblem *p = &rows->problem;
    PerpBlockDiagonal mass;
    if (!sim->has_soft || !has_soft(rows))
        return true;
    if (!rows->compliance)
        rows->compliance = PERP_TAKE(&sim->arena, double, perp_problem_rows(p));
    double *x = PERP_TAKE_RAW(&sim->arena, double, sim->n_v);
    if (!rows->compliance || !x || !perp_mobility_factor(&sim->arena, p, &mass))
        return false;
    for (int i = 0; i < p->n_contacts; i++) {
        int r = perp_stage_contact_row(stage, i), first = rows->row_start[r];
        if (perp_unilateral_is_soft(&rows->unilateral[i]))
            set_row(sim, h, v_free,
                    perp_mobility(&mass, rows->row_start[r + 1] - first, rows->entry_body + first,
                                  rows->J + rows->row_values[r], x),
                    i, stage);
    }
    perp_assembly_show(rows);
    return true;
}

bool perp_soft_rows_note_stiff(PerpSimulation *sim, const PerpStage *stage)
{
    int n = stage->rows.problem.n_contacts;
    sim->stiff = (PerpStiffContacts){.count = 0}; // those of the last step are gone
    if (!sim->has_soft || !has_soft(&stage->rows))
        return true;
    sim->stiff = (PerpStiffContacts){.id = PERP_TAKE_RAW(&sim->arena, uint64_t, n),
                                     .depth = PERP_TAKE_RAW(&sim->arena, double, n)};
    if (!sim->stiff.id || !sim->stiff.depth)
        return false;
    for (int i = 0; i < n; i++) {
        const PerpUnilateral *u = &stage->rows.unilateral[i];
        double force = stage->c[perp_stage_contact_row(stage, i)] / stage->h;
        if (!perp_unilateral_is_soft(u) || !u->is_stiff)
            continue;
        sim->stiff.id[sim->stiff.count] = u->id;
        sim->stiff.depth[sim->stiff.count++] = fmax(0, force / u->stiffness);
    }
    return true;
}

bool perp_soft_rows_are_steady(const PerpSimulation *sim)
{
    const PerpReports *last = &sim->contacts.last, *next = &sim->contacts.next;
    if (sim->stiff.count == 0)
        return true;
    if (last->n_contacts != next->n_contacts)
        return false;
    for (int i = 0; i < last->n_contacts; i++)
        if (memcmp(last->contacts[i].impulse, next->contacts[i].impulse,
                   sizeof next->contacts[i].impulse) != 0)
            return false;
    return true;
}

bool perp_soft_rows_stiff_only(PerpSimulation *sim, PerpAssembly *rows)
{
    if (!sim->has_soft || !has_soft(rows))
        return true;
    for (int i = 0; i < rows->problem.n_contacts; i++) {
        PerpUnilateral *u = &rows->unilateral[i];
        for (int k = 0; k < sim->stiff.count && perp_unilateral_is_soft(u); k++)
            if (sim->stiff.id[k] == u->id) {
                u->gap += sim->stiff.depth[k];
                u->stiffness = INFINITY;
            }
    }
    return perp_soft_rows_leave_out(sim, rows);
}

bool perp_soft_rows_leave_out(PerpSimulation *sim, PerpAssembly *rows)
{
    if (!sim->has_soft || !has_soft(rows))
        return true;
    bool *keep = PERP_TAKE_RAW(&sim->arena, bool, rows->problem.n_contacts);
    for (int i = 0; keep && i < rows->problem.n_contacts; i++)
        keep[i] = !perp_unilateral_is_soft(&rows->unilateral[i]);
    if (keep)
        perp_assembly_select(rows, keep);
    return keep;
}
