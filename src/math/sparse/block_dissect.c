#include "math/sparse/block_dissect.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    SMALLEST = 250, // nodes of a part that is cut
    LANDMARKS = 6,
    PAIRS = LANDMARKS * (LANDMARKS - 1) / 2,
    TRIED = 4, // of them
    SMOOTHINGS = 12,
    PASSES = 6,   // over a separator
    PATIENCE = 60 // moves in a row that do not improve it
};
static const double MOST = 0.58; // of the nodes, on one side

enum { LEFT, RIGHT, BETWEEN, OUTSIDE }; // sides

typedef struct Value {
    double value;
    int node;
} Value;

typedef struct Pair { // of landmarks
    int from, to;
    double cost;
} Pair;

typedef struct Dissection {
    int n;
    const int *start, *other;
    int *set, next; // result; number of the next set
    int *side;      // n
    int *node;      // n, in the order of parts
    int *distance;  // n from each landmark
    int *nearest;   // n
    int *best;      // n: side
    int *queue;     // n
    double *f, *g;  // n
    Value *sorted;  // n
    int *between;   // n: the separator
    int *moved;     // n: number of the pass in which it was moved
    int *
        journal; // 3 n: moves of a pass, 4 node + side before; a node moves once, is drawn in twice
    int pass;
} Dissection;

// --- a first cut --------------------------------------------------------------------------------

// Distances from a node within the part; returns how many were reached, the farthest last in the
// queue.
static int measure(Dissection *d, int count, const int *node, int from, int *distance)
{
    int reached = 0;
    for (int k = 0; k < count; k++)
        distance[node[k]] = -1;
    distance[from] = 0;
    d->queue[reached++] = from;
    for (int at = 0; at < reached; at++)
        for (int v = d->queue[at], e = d->start[v]; e < d->start[v + 1]; e++)
            if (d->side[d->other[e]] != OUTSIDE && distance[d->other[e]] < 0) {
                distance[d->other[e]] = distance[v] + 1;
                d->queue[reached++] = d->other[e];
            }
    return reached;
}

// Landmarks at the ends and corners of the part: each the farthest from those before.
static void find_landmarks(Dissection *d, int count, const int *node)
{
    int at = d->queue[count - 1];
    for (int k = 0; k < count; k++)
        d->nearest[node[k]] = count;
    for (int l = 0; l < LANDMARKS; l++) {
        int *distance = d->distance + (size_t)l * (size_t)d->n;
        measure(d, count, node, at, distance);
        for (int k = 0; k < count; k++) {
            int v = node[k];
            d->nearest[v] = distance[v] < d->nearest[v] ? distance[v] : d->nearest[v];
            if (d->nearest[v] > d->nearest[at])
                at = v;
        }
    }
}

// How much nearer a node is to one landmark than to another: where it is 0, the plane between them.
static int height(const Dissection *d, Pair pair, int v)
{
    return d->distance[(size_t)pair.from * (size_t)d->n + (size_t)v] -
           d->distance[(size_t)pair.to * (size_t)d->n + (size_t)v];
}

// Size of the cut at height 0 against the balance that it leaves.
static double judge(const Dissection *d, int count, const int *node, Pair pair)
{
    int below = 0, border = 0;
    for (int k = 0; k < count; k++) {
        int v = node[k];
        if (height(d, pair, v) >= 0)
            continue;
        below++;
        for (int e = d->start[v]; e < d->start[v + 1]; e++)
            if (d->side[d->other[e]] != OUTSIDE && height(d, pair, d->other[e]) >= 0) {
                border++;
                break;
            }
    }
    int smaller = below < count - below ? below : count - below;
    return smaller > 0 ? border / sqrt((double)smaller) : INFINITY;
}

static int compare_pairs(const void *a, const void *b)
{
    const Pair *x = a, *y = b;
    if (x->cost != y->cost)
        return x->cost < y->cost ? -1 : 1;
    return x->from != y->from ? x->from - y->from : x->to - y->to;
}

static void rank_pairs(const Dissection *d, int count, const int *node, Pair pair[PAIRS])
{
    int used = 0;
    for (int i = 0; i < LANDMARKS; i++)
        for (int j = 0; j < i; j++) {
            pair[used] = (Pair){i, j, 0};
            pair[used].cost = judge(d, count, node, pair[used]);
            used++;
        }
    qsort(pair, PAIRS, sizeof(Pair), compare_pairs);
}

// f: the heights, smoothed by means over neighbours.
static void smooth(Dissection *d, int count, const int *node, Pair pair)
{
    for (int k = 0; k < count; k++)
        d->f[node[k]] = height(d, pair, node[k]);
    for (int turn = 0; turn < SMOOTHINGS; turn++) {
        for (int k = 0; k < count; k++) {
            int v = node[k], degree = 1;
            double sum = d->f[v];
            for (int e = d->start[v]; e < d->start[v + 1]; e++)
                if (d->side[d->other[e]] != OUTSIDE) {
                    sum += d->f[d->other[e]];
                    degree++;
                }
            d->g[v] = sum / degree;
        }
        double *kept = d->f;
        d->f = d->g;
        d->g = kept;
    }
}

static int compare_values(const void *a, const void *b)
{
    const Value *x = a, *y = b;
    if (x->value != y->value)
        return x->value < y->value ? -1 : 1;
    return (x->node > y->node) - (x->node < y->node);
}

static int count_on(const Dissection *d, int v, int side)
{
    int count = 0;
    for (int e = d->start[v]; e < d->start[v + 1]; e++)
        count += d->side[d->other[e]] == side;
    return count;
}

// Half of the nodes on either side by height; those on the left that touch the right between.
static void cut(Dissection *d, int count, const int *node, int size[3])
{
    for (int k = 0; k < count; k++)
        d->sorted[k] = (Value){d->f[node[k]], node[k]};
    qsort(d->sorted, (size_t)count, sizeof(Value), compare_values);
    for (int k = 0; k < count; k++)
        d->side[d->sorted[k].node] = k < count / 2 ? LEFT : RIGHT;
    size[RIGHT] = count - count / 2;
    size[BETWEEN] = 0;
    for (int k = 0; k < count / 2; k++)
        if (count_on(d, d->sorted[k].node, RIGHT) > 0)
            d->between[size[BETWEEN]++] = d->sorted[k].node;
    for (int k = 0; k < size[BETWEEN]; k++)
        d->side[d->between[k]] = BETWEEN;
    size[LEFT] = count / 2 - size[BETWEEN];
}

// --- a smaller one ------------------------------------------------------------------------------

// Fiduccia and Mattheyses for separators: the move out of the separator that makes it smallest,
// also where it grows for a while; then back to the best.

static void put(Dissection *d, int v, int side, int size[3])
{
    size[d->side[v]]--;
    size[side]++;
    d->side[v] = side;
    if (side == BETWEEN)
        d->between[size[BETWEEN] - 1] = v;
}

// The best node and side; -1 if none may move.
static int choose(const Dissection *d, const int size[3], int most, int *side)
{
    int best = -1, best_gain = 0;
    for (int k = 0; k < size[BETWEEN]; k++)
        for (int to = LEFT; to <= RIGHT && d->moved[d->between[k]] != d->pass; to++) {
            int gain = 1 - count_on(d, d->between[k], LEFT + RIGHT - to);
            bool better = gain > best_gain || (gain == best_gain && size[to] < size[*side]);
            if (size[to] < most && (best < 0 || better)) {
                best = k;
                best_gain = gain;
                *side = to;
            }
        }
    return best;
}

// Moves the k-th node of the separator; its neighbours on the other side take its place.
static void move(Dissection *d, int k, int side, int size[3], int *written)
{
    int v = d->between[k], against = LEFT + RIGHT - side;
    d->between[k] = d->between[size[BETWEEN] - 1];
    put(d, v, side, size);
    d->moved[v] = d->pass;
    d->journal[(*written)++] = 4 * v + BETWEEN;
    for (int e = d->start[v]; e < d->start[v + 1]; e++)
        if (d->side[d->other[e]] == against) {
            d->journal[(*written)++] = 4 * d->other[e] + against;
            put(d, d->other[e], BETWEEN, size);
        }
}

static void undo(Dissection *d, int from, int to, int size[3])
{
    for (int k = to - 1; k >= from; k--) {
        int v = d->journal[k] / 4;
        size[d->side[v]]--;
        d->side[v] = d->journal[k] % 4;
        size[d->side[v]]++;
    }
}

static void list_between(Dissection *d, int count, const int *node)
{
    for (int k = 0, used = 0; k < count; k++)
        if (d->side[node[k]] == BETWEEN)
            d->between[used++] = node[k];
}

// True if it got smaller.
static bool refine(Dissection *d, int count, const int *node, int size[3])
{
    int first = size[BETWEEN], best = first, best_at = 0, written = 0, idle = 0, side = LEFT;
    int most = (int)(MOST * count);
    d->pass++;
    while (idle++ < PATIENCE) {
        int k = choose(d, size, most, &side);
        if (k < 0)
            break;
        move(d, k, side, size, &written);
        if (size[BETWEEN] < best) {
            best = size[BETWEEN];
            best_at = written;
            idle = 0;
        }
    }
    undo(d, best_at, written, size);
    list_between(d, count, node);
    return best < first;
}

// --- recursion ----------------------------------------------------------------------------------

static void close(Dissection *d, int count, const int *node)
{
    for (int k = 0; k < count; k++) {
        d->set[node[k]] = d->next;
        d->side[node[k]] = OUTSIDE;
    }
    d->next += count > 0;
}

// Sorts the nodes by their side.
static void part(Dissection *d, int count, int *node, int size[3])
{
    int at[3] = {0, size[LEFT], size[LEFT] + size[RIGHT]};
    for (int k = 0; k < count; k++)
        d->queue[at[d->side[node[k]]]++] = node[k];
    for (int k = 0; k < count; k++)
        node[k] = d->queue[k];
}

static void mark(Dissection *d, int count, const int *node, int side)
{
    for (int k = 0; k < count; k++)
        d->side[node[k]] = side;
}

// The best of the cuts between landmarks.
static void separate(Dissection *d, int count, const int *node, int size[3])
{
    Pair pair[PAIRS];
    int tried[3];
    size[BETWEEN] = count;
    find_landmarks(d, count, node);
    rank_pairs(d, count, node, pair);
    for (int t = 0; t < TRIED; t++) {
        smooth(d, count, node, pair[t]);
        cut(d, count, node, tried);
        for (int pass = 0; pass < PASSES && refine(d, count, node, tried); pass++) {
        }
        if (tried[BETWEEN] < size[BETWEEN]) {
            memcpy(size, tried, sizeof tried);
            for (int k = 0; k < count; k++)
                d->best[node[k]] = d->side[node[k]];
        }
    }
    for (int k = 0; k < count; k++)
        d->side[node[k]] = d->best[node[k]];
}

static void split(Dissection *d, int count, int *node, int size[3])
{
    int reached = measure(d, count, node, node[0], d->distance);
    if (reached == count) {
        separate(d, count, node, size);
    } else { // several pieces: one of them, and the others
        for (int k = 0; k < reached; k++)
            d->side[d->queue[k]] = RIGHT;
        size[RIGHT] = reached;
        size[LEFT] = count - reached;
        size[BETWEEN] = 0;
    }
    part(d, count, node, size);
}

// The part's nodes are on the LEFT, all others OUTSIDE; so they are afterwards, all OUTSIDE.
static void dissect(Dissection *d, int count, int *node)
{
    int size[3];
    if (count < SMALLEST) {
        close(d, count, node);
        return;
    }
    split(d, count, node, size);
    int *right = node + size[LEFT], *between = right + size[RIGHT];
    mark(d, count, node, OUTSIDE);
    mark(d, size[LEFT], node, LEFT);
    dissect(d, size[LEFT], node);
    mark(d, size[RIGHT], right, LEFT);
    dissect(d, size[RIGHT], right);
    close(d, size[BETWEEN], between);
}

bool perp_block_dissect(PerpArena *arena, int n, const int *start, const int *other, int *set)
{
    Dissection d = {.n = n,
                    .start = start,
                    .other = other,
                    .set = set,
                    .side = PERP_TAKE(arena, int, n),
                    .node = PERP_TAKE(arena, int, n),
                    .distance = PERP_TAKE(arena, int, LANDMARKS *(size_t)n),
                    .nearest = PERP_TAKE(arena, int, n),
                    .best = PERP_TAKE(arena, int, n),
                    .queue = PERP_TAKE(arena, int, n),
                    .f = PERP_TAKE(arena, double, n),
                    .g = PERP_TAKE(arena, double, n),
                    .sorted = PERP_TAKE(arena, Value, n),
                    .between = PERP_TAKE(arena, int, n),
                    .moved = PERP_TAKE(arena, int, n),
                    .journal = PERP_TAKE(arena, int, 3 * n)};
    if (!d.side || !d.node || !d.distance || !d.queue || !d.f || !d.g || !d.sorted || !d.between ||
        !d.moved || !d.journal || !d.nearest || !d.best)
        return false;
    for (int k = 0; k < n; k++)
        d.node[k] = k;
    dissect(&d, n, d.node);
    return true;
}
