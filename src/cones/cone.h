// What methods ask of a constraint: one const table a cone, in a file of its own (bilateral.c,
// box.c, second_order.c, product.c). Nothing else knows which cones there are.
#ifndef PERP_CONES_CONE_H
#define PERP_CONES_CONE_H

#include "cones/cone_problem.h"

typedef struct PerpBarrier PerpBarrier; // barrier.h

// Open, sticking or sliding; of a box at its lower bound, between the bounds, at the upper one.
typedef enum PerpContactMode { PERP_MODE_OPEN, PERP_MODE_STICK, PERP_MODE_SLIP } PerpContactMode;

// How the rows of a constraint are scaled to inverse mass 1.
typedef enum PerpConeScaling {
    PERP_SCALE_TOGETHER, // all alike, tangents by mu
    PERP_SCALE_ROWS,     // each row by itself
    PERP_SCALE_GROUPS    // each friction group by itself
} PerpConeScaling;

// How single precision projects it, eight at a time.
typedef enum PerpConeLane {
    PERP_LANE_SECOND_ORDER,
    PERP_LANE_BOUNDS, // lo <= x_n <= hi, tangents free
    PERP_LANE_OTHER   // not at all: cone->project does
} PerpConeLane;

// Newton's method on the natural map F = r - P(r - z(u)) with a regularisation, of the problem
// whose velocities are u + rho (r - r_centre): what it adds to the diagonal.
typedef struct PerpNewtonTerms {
    double regularisation, rho;
} PerpNewtonTerms;

// A constraint alone, u = q + A r: A regular, its inverse, and the slip speed over |r_T|, a first
// guess and then the one found.
typedef struct PerpLocalBlock {
    const double *A, *inverse; // 3 x 3 by rows
    double *slide;
} PerpLocalBlock;

// The derivative of P: factors along (1, axis), (1, -axis) and across.
typedef struct PerpProjectionAxes {
    double axis[2];
    double factor[3];
} PerpProjectionAxes;

struct PerpCone {
    const char *name;
    PerpConeScaling scaling;
    PerpConeLane lane;
    bool is_contact;  // normal and friction impulses
    bool is_equation; // u = 0

    // Numbers that it spans, from its first constraint on; 0 of a further one. NULL: three.
    int (*numbers)(const PerpConeProblem *cones, int c);
    // What the law adds to the normal velocity: z = u + slip e_n
    double (*slip)(const PerpConeProblem *cones, int c, const double *u);
    void (*project)(const PerpConeProblem *cones, int c, const double *y, double *x);
    // |r - P(r - z)| at the numbers of the constraint
    double (*residual)(const PerpConeProblem *cones, int c, const double *r, const double *u);
    // Newton's method on the natural map: dr = g - C J dv, into cones->newton.C,
    // cones->newton.cross and g. r, u and g: of all constraints. False if singular.
    bool (*linearise)(PerpConeProblem *cones, int c, const PerpNewtonTerms *terms, const double *r,
                      const double *u, double *g);

    // The local solution map: r becomes the impulse that solves the law with all others as they
    // are. u: velocity at r. NULL: no method of one constraint at a time knows it.
    PerpContactMode (*solve)(const PerpConstraint *constraint, const PerpLocalBlock *block,
                             const double *u, double *r);
    // G = dr/dq of it; false if there is none.
    bool (*derive)(PerpContactMode mode, const PerpLocalBlock *block, const double *r, double *G);

    // The derivative of the projection at x, and the direction of the slip r - x, 0 if none, for
    // the normal map; NULL like the last two.
    PerpProjectionAxes (*axes)(const PerpConstraint *constraint, const double *x);
    void (*slip_direction)(const double *x, const double *r, double b[2]);

    const PerpBarrier *barrier; // of interior points; NULL: they do not know it
};

extern const PerpBarrier perp_barrier_bilateral, perp_barrier_box, perp_barrier_second_order;

extern const PerpCone perp_cone_bilateral;    // u = 0
extern const PerpCone perp_cone_box;          // lo <= r <= hi
extern const PerpCone perp_cone_second_order; // { |x_T| <= x_n }, the circular friction law
extern const PerpCone perp_cone_product;      // several groups, floors, polygons
extern const PerpCone perp_cone_coupled;      // the further groups of a product cone

#endif
