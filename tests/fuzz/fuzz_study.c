// Any bytes through the reader of studies. It fails with a message and a place, or gives a study
// whose cases can be computed.
#include "study/study.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    PerpStudy *study;
    PerpError error = {0};
    double parameters[PERP_STUDY_NAMES];
    PerpStatus status =
        perp_study_parse(NULL, (const char *)data, size, "studies/fuzz", &study, &error);
    if ((status == PERP_OK) != (study != NULL))
        abort();
    if (status && (error.message[0] == '\0' || error.line < 1 || error.column < 1))
        abort();
    if (study) {
        long points = perp_study_info(study)->points;
        for (int k = 0; k < 8; k++)
            perp_study_case(study, points * k / 8, parameters);
    }
    perp_study_destroy(study);
    return 0;
}
