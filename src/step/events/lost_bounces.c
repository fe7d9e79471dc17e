// What the bounces of a step miss. Those that are not located are made together at the beginning of
// a step: early, by what the contact would close in it. Contacts with restitution that a problem
// stops, though they arrive faster than the threshold, have lost their bounce. It would have given
// back e^2 of what the contact takes,
//
//     e^2 c (u + u_new)/2,    c = c_n (u - u_new)/(u_free - u_new)
//
// with the speeds of approach u on arrival, u_new after the step and u_free without the contact:
// the rest of c_n bears what presses during the step.

#include "geom/thickness.h"
#include "step/events/bounces.h"
#include "step/report/verdict.h"

#include <math.h>

// m: of the thinner of the two shapes of a contact; 0: of none
static double thickness(const PerpSimulation *sim, const PerpStage *stage, int contact)
{
    const PerpUnilateral *row = &stage->rows.unilateral[contact];
    if (!sim->bodies.model || row->kind != PERP_UNILATERAL_CONTACT)
        return 0;
    const PerpContact *of = &stage->rows.contact[row->index];
    return fmin(perp_shape_thickness(&sim->bodies.model->shapes[of->shape_a].shape),
                perp_shape_thickness(&sim->bodies.model->shapes[of->shape_b].shape));
}

static double approach(const PerpStage *stage, int contact, const double *v)
{
    return -perp_stage_row_speed(stage, perp_stage_contact_row(stage, contact), v);
}

// How early depends on when the step began; h u is the most.
void perp_bounce_note_early(PerpSimulation *sim, const PerpStage *now, int contact, double h)
{
    double thin = thickness(sim, now, contact);
    if (thin > 0 && thin < INFINITY)
        perp_verdict_note(sim, PERP_CHECK_EARLY_BOUNCE,
                          h * approach(now, contact, sim->state.v) / thin);
}

// m/s, at which a contact of a step arrives: one that is closed, with the speed that it has; one
// that is open, with u^2 + 2 a gap, which free motion reaches.
static double arrival(const PerpStage *stage, int contact, const double *v_free, double closed)
{
    double u = fmax(approach(stage, contact, stage->before), 0);
    double gap = stage->rows.unilateral[contact].gap + stage->h / 2 * u; // as the step began
    double a = (approach(stage, contact, v_free) - u) / stage->h;
    return stage->rows.unilateral[contact].gap <= closed ? u : sqrt(u * u + 2 * fmax(a, 0) * gap);
}

static void add_lost(PerpSimulation *sim, const PerpStage *stage, int contact, double u,
                     double free)
{
    const PerpUnilateral *row = &stage->rows.unilateral[contact];
    double left = fmax(approach(stage, contact, stage->v), 0);
    double impulse = stage->c[perp_stage_contact_row(stage, contact)];
    if (!(u > sim->settings.restitution_threshold && u > left && impulse > 0))
        return;
    double part = free > u ? (u - left) / (free - left) : 1;
    sim->noted.check[PERP_CHECK_LOST_BOUNCES] +=
        row->restitution * row->restitution * part * impulse * (u + left) / 2;
}

void perp_bounce_note_lost(PerpSimulation *sim, const PerpStage *stage, const double *v_free,
                           double closed)
{
    for (int i = 0; i < stage->rows.problem.n_contacts; i++)
        if (stage->rows.unilateral[i].restitution > 0 && stage->h > 0)
            add_lost(sim, stage, i, arrival(stage, i, v_free, closed), approach(stage, i, v_free));
}

// Compression left them at rest: impacts that are not located must be faster than gravity's speed
// of the step.
void perp_bounce_note_slow(PerpSimulation *sim, const PerpStage *compression)
{
    if (!(sim->threshold.bounce > sim->settings.restitution_threshold))
        return;
    for (int i = 0; i < compression->rows.problem.n_contacts; i++) {
        double u = approach(compression, i, compression->before);
        if (compression->rows.unilateral[i].restitution > 0 && u <= sim->threshold.bounce)
            add_lost(sim, compression, i, u, u);
    }
}
