// The equations of motion at any state, for checks of a run from outside.

#include "step/scheme_tools.h"

#include "base/error.h"
#include "perp/system.h"

#include <math.h>
#include <string.h>

static void *copy(const PerpSimulation *sim, const void *from, int count, size_t size)
{
    void *to = perp_allocate(&sim->context.allocator, (size_t)count + 1, size);
    if (to && count > 0)
        memcpy(to, from, (size_t)count * size);
    return to;
}

static int *copy_ints(const PerpSimulation *sim, const int *from, int count)
{
    return copy(sim, from, count, sizeof(int));
}

static double *copy_doubles(const PerpSimulation *sim, const double *from, int count)
{
    return copy(sim, from, count, sizeof(double));
}

static int count_mass(const PerpProblem *p)
{
    int values = 0;
    for (int k = 0; k < p->n_bodies; k++) {
        int n = p->body_start[k + 1] - p->body_start[k];
        values += n * n;
    }
    return values;
}

static bool copy_mass(const PerpSimulation *sim, const PerpProblem *p, PerpEquations *e)
{
    e->n_blocks = p->n_bodies;
    e->block_start = copy_ints(sim, p->body_start, p->n_bodies > 0 ? p->n_bodies + 1 : 0);
    e->M = copy_doubles(sim, p->Mt, count_mass(p));
    return e->block_start && e->M;
}

static bool copy_links(const PerpSimulation *sim, const PerpLinks *links, PerpEquations *e)
{
    const PerpBlockRows *g = &links->gradient;
    int n = links->count, entries = n > 0 ? g->row_start[n] : 0;
    e->n_links = n;
    e->link_start = copy_ints(sim, g->row_start, n > 0 ? n + 1 : 0);
    e->entry_block = copy_ints(sim, g->entry_body, entries);
    e->value_start = perp_allocate(&sim->context.allocator, (size_t)n + 1, sizeof(int));
    for (int i = 0; e->value_start && i < n; i++)
        e->value_start[i] = g->value_start[g->row_start[i]];
    e->gradient = copy_doubles(sim, g->J, n > 0 ? g->value_start[entries] : 0);
    e->psi = copy_doubles(sim, links->psi, n);
    e->stiffness = copy_doubles(sim, links->stiffness, n);
    e->damping = copy_doubles(sim, links->damping, n);
    return e->link_start && e->entry_block && e->value_start && e->gradient && e->psi &&
           e->stiffness && e->damping;
}

static PerpStatus find(PerpSimulation *sim, double t, const double *q, const double *v,
                       PerpEquations *e, PerpError *error)
{
    PerpStage stage;
    PerpLinks links;
    PerpStatus status = perp_stage_assemble(sim, q, -INFINITY, 0, &stage, error);
    if (!status)
        status = sim->system->links(sim, q, &links, error);
    if (status)
        return status;
    e->k = copy_doubles(sim, v, sim->n_v);
    if (!e->k || !copy_mass(sim, &stage.rows.problem, e) || !copy_links(sim, &links, e))
        return perp_fail_memory(error);
    sim->system->force(sim, t, q, v, e->k);
    return PERP_OK;
}

PerpStatus perp_simulation_equations_at(PerpSimulation *sim, double t, const double *q,
                                        const double *v, PerpEquations *equations, PerpError *error)
{
    PerpArenaMark mark = perp_arena_mark(&sim->arena);
    *equations = (PerpEquations){0};
    PerpStatus status = find(sim, t, q, v, equations, error);
    perp_arena_release(&sim->arena, mark);
    if (status)
        perp_equations_free(sim, equations);
    return status;
}

void perp_equations_free(const PerpSimulation *sim, PerpEquations *e)
{
    void *const owned[] = {e->block_start, e->M,        e->k,   e->link_start, e->entry_block,
                           e->value_start, e->gradient, e->psi, e->stiffness,  e->damping};
    for (size_t i = 0; i < sizeof owned / sizeof *owned; i++)
        perp_free(&sim->context.allocator, owned[i]);
    *e = (PerpEquations){0};
}
