// Accelerated projected gradients, APGD [Nesterov 1983; Mazhar et al. 2015], on the exact law:
//
//     r_new = P(y - (u(y) + s e_n) / L),   y = r + beta (r - r_old),   beta by Nesterov's rule
//
// [Nesterov 1983; restarts: O'Donoghue and Candes 2015; for contacts: Mazhar et al. 2015, on the
// convex law, s = 0]
//
// Nothing is factorised: a step costs two products with J, which follow each other while J's rows
// are in the cache. The law is not monotone because of the shift s = |u_T|; the shift follows the
// slip with a lag, and the momentum is bounded, or else piles that come to rest make both swing for
// ever. Momentum that points uphill starts anew. A step that was too long for L shows when its
// forces are known; L is raised for the next. Where joints are eliminated a contact moves one limb
// or all of them, and each takes a step of its own, by its inverse mass w: L w takes the place of
// L, d'w d that of |d|^2.
//
// All of it is in single precision, eight constraints at a time (simd_pack.h): gradients are asked
// for the first digits, and whoever takes their answer judges it in double precision.
//
// Packs of large problems are dealt out in parts, whatever the number of threads: each sums up
// its own J'r, and these are added in their order.

#include "base/threads.h"
#include "cones/cone.h"
#include "cones/methods/methods.h"
#include "cones/operator/delassus.h"
#include "cones/operator/over_bodies.h"
#include "cones/operator/simd_pack.h"
#include "cones/operator/spanning_tree.h"

#include <math.h>
#include <string.h>

static const double LAG = 0.3; // share of its change that the shift follows in a step
static const double MOST_MOMENTUM = 0.95, MOST_MOMENTUM_CONVEX = 0.995; //
static const double FIRST_STEEPNESS = 3, STEEPER = 1.5, FLATTER = 0.98; // L
static const double BEYOND_ROUNDING = 1.02;                             // of L, when it is measured
static const double SLOW = 0.7;   // a pace that will not become faster
static const float TINY = 1e-30F; // beside |x_T|, which may be 0
static const double LEAST = 0.1;  // inverse mass that counts
enum { CHECK = 8, FIRST_PACE = 512 };
enum { MOST_NUMBERS = 6 };        // of a cone
enum { PARTS = 4, LARGE = 2048 }; // constraints
// Parts in the order in which they are dealt out, so that each of two threads has neighbours.
static const int TURN[PARTS] = {0, 2, 1, 3};

typedef struct Pace {
    float step; // 1 / L
    float momentum, lag;
    float shifted; // 1: the exact law, 0: a convex one
} Pace;

typedef struct Worth {
    PerpFloats uphill;  // (y - r)'w (r - r_old)
    PerpFloats squares; // d'w d, d = r - y
} Worth;

typedef struct Part {
    int first, end;   // packs
    int low, high;    // bodies that they touch: from low on, below high
    float *force;     // rows: J'r of its packs
    Worth worth;      // of the step
    PerpFloats bent;  // d'W d, of its bodies
    PerpFloats worst; // residual, squared
    PerpFloats sum;   // of residuals: NaN if any is
} Part;

// What the lanes of a pack are.
typedef struct Kinds {
    bool plain; // all of them second-order cones
    PerpFloatsMask cone;
    PerpFloats lo, hi; // of the others
    PerpFloats w, by;  // inverse mass, and 1 over it; 1 but where joints are eliminated
} Kinds;

typedef struct Gradient {
    const PerpConeProblem *cones;
    PerpPacks packs;
    Kinds *kinds;               // a pack
    PerpFloats *shift;          // a pack
    PerpFloats *r, *old, *best; // 3 a pack
    float *force, *force_y;     // rows: J'r and J'y
    float *x, *x_y;             // rows: velocities that r and y cause
    int best_at;                // step
    int n_parts;
    Part part[PARTS];
    double steepness, theta;
    float momentum, lag;
} Gradient;

static bool take(PerpArena *arena, const PerpConeProblem *cones, Gradient *at)
{
    int n = (cones->n_constraints + PERP_FLOATS - 1) / PERP_FLOATS;
    size_t rows = PERP_FLOATS_ROW * ((size_t)cones->p->n_bodies + 1);
    *at = (Gradient){.cones = cones,
                     .kinds = PERP_TAKE(arena, Kinds, n),
                     .shift = PERP_TAKE(arena, PerpFloats, n),
                     .r = PERP_TAKE(arena, PerpFloats, 3 * n),
                     .old = PERP_TAKE(arena, PerpFloats, 3 * n),
                     .best = PERP_TAKE_RAW(arena, PerpFloats, 3 * n),
                     .force = PERP_TAKE(arena, float, rows),
                     .force_y = PERP_TAKE(arena, float, rows),
                     .x = PERP_TAKE(arena, float, rows),
                     .x_y = PERP_TAKE(arena, float, rows),
                     .n_parts = cones->n_constraints < LARGE ? 1 : PARTS,
                     .steepness = FIRST_STEEPNESS,
                     .theta = 1,
                     .lag = 1};
    bool tolerance = at->kinds && at->shift && at->r && at->old && at->best && at->force &&
                     at->force_y && at->x && at->x_y;
    for (int k = 0; k < at->n_parts && tolerance; k++)
        tolerance = (at->part[k].force = PERP_TAKE(arena, float, rows));
    return tolerance && perp_packs_build(arena, cones, &at->packs);
}

static int first_of(int n, int parts, int part)
{
    return (int)((long)n * part / parts);
}

// The mean of its rows, in a problem of unit masses.
static double inverse_mass(const PerpConeProblem *cones, const PerpConstraint *constraint)
{
    double sum = 0;
    int rows = perp_constraint_rows(constraint);
    for (int e = constraint->first; e < constraint->end; e++)
        for (int k = 0; k < rows; k++) {
            const double *J = perp_over_bodies_row(cones, e, k);
            for (int i = 0; i < cones->bodies.size; i++)
                sum += J[i] * J[i];
        }
    return fmax(sum / rows, LEAST);
}

static void find_inverse_masses(Gradient *at)
{
    const PerpConeProblem *cones = at->cones;
    for (int c = 0; c < cones->n_constraints; c++) {
        double w = inverse_mass(cones, &cones->constraint[c]);
        Kinds *kinds = &at->kinds[c / PERP_FLOATS];
        ((float *)&kinds->w)[c % PERP_FLOATS] = (float)w;
        ((float *)&kinds->by)[c % PERP_FLOATS] = (float)(1 / w);
    }
}

// Lanes that no constraint has count as cones.
static void find_kinds(Gradient *at)
{
    const PerpConeProblem *cones = at->cones;
    const PerpFloats none = {0};
    for (int k = 0; k < at->packs.n; k++) {
        at->kinds[k].plain = true;
        at->kinds[k].cone = ~(PerpFloatsMask){0};
        at->kinds[k].w = at->kinds[k].by = none + 1;
    }
    if (cones->uneven)
        find_inverse_masses(at);
    for (int c = 0; c < cones->n_constraints; c++) {
        const PerpConstraint *constraint = &cones->constraint[c];
        Kinds *kinds = &at->kinds[c / PERP_FLOATS];
        int lane = c % PERP_FLOATS;
        if (constraint->cone->lane == PERP_LANE_SECOND_ORDER)
            continue;
        kinds->plain = false;
        ((int *)&kinds->cone)[lane] = 0;
        ((float *)&kinds->lo)[lane] = (float)constraint->lo;
        ((float *)&kinds->hi)[lane] = (float)constraint->hi;
    }
}

// --- one pack ---------------------------------------------------------------------------------

PERP_KERNEL_PART void length_of(const PerpFloats *p, const PerpFloats *q, PerpFloats *length)
{
    *length = *p * *p + *q * *q;
    perp_floats_root(length);
}

// x = P(x). On the cone without branches: with across = |x_T|,
//     P(x)_n = ((x_n + across)+ + (x_n - across)+) / 2,   |P(x)_T| = the same with a minus
PERP_KERNEL_PART void project(const Kinds *kinds, PerpFloats x[3])
{
    PerpFloats none = {0}, across, n = x[0], p = x[1], q = x[2];
    length_of(&p, &q, &across);
    PerpFloats more = n + across, less = n - across;
    more = PERP_FLOATS_LARGER(more, none);
    less = PERP_FLOATS_LARGER(less, none);
    PerpFloats shrink = (more - less) / (2 * across + TINY);
    x[0] = (more + less) / 2;
    x[1] = shrink * p;
    x[2] = shrink * q;
    if (kinds->plain)
        return;
    n = PERP_FLOATS_SELECT(n < kinds->lo, kinds->lo, n);
    n = PERP_FLOATS_SELECT(n > kinds->hi, kinds->hi, n);
    x[0] = PERP_FLOATS_SELECT(kinds->cone, x[0], n);
    x[1] = PERP_FLOATS_SELECT(kinds->cone, x[1], p);
    x[2] = PERP_FLOATS_SELECT(kinds->cone, x[2], q);
}

// |u_T| of the cones, 0 for the convex relaxation
PERP_KERNEL_PART void find_slip(float shifted, const Kinds *kinds, const PerpFloats u[3],
                                PerpFloats *slip)
{
    PerpFloats none = {0};
    length_of(&u[1], &u[2], slip);
    *slip = shifted * PERP_FLOATS_SELECT(kinds->cone, *slip, none);
}

// What the kernel left free: cones that span up to two lanes.
static void project_others(Gradient *at, int pack, Pace pace, const PerpFloats u[3],
                           PerpFloats x[3])
{
    const PerpConeProblem *cones = at->cones;
    float *shift = (float *)&at->shift[pack];
    int first = PERP_FLOATS * pack;
    for (int lane = 0; lane < PERP_FLOATS && first + lane < cones->n_constraints; lane++) {
        int c = first + lane;
        const PerpCone *cone = cones->constraint[c].cone;
        int n = cone->numbers ? cone->numbers(cones, c) : 0;
        double from[MOST_NUMBERS], speed[MOST_NUMBERS], to[MOST_NUMBERS];
        if (n == 0)
            continue;
        for (int i = 0; i < n; i++) {
            from[i] = ((float *)&x[i % 3])[lane + i / 3];
            speed[i] = ((const float *)&u[i % 3])[lane + i / 3];
        }
        float slip = (float)cone->slip(cones, c, speed);
        shift[lane] += pace.lag * (slip - shift[lane]);
        from[0] -= pace.step * shift[lane];
        cone->project(cones, c, from, to);
        for (int i = 0; i < n; i++)
            ((float *)&x[i % 3])[lane + i / 3] = (float)to[i];
    }
}

// r = P(y - (u + s e_n) / (L w)), and what it is worth
PERP_KERNEL_PART void step_pack(Gradient *at, int k, Pace pace, float *force, Worth *worth)
{
    const Kinds *kinds = &at->kinds[k];
    PerpFloats *r = at->r + 3 * k, *old = at->old + 3 * k, *shift = &at->shift[k];
    PerpFloats none = {0}, u[3], y[3], x[3], slip;
    perp_pack_measure(&at->packs, k, at->x_y, u);
    find_slip(pace.shifted, kinds, u, &slip);
    PerpFloats s = *shift + pace.lag * (slip - *shift);
    *shift = PERP_FLOATS_SELECT(kinds->cone, s, *shift);
    s = PERP_FLOATS_SELECT(kinds->cone, s, none);
    PerpFloats step = pace.step * kinds->by;
    for (int i = 0; i < 3; i++) {
        y[i] = r[i] + pace.momentum * (r[i] - old[i]);
        x[i] = y[i] - step * u[i];
    }
    x[0] -= step * s;
    project(kinds, x);
    if (!kinds->plain && at->cones->product)
        project_others(at, k, pace, u, x);
    for (int i = 0; i < 3; i++) {
        worth->uphill += kinds->w * ((y[i] - x[i]) * (x[i] - r[i]));
        worth->squares += kinds->w * ((x[i] - y[i]) * (x[i] - y[i]));
        old[i] = r[i];
        r[i] = x[i];
    }
    perp_pack_gather(&at->packs, k, x, force);
}

// |r - P(r - u - s e_n)|^2, s = |u_T|
PERP_KERNEL_PART void judge_pack(const Gradient *at, Part *part, int k)
{
    const Kinds *kinds = &at->kinds[k];
    const PerpFloats *r = at->r + 3 * k;
    PerpFloats u[3], x[3], slip, square[3];
    perp_pack_measure(&at->packs, k, at->x, u);
    find_slip((float)at->cones->shift, kinds, u, &slip);
    for (int i = 0; i < 3; i++)
        x[i] = r[i] - u[i];
    x[0] -= slip;
    project(kinds, x);
    for (int i = 0; i < 3; i++)
        square[i] = (r[i] - x[i]) * (r[i] - x[i]);
    PerpFloats all = square[0] + square[1] + square[2], tangent, most;
    tangent = PERP_FLOATS_LARGER(square[1], square[2]);
    most = PERP_FLOATS_LARGER(square[0], tangent); // rows of joints each by itself
    all = PERP_FLOATS_SELECT(kinds->cone, all, most);
    part->worst = PERP_FLOATS_LARGER(all, part->worst);
    part->sum += all;
}

// --- one step of all ----------------------------------------------------------------------------

PERP_VECTOR_KERNEL static void step_packs(Gradient *at, Part *part)
{
    Pace pace = {(float)(1 / at->steepness), at->momentum, at->lag, (float)at->cones->shift};
    Worth worth = {0};
    for (int k = part->first; k < part->end; k++)
        step_pack(at, k, pace, part->force, &worth);
    part->worth = worth;
}

static void step_part(void *user, int item, int thread)
{
    (void)thread;
    Gradient *at = user;
    Part *part = &at->part[TURN[item]];
    size_t bodies = (size_t)(part->high - part->low);
    memset(part->force + PERP_FLOATS_ROW * part->low, 0, PERP_FLOATS_ROW * bodies * sizeof(float));
    step_packs(at, part);
}

// J'r of one body, the sum of all parts
PERP_KERNEL_PART void sum_up(const Gradient *at, int body, PerpFloats *force)
{
    *force = (PerpFloats){0};
    for (int k = 0; k < at->n_parts; k++)
        if (body >= at->part[k].low && body < at->part[k].high)
            *force += ((const PerpFloats *)at->part[k].force)[body];
}

// Velocities, then those of the next y.
PERP_VECTOR_KERNEL static void move_bodies(Gradient *at, Part *part, int first, int end)
{
    PerpFloats *force = (PerpFloats *)at->force, *force_y = (PerpFloats *)at->force_y;
    PerpFloats *x = (PerpFloats *)at->x, *x_y = (PerpFloats *)at->x_y, bent = {0};
    float momentum = at->momentum;
    for (int b = first; b < end; b++) {
        PerpFloats f, v;
        sum_up(at, b, &f);
        perp_packs_move(&at->packs, b, &f, &v);
        bent += (f - force_y[b]) * (v - x_y[b]);
        force_y[b] = f + momentum * (f - force[b]);
        x_y[b] = v + momentum * (v - x[b]);
        force[b] = f;
        x[b] = v;
    }
    part->bent = bent;
}

static void move_part(void *user, int item, int thread)
{
    (void)thread;
    Gradient *at = user;
    int part = TURN[item], n = at->packs.bodies;
    move_bodies(at, &at->part[part], first_of(n, at->n_parts, part),
                first_of(n, at->n_parts, part + 1));
}

// None if it would point uphill.
static void choose_momentum(Gradient *at)
{
    double uphill = 0, theta = at->theta;
    for (int k = 0; k < at->n_parts; k++)
        uphill += perp_floats_total(&at->part[k].worth.uphill);
    bool anew = uphill > 0;
    at->theta = anew ? 1 : theta * (sqrt(theta * theta + 4) - theta) / 2;
    double most = at->cones->shift > 0 ? MOST_MOMENTUM : MOST_MOMENTUM_CONVEX;
    double momentum = fmin(theta * (1 - theta) / (theta * theta + at->theta), most);
    at->momentum = anew ? 0 : (float)momentum;
}

static void choose_steepness(Gradient *at)
{
    double bent = 0, squares = 0;
    for (int k = 0; k < at->n_parts; k++) {
        bent += perp_floats_total(&at->part[k].bent);
        squares += perp_floats_total(&at->part[k].worth.squares);
    }
    at->steepness *= bent > BEYOND_ROUNDING * at->steepness * squares ? STEEPER : FLATTER;
}

static void step(Gradient *at)
{
    perp_parallel(at->cones->threads, at->n_parts, step_part, at);
    choose_momentum(at);
    perp_parallel(at->cones->threads, at->n_parts, move_part, at);
    choose_steepness(at);
    at->lag = (float)LAG;
}

PERP_VECTOR_KERNEL static void gather_all(Gradient *at)
{
    for (int p = 0; p < at->n_parts; p++)
        for (int k = at->part[p].first; k < at->part[p].end; k++)
            perp_pack_gather(&at->packs, k, at->r + 3 * k, at->part[p].force);
}

// The packs of a part, and the bodies that they touch.
static void find_range(const PerpPacks *packs, int part, int parts, Part *of)
{
    of->first = first_of(packs->n, parts, part);
    of->end = first_of(packs->n, parts, part + 1);
    of->low = packs->bodies;
    for (int k = of->first; k < of->end; k++) {
        const int *place = packs->place + PERP_FLOATS * packs->pack[k].first;
        for (int i = 0; i < PERP_FLOATS * packs->pack[k].sides; i++) {
            int body = place[i] / PERP_FLOATS_ROW;
            of->low = body < of->low ? body : of->low;
            of->high = body < packs->bodies && body >= of->high ? body + 1 : of->high;
        }
    }
    of->high = of->high > of->low ? of->high : of->low;
}

static void begin(Gradient *at, const double *r)
{
    find_kinds(at);
    for (int k = 0; k < at->n_parts; k++)
        find_range(&at->packs, k, at->n_parts, &at->part[k]);
    perp_packs_put(&at->packs, r, at->r);
    memcpy(at->old, at->r, 3 * (size_t)at->packs.n * sizeof(PerpFloats));
    gather_all(at);
    for (int k = 0; k < at->n_parts; k++)
        move_part(at, k, 0);
}

// --- looking ------------------------------------------------------------------------------------

PERP_VECTOR_KERNEL static void judge_packs(const Gradient *at, Part *part)
{
    for (int k = part->first; k < part->end; k++)
        judge_pack(at, part, k);
}

static void judge_part(void *user, int item, int thread)
{
    (void)thread;
    Gradient *at = user;
    Part *part = &at->part[TURN[item]];
    part->worst = part->sum = (PerpFloats){0};
    judge_packs(at, part);
}

// In double precision.
typedef struct Judge {
    double *r, *u, *v;
} Judge;

static double judge_exactly(const PerpConeProblem *cones, const Judge *judge, const double *r)
{
    perp_delassus_velocity(cones, r, judge->v);
    perp_delassus_speeds(cones, judge->v, judge->u);
    return perp_cones_residual(cones, r, judge->u);
}

static double find_residual(Gradient *at, const Judge *judge)
{
    double worst = 0, sum = 0;
    if (at->cones->product) {
        perp_packs_get(&at->packs, at->r, judge->r);
        return judge_exactly(at->cones, judge, judge->r);
    }
    perp_parallel(at->cones->threads, at->n_parts, judge_part, at);
    for (int k = 0; k < at->n_parts; k++) {
        for (int lane = 0; lane < PERP_FLOATS; lane++)
            worst = fmax(worst, ((float *)&at->part[k].worst)[lane]);
        sum += perp_floats_total(&at->part[k].sum);
    }
    return isnan(sum) ? INFINITY : sqrt(worst);
}

// The best found, moved into the cone where single precision leaves that by its rounding.
static void get_best(const Gradient *at, double *r)
{
    const PerpConeProblem *cones = at->cones;
    perp_packs_get(&at->packs, at->best, r);
    for (int c = 0; c < cones->n_constraints; c++, r += 3) {
        double across = hypot(r[1], r[2]);
        if (cones->constraint[c].cone->lane != PERP_LANE_SECOND_ORDER || across <= r[0])
            continue;
        r[1] *= r[0] / across;
        r[2] *= r[0] / across;
    }
}

// r becomes the best found, unless that only seemed to be better than r in single precision, as
// may be where masses are far apart. Returns its residual.
static double take_better(const Gradient *at, const Judge *judge, double *r)
{
    double before = judge_exactly(at->cones, judge, r);
    if (at->best_at == 0)
        return before;
    get_best(at, judge->r);
    double residual = judge_exactly(at->cones, judge, judge->r);
    if (residual < before)
        memcpy(r, judge->r, 3 * (size_t)at->cones->n_constraints * sizeof(double));
    return fmin(residual, before);
}

// The residual fell to the share `ratio` of what it was while steps doubled. That is slow, and if
// further doublings bring as much, still too little, `off` times what is asked for, when `left`
// times as many steps are done?
static bool is_hopeless(double ratio, double off, double left)
{
    return left > 2 && ratio > SLOW && off * pow(ratio, log2(left)) > 1;
}

double perp_apgd(PerpArena *arena, const PerpConeProblem *cones, double tolerance, int *steps,
                 double *r)
{
    Gradient at;
    int most = *steps, done = 0, pace = most > 10 * FIRST_PACE ? most / 10 : FIRST_PACE;
    Judge judge = {PERP_TAKE(arena, double, 3 * cones->n_constraints),
                   PERP_TAKE(arena, double, 3 * cones->n_constraints),
                   PERP_TAKE(arena, double, cones->n_state)};
    double best = INFINITY, before = INFINITY;
    if (!judge.r || !judge.u || !judge.v || !take(arena, cones, &at))
        return NAN;
    begin(&at, r);
    for (;; done++, step(&at)) {
        if (done % CHECK != 0 && done != most)
            continue;
        double residual = find_residual(&at, &judge);
        if (residual < best) {
            best = residual;
            at.best_at = done;
            memcpy(at.best, at.r, 3 * (size_t)at.packs.n * sizeof(PerpFloats));
        }
        if (best <= tolerance || done >= most || perp_interrupted(cones->interrupt))
            break;
        if (done >= pace) {
            if (is_hopeless(best / before, best / tolerance, (double)most / done))
                break;
            before = best;
            pace *= 2;
        }
    }
    *steps = done;
    return take_better(&at, &judge, r);
}
