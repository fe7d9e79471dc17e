#include "solve/solver.h"

#include "base/error.h"
#include "math/dense.h"

#include <math.h>

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

PerpStatus perp_require_finite(const double *x, int n, const char *what, PerpError *error)
{
    for (int i = 0; i < n && !perp_all_finite(n, x); i++)
        if (!isfinite(x[i]))
            return perp_fail(error, PERP_BAD_VALUE, "%s[%d] is not a finite number", what, i);
    return PERP_OK;
}
