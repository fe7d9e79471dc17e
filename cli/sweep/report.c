// What a study has come to: counts, failures with their commands, the table, a second look.
#define _XOPEN_SOURCE 700

#include "sweep/sweep.h"

#include "perp/table.h"
#include "perp/verdict.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// --- counts --------------------------------------------------------------------------------------

typedef struct Counting {
    const Sweep *sweep;
    Tally *tally;
} Counting;

static bool count_row(void *user, const Row *row)
{
    const Counting *counting = user;
    Tally *tally = counting->tally;
    bool finished = row->result.outcome == PERP_CASE_FINISHED;
    tally->rows++;
    tally->count[row->result.outcome]++;
    tally->certified += finished && row->result.unmet == 0;
    tally->seconds += row->result.seconds;
    for (int k = 0; finished && k < counting->sweep->info->n_measures; k++)
        tally->occurred[k] += !isnan(row->result.measures[k]);
    return true;
}

bool tally_rows(const Sweep *sweep, Tally *tally)
{
    Counting counting = {sweep, tally};
    *tally = (Tally){0};
    return rows_visit(sweep, count_row, &counting, &tally->cases);
}

static void print_counts(const Sweep *sweep, const Tally *tally)
{
    printf("cases         %ld of %ld have a row", tally->rows, tally->cases);
    for (int k = 0; k < PERP_CASE_OUTCOME_COUNT; k++)
        if (tally->count[k] > 0)
            printf(", %ld %s", tally->count[k], perp_case_outcome_name((PerpCaseOutcome)k));
    long finished = tally->count[PERP_CASE_FINISHED];
    printf("\nverdict       %ld of %ld finished cases are certified\n", tally->certified, finished);
    printf("time          %.3g s of CPU, %.3g ms a case\n", tally->seconds,
           tally->rows > 0 ? 1e3 * tally->seconds / (double)tally->rows : 0);
    for (int k = 0; k < sweep->info->n_measures; k++)
        if (tally->occurred[k] < finished)
            printf("measure       %s occurred in %ld of %ld finished cases\n",
                   sweep->info->measure[k], tally->occurred[k], finished);
}

// --- failures ------------------------------------------------------------------------------------

void print_failure(FILE *out, const Sweep *sweep, const Row *row)
{
    char command[2 * PERP_PATH_SIZE], scene[SWEEP_PATH];
    sweep_find_path(sweep, sweep->scene, scene);
    fprintf(out, "case %ld %s: %s\n", row->index, perp_case_outcome_name(row->result.outcome),
            row->result.reason);
    if (perp_study_command(sweep->study, row->index, scene, command, sizeof command))
        fprintf(out, "  reproduce: %s\n", command);
}

typedef struct Failures {
    const Sweep *sweep;
    long limit, shown, found;
    FILE *out;
} Failures;

static bool show_failure(void *user, const Row *row)
{
    Failures *failures = user;
    if (row->result.outcome == PERP_CASE_FINISHED)
        return true;
    failures->found++;
    if (failures->shown < failures->limit) {
        failures->shown++;
        print_failure(failures->out, failures->sweep, row);
    }
    return true;
}

CliExit sweep_status(const Sweep *sweep, bool failed)
{
    Tally tally;
    long cases;
    Failures failures = {sweep, failed ? sweep->info->points : 3, 0, 0, stdout};
    printf("study         %s/%s\n", sweep->folder, sweep->file);
    if (!tally_rows(sweep, &tally))
        return CLI_FAILED;
    print_counts(sweep, &tally);
    if (!rows_visit(sweep, show_failure, &failures, &cases))
        return CLI_FAILED;
    if (failures.found > failures.shown)
        printf("... and %ld more: perp sweep status %s --failed\n", failures.found - failures.shown,
               sweep->folder);
    return CLI_OK;
}

CliExit sweep_report(const Sweep *sweep)
{
    CliExit code = sweep_status(sweep, false);
    Tally tally;
    if (code || !tally_rows(sweep, &tally))
        return code;
    if (tally.rows < tally.cases)
        printf("missing       %ld cases; perp sweep retry %s runs them\n", tally.cases - tally.rows,
               sweep->folder);
    return tally.count[PERP_CASE_FINISHED] == tally.cases ? CLI_OK : CLI_FAILED;
}

// --- the table -----------------------------------------------------------------------------------

// Columns: case, parameters, measures, then these; the last two differ from run to run.
static const PerpTableColumn more_columns[] = {
    {"outcome", PERP_CELL_TEXT},  {"verdict", PERP_CELL_TEXT},   {"certificate", PERP_CELL_NUMBER},
    {"steps", PERP_CELL_INTEGER}, {"t", PERP_CELL_NUMBER},       {"reason", PERP_CELL_TEXT},
    {"version", PERP_CELL_TEXT},  {"seconds", PERP_CELL_NUMBER}, {"host", PERP_CELL_TEXT},
};
enum { MORE = sizeof more_columns / sizeof *more_columns, MOST = 2 * PERP_STUDY_NAMES + MORE + 1 };

typedef struct Collecting {
    const Sweep *sweep;
    PerpTableWriter *writer;
    int more; // columns of the list above
    PerpError error;
} Collecting;

// "certified", or the checks that do not hold.
static void describe_verdict(const PerpCaseResult *result, char *text, size_t size)
{
    size_t length = 0;
    snprintf(text, size, "%s",
             result->unmet || result->outcome != PERP_CASE_FINISHED ? "" : "certified");
    for (int k = 0; k < PERP_CHECK_COUNT; k++)
        if (result->unmet >> k & 1 && length < size)
            length += (size_t)snprintf(text + length, size - length, "%s%s", length ? " " : "",
                                       perp_check_name((PerpCheck)k));
}

static bool add_row(void *user, const Row *row)
{
    Collecting *c = user;
    const PerpStudyInfo *info = c->sweep->info;
    const PerpCaseResult *r = &row->result;
    char verdict[256];
    PerpCell cells[MOST] = {{.number = (double)row->index}};
    int n = 1;
    for (int k = 0; k < info->n_parameters; k++)
        cells[n++] =
            (PerpCell){r->parameters[k], perp_study_word(c->sweep->study, k, r->parameters[k])};
    for (int k = 0; k < info->n_measures; k++)
        cells[n++].number = r->measures[k];
    describe_verdict(r, verdict, sizeof verdict);
    const PerpCell more[MORE] = {{.text = perp_case_outcome_name(r->outcome)},
                                 {.text = verdict},
                                 {.number = r->certificate},
                                 {.number = (double)r->steps},
                                 {.number = r->t},
                                 {.text = r->reason},
                                 {.text = row->version},
                                 {.number = r->seconds},
                                 {.text = row->host}};
    memcpy(cells + n, more, (size_t)c->more * sizeof *more);
    return !perp_table_add(c->writer, cells, &c->error);
}

static int list_columns(const PerpStudy *study, int more, PerpTableColumn columns[MOST])
{
    const PerpStudyInfo *info = perp_study_info(study);
    int n = 0;
    columns[n++] = (PerpTableColumn){"case", PERP_CELL_INTEGER};
    for (int k = 0; k < info->n_parameters; k++)
        columns[n++] = (PerpTableColumn){
            info->names[k], perp_study_word(study, k, 0) ? PERP_CELL_TEXT : PERP_CELL_NUMBER};
    for (int k = 0; k < info->n_measures; k++)
        columns[n++] = (PerpTableColumn){info->measure[k], PERP_CELL_NUMBER};
    memcpy(columns + n, more_columns, (size_t)more * sizeof *columns);
    return n + more;
}

// A table of CSV is known by its first column; other files might be anything.
static bool may_replace(const char *path)
{
    const char *dot = strrchr(path, '.');
    if (dot && strcmp(dot, ".csv") == 0)
        return cli_may_overwrite(path, "case,", "a table of cases");
    if (access(path, F_OK) != 0 || !cli_may_replace(path)) // what is no file says so itself
        return true;
    fprintf(stderr, "perp: %s: is there already; --force replaces it\n", path);
    return false;
}

CliExit sweep_collect(const Sweep *sweep, const char *path, bool results_only, bool force)
{
    char usual[SWEEP_PATH];
    PerpTableColumn columns[MOST];
    Collecting c = {.sweep = sweep, .more = results_only ? MORE - 2 : MORE};
    Tally tally;
    long cases;
    snprintf(usual, sizeof usual, "%s/table.csv", sweep->folder);
    path = path ? path : usual;
    int n = list_columns(sweep->study, c.more, columns);
    if (!force && !may_replace(path))
        return CLI_BAD_INPUT;
    if (!tally_rows(sweep, &tally) || perp_table_begin(NULL, path, columns, n, &c.writer, &c.error))
        return cli_complain_of_error(&c.error);
    bool good = rows_visit(sweep, add_row, &c, &cases);
    if (perp_table_end(c.writer, good, good ? &c.error : NULL) || !good)
        return cli_complain_of_error(&c.error);
    fprintf(stderr, "perp: %s: %ld rows\n", path, tally.rows);
    if (tally.rows == tally.cases)
        return CLI_OK;
    fprintf(stderr, "perp: %s: %ld of %ld cases are missing; perp sweep retry %s runs them\n", path,
            tally.cases - tally.rows, tally.cases, sweep->folder);
    return CLI_FAILED;
}

// --- retry ---------------------------------------------------------------------------------------

// The outcomes of a list, as bits; 0 after a complaint. Without one, what may go better next time.
static unsigned read_outcomes(const char *list)
{
    unsigned outcomes = 0;
    list = list ? list : "time-limit,memory-limit,crashed,lost";
    do {
        size_t length = strcspn(list, ",");
        int k = 1; // finished cases are never run again
        while (k < PERP_CASE_OUTCOME_COUNT &&
               (strlen(perp_case_outcome_name((PerpCaseOutcome)k)) != length ||
                strncmp(perp_case_outcome_name((PerpCaseOutcome)k), list, length) != 0))
            k++;
        if (k == PERP_CASE_OUTCOME_COUNT) {
            fprintf(stderr, "perp: --outcome: expected some of");
            for (int o = 1; o < PERP_CASE_OUTCOME_COUNT; o++)
                fprintf(stderr, " %s", perp_case_outcome_name((PerpCaseOutcome)o));
            fprintf(stderr, ", with commas between, not %.*s\n", (int)length, list);
            return 0;
        }
        outcomes |= 1u << k;
        list += length + (list[length] == ',');
    } while (*list);
    return outcomes;
}

// Is a row to be run again, or missing though the chunk's file is there, which was damaged then?
static bool is_due(const Sweep *sweep, long chunk, long k, const Row *row, unsigned outcomes)
{
    double parameters[PERP_STUDY_NAMES];
    if (row->index >= 0)
        return outcomes >> row->result.outcome & 1;
    return rows_are_complete(sweep, chunk) &&
           perp_study_case(sweep->study, rows_first(sweep, chunk) + k, parameters);
}

// Takes away the rows that are to be run again.
CliExit sweep_retry(const Sweep *sweep, const char *list)
{
    unsigned outcomes = read_outcomes(list);
    if (outcomes == 0)
        return CLI_USAGE;
    Row *rows = rows_make(sweep);
    if (!rows)
        return CLI_FAILED;
    for (long chunk = 0; chunk < sweep->n_chunks; chunk++) {
        bool changes = false;
        rows_read(sweep, chunk, rows);
        for (long k = 0; k < rows_count(sweep, chunk); k++)
            if (is_due(sweep, chunk, k, &rows[k], outcomes)) {
                rows[k].index = -1;
                changes = true;
            }
        if (changes && !rows_reopen(sweep, chunk, rows)) {
            fprintf(stderr, "perp: %s: %s\n", sweep->folder, strerror(errno));
            free(rows);
            return CLI_BAD_INPUT;
        }
    }
    free(rows);
    return CLI_OK;
}
