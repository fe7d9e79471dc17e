// A scene from a file, read and compiled.
#ifndef PERP_CLI_COMMON_OPEN_SCENE_H
#define PERP_CLI_COMMON_OPEN_SCENE_H

#include "common/cli.h"

#include "perp/scene.h"

enum { PARAMETERS = 64 };

typedef struct SceneSource {
    const char *path; // "-": standard input
    int n_set;
    PerpParameter set[PARAMETERS]; // parts of argv
} SceneSource;

typedef struct OpenScene {
    PerpScene *scene;
    PerpModel *model;
} OpenScene;

// Takes each --set name=value out of argv. Returns how many arguments are left, 0 after a
// complaint.
int take_parameters(int argc, char **argv, SceneSource *source);

// Errors of the model, too, say where in the scene the body or joint at fault is.
PerpStatus open_scene(const SceneSource *source, OpenScene *opened, PerpError *error);
void close_scene(OpenScene *opened); // also after a failure

// Of the scene's model; errors say where in the scene the body at fault is.
PerpStatus start_simulation(const OpenScene *opened, const PerpSimulationSettings *settings,
                            PerpSimulation **simulation, PerpError *error);

#endif
