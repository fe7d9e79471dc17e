// perp check of a scene: bodies, warnings, and their reports.
#ifndef PERP_CLI_CHECK_CHECK_H
#define PERP_CLI_CHECK_CHECK_H

#include "common/open_scene.h"
#include "common/support.h"

#include "perp/simulation.h"
#include "perp/verdict.h"

enum { WARNING_SIZE = 256 };

typedef struct CheckWarning {
    PerpPlace place;
    char text[WARNING_SIZE];
} CheckWarning;

typedef struct CheckBody {
    int shapes;
    double reach;         // m, no part of its shapes is farther from its frame's origin
    bool is_held;         // by a joint, a spring, an actuator or a motion
    bool is_free_to_turn; // about all axes; only then its inertia is known
    double principal[3];  // kg m^2, largest first
} CheckBody;

typedef struct Check {
    const char *path;
    OpenScene opened;
    PerpSimulation *probe;
    CheckBody *bodies;
    CheckWarning *warnings;
    int n_warnings, warning_room;
} Check;

static inline int check_bits(unsigned freedom)
{
    int count = 0;
    for (; freedom; freedom &= freedom - 1)
        count++;
    return count;
}

int check_joint_equations(PerpJointKind kind);
int check_joint_coordinates(PerpJointKind kind);

// Fills bodies: what the shapes are like, and inertias as unit spins show them.
void check_measure_bodies(Check *check);

// Fills warnings. False without memory.
bool check_find_warnings(Check *check);
// Parts of them, for a run whose simulation is the probe: before its first step, the deepest
// overlap alone, and what joints took in the first step.
bool check_find_at_start(Check *check);
bool check_find_overlap(Check *check);
bool check_find_closed(Check *check);

void check_print_text(FILE *out, const Check *check);
void check_print_json(FILE *out, const Check *check);

#endif
