// The driver: keeps workers busy with chunks, and turns what kills one into a failed case.
#define _DEFAULT_SOURCE

#include "sweep/sweep.h"

#include "common/interrupt.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/select.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

// A case whose process was killed from outside so many times is given up.
enum { MOST_KILLS = 5 };

typedef struct Worker {
    pid_t process; // 0: none
    long chunk;
    Slot *slot;     // shared with it
    long last_lost; // the case at which it was last lost, and how often in a row
    int times_lost, times_crashed;
} Worker;

typedef struct Driver {
    const Sweep *sweep;
    const DriverOptions *options;
    Worker *workers;
    long next;        // chunk to be looked at
    long there, done; // cases that have rows: at the start, since then
    long cases;       // of the chunks concerned
    double start, shown;
    bool stops;
    char trouble[256];
} Driver;

// --- workers -------------------------------------------------------------------------------------

static sigset_t usual_signals;

static void ignore_child(int signal)
{
    (void)signal;
}

// The driver's death is the worker's, too: nobody would count its cases.
static void become_worker(const Driver *driver, Worker *worker, pid_t parent)
{
    signal(SIGINT, SIG_IGN); // a Ctrl-C is the driver's to handle
    signal(SIGTERM, SIG_DFL);
    signal(SIGHUP, SIG_DFL);
    signal(SIGCHLD, SIG_DFL);
    sigprocmask(SIG_SETMASK, &usual_signals, NULL);
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    if (getppid() != parent)
        _exit(WORKER_TROUBLE);
    _exit(worker_run(driver->sweep, worker->chunk, worker->slot));
}

static void start_worker(Driver *driver, Worker *worker)
{
    pid_t parent = getpid();
    worker->slot->current = -1;
    fflush(NULL);
    worker->process = fork();
    if (worker->process == 0)
        become_worker(driver, worker, parent);
    if (worker->process < 0) {
        worker->process = 0;
        driver->stops = true;
        snprintf(driver->trouble, sizeof driver->trouble, "no further process: %s",
                 strerror(errno));
    }
}

// The next chunk without a final file; false if there is none.
static bool take_chunk(Driver *driver, Worker *worker)
{
    while (driver->next < driver->options->to) {
        worker->chunk = driver->next++;
        if (!rows_are_complete(driver->sweep, worker->chunk))
            return true;
    }
    return false;
}

// --- what became of them -------------------------------------------------------------------------

static bool is_from_outside(int signal)
{
    return signal == SIGKILL || signal == SIGTERM || signal == SIGHUP || signal == SIGINT ||
           signal == SIGSTOP;
}

static void describe(const Driver *driver, int status, Row *row)
{
    double memory = driver->sweep->info->memory_limit;
    PerpCaseResult *r = &row->result;
    int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    bool late = signal == SIGXCPU || signal == SIGALRM;
    r->outcome = late                      ? PERP_CASE_TIME_LIMIT
                 : is_from_outside(signal) ? PERP_CASE_LOST
                                           : PERP_CASE_CRASHED;
    if (late)
        snprintf(r->reason, sizeof r->reason, "ended by the system's time limit");
    else if (is_from_outside(signal))
        snprintf(r->reason, sizeof r->reason, "killed %d times by signal %d; out of memory?",
                 MOST_KILLS, signal);
    else if (signal == SIGABRT && memory > 0)
        snprintf(r->reason, sizeof r->reason, "signal %d: %s; its memory was limited to %g MB",
                 signal, strsignal(signal), memory * 1e-6);
    else if (signal > 0)
        snprintf(r->reason, sizeof r->reason, "signal %d: %s", signal, strsignal(signal));
    else
        snprintf(r->reason, sizeof r->reason, "its process ended with %d", WEXITSTATUS(status));
}

static void add_failed_row(Driver *driver, const Worker *worker, int status)
{
    Row row = {.result = {.certificate = NAN}};
    long index = worker->slot->current;
    perp_study_case(driver->sweep->study, index, row.result.parameters);
    for (int k = 0; k < PERP_STUDY_NAMES; k++)
        row.result.measures[k] = NAN;
    describe(driver, status, &row);
    rows_fill(driver->sweep, index, &row);
    int file = rows_open_part(driver->sweep, worker->chunk);
    if (file < 0 || !rows_append(file, driver->sweep, &row) || fsync(file) != 0) {
        driver->stops = true;
        snprintf(driver->trouble, sizeof driver->trouble, "%.100s: %s", driver->sweep->folder,
                 strerror(errno));
    } else
        driver->done++;
    if (file >= 0)
        close(file);
}

// A kill from outside says nothing of the case until it comes again and again; a crash does.
static bool is_given_up(const Driver *driver, Worker *worker, int status)
{
    bool lost = WIFSIGNALED(status) && is_from_outside(WTERMSIG(status));
    if (worker->slot->current != worker->last_lost)
        worker->times_lost = worker->times_crashed = 0;
    worker->last_lost = worker->slot->current;
    worker->times_lost += lost;
    worker->times_crashed += !lost;
    return lost ? worker->times_lost >= MOST_KILLS
                : worker->times_crashed > driver->sweep->info->retries;
}

// The case; or the study, if processes end again and again before any case.
static void give_up(Driver *driver, const Worker *worker, int status)
{
    Row row;
    if (worker->slot->current >= 0) {
        add_failed_row(driver, worker, status);
        return;
    }
    describe(driver, status, &row);
    driver->stops = true;
    snprintf(driver->trouble, sizeof driver->trouble, "chunk %ld, before any case: %.200s",
             worker->chunk, row.result.reason);
}

static void handle_end(Driver *driver, Worker *worker, int status)
{
    bool done = WIFEXITED(status) && WEXITSTATUS(status) == WORKER_DONE;
    bool trouble = WIFEXITED(status) && WEXITSTATUS(status) == WORKER_TROUBLE;
    worker->process = 0;
    driver->done += worker->slot->done;
    worker->slot->done = 0;
    if (trouble) {
        driver->stops = true;
        snprintf(driver->trouble, sizeof driver->trouble, "%s", worker->slot->trouble);
    }
    if (driver->stops || interrupt_requested())
        return;
    if (!done && is_given_up(driver, worker, status))
        give_up(driver, worker, status);
    if (!driver->stops && (!done || take_chunk(driver, worker)))
        start_worker(driver, worker);
}

static int handle_ends(Driver *driver)
{
    int running = 0;
    for (int k = 0; k < driver->options->workers; k++) {
        Worker *worker = &driver->workers[k];
        int status;
        if (worker->process > 0 && waitpid(worker->process, &status, WNOHANG) > 0)
            handle_end(driver, worker, status);
        running += worker->process > 0;
    }
    return running;
}

// --- progress ------------------------------------------------------------------------------------

static void show(Driver *driver)
{
    double now = cli_seconds();
    if (driver->options->quiet || !isatty(STDERR_FILENO) || now - driver->shown < 0.2)
        return;
    driver->shown = now;
    long done = driver->done;
    for (int k = 0; k < driver->options->workers; k++)
        done += driver->workers[k].slot->done;
    long left = driver->cases - driver->there - done;
    double spent = now - driver->start;
    fprintf(stderr, "\r%ld of %ld cases", driver->there + done, driver->cases);
    if (done > 0)
        fprintf(stderr, ", %.3g a second, %.0f s left      ", (double)done / spent,
                ceil(spent * (double)left / (double)done));
    fflush(stderr);
}

static void count_cases(Driver *driver, Row *rows)
{
    double parameters[PERP_STUDY_NAMES];
    const Sweep *sweep = driver->sweep;
    for (long chunk = driver->options->from; chunk < driver->options->to; chunk++) {
        bool complete = rows_are_complete(sweep, chunk);
        if (!complete)
            rows_read(sweep, chunk, rows);
        for (long k = 0; k < rows_count(sweep, chunk); k++) {
            long index = rows_first(sweep, chunk) + k;
            bool counts =
                !sweep->info->has_condition || perp_study_case(sweep->study, index, parameters);
            driver->cases += counts;
            driver->there += counts && (complete || rows[k].index >= 0);
        }
    }
}

// --- the whole -----------------------------------------------------------------------------------

static void stop_workers(Driver *driver)
{
    for (int k = 0; k < driver->options->workers; k++)
        if (driver->workers[k].process > 0) {
            kill(driver->workers[k].process, SIGKILL);
            waitpid(driver->workers[k].process, NULL, 0);
            driver->workers[k].process = 0;
        }
}

static void run_workers(Driver *driver)
{
    sigset_t blocked;
    struct sigaction action = {.sa_handler = ignore_child};
    sigemptyset(&action.sa_mask);
    sigaction(SIGCHLD, &action, NULL);
    interrupt_catch();
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGCHLD);
    sigaddset(&blocked, SIGINT);
    sigaddset(&blocked, SIGTERM);
    sigprocmask(SIG_BLOCK, &blocked, &usual_signals);
    for (int k = 0; k < driver->options->workers; k++)
        if (!driver->stops && take_chunk(driver, &driver->workers[k]))
            start_worker(driver, &driver->workers[k]);
    while (!interrupt_requested() && !driver->stops && handle_ends(driver) > 0) {
        show(driver);
        struct timespec pause = {.tv_nsec = 200000000};
        pselect(0, NULL, NULL, NULL, &pause, &usual_signals);
    }
    stop_workers(driver);
    sigprocmask(SIG_SETMASK, &usual_signals, NULL);
    if (!driver->options->quiet && isatty(STDERR_FILENO))
        fputs("\r\033[K", stderr);
}

static CliExit choose_code(const Driver *driver)
{
    const Sweep *sweep = driver->sweep;
    if (driver->stops) {
        fprintf(stderr, "perp: %s\nperp: the rows so far are kept; perp sweep retry %s goes on\n",
                driver->trouble, sweep->folder);
        return CLI_BAD_INPUT;
    }
    if (interrupt_requested()) {
        fprintf(stderr, "perp: interrupted; perp sweep retry %s goes on\n", sweep->folder);
        return CLI_INTERRUPTED;
    }
    return CLI_OK;
}

CliExit driver_run(const Sweep *sweep, const DriverOptions *options)
{
    Driver driver = {
        .sweep = sweep, .options = options, .next = options->from, .start = cli_seconds()};
    size_t count = (size_t)options->workers;
    Slot *slots = mmap(NULL, count * sizeof *slots, PROT_READ | PROT_WRITE,
                       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    Row *rows = rows_make(sweep);
    driver.workers = calloc(count, sizeof *driver.workers);
    if (slots == MAP_FAILED || !rows || !driver.workers)
        return CLI_FAILED;
    for (size_t k = 0; k < count; k++)
        driver.workers[k] = (Worker){.slot = &slots[k], .last_lost = -1};
    rows_tidy(sweep, options->from, options->to);
    count_cases(&driver, rows);
    free(rows);
    run_workers(&driver);
    free(driver.workers);
    munmap(slots, count * sizeof *slots);
    return choose_code(&driver);
}
