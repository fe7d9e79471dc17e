#include "cones/operator/elimination.h"

enum { FOLLOWED = 64 }; // constraints, from which on the graph follows those that join
static const double SLACK =
    1.3; // constraints in the graph, by those that join: more make a new graph

static PerpGraph describe(const PerpConeProblem *cones)
{
    return (PerpGraph){.n_bodies = cones->p->n_bodies,
                       .n_constraints = cones->n_constraints,
                       .entry_start = cones->bodies.entry_start,
                       .entry_body = cones->bodies.entry_body,
                       .joins = cones->bodies.joins};
}

// Factors come from an arena of their own, which is rewound for those of another graph.
static bool use(PerpConeProblem *cones, const PerpGraph *graph)
{
    PerpArena *arena = cones->bodies.cache ? &cones->bodies.cache->factors : cones->arena;
    if (cones->bodies.cache)
        perp_arena_rewind(arena);
    if (!graph ||
        !perp_block_lu_take(arena, &graph->pattern, cones->bodies.size, &cones->newton.lu))
        return false;
    cones->bodies.graph = graph;
    cones->newton.lu.threads = cones->threads;
    cones->bodies.entry_place = graph->entry_place;
    cones->bodies.body_place = graph->pattern.place;
    return true;
}

static bool find(PerpConeProblem *cones)
{
    PerpGraph asked = describe(cones);
    if (cones->bodies.cache)
        return use(cones, perp_graph_cache_get(cones->bodies.cache, &asked));
    PerpGraph *graph = PERP_TAKE(cones->arena, PerpGraph, 1);
    if (!graph)
        return false;
    *graph = asked;
    return perp_graph_analyse(cones->arena, graph) && use(cones, graph);
}

// Product cones have C also between their two constraints, which is not looked at here.
bool perp_elimination_prepare(PerpConeProblem *cones)
{
    bool follows = cones->bodies.cache && !cones->product && cones->n_constraints >= FOLLOWED;
    if (!follows)
        return find(cones);
    cones->bodies.joins = PERP_TAKE(cones->arena, bool, cones->n_constraints);
    return cones->bodies.joins;
}

bool perp_elimination_follow(PerpConeProblem *cones)
{
    const PerpGraph *graph = cones->bodies.graph;
    int joining = 0, held = 0;
    bool covered = graph;
    if (!cones->bodies.joins)
        return true;
    for (int c = 0; c < cones->n_constraints; c++) {
        cones->bodies.joins[c] = perp_elimination_responds(cones, c);
        joining += cones->bodies.joins[c];
        held += graph && graph->joins[c];
        covered = covered && (graph->joins[c] || !cones->bodies.joins[c]);
    }
    return (covered && held <= SLACK * joining) || find(cones);
}
