// How the steps of a recording were answered, by its series.
#ifndef PERP_CLI_COMMON_STEP_OUTCOMES_H
#define PERP_CLI_COMMON_STEP_OUTCOMES_H

#include "perp/recording.h"

#include <stdbool.h>
#include <stdio.h>

typedef struct StepOutcomes {
    bool known;               // step/outcome is recorded
    long exact, held, missed; // recorded steps: on the exact law, with slip held, neither
    double gap_error;         // m: the largest with slip held
    bool judged;              // verdict/unmet is recorded
    unsigned unmet;           // checks of the verdict that do not hold at the last frame, as bits
} StepOutcomes;

PerpStatus cli_count_outcomes(PerpRecording *recording, StepOutcomes *outcomes, PerpError *error);

// "158 on the exact law, 2 with slip held (gaps off by at most 0.0753 um), 0 missed"
void cli_print_outcomes(FILE *out, const StepOutcomes *outcomes);
// At the last frame: "certified", "not certified: energy-gain, overlap", or "not recorded".
const char *cli_verdict_words(const StepOutcomes *outcomes, char *text, int size);
// Members of a JSON object, a comma before each; nothing if they are not known.
void cli_print_outcomes_json(FILE *out, const StepOutcomes *outcomes);

#endif
