#include "pivoting/basis_search.h"

#include "math/dense.h"
#include "pivoting/dantzig.h"
#include "pivoting/equilibrate.h"
#include "pivoting/lemke.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

static const double EXCELLENT = 1e-13; // a residual that no correction improves
static const double NEARLY = 1e-8;     // of the largest value
enum { CORRECTIONS = 3 };

bool perp_basis_search_take(PerpArena *arena, int n, PerpBasisSearch *search)
{
    *search = (PerpBasisSearch){.n = n, .best = INFINITY};
    search->row_scale = PERP_TAKE(arena, double, n);
    search->column_scale = PERP_TAKE(arena, double, n);
    search->active = PERP_TAKE(arena, signed char, n);
    search->best_active = PERP_TAKE(arena, signed char, n);
    search->z = PERP_TAKE(arena, double, n);
    search->w = PERP_TAKE(arena, double, n);
    search->ray_z = PERP_TAKE(arena, double, n);
    search->ray_dz = PERP_TAKE(arena, double, n);
    search->cover = PERP_TAKE(arena, double, n);
    search->scratch = PERP_TAKE(arena, double, 3 * n);
    return search->row_scale && search->column_scale && search->active && search->best_active &&
           search->z && search->w && search->ray_z && search->ray_dz && search->cover &&
           search->scratch && perp_block_pivoting_take(arena, n, &search->block) &&
           perp_basis_take(arena, n, &search->basis);
}

// --- scaling: M' = R M C, q' = R q / s, w' = R w / s, z' = C^-1 z / s ---------------------------

static void scale_problem(PerpBasisSearch *search)
{
    int n = search->n;
    double *r = search->row_scale, *c = search->column_scale, largest = 0;
    if (search->settings.scale)
        perp_equilibrate(n, search->M, r, c, search->scratch);
    else
        for (int i = 0; i < n; i++)
            r[i] = c[i] = 1;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            size_t at = (size_t)i + (size_t)n * (size_t)j;
            search->basis.Md[at] = r[i] * search->M[at] * c[j];
        }
    for (int i = 0; i < n; i++)
        largest = fmax(largest, fabs(r[i] * search->q[i]));
    search->z_scale = perp_power_of_two(largest);
}

static double *covering_column(PerpBasisSearch *search)
{
    return search->basis.Md + (size_t)search->n * (size_t)search->n;
}

// z of the basis at hand, in the units of the problem
static void take_point(PerpBasisSearch *search)
{
    const PerpBasis *basis = &search->basis;
    memset(search->z, 0, (size_t)search->n * sizeof(double));
    memset(search->active, 0, (size_t)search->n);
    for (int c = 0; c < basis->k; c++) {
        int j = basis->column[c];
        search->active[j] = 1;
        double value = c < search->free ? basis->core_value[c] : fmax(basis->core_value[c], 0);
        search->z[j] = value * search->column_scale[j] * search->z_scale;
    }
}

void perp_basis_search_correct(PerpBasisSearch *search, const double *residual, double *change)
{
    PerpBasis *basis = &search->basis;
    double *x = search->scratch, *b = search->scratch + search->n;
    memset(change, 0, (size_t)search->n * sizeof(double));
    memset(x, 0, (size_t)search->n * sizeof(double));
    for (int r = 0; r < basis->k; r++)
        b[r] = search->row_scale[basis->row[r]] * residual[basis->row[r]];
    for (int r = 0; r < basis->k; r++)
        perp_axpy(basis->k, -b[r], basis->inverse + (size_t)basis->ld * (size_t)r, x);
    for (int c = 0; c < basis->k; c++)
        change[basis->column[c]] = search->column_scale[basis->column[c]] * x[c];
}

// --- judging ------------------------------------------------------------------------------------

// Has the point judged. True if it counts as solved.
static bool judge_point(PerpBasisSearch *search)
{
    search->last = search->judge(search->user, search);
    if (search->last < search->best || !isfinite(search->best)) {
        search->best = search->last;
        memcpy(search->best_active, search->active, (size_t)search->n);
    }
    if (search->best <= search->settings.tolerance)
        search->outcome = PERP_OUTCOME_SOLVED;
    return search->outcome == PERP_OUTCOME_SOLVED;
}

// Has the basis at hand judged, whose inverse is fresh.
static void judge_basis(PerpBasisSearch *search)
{
    take_point(search);
    search->refinable = true;
    judge_point(search);
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
// is not; raising q by as much as rounding may have taken from it brings the solution back. The
// last is for CORRECTION.
static const struct Variation {
    double pivot, tie; // tolerances of PerpLemkePath
    double shift;      // added to q, whose largest entry is near 1
    bool scatter;      // of the covering vector, by up to a factor 4
} variations[] = {
    {1e-11, 1e-13, 0, false},    {1e-9, 1e-11, 1e-13, false}, {1e-11, 1e-13, 1e-12, true},
    {1e-10, 1e-12, 1e-11, true}, {1e-11, 1e-13, 1e-10, true}, {1e-15, 1e-15, 0, true},
    {1e-8, 1e-12, 1e-10, true},  {1e-11, 1e-13, 0, true},     {1e-11, 1e-18, 0, false},
};
enum { VARIATIONS = sizeof variations / sizeof *variations - 1, CORRECTION = VARIATIONS };

// d, p and q for a path from w = q: the user's cover or ones, later attempts vary
static void set_cover(PerpBasisSearch *search, int attempt)
{
    const struct Variation *variation = &variations[attempt];
    double *d = covering_column(search), *q = search->basis.q, *p = q + search->n;
    for (int i = 0; i < search->n; i++) {
        d[i] = search->settings.cover ? search->row_scale[i] * search->settings.cover[i] : 1;
        if (variation->scatter)
            d[i] *= exp2(4 * scatter(attempt, i) - 2);
        p[i] = 1 + scatter(attempt, search->n + i);
        if (i < search->free)
            d[i] = p[i] = 0;
        q[i] = search->row_scale[i] * search->q[i] / search->z_scale + variation->shift * p[i];
    }
}

// d and p for a path from another basis: as seen from there, d = 1 and 1 <= p < 2, that is
//     -A^-1 d_R = 1 on the core,  d + [M]_C 1 = 1 on the other rows;  p likewise
static void set_cover_from_basis(PerpBasisSearch *search)
{
    PerpBasis *basis = &search->basis;
    int n = search->n;
    double *x = search->scratch;
    for (int side = 0; side < 2; side++) {
        double *column = side == 0 ? covering_column(search) : basis->q + n;
        for (int c = 0; c < basis->k; c++)
            x[c] = c < search->free ? 0 : side == 0 ? 1 : 1 + scatter(0, c);
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

static bool follow_path(PerpBasisSearch *search, int attempt,
                        bool (*algorithm)(PerpBasis *, PerpLemkePath *), PerpLemkePath *path)
{
    const struct Variation *variation = &variations[attempt];
    *path = (PerpLemkePath){.max_pivots = search->settings.max_pivots,
                            .interrupt = search->interrupt,
                            .pivot_tolerance = variation->pivot,
                            .tie_tolerance = variation->tie};
    bool found = algorithm(&search->basis, path);
    search->pivots += path->pivots;
    search->attempts += path->pivots > 0;
    if (path->pivots >= path->max_pivots && search->outcome == PERP_OUTCOME_MISSED)
        search->outcome = PERP_OUTCOME_PIVOT_LIMIT;
    return found;
}

// The basis just judged is infeasible by a little, because M and q have been rounded. Its judge has
// found the values of its variables more exactly than they follow from M and q; from these a short
// path leads on, in which M only multiplies small changes.
static bool follow_from_judged(PerpBasisSearch *search)
{
    PerpBasis *basis = &search->basis;
    PerpLemkePath path;
    set_cover_from_basis(search);
    for (int c = 0; c < basis->k; c++) {
        int j = basis->column[c];
        basis->core_value[c] = search->z[j] / (search->column_scale[j] * search->z_scale);
    }
    for (int i = 0; i < search->n; i++)
        basis->row_value[i] =
            basis->row_place[i] >= 0 ? 0 : search->w[i] * search->row_scale[i] / search->z_scale;
    basis->keep_values = true;
    bool found = follow_path(search, CORRECTION, perp_lemke, &path) && path.pivots > 0;
    basis->keep_values = false;
    return found;
}

// Judges the basis at hand, and corrects it as long as the residual falls. True if solved.
static bool judge_and_correct(PerpBasisSearch *search)
{
    double before = INFINITY;
    judge_basis(search);
    for (int round = 0; round < CORRECTIONS && search->last > EXCELLENT && search->last < before;
         round++) {
        before = search->last;
        if (!follow_from_judged(search) || !perp_basis_refactor(&search->basis))
            break;
        judge_basis(search);
    }
    return search->outcome == PERP_OUTCOME_SOLVED;
}

// The same at the end of a path, where the inverse has seen many pivots.
static bool judge_end_of_path(PerpBasisSearch *search)
{
    return perp_basis_refactor(&search->basis) && judge_and_correct(search);
}

// Copies the ray at the end of a path into the problem's units.
static void take_ray(PerpBasisSearch *search, const PerpLemkePath *path)
{
    const PerpBasis *basis = &search->basis;
    int n = search->n;
    double s = search->z_scale;
    memset(search->ray_z, 0, (size_t)n * sizeof(double));
    memset(search->ray_dz, 0, (size_t)n * sizeof(double));
    search->ray = (PerpLcpRay){.z = search->ray_z, .dz = search->ray_dz, .cover = search->cover};
    for (int c = 0; c < basis->k; c++) {
        int j = basis->column[c];
        double value = basis->core_value[c], step = basis->core_step[c];
        if (c >= search->free) {
            value = fmax(value, 0);
            step = fmax(step, 0);
        }
        if (j == n) {
            search->ray.z0 = s * value;
            search->ray.dz0 = s * step;
        } else {
            search->ray_z[j] = s * search->column_scale[j] * value;
            search->ray_dz[j] = s * search->column_scale[j] * step;
        }
    }
    if (path->entering >= n)
        search->ray_dz[path->entering - n] = s * search->column_scale[path->entering - n];
    for (int i = 0; i < n; i++)
        search->cover[i] = covering_column(search)[i] / search->row_scale[i];
}

// Judges the ray on M and q. True if it proves that there is no feasible point.
static bool judge_ray(PerpBasisSearch *search, const PerpLemkePath *path)
{
    take_ray(search, path);
    search->judge_ray(search->user, search, &search->ray_certificate);
    double tolerance = search->settings.tolerance;
    const PerpLcpRayCertificate *ray = &search->ray_certificate;
    if (ray->worst <= tolerance)
        search->outcome = PERP_OUTCOME_RAY;
    bool proof = ray->farkas <= tolerance && ray->q_dz < -tolerance;
    if (proof)
        search->outcome = PERP_OUTCOME_INFEASIBLE;
    return proof;
}

static bool attempt_lemke(PerpBasisSearch *search, int attempt)
{
    PerpLemkePath path;
    set_cover(search, attempt);
    if (!perp_basis_clear(&search->basis))
        return false;
    if (follow_path(search, attempt, perp_lemke, &path))
        return judge_end_of_path(search);
    return path.ray && judge_ray(search, &path);
}

// The basis given: if it is feasible, one linear solve was all; else a path leads on from it.
static bool attempt_given(PerpBasisSearch *search)
{
    PerpLemkePath path;
    search->method = PERP_LCP_LEMKE;
    set_cover(search, 0);
    if (!perp_basis_set(&search->basis, search->settings.basis))
        return false;
    if (is_nearly_feasible(&search->basis) && judge_and_correct(search)) {
        search->basis_reused = search->pivots == 0;
        return true;
    }
    set_cover(search, 0);
    bool set = perp_basis_set(&search->basis, search->settings.basis);
    set_cover_from_basis(search);
    return set && follow_path(search, 0, perp_lemke, &path) && judge_end_of_path(search);
}

static bool attempt_lemke_howson(PerpBasisSearch *search)
{
    PerpLemkePath path;
    set_cover(search, 0);
    return search->free == 0 && follow_path(search, 0, perp_lemke_howson, &path) &&
           judge_end_of_path(search);
}

// A ray that is no proof: for general M another path may end in a solution. One from a random basis
// often does.
static bool attempt_random_basis(PerpBasisSearch *search, int attempt)
{
    PerpLemkePath path;
    set_cover(search, 0);
    for (int i = 0; i < search->n; i++)
        search->active[i] = scatter(attempt, i) < 0.5;
    if (!perp_basis_set(&search->basis, search->active))
        return false;
    set_cover_from_basis(search);
    return follow_path(search, 0, perp_lemke, &path) && judge_end_of_path(search);
}

static void search_lemke(PerpBasisSearch *search)
{
    search->method = PERP_LCP_LEMKE;
    if (attempt_lemke_howson(search))
        return;
    int most = search->settings.max_attempts;
    for (int attempt = 0; attempt < most && !perp_interrupted(search->interrupt); attempt++)
        if (attempt < VARIATIONS ? attempt_lemke(search, attempt)
                                 : attempt_random_basis(search, attempt))
            return;
}

// --- symmetric problems -------------------------------------------------------------------------

// Without scaling and without a factorised basis: the certificate decides whether it counts.
static bool attempt_block_pivoting(PerpBasisSearch *search)
{
    PerpBlockPivoting *block = &search->block;
    block->M = search->M;
    block->q = search->q;
    bool found = perp_block_pivoting_solve(block);
    search->pivots += block->pivots;
    search->attempts++;
    if (!found)
        return false;
    for (int i = 0; i < search->n; i++)
        search->z[i] = block->z[i] > 0 ? block->z[i] : 0;
    memcpy(search->active, block->active, (size_t)search->n);
    search->refinable = false;
    return judge_point(search);
}

static bool attempt_dantzig(PerpBasisSearch *search)
{
    set_cover(search, 0);
    perp_basis_clear(&search->basis);
    PerpDantzigPath path = {.max_pivots = search->settings.max_pivots};
    search->method = PERP_LCP_DANTZIG;
    bool found = perp_dantzig_follow(&search->basis, &path);
    search->pivots += path.pivots;
    search->attempts++;
    return found && judge_end_of_path(search);
}

void perp_basis_search_solve(PerpBasisSearch *search)
{
    const PerpLcpSettings *settings = &search->settings;
    search->outcome = PERP_OUTCOME_MISSED;
    search->method = PERP_LCP_BLOCK;
    search->basis.free = search->free;
    bool block = settings->method == PERP_LCP_BLOCK ||
                 (settings->method == PERP_LCP_AUTO && !settings->basis &&
                  perp_is_symmetric(search->n, search->M));
    if (block && attempt_block_pivoting(search))
        return;
    scale_problem(search);
    if (settings->basis && attempt_given(search))
        return;
    if (settings->method == PERP_LCP_DANTZIG && attempt_dantzig(search))
        return;
    search_lemke(search);
}
