// Scenes of the benchmark as models of perp.
#ifndef PERP_BENCH_ENGINES_PERP_MODEL_H
#define PERP_BENCH_ENGINES_PERP_MODEL_H

#include "perp/model.h"
#include "scenes/scene.h"

// Not of scenes that come from a file.
PerpStatus bench_perp_model(const BenchScene *scene, PerpModel **model, PerpError *error);

#endif
