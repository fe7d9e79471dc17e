// A library for LD_PRELOAD under which cases of a study go wrong: sin(x) crashes the process for
// x = 1301, never ends for 1302, waits for ever for 1303, takes memory without end for 1304, and
// takes 20 ms without computing for 1305.
#define _GNU_SOURCE

#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

double sin(double x);

static void take_all(void)
{
    const size_t size = 1 << 24;
    for (;;) {
        char *memory = malloc(size);
        if (!memory)
            abort();
        memset(memory, 1, size);
    }
}

double sin(double x)
{
    static double (*real)(double);
    if (x == 1301)
        raise(SIGSEGV);
    while (x == 1302)
        getppid();
    while (x == 1303)
        pause();
    if (x == 1304)
        take_all();
    if (x == 1305)
        nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    if (!real) {
        void *found = dlsym(RTLD_NEXT, "sin");
        memcpy(&real, &found, sizeof real);
    }
    return real(x);
}
