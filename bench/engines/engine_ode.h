// ODE's geometry of a scene, for the engine and for the judge.
#ifndef PERP_BENCH_ENGINES_ENGINE_ODE
#define PERP_BENCH_ENGINES_ENGINE_ODE

#include "scenes/scene.h"

#include <ode/ode.h>

dGeomID bench_ode_geom(dSpaceID space, const BenchBody *b);
void bench_ode_planes(dSpaceID space, const BenchScene *scene);

#endif
