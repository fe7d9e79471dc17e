#include "base/memory.h"
#include "collide/collide.h"

#include <stdlib.h>

// A box on the sweep. Sorted by its lower end along the axis; equal ends by number, so that the
// order does not depend on how the sort works.
typedef struct Item {
    double lower, upper; // along the sweep axis
    int box;
} Item;

struct PerpBroad {
    PerpAllocator allocator;
    int item_room, pair_room, n_pairs;
    Item *item;     // item_room, owned
    PerpPair *pair; // pair_room, owned
};

PerpStatus perp_broad_create(const PerpAllocator *allocator, PerpBroad **broad)
{
    *broad = perp_allocate(allocator, 1, sizeof(PerpBroad));
    if (!*broad)
        return PERP_NO_MEMORY;
    (*broad)->allocator = *allocator;
    return PERP_OK;
}

void perp_broad_destroy(PerpBroad *broad)
{
    if (!broad)
        return;
    PerpAllocator allocator = broad->allocator;
    perp_free(&allocator, broad->item);
    perp_free(&allocator, broad->pair);
    perp_free(&allocator, broad);
}
