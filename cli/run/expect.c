// Expectations: what the scene says of its outcome, beside what was measured.
#include "run/run.h"

#include <math.h>
#include <string.h>

static const int numbers_of_kind[PERP_EXPECT_KIND_COUNT] = {
#define EXPECT_NUMBERS(name, word, numbers) numbers,
    PERP_EXPECT_LIST(EXPECT_NUMBERS)
#undef EXPECT_NUMBERS
};

// The end of the run is the one that the scene gives, whatever -t says.
double run_due_time(const Run *run, const PerpExpectation *expectation)
{
    return isinf(expectation->time) ? perp_scene_run(run->opened.scene)->duration
                                    : expectation->time;
}

static double measure_bound(const RunTally *tally, PerpExpectKind kind)
{
    switch (kind) {
    case PERP_EXPECT_ENERGY_ERROR:
        return tally->balance;
    case PERP_EXPECT_PENETRATION:
        return tally->penetration;
    case PERP_EXPECT_JOINT_GAP:
        return tally->joint_gap;
    default:
        return tally->certificate.worst;
    }
}

static void measure_body(const PerpSimulation *simulation, const PerpExpectation *expectation,
                         double measured[3])
{
    double position[3], rotation[4], velocity[3], spin[3];
    perp_simulation_pose(simulation, expectation->body, position, rotation);
    perp_simulation_velocity(simulation, expectation->body, velocity, spin);
    switch (expectation->kind) {
    case PERP_EXPECT_VELOCITY:
        memcpy(measured, velocity, sizeof velocity);
        break;
    case PERP_EXPECT_SPIN:
        memcpy(measured, spin, sizeof spin);
        break;
    case PERP_EXPECT_HEIGHT:
        measured[0] = position[2];
        break;
    default:
        memcpy(measured, position, sizeof position);
    }
}

static void judge(const Run *run, const PerpExpectation *expectation, RunOutcome *outcome)
{
    int numbers = numbers_of_kind[expectation->kind];
    outcome->t = perp_simulation_time(run->simulation);
    outcome->count = numbers > 0 ? numbers : 1;
    if (expectation->sensor >= 0) {
        double values[PERP_SENSOR_NUMBERS];
        perp_simulation_sensor(run->simulation, expectation->sensor, values);
        memcpy(outcome->measured, values, (size_t)numbers * sizeof(double));
    } else if (numbers == 0)
        outcome->measured[0] = measure_bound(&run->tally, expectation->kind);
    else
        measure_body(run->simulation, expectation, outcome->measured);
    outcome->verdict = RUN_MET;
    for (int k = 0; k < outcome->count; k++)
        if (!(fabs(outcome->measured[k] - expectation->value[k]) <= expectation->within))
            outcome->verdict = RUN_MISSED;
}

void run_check_expectations(Run *run)
{
    double reached = perp_simulation_time(run->simulation) + run->settings.step / 2;
    for (int k = 0; k < perp_scene_expectations(run->opened.scene); k++) {
        const PerpExpectation *expectation = perp_scene_expectation(run->opened.scene, k);
        if (run->outcomes[k].verdict == RUN_NOT_REACHED &&
            run_due_time(run, expectation) <= reached)
            judge(run, expectation, &run->outcomes[k]);
    }
}

int run_missed_expectations(const Run *run)
{
    int missed = 0;
    for (int k = 0; k < perp_scene_expectations(run->opened.scene); k++)
        missed += run->outcomes[k].verdict == RUN_MISSED;
    return missed;
}
