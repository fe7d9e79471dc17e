// perp plot DIR x=mu y=distance: what was asked for, the columns, the file.
#include "sweep/plot/study_plot.h"

#include "common/support.h"
#include "sweep/sweep.h"

#include "perp/words.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const roles[] = {"x",    "y",         "colour",   "mean",
                                    "heat", "histogram", "parallel", "log"};
enum { ROLES = sizeof roles / sizeof *roles };

// --- columns -------------------------------------------------------------------------------------

static const char *const own_columns[] = {"case", "certificate", "steps",
                                          "t",    "seconds",     "certified"};
enum { OWN = sizeof own_columns / sizeof *own_columns };

static double own_value(const Row *row, int k)
{
    const PerpCaseResult *r = &row->result;
    const double values[OWN] = {(double)row->index, r->certificate, (double)r->steps, r->t,
                                r->seconds,         r->unmet == 0};
    return values[k];
}

// Its number among parameters, measures and the columns above; -1: none.
static int find_source(const PerpStudyInfo *info, const char *name)
{
    for (int k = 0; k < info->n_parameters; k++)
        if (strcmp(info->names[k], name) == 0)
            return k;
    for (int k = 0; k < info->n_measures; k++)
        if (strcmp(info->measure[k], name) == 0)
            return PERP_STUDY_NAMES + k;
    for (int k = 0; k < OWN; k++)
        if (strcmp(own_columns[k], name) == 0)
            return 2 * PERP_STUDY_NAMES + k;
    return -1;
}

static double source_value(const Row *row, int source)
{
    int k = source % PERP_STUDY_NAMES;
    return source < PERP_STUDY_NAMES       ? row->result.parameters[k]
           : source < 2 * PERP_STUDY_NAMES ? row->result.measures[k]
                                           : own_value(row, k);
}

static void complain_of_column(const PerpStudyInfo *info, const char *name)
{
    const char *names[2 * PERP_STUDY_NAMES + OWN];
    int n = 0;
    for (int k = 0; k < info->n_parameters; k++)
        names[n++] = info->names[k];
    for (int k = 0; k < info->n_measures; k++)
        names[n++] = info->measure[k];
    for (int k = 0; k < OWN; k++)
        names[n++] = own_columns[k];
    fprintf(stderr, "perp: the study has no column %s; did you mean %s? There are", name,
            perp_nearest_word(name, names, n));
    for (int k = 0; k < n; k++)
        fprintf(stderr, "%s %s", k ? "," : "", names[k]);
    fputc('\n', stderr);
}

typedef struct Loading {
    StudyPlot *plot;
    int sources[STUDY_COLUMNS];
    long room, rows;
} Loading;

// A case without a number somewhere cannot be drawn.
static bool add_case(void *user, const Row *row)
{
    Loading *l = user;
    StudyPlot *plot = l->plot;
    l->rows++;
    if (row->result.outcome != PERP_CASE_FINISHED)
        return true;
    for (int c = 0; c < plot->n_columns; c++)
        if (!isfinite(source_value(row, l->sources[c])))
            return true;
    if (plot->n == l->room) {
        l->room = l->room ? 2 * l->room : 1024;
        for (int c = 0; c < plot->n_columns; c++) {
            double *more = realloc(plot->columns[c].values, (size_t)l->room * sizeof *more);
            if (!more)
                return false;
            plot->columns[c].values = more;
        }
    }
    for (int c = 0; c < plot->n_columns; c++) {
        Column *column = &plot->columns[c];
        double value = source_value(row, l->sources[c]);
        column->values[plot->n] = value;
        column->low = plot->n ? fmin(column->low, value) : value;
        column->high = plot->n ? fmax(column->high, value) : value;
    }
    plot->n++;
    return true;
}

// NAME or NAME:LABEL. The index of the column among those that are drawn; -1 after a complaint.
static int use_column(Loading *l, const PerpStudy *study, const char *text, size_t length)
{
    const PerpStudyInfo *info = perp_study_info(study);
    StudyPlot *plot = l->plot;
    if (plot->n_columns == STUDY_COLUMNS) {
        fprintf(stderr, "perp: more than %d columns in a figure\n", STUDY_COLUMNS);
        return -1;
    }
    Column *column = &plot->columns[plot->n_columns];
    const char *colon = memchr(text, ':', length);
    int name = colon ? (int)(colon - text) : (int)length;
    snprintf(column->name, sizeof column->name, "%.*s", name, text);
    snprintf(column->label, sizeof column->label, "%.*s", colon ? (int)length - name - 1 : name,
             colon ? colon + 1 : text);
    int source = find_source(info, column->name);
    if (source < 0) {
        complain_of_column(info, column->name);
        return -1;
    }
    l->sources[plot->n_columns] = source;
    if (source < info->n_parameters && perp_study_word(study, source, 0)) {
        column->study = study;
        column->parameter = source;
    }
    return plot->n_columns++;
}

// --- what was asked for --------------------------------------------------------------------------

// x, y, xy, or the names of parallel axes.
static void read_log(StudyPlot *plot, const char *axes)
{
    if (axes[strspn(axes, "xy")]) {
        plot->log = axes;
        return;
    }
    plot->log_x = plot->log_x || strchr(axes, 'x');
    plot->log_y = plot->log_y || strchr(axes, 'y');
}

static bool read_parallel(Loading *l, const PerpStudy *study, const char *list)
{
    StudyPlot *plot = l->plot;
    while (*list) {
        size_t length = strcspn(list, ",");
        int index = use_column(l, study, list, length);
        if (index < 0)
            return false;
        plot->parallel[plot->n_parallel++] = index;
        list += length + (list[length] == ',');
    }
    return true;
}

static bool read_role(Loading *l, const PerpStudy *study, const char *word)
{
    StudyPlot *plot = l->plot;
    int *const places[] = {&plot->x,    &plot->y,    &plot->colour,
                           &plot->mean, &plot->heat, &plot->histogram};
    const char *equals = strchr(word, '=');
    char role[16];
    snprintf(role, sizeof role, "%.*s",
             equals ? (int)(equals - word < 15 ? equals - word : 15) : 15, word);
    for (int k = 0; equals && k < ROLES; k++) {
        if (strcmp(role, roles[k]) != 0 && !(k == 2 && strcmp(role, "color") == 0))
            continue;
        if (k == 6)
            return read_parallel(l, study, equals + 1);
        if (k == 7) {
            read_log(plot, equals + 1);
            return true;
        }
        *places[k] = use_column(l, study, equals + 1, strlen(equals + 1));
        return *places[k] >= 0;
    }
    fprintf(stderr,
            "perp: %s: of a study expected x=NAME, y=, colour=, mean=, heat=, histogram=, "
            "parallel=A,B,... or log=xy\n",
            word);
    return false;
}

typedef void (*Draw)(FILE *out, const StudyPlot *plot);

static Draw choose_drawing(const StudyPlot *plot)
{
    if (plot->n_parallel >= 2)
        return draw_parallel;
    if (plot->histogram >= 0)
        return draw_histogram;
    if (plot->heat >= 0 && plot->x >= 0 && plot->y >= 0)
        return draw_heat;
    if (plot->mean >= 0 && plot->x >= 0)
        return draw_means;
    return plot->x >= 0 && plot->y >= 0 ? draw_dots : NULL;
}

static const char *next_name(const char *list, size_t *length)
{
    list += list[*length] == ',' ? *length + 1 : *length;
    *length = strcspn(list, ",");
    return list;
}

// Makes the parallel axes of the list logarithmic; false: one of them is none.
static bool choose_log_axes(StudyPlot *plot)
{
    size_t length = 0;
    for (const char *name = plot->log ? next_name(plot->log, &length) : ""; *name;
         name = next_name(name, &length)) {
        int k = 0;
        while (k < plot->n_parallel &&
               (strlen(plot->columns[plot->parallel[k]].name) != length ||
                strncmp(plot->columns[plot->parallel[k]].name, name, length) != 0))
            k++;
        if (k == plot->n_parallel) {
            fprintf(stderr, "perp: log=%.*s: expected x, y, xy or names of parallel axes\n",
                    (int)length, name);
            return false;
        }
        plot->columns[plot->parallel[k]].log = true;
    }
    return true;
}

// A logarithmic axis has no place for what is not above 0.
static bool check_log(StudyPlot *plot, Draw draw)
{
    const int x = draw == draw_histogram ? plot->histogram : plot->x;
    const int y = draw == draw_means ? plot->mean : plot->y;
    if (!choose_log_axes(plot))
        return false;
    if (plot->log_x && x >= 0)
        plot->columns[x].log = true;
    if (plot->log_y && y >= 0)
        plot->columns[y].log = true;
    for (int k = 0; k < plot->n_columns; k++)
        if (plot->columns[k].log && !(plot->columns[k].low > 0)) {
            fprintf(stderr, "perp: %s goes down to %g: a logarithmic axis needs values above 0\n",
                    plot->columns[k].name, plot->columns[k].low);
            return false;
        }
    return true;
}

// --- the whole -----------------------------------------------------------------------------------

static CliExit draw_to(const StudyPlot *plot, Draw draw, const char *svg)
{
    if (!svg) {
        draw(stdout, plot);
        return CLI_OK;
    }
    if (!cli_may_overwrite(svg, "<svg", "a drawing"))
        return CLI_BAD_INPUT;
    FILE *file = fopen(svg, "wb");
    bool written = file != NULL;
    if (file) {
        draw(file, plot);
        written = !ferror(file);
        written = fclose(file) == 0 && written;
    }
    if (!written)
        fprintf(stderr, "perp: %s: cannot be written: %s\n", svg, strerror(errno));
    return written ? CLI_OK : CLI_BAD_INPUT;
}

static CliExit plot_sweep(const Sweep *sweep, StudyPlot *plot, const char *const *words, int n,
                          const char *svg)
{
    Loading loading = {.plot = plot};
    long cases;
    for (int k = 0; k < n; k++)
        if (!read_role(&loading, sweep->study, words[k]))
            return CLI_USAGE;
    Draw draw = choose_drawing(plot);
    if (!draw) {
        fputs("perp: a study needs x=NAME y=NAME, mean=NAME x=NAME, heat=NAME x=NAME y=NAME, "
              "histogram=NAME or parallel=A,B,...\n",
              stderr);
        return CLI_USAGE;
    }
    if (!rows_visit(sweep, add_case, &loading, &cases))
        return CLI_FAILED;
    if (plot->n == 0) {
        fprintf(stderr, "perp: %s: no case that finished has all of these\n", sweep->folder);
        return CLI_FAILED;
    }
    if (plot->n < loading.rows)
        fprintf(stderr,
                "perp: %ld of %ld cases are not drawn: they did not finish, or lack a value\n",
                loading.rows - plot->n, loading.rows);
    return check_log(plot, draw) ? draw_to(plot, draw, svg) : CLI_USAGE;
}

CliExit study_plot(const char *const *others, int n_others, const char *svg, const char *title,
                   int width, int height, bool log_y)
{
    Sweep sweep;
    StudyPlot plot = {.x = -1, .y = -1, .colour = -1, .mean = -1, .heat = -1, .histogram = -1};
    plot.title = title;
    plot.width = width > 0 ? width : 640;
    plot.height = height > 0 ? height : 400;
    plot.log_y = log_y;
    if (!sweep_open(&sweep, others[0]))
        return CLI_BAD_INPUT;
    CliExit code = plot_sweep(&sweep, &plot, others + 1, n_others - 1, svg);
    for (int c = 0; c < plot.n_columns; c++)
        free(plot.columns[c].values);
    sweep_close(&sweep);
    return code;
}
