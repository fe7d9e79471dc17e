// Soft contacts and limits: compliant rows (implicit_force.h) that push only,
//
//     0 <= u_new + C c + d   perp   c >= 0
//
// with psi = gap. Those that the step does not resolve (z > 8) land like rigid contacts: they push
// no harder than it takes to stop, and are projected, to the depth that their force says.
#ifndef PERP_STEP_ROWS_SOFT_ROWS_H
#define PERP_STEP_ROWS_SOFT_ROWS_H

#include "step/simulation_data.h"

// C and d of the soft ones among the unilateral rows at the middle of a step of length h; v_free:
// of motion without contacts. False if memory is short.
bool perp_soft_rows_set(PerpSimulation *sim, double h, const double *v_free, PerpStage *stage);

// Notes the stiff ones of a solved stage, for the projection; false if memory is short.
bool perp_soft_rows_note_stiff(PerpSimulation *sim, const PerpStage *stage);
// Are the rows of stiff contacts, which know the impulses of the last step, the same in the next?
bool perp_soft_rows_are_steady(const PerpSimulation *sim);
// For the projection: those become rigid rows at their depths, the others are left out.
bool perp_soft_rows_stiff_only(PerpSimulation *sim, PerpAssembly *rows);

// Leaves them out, of impacts, which know no forces. False if memory is short.
bool perp_soft_rows_leave_out(PerpSimulation *sim, PerpAssembly *rows);

#endif
