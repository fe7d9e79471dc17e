// Nested dissection of a graph: small sets of nodes that cut it into halves, these into halves, and
// so on. Eliminating halves before what separates them leaves less fill in large graphs than a
// minimum degree order alone.
#ifndef PERP_MATH_SPARSE_BLOCK_DISSECT_H
#define PERP_MATH_SPARSE_BLOCK_DISSECT_H

#include "base/memory.h"

// set: n numbers, by which nodes are to be eliminated, from 0 on; nodes of one set in any order.
// start, other: the neighbours of each node, in both directions. False when memory is short.
bool perp_block_dissect(PerpArena *arena, int n, const int *start, const int *other, int *set);

#endif
