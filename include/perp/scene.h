// Scene files: a model and how to run it, as YAML. docs/scenes.md describes them by examples.
#ifndef PERP_SCENE_H
#define PERP_SCENE_H

#include "perp/api.h"
#include "perp/model.h"
#include "perp/simulation.h"

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

// How to run the scene.
typedef struct PerpRunDef {
    double duration;              // s, default 1, > 0
    double step;                  // s, default 1e-3, > 0
    const char *scheme;           // default "default"
    int facets;                   // of the friction cone, as in PerpSimulationSettings
    double restitution_threshold; // m/s, slower impacts do not bounce, default 1e-3, >= 0
    unsigned long long seed;      // of random(), default 0
    // as in PerpSimulationSettings, with its defaults
    PerpJacobian jacobian;
    PerpStabilisation stabilise;
    bool printed_coriolis, linear, one_phase, printed_decompression;
    bool printed_collisions;
    PerpData data;
    double first_step;
    int control_every; // steps between samples of signals, default 1
    int reserved;      // 0
    PerpImpacts impacts;
    PerpOverlap overlap;
} PerpRunDef;

PERP_DEFAULTS(PerpRunDef, run)

// X(name, word, numbers): what a scene may expect of a run; numbers say how many values a body's
// outcome has, 0 marks a bound on the whole run.
#define PERP_EXPECT_LIST(X)                                                                        \
    X(POSITION, "position", 3)         /* m, of the body's frame */                                \
    X(VELOCITY, "velocity", 3)         /* m/s, of the body's frame's origin */                     \
    X(SPIN, "spin", 3)                 /* rad/s, about the world's axes */                         \
    X(HEIGHT, "height", 1)             /* m, z of the body's frame */                              \
    X(ENERGY_ERROR, "energy-error", 0) /* of the energy balance, relative */                       \
    X(PENETRATION, "penetration", 0)   /* m, the deepest */                                        \
    X(JOINT_GAP, "joint-gap", 0)       /* m or rad, the widest */                                  \
    X(CERTIFICATE, "certificate", 0)   /* the worst residual of any step */                        \
    X(VALUE, "value", 1)               /* of a sensor with one number */                           \
    X(VALUES, "values", 3)             /* of a sensor with three */

typedef enum PerpExpectKind {
#define PERP_EXPECT_CODE(name, word, numbers) PERP_EXPECT_##name,
    PERP_EXPECT_LIST(PERP_EXPECT_CODE)
#undef PERP_EXPECT_CODE
        PERP_EXPECT_KIND_COUNT
} PerpExpectKind;

// The word of scene files; "?" if out of range.
PERP_API const char *perp_expect_kind_name(PerpExpectKind kind);

// Where in which file something was given.
typedef struct PerpPlace {
    const char *file; // its path
    int line, column; // 1-based
} PerpPlace;

// An outcome of the run: every component of the body's value is `within` of `value`, or the bound
// of the whole run up to `time` is at most `within`.
typedef struct PerpExpectation {
    const char *name;    // for messages, default ""
    PerpExpectKind kind; // of the list
    int body;            // -1 for bounds
    double value[3];     // as many as the list says, then 0
    double within;       // default 1e-9, >= 0
    double time;         // s, default INFINITY: the end of the run
    PerpPlace place;     // of the outcome in the scene
    int sensor;          // of VALUE and VALUES, else -1
    int reserved;        // 0
} PerpExpectation;

// From where the scene is to be looked at, for whoever draws it.
typedef struct PerpCamera {
    double from[3], at[3]; // m, in the world: where the eye is, and what it looks at
    double field_of_view;  // rad, vertical; 0: any
    int follow;            // a body with which both move along, -1: none
} PerpCamera;

// A parameter of the scene given from outside.
typedef struct PerpParameter {
    const char *name;  // as in the scene
    const char *value; // an expression, such as "0.1" or "30 deg"
} PerpParameter;

// A scene that was read. Owns everything it gives out.
typedef struct PerpScene PerpScene;

// Reads a scene and what it includes. set (n_set of them) replaces the values of its parameters.
// context may be NULL. On failure *scene is NULL.
PERP_API PerpStatus perp_scene_read(const PerpContext *context, const char *path,
                                    const PerpParameter *set, int n_set, PerpScene **scene,
                                    PerpError *error);
PERP_API void perp_scene_destroy(PerpScene *scene); // NULL is allowed

PERP_API const char *
perp_scene_about(const PerpScene *scene); // what the scene says of itself, may be ""
// The model and how to run it, as the scene says.
PERP_API const PerpModelDef *perp_scene_model_def(const PerpScene *scene);
PERP_API const PerpRunDef *perp_scene_run(const PerpScene *scene);

// Puts what a scene says of the run, its step, scheme, facets and so on, into settings, which
// perp_default_simulation_settings() made.
PERP_API void perp_run_settings(const PerpRunDef *run, PerpSimulationSettings *settings);

// How many outcomes it expects, and one of them.
PERP_API int perp_scene_expectations(const PerpScene *scene);
PERP_API const PerpExpectation *perp_scene_expectation(const PerpScene *scene, int index);

// Its camera; false: it has none.
PERP_API bool perp_scene_camera(const PerpScene *scene, PerpCamera *camera);

// All files that were read: the scene, what it includes, its meshes.
PERP_API int perp_scene_files(const PerpScene *scene);
PERP_API const char *perp_scene_file(const PerpScene *scene, int index);

// The bytes of a file as they were read. path stands for the file; others name it by that.
typedef struct PerpSceneText {
    const char *path;  // by which others name it
    const char *bytes; // size of them, any
    size_t size;       // in bytes
} PerpSceneText;

// A file that was read, by its index.
PERP_API PerpSceneText perp_scene_text(const PerpScene *scene, int index);

// perp_scene_read, but all files come from texts; the first is the scene.
PERP_API PerpStatus perp_scene_read_texts(const PerpContext *context, const PerpSceneText *texts,
                                          int n_texts, const PerpParameter *set, int n_set,
                                          PerpScene **scene, PerpError *error);

// Where a body, joint or shape was given, for messages about the compiled model.
PERP_API PerpPlace perp_scene_body_place(const PerpScene *scene, int body);
PERP_API PerpPlace perp_scene_joint_place(const PerpScene *scene, int joint);
PERP_API PerpPlace perp_scene_shape_place(const PerpScene *scene, int shape);
// The same by what messages begin with: kind "name". What the scene does not name: its first file.
PERP_API PerpPlace perp_scene_place_of(const PerpScene *scene, const char *kind, const char *name);

#ifdef __cplusplus
}
#endif
#endif
