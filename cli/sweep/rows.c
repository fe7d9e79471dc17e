// Rows of cases in files: a line each, with a checksum, so that a torn one is known for what it is.
#define _XOPEN_SOURCE 700

#include "sweep/sweep.h"

#include "perp/version.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

enum { LINE = 4096 };

long rows_first(const Sweep *sweep, long chunk)
{
    return chunk * sweep->chunk;
}

long rows_count(const Sweep *sweep, long chunk)
{
    long left = sweep->info->points - chunk * sweep->chunk;
    return left < sweep->chunk ? left : sweep->chunk;
}

Row *rows_make(const Sweep *sweep)
{
    Row *rows = calloc((size_t)sweep->chunk, sizeof *rows);
    if (!rows)
        fprintf(stderr, "perp: out of memory\n");
    return rows;
}

void rows_fill(const Sweep *sweep, long index, Row *row)
{
    row->index = index;
    memcpy(row->host, sweep->host, sizeof row->host);
    snprintf(row->version, sizeof row->version, "%s", perp_version());
}

// --- a line --------------------------------------------------------------------------------------

static unsigned long checksum(const char *text)
{
    return crc32(0, (const unsigned char *)text, (unsigned)strlen(text));
}

// checksum, case, outcome, steps, t, certificate, unmet, seconds, host, version, reason, measures
static int print_row(const Sweep *sweep, const Row *row, char line[LINE])
{
    const PerpCaseResult *r = &row->result;
    char reason[PERP_REASON_SIZE];
    snprintf(reason, sizeof reason, "%s", r->reason);
    for (char *c = reason; *c; c++)
        *c = *c == '\t' || *c == '\n' || *c == '\r' ? ' ' : *c;
    int length =
        9 + snprintf(line + 9, LINE - 10, "%ld\t%s\t%ld\t%.17g\t%.17g\t%u\t%.3g\t%s\t%s\t%s",
                     row->index, perp_case_outcome_name(r->outcome), r->steps, r->t, r->certificate,
                     r->unmet, r->seconds, row->host, row->version, reason);
    for (int k = 0; k < sweep->info->n_measures; k++)
        length += snprintf(line + length, (size_t)(LINE - 2 - length), "\t%.17g", r->measures[k]);
    char sum[10];
    snprintf(sum, sizeof sum, "%08lx\t", checksum(line + 9));
    memcpy(line, sum, 9);
    line[length++] = '\n';
    line[length] = '\0';
    return length;
}

static bool find_outcome(const char *word, PerpCaseOutcome *outcome)
{
    for (int k = 0; k < PERP_CASE_OUTCOME_COUNT; k++)
        if (strcmp(word, perp_case_outcome_name((PerpCaseOutcome)k)) == 0) {
            *outcome = (PerpCaseOutcome)k;
            return true;
        }
    return false;
}

// The text up to the next tab, which becomes its end.
static char *next_field(char **rest)
{
    char *field = *rest, *tab = field ? strchr(field, '\t') : NULL;
    if (tab)
        *tab = '\0';
    *rest = tab ? tab + 1 : NULL;
    return field ? field : "";
}

// False: torn, or of another study.
static bool parse_row(const Sweep *sweep, char *line, Row *row)
{
    char *end, *rest = line + 9;
    PerpCaseResult *r = &row->result;
    if (strlen(line) < 10 || strtoul(line, &end, 16) != checksum(rest) || end != line + 8)
        return false;
    *row = (Row){.index = strtol(next_field(&rest), NULL, 10)};
    bool known = find_outcome(next_field(&rest), &r->outcome);
    r->steps = strtol(next_field(&rest), NULL, 10);
    r->t = strtod(next_field(&rest), NULL);
    r->certificate = strtod(next_field(&rest), NULL);
    r->unmet = (unsigned)strtoul(next_field(&rest), NULL, 10);
    r->seconds = strtod(next_field(&rest), NULL);
    snprintf(row->host, sizeof row->host, "%s", next_field(&rest));
    snprintf(row->version, sizeof row->version, "%s", next_field(&rest));
    snprintf(r->reason, sizeof r->reason, "%s", next_field(&rest));
    for (int k = 0; k < sweep->info->n_measures; k++) {
        known = known && rest;
        r->measures[k] = strtod(next_field(&rest), NULL);
    }
    return known && !rest && row->index >= 0 && row->index < sweep->info->points;
}

// --- reading -------------------------------------------------------------------------------------

static void read_file(const Sweep *sweep, const char *path, long first, long count, Row *rows)
{
    char line[LINE];
    Row row;
    FILE *file = fopen(path, "r");
    while (file && fgets(line, sizeof line, file)) {
        size_t length = strlen(line);
        if (length == 0 || line[length - 1] != '\n')
            continue;
        line[length - 1] = '\0';
        if (!parse_row(sweep, line, &row) || row.index < first || row.index >= first + count)
            continue;
        Row *place = &rows[row.index - first];
        if (place->index < 0)
            *place = row;
    }
    if (file)
        fclose(file);
}

// Calls use for every file of an attempt at the chunk: of rows, or what was to be renamed.
static void each_file(const Sweep *sweep, long chunk, const char *ending,
                      void (*use)(const char *path, void *user), void *user)
{
    char path[SWEEP_PATH], name[SWEEP_PATH + 300];
    sweep_chunk_path(sweep, "rows", chunk, path);
    char *slash = strrchr(path, '/');
    size_t length = strlen(slash + 1);
    *slash = '\0';
    DIR *folder = opendir(path);
    for (struct dirent *entry; folder && (entry = readdir(folder));) {
        const char *end = strrchr(entry->d_name, '.');
        if (strncmp(entry->d_name, slash + 1, length) != 0 || entry->d_name[length] != '.' ||
            strcmp(end, ending) != 0)
            continue;
        snprintf(name, sizeof name, "%s/%.255s", path, entry->d_name);
        use(name, user);
    }
    if (folder)
        closedir(folder);
}

typedef struct Reading {
    const Sweep *sweep;
    long first, count;
    Row *rows;
} Reading;

static void read_part(const char *path, void *user)
{
    const Reading *r = user;
    read_file(r->sweep, path, r->first, r->count, r->rows);
}

static void final_path(const Sweep *sweep, long chunk, char path[SWEEP_PATH + 8])
{
    char start[SWEEP_PATH];
    sweep_chunk_path(sweep, "rows", chunk, start);
    snprintf(path, SWEEP_PATH + 8, "%s.rows", start);
}

bool rows_are_complete(const Sweep *sweep, long chunk)
{
    char path[SWEEP_PATH + 8];
    final_path(sweep, chunk, path);
    int file = open(path, O_RDONLY | O_CLOEXEC); // which asks the server of a shared file system
    if (file >= 0)
        close(file);
    return file >= 0;
}

bool rows_read(const Sweep *sweep, long chunk, Row *rows)
{
    char path[SWEEP_PATH + 8];
    Reading reading = {sweep, rows_first(sweep, chunk), rows_count(sweep, chunk), rows};
    for (long k = 0; k < reading.count; k++)
        rows[k].index = -1;
    final_path(sweep, chunk, path);
    read_file(sweep, path, reading.first, reading.count, rows);
    if (access(path, F_OK) != 0)
        each_file(sweep, chunk, ".part", read_part, &reading);
    return true;
}

bool rows_visit(const Sweep *sweep, bool (*visit)(void *user, const Row *row), void *user,
                long *cases)
{
    Row *rows = rows_make(sweep);
    bool good = rows != NULL;
    *cases = 0;
    for (long chunk = 0; good && chunk < sweep->n_chunks; chunk++) {
        good = rows_read(sweep, chunk, rows);
        for (long k = 0; good && k < rows_count(sweep, chunk); k++) {
            long index = rows_first(sweep, chunk) + k;
            if (!perp_study_case(sweep->study, index, rows[k].result.parameters))
                continue;
            (*cases)++;
            good = rows[k].index < 0 || visit(user, &rows[k]);
        }
    }
    free(rows);
    return good;
}

// --- writing -------------------------------------------------------------------------------------

int rows_open_part(const Sweep *sweep, long chunk)
{
    char start[SWEEP_PATH], path[SWEEP_PATH + 2 * SWEEP_WORD];
    sweep_chunk_path(sweep, "rows", chunk, start);
    int file = -1;
    for (int attempt = 0; file < 0 && attempt < 1000; attempt++) {
        snprintf(path, sizeof path, "%s.%s.%ld-%d.part", start, sweep->host, (long)getpid(),
                 attempt);
        file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666);
        if (file < 0 && errno != EEXIST)
            break;
    }
    return file;
}

static bool write_all(int file, const char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t written = write(file, bytes, size);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return false;
        bytes += written;
        size -= (size_t)written;
    }
    return true;
}

bool rows_append(int file, const Sweep *sweep, const Row *row)
{
    char line[LINE];
    int length = print_row(sweep, row, line);
    return write_all(file, line, (size_t)length);
}

static void remove_part(const char *path, void *user)
{
    (void)user;
    unlink(path);
}

// All rows under another name, on the disk, then renamed.
static bool write_rows(const Sweep *sweep, long chunk, const char *ending, const Row *rows)
{
    char start[SWEEP_PATH], path[SWEEP_PATH + 16], temporary[SWEEP_PATH + 2 * SWEEP_WORD];
    sweep_chunk_path(sweep, "rows", chunk, start);
    snprintf(path, sizeof path, "%s%s", start, ending);
    snprintf(temporary, sizeof temporary, "%s.%s.%ld.new", path, sweep->host, (long)getpid());
    int file = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    bool good = file >= 0;
    for (long k = 0; good && k < rows_count(sweep, chunk); k++)
        good = rows[k].index < 0 || rows_append(file, sweep, &rows[k]);
    good = good && fsync(file) == 0;
    int cause = errno;
    if (file >= 0 && close(file) != 0 && good) {
        good = false;
        cause = errno;
    }
    if (good && (rename(temporary, path) != 0 || !sweep_sync_folder(path))) {
        good = false;
        cause = errno;
    }
    if (!good)
        unlink(temporary);
    errno = cause;
    return good;
}

bool rows_finish(const Sweep *sweep, long chunk, const Row *rows)
{
    if (!write_rows(sweep, chunk, ".rows", rows))
        return false;
    each_file(sweep, chunk, ".part", remove_part, NULL);
    each_file(sweep, chunk, ".new", remove_part, NULL);
    return true;
}

static bool has_ending(const char *name, const char *ending)
{
    const char *dot = strrchr(name, '.');
    return dot && strcmp(dot, ending) == 0;
}

// Files of attempts at the chunks that were cut off after the chunk got its final file. What
// rows_reopen keeps is not among them: it is written before the final file goes.
void rows_tidy(const Sweep *sweep, long from, long to)
{
    char path[SWEEP_PATH], name[SWEEP_PATH + 300], *end;
    for (long first = from; first < to; first += SWEEP_FOLDER - first % SWEEP_FOLDER) {
        sweep_chunk_path(sweep, "rows", first, path);
        *strrchr(path, '/') = '\0';
        DIR *folder = opendir(path);
        for (struct dirent *entry; folder && (entry = readdir(folder));) {
            long chunk = strtol(entry->d_name, &end, 10);
            snprintf(name, sizeof name, "%s/%.255s", path, entry->d_name);
            if (*end == '.' && strncmp(end, ".kept.", 6) != 0 && chunk >= from && chunk < to &&
                (has_ending(end, ".part") || has_ending(end, ".new")) &&
                rows_are_complete(sweep, chunk))
                unlink(name);
        }
        if (folder)
            closedir(folder);
    }
}

static void remove_other(const char *path, void *kept)
{
    if (strcmp(path, kept) != 0)
        unlink(path);
}

// As an attempt that was cut off. At every moment the rows that stay are in a file.
bool rows_reopen(const Sweep *sweep, long chunk, const Row *rows)
{
    char path[SWEEP_PATH + 8], start[SWEEP_PATH], kept[SWEEP_PATH + 16];
    sweep_chunk_path(sweep, "rows", chunk, start);
    snprintf(kept, sizeof kept, "%s.kept.part", start);
    final_path(sweep, chunk, path);
    if (!write_rows(sweep, chunk, ".kept.part", rows) || (unlink(path) != 0 && errno != ENOENT))
        return false;
    each_file(sweep, chunk, ".part", remove_other, kept);
    return true;
}
