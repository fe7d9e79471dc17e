// What each rung of the ladder did: noted while a problem is solved, printed as lines or as JSON.
#include "common/json.h"
#include "solve/solve.h"

#include <math.h>
#include <stdlib.h>

void solve_note_rung(void *user, const PerpRungTrace *rung)
{
    SolveTrace *trace = user;
    if (trace->count == trace->room) {
        int room = 2 * trace->room + 16;
        PerpRungTrace *rungs = realloc(trace->rungs, (size_t)room * sizeof *rungs);
        trace->short_of_memory = trace->short_of_memory || !rungs;
        if (!rungs)
            return;
        trace->rungs = rungs;
        trace->room = room;
    }
    trace->rungs[trace->count++] = *rung;
}

static void print_number(FILE *out, double number)
{
    if (isfinite(number))
        fprintf(out, " %11.2e", number);
    else
        fprintf(out, " %11s", "-");
}

void solve_print_trace(FILE *out, const SolveTrace *trace)
{
    fprintf(out, "%-15s %-26s %8s %8s %11s %11s %10s  accepted\n", "method", "rung", "contacts",
            "work", "residual", "certificate", "CPU ms");
    for (int k = 0; k < trace->count; k++) {
        const PerpRungTrace *rung = &trace->rungs[k];
        fprintf(out, "%-15s %-26s %8d %8d", perp_method_name(rung->method), rung->rung,
                rung->contacts, rung->work);
        print_number(out, rung->residual);
        print_number(out, rung->certificate);
        fprintf(out, " %10.3f  %s\n", 1e3 * rung->seconds, rung->accepted ? "yes" : "no");
    }
    if (trace->short_of_memory)
        fputs("(more rungs ran than memory holds)\n", out);
    fputc('\n', out);
}

void solve_print_trace_json(FILE *out, const SolveTrace *trace)
{
    fputs(",\n \"trace\": [", out);
    for (int k = 0; k < trace->count; k++) {
        const PerpRungTrace *rung = &trace->rungs[k];
        fprintf(out, "%s\n  {\"method\": \"%s\", \"rung\": \"%s\", \"contacts\": %d, \"work\": %d",
                k ? "," : "", perp_method_name(rung->method), rung->rung, rung->contacts,
                rung->work);
        json_member(out, ", ", "residual", rung->residual);
        json_member(out, ", ", "certificate", rung->certificate);
        json_member(out, ", ", "seconds", rung->seconds);
        fprintf(out, ", \"accepted\": %s}", rung->accepted ? "true" : "false");
    }
    fputc(']', out);
}
