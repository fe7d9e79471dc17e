// Forces linearised about a state, and the problem with their matrix [PAGT06 (5.4), (5.9)].

#include "step/implicit/linearised_forces.h"

#include "base/error.h"

#include <string.h>

PerpStatus perp_implicit_begin(PerpSimulation *sim, const double *q, const PerpProblem *problem,
                               PerpImplicit *im, PerpError *error)
{
    PerpArena *arena = &sim->arena;
    *im = (PerpImplicit){.n = sim->n_v};
    PerpStatus status = sim->system->links(sim, q, &im->links, error);
    if (status)
        return status;
    if (!perp_clusters_find(arena, problem, &im->links.gradient, &im->clusters))
        return perp_fail_memory(error);
    im->values = im->clusters.mass_start[im->clusters.count];
    im->M = PERP_TAKE(arena, double, im->values);
    im->F = PERP_TAKE(arena, double, im->values);
    im->k_q = PERP_TAKE(arena, double, im->values);
    im->k_v = PERP_TAKE(arena, double, im->values);
    im->v = PERP_TAKE(arena, double, im->n);
    double *blocks = PERP_TAKE(arena, double, im->values);
    if (!im->M || !im->F || !im->k_q || !im->k_v || !im->v || !blocks)
        return perp_fail_memory(error);
    perp_clusters_add_blocks(&im->clusters, 1, problem->Mt, im->M);
    perp_clusters_gather(&im->clusters, sim->state.v, im->v);
    if (sim->system->coriolis) {
        sim->system->coriolis(sim, sim->state.v, blocks);
        perp_clusters_add_blocks(&im->clusters, 1, blocks, im->F);
    }
    return PERP_OK;
}

static void clear(PerpImplicit *im)
{
    memset(im->k_q, 0, (size_t)im->values * sizeof(double));
    memset(im->k_v, 0, (size_t)im->values * sizeof(double));
}

PerpStatus perp_implicit_exact_forces(PerpSimulation *sim, double t, const double *q,
                                      PerpImplicit *im, PerpError *error)
{
    PerpArenaMark mark = perp_arena_mark(&sim->arena);
    double *k_q = PERP_TAKE(&sim->arena, double, 2 * im->values), *k_v = k_q + im->values;
    if (!k_q)
        return perp_fail_memory(error);
    PerpStatus status = sim->system->force_derivatives(sim, t, q, sim->state.v, k_q, k_v, error);
    clear(im);
    if (!status) {
        perp_clusters_add_blocks(&im->clusters, 1, k_q, im->k_q);
        perp_clusters_add_blocks(&im->clusters, 1, k_v, im->k_v);
    }
    if (sim->settings.printed_coriolis && sim->system->coriolis) // nothing else depends on v
        memcpy(im->k_v, im->F, (size_t)im->values * sizeof(double));
    perp_arena_release(&sim->arena, mark);
    return status;
}

void perp_implicit_printed_forces(PerpImplicit *im)
{
    clear(im);
    memcpy(im->k_v, im->F, (size_t)im->values * sizeof(double));
}

static void add_dampers(PerpImplicit *im)
{
    for (int i = 0; i < im->links.count; i++)
        perp_clusters_add_square(&im->clusters, -im->links.damping[i], &im->links.gradient, i,
                                 im->k_v);
}

static void add_pair(void *user, int to, int from, const double *A)
{
    PerpImplicit *im = user;
    perp_clusters_add_pair(&im->clusters, 1, to, from, A, im->k_q);
}

PerpStatus perp_implicit_exact_links(PerpSimulation *sim, const double *q, PerpImplicit *im,
                                     PerpError *error)
{
    add_dampers(im);
    return sim->system->link_derivatives(sim, q, sim->state.v, add_pair, im, error);
}

void perp_implicit_printed_links(PerpImplicit *im)
{
    add_dampers(im);
    for (int i = 0; i < im->links.count; i++)
        perp_clusters_add_square(&im->clusters, -im->links.stiffness[i], &im->links.gradient, i,
                                 im->k_q);
}

void perp_implicit_matrix(const PerpImplicit *im, double h, double *Mt)
{
    for (int i = 0; i < im->values; i++)
        Mt[i] = im->M[i] - h / 2 * im->k_v[i] - h * h / 4 * im->k_q[i];
}

bool perp_implicit_is_definite(PerpSimulation *sim, const PerpImplicit *im, const double *Mt)
{
    PerpArenaMark mark = perp_arena_mark(&sim->arena);
    double *LU = PERP_TAKE(&sim->arena, double, im->values);
    PerpBlockDiagonal F = {im->clusters.count, im->clusters.start, im->clusters.mass_start, LU,
                           NULL};
    bool definite = LU && perp_block_diagonal_first_indefinite(&F, Mt) < 0;
    perp_arena_release(&sim->arena, mark);
    return definite;
}

PerpStatus perp_implicit_solve(PerpSimulation *sim, const PerpImplicit *im, const double *Mt,
                               const double *b, PerpStage *stage, PerpError *error)
{
    PerpStage merged = *stage;
    size_t size = (size_t)im->n * sizeof(double);
    stage->before = PERP_TAKE(&sim->arena, double, im->n);
    stage->v = PERP_TAKE(&sim->arena, double, im->n);
    if (!stage->before || !stage->v ||
        !perp_clusters_merge(&sim->arena, &im->clusters, &stage->rows, Mt, &merged.rows))
        return perp_fail_memory(error);
    memcpy(merged.rows.b, b, size);
    PerpStatus status = perp_stage_solve(sim, im->v, &merged, error);
    if (status)
        return status;
    memcpy(stage->before, sim->state.v, size);
    perp_clusters_scatter(&im->clusters, merged.v, stage->v);
    stage->c = merged.c;
    stage->lambda = merged.lambda;
    return PERP_OK;
}
