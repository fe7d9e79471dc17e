// The rows of a step problem at a configuration: joints, motors and dry friction, contacts, limits
// and ropes, friction directions. A scheme sets b and d and solves.
#ifndef PERP_STEP_ROWS_ASSEMBLY_H
#define PERP_STEP_ROWS_ASSEMBLY_H

#include "base/memory.h"
#include "collide/collide.h"
#include "step/systems/rigid.h"

#include <math.h>

// What a row of the class "contacts" comes from.
typedef enum PerpUnilateralKind {
    PERP_UNILATERAL_CONTACT,
    PERP_UNILATERAL_LIMIT,
    PERP_UNILATERAL_ROPE,
    PERP_UNILATERAL_RATE // G'v >= 0  [L82 (2.1c)]
} PerpUnilateralKind;

typedef struct PerpUnilateral {
    PerpUnilateralKind kind;
    int index;          // contact, or joint
    uint64_t id;        // the same from step to step
    double gap;         // m or rad
    double restitution; // 0 .. 1
    double stiffness;   // N/m or N m/rad; INFINITY, and also 0: rigid
    double damping;     // N s/m or N m s/rad, of soft ones
    bool is_stiff;      // soft, but the step does not resolve it
    PerpVec3 turn; // m/s, of contacts: the sliding velocity at the end of the step, beyond that
                   // of the rows (perp_contact_rows_follow)
} PerpUnilateral;

static inline bool perp_unilateral_is_soft(const PerpUnilateral *u)
{
    return u->stiffness > 0 && u->stiffness < INFINITY;
}

typedef struct PerpAssembly {
    PerpArena *arena;       // borrowed; everything below lies in it
    const PerpRigid *rigid; // borrowed
    PerpProblem problem;    // b and d are set by the scheme: they are writable below
    const int *mass_start;  // n_bodies: where each block begins in problem.Mt
    const int *named_block; // n_bodies: the system's block that names a block; NULL: the same
    double *b, *d, *lo, *hi, *mu, *cohesion;
    double *compliance; // rows; NULL: all are rigid
    int *group_circular;
    double *theta;              // n_joints: error of each joint row
    int *row_joint;             // n_joints: the joint that each joint row belongs to, or another
                                // source, see below
    int *box_joint;             // n_boxes: likewise of each box row
    int *box_axis;              // n_boxes: the coordinate of a motor; -1: dry friction
    PerpUnilateral *unilateral; // n_contacts
    const PerpContact *contact; // borrowed from the contact finder

    // while it is being filled
    int *row_start, *entry_body, *group_contact, *group_start;
    PerpVec3 *along; // rows: direction of contact and friction rows, world axes; 0 for torques;
                     // NULL where the rows are the cache of joint rows
    int *row_values; // rows + 1: where the numbers of each row begin in J
    double *J;
    int rows, entries, values;
} PerpAssembly;

// Sources of rows that are neither joints nor springs (which are negative from -1 on): actuators
// and prescribed motions, far below.
enum { PERP_SOURCE_CONTROL = -(1 << 30) };

static inline int perp_source_of_actuator(int actuator)
{
    return PERP_SOURCE_CONTROL - 2 * actuator;
}

static inline int perp_source_of_motion(int motion)
{
    return PERP_SOURCE_CONTROL - 2 * motion - 1;
}

static inline bool perp_source_is_control(int source)
{
    return source <= PERP_SOURCE_CONTROL;
}

static inline bool perp_source_is_actuator(int source)
{
    return perp_source_is_control(source) && (PERP_SOURCE_CONTROL - source) % 2 == 0;
}

// The index of the actuator or motion.
static inline int perp_source_index(int source)
{
    return (PERP_SOURCE_CONTROL - source) / 2;
}

// The most entries and numbers that a row may have: a coupling acts on four bodies.
enum { PERP_ROW_ENTRIES = 4, PERP_ROW_VALUES = 24 };

// A row, part by part: (linear, angular) of a model body; fixed bodies and the world add nothing.
static inline void perp_row_begin(PerpAssembly *a, double d)
{
    a->row_start[a->rows] = a->entries;
    a->d[a->rows] = d;
}

void perp_row_add_some(PerpAssembly *a, int body, PerpVec3 linear, PerpVec3 angular);
static inline void perp_row_add(PerpAssembly *a, int body, PerpVec3 linear, PerpVec3 angular)
{
    if (body < 0)
        return;
    if (a->rigid->model->bodies[body].freedom != PERP_FREE_ALL) {
        perp_row_add_some(a, body, linear, angular);
        return;
    }
    a->entry_body[a->entries++] = a->rigid->block_of[body];
    perp_vec3_store(linear, a->J + a->values);
    perp_vec3_store(angular, a->J + a->values + 3);
    a->values += 6;
}

static inline void perp_row_end(PerpAssembly *a)
{
    a->row_start[++a->rows] = a->entries;
    a->row_values[a->rows] = a->values;
}

// The unilateral row that follows is of this.
static inline void perp_assembly_note(PerpAssembly *a, PerpUnilateral what)
{
    a->unilateral[a->problem.n_contacts++] = what;
}

// A copy of what perp_assembly_select and the phases of an impact change, from the same arena; the
// rest is shared. False if memory is short.
bool perp_assembly_copy(const PerpAssembly *from, PerpAssembly *to);

// Leaves out the unilateral rows with keep[i] false, and their friction.
void perp_assembly_select(PerpAssembly *assembly, const bool *keep);

// Lets the problem refer to the arrays of the assembly.
void perp_assembly_show(PerpAssembly *assembly);

#endif
