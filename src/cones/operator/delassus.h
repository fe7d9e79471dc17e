// The Delassus operator W = J M^-1 J' of a cone problem behind one interface: over the bodies
// (over_bodies.c), or explicit (explicit.c).
#ifndef PERP_CONES_OPERATOR_DELASSUS_H
#define PERP_CONES_OPERATOR_DELASSUS_H

#include "cones/cone_problem.h"

struct PerpDelassus {
    const char *name;
    bool has_bodies;
    // What factorisations need, from the arena; false if memory is short.
    bool (*analyse)(PerpConeProblem *cones);
    // Factorises the system of Newton's method with the C at hand; false if it is singular.
    bool (*factor)(PerpConeProblem *cones);
    // The dr with dr = g - C W dr, refined.
    void (*solve)(PerpConeProblem *cones, const double *g, double *dr);
    // The state: v = M^-1 (b + J'r), or W r; then u = J v + d, or v + d. r and u: 3 a constraint.
    void (*velocity)(const PerpConeProblem *cones, const double *r, double *v);
    void (*speeds)(const PerpConeProblem *cones, const double *v, double *u);
    // A += the diagonal block of a constraint, 3 x 3 by rows.
    void (*block)(const PerpConeProblem *cones, int c, double *A);
};

extern const PerpDelassus perp_delassus_over_bodies, perp_delassus_explicit;

// Once, before anything is factorised.
static inline bool perp_delassus_analyse(PerpConeProblem *cones)
{
    return cones->newton.analysed = cones->newton.analysed || cones->delassus->analyse(cones);
}

static inline bool perp_delassus_factor(PerpConeProblem *cones)
{
    return cones->delassus->factor(cones);
}

static inline void perp_delassus_solve(PerpConeProblem *cones, const double *g, double *dr)
{
    cones->delassus->solve(cones, g, dr);
}

static inline void perp_delassus_velocity(const PerpConeProblem *cones, const double *r, double *v)
{
    cones->delassus->velocity(cones, r, v);
}

static inline void perp_delassus_speeds(const PerpConeProblem *cones, const double *v, double *u)
{
    cones->delassus->speeds(cones, v, u);
}

static inline void perp_delassus_block(const PerpConeProblem *cones, int c, double *A)
{
    cones->delassus->block(cones, c, A);
}

#endif
