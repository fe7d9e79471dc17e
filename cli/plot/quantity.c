// Curves and axes of each quantity that can be plotted.
#include "plot/panels.h"

#include <stdlib.h>
#include <string.h>

// --- forces, columns, portraits -----------------------------------------------------------------

static bool add_force(Plot *plot, int index, const char *quantity, PerpError *error)
{
    PlotRun *run = &plot->runs[index];
    double *values[2];
    char room[PLOT_LONG_NAME], name[PLOT_NAME];
    if (!plot_force(run, quantity, &values[0], &values[1], error))
        return false;
    PlotPanel *panel = plot_panel(plot, "force");
    if (panel)
        plot_label(panel->y_label, "force", "N");
    const char *of = strchr(quantity, ':') + 1;
    for (int k = 0; k < 2; k++) {
        snprintf(name, sizeof name, "%s, %.100s", k ? "friction" : "normal", of);
        if (!panel ||
            !plot_curve(panel, run, NULL, values[k], plot_curve_name(plot, run, name, room))) {
            if (!panel)
                free(values[0]);
            if (!panel || k == 0)
                free(values[1]);
            return plot_no_memory(error);
        }
    }
    return true;
}

static bool add_column(Plot *plot, int index, const char *name, PerpError *error)
{
    PlotRun *run = &plot->runs[index];
    PlotColumn column;
    char room[PLOT_LONG_NAME], kind[PLOT_NAME];
    if (!plot_column(run, name, &column, error) &&
        (error->status || !plot_arithmetic(run, name, &column, error)))
        return false;
    snprintf(kind, sizeof kind, "%s|%s", column.what, column.unit);
    PlotPanel *panel = plot_panel(plot, kind);
    if (!panel) {
        free(column.values);
        return plot_no_memory(error);
    }
    plot_label(panel->y_label, panel->n_curves == 0 && plot->n_runs == 1 ? name : column.what,
               column.unit);
    return plot_curve(panel, run, NULL, column.values, plot_curve_name(plot, run, name, room)) !=
               NULL ||
           plot_no_memory(error);
}

static bool add_portrait(Plot *plot, int index, const PlotColumn *x, const PlotColumn *y,
                         PerpError *error)
{
    char room[PLOT_LONG_NAME], name[PLOT_NAME], kind[PLOT_NAME];
    const PlotRun *run = &plot->runs[index];
    snprintf(kind, sizeof kind, "portrait|%.30s|%.30s|%.30s", x->what, y->what, y->unit);
    snprintf(name, sizeof name, "%.70s:%.70s", x->name, y->name);
    PlotPanel *panel = plot_panel(plot, kind);
    if (!panel ||
        !plot_curve(panel, run, x->values, y->values, plot_curve_name(plot, run, name, room))) {
        if (!panel) {
            free(x->values);
            free(y->values);
        }
        return plot_no_memory(error);
    }
    bool first = panel->n_curves == 1;
    plot_label(panel->x_label, first || strstr(panel->x_label, x->name) ? x->name : x->what,
               x->unit);
    plot_label(panel->y_label, first || strstr(panel->y_label, y->name) ? y->name : y->what,
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
        return plot_add_energy(plot, index, error);
    if (strcmp(quantity, "residuals") == 0)
        return plot_add_residuals(plot, index, error);
    if (strcmp(quantity, "contacts") == 0)
        return plot_add_contacts(plot, index, error);
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
