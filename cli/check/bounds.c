// The papers' a-priori bounds in a recording: margins read, computed again, compared.
#include "check/bounds.h"

#include "common/support.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void add(BoundMargin *margin, double value, long step)
{
    if (margin->count++ == 0 || value < margin->least) {
        margin->least = value;
        margin->step = step;
    }
}

static PerpStatus fail_memory(PerpError *error)
{
    return error->status = PERP_NO_MEMORY;
}

bool bound_is_of_problems(int kind)
{
    return kind == PERP_BOUND_AP97_STEP || kind == PERP_BOUND_AP97_IMPACT ||
           kind == PERP_BOUND_L82_UNIQUE || kind == PERP_BOUND_ST97_DISSIPATION ||
           kind == PERP_BOUND_ST97_BOUNDED;
}

// --- what the run wrote -------------------------------------------------------------------------

static PerpStatus read_bound(BoundCheck *check, int kind, double *frames, PerpError *error)
{
    char name[64];
    snprintf(name, sizeof name, "bound/%s", perp_bound_name((PerpBoundKind)kind));
    if (!perp_recording_has(check->recording, name))
        return PERP_OK;
    PerpStatus status =
        perp_recording_series(check->recording, name, 0, check->n_frames, frames, error);
    for (long f = 0; !status && f < check->n_frames; f++) {
        check->margin[f * PERP_BOUND_COUNT + kind] = frames[f];
        if (!isnan(frames[f]))
            add(&check->of[kind].recorded, frames[f], (long)check->steps[f]);
    }
    return status;
}

// A series of NaN for the margins to come.
static bool take_frames(BoundCheck *check, BoundSeries *series)
{
    series->frames = calloc((size_t)check->n_frames + 1, sizeof(double));
    for (long f = 0; series->frames && f < check->n_frames; f++)
        series->frames[f] = NAN;
    return series->frames != NULL;
}

PerpStatus bound_check_begin(BoundCheck *check, PerpRecording *recording, PerpError *error)
{
    PerpSimulationSettings settings = perp_recording_settings(recording);
    long frames = perp_recording_info(recording)->frames;
    *check = (BoundCheck){
        .recording = recording, .scheme = settings.scheme, .h = settings.step, .n_frames = frames};
    check->steps = calloc(2 * (size_t)frames + 1, sizeof(double));
    check->margin = calloc(PERP_BOUND_COUNT * (size_t)frames + 1, sizeof(double));
    if (!check->steps || !check->margin)
        return fail_memory(error);
    for (long k = 0; k < PERP_BOUND_COUNT * frames; k++)
        check->margin[k] = NAN;
    PerpStatus status =
        perp_recording_series(recording, "step/number", 0, frames, check->steps, error);
    for (int k = 0; !status && k < PERP_BOUND_COUNT; k++) {
        check->of[k].recorded.slack = check->of[k].computed.slack =
            cli_margin_slack(settings.tolerance);
        status = read_bound(check, k, check->steps + frames, error);
        if (!status && check->of[k].recorded.count > 0 && !take_frames(check, &check->of[k]))
            return fail_memory(error);
    }
    return status;
}

// --- from problems ------------------------------------------------------------------------------

// The frame of a step, -1: there is none
static long find_frame(const BoundCheck *check, long step)
{
    long low = 0, high = check->n_frames;
    while (high - low > 1) {
        long middle = low + (high - low) / 2;
        if (check->steps[middle] <= (double)step)
            low = middle;
        else
            high = middle;
    }
    return check->n_frames > 0 && check->steps[low] == (double)step ? low : -1;
}

static PerpStatus check_uniqueness(BoundCheck *check, const PerpRecordedProblem *stored,
                                   PerpError *error)
{
    BoundSeries *series = &check->of[PERP_BOUND_L82_UNIQUE];
    double margin;
    bool applies;
    long frame = find_frame(check, stored->step);
    PerpStatus status = margin_of_uniqueness(stored, &applies, &margin, error);
    if (status || !applies)
        return status;
    add(&series->computed, margin, stored->step);
    if (series->frames && frame >= 0)
        series->frames[frame] = fmin(margin, series->frames[frame]); // fmin passes over NaN
    return PERP_OK;
}

PerpStatus bound_check_problem(BoundCheck *check, const PerpRecordedProblem *stored,
                               const PerpCertificate *certificate, PerpError *error)
{
    double margin;
    bool found;
    if (certificate->symmetric)
        add(&check->of[PERP_BOUND_AP97_STEP].computed, -certificate->energy_excess, stored->step);
    if (strcmp(check->scheme, "stewart-trinkle") == 0 &&
        margin_of_dissipation(stored, certificate, check->h, &margin)) {
        add(&check->of[PERP_BOUND_ST97_DISSIPATION].computed, margin, stored->step);
        add(&check->of[PERP_BOUND_ST97_BOUNDED].computed, margin_of_speed(certificate),
            stored->step);
    }
    if (!margin_of_impact(&check->compressions, stored, certificate, &found, &margin))
        return fail_memory(error);
    if (found)
        add(&check->of[PERP_BOUND_AP97_IMPACT].computed, margin, stored->step);
    return strcmp(check->scheme, "lotstedt") == 0 ? check_uniqueness(check, stored, error)
                                                  : PERP_OK;
}

// --- from states --------------------------------------------------------------------------------

typedef PerpStatus (*MarginsOfStep)(const MarginStep *step, double margin[PERP_BOUND_COUNT],
                                    PerpError *error);

static MarginsOfStep margins_of(const char *scheme)
{
    static const struct {
        const char *scheme;
        MarginsOfStep margins;
    } schemes[] = {{"trapezoidal", margins_of_pagt06},
                   {"lotstedt", margins_of_l82},
                   {"paoli-schatzman", margins_of_ps02}};
    for (size_t k = 0; k < sizeof schemes / sizeof *schemes; k++)
        if (strcmp(scheme, schemes[k].scheme) == 0)
            return schemes[k].margins;
    return NULL;
}

static bool applies_to(const BoundCheck *check, long frame)
{
    for (int k = 0; k < PERP_BOUND_COUNT; k++)
        if (!isnan(check->margin[frame * PERP_BOUND_COUNT + k]))
            return true;
    return false;
}

// Why the states at both ends do not say enough of the step to a frame; NULL: they do.
static PerpStatus read_step(const BoundCheck *check, long frame, MarginStep *step, const char **why,
                            PerpError *error)
{
    double substeps;
    bool unturned;
    PerpRecording *recording = check->recording;
    PerpStatus status = perp_recording_series(recording, "time", frame - 1, 1, &step->t, error);
    if (!status)
        status = perp_recording_series(recording, "step/length", frame, 1, &step->h, error);
    if (!status)
        status = perp_recording_series(recording, "step/substeps", frame, 1, &substeps, error);
    if (!status)
        status = check_states_unturned(step->states, frame - 1, &unturned, error);
    if (status)
        return status;
    step->recorded = check->margin + frame * PERP_BOUND_COUNT;
    *why = check->steps[frame] != check->steps[frame - 1] + 1
               ? "the step before is not recorded (perp run --every 1)"
           : substeps != 1 ? "divided at collisions or events, whose states are not recorded"
           : !unturned     ? "joints have turned by more than half a turn, or are not recorded"
                           : NULL;
    return PERP_OK;
}

static PerpStatus read_states(CheckStates *states, long frame, PerpError *error)
{
    PerpStatus status =
        perp_recording_state(states->recording, frame - 1, states->q_old, states->v_old, error);
    return status ? status
                  : perp_recording_state(states->recording, frame, states->q, states->v, error);
}

// Differences of forces may be too coarse for 8.1. Any other margin that the run
// recorded and that cannot be computed counts as violated.
static void note(BoundCheck *check, int kind, double margin, const char *why, long frame)
{
    BoundSeries *series = &check->of[kind];
    if (!why && isnan(margin) && kind == PERP_BOUND_PAGT06_GROWTH)
        why = "springs are too short for differences";
    if (why) {
        series->why = series->why ? series->why : why;
        return;
    }
    series->frames[frame] = isnan(margin) ? -INFINITY : margin;
    add(&series->computed, series->frames[frame], (long)check->steps[frame]);
}

static PerpStatus check_step(BoundCheck *check, CheckStates *states, MarginsOfStep margins,
                             long frame, PerpError *error)
{
    const char *why;
    double margin[PERP_BOUND_COUNT];
    MarginStep step = {.states = states};
    PerpStatus status = read_step(check, frame, &step, &why, error);
    if (status)
        return status;
    for (int k = 0; k < PERP_BOUND_COUNT; k++)
        margin[k] = NAN;
    if (!why)
        status = read_states(states, frame, error);
    if (!why && !status)
        status = margins(&step, margin, error);
    for (int k = 0; !status && k < PERP_BOUND_COUNT; k++)
        if (!isnan(step.recorded[k]) && !bound_is_of_problems(k))
            note(check, k, margin[k], why, frame);
    return status;
}

// --- the comparison -----------------------------------------------------------------------------

// By how much margins, which are relative numbers, may differ and be the same: but for rounding;
// in 8.1 derivatives are differences of forces; in (3.7) states are those after drift was taken
// back; in 5.2 it is a hundredth of what the run calls unique.
static double tolerance(int kind)
{
    bool is_growth = kind == PERP_BOUND_PAGT06_GROWTH || kind == PERP_BOUND_L82_GROWTH;
    return is_growth ? 1e-9 : kind == PERP_BOUND_L82_UNIQUE ? 1e-10 : 1e-12;
}

static void compare(BoundCheck *check, int kind)
{
    BoundSeries *series = &check->of[kind];
    for (long f = 0; series->frames && f < check->n_frames; f++) {
        double recorded = check->margin[f * PERP_BOUND_COUNT + kind];
        double off = fabs(recorded - series->frames[f]);
        if (isnan(off))
            continue;
        series->compared++;
        series->most = fmax(series->most, off);
        if (off <= tolerance(kind))
            continue;
        if (series->wrong++ > 0)
            continue;
        series->wrong_step = (long)check->steps[f];
        series->wrong_recorded = recorded;
        series->wrong_computed = series->frames[f];
    }
}

static bool can_compute(const BoundCheck *check)
{
    return margins_of(check->scheme) && perp_recording_has(check->recording, "q") &&
           perp_recording_has(check->recording, "step/substeps");
}

PerpStatus bound_check_steps(BoundCheck *check, PerpError *error)
{
    CheckStates states;
    PerpStatus status = PERP_OK;
    bool wanted = false;
    for (long f = 1; f < check->n_frames && !wanted; f++)
        wanted = applies_to(check, f);
    if (wanted && can_compute(check)) {
        status = check_states_open(&states, check->recording, error);
        for (long f = 1; !status && f < check->n_frames; f++)
            if (applies_to(check, f))
                status = check_step(check, &states, margins_of(check->scheme), f, error);
        check_states_close(&states);
    }
    for (int k = 0; !status && k < PERP_BOUND_COUNT; k++)
        compare(check, k);
    return status;
}

void bound_check_free(BoundCheck *check)
{
    for (int k = 0; k < PERP_BOUND_COUNT; k++)
        free(check->of[k].frames);
    free(check->steps);
    free(check->margin);
    compressions_free(&check->compressions);
}
