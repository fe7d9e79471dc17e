#define _POSIX_C_SOURCE 200809L
#include "base/clock.h"

#include <time.h>

double perp_thread_seconds(void)
{
#ifdef CLOCK_THREAD_CPUTIME_ID
    struct timespec time;
    if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time) == 0)
        return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
#endif
    return (double)clock() / CLOCKS_PER_SEC;
}
