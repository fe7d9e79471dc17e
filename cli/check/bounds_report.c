// Report of the papers' a-priori bounds, as text and as JSON.
#include "check/bounds.h"
#include "common/json.h"

#include "common/support.h"

#include <math.h>
#include <string.h>

static bool is_violated(const BoundMargin *margin)
{
    return margin->count > 0 && !(margin->least >= -margin->slack);
}

static bool holds(const BoundSeries *series)
{
    return !is_violated(&series->recorded) && !is_violated(&series->computed) && series->wrong == 0;
}

bool bound_check_holds(const BoundCheck *check)
{
    for (int k = 0; k < PERP_BOUND_COUNT; k++)
        if (!holds(&check->of[k]))
            return false;
    return true;
}

// --- text ---------------------------------------------------------------------------------------

static void print_margin(FILE *out, const char *lead, const BoundMargin *margin, const char *of)
{
    fprintf(out, "%s least %.2e in step %ld, of %ld %s%s", lead, margin->least, margin->step,
            margin->count, of, is_violated(margin) ? ": VIOLATED" : "");
}

// What would have to be recorded for it to be computed again.
static const char *missing(int kind)
{
    return bound_is_of_problems(kind)
               ? "stored problems in which constraints act (perp run --record-problems all)"
               : "states and steps (perp run --record state,joints,step,bounds)";
}

static void print_computed(FILE *out, const BoundSeries *series, int kind)
{
    const char *lead = series->recorded.count > 0 ? "; computed again:" : " computed:";
    if (series->computed.count == 0 && !series->why) {
        fprintf(out, "; examined only, computing it needs %s", missing(kind));
        return;
    }
    if (series->computed.count > 0)
        print_margin(out, lead, &series->computed,
                     bound_is_of_problems(kind) ? "problems" : "steps");
    if (series->compared > 0)
        fprintf(out, ", off by at most %.1e", series->most);
    if (series->why)
        fprintf(out, "; %ld frames examined only: %s", series->recorded.count - series->compared,
                series->why);
    if (series->wrong > 0)
        fprintf(out, "; DIFFERS in %ld steps, in step %ld %.9e recorded, %.9e computed",
                series->wrong, series->wrong_step, series->wrong_recorded, series->wrong_computed);
}

void bound_check_print(FILE *out, const BoundCheck *check)
{
    const char *head = "margins";
    for (int k = 0; k < PERP_BOUND_COUNT; k++) {
        const BoundSeries *series = &check->of[k];
        if (series->recorded.count == 0 && series->computed.count == 0)
            continue;
        fprintf(out, "%-13s %-10s", head, perp_bound_name((PerpBoundKind)k));
        if (series->recorded.count > 0)
            print_margin(out, " recorded:", &series->recorded, "frames");
        print_computed(out, series, k);
        fputc('\n', out);
        head = "";
    }
    if (*head)
        fputs("margins       none are recorded\n", out);
}

// --- JSON ---------------------------------------------------------------------------------------

static void print_json_margin(FILE *out, const char *name, const BoundMargin *margin)
{
    fprintf(out, ", \"%s\": ", name);
    if (margin->count == 0) {
        fputs("null", out);
        return;
    }
    json_member(out, "{", "least", margin->least);
    fprintf(out, ", \"step\": %ld, \"count\": %ld}", margin->step, margin->count);
}

static void print_json_difference(FILE *out, const BoundSeries *series)
{
    fprintf(out, ", \"compared\": %ld", series->compared);
    json_member(out, ", ", "largest_difference", series->most);
    fprintf(out, ", \"differ\": %ld", series->wrong);
    if (series->wrong == 0)
        return;
    fprintf(out, ", \"first\": {\"step\": %ld", series->wrong_step);
    json_member(out, ", ", "recorded", series->wrong_recorded);
    json_member(out, ", ", "computed", series->wrong_computed);
    fputc('}', out);
}

void bound_check_json(FILE *out, const BoundCheck *check)
{
    const char *comma = "";
    fputs(",\n \"margins\": [", out);
    for (int k = 0; k < PERP_BOUND_COUNT; k++) {
        const BoundSeries *series = &check->of[k];
        if (series->recorded.count == 0 && series->computed.count == 0)
            continue;
        fprintf(out, "%s\n  ", comma);
        json_text(out, "{", "bound", perp_bound_name((PerpBoundKind)k));
        print_json_margin(out, "recorded", &series->recorded);
        print_json_margin(out, "computed", &series->computed);
        print_json_difference(out, series);
        fprintf(out, ", \"holds\": %s}", holds(series) ? "true" : "false");
        comma = ",";
    }
    fputc(']', out);
}
