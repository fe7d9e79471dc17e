// The step problem from end to end: reduce to an LCP, find a basis, recover velocities and
// impulses, refine them together, certify.

#include "perp/problem.h"

#include "base/error.h"
#include "base/log.h"
#include "lcp/kkt.h"
#include "lcp/minimum_norm.h"
#include "lcp/plain.h"
#include "lcp/reduce.h"
#include "lcp/solver.h"
#include "math/lapack.h"

#include <math.h>
#include <string.h>

static const double EXACT = 1e-14; // a certificate that refinement cannot better

enum { WHOLE_ATTEMPTS = 8 }; // paths through the whole problem after one through the reduced one

typedef struct Point {
    double *v, *c, *z; // velocities, rows, n of the LCP
} Point;

typedef struct Solve {
    PerpReduction red;
    PerpPlain plain;             // of the reduced problem, or of the whole one if that fails
    PerpContext scratch_context; // lets the certificate use the arena
    Point now, best;
    double *y;                   // rows
    double *w, *dz;              // n
    double *dc;                  // rows
    double *dv;                  // velocities
    double *wide;                // 2 (free + n)
    double *e;                   // equations
    long double *sum;            // velocities
    PerpCertificate certificate; // of best
} Solve;

// An allocator that takes from an arena and leaves freeing to its rewind.
static void *resize_in_arena(void *user, void *memory, size_t bytes)
{
    (void)memory;
    return bytes ? perp_arena_take(user, bytes, 1) : NULL;
}

static bool take_point(PerpArena *arena, const PerpReduction *red, Point *point)
{
    point->v = PERP_TAKE(arena, double, perp_problem_velocities(red->problem));
    point->c = PERP_TAKE(arena, double, red->J.n_rows);
    point->z = PERP_TAKE(arena, double, red->n);
    return point->v && point->c && point->z;
}

static const double *lambda_of(const Solve *s, const Point *point)
{
    return point->z + s->red.impulses + s->red.ranges;
}

// --- from z to velocities and impulses ----------------------------------------------------------

// c_I = -G_II^-1 (e + G_IH dc_H) for the equations, given e and the change of the other impulses
static void solve_equations(const Solve *s, double *e, double *dc)
{
    const PerpReduction *red = &s->red;
    int m = red->equations;
    perp_lu_solve(m, red->G_II, m, red->pivots, 1, e, m);
    for (int k = 0; k < m; k++) {
        double sum = e[k];
        for (int j = 0; j < red->impulses; j++)
            sum += red->Y[(size_t)k + (size_t)m * (size_t)j] * dc[red->impulse_row[j]];
        dc[red->equation_row[k]] = -sum;
    }
}

// The change that brings the equations and the active rows of w to zero, from v, c and z as they
// are: Mt dv - J'dc = momentum, J dv = -y on those rows. All residuals are summed in long double,
// and v is corrected by itself, not computed from c: where large impulses cancel on a light body, c
// alone could not carry its velocity.
static void residual_of_momentum(Solve *s, const Point *point)
{
    const PerpProblem *p = s->red.problem;
    const PerpBlockRows *J = &s->red.J;
    for (int k = 0; k < p->n_bodies; k++) {
        int first = p->body_start[k], size = p->body_start[k + 1] - first;
        const double *Mt = p->Mt + s->red.Mt.value_start[k];
        for (int i = 0; i < size; i++) {
            s->sum[first + i] = p->b[first + i];
            for (int j = 0; j < size; j++)
                s->sum[first + i] -= (long double)Mt[i + size * j] * point->v[first + j];
        }
    }
    for (int r = 0; r < J->n_rows; r++)
        for (int e = J->row_start[r]; e < J->row_start[r + 1] && point->c[r] != 0; e++) {
            int first = p->body_start[J->entry_body[e]];
            for (int i = J->value_start[e]; i < J->value_start[e + 1]; i++)
                s->sum[first + i - J->value_start[e]] += (long double)J->J[i] * point->c[r];
        }
    for (int i = 0; i < perp_problem_velocities(p); i++)
        s->dv[i] = (double)s->sum[i];
}

// y = J v + d + J dv
static void row_velocities(Solve *s, const Point *point)
{
    const PerpProblem *p = s->red.problem;
    const PerpBlockRows *J = &s->red.J;
    for (int r = 0; r < J->n_rows; r++) {
        long double sum = p->d[r];
        for (int e = J->row_start[r]; e < J->row_start[r + 1]; e++) {
            int first = p->body_start[J->entry_body[e]] - J->value_start[e];
            for (int i = J->value_start[e]; i < J->value_start[e + 1]; i++)
                sum += (long double)J->J[i] * point->v[first + i];
        }
        s->y[r] = (double)sum + perp_block_rows_dot(J, r, s->dv);
    }
}

// w on all rows of the LCP, as if the equations were solved for the present velocities
static void complementary_residual(Solve *s, const Point *point)
{
    const PerpReduction *red = &s->red;
    int m = red->equations, h = red->impulses;
    for (int k = 0; k < m; k++)
        s->e[k] = s->y[red->equation_row[k]];
    perp_lu_solve(m, red->G_II, m, red->pivots, 1, s->e, m);
    perp_reduction_slack(red, point->z, s->w);
    for (int j = 0; j < h; j++) {
        double y = s->y[red->impulse_row[j]];
        for (int k = 0; k < m; k++)
            y -= red->G_HI[(size_t)j + (size_t)h * (size_t)k] * s->e[k];
        s->w[j] += red->sign[j] * y;
    }
}

// dc from dz and the equations' residual, dv += Mt^-1 J' dc
static void change_of_motion(Solve *s)
{
    const PerpReduction *red = &s->red;
    size_t n_v = (size_t)perp_problem_velocities(red->problem);
    memset(s->dc, 0, (size_t)red->J.n_rows * sizeof(double));
    for (int j = 0; j < red->impulses; j++)
        s->dc[red->impulse_row[j]] = red->sign[j] * s->dz[j];
    for (int k = 0; k < red->equations; k++)
        s->e[k] = s->y[red->equation_row[k]];
    solve_equations(s, s->e, s->dc);
    for (size_t i = 0; i < n_v; i++)
        s->sum[i] = s->dv[i];
    memset(s->dv, 0, n_v * sizeof(double));
    perp_block_rows_add_impulse(&red->J, s->dc, s->dv);
    perp_block_diagonal_solve(&red->Mt, s->dv);
    for (size_t i = 0; i < n_v; i++)
        s->dv[i] += (double)s->sum[i];
}

static void apply_change(Solve *s, Point *point)
{
    const PerpReduction *red = &s->red;
    for (int i = 0; i < perp_problem_velocities(red->problem); i++)
        point->v[i] += s->dv[i];
    for (int k = 0; k < red->equations; k++)
        point->c[red->equation_row[k]] += s->dc[red->equation_row[k]];
    for (int j = 0; j < red->n; j++)
        point->z[j] = fmax(point->z[j] + s->dz[j], 0);
    for (int j = 0; j < red->impulses; j++) {
        int row = red->impulse_row[j];
        point->c[row] = red->base[row] + red->sign[j] * point->z[j];
    }
}

// dz from the residual w by the basis of the search; in the whole problem the velocities and
// equations come first, and have been seen to
static void correct(Solve *s)
{
    size_t f = (size_t)s->plain.free, n = (size_t)s->red.n;
    double *residual = s->wide, *change = s->wide + f + n;
    memset(residual, 0, f * sizeof(double));
    memcpy(residual + f, s->w, n * sizeof(double));
    perp_plain_correct(&s->plain, residual, change);
    memcpy(s->dz, change + f, n * sizeof(double));
}

static void refine(Solve *s, Point *point, bool basis)
{
    residual_of_momentum(s, point);
    perp_block_diagonal_solve(&s->red.Mt, s->dv);
    row_velocities(s, point);
    complementary_residual(s, point);
    memset(s->dz, 0, (size_t)s->red.n * sizeof(double));
    if (basis)
        correct(s);
    change_of_motion(s);
    apply_change(s, point);
}

// The motion that belongs to z: from base impulses, one refinement without the basis gives it.
static void recover(Solve *s, const double *z, Point *point)
{
    const PerpReduction *red = &s->red;
    memcpy(point->c, red->base, (size_t)red->J.n_rows * sizeof(double));
    memcpy(point->v, red->base_velocity,
           (size_t)perp_problem_velocities(red->problem) * sizeof(double));
    memcpy(point->z, z, (size_t)red->n * sizeof(double));
    for (int j = 0; j < red->impulses; j++)
        point->c[red->impulse_row[j]] += red->sign[j] * z[j];
    refine(s, point, false);
}

// w of all rows of the LCP at the velocities of the point
static void complementary_slack(Solve *s, const Point *point)
{
    memset(s->dv, 0, (size_t)perp_problem_velocities(s->red.problem) * sizeof(double));
    row_velocities(s, point);
    perp_reduction_slack(&s->red, point->z, s->w);
    for (int j = 0; j < s->red.impulses; j++)
        s->w[j] += s->red.sign[j] * s->y[s->red.impulse_row[j]];
}

// --- judging ------------------------------------------------------------------------------------

// Keeps the point if its certificate is better than the best, or below `enough`. Returns its worst
// residual.
static double offer(Solve *s, const Point *point, double enough)
{
    const PerpProblem *p = s->red.problem;
    PerpCertificate certificate;
    if (perp_certify(&s->scratch_context, p, point->v, point->c, lambda_of(s, point), &certificate,
                     NULL))
        return INFINITY;
    if (certificate.worst < s->certificate.worst || certificate.worst <= enough) {
        s->certificate = certificate;
        memcpy(s->best.v, point->v, (size_t)perp_problem_velocities(p) * sizeof(double));
        memcpy(s->best.c, point->c, (size_t)s->red.J.n_rows * sizeof(double));
        memcpy(s->best.z, point->z, (size_t)s->red.n * sizeof(double));
    }
    return certificate.worst;
}

// The refined point, in the order of the search's variables.
static void hand_back(Solve *s, PerpPlain *plain)
{
    const PerpReduction *red = &s->red;
    int n_v = perp_problem_velocities(red->problem);
    complementary_slack(s, &s->now);
    memcpy(plain->z + plain->free, s->now.z, (size_t)red->n * sizeof(double));
    memcpy(plain->w + plain->free, s->w, (size_t)red->n * sizeof(double));
    if (plain->free == 0)
        return;
    memset(plain->w, 0, (size_t)plain->free * sizeof(double));
    memcpy(plain->z, s->now.v, (size_t)n_v * sizeof(double));
    for (int k = 0; k < red->equations; k++)
        plain->z[n_v + k] = s->now.c[red->equation_row[k]];
}

static double judge(void *user, PerpPlain *plain)
{
    Solve *s = user;
    double worst = INFINITY;
    recover(s, plain->z + plain->free, &s->now);
    for (int pass = 0; pass < (plain->refinable ? 4 : 1) && worst > EXACT; pass++) {
        if (pass > 0)
            refine(s, &s->now, true);
        worst = fmin(worst, offer(s, &s->now, 0));
    }
    hand_back(s, plain);
    return worst;
}

// --- the shortest impulses ----------------------------------------------------------------------

// Of all impulses with the same J'c that obey the law at the same velocities, the shortest. Which
// rows may be nonzero and which cones are full follows from the slacks, so that what is left is
// linear: E c = E c0 keeps J'c, the closed rows and the full cones; B c >= b the signs, the bounds
// and the other cones.                                                     [L82 lemma 5.2, part 4]
typedef struct Rules {
    PerpShortest *shortest;
    int equations, inequalities; // written so far
} Rules;

static void add_equation(Rules *rules, int column, double value)
{
    PerpShortest *s = rules->shortest;
    s->E[(size_t)rules->equations + (size_t)s->equations * (size_t)column] = value;
}

static void add_inequality(Rules *rules, int column, double value)
{
    PerpShortest *s = rules->shortest;
    s->B[(size_t)rules->inequalities + (size_t)s->inequalities * (size_t)column] = value;
}

// J'c stays as it is
static void keep_momentum(const Solve *s, Rules *rules)
{
    const PerpBlockRows *J = &s->red.J;
    for (int r = 0; r < J->n_rows; r++)
        for (int e = J->row_start[r]; e < J->row_start[r + 1]; e++)
            for (int i = J->value_start[e]; i < J->value_start[e + 1]; i++) {
                rules->equations = J->body_start[J->entry_body[e]] + i - J->value_start[e];
                add_equation(rules, r, J->J[i]);
            }
    rules->equations = perp_problem_velocities(s->red.problem);
}

// sign (c - base) >= 0; rows whose w is positive stay closed
static void keep_signs(const Solve *s, const double *tiny, Rules *rules)
{
    const PerpReduction *red = &s->red;
    for (int j = 0; j < red->impulses; j++) {
        int row = red->impulse_row[j];
        if (s->w[j] > tiny[j]) {
            add_equation(rules, row, 1);
            rules->equations++;
        }
        add_inequality(rules, row, red->sign[j]);
        rules->shortest->b[rules->inequalities++] = red->sign[j] * red->base[row];
    }
}

// hi - c >= 0, and mu c_n + cohesion - sum c >= 0: equal where the multiplier is positive
static void keep_limits(const Solve *s, const Point *point, const double *tiny, Rules *rules)
{
    const PerpReduction *red = &s->red;
    const PerpProblem *p = red->problem;
    for (int k = red->impulses; k < red->n; k++) {
        int g = k - red->impulses - red->ranges;
        for (int j = 0; j < red->impulses; j++)
            if (red->partner[j] == k) {
                add_inequality(rules, red->impulse_row[j], -1);
                if (point->z[k] > tiny[j])
                    add_equation(rules, red->impulse_row[j], -1);
            }
        double limit;
        if (g >= 0) {
            int contact = p->n_joints + p->n_boxes + p->group_contact[g];
            add_inequality(rules, contact, p->mu[g]);
            limit = p->cohesion[g];
            if (point->z[k] > tiny[red->impulses - p->n_directions + p->group_start[g]])
                add_equation(rules, contact, p->mu[g]);
        } else {
            limit = p->hi[red->impulse_row[red->range_impulse[k - red->impulses]] - p->n_joints];
        }
        rules->shortest->b[rules->inequalities++] = -limit;
        rules->equations++;
    }
}

// What counts as zero in w: 1e-9 of the row's velocity scale.
static void find_tiny(const Solve *s, const Point *point, double *tiny)
{
    const PerpReduction *red = &s->red;
    const PerpBlockRows *J = &red->J;
    for (int j = 0; j < red->impulses; j++) {
        int r = red->impulse_row[j];
        double scale = fabs(red->problem->d[r]);
        for (int e = J->row_start[r]; e < J->row_start[r + 1]; e++) {
            int first = J->body_start[J->entry_body[e]] - J->value_start[e];
            for (int i = J->value_start[e]; i < J->value_start[e + 1]; i++)
                scale += fabs(J->J[i]) *
                         (fabs(point->v[first + i]) + fabs(red->base_velocity[first + i]));
        }
        tiny[j] = 1e-9 * scale;
    }
}

static bool shorten(PerpArena *arena, Solve *s)
{
    const PerpReduction *red = &s->red;
    int rows = red->J.n_rows, n_v = perp_problem_velocities(red->problem);
    PerpShortest shortest;
    Rules rules = {.shortest = &shortest};
    double *tiny = PERP_TAKE(arena, double, red->n);
    if (!tiny || !perp_shortest_take(arena, rows, n_v + red->impulses + red->n, red->n, &shortest))
        return false;
    find_tiny(s, &s->best, tiny);
    complementary_slack(s, &s->best);
    keep_momentum(s, &rules);
    keep_signs(s, tiny, &rules);
    keep_limits(s, &s->best, tiny, &rules);
    memcpy(shortest.c, s->best.c, (size_t)rows * sizeof(double));
    if (!perp_shortest_solve(arena, &shortest))
        return false;
    memcpy(s->now.v, s->best.v, (size_t)n_v * sizeof(double));
    memcpy(s->now.z, s->best.z, (size_t)red->n * sizeof(double));
    memcpy(s->now.c, shortest.c, (size_t)rows * sizeof(double));
    for (int j = 0; j < red->impulses; j++) {
        int row = red->impulse_row[j];
        s->now.z[j] = fmax(red->sign[j] * (shortest.c[row] - red->base[row]), 0);
        s->now.c[row] = red->base[row] + red->sign[j] * s->now.z[j];
    }
    offer(s, &s->now, 1e-12);
    return true;
}

// --- the call -----------------------------------------------------------------------------------

static PerpStatus out_of_memory(PerpError *error)
{
    return perp_fail(error, PERP_NO_MEMORY, "%s", perp_status_text(PERP_NO_MEMORY));
}

static bool take_work(PerpArena *arena, Solve *s)
{
    const PerpReduction *red = &s->red;
    int rows = red->J.n_rows, n_v = perp_problem_velocities(red->problem);
    s->certificate.worst = INFINITY;
    s->scratch_context = (PerpContext){.allocator = {.resize = resize_in_arena, .user = arena}};
    s->y = PERP_TAKE(arena, double, rows);
    s->dc = PERP_TAKE(arena, double, rows);
    s->w = PERP_TAKE(arena, double, red->n);
    s->dz = PERP_TAKE(arena, double, red->n);
    s->dv = PERP_TAKE(arena, double, n_v);
    s->sum = PERP_TAKE(arena, long double, n_v);
    s->e = PERP_TAKE(arena, double, red->equations);
    s->wide = PERP_TAKE(arena, double, 2 * (perp_kkt_free(red) + red->n));
    return s->y && s->dc && s->w && s->dz && s->dv && s->sum && s->e && s->wide &&
           take_point(arena, red, &s->now) && take_point(arena, red, &s->best);
}

static bool search(PerpArena *arena, const PerpProblemSettings *settings, Solve *s, int free,
                   const double *M, const double *q)
{
    int n = free + s->red.n, pivots = s->plain.pivots, attempts = s->plain.attempts;
    int factorisations = s->plain.basis.factorisations;
    if (!perp_plain_take(arena, n, &s->plain))
        return false;
    s->plain.free = free;
    s->plain.M = M;
    s->plain.q = q;
    s->plain.judge = judge;
    s->plain.user = s;
    s->plain.pivots = pivots;
    s->plain.attempts = attempts;
    s->plain.basis.factorisations = factorisations;
    s->plain.settings = perp_default_lcp_settings();
    s->plain.settings.tolerance = settings->tolerance;
    s->plain.settings.max_pivots = settings->max_pivots ? settings->max_pivots : 1000 + 50 * n;
    s->plain.settings.method = free ? PERP_LCP_LEMKE : settings->method;
    s->plain.settings.max_attempts = free ? WHOLE_ATTEMPTS : 1;
    s->plain.settings.basis = free ? NULL : settings->basis;
    perp_plain_solve(&s->plain);
    return true;
}

// The reduced problem first; if it does not yield a certified answer, the whole one.
static bool search_both(PerpArena *arena, const PerpProblemSettings *settings, Solve *s)
{
    int free = perp_kkt_free(&s->red), n = free + s->red.n;
    if (!search(arena, settings, s, 0, s->red.M, s->red.q))
        return false;
    if (s->plain.outcome == PERP_LCP_SOLVED || n > PERP_LCP_SIZE_LIMIT)
        return true;
    double *M = PERP_TAKE(arena, double, (size_t)n *(size_t)n), *q = PERP_TAKE(arena, double, n);
    if (!M || !q)
        return false;
    perp_kkt_fill(&s->red, M, q);
    return search(arena, settings, s, free, M, q);
}

// If no basis was worth judging, the motion without complementary impulses stands for the rest.
static void judge_at_least_once(Solve *s)
{
    if (isfinite(s->certificate.worst))
        return;
    memset(s->dz, 0, (size_t)s->red.n * sizeof(double));
    recover(s, s->dz, &s->now);
    offer(s, &s->now, INFINITY);
}

static void report(const Solve *s, PerpProblemResult *result)
{
    const PerpPlain *plain = &s->plain;
    *result = (PerpProblemResult){.outcome = plain->outcome,
                                  .method = plain->method,
                                  .lcp_size = s->red.n,
                                  .joint_rank = s->red.equations,
                                  .pivots = plain->pivots,
                                  .attempts = plain->attempts,
                                  .factorisations = plain->basis.factorisations,
                                  .basis_reused = plain->basis_reused,
                                  .v = s->best.v,
                                  .c = s->best.c,
                                  .lambda = lambda_of(s, &s->best),
                                  .basis = plain->best_active + plain->free,
                                  .certificate = s->certificate};
}

PerpStatus perp_problem_solve(PerpSolver *solver, const PerpProblem *p,
                              const PerpProblemSettings *settings, PerpProblemResult *result,
                              PerpError *error)
{
    PerpProblemSettings used = settings ? *settings : perp_default_problem_settings();
    PerpArena *arena = &solver->arena;
    Solve s = {0};
    PerpStatus status = perp_problem_check(p, error);
    if (!status && (!(used.tolerance > 0) || used.max_pivots < 0))
        status = perp_fail(error, PERP_BAD_VALUE, "settings: tolerance > 0, max_pivots >= 0");
    if (status)
        return status;
    perp_arena_rewind(arena);
    status = perp_reduce(arena, p, &s.red, error);
    if (status)
        return status;
    if (!take_work(arena, &s) || !search_both(arena, &used, &s))
        return out_of_memory(error);
    judge_at_least_once(&s);
    if (used.minimum_norm && s.plain.outcome == PERP_LCP_SOLVED && !shorten(arena, &s))
        return out_of_memory(error);
    report(&s, result);
    perp_log(&solver->context.log, PERP_LOG_DEBUG, "step problem, %d pairs: %s, %d pivots, %.1e",
             result->lcp_size, perp_lcp_outcome_name(result->outcome), result->pivots,
             result->certificate.worst);
    return PERP_OK;
}

PerpStatus perp_problem_reduce(PerpSolver *solver, const PerpProblem *p, PerpLcp *lcp,
                               PerpError *error)
{
    PerpReduction red;
    PerpStatus status = perp_problem_check(p, error);
    if (status)
        return status;
    perp_arena_rewind(&solver->arena);
    status = perp_reduce(&solver->arena, p, &red, error);
    if (!status)
        *lcp = (PerpLcp){.n = red.n, .M = red.M, .q = red.q};
    return status;
}
