#include "pivoting/mixed.h"

#include "math/dense.h"
#include "pivoting/equilibrate.h"

#include <math.h>
#include <string.h>

static const double EXACT = 1e-14; // a certificate that refinement cannot better
static const double NOISE = 1e-12; // of the largest z

// --- the scaled copy ----------------------------------------------------------------------------

static bool scale_problem(PerpArena *arena, PerpMixed *m)
{
    int n = m->original->n;
    double *M = perp_arena_take(arena, (size_t)n * (size_t)n, sizeof(double));
    double *q = PERP_TAKE(arena, double, n), *scratch = PERP_TAKE(arena, double, 3 * n);
    if (!M || !q || !scratch)
        return false;
    perp_equilibrate(n, m->original->M, m->row_scale, m->column_scale, scratch);
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) {
            size_t at = (size_t)i + (size_t)n * (size_t)j;
            M[at] = m->row_scale[i] * m->original->M[at] * m->column_scale[j];
        }
    for (int i = 0; i < n; i++)
        q[i] = m->row_scale[i] * m->original->q[i];
    m->scaled = (PerpLcp){.n = n, .free = m->original->free, .M = M, .q = q};
    return true;
}

// Without equations there is nothing to scale for or to eliminate: the search scales by itself.
static bool reduce_problem(PerpArena *arena, PerpMixed *m)
{
    const PerpLcp *p = m->original;
    for (int i = 0; i < p->n; i++)
        m->row_scale[i] = m->column_scale[i] = 1;
    if (p->free > 0)
        return scale_problem(arena, m) &&
               perp_free_rows_eliminate(arena, &m->scaled, &m->free_rows);
    m->scaled = *p;
    m->free_rows = (PerpFreeRows){.lcp = *p, .c = p->n, .n = p->n, .M = p->M, .q = p->q};
    return true;
}

// --- judging ------------------------------------------------------------------------------------

// residual: the rows of q + M z that the basis makes zero, summed with the longest type at hand
static void basic_residual(PerpMixed *m, double *residual)
{
    const PerpLcp *p = &m->scaled;
    for (int i = 0; i < p->n; i++)
        m->sum[i] = p->q[i];
    for (int j = 0; j < p->n; j++)
        for (int i = 0; i < p->n && m->z[j] != 0; i++)
            m->sum[i] += (long double)p->M[i + (size_t)p->n * (size_t)j] * m->z[j];
    for (int i = 0; i < p->n; i++) {
        bool basic = i < p->free || m->search.active[i - p->free];
        residual[i] = basic ? (double)m->sum[i] : 0;
    }
}

// One step of refinement: the reduced problem's basis solve on the residual.
static void refine(PerpMixed *m)
{
    PerpFreeRows *free_rows = &m->free_rows;
    basic_residual(m, m->w);
    perp_free_rows_reduce(free_rows, m->w, m->change);
    perp_basis_search_correct(&m->search, m->change, m->reduced);
    perp_free_rows_expand(free_rows, m->reduced, true, m->change);
    for (int i = 0; i < free_rows->f; i++)
        m->z[i] += m->change[i] - free_rows->y[i];
    for (int i = free_rows->f; i < m->scaled.n; i++)
        m->z[i] = fmax(m->z[i] + m->change[i], 0);
}

double perp_mixed_certify(PerpMixed *m, const double *z, double tolerance)
{
    PerpLcpCertificate certificate;
    size_t bytes = (size_t)m->original->n * sizeof(double);
    m->judge->point(m->original, z, m->w, &certificate);
    if (certificate.worst < m->best.worst || certificate.worst <= tolerance) {
        m->best = certificate;
        memcpy(m->best_z, z, bytes);
        memcpy(m->best_w, m->w, bytes);
    }
    return certificate.worst;
}

// The point without the complementary z that are nothing but rounding of the others: in a row whose
// other terms are all zero, even rounding would be a violation.
static double certify_cleaned(PerpMixed *m)
{
    int n = m->scaled.n, f = m->free_rows.f;
    double largest = perp_max_abs(n - f, m->z + f);
    for (int i = 0; i < n; i++) {
        double z = i >= f && fabs(m->z[i]) <= NOISE * largest ? 0 : m->z[i];
        m->point[i] = m->column_scale[i] * z;
    }
    return perp_mixed_certify(m, m->point, 0);
}

static double judge_point(void *user, PerpBasisSearch *search)
{
    PerpMixed *m = user;
    double worst = INFINITY;
    perp_free_rows_expand(&m->free_rows, search->z, false, m->z);
    for (int pass = 0; pass < (search->refinable ? 4 : 1) && worst > EXACT; pass++) {
        if (pass > 0)
            refine(m);
        for (int i = 0; i < m->scaled.n; i++)
            m->point[i] = m->column_scale[i] * m->z[i];
        worst = fmin(worst, perp_mixed_certify(m, m->point, 0));
    }
    if (worst > search->settings.tolerance)
        worst = fmin(worst, certify_cleaned(m));
    // the split multipliers of singular equations keep the values of the search
    for (int i = 0; i < m->free_rows.c; i++) {
        search->z[i] = m->z[m->free_rows.f + i];
        search->w[i] = m->row_scale[m->free_rows.f + i] * m->w[m->free_rows.f + i];
    }
    return worst;
}

// The ray of the reduced problem, seen in the mixed one: the equations take no cover.
static void judge_ray(void *user, const PerpBasisSearch *search, PerpLcpRayCertificate *certificate)
{
    PerpMixed *m = user;
    int n = m->original->n, f = m->free_rows.f;
    const PerpLcpRay *reduced = &search->ray;
    perp_free_rows_expand(&m->free_rows, reduced->z, false, m->ray_z);
    perp_free_rows_expand(&m->free_rows, reduced->dz, true, m->ray_dz);
    for (int i = 0; i < n; i++) {
        m->ray_z[i] *= m->column_scale[i];
        m->ray_dz[i] *= m->column_scale[i];
        m->cover[i] = i < f ? 0 : reduced->cover[i - f] / m->row_scale[i];
    }
    m->ray = (PerpLcpRay){
        .z = m->ray_z, .dz = m->ray_dz, .cover = m->cover, .z0 = reduced->z0, .dz0 = reduced->dz0};
    m->judge->ray(m->original, &m->ray, certificate);
}

// --- the search ---------------------------------------------------------------------------------

static int default_pivots(int n)
{
    int pivots = 1000 + 50 * n;
    return n <= 20 && pivots < 1 << (n + 1) ? 1 << (n + 1) : pivots;
}

// The user's cover and basis speak of the mixed problem's rows; the search wants the reduced one's.
static bool translate_settings(PerpArena *arena, const PerpLcpSettings *from, PerpMixed *m)
{
    PerpLcpSettings *to = &m->search.settings;
    int n = m->free_rows.n, f = m->free_rows.f;
    *to = *from;
    if (from->max_pivots == 0)
        to->max_pivots = default_pivots(n);
    to->basis = from->basis && m->free_rows.rest == 0 ? from->basis + f : NULL;
    if (!from->cover)
        return true;
    double *cover = PERP_TAKE(arena, double, n);
    if (!cover)
        return false;
    for (int i = 0; i < n; i++)
        cover[i] = i < m->free_rows.c ? m->row_scale[f + i] * from->cover[f + i] : 1;
    to->cover = cover;
    return true;
}

static bool prepare(PerpArena *arena, const PerpLcp *p, const PerpLcpSettings *settings,
                    const PerpLcpJudge *judge, PerpMixed *m)
{
    int n = p->n;
    *m = (PerpMixed){.original = p, .judge = judge, .best.worst = INFINITY};
    m->row_scale = PERP_TAKE(arena, double, n);
    m->column_scale = PERP_TAKE(arena, double, n);
    if (!m->row_scale || !m->column_scale || !reduce_problem(arena, m))
        return false;
    int most = m->free_rows.n > n ? m->free_rows.n : n;
    m->z = PERP_TAKE(arena, double, n);
    m->w = PERP_TAKE(arena, double, n);
    m->point = PERP_TAKE(arena, double, n);
    m->sum = PERP_TAKE(arena, long double, n);
    m->best_z = PERP_TAKE(arena, double, n);
    m->best_w = PERP_TAKE(arena, double, n);
    m->basis = PERP_TAKE(arena, signed char, n);
    m->ray_z = PERP_TAKE(arena, double, n);
    m->ray_dz = PERP_TAKE(arena, double, n);
    m->cover = PERP_TAKE(arena, double, n);
    m->change = PERP_TAKE(arena, double, most);
    m->reduced = PERP_TAKE(arena, double, most);
    if (!m->z || !m->w || !m->point || !m->sum || !m->best_z || !m->best_w || !m->basis ||
        !m->ray_z || !m->ray_dz || !m->cover || !m->change || !m->reduced ||
        !perp_basis_search_take(arena, m->free_rows.n, &m->search))
        return false;
    m->search.M = m->free_rows.M;
    m->search.q = m->free_rows.q;
    m->search.judge = judge_point;
    m->search.judge_ray = judge_ray;
    m->search.user = m;
    return translate_settings(arena, settings, m);
}

bool perp_mixed_solve(PerpArena *arena, const PerpLcp *p, const PerpLcpSettings *settings,
                      const PerpLcpJudge *judge, PerpMixed *m)
{
    if (!prepare(arena, p, settings, judge, m))
        return false;
    perp_basis_search_solve(&m->search);
    memset(m->basis, 1, (size_t)m->free_rows.f);
    memcpy(m->basis + m->free_rows.f, m->search.best_active, (size_t)m->free_rows.c);
    return true;
}
