// The states of a recording, and the simulation of its scene that says what they mean.
#ifndef PERP_CLI_CHECK_STATES_H
#define PERP_CLI_CHECK_STATES_H

#include "perp/recording.h"
#include "perp/system.h"

typedef struct CheckStates {
    PerpRecording *recording; // borrowed
    PerpScene *scene;
    PerpModel *model;
    PerpSimulationSettings settings; // of the run
    PerpSimulation *simulation;      // never steps
    int n_q, n_v;
    double *q, *v;         // of the frame at hand
    double *q_old, *v_old; // of the one before, where that is asked for
    double *coordinates;   // of joints, angles counted over turns
    int n_coordinates;     // 0: not recorded
    const double *journal; // of a program, borrowed from the recording
    long n_journal, at;    // numbers in it; how far it was followed
} CheckStates;

// To be closed also after a failure.
PerpStatus check_states_open(CheckStates *states, PerpRecording *recording, PerpError *error);
void check_states_close(CheckStates *states);

// Does what a program had done when the step to a frame was taken, gravity and inputs above all.
// gives: whether that changed the state or gravity since the last call.
PerpStatus check_states_follow(CheckStates *states, long frame, bool *gives, PerpError *error);

// Springs at joints need whole turns of angles, which a state does not hold: are there none?
PerpStatus check_states_unturned(CheckStates *states, long frame, bool *unturned, PerpError *error);

#endif
