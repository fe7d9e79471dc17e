#include "cones/polygon.h"

#include "math/small_solve.h"

#include <math.h>

static const double SAME = 1e-10; // relative: rows that depend on the basis

static double cross(const double *a, const double *b)
{
    return a[0] * b[1] - a[1] * b[0];
}

// The row that is most across the first one; -1 if none is.
static int find_across(int n, int values, const double *J)
{
    double length = perp_small_dot(values, J, J), most = SAME * length;
    int across = -1;
    for (int k = 1; k < n; k++) {
        const double *row = J + values * k;
        double along = perp_small_dot(values, J, row), square = perp_small_dot(values, row, row);
        double area = square - (length > 0 ? along * along / length : 0);
        if (area > most) {
            most = area;
            across = k;
        }
    }
    return across;
}

// p with J_k = p_0 J_first + p_1 J_second, d likewise; false if there is none
static bool find_vertex(int values, const double *J, const double *d, const int basis[2], int k,
                        double *p)
{
    const double *first = J + values * basis[0], *row = J + values * k;
    const double *second = J + values * (basis[1] < 0 ? basis[0] : basis[1]);
    double aa = perp_small_dot(values, first, first), ab = perp_small_dot(values, first, second);
    double bb = perp_small_dot(values, second, second), ra = perp_small_dot(values, first, row);
    double rb = perp_small_dot(values, second, row), area = aa * bb - ab * ab, off = 0;
    p[0] = basis[1] < 0 ? ra / aa : (ra * bb - rb * ab) / area;
    p[1] = basis[1] < 0 ? 0 : (rb * aa - ra * ab) / area;
    for (int i = 0; i < values; i++)
        off = fmax(off, fabs(row[i] - p[0] * first[i] - p[1] * second[i]));
    double bias = d[k] - p[0] * d[basis[0]] - (basis[1] < 0 ? 0 : p[1] * d[basis[1]]);
    double size = fabs(d[k]) + fabs(p[0] * d[basis[0]]);
    return aa > 0 && off <= SAME * sqrt(aa) && fabs(bias) <= SAME * size;
}

static void sort_by_angle(int n, PerpFacet *facets)
{
    for (int i = 1; i < n; i++) {
        PerpFacet one = facets[i];
        double angle = atan2(one.p[1], one.p[0]);
        int k = i;
        for (; k > 0 && atan2(facets[k - 1].p[1], facets[k - 1].p[0]) > angle; k--)
            facets[k] = facets[k - 1];
        facets[k] = one;
    }
}

// The edges of sorted vertices; false if they do not turn around 0, always to the left.
static bool find_edges(int n, PerpFacet *facets)
{
    for (int k = 0; k < n; k++) {
        const double *p = facets[k].p, *next = facets[(k + 1) % n].p;
        const double *after = facets[(k + 2) % n].p;
        double edge[2] = {next[0] - p[0], next[1] - p[1]};
        double turn[2] = {after[0] - next[0], after[1] - next[1]}, length = hypot(edge[0], edge[1]);
        if (!(cross(p, next) > 0) || !(cross(edge, turn) > 0))
            return false;
        facets[k].normal[0] = edge[1] / length;
        facets[k].normal[1] = -edge[0] / length;
        facets[k].offset = perp_small_dot(2, facets[k].normal, p);
    }
    return true;
}

bool perp_facets_find(int n, int values, const double *J, const double *d, int basis[2],
                      PerpFacet *facets)
{
    if (n < 2 || n > PERP_MOST_FACETS)
        return false;
    basis[0] = 0;
    basis[1] = find_across(n, values, J);
    for (int k = 0; k < n; k++) {
        facets[k] = (PerpFacet){.direction = k};
        if (!find_vertex(values, J, d, basis, k, facets[k].p))
            return false;
    }
    if (basis[1] < 0) // a line, as long to both sides
        return n == 2 && fabs(facets[1].p[0] + 1) <= SAME;
    sort_by_angle(n, facets);
    return find_edges(n, facets);
}

void perp_facets_scale(int n, double by, PerpFacet *facets)
{
    for (int k = 0; k < n; k++) {
        facets[k].p[0] *= by;
        facets[k].p[1] *= by;
        facets[k].offset *= by;
    }
}

double perp_facets_slip(int n, const PerpFacet *facets, const double *u, int *at)
{
    double most = -INFINITY;
    for (int k = 0; k < n; k++) {
        double speed = -perp_small_dot(2, facets[k].p, u);
        if (speed > most) {
            most = speed;
            *at = k;
        }
    }
    return most;
}

// Of all sectors between neighbours, the one that x lies in, or to rounding next to.
void perp_facets_split(int n, const PerpFacet *facets, const double *x, int at[2], double weight[2])
{
    double best = -INFINITY;
    for (int k = 0; k < n; k++) {
        const PerpFacet *next = &facets[(k + 1) % n];
        double area = cross(facets[k].p, next->p);
        double first = cross(x, next->p) / area, second = cross(facets[k].p, x) / area;
        if (fmin(first, second) <= best)
            continue;
        best = fmin(first, second);
        at[0] = facets[k].direction;
        at[1] = next->direction;
        weight[0] = fmax(first, 0);
        weight[1] = fmax(second, 0);
    }
}
