#include "math/sparse/block_order.h"

#include "math/sparse/block_dissect.h"

#include <string.h>
#include <suitesparse/amd.h>
#include <suitesparse/camd.h>

enum { DISSECTED = 1500 }; // blocks, from which on dissection is tried

// The neighbours of each block, in both directions, each once.
static bool build_graph(PerpArena *arena, int n, int pairs, const int *i, const int *j,
                        PerpBlockOrder *order)
{
    int *seen = PERP_TAKE(arena, int, n), *all_start = PERP_TAKE(arena, int, n + 2);
    int *all = PERP_TAKE(arena, int, 2 * pairs);
    order->start = PERP_TAKE(arena, int, n + 1);
    order->other = PERP_TAKE(arena, int, 2 * pairs);
    if (!seen || !all_start || !all || !order->start || !order->other)
        return false;
    for (int k = 0; k < pairs; k++) {
        all_start[i[k] + 2]++;
        all_start[j[k] + 2]++;
    }
    for (int k = 0; k < n; k++)
        all_start[k + 2] += all_start[k + 1];
    for (int k = 0; k < pairs; k++) {
        all[all_start[i[k] + 1]++] = j[k];
        all[all_start[j[k] + 1]++] = i[k];
    }
    memset(seen, -1, (size_t)n * sizeof(int));
    int used = 0;
    for (int k = 0; k < n; k++) {
        order->start[k] = used;
        seen[k] = k;
        for (int e = all_start[k]; e < all_start[k + 1]; e++)
            if (seen[all[e]] != k) {
                seen[all[e]] = k;
                order->other[used++] = all[e];
            }
    }
    order->start[n] = used;
    return true;
}

// --- orders -------------------------------------------------------------------------------------

// Minimum degree [AMD], of the nodes of one set after the other if there are sets [CAMD]. Both
// destroy their copy of the graph.
static bool find_order(PerpArena *arena, PerpBlockOrder *order, const int *set)
{
    int n = order->n, used = order->start[n], room = used + used / 5 + n + 1;
    PerpArenaMark mark = perp_arena_mark(arena);
    int *other = PERP_TAKE(arena, int, room), *work = PERP_TAKE(arena, int, 10 * n + 2);
    double control[AMD_CONTROL > CAMD_CONTROL ? AMD_CONTROL : CAMD_CONTROL];
    if (!other || !work)
        return false;
    int *at = work, *length = at + n, *size = length + n, *last = size + n, *degree = last + n;
    int *elements = degree + n, *bucket = elements + n, *w = bucket + n, *head = w + n + 1;
    memcpy(other, order->other, (size_t)used * sizeof(int));
    memcpy(at, order->start, (size_t)n * sizeof(int));
    for (int k = 0; k < n; k++)
        length[k] = order->start[k + 1] - order->start[k];
    if (set) {
        camd_defaults(control);
        camd_2(n, at, other, length, room, used, size, order->order, last, head, elements, degree,
               w, control, NULL, set, bucket);
    } else {
        amd_defaults(control);
        amd_2(n, at, other, length, room, used, size, order->order, last, head, elements, degree, w,
              control, NULL);
    }
    memcpy(order->order, last, (size_t)n * sizeof(int));
    perp_arena_release(arena, mark);
    return true;
}

// --- the elimination tree -----------------------------------------------------------------------

static void find_places(PerpBlockOrder *order)
{
    for (int k = 0; k < order->n; k++)
        order->place[order->order[k]] = k;
}

// [Liu 1990]
static void find_tree(PerpBlockOrder *order)
{
    int *ancestor = order->mark;
    for (int k = 0; k < order->n; k++) {
        int block = order->order[k];
        order->parent[k] = ancestor[k] = -1;
        for (int e = order->start[block]; e < order->start[block + 1]; e++)
            for (int j = order->place[order->other[e]], up; j >= 0 && j < k; j = up) {
                up = ancestor[j];
                ancestor[j] = k;
                if (up < 0)
                    order->parent[j] = k;
            }
    }
}

// Row k reaches the columns on the paths from its neighbours up the tree.
static void count_rows(PerpBlockOrder *order)
{
    memset(order->count, 0, (size_t)order->n * sizeof(int));
    memset(order->mark, -1, (size_t)order->n * sizeof(int));
    for (int k = 0; k < order->n; k++) {
        int block = order->order[k];
        order->mark[k] = k;
        for (int e = order->start[block]; e < order->start[block + 1]; e++)
            for (int j = order->place[order->other[e]]; j < k && order->mark[j] != k;
                 j = order->parent[j]) {
                order->mark[j] = k;
                order->count[j]++;
            }
    }
}

// Postorder: a column stands behind the last of its subtree. The child with the most rows comes
// last, as it is the most like its parent. Takes `head` and `next`, n each, and the mark.
static void sort_tree(PerpBlockOrder *order, int *head, int *next)
{
    int n = order->n, *stack = order->mark, depth = 0, used = 0, roots = -1;
    memset(head, -1, (size_t)n * sizeof(int));
    for (int k = 0; k < n; k++) {
        int *list = order->parent[k] < 0 ? &roots : &head[order->parent[k]];
        bool fewer = *list >= 0 && order->count[k] < order->count[*list];
        if (fewer) { // that one stays the first of the list, which is the last to be visited
            next[k] = next[*list];
            next[*list] = k;
        } else {
            next[k] = *list;
            *list = k;
        }
    }
    for (int r = roots; r >= 0; r = next[r])
        stack[depth++] = r;
    // roots and children are pushed with the one of most rows at the bottom: visited last
    while (depth > 0) {
        int k = stack[depth - 1], child = head[k];
        if (child < 0) {
            depth--;
            order->place[k] = used++;
            continue;
        }
        head[k] = -1;
        for (; child >= 0; child = next[child])
            stack[depth++] = child;
    }
}

// Renumbers by the postorder that sort_tree left in `place`.
static void renumber(PerpBlockOrder *order, int *old)
{
    memcpy(old, order->order, (size_t)order->n * sizeof(int));
    for (int k = 0; k < order->n; k++)
        order->order[order->place[k]] = old[k];
    find_places(order);
    find_tree(order);
    count_rows(order);
}

static double work_of(const PerpBlockOrder *order)
{
    double work = 0;
    for (int k = 0; k < order->n; k++)
        work += (double)order->count[k] * order->count[k];
    return work;
}

static bool take(PerpArena *arena, int n, PerpBlockOrder *order)
{
    order->place = PERP_TAKE(arena, int, n);
    order->order = PERP_TAKE(arena, int, n);
    order->parent = PERP_TAKE(arena, int, n);
    order->count = PERP_TAKE(arena, int, n);
    order->mark = PERP_TAKE(arena, int, n);
    return order->place && order->order && order->parent && order->count && order->mark;
}

static bool try_order(PerpArena *arena, PerpBlockOrder *order, const int *set)
{
    if (!find_order(arena, order, set))
        return false;
    find_places(order);
    find_tree(order);
    count_rows(order);
    return true;
}

// Dissection, if it means less work.
static bool try_dissection(PerpArena *arena, PerpBlockOrder *order)
{
    PerpBlockOrder other = *order;
    int *set = PERP_TAKE(arena, int, order->n);
    if (!set || !take(arena, order->n, &other) ||
        !perp_block_dissect(arena, order->n, order->start, order->other, set) ||
        !try_order(arena, &other, set))
        return false;
    if (work_of(&other) < work_of(order))
        *order = other;
    return true;
}

bool perp_block_order_find(PerpArena *arena, int n, int pairs, const int *i, const int *j,
                           PerpBlockOrder *order)
{
    *order = (PerpBlockOrder){.n = n};
    int *head = PERP_TAKE(arena, int, n), *next = PERP_TAKE(arena, int, n);
    if (!head || !next || !take(arena, n, order) || !build_graph(arena, n, pairs, i, j, order) ||
        !try_order(arena, order, NULL) || (n >= DISSECTED && !try_dissection(arena, order)))
        return false;
    sort_tree(order, head, next);
    renumber(order, head);
    return true;
}
