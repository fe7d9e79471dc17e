// A stage: the problem at one configuration, its solution, and what it was made of.
#ifndef PERP_STEP_STAGE_H
#define PERP_STEP_STAGE_H

#include "step/rows/assembly.h"

typedef struct PerpLinkRows PerpLinkRows; // rows/link_rows.h

// Lies in the step's arena.
// What a projection asks for: m or rad.
typedef struct PerpProjectionAim {
    double joint_error, overlap; // islands with no larger errors stay as they are
    double tolerance;            // certificate of islands that are large, or have joints
    bool is_first;               // measured afterwards: what is simple may be tried
} PerpProjectionAim;

typedef struct PerpStage {
    PerpAssembly rows;
    const double *q;       // where the rows were made; borrowed
    bool is_aside;         // not a problem of the motion: observers and reports leave it out
    PerpProjectionAim aim; // of a projection, which is one
    bool shortest;         // wanted: of all impulses with the same velocities, the shortest
    bool is_tentative; // if a large island is missed, shorter substeps follow (schemes/substeps.h)
    bool missed_large; // that came to pass
    bool missed;       // an island is, large or not
    bool held;         // an island is answered with slip held
    bool left_to_held; // wanted: without the last methods of the exact law, where slip may be held
    double h;          // s that the problem covers, 0 for impacts
    double *before;    // n_v: velocities before
    double *v;         // n_v: solution
    double *c;         // rows
    double *lambda;    // groups
    double *residual;  // contacts: the worst of each; NULL: not judged
    const PerpLinkRows *links; // the last of the joint rows: springs and dampers; NULL: none
} PerpStage;

// y = J v of row r, without d.
double perp_stage_row_speed(const PerpStage *stage, int row, const double *v);
// d = (J - J_other) v of the rows of joints, which are the same in both, at another configuration;
// rows that the other stage has not stay as they are, and those of
// prescribed motions have it beside their rates.
void perp_stage_follow_joints(PerpStage *stage, const PerpStage *other, const double *v);
int perp_stage_contact_row(const PerpStage *stage, int contact); // row of the unilateral

// The rows of joints and motors of `from`, at another configuration, take the place of the stage's.
// False if they are not the same rows.
bool perp_stage_take_joints(PerpStage *stage, const PerpStage *from);

// With the mass matrix of the stage: p = Mt v, v'Mt v/2, and the same of one block.
void perp_stage_momentum(const PerpStage *stage, const double *v, double *p);
double perp_stage_kinetic(const PerpStage *stage, const double *v);
double perp_stage_block_kinetic(const PerpStage *stage, int block, const double *v);

#endif
