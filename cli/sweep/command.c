// Other programs: run, waited for, their output read.
#define _XOPEN_SOURCE 700

#include "sweep/command.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static char *read_all(int from)
{
    size_t length = 0, room = 4096;
    char *text = malloc(room);
    for (;;) {
        if (text && room - length < 2) {
            char *more = realloc(text, room *= 2);
            if (!more)
                free(text);
            text = more;
        }
        ssize_t count = text ? read(from, text + length, room - length - 1) : 0;
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            break;
        length += (size_t)count;
    }
    if (text)
        text[length] = '\0';
    return text;
}

static void become(char *const *argv, int output, bool quiet)
{
    dup2(output, STDOUT_FILENO);
    if (quiet) {
        int nothing = open("/dev/null", O_WRONLY);
        dup2(nothing, STDERR_FILENO);
    }
    execvp(argv[0], argv);
    _exit(127);
}

char *command_output(char *const *argv, bool quiet, int *code)
{
    int ends[2], status = -1;
    *code = 127;
    if (pipe(ends) != 0)
        return NULL;
    fflush(NULL);
    pid_t process = fork();
    if (process == 0) {
        close(ends[0]);
        become(argv, ends[1], quiet);
    }
    close(ends[1]);
    char *text = process > 0 ? read_all(ends[0]) : NULL;
    close(ends[0]);
    while (process > 0 && waitpid(process, &status, 0) < 0 && errno == EINTR)
        ;
    *code = WIFEXITED(status) ? WEXITSTATUS(status) : 128;
    return text;
}
