// The event-driven method of L82. A step is an interval of output; inside it the motion is followed
// from event to event:
//
//     impulses                  M (v2 - v1) = G Lambda                     (2.10)-(2.11), (3.9)
//     accelerations             M a = f + G lambda,  0 <= delta perp lambda >= 0          (2.5)
//     the active set            what they and their derivatives leave               [section 5]
//     smooth motion             M a = f - G'(..)^-1 (G''M^-1 f + dG'/dt' v)     (4.6) by CVODE
//
// up to the next event. Constraints are treated as bilateral in between; what drifts is put back at
// events and at the end of the step.

#include "step/event_driven/mode.h"

#include "base/error.h"
#include "math/dense.h"

#include <math.h>
#include <string.h>

static const double AHEAD = 1e-4;  // s: at most, for the derivatives of (2.9)
static const double OVER = 1e-9;   // s: past a place where the geometry of a contact changes
static const double LEAST = 1e-13; // s, of 1 + t: what is left of a step that is not worth a start
static const double SHORT = 1e-5;  // s: a shorter interval between events is one of a series
enum { EVENTS = 1000, STUCK = 50, TENFOLD = 8, WARN = 24 };

// --- the bound on velocities (3.7) --------------------------------------------------------------

typedef struct Growth {
    double S, t;  // at the beginning of the step
    double force; // largest sqrt(f'M^-1 f) seen
    double turn;  // largest |C^-1 dM/dt C^-T|/2 seen
} Growth;

// |C^-1 dM/dt C^-T| <= its Frobenius norm, sqrt(tr(X X)) with X = M^-1 dM/dt; 0 in rigid systems
static PerpStatus mass_rate(PerpSimulation *sim, const PerpStage *at, double *norm,
                            PerpError *error)
{
    PerpStage later;
    double fastest = perp_max_abs(sim->n_v, sim->state.v), tau = 0x1p-20 / fastest, sum = 0;
    int n = sim->n_v;
    *norm = 0;
    if (!sim->custom || !(fastest > 0))
        return PERP_OK;
    double *q = PERP_TAKE(&sim->arena, double, sim->n_q);
    double *X = PERP_TAKE(&sim->arena, double, n *n);
    if (!q || !X)
        return perp_fail_memory(error);
    sim->system->advance(sim, sim->state.q, sim->state.v, tau, q);
    PerpStatus status = perp_stage_assemble(sim, q, -INFINITY, 0, &later, error);
    for (int i = 0; i < n * n && !status; i++)
        X[i] = (later.rows.problem.Mt[i] - at->rows.problem.Mt[i]) / tau;
    if (!status)
        status = perp_stage_divide(sim, at, n, X, error);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            sum += X[i + n * j] * X[j + n * i];
    *norm = sqrt(fmax(sum, 0));
    return status;
}

// S = |C'v|, and what may make it grow, at the state.
static PerpStatus measure_growth(PerpSimulation *sim, const PerpMode *mode, Growth *growth,
                                 double *S, PerpError *error)
{
    PerpStage stage;
    PerpAcceleration motion;
    double turn;
    PerpStatus status = perp_stage_assemble(sim, sim->state.q, -INFINITY, 0, &stage, error);
    if (!status)
        status = mass_rate(sim, &stage, &turn, error);
    if (!status)
        status = perp_mode_accelerate(sim, mode, sim->state.t, sim->state.q, sim->state.v, &motion,
                                      error);
    if (status)
        return status;
    *S = sqrt(2 * perp_stage_kinetic(&stage, sim->state.v));
    growth->force = fmax(growth->force, motion.lost ? 0 : motion.force);
    growth->turn = fmax(growth->turn, turn / 2);
    return PERP_OK;
}

// S(t) <= (S(0) + c/k) exp(k t) - c/k  with  c = sup sqrt(f'M^-1 f),  k = sup |C^-1 dM/dt C^-T|/2,
// which is (3.7) with its norms taken in the metric of M, where they are smallest
static void promise_growth(PerpSimulation *sim, const PerpMode *mode, const Growth *growth,
                           double S)
{
    if (mode->n_boxes > 0) // motors are moving constraints
        return;
    double t = sim->state.t - growth->t, kt = growth->turn * t;
    double spread = kt > 0 ? expm1(kt) / kt : 1;
    double bound = growth->S * exp(kt) + growth->force * t * spread;
    if (bound > 0)
        perp_step_bound(sim, PERP_BOUND_L82_GROWTH, (bound - S) / bound);
}

// --- reports ------------------------------------------------------------------------------------

// Contacts at the end of the step with the impulses that their forces there have in h.
static PerpStatus report_contacts(PerpSimulation *sim, const PerpMode *mode, double h,
                                  PerpError *error)
{
    PerpModeRows rows;
    PerpAcceleration motion;
    PerpStatus status =
        perp_mode_accelerate(sim, mode, sim->state.t, sim->state.q, sim->state.v, &motion, error);
    if (!status)
        status = perp_mode_rows(sim, mode, sim->state.q, sim->state.v, PERP_CLOSED, &rows, error);
    if (status)
        return status;
    rows.stage.c = PERP_TAKE(&sim->arena, double, perp_problem_rows(&rows.stage.rows.problem));
    if (!rows.stage.c)
        return perp_fail_memory(error);
    rows.stage.q = sim->state.q;
    rows.stage.before = rows.stage.v = sim->state.v;
    for (int k = 0; k < mode->n_held && !rows.lost && !motion.lost; k++)
        perp_mode_put_forces(&rows, mode, k, sim->state.v, motion.lambda, h, rows.stage.c);
    sim->report.contacts = rows.stage.rows.problem.n_contacts;
    return perp_stage_report_contacts(sim, &rows.stage, error);
}

// --- the loop -----------------------------------------------------------------------------------

// Past a place where the rows of a contact change: no motion to speak of.
static void step_over(PerpSimulation *sim, double stop)
{
    double tau = fmin(OVER, stop - sim->state.t);
    sim->system->advance(sim, sim->state.q, sim->state.v, tau, sim->scratch.q);
    perp_step_go(sim, sim->scratch.q, sim->state.t + tau);
}

// From one event to the next.
static PerpStatus go_on(PerpSimulation *sim, double stop, Growth *growth, PerpMode *mode,
                        PerpError *error)
{
    PerpSmoothEnd why;
    double S;
    PerpStatus status = perp_impulse(sim, error);
    if (!status)
        status = perp_mode_decide(sim, fmin(AHEAD, (stop - growth->t) / 10), mode, error);
    if (!status)
        status = measure_growth(sim, mode, growth, &S, error);
    if (!status)
        status = perp_smooth_motion(sim, mode, stop, &why, error);
    if (!status)
        status = measure_growth(sim, mode, growth, &S, error);
    if (!status)
        promise_growth(sim, mode, growth, S);
    if (!status && why == PERP_SMOOTH_LOST)
        step_over(sim, stop);
    return status;
}

// Impacts without bounce can accumulate too, where they open one contact and close another, and so
// can slips that begin and end; the speeds of such a series fall to 0 in the limit. The longer it
// lasts the larger the speed (and slip acceleration) that counts as rest, ten times for every eight
// events: so the limit is reached.
static void pass_accumulation(PerpSimulation *sim, double interval, int *series)
{
    *series = interval < SHORT ? *series + 1 : 0;
    if (*series == WARN)
        perp_step_warn(sim,
                       "t = %.9g s: a series of more than %d events, less than %g s apart, is "
                       "taken as its limit: slow contacts count as resting, slow slips as sticking",
                       sim->state.t, WARN, SHORT);
    sim->threshold.rest = fmin(PERP_AT_REST * pow(10, *series / TENFOLD), PERP_LARGEST_REST);
}

static PerpStatus begin(PerpSimulation *sim, Growth *growth, PerpError *error)
{
    PerpStage stage;
    sim->threshold.bounce = fmax(sim->settings.restitution_threshold, PERP_SLOWEST_BOUNCE);
    PerpStatus status = perp_step_measure(sim, error);
    if (!status && sim->report.penetration > PERP_CLOSED) // scenes may begin with overlaps
        status = perp_project(sim, error);
    if (!status)
        status = perp_stage_assemble(sim, sim->state.q, -INFINITY, 0, &stage, error);
    if (!status)
        *growth =
            (Growth){.S = sqrt(2 * perp_stage_kinetic(&stage, sim->state.v)), .t = sim->state.t};
    return status;
}

static PerpStatus finish(PerpSimulation *sim, double stop, double h, PerpMode *mode,
                         PerpError *error)
{
    sim->state.t = stop;
    PerpStatus status = perp_mode_project(sim, mode, error);
    if (!status)
        status = report_contacts(sim, mode, h, error);
    return status ? status : perp_step_measure(sim, error);
}

static PerpStatus step(PerpSimulation *sim, double h, PerpError *error)
{
    Growth growth;
    PerpMode mode;
    double stop = sim->state.t + h;
    PerpStatus status = begin(sim, &growth, error);
    int stuck = 0, series = 0;
    sim->threshold.rest = PERP_AT_REST;
    for (int events = 0; !status && (events == 0 || stop - sim->state.t > LEAST * (1 + stop));
         events++) {
        double t = sim->state.t;
        PerpArenaMark mark = perp_arena_mark(&sim->arena);
        status = go_on(sim, stop, &growth, &mode, error);
        pass_accumulation(sim, sim->state.t - t, &series);
        stuck = sim->state.t - t > LEAST * (1 + stop) ? 0 : stuck + 1;
        if (!status && (stuck > STUCK || events > EVENTS))
            status = perp_fail(error, PERP_NOT_SOLVED,
                               "t = %.9g s: the active set does not settle (%d events in the "
                               "step); a larger restitution threshold may help",
                               sim->state.t, events);
        sim->report.iterations = events;
        sim->report.substeps += events > 0;
        if (stop - sim->state.t > LEAST * (1 + stop))
            perp_arena_release(&sim->arena, mark);
    }
    return status ? status : finish(sim, stop, h, &mode, error);
}

const PerpScheme perp_scheme_lotstedt = {
    .name = "lotstedt",
    .text = "L82: event-driven, smooth motion by CVODE, impacts by Newton's law",
    .facets = 8,
    .step = step,
};
