// A scene of papers/pagt06 in motion, with what happens to one of its bodies.
#ifndef PERP_PAPERS_PAGT06_SCENE_H
#define PERP_PAPERS_PAGT06_SCENE_H

#include "papers/paper.h"

enum { SCENE_POINTS = 4000 };

// The scenes of this folder, which are part of the program; cmake/embed_scenes.cmake writes the
// table, ended by one without name.
typedef struct Pagt06Scene {
    const char *name, *text;
} Pagt06Scene;

extern const Pagt06Scene pagt06_scenes[];

typedef struct SceneRun {
    const char *name, *body; // of the scene
    PerpParameter set;       // one parameter of the scene
    const char *scheme;      // NULL: the scene's
    double duration;         // s, 0: the scene's
    bool may_fail;           // a step that fails ends the run, not the entry
    int joint;               // whose coordinate is watched
    // found
    int count;
    double t[SCENE_POINTS], x[SCENE_POINTS], z[SCENE_POINTS], angle[SCENE_POINTS];
    double speed;                               // of the body at the end
    double joint_gap, penetration, certificate; // the largest
    PerpEnergy energy;                          // at the end
    double highest;                             // J: of kinetic and spring energy
    bool failed;                                // a step did
    int problems;
} SceneRun;

// Runs it; false and a failed paper if something is wrong.
bool pagt06_scene_run(Paper *paper, SceneRun *run);

// One quantity of several runs over time.
void pagt06_scene_draw(Paper *paper, const char *name, const char *label, int count,
                       const SceneRun *const *runs, const double *const *y,
                       const char *const *names);

#endif
