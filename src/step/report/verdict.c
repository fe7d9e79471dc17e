// The verdict of a run: the worst of each check so far beside its bound. docs/verdict.md derives
// the bounds.

#include "step/report/verdict.h"
#include "step/scheme_tools.h"

#include "base/error.h"
#include "geom/thickness.h"

#include <float.h>
#include <math.h>

static const double GAIN = 5e-3;      // of the energy at play
static const double BALANCE = 5e-2;   // likewise
static const double OVERLAP = 1e-5;   // of the thinnest shape
static const double THICK = 0.1;      // m: thinnest shapes count as no thicker
static const double OPEN = 1e-6;      // m or rad: joints
static const double PASSAGE = 0.1;    // of the thinnest shape: a body that passes shows far more
static const double DIGITS = 0.1;     // of the smaller bound on lengths
static const double MOMENTUM = 1e-3;  // of the sum of its parts
static const double EARLY = 0.5;      // of the thinner of the two shapes, as for passages
static const double LOST = 5e-2;      // of the energy at play
static const double ROUNDING = 1e-11; // of the energies that cancel
static const double EXPLODED = 1e6;   // times the energy at play, in a step: nothing is left of it

// Steps advised: h omega of springs that are not followed at all, and that should do for stability,
// for energies, and for these where springs are explicit.
static const double NOT_FOLLOWED = 1;
static const double FOLLOWED = 0.25;
static const double EXACT = 0.1;
static const double EXACT_FIRST_ORDER = 0.01;
static const double MOST_SHORTER = 20; // times: advice beyond is a guess, but for springs
static const double MOST_FIRST_ORDER = 1000;

// --- bounds -------------------------------------------------------------------------------------

// m: what the tolerance makes light of; with slip held that of its law
static double slop(const PerpSimulation *sim)
{
    double held = sim->run.held > 0 ? perp_step_slop(sim->settings.held_tolerance) : 0;
    return fmax(perp_step_slop(sim->settings.tolerance), held);
}

double perp_verdict_overlap(const PerpSimulation *sim)
{
    return OVERLAP * fmin(sim->scales.thickness, THICK) + 2 * slop(sim);
}

double perp_verdict_joint_gap(const PerpSimulation *sim)
{
    return OPEN + 2 * slop(sim);
}

static double bound_of(const PerpSimulation *sim, PerpCheck check)
{
    switch (check) {
    case PERP_CHECK_GAIN:
        return GAIN;
    case PERP_CHECK_BALANCE:
        return BALANCE;
    case PERP_CHECK_OVERLAP:
        return perp_verdict_overlap(sim);
    case PERP_CHECK_PASSAGE:
        return PASSAGE * sim->scales.thickness;
    case PERP_CHECK_JOINT_GAP:
        return perp_verdict_joint_gap(sim);
    case PERP_CHECK_FASTEST_MODE:
        return PERP_MODE_LIMIT;
    case PERP_CHECK_MOMENTUM:
        return MOMENTUM;
    case PERP_CHECK_EARLY_BOUNCE:
        return EARLY;
    case PERP_CHECK_LOST_BOUNCES:
        return LOST;
    case PERP_CHECK_DIGITS:
        return DIGITS * fmin(perp_verdict_overlap(sim), perp_verdict_joint_gap(sim));
    default:
        return 0; // no step may miss
    }
}

// 1/s: the fastest mode, of schemes that must follow it
static double limits_step(const PerpSimulation *sim)
{
    return sim->scheme->explicit_springs ? sim->scales.fastest : 0;
}

static bool applies(const PerpSimulation *sim, PerpCheck check)
{
    const PerpVerdictScales *scales = &sim->scales;
    switch (check) {
    case PERP_CHECK_OVERLAP:
        return scales->contacts;
    case PERP_CHECK_JOINT_GAP:
        return scales->joints;
    case PERP_CHECK_PASSAGE:
        return scales->contacts && scales->thickness < INFINITY;
    case PERP_CHECK_FASTEST_MODE:
        return limits_step(sim) > 0 || sim->run.worst[check] > 0;
    case PERP_CHECK_MOMENTUM:
        return scales->isolated;
    case PERP_CHECK_DIGITS:
        return sim->bodies.model && (scales->contacts || scales->joints);
    case PERP_CHECK_EARLY_BOUNCE:
        return sim->has_restitution && sim->scheme->notes_bounces && scales->thickness < INFINITY;
    case PERP_CHECK_LOST_BOUNCES:
        return sim->has_restitution && sim->scheme->notes_bounces;
    default:
        return true;
    }
}

// --- the run ------------------------------------------------------------------------------------

// J: what energies are compared with. Raising all bodies by the overlap that is allowed is no gain.
static double energy_at_play(const PerpSimulation *sim)
{
    const PerpRunLedger *run = &sim->run;
    double cancels = fmax(fabs(run->least_potential), fabs(run->most_potential));
    return run->kinetic + (run->most_potential - run->least_potential) + run->work +
           sim->scales.weight * perp_verdict_overlap(sim) / GAIN + ROUNDING / GAIN * cancels +
           DBL_MIN;
}

static void raise(PerpSimulation *sim, PerpCheck check, double value)
{
    value = isnan(value) ? INFINITY : value; // what is no number passes no check
    if (!(value > sim->run.worst[check]))
        return;
    sim->run.worst[check] = value;
    sim->run.at[check] = sim->state.t;
}

void perp_verdict_note(PerpSimulation *sim, PerpCheck check, double value)
{
    sim->noted.check[check] = fmax(sim->noted.check[check], value);
}

// Extremes of the energies, and the rise of E - W above its least value so far: what no force, no
// motor and no spring explains. The ledger's start knows what callers changed between steps.
static void add_energies(PerpSimulation *sim)
{
    PerpRunLedger *run = &sim->run;
    const PerpEnergy *e = &sim->report.energy;
    double potential = e->gravity + e->spring;
    double net = e->kinetic + potential - e->work - sim->ledger.start + run->soft;
    run->kinetic = fmax(run->kinetic, e->kinetic);
    run->least_potential = fmin(run->least_potential, potential);
    run->most_potential = fmax(run->most_potential, potential);
    run->work = fmax(run->work, fabs(e->work));
    run->least = fmin(run->least, net);
    raise(sim, PERP_CHECK_GAIN, net - run->least); // J: perp_simulation_verdict divides
    raise(sim, PERP_CHECK_GAIN, -run->soft);       // they give back no more than they took
    raise(sim, PERP_CHECK_BALANCE, fabs(e->scheme));
}

// Energy from nowhere, against what was at play before the step and what was done in it.
PerpStatus perp_verdict_check_growth(PerpSimulation *sim, PerpError *error)
{
    double stored = perp_energy_stored(sim), work = sim->report.energy.work;
    double soft = sim->run.soft + sim->noted.soft;
    double gain = stored - work - sim->ledger.start + soft - sim->run.least;
    double at_play = energy_at_play(sim) + fabs(sim->ledger.start) + fabs(work);
    if (gain <= EXPLODED * at_play)
        return PERP_OK;
    return perp_fail(error, PERP_NOT_SOLVED,
                     "t = %.9g s: the energy grew %.0e-fold within a step: take shorter steps",
                     sim->state.t, gain / at_play);
}

// m: spacing of doubles at the farthest body
static double spacing(const PerpSimulation *sim)
{
    double farthest = 0;
    const PerpPose *pose = (const PerpPose *)sim->state.q;
    for (int b = 0; sim->bodies.model && b < sim->bodies.model->n_bodies; b++) {
        PerpVec3 x = pose[b].position;
        double most = fmax(fabs(x.x), fmax(fabs(x.y), fabs(x.z)));
        farthest = most > farthest ? most : farthest;
    }
    return DBL_EPSILON * farthest;
}

static double size_of(const double x[3])
{
    return sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]);
}

static double value_of(const PerpSimulation *sim, PerpCheck check, double at_play)
{
    double worst = sim->run.worst[check];
    if (check == PERP_CHECK_GAIN || check == PERP_CHECK_BALANCE || check == PERP_CHECK_LOST_BOUNCES)
        return worst / at_play;
    if (check == PERP_CHECK_MOMENTUM)
        return sim->run.momentum > 0 ? worst / sim->run.momentum : 0;
    if (check == PERP_CHECK_FASTEST_MODE)
        return fmax(worst, limits_step(sim) * sim->settings.step);
    return worst;
}

static bool holds(const PerpSimulation *sim, PerpCheck check, double at_play)
{
    return !applies(sim, check) || value_of(sim, check, at_play) <= bound_of(sim, check);
}

static unsigned unmet(const PerpSimulation *sim)
{
    unsigned bits = 0;
    double at_play = energy_at_play(sim);
    for (int k = 0; k < PERP_CHECK_COUNT; k++)
        bits |= holds(sim, (PerpCheck)k, at_play) ? 0 : 1u << k;
    return bits;
}

void perp_verdict_add_step(PerpSimulation *sim)
{
    const PerpStepReport *report = &sim->report;
    bool missed = report->outcome != PERP_OUTCOME_SOLVED && report->outcome != PERP_OUTCOME_HELD;
    if (sim->run.steps++ == 0) // what joints do not allow is never at play
        sim->run.kinetic = fmax(sim->run.kinetic - fmax(sim->noted.closed, 0), 0);
    sim->run.given = 0;
    sim->run.closed += sim->noted.closed;
    sim->run.soft += sim->noted.soft;
    sim->run.laws = fmax(sim->run.laws, sim->noted.laws);
    sim->run.compared += sim->noted.compared;
    sim->run.held += report->outcome == PERP_OUTCOME_HELD;
    if (missed)
        raise(sim, PERP_CHECK_SOLVED, sim->run.worst[PERP_CHECK_SOLVED] + 1);
    raise(sim, PERP_CHECK_OVERLAP, report->penetration);
    raise(sim, PERP_CHECK_JOINT_GAP, report->joint_gap);
    raise(sim, PERP_CHECK_DIGITS, spacing(sim));
    sim->noted.check[PERP_CHECK_LOST_BOUNCES] += sim->run.worst[PERP_CHECK_LOST_BOUNCES]; // adds up
    for (int k = 0; k < PERP_CHECK_COUNT; k++)
        raise(sim, (PerpCheck)k, sim->noted.check[k]);
    add_energies(sim);
    if (sim->scales.isolated) {
        perp_verdict_add_momentum(sim);
        raise(sim, PERP_CHECK_MOMENTUM, size_of(sim->run.turned)); // value_of divides
    }
    sim->report.unmet = unmet(sim);
}

// --- the start ----------------------------------------------------------------------------------

static void find_scales(PerpSimulation *sim)
{
    const PerpModel *model = sim->bodies.model;
    PerpVerdictScales *scales = &sim->scales;
    scales->thickness = INFINITY;
    scales->contacts = scales->joints = true; // custom systems: whatever they have
    if (!model)
        return;
    scales->isolated = perp_verdict_is_isolated(sim);
    scales->contacts = model->n_shapes > 0 && !sim->has_soft; // soft ones overlap by their nature
    scales->joints = model->n_joints > 0 || sim->controls.drives;
    for (int s = 0; s < model->n_shapes; s++)
        scales->thickness = fmin(scales->thickness, perp_shape_thickness(&model->shapes[s].shape));
    for (int b = 0; b < model->n_bodies; b++)
        scales->weight += model->bodies[b].mass * perp_vec3_norm(model->gravity);
}

PerpStatus perp_verdict_begin(PerpSimulation *sim, PerpError *error)
{
    const PerpEnergy *e = &sim->report.energy;
    double potential = e->gravity + e->spring;
    sim->run = (PerpRunLedger){.kinetic = e->kinetic,
                               .least_potential = potential,
                               .most_potential = potential,
                               .given = 1};
    find_scales(sim);
    return perp_fastest_mode(sim, PERP_MODE_LIMIT / sim->settings.step, &sim->scales.fastest,
                             error);
}

// --- the verdict --------------------------------------------------------------------------------

// Rounded down to 1, 2 or 5 times a power of ten.
static double round_down(double h)
{
    double power = pow(10, floor(log10(h))), digit = h / power;
    return power * (digit >= 5 ? 5 : digit >= 2 ? 2 : 1);
}

// How many times shorter: errors of first order, which those of contacts are, fall with h. Shares
// of the energy at play saturate: v of it is lost, or gained, at the rate -ln(1 - v).
static double times_shorter(const PerpSimulation *sim, PerpCheck check, const PerpChecked *checked)
{
    double most = sim->scheme->explicit_springs ? MOST_FIRST_ORDER : MOST_SHORTER;
    double shorter = checked->value / checked->bound;
    if (check == PERP_CHECK_GAIN || check == PERP_CHECK_BALANCE)
        shorter = checked->value < 1 ? log1p(-checked->value) / log1p(-checked->bound) : most;
    return fmin(fmax(shorter, 1.5), most);
}

// h omega with which a check of a run whose springs are not followed should hold; 0: it tells
// nothing of them.
static double mode_aim(const PerpSimulation *sim, PerpCheck check)
{
    if (check == PERP_CHECK_FASTEST_MODE)
        return sim->scheme->explicit_springs ? PERP_MODE_LIMIT / 2 : FOLLOWED;
    if (check == PERP_CHECK_GAIN || check == PERP_CHECK_BALANCE)
        return sim->scheme->explicit_springs ? EXACT_FIRST_ORDER : EXACT;
    return 0;
}

// s
static double remedy(const PerpSimulation *sim, PerpCheck check, const PerpChecked *checked)
{
    double h = sim->settings.step, omega = sim->scales.fastest;
    if (checked->holds || check == PERP_CHECK_SOLVED || check == PERP_CHECK_DIGITS ||
        !(checked->bound > 0) || !isfinite(checked->value))
        return 0;
    double step = h / times_shorter(sim, check, checked), aim = mode_aim(sim, check);
    if (aim > 0 && h * omega > NOT_FOLLOWED)
        step = fmin(step, aim / omega);
    return round_down(step);
}

PerpVerdict perp_simulation_verdict(const PerpSimulation *sim)
{
    const PerpVerdictScales *scales = &sim->scales;
    double at_play = energy_at_play(sim);
    PerpVerdict verdict = {.certified = true,
                           .steps = (long)sim->run.steps,
                           .moved = scales->start_moved,
                           .closed = sim->run.closed,
                           .fastest = scales->fastest,
                           .overlap = scales->start_overlap,
                           .overlap_a = scales->overlap_a,
                           .overlap_b = scales->overlap_b};
    for (int k = 0; k < PERP_CHECK_COUNT; k++) {
        PerpChecked *checked = &verdict.check[k];
        *checked = (PerpChecked){.applies = applies(sim, (PerpCheck)k),
                                 .value = value_of(sim, (PerpCheck)k, at_play),
                                 .bound = bound_of(sim, (PerpCheck)k),
                                 .t = sim->run.at[k]};
        checked->holds = holds(sim, (PerpCheck)k, at_play);
        checked->step = remedy(sim, (PerpCheck)k, checked);
        verdict.certified = verdict.certified && checked->holds;
    }
    return verdict;
}
