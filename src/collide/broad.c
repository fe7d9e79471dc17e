// The broad phase: overlapping pairs of boxes by a bounding volume tree, sorted.
#include "collide/broad.h"

#include "geom/box_tree.h"

// Boxes are searched with some room around them: as long as none leaves its own, pairs that overlap
// are among those that did then.
struct PerpBroad {
    PerpAllocator allocator;
    int room, pair_room; // boxes and pairs that there is memory for
    int n;               // boxes of the last search
    PerpBounds *wide;    // room: the boxes with room around them, owned
    PerpBoxTree tree;    // of the finite ones; its arrays are owned
    int *unbounded;      // room: numbers of the other boxes, owned
    int n_unbounded;     //
    PerpPair *near;      // pair_room: whose wide boxes overlap, sorted, owned
    int n_near;          //
    PerpPair *pair;      // pair_room: of those, whose boxes overlap, owned
    int searching;       // the box whose pairs are being searched
    PerpStatus status;   // NO_MEMORY if pairs did not find room
};

static const double ROOM_AROUND = 0.1; // of the longest side

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
    perp_free(&broad->allocator, broad->wide);
    broad->wide = NULL;
    broad->tree = (PerpBoxTree){0};
    broad->unbounded = NULL;
    broad->room = broad->n = 0;
}

void perp_broad_destroy(PerpBroad *broad)
{
    if (!broad)
        return;
    free_boxes(broad);
    PerpAllocator allocator = broad->allocator;
    perp_free(&allocator, broad->near);
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
    broad->wide = perp_allocate(&broad->allocator, (size_t)n, sizeof(PerpBounds));
    if (!broad->tree.order || !broad->tree.node || !broad->unbounded || !broad->wide) {
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
    broad->n = n;
    broad->tree.n = broad->n_unbounded = 0;
    broad->tree.box = broad->wide;
    for (int i = 0; i < n; i++) {
        PerpVec3 e = perp_bounds_extent(bounds[i]);
        bool finite = is_finite(bounds[i]);
        double longest = perp_larger(e.x, perp_larger(e.y, e.z));
        broad->wide[i] = finite ? perp_bounds_grown(bounds[i], ROOM_AROUND * longest) : bounds[i];
        if (finite)
            broad->tree.order[broad->tree.n++] = i;
        else
            broad->unbounded[broad->n_unbounded++] = i;
    }
    perp_box_tree_build(&broad->tree);
}

static bool make_room(PerpBroad *broad, PerpPair **pair, int room)
{
    PerpPair *larger = perp_resize(&broad->allocator, *pair, (size_t)room, sizeof *larger);
    if (!larger)
        return false;
    *pair = larger;
    return true;
}

static void add_pair(void *user, int other)
{
    PerpBroad *broad = user;
    int room = 2 * broad->pair_room + 64;
    if (other <= broad->searching)
        return;
    if (broad->n_near == broad->pair_room) {
        if (!make_room(broad, &broad->near, room) || !make_room(broad, &broad->pair, room)) {
            broad->status = PERP_NO_MEMORY;
            return;
        }
        broad->pair_room = room;
    }
    broad->near[broad->n_near++] = (PerpPair){broad->searching, other};
}

static void search_unbounded(PerpBroad *broad, int box)
{
    for (int i = 0; i < broad->n_unbounded; i++)
        if (perp_bounds_overlap(&broad->wide[broad->unbounded[i]], &broad->wide[box]))
            add_pair(broad, broad->unbounded[i]);
}

static void sift_down(PerpPair *pair, int n, int i)
{
    for (int child = 2 * i + 1; child < n; child = 2 * i + 1) {
        if (child + 1 < n && pair[child + 1].b > pair[child].b)
            child++;
        if (pair[i].b >= pair[child].b)
            return;
        PerpPair swapped = pair[i];
        pair[i] = pair[child];
        pair[child] = swapped;
        i = child;
    }
}

// Heapsort by b: in place, and n log n whatever comes.
static void sort_by_second(PerpPair *pair, int n)
{
    for (int i = n / 2 - 1; i >= 0; i--)
        sift_down(pair, n, i);
    for (int last = n - 1; last > 0; last--) {
        PerpPair swapped = pair[0];
        pair[0] = pair[last];
        pair[last] = swapped;
        sift_down(pair, last, 0);
    }
}

static void search(PerpBroad *broad, int n, const PerpBounds *bounds)
{
    broad->n_near = 0;
    build(broad, n, bounds);
    for (int i = 0; i < n && !broad->status; i++) {
        int first = broad->n_near;
        broad->searching = i;
        perp_box_tree_visit(&broad->tree, broad->wide[i], add_pair, broad);
        search_unbounded(broad, i);
        if (broad->n_near > first)
            sort_by_second(broad->near + first, broad->n_near - first);
    }
    if (broad->status)
        broad->n = -1; // nothing to go on with
}

static bool is_within(const PerpBounds *box, const PerpBounds *wide)
{
    return box->lower.x >= wide->lower.x && box->upper.x <= wide->upper.x &&
           box->lower.y >= wide->lower.y && box->upper.y <= wide->upper.y &&
           box->lower.z >= wide->lower.z && box->upper.z <= wide->upper.z;
}

static bool are_within(const PerpBroad *broad, int n, const PerpBounds *bounds)
{
    if (broad->n != n)
        return false;
    for (int i = 0; i < n; i++)
        if (!is_within(&bounds[i], &broad->wide[i]))
            return false;
    return true;
}

PerpStatus perp_broad_find(PerpBroad *broad, int n, const PerpBounds *bounds,
                           const PerpPair **pairs, int *n_pairs)
{
    broad->status = reserve(broad, n);
    if (!broad->status && !are_within(broad, n, bounds))
        search(broad, n, bounds);
    *pairs = broad->pair;
    *n_pairs = 0;
    for (int i = 0; i < broad->n_near && !broad->status; i++)
        if (perp_bounds_overlap(&bounds[broad->near[i].a], &bounds[broad->near[i].b]))
            broad->pair[(*n_pairs)++] = broad->near[i];
    return broad->status;
}
