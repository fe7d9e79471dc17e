// Any bytes through the JSON reader. It fails with a message, or gives a problem that is sound.
#include "io/problem/problem_file.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    PerpProblemFile *file;
    PerpError error = {0};
    PerpStatus status = perp_file_parse(NULL, (const char *)data, size, "fuzz", &file, &error);
    if ((status == PERP_OK) != (file != NULL) || (status && error.message[0] == '\0'))
        abort();
    if (file && perp_problem_file_kind(file) == PERP_PROBLEM_FILE_STEP &&
        perp_problem_check(perp_problem_file_step(file), NULL))
        abort();
    perp_problem_file_destroy(file);
    return 0;
}
