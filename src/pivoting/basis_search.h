// The search for a complementary basis of an LCP: given basis, principal pivoting, Lemke's
// paths. What a basis is worth is for the caller to judge, on the problem that the LCP came from.
#ifndef PERP_PIVOTING_BASIS_SEARCH_H
#define PERP_PIVOTING_BASIS_SEARCH_H

#include "base/interrupt.h"
#include "perp/lcp.h"
#include "pivoting/basis.h"
#include "pivoting/block_pivoting.h"

typedef struct PerpBasisSearch {
    // the problem, w = M z + q, and what to do; borrowed
    int n;
    int free; // leading rows that are equations with a nonsingular block, kept in the basis
    const double *M, *q;
    PerpLcpSettings settings;
    const PerpInterrupt *interrupt; // ends paths early; NULL: none
    // Recovers, refines and certifies the point search->z, keeps it if it is the best so far, and
    // returns the certificate's worst residual. Leaves the refined z in search->z and its w, as
    // exact as the problem's own numbers allow, in search->w.
    double (*judge)(void *user, struct PerpBasisSearch *search);
    // Certifies search->ray on the problem that the LCP came from.
    void (*judge_ray)(void *user, const struct PerpBasisSearch *search,
                      PerpLcpRayCertificate *certificate);
    void *user;

    PerpBasis basis; // of the scaled problem
    PerpBlockPivoting block;
    double *row_scale;        // w = z_scale w' / row_scale
    double *column_scale;     // z = z_scale column_scale z'
    double z_scale;           //
    signed char *active;      // n: the basis found, 1 where z is basic
    signed char *best_active; // of the best point judged so far
    double *z, *w;            // n: the point found
    double best;              // its residual
    double last;              // residual of the point judged last
    bool refinable;           // the basis belongs to the point: perp_basis_search_correct works
    double *ray_z, *ray_dz, *cover; // n each
    double *scratch;                // 3 n

    PerpOutcome outcome;
    PerpLcpMethod method;
    int pivots, attempts;
    bool basis_reused;
    PerpLcpRay ray;
    PerpLcpRayCertificate ray_certificate;
} PerpBasisSearch;

// Memory for n rows, zeroed.
bool perp_basis_search_take(PerpArena *arena, int n, PerpBasisSearch *search);

void perp_basis_search_solve(PerpBasisSearch *search);

// change = -M_aa^-1 residual_a on the active rows of the point last judged, zero elsewhere.
void perp_basis_search_correct(PerpBasisSearch *search, const double *residual, double *change);

#endif
