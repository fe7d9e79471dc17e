// Scenes that every engine can play: solids, planes, joints; masses given, so that all engines have
// the same.
#ifndef PERP_BENCH_SCENES_SCENE
#define PERP_BENCH_SCENES_SCENE

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum BenchKind { BENCH_SPHERE, BENCH_BOX, BENCH_CAPSULE } BenchKind;

typedef struct BenchBody {
    BenchKind kind;
    double size[3];     // m: radius; half sides; radius and half the length between the centres (z)
    double position[3]; // m, of the centre of mass
    double rotation[4]; // w x y z
    double mass;        // kg
    double inertia[3];  // kg m^2, about the body's own axes
} BenchBody;

// The half space normal . x <= offset.
typedef struct BenchPlane {
    double normal[3], offset;
} BenchPlane;

// A ball joint, or a hinge with a motor. Joints make a tree, a < b, and no b has two, but for those
// that close a loop. Bodies that it joins do not touch.
typedef struct BenchJoint {
    int a, b;                        // a = -1: the world
    bool hinge, closes;              //
    double axis[3];                  // of a hinge, in the world at the start
    double speed, torque;            // rad/s of b beside a; N m, 0: no motor
    double anchor[3];                // m, in the world at the start
    double anchor_a[3], anchor_b[3]; // the same in the frames of the bodies
} BenchJoint;

enum { BENCH_PLANES = 5, BENCH_NAME = 32 };

typedef struct BenchScene {
    char name[BENCH_NAME];
    const char *text; // one line
    const char *file; // a scene file that perp alone plays; else NULL
    double mu, dt;    // s
    int steps;        // as many as the whole run has
    bool touching;    // false: no contacts at all
    bool stands;      // nothing should move: drift means something
    bool pile;        // settled, for the plot of cost against contacts
    double settle;    // s that ODE plays to make the state in which all engines begin
    int n_bodies, n_planes, n_joints, room;
    BenchBody *bodies;
    BenchPlane planes[BENCH_PLANES];
    BenchJoint *joints;
} BenchScene;

// The list. make fills in a scene, which begins zeroed; bench_scene_free ends it.
typedef struct BenchSceneEntry {
    const char *name, *text;
    void (*make)(BenchScene *scene, int size);
    int size;
    bool quick; // of the selection that takes about a minute
} BenchSceneEntry;

extern const BenchSceneEntry bench_scenes[];
extern const int bench_scene_count;

void bench_scene_make(const BenchSceneEntry *entry, BenchScene *scene);
void bench_scene_free(BenchScene *scene);

// Parts, for those who make scenes. All return the number of the body.
int bench_add_sphere(BenchScene *scene, double radius, double density, const double position[3]);
int bench_add_box(BenchScene *scene, const double half[3], double density,
                  const double position[3]);
int bench_add_capsule(BenchScene *scene, double radius, double half, double density,
                      const double position[3], const double rotation[4]);
void bench_add_plane(BenchScene *scene, double x, double y, double z, double offset);
void bench_add_joint(BenchScene *scene, int a, int b, const double anchor[3]);
void bench_add_hinge(BenchScene *scene, int a, int b, const double anchor[3], const double axis[3],
                     double speed, double torque);
// A ball joint between bodies that are joined already.
void bench_close_loop(BenchScene *scene, int a, int b, const double anchor[3]);
// Has it hinges or loops?
bool bench_is_mechanism(const BenchScene *scene);

// y = x turned by q, and back
void bench_turn(const double q[4], const double x[3], double y[3]);
void bench_turn_back(const double q[4], const double x[3], double y[3]);

#ifdef __cplusplus
}
#endif
#endif
