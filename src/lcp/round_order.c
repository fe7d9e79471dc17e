#include "lcp/round_order.h"

enum { FOLLOWED = 64 };          // cells, from which on the graph follows those that join
static const double SLACK = 1.3; // cells in the graph, by those that join: more make a new graph

static PerpRoundGraph describe(const PerpRound *round)
{
    return (PerpRoundGraph){.n_bodies = round->p->n_bodies,
                            .n_cells = round->n_cells,
                            .entry_start = round->entry_start,
                            .entry_body = round->entry_body,
                            .joins = round->joins};
}

// Factors come from an arena of their own, which is rewound for those of another graph.
static bool use(PerpRound *round, const PerpRoundGraph *graph)
{
    PerpArena *arena = round->kept ? &round->kept->factors : round->arena;
    if (round->kept)
        perp_arena_rewind(arena);
    if (!graph || !perp_block_lu_take(arena, &graph->pattern, round->size, &round->lu))
        return false;
    round->graph = graph;
    round->lu.threads = round->threads;
    round->entry_place = graph->entry_place;
    round->body_place = graph->pattern.place;
    return true;
}

static bool find(PerpRound *round)
{
    PerpRoundGraph asked = describe(round);
    if (round->kept)
        return use(round, perp_round_graphs_get(round->kept, &asked));
    PerpRoundGraph *graph = PERP_TAKE(round->arena, PerpRoundGraph, 1);
    if (!graph)
        return false;
    *graph = asked;
    return perp_round_graph_find(round->arena, graph) && use(round, graph);
}

// Wide cones have C also between their two cells, which is not looked at here.
bool perp_round_order_prepare(PerpRound *round)
{
    bool follows = round->kept && !round->wide && round->n_cells >= FOLLOWED;
    if (!follows)
        return find(round);
    round->joins = PERP_TAKE(round->arena, bool, round->n_cells);
    return round->joins;
}

static bool has_response(const double *C)
{
    for (int i = 0; i < 9; i++)
        if (C[i] != 0)
            return true;
    return false;
}

bool perp_round_order_follow(PerpRound *round)
{
    const PerpRoundGraph *graph = round->graph;
    int joining = 0, held = 0;
    bool covered = graph;
    if (!round->joins)
        return true;
    for (int c = 0; c < round->n_cells; c++) {
        round->joins[c] = has_response(round->C + 9 * c);
        joining += round->joins[c];
        held += graph && graph->joins[c];
        covered = covered && (graph->joins[c] || !round->joins[c]);
    }
    return (covered && held <= SLACK * joining) || find(round);
}
