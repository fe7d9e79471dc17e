#include "math/sparse/graph.h"

#include <string.h>

enum { MANY_CONSTRAINTS = 4096 }; // of all cached graphs

// --- one graph ----------------------------------------------------------------------------------

static int count_entries(const PerpGraph *graph)
{
    return graph->entry_start[graph->n_constraints];
}

static bool does_join(const PerpGraph *graph, int constraint)
{
    return !graph->joins || graph->joins[constraint];
}

// Entries of a constraint; none if it joins nothing.
static int joined(const PerpGraph *graph, int constraint)
{
    return does_join(graph, constraint)
               ? graph->entry_start[constraint + 1] - graph->entry_start[constraint]
               : 0;
}

static void list_couples(PerpGraph *graph)
{
    const PerpBlockPattern *pattern = &graph->pattern;
    for (int k = 0; k < graph->n_bodies; k++)
        graph->diagonal[k] = perp_block_pattern_block(pattern, k, k);
    for (int e = 0; e < count_entries(graph); e++)
        graph->entry_place[e] = pattern->place[graph->entry_body[e]];
    for (int c = 0, used = 0; c < graph->n_constraints; c++) {
        int first = graph->entry_start[c];
        for (int a = first; a < first + joined(graph, c); a++)
            for (int b = first; b <= a; b++) {
                int i = graph->entry_body[a], j = graph->entry_body[b];
                bool swapped = pattern->place[i] < pattern->place[j];
                graph->couple[used++] = (PerpGraphCouple){perp_block_pattern_block(pattern, i, j),
                                                          swapped ? b : a, swapped ? a : b};
            }
        graph->couple_start[c + 1] = used;
    }
}

bool perp_graph_analyse(PerpArena *arena, PerpGraph *graph)
{
    int couples = 0, pairs = 0;
    for (int c = 0; c < graph->n_constraints; c++) {
        int n = joined(graph, c);
        couples += n * (n + 1) / 2;
    }
    int *i = PERP_TAKE(arena, int, couples), *j = PERP_TAKE(arena, int, couples);
    graph->diagonal = PERP_TAKE(arena, size_t, graph->n_bodies);
    graph->entry_place = PERP_TAKE(arena, int, count_entries(graph));
    graph->couple = PERP_TAKE(arena, PerpGraphCouple, couples);
    graph->couple_start = PERP_TAKE(arena, int, graph->n_constraints + 1);
    if (!i || !j || !graph->diagonal || !graph->entry_place || !graph->couple ||
        !graph->couple_start)
        return false;
    for (int c = 0; c < graph->n_constraints; c++) {
        int first = graph->entry_start[c];
        for (int a = first; a < first + joined(graph, c); a++)
            for (int b = first; b < a; b++) {
                i[pairs] = graph->entry_body[a];
                j[pairs++] = graph->entry_body[b];
            }
    }
    if (!perp_block_pattern_find(arena, graph->n_bodies, pairs, i, j, &graph->pattern))
        return false;
    list_couples(graph);
    return true;
}

// --- the cache ----------------------------------------------------------------------------------

void perp_graph_cache_init(PerpGraphCache *graphs, const PerpAllocator *allocator)
{
    *graphs = (PerpGraphCache){0};
    for (int k = 0; k < PERP_CACHED_GRAPHS; k++)
        perp_arena_init(&graphs->entry[k].arena, allocator);
    perp_arena_init(&graphs->factors, allocator);
}

void perp_graph_cache_free(PerpGraphCache *graphs)
{
    for (int k = 0; k < PERP_CACHED_GRAPHS; k++)
        perp_arena_free(&graphs->entry[k].arena);
    perp_arena_free(&graphs->factors);
}

// FNV-1a, a number at a time
static uint64_t hash_ints(uint64_t hash, int count, const int *x)
{
    for (int k = 0; k < count; k++)
        hash = (hash ^ (uint64_t)(unsigned)x[k]) * 1099511628211u;
    return hash;
}

static uint64_t hash_graph(const PerpGraph *graph)
{
    const int sizes[] = {graph->n_bodies, graph->n_constraints};
    uint64_t hash = hash_ints(14695981039346656037u, 2, sizes);
    hash = hash_ints(hash, graph->n_constraints + 1, graph->entry_start);
    hash = hash_ints(hash, count_entries(graph), graph->entry_body);
    for (int c = 0; c < graph->n_constraints; c++)
        hash = hash_ints(hash, 1, (const int[]){does_join(graph, c)});
    return hash;
}

static bool equal_ints(int count, const int *x, const int *y)
{
    return memcmp(x, y, (size_t)count * sizeof(int)) == 0;
}

static bool are_equal(const PerpGraph *x, const PerpGraph *y)
{
    for (int c = 0; c < x->n_constraints && x->n_constraints == y->n_constraints; c++)
        if (does_join(x, c) != does_join(y, c))
            return false;
    return x->n_bodies == y->n_bodies && x->n_constraints == y->n_constraints &&
           equal_ints(x->n_constraints + 1, x->entry_start, y->entry_start) &&
           equal_ints(count_entries(x), x->entry_body, y->entry_body);
}

// Copies of what was found lie in the arena; false if memory is short.
static bool copy_graph(PerpArena *arena, const PerpGraph *from, PerpGraph *to)
{
    int constraints = from->n_constraints, entries = count_entries(from);
    *to = *from;
    to->entry_start = PERP_COPY(arena, from->entry_start, constraints + 1);
    to->entry_body = PERP_COPY(arena, from->entry_body, entries);
    to->joins = from->joins ? PERP_COPY(arena, from->joins, constraints) : NULL;
    to->entry_place = PERP_COPY(arena, from->entry_place, entries);
    to->diagonal = PERP_COPY(arena, from->diagonal, from->n_bodies);
    to->couple_start = PERP_COPY(arena, from->couple_start, constraints + 1);
    to->couple = PERP_COPY(arena, from->couple, from->couple_start[constraints]);
    return to->entry_start && to->entry_body && (to->joins || !from->joins) && to->entry_place &&
           to->diagonal && to->couple_start && to->couple &&
           perp_block_pattern_copy(arena, &from->pattern, &to->pattern);
}

// Analyses the graph, in the entry of another. Meanwhile the memory of factors is free.
static bool replace(PerpGraphCache *graphs, PerpCachedGraph *entry, const PerpGraph *asked)
{
    PerpGraph found = *asked;
    entry->graph = NULL;
    perp_arena_rewind(&entry->arena);
    perp_arena_rewind(&graphs->factors);
    PerpGraph *graph = PERP_TAKE(&entry->arena, PerpGraph, 1);
    if (!graph || !perp_graph_analyse(&graphs->factors, &found) ||
        !copy_graph(&entry->arena, &found, graph))
        return false;
    entry->graph = graph;
    return true;
}

// Large graphs hardly ever come again and need much memory: a few will do.
static bool is_full(const PerpGraphCache *graphs)
{
    int constraints = 0;
    for (int k = 0; k < PERP_CACHED_GRAPHS; k++)
        constraints += graphs->entry[k].graph ? graphs->entry[k].graph->n_constraints : 0;
    return constraints >= MANY_CONSTRAINTS;
}

const PerpGraph *perp_graph_cache_get(PerpGraphCache *graphs, const PerpGraph *asked)
{
    uint64_t hash = hash_graph(asked);
    bool full = is_full(graphs); // then unused entries stay so
    PerpCachedGraph *oldest = &graphs->entry[0];
    graphs->clock++;
    for (int k = 0; k < PERP_CACHED_GRAPHS; k++) {
        PerpCachedGraph *entry = &graphs->entry[k];
        if (entry->graph && entry->hash == hash && are_equal(entry->graph, asked)) {
            entry->used = graphs->clock;
            graphs->reused++;
            return entry->graph;
        }
        if (entry->used < oldest->used && (entry->used > 0 || !full))
            oldest = entry;
    }
    oldest->hash = hash;
    oldest->used = graphs->clock;
    graphs->found++;
    return replace(graphs, oldest, asked) ? oldest->graph : NULL;
}
