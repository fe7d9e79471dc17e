// SIGINT and SIGTERM as a request that a run ends after its step.
#define _POSIX_C_SOURCE 200809L

#include "common/interrupt.h"

#include <signal.h>
#include <stddef.h>

static volatile sig_atomic_t requested;

static void request(int signal)
{
    (void)signal;
    requested = 1;
}

// The second signal ends the program at once, should a step take too long.
void interrupt_catch(void)
{
    struct sigaction action = {.sa_handler = request, .sa_flags = SA_RESETHAND | SA_RESTART};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
}

bool interrupt_requested(void)
{
    return requested != 0;
}
