// A mechanical system [PAGT06 (5.1)]: the interface that schemes see. Two implementations: rigid
// bodies compiled from a model, and custom ones given as functions in any coordinates.
//
//     dq/dt = v          M(q) dv/dt = k(t, q, v) + links + nu c_nu + n c_n + D beta
#ifndef PERP_STEP_SYSTEMS_SYSTEM_H
#define PERP_STEP_SYSTEMS_SYSTEM_H

#include "math/sparse/block_sparse.h"
#include "perp/simulation.h"
#include "step/rows/assembly.h"

// Springs and dampers [PAGT06 (9.1)], each a function psi(q) that is 0 where it is slack:
//
//     k = - sum_i (stiffness_i psi_i + damping_i g_i'v) g_i          g = grad psi
typedef struct PerpLinks {
    int count;
    double *psi, *stiffness, *damping;
    double *inertia;        // armatures along psi; NULL: none
    int *joint;             // whose coordinate it is, or -1 - spring; NULL: not known
    PerpBlockRows gradient; // in the blocks of the system
} PerpLinks;

// A += what the force on block `to` changes by when block `from` moves: n_to x n_from, by columns.
typedef void (*PerpAddPair)(void *user, int to, int from, const double *A);

// Which rows are wanted of a configuration.
typedef struct PerpRowChoice {
    double h;     // s: motors and dry friction have the impulse h times their force
    double reach; // m: unilateral rows with a larger gap are left out; -INFINITY: joints only
    const PerpReach *speculative; // of contacts, by the motion of their bodies; NULL: by reach
    bool positions;               // no rows that are of velocities only
    bool transient;               // the rows are not read after the state has moved
    bool gaps;                    // of contacts the deepest gap alone is wanted, and no rows
    bool unilateral;              // no joints: their rows and errors are not read
} PerpRowChoice;

typedef struct PerpSystem {
    // to = q (+) h v
    void (*advance)(const PerpSimulation *sim, const double *q, const double *v, double h,
                    double *to);

    // dq/dt at velocities v; of n_q numbers
    void (*rate)(const PerpSimulation *sim, const double *q, const double *v, double *dq);

    // The state goes from q to another configuration: counts whole turns. NULL: nothing to do.
    void (*follow)(PerpSimulation *sim, const double *to);

    // The rows at q with the mass matrix there, in the step's arena; b = 0, d as the rows say.
    PerpStatus (*assemble)(PerpSimulation *sim, const double *q, const PerpRowChoice *choice,
                           PerpAssembly *rows, PerpError *error);

    // k(t, q, v) without the links, with what keeps the momentum of turning bodies (Coriolis)
    void (*force)(PerpSimulation *sim, double t, const double *q, const double *v, double *k);

    // The power of given forces, those that no stored energy speaks of, W
    double (*power)(PerpSimulation *sim, double t, const double *q, const double *v);

    // The derivatives k_q and k_v of that force, block by block as in Mt: in rigid systems a
    // body's force without links depends on its own motion only.
    PerpStatus (*force_derivatives)(PerpSimulation *sim, double t, const double *q, const double *v,
                                    double *k_q, double *k_v, PerpError *error);

    // F(v), antisymmetric, with F(v) v what keeps the momentum of turning bodies, block by block
    // [PAGT06 section 8]; NULL: no such part of the force is known.
    void (*coriolis)(const PerpSimulation *sim, const double *v, double *F);

    // The springs and dampers at q, in the step's arena.
    PerpStatus (*links)(PerpSimulation *sim, const double *q, PerpLinks *links, PerpError *error);

    // The derivative by q of the forces of the links, pair by pair of blocks that they join.
    PerpStatus (*link_derivatives)(PerpSimulation *sim, const double *q, const double *v,
                                   PerpAddPair add, void *user, PerpError *error);

    // b = M v + h k with the forces at t and q, links included unless they are rows of the scheme,
    // such that a free body keeps its angular momentum; v_free = M^-1 b. For the schemes that treat
    // forces explicitly.
    PerpStatus (*free_motion)(PerpSimulation *sim, double h, double t, const double *q, double *b,
                              double *v_free, PerpError *error);

    // b = M v as inertia alone leaves it after h, for schemes that call `transport` afterwards.
    // NULL: inertia is part of the force.
    void (*inertial_motion)(PerpSimulation *sim, double h, double *b);

    // After a problem with rows at the middle of the step: spins that keep each body's angular
    // momentum after it has turned by h mean. NULL: nothing to do.
    void (*transport)(const PerpSimulation *sim, double h, const double *before, const double *mean,
                      double *v);

    // How far anything may come within h: the reach of the contact search.
    double (*reach)(const PerpSimulation *sim, const double *v_free, double h);

    // The stored energies at the state.
    void (*store)(PerpSimulation *sim, PerpEnergy *energy);

    // What a row of the problem belongs to, in words, such as "between a and b". contact: of the
    // class contacts, or -1; else joint or box row, or block.
    void (*name)(const PerpSimulation *sim, const PerpAssembly *rows, PerpResidual kind, int row,
                 int contact, char *text, size_t size);

    // What can be told of contact i of the problem at q, solved by v; false: nothing.
    bool (*describe_contact)(const PerpSimulation *sim, const PerpAssembly *rows, int contact,
                             const double *q, const double *v, PerpContactReport *report);
} PerpSystem;

extern const PerpSystem perp_system_rigid, perp_system_custom;

#endif
