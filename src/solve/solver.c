#include "solve/solver.h"

PerpStatus perp_solver_create(const PerpContext *context, PerpSolver **solver)
{
    PerpContext used = context ? *context : perp_default_context();
    *solver = perp_allocate(&used.allocator, 1, sizeof(PerpSolver));
    if (!*solver)
        return PERP_NO_MEMORY;
    (*solver)->context = used;
    (*solver)->threads = 1;
    perp_arena_init(&(*solver)->arena, &used.allocator);
    perp_graph_cache_init(&(*solver)->graphs, &used.allocator);
    return PERP_OK;
}

void perp_solver_destroy(PerpSolver *solver)
{
    if (!solver)
        return;
    perp_arena_free(&solver->arena);
    perp_graph_cache_free(&solver->graphs);
    PerpAllocator allocator = solver->context.allocator;
    perp_free(&allocator, solver);
}
