// perp soak: random scenes, run and judged by measurements of its own.
#ifndef PERP_CLI_SOAK_SOAK_H
#define PERP_CLI_SOAK_SOAK_H

#include "perp/perp.h"

enum {
    SOAK_BODIES = 24,
    SOAK_SHAPES = SOAK_BODIES + 4,
    SOAK_JOINTS = SOAK_BODIES,
    SOAK_SPRINGS = SOAK_BODIES,
    SOAK_CELLS = 9 // along each side of the terrain
};

// A random scene. The definitions refer to its own arrays: it is not copied.
typedef struct SoakScene {
    PerpModelDef def;
    PerpBodyDef body[SOAK_BODIES];
    PerpShapeDef shape[SOAK_SHAPES];
    PerpJointDef joint[SOAK_JOINTS];
    PerpSpringDef spring[SOAK_SPRINGS];
    PerpMaterialDef material[1];
    double heights[(SOAK_CELLS + 1) * (SOAK_CELLS + 1)];
    double vertices[3 * (SOAK_CELLS + 1) * (SOAK_CELLS + 1)];
    int triangles[6 * SOAK_CELLS * SOAK_CELLS];
    PerpSimulationSettings settings;
    int steps;
    bool driven;   // by motors: else nothing does work
    bool isolated; // no gravity, nothing of the world: momenta stay
} SoakScene;

// The scene of a seed and a number; the same on every machine.
void soak_make(unsigned long long seed, int number, SoakScene *scene);

// What was measured from poses and velocities alone.
typedef struct SoakMeasures {
    double energy;        // J, stored
    double kinetic;       // J
    double overlap;       // m, of bodies with each other and with the world
    double joint_gap;     // m or rad, in one of the directions that a joint closes
    double momentum[3];   // kg m^2/s, angular, about the origin
    double momentum_size; // sum of the parts
} SoakMeasures;

// A joint in the frames of its two bodies, as the scene begins.
typedef struct SoakJoint {
    double anchor[2][3], axis[2][3];
    double second[3];   // universal: b's own axis
    double rotation[4]; // of b in a
    double length;      // m, of rods and ropes
} SoakJoint;

// Joints and springs as the scene begins.
typedef struct SoakFrames {
    SoakJoint joint[SOAK_JOINTS];
    double spring[SOAK_SPRINGS][2][3];
} SoakFrames;

// v turned by the quaternion q.
void soak_rotate(const double q[4], const double v[3], double out[3]);

// m, the deepest
double soak_overlap(const SoakScene *scene, const PerpSimulation *simulation);

void soak_find_joint(const SoakScene *scene, int joint, SoakJoint *frame);

// m or rad, the widest, of each direction that the joint closes
double soak_joint_gap(const SoakScene *scene, const SoakFrames *frames,
                      const PerpSimulation *simulation);

// A point of the world at the start in the frame of a body, and where it is now; -1: the world.
void soak_localise(const SoakScene *scene, int body, const double point[3], double local[3]);
void soak_globalise(const PerpSimulation *simulation, int body, const double local[3],
                    double point[3]);

void soak_find_frames(const SoakScene *scene, SoakFrames *frames);
SoakMeasures soak_measure(const SoakScene *scene, const SoakFrames *frames, const PerpModel *model,
                          const PerpSimulation *simulation);

// What became of a scene.
typedef struct SoakResult {
    PerpStatus status;          // of the model or of a step
    PerpError error;            //
    PerpVerdict verdict;        //
    double energy_scale;        // J
    double largest_energy;      // J, potential
    double weight;              // N, of all bodies
    double gain;                // of it: measured from outside
    double overlap;             // m, likewise
    double joint_gap;           // m, likewise
    double momentum_change;     // of its size, of isolated scenes; else 0
    double longest_step;        // s of CPU time
    double certificate;         // the worst
    int substeps;               // the most in one step
    char worst[PERP_NAME_SIZE]; // what the worst certificate is of
    const char *broken;         // what the verdict promised and did not hold; NULL: nothing
} SoakResult;

void soak_run(const SoakScene *scene, SoakResult *result);

// s: the shortest step that the verdict recommends; 0: none. The scene then runs for as long as
// before with that step.
double soak_remedy(const SoakResult *result);
void soak_shorten(SoakScene *scene, double step);

#endif
