// Assembles the rows of a step problem of rigid bodies at a configuration.
#ifndef PERP_STEP_ROWS_ASSEMBLE_H
#define PERP_STEP_ROWS_ASSEMBLE_H

#include "perp/simulation.h"
#include "step/rows/assembly.h"
#include "step/rows/joint_row_cache.h"

typedef struct PerpAssemblyOptions {
    int facets;                // 0: round
    double h;                  // s: motors and dry friction have the impulse h times their force
    double reach;              // m: unilateral rows with a larger gap are left out
    const double *turn;        // rad, PERP_JOINT_COORDINATES per joint: whole turns of angles
    bool friction;             // directions at all
    bool boxes;                // motors and dry friction of joints at all
    PerpJointRowCache *cache;  // of joints at the state; NULL: the configuration is another
    bool transient;            // the rows are not read after the state has moved
    bool gaps;                 // contacts have no rows
    bool unilateral;           // no joints
    const PerpSimulation *sim; // whose controls add rows; NULL: there are none
} PerpAssemblyOptions;

// False if memory is short.
bool perp_assemble(PerpArena *arena, const PerpRigid *rigid, const PerpPose *pose,
                   const PerpContact *contacts, int n_contacts, const PerpAssemblyOptions *options,
                   PerpAssembly *assembly);

#endif
