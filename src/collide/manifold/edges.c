// Contact points of parallel edges.
#include "collide/manifold/edges.h"

#include "collide/manifold/patch.h"

static bool is_across(PerpVec3 u, PerpVec3 n)
{
    return fabs(perp_vec3_dot(u, n)) <= PERP_PARALLEL * perp_vec3_norm(u);
}

// The edge at the farthest vertex that is most nearly across the direction; false: none is.
static bool edge_across(const PerpCore *c, PerpVec3 direction, PerpSide *side, uint32_t *number)
{
    const PerpPolyhedron *p = c->polyhedron;
    int vertex;
    double least = PERP_PARALLEL;
    perp_core_support(c, direction, &vertex);
    for (int e = 0; e < p->n_edges; e++) {
        const int *ends = p->edge[e].vertex;
        if (ends[0] != vertex && ends[1] != vertex)
            continue;
        PerpVec3 x = perp_core_vertex(c, ends[0]);
        PerpVec3 u = perp_vec3_sub(perp_core_vertex(c, ends[1]), x);
        double sine = fabs(perp_vec3_dot(u, direction)) / perp_vec3_norm(u);
        if (sine > least)
            continue;
        least = sine;
        *side = (PerpSide){x, u, 0};
        *number = (uint32_t)e;
    }
    return least < PERP_PARALLEL;
}

static bool side_across(const PerpCore *c, PerpVec3 direction, PerpSide *side, uint32_t *number)
{
    if (c->polyhedron)
        return edge_across(c, direction, side, number);
    if (c->kind != PERP_SHAPE_CYLINDER || !is_across(c->R.z, direction))
        return false;
    PerpVec3 half = perp_vec3_scale(c->size[1], c->R.z);
    *side = (PerpSide){perp_vec3_sub(c->position, half), perp_vec3_scale(2, half), c->size[0]};
    *number = 0;
    return true;
}

// The end s = 0 or 1 of a's side (of b's if !of_a) beside the other one. Its normal is across the
// other side, through the end, if that is near n.
static void add_end(PerpManifold *m, const PerpSide *of, double s, const PerpSide *beside,
                    PerpVec3 n, bool of_a, uint32_t number)
{
    PerpVec3 end = perp_vec3_add_scaled(of->x, s, of->u);
    double t = perp_vec3_dot(beside->u, perp_vec3_sub(end, beside->x)) /
               perp_vec3_dot(beside->u, beside->u);
    if (t < 0 || t > 1)
        return;
    PerpVec3 foot = perp_vec3_add_scaled(beside->x, t, beside->u);
    PerpVec3 on_a = of_a ? end : foot, on_b = of_a ? foot : end;
    PerpVec3 own = perp_vec3_normalise(perp_vec3_sub(on_a, on_b));
    own = perp_vec3_scale(copysign(1, perp_vec3_dot(own, n)), own);
    if (perp_vec3_dot(own, n) > 0 && perp_vec3_norm(perp_vec3_cross(own, n)) <= PERP_STEEP)
        n = own;
    double radius_a = of_a ? of->radius : beside->radius;
    double radius_b = of_a ? beside->radius : of->radius;
    on_a = perp_vec3_add_scaled(on_a, -radius_a, n);
    double gap = perp_vec3_dot(n, perp_vec3_sub(on_a, on_b)) - radius_b;
    uint32_t index = 1u << 29 | (4 * number + 2 * of_a + (uint32_t)s);
    perp_manifold_add(m, on_a, perp_vec3_add_scaled(on_a, -gap, n), n,
                      perp_feature(PERP_FEATURE_CROSSING, index));
}

void perp_manifold_edges(PerpManifold *m, const PerpCore *a, const PerpCore *b,
                         const PerpSeparation *s)
{
    PerpSide on_a, on_b;
    uint32_t number_a, number_b;
    if (!side_across(a, perp_vec3_scale(-1, s->normal), &on_a, &number_a) ||
        !side_across(b, s->normal, &on_b, &number_b))
        return;
    double lengths = perp_vec3_norm(on_a.u) * perp_vec3_norm(on_b.u);
    if (perp_vec3_norm(perp_vec3_cross(on_a.u, on_b.u)) > PERP_PARALLEL * lengths)
        return;
    for (int end = 0; end <= 1; end++) {
        add_end(m, &on_a, end, &on_b, s->normal, true, number_a);
        add_end(m, &on_b, end, &on_a, s->normal, false, number_b);
    }
}
