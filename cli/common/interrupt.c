// SIGINT, SIGTERM and SIGHUP as a request that a run ends in order.
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

static bool is_ignored(int signal)
{
    struct sigaction now;
    return sigaction(signal, NULL, &now) == 0 && now.sa_handler == SIG_IGN;
}

// The second signal ends the program at once, should the first take too long. nohup ignores SIGHUP,
// which must stay so.
void interrupt_catch(void)
{
    struct sigaction action = {.sa_handler = request, .sa_flags = SA_RESETHAND | SA_RESTART};
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    if (!is_ignored(SIGHUP))
        sigaction(SIGHUP, &action, NULL);
}

bool interrupt_requested(void)
{
    return requested != 0;
}
