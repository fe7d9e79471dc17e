// A balanced tree of axis-aligned boxes: which of many boxes meet a given one.
#ifndef PERP_GEOM_BOX_TREE_H
#define PERP_GEOM_BOX_TREE_H

#include "geom/bounds.h"

// Inner nodes have their children at `first` and first + 1, leaves their boxes at order[first] ..
// order[first + count - 1].
typedef struct PerpTreeNode {
    PerpBounds bounds;
    int first, count; // count = 0: an inner node
} PerpTreeNode;

// Memory is the caller's: n numbers for order, 2 n nodes. The boxes must be finite.
typedef struct PerpBoxTree {
    int n, n_nodes;
    const PerpBounds *box; // n, borrowed
    int *order;            // n
    PerpTreeNode *node;    // the root first
} PerpBoxTree;

// From box, order (the numbers of the boxes to put in, n of them) and room for nodes. Halves the
// boxes at the median along the longest side: cost n log n, depth log2 n.
void perp_box_tree_build(PerpBoxTree *tree);

// After boxes have changed: the nodes hold them again, in the order they were put in.
void perp_box_tree_refit(PerpBoxTree *tree);

// Calls visit for every box of the tree that meets `box`, in a fixed order.
void perp_box_tree_visit(const PerpBoxTree *tree, PerpBounds box,
                         void (*visit)(void *user, int number), void *user);

#endif
