// Prints a hash of the end state of six scenes, and how many contacts their steps had, each on 1 to
// 5 threads. The kernel, compiler and libraries that it was linked with are those that are
// compared, see tests/bits/test_bits.sh. Usage: same_bits, from the folder of the sources.
#include "perp/perp.h"

#include <stdint.h>
#include <stdio.h>

typedef struct Case {
    const char *name, *scene, *scheme;
    int facets, steps;
} Case;

// product-cones: friction of rolling and spinning.
static const Case cases[] = {
    {"joints", "scenes/gear-train.yaml", "default", PERP_FACETS_SCHEME, 200},
    {"pile", "scenes/pile.yaml", "default", PERP_FACETS_SCHEME, 100},
    {"impacts", "scenes/newtons-cradle.yaml", "default", PERP_FACETS_SCHEME, 1200},
    {"product-cones", "scenes/rolling-sphere.yaml", "default", PERP_FACETS_SCHEME, 200},
    {"polygons", "scenes/dominoes.yaml", "default", 8, 100},
    {"paper", "scenes/four-bar.yaml", "trapezoidal", PERP_FACETS_SCHEME, 200},
};

// FNV-1a
static uint64_t hash(uint64_t sum, const double *numbers, int count)
{
    const unsigned char *bytes = (const unsigned char *)numbers;
    for (size_t k = 0; k < (size_t)count * sizeof *numbers; k++)
        sum = (sum ^ bytes[k]) * 0x100000001b3u;
    return sum;
}

static PerpStatus run(const Case *c, const PerpModel *model, const PerpRunDef *def, int threads,
                      uint64_t *sum, long *contacts, PerpError *error)
{
    PerpSimulationSettings settings = perp_default_simulation_settings();
    PerpSimulation *simulation;
    settings.scheme = c->scheme;
    settings.step = def->step;
    settings.facets = c->facets;
    settings.threads = threads;
    *contacts = 0;
    PerpStatus status = perp_simulation_create(NULL, model, &settings, &simulation, error);
    for (int k = 0; k < c->steps && !status; k++) {
        status = perp_simulation_step(simulation, 0, error);
        *contacts += perp_simulation_contact_count(simulation);
    }
    if (!status) {
        int n_q, n_v;
        const double *q = perp_simulation_q(simulation, &n_q);
        const double *v = perp_simulation_v(simulation, &n_v);
        *sum = hash(hash(0xcbf29ce484222325u, q, n_q), v, n_v);
    }
    perp_simulation_destroy(simulation);
    return status;
}

static PerpStatus run_case(const Case *c, PerpError *error)
{
    PerpScene *scene = NULL;
    PerpModel *model = NULL;
    uint64_t sum = 0;
    long contacts;
    PerpStatus status = perp_scene_read(NULL, c->scene, NULL, 0, &scene, error);
    if (!status)
        status = perp_model_create(NULL, perp_scene_model_def(scene), &model, error);
    for (int threads = 1; threads <= 5 && !status; threads++) {
        status = run(c, model, perp_scene_run(scene), threads, &sum, &contacts, error);
        if (!status)
            printf("%s %d %016llx %ld\n", c->name, threads, (unsigned long long)sum, contacts);
    }
    perp_model_destroy(model);
    perp_scene_destroy(scene);
    return status;
}

// What the versions of kernels are chosen by.
static const char *kernel(void)
{
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__)
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx512f") ? "avx512"
           : __builtin_cpu_supports("avx2")  ? "avx2"
                                             : "plain";
#else
    return "plain";
#endif
}

int main(void)
{
    printf("kernel %s\n", kernel());
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        PerpError error = {0};
        if (run_case(&cases[k], &error)) {
            fprintf(stderr, "%s: %s\n", cases[k].scene, error.message);
            return 1;
        }
    }
    return 0;
}
