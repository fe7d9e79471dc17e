// The browser of the desktop, started and left alone.
#define _POSIX_C_SOURCE 200809L

#include "view/view.h"

#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <unistd.h>

extern char **environ;

static bool has_display(void)
{
    const char *x = getenv("DISPLAY"), *wayland = getenv("WAYLAND_DISPLAY");
    return (x && x[0]) || (wayland && wayland[0]);
}

bool view_open_browser(const char *address)
{
    char program[] = "xdg-open", argument[PERP_PATH_SIZE + 64];
    char *arguments[] = {program, argument, NULL};
    posix_spawn_file_actions_t silence;
    pid_t child;
    if (!has_display() || posix_spawn_file_actions_init(&silence))
        return false;
    snprintf(argument, sizeof argument, "%s", address);
    int failed =
        posix_spawn_file_actions_addopen(&silence, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    if (!failed)
        failed =
            posix_spawn_file_actions_addopen(&silence, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    if (!failed)
        failed = posix_spawnp(&child, program, &silence, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&silence);
    return !failed;
}
