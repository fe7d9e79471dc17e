// The judge: what the state of a run is worth, measured from poses in the same way for all engines.
#ifndef PERP_BENCH_SCENES_JUDGE
#define PERP_BENCH_SCENES_JUDGE

#include "engines/engine.h"

typedef struct BenchVerdict {
    int touching;                             // points that overlap
    double penetration_max, penetration_mean; // m, over those points; NaN: not measured
    double drift_max;                         // m, the farthest that a body has moved
    double kinetic;                           // J; NaN: not measured
    double energy;                            // J, kinetic and of gravity; NaN likewise
    double gap;                               // m, largest joint error
} BenchVerdict;

double bench_joint_gap(const BenchScene *scene, const BenchPose *poses);

// start: count poses at the beginning. Scene files have no solids that the judge knows.
BenchVerdict bench_judge(const BenchScene *scene, int count, const BenchPose *start,
                         const BenchPose *now);

#endif
