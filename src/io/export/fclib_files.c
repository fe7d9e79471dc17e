// FCLIB files of recorded step problems: one file a problem.
#include "base/log.h"
#include "io/export/export.h"
#include "io/problem/fclib_make.h"

#include <string.h>

static bool is_chosen(const PerpExport *x, const PerpRecordedProblem *problem)
{
    return problem->step >= x->first_step && problem->step <= x->last_step;
}

static PerpStatus count_chosen(PerpExport *x, long *chosen, PerpError *error)
{
    PerpStatus status = PERP_OK;
    long count = perp_recording_problems(x->recording);
    *chosen = 0;
    if (count == 0)
        return perp_fail(error, PERP_NOT_SUPPORTED,
                         "no problem was recorded; run again with --record-problems all");
    for (long k = 0; !status && k < count; k++) {
        PerpRecordedProblem problem;
        status = perp_recording_problem(x->recording, k, &problem, error);
        *chosen += !status && is_chosen(x, &problem);
    }
    if (!status && *chosen == 0)
        return perp_fail(error, PERP_BAD_VALUE,
                         "none of the %ld recorded problems is of the chosen steps", count);
    return status;
}

// A single problem gets the name as it is, of several each the step and a number in it:
// problem-000120-0.hdf5
static bool make_path(const PerpExport *x, bool single, long step, int number,
                      char path[PERP_PATH_SIZE])
{
    const char *slash = strrchr(x->path, '/'), *dot = strrchr(x->path, '.');
    bool has_ending = dot && dot > (slash ? slash + 1 : x->path);
    int length = has_ending ? (int)(dot - x->path) : (int)strlen(x->path);
    int size = single ? snprintf(path, PERP_PATH_SIZE, "%s", x->path)
                      : snprintf(path, PERP_PATH_SIZE, "%.*s-%06ld-%d%s", length, x->path, step,
                                 number, has_ending ? dot : "");
    return size > 0 && size < PERP_PATH_SIZE;
}

static PerpStatus write_problem(PerpExport *x, const PerpRecordedProblem *problem, const char *path,
                                PerpError *error)
{
    PerpArena arena;
    PerpFclib fclib;
    char title[PERP_PATH_SIZE];
    perp_arena_init(&arena, &x->context->allocator);
    PerpStatus status = perp_fclib_make(&arena, &problem->problem, &fclib, error);
    if (status) {
        char reason[PERP_MESSAGE_SIZE];
        memcpy(reason, error->message, sizeof reason);
        perp_fail(error, status, "the problem of step %ld has %.400s", problem->step, reason);
    }
    if (!status) {
        snprintf(title, sizeof title, "%s, step %ld", x->info->scene_path, problem->step);
        fclib.title = title;
        fclib.description = x->info->about;
        fclib.math_info = "velocities and impulses of one step, SI units";
        status = perp_fclib_write(&x->context->allocator, &fclib, path, error);
        x->files += status == PERP_OK;
    }
    perp_arena_free(&arena);
    return status;
}

// Of several problems, those that FCLIB cannot say are left out, with a warning.
static PerpStatus conclude(const PerpExport *x, long left_out, const PerpError *reason,
                           PerpError *error)
{
    if (left_out == 0)
        return PERP_OK;
    if (x->files == 0)
        return perp_fail(error, reason->status, "%s", reason->message);
    perp_log(&x->context->log, PERP_LOG_WARNING, "%ld of %ld problems were left out; %s", left_out,
             left_out + x->files, reason->message);
    return PERP_OK;
}

PerpStatus perp_export_fclib(PerpExport *x, PerpError *error)
{
    long chosen, last_step = -1, seen = 0, left_out = 0;
    int number = 0;
    PerpError reason = {0};
    PerpStatus status = count_chosen(x, &chosen, error);
    for (long k = 0; !status && k < perp_recording_problems(x->recording); k++) {
        PerpRecordedProblem problem;
        char path[PERP_PATH_SIZE];
        status = perp_recording_problem(x->recording, k, &problem, error);
        if (status || !is_chosen(x, &problem))
            continue;
        number = problem.step == last_step ? number + 1 : 0;
        last_step = problem.step;
        if (seen++ % x->every != 0)
            continue;
        if (!make_path(x, chosen == 1, problem.step, number, path))
            return perp_fail_at(error, PERP_NO_FILE, x->path, 0, 0,
                                "cannot be written: name too long");
        PerpError failure = {0};
        status = write_problem(x, &problem, path, &failure);
        if (status == PERP_NOT_SUPPORTED) {
            reason = left_out++ ? reason : failure;
            status = PERP_OK;
        } else if (status && error) {
            *error = failure;
        }
    }
    return status ? status : conclude(x, left_out, &reason, error);
}
