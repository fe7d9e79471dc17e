#include "lcp/plain.h"

#include "lcp/dantzig.h"
#include "lcp/lemke.h"
#include "lcp/scale.h"
#include "math/dense.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

static const double EXCELLENT = 1e-13; // a residual that no mending betters
static const double NEARLY = 1e-8;     // of the largest value
enum { MENDINGS = 3 };

bool perp_plain_take(PerpArena *arena, int n, PerpPlain *plain)
{
    *plain = (PerpPlain){.n = n, .best = INFINITY};
    plain->row_scale = PERP_TAKE(arena, double, n);
    plain->column_scale = PERP_TAKE(arena, double, n);
    plain->active = PERP_TAKE(arena, signed char, n);
    plain->best_active = PERP_TAKE(arena, signed char, n);
    plain->z = PERP_TAKE(arena, double, n);
    plain->w = PERP_TAKE(arena, double, n);
    plain->ray_z = PERP_TAKE(arena, double, n);
    plain->ray_dz = PERP_TAKE(arena, double, n);
    plain->cover = PERP_TAKE(arena, double, n);
    plain->scratch = PERP_TAKE(arena, double, 3 * n);
    return plain->row_scale && plain->column_scale && plain->active && plain->best_active &&
           plain->z && plain->w && plain->ray_z && plain->ray_dz && plain->cover &&
           plain->scratch && perp_block_pivoting_take(arena, n, &plain->block) &&
           perp_basis_take(arena, n, &plain->basis);
}

// --- scaling: M' = R M C, q' = R q / s, w' = R w / s, z' = C^-1 z / s ---------------------------

static void scale_problem(PerpPlain *plain)
{
    int n = plain->n;
    double *r = plain->row_scale, *c = plain->column_scale, largest = 0;
    if (plain->settings.scale)
        perp_scale_find(n, plain->M, r, c, plain->scratch);
    else
        for (int i = 0; i < n; i++)
            r[i] = c[i] = 1;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            size_t at = (size_t)i + (size_t)n * (size_t)j;
            plain->basis.Md[at] = r[i] * plain->M[at] * c[j];
        }
    for (int i = 0; i < n; i++)
        largest = fmax(largest, fabs(r[i] * plain->q[i]));
    plain->z_scale = perp_scale_power(largest);
}

static double *covering_column(PerpPlain *plain)
{
    return plain->basis.Md + (size_t)plain->n * (size_t)plain->n;
}

// z of the basis at hand, in the units of the problem
static void take_point(PerpPlain *plain)
{
    const PerpBasis *basis = &plain->basis;
    memset(plain->z, 0, (size_t)plain->n * sizeof(double));
    memset(plain->active, 0, (size_t)plain->n);
    for (int c = 0; c < basis->k; c++) {
        int j = basis->column[c];
        plain->active[j] = 1;
        double value = c < plain->free ? basis->core_value[c] : fmax(basis->core_value[c], 0);
        plain->z[j] = value * plain->column_scale[j] * plain->z_scale;
    }
}

void perp_plain_correct(PerpPlain *plain, const double *residual, double *change)
{
    PerpBasis *basis = &plain->basis;
    double *x = plain->scratch, *b = plain->scratch + plain->n;
    memset(change, 0, (size_t)plain->n * sizeof(double));
    memset(x, 0, (size_t)plain->n * sizeof(double));
    for (int r = 0; r < basis->k; r++)
        b[r] = plain->row_scale[basis->row[r]] * residual[basis->row[r]];
    for (int r = 0; r < basis->k; r++)
        perp_axpy(basis->k, -b[r], basis->inverse + (size_t)basis->ld * (size_t)r, x);
    for (int c = 0; c < basis->k; c++)
        change[basis->column[c]] = plain->column_scale[basis->column[c]] * x[c];
}

// --- judging ------------------------------------------------------------------------------------

// Has the point judged. True if it counts as solved.
static bool judge_point(PerpPlain *plain)
{
    plain->last = plain->judge(plain->user, plain);
    if (plain->last < plain->best || !isfinite(plain->best)) {
        plain->best = plain->last;
        memcpy(plain->best_active, plain->active, (size_t)plain->n);
    }
    if (plain->best <= plain->settings.tolerance)
        plain->outcome = PERP_OUTCOME_SOLVED;
    return plain->outcome == PERP_OUTCOME_SOLVED;
}

// Has the basis at hand judged, whose inverse is fresh.
static void judge_basis(PerpPlain *plain)
{
    take_point(plain);
    plain->refinable = true;
    judge_point(plain);
}

// Is the basis at hand feasible but for rounding? Worth judging, in any case.
static bool is_nearly_feasible(const PerpBasis *basis)
{
    double largest =
        fmax(perp_max_abs(basis->k, basis->core_value), perp_max_abs(basis->n, basis->row_value));
    for (int c = basis->free; c < basis->k; c++)
        if (basis->core_value[c] < -NEARLY * largest)
            return false;
    for (int i = 0; i < basis->n; i++)
        if (basis->row_value[i] < -NEARLY * largest)
            return false;
    return true;
}

// --- Lemke's paths ------------------------------------------------------------------------------

// a number in [0, 1), the same everywhere, different for each i and attempt (SplitMix64)
static double scatter(int attempt, int i)
{
    uint64_t x = (uint64_t)attempt * 0x100000001b3u + (uint64_t)i + 1;
    x *= 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return (double)((x ^ (x >> 31)) >> 11) * 0x1p-53;
}

// What each attempt changes. Rounding can turn a problem that is just solvable into one that just
// is not; raising q by as much as rounding may have taken from it brings the solution back.
static const struct Variation {
    double pivot, tie; // tolerances of PerpLemkePath
    double relax;      // added to q, whose largest entry is near 1
    bool scatter;      // of the covering vector, by up to a factor 4
} variations[] = {
    {1e-11, 1e-13, 0, false},    {1e-9, 1e-11, 1e-13, false}, {1e-11, 1e-13, 1e-12, true},
    {1e-10, 1e-12, 1e-11, true}, {1e-11, 1e-13, 1e-10, true}, {1e-15, 1e-15, 0, true},
    {1e-8, 1e-12, 1e-10, true},  {1e-11, 1e-13, 0, true},     {1e-11, 1e-18, 0, false}, // mending
};
enum { VARIATIONS = sizeof variations / sizeof *variations - 1, MENDING = VARIATIONS };

// d, p and q for a path from w = q: the user's cover or ones, later attempts vary
static void set_cover(PerpPlain *plain, int attempt)
{
    const struct Variation *variation = &variations[attempt];
    double *d = covering_column(plain), *q = plain->basis.q, *p = q + plain->n;
    for (int i = 0; i < plain->n; i++) {
        d[i] = plain->settings.cover ? plain->row_scale[i] * plain->settings.cover[i] : 1;
        if (variation->scatter)
            d[i] *= exp2(4 * scatter(attempt, i) - 2);
        p[i] = 1 + scatter(attempt, plain->n + i);
        if (i < plain->free)
            d[i] = p[i] = 0;
        q[i] = plain->row_scale[i] * plain->q[i] / plain->z_scale + variation->relax * p[i];
    }
}

// d and p for a path from another basis: as seen from there, d = 1 and 1 <= p < 2, that is
//     -A^-1 d_R = 1 on the core,  d + [M]_C 1 = 1 on the other rows;  p likewise
static void set_cover_from_basis(PerpPlain *plain)
{
    PerpBasis *basis = &plain->basis;
    int n = plain->n;
    double *x = plain->scratch;
    for (int side = 0; side < 2; side++) {
        double *column = side == 0 ? covering_column(plain) : basis->q + n;
        for (int c = 0; c < basis->k; c++)
            x[c] = c < plain->free ? 0 : side == 0 ? 1 : 1 + scatter(0, c);
        for (int i = 0; i < n; i++)
            column[i] = basis->row_place[i] >= 0 ? 0 : side == 0 ? 1 : 1 + scatter(1, i);
        if (side == 1) {
            memcpy(basis->core_value + n, x, (size_t)basis->k * sizeof(double));
            memcpy(basis->row_value + n, column, (size_t)n * sizeof(double));
        }
        for (int c = 0; c < basis->k; c++)
            x[c] = -x[c];
        perp_add_columns(n, basis->Md, n, basis->k, basis->column, x, column);
    }
}

static bool follow_path(PerpPlain *plain, int attempt,
                        bool (*algorithm)(PerpBasis *, PerpLemkePath *), PerpLemkePath *path)
{
    const struct Variation *variation = &variations[attempt];
    *path = (PerpLemkePath){.max_pivots = plain->settings.max_pivots,
                            .pivot_tolerance = variation->pivot,
                            .tie_tolerance = variation->tie};
    bool found = algorithm(&plain->basis, path);
    plain->pivots += path->pivots;
    plain->attempts += path->pivots > 0;
    if (path->pivots >= path->max_pivots && plain->outcome == PERP_OUTCOME_MISSED)
        plain->outcome = PERP_OUTCOME_PIVOT_LIMIT;
    return found;
}

// The basis just judged does not fit by a little, because M and q have been rounded. Its judge has
// found the values of its variables more exactly than they follow from M and q; from these a short
// path leads on, in which M only multiplies small changes.
static bool follow_from_judged(PerpPlain *plain)
{
    PerpBasis *basis = &plain->basis;
    PerpLemkePath path;
    set_cover_from_basis(plain);
    for (int c = 0; c < basis->k; c++) {
        int j = basis->column[c];
        basis->core_value[c] = plain->z[j] / (plain->column_scale[j] * plain->z_scale);
    }
    for (int i = 0; i < plain->n; i++)
        basis->row_value[i] =
            basis->row_place[i] >= 0 ? 0 : plain->w[i] * plain->row_scale[i] / plain->z_scale;
    basis->keep_values = true;
    bool found = follow_path(plain, MENDING, perp_lemke, &path) && path.pivots > 0;
    basis->keep_values = false;
    return found;
}

// Judges the basis at hand, and mends it as long as that makes it better. True if solved.
static bool judge_and_mend(PerpPlain *plain)
{
    double before = INFINITY;
    judge_basis(plain);
    for (int round = 0; round < MENDINGS && plain->last > EXCELLENT && plain->last < before;
         round++) {
        before = plain->last;
        if (!follow_from_judged(plain) || !perp_basis_refactor(&plain->basis))
            break;
        judge_basis(plain);
    }
    return plain->outcome == PERP_OUTCOME_SOLVED;
}

// The same at the end of a path, where the inverse has seen many pivots.
static bool judge_end_of_path(PerpPlain *plain)
{
    return perp_basis_refactor(&plain->basis) && judge_and_mend(plain);
}

// Copies the ray at the end of a path into the problem's units.
static void take_ray(PerpPlain *plain, const PerpLemkePath *path)
{
    const PerpBasis *basis = &plain->basis;
    int n = plain->n;
    double s = plain->z_scale;
    memset(plain->ray_z, 0, (size_t)n * sizeof(double));
    memset(plain->ray_dz, 0, (size_t)n * sizeof(double));
    plain->ray = (PerpLcpRay){.z = plain->ray_z, .dz = plain->ray_dz, .cover = plain->cover};
    for (int c = 0; c < basis->k; c++) {
        int j = basis->column[c];
        double value = basis->core_value[c], step = basis->core_step[c];
        if (c >= plain->free) {
            value = fmax(value, 0);
            step = fmax(step, 0);
        }
        if (j == n) {
            plain->ray.z0 = s * value;
            plain->ray.dz0 = s * step;
        } else {
            plain->ray_z[j] = s * plain->column_scale[j] * value;
            plain->ray_dz[j] = s * plain->column_scale[j] * step;
        }
    }
    if (path->entering >= n)
        plain->ray_dz[path->entering - n] = s * plain->column_scale[path->entering - n];
    for (int i = 0; i < n; i++)
        plain->cover[i] = covering_column(plain)[i] / plain->row_scale[i];
}

// Judges the ray on M and q. True if it proves that there is no feasible point.
static bool judge_ray(PerpPlain *plain, const PerpLemkePath *path)
{
    PerpLcp lcp = {.n = plain->n, .free = plain->free, .M = plain->M, .q = plain->q};
    take_ray(plain, path);
    if (plain->certify_ray)
        plain->certify_ray(plain->user, plain, &plain->ray_certificate);
    else
        perp_lcp_certify_ray(&lcp, &plain->ray, &plain->ray_certificate);
    double tolerance = plain->settings.tolerance;
    const PerpLcpRayCertificate *ray = &plain->ray_certificate;
    if (ray->worst <= tolerance)
        plain->outcome = PERP_OUTCOME_RAY;
    bool proof = ray->farkas <= tolerance && ray->q_dz < -tolerance;
    if (proof)
        plain->outcome = PERP_OUTCOME_INFEASIBLE;
    return proof;
}

static bool attempt_lemke(PerpPlain *plain, int attempt)
{
    PerpLemkePath path;
    set_cover(plain, attempt);
    if (!perp_basis_clear(&plain->basis))
        return false;
    if (follow_path(plain, attempt, perp_lemke, &path))
        return judge_end_of_path(plain);
    return path.ray && judge_ray(plain, &path);
}

// The basis given: if it fits, one linear solve was all; else a path leads on from it.
static bool attempt_given(PerpPlain *plain)
{
    PerpLemkePath path;
    plain->method = PERP_LCP_LEMKE;
    set_cover(plain, 0);
    if (!perp_basis_set(&plain->basis, plain->settings.basis))
        return false;
    if (is_nearly_feasible(&plain->basis) && judge_and_mend(plain)) {
        plain->basis_reused = plain->pivots == 0;
        return true;
    }
    set_cover(plain, 0);
    bool set = perp_basis_set(&plain->basis, plain->settings.basis);
    set_cover_from_basis(plain);
    return set && follow_path(plain, 0, perp_lemke, &path) && judge_end_of_path(plain);
}

static bool attempt_lemke_howson(PerpPlain *plain)
{
    PerpLemkePath path;
    set_cover(plain, 0);
    return plain->free == 0 && follow_path(plain, 0, perp_lemke_howson, &path) &&
           judge_end_of_path(plain);
}

// A ray that is no proof: for general M another path may end in a solution. One from a basis chosen
// by lot often does.
static bool attempt_elsewhere(PerpPlain *plain, int attempt)
{
    PerpLemkePath path;
    set_cover(plain, 0);
    for (int i = 0; i < plain->n; i++)
        plain->active[i] = scatter(attempt, i) < 0.5;
    if (!perp_basis_set(&plain->basis, plain->active))
        return false;
    set_cover_from_basis(plain);
    return follow_path(plain, 0, perp_lemke, &path) && judge_end_of_path(plain);
}

static void search_lemke(PerpPlain *plain)
{
    plain->method = PERP_LCP_LEMKE;
    if (attempt_lemke_howson(plain))
        return;
    for (int attempt = 0; attempt < plain->settings.max_attempts; attempt++)
        if (attempt < VARIATIONS ? attempt_lemke(plain, attempt)
                                 : attempt_elsewhere(plain, attempt))
            return;
}

// --- symmetric problems -------------------------------------------------------------------------

// Without scaling and without a basis: a guess that the judge accepts or not.
static bool attempt_block_pivoting(PerpPlain *plain)
{
    PerpBlockPivoting *block = &plain->block;
    block->M = plain->M;
    block->q = plain->q;
    bool found = perp_block_pivoting_solve(block);
    plain->pivots += block->pivots;
    plain->attempts++;
    if (!found)
        return false;
    for (int i = 0; i < plain->n; i++)
        plain->z[i] = block->z[i] > 0 ? block->z[i] : 0;
    memcpy(plain->active, block->active, (size_t)plain->n);
    plain->refinable = false;
    return judge_point(plain);
}

static bool attempt_dantzig(PerpPlain *plain)
{
    set_cover(plain, 0);
    perp_basis_clear(&plain->basis);
    PerpDantzigPath path = {.max_pivots = plain->settings.max_pivots};
    plain->method = PERP_LCP_DANTZIG;
    bool found = perp_dantzig_follow(&plain->basis, &path);
    plain->pivots += path.pivots;
    plain->attempts++;
    return found && judge_end_of_path(plain);
}

void perp_plain_solve(PerpPlain *plain)
{
    const PerpLcpSettings *settings = &plain->settings;
    plain->outcome = PERP_OUTCOME_MISSED;
    plain->method = PERP_LCP_BLOCK;
    plain->basis.free = plain->free;
    bool block = settings->method == PERP_LCP_BLOCK ||
                 (settings->method == PERP_LCP_AUTO && !settings->basis &&
                  perp_is_symmetric(plain->n, plain->M));
    if (block && attempt_block_pivoting(plain))
        return;
    scale_problem(plain);
    if (settings->basis && attempt_given(plain))
        return;
    if (settings->method == PERP_LCP_DANTZIG && attempt_dantzig(plain))
        return;
    search_lemke(plain);
}
