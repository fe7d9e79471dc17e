#include "base/memory.h"
#include "collide/collide.h"
#include "geom/bounds.h"

struct PerpContactFinder {
    PerpContext context;
    const PerpModel *model; // borrowed
    PerpBroad *broad;       // owned
    PerpPose *pose;         // n_shapes: in the world, owned
    PerpBounds *bounds;     // n_shapes, owned
    PerpContact *contact;   // room, owned
    int n_contacts, room;
};

enum { LARGEST_MODEL = 1 << 16 }; // shapes: their pair and the feature fill the 64 bits of an id

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
    f->pose = perp_allocate(allocator, (size_t)model->n_shapes, sizeof *f->pose);
    f->bounds = perp_allocate(allocator, (size_t)model->n_shapes, sizeof *f->bounds);
    PerpStatus status = perp_broad_create(allocator, &f->broad);
    if (!status && (!f->pose || !f->bounds))
        status = PERP_NO_MEMORY;
    if (status)
        perp_contact_finder_destroy(f);
    else
        *finder = f;
    return status;
}

void perp_contact_finder_destroy(PerpContactFinder *finder)
{
    if (!finder)
        return;
    PerpAllocator allocator = finder->context.allocator;
    perp_broad_destroy(finder->broad);
    perp_free(&allocator, finder->pose);
    perp_free(&allocator, finder->bounds);
    perp_free(&allocator, finder->contact);
    perp_free(&allocator, finder);
}

// Two boxes, each grown by half the margin, meet if the shapes may be within it.
static void place_shapes(PerpContactFinder *f, const PerpPose *poses, double margin)
{
    for (int i = 0; i < f->model->n_shapes; i++) {
        const PerpModelShape *s = &f->model->shapes[i];
        f->pose[i] = s->body < 0 ? s->pose : perp_pose_product(poses[s->body], s->pose);
        PerpBounds box = perp_shape_bounds(&s->shape, f->pose[i]);
        f->bounds[i] = perp_bounds_grown(box, 0.5 * margin);
    }
}

static PerpStatus reserve(PerpContactFinder *f, int n)
{
    if (n <= f->room)
        return PERP_OK;
    int room = 2 * n + PERP_CONTACT_POINTS;
    PerpContact *larger =
        perp_resize(&f->context.allocator, f->contact, (size_t)room, sizeof *larger);
    if (!larger)
        return PERP_NO_MEMORY;
    f->contact = larger;
    f->room = room;
    return PERP_OK;
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

static PerpStatus collide_pair(PerpContactFinder *f, PerpPair pair, double margin)
{
    PerpContactPoint point[PERP_CONTACT_POINTS];
    const PerpModelShape *shapes = f->model->shapes;
    int n = perp_collide(&shapes[pair.a].shape, f->pose[pair.a], &shapes[pair.b].shape,
                         f->pose[pair.b], margin, point);
    PerpStatus status = reserve(f, f->n_contacts + n);
    if (status)
        return status;
    sort_by_feature(point, n);
    for (int i = 0; i < n; i++)
        f->contact[f->n_contacts++] = contact_of(f->model, pair, &point[i]);
    return PERP_OK;
}

PerpStatus perp_contact_finder_find(PerpContactFinder *f, const PerpPose *poses, double margin,
                                    const PerpContact **contacts, int *n_contacts)
{
    const PerpPair *pairs;
    int n_pairs;
    place_shapes(f, poses, margin);
    f->n_contacts = 0;
    PerpStatus status = perp_broad_find(f->broad, f->model->n_shapes, f->bounds, &pairs, &n_pairs);
    for (int i = 0; i < n_pairs && !status; i++)
        if (perp_model_may_touch(f->model, pairs[i].a, pairs[i].b))
            status = collide_pair(f, pairs[i], margin);
    *contacts = f->contact;
    *n_contacts = status ? 0 : f->n_contacts;
    return status;
}
