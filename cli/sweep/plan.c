// Before a study is run: its cases, and what they will take, by a sample. After it: some cases once
// more, to be compared.
#define _DEFAULT_SOURCE

#include "sweep/sweep.h"

#include "perp/table.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

// --- a case in a process of its own --------------------------------------------------------------

// False if it did not come back; seconds 0: no limit besides the study's own.
static bool run_apart(const PerpStudy *study, long index, unsigned seconds, PerpCaseResult *result)
{
    PerpCaseResult *shared =
        mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        return false;
    int status = 1;
    fflush(NULL);
    pid_t process = fork();
    if (process == 0) {
        limits_set(perp_study_info(study));
        if (seconds > 0)
            alarm(seconds);
        _exit(perp_study_run(study, index, NULL, shared, NULL) != PERP_OK);
    }
    bool done = process > 0 && waitpid(process, &status, 0) == process && status == 0;
    *result = *shared;
    munmap(shared, sizeof *shared);
    return done;
}

// --- the plan ------------------------------------------------------------------------------------

enum { SHOWN = 10, SAMPLE = 5, PATIENCE = 10 };

static void print_case(const PerpStudy *study, long index, const double *parameters)
{
    printf("  %8ld", index);
    for (int k = 0; k < perp_study_info(study)->n_parameters; k++) {
        const char *word = perp_study_word(study, k, parameters[k]);
        if (word)
            printf("  %-10s", word);
        else
            printf("  %-10.6g", parameters[k]);
    }
    putchar('\n');
}

static CliExit print_all(const PerpStudy *study)
{
    const PerpStudyInfo *info = perp_study_info(study);
    double parameters[PERP_STUDY_NAMES];
    printf("case");
    for (int k = 0; k < info->n_parameters; k++)
        printf(",%s", info->names[k]);
    putchar('\n');
    for (long index = 0; index < info->points; index++) {
        if (!perp_study_case(study, index, parameters))
            continue;
        printf("%ld", index);
        for (int k = 0; k < info->n_parameters; k++) {
            const char *word = perp_study_word(study, k, parameters[k]);
            if (word)
                printf(",%s", word);
            else
                printf(",%.17g", parameters[k]);
        }
        putchar('\n');
    }
    return CLI_OK;
}

static long print_cases(const PerpStudy *study)
{
    const PerpStudyInfo *info = perp_study_info(study);
    double parameters[PERP_STUDY_NAMES];
    long count = 0;
    printf("      case");
    for (int k = 0; k < info->n_parameters; k++)
        printf("  %-10s", info->names[k]);
    putchar('\n');
    for (long index = 0; index < info->points; index++) {
        bool counts = (!info->has_condition && count >= SHOWN && index != info->points - 1) ||
                      perp_study_case(study, index, parameters);
        count += counts;
        if (counts && count <= SHOWN)
            print_case(study, index, parameters);
        else if (counts && index == info->points - 1)
            print_case(study, index, parameters);
        else if (counts && count == SHOWN + 1)
            puts("       ...");
    }
    return count;
}

// The first case of the second half of part k of n that the condition admits, else of its first
// half; -1: none.
static long find_case(const PerpStudy *study, int k, int n)
{
    double parameters[PERP_STUDY_NAMES];
    long points = perp_study_info(study)->points;
    long from = points * k / n, to = points * (k + 1) / n, middle = (from + to) / 2;
    for (long count = 0; count < to - from; count++) {
        long index = from + (middle - from + count) % (to - from);
        if (perp_study_case(study, index, parameters))
            return index;
    }
    return -1;
}

static void print_estimate(const PerpStudy *study, long cases, int workers)
{
    const PerpStudyInfo *info = perp_study_info(study);
    double seconds = 0, start = cli_seconds();
    int tried = 0, done = 0;
    for (int k = 0; k < SAMPLE && cli_seconds() - start < PATIENCE; k++) {
        PerpCaseResult result;
        long index = find_case(study, k, SAMPLE);
        if (index < 0)
            continue;
        tried++;
        if (!run_apart(study, index, PATIENCE, &result))
            printf("sample        case %ld: not finished after %d s\n", index, PATIENCE);
        else if (result.outcome != PERP_CASE_FINISHED)
            printf("sample        case %ld %s: %s\n", index, perp_case_outcome_name(result.outcome),
                   result.reason);
        else {
            done++;
            seconds += result.seconds;
            for (int m = 0; m < info->n_measures; m++)
                if (isnan(result.measures[m]))
                    printf("sample        case %ld: %s does not occur\n", index, info->measure[m]);
        }
    }
    if (done == 0)
        printf("time          not known: none of %d cases tried finished\n", tried);
    else
        printf("time          about %.3g s of CPU, %.3g s with -j %d, by %d cases of %.3g s\n",
               seconds / done * (double)cases, seconds / done * (double)cases / workers, workers,
               done, seconds / done);
}

double sweep_case_seconds(const PerpStudy *study)
{
    PerpCaseResult result;
    long index = find_case(study, 0, 1);
    bool done = index >= 0 && run_apart(study, index, PATIENCE, &result);
    return done ? result.seconds : 0;
}

CliExit sweep_plan(const char *path, int workers, bool all)
{
    PerpError error = {0};
    PerpStudy *study;
    if (perp_study_read(NULL, path, &study, &error))
        return cli_complain_of_error(&error);
    const PerpStudyInfo *info = perp_study_info(study);
    CliExit code = CLI_OK;
    if (perp_study_check(study, &error))
        code = cli_complain_of_error(&error);
    else if (all)
        code = print_all(study);
    else {
        printf("study         %s%s%s\nscene         %s\n", path, info->about[0] ? ": " : "",
               info->about, info->scene);
        long cases = print_cases(study);
        printf("cases         %ld", cases);
        if (cases < info->points)
            printf(" of %ld, the others are left out by the condition", info->points);
        putchar('\n');
        fflush(stdout);
        if (cases > 0)
            print_estimate(study, cases, workers);
    }
    perp_study_destroy(study);
    return code;
}

// --- verify --------------------------------------------------------------------------------------

typedef struct Verifying {
    const Sweep *sweep;
    long rows, wanted, seen, compared, different; // rows there are, rows to compare
} Verifying;

static bool same_numbers(double a, double b)
{
    return (isnan(a) && isnan(b)) || memcmp(&a, &b, sizeof a) == 0;
}

// The name of what differs; NULL if nothing does.
static const char *find_difference(const PerpStudyInfo *info, const PerpCaseResult *a,
                                   const PerpCaseResult *b)
{
    if (a->outcome != b->outcome)
        return "outcome";
    if (a->steps != b->steps || !same_numbers(a->t, b->t))
        return "steps";
    if (!same_numbers(a->certificate, b->certificate))
        return "certificate";
    if (a->unmet != b->unmet)
        return "verdict";
    for (int k = 0; k < info->n_measures; k++)
        if (!same_numbers(a->measures[k], b->measures[k]))
            return info->measure[k];
    return NULL;
}

// Crashes and limits are of a process and its machine: such rows are not compared.
static bool verify_row(void *user, const Row *row)
{
    Verifying *v = user;
    PerpCaseResult again;
    long before = v->seen * v->wanted / v->rows, after = (v->seen + 1) * v->wanted / v->rows;
    v->seen++;
    if (before == after || row->result.outcome > PERP_CASE_REFUSED)
        return true;
    v->compared++;
    const char *difference = run_apart(v->sweep->study, row->index, 0, &again)
                                 ? find_difference(v->sweep->info, &row->result, &again)
                                 : "outcome";
    if (difference) {
        v->different++;
        printf("case %ld differs: %s\n", row->index, difference);
    }
    return true;
}

CliExit sweep_verify(const Sweep *sweep, int sample)
{
    Tally tally;
    long cases;
    if (!tally_rows(sweep, &tally))
        return CLI_FAILED;
    if (tally.rows == 0) {
        fprintf(stderr, "perp: %s: no case has a row yet\n", sweep->folder);
        return CLI_FAILED;
    }
    Verifying v = {
        .sweep = sweep, .rows = tally.rows, .wanted = sample < tally.rows ? sample : tally.rows};
    if (!rows_visit(sweep, verify_row, &v, &cases))
        return CLI_FAILED;
    printf("%ld cases run again, spread over the study: %ld differ\n", v.compared, v.different);
    return v.different > 0 ? CLI_MISMATCH : CLI_OK;
}
