// How the steps of a recording were answered, by its series.
#include "common/step_outcomes.h"

#include "common/json.h"

#include "perp/verdict.h"

enum { AT_ONCE = 256 }; // frames

static void add(StepOutcomes *outcomes, double step, double outcome, double gap_error)
{
    if (step == 0) // the start
        return;
    bool held = outcome == PERP_OUTCOME_HELD, exact = outcome == PERP_OUTCOME_SOLVED;
    outcomes->exact += exact;
    outcomes->held += held;
    outcomes->missed += !exact && !held;
    if (held && gap_error > outcomes->gap_error)
        outcomes->gap_error = gap_error;
}

static PerpStatus count_some(PerpRecording *recording, long first, long count,
                             StepOutcomes *outcomes, PerpError *error)
{
    double step[AT_ONCE], outcome[AT_ONCE], gap_error[AT_ONCE] = {0};
    PerpStatus status = perp_recording_series(recording, "step/number", first, count, step, error);
    if (!status)
        status = perp_recording_series(recording, "step/outcome", first, count, outcome, error);
    if (!status && perp_recording_has(recording, "held/gap_error"))
        status = perp_recording_series(recording, "held/gap_error", first, count, gap_error, error);
    for (long k = 0; !status && k < count; k++)
        add(outcomes, step[k], outcome[k], gap_error[k]);
    return status;
}

static PerpStatus read_verdict(PerpRecording *recording, long frames, StepOutcomes *outcomes,
                               PerpError *error)
{
    double unmet = 0;
    outcomes->judged = frames > 0 && perp_recording_has(recording, "verdict/unmet");
    if (!outcomes->judged)
        return PERP_OK;
    PerpStatus status =
        perp_recording_series(recording, "verdict/unmet", frames - 1, 1, &unmet, error);
    outcomes->unmet = unmet > 0 && unmet < (double)(1u << PERP_CHECK_COUNT) ? (unsigned)unmet : 0;
    return status;
}

const char *cli_verdict_words(const StepOutcomes *outcomes, char *text, int size)
{
    int length = snprintf(text, (size_t)size, "%s",
                          !outcomes->judged  ? "not recorded"
                          : !outcomes->unmet ? "certified"
                                             : "not certified: ");
    const char *separator = "";
    for (int k = 0; k < PERP_CHECK_COUNT && length < size; k++)
        if (outcomes->judged && outcomes->unmet & 1u << k) {
            length += snprintf(text + length, (size_t)(size - length), "%s%s", separator,
                               perp_check_name((PerpCheck)k));
            separator = ", ";
        }
    return text;
}

PerpStatus cli_count_outcomes(PerpRecording *recording, StepOutcomes *outcomes, PerpError *error)
{
    long frames = perp_recording_info(recording)->frames;
    PerpStatus status = PERP_OK;
    *outcomes = (StepOutcomes){.known = perp_recording_has(recording, "step/outcome")};
    for (long k = 0; outcomes->known && !status && k < frames; k += AT_ONCE)
        status =
            count_some(recording, k, frames - k < AT_ONCE ? frames - k : AT_ONCE, outcomes, error);
    return status ? status : read_verdict(recording, frames, outcomes, error);
}

void cli_print_outcomes(FILE *out, const StepOutcomes *outcomes)
{
    if (!outcomes->known) {
        fputs("not recorded", out);
        return;
    }
    fprintf(out, "%ld on the exact law, %ld with slip held", outcomes->exact, outcomes->held);
    if (outcomes->held > 0)
        fprintf(out, " (gaps off by at most %.3g um)", 1e6 * outcomes->gap_error);
    fprintf(out, ", %ld missed", outcomes->missed);
}

void cli_print_outcomes_json(FILE *out, const StepOutcomes *outcomes)
{
    char text[256];
    if (!outcomes->known)
        return;
    fprintf(out, ", \"exact_steps\": %ld, \"held_steps\": %ld, \"missed_steps\": %ld",
            outcomes->exact, outcomes->held, outcomes->missed);
    json_member(out, ", ", "gap_error", outcomes->gap_error);
    if (outcomes->judged)
        json_text(out, ", ", "verdict", cli_verdict_words(outcomes, text, sizeof text));
}
