// A monotonic clock.
#define _POSIX_C_SOURCE 200809L

#include "common/support.h"

#include <time.h>

double cli_seconds(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}
