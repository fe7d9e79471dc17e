#include "base/memory.h"
#include "collide/collide.h"
#include "geom/bounds.h"
#include "geom/box_tree.h"

struct PerpBroad {
    PerpAllocator allocator;
    int room, pair_room; // boxes and pairs that there is memory for
    PerpBoxTree tree;    // of the finite boxes; its arrays are owned
    int *unbounded;      // room: numbers of the other boxes, owned
    int n_unbounded;     //
    PerpPair *pair;      // pair_room, owned
    int n_pairs;
    int searching;     // the box whose pairs are being searched
    PerpStatus status; // NO_MEMORY if pairs did not find room
};

PerpStatus perp_broad_create(const PerpAllocator *allocator, PerpBroad **broad)
{
    *broad = perp_allocate(allocator, 1, sizeof(PerpBroad));
    if (!*broad)
        return PERP_NO_MEMORY;
    (*broad)->allocator = *allocator;
    return PERP_OK;
}

static void free_boxes(PerpBroad *broad)
{
    perp_free(&broad->allocator, broad->tree.order);
    perp_free(&broad->allocator, broad->tree.node);
    perp_free(&broad->allocator, broad->unbounded);
    broad->tree = (PerpBoxTree){0};
    broad->unbounded = NULL;
    broad->room = 0;
}

void perp_broad_destroy(PerpBroad *broad)
{
    if (!broad)
        return;
    free_boxes(broad);
    PerpAllocator allocator = broad->allocator;
    perp_free(&allocator, broad->pair);
    perp_free(&allocator, broad);
}

static PerpStatus reserve(PerpBroad *broad, int n)
{
    if (n <= broad->room)
        return PERP_OK;
    free_boxes(broad);
    broad->tree.order = perp_allocate(&broad->allocator, (size_t)n, sizeof(int));
    broad->tree.node = perp_allocate(&broad->allocator, 2 * (size_t)n, sizeof(PerpTreeNode));
    broad->unbounded = perp_allocate(&broad->allocator, (size_t)n, sizeof(int));
    if (!broad->tree.order || !broad->tree.node || !broad->unbounded) {
        free_boxes(broad);
        return PERP_NO_MEMORY;
    }
    broad->room = n;
    return PERP_OK;
}

static bool is_finite(PerpBounds b)
{
    return isfinite(b.lower.x) && isfinite(b.lower.y) && isfinite(b.lower.z) &&
           isfinite(b.upper.x) && isfinite(b.upper.y) && isfinite(b.upper.z);
}

static void build(PerpBroad *broad, int n, const PerpBounds *bounds)
{
    broad->tree.n = broad->n_unbounded = 0;
    broad->tree.box = bounds;
    for (int i = 0; i < n; i++) {
        if (is_finite(bounds[i]))
            broad->tree.order[broad->tree.n++] = i;
        else
            broad->unbounded[broad->n_unbounded++] = i;
    }
    perp_box_tree_build(&broad->tree);
}

static void add_pair(void *user, int other)
{
    PerpBroad *broad = user;
    if (other <= broad->searching)
        return;
    if (broad->n_pairs == broad->pair_room) {
        int room = 2 * broad->pair_room + 64;
        PerpPair *larger =
            perp_resize(&broad->allocator, broad->pair, (size_t)room, sizeof *larger);
        if (!larger) {
            broad->status = PERP_NO_MEMORY;
            return;
        }
        broad->pair = larger;
        broad->pair_room = room;
    }
    broad->pair[broad->n_pairs++] = (PerpPair){broad->searching, other};
}

static void search_unbounded(PerpBroad *broad, const PerpBounds *bounds, int box)
{
    for (int i = 0; i < broad->n_unbounded; i++)
        if (perp_bounds_overlap(&bounds[broad->unbounded[i]], &bounds[box]))
            add_pair(broad, broad->unbounded[i]);
}

static void sift_down(PerpPair *pair, int n, int i)
{
    for (int child = 2 * i + 1; child < n; child = 2 * i + 1) {
        if (child + 1 < n && pair[child + 1].b > pair[child].b)
            child++;
        if (pair[i].b >= pair[child].b)
            return;
        PerpPair kept = pair[i];
        pair[i] = pair[child];
        pair[child] = kept;
        i = child;
    }
}

// Heapsort by b: in place, and n log n whatever comes.
static void sort_by_second(PerpPair *pair, int n)
{
    for (int i = n / 2 - 1; i >= 0; i--)
        sift_down(pair, n, i);
    for (int last = n - 1; last > 0; last--) {
        PerpPair kept = pair[0];
        pair[0] = pair[last];
        pair[last] = kept;
        sift_down(pair, last, 0);
    }
}

PerpStatus perp_broad_find(PerpBroad *broad, int n, const PerpBounds *bounds,
                           const PerpPair **pairs, int *n_pairs)
{
    broad->status = reserve(broad, n);
    broad->n_pairs = 0;
    if (!broad->status)
        build(broad, n, bounds);
    for (int i = 0; i < n && !broad->status; i++) {
        int first = broad->n_pairs;
        broad->searching = i;
        perp_box_tree_visit(&broad->tree, bounds[i], add_pair, broad);
        search_unbounded(broad, bounds, i);
        sort_by_second(broad->pair + first, broad->n_pairs - first);
    }
    *pairs = broad->pair;
    *n_pairs = broad->status ? 0 : broad->n_pairs;
    return broad->status;
}
