// What a quantity means: which curves, on which axes.
#include "plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool no_memory(PerpError *error)
{
    *error = (PerpError){.status = PERP_NO_MEMORY};
    snprintf(error->message, sizeof error->message, "%s", perp_status_text(PERP_NO_MEMORY));
    return false;
}

// --- panels and curves --------------------------------------------------------------------------

static PlotPanel *find_panel(Plot *plot, const char *kind)
{
    for (int k = 0; k < plot->n_panels; k++)
        if (strcmp(plot->panels[k].kind, kind) == 0)
            return &plot->panels[k];
    PlotPanel *panels = realloc(plot->panels, ((size_t)plot->n_panels + 1) * sizeof *panels);
    if (!panels)
        return NULL;
    plot->panels = panels;
    PlotPanel *panel = &panels[plot->n_panels++];
    *panel = (PlotPanel){.x_label = "time (s)"};
    snprintf(panel->kind, sizeof panel->kind, "%s", kind);
    return panel;
}

static void set_label(char label[PLOT_NAME], const char *what, const char *unit)
{
    bool plain = !unit[0] || strcmp(unit, "1") == 0;
    snprintf(label, PLOT_NAME, plain ? "%.*s%.0s" : "%.*s (%.40s)", PLOT_NAME - 48, what, unit);
    for (char *c = label; *c; c++)
        *c = *c == '_' ? ' ' : *c;
}

static double *copy_numbers(const double *numbers, long count)
{
    double *copy = malloc(((size_t)count + 1) * sizeof *copy);
    if (copy)
        memcpy(copy, numbers, (size_t)count * sizeof *copy);
    return copy;
}

// Takes y over, and x if it is given; the usual x is the time.
static PlotCurve *add_curve(PlotPanel *panel, const PlotRun *run, double *x, double *y,
                            const char *name)
{
    PlotCurve *curves = realloc(panel->curves, ((size_t)panel->n_curves + 1) * sizeof *curves);
    x = x ? x : copy_numbers(run->time, run->frames);
    if (curves)
        panel->curves = curves;
    if (!curves || !x) {
        free(x);
        free(y);
        return NULL;
    }
    PlotCurve *curve = &curves[panel->n_curves++];
    *curve = (PlotCurve){.x = x, .y = y, .count = (int)run->frames, .colour = -1};
    snprintf(curve->name, sizeof curve->name, "%s", name);
    return curve;
}

// With several runs, a legend says which one a curve is of.
static const char *name_of(const Plot *plot, const PlotRun *run, const char *name,
                           char room[2 * PLOT_NAME + 8])
{
    if (plot->n_runs == 1)
        return name;
    snprintf(room, 2 * PLOT_NAME + 8, "%s, %s", name, run->stem);
    return room;
}

void plot_free(Plot *plot)
{
    for (int p = 0; p < plot->n_panels; p++) {
        for (int k = 0; k < plot->panels[p].n_curves; k++) {
            free(plot->panels[p].curves[k].x);
            free(plot->panels[p].curves[k].y);
        }
        free(plot->panels[p].curves);
    }
    free(plot->panels);
}

static double largest_size(const double *values, long count)
{
    double largest = 0;
    for (long k = 0; k < count; k++)
        largest = fmax(largest, fabs(values[k]));
    return largest;
}

// --- energy -------------------------------------------------------------------------------------

// What the scheme itself takes out, of either sign, is left out: it is the space between the stack
// and the line of what was put in.
enum { KINETIC, GRAVITY, SPRING, FRICTION, IMPACT, DAMPER, WORK, TERMS };
static const char *const terms[TERMS] = {"energy/kinetic",  "energy/gravity", "energy/spring",
                                         "energy/friction", "energy/impact",  "energy/damper",
                                         "energy/work"};

// Heights count from the lowest one of the run, so that nothing stored is negative.
static void lower_gravity(double *gravity, long frames)
{
    double lowest = INFINITY;
    for (long k = 0; k < frames; k++)
        lowest = fmin(lowest, gravity[k]);
    for (long k = 0; k < frames; k++)
        gravity[k] -= lowest;
}

static bool load_terms(PlotRun *run, PlotColumn columns[TERMS], PerpError *error)
{
    for (int k = 0; k < TERMS; k++)
        if (!plot_column(run, terms[k], &columns[k], error))
            return false;
    lower_gravity(columns[GRAVITY].values, run->frames);
    return true;
}

// What was there at the first chosen frame, and the work since.
static double *find_put_in(const PlotRun *run, const PlotColumn columns[TERMS])
{
    double *put_in = calloc((size_t)run->frames + 1, sizeof *put_in);
    double start = 0;
    for (int k = KINETIC; k <= DAMPER; k++)
        start += columns[k].values[0];
    for (long k = 0; put_in && k < run->frames; k++)
        put_in[k] = start + columns[WORK].values[k] - columns[WORK].values[0];
    return put_in;
}

// Stored and taken out, on top of each other, below the line of what was put in.
static bool add_stack(PlotPanel *panel, const PlotRun *run, PlotColumn columns[TERMS])
{
    static const char *const names[DAMPER + 1] = {"kinetic",  "gravity", "springs",
                                                  "friction", "impact",  "dampers"};
    double *put_in = find_put_in(run, columns);
    double most = put_in ? largest_size(put_in, run->frames) : 0;
    for (int k = KINETIC; put_in && k <= DAMPER; k++) {
        if (largest_size(columns[k].values, run->frames) <= 1e-3 * most)
            continue;
        PlotCurve *curve = add_curve(panel, run, NULL, columns[k].values, names[k]);
        columns[k].values = NULL;
        if (!curve) {
            free(put_in);
            return false;
        }
        curve->mark = PERP_MARK_AREA;
        curve->colour = k;
    }
    PlotCurve *line = put_in ? add_curve(panel, run, NULL, put_in, "put in") : NULL;
    if (!line)
        return false;
    line->dashed = true;
    line->colour = 6;
    return true;
}

// With several runs: what is stored, and dashed what has been taken out.
static bool add_sums(const Plot *plot, PlotPanel *panel, const PlotRun *run, PlotColumn *columns)
{
    char room[2 * PLOT_NAME + 8];
    int colour = (int)(run - plot->runs);
    for (int part = 0; part < 2; part++) {
        double *sum = calloc((size_t)run->frames + 1, sizeof *sum);
        if (!sum)
            return false;
        for (int k = part ? FRICTION : KINETIC; k <= (part ? DAMPER : SPRING); k++)
            for (long i = 0; i < run->frames; i++)
                sum[i] += columns[k].values[i];
        PlotCurve *curve = add_curve(panel, run, NULL, sum,
                                     name_of(plot, run, part ? "taken out" : "stored", room));
        if (!curve)
            return false;
        curve->dashed = part;
        curve->colour = colour;
    }
    return true;
}

static bool add_energy(Plot *plot, int index, PerpError *error)
{
    PlotRun *run = &plot->runs[index];
    PlotColumn columns[TERMS] = {0};
    bool done = load_terms(run, columns, error);
    PlotPanel *panel = done ? find_panel(plot, "energy ledger") : NULL;
    if (done) {
        done = panel && (plot->n_runs == 1 ? add_stack(panel, run, columns)
                                           : add_sums(plot, panel, run, columns));
        if (!done)
            no_memory(error);
        else
            set_label(panel->y_label, "energy", "J");
    }
    for (int k = 0; k < TERMS; k++)
        free(columns[k].values);
    return done;
}

// --- residuals ----------------------------------------------------------------------------------

static bool add_tolerance(const Plot *plot, PlotPanel *panel, const PlotRun *run)
{
    double *x = calloc(2, sizeof *x), *y = calloc(2, sizeof *y);
    if (!x || !y || run->frames == 0) {
        free(x);
        free(y);
        return x && y;
    }
    x[0] = run->time[0];
    x[1] = run->time[run->frames - 1];
    y[0] = y[1] = perp_recording_settings(run->recording).tolerance;
    char room[2 * PLOT_NAME + 8];
    PlotCurve *curve = add_curve(panel, run, x, y, name_of(plot, run, "tolerance", room));
    if (!curve)
        return false;
    curve->count = 2;
    curve->dashed = true;
    curve->colour = 6;
    return true;
}

static const double NOTHING = 1e-20; // relative residuals below are far from any rounding

// Values of no interest would stretch the axis: they become gaps. Returns whether any is left.
static bool leave_out_nothing(double *values, long count)
{
    bool any = false;
    for (long k = 0; k < count; k++) {
        if (values[k] < NOTHING)
            values[k] = 0;
        any = any || values[k] > 0;
    }
    return any;
}

// One run: every class that has one; several: the worst of each.
static bool add_residuals(Plot *plot, int index, PerpError *error)
{
    PlotRun *run = &plot->runs[index];
    PlotColumn column;
    char series[PLOT_NAME], room[2 * PLOT_NAME + 8];
    bool alone = plot->n_runs == 1;
    if (!plot_column(run, "certificate/worst", &column, error))
        return false;
    PlotPanel *panel = find_panel(plot, "residuals");
    if (!panel) {
        free(column.values);
        return no_memory(error);
    }
    panel->log = true;
    set_label(panel->y_label, "residual, relative", "");
    leave_out_nothing(column.values, run->frames);
    if (!alone && !add_curve(panel, run, NULL, column.values, name_of(plot, run, "worst", room)))
        return no_memory(error);
    if (alone)
        free(column.values);
    for (int k = 0; alone && k < PERP_RESIDUAL_COUNT; k++) {
        snprintf(series, sizeof series, "certificate/%s", perp_residual_name((PerpResidual)k));
        if (!plot_column(run, series, &column, error)) {
            if (error->status)
                return false;
            continue;
        }
        if (!leave_out_nothing(column.values, run->frames))
            free(column.values);
        else if (!add_curve(panel, run, NULL, column.values, perp_residual_name((PerpResidual)k)))
            return no_memory(error);
    }
    bool last = index == plot->n_runs - 1;
    return !last || add_tolerance(plot, panel, run) || no_memory(error);
}

// --- contacts -----------------------------------------------------------------------------------

static PerpStatus count_contacts(PlotRun *run, double *counts[PERP_CONTACT_STATUS_COUNT],
                                 PerpError *error)
{
    PerpStatus status = PERP_OK;
    for (long k = 0; !status && k < run->frames; k++) {
        const PerpRecordedContact *contacts;
        int count = 0;
        status = perp_recording_contacts(run->recording, run->first + k, &contacts, &count, error);
        for (int i = 0; !status && i < count; i++)
            if ((int)contacts[i].status >= 0 && contacts[i].status < PERP_CONTACT_STATUS_COUNT)
                counts[contacts[i].status][k]++;
    }
    return status;
}

static bool add_counts(Plot *plot, const PlotRun *run, double *counts[PERP_CONTACT_STATUS_COUNT])
{
    static const int order[] = {PERP_CONTACT_STICK, PERP_CONTACT_SLIP, PERP_CONTACT_IMPACT,
                                PERP_CONTACT_OPEN};
    static const int colour[] = {2, 1, 3, 5};
    char room[2 * PLOT_NAME + 8];
    PlotPanel *panel = find_panel(plot, "contacts by status");
    for (size_t k = 0; panel && k < sizeof order / sizeof *order; k++) {
        const char *name = perp_contact_status_name((PerpContactStatus)order[k]);
        double *values = counts[order[k]];
        counts[order[k]] = NULL;
        PlotCurve *curve = add_curve(panel, run, NULL, values, name_of(plot, run, name, room));
        if (!curve)
            return false;
        curve->mark = plot->n_runs == 1 ? PERP_MARK_AREA : PERP_MARK_LINE;
        curve->colour = plot->n_runs == 1 ? colour[k] : -1;
    }
    if (panel)
        set_label(panel->y_label, "contact points", "");
    return panel != NULL;
}

static bool add_contacts(Plot *plot, int index, PerpError *error)
{
    PlotRun *run = &plot->runs[index];
    double *counts[PERP_CONTACT_STATUS_COUNT] = {0};
    error->status = PERP_OK;
    if (!perp_recording_has(run->recording, "contacts/start"))
        return false;
    bool done = true;
    for (int k = 0; done && k < PERP_CONTACT_STATUS_COUNT; k++) {
        counts[k] = calloc((size_t)run->frames + 1, sizeof **counts);
        done = counts[k] || no_memory(error);
    }
    done = done && !count_contacts(run, counts, error);
    if (done && !add_counts(plot, run, counts))
        done = no_memory(error);
    for (int k = 0; k < PERP_CONTACT_STATUS_COUNT; k++)
        free(counts[k]);
    return done;
}

// --- forces, columns, portraits -----------------------------------------------------------------

static bool add_force(Plot *plot, int index, const char *quantity, PerpError *error)
{
    PlotRun *run = &plot->runs[index];
    double *values[2];
    char room[2 * PLOT_NAME + 8], name[PLOT_NAME];
    if (!plot_force(run, quantity, &values[0], &values[1], error))
        return false;
    PlotPanel *panel = find_panel(plot, "force");
    if (panel)
        set_label(panel->y_label, "force", "N");
    const char *of = strchr(quantity, ':') + 1;
    for (int k = 0; k < 2; k++) {
        snprintf(name, sizeof name, "%s, %.100s", k ? "friction" : "normal", of);
        if (!panel || !add_curve(panel, run, NULL, values[k], name_of(plot, run, name, room))) {
            if (!panel)
                free(values[0]);
            if (!panel || k == 0)
                free(values[1]);
            return no_memory(error);
        }
    }
    return true;
}

static bool add_column(Plot *plot, int index, const char *name, PerpError *error)
{
    PlotRun *run = &plot->runs[index];
    PlotColumn column;
    char room[2 * PLOT_NAME + 8], kind[PLOT_NAME];
    if (!plot_column(run, name, &column, error))
        return false;
    snprintf(kind, sizeof kind, "%s|%s", column.what, column.unit);
    PlotPanel *panel = find_panel(plot, kind);
    if (!panel) {
        free(column.values);
        return no_memory(error);
    }
    set_label(panel->y_label, panel->n_curves == 0 && plot->n_runs == 1 ? name : column.what,
              column.unit);
    return add_curve(panel, run, NULL, column.values, name_of(plot, run, name, room)) != NULL ||
           no_memory(error);
}

static bool add_portrait(Plot *plot, int index, const PlotColumn *x, const PlotColumn *y,
                         PerpError *error)
{
    char room[2 * PLOT_NAME + 8], name[PLOT_NAME], kind[PLOT_NAME];
    const PlotRun *run = &plot->runs[index];
    snprintf(kind, sizeof kind, "portrait|%.30s|%.30s|%.30s", x->what, y->what, y->unit);
    snprintf(name, sizeof name, "%.70s:%.70s", x->name, y->name);
    PlotPanel *panel = find_panel(plot, kind);
    if (!panel || !add_curve(panel, run, x->values, y->values, name_of(plot, run, name, room))) {
        if (!panel) {
            free(x->values);
            free(y->values);
        }
        return no_memory(error);
    }
    bool first = panel->n_curves == 1;
    set_label(panel->x_label, first || strstr(panel->x_label, x->name) ? x->name : x->what,
              x->unit);
    set_label(panel->y_label, first || strstr(panel->y_label, y->name) ? y->name : y->what,
              y->unit);
    panel->equal = strcmp(x->unit, y->unit) == 0 && strcmp(x->what, y->what) == 0;
    return true;
}

// A:B; since names may hold colons, every colon is tried.
static bool add_against(Plot *plot, int index, const char *quantity, PerpError *error)
{
    PlotRun *run = &plot->runs[index];
    char first[PLOT_NAME];
    for (const char *colon = strchr(quantity, ':'); colon; colon = strchr(colon + 1, ':')) {
        PlotColumn x, y;
        if ((size_t)(colon - quantity) >= sizeof first)
            return false;
        snprintf(first, sizeof first, "%.*s", (int)(colon - quantity), quantity);
        if (!plot_column(run, first, &x, error)) {
            if (error->status)
                return false;
            continue;
        }
        if (plot_column(run, colon + 1, &y, error))
            return add_portrait(plot, index, &x, &y, error);
        free(x.values);
        if (error->status)
            return false;
    }
    return false;
}

static bool add_of_run(Plot *plot, int index, const char *quantity, PerpError *error)
{
    error->status = PERP_OK;
    if (strcmp(quantity, "energy") == 0)
        return add_energy(plot, index, error);
    if (strcmp(quantity, "residuals") == 0)
        return add_residuals(plot, index, error);
    if (strcmp(quantity, "contacts") == 0)
        return add_contacts(plot, index, error);
    if (plot_is_force(quantity))
        return add_force(plot, index, quantity, error);
    if (add_column(plot, index, quantity, error))
        return true;
    return !error->status && strchr(quantity, ':') && add_against(plot, index, quantity, error);
}

bool plot_add(Plot *plot, const char *quantity, int *bad, PerpError *error)
{
    for (int k = 0; k < plot->n_runs; k++)
        if (!add_of_run(plot, k, quantity, error)) {
            *bad = k;
            return false;
        }
    return true;
}
