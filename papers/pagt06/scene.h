// A scene of papers/pagt06 in motion, with what happens to one of its bodies.
#ifndef PERP_PAPERS_PAGT06_SCENE_H
#define PERP_PAPERS_PAGT06_SCENE_H

#include "papers/paper.h"

enum { SCENE_POINTS = 4000 };

typedef struct SceneRun {
    const char *file, *body; // the file's name in papers/pagt06
    PerpParameter set;       // one parameter of the scene
    int joint;               // whose coordinate is watched
    // found
    int count;
    double t[SCENE_POINTS], x[SCENE_POINTS], z[SCENE_POINTS], angle[SCENE_POINTS];
    double speed;                               // of the body at the end
    double joint_gap, penetration, certificate; // the largest
    double balance;                             // of the energy, at the end
    int problems;
} SceneRun;

// Runs it; false and a failed paper if something is wrong. From the folder of the sources.
bool pagt06_scene_run(Paper *paper, SceneRun *run);

// One quantity of several runs over time.
void pagt06_scene_draw(Paper *paper, const char *name, const char *label, int count,
                       const SceneRun *const *runs, const double *const *y,
                       const char *const *names);

#endif
