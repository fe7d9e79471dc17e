// What the extension module perp._native holds beside the library: loops over steps, so that Python
// is asked once for many of them, and the functions of Python that the library calls back.
#ifndef PERP_NATIVE_H
#define PERP_NATIVE_H

#include "perp/perp.h"

// Whose turn it is to use something: 0 for nobody's. A thread that comes while another has it, or
// from within a function of Python that the library calls, is turned away. One that has it already
// is told so: it was taken farther up, or not left because an interrupt fell between.
typedef unsigned long NativeTurn;
enum { NATIVE_REFUSED, NATIVE_TAKEN, NATIVE_TAKEN_BEFORE };
int native_take(NativeTurn *turn);
void native_leave(NativeTurn *turn); // unless it is another's

// A model that lives as long as somebody holds it: Python, which frees objects of a cycle in any
// order, or a simulation of it. Takes the model over; NULL if memory is short.
typedef struct NativeModel NativeModel;
NativeModel *native_model_create(PerpModel *model);
const PerpModel *native_model(const NativeModel *holder);
void native_model_release(NativeModel *holder);

// A simulation as Python holds it.
typedef struct NativeRun {
    NativeModel *model;         // held; NULL: a custom system
    PerpSimulation *simulation; // owned; NULL: closed, and all functions return NATIVE_CLOSED
    PerpRecorder *recorder;     // owned; NULL: not recording
    PerpStateArrays arrays;     // of NumPy's, brought up to date after every call
    const double *controls;     // of NumPy's, set before every step; NULL: none are
    long taken;                 // steps of the last call
    long process;               // that made it; a child of it leaves the recording alone
    bool stop;                  // no further step of this call: a callback has raised
    NativeTurn turn;            // to use all this
    PerpError error;            // of the last call
} NativeRun;

enum { NATIVE_CLOSED = -1, NATIVE_BUSY = -2, NATIVE_RECORDED = -3 };

NativeRun *native_run_create(void); // NULL if memory is short
// Creates its simulation, of the model or of the system.
int native_run_start(NativeRun *run, NativeModel *model, const PerpSimulationSettings *settings);
int native_run_start_custom(NativeRun *run, const PerpSystemDef *def,
                            const PerpSimulationSettings *settings);
void native_run_close(NativeRun *run); // ends the recording and the simulation
void native_run_destroy(NativeRun *run);

// Takes `count` steps of h (0: as the settings say), but ends early after that many seconds, so
// that signals are heard. Returns the status. The caller has the turn.
int native_step(NativeRun *run, double h, long count, double seconds);
// One step, and the turn for it. No step: NATIVE_BUSY where somebody, perhaps this thread, has it;
// NATIVE_RECORDED where the step would have to be recorded.
int native_step_once(NativeRun *run);

// The arrays as they are now.
int native_read(NativeRun *run);

// The contacts of the last step, as many as there is room for; returns how many there are.
int native_contacts(const NativeRun *run, PerpContactReport *to, int room);

// Sets a function pointer of a struct to one of the callbacks below.
void native_set_force(PerpSimulationSettings *settings, void *user);
void native_set_control_callback(PerpSimulation *simulation, void *user); // NULL: no longer
void native_watch(PerpSimulation *simulation, void *user);                // NULL: no longer

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
