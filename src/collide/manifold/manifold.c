// Contact manifolds: points added, merged and reduced.
#include "collide/manifold/manifold.h"

PerpManifold perp_manifold(const PerpCore *a, const PerpCore *b, double margin,
                           PerpContactPoint *points)
{
    static const double MERGE = 1e-5; // relative to the smaller shape that is not a point
    double size_a = a->extent + a->rounding, size_b = b->extent + b->rounding;
    double size = size_a > 0 && size_b > 0 ? fmin(size_a, size_b) : fmax(size_a, size_b);
    return (PerpManifold){.rounding_a = a->rounding,
                          .rounding_b = b->rounding,
                          .margin = margin,
                          .merge = MERGE * size,
                          .point = points};
}

static bool has_point(const PerpManifold *m, const PerpContactPoint *p)
{
    for (int i = 0; i < m->n; i++) {
        PerpVec3 apart = perp_vec3_sub(p->point_b, m->point[i].point_b);
        if (perp_vec3_dot(apart, apart) <= m->merge * m->merge &&
            perp_vec3_dot(p->normal, m->point[i].normal) > 0.9999)
            return true;
    }
    return false;
}

static PerpContactPoint *shallowest(PerpManifold *m)
{
    PerpContactPoint *found = &m->point[0];
    for (int i = 1; i < m->n; i++)
        if (m->point[i].gap > found->gap)
            found = &m->point[i];
    return found;
}

void perp_manifold_add(PerpManifold *m, PerpVec3 on_a, PerpVec3 on_b, PerpVec3 normal,
                       uint32_t feature)
{
    double gap = perp_vec3_dot(normal, perp_vec3_sub(on_a, on_b)) - m->rounding_a - m->rounding_b;
    if (gap > m->margin)
        return;
    m->deepest = fmin(m->deepest, gap);
    if (m->accepts && !m->accepts(m->user, &feature, on_b, normal))
        return;
    PerpContactPoint p = {perp_vec3_add_scaled(on_a, -m->rounding_a, normal),
                          perp_vec3_add_scaled(on_b, m->rounding_b, normal), normal, gap, feature};
    if (has_point(m, &p))
        return;
    if (m->n < PERP_CONTACT_POINTS)
        m->point[m->n++] = p;
    else if (gap < shallowest(m)->gap)
        *shallowest(m) = p;
}

static void swap(PerpContactPoint *p, PerpContactPoint *q)
{
    PerpContactPoint swapped = *p;
    *p = *q;
    *q = swapped;
}

static int deepest(const PerpManifold *m)
{
    int best = 0;
    for (int i = 1; i < m->n; i++)
        if (m->point[i].gap < m->point[best].gap - 1e-3 * m->merge)
            best = i;
    return best;
}

// The square of the distance from the nearest of the first `chosen` points.
static double isolation(const PerpManifold *m, int i, int chosen)
{
    double least = INFINITY;
    for (int k = 0; k < chosen; k++) {
        PerpVec3 apart = perp_vec3_sub(m->point[i].point_b, m->point[k].point_b);
        least = fmin(least, perp_vec3_dot(apart, apart));
    }
    return least;
}

// Of those that are equal but for rounding the first is taken, so that the choice stays.
static int most_isolated(const PerpManifold *m, int chosen)
{
    int best = chosen;
    double most = isolation(m, chosen, chosen);
    for (int i = chosen + 1; i < m->n; i++) {
        double square = isolation(m, i, chosen);
        if (square > (1 + 1e-6) * most) {
            most = square;
            best = i;
        }
    }
    return best;
}

void perp_manifold_thin(PerpManifold *m, int most)
{
    if (m->n <= most)
        return;
    swap(&m->point[0], &m->point[deepest(m)]);
    for (int chosen = 1; chosen < most; chosen++)
        swap(&m->point[chosen], &m->point[most_isolated(m, chosen)]);
    m->n = most;
}
