// Writing of an LCP as JSON.
#include "io/text/json_write.h"
#include "io/text/output.h"
#include "perp/problem_file.h"

static void write_lcp(FILE *stream, const void *what)
{
    const PerpLcp *p = what;
    fputs("{\n  \"M\": [\n", stream);
    for (int i = 0; i < p->n; i++) {
        fputs("    ", stream);
        perp_write_numbers(stream, p->M + i, p->n, p->n);
        fputs(i + 1 < p->n ? ",\n" : "\n", stream);
    }
    fputs("  ],\n  \"q\": ", stream);
    perp_write_numbers(stream, p->q, p->n, 1);
    fprintf(stream, ",\n  \"free\": %d\n}\n", p->free);
}

PerpStatus perp_lcp_write(const PerpContext *context, const PerpLcp *p, const char *path,
                          PerpError *error)
{
    (void)context; // nothing to allocate
    return perp_output(path, write_lcp, p, error);
}
