// Each cell has an impulse of its own, S(q), at the velocity q that the others give it. Where all
// impulses are their cells' own the law holds:
//
//     r = S(q),   q = u - A r,   u = J v(r) + d,   A = J_c M^-1 J_c'
//
// A pull towards the impulses at hand, r', makes the step as small as need be: S solves the law for
// A + pull and q - pull r' instead, which has the same fixed point. With G the derivative of S and
// w = J dv the change of u, the step of Newton's method is
//
//     dr = S - r + G (w - A dr)   or   (1 + G A) dr = (S - r) + G w
//
// Unlike the natural map of round_polish.c, S tells open, stuck and sliding apart by the exact law
// of the cell, also where impulses are far off: few steps lead through many changes of state. In
// heaps residuals rise on the way, often a thousandfold: the way goes on from the last point, not
// from the best. Near a solution impulses that velocities do not see have far to go until a cell
// changes its state: the pull falls while none does, and a step ends where the first one does. Not
// so in local form: FCLIB's stacks of boxes take four times as long with it.

#include "lcp/round_own.h"

#include "lcp/round_bodies.h"
#include "lcp/round_cone.h"
#include "lcp/round_methods.h"
#include "lcp/small_solve.h"

#include <math.h>
#include <string.h>

enum { CELL = 3, PATIENCE = 25 };   // steps in a row that do not better the residual, local form
enum { LEG = 12, SMOOTHING = 200 }; // of bodies: so many gradients after so many steps
// The pull follows the residual, as in regularised Newton methods; impulses that are not unique
// need a little of it to the end.
static const double PULL = 0.02, MOST_PULL = 1, LEAST_PULL = 1e-7;
static const double FALL = 0.6, LEAST_EASE = 1e-4; // of the pull, where no cell changes its state
static const double WALK = 1e-4;       // residual below which a step ends at the first such change
enum { WALKING_CELLS = 1000 };         // of more cells the first comes too soon
static const double LEAST_PART = 0.05; // of a step
enum { HALVINGS = 12 };                // of it

typedef struct Newton {
    PerpRound *round;
    double *own;      // 9 a cell
    double *slide;    // a cell
    PerpConeWay *way; // a cell: its state
    int changes;      // of states, since the step before
    double *r, *u, *v, *g;
    double *dr, *w;    // the whole step: of r and of u
    double pull, ease; // ease: of the pull
} Newton;

void perp_round_own_block(const PerpRound *round, int c, double *A)
{
    const PerpCell *cell = &round->cell[c];
    int s = round->size;
    if (round->rows.start)
        memcpy(A, round->rows.W + 9 * round->rows.start[c], 9 * sizeof(double));
    for (int e = cell->first; e < cell->end; e++) {
        const double *J = perp_round_row(round, e, 0);
        const double *inverse = round->inverse + s * s * round->entry_body[e];
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < s; k++) {
                double kick = 0;
                for (int i = 0; i < s; i++)
                    kick += inverse[s * i + k] * J[round->pad * j + i];
                for (int i = 0; i < 3; i++)
                    A[3 * i + j] += J[round->pad * i + k] * kick;
            }
    }
}

// --- one cell -----------------------------------------------------------------------------------

typedef struct Own {
    double x[3]; // S
    double G[9];
} Own;

// A + pull
static void add_pull(const Newton *it, int c, double *A)
{
    memcpy(A, it->own + 9 * c, 9 * sizeof(double));
    for (int i = 0; i < 3; i++)
        A[4 * i] += it->pull;
}

// A cone at u and r.
typedef struct Alone {
    double A[9], inverse[9], q[3];
} Alone;

static void set_apart(const Newton *it, int c, const double *u, const double *r, Alone *alone)
{
    add_pull(it, c, alone->A);
    perp_cone_prepare(alone->A, alone->inverse);
    for (int i = 0; i < 3; i++)
        alone->q[i] = u[i] - perp_small_dot(3, alone->A + 3 * i, r);
}

static bool solve_cone(Newton *it, int c, Own *own)
{
    const double *r = it->r + CELL * c;
    Alone alone;
    set_apart(it, c, it->u + CELL * c, r, &alone);
    memcpy(own->x, r, sizeof own->x);
    PerpConeWay way = perp_cone_solve(alone.A, alone.inverse, alone.q, &it->slide[c], own->x);
    it->changes += way != it->way[c];
    it->way[c] = way;
    return perp_cone_derive(way, alone.A, alone.inverse, it->slide[c], own->x, own->G);
}

static void solve_joint(const double *A, const double *u, const double *r, Own *own)
{
    double regular[9], inverse[9];
    memcpy(regular, A, sizeof regular);
    perp_cone_prepare(regular, inverse);
    for (int i = 0; i < 3; i++)
        own->x[i] = r[i] - perp_small_dot(3, inverse + 3 * i, u);
    for (int i = 0; i < 9; i++)
        own->G[i] = -inverse[i];
}

static void solve_box(const PerpCell *cell, const double *A, const double *u, const double *r,
                      Own *own)
{
    double inverse = A[0] > 0 ? 1 / A[0] : 1, x = r[0] - inverse * u[0];
    *own = (Own){.x = {fmin(fmax(x, cell->lo), cell->hi)}};
    own->G[0] = x > cell->lo && x < cell->hi ? -inverse : 0;
}

static bool solve_cell(Newton *it, int c, Own *own)
{
    const PerpCell *cell = &it->round->cell[c];
    const double *u = it->u + CELL * c, *r = it->r + CELL * c;
    double A[9];
    if (cell->kind == PERP_CELL_CONE)
        return solve_cone(it, c, own);
    add_pull(it, c, A);
    if (cell->kind == PERP_CELL_BOX)
        solve_box(cell, A, u, r, own);
    else
        solve_joint(A, u, r, own);
    return true;
}

// dr = g - C w
static bool linearise_cell(Newton *it, int c)
{
    const double *A = it->own + 9 * c, *r = it->r + CELL * c;
    double system[9], right[12];
    Own own;
    if (!solve_cell(it, c, &own))
        return false;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            system[3 * i + j] = i == j;
            for (int k = 0; k < 3; k++)
                system[3 * i + j] += own.G[3 * i + k] * A[3 * k + j];
            right[4 * i + j] = -own.G[3 * i + j];
        }
        right[4 * i + 3] = own.x[i] - r[i];
    }
    if (!perp_small_solve(3, system, 4, right))
        return false;
    for (int i = 0; i < 3; i++) {
        memcpy(it->round->C + 9 * c + 3 * i, right + 4 * i, 3 * sizeof(double));
        it->g[CELL * c + i] = right[4 * i + 3];
    }
    return true;
}

// --- the iteration ------------------------------------------------------------------------------

static bool take(PerpArena *arena, PerpRound *round, Newton *it)
{
    int n = round->n_cells;
    *it = (Newton){.round = round,
                   .own = PERP_TAKE(arena, double, 9 * n),
                   .slide = PERP_TAKE(arena, double, n),
                   .way = PERP_TAKE(arena, PerpConeWay, n),
                   .r = PERP_TAKE(arena, double, CELL *n),
                   .u = PERP_TAKE(arena, double, CELL *n),
                   .v = PERP_TAKE(arena, double, round->n_state),
                   .g = PERP_TAKE(arena, double, CELL *n),
                   .dr = PERP_TAKE(arena, double, CELL *n),
                   .w = PERP_TAKE(arena, double, CELL *n),
                   .ease = 1};
    if (!it->own || !it->slide || !it->way || !it->r || !it->u || !it->v || !it->g || !it->dr ||
        !it->w)
        return false;
    for (int c = 0; c < n; c++)
        perp_round_own_block(round, c, it->own + 9 * c);
    return true;
}

// the change of u by the whole of dr
static void find_change(Newton *it)
{
    int numbers = CELL * it->round->n_cells;
    for (int i = 0; i < numbers; i++)
        it->g[i] = it->r[i] + it->dr[i];
    perp_round_velocity(it->round, it->g, it->v);
    perp_round_speeds(it->round, it->v, it->w);
    for (int i = 0; i < numbers; i++)
        it->w[i] -= it->u[i];
}

// Does the cone leave its state by such a part of the step?
static bool leaves(const Newton *it, int c, double part)
{
    double u[3], r[3], x[3], slide = it->slide[c];
    Alone alone;
    for (int i = 0; i < 3; i++) {
        u[i] = it->u[CELL * c + i] + part * it->w[CELL * c + i];
        x[i] = r[i] = it->r[CELL * c + i] + part * it->dr[CELL * c + i];
    }
    set_apart(it, c, u, r, &alone);
    return perp_cone_solve(alone.A, alone.inverse, alone.q, &slide, x) != it->way[c];
}

// The part of the step after which the first cone changes its state.
static double part_to_change(const Newton *it)
{
    double part = 1;
    for (int c = 0; c < it->round->n_cells; c++) {
        if (it->round->cell[c].kind != PERP_CELL_CONE || !leaves(it, c, part))
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
    for (int c = 0; c < it->round->n_cells; c++)
        if (!linearise_cell(it, c))
            return false;
    if (!perp_round_factor(it->round))
        return false;
    perp_round_change(it->round, it->g, it->dr);
    double part = 1;
    bool local = it->round->rows.start;
    if (!local && residual < WALK && it->round->n_cells <= WALKING_CELLS) {
        find_change(it);
        part = part_to_change(it);
    }
    for (int i = 0; i < CELL * it->round->n_cells; i++)
        it->r[i] += part * it->dr[i];
    it->ease = it->changes || local ? 1 : fmax(LEAST_EASE, FALL * it->ease);
    return true;
}

static double judge(Newton *it)
{
    perp_round_velocity(it->round, it->r, it->v);
    perp_round_speeds(it->round, it->v, it->u);
    return perp_round_residual(it->round, it->r, it->u);
}

// Gradients put right what does not reach far, and leave what does as it is, which is what Newton's
// method is on its way with. False if memory is short.
static bool smooth(PerpArena *arena, Newton *it, double enough)
{
    int gradients = SMOOTHING;
    PerpArenaMark mark = perp_arena_mark(arena);
    double residual = perp_round_gradient(arena, it->round, enough, &gradients, it->r);
    perp_arena_release(arena, mark);
    return !isnan(residual);
}

double perp_round_own(PerpArena *arena, PerpRound *round, double enough, int *steps, double *r)
{
    size_t bytes = (size_t)(CELL * round->n_cells) * sizeof(double);
    int most = *steps, bad = 0;
    bool local = round->rows.start; // gradients need bodies
    double best = INFINITY;
    Newton it;
    bool analysed = perp_round_analyse(round); // the order stays in the arena
    PerpArenaMark mark = perp_arena_mark(arena);
    if (!analysed || !take(arena, round, &it))
        return NAN;
    memcpy(it.r, r, bytes);
    for (*steps = 0;; ++*steps) {
        if (!local && *steps > 0 && *steps % LEG == 0 && !smooth(arena, &it, enough)) {
            best = NAN;
            break;
        }
        double residual = judge(&it);
        bad = residual < best ? 0 : bad + 1;
        if (residual < best) {
            best = residual;
            memcpy(r, it.r, bytes);
        }
        it.pull = fmax(LEAST_PULL, fmin(MOST_PULL, it.ease * PULL * sqrt(residual)));
        if (best <= enough || *steps == most || (local && bad > PATIENCE) || !step(&it, residual))
            break;
    }
    perp_arena_release(arena, mark);
    return best;
}
