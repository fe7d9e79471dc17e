// Semismooth Newton's method on the local solution map. Each constraint has an impulse S(q) that
// solves its law alone, at the velocity q that the others give it; where all impulses are these,
// the law holds:
//
//     r = S(q),   q = u - A r,   u = J v(r) + d,   A = J_c M^-1 J_c'
//
// A proximal term keeps the step short: S solves the law for A + rho and q - rho r' instead, r' the
// impulses at hand, which has the same fixed point. With G the derivative of S and w = J dv the
// change of u, the step of Newton's method is
//
//     dr = S - r + G (w - A dr)   or   (1 + G A) dr = (S - r) + G w
//
// Unlike the natural map (newton_natural.c), S tells open, sticking and sliding apart by the exact
// law of the contact, also where impulses are far off: few steps lead through many changes of mode.
// In large islands residuals rise before they fall, often a thousandfold: the iteration goes on
// from the last point, not from the best. Near a solution components of the impulses in null(J')
// drift until a contact changes mode: rho is reduced while none does, and a step ends where the
// first one does. Not so with an explicit operator: FCLIB's stacks of boxes take four times as long
// with it.

#include "cones/methods/newton_local.h"

#include "cones/cone.h"
#include "cones/methods/methods.h"
#include "cones/operator/delassus.h"
#include "cones/second_order.h"
#include "math/small_solve.h"

#include <math.h>
#include <string.h>

// Steps in a row that do not better the residual: in local form, and where it is good enough.
enum { BLOCK = 3, PATIENCE = 25, LAST_PATIENCE = 3 };
enum { LEG = 12, SMOOTHING = 200 }; // of bodies: so many gradients after so many steps
// The proximal parameter follows the residual, as in regularised Newton methods; impulses that are
// not unique need a little of it to the end.
static const double RHO = 0.02, MOST_RHO = 1, LEAST_RHO = 1e-7;
static const double REDUCTION = 0.6,
                    LEAST_FACTOR =
                        1e-4;    // of the proximal parameter, where no constraint changes its state
static const double NEAR = 1e-4; // residual below which a step ends at the first such change
enum { SHORTENED_MOST = 1000 };  // of more constraints the first comes too soon
static const double LEAST_PART = 0.05; // of a step
enum { HALVINGS = 12 };                // of it

typedef struct Newton {
    PerpConeProblem *cones;
    double *diagonal;      // 9 a constraint
    double *slide;         // a constraint
    PerpContactMode *mode; // a constraint: its state
    int changes;           // of states, since the step before
    double *r, *u, *v, *g;
    double *dr, *w;         // the whole step: of r and of u
    double rho, rho_factor; // proximal parameter; what it is multiplied by
} Newton;

// --- one constraint ------------------------------------------------------------------------------

typedef struct LocalSolution {
    double x[3]; // S
    double G[9];
} LocalSolution;

// A constraint with the proximal term: A + rho, and its inverse.
typedef struct Alone {
    double A[9], inverse[9];
} Alone;

static void set_apart(const Newton *it, int c, Alone *alone)
{
    memcpy(alone->A, it->diagonal + 9 * c, 9 * sizeof(double));
    for (int i = 0; i < 3; i++)
        alone->A[4 * i] += it->rho;
    perp_soc_prepare(alone->A, alone->inverse);
}

static bool solve_alone(Newton *it, int c, LocalSolution *local)
{
    const PerpConstraint *constraint = &it->cones->constraint[c];
    Alone alone;
    set_apart(it, c, &alone);
    const PerpLocalBlock block = {alone.A, alone.inverse, &it->slide[c]};
    memcpy(local->x, it->r + BLOCK * c, sizeof local->x);
    PerpContactMode mode = constraint->cone->solve(constraint, &block, it->u + BLOCK * c, local->x);
    it->changes += constraint->cone->is_contact && mode != it->mode[c];
    it->mode[c] = mode;
    return constraint->cone->derive(mode, &block, local->x, local->G);
}

// dr = g - C w
static bool linearise_constraint(Newton *it, int c)
{
    const double *A = it->diagonal + 9 * c, *r = it->r + BLOCK * c;
    double system[9], right[12];
    LocalSolution local;
    if (!solve_alone(it, c, &local))
        return false;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            system[3 * i + j] = i == j;
            for (int k = 0; k < 3; k++)
                system[3 * i + j] += local.G[3 * i + k] * A[3 * k + j];
            right[4 * i + j] = -local.G[3 * i + j];
        }
        right[4 * i + 3] = local.x[i] - r[i];
    }
    if (!perp_small_solve(3, system, 4, right))
        return false;
    for (int i = 0; i < 3; i++) {
        memcpy(it->cones->newton.C + 9 * c + 3 * i, right + 4 * i, 3 * sizeof(double));
        it->g[BLOCK * c + i] = right[4 * i + 3];
    }
    return true;
}

// --- the iteration ------------------------------------------------------------------------------

static bool take(PerpArena *arena, PerpConeProblem *cones, Newton *it)
{
    int n = cones->n_constraints;
    *it = (Newton){.cones = cones,
                   .diagonal = PERP_TAKE(arena, double, 9 * n),
                   .slide = PERP_TAKE(arena, double, n),
                   .mode = PERP_TAKE(arena, PerpContactMode, n),
                   .r = PERP_TAKE(arena, double, BLOCK *n),
                   .u = PERP_TAKE(arena, double, BLOCK *n),
                   .v = PERP_TAKE(arena, double, cones->n_state),
                   .g = PERP_TAKE(arena, double, BLOCK *n),
                   .dr = PERP_TAKE(arena, double, BLOCK *n),
                   .w = PERP_TAKE(arena, double, BLOCK *n),
                   .rho_factor = 1};
    if (!it->diagonal || !it->slide || !it->mode || !it->r || !it->u || !it->v || !it->g ||
        !it->dr || !it->w)
        return false;
    for (int c = 0; c < n; c++)
        perp_delassus_block(cones, c, it->diagonal + 9 * c);
    return true;
}

// the change of u by the whole of dr
static void find_change(Newton *it)
{
    int numbers = BLOCK * it->cones->n_constraints;
    for (int i = 0; i < numbers; i++)
        it->g[i] = it->r[i] + it->dr[i];
    perp_delassus_velocity(it->cones, it->g, it->v);
    perp_delassus_speeds(it->cones, it->v, it->w);
    for (int i = 0; i < numbers; i++)
        it->w[i] -= it->u[i];
}

// Does the contact leave its mode by such a part of the step?
static bool leaves(const Newton *it, int c, double part)
{
    const PerpConstraint *constraint = &it->cones->constraint[c];
    double u[3], x[3], slide = it->slide[c];
    Alone alone;
    for (int i = 0; i < 3; i++) {
        u[i] = it->u[BLOCK * c + i] + part * it->w[BLOCK * c + i];
        x[i] = it->r[BLOCK * c + i] + part * it->dr[BLOCK * c + i];
    }
    set_apart(it, c, &alone);
    const PerpLocalBlock block = {alone.A, alone.inverse, &slide};
    return constraint->cone->solve(constraint, &block, u, x) != it->mode[c];
}

// The part of the step after which the first cone changes its state.
static double part_to_change(const Newton *it)
{
    double part = 1;
    for (int c = 0; c < it->cones->n_constraints; c++) {
        if (!it->cones->constraint[c].cone->is_contact || !leaves(it, c, part))
            continue;
        double stays = 0;
        for (int k = 0; k < HALVINGS; k++) {
            double half = (stays + part) / 2;
            *(leaves(it, c, half) ? &part : &stays) = half;
        }
    }
    return fmax(part, LEAST_PART);
}

static bool step(Newton *it, double residual)
{
    it->changes = 0;
    for (int c = 0; c < it->cones->n_constraints; c++)
        if (!linearise_constraint(it, c))
            return false;
    if (!perp_delassus_factor(it->cones))
        return false;
    perp_delassus_solve(it->cones, it->g, it->dr);
    double part = 1;
    bool local = !it->cones->delassus->has_bodies;
    if (!local && residual < NEAR && it->cones->n_constraints <= SHORTENED_MOST) {
        find_change(it);
        part = part_to_change(it);
    }
    for (int i = 0; i < BLOCK * it->cones->n_constraints; i++)
        it->r[i] += part * it->dr[i];
    it->rho_factor = it->changes || local ? 1 : fmax(LEAST_FACTOR, REDUCTION * it->rho_factor);
    return true;
}

static double judge(Newton *it)
{
    perp_delassus_velocity(it->cones, it->r, it->v);
    perp_delassus_speeds(it->cones, it->v, it->u);
    return perp_cones_residual(it->cones, it->r, it->u);
}

// Gradients put right what does not reach far, and leave what does as it is, which is what Newton's
// method is going on with. False if memory is short.
static bool smooth(PerpArena *arena, Newton *it, double tolerance)
{
    int gradients = SMOOTHING;
    PerpArenaMark mark = perp_arena_mark(arena);
    double residual = perp_apgd(arena, it->cones, tolerance, &gradients, it->r);
    perp_arena_release(arena, mark);
    return !isnan(residual);
}

double perp_newton_local(PerpArena *arena, PerpConeProblem *cones, double tolerance, double enough,
                         int *steps, double *r)
{
    size_t bytes = (size_t)(BLOCK * cones->n_constraints) * sizeof(double);
    int most = *steps, bad = 0;
    bool local = !cones->delassus->has_bodies; // gradients need bodies
    double best = INFINITY;
    Newton it;
    bool analysed = perp_delassus_analyse(cones); // the order stays in the arena
    PerpArenaMark mark = perp_arena_mark(arena);
    if (!analysed || !take(arena, cones, &it))
        return NAN;
    memcpy(it.r, r, bytes);
    for (*steps = 0;; ++*steps) {
        if (!local && *steps > 0 && *steps % LEG == 0 && !smooth(arena, &it, tolerance)) {
            best = NAN;
            break;
        }
        double residual = judge(&it);
        bad = residual < best ? 0 : bad + 1;
        if (residual < best) {
            best = residual;
            memcpy(r, it.r, bytes);
        }
        it.rho = fmax(LEAST_RHO, fmin(MOST_RHO, it.rho_factor * RHO * sqrt(residual)));
        if (best <= tolerance || (best <= enough && bad > LAST_PATIENCE) || *steps == most ||
            (local && bad > PATIENCE) || perp_interrupted(cones->interrupt) || !step(&it, residual))
            break;
    }
    perp_arena_release(arena, mark);
    return best;
}
