// Custom mechanical systems: a mass matrix, forces and constraints given as functions, in any
// generalised coordinates with v = dq/dt  [PAGT06 (5.1), L82 (2.1)]:
//
//     M(q) dv/dt = k(t, q, v) - sum (stiffness psi + damping g'v) g + constraint forces
//     Theta(q) = 0,    Phi(q) >= 0 with friction and restitution,    G(q)'v >= 0
//
// docs/custom-systems.md shows a double pendulum in angles, a bead on a wire and a particle in
// polar coordinates.
#ifndef PERP_SYSTEM_H
#define PERP_SYSTEM_H

#include "perp/api.h"
#include "perp/simulation.h"

#ifdef __cplusplus
extern "C" {
#endif

// All matrices by columns. Functions fill their last argument; they must not keep pointers.
// Counts and arrays are copied; `user` is borrowed until the simulation ends.
typedef struct PerpSystemDef {
    size_t size;                       // set by perp_default_system
    int n;                             // coordinates, > 0
    const double *position, *velocity; // n each, at the start
    void *user;                        // first argument of every function

    void (*mass)(void *user, const double *q, double *M); // n x n, symmetric, positive definite
    void (*force)(void *user, double t, const double *q, const double *v, double *k); // n; NULL: 0
    // for the energy ledger: the potential of the part of k that has one, and the power of the part
    // that has none (drives, drag), without Coriolis terms; NULL: 0
    double (*potential)(void *user, const double *q);
    double (*power)(void *user, double t, const double *q, const double *v);

    int n_joints;                                               // equations Theta(q) = 0
    void (*joints)(void *user, const double *q, double *theta); // n_joints

    int n_constraints;                                             // inequalities Phi(q) >= 0
    void (*constraints)(void *user, const double *q, double *phi); // n_constraints
    const double *restitution;                                     // n_constraints, 0 .. 1; NULL: 0
    const double *mu;                                              // n_constraints, >= 0; NULL: 0
    int n_tangents; // directions of slip at each constraint: 0 (no friction), 1 or 2
    // columns T with T'v the velocity of slip at constraint i; n x n_tangents
    void (*tangents)(void *user, const double *q, int constraint, double *T);

    int n_rates; // nonholonomic constraints G'v >= 0  [L82 (2.1c)]
    void (*rates)(void *user, const double *q, double *G); // n x n_rates

    int n_links;                                             // springs and dampers [PAGT06 (9.1)]
    void (*links)(void *user, const double *q, double *psi); // n_links: elongations
    const double *stiffness, *damping;                       // n_links, >= 0; NULL: 0

    // Derivatives. NULL: by differences of fourth order. Those given are checked against
    // differences at the start.
    void (*force_derivatives)(void *user, double t, const double *q, const double *v, double *k_q,
                              double *k_v);                               // n x n each
    void (*joint_gradients)(void *user, const double *q, double *nu);     // n x n_joints
    void (*constraint_gradients)(void *user, const double *q, double *n); // n x n_constraints
    void (*link_gradients)(void *user, const double *q, double *g);       // n x n_links

    const char *const *joint_names;      // NULL: numbers
    const char *const *constraint_names; // NULL: numbers; constraints, then rates

    const double *rate_restitution; // n_rates, 0 .. 1, of impulses [L82 (3.9)]; NULL: 0
} PerpSystemDef;

PERP_DEFAULTS(PerpSystemDef, system)

// Like perp_simulation_create, for a custom system. Bodies and their poses cannot be asked for;
// coordinates and velocities can.
PERP_API PerpStatus perp_simulation_create_custom(const PerpContext *context,
                                                  const PerpSystemDef *def,
                                                  const PerpSimulationSettings *settings,
                                                  PerpSimulation **simulation, PerpError *error);

// q and v of any simulation, valid until its next step. Rigid ones have seven numbers a body in q
// (centre of mass, rotation w x y z) and those velocities that the body's freedom leaves.
PERP_API const double *perp_simulation_q(const PerpSimulation *simulation, int *count);
PERP_API const double *perp_simulation_v(const PerpSimulation *simulation, int *count);

// The equations of motion at (t, q, v) without constraints:
//
//     M dv/dt = k - sum_i (stiffness_i psi_i + damping_i g_i'v) g_i
//
// with M in blocks, one a body that can move, of a custom system one in all. Link i has the entries
// link_start[i] .. [i+1] - 1 of its gradient, each of one block.
typedef struct PerpEquations {
    int n_blocks;      // of M
    int *block_start;  // n_blocks + 1: into the velocities
    double *M;         // the blocks one after the other, each by columns
    double *k;         // velocities: all forces but those of links, Coriolis forces included
    int n_links;       // springs and dampers, see PAGT06 (9.1)
    int *link_start;   // n_links + 1
    int *entry_block;  // entries
    int *value_start;  // n_links: where the numbers of its first entry begin
    double *gradient;  // g: per entry as many numbers as its block has velocities
    double *psi;       // n_links: 0 where the spring is slack
    double *stiffness; // n_links
    double *damping;   // n_links
} PerpEquations;

// For checks from outside; changes nothing that later steps depend on. Angles of joints are those
// within half a turn of where the simulation is now. The arrays are the caller's, who frees them.
PERP_API PerpStatus perp_simulation_equations_at(PerpSimulation *simulation, double t,
                                                 const double *q, const double *v,
                                                 PerpEquations *equations, PerpError *error);
PERP_API void perp_equations_free(const PerpSimulation *simulation, PerpEquations *equations);

#ifdef __cplusplus
}
#endif
#endif
