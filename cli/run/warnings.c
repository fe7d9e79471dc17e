// What perp check would warn of, on standard error while the scene runs.
#include "check/check.h"
#include "run/run.h"

#include <stdlib.h>

enum { SHOWN = 8 };

static void print(const Check *check)
{
    for (int k = 0; k < check->n_warnings && k < SHOWN; k++) {
        const CheckWarning *warning = &check->warnings[k];
        fprintf(stderr, "perp: %s", warning->place.file);
        if (warning->place.line > 0)
            fprintf(stderr, ":%d:%d", warning->place.line, warning->place.column);
        fprintf(stderr, ": warning: %s\n", warning->text);
    }
    if (check->n_warnings > SHOWN)
        fprintf(stderr, "perp: %s: %d more warnings: perp check\n", check->path,
                check->n_warnings - SHOWN);
}

// Warnings that cannot be stored are not worth a failure.
static void find(const Run *run, bool (*find_warnings)(Check *))
{
    Check check = {.path = run->options->source.path,
                   .opened = run->opened,
                   .probe = run->simulation,
                   .bodies = calloc((size_t)perp_model_body_count(run->opened.model) + 1,
                                    sizeof *check.bodies)};
    if (check.bodies && find_warnings(&check))
        print(&check);
    free(check.bodies);
    free(check.warnings);
}

static bool find_at_start(Check *check)
{
    check_measure_bodies(check);
    return check_find_at_start(check) && check_find_overlap(check);
}

void run_warn_at_start(const Run *run)
{
    find(run, find_at_start);
}

void run_warn_after_step(const Run *run)
{
    if (run->tally.steps == 1 && perp_simulation_verdict(run->simulation).closed > 0)
        find(run, check_find_closed);
}
