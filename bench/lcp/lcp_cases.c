// Families of random step problems, and the LCPs behind them.
#include "lcp/lcp_cases.h"

#include <stdio.h>
#include <stdlib.h>

const char *bench_family_text(BenchFamily family)
{
    static const char *const texts[] = {
#define BENCH_FAMILY_TEXT(name, text) text,
        BENCH_FAMILY_LIST(BENCH_FAMILY_TEXT)
#undef BENCH_FAMILY_TEXT
    };
    return texts[family];
}

static PerpSceneOptions scene_options(const BenchCases *cases, int k)
{
    PerpSceneOptions o = perp_default_scene_options();
    o.contacts = cases->contacts;
    o.facets = cases->facets;
    o.mass_ratio = 10.0;
    o.motion = (PerpSceneMotion)(k % 3);
    if (cases->family == BENCH_FRICTIONAL)
        o.bodies = 1 + cases->contacts / 3;
    else if (cases->family == BENCH_SPD)
        o.bodies = cases->contacts;
    else
        o.bodies = 1 + (cases->contacts - 1) / 10;
    return o;
}

void bench_make_case(void *user, int k, BenchCase *c)
{
    BenchCases *cases = user;
    PerpSceneOptions o = scene_options(cases, k);
    perp_sample_free(cases->sample);
    cases->sample = perp_sample_scene((uint64_t)(1000 * o.contacts + k), &o);
    cases->problem = perp_sample_problem(cases->sample);
    c->problem = &cases->problem;
    PerpError error = {0};
    PerpStatus status = PERP_OK;
    if (!cases->reducer)
        status = perp_solver_create(NULL, &cases->reducer);
    if (status == PERP_OK)
        status = perp_problem_reduce(cases->reducer, &cases->problem, &c->lcp, &error);
    if (status != PERP_OK) {
        fprintf(stderr, "perp-bench-lcp: case %d: %s\n", k, error.message);
        exit(1);
    }
}

void bench_close_cases(BenchCases *cases)
{
    perp_sample_free(cases->sample);
    perp_solver_destroy(cases->reducer);
}
