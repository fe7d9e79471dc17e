#include "lcp/round_graph.h"

#include <string.h>

enum { MANY_CELLS = 4096 }; // of all graphs that are kept

// --- one graph ----------------------------------------------------------------------------------

static int count_entries(const PerpRoundGraph *graph)
{
    return graph->entry_start[graph->n_cells];
}

static bool does_join(const PerpRoundGraph *graph, int cell)
{
    return !graph->joins || graph->joins[cell];
}

// Entries of a cell; none if it joins nothing.
static int joined(const PerpRoundGraph *graph, int cell)
{
    return does_join(graph, cell) ? graph->entry_start[cell + 1] - graph->entry_start[cell] : 0;
}

static void list_couples(PerpRoundGraph *graph)
{
    const PerpBlockPattern *pattern = &graph->pattern;
    for (int k = 0; k < graph->n_bodies; k++)
        graph->diagonal[k] = perp_block_pattern_block(pattern, k, k);
    for (int e = 0; e < count_entries(graph); e++)
        graph->entry_place[e] = pattern->place[graph->entry_body[e]];
    for (int c = 0, used = 0; c < graph->n_cells; c++) {
        int first = graph->entry_start[c];
        for (int a = first; a < first + joined(graph, c); a++)
            for (int b = first; b <= a; b++) {
                int i = graph->entry_body[a], j = graph->entry_body[b];
                bool swapped = pattern->place[i] < pattern->place[j];
                graph->couple[used++] = (PerpRoundCouple){perp_block_pattern_block(pattern, i, j),
                                                          swapped ? b : a, swapped ? a : b};
            }
        graph->couple_start[c + 1] = used;
    }
}

bool perp_round_graph_find(PerpArena *arena, PerpRoundGraph *graph)
{
    int couples = 0, pairs = 0;
    for (int c = 0; c < graph->n_cells; c++) {
        int n = joined(graph, c);
        couples += n * (n + 1) / 2;
    }
    int *i = PERP_TAKE(arena, int, couples), *j = PERP_TAKE(arena, int, couples);
    graph->diagonal = PERP_TAKE(arena, size_t, graph->n_bodies);
    graph->entry_place = PERP_TAKE(arena, int, count_entries(graph));
    graph->couple = PERP_TAKE(arena, PerpRoundCouple, couples);
    graph->couple_start = PERP_TAKE(arena, int, graph->n_cells + 1);
    if (!i || !j || !graph->diagonal || !graph->entry_place || !graph->couple ||
        !graph->couple_start)
        return false;
    for (int c = 0; c < graph->n_cells; c++) {
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

// --- those that are kept ------------------------------------------------------------------------

void perp_round_graphs_init(PerpRoundGraphs *graphs, const PerpAllocator *allocator)
{
    *graphs = (PerpRoundGraphs){0};
    for (int k = 0; k < PERP_ROUND_GRAPHS; k++)
        perp_arena_init(&graphs->kept[k].arena, allocator);
    perp_arena_init(&graphs->factors, allocator);
}

void perp_round_graphs_free(PerpRoundGraphs *graphs)
{
    for (int k = 0; k < PERP_ROUND_GRAPHS; k++)
        perp_arena_free(&graphs->kept[k].arena);
    perp_arena_free(&graphs->factors);
}

// FNV-1a, a number at a time
static uint64_t hash_ints(uint64_t hash, int count, const int *x)
{
    for (int k = 0; k < count; k++)
        hash = (hash ^ (uint64_t)(unsigned)x[k]) * 1099511628211u;
    return hash;
}

static uint64_t hash_graph(const PerpRoundGraph *graph)
{
    const int sizes[] = {graph->n_bodies, graph->n_cells};
    uint64_t hash = hash_ints(14695981039346656037u, 2, sizes);
    hash = hash_ints(hash, graph->n_cells + 1, graph->entry_start);
    hash = hash_ints(hash, count_entries(graph), graph->entry_body);
    for (int c = 0; c < graph->n_cells; c++)
        hash = hash_ints(hash, 1, (const int[]){does_join(graph, c)});
    return hash;
}

static bool equal_ints(int count, const int *x, const int *y)
{
    return memcmp(x, y, (size_t)count * sizeof(int)) == 0;
}

static bool are_equal(const PerpRoundGraph *x, const PerpRoundGraph *y)
{
    for (int c = 0; c < x->n_cells && x->n_cells == y->n_cells; c++)
        if (does_join(x, c) != does_join(y, c))
            return false;
    return x->n_bodies == y->n_bodies && x->n_cells == y->n_cells &&
           equal_ints(x->n_cells + 1, x->entry_start, y->entry_start) &&
           equal_ints(count_entries(x), x->entry_body, y->entry_body);
}

// Copies of what was found lie in the arena; false if memory is short.
static bool copy_graph(PerpArena *arena, const PerpRoundGraph *from, PerpRoundGraph *to)
{
    int cells = from->n_cells, entries = count_entries(from);
    *to = *from;
    to->entry_start = PERP_COPY(arena, from->entry_start, cells + 1);
    to->entry_body = PERP_COPY(arena, from->entry_body, entries);
    to->joins = from->joins ? PERP_COPY(arena, from->joins, cells) : NULL;
    to->entry_place = PERP_COPY(arena, from->entry_place, entries);
    to->diagonal = PERP_COPY(arena, from->diagonal, from->n_bodies);
    to->couple_start = PERP_COPY(arena, from->couple_start, cells + 1);
    to->couple = PERP_COPY(arena, from->couple, from->couple_start[cells]);
    return to->entry_start && to->entry_body && (to->joins || !from->joins) && to->entry_place &&
           to->diagonal && to->couple_start && to->couple &&
           perp_block_pattern_copy(arena, &from->pattern, &to->pattern);
}

// Finds the graph anew in the place of another. Meanwhile the memory of factors is free.
static bool replace(PerpRoundGraphs *graphs, PerpRoundKept *kept, const PerpRoundGraph *asked)
{
    PerpRoundGraph found = *asked;
    kept->graph = NULL;
    perp_arena_rewind(&kept->arena);
    perp_arena_rewind(&graphs->factors);
    PerpRoundGraph *graph = PERP_TAKE(&kept->arena, PerpRoundGraph, 1);
    if (!graph || !perp_round_graph_find(&graphs->factors, &found) ||
        !copy_graph(&kept->arena, &found, graph))
        return false;
    kept->graph = graph;
    return true;
}

// Large graphs hardly ever come again and need much memory: a few will do.
static bool are_enough(const PerpRoundGraphs *graphs)
{
    int cells = 0;
    for (int k = 0; k < PERP_ROUND_GRAPHS; k++)
        cells += graphs->kept[k].graph ? graphs->kept[k].graph->n_cells : 0;
    return cells >= MANY_CELLS;
}

const PerpRoundGraph *perp_round_graphs_get(PerpRoundGraphs *graphs, const PerpRoundGraph *asked)
{
    uint64_t hash = hash_graph(asked);
    bool enough = are_enough(graphs); // then unused places stay so
    PerpRoundKept *oldest = &graphs->kept[0];
    graphs->clock++;
    for (int k = 0; k < PERP_ROUND_GRAPHS; k++) {
        PerpRoundKept *kept = &graphs->kept[k];
        if (kept->graph && kept->hash == hash && are_equal(kept->graph, asked)) {
            kept->used = graphs->clock;
            graphs->reused++;
            return kept->graph;
        }
        if (kept->used < oldest->used && (kept->used > 0 || !enough))
            oldest = kept;
    }
    oldest->hash = hash;
    oldest->used = graphs->clock;
    graphs->found++;
    return replace(graphs, oldest, asked) ? oldest->graph : NULL;
}
