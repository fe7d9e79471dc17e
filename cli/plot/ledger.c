// The energy ledger, residuals and contacts of a recording as curves.
#include "plot/panels.h"

#include <math.h>
#include <stdlib.h>

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
    double most = put_in ? plot_largest(put_in, run->frames) : 0;
    for (int k = KINETIC; put_in && k <= DAMPER; k++) {
        if (plot_largest(columns[k].values, run->frames) <= 1e-3 * most)
            continue;
        PlotCurve *curve = plot_curve(panel, run, NULL, columns[k].values, names[k]);
        columns[k].values = NULL;
        if (!curve) {
            free(put_in);
            return false;
        }
        curve->mark = PERP_MARK_AREA;
        curve->colour = k;
    }
    PlotCurve *line = put_in ? plot_curve(panel, run, NULL, put_in, "put in") : NULL;
    if (!line)
        return false;
    line->dashed = true;
    line->colour = 6;
    return true;
}

// With several runs: what is stored, and dashed what has been taken out.
static bool add_sums(const Plot *plot, PlotPanel *panel, const PlotRun *run, PlotColumn *columns)
{
    char room[PLOT_LONG_NAME];
    int colour = (int)(run - plot->runs);
    for (int part = 0; part < 2; part++) {
        double *sum = calloc((size_t)run->frames + 1, sizeof *sum);
        if (!sum)
            return false;
        for (int k = part ? FRICTION : KINETIC; k <= (part ? DAMPER : SPRING); k++)
            for (long i = 0; i < run->frames; i++)
                sum[i] += columns[k].values[i];
        PlotCurve *curve = plot_curve(
            panel, run, NULL, sum, plot_curve_name(plot, run, part ? "taken out" : "stored", room));
        if (!curve)
            return false;
        curve->dashed = part;
        curve->colour = colour;
    }
    return true;
}

bool plot_add_energy(Plot *plot, int index, PerpError *error)
{
    PlotRun *run = &plot->runs[index];
    PlotColumn columns[TERMS] = {0};
    bool done = load_terms(run, columns, error);
    PlotPanel *panel = done ? plot_panel(plot, "energy ledger") : NULL;
    if (done) {
        done = panel && (plot->n_runs == 1 ? add_stack(panel, run, columns)
                                           : add_sums(plot, panel, run, columns));
        if (!done)
            plot_no_memory(error);
        else
            plot_label(panel->y_label, "energy", "J");
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
    char room[PLOT_LONG_NAME];
    PlotCurve *curve = plot_curve(panel, run, x, y, plot_curve_name(plot, run, "tolerance", room));
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
bool plot_add_residuals(Plot *plot, int index, PerpError *error)
{
    PlotRun *run = &plot->runs[index];
    PlotColumn column;
    char series[PLOT_NAME], room[PLOT_LONG_NAME];
    bool alone = plot->n_runs == 1;
    if (!plot_column(run, "certificate/worst", &column, error))
        return false;
    PlotPanel *panel = plot_panel(plot, "residuals");
    if (!panel) {
        free(column.values);
        return plot_no_memory(error);
    }
    panel->log = true;
    plot_label(panel->y_label, "residual, relative", "");
    leave_out_nothing(column.values, run->frames);
    if (!alone &&
        !plot_curve(panel, run, NULL, column.values, plot_curve_name(plot, run, "worst", room)))
        return plot_no_memory(error);
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
        else if (!plot_curve(panel, run, NULL, column.values, perp_residual_name((PerpResidual)k)))
            return plot_no_memory(error);
    }
    bool last = index == plot->n_runs - 1;
    return !last || add_tolerance(plot, panel, run) || plot_no_memory(error);
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
    char room[PLOT_LONG_NAME];
    PlotPanel *panel = plot_panel(plot, "contacts by status");
    for (size_t k = 0; panel && k < sizeof order / sizeof *order; k++) {
        const char *name = perp_contact_status_name((PerpContactStatus)order[k]);
        double *values = counts[order[k]];
        counts[order[k]] = NULL;
        PlotCurve *curve =
            plot_curve(panel, run, NULL, values, plot_curve_name(plot, run, name, room));
        if (!curve)
            return false;
        curve->mark = plot->n_runs == 1 ? PERP_MARK_AREA : PERP_MARK_LINE;
        curve->colour = plot->n_runs == 1 ? colour[k] : -1;
    }
    if (panel)
        plot_label(panel->y_label, "contact points", "");
    return panel != NULL;
}

bool plot_add_contacts(Plot *plot, int index, PerpError *error)
{
    PlotRun *run = &plot->runs[index];
    double *counts[PERP_CONTACT_STATUS_COUNT] = {0};
    error->status = PERP_OK;
    if (!perp_recording_has(run->recording, "contacts/start"))
        return false;
    bool done = true;
    for (int k = 0; done && k < PERP_CONTACT_STATUS_COUNT; k++) {
        counts[k] = calloc((size_t)run->frames + 1, sizeof **counts);
        done = counts[k] || plot_no_memory(error);
    }
    done = done && !count_contacts(run, counts, error);
    if (done && !add_counts(plot, run, counts))
        done = plot_no_memory(error);
    for (int k = 0; k < PERP_CONTACT_STATUS_COUNT; k++)
        free(counts[k]);
    return done;
}
