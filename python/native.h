// What the extension module perp._native holds beside the library: loops over steps, so that Python
// is asked once for many of them, and the functions of Python that the library calls back.
#ifndef PERP_NATIVE_H
#define PERP_NATIVE_H

#include "perp/perp.h"

// A simulation as Python holds it. The simulation is owned by Python, too, and outlives this.
typedef struct NativeRun {
    PerpSimulation *simulation; // NULL: closed, and all functions return NATIVE_CLOSED
    PerpRecorder *recorder;     // NULL: not recording
    PerpStateArrays arrays;     // of NumPy's, brought up to date after every call
    long taken;                 // steps of the last call
    PerpError error;            // of the last call
} NativeRun;

enum { NATIVE_CLOSED = -1 };

// Takes `count` steps of h (0: as the settings say), but ends early after that many seconds, so
// that signals are heard. Returns the status.
int native_step(NativeRun *run, double h, long count, double seconds);

// The arrays as they are now.
int native_read(NativeRun *run);

// The contacts of the last step, as many as there is room for; returns how many there are.
int native_contacts(const NativeRun *run, PerpContactReport *to, int room);

// Sets a function pointer of a struct to one of the callbacks below.
void native_set_force(PerpSimulationSettings *settings, void *user);
void native_watch(PerpSimulation *simulation, void *user); // NULL: no longer
void native_set_trace(PerpProblemSettings *settings, void *user);

// Which of a system's functions Python gives.
enum {
    NATIVE_FORCE = 1,
    NATIVE_POTENTIAL = 2,
    NATIVE_POWER = 4,
    NATIVE_JOINTS = 8,
    NATIVE_CONSTRAINTS = 16,
    NATIVE_TANGENTS = 32,
    NATIVE_RATES = 64,
    NATIVE_LINKS = 128,
    NATIVE_FORCE_DERIVATIVES = 256,
    NATIVE_JOINT_GRADIENTS = 512,
    NATIVE_CONSTRAINT_GRADIENTS = 1024,
    NATIVE_LINK_GRADIENTS = 2048
};
void native_set_system(PerpSystemDef *def, void *user, unsigned given);

#endif
