// An interior-point method on the convex law of friction: Nesterov and Todd's scaling of the
// second-order cones, Mehrotra's predictor and corrector.
//
//     r o s = kappa e,    s = u(r) + regularisation (r - r_centre)
//
// It begins on the central path next to a point that others found (start in
// second_order_barrier.c). The regularisation is proximal, centred at r, while kappa is large, and
// fixed in the end: where impulses are not unique it keeps them bounded.

#include "cones/barrier.h"
#include "cones/cone.h"
#include "cones/methods/methods.h"
#include "cones/operator/delassus.h"
#include "cones/operator/over_bodies.h"

#include <math.h>
#include <string.h>

static const double REGULARISATION = 4e-9; // beside the inverse mass 1 of constraints
static const double LATE = 1e-9;           // kappa from which on its centre stays and digits count
static const double LAST = 1e-11;          // kappa from which on the residual should be of its root
static const double DEGENERATE = 5;        // times that root: another method ends sooner
static const double FRACTION = 0.98;       // of the way to the boundary
enum { BLOCK = 3, PATIENCE = 12 };         // iterations in a row that do not better the residual

typedef struct Interior {
    PerpConeProblem *cones;
    PerpBarrierPoint *point;             // a constraint
    double *r, *u, *g, *dr, *w, *centre; // 3 a constraint
    double *v, *dv, *moved, *momentum;   // the state
    long double *sum;                    // likewise, scratch
    double kappa;
} Interior;

static const PerpConstraint *constraint_of(const Interior *in, int c)
{
    return &in->cones->constraint[c];
}

static const PerpBarrier *barrier_of(const Interior *in, int c)
{
    return in->cones->constraint[c].cone->barrier;
}

// --- all constraints ----------------------------------------------------------------------------

// In the end velocities and impulses are unknowns side by side. Where large impulses cancel, v does
// not follow from r to all its digits: what rounding leaves of the momentum is made good in the
// next step.
static bool carries_velocities(const Interior *in)
{
    return in->kappa <= LATE;
}

static void find_speeds(Interior *in)
{
    if (!carries_velocities(in))
        perp_delassus_velocity(in->cones, in->r, in->v);
    perp_delassus_speeds(in->cones, in->v, in->u);
}

static void regularise(Interior *in)
{
    size_t bytes = (size_t)(BLOCK * in->cones->n_constraints) * sizeof(double);
    if (in->kappa > LATE)
        memcpy(in->centre, in->r, bytes);
    for (int i = 0; i < BLOCK * in->cones->n_constraints; i++)
        in->u[i] += REGULARISATION * (in->r[i] - in->centre[i]);
}

static void linearise(Interior *in)
{
    memset(in->cones->newton.C, 0, (size_t)(9 * in->cones->n_constraints) * sizeof(double));
    for (int c = 0; c < in->cones->n_constraints; c++)
        barrier_of(in, c)->linearise(constraint_of(in, c), REGULARISATION, in->r + BLOCK * c,
                                     in->u + BLOCK * c, &in->point[c], in->cones->newton.C + 9 * c);
}

// dr and dv of g, and w = J dv + regularisation dr
static void solve_system(Interior *in)
{
    PerpConeProblem *cones = in->cones;
    perp_over_bodies_move(cones, in->g, in->momentum, carries_velocities(in), in->dv, in->dr);
    for (int i = 0; i < cones->n_state; i++)
        in->moved[i] = in->v[i] + in->dv[i];
    perp_delassus_speeds(cones, in->moved, in->w);
    for (int i = 0; i < BLOCK * cones->n_constraints; i++)
        in->w[i] += REGULARISATION * (in->r[i] + in->dr[i] - in->centre[i]) - in->u[i];
}

// The step for the target kappa; second order from the predictor, by this share.
static void find_step(Interior *in, double kappa, double correct)
{
    memset(in->g, 0, (size_t)(BLOCK * in->cones->n_constraints) * sizeof(double));
    for (int c = 0; c < in->cones->n_constraints; c++)
        barrier_of(in, c)->aim(constraint_of(in, c), REGULARISATION, kappa, correct,
                               in->r + BLOCK * c, in->u + BLOCK * c, in->cones->newton.C + 9 * c,
                               &in->point[c], in->g + BLOCK * c);
    solve_system(in);
    for (int c = 0; c < in->cones->n_constraints; c++) {
        memcpy(in->point[c].dr, in->dr + BLOCK * c, sizeof in->point[c].dr);
        barrier_of(in, c)->change(constraint_of(in, c), kappa, in->r + BLOCK * c, in->w + BLOCK * c,
                                  &in->point[c]);
    }
}

static double longest_step(const Interior *in)
{
    double longest = INFINITY;
    for (int c = 0; c < in->cones->n_constraints; c++)
        longest = fmin(longest, barrier_of(in, c)->step(constraint_of(in, c), in->r + BLOCK * c,
                                                        &in->point[c]));
    return longest;
}

// Mean of the products after a step of this length.
static double kappa_after(const Interior *in, double length)
{
    double sum = 0;
    int count = 0;
    for (int c = 0; c < in->cones->n_constraints; c++) {
        PerpBarrierPoint moved = in->point[c];
        double r[3];
        for (int i = 0; i < 3; i++) {
            r[i] = in->r[BLOCK * c + i] + length * moved.dr[i];
            moved.s[i] += length * moved.ds[i];
        }
        sum += barrier_of(in, c)->complementarity(constraint_of(in, c), r, &moved, &count);
    }
    return count > 0 ? sum / count : 0;
}

static void move(Interior *in, double length)
{
    for (int c = 0; c < in->cones->n_constraints; c++)
        for (int i = 0; i < 3; i++) {
            in->r[BLOCK * c + i] += length * in->point[c].dr[i];
            in->point[c].s[i] += length * in->point[c].ds[i];
        }
    for (int i = 0; i < in->cones->n_state; i++)
        in->v[i] += length * in->dv[i];
}

// --- the iteration ------------------------------------------------------------------------------

// One predictor and corrector; false if it leads nowhere.
static bool iterate(Interior *in)
{
    if (carries_velocities(in))
        perp_over_bodies_defect(in->cones, in->r, in->v, in->sum, in->momentum);
    regularise(in);
    linearise(in);
    if (!perp_delassus_factor(in->cones))
        return false;
    find_step(in, 0, 0);
    double length = fmin(1, longest_step(in)), ahead = kappa_after(in, length) / in->kappa;
    double centring = fmin(1, fmax(ahead * ahead * ahead, 1e-4));
    if (!(ahead > 0))
        centring = in->kappa > 0 ? 1 : 0;
    find_step(in, centring * in->kappa, length < 0.5 ? length * length : 1);
    length = fmin(1, FRACTION * longest_step(in));
    if (!(length > 1e-8))
        return false;
    move(in, length);
    return true;
}

static bool take(PerpArena *arena, PerpConeProblem *cones, Interior *in)
{
    int numbers = BLOCK * cones->n_constraints;
    *in = (Interior){.cones = cones,
                     .point = PERP_TAKE(arena, PerpBarrierPoint, cones->n_constraints),
                     .r = PERP_TAKE(arena, double, numbers),
                     .u = PERP_TAKE(arena, double, numbers),
                     .g = PERP_TAKE(arena, double, numbers),
                     .dr = PERP_TAKE(arena, double, numbers),
                     .w = PERP_TAKE(arena, double, numbers),
                     .centre = PERP_TAKE(arena, double, numbers),
                     .v = PERP_TAKE(arena, double, cones->n_state),
                     .dv = PERP_TAKE(arena, double, cones->n_state),
                     .moved = PERP_TAKE(arena, double, cones->n_state),
                     .momentum = PERP_TAKE(arena, double, cones->n_state),
                     .sum = PERP_TAKE(arena, long double, cones->n_state)};
    return in->point && in->r && in->u && in->g && in->dr && in->w && in->centre && in->v &&
           in->dv && in->moved && in->momentum && in->sum;
}

static void start(Interior *in, const double *r)
{
    memcpy(in->r, r, (size_t)(BLOCK * in->cones->n_constraints) * sizeof(double));
    find_speeds(in);
    for (int c = 0; c < in->cones->n_constraints; c++)
        barrier_of(in, c)->start(constraint_of(in, c), in->kappa, in->u + BLOCK * c,
                                 in->r + BLOCK * c, &in->point[c]);
    perp_delassus_velocity(in->cones, in->r, in->v);
}

// Contacts that neither push nor part have r and s of the root of kappa each, so that the residual
// falls with the root only. Newton's method on the natural map does not mind them.
static bool is_degenerate(const Interior *in, double residual)
{
    return in->kappa < LAST && residual > DEGENERATE * sqrt(in->kappa);
}

double perp_interior_point(PerpArena *arena, PerpConeProblem *cones, double kappa, double tolerance,
                           int *iterations, double *r)
{
    Interior in;
    int most = *iterations, stalled = 0;
    double best = INFINITY;
    if (!take(arena, cones, &in))
        return NAN;
    cones->newton.symmetric = true;
    in.kappa = kappa;
    start(&in, r);
    for (*iterations = 0;; ++*iterations) {
        find_speeds(&in);
        in.kappa = kappa_after(&in, 0);
        double residual = perp_cones_residual(cones, in.r, in.u);
        stalled = residual < 0.9 * best ? 0 : stalled + 1;
        if (residual < best) {
            best = residual;
            memcpy(r, in.r, (size_t)(BLOCK * cones->n_constraints) * sizeof(double));
        }
        if (best <= tolerance || stalled > PATIENCE || *iterations == most ||
            perp_interrupted(cones->interrupt) || is_degenerate(&in, residual) || !iterate(&in))
            break;
    }
    cones->newton.symmetric = false;
    return best;
}
