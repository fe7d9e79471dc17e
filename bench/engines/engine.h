// Engines: one adapter each, all driven through the same few functions.
#ifndef PERP_BENCH_ENGINES_ENGINE
#define PERP_BENCH_ENGINES_ENGINE

#include "scenes/scene.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { BENCH_MESSAGE = 160, BENCH_METHODS = 16, BENCH_OUTCOMES = 12 };

typedef struct BenchPose {
    double position[3], rotation[4]; // w x y z
    double velocity[3], spin[3];     // of the centre of mass; world axes
} BenchPose;

// What perp says of its steps; other engines leave it zeroed.
typedef struct BenchProof {
    int steps, certified, held;   // held: of the certified, with slip held
    double gap_error;             // m: the largest of them
    long outcome[BENCH_OUTCOMES]; // steps by PerpOutcome
    double worst;                 // the largest residual of the certificates
    double penetration, gap;      // m, as perp itself reports them after the last step
    long problems, iterations, pivots;
    long method[BENCH_METHODS];
} BenchProof;

typedef struct BenchEngine {
    const char *name;
    const char *text;                          // what it is and how it is set
    bool (*can_play)(const BenchScene *scene); // NULL: no scene files, no mechanisms
    // NULL with a message if it cannot
    void *(*create)(const struct BenchEngine *engine, const BenchScene *scene,
                    char message[BENCH_MESSAGE]);
    bool (*step)(void *world, char message[BENCH_MESSAGE]); // false: it failed
    int (*bodies)(const void *world);                       // NULL: as many as the scene has
    void (*poses)(void *world, int count, BenchPose *poses);
    int (*contacts)(const void *world);                  // points in the last step's problem
    void (*prove)(const void *world, BenchProof *proof); // NULL: nothing to say
    void (*destroy)(void *world);
    double setting;   // the adapter's own: iterations, tolerance
    int threads;      // of perp, 0 as good as 1; other engines have one
    unsigned methods; // of perp's ladder that may be used, 0: all
} BenchEngine;

extern const BenchEngine bench_engine_ode_quick, bench_engine_ode_step, bench_engine_bullet,
    bench_engine_featherstone, bench_engine_mujoco, bench_engine_rapier, bench_engine_perp_exact,
    bench_engine_perp_rough, bench_engine_perp_game, bench_engine_perp;

#ifdef __cplusplus
}
#endif
#endif
