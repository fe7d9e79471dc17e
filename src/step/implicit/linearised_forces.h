// Forces linearised about a state, for schemes that treat springs and dampers implicitly, and the
// step problem whose matrix they couple.
#ifndef PERP_STEP_IMPLICIT_LINEARISED_FORCES_H
#define PERP_STEP_IMPLICIT_LINEARISED_FORCES_H

#include "step/implicit/clusters.h"
#include "step/scheme_tools.h"

// Matrices are in blocks over clusters, vectors in the order of clusters.
typedef struct PerpImplicit {
    PerpLinks links;
    PerpClusters clusters;
    int n, values;     // velocities; numbers of a matrix
    double *M;         // mass
    double *F;         // F(v), antisymmetric  [PAGT06 section 8]
    double *k_q, *k_v; // derivatives of the forces
    double *v;         // velocity at the beginning
} PerpImplicit;

// Memory; links and clusters at q for the problem's blocks; M, F and v.
PerpStatus perp_implicit_begin(PerpSimulation *sim, const double *q, const PerpProblem *problem,
                               PerpImplicit *im, PerpError *error);

// k_q and k_v of everything but links at (t, q, v): exact, or the printed F(v) and nothing else.
PerpStatus perp_implicit_exact_forces(PerpSimulation *sim, double t, const double *q,
                                      PerpImplicit *im, PerpError *error);
void perp_implicit_printed_forces(PerpImplicit *im);

// The links' share: exact, or (9.2)-(9.3), which is definite.
PerpStatus perp_implicit_exact_links(PerpSimulation *sim, const double *q, PerpImplicit *im,
                                     PerpError *error);
void perp_implicit_printed_links(PerpImplicit *im);

// M - (h/2) k_v - (h^2/4) k_q  [PAGT06 (5.9)]
void perp_implicit_matrix(const PerpImplicit *im, double h, double *Mt);

// Is the symmetric part of Mt positive definite? False too if memory is short.
bool perp_implicit_is_definite(PerpSimulation *sim, const PerpImplicit *im, const double *Mt);

// Mt x - J'c = b with the stage's rows; x, in the system's order, becomes stage->v.
PerpStatus perp_implicit_solve(PerpSimulation *sim, const PerpImplicit *im, const double *Mt,
                               const double *b, PerpStage *stage, PerpError *error);

#endif
