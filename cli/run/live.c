// perp run --live: a process of its own serves the recording while the run writes it.
#define _POSIX_C_SOURCE 200809L

#include "run/live.h"

#include "common/interrupt.h"
#include "view/view.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void pause_for(double seconds)
{
    struct timespec time = {.tv_sec = 0, .tv_nsec = (long)(1e9 * seconds)};
    nanosleep(&time, NULL);
}

// --- the server's process -----------------------------------------------------------------------

static void announce(const ViewService *service, const char *address)
{
    if (send(service->until, address, strlen(address), MSG_NOSIGNAL) < 0)
        _exit(CLI_FAILED);
}

// The run has flushed its first frame; where the disk is slow to show it, it is asked for again.
static PerpStatus open_recording(const char *path, PerpRecording **recording, PerpError *error)
{
    PerpStatus status = perp_recording_open(NULL, path, recording, error);
    for (int k = 0; k < 100 && status; k++) {
        pause_for(0.05);
        status = perp_recording_open(NULL, path, recording, error);
    }
    return status;
}

static CliExit serve(const char *path, int line)
{
    char begun;
    PerpError error = {0};
    ViewSource source = {.name = cli_base_name(path)};
    ViewService service = {.open = true, .until = line, .announce = announce};
    if (recv(line, &begun, 1, 0) != 1)
        return CLI_OK; // the run never began
    PerpStatus status = open_recording(path, &source.recording, &error);
    if (!status)
        status = view_serve(&source, &service, &error);
    perp_recording_close(source.recording);
    return status ? cli_complain_of_error(&error) : CLI_OK;
}

// --- the run's process --------------------------------------------------------------------------

static bool choose_path(RunLive *live, RunOptions *options)
{
    const char *resumed = options->resume ? options->source.path : NULL;
    const char *given = options->output ? options->output : resumed;
    if (given)
        return snprintf(live->path, sizeof live->path, "%s", given) < (int)sizeof live->path;
    if (!cli_make_folder(live->folder))
        return false;
    if (snprintf(live->path, sizeof live->path, "%s/live.h5", live->folder) >=
        (int)sizeof live->path)
        return false;
    options->output = live->path;
    return true;
}

// The server's process never returns. False after a complaint.
static bool start_server(RunLive *live)
{
    int line[2];
    bool is_joined = socketpair(AF_UNIX, SOCK_STREAM, 0, line) == 0;
    for (int k = 0; k < 2 && is_joined; k++)
        fcntl(line[k], F_SETFD, FD_CLOEXEC); // not the browser's
    fflush(NULL);
    pid_t server = is_joined ? fork() : -1;
    if (server < 0) {
        perror("perp: --live");
        return false;
    }
    if (server == 0) {
        close(line[0]);
        CliExit code = serve(live->path, line[1]);
        fflush(NULL);
        _exit(code);
    }
    close(line[1]);
    live->line = line[0];
    live->server = (int)server;
    return true;
}

bool run_live_begin(RunLive *live, RunOptions *options)
{
    *live = (RunLive){.line = -1};
    if (!options->live)
        return true;
    if (view_page_size == 0) {
        fprintf(stderr, "perp: --live: this program was built without the viewer\n");
        return false;
    }
    if (choose_path(live, options) && start_server(live))
        return true;
    run_live_end(live, false);
    return false;
}

void run_live_show(RunLive *live)
{
    if (live->server == 0 || send(live->line, "b", 1, MSG_NOSIGNAL) != 1)
        return;
    ssize_t length = recv(live->line, live->address, sizeof live->address - 1, 0);
    live->address[length > 0 ? length : 0] = '\0';
    if (length > 0)
        fprintf(stderr, "live          %s, Ctrl-C ends the run and the page\n", live->address);
}

static bool is_served(const RunLive *live)
{
    return waitpid(live->server, NULL, WNOHANG) == 0;
}

static void wait_for_interrupt(const RunLive *live)
{
    if (!live->address[0] || interrupt_requested() || !is_served(live))
        return;
    fprintf(stderr, "live          %s stays until Ctrl-C\n", live->address);
    while (!interrupt_requested() && is_served(live))
        pause_for(0.1);
}

void run_live_end(RunLive *live, bool stays)
{
    if (live->server > 0) {
        if (stays)
            wait_for_interrupt(live);
        close(live->line); // which ends the server
        waitpid(live->server, NULL, 0);
    }
    if (live->folder[0]) {
        unlink(live->path);
        rmdir(live->folder);
    }
}
