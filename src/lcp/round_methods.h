// The methods that the ladder has for a problem with round cones. Each goes on from r and returns a
// residual.
#ifndef PERP_LCP_ROUND_METHODS_H
#define PERP_LCP_ROUND_METHODS_H

#include "lcp/round.h"

// Interior-point method on the exact law: r becomes the best that it found. Returns its residual.
// iterations: at most; on return, how many.
typedef struct PerpInteriorWay {
    double smooth;   // of the slip speed, by the distance from the solution
    double fraction; // of the way to the boundary
    double start;    // impulses and slacks
} PerpInteriorWay;

double perp_interior(PerpArena *arena, PerpRound *round, const PerpInteriorWay *way, double enough,
                     int *iterations, double *r);

// With slip speeds held as they are at r the law is convex, and interior points never stall on it:
// r becomes its solution, from which Newton's method may go on, however far away. Returns the
// residual of the convex law.
double perp_round_held(PerpArena *arena, PerpRound *round, double enough, int *iterations,
                       double *r);

// Newton's method on the natural residual from r on, with a proximal term `soft`: a small one is
// fast near the solution, a large one comes from farther away.
double perp_round_polish(PerpArena *arena, PerpRound *round, double soft, double enough,
                         int *iterations, double *r);

// The same for the problem whose velocities are u + pull (r - anchor's r); NULL: none. Returns the
// residual of that problem.
typedef struct PerpRoundAnchor {
    double pull;
    const double *r; // 3 a cell
} PerpRoundAnchor;

double perp_round_newton(PerpArena *arena, PerpRound *round, double soft,
                         const PerpRoundAnchor *anchor, double enough, int *iterations, double *r);

// Proximal points from r on: each solves an anchored problem by Newton's method and becomes the
// next anchor, while the pull falls as fast as Newton's method can follow. Slow, but it solves what
// stalls interior points: piles in which many contacts are at the edge between sticking, sliding
// and opening. r becomes the best found; returns its residual. iterations: factorisations, at most.
double perp_round_proximal(PerpArena *arena, PerpRound *round, double enough, int *iterations,
                           double *r);

// Sweeps of block Gauss-Seidel from r on: each cell's law solved exactly with all other impulses as
// they are. Cheap, and enough for loose or small problems. Stops when the residual is at most
// `enough`, or when the pace says that *sweeps will not do. Returns the residual; sweeps: at most;
// on return, how many. NAN if memory is short.
double perp_round_sweep(PerpArena *arena, const PerpRound *round, double enough, int *sweeps,
                        double *r);

// Sweeps of single steps from r on, for contacts between free bodies and nothing else; cheaper, but
// they aim at no more than a digit or two. Returns the largest step of the last sweep, which is
// about the residual. sweeps: at most; on return, how many. NAN if memory is short.
bool perp_round_can_relax(const PerpRound *round);
double perp_round_relax(PerpArena *arena, const PerpRound *round, double enough, int *sweeps,
                        double *r);

// Projected gradients with momentum from r on, of problems with bodies; no factorisation. Fast to a
// residual of 1e-3, also for thousands of cells; stops early where the pace says so. r becomes the
// best found; returns its residual. steps: at most; on return, how many. NAN if memory is short.
double perp_round_gradient(PerpArena *arena, const PerpRound *round, double enough, int *steps,
                           double *r);

#endif
