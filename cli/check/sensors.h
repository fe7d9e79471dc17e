// Sensors of a recording, computed again from its states, contacts and loads.
#ifndef PERP_CLI_CHECK_SENSORS_H
#define PERP_CLI_CHECK_SENSORS_H

#include "check/states.h"

typedef struct SensorCheck {
    long frames, numbers, wrong; // computed; that are not the recorded ones
    long left_out;               // numbers that states and contacts do not tell
    long first_wrong_frame;      // -1: none
} SensorCheck;

PerpStatus sensor_check(PerpRecording *recording, SensorCheck *check, PerpError *error);

#endif
