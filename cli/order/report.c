// The report of perp order: a table, JSON, figures.
#include "common/json.h"
#include "order/order.h"

#include "perp/figure.h"

#include <errno.h>
#include <math.h>
#include <string.h>

// --- text ---------------------------------------------------------------------------------------

static void print_order(FILE *out, double order)
{
    if (isnan(order))
        fprintf(out, "%8s", "-");
    else
        fprintf(out, "%8.2f", order);
}

static void print_levels(FILE *out, const OrderScheme *scheme, int levels)
{
    fprintf(out, "  %12s %12s %7s %12s %7s %12s %7s %10s\n", "h, s", "error q", "order", "error v",
            "order", "ledger, J", "order", "CPU, s");
    for (int k = 0; k < levels; k++) {
        const OrderLevel *level = &scheme->level[k], *above = k ? level - 1 : level;
        fprintf(out, "  %12.6g %12.3e", level->h, level->error_q);
        print_order(out, k ? order_between(above->error_q, level->error_q) : NAN);
        fprintf(out, " %12.3e", level->error_v);
        print_order(out, k ? order_between(above->error_v, level->error_v) : NAN);
        fprintf(out, " %12.3e", level->ledger);
        print_order(out, k ? order_between(above->ledger, level->ledger) : NAN);
        fprintf(out, " %10.4f\n", level->seconds);
    }
    fprintf(out, "  %12s %12s", "fitted", "");
    print_order(out, scheme->order_q);
    fprintf(out, " %12s", "");
    print_order(out, scheme->order_v);
    fprintf(out, " %12s", "");
    print_order(out, scheme->order_ledger);
    fputc('\n', out);
}

static void print_scheme(FILE *out, const Order *order, const OrderScheme *scheme)
{
    fprintf(out, "\n%s: ", scheme->name);
    if (scheme->error.status) {
        fprintf(out, "failed: %s\n", scheme->error.message);
        return;
    }
    if (scheme->reference.impacts > 0)
        fprintf(out, "with impacts, %d with a bounce", scheme->reference.impacts);
    else
        fputs("no impact with a bounce", out);
    fprintf(out, "; contacts changed %d times\n", scheme->reference.changes);
    print_levels(out, scheme, order->levels);
    if (order->n_schemes > 1)
        fprintf(out, "  its reference is %.2e m or rad, %.2e m/s or rad/s from that of %s\n",
                scheme->apart_q, scheme->apart_v, order->scheme[0].name);
}

void order_print_text(FILE *out, const Order *order)
{
    fprintf(out,
            "%s to t = %g s: errors at the end, of the worst body, against the same scheme\n"
            "with an eighth of the smallest step; q in m or rad, v in m/s or rad/s; and what the\n"
            "energy ledger cannot account for there\n",
            order->options->source.path, order->duration);
    for (int k = 0; k < order->n_schemes; k++)
        print_scheme(out, order, &order->scheme[k]);
}

// --- JSON ---------------------------------------------------------------------------------------

static void print_levels_json(FILE *out, const OrderScheme *scheme, int levels)
{
    for (int k = 0; k < levels; k++) {
        const OrderLevel *level = &scheme->level[k];
        json_member(out, k ? ",\n    {" : "{", "h", level->h);
        json_member(out, ", ", "error_q", level->error_q);
        json_member(out, ", ", "error_v", level->error_v);
        json_member(out, ", ", "order_q",
                    k ? order_between(level[-1].error_q, level->error_q) : NAN);
        json_member(out, ", ", "order_v",
                    k ? order_between(level[-1].error_v, level->error_v) : NAN);
        json_member(out, ", ", "ledger", level->ledger);
        json_member(out, ", ", "order_ledger",
                    k ? order_between(level[-1].ledger, level->ledger) : NAN);
        json_member(out, ", ", "seconds", level->seconds);
        fputc('}', out);
    }
}

static void print_scheme_json(FILE *out, const Order *order, const OrderScheme *scheme)
{
    json_text(out, "{", "scheme", scheme->name);
    if (scheme->error.status) {
        json_text(out, ", ", "error", scheme->error.message);
        fputc('}', out);
        return;
    }
    fprintf(out, ", \"impacts\": %d, \"contact_changes\": %d", scheme->reference.impacts,
            scheme->reference.changes);
    json_member(out, ",\n   ", "order_q", scheme->order_q);
    json_member(out, ", ", "order_v", scheme->order_v);
    json_member(out, ", ", "order_ledger", scheme->order_ledger);
    json_member(out, ", ", "apart_q", scheme->apart_q);
    json_member(out, ", ", "apart_v", scheme->apart_v);
    fputs(",\n   \"rows\": [", out);
    print_levels_json(out, scheme, order->levels);
    fputs("]}", out);
}

void order_print_json(FILE *out, const Order *order)
{
    json_text(out, "{", "scene", order->options->source.path);
    json_member(out, ", ", "t", order->duration);
    fputs(",\n \"schemes\": [", out);
    for (int k = 0; k < order->n_schemes; k++) {
        fputs(k ? ",\n  " : "", out);
        print_scheme_json(out, order, &order->scheme[k]);
    }
    fputs("]}\n", out);
}

// --- figures ------------------------------------------------------------------------------------

// The points of one scheme: q as a line, v dashed in the same colour.
typedef struct OrderLine {
    double x[ORDER_LEVELS], q[ORDER_LEVELS], v[ORDER_LEVELS];
    char names[2][64];
} OrderLine;

static void fill_line(const Order *order, const OrderScheme *scheme, int colour, bool against_time,
                      OrderLine *line, PerpSeries series[2])
{
    for (int k = 0; k < order->levels; k++) {
        line->x[k] = against_time ? scheme->level[k].seconds : scheme->level[k].h;
        line->q[k] = scheme->level[k].error_q;
        line->v[k] = scheme->level[k].error_v;
    }
    for (int i = 0; i < 2; i++) {
        snprintf(line->names[i], sizeof line->names[i], "%s, %s", scheme->name, i ? "v" : "q");
        series[i] = perp_default_series();
        series[i].name = line->names[i];
        series[i].mark = PERP_MARK_BOTH;
        series[i].dashed = i == 1;
        series[i].colour = colour;
        series[i].count = order->levels;
        series[i].x = line->x;
        series[i].y = i ? line->v : line->q;
    }
}

static bool write_svg(const char *path, const PerpFigure *figure)
{
    PerpError error;
    char *text = NULL;
    if (perp_figure_svg(NULL, figure, &text, &error)) {
        cli_complain_of_error(&error);
        return false;
    }
    FILE *file = fopen(path, "w");
    bool written = file && fputs(text, file) >= 0;
    if (file && fclose(file) != 0)
        written = false;
    if (!written)
        fprintf(stderr, "perp: %s: %s\n", path, strerror(errno));
    perp_figure_free(NULL, text);
    return written;
}

bool order_draw(const Order *order, bool against_time, const char *path)
{
    static OrderLine lines[ORDER_SCHEMES];
    PerpSeries series[2 * ORDER_SCHEMES];
    PerpFigure figure = perp_default_figure();
    for (int k = 0; k < order->n_schemes; k++)
        if (!order->scheme[k].error.status) {
            fill_line(order, &order->scheme[k], k, against_time, &lines[k],
                      series + figure.n_series);
            figure.n_series += 2;
        }
    figure.title = perp_scene_about(order->opened.scene);
    figure.x_label = against_time ? "CPU time (s)" : "step h (s)";
    figure.y_label = "error at the end";
    figure.log_x = figure.log_y = true;
    figure.height = 480;
    figure.series = series;
    return write_svg(path, &figure);
}
