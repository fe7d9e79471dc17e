// Refinement of the step: each level has half the step of the one before, the reference an eighth
// of the last.
#include "order/order.h"

#include "common/progress.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { FINER = 8 };                   // steps of the reference to one of the last level
static const double ROUNDING = 1e-12; // errors below it say nothing

// Steps of all runs of a scheme.
typedef struct OrderProgress {
    Progress bar;
    long done, planned;
} OrderProgress;

// --- one run ------------------------------------------------------------------------------------

static bool take_end(const PerpModel *model, OrderEnd *end)
{
    size_t bodies = (size_t)perp_model_body_count(model);
    *end = (OrderEnd){calloc(7 * bodies + 1, sizeof(double)),
                      calloc(6 * bodies + 1, sizeof(double)), 0, 0, 0};
    return end->pose && end->motion;
}

static void free_end(OrderEnd *end)
{
    free(end->pose);
    free(end->motion);
}

static PerpStatus step_through(PerpSimulation *simulation, long steps, OrderEnd *end,
                               OrderProgress *progress, PerpError *error)
{
    int contacts = 0;
    for (long k = 0; k < steps; k++) {
        progress_show(&progress->bar, ++progress->done, progress->planned,
                      perp_simulation_time(simulation));
        PerpStatus status = perp_simulation_step(simulation, 0, error);
        if (status)
            return status;
        const PerpStepReport *report = perp_simulation_report(simulation);
        end->impacts += report->impacts;
        end->changes += k > 0 && report->contacts != contacts;
        contacts = report->contacts;
    }
    return PERP_OK;
}

static PerpStatus run_once(const Order *order, OrderProgress *progress, const char *scheme,
                           long steps, OrderEnd *end, double *seconds, PerpError *error)
{
    PerpSimulationSettings settings =
        run_choose_settings(order->options, perp_scene_run(order->opened.scene));
    const PerpModel *model = order->opened.model;
    PerpSimulation *simulation = NULL;
    settings.scheme = scheme;
    settings.step = order->duration / (double)steps;
    clock_t start = clock();
    PerpStatus status = start_simulation(&order->opened, &settings, &simulation, error);
    if (!status)
        status = step_through(simulation, steps, end, progress, error);
    *seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
    for (int k = 0; k < perp_model_body_count(model) && !status; k++) {
        perp_simulation_pose(simulation, k, end->pose + 7 * k, end->pose + 7 * k + 3);
        perp_simulation_velocity(simulation, k, end->motion + 6 * k, end->motion + 6 * k + 3);
    }
    end->ledger = status ? 0 : fabs(perp_simulation_report(simulation)->energy.scheme);
    perp_simulation_destroy(simulation);
    return status;
}

// --- errors -------------------------------------------------------------------------------------

static double distance(int count, const double *a, const double *b)
{
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sqrt(sum);
}

// The angle between two rotations; q and -q are the same.
static double angle(const double *a, const double *b)
{
    double other[4] = {-b[0], -b[1], -b[2], -b[3]};
    return 4 * asin(fmin(fmin(distance(4, a, b), distance(4, a, other)) / 2, 1));
}

// m or rad, the larger, of the worst body
static double error_of_pose(int bodies, const OrderEnd *a, const OrderEnd *b)
{
    double worst = 0;
    for (int k = 0; k < bodies; k++) {
        const double *x = a->pose + 7 * k, *y = b->pose + 7 * k;
        worst = fmax(worst, fmax(distance(3, x, y), angle(x + 3, y + 3)));
    }
    return worst;
}

// m/s or rad/s
static double error_of_motion(int bodies, const OrderEnd *a, const OrderEnd *b)
{
    double worst = 0;
    for (int k = 0; k < bodies; k++) {
        const double *x = a->motion + 6 * k, *y = b->motion + 6 * k;
        worst = fmax(worst, fmax(distance(3, x, y), distance(3, x + 3, y + 3)));
    }
    return worst;
}

double order_between(double coarse, double fine)
{
    return coarse > ROUNDING && fine > ROUNDING ? log2(coarse / fine) : NAN;
}

// The slope of log error over log h, by least squares. error: where it stands in a level.
static double fit(int levels, const OrderLevel *level, size_t error)
{
    double n = 0, x = 0, y = 0, xx = 0, xy = 0;
    for (int k = 0; k < levels; k++) {
        double e = *(const double *)((const char *)&level[k] + error), log_h = log(level[k].h);
        if (!(e > ROUNDING))
            continue;
        n++;
        x += log_h;
        y += log(e);
        xx += log_h * log_h;
        xy += log_h * log(e);
    }
    return n >= 2 ? (n * xy - x * y) / (n * xx - x * x) : NAN;
}

// --- refinement ---------------------------------------------------------------------------------

static PerpStatus run_steps(const Order *order, OrderScheme *scheme, OrderProgress *progress,
                            OrderEnd *end)
{
    int bodies = perp_model_body_count(order->opened.model);
    long steps = lround(order->duration / order->from);
    PerpStatus status = PERP_OK;
    for (int k = 0; k < order->levels && !status; k++, steps *= 2) {
        OrderLevel *level = &scheme->level[k];
        level->h = order->duration / (double)steps;
        status =
            run_once(order, progress, scheme->name, steps, end, &level->seconds, &scheme->error);
        level->error_q = error_of_pose(bodies, end, &scheme->reference);
        level->error_v = error_of_motion(bodies, end, &scheme->reference);
        level->ledger = end->ledger;
    }
    return status;
}

bool order_run(const Order *order, OrderScheme *scheme)
{
    OrderEnd end = {0};
    double seconds;
    long coarsest = lround(order->duration / order->from);
    long finest = coarsest * FINER << (order->levels - 1);
    OrderProgress progress = {.bar = progress_begin(order->options->quiet),
                              .planned = finest + ((coarsest << order->levels) - coarsest)};
    PerpStatus status = PERP_NO_MEMORY;
    if (take_end(order->opened.model, &scheme->reference) && take_end(order->opened.model, &end))
        status = run_once(order, &progress, scheme->name, finest, &scheme->reference, &seconds,
                          &scheme->error);
    if (!status)
        status = run_steps(order, scheme, &progress, &end);
    progress_end(&progress.bar);
    free_end(&end);
    scheme->order_q = fit(order->levels, scheme->level, offsetof(OrderLevel, error_q));
    scheme->order_v = fit(order->levels, scheme->level, offsetof(OrderLevel, error_v));
    scheme->order_ledger = fit(order->levels, scheme->level, offsetof(OrderLevel, ledger));
    scheme->error.status = status;
    return status == PERP_OK;
}

void order_compare(Order *order)
{
    int bodies = perp_model_body_count(order->opened.model);
    const OrderScheme *first = NULL;
    for (int k = 0; k < order->n_schemes; k++) {
        OrderScheme *scheme = &order->scheme[k];
        if (scheme->error.status)
            continue;
        first = first ? first : scheme;
        scheme->apart_q = error_of_pose(bodies, &scheme->reference, &first->reference);
        scheme->apart_v = error_of_motion(bodies, &scheme->reference, &first->reference);
    }
}

void order_free(Order *order)
{
    for (int k = 0; k < order->n_schemes; k++)
        free_end(&order->scheme[k].reference);
    close_scene(&order->opened);
}
