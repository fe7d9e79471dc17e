// Semismooth Newton [Qi and Sun 1993] on the local solution map with dense matrices, for contact
// problems without bodies of a few contacts; one sweep of Gauss-Seidel, for contacts that hardly
// meet.
#ifndef PERP_CONES_METHODS_DENSE_NEWTON_H
#define PERP_CONES_METHODS_DENSE_NEWTON_H

#include "base/memory.h"
#include "perp/contact_problem.h"

// Both know contacts only. r: rows, from nothing; whoever asks certifies it.

// One sweep of block Gauss-Seidel straight on the rows of the problem. True if that may do: no
// contact acts on one before it, or a second look finds that none of them moves.
bool perp_single_sweep(const PerpContactProblem *p, double tolerance, double *r);

// Sweeps and Newton's method in turns on one dense matrix, for problems that are small enough for
// it to be the cheapest. enough: residual relative to the one of r = 0. Counts up sweeps and
// iterations. False if they did not arrive or memory is short.
bool perp_dense_newton_fits(const PerpContactProblem *p);
bool perp_dense_newton(PerpArena *arena, const PerpContactProblem *p, double tolerance, int *sweeps,
                       int *steps, double *r);

#endif
