// The face, edge or vertex of a core that faces a direction.
#include "collide/manifold/patch.h"

static const double OUTSIDE = 1e-6;  // a point may be this far beside a face, relative to its sides
static const double STANDING = 1e-6; // rad: a cylinder that leans less stands on four fixed points

static PerpPatch polyhedron_patch(const PerpCore *c, PerpVec3 direction)
{
    static const int both[2] = {0, 1};
    const PerpPolyhedron *p = c->polyhedron;
    int vertex;
    perp_core_support(c, direction, &vertex);
    int face = perp_core_face_at(c, vertex, direction);
    PerpPatch patch = {.core = c, .n = p->n_vertices, .n_sides = p->n_vertices - 1, .loop = both};
    if (face >= 0) {
        int start = p->face_start[face], n = p->face_start[face + 1] - start;
        patch.n = patch.n_sides = n;
        patch.loop = p->loop + start;
        patch.is_face = true;
        patch.normal = perp_core_normal(c, face);
        patch.middle = perp_core_vertex(c, p->loop[start]);
    }
    for (int k = 0; k < patch.n && patch.n <= PERP_PATCH_ROOM; k++)
        patch.corner[k] = perp_core_vertex(c, patch.loop[k]);
    return patch;
}

static void add_corner(PerpPatch *p, PerpVec3 local, int number)
{
    p->corner[p->n] = perp_core_point(p->core, local);
    p->own_number[p->n++] = number;
}

// Which of the angles 0, 90, 180, 270 degrees on a rim is nearest to the direction d.
static int nearest_quarter(PerpVec3 d)
{
    if (fabs(d.x) >= fabs(d.y))
        return d.x >= 0 ? 0 : 2;
    return d.y >= 0 ? 1 : 3;
}

// Four points that the body carries with it, so that their gaps change as the body moves; the
// farthest point of all takes the place of the one next to it, unless the cylinder stands.
static void add_ring(PerpPatch *p, PerpVec3 d, double across)
{
    static const int cosine[4] = {1, 0, -1, 0}, sine[4] = {0, 1, 0, -1};
    double r = p->core->size[0], z = copysign(p->core->size[1], d.z);
    int replaced = across > STANDING ? nearest_quarter(d) : -1, top = d.z > 0;
    for (int k = 0; k < 4; k++) {
        if (k == replaced)
            add_corner(p, (PerpVec3){r * d.x / across, r * d.y / across, z}, 8 + top);
        else
            add_corner(p, (PerpVec3){r * cosine[k], r * sine[k], z}, 4 * top + k);
    }
}

static PerpPatch cylinder_patch(const PerpCore *c, PerpVec3 direction)
{
    PerpVec3 d = perp_mat3_transposed_times(c->R, direction);
    double across = perp_length(d.x, d.y), r = c->size[0], h = c->size[1];
    PerpPatch p = {.core = c};
    if (across < PERP_LEANING) {
        add_ring(&p, d, across);
        p.is_face = p.is_disc = across <= PERP_PARALLEL;
        p.normal = perp_vec3_scale(copysign(1, d.z), c->R.z);
        p.middle = perp_core_point(c, (PerpVec3){0, 0, copysign(h, d.z)});
        return p;
    }
    bool lies = fabs(d.z) < PERP_LEANING;
    if (lies || d.z < 0)
        add_corner(&p, (PerpVec3){r * d.x / across, r * d.y / across, -h}, 8);
    if (lies || d.z >= 0)
        add_corner(&p, (PerpVec3){r * d.x / across, r * d.y / across, h}, 9);
    p.n_sides = p.n - 1;
    return p;
}

PerpPatch perp_patch_towards(const PerpCore *core, PerpVec3 direction)
{
    if (core->polyhedron)
        return polyhedron_patch(core, direction);
    if (core->kind == PERP_SHAPE_CYLINDER)
        return cylinder_patch(core, direction);
    int vertex;
    return (PerpPatch){
        .core = core, .n = 1, .corner = {perp_core_support(core, direction, &vertex)}};
}

PerpVec3 perp_patch_corner(const PerpPatch *p, int k)
{
    int i = k < p->n ? k : 0;
    return p->n <= PERP_PATCH_ROOM ? p->corner[i] : perp_core_vertex(p->core, p->loop[i]);
}

uint32_t perp_patch_number(const PerpPatch *p, int k)
{
    int i = k < p->n ? k : 0;
    return (uint32_t)(p->loop ? p->loop[i] : p->own_number[i]);
}

PerpSide perp_patch_side(const PerpPatch *p, int k)
{
    const PerpCore *c = p->core;
    if (c->kind == PERP_SHAPE_CYLINDER)
        return (PerpSide){perp_core_point(c, (PerpVec3){0, 0, -c->size[1]}),
                          perp_vec3_scale(2 * c->size[1], c->R.z), c->size[0]};
    PerpVec3 start = perp_patch_corner(p, k);
    return (PerpSide){start, perp_vec3_sub(perp_patch_corner(p, k + 1), start), 0};
}

// The same whichever of its two faces the side is seen in.
uint32_t perp_patch_side_number(const PerpPatch *p, int k)
{
    uint32_t i = perp_patch_number(p, k), j = perp_patch_number(p, k + 1);
    uint32_t n = p->loop ? (uint32_t)p->core->polyhedron->n_vertices : 10;
    return i < j ? i * n + j : j * n + i;
}

bool perp_patch_faces(const PerpPatch *p, PerpVec3 direction, double angle)
{
    return p->is_face && perp_vec3_dot(p->normal, direction) > 0 &&
           perp_vec3_norm(perp_vec3_cross(p->normal, direction)) <= angle;
}

static bool is_over_disc(const PerpPatch *disc, PerpVec3 x)
{
    PerpVec3 across = perp_vec3_cross(disc->normal, perp_vec3_sub(x, disc->middle));
    return perp_vec3_norm(across) <= (1 + OUTSIDE) * disc->core->size[0];
}

bool perp_patch_is_over(const PerpPatch *face, PerpVec3 x)
{
    if (face->is_disc)
        return is_over_disc(face, x);
    for (int k = 0; k < face->n; k++) {
        PerpVec3 start = perp_patch_corner(face, k);
        PerpVec3 side = perp_vec3_sub(perp_patch_corner(face, k + 1), start);
        PerpVec3 outward = perp_vec3_cross(side, face->normal);
        if (perp_vec3_dot(outward, perp_vec3_sub(x, start)) > OUTSIDE * perp_vec3_dot(side, side))
            return false;
    }
    return true;
}
