// The broad phase: overlapping pairs of boxes by a bounding volume tree, sorted. Pairs are kept
// from search to search: where few boxes have moved far, only theirs are looked for again.
#include "collide/broad.h"

#include "geom/box_tree.h"

// Boxes are searched with some room around them: as long as none leaves its own, pairs that overlap
// are among those that did then.
struct PerpBroad {
    PerpAllocator allocator;
    int room, pair_room; // boxes and pairs that there is memory for
    int n;               // boxes of the last search
    PerpBounds *wide;    // room: the boxes with room around them, owned
    double around;       // m: of boxes without end, as the largest of the others have
    int *left;           // room: numbers of the boxes that have left their room, owned
    int n_left;          //
    bool *has_left;      // room, owned
    PerpBoxTree tree;    // of the finite ones; its arrays are owned
    int n_moved;         // boxes that have left their room since it was built
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
    perp_free(&broad->allocator, broad->left);
    perp_free(&broad->allocator, broad->has_left);
    broad->wide = NULL;
    broad->left = NULL;
    broad->has_left = NULL;
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
    broad->left = perp_allocate(&broad->allocator, (size_t)n, sizeof(int));
    broad->has_left = perp_allocate(&broad->allocator, (size_t)n, sizeof(bool));
    if (!broad->tree.order || !broad->tree.node || !broad->unbounded || !broad->wide ||
        !broad->left || !broad->has_left) {
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

static double longest_side(PerpBounds b)
{
    PerpVec3 e = perp_bounds_extent(b);
    return perp_larger(e.x, perp_larger(e.y, e.z));
}

static PerpBounds widen(const PerpBroad *broad, PerpBounds b)
{
    return perp_bounds_grown(b, is_finite(b) ? ROOM_AROUND * longest_side(b) : broad->around);
}

static void build(PerpBroad *broad, int n, const PerpBounds *bounds)
{
    broad->n = n;
    broad->tree.n = broad->n_unbounded = broad->n_moved = 0;
    broad->tree.box = broad->wide;
    broad->around = 0;
    for (int i = 0; i < n; i++)
        if (is_finite(bounds[i])) {
            broad->tree.order[broad->tree.n++] = i;
            broad->around = perp_larger(broad->around, ROOM_AROUND * longest_side(bounds[i]));
        } else {
            broad->unbounded[broad->n_unbounded++] = i;
        }
    for (int i = 0; i < n; i++)
        broad->wide[i] = widen(broad, bounds[i]);
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

// Room for one more of the pairs that are near.
static bool has_room(PerpBroad *broad)
{
    int room = 2 * broad->pair_room + 64;
    if (broad->n_near < broad->pair_room)
        return true;
    if (!make_room(broad, &broad->near, room) || !make_room(broad, &broad->pair, room)) {
        broad->status = PERP_NO_MEMORY;
        return false;
    }
    broad->pair_room = room;
    return true;
}

static void add_pair(void *user, int other)
{
    PerpBroad *broad = user;
    if (other > broad->searching && has_room(broad))
        broad->near[broad->n_near++] = (PerpPair){broad->searching, other};
}

// All boxes that meet this one.
static void search_box(PerpBroad *broad, int box, void (*add)(void *broad, int other))
{
    broad->searching = box;
    perp_box_tree_visit(&broad->tree, broad->wide[box], add, broad);
    for (int i = 0; i < broad->n_unbounded; i++)
        if (perp_bounds_overlap(&broad->wide[broad->unbounded[i]], &broad->wide[box]))
            add(broad, broad->unbounded[i]);
}

static bool comes_before(PerpPair p, PerpPair q)
{
    return p.a != q.a ? p.a < q.a : p.b < q.b;
}

static void sift_down(PerpPair *pair, int n, int i)
{
    for (int child = 2 * i + 1; child < n; child = 2 * i + 1) {
        if (child + 1 < n && comes_before(pair[child], pair[child + 1]))
            child++;
        if (!comes_before(pair[i], pair[child]))
            return;
        PerpPair swapped = pair[i];
        pair[i] = pair[child];
        pair[child] = swapped;
        i = child;
    }
}

// Heapsort: in place, and n log n whatever comes.
static void sort(PerpPair *pair, int n)
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
        search_box(broad, i, add_pair);
        if (broad->n_near > first)
            sort(broad->near + first, broad->n_near - first);
    }
    if (broad->status)
        broad->n = -1; // nothing to go on with
}

// --- boxes that have left -----------------------------------------------------------------------

static bool is_within(const PerpBounds *box, const PerpBounds *wide)
{
    return box->lower.x >= wide->lower.x && box->upper.x <= wide->upper.x &&
           box->lower.y >= wide->lower.y && box->upper.y <= wide->upper.y &&
           box->lower.z >= wide->lower.z && box->upper.z <= wide->upper.z;
}

static void find_left(PerpBroad *broad, const PerpBounds *bounds)
{
    broad->n_left = 0;
    for (int i = 0; i < broad->n; i++) {
        broad->has_left[i] = !is_within(&bounds[i], &broad->wide[i]);
        if (broad->has_left[i])
            broad->left[broad->n_left++] = i;
    }
}

static void drop_pairs_of_left(PerpBroad *broad)
{
    int kept = 0;
    for (int i = 0; i < broad->n_near; i++)
        if (!broad->has_left[broad->near[i].a] && !broad->has_left[broad->near[i].b])
            broad->near[kept++] = broad->near[i];
    broad->n_near = kept;
}

// Every pair once, behind those that are kept.
static void add_pair_of_left(void *user, int other)
{
    PerpBroad *broad = user;
    int i = broad->searching;
    if (other != i && (other > i || !broad->has_left[other]) && has_room(broad))
        broad->near[broad->n_near++] = i < other ? (PerpPair){i, other} : (PerpPair){other, i};
}

// A tree of which as many boxes have moved as there are is built anew.
static void renew_tree(PerpBroad *broad)
{
    broad->n_moved += broad->n_left;
    if (broad->n_moved < broad->n) {
        perp_box_tree_refit(&broad->tree);
        return;
    }
    perp_box_tree_build(&broad->tree);
    broad->n_moved = 0;
}

// Two sorted runs of the pairs become one.
static void merge(PerpBroad *broad, int first_new)
{
    PerpPair *near = broad->near, *added = broad->pair; // not needed yet
    int kept = first_new - 1, k = broad->n_near - first_new - 1;
    for (int i = 0; i <= k; i++)
        added[i] = near[first_new + i];
    for (int to = broad->n_near - 1; k >= 0; to--)
        near[to] = kept >= 0 && comes_before(added[k], near[kept]) ? near[kept--] : added[k--];
}

static void search_left(PerpBroad *broad, const PerpBounds *bounds)
{
    for (int k = 0; k < broad->n_left; k++)
        broad->wide[broad->left[k]] = widen(broad, bounds[broad->left[k]]);
    drop_pairs_of_left(broad);
    int first_new = broad->n_near;
    renew_tree(broad);
    for (int k = 0; k < broad->n_left && !broad->status; k++)
        search_box(broad, broad->left[k], add_pair_of_left);
    sort(broad->near + first_new, broad->n_near - first_new);
    merge(broad, first_new);
    if (broad->status)
        broad->n = -1; // nothing to go on with
}

// --- both ---------------------------------------------------------------------------------------

// Has a box become infinite, or finite? Then it is in the wrong list.
static bool is_listed(const PerpBroad *broad, const PerpBounds *bounds)
{
    for (int k = 0; k < broad->n_left; k++)
        if (is_finite(bounds[broad->left[k]]) != is_finite(broad->wide[broad->left[k]]))
            return false;
    return true;
}

static void update(PerpBroad *broad, int n, const PerpBounds *bounds)
{
    if (broad->n == n)
        find_left(broad, bounds);
    if (broad->n != n || 2 * broad->n_left > n || !is_listed(broad, bounds))
        search(broad, n, bounds);
    else if (broad->n_left > 0)
        search_left(broad, bounds);
}

PerpStatus perp_broad_find(PerpBroad *broad, int n, const PerpBounds *bounds,
                           const PerpPair **pairs, int *n_pairs)
{
    broad->status = reserve(broad, n);
    if (!broad->status)
        update(broad, n, bounds);
    *pairs = broad->pair;
    *n_pairs = 0;
    for (int i = 0; i < broad->n_near && !broad->status; i++)
        if (perp_bounds_overlap(&bounds[broad->near[i].a], &bounds[broad->near[i].b]))
            broad->pair[(*n_pairs)++] = broad->near[i];
    return broad->status;
}
