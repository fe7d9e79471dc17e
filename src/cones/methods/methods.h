// The methods that the ladder has for a problem with second-order cones. Each goes on from r and
// returns a residual.
#ifndef PERP_CONES_METHODS_METHODS_H
#define PERP_CONES_METHODS_METHODS_H

#include "cones/cone_problem.h"
#include "perp/contact_problem.h"

// Interior points on a convex law (shift 0) over bodies, from the point of the central path with
// this kappa that is next to r: r becomes the best that they found. Returns its residual.
// iterations: at most; on return, how many.
double perp_interior_point(PerpArena *arena, PerpConeProblem *cones, double kappa, double tolerance,
                           int *iterations, double *r);

// Newton's method on the natural residual from r on, with a regularisation: a small one is
// fast near the solution, a large one comes from farther away.
double perp_newton_natural(PerpArena *arena, PerpConeProblem *cones, double regularisation,
                           double tolerance, int *iterations, double *r);

// The same for the problem whose velocities are u + rho (r - r_centre); NULL: none.
// Returns the residual of that problem.
typedef struct PerpProximalTerm {
    double rho;
    const double *r; // 3 a constraint
} PerpProximalTerm;

double perp_newton_proximal(PerpArena *arena, PerpConeProblem *cones, double regularisation,
                            const PerpProximalTerm *centre, double tolerance, int *iterations,
                            double *r);

// Proximal points from r on: each solves a problem with a proximal term by Newton's method and
// becomes the next centre, while rho is reduced as fast as Newton's method can follow. Slow, but it
// solves what stalls interior points: piles in which many contacts are at the edge between
// sticking, sliding and opening. r becomes the best found; returns its residual. iterations:
// factorisations, at most.
double perp_proximal_point(PerpArena *arena, PerpConeProblem *cones, double tolerance,
                           int *iterations, double *r);

// Sweeps of block Gauss-Seidel from r on: each constraint's law solved exactly with all other
// impulses as they are. Cheap, and enough for loose or small problems. Stops when the residual is
// at most the tolerance, or when the pace says that *sweeps will not do. Returns the residual;
// sweeps: at most; on return, how many. NAN if memory is short.
double perp_nsgs(PerpArena *arena, const PerpConeProblem *cones, double tolerance, int *sweeps,
                 double *r);

// One sweep from r on straight on the rows of a contact problem without joints. True if it was
// enough: contacts that hardly meet, such as many apart from each other.
bool perp_single_sweep(const PerpContactProblem *p, double tolerance, double *r);

// Sweeps of single steps from r on, for contacts between free bodies and nothing else; cheaper, but
// they aim at no more than a digit or two. Returns the largest step of the last sweep, which is
// about the residual. sweeps: at most; on return, how many. NAN if memory is short.
bool perp_projected_nsgs_fits(const PerpConeProblem *cones);
double perp_projected_nsgs(PerpArena *arena, const PerpConeProblem *cones, double tolerance,
                           int *sweeps, double *r);

// Projected gradients with momentum from r on, of problems with bodies; no factorisation. Fast to a
// residual of 1e-3, also for thousands of constraints; stops early where the pace says so. r
// becomes the best found; returns its residual. steps: at most; on return, how many. NAN if memory
// is short.
double perp_apgd(PerpArena *arena, const PerpConeProblem *cones, double tolerance, int *steps,
                 double *r);

// Equations eliminated, then Newton's method on the local solution maps, all in one dense matrix:
// small problems without product cones. slip: of each constraint where r is from; NULL: not known.
// r becomes the solution, or stays. Returns its residual, infinite if it did not arrive. steps: of
// each of two starts at most; on return, how many in all.
bool perp_reduced_newton_fits(const PerpConeProblem *cones, int most_rows);
double perp_reduced_newton(PerpArena *arena, const PerpConeProblem *cones, const double *slip,
                           double tolerance, int *steps, double *r);

#endif
