// All contacts of a model: broad phase, narrow phase, and contacts cached for pairs at rest.
#include "base/memory.h"
#include "collide/broad.h"
#include "collide/collide.h"

#include <math.h>
#include <string.h>

// What the last search of a kind found, pair by pair. A pair whose two shapes have the same poses,
// bit by bit, and is searched with the same margin, has the same contacts. Owned.
typedef struct Found {
    PerpPose *pose; // n_shapes: in the world
    struct FoundPair {
        PerpPair pair;
        double reach, margin; // m: asked for, and searched with
        int first, n;         // into contact
    } * pair;
    int n_pairs, pair_room;
    PerpContact *contact;
    int n_contacts, contact_room;
} Found;

// Searches for overlaps, for what moves near and for what projections guard take turns, each beside
// its own last one.
enum { OVERLAPS, NEAR, GUARDED, KINDS };

static int kind_of(const PerpReach *reach)
{
    return !(reach->margin > 0) ? OVERLAPS : reach->displacement ? NEAR : GUARDED;
}

struct PerpContactFinder {
    PerpContext context;
    const PerpModel *model;   // borrowed
    PerpBroad *broad;         // owned
    PerpBounds *bounds;       // n_shapes, owned
    Found found[KINDS], next; // next: the search at hand
    bool *moved;              // n_shapes: the pose is another than in the last search of the kind
    struct Plane {
        bool is_plane;
        PerpVec3 normal;
    } * plane;            // n_shapes, owned
    bool is_idle;         // no two shapes of the model may touch
    double deepest;       // m, 0 or more: overlap found by the search at hand
    PerpContact *contact; // room, owned
    int room;
};

enum { LARGEST_MODEL = 1 << 16 }; // shapes: their pair and the feature fill the 64 bits of an id
enum { FEW_SHAPES = 64 };         // of which all pairs are looked at once

// May some pair of shapes touch? Those of mechanisms often do not.
static bool may_touch(const PerpModel *model)
{
    bool found = model->n_shapes > FEW_SHAPES;
    for (int a = 0; a < model->n_shapes && !found; a++)
        for (int b = a + 1; b < model->n_shapes && !found; b++)
            found = perp_model_may_touch(model, a, b);
    return found;
}

PerpStatus perp_contact_finder_create(const PerpContext *context, const PerpModel *model,
                                      PerpContactFinder **finder)
{
    const PerpAllocator *allocator = &context->allocator;
    if (model->n_shapes > LARGEST_MODEL)
        return PERP_BAD_SIZE;
    PerpContactFinder *f = perp_allocate(allocator, 1, sizeof *f);
    if (!f)
        return PERP_NO_MEMORY;
    f->context = *context;
    f->model = model;
    f->is_idle = !may_touch(model);
    size_t n = (size_t)model->n_shapes;
    f->bounds = perp_allocate(allocator, n, sizeof *f->bounds);
    f->moved = perp_allocate(allocator, n, sizeof *f->moved);
    f->plane = perp_allocate(allocator, n, sizeof *f->plane);
    f->next.pose = perp_allocate(allocator, n, sizeof *f->next.pose);
    PerpStatus status = perp_broad_create(allocator, &f->broad);
    if (!status && (!f->bounds || !f->moved || !f->plane || !f->next.pose))
        status = PERP_NO_MEMORY;
    for (int kind = 0; kind < KINDS && !status; kind++) {
        f->found[kind].pose = perp_allocate(allocator, n, sizeof *f->next.pose);
        status = f->found[kind].pose ? PERP_OK : PERP_NO_MEMORY;
    }
    if (status)
        perp_contact_finder_destroy(f);
    else
        *finder = f;
    return status;
}

static void free_found(const PerpAllocator *allocator, Found *found)
{
    perp_free(allocator, found->pose);
    perp_free(allocator, found->pair);
    perp_free(allocator, found->contact);
}

void perp_contact_finder_destroy(PerpContactFinder *finder)
{
    if (!finder)
        return;
    PerpAllocator allocator = finder->context.allocator;
    perp_broad_destroy(finder->broad);
    perp_free(&allocator, finder->bounds);
    perp_free(&allocator, finder->moved);
    perp_free(&allocator, finder->plane);
    for (int kind = 0; kind < KINDS; kind++)
        free_found(&allocator, &finder->found[kind]);
    free_found(&allocator, &finder->next);
    perp_free(&allocator, finder->contact);
    perp_free(&allocator, finder);
}

// Where a shape may come, and half the margin around it: two such boxes meet if the shapes may come
// within the margin.
static PerpBounds sweep(PerpBounds box, const PerpReach *reach, int body)
{
    double around = 0.5 * reach->margin;
    PerpBounds swept = box;
    if (reach->displacement && body >= 0) {
        around += reach->around[body];
        for (int k = 0; k < PERP_DISPLACEMENTS; k++) {
            PerpVec3 d = reach->displacement[PERP_DISPLACEMENTS * body + k];
            PerpBounds there = {perp_vec3_add(box.lower, d), perp_vec3_add(box.upper, d)};
            swept = perp_bounds_union(swept, there);
        }
    }
    return perp_bounds_grown(swept, around);
}

static void place_shapes(PerpContactFinder *f, const PerpPose *poses, const PerpReach *reach,
                         const Found *last)
{
    for (int i = 0; i < f->model->n_shapes; i++) {
        const PerpModelShape *s = &f->model->shapes[i];
        PerpPose pose = s->body < 0 ? s->pose : perp_pose_product(poses[s->body], s->pose);
        f->bounds[i] = sweep(perp_shape_bounds(&s->shape, pose), reach, s->body);
        f->moved[i] = memcmp(&pose, &last->pose[i], sizeof pose) != 0;
        f->next.pose[i] = pose;
        f->plane[i].is_plane = s->shape.kind == PERP_SHAPE_PLANE;
        if (f->plane[i].is_plane)
            f->plane[i].normal = perp_quat_to_matrix(pose.rotation).z;
    }
}

// margin + max over the displacements |d_a - d_b| + more_a + more_b
static double pair_reach(const PerpModel *model, const PerpReach *reach, PerpPair pair)
{
    int a = model->shapes[pair.a].body, b = model->shapes[pair.b].body;
    double most = 0;
    if (!reach->displacement)
        return reach->margin;
    for (int k = 0; k < PERP_DISPLACEMENTS; k++) {
        PerpVec3 between =
            a < 0 ? (PerpVec3){0, 0, 0} : reach->displacement[PERP_DISPLACEMENTS * a + k];
        if (b >= 0)
            between = perp_vec3_sub(between, reach->displacement[PERP_DISPLACEMENTS * b + k]);
        most = fmax(most, perp_vec3_norm(between));
    }
    return reach->margin + most + (a < 0 ? 0 : reach->more[a]) + (b < 0 ? 0 : reach->more[b]);
}

static bool reserve(PerpContactFinder *f, int pairs, int contacts)
{
    void *pair = f->next.pair, *contact = f->next.contact;
    const PerpAllocator *allocator = &f->context.allocator;
    Found *next = &f->next;
    bool room =
        perp_make_room(allocator, &pair, &next->pair_room, pairs, sizeof *next->pair) &&
        perp_make_room(allocator, &contact, &next->contact_room, contacts, sizeof *next->contact);
    f->next.pair = pair;
    f->next.contact = contact;
    return room;
}

// By feature: an insertion sort, since a pair has few points.
static void sort_by_feature(PerpContactPoint *point, int n)
{
    for (int i = 1; i < n; i++) {
        PerpContactPoint p = point[i];
        int k = i;
        for (; k > 0 && point[k - 1].feature > p.feature; k--)
            point[k] = point[k - 1];
        point[k] = p;
    }
}

static PerpContact contact_of(const PerpModel *model, PerpPair pair, const PerpContactPoint *point)
{
    const PerpModelShape *a = &model->shapes[pair.a], *b = &model->shapes[pair.b];
    uint64_t number = (uint64_t)pair.a * (uint64_t)model->n_shapes + (uint64_t)pair.b;
    return (PerpContact){.id = number << 32 | point->feature,
                         .shape_a = pair.a,
                         .shape_b = pair.b,
                         .body_a = a->body,
                         .body_b = b->body,
                         .surface = perp_model_surface(model, a->material, b->material),
                         .point = *point};
}

// The contacts of a pair, sorted by id; returns their number.
static int collide_pair(const PerpContactFinder *f, PerpPair pair, double margin,
                        PerpContact *contact)
{
    PerpContactPoint point[PERP_CONTACT_POINTS];
    const PerpModelShape *shapes = f->model->shapes;
    int n = perp_collide(&shapes[pair.a].shape, f->next.pose[pair.a], &shapes[pair.b].shape,
                         f->next.pose[pair.b], margin, point);
    sort_by_feature(point, n);
    for (int i = 0; i < n; i++)
        contact[i] = contact_of(f->model, pair, &point[i]);
    return n;
}

// How many pairs of earlier searches have been passed.
typedef struct Passed {
    int last, near; // of the last search of the kind at hand; of the last one for what is near
} Passed;

static bool comes_before(PerpPair p, PerpPair q)
{
    return p.a != q.a ? p.a < q.a : p.b < q.b;
}

// The same pair in an earlier search; NULL: it was not there. Pairs come sorted: `at` is how far
// those of that search have been passed.
static const struct FoundPair *find_pair(const Found *found, PerpPair pair, int *at)
{
    while (*at < found->n_pairs && comes_before(found->pair[*at].pair, pair))
        ++*at;
    if (*at == found->n_pairs || comes_before(pair, found->pair[*at].pair))
        return NULL;
    return &found->pair[*at];
}

// The same pair in the last search, if nothing about it has changed.
static const struct FoundPair *find_same(const PerpContactFinder *f, const Found *last,
                                         PerpPair pair, double margin, int *at)
{
    const struct FoundPair *then = find_pair(last, pair, at);
    bool same = then && !f->moved[pair.a] && !f->moved[pair.b] && then->margin == margin;
    return same ? then : NULL;
}

// Contacts are searched up to a power of two, so that those of bodies at rest can be kept while the
// reach changes a little.
static double rounded_margin(double margin)
{
    int exponent;
    if (!(margin > 0) || !isfinite(margin))
        return margin;
    double fraction = frexp(margin, &exponent);
    return fraction == 0.5 ? margin : ldexp(1, exponent);
}

// Is one of the two a plane that the other, wherever it may come, stays off? Boxes of planes meet
// all others.
static bool stays_off(const PerpContactFinder *f, PerpPair pair, double margin)
{
    int plane = f->plane[pair.a].is_plane ? pair.a : pair.b;
    if (!f->plane[plane].is_plane)
        return false;
    const PerpBounds *box = &f->bounds[pair.a + pair.b - plane];
    PerpVec3 n = f->plane[plane].normal;
    PerpVec3 lowest = {n.x > 0 ? box->lower.x : box->upper.x, n.y > 0 ? box->lower.y : box->upper.y,
                       n.z > 0 ? box->lower.z : box->upper.z};
    double height = perp_vec3_dot(n, perp_vec3_sub(lowest, f->next.pose[plane].position));
    return height > 0.5 * margin; // the other half is in the box
}

static bool is_asked_for(const PerpContactFinder *f, const PerpReach *reach, PerpPair pair)
{
    int a = f->model->shapes[pair.a].body, b = f->model->shapes[pair.b].body;
    return !reach->only || (a >= 0 && reach->only[a]) || (b >= 0 && reach->only[b]);
}

// m: how far any point of a shape has come at the most:  |R x - R' x| <= 2 |q - q'| |x|
static double displacement_since(const PerpContactFinder *f, const Found *then, int shape)
{
    PerpPose was = then->pose[shape], is = f->next.pose[shape];
    PerpQuat p = was.rotation, q = is.rotation;
    double w = q.w - p.w, x = q.x - p.x, y = q.y - p.y, z = q.z - p.z;
    return perp_vec3_norm(perp_vec3_sub(is.position, was.position)) +
           2 * sqrt(w * w + x * x + y * y + z * z) * f->model->shapes[shape].shape.radius;
}

// m: how deep two shapes overlap at the most, by what the last search for what is near knew: they
// were farther apart than its margin, or they are still so far apart along the normal they had.
static double most_overlap(const PerpContactFinder *f, const struct FoundPair *then)
{
    const Found *near = &f->found[NEAR];
    const PerpContact *c = near->contact + then->first, *deepest = c;
    int a = then->pair.a, b = then->pair.b;
    if (then->n == 0)
        return displacement_since(f, near, a) + displacement_since(f, near, b) - then->margin;
    for (int i = 1; i < then->n; i++)
        deepest = c[i].point.gap < deepest->point.gap ? &c[i] : deepest;
    return -perp_separation(&f->model->shapes[a].shape, f->next.pose[a], &f->model->shapes[b].shape,
                            f->next.pose[b], deepest->point.normal);
}

// Points have normals of their own, up to PERP_LEANING off, and may be deeper than their shapes by
// the cosine of that.
static const double LEANING = 1.01;

// Can it be told, for less than a search for the contact takes, that no point of it is as deep as
// one that was found already?
static bool is_shallower(const PerpContactFinder *f, PerpPair pair, int *at)
{
    static const double LIGHT = 1e-5; // of the sizes of the shapes: what manifolds make light of
    const PerpShape *a = &f->model->shapes[pair.a].shape, *b = &f->model->shapes[pair.b].shape;
    const struct FoundPair *then =
        perp_collide_is_searched(a, b) ? find_pair(&f->found[NEAR], pair, at) : NULL;
    return then && LEANING * most_overlap(f, then) + LIGHT * (a->radius + b->radius) < f->deepest;
}

// The margin of a search for the deepest overlap: among triangles, only what is deeper than what
// was found already is looked for.
static double deepest_margin(const PerpContactFinder *f, PerpPair pair)
{
    const PerpModelShape *shapes = f->model->shapes;
    bool triangles = shapes[pair.a].shape.triangles || shapes[pair.b].shape.triangles;
    return triangles ? -f->deepest / LEANING : 0;
}

static double larger_overlap(double deepest, const PerpContact *contact, int n)
{
    for (int i = 0; i < n; i++)
        deepest = perp_larger(deepest, -contact[i].point.gap);
    return deepest;
}

static PerpStatus add_pair(PerpContactFinder *f, const Found *last, PerpPair pair, double reach,
                           bool deepest, Passed *passed)
{
    Found *next = &f->next;
    double margin = deepest ? deepest_margin(f, pair) : rounded_margin(reach);
    const struct FoundPair *same = find_same(f, last, pair, margin, &passed->last);
    if (deepest && !same && is_shallower(f, pair, &passed->near))
        return PERP_OK;
    if (!reserve(f, next->n_pairs + 1, next->n_contacts + PERP_CONTACT_POINTS))
        return PERP_NO_MEMORY;
    PerpContact *to = next->contact + next->n_contacts;
    int n = same ? same->n : collide_pair(f, pair, margin, to);
    if (same)
        memcpy(to, last->contact + same->first, (size_t)n * sizeof *to);
    next->pair[next->n_pairs++] = (struct FoundPair){pair, reach, margin, next->n_contacts, n};
    next->n_contacts += n;
    f->deepest = larger_overlap(f->deepest, to, n);
    return PERP_OK;
}

// The contacts of the search at hand within the reach of their pair.
static PerpStatus choose_contacts(PerpContactFinder *f, int *count)
{
    void *contact = f->contact;
    if (!perp_make_room(&f->context.allocator, &contact, &f->room, f->next.n_contacts,
                        sizeof *f->contact))
        return PERP_NO_MEMORY;
    f->contact = contact;
    *count = 0;
    for (int k = 0; k < f->next.n_pairs; k++) {
        const struct FoundPair *p = &f->next.pair[k];
        for (int i = p->first; i < p->first + p->n; i++)
            if (f->next.contact[i].point.gap <= p->reach)
                f->contact[(*count)++] = f->next.contact[i];
    }
    return PERP_OK;
}

// The search at hand becomes the last of its kind; an unfinished one is forgotten. The next one
// gets as much room, now, so that it makes no heap calls.
static void keep_search(PerpContactFinder *f, Found *last, PerpStatus status)
{
    Found swapped = *last;
    *last = f->next;
    f->next = swapped;
    if (status)
        last->n_pairs = last->n_contacts = 0;
    reserve(f, last->n_pairs, last->n_contacts + PERP_CONTACT_POINTS);
}

PerpStatus perp_contact_finder_find_near(PerpContactFinder *f, const PerpPose *poses,
                                         const PerpReach *reach, const PerpContact **contacts,
                                         int *n_contacts)
{
    const PerpPair *pairs;
    int n_pairs;
    Passed passed = {0, 0};
    Found *last = &f->found[kind_of(reach)];
    f->next.n_pairs = f->next.n_contacts = *n_contacts = 0;
    f->deepest = 0;
    *contacts = f->contact;
    if (f->is_idle)
        return PERP_OK;
    place_shapes(f, poses, reach, last);
    PerpStatus status = perp_broad_find(f->broad, f->model->n_shapes, f->bounds, &pairs, &n_pairs);
    for (int i = 0; i < n_pairs && !status; i++)
        if (!stays_off(f, pairs[i], reach->margin) && is_asked_for(f, reach, pairs[i]) &&
            perp_model_may_touch(f->model, pairs[i].a, pairs[i].b))
            status = add_pair(f, last, pairs[i], pair_reach(f->model, reach, pairs[i]),
                              reach->deepest, &passed);
    if (!status)
        status = choose_contacts(f, n_contacts);
    if (!reach->only) // a part is no search to go on from
        keep_search(f, last, status);
    *contacts = f->contact;
    return status;
}

PerpStatus perp_contact_finder_find(PerpContactFinder *f, const PerpPose *poses, double margin,
                                    const PerpContact **contacts, int *n_contacts)
{
    PerpReach reach = {.margin = margin};
    return perp_contact_finder_find_near(f, poses, &reach, contacts, n_contacts);
}
