// Panels of a plot and the curves in them.
#include "plot/panels.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool plot_no_memory(PerpError *error)
{
    *error = (PerpError){.status = PERP_NO_MEMORY};
    snprintf(error->message, sizeof error->message, "%s", perp_status_text(PERP_NO_MEMORY));
    return false;
}

// --- panels and curves --------------------------------------------------------------------------

PlotPanel *plot_panel(Plot *plot, const char *kind)
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

void plot_label(char label[PLOT_NAME], const char *what, const char *unit)
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
PlotCurve *plot_curve(PlotPanel *panel, const PlotRun *run, double *x, double *y, const char *name)
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
const char *plot_curve_name(const Plot *plot, const PlotRun *run, const char *name,
                            char room[PLOT_LONG_NAME])
{
    if (plot->n_runs == 1)
        return name;
    snprintf(room, PLOT_LONG_NAME, "%s, %s", name, run->stem);
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

double plot_largest(const double *values, long count)
{
    double largest = 0;
    for (long k = 0; k < count; k++)
        largest = fmax(largest, fabs(values[k]));
    return largest;
}
