// The certificate of a linear complementarity problem: residuals recomputed from M, q and z alone.
// It shares no code with any solver. docs/notation.md gives the reasons for the scales.
#include "perp/lcp.h"

#include "base/compiler.h"
#include "certify/exact_sum.h"

#include <math.h>

static double larger(double a, double b)
{
    return a > b ? a : b;
}

static double smaller(double a, double b)
{
    return a < b ? a : b;
}

// The positive part of x by its scale; what is no number counts as infinitely wrong.
static double relative(double x, double scale)
{
    if (isnan(x) || !isfinite(scale))
        return INFINITY;
    return x > 0 ? x / scale : 0;
}

// A point and its w = M z + q + cover z0. A plain LCP has cover = NULL, a direction q = NULL.
typedef struct Point {
    const double *z, *q, *cover;
    double z0;
    double size; // max |z_j|
} Point;

typedef struct Row {
    double w;
    double scale; // s_i = |q_i| + |cover_i z0| + sum_j |M_ij z_j|, at least 2^-20 g_i max |z_j|
    double g;     // max_j |M_ij|
} Row;

// Rows are measured in panels, so that M is read along its columns.
enum { PANEL = 64 };

static int panel_rows(const PerpLcp *p, int first)
{
    return p->n - first < PANEL ? p->n - first : PANEL;
}

static double largest_magnitude(const double *x, int n)
{
    double largest = 0;
    for (int i = 0; i < n; i++)
        largest = larger(largest, fabs(x[i]));
    return largest;
}

// The sums of a panel's rows, side by side as PerpSum has them one by one, so that they can be done
// together.
typedef struct Panel {
    double value[PANEL], error[PANEL], terms[PANEL];
    double largest[PANEL]; // g_i
} Panel;

// w += column x for all rows of the panel, in doubled precision like perp_sum_add_product
PERP_VECTOR_KERNEL static void add_column(int count, const double *restrict column, double x,
                                          Panel *restrict panel)
{
    for (int i = 0; i < count; i++) {
        double product = column[i] * x;
        double sum = panel->value[i] + product, part = sum - panel->value[i];
        panel->error[i] +=
            ((panel->value[i] - (sum - part)) + (product - part)) + fma(column[i], x, -product);
        panel->value[i] = sum;
        panel->terms[i] += fabs(product);
    }
}

PERP_VECTOR_KERNEL static void find_largest(int count, const double *restrict column,
                                            Panel *restrict panel)
{
    for (int i = 0; i < count; i++) {
        double size = fabs(column[i]);
        panel->largest[i] = size > panel->largest[i] ? size : panel->largest[i];
    }
}

// the part of w that does not come from M z
static void start_row(const Point *x, int i, Panel *panel, int place)
{
    PerpSum w = {0};
    if (x->q)
        perp_sum_add(&w, x->q[i]);
    if (x->cover)
        perp_sum_add_product(&w, x->cover[i], x->z0);
    panel->value[place] = w.value;
    panel->error[place] = w.error;
    panel->terms[place] = w.terms;
    panel->largest[place] = 0;
}

// rows whose terms are all rounding noise are judged by the size of z: at least 2^-20 g_i max |z|
static Row finish_row(const Point *x, const Panel *panel, int place)
{
    double g = panel->largest[place], least = 0x1p-20 * g * x->size, terms = panel->terms[place];
    return (Row){.w = panel->value[place] + panel->error[place],
                 .scale = terms < least ? least : terms,
                 .g = g};
}

static void measure_panel(const PerpLcp *p, const Point *x, int first, Row *row)
{
    int count = panel_rows(p, first);
    Panel panel;
    for (int i = 0; i < count; i++)
        start_row(x, first + i, &panel, i);
    for (int j = 0; j < p->n; j++) {
        const double *column = p->M + (size_t)p->n * (size_t)j + first;
        find_largest(count, column, &panel);
        if (x->z[j] != 0)
            add_column(count, column, x->z[j], &panel);
    }
    for (int i = 0; i < count; i++)
        row[i] = finish_row(x, &panel, i);
}

// g_i z_i; a row of zeros has no unit for z_i: any but 0 is infinitely large
static double in_units_of_w(const Row *row, double z)
{
    if (row->g > 0)
        return row->g * z;
    return z == 0 ? 0 : copysign(INFINITY, z);
}

static void note(PerpLcpCertificate *certificate, double *residual, double value, int row)
{
    *residual = larger(*residual, value);
    if (value > certificate->worst) {
        certificate->worst = value;
        certificate->worst_row = row;
    }
}

static void judge_row(const PerpLcp *p, const double *z, int i, const Row *row,
                      PerpLcpCertificate *to)
{
    // w = 0                                                              free rows
    if (i < p->free) {
        note(to, &to->equation, relative(fabs(row->w), row->scale), i);
        return;
    }
    // 0 <= w  perp  z >= 0                                               the others
    double u = in_units_of_w(row, z[i]);
    note(to, &to->slack, relative(-row->w, row->scale), i);
    note(to, &to->sign, relative(-u, row->scale), i);
    note(to, &to->gap, relative(smaller(row->w, u), row->scale), i);
}

void perp_lcp_certify(const PerpLcp *p, const double *z, double *w, PerpLcpCertificate *certificate)
{
    *certificate = (PerpLcpCertificate){0};
    Point x = {.z = z, .q = p->q, .size = largest_magnitude(z, p->n)};
    for (int first = 0; first < p->n; first += PANEL) {
        Row row[PANEL];
        measure_panel(p, &x, first, row);
        for (int i = 0; i < panel_rows(p, first); i++) {
            judge_row(p, z, first + i, &row[i], certificate);
            if (w)
                w[first + i] = row[i].w;
        }
    }
}

// How far z and w of one row are above and below zero, relative.
typedef struct Pair {
    double z, w;
    double below; // the worse of -z and -w
} Pair;

static Pair relate(const Row *row, double z)
{
    double u = in_units_of_w(row, z);
    return (Pair){.z = relative(u, row->scale),
                  .w = relative(row->w, row->scale),
                  .below = larger(relative(-u, row->scale), relative(-row->w, row->scale))};
}

// (z + t dz) perp (w + t dw) for all t >= 0: no signs, and all four products vanish
static double judge_ray_pair(const Pair *base, const Pair *mode)
{
    double worst = larger(base->below, mode->below);
    worst = larger(worst, smaller(base->z, base->w));
    worst = larger(worst, smaller(base->z, mode->w));
    worst = larger(worst, smaller(mode->z, base->w));
    return larger(worst, smaller(mode->z, mode->w));
}

static double judge_ray_row(const PerpLcp *p, const PerpLcpRay *ray, int i, const Row *base,
                            const Row *mode)
{
    // z0 >= 0, dz0 >= 0
    double worst = larger(relative(-ray->cover[i] * ray->z0, base->scale),
                          relative(-ray->cover[i] * ray->dz0, mode->scale));
    if (i < p->free) {
        worst = larger(worst, relative(fabs(base->w), base->scale));
        return larger(worst, relative(fabs(mode->w), mode->scale));
    }
    Pair base_pair = relate(base, ray->z[i]), direction_pair = relate(mode, ray->dz[i]);
    return larger(worst, judge_ray_pair(&base_pair, &direction_pair));
}

static double judge_ray(const PerpLcp *p, const PerpLcpRay *ray)
{
    Point base = {.z = ray->z, .q = p->q, .cover = ray->cover, .z0 = ray->z0};
    Point mode = {.z = ray->dz, .cover = ray->cover, .z0 = ray->dz0};
    base.size = largest_magnitude(base.z, p->n);
    mode.size = largest_magnitude(mode.z, p->n);
    double worst = mode.size > 0 ? 0 : INFINITY; // a ray goes somewhere
    for (int first = 0; first < p->n; first += PANEL) {
        Row base_row[PANEL], direction_row[PANEL];
        measure_panel(p, &base, first, base_row);
        measure_panel(p, &mode, first, direction_row);
        for (int i = 0; i < panel_rows(p, first); i++)
            worst =
                larger(worst, judge_ray_row(p, ray, first + i, &base_row[i], &direction_row[i]));
    }
    return worst;
}

// M'dz <= 0, and = 0 in the free columns: then dz'(M z + q) <= q'dz for every feasible z
static double judge_farkas(const PerpLcp *p, const double *dz)
{
    double worst = 0;
    for (int j = 0; j < p->n; j++) {
        const double *column = p->M + (size_t)p->n * (size_t)j;
        PerpSum s = {0};
        for (int i = 0; i < p->n; i++)
            perp_sum_add_product(&s, column[i], dz[i]);
        worst = larger(
            worst, relative(j < p->free ? fabs(perp_sum_total(&s)) : perp_sum_total(&s), s.terms));
    }
    return worst;
}

// q'dz / sum |q_i dz_i|
static double relative_product(const double *q, const double *dz, int n)
{
    PerpSum s = {0};
    for (int i = 0; i < n; i++)
        perp_sum_add_product(&s, q[i], dz[i]);
    if (!isfinite(s.terms))
        return INFINITY;
    return s.terms > 0 ? perp_sum_total(&s) / s.terms : 0;
}

void perp_lcp_certify_ray(const PerpLcp *p, const PerpLcpRay *ray,
                          PerpLcpRayCertificate *certificate)
{
    *certificate = (PerpLcpRayCertificate){.worst = judge_ray(p, ray),
                                           .farkas = judge_farkas(p, ray->dz),
                                           .q_dz = relative_product(p->q, ray->dz, p->n)};
}
