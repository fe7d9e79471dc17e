// Verifies what a recording says: certificates from the stored problems, energies and sensors from
// the states, the papers' a-priori bounds.
#include "check/recording.h"
#include "common/json.h"

#include "check/bounds.h"
#include "check/sensors.h"
#include "common/step_outcomes.h"
#include "common/support.h"

#include "perp/recording.h"
#include "perp/system.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double ROUNDING = 1e-9; // relative: margins may be negative by as much

typedef struct Verdict {
    const char *path;
    long problems, wrong_problems; // stored; whose certificate is not the stored one
    long exact, held, missed;      // of them, by the certificates computed anew
    double worst;                  // certificate on the exact law, of those not held
    long worst_step;               //
    double worst_held;             // certificate of the law with slip held, of those held
    long worst_held_step;          //
    StepOutcomes steps;            // as recorded
    long energies, wrong_energies; // frames
    double energy_error;           // J, largest difference
    long first_wrong_frame;        // of energies, -1: none
    long ledgers;                  // frames whose ledger does not add up
    long springs;                  // frames whose springs were not computed: turned too far
    BoundCheck bounds;
    SensorCheck sensors;
} Verdict;

// --- certificates -------------------------------------------------------------------------------

// What the law with slip held speaks of: circular groups, at most one a contact, no cohesion.
static bool suits_held(const PerpProblem *p)
{
    for (int g = 0; g < p->n_groups; g++)
        if (!p->group_circular || !p->group_circular[g] || p->cohesion[g] != 0 ||
            (g > 0 && p->group_contact[g] == p->group_contact[g - 1]))
            return false;
    return true;
}

static bool is_same_held(const PerpHeld *a, const PerpHeld *b)
{
    return a->residual == b->residual && a->gap_speed == b->gap_speed && a->contacts == b->contacts;
}

// Answered with slip held: that law, to the run's tolerance of it, and as it was recorded.
static PerpStatus verify_held(const PerpRecordedProblem *stored, double tolerance, Verdict *verdict,
                              bool *same, PerpError *error)
{
    PerpHeld held;
    PerpStatus status = perp_certify_held(NULL, &stored->problem, stored->v, stored->c,
                                          stored->slip_held, &held, error);
    if (status)
        return status;
    bool is_within = suits_held(&stored->problem) && held.residual <= tolerance;
    verdict->held += is_within;
    verdict->missed += !is_within;
    *same = *same && is_within && is_same_held(&held, &stored->held);
    if (!(held.residual <= verdict->worst_held)) {
        verdict->worst_held = held.residual;
        verdict->worst_held_step = stored->step;
    }
    return PERP_OK;
}

static void judge_exact(const PerpRecordedProblem *stored, double worst, double tolerance,
                        Verdict *verdict)
{
    verdict->exact += worst <= tolerance;
    verdict->missed += !(worst <= tolerance);
    if (worst > verdict->worst) {
        verdict->worst = worst;
        verdict->worst_step = stored->step;
    }
}

static PerpStatus verify_problem(PerpRecording *recording, long index,
                                 const PerpSimulationSettings *settings, Verdict *verdict,
                                 PerpError *error)
{
    PerpRecordedProblem stored;
    PerpCertificate certificate;
    PerpStatus status = perp_recording_problem(recording, index, &stored, error);
    if (!status)
        status = perp_certify(NULL, &stored.problem, stored.v, stored.c, stored.lambda,
                              &certificate, error);
    if (status)
        return status;
    bool same = memcmp(certificate.residual, stored.residual, sizeof stored.residual) == 0;
    if (stored.outcome == PERP_OUTCOME_HELD)
        status = verify_held(&stored, settings->held_tolerance, verdict, &same, error);
    else
        judge_exact(&stored, certificate.worst, settings->tolerance, verdict);
    verdict->wrong_problems += !same;
    return status ? status : bound_check_problem(&verdict->bounds, &stored, &certificate, error);
}

static PerpStatus verify_problems(PerpRecording *recording, Verdict *verdict, PerpError *error)
{
    PerpStatus status = PERP_OK;
    PerpSimulationSettings settings = perp_recording_settings(recording);
    verdict->problems = perp_recording_problems(recording);
    for (long k = 0; !status && k < verdict->problems; k++)
        status = verify_problem(recording, k, &settings, verdict, error);
    return status;
}

// --- energies -----------------------------------------------------------------------------------

static const char *const LEDGER[] = {"energy/kinetic", "energy/gravity",  "energy/spring",
                                     "energy/work",    "energy/friction", "energy/impact",
                                     "energy/damper",  "energy/scheme"};
enum { KINETIC, GRAVITY, SPRING, WORK, FRICTION, IMPACT, DAMPER, SCHEME, LEDGERS };

static PerpStatus read_ledger(PerpRecording *recording, long frame, double ledger[LEDGERS],
                              PerpError *error)
{
    PerpStatus status = PERP_OK;
    for (int k = 0; !status && k < LEDGERS; k++)
        status = perp_recording_series(recording, LEDGER[k], frame, 1, &ledger[k], error);
    return status;
}

// stored = start + work - friction - impact - damper - scheme, to rounding
static bool adds_up(const double start[LEDGERS], const double now[LEDGERS])
{
    double stored = now[KINETIC] + now[GRAVITY] + now[SPRING];
    double first = start[KINETIC] + start[GRAVITY] + start[SPRING];
    double sum = first + now[WORK] - now[FRICTION] - now[IMPACT] - now[DAMPER] - now[SCHEME];
    double scale = fabs(first);
    for (int k = 0; k < LEDGERS; k++)
        scale = fmax(scale, fabs(now[k]));
    return fabs(stored - sum) <= ROUNDING * scale;
}

// A start from which the ledger adds up now: what a program gave or took in between is in no other
// number.
static void begin_ledger(const double now[LEDGERS], double start[LEDGERS])
{
    memset(start, 0, LEDGERS * sizeof *start);
    start[KINETIC] = now[KINETIC] + now[GRAVITY] + now[SPRING] - now[WORK] + now[FRICTION] +
                     now[IMPACT] + now[DAMPER] + now[SCHEME];
}

// NaN is larger than all, as fmax has it not: what is no number differs.
static double larger(double a, double b)
{
    return a > b || isnan(a) ? a : b;
}

// Kinetic and potential energy from the state. Where angles turned too far for their springs the
// ledger's sum covers them.
static PerpStatus verify_frame(CheckStates *states, long frame, double start[LEDGERS],
                               Verdict *verdict, PerpError *error)
{
    double ledger[LEDGERS];
    bool unturned, gives;
    PerpEnergy energy;
    PerpStatus status = check_states_follow(states, frame, &gives, error);
    if (!status)
        status = perp_recording_state(states->recording, frame, states->q, states->v, error);
    if (!status)
        status = check_states_unturned(states, frame, &unturned, error);
    if (!status)
        status = read_ledger(states->recording, frame, ledger, error);
    if (status)
        return status;
    perp_simulation_energy_at(states->simulation, states->q, states->v, &energy);
    double wrong =
        larger(fabs(energy.kinetic - ledger[KINETIC]), fabs(energy.gravity - ledger[GRAVITY]));
    if (unturned)
        wrong = larger(wrong, fabs(energy.spring - ledger[SPRING]));
    verdict->springs += !unturned;
    verdict->energies++;
    verdict->energy_error = larger(verdict->energy_error, wrong);
    if (wrong != 0 && verdict->wrong_energies++ == 0)
        verdict->first_wrong_frame = frame;
    if (gives)
        begin_ledger(ledger, start);
    verdict->ledgers += !adds_up(start, ledger);
    return PERP_OK;
}

static PerpStatus verify_energies(PerpRecording *recording, Verdict *verdict, PerpError *error)
{
    double start[LEDGERS];
    long frames = perp_recording_info(recording)->frames;
    CheckStates states;
    if (!perp_recording_has(recording, "q") || !perp_recording_has(recording, "energy/kinetic") ||
        frames < 2)
        return PERP_OK;
    PerpStatus status = check_states_open(&states, recording, error);
    bool gives;
    if (!status)
        status = check_states_follow(&states, 0, &gives, error);
    if (!status)
        status = perp_recording_state(recording, 0, states.q, states.v, error);
    if (!status) { // the first frame's report is of no step yet
        PerpEnergy energy;
        perp_simulation_energy_at(states.simulation, states.q, states.v, &energy);
        memset(start, 0, sizeof start);
        start[KINETIC] = energy.kinetic;
        start[GRAVITY] = energy.gravity;
        start[SPRING] = energy.spring;
    }
    for (long k = 1; !status && k < frames; k++)
        status = verify_frame(&states, k, start, verdict, error);
    check_states_close(&states);
    return status;
}

// --- reports ------------------------------------------------------------------------------------

static bool is_sound(const Verdict *v)
{
    return v->wrong_problems == 0 && v->wrong_energies == 0 && v->ledgers == 0 &&
           v->sensors.wrong == 0 && bound_check_holds(&v->bounds);
}

static void print_certificates(const Verdict *v)
{
    if (v->problems == 0) {
        puts("certificates  no problems are stored; perp run --record-problems stores them");
        return;
    }
    printf("certificates  %ld problems, %ld differ from what was recorded; worst %.3e in step "
           "%ld\n",
           v->problems, v->wrong_problems, v->worst, v->worst_step);
    printf("  laws        %ld exact, %ld with slip held, %ld missed", v->exact, v->held, v->missed);
    if (v->worst_held_step > 0)
        printf("; worst with slip held %.3e in step %ld", v->worst_held, v->worst_held_step);
    putchar('\n');
}

static void print_sensors(const SensorCheck *s)
{
    if (s->frames == 0)
        return;
    printf("sensors       %ld numbers in %ld frames, %ld differ", s->numbers, s->frames, s->wrong);
    if (s->wrong > 0)
        printf(", first in frame %ld", s->first_wrong_frame);
    if (s->left_out > 0)
        printf("; %ld are not told by what is recorded", s->left_out);
    putchar('\n');
}

static void print_text(const Verdict *v)
{
    printf("recording     %s\n", v->path);
    printf("steps         ");
    cli_print_outcomes(stdout, &v->steps);
    putchar('\n');
    print_certificates(v);
    if (v->energies > 0)
        printf("energies      %ld frames, %ld differ, by at most %.3e J; %ld ledgers do not add "
               "up\n",
               v->energies, v->wrong_energies, v->energy_error, v->ledgers);
    else
        puts("energies      states or energies are not recorded");
    if (v->springs > 0)
        printf(
            "springs       left out in %ld frames: joints turned by more than half a turn, or are "
            "not recorded\n",
            v->springs);
    print_sensors(&v->sensors);
    bound_check_print(stdout, &v->bounds);
    printf("result        %s\n", is_sound(v) ? "holds" : "does not hold what it says");
}

static void print_json(const Verdict *v)
{
    json_text(stdout, "{", "recording", v->path);
    printf(", \"holds\": %s", is_sound(v) ? "true" : "false");
    printf(",\n \"problems\": %ld, \"wrong_problems\": %ld", v->problems, v->wrong_problems);
    json_member(stdout, ", ", "certificate", v->worst);
    printf(",\n \"exact_problems\": %ld, \"held_problems\": %ld, \"missed_problems\": %ld",
           v->exact, v->held, v->missed);
    json_member(stdout, ", ", "held_residual", v->worst_held);
    cli_print_outcomes_json(stdout, &v->steps);
    printf(",\n \"energies\": %ld, \"wrong_energies\": %ld, \"wrong_ledgers\": %ld", v->energies,
           v->wrong_energies, v->ledgers);
    json_member(stdout, ", ", "energy_error", v->energy_error);
    printf(", \"springs_left_out\": %ld", v->springs);
    printf(",\n \"sensors\": %ld, \"wrong_sensors\": %ld, \"sensors_left_out\": %ld",
           v->sensors.numbers, v->sensors.wrong, v->sensors.left_out);
    bound_check_json(stdout, &v->bounds);
    puts("}");
}

CliExit check_recording(const char *path, bool json)
{
    PerpRecording *recording;
    PerpError error = {0};
    Verdict verdict = {.path = path, .first_wrong_frame = -1};
    PerpStatus status = perp_recording_open(NULL, path, &recording, &error);
    if (!status)
        status = cli_count_outcomes(recording, &verdict.steps, &error);
    if (!status)
        status = bound_check_begin(&verdict.bounds, recording, &error);
    if (!status)
        status = verify_problems(recording, &verdict, &error);
    if (!status)
        status = verify_energies(recording, &verdict, &error);
    if (!status)
        status = sensor_check(recording, &verdict.sensors, &error);
    if (!status)
        status = bound_check_steps(&verdict.bounds, &error);
    if (!status && json)
        print_json(&verdict);
    else if (!status)
        print_text(&verdict);
    perp_recording_close(recording);
    bound_check_free(&verdict.bounds);
    if (status)
        return cli_complain_of_error(&error);
    return is_sound(&verdict) ? CLI_OK : CLI_MISMATCH;
}
