// Contact points where rims of cylinder caps cross.
#include "collide/manifold/rims.h"

// A line x + s u, or a circle x + cos(s) u + sin(s) w, with all that is `radius` from it.
typedef struct Curve {
    PerpVec3 x, u, w;
    double radius;
    bool is_circle;
} Curve;

static PerpVec3 point_at(const Curve *c, double s)
{
    if (!c->is_circle)
        return perp_vec3_add_scaled(c->x, s, c->u);
    return perp_vec3_add_scaled(perp_vec3_add_scaled(c->x, cos(s), c->u), sin(s), c->w);
}

static PerpVec3 tangent_at(const Curve *c, double s)
{
    if (!c->is_circle)
        return c->u;
    return perp_vec3_add_scaled(perp_vec3_scale(cos(s), c->w), -sin(s), c->u);
}

static PerpVec3 bend_at(const Curve *c, double s)
{
    return c->is_circle ? perp_vec3_sub(c->x, point_at(c, s)) : (PerpVec3){0, 0, 0};
}

static Curve rim_of(const PerpPatch *disc)
{
    double r = disc->core->size[0];
    return (Curve){.x = disc->middle,
                   .u = perp_vec3_scale(r, disc->core->R.x),
                   .w = perp_vec3_scale(r, disc->core->R.y),
                   .is_circle = true};
}

static double angle_of(const Curve *circle, PerpVec3 x)
{
    PerpVec3 arm = perp_vec3_sub(x, circle->x);
    return atan2(perp_vec3_dot(arm, circle->w), perp_vec3_dot(arm, circle->u));
}

// A rim that crosses something by less than this, relative to its radius, is taken to touch it from
// inside: the points of the rim are then contacts of their own.
static const double SHALLOW = 0.02;

// The two curves that cross, a's and b's, and where.
typedef struct Crossing {
    Curve a, b;
    double s, t;
} Crossing;

// Newton's step for  (p_a - p_b)'p_a' = 0,  (p_a - p_b)'p_b' = 0: the points nearest to each other.
static void approach(Crossing *c)
{
    PerpVec3 d = perp_vec3_sub(point_at(&c->a, c->s), point_at(&c->b, c->t));
    PerpVec3 u = tangent_at(&c->a, c->s), v = tangent_at(&c->b, c->t);
    double f = perp_vec3_dot(d, u), g = perp_vec3_dot(d, v);
    double f_s = perp_vec3_dot(u, u) + perp_vec3_dot(d, bend_at(&c->a, c->s));
    double g_t = -perp_vec3_dot(v, v) + perp_vec3_dot(d, bend_at(&c->b, c->t));
    double f_t = -perp_vec3_dot(u, v), det = f_s * g_t + f_t * f_t;
    if (det == 0)
        return;
    c->s -= (g_t * f - f_t * g) / det;
    c->t -= (f_s * g + f_t * f) / det;
}

static void add_at(PerpManifold *m, const Crossing *c, PerpVec3 n, uint32_t number)
{
    PerpVec3 on_a = perp_vec3_add_scaled(point_at(&c->a, c->s), -c->a.radius, n);
    PerpVec3 on_b = perp_vec3_add_scaled(point_at(&c->b, c->t), c->b.radius, n);
    double gap = perp_vec3_dot(n, perp_vec3_sub(on_a, on_b));
    perp_manifold_add(m, on_a, perp_vec3_add_scaled(on_a, -gap, n), n,
                      perp_feature(PERP_FEATURE_CROSSING, number));
}

// As with straight edges: curves that cross have their own normal, if it is near n.
static void add_crossing(PerpManifold *m, Crossing start, PerpVec3 n, bool parallel,
                         uint32_t number)
{
    Crossing c = start;
    for (int k = 0; k < 8; k++)
        approach(&c);
    PerpVec3 across = perp_vec3_cross(tangent_at(&c.a, c.s), tangent_at(&c.b, c.t));
    PerpVec3 own = perp_vec3_normalise(across);
    own = perp_vec3_scale(copysign(1, perp_vec3_dot(own, n)), own);
    bool inside = c.a.is_circle || (c.s >= 0 && c.s <= 1);
    inside = inside && (c.b.is_circle || (c.t >= 0 && c.t <= 1));
    if (inside && perp_vec3_norm(perp_vec3_cross(own, n)) <= PERP_STEEP)
        add_at(m, &c, own, number);
    else if (parallel)
        add_at(m, &start, n, number);
}

// Where a side crosses the rim, seen along the disc's normal: |x + s u - middle| = r.
static void add_rim_and_side(PerpManifold *m, const PerpPatch *disc, const PerpPatch *other, int k,
                             bool disc_is_a, PerpVec3 n, bool parallel)
{
    PerpSide side = perp_patch_side(other, k);
    PerpVec3 x = perp_vec3_cross(disc->normal, perp_vec3_sub(side.x, disc->middle));
    PerpVec3 u = perp_vec3_cross(disc->normal, side.u);
    double r = disc->core->size[0], a = perp_vec3_dot(u, u), b = perp_vec3_dot(x, u);
    double root = b * b - a * (perp_vec3_dot(x, x) - r * r);
    if (!(root > a * (SHALLOW * r) * (SHALLOW * r)))
        return;
    Curve rim = rim_of(disc), line = {.x = side.x, .u = side.u, .radius = side.radius};
    for (int end = 0; end < 2; end++) {
        double s = (-b + (end ? 1 : -1) * sqrt(root)) / a;
        double t = angle_of(&rim, point_at(&line, s));
        uint32_t number = 2 * perp_patch_side_number(other, k) + (uint32_t)end;
        if (s >= 0 && s <= 1)
            add_crossing(m, disc_is_a ? (Crossing){rim, line, t, s} : (Crossing){line, rim, s, t},
                         n, parallel, number);
    }
}

// Where two rims cross: x along the line of the middles, the root across.
static void add_two_rims(PerpManifold *m, const PerpPatch *a, const PerpPatch *b, PerpVec3 n,
                         bool parallel)
{
    PerpVec3 apart = perp_vec3_sub(a->middle, b->middle);
    apart = perp_vec3_add_scaled(apart, -perp_vec3_dot(apart, b->normal), b->normal);
    double d = perp_vec3_norm(apart), r_a = a->core->size[0], r_b = b->core->size[0];
    double x = (d * d + r_b * r_b - r_a * r_a) / (2 * d), square = r_b * r_b - x * x;
    double least = SHALLOW * fmin(r_a, r_b);
    if (d < least || !(square > least * least))
        return;
    Curve rim_a = rim_of(a), rim_b = rim_of(b);
    PerpVec3 along = perp_vec3_scale(1 / d, apart), across = perp_vec3_cross(b->normal, along);
    for (int end = 0; end < 2; end++) {
        PerpVec3 on_b = perp_vec3_add_scaled(b->middle, x, along);
        on_b = perp_vec3_add_scaled(on_b, (end ? 1 : -1) * sqrt(square), across);
        Crossing c = {rim_a, rim_b, angle_of(&rim_a, on_b), angle_of(&rim_b, on_b)};
        add_crossing(m, c, n, parallel, (uint32_t)end);
    }
}

void perp_manifold_rims(PerpManifold *m, const PerpPatch *a, const PerpPatch *b, PerpVec3 n,
                        bool parallel)
{
    for (int k = 0; a->is_disc && k < b->n_sides; k++)
        add_rim_and_side(m, a, b, k, true, n, parallel);
    for (int k = 0; b->is_disc && k < a->n_sides; k++)
        add_rim_and_side(m, b, a, k, false, n, parallel);
    if (a->is_disc && b->is_disc)
        add_two_rims(m, a, b, n, parallel);
}
